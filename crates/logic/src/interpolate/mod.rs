//! Paths: feasible with a run, or infeasible with the reasons at every cut.
//!
//! [`check_seq`] asks whether some run along a sequence of transitions starts in a state of the precondition and ends
//! outside of the postcondition. If so, it gives the states at every cut and the inputs of every step. If not, it names
//! the parts of the path that exclude it ([`PathCore`]), and an [`Interpolator`] explains it by state formulas: `I_0 ..
//! I_n` such that the precondition implies `I_0`, every step leads from `I_i` only to `I_(i+1)`, and `I_n` implies the
//! postcondition. Where labels are known already, the new ones are found beside them: then each condition may use the
//! known label of the same cut.
//!
//! A set of paths is a path, too: let its last step be the summary of all suffixes, and the postcondition `false`.

mod backward;
mod chain;
mod core;
mod label;
mod path;
mod store;

use crate::budget::Budget;
use crate::session::{Session, Unknown};
use crate::term::{Term, Terms};
use crate::transition::Transition;
use crate::value::Assignment;

pub use self::core::{PathCore, StepCore};
pub use backward::{Backward, Projection};
pub use chain::Chain;
pub use label::Label;
pub use path::{PURPOSE, PathSession};
pub use store::{ENTAILMENT, EntailmentStatistics, LabelStore};

use self::core::{Shrunk, shrink};
use path::Checked;

/// Queries by which the core of a path is made smaller.
const CORE_QUERIES: usize = 48;

/// A question about a path.
#[derive(Clone, Copy, Debug)]
pub struct PathQuery<'a> {
    /// Holds at the start.
    pub pre: Term,
    /// The steps.
    pub path: &'a [&'a Transition],
    /// Is to hold at the end.
    pub post: Term,
    /// What is known at the cuts already; a cut without a label has none. It must hold there, on runs that start in `pre`.
    pub known: &'a [Label],
}

impl PathQuery<'_> {
    /// Whether a clause at a cut is known, as far as can be seen from its form.
    fn knows(&self, terms: &Terms, cut: usize, clause: Term) -> bool {
        let label = self.known.get(cut);
        label.is_some_and(|label| label.subsumes(terms, clause))
    }
}

/// The answer to a question about a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PathAnswer {
    /// A run that starts in the precondition and violates the postcondition.
    Feasible(Run),
    /// There is none.
    Infeasible(Refutation),
    /// Not decided.
    Unknown(Unknown),
}

/// A run along a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Run {
    /// The state at every cut: one more than there are steps.
    pub states: Vec<Assignment>,
    /// The inputs of every step.
    pub inputs: Vec<Assignment>,
}

/// Why there is no run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refutation {
    /// The parts of the path that exclude each other.
    pub core: PathCore,
    /// What holds at every cut, beside what is known; none if that was not found within the budget.
    pub labels: Option<Vec<Label>>,
}

/// A way to explain why a path is infeasible.
pub trait Interpolator {
    /// Labels for every cut, the first and the last included; none if they were not found within the budget.
    fn interpolate(&self, refuted: &mut Refuted<'_>, budget: &Budget) -> Option<Vec<Label>>;
}

/// An infeasible path, asserted in its session.
pub struct Refuted<'a> {
    paths: &'a mut PathSession,
    query: &'a PathQuery<'a>,
    /// The assumptions of the core.
    assumptions: Vec<Term>,
}

impl Refuted<'_> {
    /// The question.
    pub fn query(&self) -> &PathQuery<'_> {
        self.query
    }

    /// The parts of the path that exclude each other.
    pub fn core(&self) -> PathCore {
        self.paths.name_core(self.query, &self.assumptions)
    }
}

/// Whether a run violates the postcondition, and if not, why.
pub fn check_seq(
    paths: &mut PathSession,
    query: &PathQuery<'_>,
    interpolator: Option<&dyn Interpolator>,
    budget: &Budget,
) -> PathAnswer {
    paths.align(query.path);
    // What is assumed in this query is defined on a level of its own.
    let checked = paths.on_own_level(|paths| match paths.check(query, budget) {
        Checked::Infeasible(core) => Checked::Infeasible(minimised(paths, core, budget)),
        other => other,
    });
    let assumptions = match checked {
        Checked::Feasible(run) => return PathAnswer::Feasible(run),
        Checked::Unknown(reason) => return PathAnswer::Unknown(reason),
        Checked::Infeasible(core) => core,
    };
    let mut refuted = Refuted {
        paths,
        query,
        assumptions,
    };
    PathAnswer::Infeasible(Refutation {
        core: refuted.core(),
        labels: interpolator.and_then(|it| it.interpolate(&mut refuted, budget)),
    })
}

/// A smaller core. The first parts are dropped first: what the end of the path needs of its beginning is more likely to
/// be needed on other paths, too.
fn minimised(paths: &mut PathSession, core: Vec<Term>, budget: &Budget) -> Vec<Term> {
    let session = paths.session();
    match shrink(session, &[], &core, core.len(), CORE_QUERIES, budget) {
        Shrunk::Core { kept, .. } => kept,
        Shrunk::Sat | Shrunk::Unknown => core,
    }
}

/// Whether labels explain why a path is infeasible, by the full meaning of its steps; none if that was not decided. The
/// session must have nothing asserted.
pub fn verify(
    session: &mut Session,
    query: &PathQuery<'_>,
    labels: &[Label],
    budget: &Budget,
) -> Option<bool> {
    let terms = session.terms().clone();
    if labels.len() != query.path.len() + 1 {
        return Some(false);
    }
    let mut known = Some(true);
    for cut in 0..=labels.len() {
        let (formulas, conclusion) = obligation(&terms, query, labels, cut);
        let violated = terms.not(conclusion);
        let formulas: Vec<Term> = formulas.into_iter().chain([violated]).collect();
        match session.is_sat(&formulas, budget) {
            Some(false) => {}
            Some(true) => return Some(false),
            None => known = None,
        }
    }
    known
}

/// Premises and conclusion at a cut: entering the first label, a step between two, or leaving the last one.
fn obligation(
    terms: &Terms,
    query: &PathQuery<'_>,
    labels: &[Label],
    cut: usize,
) -> (Vec<Term>, Term) {
    let label = |place: usize| labels[place].formula(terms);
    let Some(before) = cut.checked_sub(1) else {
        return (vec![query.pre], label(0));
    };
    let mut premises = vec![label(before)];
    premises.extend(query.known.get(before).map(|known| known.formula(terms)));
    match query.path.get(before) {
        None => (premises, query.post),
        Some(step) => {
            premises.push(step.guard);
            (premises, step.substitution().apply(terms, label(cut)))
        }
    }
}
