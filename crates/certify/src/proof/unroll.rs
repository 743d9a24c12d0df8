//! Proofs by unrolling: for programs all of whose runs end within a bound.
//!
//! All runs are executed together, from one visit of loop heads to the next. Runs that are at one head after the same number of visits are
//! joined, so the size grows with the depth and not with the number of paths; what is constant is computed on the way.

use rhumb_program::LocId;
use rustc_hash::FxHashSet;

use super::condition::{Batch, Condition};
use super::encode::{Encoder, GoalKind, Paths, Region, State};
use super::reject::{Obligation, Place, PlaceKind, Rejected};
use super::solve::Solver;

/// Shows that no run passes loop heads more than `depth` times, and none reaches a target.
pub(super) fn check(depth: u32, solver: &mut Solver<'_>) -> Result<(), Rejected> {
    let subject = solver.subject;
    let heads: FxHashSet<LocId> = subject.cuts(&FxHashSet::default());
    let mut encoder = Encoder::at_start(&subject.program, solver.terms, solver.symbols);
    let mut paths = Paths::default();
    let region = Region {
        cfa: subject.cfa(),
        calls: &subject.calls,
        is_cut: &|location| heads.contains(&location),
    };
    let entry = subject.cfa().entry;
    let mut frontier = vec![(entry, State::default())];
    let (mut asserted, mut bounded) = (0, 0);
    for round in 0u32.. {
        let goals = region
            .explore(&mut encoder, &mut paths, frontier)
            .map_err(|malformed| subject.malformed(malformed))?;
        for &assumption in &encoder.assumptions()[asserted..] {
            solver.assert(assumption);
        }
        asserted = encoder.assumptions().len();
        solver.bound(&encoder.ranges()[bounded..]);
        bounded = encoder.ranges().len();
        let mut next = Vec::new();
        let mut conditions = Vec::new();
        for goal in goals {
            let reached = goal.state.reached(&paths);
            let obligation = |to: Place| Obligation {
                from: subject.place(entry),
                to,
                formula: None,
            };
            let place = subject.goal_place(goal.kind);
            match goal.kind {
                GoalKind::Cut(head) if round < depth => {
                    if solver.may_hold(&reached) {
                        next.push((head, goal.state));
                    }
                }
                GoalKind::Cut(_) => conditions.push(Condition {
                    obligation: obligation(Place {
                        kind: PlaceKind::Again,
                        ..place
                    }),
                    goal: None,
                    formulas: reached,
                    after: Vec::new(),
                }),
                _ => conditions.push(Condition {
                    obligation: obligation(place),
                    goal: None,
                    formulas: reached,
                    after: Vec::new(),
                }),
            }
        }
        solver.show(&Batch {
            common: Vec::new(),
            conditions,
        })?;
        if next.is_empty() {
            return Ok(());
        }
        if let [(_, state)] = &mut next[..] {
            // All runs that go on are here: from now on this is a matter of course.
            for literal in state.reached(&paths) {
                solver.assert(literal);
            }
            state.forget_path();
        }
        frontier = next;
    }
    Ok(())
}
