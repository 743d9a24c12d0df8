//! Measures that fit the rounds that were seen.

use rhumb_program::{Measure, MeasuredPlace};

use super::linear::Linear;
use super::places::{Place, Places};
use super::rounds::{Round, Rounds};

/// Numbers of a measure.
const PARTS: usize = 6;

/// A measure for each place; none if nothing fits somewhere. Of several that fit as well each has its turn.
pub(super) fn measures(places: &Places, rounds: &Rounds<'_>, turn: usize) -> Option<Vec<Measure>> {
    let none = Vec::new();
    let all = places.all.iter().map(|place| {
        let seen = rounds.seen.get(&(place.function, place.place));
        let parts = fitting(place, seen.unwrap_or(&none), turn)?;
        Some(Measure {
            function: place.function,
            place: place.place,
            parts: parts.iter().map(Linear::sum).collect::<Option<_>>()?,
        })
    });
    let mut all: Vec<Measure> = all.collect::<Option<_>>()?;
    level(&mut all);
    Some(all)
}

/// Numbers of functions that call themselves are compared with one another: all have as many.
fn level(all: &mut [Measure]) {
    let is_entry = |measure: &&mut Measure| measure.place == MeasuredPlace::Entry;
    let entries = all.iter_mut().filter(is_entry);
    let mut entries: Vec<&mut Measure> = entries.collect();
    let most = entries.iter().map(|measure| measure.parts.len()).max();
    for measure in &mut entries {
        while let Some(last) = measure.parts.last().cloned()
            && Some(measure.parts.len()) < most
        {
            measure.parts.push(last);
        }
    }
}

/// Sums such that with each round the first one that can, falls, and those before it don't grow: in each step the one
/// that counts most rounds of those that are left.
fn fitting(place: &Place, rounds: &[Round], turn: usize) -> Option<Vec<Linear>> {
    let mut left: Vec<&Round> = rounds.iter().collect();
    let mut parts: Vec<Linear> = Vec::new();
    if left.is_empty() {
        // Nobody has seen one.
        let own = place.sums.get(turn).or(place.sums.first());
        return Some(own.cloned().into_iter().collect());
    }
    while !left.is_empty() && parts.len() < PARTS {
        let mut best: Vec<&Linear> = Vec::new();
        let mut most = 1;
        for sum in &place.sums {
            let mut count = 0;
            let fits = left.iter().all(|(before, after)| {
                let old = sum.value(&|term| before.get(&term).copied());
                let new = sum.value(&|term| after.get(&term).copied());
                let (Some(old), Some(new)) = (old, new) else {
                    return false;
                };
                count += usize::from(new < old && old >= 0);
                new <= old
            });
            if fits && count >= most {
                if count > most {
                    best.clear();
                }
                most = count;
                best.push(sum);
            }
        }
        let sum = *best.get(turn % best.len().max(1))?;
        left.retain(|(before, after)| {
            let old = sum.value(&|term| before.get(&term).copied());
            let new = sum.value(&|term| after.get(&term).copied());
            !(new < old && old >= Some(0))
        });
        parts.push(sum.clone());
    }
    left.is_empty().then_some(parts)
}
