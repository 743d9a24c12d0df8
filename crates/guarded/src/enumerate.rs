//! All states of a program, one by one. Right for programs that have few states as long as what comes from outside is within a small range.

use std::collections::VecDeque;

use rhumb_logic::Int;
use rustc_hash::FxHashSet;

use crate::machine::{MachineState, holds, step};
use crate::syntax::{Assigned, Program};

/// What was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Found {
    /// The property can be violated.
    Error,
    /// It can't, where all that comes from outside is within the range.
    NoError {
        /// How many states there are.
        states: usize,
    },
    /// There are more states than that.
    TooMany,
}

/// Explores all states that are reached if open first values and what is set to anything are within the range.
pub fn enumerate(program: &Program, low: i64, high: i64, most: usize) -> Found {
    let choices: Vec<Int> = (low..=high).map(Int::from).collect();
    let start = program.start();
    let open = |variable: usize| program.variables[variable].start.is_none();
    let mut first: Vec<MachineState> = vec![Vec::new()];
    for variable in 0..program.variables.len() {
        let values: Vec<Int> = match &program.variables[variable].start {
            Some(value) => vec![value.clone()],
            None => choices.clone(),
        };
        if first.len().saturating_mul(values.len()) > most && open(variable) {
            return Found::TooMany;
        }
        first = extended(&first, &values);
    }
    let mut waiting: VecDeque<MachineState> = first
        .into_iter()
        .filter(|state| holds(&start, state))
        .collect();
    let mut seen: FxHashSet<MachineState> = waiting.iter().cloned().collect();
    while let Some(state) = waiting.pop_front() {
        if !holds(&program.property, &state) {
            return Found::Error;
        }
        if seen.len() > most {
            return Found::TooMany;
        }
        for (number, transition) in program.transitions.iter().enumerate() {
            let mut inputs: Vec<MachineState> = vec![Vec::new()];
            for (_, assigned) in &transition.assigned {
                if matches!(assigned, Assigned::Anything) {
                    inputs = extended(&inputs, &choices);
                }
            }
            for inputs in inputs {
                if let Some(next) = step(program, &state, number, &inputs)
                    && seen.insert(next.clone())
                {
                    waiting.push_back(next);
                }
            }
        }
    }
    Found::NoError { states: seen.len() }
}

fn extended(lists: &[MachineState], by: &[Int]) -> Vec<MachineState> {
    let each = |list: &MachineState| -> Vec<MachineState> {
        let longer = by.iter().map(|value| {
            let mut list = list.clone();
            list.push(value.clone());
            list
        });
        longer.collect()
    };
    lists.iter().flat_map(each).collect()
}
