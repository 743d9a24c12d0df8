//! A test from a model of a summary.
//!
//! A model of all paths from the entry to the goals fixes the inputs that are read before the first loop. A run with these inputs may reach the error, however
//! long it takes: the counterexample that comes out has jumps where the run repeats itself. Right for programs that read their inputs at the
//! start; inputs that are read later are zero.

use rhumb_certify::counterexample::{self, Counterexample};
use rhumb_logic::session::Model;
use rhumb_logic::{Assignment, Budget};
use rhumb_program::interp::KeyedInputs;

use crate::claim::Claim;
use crate::task::Task;

/// Steps and operations that the test may take.
const EFFORT: u64 = 20_000_000;

/// Runs the program with the inputs of a model, and claims what it finds.
pub(crate) fn probe(task: &Task<'_>, model: &Model, budget: &Budget) -> Option<Claim> {
    let graph = &task.graph;
    let outgoing = graph.nodes.get(graph.entry)?.outgoing.iter();
    outgoing
        .filter_map(|&edge| {
            let values: Assignment = graph.edges[edge]
                .transition
                .inputs
                .iter()
                .filter_map(|&input| Some((input, model.value(input)?.clone())))
                .collect();
            let first = graph.decode(edge, &Assignment::default(), &values).ok()?;
            let mut inputs = KeyedInputs::new();
            for event in first.events {
                inputs.push_value(event.site, event.bits, 1);
            }
            let mut effort = counterexample::Budget {
                operations: EFFORT,
                ..counterexample::Budget::within(budget)
            };
            effort.limits.steps = EFFORT;
            let found = counterexample::compress(task.lowered, &inputs, &effort).ok()?;
            let Counterexample { target, inputs, .. } = found;
            Some(Claim::Unsafe { target, inputs })
        })
        .next()
}
