//! Which state is behind which, and what a state still needs. Nothing here matters for what is true: states may go on
//! in any order, and a variable that was forgotten has no value, so that whoever reads it stops.

use rhumb_program::graph::CallGraph;
use rhumb_program::{EdgeId, FuncId, LocId, LocKind, Program, TargetKind, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::runs::state::PathState;

/// What is known of a function.
struct Places {
    /// The heads of the loops around a location, the outermost first.
    loops: Vec<Vec<LocId>>,
    /// Its number in an order in which steps that are no back edges lead forwards.
    number: Vec<u32>,
    is_join: Vec<bool>,
    /// Variables that may be read before they are set again.
    live: Vec<FxHashSet<VarId>>,
    is_recursive: bool,
}

pub(in crate::runs) struct Order<'p> {
    program: &'p Program,
    calls: CallGraph,
    asks_for_leaks: bool,
    functions: FxHashMap<FuncId, Places>,
}

impl<'p> Order<'p> {
    pub(in crate::runs) fn new(program: &'p Program) -> Order<'p> {
        let mut targets = program.targets.iter();
        Order {
            program,
            calls: CallGraph::of(program),
            asks_for_leaks: targets.any(|target| matches!(target.kind, TargetKind::Leak(_))),
            functions: FxHashMap::default(),
        }
    }

    /// Whether runs may meet: which memory is lost is asked of each path by itself.
    pub(in crate::runs) fn can_join(&self) -> bool {
        !self.asks_for_leaks
    }

    fn places(&mut self, function: FuncId) -> &Places {
        let (program, calls) = (self.program, &self.calls);
        self.functions
            .entry(function)
            .or_insert_with(|| Places::new(program, function, calls.is_recursive(function)))
    }

    /// Whether a branch may go on for ever if its sides are not asked for: one that leaves a loop, or in a function
    /// that calls itself.
    pub(in crate::runs) fn needs_asking(&mut self, state: &PathState, at: LocId) -> bool {
        let Some(frame) = state.frame() else {
            return false;
        };
        let program = self.program;
        let places = self.places(frame.function);
        let cfa = &program.functions[frame.function].cfa;
        let [first, second] = *cfa.outgoing(at) else {
            return false;
        };
        let own = places.loops[at.index()].len();
        // What is undefined ends a run there and then: no loop is written to end so.
        let leaves = |edge: EdgeId| {
            let to = cfa.edges[edge].target;
            let is_dead = |at: LocId| matches!(cfa.locations[at].kind, LocKind::Ub(_));
            let behind = cfa.outgoing(to).first().map(|&edge| cfa.edges[edge].target);
            let ends = is_dead(to) || behind.is_some_and(is_dead) && cfa.outgoing(to).len() == 1;
            places.loops[to.index()].len() < own && !ends
        };
        places.is_recursive || leaves(first) || leaves(second)
    }

    /// Counts the rounds of a loop, where an activation that was at a place now is at another one.
    pub(in crate::runs) fn moved(
        &mut self,
        state: &mut PathState,
        thread: usize,
        depth: usize,
        from: Option<LocId>,
    ) {
        let Some(from) = from else { return };
        let Some(frame) = state.threads[thread].frames.get_mut(depth - 1) else {
            return;
        };
        let places = self.places(frame.function);
        if frame.at != from && places.loops[frame.at.index()].last() == Some(&frame.at) {
            let rounds = frame.rounds.entry(frame.at).or_default();
            *rounds = match places.loops[from.index()].contains(&frame.at) {
                true => *rounds + 1,
                false => 0,
            };
        }
    }

    /// Whether others may come to where a state is: ways meet there, another thread goes on, or another function.
    pub(in crate::runs) fn is_meeting(&self, state: &PathState, thread: usize) -> bool {
        let Some(frame) = state.frame() else {
            return false;
        };
        let places = self.functions.get(&frame.function);
        state.current != thread || places.is_some_and(|places| places.is_join[frame.at.index()])
    }

    /// Where a state is: a list for each thread. Of two lists the one that is less can lead to the other one.
    pub(in crate::runs) fn position(&mut self, state: &PathState) -> Vec<Vec<u32>> {
        let mut position = Vec::new();
        for thread in &state.threads {
            let mut list = Vec::new();
            for frame in &thread.frames {
                let places = self.places(frame.function);
                for head in &places.loops[frame.at.index()] {
                    list.push(places.number[head.index()]);
                    list.push(frame.rounds.get(head).copied().unwrap_or(0));
                }
                list.push(places.number[frame.at.index()]);
            }
            // What is behind a call comes after all that is in it.
            list.push(u32::MAX);
            position.push(list);
        }
        position
    }

    /// Forgets variables that nobody reads any more. Where it is asked which memory is lost, they may still lead to
    /// some.
    pub(in crate::runs) fn forget_dead(&mut self, state: &mut PathState) {
        if self.asks_for_leaks {
            return;
        }
        for thread in &mut state.threads {
            for frame in &mut thread.frames {
                let live = &self.places(frame.function).live[frame.at.index()];
                frame.locals.retain(|var, _| live.contains(var));
            }
        }
    }
}

impl Places {
    fn new(program: &Program, function: FuncId, is_recursive: bool) -> Places {
        let cfa = &program.functions[function].cfa;
        let (graph, nest) = (cfa.graph(), cfa.loops());
        let mut number = vec![0; cfa.locations.len()];
        for (place, at) in graph.reverse_postorder(cfa.entry).into_iter().enumerate() {
            number[at.index()] = place as u32;
        }
        let incoming = cfa.incoming();
        let loops = cfa.locations.indices().map(|at| {
            let heads = std::iter::successors(nest.innermost(at), |&head| nest.enclosing(head));
            let mut heads: Vec<LocId> = heads.collect();
            heads.reverse();
            heads
        });
        let mut live: Vec<FxHashSet<VarId>> = vec![FxHashSet::default(); cfa.locations.len()];
        let mut todo: Vec<LocId> = cfa.locations.indices().collect();
        while let Some(at) = todo.pop() {
            let mut needed = FxHashSet::default();
            for &edge in cfa.outgoing(at) {
                let edge = &cfa.edges[edge];
                let behind = live[edge.target.index()].iter().copied();
                let set = edge.action.defined_var();
                needed.extend(behind.filter(|&var| Some(var) != set));
                edge.action.for_each_expr(|expr| {
                    let mut use_it = |var| {
                        needed.insert(var);
                    };
                    program.exprs.for_each_var(expr, &mut use_it);
                });
            }
            if needed.len() > live[at.index()].len() {
                live[at.index()] = needed;
                todo.extend(incoming[at].iter().map(|&edge| cfa.edges[edge].source));
            }
        }
        Places {
            loops: loops.collect(),
            number,
            is_join: incoming.iter().map(|edges| edges.len() > 1).collect(),
            live,
            is_recursive,
        }
    }
}
