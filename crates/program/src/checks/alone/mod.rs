//! One thread among others: a program with one thread, whose runs are what any thread of a given program does while
//! others keep promises.
//!
//! Right for programs in which each thread, of whatever number, leaves alone what others rely on: who holds a lock, a
//! counter that only grows, a flag that stays set. A promise ([`Promise`]) says of one step of any thread what it does
//! to numbers in shared memory. The program that is made ([`alone`]) runs as the first thread does; wherever a thread is
//! created it may go on as that one instead. Where others may go on in the given program, memory becomes anything that
//! steps which keep all promises can lead to. And before and behind whatever this thread writes itself, once there are
//! others, stands the question whether it keeps them: if not, a target is reached.
//!
//! Why the given program reaches no target if this one reaches none: take the first step of a run that breaks a promise
//! or reaches a target, and the thread that does it. What this thread did until then, behind what those did that
//! created it until they did, is a run of the program that is made: all steps of others in between keep the promises, and
//! promises are such that several steps that keep them keep them ([`Promises::are_kept_by_all_steps_together`]). So that
//! run reaches a target, too.

mod choice;
mod fitness;
mod kept;
mod make;
mod simple;

use std::fmt;

use crate::expr::BinOp;
use crate::ids::ObjectId;
use crate::model::{Program, Scope};
use crate::types::IntType;

pub use choice::Choice;
pub use make::{all_together, alone, alone_with_choice};

/// Where a number lies that several threads use.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct SharedNumber {
    /// In which global object.
    pub object: ObjectId,
    /// How many bytes from its start.
    pub offset: u64,
    /// Its type: of 8, 16, 32 or 64 bits.
    pub int: IntType,
}

/// What a fact is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum FactSide {
    /// This number, of the other side's type.
    Constant(i128),
    /// A shared number, by its position in the list of a [`Promises`].
    Number(usize),
}

/// A comparison of what is in shared memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Fact {
    /// Equal, not equal, less, or less or equal.
    pub op: BinOp,
    /// On the left.
    pub left: FactSide,
    /// On the right.
    pub right: FactSide,
}

/// What each step of each thread keeps. Numbers are positions in the list of a [`Promises`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Promise {
    /// While a number (a lock) is this constant, only the thread that has changed it last changes the other one, or
    /// itself.
    Owned {
        /// The lock.
        lock: usize,
        /// What it is while it is held.
        held: i128,
        /// What it protects.
        number: usize,
    },
    /// A number gets no smaller, where this fact doesn't hold behind the step.
    Grows {
        /// The number.
        number: usize,
        /// The fact.
        unless: Option<Fact>,
    },
    /// A number gets no larger, where this fact doesn't hold behind the step.
    Falls {
        /// The number.
        number: usize,
        /// The fact.
        unless: Option<Fact>,
    },
    /// If one of these facts holds before the step, one of them does behind it.
    Stays(Vec<Fact>),
}

/// Promises about some shared numbers.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Promises {
    /// The numbers.
    pub numbers: Vec<SharedNumber>,
    /// What is promised of them.
    pub promises: Vec<Promise>,
}

impl Promise {
    /// Without which other promise several steps that keep this one may not keep it together.
    fn support(&self) -> Option<Promise> {
        match self {
            // Who holds the lock holds it still.
            &Promise::Owned { lock, held, .. } => Some(Promise::Owned {
                lock,
                held,
                number: lock,
            }),
            // If it held behind one step it holds behind all that follow.
            Promise::Grows { unless, .. } | Promise::Falls { unless, .. } => {
                unless.map(|fact| Promise::Stays(vec![fact]))
            }
            Promise::Stays(_) => None,
        }
    }
}

impl Promises {
    /// Whether several steps keep these promises that each keep them, and they speak of what there is in a program.
    pub fn are_kept_by_all_steps_together(&self, program: &Program) -> bool {
        let all = (0..self.promises.len()).all(|promise| self.is_supported(promise));
        all && self.numbers.iter().all(|number| number.is_in(program))
            && self
                .promises
                .iter()
                .all(|promise| self.is_about_numbers(promise))
    }

    /// Whether steps that keep this promise one by one keep it together, with others of the list.
    pub fn is_supported(&self, promise: usize) -> bool {
        let support = self.promises[promise].support();
        support.is_none_or(|support| self.promises.contains(&support))
    }

    /// Where those are in the list.
    pub fn supports(&self, promise: usize) -> Vec<usize> {
        let support = self.promises[promise].support();
        let all = self.promises.iter().enumerate();
        let supports = all.filter(|(_, other)| Some(*other) == support.as_ref());
        supports.map(|(number, _)| number).collect()
    }

    fn is_about_numbers(&self, promise: &Promise) -> bool {
        let is_there = |&number: &usize| number < self.numbers.len();
        let is_fact = |fact: &Fact| {
            let ty = |side| match side {
                FactSide::Number(number) => self.numbers.get(number).map(|number| number.int),
                FactSide::Constant(_) => None,
            };
            let is_comparison = matches!(fact.op, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le);
            let sides = [fact.left, fact.right];
            let known =
                |side: &FactSide| matches!(side, FactSide::Constant(_)) || ty(*side).is_some();
            let (left, right) = (ty(fact.left), ty(fact.right));
            is_comparison
                && sides.iter().all(known)
                && (left.is_some() || right.is_some())
                && (left.is_none() || right.is_none() || left == right)
        };
        match promise {
            Promise::Owned { lock, number, .. } => is_there(lock) && is_there(number),
            Promise::Grows { number, unless } | Promise::Falls { number, unless } => {
                is_there(number) && unless.iter().all(is_fact)
            }
            Promise::Stays(facts) => facts.iter().all(is_fact),
        }
    }
}

impl SharedNumber {
    /// Number of bytes.
    fn size(self) -> u64 {
        u64::from(self.int.width / 8)
    }

    /// Whether it lies in a global object of a program that may be written.
    fn is_in(self, program: &Program) -> bool {
        let Some(object) = program.objects.get(self.object) else {
            return false;
        };
        let end = self.offset.checked_add(self.size());
        matches!(self.int.width, 8 | 16 | 32 | 64)
            && object.scope == Scope::Global
            && !object.read_only
            && end.is_some_and(|end| end <= object.size)
    }
}

/// Why a program has no such program.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Unfit(pub &'static str);

impl fmt::Display for Unfit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}
