//! What a test remembers at loop heads, and the cycles that this suggests.
//!
//! When the last two ways round were alike and changed the state by the same amounts, the next ways round are likely to
//! do so, too. Whether they do is for [`super::prover`] to show.

use std::collections::VecDeque;

use rhumb_logic::num::Int;

use crate::runs::{Jump, Taken};

/// Up to so many ways round a head count as one iteration of a cycle.
const MAX_PERIOD: usize = 16;

/// Up to so many parts.
const MAX_PARTS: usize = 4096;

/// After a failure a head has some peace, twice as long each time, up to two to this power.
const MAX_PEACE: u32 = 14;

/// What happened at a loop head.
#[derive(Default)]
pub(super) struct Visits {
    /// The last ones: where in the trace, and the states.
    last: VecDeque<(usize, Box<[i128]>)>,
    /// Visits at which not to look for a cycle.
    peace: u32,
    failures: u32,
}

/// A cycle that may repeat itself once more.
pub(super) struct Candidate {
    /// The next way round, with inner jumps that grow from one to the next.
    pub(super) cycle: Vec<Taken>,
    /// What it adds to the state.
    pub(super) change: Vec<i128>,
}

impl Visits {
    /// Comes to the head. Says how many ways round may be looked at together.
    pub(super) fn arrive(&mut self, at: usize, state: &[i128]) -> usize {
        while self.last.len() > 2 * MAX_PERIOD {
            self.last.pop_front();
        }
        self.last.push_back((at, state.into()));
        if self.peace > 0 {
            self.peace -= 1;
            return 0;
        }
        (self.last.len() - 1) / 2
    }

    /// What the last visits suggest, if so many ways round are one iteration.
    pub(super) fn candidate(&self, period: usize, steps: &[Taken]) -> Option<Candidate> {
        let visit = |back: usize| {
            let place = self.last.len().checked_sub(back + 1)?;
            self.last.get(place)
        };
        let (start, first) = visit(2 * period)?;
        let (middle, second) = visit(period)?;
        let (end, third) = visit(0)?;
        if middle - start != end - middle || end - middle > MAX_PARTS {
            return None;
        }
        // Most of what isn't a cycle is seen here, so this has to be cheap.
        let states = first.iter().zip(second).zip(third);
        let mut changes = states.map(|((first, second), third)| {
            let latest = third.checked_sub(*second)?;
            (second.checked_sub(*first)? == latest).then_some(latest)
        });
        let change: Vec<i128> = changes.by_ref().collect::<Option<_>>()?;
        let (one, two) = (steps.get(*start..*middle)?, steps.get(*middle..*end)?);
        Some(Candidate {
            cycle: continued(one, two, 0)?,
            change,
        })
    }

    /// A cycle was jumped over; the test stands here now.
    pub(super) fn jumped(&mut self, at: usize, state: &[i128]) {
        self.failures = 0;
        self.last.push_back((at, state.into()));
    }

    /// For so many more visits nothing new is to be expected.
    pub(super) fn wait(&mut self, visits: i128) {
        self.peace = u32::try_from(visits).unwrap_or(u32::MAX);
    }

    /// What was suggested couldn't be shown.
    pub(super) fn failed(&mut self) {
        self.peace = (1 << self.failures) - 1;
        self.failures = (self.failures + 1).min(MAX_PEACE);
    }
}

/// What comes after two words that differ in the lengths of their jumps only: the same, with lengths that go on
/// growing. `depth` is the number of jumps of the word around.
fn continued(one: &[Taken], two: &[Taken], depth: usize) -> Option<Vec<Taken>> {
    if one.len() != two.len() {
        return None;
    }
    let parts = one.iter().zip(two);
    parts
        .map(|(one, two)| match (one, two) {
            (Taken::Block { .. }, Taken::Block { .. }) => (one == two).then(|| two.clone()),
            (Taken::Jump(one), Taken::Jump(two)) => {
                let inner = continued(&one.cycle, &two.cycle, depth + 1)?;
                let (before, mut times) = (&one.times, two.times.clone());
                if before.growth != times.growth {
                    return None;
                }
                let more = &times.first - &before.first;
                if !more.is_zero() {
                    times.growth.resize(depth, Int::ZERO);
                    times.growth.push(more.clone());
                    times.first += more;
                }
                let cycle = inner;
                Some(Taken::Jump(Box::new(Jump { cycle, times })))
            }
            _ => None,
        })
        .collect()
}

/// Whether a part of the word has inputs.
pub(super) fn has_inputs(word: &[Taken]) -> bool {
    word.iter().any(|part| match part {
        Taken::Block { inputs, .. } => !inputs.is_empty(),
        Taken::Jump(jump) => has_inputs(&jump.cycle),
    })
}
