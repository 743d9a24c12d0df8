//! The question that lazy annotation asks again and again: does a run along a path end outside of what is blocked?

use rhumb_logic::interpolate::{
    Backward, Interpolator, PathAnswer, PathQuery, PathSession, Projection, Run, check_seq,
};
use rhumb_logic::{Budget, Term, Terms};

use crate::claim::Reason;

/// What became of a question about a path.
pub(super) enum Asked {
    Feasible(Run),
    /// With what holds before the last step, if that was asked for.
    Blocked(Option<Term>),
    Unknown(Reason),
}

/// Asks about a path, for a reason if that is wanted, with more effort where none is found; none if there is none then.
/// Each try is counted.
pub(super) fn ask(
    paths: &mut PathSession,
    terms: &Terms,
    query: &PathQuery<'_>,
    explain: bool,
    queries: &mut u64,
    budget: &Budget,
) -> Option<Asked> {
    for projection in [Projection::Guided, Projection::Exact] {
        *queries += 1;
        let backward = Backward {
            projection,
            cuts: 2,
            ..Backward::default()
        };
        let interpolator = explain.then_some(&backward as &dyn Interpolator);
        match check_seq(paths, query, interpolator, budget) {
            PathAnswer::Feasible(run) => return Some(Asked::Feasible(run)),
            PathAnswer::Unknown(why) => return Some(Asked::Unknown(Reason::Solver(why))),
            PathAnswer::Infeasible(_) if !explain => return Some(Asked::Blocked(None)),
            PathAnswer::Infeasible(refutation) => {
                let place = query.path.len().saturating_sub(1);
                let labels = refutation.labels.as_ref();
                if let Some(label) = labels.and_then(|labels| labels.get(place)) {
                    return Some(Asked::Blocked(Some(label.formula(terms))));
                }
            }
        }
    }
    None
}
