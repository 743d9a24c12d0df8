//! Linear forms: what an expression is, as far as sums of variables say it.

use rhumb_interval::Interval;
use rhumb_program::VarId;

/// Bounds of a value; none where there is none, or where it is too large.
pub(super) type Range = Interval<Option<i128>>;

/// `sum of coefficient * variable + rest`, where the rest is some value of the range.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Form {
    /// Sorted by variable; no coefficient is zero.
    pub(super) parts: Vec<(VarId, i128)>,
    pub(super) rest: Range,
}

impl Form {
    pub(super) fn constant(value: i128) -> Form {
        Form::range(Range::constant(value))
    }

    pub(super) fn range(rest: Range) -> Form {
        Form {
            parts: Vec::new(),
            rest,
        }
    }

    pub(super) fn variable(variable: VarId) -> Form {
        Form {
            parts: vec![(variable, 1)],
            rest: Range::constant(0),
        }
    }

    pub(super) fn as_constant(&self) -> Option<i128> {
        self.rest
            .as_constant()
            .copied()
            .filter(|_| self.parts.is_empty())
    }

    /// `factor * self`; nothing if a number gets too large.
    pub(super) fn times(&self, factor: i128) -> Option<Form> {
        if factor == 0 {
            return Some(Form::constant(0));
        }
        let parts = self
            .parts
            .iter()
            .map(|&(variable, coefficient)| Some((variable, coefficient.checked_mul(factor)?)))
            .collect::<Option<Vec<_>>>()?;
        Some(Form {
            parts,
            rest: self.rest.times(&factor),
        })
    }

    /// `self + other`; nothing if a number gets too large.
    pub(super) fn plus(&self, other: &Form) -> Option<Form> {
        let mut parts = self.parts.clone();
        for &(variable, coefficient) in &other.parts {
            match parts.binary_search_by_key(&variable, |part| part.0) {
                Ok(place) => {
                    parts[place].1 = parts[place].1.checked_add(coefficient)?;
                    if parts[place].1 == 0 {
                        parts.remove(place);
                    }
                }
                Err(place) => parts.insert(place, (variable, coefficient)),
            }
        }
        Some(Form {
            parts,
            rest: self.rest.plus(&other.rest),
        })
    }

    /// `self - other`; nothing if a number gets too large.
    pub(super) fn minus(&self, other: &Form) -> Option<Form> {
        self.plus(&other.times(-1)?)
    }
}
