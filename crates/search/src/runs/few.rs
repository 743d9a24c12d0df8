//! Runs on inputs of which few are not zero.
//!
//! Right for programs that build lists, trees or tables as inputs tell them to: what goes wrong with a long list mostly
//! goes wrong with one of two or three nodes, and then few decisions lead there.

use std::collections::VecDeque;

use rhumb_program::interp::{InputSource, Outcome, Recorder, RunLimits};
use rhumb_program::{InputSiteId, Type};

use crate::claim::Claim;
use crate::task::Task;

/// Runs, steps that each may take, and steps of all together: some tenths of a second.
const RUNS: usize = 4000;
const STEPS: u64 = 4000;
const ALL_STEPS: u64 = 2_000_000;
const MEMORY: u64 = 1 << 24;

/// Inputs from which on all are zero.
const CHOICES: usize = 24;

/// What memory has that nobody has set: no address of anything.
const GARBAGE: u8 = 0x5a;

/// Ones and zeros in the order in which they are asked for, and zeros from then on.
struct Few<'c> {
    chosen: &'c [bool],
    asked: usize,
}

impl InputSource for Few<'_> {
    fn value(&mut self, _: InputSiteId, _: u64, _: Type) -> u128 {
        let is_one = self.chosen.get(self.asked).copied();
        self.asked += 1;
        is_one.unwrap_or(false).into()
    }

    fn bytes(&mut self, _: InputSiteId, _: u64, out: &mut [u8]) {
        out.fill(GARBAGE);
    }
}

/// An error that a run leads to on inputs of ones and zeros, few of them ones.
pub(crate) fn choose(task: &Task<'_>) -> Option<Claim> {
    let machine = task.machine();
    let limits = RunLimits {
        steps: STEPS,
        memory: MEMORY,
        ..RunLimits::default()
    };
    let mut queue: VecDeque<Vec<bool>> = VecDeque::from([Vec::new()]);
    let mut steps = 0;
    for _ in 0..RUNS {
        let chosen = queue.pop_front()?;
        let mut few = Few {
            chosen: &chosen,
            asked: 0,
        };
        let run = machine.run(&mut few, &limits);
        if let Outcome::Target(target) = run.outcome
            && run.is_definite()
        {
            let mut inputs = Recorder::new(Few { asked: 0, ..few });
            machine.run(&mut inputs, &limits);
            let inputs = inputs.into_inputs();
            return Some(Claim::Unsafe { target, inputs });
        }
        steps += run.steps;
        if steps >= ALL_STEPS {
            break;
        }
        for place in chosen.len()..few.asked.min(CHOICES) {
            let mut next = chosen.clone();
            next.resize(place, false);
            next.push(true);
            queue.push_back(next);
        }
    }
    None
}
