//! A cube as a system of linear literals with a point that satisfies it.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::num::{Int, floor_mod};
use crate::term::{Linear, Term, Terms};

use super::literal::Literal;
use super::row::{Dim, Row};

/// Literals over numbered dimensions, some of which are to be eliminated (the *targets*), and a point at which all of them hold.
///
/// A dimension that stays has a term; a target may have none, so that auxiliary unknowns cost no symbol.
#[derive(Clone, Debug, Default)]
pub(super) struct System {
    /// The value of each dimension at the point.
    pub(super) point: Vec<Int>,
    /// The term of each dimension that stays; none for a target.
    terms: Vec<Option<Term>>,
    /// Literals in which a target occurs.
    pub(super) open: Vec<Literal>,
    /// Literals without targets.
    done: Vec<Literal>,
    /// Number of quotients that elimination introduced.
    pub(super) quotients: usize,
}

impl System {
    /// A new dimension that stays and stands for a term.
    pub(super) fn kept(&mut self, term: Term, value: Int) -> Dim {
        self.dimension(Some(term), value)
    }

    /// A new dimension that is to be eliminated.
    pub(super) fn target(&mut self, value: Int) -> Dim {
        self.dimension(None, value)
    }

    fn dimension(&mut self, term: Option<Term>, value: Int) -> Dim {
        self.terms.push(term);
        self.point.push(value);
        Dim::try_from(self.terms.len() - 1).unwrap_or(Dim::MAX)
    }

    /// Whether a dimension is to be eliminated.
    pub(super) fn is_target(&self, dim: Dim) -> bool {
        self.terms
            .get(dim as usize)
            .is_some_and(|term| term.is_none())
    }

    /// Whether a target occurs in a row.
    pub(super) fn has_target(&self, row: &Row) -> bool {
        row.parts.iter().any(|part| self.is_target(part.0))
    }

    /// Adds a literal.
    pub(super) fn push(&mut self, literal: Literal) {
        let literal = literal.normal();
        debug_assert!(literal.holds(&self.point), "{literal:?}");
        match literal.as_bool() {
            Some(true) => {}
            _ if self.has_target(literal.row()) => self.open.push(literal),
            _ => self.done.push(literal),
        }
    }

    /// Removes and gives the literals with a target.
    pub(super) fn take_mentioning(&mut self, dim: Dim) -> Vec<Literal> {
        let (taken, rest) = std::mem::take(&mut self.open)
            .into_iter()
            .partition(|literal| literal.mentions(dim));
        self.open = rest;
        taken
    }

    /// The targets that still occur.
    pub(super) fn open_targets(&self) -> Vec<Dim> {
        let mut found: Vec<Dim> = self
            .open
            .iter()
            .flat_map(|literal| literal.row().parts.iter())
            .map(|part| part.0)
            .filter(|&dim| self.is_target(dim))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Drops literals that another one implies, and joins opposite bounds to equations.
    pub(super) fn tidy(&mut self) {
        self.open = tidy(std::mem::take(&mut self.open));
    }

    /// The row as a combination of terms. Targets don't occur in it.
    pub(super) fn linear(&self, terms: &Terms, row: &Row) -> Linear {
        let mut sum = Linear::constant(row.constant.clone());
        for (dim, coefficient) in &row.parts {
            if let Some(Some(term)) = self.terms.get(*dim as usize) {
                sum = sum.plus(coefficient, &terms.as_linear(*term));
            }
        }
        sum
    }

    /// What is left when all targets are gone, as formulas.
    pub(super) fn into_literals(mut self, terms: &Terms) -> Vec<Term> {
        let literals = tidy(std::mem::take(&mut self.done));
        literals
            .iter()
            .map(|literal| {
                let sum = self.linear(terms, literal.row());
                match literal {
                    Literal::AtMost(_) => terms.at_most_zero(&sum),
                    Literal::Zero(_) => terms.zero(&sum),
                    Literal::NonZero(_) => terms.not(terms.zero(&sum)),
                    Literal::Divides(by, _) => terms.divides_linear(by, &sum),
                    Literal::NotDivides(by, _) => terms.not(terms.divides_linear(by, &sum)),
                }
            })
            .collect()
    }
}

/// What is known of rows with the same coefficients (the first one positive).
#[derive(Default)]
struct Parallel {
    /// `parts >= low`.
    low: Option<Int>,
    /// `parts <= high`.
    high: Option<Int>,
}

/// Literals without those that a literal with parallel coefficients implies.
fn tidy(literals: Vec<Literal>) -> Vec<Literal> {
    let mut bounds: FxHashMap<Vec<(Dim, Int)>, Parallel> = FxHashMap::default();
    let mut order: Vec<Vec<(Dim, Int)>> = Vec::new();
    let mut others = Vec::new();
    let mut impossible = Vec::new();
    for literal in literals {
        let (row, equation) = match literal {
            _ if literal.as_bool() == Some(false) => {
                impossible.push(literal);
                continue;
            }
            Literal::AtMost(row) => (row, false),
            Literal::Zero(row) => (row, true),
            other => {
                others.push(other);
                continue;
            }
        };
        let flipped = row.parts.first().is_some_and(|part| part.1 < Int::ZERO);
        let row = if flipped {
            row.times(&Int::NEG_ONE)
        } else {
            row
        };
        let bound = -&row.constant;
        let known = bounds.entry(row.parts).or_insert_with_key(|parts| {
            order.push(parts.clone());
            Parallel::default()
        });
        if flipped || equation {
            known.low = match known.low.take() {
                Some(low) => Some(low.max(bound.clone())),
                None => Some(bound.clone()),
            };
        }
        if !flipped || equation {
            known.high = match known.high.take() {
                Some(high) => Some(high.min(bound)),
                None => Some(bound),
            };
        }
    }
    let mut result = impossible;
    for parts in order {
        let Some(Parallel { low, high }) = bounds.get(&parts) else {
            continue;
        };
        let row = |bound: &Int| Row {
            parts: parts.clone(),
            constant: -bound,
        };
        match (low, high) {
            (Some(low), Some(high)) if low == high => result.push(Literal::Zero(row(low))),
            _ => {
                if let Some(low) = low {
                    result.push(Literal::AtMost(row(low).times(&Int::NEG_ONE)));
                }
                if let Some(high) = high {
                    result.push(Literal::AtMost(row(high)));
                }
            }
        }
    }
    let mut seen = FxHashSet::default();
    for other in others {
        if !implied(&other, &bounds) && seen.insert(other.clone()) {
            result.push(other);
        }
    }
    result
}

/// Whether bounds on a row imply a disequality or a congruence about it.
fn implied(literal: &Literal, bounds: &FxHashMap<Vec<(Dim, Int)>, Parallel>) -> bool {
    let row = literal.row();
    let Some(Parallel { low, high }) = bounds.get(&row.parts) else {
        return false;
    };
    let value = -&row.constant;
    let fixed = low.is_some() && low == high;
    match (literal, low) {
        (Literal::NonZero(_), _) => {
            low.as_ref().is_some_and(|low| *low > value)
                || high.as_ref().is_some_and(|high| *high < value)
        }
        (Literal::Divides(by, _), Some(low)) if fixed => floor_mod(&(low - value), by).is_zero(),
        (Literal::NotDivides(by, _), Some(low)) if fixed => {
            !floor_mod(&(low - value), by).is_zero()
        }
        _ => false,
    }
}
