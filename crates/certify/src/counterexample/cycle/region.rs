//! What must hold in all iterations: conditions on linear forms, over nested iteration numbers of which only the outermost is unbounded.

use dashu_base::{DivEuclid, RemEuclid, Sign, Signed};
use dashu_int::IBig;

use super::form::Form;

/// The iterations under consideration: `0 ≤ i₀`, and `0 ≤ iₗ < countₗ(i₀, …, iₗ₋₁)` for the inner levels, with every count at least 1. The
/// condition that the outermost jump is taken at most `limit` times grows stronger as conditions are required.
#[derive(Clone, Debug)]
pub(super) struct Region {
    /// The counts of the levels from 1 on.
    counts: Vec<Form>,
    /// How often the outermost cycle may be taken so that all that was required holds. `None`: any number of times.
    limit: Option<IBig>,
    /// The number of iterations of the outermost cycle after which a remainder that changes comes round.
    period: Option<IBig>,
}

/// Whether a condition made the limit stricter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Effect {
    None,
    Stricter,
}

impl Effect {
    fn or(self, other: Effect) -> Effect {
        if self == Effect::None { other } else { self }
    }
}

impl Region {
    /// One level: the outermost.
    pub(super) fn new() -> Region {
        Region {
            counts: Vec::new(),
            limit: None,
            period: None,
        }
    }

    pub(super) fn limit(&self) -> Option<&IBig> {
        self.limit.as_ref()
    }

    pub(super) fn period(&self) -> Option<&IBig> {
        self.period.as_ref()
    }

    /// Number of levels.
    pub(super) fn levels(&self) -> usize {
        self.counts.len() + 1
    }

    /// Opens a level inside all others. The count must have been required to be at least 1.
    pub(super) fn push(&mut self, count: Form) {
        self.counts.push(count);
    }

    /// Closes the innermost level.
    pub(super) fn pop(&mut self) {
        self.counts.pop();
    }

    /// Requires the form to be at least zero in all iterations.
    pub(super) fn require_not_negative(&mut self, mut form: Form) -> Effect {
        // The least value over the innermost level is at one of its ends; that end is linear in the levels outside.
        for (index, count) in self.counts.iter().enumerate().rev() {
            let slope = form.take_slope(index + 1);
            if slope.is_negative() {
                let last = count.clone().shifted(&IBig::NEG_ONE);
                form = form.plus(&last.times(&slope));
            }
        }
        let slope = form.slope(0);
        let allowed = match (form.constant.sign(), slope.sign()) {
            (Sign::Negative, _) => IBig::ZERO,
            (Sign::Positive, Sign::Positive) => return Effect::None,
            (Sign::Positive, Sign::Negative) => form.constant.div_euclid(-slope) + IBig::ONE,
        };
        match &self.limit {
            Some(limit) if *limit <= allowed => Effect::None,
            _ => {
                self.limit = Some(allowed);
                Effect::Stricter
            }
        }
    }

    /// Requires the form to be zero in all iterations.
    pub(super) fn require_zero(&mut self, form: &Form) -> Effect {
        let below = self.require_not_negative(form.clone());
        below.or(self.require_not_negative(form.negated()))
    }

    /// Requires the form to be other than zero in all iterations.
    pub(super) fn require_not_zero(&mut self, form: &Form) -> Effect {
        let gcd = form.slope_gcd();
        if !gcd.is_zero() && !form.constant.clone().rem_euclid(&gcd).is_zero() {
            return Effect::None;
        }
        // With one level this is exact; with more, a form that changes its sign without being zero is refused.
        let distance = match form.constant.sign() {
            Sign::Negative => form.negated(),
            Sign::Positive => form.clone(),
        };
        self.require_not_negative(distance.shifted(&IBig::NEG_ONE))
    }

    /// The quotient, rounded down, of the form and a positive number. Slopes that the number divides go through; beside
    /// them the quotient is required to stay what it is in the first iteration.
    pub(super) fn quotient(&mut self, form: &Form, divisor: &IBig) -> (Form, Effect) {
        let (divided, rest) = form.split_by(divisor);
        let quotient = rest.constant.clone().div_euclid(divisor);
        let mut effect = Effect::None;
        if !rest.is_constant() {
            let remainder = rest.shifted(&-(&quotient * divisor));
            let room = remainder.negated().shifted(&(divisor - IBig::ONE));
            effect = self.require_not_negative(remainder.clone());
            effect = effect.or(self.require_not_negative(room));
            let slope = remainder.slope(0);
            if effect == Effect::Stricter && !slope.is_zero() {
                let common: IBig = dashu_base::Gcd::gcd(divisor, &slope).into();
                self.period = Some(divisor / common);
            }
        }
        (divided.shifted(&quotient), effect)
    }
}
