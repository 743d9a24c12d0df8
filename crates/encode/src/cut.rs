//! Cut points: where block formulas begin and end.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use index_vec::IndexVec;
use rhumb_program::graph::CallGraph;
use rhumb_program::{
    Action, Callee, Cfa, EdgeId, FuncId, LocId, LocKind, Program, TargetId, UnsupportedId,
};
use rustc_hash::FxHashSet;

use crate::calls::followed;
use crate::liveness::is_left_call;
use crate::region::is_dead_end;

/// Which locations become nodes of a block graph, beside the entry, targets and what is not supported.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum CutPolicy {
    /// The heads of loops: the fewest blocks.
    #[default]
    LoopHeads,
    /// Every location: one block for each edge of the automaton.
    Everywhere,
    /// The heads of loops, and as many others as it takes that no block has more than this many locations inside.
    Bounded(usize),
    /// The heads of loops, and where calls that are left begin and end, and returns: such a call is an edge of its own
    /// ([`BlockKind::Call`]).
    ///
    /// [`BlockKind::Call`]: crate::BlockKind::Call
    Calls,
}

/// What a node of a block graph stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum NodeKind {
    /// Where a run begins.
    Entry,
    /// The head of a loop, in this program or in the one that it was simplified from.
    LoopHead,
    /// A target: what must not be reached.
    Target(TargetId),
    /// Something that the model can't express. Who can get there knows nothing: a proof has to show that nobody does.
    Unsupported(UnsupportedId),
    /// A call that was not inlined and whose body may reach a target. For a proof it is as bad as what is not
    /// supported. The blocks that go on behind it take every effect of the call as unknown.
    Call(EdgeId),
    /// Cut by the policy.
    Cut,
}

impl NodeKind {
    /// Whether a proof must show that it can't be reached.
    pub fn is_goal(self) -> bool {
        match self {
            NodeKind::Target(_) | NodeKind::Unsupported(_) | NodeKind::Call(_) => true,
            NodeKind::Entry | NodeKind::LoopHead | NodeKind::Cut => false,
        }
    }
}

/// The cut points that a run can get to, with what they are.
pub(crate) fn cut_points(
    program: &Program,
    function: FuncId,
    policy: CutPolicy,
) -> IndexVec<LocId, Option<NodeKind>> {
    let cfa = &program.functions[function].cfa;
    let loops = cfa.loops();
    let reachable = cfa.reachable();
    let calls = Calls::of(program);
    let at_calls = match policy {
        CutPolicy::Calls => around_calls(program, function),
        _ => FxHashSet::default(),
    };
    let is_followed =
        |action: &Action| policy == CutPolicy::Calls && followed(program, action).is_some();
    let mut kinds: IndexVec<LocId, Option<NodeKind>> = cfa
        .locations
        .iter_enumerated()
        .map(|(at, location)| {
            if !reachable[at] {
                return None;
            }
            match location.kind {
                LocKind::Target(target) => Some(NodeKind::Target(target)),
                LocKind::Unsupported(what) => Some(NodeKind::Unsupported(what)),
                kind if is_dead_end(kind) => None,
                _ => match location.outgoing[..] {
                    // Also at the entry: a run that begins with such a call is at a goal from the start.
                    [edge]
                        if !is_followed(&cfa.edges[edge].action)
                            && calls.may_fail(&cfa.edges[edge].action) =>
                    {
                        Some(NodeKind::Call(edge))
                    }
                    _ if at == cfa.entry => Some(NodeKind::Entry),
                    // The head of a loop that simplification took apart is one, too: in the program as lowered the loop
                    // is there, and a proof has to say what holds at its head.
                    _ if loops.is_head(at) || location.loop_statement.is_some() => {
                        Some(NodeKind::LoopHead)
                    }
                    _ if policy == CutPolicy::Everywhere || at_calls.contains(&at) => {
                        Some(NodeKind::Cut)
                    }
                    _ => None,
                },
            }
        })
        .collect();
    if let CutPolicy::Bounded(size) = policy {
        bound(cfa, size, &mut kinds);
    }
    kinds
}

/// Where calls that a relation can stand for begin and end, and where a function that is called returns.
fn around_calls(program: &Program, function: FuncId) -> FxHashSet<LocId> {
    let edges = &program.functions[function].cfa.edges;
    let places = edges.iter().flat_map(|edge| match edge.action {
        Action::Call { .. } if followed(program, &edge.action).is_some() => {
            vec![edge.source, edge.target]
        }
        Action::Return { .. } if function != program.start => vec![edge.source],
        _ => Vec::new(),
    });
    places.collect()
}

/// Adds cut points until no region has more than `size` places inside.
fn bound(cfa: &Cfa, size: usize, kinds: &mut IndexVec<LocId, Option<NodeKind>>) {
    let graph = cfa.graph();
    let order = graph.reverse_postorder(cfa.entry);
    let mut number: IndexVec<LocId, u32> = IndexVec::from_vec(vec![u32::MAX; cfa.locations.len()]);
    for (place, &at) in order.iter().enumerate() {
        number[at] = place as u32;
    }
    let mut seen: IndexVec<LocId, u32> = IndexVec::from_vec(vec![u32::MAX; cfa.locations.len()]);
    // In this order all new cut points of a region come after its start, so each is handled in turn.
    for &start in &order {
        if kinds[start].is_none() {
            continue;
        }
        // In topological order: what is taken is closed under predecessors inside the region, what waits is where the region is to end.
        let mut waiting = BinaryHeap::from([Reverse((number[start], start))]);
        let mut taken = 0;
        while let Some(Reverse((_, at))) = waiting.pop() {
            if at != start {
                if taken == size {
                    kinds[at] = Some(NodeKind::Cut);
                    continue;
                }
                taken += 1;
            }
            for &next in graph.successors(at) {
                let inside = kinds[next].is_none() && !is_dead_end(cfa.locations[next].kind);
                let mark = number[start];
                if inside && std::mem::replace(&mut seen[next], mark) != mark {
                    waiting.push(Reverse((number[next], next)));
                }
            }
        }
    }
}

/// What calls that are left can do.
struct Calls<'p> {
    program: &'p Program,
    graph: CallGraph,
}

impl<'p> Calls<'p> {
    fn of(program: &'p Program) -> Calls<'p> {
        let graph = CallGraph::of(program);
        Calls { program, graph }
    }

    /// Whether the action is a call in which a target, or something that is not supported, might be reached.
    fn may_fail(&self, action: &Action) -> bool {
        if !is_left_call(action) {
            return false;
        }
        let Action::Call {
            callee: Callee::Function(function),
            ..
        } = action
        else {
            return true;
        };
        let reachable = self.graph.reachable(*function);
        self.program.functions.iter_enumerated().any(|(id, body)| {
            reachable[id]
                && body.cfa.locations.iter().any(|location| {
                    matches!(location.kind, LocKind::Target(_) | LocKind::Unsupported(_))
                })
        })
    }
}
