//! Numbers that grow linearly with the iterations of cycles.
//!
//! Of a jump under consideration the iterations are counted by `n`, from 0 on; of a jump inside its cycle by another
//! number, and so on inwards. The *dimension* of a counter is how many jumps enclose it. The iterations of an inner
//! jump may be more, or fewer, from one iteration of an outer jump to the next.

/// `base + step * n + inner[0] * m + …`; missing steps are zero. All numbers have to fit: operations give nothing where one doesn't.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Line {
    /// The number in the first iteration of every jump.
    pub(super) base: i128,
    /// What each iteration of the jump under consideration adds.
    step: i128,
    /// What each iteration of inner jumps adds, by dimension from 1 on. The last one is not zero.
    inner: Vec<i128>,
}

impl Line {
    /// Always the same number.
    pub(super) fn constant(base: i128) -> Line {
        Line::simple(base, 0)
    }

    /// A number that changes with the jump under consideration only.
    pub(super) fn simple(base: i128, step: i128) -> Line {
        Line {
            base,
            step,
            inner: Vec::new(),
        }
    }

    /// A number, and what iterations of each dimension add to it.
    pub(super) fn new(base: i128, steps: &[i128]) -> Line {
        let (step, inner) = steps.split_first().unwrap_or((&0, &[]));
        let mut line = Line {
            base,
            step: *step,
            inner: inner.to_vec(),
        };
        line.trim();
        line
    }

    /// Whether it doesn't change.
    pub(super) fn is_constant(&self) -> bool {
        self.step == 0 && self.inner.is_empty()
    }

    /// Whether it doesn't change with inner jumps.
    pub(super) fn is_simple(&self) -> bool {
        self.inner.is_empty()
    }

    /// What an iteration of that dimension adds.
    pub(super) fn step(&self, dimension: usize) -> i128 {
        match dimension.checked_sub(1) {
            None => self.step,
            Some(place) => self.inner.get(place).copied().unwrap_or(0),
        }
    }

    /// `self + factor * other`.
    pub(super) fn plus(&self, factor: i128, other: &Line) -> Option<Line> {
        let mut sum = self.clone();
        sum.add(factor, other)?;
        Some(sum)
    }

    /// Adds `factor * other`.
    pub(super) fn add(&mut self, factor: i128, other: &Line) -> Option<()> {
        let sum = |a: i128, b: i128| a.checked_add(factor.checked_mul(b)?);
        self.base = sum(self.base, other.base)?;
        self.step = sum(self.step, other.step)?;
        if other.inner.is_empty() {
            return Some(());
        }
        if self.inner.len() < other.inner.len() {
            self.inner.resize(other.inner.len(), 0);
        }
        for (mine, theirs) in self.inner.iter_mut().zip(&other.inner) {
            *mine = sum(*mine, *theirs)?;
        }
        self.trim();
        Some(())
    }

    /// The same with a step of an inner dimension, which it didn't have.
    pub(super) fn with_step(&self, dimension: usize, step: i128) -> Line {
        let mut line = self.clone();
        if step != 0 {
            line.inner.resize(dimension.saturating_sub(1), 0);
            line.inner.push(step);
        }
        line
    }

    /// The quotient by a number that divides all steps, rounded down.
    pub(super) fn divided(&self, divisor: i128) -> Line {
        Line {
            base: self.base.div_euclid(divisor),
            step: self.step / divisor,
            inner: self.inner.iter().map(|step| step / divisor).collect(),
        }
    }

    /// Whether a number divides all steps.
    pub(super) fn has_steps_divisible_by(&self, divisor: i128) -> bool {
        self.step % divisor == 0 && self.inner.iter().all(|step| step % divisor == 0)
    }

    fn trim(&mut self) {
        while self.inner.last() == Some(&0) {
            self.inner.pop();
        }
    }
}

/// The iterations of the jumps inside the one under consideration: for each dimension from 1 on the last iteration,
/// over the dimensions below. None of them is negative.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans(pub(super) Vec<Line>);

impl Spans {
    /// The least and the greatest value of a number over all inner iterations, each as a line in `n` alone.
    ///
    /// For given outer iterations a line takes its extreme values in the first or the last inner iteration, and which
    /// of the two depends on the sign of its step only. So the innermost counter can be replaced by one or the other,
    /// and the rest is a line in fewer dimensions.
    pub(super) fn extremes(&self, line: &Line) -> Option<(Growing, Growing)> {
        if line.is_simple() {
            let growing = Growing {
                base: line.base,
                step: line.step,
            };
            return Some((growing, growing));
        }
        Some((self.extreme(line, false)?, self.extreme(line, true)?))
    }

    fn extreme(&self, line: &Line, greatest: bool) -> Option<Growing> {
        let mut rest = line.clone();
        while let Some(step) = rest.inner.pop() {
            let last = self.0.get(rest.inner.len())?;
            rest.trim();
            if (step > 0) == greatest {
                rest.add(step, last)?;
            }
        }
        Some(Growing {
            base: rest.base,
            step: rest.step,
        })
    }
}

/// A number that grows with the iterations of the jump under consideration.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Growing {
    /// The number in the first iteration.
    pub(super) base: i128,
    /// What each iteration adds.
    pub(super) step: i128,
}

/// So far that no run gets there.
pub(super) const FOREVER: i128 = i128::MAX;

impl Growing {
    /// The last iteration up to which the number is at most a bound, which it is in the first one.
    pub(super) fn stays_at_most(self, bound: i128) -> Option<i128> {
        if self.step <= 0 {
            return Some(FOREVER);
        }
        Some(bound.checked_sub(self.base)?.div_euclid(self.step))
    }

    /// The last iteration up to which the number is at least a bound, which it is in the first one.
    pub(super) fn stays_at_least(self, bound: i128) -> Option<i128> {
        if self.step >= 0 {
            return Some(FOREVER);
        }
        let fall = self.step.checked_neg()?;
        Some(self.base.checked_sub(bound)?.div_euclid(fall))
    }
}
