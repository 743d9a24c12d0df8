//! Symbolic states: executed, and split until every predicate is decided.

use std::collections::BTreeSet;
use std::sync::Arc;

use rhumb_logic::{Answer, Budget, Int, Session, SessionOptions, Terms, Value};

use super::atoms::{Atom, Literal, literal, symbols, term};
use super::predicates::{Abstract, Predicates};
use crate::machine;
use crate::syntax::{Assigned, Formula, Program, Sum};

/// The values of the variables as expressions over parameters, and what holds of these.
///
/// Conditions that have no parameter in common, even by way of others, with the values are left out: they can be
/// satisfied, and nothing depends on how. Parameters that are free again get used again. So states that are the same
/// are often equal.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Symbolic {
    pub(crate) values: Vec<Sum>,
    pub(crate) conditions: BTreeSet<Formula>,
}

impl Symbolic {
    /// The first states, and the parameter that each variable is, if it is one.
    pub(crate) fn start(program: &Program) -> (Symbolic, Vec<Option<usize>>) {
        let mut next = 0;
        let mut parameters = Vec::new();
        for variable in &program.variables {
            let is_open = variable.start.is_none();
            parameters.push(is_open.then_some(next));
            next += usize::from(is_open);
        }
        let values = program.variables.iter().zip(&parameters);
        let values: Vec<Sum> = values
            .map(|(variable, parameter)| match (parameter, &variable.start) {
                (Some(parameter), _) => Sum::variable(*parameter),
                (None, start) => Sum::constant(start.clone().unwrap_or_default()),
            })
            .collect();
        let initial = simplified(&program.initial.substitute(&values));
        let state = Symbolic {
            values,
            conditions: conjuncts(initial),
        };
        (state, parameters)
    }

    /// The state behind a transition whose guard holds, and the parameters of what is set to anything.
    pub(crate) fn after(&self, program: &Program, transition: usize) -> (Symbolic, Vec<usize>) {
        let transition = &program.transitions[transition];
        let mut used = self.parameters();
        let (mut values, mut inputs) = (self.values.clone(), Vec::new());
        for (variable, assigned) in &transition.assigned {
            values[*variable] = match assigned {
                Assigned::Value(sum) => sum.substitute(&self.values),
                Assigned::Anything => {
                    let free = (0..).find(|number| !used.contains(number)).unwrap_or(0);
                    used.insert(free);
                    inputs.push(free);
                    Sum::variable(free)
                }
            };
        }
        let mut state = Symbolic {
            values,
            conditions: self.conditions.clone(),
        };
        state.forget();
        (state, inputs)
    }

    /// All parameters.
    fn parameters(&self) -> BTreeSet<usize> {
        let mut all = BTreeSet::new();
        for value in &self.values {
            all.extend(value.parts.keys());
        }
        for condition in &self.conditions {
            all.extend(mentioned(condition));
        }
        all
    }

    /// Leaves out what says nothing about the values.
    fn forget(&mut self) {
        if self.conditions.is_empty() {
            return;
        }
        let mut known: BTreeSet<usize> = BTreeSet::new();
        for value in &self.values {
            known.extend(value.parts.keys());
        }
        let mut rest: Vec<(Formula, BTreeSet<usize>)> = std::mem::take(&mut self.conditions)
            .into_iter()
            .map(|condition| {
                let mentions = mentioned(&condition);
                (condition, mentions)
            })
            .collect();
        loop {
            let (now, later): (Vec<_>, Vec<_>) = rest
                .into_iter()
                .partition(|(_, mentions)| !mentions.is_disjoint(&known));
            rest = later;
            if now.is_empty() {
                return;
            }
            for (condition, mentions) in now {
                known.extend(mentions);
                self.conditions.insert(condition);
            }
        }
    }
}

/// Splits states, and counts what that takes.
pub(crate) struct Splitter {
    terms: Arc<Terms>,
    session: Session,
    pub(crate) queries: u64,
}

/// The solver did not answer.
pub(crate) struct NoAnswer;

impl Splitter {
    pub(crate) fn new() -> Splitter {
        let terms = Arc::new(Terms::new());
        let session = Session::new(terms.clone(), SessionOptions::default());
        Splitter {
            terms,
            session,
            queries: 0,
        }
    }

    /// Whether the conditions can hold: behind the start they can.
    pub(crate) fn is_possible(
        &mut self,
        state: &Symbolic,
        budget: &Budget,
    ) -> Result<bool, NoAnswer> {
        Ok(state.conditions.is_empty() || !self.minterms(state, &[], budget)?.is_empty())
    }

    /// The parts of a state in which each predicate is decided: one for each valuation that there is (a minterm), found
    /// by asking for a model that differs from all before.
    pub(crate) fn split(
        &mut self,
        state: Symbolic,
        predicates: &Predicates,
        budget: &Budget,
    ) -> Result<Vec<(Symbolic, Abstract)>, NoAnswer> {
        let control = predicates.control_of(&state.values);
        let mut bits = vec![false; predicates.len()];
        let mut open: Vec<(usize, Atom, bool)> = Vec::new();
        for (number, atom) in predicates.atoms().iter().enumerate() {
            match atom.substitute(&state.values) {
                Literal::Constant(value) => bits[number] = value,
                Literal::Is(atom, polarity) => {
                    // What is said already need not be asked.
                    if state.conditions.contains(&atom.formula(true)) {
                        bits[number] = polarity;
                    } else if state.conditions.contains(&atom.formula(false)) {
                        bits[number] = !polarity;
                    } else {
                        open.push((number, atom, polarity));
                    }
                }
            }
        }
        if open.is_empty() {
            return Ok(vec![(state, Abstract { control, bits })]);
        }
        let minterms = self.minterms(&state, &open, budget)?;
        // A literal that all have in common follows from the conditions.
        let is_common: Vec<bool> = (0..open.len())
            .map(|at| minterms.iter().all(|one| one[at] == minterms[0][at]))
            .collect();
        let parts = minterms.into_iter().map(|minterm| {
            let (mut state, mut bits) = (state.clone(), bits.clone());
            for (at, (number, atom, polarity)) in open.iter().enumerate() {
                bits[*number] = minterm[at] == *polarity;
                if !is_common[at] {
                    state.conditions.insert(atom.formula(minterm[at]));
                }
            }
            let control = control.clone();
            (state, Abstract { control, bits })
        });
        Ok(parts.collect())
    }

    /// All valuations of atoms that the conditions allow.
    fn minterms(
        &mut self,
        state: &Symbolic,
        open: &[(usize, Atom, bool)],
        budget: &Budget,
    ) -> Result<Vec<Vec<bool>>, NoAnswer> {
        let count = state.parameters().last().map_or(0, |last| last + 1);
        let (names, values) = symbols(&self.terms, count);
        self.session.push();
        for condition in &state.conditions {
            let condition = term(&self.terms, condition, &values);
            self.session.assert(condition);
        }
        let mut found: Vec<Vec<bool>> = Vec::new();
        let result = loop {
            self.queries += 1;
            let model = match self.session.check(budget) {
                Answer::Sat(model) => model.into_assignment(),
                Answer::Unsat(_) => break Ok(()),
                Answer::Unknown(_) => break Err(NoAnswer),
            };
            let point: Vec<Int> = names
                .iter()
                .map(|name| match model.get(name) {
                    Some(Value::Int(value)) => value.clone(),
                    _ => Int::ZERO,
                })
                .collect();
            let minterm: Vec<bool> = open
                .iter()
                .map(|(_, atom, _)| machine::holds(&atom.formula(true), &point))
                .collect();
            let differs = open.iter().zip(&minterm);
            let differs = differs.map(|((_, atom, _), &holds)| atom.formula(!holds));
            let differs = term(&self.terms, &Formula::Any(differs.collect()), &values);
            self.session.assert(differs);
            if found.contains(&minterm) {
                break Err(NoAnswer);
            }
            found.push(minterm);
        };
        self.session.pop();
        // The order in which a solver finds them means nothing.
        found.sort_unstable_by(|a, b| b.cmp(a));
        result.map(|()| found)
    }
}

/// The parameters or variables that a condition mentions.
pub(super) fn mentioned(formula: &Formula) -> BTreeSet<usize> {
    let mut all = BTreeSet::new();
    formula.for_each_atom(&mut |atom| {
        if let Formula::AtMostZero(sum) | Formula::Zero(sum) = atom {
            all.extend(sum.parts.keys());
        }
    });
    all
}

/// Without comparisons of constants.
pub(crate) fn simplified(formula: &Formula) -> Formula {
    match formula {
        Formula::Constant(_) => formula.clone(),
        Formula::AtMostZero(_) | Formula::Zero(_) => match literal(formula) {
            Some(Literal::Constant(value)) => Formula::Constant(value),
            Some(Literal::Is(atom, holds)) => atom.formula(holds),
            None => formula.clone(),
        },
        Formula::Not(inner) => match simplified(inner) {
            Formula::Constant(value) => Formula::Constant(!value),
            Formula::Not(inner) => *inner,
            other => other.negated(),
        },
        Formula::All(parts) => joined(parts, true),
        Formula::Any(parts) => joined(parts, false),
    }
}

fn joined(parts: &[Formula], is_all: bool) -> Formula {
    let mut kept = BTreeSet::new();
    for part in parts {
        match simplified(part) {
            Formula::Constant(value) if value == is_all => {}
            Formula::Constant(value) => return Formula::Constant(value),
            Formula::All(inner) if is_all => kept.extend(inner),
            Formula::Any(inner) if !is_all => kept.extend(inner),
            other => {
                kept.insert(other);
            }
        }
    }
    let mut kept: Vec<Formula> = kept.into_iter().collect();
    match (kept.len(), is_all) {
        (0, _) => Formula::Constant(is_all),
        (1, _) => kept.remove(0),
        (_, true) => Formula::All(kept),
        (_, false) => Formula::Any(kept),
    }
}

fn conjuncts(formula: Formula) -> BTreeSet<Formula> {
    match formula {
        Formula::Constant(true) => BTreeSet::new(),
        Formula::All(parts) => parts.into_iter().collect(),
        other => BTreeSet::from([other]),
    }
}
