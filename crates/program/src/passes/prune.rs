//! Removal of what can't lead to a goal.
//!
//! A location stays if a run from the start can get there, and if from there
//! - a goal can be reached in this activation or in one that it calls, or
//! - the function's exit can be reached, and some caller still needs the function to return: one of its calls goes on
//!   to a location that stays.
//!
//! A call lets pass whoever wants to go on behind it only if a callee can return. A branch keeps both of its edges; the one that leads to
//! nothing ends in a [`LocKind::Pruned`] sink, like a call that is kept for what it reaches and not for what comes after.
//! Functions that no run needs any more lose their bodies and keep their ids.
//!
//! Every run to a goal stays as it is, step by step, so no cut point on it is lost and no input is shifted.

use index_vec::IndexVec;

use super::rebuild::Rebuild;
use super::restore::{Restore, Role};
use super::{Passed, finish};
use crate::cfa::{Cfa, LocKind, UbKind};
use crate::graph::{CallGraph, Called};
use crate::ids::{EdgeId, FuncId, LocId, TargetId};
use crate::model::Program;

/// What is to be reached. A location of kind [`LocKind::Unsupported`] is a goal in any case: who gets there knows nothing.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Goals {
    /// These targets.
    pub targets: Vec<TargetId>,
    /// These kinds of undefined behaviour. For a question of reachability none.
    pub undefined: Vec<UbKind>,
}

impl Goals {
    /// All targets of the program.
    pub fn all_targets(program: &Program) -> Goals {
        Goals {
            targets: program.targets.indices().collect(),
            undefined: Vec::new(),
        }
    }

    /// Whether a location of this kind is a goal.
    pub fn contains(&self, kind: LocKind) -> bool {
        match kind {
            LocKind::Target(target) => self.targets.contains(&target),
            LocKind::Ub(kind) => self.undefined.contains(&kind),
            LocKind::Unsupported(_) => true,
            LocKind::Plain | LocKind::Exit | LocKind::End(_) | LocKind::Pruned => false,
        }
    }
}

/// Removes what can't be reached from the start or can't reach a goal.
pub fn run(program: &Program, goals: &Goals) -> Passed {
    let flow = Flow::of(program);
    let kept = flow.kept(goals);
    let mut result = program.clone();
    let mut restore = Restore::without_functions(program);
    for (id, function) in program.functions.iter_enumerated() {
        let keep = |at: LocId| kept[flow.node(id, at)];
        let mut rebuild = Rebuild::new(id, &function.cfa, keep);
        for (at, location) in function.cfa.locations.iter_enumerated() {
            if keep(at) {
                for &edge in &location.outgoing {
                    let copy = &function.cfa.edges[edge];
                    let target = copy.target;
                    rebuild.edge(edge, copy.action.clone(), target, Role::Step);
                }
            }
        }
        let (cfa, origins) = rebuild.finish();
        result.functions[id].cfa = cfa;
        restore.functions.push(origins);
    }
    finish(result, restore)
}

/// A location of the whole program, by number.
type Node = usize;

/// A call: the node where it is made, and the node to which it returns.
#[derive(Clone, Copy)]
struct CallSite {
    before: Node,
    after: Node,
}

/// The locations of all functions in one numbering, with the calls between them.
struct Flow<'p> {
    program: &'p Program,
    /// Number of each function's first location; at the end the number of all.
    first: Vec<Node>,
    /// The steps that are no calls, turned round.
    backward: Vec<Vec<Node>>,
    /// For each function the calls that can enter it.
    callers: IndexVec<FuncId, Vec<CallSite>>,
    address_taken: Vec<FuncId>,
}

impl<'p> Flow<'p> {
    fn of(program: &'p Program) -> Flow<'p> {
        let mut first = vec![0];
        for function in &program.functions {
            first.push(first[first.len() - 1] + function.cfa.locations.len());
        }
        let mut flow = Flow {
            program,
            backward: vec![Vec::new(); first[first.len() - 1]],
            first,
            callers: program.functions.iter().map(|_| Vec::new()).collect(),
            address_taken: CallGraph::of(program).address_taken().to_vec(),
        };
        for (id, function) in program.functions.iter_enumerated() {
            for (edge_id, edge) in function.cfa.edges.iter_enumerated() {
                let before = flow.node(id, edge.source);
                let after = flow.node(id, edge.target);
                match flow.callees(&function.cfa, edge_id) {
                    None => flow.backward[after].push(before),
                    Some(callees) => {
                        for callee in callees {
                            flow.callers[callee].push(CallSite { before, after });
                        }
                    }
                }
            }
        }
        flow
    }

    fn node(&self, function: FuncId, at: LocId) -> Node {
        self.first[function.index()] + at.index()
    }

    fn function_of(&self, node: Node) -> FuncId {
        FuncId::from_usize(self.first.partition_point(|&first| first <= node) - 1)
    }

    fn cfa(&self, function: FuncId) -> &'p Cfa {
        &self.program.functions[function].cfa
    }

    fn entry(&self, function: FuncId) -> Node {
        self.node(function, self.cfa(function).entry)
    }

    fn exit(&self, function: FuncId) -> Node {
        self.node(function, self.cfa(function).exit)
    }

    /// The functions that an edge can call; none if it is no call of a function of the program.
    fn callees(&self, cfa: &Cfa, edge: EdgeId) -> Option<Vec<FuncId>> {
        Some(match self.program.callee(&cfa.edges[edge].action)? {
            Called::Function(function) => vec![function],
            Called::AnyAddressTaken => self.address_taken.clone(),
        })
    }

    /// What a run from the start can get to.
    fn reached(&self) -> Vec<bool> {
        let mut reached = vec![false; self.backward.len()];
        let mut returns: IndexVec<FuncId, bool> =
            IndexVec::from_vec(vec![false; self.program.functions.len()]);
        // Where calls go on when the callee is found to return.
        let mut waiting: IndexVec<FuncId, Vec<Node>> =
            self.program.functions.iter().map(|_| Vec::new()).collect();
        let mut todo = vec![self.entry(self.program.start)];
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut reached[node], true) {
                continue;
            }
            let id = self.function_of(node);
            let cfa = self.cfa(id);
            if node == self.exit(id) {
                returns[id] = true;
                todo.append(&mut waiting[id]);
            }
            for &edge in cfa.outgoing(LocId::from_usize(node - self.first[id.index()])) {
                let after = self.node(id, cfa.edges[edge].target);
                let Some(callees) = self.callees(cfa, edge) else {
                    todo.push(after);
                    continue;
                };
                for callee in callees {
                    todo.push(self.entry(callee));
                    if returns[callee] {
                        todo.push(after);
                    } else {
                        waiting[callee].push(after);
                    }
                }
            }
        }
        reached
    }

    /// What can get to one of the given nodes. A call can be passed if `returns` says so of a callee, and is passed into the callee
    /// (`enters`) if goals there count.
    fn reaching(
        &self,
        goals: impl Iterator<Item = Node>,
        enters: bool,
        returns: Option<&[bool]>,
    ) -> Vec<bool> {
        let mut reaching = vec![false; self.backward.len()];
        let mut todo: Vec<Node> = goals.collect();
        // Calls by the node behind them, and for each function the calls that wait for it to return.
        let mut calls_to: Vec<Vec<(Node, FuncId)>> = vec![Vec::new(); self.backward.len()];
        for (callee, sites) in self.callers.iter_enumerated() {
            for site in sites {
                calls_to[site.after].push((site.before, callee));
            }
        }
        let mut waiting: IndexVec<FuncId, Vec<Node>> =
            self.program.functions.iter().map(|_| Vec::new()).collect();
        while let Some(node) = todo.pop() {
            if std::mem::replace(&mut reaching[node], true) {
                continue;
            }
            todo.extend(&self.backward[node]);
            for &(before, callee) in &calls_to[node] {
                let entry = self.entry(callee);
                // Without an answer from outside this very computation finds out who returns.
                if returns.map_or(reaching[entry], |returns| returns[entry]) {
                    todo.push(before);
                } else if returns.is_none() {
                    waiting[callee].push(before);
                }
            }
            let id = self.function_of(node);
            if node == self.entry(id) {
                if returns.is_none() {
                    todo.append(&mut waiting[id]);
                }
                if enters {
                    todo.extend(self.callers[id].iter().map(|site| site.before));
                }
            }
        }
        reaching
    }

    /// The nodes that stay.
    fn kept(&self, goals: &Goals) -> Vec<bool> {
        let program = self.program;
        let functions = program.functions.indices();
        let reached = self.reached();
        let to_exit = self.reaching(functions.map(|id| self.exit(id)), false, None);
        let goal_nodes = program
            .functions
            .iter_enumerated()
            .flat_map(|(id, function)| {
                function
                    .cfa
                    .locations
                    .iter_enumerated()
                    .filter(|(_, location)| goals.contains(location.kind))
                    .map(move |(at, _)| self.node(id, at))
            });
        let to_goal = self.reaching(goal_nodes, true, Some(&to_exit));

        // Whose return is needed: first where a call goes on to a goal, then where it goes on to an exit that is needed itself.
        let mut must_return: IndexVec<FuncId, bool> =
            IndexVec::from_vec(vec![false; program.functions.len()]);
        let mut calls_of: IndexVec<FuncId, Vec<(Node, FuncId)>> =
            program.functions.iter().map(|_| Vec::new()).collect();
        let mut todo = Vec::new();
        for (callee, sites) in self.callers.iter_enumerated() {
            for site in sites.iter().filter(|site| reached[site.before]) {
                calls_of[self.function_of(site.before)].push((site.after, callee));
                if to_goal[site.after] {
                    todo.push(callee);
                }
            }
        }
        while let Some(function) = todo.pop() {
            if std::mem::replace(&mut must_return[function], true) {
                continue;
            }
            for &(after, callee) in &calls_of[function] {
                if to_exit[after] {
                    todo.push(callee);
                }
            }
        }
        (0..self.backward.len())
            .map(|node| {
                let returns = to_exit[node] && must_return[self.function_of(node)];
                reached[node] && (to_goal[node] || returns)
            })
            .collect()
    }
}
