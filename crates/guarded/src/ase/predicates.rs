//! Predicates, and abstract states: where the processes stand, and which predicates hold.

use rhumb_logic::Int;
use rustc_hash::FxHashMap;

use super::atoms::{Atom, Literal, literal};
use crate::machine;
use crate::syntax::{Formula, Program, Sum};

/// The predicates: comparisons that mention a variable that is no control. Control is explicit in abstract states.
#[derive(Clone, Debug)]
pub(crate) struct Predicates {
    atoms: Vec<Atom>,
    numbers: FxHashMap<Atom, usize>,
    /// The variables that say where processes stand.
    control: Vec<usize>,
    is_control: Vec<bool>,
}

/// An abstract state.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct Abstract {
    pub(crate) control: Vec<Int>,
    pub(crate) bits: Vec<bool>,
}

impl Predicates {
    /// Those of the guards and of the property.
    pub(crate) fn of(program: &Program) -> Predicates {
        let variables = program.variables.iter();
        let is_control: Vec<bool> = variables.map(|variable| variable.is_control).collect();
        let control = (0..is_control.len()).filter(|&variable| is_control[variable]);
        let mut predicates = Predicates {
            atoms: Vec::new(),
            numbers: FxHashMap::default(),
            control: control.collect(),
            is_control,
        };
        let guards = program.transitions.iter();
        let guards = guards.map(|transition| &transition.guard);
        for formula in guards.chain([&program.property]) {
            formula.for_each_atom(&mut |atom| {
                if let Some(Literal::Is(atom, _)) = literal(atom) {
                    predicates.add(atom);
                }
            });
        }
        predicates
    }

    /// Adds one; whether it is new.
    pub(crate) fn add(&mut self, atom: Atom) -> bool {
        let mut variables = atom.sum().parts.keys();
        if variables.all(|&variable| self.is_control[variable]) || self.numbers.contains_key(&atom)
        {
            return false;
        }
        self.numbers.insert(atom.clone(), self.atoms.len());
        self.atoms.push(atom);
        true
    }

    pub(crate) fn atoms(&self) -> &[Atom] {
        &self.atoms
    }

    pub(crate) fn len(&self) -> usize {
        self.atoms.len()
    }

    /// Where the processes stand.
    pub(crate) fn control_of(&self, values: &[Sum]) -> Vec<Int> {
        let control = self.control.iter();
        control
            .map(|&variable| values[variable].constant.clone())
            .collect()
    }

    /// Whether a condition of the program holds, all of whose comparisons are decided.
    pub(crate) fn decides(&self, formula: &Formula, state: &Abstract) -> bool {
        match formula {
            Formula::Constant(value) => *value,
            Formula::Not(inner) => !self.decides(inner, state),
            Formula::All(parts) => parts.iter().all(|part| self.decides(part, state)),
            Formula::Any(parts) => parts.iter().any(|part| self.decides(part, state)),
            Formula::AtMostZero(_) | Formula::Zero(_) => match literal(formula) {
                Some(Literal::Is(atom, holds)) => match self.numbers.get(&atom) {
                    Some(&number) => state.bits[number] == holds,
                    None => self.holds_of_control(formula, state),
                },
                Some(Literal::Constant(value)) => value,
                None => false,
            },
        }
    }

    fn holds_of_control(&self, formula: &Formula, state: &Abstract) -> bool {
        let mut values = vec![Int::ZERO; self.is_control.len()];
        for (&variable, value) in self.control.iter().zip(&state.control) {
            values[variable] = value.clone();
        }
        machine::holds(formula, &values)
    }

    /// The states that an abstract one stands for: where the processes stand, and a literal for each predicate.
    pub(crate) fn literals(&self, state: &Abstract) -> Vec<Formula> {
        let control = self.control.iter().zip(&state.control);
        let control = control.map(|(&variable, value)| {
            let sum = Sum::constant(-value).plus(&Int::ONE, &Sum::variable(variable));
            Formula::Zero(sum)
        });
        let bits = self.atoms.iter().zip(&state.bits);
        let bits = bits.map(|(atom, &holds)| atom.formula(holds));
        control.chain(bits).collect()
    }
}
