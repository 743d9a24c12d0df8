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
        let fitting = place.sums.iter().enumerate().filter_map(|(number, sum)| {
            let counted = Counted::of(sum, &left)?;
            (counted.all > 0).then_some((number, sum, counted))
        });
        let fitting: Vec<(usize, &Linear, Counted)> = fitting.collect();
        let most = fitting.iter().map(|fits| fits.2.all).max();
        let most_above = fitting.iter().map(|fits| fits.2.above_zero).max();
        let of_most = fitting.iter().filter(|fits| Some(fits.2.all) == most);
        let likely = of_most.clone().filter(|fits| fits.0 < place.likely);
        // What stays above 0 is more likely to fall for a reason than what only stays what its type holds.
        let mut best: Vec<&(usize, &Linear, Counted)> = likely.collect();
        best.sort_by_key(|fits| std::cmp::Reverse(fits.2.above_zero));
        let above = fitting.iter().filter(|fits| fits.2.above_zero > 0);
        best.extend(above.filter(|fits| Some(fits.2.above_zero) == most_above));
        best.extend(of_most);
        let best: Vec<&Linear> = best.into_iter().map(|fits| fits.1).collect();
        let sum = *best.get(turn % best.len().max(1))?;
        left.retain(|round| change(sum, round).is_none_or(|(old, new)| new >= old));
        parts.push(sum.clone());
    }
    left.is_empty().then_some(parts)
}

/// How many rounds a sum counts.
struct Counted {
    /// All in which it falls.
    all: usize,
    /// Those in which it falls from 0 or more.
    above_zero: usize,
}

impl Counted {
    /// None if the sum grows in one of the rounds.
    fn of(sum: &Linear, rounds: &[&Round]) -> Option<Counted> {
        let mut counted = Counted {
            all: 0,
            above_zero: 0,
        };
        for round in rounds {
            let (old, new) = change(sum, round)?;
            if new > old {
                return None;
            }
            counted.all += usize::from(new < old);
            counted.above_zero += usize::from(new < old && old >= 0);
        }
        Some(counted)
    }
}

/// What a sum has before and behind a round.
fn change(sum: &Linear, (before, after): &Round) -> Option<(i128, i128)> {
    let old = sum.value(&|term| before.get(&term).copied())?;
    let new = sum.value(&|term| after.get(&term).copied())?;
    Some((old, new))
}
