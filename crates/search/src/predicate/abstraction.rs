//! Abstract states: what predicates say of the states that a block leads to.
//!
//! The strongest conjunction of predicates (*cartesian*) is found by asking for states that differ from what all known
//! ones agree in, until there are none. The strongest combination (*boolean*) takes the predicates that are left, and
//! collects all their values that states have: one question for each, over a truth value for every predicate.

use std::sync::Arc;

use rhumb_encode::BlockEdgeId;
use rhumb_logic::interpolate::Label;
use rhumb_logic::session::{Answer, Purpose, Session, SessionOptions, Wanted};
use rhumb_logic::value::Value;
use rhumb_logic::{Budget, Sort, Symbol, Term, Terms, Transition, Work};
use rustc_hash::FxHashMap;

use super::cubes::{self, Minterm, disjunction};

/// Queries for abstract states are counted under this purpose.
const PURPOSE: Purpose = Purpose("abstraction");

/// The work for one abstract state.
const STATE: Work = Work::secs(4);

/// Values of predicates that are collected for one abstract state; where there are more, pairs of predicates are looked at instead.
const MINTERMS: usize = 48;

/// Predicates of which pairs are looked at.
const PAIRED: usize = 16;

/// Queries after which the solver begins anew: what was defined once is kept by it for ever.
const QUERIES: u32 = 4_000;

/// How strong an abstract state is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Strength {
    /// The strongest conjunction of predicates and their negations.
    Cartesian,
    /// The strongest combination of predicates.
    Boolean,
}

/// What a block leads to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Post {
    /// Nothing: no state that it starts from can take it.
    Nowhere,
    /// States of which this holds.
    States(Label),
    /// Not decided.
    Unknown,
}

/// Computes abstract states, each once.
pub(super) struct Abstractor {
    terms: Arc<Terms>,
    strength: Strength,
    session: Session,
    queries: u32,
    /// A truth value for the first, second... predicate of any question.
    indicators: Vec<Symbol>,
    known: FxHashMap<(BlockEdgeId, Label, usize), Post>,
    /// Abstract states that were computed, and those that were known.
    pub(super) computed: u64,
    pub(super) recalled: u64,
}

impl Abstractor {
    /// Nothing was asked yet.
    pub(super) fn new(terms: &Arc<Terms>, strength: Strength) -> Abstractor {
        Abstractor {
            terms: terms.clone(),
            strength,
            session: new_session(terms),
            queries: 0,
            indicators: Vec::new(),
            known: FxHashMap::default(),
            computed: 0,
            recalled: 0,
        }
    }

    /// What predicates, those of the place where the block ends, say of where it leads to. A block is known by its
    /// number; its predicates are only ever added to.
    pub(super) fn post(
        &mut self,
        (edge, block): (BlockEdgeId, &Transition),
        before: &Label,
        predicates: &[Term],
        budget: &Budget,
    ) -> Post {
        let key = (edge, before.clone(), predicates.len());
        if let Some(known) = self.known.get(&key) {
            self.recalled += 1;
            return known.clone();
        }
        self.computed += 1;
        if self.queries > QUERIES {
            self.session = new_session(&self.terms);
            self.queries = 0;
        }
        let budget = &budget.within(STATE);
        self.session.push();
        let post = self.compute(block, before, predicates, budget);
        self.session.pop();
        self.known.insert(key, post.clone());
        post
    }

    fn compute(
        &mut self,
        block: &Transition,
        before: &Label,
        predicates: &[Term],
        budget: &Budget,
    ) -> Post {
        let terms = self.terms.clone();
        self.session.assert(before.formula(&terms));
        self.session.assert(block.guard);
        let mut substitution = block.substitution();
        let mut flags = Vec::with_capacity(predicates.len());
        for (place, &predicate) in predicates.iter().enumerate() {
            let flag = self.indicator(place);
            let after = substitution.apply(&terms, predicate);
            self.session.assert(terms.iff(terms.var(flag), after));
            flags.push(flag);
        }
        let wanted = Wanted::Symbols(flags.as_slice().into());
        let first = match self.ask(&[], &wanted, budget) {
            Answer::Unsat(_) => return Post::Nowhere,
            Answer::Unknown(_) => return Post::Unknown,
            Answer::Sat(model) => values(&model, &flags),
        };
        let mut seen = vec![first];
        let Some(common) = self.common(&flags, &mut seen, budget) else {
            // Not all was decided: what holds in all states is not known.
            return Post::States(Label::top());
        };
        let mut label = Label::top();
        let mut open = Vec::new();
        for (place, &predicate) in predicates.iter().enumerate() {
            match common[place] {
                Some(true) => _ = label.insert(&terms, predicate),
                Some(false) => _ = label.insert(&terms, terms.not(predicate)),
                None => open.push(place),
            }
        }
        if self.strength == Strength::Boolean && open.len() > 1 {
            let formula = self.combination(predicates, &flags, &open, &seen, budget);
            label.insert(&terms, formula);
        }
        Post::States(label)
    }

    /// The values that predicates have in all states; those of states that are met on the way are added to what was seen.
    fn common(
        &mut self,
        flags: &[Symbol],
        seen: &mut Vec<Vec<bool>>,
        budget: &Budget,
    ) -> Option<Vec<Option<bool>>> {
        let terms = self.terms.clone();
        let mut common: Vec<Option<bool>> =
            seen.first()?.iter().map(|&value| Some(value)).collect();
        loop {
            let differs = terms.or((flags.iter().zip(&common)).filter_map(|(&flag, value)| {
                let value = (*value)?;
                Some(literal(&terms, flag, !value))
            }));
            if terms.as_bool(differs) == Some(false) {
                return Some(common);
            }
            let wanted = Wanted::Symbols(flags.into());
            match self.ask(&[differs], &wanted, budget) {
                Answer::Unsat(_) => return Some(common),
                Answer::Unknown(_) => return None,
                Answer::Sat(model) => {
                    let found = values(&model, flags);
                    for (known, value) in common.iter_mut().zip(&found) {
                        *known = known.filter(|known| known == value);
                    }
                    seen.push(found);
                }
            }
        }
    }

    /// The strongest combination of the open predicates; or, where states have too many of their values, what pairs of predicates say.
    fn combination(
        &mut self,
        predicates: &[Term],
        flags: &[Symbol],
        open: &[usize],
        seen: &[Vec<bool>],
        budget: &Budget,
    ) -> Term {
        let terms = self.terms.clone();
        let predicates: Vec<Term> = open.iter().map(|&place| predicates[place]).collect();
        let flags: Vec<Symbol> = open.iter().map(|&place| flags[place]).collect();
        let open_values = |values: &Vec<bool>| open.iter().map(|&place| values[place]).collect();
        let mut seen: Vec<Vec<bool>> = seen.iter().map(open_values).collect();
        seen.sort_unstable();
        seen.dedup();
        let wanted = Wanted::Symbols(flags.as_slice().into());
        if open.len() <= cubes::MOST {
            self.session.push();
            for values in &seen {
                self.exclude(&flags, values);
            }
            let is_complete = loop {
                if seen.len() > MINTERMS {
                    break false;
                }
                match self.ask(&[], &wanted, budget) {
                    Answer::Unsat(_) => break true,
                    Answer::Unknown(_) => break false,
                    Answer::Sat(model) => {
                        let found = values(&model, &flags);
                        self.exclude(&flags, &found);
                        seen.push(found);
                    }
                }
            };
            self.session.pop();
            if is_complete {
                let minterms: Vec<Minterm> = seen.iter().map(|values| minterm(values)).collect();
                return disjunction(&terms, &predicates, &minterms);
            }
        }
        self.pairs(&predicates, &flags, &mut seen, budget)
    }

    /// The clauses of two predicates, or their negations, that hold in all states.
    fn pairs(
        &mut self,
        predicates: &[Term],
        flags: &[Symbol],
        seen: &mut Vec<Vec<bool>>,
        budget: &Budget,
    ) -> Term {
        let terms = self.terms.clone();
        let count = predicates.len().min(PAIRED);
        let mut clauses: Vec<[(usize, bool); 2]> = Vec::new();
        for first in 0..count {
            for second in first + 1..count {
                for values in [(false, false), (false, true), (true, false), (true, true)] {
                    clauses.push([(first, values.0), (second, values.1)]);
                }
            }
        }
        let holds = |clause: &[(usize, bool); 2], values: &[bool]| {
            clause.iter().any(|&(place, value)| values[place] == value)
        };
        loop {
            clauses.retain(|clause| seen.iter().all(|values| holds(clause, values)));
            seen.clear();
            let fails = terms.or(clauses.iter().map(|clause| {
                let fails = clause.map(|(place, value)| literal(&terms, flags[place], !value));
                terms.and(fails)
            }));
            if clauses.is_empty() {
                return terms.bool(true);
            }
            let wanted = Wanted::Symbols(flags.into());
            match self.ask(&[fails], &wanted, budget) {
                Answer::Unsat(_) => break,
                Answer::Unknown(_) => return terms.bool(true),
                Answer::Sat(model) => seen.push(values(&model, flags)),
            }
        }
        terms.and(clauses.iter().map(|clause| {
            terms.or(clause.map(|(place, value)| match value {
                true => predicates[place],
                false => terms.not(predicates[place]),
            }))
        }))
    }

    /// From now on no state has these values.
    fn exclude(&mut self, flags: &[Symbol], values: &[bool]) {
        let terms = &self.terms;
        let others = flags.iter().zip(values);
        let clause = terms.or(others.map(|(&flag, &value)| literal(terms, flag, !value)));
        self.session.assert(clause);
    }

    fn ask(&mut self, assumptions: &[Term], wanted: &Wanted, budget: &Budget) -> Answer {
        self.queries += 1;
        self.session.check_wanting(assumptions, wanted, budget)
    }

    fn indicator(&mut self, place: usize) -> Symbol {
        while self.indicators.len() <= place {
            let indicator = self.terms.symbol("holds", Sort::Bool);
            self.indicators.push(indicator);
        }
        self.indicators[place]
    }
}

fn new_session(terms: &Arc<Terms>) -> Session {
    let mut session = Session::new(terms.clone(), SessionOptions::default());
    session.set_purpose(PURPOSE);
    session
}

fn literal(terms: &Terms, flag: Symbol, value: bool) -> Term {
    match value {
        true => terms.var(flag),
        false => terms.not(terms.var(flag)),
    }
}

/// The values of flags. One that a model says nothing of may have any.
fn values(model: &rhumb_logic::session::Model, flags: &[Symbol]) -> Vec<bool> {
    let value = |flag: &Symbol| model.value(*flag).and_then(Value::as_bool);
    flags
        .iter()
        .map(|flag| value(flag).unwrap_or(false))
        .collect()
}

fn minterm(values: &[bool]) -> Minterm {
    let bits = values.iter().enumerate();
    bits.fold(0, |bits, (place, &value)| {
        bits | Minterm::from(value) << place
    })
}
