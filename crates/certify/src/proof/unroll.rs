//! Proofs by unrolling: for programs all of whose runs end within a bound.
//!
//! All runs are executed together, from one visit of loop heads to the next. Runs that are at one head after the same number of visits are
//! joined, so the size grows with the depth and not with the number of paths; what is constant is computed on the way.

use rhumb_logic::{Symbol, Terms};
use rhumb_program::{IndexVec, LocId, VarId};
use rustc_hash::FxHashSet;

use super::condition::{About, Batch, Condition};
use super::encode::{Encoder, GoalKind, Paths, Region, SymbolicState};
use super::reject::Rejected;
use super::solve::Judge;
use super::subject::Subject;

/// Shows that no run passes loop heads more than `depth` times, as long as a target can still be reached, and none reaches a target.
pub(super) fn check(
    depth: u32,
    subject: &Subject<'_>,
    terms: &Terms,
    symbols: &IndexVec<VarId, Symbol>,
    judge: &mut dyn Judge,
) -> Result<(), Rejected> {
    let heads: FxHashSet<LocId> = subject.start().cuts(&FxHashSet::default());
    let mut encoder = Encoder::at_start(&subject.program, terms, symbols);
    let mut paths = Paths::default();
    let region = Region {
        cfa: subject.cfa(),
        calls: &subject.calls,
        is_cut: &|location| heads.contains(&location),
        agreed: None,
        // A loop behind which nothing can go wrong need not end.
        matters: &subject.start().matters(&FxHashSet::default()),
    };
    let entry = subject.cfa().entry;
    let mut frontier = vec![(entry, SymbolicState::default())];
    let (mut asserted, mut bounded) = (0, 0);
    for round in 0u32.. {
        let goals = region
            .explore(&mut encoder, &mut paths, frontier)
            .map_err(|malformed| subject.malformed(malformed))?;
        for &assumption in &encoder.assumptions()[asserted..] {
            judge.assert(assumption);
        }
        asserted = encoder.assumptions().len();
        judge.bound(&encoder.ranges()[bounded..]);
        bounded = encoder.ranges().len();
        let mut next = Vec::new();
        let mut conditions = Vec::new();
        for goal in goals {
            let reached = goal.state.reached(&paths);
            match goal.kind {
                GoalKind::Cut(head) if round < depth => {
                    if judge.may_hold(&reached) {
                        next.push((head, goal.state));
                    }
                }
                to => conditions.push(Condition {
                    about: About {
                        function: subject.program.start,
                        from: entry,
                        to,
                        formula: None,
                    },
                    formulas: reached,
                    after: Vec::new(),
                }),
            }
        }
        judge.show(&Batch {
            common: Vec::new(),
            conditions,
        })?;
        if next.is_empty() {
            return Ok(());
        }
        if let [(_, state)] = &mut next[..] {
            // All runs that go on are here: from now on this is a matter of course.
            for literal in state.reached(&paths) {
                judge.assert(literal);
            }
            state.forget_path();
        }
        frontier = next;
    }
    Ok(())
}
