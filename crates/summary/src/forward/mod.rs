//! Forward invariants: bounds, differences and sums, and remainders of variables that hold whenever a location is reached.
//!
//! Right for programs whose loops keep linear relations between pairs of variables (counters, indices against bounds,
//! flags) and strides. The analysis runs on the automaton, edge by edge, under exact C semantics: an operation that may
//! wrap round loses its relation and keeps its remainder. Octagons ([`octagon`]) over groups of variables that occur
//! together, with widening to thresholds from the program's own constants after a delay, and narrowing. Every result is
//! inductive by itself: it can be checked edge by edge.

mod congruence;
mod form;
mod octagon;
mod packs;
mod pieces;
mod relations;
mod state;
mod touched;
mod transfer;

use std::collections::BTreeSet;

use index_vec::IndexVec;
use rhumb_encode::{BlockGraph, BlockNode, NodeId};
use rhumb_logic::{Budget, Term, Terms};
use rhumb_program::graph::{CallEffects, Graph, LoopNest};
use rhumb_program::{EdgeId, ExprKind, FuncId, LocId, Program, Scope, Type, VarId};

use form::{Form, Range};
use packs::Packs;
use state::AbstractState;
use touched::Touched;
use transfer::Transfer;

pub use relations::{equalities, polyhedra, signs_and_equalities};

/// So often the states at a loop head are joined before they are widened.
const DELAY: u32 = 3;

/// So often the whole automaton is run through again after widening.
const NARROWING: usize = 2;

/// After so many widenings at one head thresholds are not looked for any more.
const THRESHOLD_STEPS: u32 = 12;

/// What holds at every location of an automaton.
#[derive(Clone, Debug)]
pub struct Invariants {
    packs: Packs,
    states: IndexVec<LocId, Option<AbstractState>>,
    /// What types say.
    ceiling: AbstractState,
}

impl Invariants {
    /// Analyses the automaton of a function from its entry on, where globals have their first values. When the budget is spent nothing but
    /// the ranges of types is known.
    pub fn compute(program: &Program, function: FuncId, budget: &Budget) -> Invariants {
        let cfa = &program.functions[function].cfa;
        let graph = cfa.graph();
        let nest = LoopNest::of(&graph, cfa.entry);
        let packs = Packs::new(program, function, &nest);
        let calls = CallEffects::of(program, function);
        let mut fixpoint = Fixpoint {
            program,
            function,
            packs: &packs,
            order: nest.in_one_piece(&graph.reverse_postorder(cfa.entry)),
            thresholds: thresholds(program),
            touched: Touched::of(program, function, &packs, &nest, &calls),
            calls,
            states: IndexVec::from_vec(vec![None; cfa.locations.len()]),
            closed: IndexVec::from_vec(vec![None; cfa.locations.len()]),
            graph,
            nest,
        };
        let ceiling = AbstractState::top(program, &packs);
        let states = if fixpoint.ascend(budget) {
            fixpoint.descend(budget);
            fixpoint.states
        } else {
            let locations = cfa.locations.iter();
            locations.map(|_| Some(ceiling.clone())).collect()
        };
        Invariants {
            packs,
            states,
            ceiling,
        }
    }

    /// Whether a run can come to the location, as far as is known.
    pub fn is_reachable(&self, location: LocId) -> bool {
        self.states[location].is_some()
    }

    /// Bounds of a variable, both included.
    pub fn bounds(&self, location: LocId, var: VarId) -> (Option<i128>, Option<i128>) {
        match &self.states[location] {
            Some(state) => {
                let Range { low, high } = state.bounds(&self.packs, var);
                (low, high)
            }
            None => (Some(0), Some(-1)),
        }
    }

    /// What is known at a location as a list of conjuncts, over terms for the variables. Variables without a term are
    /// left out, and so are bounds that variables have by their types.
    pub fn conjuncts(
        &self,
        terms: &Terms,
        location: LocId,
        term_of: impl Fn(VarId) -> Option<Term>,
    ) -> Vec<Term> {
        let Some(state) = &self.states[location] else {
            return vec![terms.bool(false)];
        };
        let mut conjuncts = Vec::new();
        for (pack, members) in self.packs.members().iter().enumerate() {
            let named: Vec<Option<Term>> = members.iter().map(|&var| term_of(var)).collect();
            if named.iter().all(Option::is_none) {
                continue;
            }
            for (&var, term) in members.iter().zip(&named) {
                let Some(term) = *term else { continue };
                let Range { low, high } = state.bounds(&self.packs, var);
                match (low, high) {
                    (Some(low), Some(high)) if low == high => {
                        conjuncts.push(terms.eq(term, terms.int(low)));
                    }
                    _ => {
                        let ceiling = self.ceiling.bounds(&self.packs, var);
                        let low = low.filter(|_| low != ceiling.low);
                        let high = high.filter(|_| high != ceiling.high);
                        conjuncts.extend(low.map(|low| terms.le(terms.int(low), term)));
                        conjuncts.extend(high.map(|high| terms.le(term, terms.int(high))));
                    }
                }
                let congruence = state.congruence(&self.packs, var);
                if congruence.modulus > 1 {
                    let (modulus, rest) = (congruence.modulus, congruence.remainder);
                    conjuncts.push(terms.congruent(term, modulus, rest));
                }
            }
            for (a, b, bound) in state.octagon(pack).relations() {
                let signed = |literal: octagon::Literal| {
                    let term = named[literal.variable]?;
                    Some(if literal.negative {
                        terms.neg(term)
                    } else {
                        term
                    })
                };
                if let (Some(a), Some(b)) = (signed(a), signed(b)) {
                    conjuncts.push(terms.le(terms.add(a, b), terms.int(bound)));
                }
            }
        }
        conjuncts
    }
}

/// The conjuncts of the invariants at every node of a block graph, over variables that are live there.
pub fn at_nodes(graph: &BlockGraph, budget: &Budget) -> IndexVec<NodeId, Vec<Term>> {
    let program = &graph.program;
    let invariants = Invariants::compute(program, graph.function, budget);
    let at = |node: &BlockNode| {
        invariants.conjuncts(&graph.terms, node.location, |var| {
            let id = graph.state.of_var(var)?;
            let cell = &graph.state[id];
            let is_wanted = cell.is_number() && node.live.contains(&id);
            is_wanted.then(|| graph.terms.var(cell.symbol))
        })
    };
    graph.nodes.iter().map(at).collect()
}

struct Fixpoint<'a> {
    program: &'a Program,
    function: FuncId,
    packs: &'a Packs,
    calls: CallEffects,
    touched: Touched,
    graph: Graph<LocId>,
    nest: LoopNest<LocId>,
    /// The locations, every loop in one piece.
    order: Vec<LocId>,
    thresholds: Vec<i128>,
    /// For a loop head not closed, as widening left it.
    states: IndexVec<LocId, Option<AbstractState>>,
    /// The states of loop heads, closed.
    closed: IndexVec<LocId, Option<AbstractState>>,
}

impl<'a> Fixpoint<'a> {
    fn transfer(&self) -> Transfer<'_> {
        Transfer {
            program: self.program,
            packs: self.packs,
            calls: &self.calls,
        }
    }

    /// The state before the first step.
    fn initial(&self) -> AbstractState {
        let mut state = AbstractState::top(self.program, self.packs);
        for (var, info) in self.program.vars.iter_enumerated() {
            if info.scope != Scope::Global {
                continue;
            }
            let value = match info.init {
                Some(init) => self.transfer().form(&state, init),
                None => Form::constant(0),
            };
            if matches!(info.ty, Type::Int(_) | Type::Bool | Type::Ptr) {
                let congruence = match value.as_constant() {
                    Some(value) => congruence::Congruence::constant(value),
                    None => congruence::Congruence::ALL,
                };
                state.assign(self.program, self.packs, var, &value, congruence);
            }
        }
        state
    }

    /// What runs go on with from a location.
    fn before(&self, location: LocId) -> Option<&AbstractState> {
        match self.nest.is_head(location) {
            true => self.closed[location].as_ref(),
            false => self.states[location].as_ref(),
        }
    }

    fn set(&mut self, location: LocId, state: Option<AbstractState>) {
        if self.nest.is_head(location) {
            self.closed[location] = state.as_ref().map(AbstractState::closed);
        }
        self.states[location] = state;
    }

    /// The states that the predecessors of a location lead to.
    fn incoming(&self, location: LocId, incoming: &[Vec<EdgeId>]) -> Option<AbstractState> {
        let cfa = &self.program.functions[self.function].cfa;
        let mut outside = (location == cfa.entry).then(|| self.initial());
        let mut inside: Option<AbstractState> = None;
        let touched = self.touched.at(location);
        for &edge in &incoming[location.index()] {
            let edge = &cfa.edges[edge];
            let Some(before) = self.before(edge.source) else {
                continue;
            };
            let mut state = before.clone();
            self.transfer().action(&mut state, &edge.action);
            if !state.is_bottom() {
                let is_back =
                    touched.is_some() && touched::is_inside(&self.nest, edge.source, location);
                let joined = match is_back {
                    true => &mut inside,
                    false => &mut outside,
                };
                *joined = Some(match joined.take() {
                    Some(other) => other.join(&state),
                    None => state,
                });
            }
        }
        match (outside, inside, touched) {
            (Some(outside), Some(inside), Some(touched)) => {
                Some(outside.join_groups(&inside, touched))
            }
            (outside, inside, _) => outside.or(inside),
        }
    }

    /// Grows the states until every edge leads from what it starts with into what it ends in. Says whether it got there.
    fn ascend(&mut self, budget: &Budget) -> bool {
        let cfa = &self.program.functions[self.function].cfa;
        let incoming: Vec<Vec<_>> = cfa.incoming().into_iter().collect();
        let mut visits: IndexVec<LocId, u32> = IndexVec::from_vec(vec![0; cfa.locations.len()]);
        let mut place: IndexVec<LocId, usize> = IndexVec::from_vec(vec![0; cfa.locations.len()]);
        for (position, &location) in self.order.iter().enumerate() {
            place[location] = position;
        }
        // Always the first one: a loop comes to rest before what follows it.
        let mut waiting = BTreeSet::from([place[cfa.entry]]);
        let ceiling = AbstractState::top(self.program, self.packs);
        while let Some(position) = waiting.pop_first() {
            let location = self.order[position];
            budget.spend(1 + self.packs.members().len() as u64);
            if budget.is_spent() {
                return false;
            }
            let Some(new) = self.incoming(location, &incoming) else {
                continue;
            };
            let next = match &self.states[location] {
                None => new,
                Some(old) if old.includes(&new) => continue,
                Some(old) if self.nest.is_head(location) => {
                    visits[location] += 1;
                    let joined = self.before(location).unwrap_or(old).join(&new);
                    match visits[location] {
                        count if count <= DELAY => joined,
                        count if count <= DELAY + THRESHOLD_STEPS => {
                            old.widen(&joined, &self.thresholds, &ceiling)
                        }
                        _ => old.widen(&joined, &[], &ceiling),
                    }
                }
                Some(_) => new,
            };
            self.set(location, Some(next));
            waiting.extend(
                self.graph
                    .successors(location)
                    .iter()
                    .map(|&next| place[next]),
            );
        }
        true
    }

    /// Takes back what widening gave away, for a few rounds. A round after which some edge leads out of the states is
    /// taken back itself: closing an octagon is not monotone, and results have to be inductive.
    fn descend(&mut self, budget: &Budget) {
        let cfa = &self.program.functions[self.function].cfa;
        let incoming: Vec<Vec<_>> = cfa.incoming().into_iter().collect();
        for location in self.nest.heads().to_vec() {
            self.states[location] = self.closed[location].clone();
        }
        let ceiling = AbstractState::top(self.program, self.packs);
        for _ in 0..NARROWING {
            let before = (self.states.clone(), self.closed.clone());
            for location in self.order.clone() {
                if budget.is_spent() {
                    (self.states, self.closed) = before;
                    return;
                }
                let new = self.incoming(location, &incoming);
                let next = match (&self.states[location], new) {
                    (Some(old), Some(new)) if self.nest.is_head(location) => {
                        Some(old.narrow(&new, &ceiling, self.touched.at(location)))
                    }
                    (_, new) => new,
                };
                self.set(location, next);
            }
            if !self.is_inductive(&incoming, budget) {
                (self.states, self.closed) = before;
                return;
            }
        }
    }

    /// Whether every edge leads into the state of its end, as far as there is time to find out.
    fn is_inductive(&self, incoming: &[Vec<EdgeId>], budget: &Budget) -> bool {
        self.order.iter().all(|&location| {
            if budget.is_spent() {
                return false;
            }
            match (&self.states[location], self.incoming(location, incoming)) {
                (_, None) => true,
                (None, Some(_)) => false,
                (Some(state), Some(new)) => state.includes(&new),
            }
        })
    }
}

/// Numbers that bounds may come to rest at: the constants of the program and their neighbours, and zero.
fn thresholds(program: &Program) -> Vec<i128> {
    let mut numbers = vec![-1, 0, 1];
    for index in 0..program.exprs.len() {
        let node = &program.exprs[rhumb_program::ExprId::from_usize(index)];
        if let (ExprKind::Const(bits), Type::Int(int)) = (&node.kind, node.ty)
            && int.width <= 64
        {
            let value = int.extend(*bits);
            for near in [value - 1, value, value + 1] {
                numbers.extend([near, -near]);
            }
        }
    }
    numbers.sort_unstable();
    numbers.dedup();
    // A long list makes for a slow ascent; the small and the large ends matter most, and the rest is sampled.
    const MOST: usize = 64;
    if numbers.len() > MOST {
        let step = numbers.len().div_ceil(MOST);
        numbers = numbers.into_iter().step_by(step).collect();
    }
    numbers
}
