//! What can matter for whether a target is reached: variables, and branches.
//!
//! The usual slice, backwards from the targets: the branches that decide whether a place is come to, the variables that
//! branches look at, the assignments that give them their values, the branches that decide about those. A check for
//! undefined behaviour decides nothing here: a run that fails it ends. That may let runs go on that end in truth, which
//! is harmless, and it spares every counter that only has to be checked for overflow.

use index_vec::IndexVec;
use rhumb_certify::proof::{Ground, View};
use rhumb_program::graph::{Dominators, Graph};
use rhumb_program::{Action, EdgeId, ExprId, LocId, LocKind, Type, VarId};

/// The view of all that can matter, and the number of branches in it.
pub(super) fn slice(ground: &Ground<'_>) -> (View, usize) {
    let mut slice = Slice::new(ground);
    let cfa = ground.cfa();
    for at in cfa.locations.indices().filter(|&at| ground.is_bad(at)) {
        slice.reach(at);
    }
    for (id, edge) in cfa.edges.iter_enumerated() {
        if ground.is_bad_call(id) {
            slice.reach(edge.source);
        }
    }
    slice.work_off();
    let branches = cfa.locations.indices().filter(|&at| {
        let successors = slice.graph.successors(at).len();
        successors > 1 && !slice.decides[at]
    });
    let view = View {
        unseen: branches.collect(),
        followed: slice.followed(),
    };
    let decides = slice.decides.iter().filter(|decides| **decides);
    (view, decides.count())
}

/// The view that leaves nothing out.
pub(super) fn whole(ground: &Ground<'_>) -> View {
    View {
        followed: numbers(ground, |_| true),
        unseen: Default::default(),
    }
}

struct Slice<'g, 'p> {
    ground: &'g Ground<'p>,
    /// The automaton as far as it leads to a target, with one exit behind everything and without places of undefined behaviour.
    graph: Graph<LocId>,
    /// For each location the branches that decide whether it is come to.
    deciders: IndexVec<LocId, Vec<LocId>>,
    setters: IndexVec<VarId, Vec<EdgeId>>,
    /// What is known to matter.
    decides: IndexVec<LocId, bool>,
    is_reached: IndexVec<LocId, bool>,
    is_followed: IndexVec<VarId, bool>,
    /// Variables whose setters are still to be looked at.
    waiting: Vec<VarId>,
}

impl<'g, 'p> Slice<'g, 'p> {
    fn new(ground: &'g Ground<'p>) -> Slice<'g, 'p> {
        let cfa = ground.cfa();
        let exit = cfa.locations.next_idx();
        let len = exit.index() + 1;
        let graph = cut(ground, exit);
        let after = Dominators::of(&graph.reversed(), exit);
        let mut deciders: IndexVec<LocId, Vec<LocId>> = (0..len).map(|_| Vec::new()).collect();
        for branch in cfa.locations.indices() {
            let successors = graph.successors(branch);
            if successors.len() < 2 {
                continue;
            }
            let end = after.immediate(branch);
            for &next in successors {
                // All that comes surely after this way was taken, and not in any case.
                let mut at = Some(next).filter(|&next| next != exit);
                while let Some(here) = at.filter(|_| at != end) {
                    deciders[here].push(branch);
                    at = after.immediate(here).filter(|&next| next != exit);
                }
            }
        }
        let vars = ground.program().vars.len();
        let mut setters: IndexVec<VarId, Vec<EdgeId>> = (0..vars).map(|_| Vec::new()).collect();
        for (id, edge) in cfa.edges.iter_enumerated() {
            if let Some(var) = edge.action.defined_var() {
                setters[var].push(id);
            }
        }
        Slice {
            ground,
            graph,
            deciders,
            setters,
            decides: IndexVec::from_vec(vec![false; len]),
            is_reached: IndexVec::from_vec(vec![false; len]),
            is_followed: IndexVec::from_vec(vec![false; vars]),
            waiting: Vec::new(),
        }
    }

    /// It matters whether a location is come to.
    fn reach(&mut self, at: LocId) {
        let mut todo = vec![at];
        while let Some(at) = todo.pop() {
            if std::mem::replace(&mut self.is_reached[at], true) {
                continue;
            }
            for branch in std::mem::take(&mut self.deciders[at]) {
                if std::mem::replace(&mut self.decides[branch], true) {
                    continue;
                }
                todo.push(branch);
                let cfa = self.ground.cfa();
                if let Some(&edge) = cfa.outgoing(branch).first()
                    && let Action::Assume { cond, .. } = cfa.edges[edge].action
                {
                    self.read(cond);
                }
            }
        }
    }

    /// The value of an expression matters.
    fn read(&mut self, expr: ExprId) {
        let exprs = &self.ground.program().exprs;
        exprs.for_each_var(expr, &mut |var| {
            if !std::mem::replace(&mut self.is_followed[var], true) {
                self.waiting.push(var);
            }
        });
    }

    /// What gives variables their values matters, too.
    fn work_off(&mut self) {
        let cfa = self.ground.cfa();
        while let Some(var) = self.waiting.pop() {
            for edge in std::mem::take(&mut self.setters[var]) {
                let edge = &cfa.edges[edge];
                self.reach(edge.source);
                if let Action::Assign { value, .. } = edge.action {
                    self.read(value);
                }
            }
        }
    }

    fn followed(&self) -> Vec<VarId> {
        numbers(self.ground, |var| self.is_followed[var])
    }
}

/// The variables among some that are numbers: of pointers there are too many values that nobody looks at.
fn numbers(ground: &Ground<'_>, is_wanted: impl Fn(VarId) -> bool) -> Vec<VarId> {
    let vars = ground.program().vars.iter_enumerated();
    vars.filter(|&(var, info)| info.ty != Type::Ptr && is_wanted(var))
        .map(|(var, _)| var)
        .collect()
}

fn cut(ground: &Ground<'_>, exit: LocId) -> Graph<LocId> {
    let cfa = ground.cfa();
    let bad = cfa.locations.indices().filter(|&at| ground.is_bad(at));
    let calls = cfa.edges.iter_enumerated();
    let calls = calls.filter_map(|(id, edge)| ground.is_bad_call(id).then_some(edge.source));
    let goals: Vec<LocId> = bad.chain(calls).collect();
    let matters = cfa.graph().reaching(goals.iter().copied());
    let mut edges: Vec<(LocId, LocId)> = goals.iter().map(|&goal| (goal, exit)).collect();
    for edge in &cfa.edges {
        if !matters[edge.source] || matches!(cfa.locations[edge.target].kind, LocKind::Ub(_)) {
            continue;
        }
        let target = match matters[edge.target] {
            true => edge.target,
            false => exit,
        };
        edges.push((edge.source, target));
    }
    Graph::new(exit.index() + 1, edges.iter().copied())
}
