//! Proofs that accesses are inside their objects: the engines for numbers, put to work on the program in which bounds are numbers.
//!
//! Right for programs that walk with pointers and indices through objects whose sizes are computed. See
//! [`rhumb_certify::proof::with_bounds`].

use rhumb_certify::proof::{Proof, asks_for_bounds, with_bounds};
use rhumb_logic::Budget;

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::induction::Inductive;
use crate::plans;
use crate::task::Task;
use crate::view::TreeView;

/// The part of the work that goes into bounds; and of that, the part for invariants alone.
const PART: u32 = 2;
const PART_OF_INVARIANTS: u32 = 3;

/// Another engine, with bounds before it.
pub(crate) struct BoundsFirst<'t> {
    task: &'t Task<'t>,
    inner: Box<dyn Engine + 't>,
    attempt: Attempt,
}

/// How far the attempt to prove bounds has come.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attempt {
    First,
    /// It took all that it was given: with more it may come to something, if the other engine leaves any.
    Again,
    Over,
}

impl<'t> BoundsFirst<'t> {
    /// The other engine itself, if nobody asks for bounds.
    pub(crate) fn start(task: &'t Task<'t>, inner: Box<dyn Engine + 't>) -> Box<dyn Engine + 't> {
        match asks_for_bounds(task.lowered) {
            true => Box::new(BoundsFirst {
                task,
                inner,
                attempt: Attempt::First,
            }),
            false => inner,
        }
    }

    /// A proof that was accepted. The program with bounds lives no longer than this, so this is one step, however long.
    fn prove(&self, budget: &Budget) -> Option<Proof> {
        let program = with_bounds(self.task.lowered)?;
        let task = Task::new(&program).with_means(self.task.means());
        let invariants = budget.part(PART_OF_INVARIANTS);
        let alone = accepted(&mut Inductive::new(&task), &task, &invariants);
        if let Outcome::Proof(proof) = alone {
            return Some(proof);
        }
        if matches!(alone, Outcome::Reached) {
            return None;
        }
        let numbers = plans::states_and_formulas(&task);
        let mut engine = match plans::elements_first(&task, Some(numbers)) {
            Ok(engine) | Err(Some(engine)) => engine,
            Err(None) => return None,
        };
        match accepted(&mut *engine, &task, budget) {
            Outcome::Proof(proof) => Some(proof),
            Outcome::Reached | Outcome::Nothing => None,
        }
    }
}

/// Invariants and nothing else, of the program or of the one with bounds: for checks to which no run gets, as cheap
/// invariants say. That is a guess, since the checker may know less of memory; only what it accepts is claimed.
pub(crate) struct InvariantsAlone<'t> {
    task: &'t Task<'t>,
    of_bounds: bool,
}

impl<'t> InvariantsAlone<'t> {
    pub(crate) fn new(task: &'t Task<'t>) -> InvariantsAlone<'t> {
        let of_bounds = false;
        InvariantsAlone { task, of_bounds }
    }

    pub(crate) fn of_bounds(task: &'t Task<'t>) -> InvariantsAlone<'t> {
        let of_bounds = true;
        InvariantsAlone { task, of_bounds }
    }

    fn prove(&self, budget: &Budget) -> Option<Proof> {
        if !self.of_bounds {
            return invariants(self.task, budget);
        }
        let program = with_bounds(self.task.lowered)?;
        let task = Task::new(&program).with_means(self.task.means());
        invariants(&task, budget).map(Proof::bounds)
    }
}

fn invariants<'t>(task: &'t Task<'t>, budget: &Budget) -> Option<Proof> {
    match accepted(&mut Inductive::new(task), task, budget) {
        Outcome::Proof(proof) => Some(proof),
        Outcome::Reached | Outcome::Nothing => None,
    }
}

impl Engine for InvariantsAlone<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let claim = match self.prove(budget) {
            Some(proof) => Claim::Safe(proof),
            None => Claim::Unknown(Reason::Inconclusive),
        };
        Step::Done(claim)
    }

    fn progress(&self) -> Progress {
        Progress::default()
    }
}

enum Outcome {
    Proof(Proof),
    /// The program with bounds comes to a target: it has no proof.
    Reached,
    Nothing,
}

/// Lets an engine work until a proof of it is accepted.
fn accepted(engine: &mut dyn Engine, task: &Task<'_>, budget: &Budget) -> Outcome {
    loop {
        match engine.step(budget) {
            Step::Working => {}
            Step::Done(Claim::Safe(proof)) => match task.checker.check(&proof, budget) {
                Ok(_) => return Outcome::Proof(proof),
                Err(_) if !budget.is_spent() && engine.go_on() => {}
                Err(_) => return Outcome::Nothing,
            },
            Step::Done(Claim::Unsafe { .. }) => return Outcome::Reached,
            Step::Done(Claim::Unknown(_)) => return Outcome::Nothing,
        }
    }
}

fn claim(proof: Proof) -> Step {
    Step::Done(Claim::Safe(Proof::bounds(proof)))
}

impl Engine for BoundsFirst<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        if self.attempt == Attempt::First {
            let part = budget.part(PART);
            let proof = self.prove(&part);
            self.attempt = match part.is_spent() {
                true => Attempt::Again,
                false => Attempt::Over,
            };
            return proof.map_or(Step::Working, claim);
        }
        let step = self.inner.step(budget);
        let has_given_up = matches!(step, Step::Done(Claim::Unknown(_)));
        if !has_given_up || self.attempt == Attempt::Over || budget.is_spent() {
            return step;
        }
        self.attempt = Attempt::Over;
        self.prove(budget).map_or(step, claim)
    }

    fn go_on(&mut self) -> bool {
        self.inner.go_on()
    }

    fn progress(&self) -> Progress {
        self.inner.progress()
    }

    fn tree(&self) -> Option<TreeView> {
        self.inner.tree()
    }
}
