//! Linear combinations.

use crate::num::Int;

use super::Term;

/// A sum of terms with integer coefficients, and a constant. The terms are of sort `Int`, sorted, without repetition,
/// and their coefficients are not zero.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Linear {
    /// Terms and coefficients.
    pub parts: Box<[(Term, Int)]>,
    /// The constant.
    pub constant: Int,
}

impl Linear {
    /// A constant.
    pub fn constant(value: Int) -> Linear {
        Linear {
            parts: Box::default(),
            constant: value,
        }
    }

    /// A single term, which must not be a sum or a constant itself.
    pub(super) fn single(term: Term) -> Linear {
        Linear {
            parts: Box::new([(term, Int::ONE)]),
            constant: Int::ZERO,
        }
    }

    /// The coefficient of a term.
    pub fn coefficient(&self, term: Term) -> Int {
        match self.parts.binary_search_by_key(&term, |part| part.0) {
            Ok(place) => self.parts[place].1.clone(),
            Err(_) => Int::ZERO,
        }
    }

    /// `self + factor * other`.
    pub fn plus(&self, factor: &Int, other: &Linear) -> Linear {
        let mut parts = Vec::with_capacity(self.parts.len() + other.parts.len());
        let (mut left, mut right) = (self.parts.iter().peekable(), other.parts.iter().peekable());
        loop {
            let part = match (left.peek(), right.peek()) {
                (Some(a), Some(b)) if a.0 == b.0 => {
                    let sum = &a.1 + factor * &b.1;
                    let term = a.0;
                    left.next();
                    right.next();
                    (term, sum)
                }
                (Some(&a), b) if b.is_none_or(|b| a.0 < b.0) => {
                    left.next();
                    a.clone()
                }
                (_, Some(&b)) => {
                    right.next();
                    (b.0, factor * &b.1)
                }
                (_, None) => break,
            };
            if !part.1.is_zero() {
                parts.push(part);
            }
        }
        Linear {
            parts: parts.into(),
            constant: &self.constant + factor * &other.constant,
        }
    }

    /// A constant plus multiples of combinations, in one pass over all parts.
    pub fn combine<'a>(
        constant: Int,
        multiples: impl IntoIterator<Item = (&'a Int, Linear)>,
    ) -> Linear {
        let mut total = constant;
        let mut parts: Vec<(Term, Int)> = Vec::new();
        for (factor, sum) in multiples {
            total += factor * sum.constant;
            parts.extend(sum.parts.into_iter().map(|(term, c)| (term, c * factor)));
        }
        parts.sort_unstable_by_key(|part| part.0);
        parts.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += std::mem::take(&mut next.1);
            }
            same
        });
        parts.retain(|part| !part.1.is_zero());
        Linear {
            parts: parts.into(),
            constant: total,
        }
    }

    /// `factor * self`.
    pub fn times(&self, factor: &Int) -> Linear {
        if factor.is_zero() {
            return Linear::default();
        }
        self.map(|coefficient| coefficient * factor)
    }

    /// Every coefficient and the constant through a function that keeps coefficients different from zero.
    fn map(&self, f: impl Fn(&Int) -> Int) -> Linear {
        Linear {
            parts: self
                .parts
                .iter()
                .map(|(term, coefficient)| (*term, f(coefficient)))
                .collect(),
            constant: f(&self.constant),
        }
    }

    /// The greatest common divisor of the coefficients, without the constant; zero if there is none.
    pub fn content(&self) -> Int {
        crate::num::gcd_of(self.parts.iter().map(|(_, coefficient)| coefficient))
    }
}
