//! Proofs by unrolling: no run passes loop heads more often than the proof says, and none reaches an error.

use crate::check::Opinion;
use crate::decide::{Decision, Effort, OpinionLimits, decide};
use crate::graph;
use crate::invariants::lost;
use crate::solver::Solver;
use crate::unfold::{Next, Unfolded};
use crate::walk::{Region, Stretches, Values};

/// Runs all runs at once, from one visit of loop heads to the next, and asks at the end.
pub(crate) fn check(
    depth: u32,
    unfolded: &Unfolded<'_>,
    solver: &Solver,
    limits: &OpinionLimits<'_>,
) -> Result<(), Opinion> {
    let heads = graph::cuts(unfolded, &[]);
    let matters = graph::matters(unfolded, &[]);
    let region = Region {
        unfolded,
        is_cut: &|place| heads[place.0 as usize],
        matters: &matters,
        rules: None,
    };
    let mut values = Values::new(unfolded, true);
    let mut stretches = Stretches::default();
    let first = values.begin();
    let mut frontier = vec![(unfolded.start(), first)];
    let mut places = Vec::new();
    for round in 0..=depth {
        if limits.is_over() {
            return Err(Opinion::Undecided("out of time".to_owned()));
        }
        let arrivals = region
            .walk(&mut values, &mut stretches, frontier)
            .map_err(lost)?;
        frontier = Vec::new();
        for (place, ways) in arrivals {
            let stretch = stretches.meet(&mut values, ways);
            let goes_on = heads[place.0 as usize] && !matches!(unfolded.next(place), Next::Bad(_));
            match goes_on && round < depth {
                true => frontier.push((place, stretch)),
                false => {
                    stretches.goal(stretch);
                    places.push(place);
                }
            }
        }
        if frontier.is_empty() {
            break;
        }
    }
    let bad = vec![values.pool.bool(true); places.len()];
    let formulas = stretches.conditions(&mut values, first, &bad);
    match decide(solver, &values.pool, &formulas, &[], limits, Effort::Full) {
        Decision::Impossible => Ok(()),
        Decision::Possible(_) => {
            let found: Vec<String> = places
                .iter()
                .take(3)
                .map(|&place| unfolded.describe(place))
                .collect();
            Err(Opinion::Rejected(format!(
                "a run of at most {depth} visits of loop heads reaches an error, or goes on ({})",
                found.join(", ")
            )))
        }
        Decision::Unknown(why) => Err(Opinion::Undecided(format!("whether the runs end ({why})"))),
    }
}
