//! A block as a question: which facts at its end may fail, if facts at its beginning hold?

use std::sync::Arc;

use rhumb_encode::{BlockEdgeId, BlockGraph};
use rhumb_logic::session::{Answer, Model, Purpose, Session, SessionOptions, Wanted};
use rhumb_logic::transition::Outcome;
use rhumb_logic::{Assignment, Budget, Renaming, Sort, Symbol, Term, Terms, Transition, eval};
use rustc_hash::FxHashMap;

use super::products::WithoutProducts;

/// Queries of induction are counted under this purpose.
pub(super) const PURPOSE: Purpose = Purpose("induction");

/// Steps that are remembered for a block. The oldest is forgotten first.
const REMEMBERED: usize = 64;

/// Solver resource units for one query: what is not decided then is not proved.
const UNITS: u64 = 3_000_000;

/// The same for a query about products that linear arithmetic has not decided: few are decided at all.
const UNITS_FOR_PRODUCTS: u64 = 150_000;

/// A step of a block, in the formulas.
#[derive(Clone, Debug)]
pub(super) struct Pair {
    /// The state before.
    pub(super) before: Assignment,
    /// The state afterwards.
    pub(super) after: Assignment,
}

/// What the block says of facts.
pub(super) enum Reply {
    /// They all hold at the end.
    Kept,
    /// A step from what holds at the beginning to a state where one of them doesn't.
    Step(Pair),
    /// Not known.
    Unknown,
}

/// A block with a solver session of its own. What is known at its beginning is asserted; facts at the beginning are switched on by
/// literals, so that the session keeps what it has learned while facts come and go.
pub(super) struct Question {
    session: Session,
    transition: Transition,
    switches: FxHashMap<Term, Term>,
    facts: FxHashMap<Term, Term>,
    after: Renaming,
    wanted: Arc<[Symbol]>,
    pairs: Vec<Pair>,
    /// What is asserted.
    known: Vec<Term>,
    open: WithoutProducts,
}

impl Question {
    /// The question of a block; nothing is known at its beginning but what the graph assumes there.
    pub(super) fn new(graph: &BlockGraph, edge: BlockEdgeId) -> Question {
        let block = &graph.edges[edge];
        let mut session = Session::new(graph.terms.clone(), SessionOptions::default());
        session.set_purpose(PURPOSE);
        let known = vec![graph.ranges(block.source), block.transition.guard];
        known.iter().for_each(|&formula| session.assert(formula));
        let transition = block.transition.clone();
        let state = graph.state_at(block.source).map(|cell| cell.symbol);
        let wanted: Vec<Symbol> = state.chain(transition.inputs.iter().copied()).collect();
        Question {
            session,
            switches: FxHashMap::default(),
            facts: FxHashMap::default(),
            after: transition.substitution(),
            wanted: wanted.into(),
            pairs: Vec::new(),
            known,
            open: WithoutProducts::new(&graph.terms),
            transition,
        }
    }

    /// From now on a formula is known at the beginning.
    pub(super) fn learn(&mut self, fact: Term) {
        self.session.assert(fact);
        self.known.push(fact);
    }

    /// A remembered step from a state where some facts hold to one where a fact doesn't.
    pub(super) fn remembered(&self, terms: &Terms, given: &[Term], facts: &[Term]) -> Option<Pair> {
        let mut pairs = self.pairs.iter().rev();
        let found = pairs.find(|pair| {
            violates(terms, facts, &pair.after) && !violates(terms, given, &pair.before)
        });
        found.cloned()
    }

    /// Whether some facts hold at the end, if others hold at the beginning.
    pub(super) fn ask(&mut self, given: &[Term], facts: &[Term], budget: &Budget) -> Reply {
        let terms = self.session.terms().clone();
        let after = facts.iter().map(|&fact| self.after.apply(&terms, fact));
        let fails = terms.not(terms.and(after.collect::<Vec<Term>>()));
        let mut budget = budget.with_units(UNITS);
        if let Some(refuted) = self.open.refutes(&self.known, given, fails, &budget) {
            if refuted.is_some() {
                return Reply::Kept;
            }
            budget = budget.with_units(UNITS_FOR_PRODUCTS);
        }
        let mut assumed: Vec<Term> = given.iter().map(|&fact| self.switch(fact)).collect();
        assumed.push(fails);
        let wanted = Wanted::Symbols(self.wanted.clone());
        match self.session.check_wanting(&assumed, &wanted, &budget) {
            Answer::Unsat(_) => Reply::Kept,
            Answer::Sat(model) => self
                .pair(&terms, &model)
                .map_or(Reply::Unknown, Reply::Step),
            Answer::Unknown(_) => Reply::Unknown,
        }
    }

    /// Facts at the beginning that are enough for a fact at the end; none if they are not known to be.
    pub(super) fn reasons(
        &mut self,
        given: &[Term],
        fact: Term,
        budget: &Budget,
    ) -> Option<Vec<Term>> {
        let terms = self.session.terms().clone();
        let fails = terms.not(self.after.apply(&terms, fact));
        let mut budget = budget.with_units(UNITS);
        if let Some(refuted) = self.open.refutes(&self.known, given, fails, &budget) {
            if refuted.is_some() {
                return refuted;
            }
            budget = budget.with_units(UNITS_FOR_PRODUCTS);
        }
        let mut assumed: Vec<Term> = given.iter().map(|&fact| self.switch(fact)).collect();
        assumed.push(fails);
        let Answer::Unsat(core) = self
            .session
            .check_wanting(&assumed, &Wanted::Nothing, &budget)
        else {
            return None;
        };
        let core = self.session.minimise_core(&core, &budget);
        Some(
            core.iter()
                .filter_map(|switch| self.facts.get(switch).copied())
                .collect(),
        )
    }

    /// The literal that switches a fact on.
    fn switch(&mut self, fact: Term) -> Term {
        if let Some(&known) = self.switches.get(&fact) {
            return known;
        }
        let terms = self.session.terms().clone();
        let switch = terms.fresh("holds", Sort::Bool);
        self.session.assert(terms.implies(switch, fact));
        self.switches.insert(fact, switch);
        self.facts.insert(switch, fact);
        switch
    }

    /// The step of a model, which is remembered.
    fn pair(&mut self, terms: &Terms, model: &Model) -> Option<Pair> {
        let mut before = model.assignment().clone();
        let mut inputs = Assignment::default();
        for input in &self.transition.inputs {
            if let Some(value) = before.remove(input) {
                inputs.insert(*input, value);
            }
        }
        let Outcome::To(after) = self.transition.apply(terms, &before, &inputs) else {
            return None;
        };
        let pair = Pair { before, after };
        if self.pairs.len() >= REMEMBERED {
            self.pairs.remove(0);
        }
        self.pairs.push(pair.clone());
        Some(pair)
    }
}

/// Whether one of the facts is known to be false in a state.
pub(super) fn violates(terms: &Terms, facts: &[Term], state: &Assignment) -> bool {
    let values = eval::evaluate_all(terms, facts, state);
    values
        .into_iter()
        .flatten()
        .any(|value| value.as_bool() == Some(false))
}
