//! The real relaxation of a cube.

use rustc_hash::FxHashMap;

use crate::domain::polyhedron::Polyhedron;
use crate::domain::{Constraint, DomainLimits, Kind, fourier_motzkin, simplex};
use crate::eval;
use crate::num::{self, Int, ratio};
use crate::term::{Linear, Node, Sort, Term, Terms};
use crate::value::Assignment;

use super::local;

/// The linear literals of a cube as constraints over columns: the coordinates that are wanted first, then symbols,
/// quotients and remainders, and terms that linear arithmetic can't take.
///
/// Congruences are left out: they don't change the closed hull by more than a bounded amount. A literal that says "not zero" says
/// "positive" or "negative", as the model has it.
pub(super) struct Relaxation {
    constraints: Vec<Constraint>,
    columns: Vec<Term>,
    wanted: usize,
    /// Whether the cube is unbounded where the relaxation is: an integer multiple of any of its directions leads from the model to further
    /// models. Not so if something is not linear.
    pub(super) is_linear: bool,
}

/// Where a coordinate ends in a relaxation.
pub(super) enum End {
    /// At this integer, or before.
    At(Int),
    /// Nowhere.
    Never,
    /// Too costly to find out.
    Unknown,
}

struct Builder<'a> {
    terms: &'a Terms,
    model: &'a Assignment,
    places: FxHashMap<Term, usize>,
    columns: Vec<Term>,
    /// Combinations that are zero, or at least zero.
    rows: Vec<(Kind, Linear)>,
    is_linear: bool,
}

impl Relaxation {
    /// The relaxation of literals that hold in the model; none if the side of a literal isn't known.
    pub(super) fn new(
        terms: &Terms,
        literals: &[Term],
        wanted: Vec<Term>,
        model: &Assignment,
    ) -> Option<Relaxation> {
        let count = wanted.len();
        let mut builder = Builder {
            terms,
            model,
            places: wanted.iter().copied().zip(0..).collect(),
            columns: wanted,
            rows: Vec::new(),
            is_linear: true,
        };
        for &literal in literals {
            builder.literal(literal)?;
        }
        Some(Relaxation {
            constraints: builder.constraints(),
            columns: builder.columns,
            wanted: count,
            is_linear: builder.is_linear,
        })
    }

    /// The wanted coordinates of its points. Where that is too large, those of a part of them that contains the model;
    /// none if the values there aren't known.
    pub(super) fn shadow(
        &self,
        terms: &Terms,
        model: &Assignment,
        limits: &DomainLimits,
    ) -> Option<Polyhedron> {
        let others: Vec<usize> = (self.wanted..self.columns.len()).collect();
        let constraints = match fourier_motzkin::eliminate(&self.constraints, &others, limits) {
            Ok(constraints) => constraints,
            Err(_) => {
                let values = eval::evaluate_all(terms, &self.columns, model);
                let point: Vec<Int> = values
                    .into_iter()
                    .map(|value| value?.as_int().cloned())
                    .collect::<Option<_>>()?;
                local::eliminate(&self.constraints, self.wanted, &point)
            }
        };
        let struck = constraints.into_iter().map(|constraint| {
            let coefficients = constraint.coefficients().iter().take(self.wanted);
            Constraint::new(
                constraint.kind(),
                coefficients.cloned().collect(),
                constraint.constant().clone(),
            )
        });
        Some(Polyhedron::from_constraints(self.wanted, struck))
    }

    /// Where the first coordinate ends upwards.
    pub(super) fn end(&self, limits: &DomainLimits) -> End {
        let width = self.columns.len();
        let mut direction: Vec<Constraint> = self
            .constraints
            .iter()
            .map(|constraint| {
                let coefficients = constraint.coefficients().to_vec();
                Constraint::new(constraint.kind(), coefficients, Int::ZERO)
            })
            .collect();
        let mut upwards = vec![Int::ZERO; width];
        if let Some(first) = upwards.first_mut() {
            *first = Int::ONE;
        }
        direction.push(Constraint::new(Kind::Ge, upwards, Int::NEG_ONE));
        match simplex::is_satisfiable(&direction, limits) {
            Ok(true) => return End::Never,
            Ok(false) => {}
            Err(_) => return End::Unknown,
        }
        let others: Vec<usize> = (1..width).collect();
        let Ok(left) = fourier_motzkin::eliminate(&self.constraints, &others, limits) else {
            return End::Unknown;
        };
        let ends = left.iter().filter_map(|constraint| {
            let factor = constraint.coefficients().first()?;
            let is_upper =
                *factor < Int::ZERO || constraint.kind() == Kind::Eq && !factor.is_zero();
            is_upper.then(|| num::floor(&ratio(-constraint.constant(), factor.clone())))
        });
        ends.min().map_or(End::Unknown, End::At)
    }
}

impl Builder<'_> {
    fn literal(&mut self, literal: Term) -> Option<()> {
        let (atom, positive) = match self.terms.node(literal) {
            Node::Not(inner) => (*inner, false),
            _ => (literal, true),
        };
        match self.terms.node(atom) {
            Node::AtMostZero(sum) if positive => {
                self.row(Kind::Ge, sum.times(&Int::NEG_ONE));
            }
            Node::Zero(sum) if positive => self.row(Kind::Eq, sum.clone()),
            Node::Zero(sum) => {
                let value = eval::evaluate(self.terms, self.terms.linear(sum), self.model)?;
                let side = if *value.as_int()? > Int::ZERO {
                    Int::ONE
                } else {
                    Int::NEG_ONE
                };
                let away = sum.times(&side);
                self.row(
                    Kind::Ge,
                    away.plus(&Int::NEG_ONE, &Linear::constant(Int::ONE)),
                );
            }
            Node::Divides(_, sum) => {
                for (part, _) in &sum.parts {
                    self.column(*part);
                }
            }
            _ => {
                let symbols = self.terms.symbols([literal]);
                let sort = |symbol| self.terms.symbol_info(symbol).sort;
                self.is_linear &= symbols.into_iter().all(|symbol| sort(symbol) != Sort::Int);
            }
        }
        Some(())
    }

    fn row(&mut self, kind: Kind, sum: Linear) {
        for (part, _) in &sum.parts {
            self.column(*part);
        }
        self.rows.push((kind, sum));
    }

    /// Gives a term a column, and says what is known of it if it is a quotient or a remainder.
    fn column(&mut self, term: Term) {
        let mut waiting = vec![term];
        while let Some(term) = waiting.pop() {
            if self.places.contains_key(&term) {
                continue;
            }
            self.places.insert(term, self.columns.len());
            self.columns.push(term);
            let terms = self.terms;
            let (rest, by) = match terms.node(term) {
                Node::Symbol(_) => continue,
                // The rest of the division is what the quotient leaves.
                Node::Div(inner, by) => {
                    let quotient = terms.as_linear(term);
                    (terms.as_linear(*inner).plus(&-by, &quotient), by)
                }
                Node::Mod(inner, by) => {
                    let remainder = terms.as_linear(term);
                    let quotient = terms.as_linear(terms.div(*inner, by.clone()));
                    let rest = terms.as_linear(*inner).plus(&-by, &quotient);
                    let same = rest.plus(&Int::NEG_ONE, &remainder);
                    waiting.extend(same.parts.iter().map(|part| part.0));
                    self.rows.push((Kind::Eq, same));
                    (remainder, by)
                }
                _ => {
                    self.is_linear = false;
                    continue;
                }
            };
            waiting.extend(rest.parts.iter().map(|part| part.0));
            let last = Linear::constant(by - Int::ONE);
            self.rows.push((Kind::Ge, last.plus(&Int::NEG_ONE, &rest)));
            self.rows.push((Kind::Ge, rest));
        }
    }

    fn constraints(&self) -> Vec<Constraint> {
        let dense = |(kind, sum): &(Kind, Linear)| {
            let mut coefficients = vec![Int::ZERO; self.columns.len()];
            for (part, coefficient) in &sum.parts {
                if let Some(&place) = self.places.get(part) {
                    coefficients[place] = coefficient.clone();
                }
            }
            Constraint::new(*kind, coefficients, sum.constant.clone())
        };
        self.rows.iter().map(dense).collect()
    }
}
