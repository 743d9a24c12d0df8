//! Which of many promises are kept: induction, with all promises at once.
//!
//! In one program others keep those promises for which a truth value says so, and a thread is asked about one that a
//! number names ([`rhumb_program::alone_with_choice`]). So that program is made, simplified and encoded once, however
//! many promises are taken back.

use rhumb_encode::BlockGraph;
use rhumb_logic::{Budget, Symbol};
use rhumb_program::passes::VarOrigin;
use rhumb_program::{Program, Promises, VarId, alone_with_choice};

use crate::induction::{Assumptions, Choosing};
use crate::task::{Means, Task};

/// What is left of promises.
pub(super) struct Sieved {
    /// Those that are kept.
    pub(super) kept: Promises,
    /// A few of them that keep themselves, by which nothing is reached.
    pub(super) enough: Option<Promises>,
}

/// Takes promises back until the others are kept.
pub(super) fn sieve(
    program: &Program,
    promises: Promises,
    means: Means,
    budget: &Budget,
) -> Option<Sieved> {
    let choice = alone_with_choice(program, &promises).ok()?;
    let task = Task::new(&choice.program).with_means(means);
    let graph: &BlockGraph = &task.graph;
    if graph.goals().next().is_none() {
        // Whatever others do, nothing is reached, and nothing is broken.
        let enough = Promises {
            numbers: promises.numbers.clone(),
            promises: Vec::new(),
        };
        return Some(Sieved {
            kept: promises,
            enough: Some(enough),
        });
    }
    let symbol = |wanted: VarId| -> Option<Symbol> {
        let origin = VarOrigin::Variable(wanted);
        let is_it = |var: &&VarId| task.prepared.restore.var(**var).item == origin;
        let var = graph.state.vars().iter().find(is_it)?;
        graph.state.symbol(*var)
    };
    let choosing = Choosing {
        made: choice.relied.iter().map(|&var| symbol(var)).collect(),
        asked: symbol(choice.asked),
        broken: choice.broken,
        supports: &|promise| promises.supports(promise),
    };
    let mut assumptions = Assumptions::new(graph, choosing);
    let is_settled = assumptions.settle(budget);
    let kept: Vec<usize> = assumptions.made().collect();
    tracing::debug!(
        "{} of {} promises are kept, {} blocks",
        kept.len(),
        promises.promises.len(),
        graph.edges.len()
    );
    if !is_settled {
        return None;
    }
    let enough = match assumptions.exclude_goals(budget) {
        true => assumptions.needed(budget),
        false => None,
    };
    tracing::debug!("enough: {enough:?}");
    let only = |numbers: &[usize]| Promises {
        numbers: promises.numbers.clone(),
        promises: (numbers.iter())
            .map(|&number| promises.promises[number].clone())
            .collect(),
    };
    Some(Sieved {
        kept: only(&kept),
        enough: enough.map(|enough| only(&enough)),
    })
}
