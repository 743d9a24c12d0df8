//! The checker of proofs: what a proof says is asked of the solver, question by question; nothing of how it was found is believed.
//!
//! A proof has *closed* states, formulas over the variables that no transition leaves together; and *symbolic* ones
//! before them, each of which says for every transition where that leads. All together contain the first states, and
//! the property holds in all of them. By induction over the length of a run every reachable state is in one of them.
//!
//! A symbolic state is the set of all states `values(p)` with parameters `p` that satisfy its condition. An edge says
//! which parameters of the next state are what the transition sets to anything; the others keep their names. That is an
//! instance of "there are parameters": so no question has a quantifier.

use std::sync::Arc;

use rhumb_logic::{Budget, Session, SessionOptions, Sort, Term, Terms};
use thiserror::Error;

use crate::syntax::{Assigned, Formula, Program, Sum};

/// A proof that no reachable state violates the property.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Proof {
    /// Sets of states that no transition leaves together.
    pub closed: Vec<Closed>,
    /// Sets of states with parameters.
    pub symbolic: Vec<Symbolic>,
    /// Where runs begin.
    pub starts: Vec<Start>,
}

/// A set of states, as a condition on the variables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Closed {
    /// The condition.
    pub states: Formula,
    /// To which closed states a transition leads: all of what it leads to has to be in these.
    pub leads: Vec<(usize, usize)>,
}

/// One of the states of a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ObligationPlace {
    /// A closed one.
    Closed(usize),
    /// A symbolic one.
    Symbolic(usize),
}

/// The states `values(p)` for all parameters `p` of which the condition holds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Symbolic {
    /// A value for each variable; what stands for a variable in these expressions is the number of a parameter.
    pub values: Vec<Sum>,
    /// What holds of the parameters.
    pub condition: Formula,
    /// Where its transitions lead.
    pub edges: Vec<Edge>,
}

/// Where a transition leads, in part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edge {
    /// The transition.
    pub transition: usize,
    /// A state.
    pub to: ObligationPlace,
    /// For each variable that the transition sets to anything, in order: the parameter of the next state that it is.
    pub inputs: Vec<usize>,
}

/// A state in which runs begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Start {
    /// The state.
    pub at: ObligationPlace,
    /// For each variable: the parameter that its first value is, if it is one.
    pub parameters: Vec<Option<usize>>,
}

/// Why a proof is not accepted.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum Rejected {
    /// It names something that there is not.
    #[error("the proof is malformed")]
    Malformed,
    /// A first state is missing.
    #[error("a first state is in none of its states")]
    Start,
    /// A transition leads out.
    #[error("the transition {0} leads out of its states")]
    Step(usize),
    /// The property.
    #[error("one of its states violates the property")]
    Property,
    /// The solver did not decide a question.
    #[error("the solver gave no answer")]
    Open,
}

/// Accepts a proof, or says why not.
pub fn check(program: &Program, proof: &Proof, budget: &Budget) -> Result<(), Rejected> {
    let terms = Arc::new(Terms::new());
    let session = Session::new(terms.clone(), SessionOptions::default());
    let mut checker = Checker {
        program,
        proof,
        terms,
        session,
        budget,
    };
    checker.is_well_formed()?;
    checker.starts()?;
    for number in 0..proof.symbolic.len() {
        checker.symbolic(number)?;
    }
    for closed in &proof.closed {
        checker.closed(closed)?;
    }
    Ok(())
}

struct Checker<'p> {
    program: &'p Program,
    proof: &'p Proof,
    terms: Arc<Terms>,
    session: Session,
    budget: &'p Budget,
}

impl Checker<'_> {
    fn is_well_formed(&self) -> Result<(), Rejected> {
        let (program, proof) = (self.program, self.proof);
        let variables = program.variables.len();
        let exists = |place: ObligationPlace| match place {
            ObligationPlace::Closed(number) => number < proof.closed.len(),
            ObligationPlace::Symbolic(number) => number < proof.symbolic.len(),
        };
        let edge = |edge: &Edge| {
            let Some(transition) = program.transitions.get(edge.transition) else {
                return false;
            };
            let open = transition.assigned.iter();
            let open = open.filter(|(_, assigned)| matches!(assigned, Assigned::Anything));
            exists(edge.to) && open.count() == edge.inputs.len()
        };
        let closed = |closed: &Closed| {
            let leads = closed.leads.iter();
            mentions(&closed.states).is_none_or(|most| most < variables)
                && leads.copied().all(|(_, to)| to < proof.closed.len())
        };
        let is_fine = (proof.symbolic.iter())
            .all(|state| state.values.len() == variables && state.edges.iter().all(edge))
            && (proof.starts.iter())
                .all(|start| exists(start.at) && start.parameters.len() == variables)
            && proof.closed.iter().all(closed);
        is_fine.then_some(()).ok_or(Rejected::Malformed)
    }

    fn starts(&mut self) -> Result<(), Rejected> {
        let values = self.symbols(self.program.variables.len());
        let premise = self.formula(&self.program.start(), &values);
        let mut covered = Vec::new();
        for start in &self.proof.starts {
            let mut parameters = self.parameters(start.at);
            for (variable, parameter) in start.parameters.iter().enumerate() {
                if let Some(place) = parameter.and_then(|number| parameters.get_mut(number)) {
                    *place = values[variable];
                }
            }
            covered.push(self.is_in(start.at, &parameters, &values));
        }
        self.implies(premise, &covered, Rejected::Start)
    }

    fn symbolic(&mut self, number: usize) -> Result<(), Rejected> {
        let state = &self.proof.symbolic[number];
        let parameters = self.parameters(ObligationPlace::Symbolic(number));
        let values = self.sums(&state.values, &parameters);
        let premise = self.formula(&state.condition, &parameters);
        let property = self.formula(&self.program.property, &values);
        self.implies(premise, &[property], Rejected::Property)?;
        for transition in 0..self.program.transitions.len() {
            let (guard, next, inputs) = self.taken(transition, &values);
            let mut covered = Vec::new();
            let edges = state.edges.iter();
            for edge in edges.filter(|edge| edge.transition == transition) {
                let mut behind = self.parameters(edge.to);
                let kept = behind.len().min(parameters.len());
                behind[..kept].copy_from_slice(&parameters[..kept]);
                for (&parameter, &input) in edge.inputs.iter().zip(&inputs) {
                    if let Some(place) = behind.get_mut(parameter) {
                        *place = input;
                    }
                }
                covered.push(self.is_in(edge.to, &behind, &next));
            }
            let premise = self.terms.and([premise, guard]);
            self.implies(premise, &covered, Rejected::Step(transition))?;
        }
        Ok(())
    }

    fn closed(&mut self, closed: &Closed) -> Result<(), Rejected> {
        let values = self.symbols(self.program.variables.len());
        let premise = self.formula(&closed.states, &values);
        let property = self.formula(&self.program.property, &values);
        self.implies(premise, &[property], Rejected::Property)?;
        for transition in 0..self.program.transitions.len() {
            let (guard, next, _) = self.taken(transition, &values);
            let leads = closed.leads.iter().filter(|(by, _)| *by == transition);
            let covered = leads.map(|(_, to)| self.is_in(ObligationPlace::Closed(*to), &[], &next));
            let covered: Vec<Term> = covered.collect();
            let premise = self.terms.and([premise, guard]);
            self.implies(premise, &covered, Rejected::Step(transition))?;
        }
        Ok(())
    }

    /// When a transition is taken from here, what the variables are then, and what it has set to anything.
    fn taken(&self, transition: usize, values: &[Term]) -> (Term, Vec<Term>, Vec<Term>) {
        let transition = &self.program.transitions[transition];
        let guard = self.formula(&transition.guard, values);
        let (mut next, mut inputs) = (values.to_vec(), Vec::new());
        for (variable, assigned) in &transition.assigned {
            next[*variable] = match assigned {
                Assigned::Value(sum) => self.sum(sum, values),
                Assigned::Anything => {
                    inputs.push(self.terms.fresh("input", Sort::Int));
                    inputs[inputs.len() - 1]
                }
            };
        }
        (guard, next, inputs)
    }

    /// That a state is in this one, with these parameters if it is symbolic.
    fn is_in(&self, place: ObligationPlace, parameters: &[Term], state: &[Term]) -> Term {
        let symbolic = match place {
            ObligationPlace::Closed(number) => {
                return self.formula(&self.proof.closed[number].states, state);
            }
            ObligationPlace::Symbolic(number) => &self.proof.symbolic[number],
        };
        let values = self.sums(&symbolic.values, parameters);
        let equal = values.iter().zip(state);
        let equal = equal.map(|(&value, &is)| self.terms.eq(value, is));
        let condition = self.formula(&symbolic.condition, parameters);
        self.terms.and(equal.chain([condition]).collect::<Vec<_>>())
    }

    fn implies(&mut self, premise: Term, one_of: &[Term], or: Rejected) -> Result<(), Rejected> {
        let conclusion = self.terms.or(one_of.iter().copied());
        let question = self.terms.and([premise, self.terms.not(conclusion)]);
        match self.terms.as_bool(question) {
            Some(false) => return Ok(()),
            Some(true) => return Err(or),
            None => {}
        }
        match self.session.is_sat(&[question], self.budget) {
            Some(false) => Ok(()),
            Some(true) => Err(or),
            None => Err(Rejected::Open),
        }
    }

    fn symbols(&self, count: usize) -> Vec<Term> {
        let each = (0..count).map(|_| self.terms.fresh("value", Sort::Int));
        each.collect()
    }

    /// Any parameters for a state.
    fn parameters(&self, place: ObligationPlace) -> Vec<Term> {
        let ObligationPlace::Symbolic(number) = place else {
            return Vec::new();
        };
        let state = &self.proof.symbolic[number];
        let values = state.values.iter().flat_map(|sum| sum.parts.keys().max());
        let most = values.copied().chain(mentions(&state.condition)).max();
        self.symbols(most.map_or(0, |most| most + 1))
    }

    fn sums(&self, sums: &[Sum], values: &[Term]) -> Vec<Term> {
        sums.iter().map(|sum| self.sum(sum, values)).collect()
    }

    fn sum(&self, sum: &Sum, values: &[Term]) -> Term {
        let parts = sum.parts.iter();
        let constant = self.terms.int(sum.constant.clone());
        parts.fold(constant, |total, (&variable, factor)| {
            let part = self.terms.scale(factor.clone(), values[variable]);
            self.terms.add(total, part)
        })
    }

    fn formula(&self, formula: &Formula, values: &[Term]) -> Term {
        let zero = self.terms.int(0);
        match formula {
            Formula::Constant(value) => self.terms.bool(*value),
            Formula::AtMostZero(sum) => self.terms.le(self.sum(sum, values), zero),
            Formula::Zero(sum) => self.terms.eq(self.sum(sum, values), zero),
            Formula::Not(inner) => self.terms.not(self.formula(inner, values)),
            Formula::All(parts) => {
                let parts = parts.iter().map(|part| self.formula(part, values));
                self.terms.and(parts.collect::<Vec<_>>())
            }
            Formula::Any(parts) => {
                let parts = parts.iter().map(|part| self.formula(part, values));
                self.terms.or(parts.collect::<Vec<_>>())
            }
        }
    }
}

/// The greatest number of a variable in a condition.
fn mentions(formula: &Formula) -> Option<usize> {
    let mut most = None;
    formula.for_each_atom(&mut |atom| {
        if let Formula::AtMostZero(sum) | Formula::Zero(sum) = atom {
            most = most.max(sum.parts.keys().max().copied());
        }
    });
    most
}
