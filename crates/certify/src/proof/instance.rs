//! Quantified formulas without quantifiers: what may be assumed of them, and what has to be refuted.
//!
//! A negated formula `¬∃k. φ(x, k)` is proved for a fresh `k`, and assumed for the values that hints name; a formula
//! `∃k. φ(x, k)` is assumed with a fresh `k`, and proved for one of the values that hints name. Values may be any
//! terms, so hints need not be trusted.

use rhumb_logic::{Symbol, Term};
use rhumb_program::LocId;
use rustc_hash::FxHashMap;

use super::argument::{Formula, Instance};
use super::encode::{Encoder, SymbolicState};
use super::generate::{Conditions, same_sorts};

/// A way from one point to another, for the sake of one formula there.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) from: LocId,
    pub(super) to: LocId,
    /// The formula's place; none if the end is not to be reached.
    pub(super) goal: Option<usize>,
}

/// The premises of a region: formulas of the point where it begins.
#[derive(Default)]
pub(super) struct Premises {
    /// Those that hold as they are: plain ones, and existential ones with fresh symbols for what there is.
    pub(super) plain: Vec<Term>,
    /// Bound symbols and fresh ones, for each existential premise.
    witnesses: Vec<(Vec<Symbol>, Vec<Term>)>,
    /// The negated ones with bound symbols, by their place.
    universal: Vec<(usize, Formula)>,
}

type Values = FxHashMap<Symbol, Term>;

impl Conditions<'_> {
    /// The formulas of a region's beginning as premises.
    pub(super) fn premises(&self, formulas: &[Formula], encoder: &mut Encoder<'_>) -> Premises {
        let mut premises = Premises::default();
        for (place, formula) in formulas.iter().enumerate() {
            if formula.negated && !formula.bound.is_empty() {
                premises.universal.push((place, formula.clone()));
                continue;
            }
            let fresh = self.fresh(&formula.bound);
            let matrix = self.instance(formula, &fresh, &SymbolicState::default(), encoder);
            premises.plain.push(match formula.negated {
                true => self.terms.not(matrix),
                false => matrix,
            });
            if !formula.bound.is_empty() {
                premises.witnesses.push((formula.bound.clone(), fresh));
            }
        }
        premises
    }

    /// Formulas that hold together if the formula fails in the state, and instances of premises that may be of help.
    pub(super) fn refutation(
        &self,
        premises: &Premises,
        way: Way,
        formula: &Formula,
        state: &SymbolicState,
        encoder: &mut Encoder<'_>,
    ) -> Vec<Term> {
        if formula.negated || formula.bound.is_empty() {
            let fresh = self.fresh(&formula.bound);
            let bound: Vec<(Symbol, Term)> = pairs(&formula.bound, &fresh).collect();
            let mut formulas = self.instances(premises, way, &bound, encoder);
            let matrix = self.instance(formula, &fresh, state, encoder);
            formulas.push(match formula.negated {
                true => matrix,
                false => self.terms.not(matrix),
            });
            return formulas;
        }
        let mut formulas = self.instances(premises, way, &[], encoder);
        let witnesses = premises.witnesses.iter().map(|(_, fresh)| fresh.clone());
        let mut candidates: Vec<Vec<Term>> = witnesses.collect();
        let known = premises.known();
        candidates.extend(self.hinted(way, Instance::Goal, &known, encoder));
        for values in candidates {
            if same_sorts(self.terms, &formula.bound, &values) {
                let matrix = self.instance(formula, &values, state, encoder);
                formulas.push(self.terms.not(matrix));
            }
        }
        formulas
    }

    /// Instances of negated premises: those that hints ask for, and those by the goal's own bound symbols.
    pub(super) fn instances(
        &self,
        premises: &Premises,
        way: Way,
        bound: &[(Symbol, Term)],
        encoder: &mut Encoder<'_>,
    ) -> Vec<Term> {
        let mut known = premises.known();
        known.extend(bound.iter().copied());
        let own: Vec<Term> = bound.iter().map(|pair| pair.1).collect();
        let mut instances = Vec::new();
        for (place, formula) in &premises.universal {
            let mut candidates = self.hinted(way, Instance::Premise(*place), &known, encoder);
            candidates.push(own.clone());
            for values in candidates {
                if same_sorts(self.terms, &formula.bound, &values) {
                    let matrix =
                        self.instance(formula, &values, &SymbolicState::default(), encoder);
                    instances.push(self.terms.not(matrix));
                }
            }
        }
        instances
    }

    /// The values that hints name for a formula: terms over the variables where the way begins, and over symbols with known values.
    fn hinted(
        &self,
        way: Way,
        instance: Instance,
        known: &Values,
        encoder: &mut Encoder<'_>,
    ) -> Vec<Vec<Term>> {
        let begin = SymbolicState::default();
        let mut hinted = Vec::new();
        for hint in self.hints(way).filter(|hint| hint.instance == instance) {
            let values = hint.values.iter();
            let values = values.map(|&value| self.vocabulary.at(value, known, encoder, &begin));
            hinted.push(values.collect());
        }
        hinted
    }

    /// The matrix of a formula in a state, with values for its bound symbols.
    fn instance(
        &self,
        formula: &Formula,
        values: &[Term],
        state: &SymbolicState,
        encoder: &mut Encoder<'_>,
    ) -> Term {
        let bound: Values = pairs(&formula.bound, values).collect();
        self.vocabulary.at(formula.matrix, &bound, encoder, state)
    }

    fn fresh(&self, symbols: &[Symbol]) -> Vec<Term> {
        let copy = |&symbol: &Symbol| self.terms.var(self.terms.fresh_copy(symbol));
        symbols.iter().map(copy).collect()
    }
}

impl Premises {
    /// What the bound symbols of existential premises stand for.
    fn known(&self) -> Values {
        let each = self.witnesses.iter();
        each.flat_map(|(bound, fresh)| pairs(bound, fresh))
            .collect()
    }
}

fn pairs<'a>(
    symbols: &'a [Symbol],
    terms: &'a [Term],
) -> impl Iterator<Item = (Symbol, Term)> + 'a {
    symbols.iter().copied().zip(terms.iter().copied())
}
