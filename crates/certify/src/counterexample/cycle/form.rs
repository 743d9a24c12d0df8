//! Linear forms in the iteration numbers of nested jumps.

use dashu_base::{Gcd, RemEuclid};
use dashu_int::IBig;

/// `constant + slopes[0]·i₀ + slopes[1]·i₁ + …`, where `i₀` is the iteration number of the outermost jump. The last slope is not zero.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Form {
    pub(super) constant: IBig,
    slopes: Vec<IBig>,
}

impl Form {
    pub(super) fn constant(constant: impl Into<IBig>) -> Form {
        Form {
            constant: constant.into(),
            slopes: Vec::new(),
        }
    }

    pub(super) fn is_constant(&self) -> bool {
        self.slopes.is_empty()
    }

    /// What each iteration of that level adds.
    pub(super) fn slope(&self, level: usize) -> IBig {
        self.slopes.get(level).cloned().unwrap_or(IBig::ZERO)
    }

    /// Adds to the slope of a level.
    pub(super) fn add_slope(&mut self, level: usize, more: &IBig) {
        if self.slopes.len() <= level {
            self.slopes.resize(level + 1, IBig::ZERO);
        }
        self.slopes[level] += more;
        self.trim();
    }

    /// Takes the slope of a level away.
    pub(super) fn take_slope(&mut self, level: usize) -> IBig {
        let slope = match self.slopes.get_mut(level) {
            Some(slope) => std::mem::replace(slope, IBig::ZERO),
            None => IBig::ZERO,
        };
        self.trim();
        slope
    }

    fn trim(&mut self) {
        while self.slopes.last().is_some_and(IBig::is_zero) {
            self.slopes.pop();
        }
    }

    /// The form, changed number by number by a linear map.
    fn map(&self, f: impl Fn(&IBig) -> IBig) -> Form {
        let mut form = Form {
            constant: f(&self.constant),
            slopes: self.slopes.iter().map(f).collect(),
        };
        form.trim();
        form
    }

    fn zip(&self, other: &Form, f: impl Fn(&IBig, &IBig) -> IBig) -> Form {
        let levels = self.slopes.len().max(other.slopes.len());
        let slopes = (0..levels).map(|level| f(&self.slope(level), &other.slope(level)));
        let mut form = Form {
            constant: f(&self.constant, &other.constant),
            slopes: slopes.collect(),
        };
        form.trim();
        form
    }

    pub(super) fn plus(&self, other: &Form) -> Form {
        self.zip(other, |a, b| a + b)
    }

    pub(super) fn minus(&self, other: &Form) -> Form {
        self.zip(other, |a, b| a - b)
    }

    pub(super) fn negated(&self) -> Form {
        self.map(|a| -a)
    }

    pub(super) fn times(&self, factor: &IBig) -> Form {
        self.map(|a| a * factor)
    }

    /// The form with something added to its constant.
    pub(super) fn shifted(mut self, by: &IBig) -> Form {
        self.constant += by;
        self
    }

    /// The greatest common divisor of the slopes; zero if there are none.
    pub(super) fn slope_gcd(&self) -> IBig {
        let slopes = self.slopes.iter();
        slopes.fold(IBig::ZERO, |gcd, slope| {
            match (gcd.is_zero(), slope.is_zero()) {
                (true, _) => slope.clone(),
                (_, true) => gcd,
                _ => gcd.gcd(slope).into(),
            }
        })
    }

    /// `m·g + r`: the slopes that `m > 0` divides go to `g`, everything else to `r`.
    pub(super) fn split_by(&self, m: &IBig) -> (Form, Form) {
        let mut divided = Form::constant(0);
        let mut rest = Form::constant(self.constant.clone());
        for (level, slope) in self.slopes.iter().enumerate() {
            if slope.rem_euclid(m).is_zero() {
                divided.add_slope(level, &(slope / m));
            } else {
                rest.add_slope(level, slope);
            }
        }
        (divided, rest)
    }
}
