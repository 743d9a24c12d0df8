//! Deciding a question: both theories in turn, with more and more time.

use std::time::{Duration, Instant};

use crate::pool::{Id, Pool};
use crate::solver::{Answer, Solver};
use crate::theory::Theory;

/// How long a question may take at first, and by how much that grows.
const FIRST: Duration = Duration::from_millis(1500);
const GROWTH: u32 = 4;

/// What came of a question.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Decision {
    /// The formulas can't hold together.
    Impossible,
    /// They can, with these values for the symbols that were asked for.
    Possible(Vec<(Id, String)>),
    Unknown(String),
}

/// What a check may take.
pub struct OpinionLimits<'a> {
    deadline: Instant,
    is_stopped: &'a dyn Fn() -> bool,
}

impl<'a> OpinionLimits<'a> {
    /// So much time from now on, and no more as soon as somebody says stop.
    pub fn new(time: Duration, is_stopped: &'a dyn Fn() -> bool) -> OpinionLimits<'a> {
        OpinionLimits {
            deadline: Instant::now() + time,
            is_stopped,
        }
    }

    /// A part of the time that is left.
    pub(crate) fn part(&self, share: f64) -> OpinionLimits<'a> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        OpinionLimits::new(left.mul_f64(share), self.is_stopped)
    }

    pub(crate) fn is_over(&self) -> bool {
        Instant::now() >= self.deadline || (self.is_stopped)()
    }
}

/// How much of the time a question may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    /// One round of short tries.
    Short,
    /// All that is left.
    Full,
    /// All that is left, for a choice of many: that is a question about bits first of all.
    Joined,
}

/// Decides whether formulas can hold together.
pub(crate) fn decide(
    solver: &Solver,
    pool: &Pool,
    formulas: &[Id],
    wanted: &[Id],
    limits: &OpinionLimits<'_>,
    effort: Effort,
) -> Decision {
    if formulas
        .iter()
        .any(|&formula| pool.as_bool(formula) == Some(false))
    {
        return Decision::Impossible;
    }
    let mut why = "out of time".to_owned();
    let mut time = FIRST;
    while !limits.is_over() {
        let mut is_asked = false;
        let theories = match effort {
            Effort::Short | Effort::Full => [Theory::Integers, Theory::Bits],
            Effort::Joined => [Theory::Bits, Theory::Integers],
        };
        for theory in theories {
            let question = match theory.question(pool, formulas) {
                Ok(question) => question,
                Err(unsuited) => {
                    why = unsuited.0.to_owned();
                    continue;
                }
            };
            is_asked = true;
            let named = |id: &Id| {
                let mut names = question.names.iter();
                let name = names.find(|(known, _)| known == id)?;
                Some((*id, name.1.clone()))
            };
            let wanted: Vec<(Id, String)> = wanted.iter().filter_map(named).collect();
            let names: Vec<String> = wanted.iter().map(|(_, name)| name.clone()).collect();
            match solver.ask(&question.text, &names, time, limits) {
                Answer::Unsat => return Decision::Impossible,
                Answer::Sat(values) => {
                    let ids = wanted.into_iter().map(|(id, _)| id);
                    return Decision::Possible(ids.zip(values).collect());
                }
                Answer::Unknown(message) => why = message,
            }
        }
        if !is_asked || effort == Effort::Short {
            break;
        }
        time *= GROWTH;
    }
    Decision::Unknown(why)
}
