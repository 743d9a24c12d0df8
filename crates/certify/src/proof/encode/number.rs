//! Numbers of a symbolic state: a term, and an interval that its value is known to lie in.
//!
//! The interval is what keeps formulas small: an operation that can't leave its type by it is not wrapped.

use rhumb_logic::{Int, Term, Terms};
use rhumb_program::{DataModel, FloatType, IntType, Type};

/// Wraps that need more than this many steps of a period in one direction become a remainder.
const STEPS: usize = 3;

/// The integers between two bounds, both included.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Range {
    pub(crate) low: Int,
    pub(crate) high: Int,
}

impl Range {
    pub(crate) fn new(low: impl Into<Int>, high: impl Into<Int>) -> Range {
        Range {
            low: low.into(),
            high: high.into(),
        }
    }

    pub(crate) fn single(value: Int) -> Range {
        Range {
            low: value.clone(),
            high: value,
        }
    }

    /// The values of an integer type.
    pub(crate) fn of_int(ty: IntType) -> Range {
        if ty.signed {
            let half = power(ty.width - 1);
            Range::new(-&half, half - Int::ONE)
        } else {
            Range::new(Int::ZERO, power(ty.width) - Int::ONE)
        }
    }

    /// The numbers that stand for the values of a type: pointers are addresses, floats bit patterns.
    pub(crate) fn of_type(ty: Type, model: DataModel) -> Range {
        match ty {
            Type::Bool => Range::new(0, 1),
            Type::Int(int) => Range::of_int(int),
            Type::Ptr => Range::of_int(model.size_type()),
            Type::Float(float) => Range::of_int(IntType::unsigned(match float {
                FloatType::F32 => 32,
                FloatType::F64 => 64,
                FloatType::X87 => 80,
                FloatType::F128 => 128,
            })),
        }
    }

    pub(crate) fn contains(&self, other: &Range) -> bool {
        self.low <= other.low && other.high <= self.high
    }

    /// The least interval around both.
    pub(crate) fn hull(&self, other: &Range) -> Range {
        Range {
            low: (&self.low).min(&other.low).clone(),
            high: (&self.high).max(&other.high).clone(),
        }
    }

    /// What both have in common; the other one, if that is nothing.
    pub(crate) fn meet(&self, other: &Range) -> Range {
        let low = (&self.low).max(&other.low);
        let high = (&self.high).min(&other.high);
        match low <= high {
            true => Range::new(low.clone(), high.clone()),
            false => other.clone(),
        }
    }

    pub(crate) fn add(&self, other: &Range) -> Range {
        Range::new(&self.low + &other.low, &self.high + &other.high)
    }

    pub(crate) fn sub(&self, other: &Range) -> Range {
        Range::new(&self.low - &other.high, &self.high - &other.low)
    }

    pub(crate) fn neg(&self) -> Range {
        Range::new(-&self.high, -&self.low)
    }

    pub(crate) fn mul(&self, other: &Range) -> Range {
        let corners = [
            &self.low * &other.low,
            &self.low * &other.high,
            &self.high * &other.low,
            &self.high * &other.high,
        ];
        let [first, rest @ ..] = corners;
        rest.into_iter()
            .fold(Range::single(first), |range, corner| {
                range.hull(&Range::single(corner))
            })
    }

    /// The formula that a term lies in it.
    pub(crate) fn holds(&self, terms: &Terms, term: Term) -> Term {
        terms.within(self.low.clone(), term, self.high.clone())
    }
}

/// 2 to the power of a width.
pub(crate) fn power(width: u16) -> Int {
    Int::ONE << usize::from(width)
}

/// The mathematical value of a bit pattern of an integer type.
pub(crate) fn value_of(ty: IntType, bits: u128) -> Int {
    if ty.signed {
        Int::from(ty.extend(bits))
    } else {
        Int::from(bits)
    }
}

/// A number: its term, of sort `Int`, and what is known of its size.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Number {
    pub(crate) term: Term,
    pub(crate) range: Range,
}

impl Number {
    pub(crate) fn constant(terms: &Terms, value: Int) -> Number {
        Number {
            term: terms.int(value.clone()),
            range: Range::single(value),
        }
    }

    /// 0 or 1.
    pub(crate) fn from_truth(terms: &Terms, truth: Term) -> Number {
        match terms.as_bool(truth) {
            Some(value) => Number::constant(terms, Int::from(u8::from(value))),
            None => Number {
                term: terms.ite(truth, terms.int(1), terms.int(0)),
                range: Range::new(0, 1),
            },
        }
    }

    pub(crate) fn as_constant<'t>(&self, terms: &'t Terms) -> Option<&'t Int> {
        terms.as_int(self.term)
    }

    /// The number reduced to a type, as two's complement does it.
    pub(crate) fn wrap(self, terms: &Terms, ty: IntType) -> Number {
        let whole = Range::of_int(ty);
        if whole.contains(&self.range) {
            return self;
        }
        let period = power(ty.width);
        let Number { term, range } = self;
        let steps_up = steps(&range.high, &whole.high, &period);
        let steps_down = steps(&-&range.low, &-&whole.low, &period);
        let (Some(up), Some(down)) = (steps_up, steps_down) else {
            let term = if ty.signed {
                let half = power(ty.width - 1);
                let shifted = terms.add(term, terms.int(half.clone()));
                terms.sub(terms.modulo(shifted, period), terms.int(half))
            } else {
                terms.modulo(term, period)
            };
            return Number { term, range: whole };
        };
        // Outermost the farthest: one of the conditions decides.
        let mut wrapped = term;
        for step in 1..=up {
            let limit = &whole.high + &period * Int::from(step - 1);
            let moved = terms.sub(term, terms.int(&period * Int::from(step)));
            wrapped = terms.ite(terms.gt(term, terms.int(limit)), moved, wrapped);
        }
        for step in 1..=down {
            let limit = &whole.low - &period * Int::from(step - 1);
            let moved = terms.add(term, terms.int(&period * Int::from(step)));
            wrapped = terms.ite(terms.lt(term, terms.int(limit)), moved, wrapped);
        }
        Number {
            term: wrapped,
            range: whole,
        }
    }

    /// The formula that the number is not a value of the type; made of the comparisons that [`Number::wrap`] makes.
    pub(crate) fn leaves(&self, terms: &Terms, ty: IntType) -> Term {
        let whole = Range::of_int(ty);
        let above = match self.range.high > whole.high {
            true => terms.gt(self.term, terms.int(whole.high)),
            false => terms.bool(false),
        };
        let below = match self.range.low < whole.low {
            true => terms.lt(self.term, terms.int(whole.low)),
            false => terms.bool(false),
        };
        terms.or([above, below])
    }
}

/// How many periods a value can lie above a limit; none if they are too many.
fn steps(value: &Int, limit: &Int, period: &Int) -> Option<usize> {
    let mut count = 0;
    let mut reach = limit.clone();
    while *value > reach {
        count += 1;
        reach += period;
        if count > STEPS {
            return None;
        }
    }
    Some(count)
}
