//! Concrete runs in the tree: those of tests, and claims made of those that end in a goal.

use rhumb_encode::{NodeId, NodeKind};
use rhumb_logic::Value;
use rhumb_logic::interpolate::Run;
use rhumb_program::TargetId;
use rhumb_program::interp::KeyedInputs;

use super::{Art, TreeId};
use crate::claim::{Claim, Reason};
use crate::runs::{Decoder, Replayed, Taken, replay};

/// Blocks of a test that are entered into the tree. What follows is found again, should it matter.
const ENTERED: usize = 1_000;

/// Number of steps of a test that go into the tree: none from the first jump on. A jump leaves out what it skips, which a proof can't do.
pub(crate) fn entered(steps: &[Taken]) -> usize {
    let blocks = steps
        .iter()
        .take_while(|step| matches!(step, Taken::Block { .. }));
    blocks.take(ENTERED).count()
}

impl Art<'_> {
    /// Enters a test into the tree. What it passes by is open; the node where it ends is the result.
    pub(crate) fn enter(&mut self, leaf: TreeId, steps: &[Taken]) -> TreeId {
        let mut here = leaf;
        for step in &steps[..entered(steps)] {
            let Taken::Block { edge: taken, .. } = step else {
                break;
            };
            self.tree.expand(self.space.graph, here);
            let mut next = here;
            for child in self.tree.children(here) {
                if self.tree.edge(child) == *taken {
                    next = child;
                } else {
                    self.open([child]);
                }
            }
            here = next;
        }
        here
    }

    /// A run along the path to a leaf, and from there the steps of a test, end in a goal.
    pub(crate) fn reached(
        &mut self,
        leaf: TreeId,
        goal: NodeId,
        run: &Run,
        steps: Vec<Taken>,
    ) -> Option<Claim> {
        let inputs = self.inputs(leaf, run, &steps);
        let target = match self.space.graph.nodes[goal].kind {
            // A call that is left may have any result in formulas, and so may what is approximated: the interpreter knows which.
            NodeKind::Target(target)
                if self.task.prepared.left.is_empty() && self.is_credible(leaf, &steps) =>
            {
                Ok(target)
            }
            _ => self.executed(goal, &inputs),
        };
        match target {
            Ok(target) => {
                self.claimed = Some((leaf, steps));
                Some(Claim::Unsafe { target, inputs })
            }
            Err(reason) => {
                let end = self.enter(leaf, &steps);
                let reason = match self.space.graph.nodes[goal].kind {
                    NodeKind::Target(_) => self.approximated(end),
                    _ => reason,
                };
                self.set_aside(end, reason);
                None
            }
        }
    }

    /// Whether formulas say all of a run; or it has jumps, and may be too long to be executed step by step.
    fn is_credible(&self, leaf: TreeId, steps: &[Taken]) -> bool {
        let path = self.tree.path(None, leaf).into_iter().skip(1);
        let mut edges: Vec<_> = path.map(|id| self.tree.edge(id)).collect();
        for step in steps {
            match step {
                Taken::Block { edge, .. } => edges.push(*edge),
                Taken::Jump(_) => return true,
            }
        }
        let graph = self.space.graph;
        edges
            .into_iter()
            .all(|edge| graph.edges[edge].approximations.is_empty())
    }

    /// A run goes where formulas can't follow: into a call that is not inlined, say. The interpreter can, and may find an error there.
    fn executed(&self, goal: NodeId, inputs: &KeyedInputs) -> Result<TargetId, Reason> {
        match replay(self.task, inputs) {
            Replayed::Target(target) => Ok(target),
            Replayed::Unsupported(reason) => Err(reason),
            Replayed::Other => Err(self.task.unsupported(goal).unwrap_or(Reason::Inconclusive)),
        }
    }

    /// The inputs of a run along the path to a leaf, and from there of the steps of a test.
    fn inputs(&self, leaf: TreeId, run: &Run, steps: &[Taken]) -> KeyedInputs {
        let path = self.tree.path(None, leaf);
        let graph = self.space.graph;
        let mut whole: Vec<Taken> = Vec::with_capacity(path.len() + steps.len());
        for (&id, values) in path.iter().skip(1).zip(&run.inputs) {
            let edge = self.tree.edge(id);
            let inputs = graph.edges[edge].transition.inputs.iter();
            let zero = || Value::Int(0.into());
            whole.push(Taken::Block {
                edge,
                inputs: inputs
                    .map(|input| values.get(input).cloned().unwrap_or_else(zero))
                    .collect(),
            });
        }
        whole.extend(steps.iter().cloned());
        let first = run.states.first();
        let addresses = graph.state.constants().filter_map(|cell| {
            let value = first.and_then(|state| state.get(&cell.symbol));
            Some((cell.symbol, value?.clone()))
        });
        let Some(mut decoder) = Decoder::new(self.task, addresses.collect()) else {
            return KeyedInputs::new();
        };
        // Where the program leaves the blocks, something was approximated: the inputs up to there may do all the same.
        let _ = decoder.follow(&whole);
        decoder.finish()
    }

    /// Sets the run of the last claim aside, which was not accepted. Says whether there was one.
    pub(crate) fn reject(&mut self) -> bool {
        let Some((leaf, steps)) = self.claimed.take() else {
            return false;
        };
        let end = self.enter(leaf, &steps);
        let reason = self.approximated(end);
        self.set_aside(end, reason);
        true
    }

    /// The end of a run that is no error, although the formulas say so.
    fn set_aside(&mut self, end: TreeId, reason: Reason) {
        match self.space.graph.nodes[self.tree.at(end)].kind {
            NodeKind::Target(_) | NodeKind::Unsupported(_) => self.give_up(end, reason),
            // The run is not in the tree as a whole, or goes on behind a call.
            _ => {
                self.obstacle.get_or_insert(reason);
                self.grow(end);
            }
        }
    }
}
