//! Entailment between labels, place by place: cheap before dear.

use std::collections::VecDeque;
use std::hash::Hash;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::budget::Budget;
use crate::eval::evaluate;
use crate::session::{Answer, Purpose, Session, SessionOptions};
use crate::term::{Term, Terms};
use crate::value::{Assignment, Value};

use super::label::Label;

/// Queries of entailments are counted under this purpose.
pub const ENTAILMENT: Purpose = Purpose("entailment");

/// Counter-models that a place remembers.
const MODELS: usize = 32;

/// Proofs of one clause that a place remembers.
const PROOFS: usize = 8;

/// Decides entailments between labels at the places of a program.
///
/// A question is answered by the form of the clauses, then by what was proved before, then by evaluation in the
/// counter-models of earlier questions, and only then by the solver, in a session that each place has for itself.
pub struct LabelStore<K> {
    terms: Arc<Terms>,
    options: SessionOptions,
    places: FxHashMap<K, TermPlace>,
    statistics: EntailmentStatistics,
}

/// How questions were answered, clause by clause.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct EntailmentStatistics {
    /// By the form of the clauses.
    pub subsumed: u64,
    /// By an earlier proof.
    pub proved: u64,
    /// By an earlier counter-model.
    pub refuted: u64,
    /// By the solver.
    pub asked: u64,
}

/// Queries after which a place starts a new session: every clause that was ever asked about stays defined in the old one.
const QUERIES: u32 = 2_000;

struct TermPlace {
    session: Session,
    /// What holds at the place.
    facts: Vec<Term>,
    /// Queries to this session.
    queries: u32,
    /// The latest in front.
    models: VecDeque<CounterModel>,
    /// For a clause, sets of clauses that imply it, each sorted.
    proofs: FxHashMap<Term, Vec<Vec<Term>>>,
}

struct CounterModel {
    values: Assignment,
    /// The truth of clauses, as far as it was asked for.
    truth: FxHashMap<Term, Option<bool>>,
}

impl CounterModel {
    fn truth(&mut self, terms: &Terms, clause: Term) -> Option<bool> {
        let values = &self.values;
        *self.truth.entry(clause).or_insert_with(|| {
            let value = evaluate(terms, clause, values);
            value.as_ref().and_then(Value::as_bool)
        })
    }
}

impl<K: Copy + Eq + Hash> LabelStore<K> {
    /// A store without places.
    pub fn new(terms: Arc<Terms>, options: SessionOptions) -> LabelStore<K> {
        LabelStore {
            terms,
            options,
            places: FxHashMap::default(),
            statistics: EntailmentStatistics::default(),
        }
    }

    /// How questions were answered so far.
    pub fn statistics(&self) -> EntailmentStatistics {
        self.statistics
    }

    /// Says that a formula holds at a place, whatever the labels there are.
    pub fn add_fact(&mut self, place: K, fact: Term) {
        let terms = self.terms.clone();
        let place = self.place(place);
        place.session.assert(fact);
        place.facts.push(fact);
        place
            .models
            .retain_mut(|model| model.truth(&terms, fact) == Some(true));
    }

    /// Whether a label implies another one at a place; none if that is not known.
    pub fn entails(
        &mut self,
        place: K,
        premise: &Label,
        conclusion: &Label,
        budget: &Budget,
    ) -> Option<bool> {
        self.entails_all(place, premise, conclusion.clauses(), budget)
    }

    /// Whether a label implies a formula at a place; none if that is not known.
    pub fn entails_formula(
        &mut self,
        place: K,
        premise: &Label,
        conclusion: Term,
        budget: &Budget,
    ) -> Option<bool> {
        let clauses = self.terms.conjuncts(conclusion);
        self.entails_all(place, premise, &clauses, budget)
    }

    fn entails_all(
        &mut self,
        place: K,
        premise: &Label,
        clauses: &[Term],
        budget: &Budget,
    ) -> Option<bool> {
        let mut open = Vec::new();
        for &clause in clauses {
            if premise.subsumes(&self.terms, clause) {
                self.statistics.subsumed += 1;
            } else if self.is_proved(place, premise, clause) {
                self.statistics.proved += 1;
            } else {
                open.push(clause);
            }
        }
        // A counter-model to one of the clauses is found by evaluation, so look for one to each before the solver is asked for any.
        if open
            .iter()
            .any(|&clause| self.is_refuted(place, premise, clause))
        {
            self.statistics.refuted += 1;
            return Some(false);
        }
        let mut known = true;
        for clause in open {
            match self.ask(place, premise, clause, budget) {
                Some(true) => {}
                Some(false) => return Some(false),
                None => known = false,
            }
        }
        known.then_some(true)
    }

    fn place(&mut self, place: K) -> &mut TermPlace {
        let (terms, options) = (&self.terms, &self.options);
        self.places.entry(place).or_insert_with(|| TermPlace {
            session: session(terms, options, &[]),
            facts: Vec::new(),
            queries: 0,
            models: VecDeque::new(),
            proofs: FxHashMap::default(),
        })
    }

    fn is_proved(&mut self, place: K, premise: &Label, clause: Term) -> bool {
        let proofs = self.place(place).proofs.get(&clause);
        let known = |clause: &Term| premise.clauses().binary_search(clause).is_ok();
        proofs.is_some_and(|proofs| proofs.iter().any(|proof| proof.iter().all(known)))
    }

    fn is_refuted(&mut self, place: K, premise: &Label, clause: Term) -> bool {
        let terms = self.terms.clone();
        let models = &mut self.place(place).models;
        let refutes = |model: &mut CounterModel| {
            model.truth(&terms, clause) == Some(false)
                && (premise.clauses().iter()).all(|&known| model.truth(&terms, known) == Some(true))
        };
        let Some(found) = models.iter_mut().position(refutes) else {
            return false;
        };
        if let Some(model) = models.remove(found) {
            models.push_front(model);
        }
        true
    }

    fn ask(&mut self, place: K, premise: &Label, clause: Term, budget: &Budget) -> Option<bool> {
        self.statistics.asked += 1;
        let negation = self.terms.not(clause);
        let (terms, options) = (self.terms.clone(), self.options.clone());
        let place = self.place(place);
        place.queries += 1;
        if place.queries > QUERIES {
            place.session = session(&terms, &options, &place.facts);
            place.queries = 1;
        }
        let mut assumptions = premise.clauses().to_vec();
        assumptions.push(negation);
        match place.session.check_assuming(&assumptions, budget) {
            Answer::Unsat(mut core) => {
                core.retain(|member| premise.clauses().binary_search(member).is_ok());
                core.sort_unstable();
                let proofs = place.proofs.entry(clause).or_default();
                if proofs.len() < PROOFS {
                    proofs.push(core);
                }
                Some(true)
            }
            Answer::Sat(model) => {
                place.models.truncate(MODELS - 1);
                place.models.push_front(CounterModel {
                    values: model.into_assignment(),
                    truth: FxHashMap::default(),
                });
                Some(false)
            }
            Answer::Unknown(_) => None,
        }
    }
}

/// A session in which the facts are asserted.
fn session(terms: &Arc<Terms>, options: &SessionOptions, facts: &[Term]) -> Session {
    let mut session = Session::new(terms.clone(), options.clone());
    session.set_purpose(ENTAILMENT);
    facts.iter().for_each(|&fact| session.assert(fact));
    session
}

impl<K> std::fmt::Debug for LabelStore<K> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("LabelStore")
            .field("places", &self.places.len())
            .field("statistics", &self.statistics)
            .finish_non_exhaustive()
    }
}
