//! Which parts of a path make it infeasible.

use crate::budget::Budget;
use crate::num::Int;
use crate::session::{Answer, Session, Wanted};
use crate::term::{Node, Symbol, Term, Terms};
use crate::transition::Transition;

/// The parts of a path that can't hold together. An equation counts as two inequalities, of which often one is enough.
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
    /// The step that does only what matters: it is possible more often than the given one, and variables whose new
    /// values don't matter get any value.
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

/// Drops candidates without which the assumptions still can't hold together, the first ones first. Only the first
/// `removable` candidates are tried one by one, each with a query and at most `queries` in all; others go only if the
/// solver doesn't need them anyway. The last one is not tried.
pub(super) fn shrink(
    session: &mut Session,
    fixed: &[Term],
    candidates: &[Term],
    removable: usize,
    mut queries: usize,
    budget: &Budget,
) -> Shrunk {
    let mut ask = |fixed: &[Term], candidates: &[Term]| {
        let all: Vec<Term> = fixed.iter().chain(candidates).copied().collect();
        session.check_wanting(&all, &Wanted::Nothing, budget)
    };
    let within = |core: &[Term], members: &[Term]| -> Vec<Term> {
        let members = members.iter().copied();
        members.filter(|member| core.contains(member)).collect()
    };
    let (mut support, mut kept) = match ask(fixed, candidates) {
        Answer::Unsat(core) => (within(&core, fixed), within(&core, candidates)),
        Answer::Sat(_) => return Shrunk::Sat,
        Answer::Unknown(_) => return Shrunk::Unknown,
    };
    let removable = &candidates[..removable.min(candidates.len())];
    let mut next = 0;
    while next < kept.len() && kept.len() > 1 && queries > 0 && !budget.is_spent() {
        if !removable.contains(&kept[next]) {
            next += 1;
            continue;
        }
        queries -= 1;
        let mut fewer = kept.clone();
        fewer.remove(next);
        match ask(&support, &fewer) {
            Answer::Unsat(core) => {
                // What was tried before stays: a smaller set needs it all the more.
                support = within(&core, &support);
                kept = within(&core, &fewer);
            }
            _ => next += 1,
        }
    }
    Shrunk::Core {
        fixed: support,
        kept,
    }
}

/// The conjuncts with every equation replaced by two inequalities.
pub(super) fn split(terms: &Terms, conjuncts: Vec<Term>) -> Vec<Term> {
    let mut parts = Vec::with_capacity(conjuncts.len());
    for conjunct in conjuncts {
        match terms.node(conjunct) {
            Node::Zero(sum) => {
                parts.push(terms.at_most_zero(sum));
                parts.push(terms.at_most_zero(&sum.times(&Int::NEG_ONE)));
            }
            _ => parts.push(conjunct),
        }
    }
    parts
}

/// The conjuncts, sorted, with an equation in place of every two inequalities that make one.
pub(super) fn merge(terms: &Terms, mut conjuncts: Vec<Term>) -> Vec<Term> {
    conjuncts.sort_unstable();
    conjuncts.dedup();
    let all = conjuncts.clone();
    let equation = |conjunct: &mut Term| {
        if let Node::AtMostZero(sum) = terms.node(*conjunct) {
            let opposite = terms.at_most_zero(&sum.times(&Int::NEG_ONE));
            if all.binary_search(&opposite).is_ok() {
                *conjunct = terms.zero(sum);
            }
        }
    };
    conjuncts.iter_mut().for_each(equation);
    conjuncts.sort_unstable();
    conjuncts.dedup();
    conjuncts
}
