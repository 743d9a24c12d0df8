//! Whether the states that were explored are all that there are: the checks safe-fragment and inductive-invariant, and
//! what to refine if not.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rhumb_logic::project::Projector;
use rhumb_logic::{Answer, Budget, Int, Session, SessionOptions, Term, Terms, Value};

use super::atoms::{Atom, Literal, atoms_of, literal, symbols, term};
use super::explore::Explored;
use super::model::Model;
use super::predicates::{Abstract, Predicates};
use super::symbolic::{NoAnswer, mentioned};
use crate::machine;
use crate::syntax::{Assigned, Formula, Program, Sum};

/// Asks about transitions between abstract states. Behind the variables come those that a transition sets to anything.
pub(crate) struct Analyst<'p> {
    program: &'p Program,
    terms: Arc<Terms>,
    session: Session,
    projector: Projector,
    names: Vec<rhumb_logic::Symbol>,
    values: Vec<Term>,
    pub(crate) queries: u64,
}

/// What is wrong with the transitions of an exploration.
#[derive(Default)]
pub(crate) struct Gaps {
    /// Abstract transitions that some of the states don't have.
    pub(crate) inexact: Vec<(usize, usize, usize)>,
    /// Abstract states, transitions, and an abstract state that was not seen behind them.
    pub(crate) missing: Vec<(usize, usize, Abstract)>,
}

impl<'p> Analyst<'p> {
    pub(crate) fn new(program: &'p Program) -> Analyst<'p> {
        let terms = Arc::new(Terms::new());
        let open = program.transitions.iter().map(|transition| {
            let assigned = transition.assigned.iter();
            assigned
                .filter(|(_, assigned)| matches!(assigned, Assigned::Anything))
                .count()
        });
        let open = open.max().unwrap_or(0);
        let (names, values) = symbols(&terms, program.variables.len() + open);
        Analyst {
            program,
            session: Session::new(terms.clone(), SessionOptions::default()),
            projector: Projector::new(terms.clone()),
            terms,
            names,
            values,
            queries: 0,
        }
    }

    /// Whether each transition from these abstract states is exact, in both senses: all states have it (a ⇒ pre(b, t)),
    /// and what it can do from any of them was seen (sp(a, t) ⇒ the b that were seen). The paper asks for the first
    /// only, which says nothing about other values of `nondet`.
    pub(crate) fn gaps(
        &mut self,
        explored: &Explored,
        model: &Model,
        predicates: &Predicates,
        of: impl Fn(usize) -> bool,
        budget: &Budget,
    ) -> Result<Gaps, NoAnswer> {
        let mut gaps = Gaps::default();
        for from in (0..explored.abstracts.len()).filter(|&from| of(from)) {
            let here = predicates.literals(&explored.abstracts[from]);
            for transition in self.enabled(&explored.abstracts[from], predicates) {
                let seen = model.successors[from].get(&transition);
                let seen: Vec<usize> = seen.into_iter().flatten().copied().collect();
                let mut all_exact = true;
                for &to in &seen {
                    let there = predicates.literals(&explored.abstracts[to]);
                    if !self.all_have(&here, transition, &there, budget)? {
                        all_exact = false;
                        gaps.inexact.push((from, transition, to));
                    }
                }
                let is_input = self.sets_anything(transition);
                // Without `nondet` a state has one successor: if all lead to one abstract state, nothing else was missed.
                if all_exact && !is_input && !seen.is_empty() {
                    continue;
                }
                let seen = seen.iter().map(|&to| &explored.abstracts[to]);
                let leads = self.leads_out(&here, transition, seen, predicates, budget)?;
                if let Some(other) = leads {
                    gaps.missing.push((from, transition, other));
                }
            }
        }
        Ok(gaps)
    }

    /// Whether the abstract states that were explored are closed: sp(a, t) is in them for all a and all t.
    pub(crate) fn is_inductive(
        &mut self,
        explored: &Explored,
        predicates: &Predicates,
        gaps: &Gaps,
        budget: &Budget,
    ) -> Result<bool, NoAnswer> {
        let mut by_control: BTreeMap<&[Int], Vec<&Abstract>> = BTreeMap::new();
        for state in &explored.abstracts {
            by_control.entry(&state.control).or_default().push(state);
        }
        for (from, transition, _) in &gaps.missing {
            let from = &explored.abstracts[*from];
            let here = predicates.literals(from);
            let control = self.control_after(from, *transition);
            let all = by_control.get(&control[..]).into_iter().flatten().copied();
            if (self.leads_out(&here, *transition, all, predicates, budget)?).is_some() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Comparisons in the preimages of what the gaps lead to, apart from those that hold in all states of the gap already.
    pub(crate) fn refinement(
        &mut self,
        explored: &Explored,
        predicates: &Predicates,
        gaps: &Gaps,
        budget: &Budget,
    ) -> BTreeSet<Atom> {
        let mut atoms = BTreeSet::new();
        let inexact = gaps.inexact.iter();
        let inexact =
            inexact.map(|&(from, transition, to)| (from, transition, &explored.abstracts[to]));
        let missing = gaps.missing.iter();
        let missing = missing.map(|(from, transition, to)| (*from, *transition, to));
        for (from, transition, to) in inexact.chain(missing) {
            let here = predicates.literals(&explored.abstracts[from]);
            let there = predicates.literals(to);
            self.preimage_atoms(&here, transition, &there, &mut atoms, budget);
        }
        atoms
    }

    fn enabled(&self, state: &Abstract, predicates: &Predicates) -> Vec<usize> {
        let transitions = self.program.transitions.iter().enumerate();
        transitions
            .filter(|(_, transition)| predicates.decides(&transition.guard, state))
            .map(|(number, _)| number)
            .collect()
    }

    fn sets_anything(&self, transition: usize) -> bool {
        let mut assigned = self.program.transitions[transition].assigned.iter();
        assigned.any(|(_, assigned)| matches!(assigned, Assigned::Anything))
    }

    /// The values behind a transition, over those before it and what it sets to anything.
    fn after(&self, transition: usize) -> Vec<Sum> {
        let count = self.program.variables.len();
        let mut values: Vec<Sum> = (0..count).map(Sum::variable).collect();
        let mut next = count;
        for (variable, assigned) in &self.program.transitions[transition].assigned {
            values[*variable] = match assigned {
                Assigned::Value(sum) => sum.clone(),
                Assigned::Anything => {
                    next += 1;
                    Sum::variable(next - 1)
                }
            };
        }
        values
    }

    pub(crate) fn control_after(&self, from: &Abstract, transition: usize) -> Vec<Int> {
        let variables = self.program.variables.iter().enumerate();
        let control = variables.filter(|(_, variable)| variable.is_control);
        let assigned = &self.program.transitions[transition].assigned;
        control
            .zip(&from.control)
            .map(|((variable, _), before)| {
                let set = assigned.iter().find(|(set, _)| *set == variable);
                match set {
                    Some((_, Assigned::Value(sum))) => sum.constant.clone(),
                    _ => before.clone(),
                }
            })
            .collect()
    }

    /// The literals of an abstract state, before the transition that leads there; none if it can't. Those that hold
    /// here anyway are left out.
    fn before(
        &self,
        here: &[Formula],
        transition: usize,
        there: &[Formula],
    ) -> Option<Vec<Formula>> {
        let after = self.after(transition);
        let mut open = Vec::new();
        for formula in there {
            let formula = normal(&formula.substitute(&after));
            match formula {
                Formula::Constant(true) => {}
                Formula::Constant(false) => return None,
                formula if here.contains(&formula) => {}
                // Control is explicit: it is said here, or contradicted.
                formula if is_control_literal(&formula, self.program) => return None,
                formula => open.push(formula),
            }
        }
        Some(open)
    }

    /// Whether all states here have a successor there.
    fn all_have(
        &mut self,
        here: &[Formula],
        transition: usize,
        there: &[Formula],
        budget: &Budget,
    ) -> Result<bool, NoAnswer> {
        let Some(open) = self.before(here, transition, there) else {
            return Ok(false);
        };
        if open.is_empty() {
            return Ok(true);
        }
        let count = self.program.variables.len();
        let (fixed, free): (Vec<Formula>, Vec<Formula>) = (open.into_iter())
            .partition(|formula| mentioned(formula).iter().all(|&variable| variable < count));
        let mut wanted = term(&self.terms, &Formula::All(fixed), &self.values);
        if !free.is_empty() {
            let free = term(&self.terms, &Formula::All(free), &self.values);
            let exists = self.projector.exact(free, &self.names[count..], budget);
            wanted = self.terms.and([wanted, exists.map_err(|_| NoAnswer)?]);
        }
        let here = term(&self.terms, &Formula::All(here.to_vec()), &self.values);
        let question = self.terms.and([here, self.terms.not(wanted)]);
        Ok(self.model(question, budget)?.is_none())
    }

    /// An abstract state to which the transition leads from here, and that is none of these.
    fn leads_out<'a>(
        &mut self,
        here: &[Formula],
        transition: usize,
        seen: impl Iterator<Item = &'a Abstract>,
        predicates: &Predicates,
        budget: &Budget,
    ) -> Result<Option<Abstract>, NoAnswer> {
        let mut covered = Vec::new();
        for state in seen {
            let there = predicates.literals(state);
            if let Some(open) = self.before(here, transition, &there) {
                if open.is_empty() {
                    return Ok(None);
                }
                covered.push(term(&self.terms, &Formula::All(open), &self.values));
            }
        }
        let covered = self.terms.or(covered);
        let here = term(&self.terms, &Formula::All(here.to_vec()), &self.values);
        let question = self.terms.and([here, self.terms.not(covered)]);
        let Some(model) = self.model(question, budget)? else {
            return Ok(None);
        };
        let after = self.after(transition);
        let point: Vec<Int> = after
            .iter()
            .map(|sum| machine::value(sum, &model))
            .collect();
        let point: Vec<Sum> = point.into_iter().map(Sum::constant).collect();
        let bits = predicates
            .atoms()
            .iter()
            .map(|atom| matches!(atom.substitute(&point), Literal::Constant(true)));
        Ok(Some(Abstract {
            control: predicates.control_of(&point),
            bits: bits.collect(),
        }))
    }

    fn preimage_atoms(
        &mut self,
        here: &[Formula],
        transition: usize,
        there: &[Formula],
        into: &mut BTreeSet<Atom>,
        budget: &Budget,
    ) {
        let count = self.program.variables.len();
        let there = there.iter();
        let there = there.filter(|formula| !is_control_literal(formula, self.program));
        let there: Vec<Formula> = there.cloned().collect();
        let Some(open) = self.before(&[], transition, &there) else {
            return;
        };
        let (fixed, free): (Vec<Formula>, Vec<Formula>) = (open.into_iter())
            .partition(|formula| mentioned(formula).iter().all(|&variable| variable < count));
        for formula in fixed {
            let formula = match formula {
                Formula::Not(inner) => *inner,
                formula => formula,
            };
            if let Some(Literal::Is(atom, _)) = literal(&formula)
                && !into.contains(&atom)
                && self.is_open(here, &atom, budget)
            {
                into.insert(atom);
            }
        }
        if free.is_empty() {
            return;
        }
        let free = term(&self.terms, &Formula::All(free), &self.values);
        if let Ok(exists) = (self.projector).exact(free, &self.names[count..], budget) {
            for atom in atoms_of(&self.terms, exists, &self.names[..count]) {
                if !into.contains(&atom) && self.is_open(here, &atom, budget) {
                    into.insert(atom);
                }
            }
        }
    }

    /// Whether an atom holds in some states and not in others, as far as the solver says.
    fn is_open(&mut self, here: &[Formula], atom: &Atom, budget: &Budget) -> bool {
        if here.contains(&atom.formula(true)) || here.contains(&atom.formula(false)) {
            return false;
        }
        [true, false].into_iter().all(|holds| {
            let formula = atom.formula(holds);
            let parts = here.iter().cloned().chain([formula]);
            let question = term(&self.terms, &Formula::All(parts.collect()), &self.values);
            !matches!(self.model(question, budget), Ok(None))
        })
    }

    /// Values for which something holds, if there are some.
    fn model(&mut self, question: Term, budget: &Budget) -> Result<Option<Vec<Int>>, NoAnswer> {
        self.queries += 1;
        self.session.push();
        self.session.assert(question);
        let answer = self.session.check(budget);
        self.session.pop();
        match answer {
            Answer::Unsat(_) => Ok(None),
            Answer::Unknown(_) => Err(NoAnswer),
            Answer::Sat(model) => {
                let values = self.names.iter().map(|&name| match model.value(name) {
                    Some(Value::Int(value)) => value.clone(),
                    _ => Int::ZERO,
                });
                Ok(Some(values.collect()))
            }
        }
    }
}

/// A literal in normal form.
fn normal(formula: &Formula) -> Formula {
    let (inner, is_negated) = match formula {
        Formula::Not(inner) => (&**inner, true),
        other => (other, false),
    };
    match literal(inner) {
        Some(Literal::Constant(value)) => Formula::Constant(value != is_negated),
        Some(Literal::Is(atom, holds)) => atom.formula(holds != is_negated),
        None => formula.clone(),
    }
}

fn is_control_literal(formula: &Formula, program: &Program) -> bool {
    let mentioned = mentioned(formula);
    let mut variables = mentioned.iter();
    variables.all(|&variable| (program.variables.get(variable)).is_some_and(|of| of.is_control))
}
