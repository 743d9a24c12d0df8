//! How long a run with jumps is.

use dashu_int::{IBig, UBig};

use super::{Counterexample, Jump, Segment};

/// More work than this is not done for a number that is for people.
const MAX_WORK: u32 = 100_000;

impl Counterexample {
    /// Number of steps of the whole run, by what the segments say. `None` if it takes too long to tell.
    pub fn steps(&self) -> Option<UBig> {
        let mut sum = Sum {
            iterations: Vec::new(),
            work: MAX_WORK,
        };
        UBig::try_from(sum.segments(&self.segments)?).ok()
    }
}

struct Sum {
    /// The iterations of the enclosing jumps, the innermost last.
    iterations: Vec<IBig>,
    work: u32,
}

impl Sum {
    fn segments(&mut self, segments: &[Segment]) -> Option<IBig> {
        let mut sum = IBig::ZERO;
        for segment in segments {
            self.work = self.work.checked_sub(1)?;
            sum += match segment {
                &Segment::Steps(steps) => IBig::from(steps),
                Segment::Jump(jump) => self.jump(jump)?,
            };
        }
        Some(sum)
    }

    /// The steps of the `j`-th iteration are a polynomial in `j` whose degree is at most the number of levels inside,
    /// if a count inside grows with `j` at all. The sum over all iterations comes from its differences at 0, by
    /// Newton's formula.
    fn jump(&mut self, jump: &Jump) -> Option<IBig> {
        let count = jump.count.at(&self.iterations);
        let degree = if grows(&jump.cycle, 0) {
            height(&jump.cycle)
        } else {
            0
        };
        let mut differences = Vec::with_capacity(degree + 1);
        for iteration in 0..=degree {
            self.iterations.push(iteration.into());
            let steps = self.segments(&jump.cycle);
            self.iterations.pop();
            differences.push(steps?);
        }
        for order in 1..=degree {
            for index in (order..=degree).rev() {
                differences[index] = &differences[index] - &differences[index - 1];
            }
        }
        let mut sum = IBig::ZERO;
        let mut binomial = IBig::ONE;
        for (order, difference) in differences.iter().enumerate() {
            binomial = binomial * (&count - IBig::from(order)) / IBig::from(order + 1);
            sum += difference * &binomial;
        }
        Some(sum)
    }
}

/// Whether a count inside depends on the iteration of the jump that is so many levels outside.
fn grows(segments: &[Segment], level: usize) -> bool {
    segments.iter().any(|segment| match segment {
        Segment::Steps(_) => false,
        Segment::Jump(jump) => {
            let growth = jump.count.growth.get(level);
            growth.is_some_and(|growth| !growth.is_zero()) || grows(&jump.cycle, level + 1)
        }
    })
}

/// Number of levels of jumps.
fn height(segments: &[Segment]) -> usize {
    let jumps = segments.iter().filter_map(|segment| match segment {
        Segment::Steps(_) => None,
        Segment::Jump(jump) => Some(1 + height(&jump.cycle)),
    });
    jumps.max().unwrap_or(0)
}
