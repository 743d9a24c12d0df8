//! Proofs that accesses are inside their objects: the engines for numbers, put to work on the program in which bounds are numbers.
//!
//! Right for programs that walk with pointers and indices through objects whose sizes are computed. See
//! [`rhumb_certify::proof::with_bounds`].

use rhumb_certify::proof::{Proof, asks_for_bounds, has_bounds, with_bounds};
use rhumb_logic::{Budget, Work};
use rhumb_program::{TargetKind, UbKind};

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::induction::Inductive;
use crate::plans;
use crate::task::Task;
use crate::turns::{Make, Share, Turns};

/// Another engine, with bounds before it, if somebody asks for them: invariants of them, then all that is there for
/// numbers. If nobody does, what follows from them is tried as well. The engine itself, if there are none.
pub(crate) fn bounds_first<'t>(
    task: &'t Task<'t>,
    inner: Box<dyn Engine + 't>,
) -> Box<dyn Engine + 't> {
    const INVARIANTS: usize = 0;
    const NUMBERS: usize = 1;
    const INNER: usize = 2;
    if !has_bounds(task.lowered) {
        return inner;
    }
    let engines: [Make<'t>; 3] = [
        Box::new(|| Box::new(OfBounds::invariants(task))),
        Box::new(|| Box::new(OfBounds::numbers(task))),
        Box::new(move || inner),
    ];
    let is_about = |kind: &TargetKind| {
        matches!(
            kind,
            TargetKind::Undefined(UbKind::SignedOverflow) | TargetKind::Endless(_)
        )
    };
    let turns: &[(usize, Share)] = match asks_for_bounds(task.lowered) {
        true => &[
            (INVARIANTS, Share::Part(4)),
            (NUMBERS, Share::Part(4)),
            (INNER, Share::Part(2)),
            (INVARIANTS, Share::Part(2)),
            (INNER, Share::Rest),
        ],
        // What counts and is an index besides: that ends where the object does.
        false
            if task
                .lowered
                .targets
                .iter()
                .any(|target| is_about(&target.kind)) =>
        {
            &[
                (INVARIANTS, Share::AtMost(Work::secs(2), 4)),
                (INNER, Share::AllBut(3)),
                (INVARIANTS, Share::Part(2)),
                (INNER, Share::Rest),
            ]
        }
        false => &[
            (INNER, Share::AllBut(4)),
            (INVARIANTS, Share::Part(2)),
            (INNER, Share::Rest),
        ],
    };
    Turns::of(engines, turns, INNER)
}

/// Proofs of the program with bounds. That program lives no longer than a step, so a step is all of an attempt, and
/// the next one, which has more work, begins again.
pub(crate) struct OfBounds<'t> {
    task: &'t Task<'t>,
    /// Whether invariants are all that is looked for.
    by_invariants: bool,
}

impl<'t> OfBounds<'t> {
    /// By invariants alone.
    pub(crate) fn invariants(task: &'t Task<'t>) -> OfBounds<'t> {
        OfBounds {
            task,
            by_invariants: true,
        }
    }

    /// By all that is there for numbers.
    fn numbers(task: &'t Task<'t>) -> OfBounds<'t> {
        OfBounds {
            task,
            by_invariants: false,
        }
    }

    /// A proof that was accepted.
    fn prove(&self, budget: &Budget) -> Option<Proof> {
        let program = with_bounds(self.task.lowered)?;
        let task = Task::new(&program).with_means(self.task.means());
        if self.by_invariants {
            return accepted(&mut Inductive::new(&task), &task, budget).map(Proof::bounds);
        }
        let numbers = plans::states_and_formulas(&task);
        match plans::elements_first(&task, Some(numbers)) {
            Ok(mut engine) | Err(Some(mut engine)) => {
                accepted(&mut *engine, &task, budget).map(Proof::bounds)
            }
            Err(None) => None,
        }
    }
}

impl Engine for OfBounds<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        Step::Done(match self.prove(budget) {
            Some(proof) => Claim::Safe(proof),
            None if budget.is_spent() => Claim::Unknown(Reason::Stopped("in bounds".to_owned())),
            None => Claim::Unknown(Reason::Inconclusive),
        })
    }

    fn progress(&self) -> Progress {
        Progress {
            summary: "bounds".to_owned(),
            figures: Vec::new(),
        }
    }
}

/// Invariants and nothing else: for checks to which no run gets, as cheap invariants say. That is a guess, since the
/// checker may know less of memory; only what it accepts is claimed.
pub(crate) struct InvariantsAlone<'t>(pub(crate) &'t Task<'t>);

impl Engine for InvariantsAlone<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let proof = accepted(&mut Inductive::new(self.0), self.0, budget);
        let give_up = || Claim::Unknown(Reason::Inconclusive);
        Step::Done(proof.map_or_else(give_up, Claim::Safe))
    }

    fn progress(&self) -> Progress {
        Progress::default()
    }
}

/// Lets an engine work until a proof of it is accepted.
pub(crate) fn accepted(engine: &mut dyn Engine, task: &Task<'_>, budget: &Budget) -> Option<Proof> {
    loop {
        match engine.step(budget) {
            Step::Working => {}
            Step::Done(Claim::Safe(proof)) => match task.checker.check(&proof, budget) {
                Ok(_) => return Some(proof),
                Err(_) if !budget.is_spent() && engine.go_on() => {}
                Err(_) => return None,
            },
            // The program with bounds may come to a target where the program itself doesn't.
            Step::Done(Claim::Unsafe { .. } | Claim::Unknown(_)) => return None,
        }
    }
}
