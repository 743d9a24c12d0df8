//! Tabulations and programs: who may ask.

use std::sync::Arc;

use rhumb_logic::{Budget, Work};
use rhumb_program::interp::KeyedInputs;
use rhumb_program::{Program, VarId};
use rustc_hash::FxHashSet;

use super::avoid::Avoided;
use super::layout::CallMap;
use super::replay::{self, Gone, Places};
use super::simulate;
use super::trace::Trace;
use super::view::Following;
use super::walk::{Tabulated, Tabulation};
use super::way::CallingWay;
use crate::proof::check::Accepted;
use crate::proof::reject::{Invalid, Lost, Rejected};

/// So many variables are tried one by one, whether they have to be followed.
const MANY: usize = 64;

/// So many decisions of a way are looked at.
const MANY_DECISIONS: usize = 400;

fn not_in(followed: &[VarId], vars: FxHashSet<VarId>) -> Vec<VarId> {
    let others = vars.into_iter().filter(|var| !followed.contains(var));
    let mut others: Vec<VarId> = others.collect();
    others.sort_unstable();
    others
}

/// What is known of a way that a tabulation found.
#[derive(Clone, Debug)]
pub enum Judged {
    /// A run may go it, with these inputs.
    Possible(KeyedInputs),
    /// No run goes it. Who follows these variables, too, sees that.
    Impossible(Vec<VarId>),
    /// No run goes it, but a tabulation won't see that.
    Unclear,
}

/// A program as lowered, to be explored function by function.
pub struct Procedures<'p> {
    program: &'p Program,
    calls: Arc<CallMap>,
    places: Places,
}

impl<'p> Procedures<'p> {
    /// Of a program as the front end lowered it.
    pub fn new(program: &'p Program) -> Procedures<'p> {
        let calls = Arc::new(CallMap::of(program));
        Procedures {
            program,
            places: Places::of(program, calls.clone()),
            calls,
        }
    }

    /// A tabulation that looks at this.
    pub fn walk(&self, following: &Following) -> Tabulation<'p> {
        Tabulation::new(self.program, self.calls.clone(), following)
    }

    /// A tabulation that looks at this and avoids some edges: it finds errors, and shows nothing.
    pub fn walk_avoiding(&self, following: &Following, avoided: &Avoided) -> Tabulation<'p> {
        self.walk(following).avoiding(avoided.clone())
    }

    /// Finds out about a way that was found by a tabulation that looks at this.
    pub fn judge(&self, way: &CallingWay, following: &Following, budget: &Budget) -> Judged {
        let trace = Trace::of(self.program, &self.places, way);
        match replay::go(self.program, &self.places, way, budget) {
            Gone::Through(inputs) => return Judged::Possible(inputs),
            Gone::Spent => return Judged::Unclear,
            Gone::Blocked(step) => {
                if let Some(wanted) = self.because(&trace, way, step, following, budget) {
                    return Judged::Impossible(wanted);
                }
            }
        }
        match self.refute(way, following, budget) {
            Some(wanted) => Judged::Impossible(wanted),
            None => Judged::Unclear,
        }
    }

    /// Variables, if there are some, whose values, null among those of pointers, show that no run goes a way; looked
    /// for decision by decision.
    pub fn refute(
        &self,
        way: &CallingWay,
        following: &Following,
        budget: &Budget,
    ) -> Option<Vec<VarId>> {
        let trace = Trace::of(self.program, &self.places, way);
        let mut decisions: Vec<usize> = trace.decisions().collect();
        decisions.reverse();
        decisions.truncate(MANY_DECISIONS);
        let mut because = decisions
            .into_iter()
            .take_while(|_| !budget.is_spent())
            .map(|step| self.because(&trace, way, step, following, budget));
        because.find_map(|wanted| wanted)
    }

    /// Variables, few of those that a step has to do with, by which a tabulation sees that a way can't be gone.
    fn because(
        &self,
        trace: &Trace<'_>,
        way: &CallingWay,
        step: usize,
        following: &Following,
        budget: &Budget,
    ) -> Option<Vec<VarId>> {
        let mut wanted = not_in(&following.vars, trace.concerned(step).vars);
        let exact = Following::exactly(following.vars.clone());
        let is_seen = |wanted: &[VarId]| {
            let following = exact.and(wanted);
            simulate::blocked(self.program, &self.calls, &following, way, budget).is_some()
        };
        if wanted.is_empty() || !is_seen(&wanted) {
            return None;
        }
        if wanted.len() <= MANY {
            let mut next = 0;
            while next < wanted.len() {
                let mut fewer = wanted.clone();
                fewer.remove(next);
                match !fewer.is_empty() && is_seen(&fewer) {
                    true => wanted = fewer,
                    false => next += 1,
                }
            }
        }
        Some(wanted)
    }

    /// Variables that calls set which a way doesn't enter, and on which the last decision depends that depends on any:
    /// who follows them, too, will enter those calls. None if there is nothing of that kind.
    pub fn skipped(&self, way: &CallingWay, followed: &[VarId]) -> Vec<VarId> {
        let trace = Trace::of(self.program, &self.places, way);
        let decisions = trace.decisions().take(MANY_DECISIONS);
        let mut lost = decisions.map(|step| not_in(followed, trace.concerned(step).lost));
        lost.find(|lost| !lost.is_empty()).unwrap_or_default()
    }

    /// Shows that nothing bad can be reached.
    pub(in crate::proof) fn check(
        &self,
        following: &Following,
        budget: &Budget,
    ) -> Result<Accepted, Rejected> {
        let coarse = following.coarse.iter().map(|(var, _)| var);
        let mut named = following.vars.iter().chain(coarse);
        if let Some(unknown) = named.find(|var| self.program.vars.get(**var).is_none()) {
            let name = format!("{unknown:?}");
            return Err(Invalid::UnknownVariable(name).into());
        }
        let mut walk = self.walk(following);
        match walk.go_on(budget, Work::units(u64::MAX)) {
            Tabulated::Closed => Ok(Accepted {
                obligations: walk.states(),
                queries: 0,
            }),
            Tabulated::Malformed(span) => Err(Rejected::Program(format!(
                "a location has edges as no front end makes them ({})",
                self.program.sources.position(span)
            ))),
            Tabulated::Reached(way) => {
                let span = way.end(self.program);
                let position = span.map(|span| self.program.sources.position(span));
                Err(Lost::Target(position).into())
            }
            Tabulated::Exhausted | Tabulated::Paused | Tabulated::Spent => Err(Lost::Budget.into()),
        }
    }
}
