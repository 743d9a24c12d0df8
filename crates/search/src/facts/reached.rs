//! States that tests were in.

use rhumb_logic::{Assignment, Symbol, Value};
use rustc_hash::FxHashSet;

/// States that are kept of a node.
const MOST: usize = 128;

/// A few of the states in which tests were at a node: the first ones, and from then on an ever thinner sample, so that
/// late states have their place, too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Reached {
    states: Vec<Assignment>,
    seen: FxHashSet<Vec<(Symbol, Value)>>,
    count: u64,
}

impl Reached {
    /// Takes notice of a state. Says whether it is kept.
    pub(crate) fn add(&mut self, state: &Assignment) -> bool {
        self.count += 1;
        let place = if self.states.len() < MOST {
            self.states.len()
        } else if self.count.is_power_of_two() || self.count.is_multiple_of(1 << 10) {
            // The second half of the places is for these.
            MOST / 2 + (self.seen.len() % (MOST / 2))
        } else {
            return false;
        };
        let mut key: Vec<(Symbol, Value)> = state
            .iter()
            .map(|(&symbol, value)| (symbol, value.clone()))
            .collect();
        key.sort_unstable_by_key(|entry| entry.0);
        if !self.seen.insert(key) {
            return false;
        }
        match self.states.get_mut(place) {
            Some(old) => *old = state.clone(),
            None => self.states.push(state.clone()),
        }
        true
    }

    /// The states that are kept.
    pub(crate) fn states(&self) -> &[Assignment] {
        &self.states
    }
}
