//! Where runs are cut, and what has to be looked at.

use crate::unfold::{Bad, Next, Unfolded, UnfoldedPlace};

/// Whether runs can be cut at a place: where something goes on, be it a call that must not be made.
pub(crate) fn can_cut(unfolded: &Unfolded<'_>, place: UnfoldedPlace) -> bool {
    match unfolded.next(place) {
        Next::Go(..)
        | Next::Branch { .. }
        | Next::Agreed(_)
        | Next::Return
        | Next::Bad(Bad::Call) => true,
        Next::End | Next::Bad(Bad::Target | Bad::Unsupported) => false,
    }
}

/// The places at which runs are cut: the given ones, and in every cycle that they leave the place that a search from the start comes to
/// first.
pub(crate) fn cuts(unfolded: &Unfolded<'_>, given: &[UnfoldedPlace]) -> Vec<bool> {
    let mut is_cut = vec![false; unfolded.places().count()];
    for &place in given {
        is_cut[place.0 as usize] = true;
    }
    let given_cut = is_cut.clone();
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; is_cut.len()];
    let roots = [unfolded.start()].into_iter().chain(given.iter().copied());
    for root in roots {
        let mut todo = vec![(root, false)];
        while let Some((place, done)) = todo.pop() {
            let mark = &mut marks[place.0 as usize];
            if done {
                *mark = Mark::Done;
                continue;
            }
            if *mark != Mark::New {
                continue;
            }
            *mark = Mark::Open;
            todo.push((place, true));
            for next in unfolded.successors(place) {
                if given_cut[next.0 as usize] {
                    continue;
                }
                match marks[next.0 as usize] {
                    Mark::New => todo.push((next, false)),
                    // A cycle closes here.
                    Mark::Open => is_cut[next.0 as usize] = true,
                    Mark::Done => {}
                }
            }
        }
    }
    is_cut
}

/// The places from which one of the given can be reached, or something bad.
pub(crate) fn matters(unfolded: &Unfolded<'_>, given: &[UnfoldedPlace]) -> Vec<bool> {
    let count = unfolded.places().count();
    let mut before: Vec<Vec<UnfoldedPlace>> = vec![Vec::new(); count];
    let mut todo: Vec<UnfoldedPlace> = given.to_vec();
    for place in unfolded.places() {
        for next in unfolded.successors(place) {
            before[next.0 as usize].push(place);
        }
        if let Next::Bad(_) = unfolded.next(place) {
            todo.push(place);
        }
    }
    closure(count, todo, |place| before[place.0 as usize].clone())
}

/// The places that a run may come to, as far as the graph says.
pub(crate) fn reachable(unfolded: &Unfolded<'_>) -> Vec<bool> {
    let count = unfolded.places().count();
    closure(count, vec![unfolded.start()], |place| {
        unfolded.successors(place).collect()
    })
}

fn closure(
    count: usize,
    mut todo: Vec<UnfoldedPlace>,
    next: impl Fn(UnfoldedPlace) -> Vec<UnfoldedPlace>,
) -> Vec<bool> {
    let mut seen = vec![false; count];
    while let Some(place) = todo.pop() {
        if !std::mem::replace(&mut seen[place.0 as usize], true) {
            todo.extend(next(place));
        }
    }
    seen
}
