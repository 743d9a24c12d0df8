//! Which definition each use of a variable sees: static single assignment form as a view of an automaton.
//!
//! Values are definitions by edges, the values that variables have on entry, and joins of several values at a location
//! (Cytron et al., TOPLAS 1991: joins at the iterated dominance frontiers of the definitions, then one walk down the dominator tree).
//! Sparse, so that passes take time in proportion to uses and not to locations times variables.
//!
//! A variable is tracked in one function only, so that nobody else can read or set it while the function runs: a local in its own, a global
//! in the only function that mentions it, if that function can't call itself. (Inlining leaves few globals that aren't.)
//! In a function whose dominance frontiers are too large, which takes a deep and strange nest of loops, nothing is tracked.

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;

use super::walk::Readers;
use crate::cfa::{Cfa, LocKind};
use crate::graph::{CallGraph, Dominators, Graph};
use crate::ids::{EdgeId, FuncId, LocId, VarId};
use crate::model::{Program, Scope};

index_vec::define_index_type! {
    /// A value of a tracked variable.
    pub(super) struct ValueId = u32;
    DEBUG_FORMAT = "value {}";
}

/// The greatest average size of a location's dominance frontier up to which a function's variables are tracked.
const MAX_FRONTIER: usize = 32;

/// Where a value comes from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Definition {
    /// The value that the variable has when the function is entered.
    Entry(VarId),
    /// An edge sets the variable.
    Edge(EdgeId),
    /// Values meet at a location.
    Join {
        /// The location.
        at: LocId,
        /// The value that comes over each incoming edge.
        operands: Vec<(EdgeId, ValueId)>,
    },
}

/// In which function each variable is tracked, and what else is known of the program's globals.
pub(super) struct Tracking {
    owners: IndexVec<VarId, Option<FuncId>>,
    /// Whether some edge sets the variable.
    assigned: IndexVec<VarId, bool>,
    /// Whether the start function is entered once only.
    start_runs_once: bool,
}

/// Who mentions a global.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mentioned {
    Nowhere,
    In(FuncId),
    Everywhere,
}

impl Tracking {
    pub(super) fn of(program: &Program, readers: &mut Readers) -> Tracking {
        let calls = CallGraph::of(program);
        let mut mentioned: IndexVec<VarId, Mentioned> =
            index_vec![Mentioned::Nowhere; program.vars.len()];
        let mut assigned: IndexVec<VarId, bool> = index_vec![false; program.vars.len()];
        for (id, function) in program.functions.iter_enumerated() {
            let mut mention = |var: VarId| {
                mentioned[var] = match mentioned[var] {
                    Mentioned::Nowhere => Mentioned::In(id),
                    Mentioned::In(other) if other == id => Mentioned::In(id),
                    _ => Mentioned::Everywhere,
                }
            };
            for edge in &function.cfa.edges {
                readers.visit(program, &edge.action, &mut mention);
                if let Some(var) = edge.action.defined_var() {
                    assigned[var] = true;
                    mention(var);
                }
            }
        }
        let owners = program
            .vars
            .iter_enumerated()
            .map(|(id, var)| match (var.scope, mentioned[id]) {
                (Scope::Local(function), _) => Some(function),
                (Scope::Global, Mentioned::In(function)) => {
                    (!calls.is_recursive(function)).then_some(function)
                }
                (Scope::Global, _) => None,
            })
            .collect();
        Tracking {
            owners,
            assigned,
            start_runs_once: !calls.is_recursive(program.start),
        }
    }

    /// Whether no edge sets the variable.
    pub(super) fn is_never_assigned(&self, var: VarId) -> bool {
        !self.assigned[var]
    }

    /// Whether the variable's uses and definitions in the function are all there are.
    pub(super) fn is_tracked(&self, var: VarId, function: FuncId) -> bool {
        self.owners[var] == Some(function)
    }

    /// Whether a tracked variable is a global that has its first value when the function is entered, and dies when it ends.
    pub(super) fn starts_fresh(&self, program: &Program, var: VarId, function: FuncId) -> bool {
        program.vars[var].scope == Scope::Global
            && function == program.start
            && self.start_runs_once
    }

    /// Whether the value that a tracked variable has at the function's exit can be seen later.
    fn outlives(&self, program: &Program, var: VarId, function: FuncId) -> bool {
        program.vars[var].scope == Scope::Global && !self.starts_fresh(program, var, function)
    }
}

/// The values of the tracked variables of one function.
pub(super) struct Ssa {
    pub(super) values: IndexVec<ValueId, Definition>,
    /// The value that an edge gives to the tracked variable that it sets.
    pub(super) defined: IndexVec<EdgeId, Option<ValueId>>,
    /// The joins at each location.
    pub(super) joins: IndexVec<LocId, Vec<ValueId>>,
    /// Values of variables that outlive the function, at its exit.
    pub(super) at_exit: Vec<ValueId>,
    /// What can be reached from the entry.
    pub(super) reachable: IndexVec<LocId, bool>,
    uses: Vec<(VarId, ValueId)>,
    /// The uses of each edge, a range of `uses`.
    use_ranges: IndexVec<EdgeId, (u32, u32)>,
}

impl Ssa {
    /// The tracked variables that an edge reads, by increasing number, and the values that they have there. Empty for an edge that can't be
    /// reached.
    pub(super) fn uses(&self, edge: EdgeId) -> &[(VarId, ValueId)] {
        let (first, end) = self.use_ranges[edge];
        &self.uses[first as usize..end as usize]
    }

    /// The value of a tracked variable that an edge reads.
    pub(super) fn value(&self, edge: EdgeId, var: VarId) -> Option<ValueId> {
        let uses = self.uses(edge);
        let index = uses.binary_search_by_key(&var, |&(var, _)| var).ok()?;
        Some(uses[index].1)
    }

    pub(super) fn of(
        program: &Program,
        function: FuncId,
        tracking: &Tracking,
        readers: &mut Readers,
    ) -> Ssa {
        let cfa = &program.functions[function].cfa;
        let graph = cfa.graph();
        let dominators = Dominators::of(&graph, cfa.entry);
        let mut builder = Builder::new(cfa, &graph, &dominators);
        // Only where somebody can read a variable do values have to meet.
        let read_at = |at: LocId| matches!(cfa.locations[at].kind, LocKind::Plain | LocKind::Exit);
        let limit = MAX_FRONTIER * graph.len();
        if let Some(frontiers) = dominators.frontiers(&graph, read_at, limit) {
            builder.collect(program, function, tracking, readers);
            builder.place_joins(&frontiers);
            builder.rename();
        }
        builder.ssa
    }
}

/// What is known of one tracked variable.
struct Tracked {
    var: VarId,
    /// Edges that set it.
    definitions: Vec<EdgeId>,
    /// Locations where it is read.
    readers: Vec<LocId>,
    /// Whether its value at the exit counts.
    outlives: bool,
    /// The value that it has at the point where the walk is.
    current: Option<ValueId>,
    /// Its value on entry, once somebody asked for it.
    on_entry: Option<ValueId>,
}

struct Builder<'c> {
    cfa: &'c Cfa,
    graph: &'c Graph<LocId>,
    dominators: &'c Dominators<LocId>,
    /// Number of edges that can be taken to each location.
    incoming: IndexVec<LocId, u32>,
    tracked: Vec<Tracked>,
    /// The place of each variable in `tracked`.
    index: FxHashMap<VarId, usize>,
    /// The variables that each edge reads, by place, a range of this.
    read: Vec<u32>,
    read_ranges: IndexVec<EdgeId, (u32, u32)>,
    /// Variables of the joins, by place; in step with `Ssa::joins`.
    join_vars: IndexVec<LocId, Vec<usize>>,
    ssa: Ssa,
}

impl<'c> Builder<'c> {
    fn new(
        cfa: &'c Cfa,
        graph: &'c Graph<LocId>,
        dominators: &'c Dominators<LocId>,
    ) -> Builder<'c> {
        let mut reachable: IndexVec<LocId, bool> = index_vec![false; graph.len()];
        let mut incoming: IndexVec<LocId, u32> = index_vec![0; graph.len()];
        for &at in dominators.order() {
            reachable[at] = true;
            for &next in graph.successors(at) {
                incoming[next] += 1;
            }
        }
        Builder {
            cfa,
            graph,
            dominators,
            incoming,
            tracked: Vec::new(),
            index: FxHashMap::default(),
            read: Vec::new(),
            read_ranges: index_vec![(0, 0); cfa.edges.len()],
            join_vars: (0..graph.len()).map(|_| Vec::new()).collect(),
            ssa: Ssa {
                values: IndexVec::new(),
                defined: index_vec![None; cfa.edges.len()],
                joins: (0..graph.len()).map(|_| Vec::new()).collect(),
                at_exit: Vec::new(),
                reachable,
                uses: Vec::new(),
                use_ranges: index_vec![(0, 0); cfa.edges.len()],
            },
        }
    }

    /// Collects definitions and uses.
    fn collect(
        &mut self,
        program: &Program,
        function: FuncId,
        tracking: &Tracking,
        readers: &mut Readers,
    ) {
        let mut found = Vec::new();
        for (id, edge) in self.cfa.edges.iter_enumerated() {
            if !self.ssa.reachable[edge.source] {
                continue;
            }
            found.clear();
            readers.visit(program, &edge.action, |var| {
                if tracking.is_tracked(var, function) {
                    found.push(var);
                }
            });
            found.sort_unstable();
            found.dedup();
            let outlives = |var| tracking.outlives(program, var, function);
            let first = self.read.len() as u32;
            for &var in &found {
                let place = self.place_of(var, outlives(var));
                self.tracked[place].readers.push(edge.source);
                self.read.push(place as u32);
            }
            self.read_ranges[id] = (first, self.read.len() as u32);
            if let Some(var) = edge.action.defined_var()
                && tracking.is_tracked(var, function)
            {
                let place = self.place_of(var, outlives(var));
                self.tracked[place].definitions.push(id);
                self.ssa.defined[id] = Some(self.ssa.values.push(Definition::Edge(id)));
            }
        }
        if self.ssa.reachable[self.cfa.exit] {
            for tracked in self.tracked.iter_mut().filter(|tracked| tracked.outlives) {
                tracked.readers.push(self.cfa.exit);
            }
        }
    }

    fn place_of(&mut self, var: VarId, outlives: bool) -> usize {
        *self.index.entry(var).or_insert_with(|| {
            self.tracked.push(Tracked {
                var,
                definitions: Vec::new(),
                readers: Vec::new(),
                outlives,
                current: None,
                on_entry: None,
            });
            self.tracked.len() - 1
        })
    }

    /// Puts joins where different values of a variable can meet.
    fn place_joins(&mut self, frontiers: &IndexVec<LocId, Vec<LocId>>) {
        let mut todo = Vec::new();
        // For each location the last variable for which it got a join.
        let mut joined: IndexVec<LocId, usize> = index_vec![usize::MAX; self.graph.len()];
        for place in 0..self.tracked.len() {
            let tracked = &self.tracked[place];
            if tracked.readers.is_empty() || self.is_defined_once_before_use(tracked) {
                continue;
            }
            for &edge in &tracked.definitions {
                let target = self.cfa.edges[edge].target;
                // A definition on one of several edges into a location is one of the values that meet there.
                if self.incoming[target] > 1 {
                    todo.push(target);
                } else {
                    todo.extend(&frontiers[target]);
                }
            }
            let outlives = tracked.outlives;
            while let Some(at) = todo.pop() {
                let read_there = match self.cfa.locations[at].kind {
                    LocKind::Plain => true,
                    LocKind::Exit => outlives,
                    // A definition on an edge can lead straight to another sink.
                    _ => false,
                };
                if !read_there || std::mem::replace(&mut joined[at], place) == place {
                    continue;
                }
                let value = self.ssa.values.push(Definition::Join {
                    at,
                    operands: Vec::new(),
                });
                self.ssa.joins[at].push(value);
                self.join_vars[at].push(place);
                todo.extend(&frontiers[at]);
            }
        }
    }

    /// Whether every use sees the one and only definition: most temporaries. They need no joins.
    fn is_defined_once_before_use(&self, tracked: &Tracked) -> bool {
        let [edge] = tracked.definitions[..] else {
            return false;
        };
        let target = self.cfa.edges[edge].target;
        self.incoming[target] == 1
            && tracked
                .readers
                .iter()
                .all(|&at| self.dominators.dominates(target, at))
    }

    /// Walks down the dominator tree and tells each use which value it sees.
    fn rename(&mut self) {
        let mut children: IndexVec<LocId, Vec<LocId>> =
            (0..self.graph.len()).map(|_| Vec::new()).collect();
        for &at in self.dominators.order() {
            if let Some(above) = self.dominators.immediate(at) {
                children[above].push(at);
            }
        }
        // The edge into each location that has only one.
        let mut only_edge: IndexVec<LocId, Option<EdgeId>> = index_vec![None; self.graph.len()];
        for (id, edge) in self.cfa.edges.iter_enumerated() {
            if self.ssa.reachable[edge.source] && self.incoming[edge.target] == 1 {
                only_edge[edge.target] = Some(id);
            }
        }
        // What to set back when the walk leaves a location: (place, earlier value).
        let mut undo: Vec<(usize, Option<ValueId>)> = Vec::new();
        let mut path: Vec<(LocId, usize, usize)> = Vec::new();
        let mut enter = Some(self.cfa.entry);
        loop {
            if let Some(at) = enter.take() {
                let mark = undo.len();
                self.enter(at, only_edge[at], &mut undo);
                path.push((at, 0, mark));
            }
            let Some(&mut (at, ref mut next, mark)) = path.last_mut() else {
                break;
            };
            if let Some(&child) = children[at].get(*next) {
                *next += 1;
                enter = Some(child);
            } else {
                for (place, value) in undo.drain(mark..).rev() {
                    self.tracked[place].current = value;
                }
                path.pop();
            }
        }
    }

    /// Sets the current values at a location and records what its edges see.
    fn enter(
        &mut self,
        at: LocId,
        only_edge: Option<EdgeId>,
        undo: &mut Vec<(usize, Option<ValueId>)>,
    ) {
        let mut set = |tracked: &mut Vec<Tracked>, place: usize, value: ValueId| {
            undo.push((place, tracked[place].current.replace(value)));
        };
        if let Some(edge) = only_edge
            && let Some(value) = self.ssa.defined[edge]
            && let Some(var) = self.cfa.edges[edge].action.defined_var()
        {
            set(&mut self.tracked, self.index[&var], value);
        }
        for (&place, &value) in self.join_vars[at].iter().zip(&self.ssa.joins[at]) {
            set(&mut self.tracked, place, value);
        }
        let cfa = self.cfa;
        for &edge in cfa.outgoing(at) {
            let first = self.ssa.uses.len() as u32;
            let (start, end) = self.read_ranges[edge];
            for read in start..end {
                let place = self.read[read as usize] as usize;
                let value = self.current(place);
                self.ssa.uses.push((self.tracked[place].var, value));
            }
            self.ssa.use_ranges[edge] = (first, self.ssa.uses.len() as u32);
            let target = cfa.edges[edge].target;
            let sets = cfa.edges[edge].action.defined_var();
            for join in 0..self.join_vars[target].len() {
                let place = self.join_vars[target][join];
                let value = match self.ssa.defined[edge] {
                    Some(value) if sets == Some(self.tracked[place].var) => value,
                    _ => self.current(place),
                };
                let id = self.ssa.joins[target][join];
                if let Definition::Join { operands, .. } = &mut self.ssa.values[id] {
                    operands.push((edge, value));
                }
            }
        }
        if at == cfa.exit {
            for place in 0..self.tracked.len() {
                if self.tracked[place].outlives {
                    let value = self.current(place);
                    self.ssa.at_exit.push(value);
                }
            }
        }
    }

    fn current(&mut self, place: usize) -> ValueId {
        let tracked = &mut self.tracked[place];
        tracked.current.or(tracked.on_entry).unwrap_or_else(|| {
            let value = self.ssa.values.push(Definition::Entry(tracked.var));
            tracked.on_entry = Some(value);
            value
        })
    }
}
