//! Verification conditions: what has to be shown of one region.

use rhumb_logic::{Symbol, Term, Terms};
use rhumb_program::{FuncId, LocId, VarId};

use super::argument::Formula;
use super::encode::{GoalKind, Range};
use super::reject::{Obligation, PlaceKind, ProofPlace};
use super::subject::{Subject, name};

/// What has to be shown of one region: that each of these, with what they have in common, is impossible.
pub(super) struct Batch {
    /// Premises and ranges.
    pub(super) common: Vec<Term>,
    pub(super) conditions: Vec<Condition>,
}

/// The conditions of a region, and what is known of the sizes of its symbols.
pub(super) type Bounded = (Batch, Vec<(Symbol, Range)>);

/// One obligation: the conjunction of all these has to be impossible.
pub(super) struct Condition {
    pub(super) about: About,
    pub(super) formulas: Vec<Term>,
    /// What to show of a counter-model: variables and their values at the end.
    pub(super) after: Vec<(VarId, Term)>,
}

/// What a condition is about. It is put into words only if somebody has to hear of it.
pub(super) struct About {
    pub(super) function: FuncId,
    pub(super) from: LocId,
    pub(super) to: GoalKind,
    /// What has to hold there; none if it is not to be reached.
    pub(super) formula: Option<Formula>,
}

impl About {
    /// For people.
    pub(super) fn obligation(&self, subject: &Subject<'_>, terms: &Terms) -> Obligation {
        let body = subject.body(self.function);
        let to = body.goal_place(self.to);
        // A cut point that is not to be reached is one that an unrolling should not come to any more.
        let again = self.formula.is_none() && to.kind == PlaceKind::Cut;
        let shown = |formula: &Formula| {
            let matrix = terms.display(formula.matrix).to_string();
            let names = formula.bound.iter().map(|&symbol| name(terms, symbol));
            let names: Vec<String> = names.collect();
            match (formula.negated, names.is_empty()) {
                (false, true) => matrix,
                (true, true) => format!("!({matrix})"),
                (false, false) => format!("exists {}: {matrix}", names.join(", ")),
                (true, false) => format!("no {}: {matrix}", names.join(", ")),
            }
        };
        Obligation {
            from: body.place(self.from),
            to: match again {
                true => ProofPlace {
                    kind: PlaceKind::Again,
                    ..to
                },
                false => to,
            },
            formula: self.formula.as_ref().map(shown),
        }
    }
}
