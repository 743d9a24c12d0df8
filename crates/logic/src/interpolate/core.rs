//! Which parts of a path make it infeasible.

use crate::budget::Budget;
use crate::session::{Answer, Session, Wanted};
use crate::term::{Symbol, Term, Terms};
use crate::transition::Transition;

/// The parts of a path that can't hold together.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PathCore {
    /// Conjuncts of the precondition.
    pub before: Vec<Term>,
    /// What matters of each step.
    pub steps: Vec<StepCore>,
    /// Conjuncts of the negated postcondition.
    pub bad: Vec<Term>,
}

/// The parts of a step that matter.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct StepCore {
    /// Conjuncts of the guard.
    pub guards: Vec<Term>,
    /// Variables whose new values matter.
    pub updates: Vec<Symbol>,
}

impl StepCore {
    /// The step that does only what matters: it is possible more often than the given one, and variables whose new values don't matter get any value.
    pub fn relax(&self, terms: &Terms, step: &Transition) -> Transition {
        let mut inputs = step.inputs.clone();
        let mut updates = Vec::with_capacity(step.updates.len());
        for &(variable, value) in &step.updates {
            if self.updates.contains(&variable) {
                updates.push((variable, value));
            } else {
                let input = terms.fresh_copy(variable);
                inputs.push(input);
                updates.push((variable, terms.var(input)));
            }
        }
        let guard = terms.and(self.guards.iter().copied());
        Transition::new(terms, updates, guard, inputs)
    }

    /// Whether nothing of the step matters.
    pub fn is_empty(&self) -> bool {
        self.guards.is_empty() && self.updates.is_empty()
    }
}

/// A core made smaller.
pub(super) enum Shrunk {
    /// These of the assumptions are enough: of those that are always made, and of the candidates.
    Core { fixed: Vec<Term>, kept: Vec<Term> },
    /// All together are not enough.
    Sat,
    /// Not decided.
    Unknown,
}

/// Drops candidates without which the assumptions still can't hold together, the first ones first, with at most that many queries after the first.
/// Assumptions that the solver doesn't need to refute the rest are dropped, too.
pub(super) fn shrink(
    session: &mut Session,
    fixed: &[Term],
    candidates: &[Term],
    mut queries: usize,
    budget: &Budget,
) -> Shrunk {
    let mut ask = |fixed: &[Term], candidates: &[Term]| {
        let all: Vec<Term> = fixed.iter().chain(candidates).copied().collect();
        session.check_wanting(&all, &Wanted::Nothing, budget)
    };
    let mut core = match ask(fixed, candidates) {
        Answer::Unsat(core) => core,
        Answer::Sat(_) => return Shrunk::Sat,
        Answer::Unknown(_) => return Shrunk::Unknown,
    };
    let within = |core: &[Term], members: &[Term]| -> Vec<Term> {
        let members = members.iter().copied();
        members.filter(|member| core.contains(member)).collect()
    };
    let mut support = within(&core, fixed);
    let mut kept = within(&core, candidates);
    let mut next = 0;
    while next < kept.len() && queries > 0 && !budget.is_spent() {
        queries -= 1;
        let mut fewer = kept.clone();
        fewer.remove(next);
        match ask(&support, &fewer) {
            Answer::Unsat(smaller) => {
                core = smaller;
                support = within(&core, &support);
                // What was tried before stays: a smaller set needs it all the more.
                kept = within(&core, &fewer);
                next = next.min(kept.len());
            }
            _ => next += 1,
        }
    }
    Shrunk::Core {
        fixed: support,
        kept,
    }
}
