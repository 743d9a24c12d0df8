//! The abstract transition system that an exploration gives, and its part that runs can stay in.

use std::collections::{BTreeMap, BTreeSet};

use super::explore::Explored;

/// Transitions between abstract states, each with a real one behind it.
pub(crate) struct Model {
    /// For each abstract state: the transitions that were taken from it, and where they led.
    pub(crate) successors: Vec<BTreeMap<usize, BTreeSet<usize>>>,
    /// The states in loops, or behind them: the paper's `inf`, and what is reachable from it.
    pub(crate) fragment: Vec<bool>,
}

impl Model {
    pub(crate) fn of(explored: &Explored) -> Model {
        let mut successors = vec![BTreeMap::new(); explored.abstracts.len()];
        for node in &explored.nodes {
            for edge in node.edges.iter().flatten() {
                let to = explored.nodes[edge.to].abstraction;
                let by: &mut BTreeMap<usize, BTreeSet<usize>> = &mut successors[node.abstraction];
                by.entry(edge.transition).or_default().insert(to);
            }
        }
        let fragment = fragment(&successors);
        Model {
            successors,
            fragment,
        }
    }
}

/// States that are not in a loop, nor behind one, can be put in an order, front to back: take away states without
/// predecessors until there are none.
fn fragment(successors: &[BTreeMap<usize, BTreeSet<usize>>]) -> Vec<bool> {
    let mut incoming = vec![0usize; successors.len()];
    let arcs = |state: usize| successors[state].values().flatten().copied();
    for state in 0..successors.len() {
        for to in arcs(state) {
            incoming[to] += 1;
        }
    }
    let mut waiting: Vec<usize> = (0..successors.len())
        .filter(|&state| incoming[state] == 0)
        .collect();
    let mut fragment = vec![true; successors.len()];
    while let Some(state) = waiting.pop() {
        fragment[state] = false;
        for to in arcs(state) {
            incoming[to] -= 1;
            if incoming[to] == 0 {
                waiting.push(to);
            }
        }
    }
    fragment
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fragment_is_what_is_in_loops_and_behind_them() {
        // 0 -> 1 -> 2 -> 1, 2 -> 3, 0 -> 4
        let arcs: &[&[usize]] = &[&[1, 4], &[2], &[1, 3], &[], &[]];
        let successors: Vec<_> = arcs
            .iter()
            .map(|to| BTreeMap::from([(0, to.iter().copied().collect())]))
            .collect();
        assert_eq!(fragment(&successors), [false, true, true, true, false]);
    }
}
