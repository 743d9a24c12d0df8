//! Sets of floats, and what arithmetic makes of them.

use rhumb_logic::{Int, Op};

use super::Extent;

/// A set of floats: all from one to another, and NaN if so marked. Zeros are not told apart. Empty if `low > high`.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Floats {
    pub(super) low: f64,
    pub(super) high: f64,
    pub(super) nan: bool,
}

impl Floats {
    pub(super) const ALL: Floats = Floats {
        low: f64::NEG_INFINITY,
        high: f64::INFINITY,
        nan: true,
    };

    /// No number at all.
    pub(super) const NONE: Floats = Floats {
        low: f64::INFINITY,
        high: f64::NEG_INFINITY,
        nan: false,
    };

    pub(super) fn is_empty(self) -> bool {
        self.low > self.high
    }

    fn has_zero(self) -> bool {
        self.low <= 0.0 && self.high >= 0.0
    }

    fn has_infinity(self) -> bool {
        !self.is_empty() && (self.low.is_infinite() || self.high.is_infinite())
    }

    pub(super) fn hull(self, other: Floats) -> Floats {
        match (self.is_empty(), other.is_empty()) {
            (true, _) => Floats {
                nan: self.nan || other.nan,
                ..other
            },
            (_, true) => Floats {
                nan: self.nan || other.nan,
                ..self
            },
            _ => Floats {
                low: self.low.min(other.low),
                high: self.high.max(other.high),
                nan: self.nan || other.nan,
            },
        }
    }
}

/// The formats whose arithmetic the host has.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Precision {
    Single,
    Double,
}

impl Precision {
    pub(super) fn of(exponent: u32, significand: u32) -> Option<Precision> {
        match (exponent, significand) {
            (8, 24) => Some(Precision::Single),
            (11, 53) => Some(Precision::Double),
            _ => None,
        }
    }

    pub(super) fn round(self, value: f64) -> f64 {
        match self {
            // Of a sum, difference, product, quotient or root of two singles: rounding twice is rounding once, since a double has more than
            // twice the digits, and two.
            Precision::Single => f64::from(value as f32),
            Precision::Double => value,
        }
    }

    /// The number with a pattern.
    pub(super) fn number(self, bits: &Int) -> Option<f64> {
        let bits = u64::try_from(bits.clone()).ok()?;
        match self {
            Precision::Single => Some(f32::from_bits(u32::try_from(bits).ok()?).into()),
            Precision::Double => Some(f64::from_bits(bits)),
        }
    }

    /// Two neighbours between two numbers, the first one below the second: somewhere in the middle, by size where the
    /// ends are near, by pattern where they are not.
    pub(super) fn between(self, low: f64, high: f64) -> (f64, f64) {
        const NEAR: f64 = 1e4;
        let middle = match low.abs().max(high.abs()) < NEAR {
            true => self.round(low / 2.0 + high / 2.0),
            false => {
                let [a, b] = [low, high].map(|end| self.rank(end));
                self.at(a + (b - a) / 2)
            }
        };
        let below = match middle >= high {
            true => self.at(self.rank(high) - 1),
            false => middle.max(low),
        };
        (below, self.at(self.rank(below) + 1))
    }

    /// Numbers in their order; both zeros have one rank.
    pub(super) fn rank(self, value: f64) -> i128 {
        let size = match self {
            Precision::Single => i128::from((value.abs() as f32).to_bits()),
            Precision::Double => i128::from(value.abs().to_bits()),
        };
        if value < 0.0 { -size } else { size }
    }

    fn at(self, rank: i128) -> f64 {
        let size = rank.unsigned_abs();
        let value = match self {
            Precision::Single => f64::from(f32::from_bits(size as u32)),
            Precision::Double => f64::from_bits(size as u64),
        };
        if rank < 0 { -value } else { value }
    }
}

pub(super) fn arithmetic(op: Op, precision: Precision, a: Floats, b: Floats) -> Floats {
    let nan = a.nan || b.nan;
    if a.is_empty() || b.is_empty() {
        return Floats {
            nan,
            ..Floats::NONE
        };
    }
    let apply = |x: f64, y: f64| {
        precision.round(match op {
            Op::FpAdd => x + y,
            Op::FpSub => x - y,
            Op::FpMul => x * y,
            _ => x / y,
        })
    };
    // Where a result at an end may be none, or is not the largest, nothing is said.
    let is_open = match op {
        Op::FpAdd | Op::FpSub => a.has_infinity() && b.has_infinity(),
        Op::FpMul => a.has_infinity() && b.has_zero() || a.has_zero() && b.has_infinity(),
        _ => b.has_zero() || a.has_infinity() && b.has_infinity(),
    };
    if is_open {
        return Floats::ALL;
    }
    let ends = match op {
        Op::FpAdd => [apply(a.low, b.low), apply(a.high, b.high)].to_vec(),
        Op::FpSub => [apply(a.low, b.high), apply(a.high, b.low)].to_vec(),
        _ => [
            apply(a.low, b.low),
            apply(a.low, b.high),
            apply(a.high, b.low),
            apply(a.high, b.high),
        ]
        .to_vec(),
    };
    if ends.iter().any(|end| end.is_nan()) {
        return Floats::ALL;
    }
    Floats {
        low: ends.iter().copied().fold(f64::INFINITY, f64::min),
        high: ends.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        nan,
    }
}

pub(super) fn compare(op: Op, a: Floats, b: Floats) -> Extent {
    let nan = a.nan || b.nan;
    if a.is_empty() || b.is_empty() {
        return Extent::Truth(true, false);
    }
    match op {
        Op::FpLt => Extent::Truth(nan || a.high >= b.low, a.low < b.high),
        Op::FpLe => Extent::Truth(nan || a.high > b.low, a.low <= b.high),
        _ => {
            let is_one = a.low == a.high && b.low == b.high && a.low == b.low;
            Extent::Truth(nan || !is_one, a.low <= b.high && b.low <= a.high)
        }
    }
}
