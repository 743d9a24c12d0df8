//! Numbers that grow linearly with the iterations of cycles.
//!
//! Of a jump under consideration the iterations are counted by `n`, from 0 on; of a jump inside its cycle by another number, and so on inwards. The *dimension*
//! of a counter is how many jumps enclose it. The iterations of an inner jump may be more, or fewer, from one iteration of an outer jump to the next.

/// `base + steps[0] * n + steps[1] * m + …`; missing steps are zero. All numbers have to fit: operations give nothing where one doesn't.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Line {
    /// The number in the first iteration of every jump.
    pub(super) base: i128,
    /// What each iteration adds, by dimension. The last one is not zero.
    steps: Vec<i128>,
}

impl Line {
    /// Always the same number.
    pub(super) fn constant(base: i128) -> Line {
        Line {
            base,
            steps: Vec::new(),
        }
    }

    /// A number, and what iterations add to it.
    pub(super) fn new(base: i128, steps: Vec<i128>) -> Line {
        let mut line = Line { base, steps };
        line.trim();
        line
    }

    /// Whether it doesn't change.
    pub(super) fn is_constant(&self) -> bool {
        self.steps.is_empty()
    }

    /// What an iteration of that dimension adds.
    pub(super) fn step(&self, dimension: usize) -> i128 {
        self.steps.get(dimension).copied().unwrap_or(0)
    }

    /// `self + factor * other`.
    pub(super) fn plus(&self, factor: i128, other: &Line) -> Option<Line> {
        let mut sum = self.clone();
        sum.add(factor, other)?;
        Some(sum)
    }

    /// Adds `factor * other`.
    pub(super) fn add(&mut self, factor: i128, other: &Line) -> Option<()> {
        self.base = self.base.checked_add(factor.checked_mul(other.base)?)?;
        if self.steps.len() < other.steps.len() {
            self.steps.resize(other.steps.len(), 0);
        }
        for (mine, theirs) in self.steps.iter_mut().zip(&other.steps) {
            *mine = mine.checked_add(factor.checked_mul(*theirs)?)?;
        }
        self.trim();
        Some(())
    }

    /// The same with a step of that dimension, which it didn't have.
    pub(super) fn with_step(&self, dimension: usize, step: i128) -> Line {
        let mut line = self.clone();
        if step != 0 {
            line.steps.resize(dimension, 0);
            line.steps.push(step);
        }
        line
    }

    /// Base and steps through a function.
    pub(super) fn map(&self, base: i128, step: impl Fn(i128) -> i128) -> Line {
        Line::new(base, self.steps.iter().map(|&value| step(value)).collect())
    }

    /// Whether a number divides all steps.
    pub(super) fn has_steps_divisible_by(&self, divisor: i128) -> bool {
        self.steps.iter().all(|step| step % divisor == 0)
    }

    fn trim(&mut self) {
        while self.steps.last() == Some(&0) {
            self.steps.pop();
        }
    }
}

/// The iterations of the jumps inside the one under consideration: for each dimension from 1 on the last iteration, over the dimensions below. None of them is
/// negative.
#[derive(Clone, Debug, Default)]
pub(super) struct Spans(pub(super) Vec<Line>);

impl Spans {
    /// The least and the greatest value of a number over all inner iterations, each as a line in `n` alone: where it begins, and what `n` adds.
    ///
    /// For given outer iterations a line takes its extreme values in the first or the last inner iteration, and which of the two depends on the sign of its step
    /// only. So the innermost counter can be replaced by one or the other, and the rest is a line in fewer dimensions.
    pub(super) fn extremes(&self, line: &Line) -> Option<(Growing, Growing)> {
        Some((self.extreme(line, false)?, self.extreme(line, true)?))
    }

    fn extreme(&self, line: &Line, greatest: bool) -> Option<Growing> {
        let mut rest = line.clone();
        while rest.steps.len() > 1 {
            let step = rest.steps.pop()?;
            let last = self.0.get(rest.steps.len() - 1)?;
            rest.trim();
            if step != 0 && (step > 0) == greatest {
                rest.add(step, last)?;
            }
        }
        Some(Growing {
            base: rest.base,
            step: rest.step(0),
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
