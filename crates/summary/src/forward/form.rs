//! Linear forms: what an expression is, as far as sums of variables say it.

use rhumb_program::VarId;

/// Bounds of a value, both included; nothing where there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) low: Option<i128>,
    pub(super) high: Option<i128>,
}

impl Range {
    pub(super) const ALL: Range = Range {
        low: None,
        high: None,
    };

    pub(super) fn new(low: i128, high: i128) -> Range {
        Range {
            low: Some(low),
            high: Some(high),
        }
    }

    pub(super) fn constant(value: i128) -> Range {
        Range::new(value, value)
    }

    pub(super) fn as_constant(self) -> Option<i128> {
        self.low.filter(|_| self.low == self.high)
    }

    pub(super) fn plus(self, other: Range) -> Range {
        let sum = |a: Option<i128>, b: Option<i128>| a?.checked_add(b?);
        Range {
            low: sum(self.low, other.low),
            high: sum(self.high, other.high),
        }
    }

    pub(super) fn times(self, factor: i128) -> Range {
        if factor == 0 {
            return Range::constant(0);
        }
        let (low, high) = (
            self.low.and_then(|low| low.checked_mul(factor)),
            self.high.and_then(|high| high.checked_mul(factor)),
        );
        if factor > 0 {
            Range { low, high }
        } else {
            Range {
                low: high,
                high: low,
            }
        }
    }

    /// The values that are in both.
    pub(super) fn meet(self, other: Range) -> Range {
        let tighter = |a: Option<i128>, b: Option<i128>, choose: fn(i128, i128) -> i128| {
            let both = a.zip(b).map(|(a, b)| choose(a, b));
            both.or(a).or(b)
        };
        Range {
            low: tighter(self.low, other.low, i128::max),
            high: tighter(self.high, other.high, i128::min),
        }
    }

    /// Whether every value lies between the two.
    pub(super) fn within(self, low: i128, high: i128) -> bool {
        self.low.is_some_and(|own| own >= low) && self.high.is_some_and(|own| own <= high)
    }
}

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
        self.rest.as_constant().filter(|_| self.parts.is_empty())
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
            rest: self.rest.times(factor),
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
            rest: self.rest.plus(other.rest),
        })
    }

    /// `self - other`; nothing if a number gets too large.
    pub(super) fn minus(&self, other: &Form) -> Option<Form> {
        self.plus(&other.times(-1)?)
    }
}
