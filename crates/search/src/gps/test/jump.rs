//! Jumps: what a test does when it comes to a loop head.
//!
//! Where the state decides everything, a cycle is repeated as often as it goes the same way. Where inputs were chosen
//! on the way, others may be better: the solver is asked after how many iterations to leave the loop elsewhere, which
//! is one question however many iterations there are. If that is not how to reach a goal, the cycle is repeated about
//! as long as one is in reach.

use rhumb_encode::BlockEdgeId;

use super::ask::{Origin, Reply};
use super::line::FOREVER;
use super::prover::{Prover, advanced};
use super::run::{Progress, Run};
use super::visits::{Candidate, Visits, has_inputs};
use crate::runs::{Jump, Taken, Times};

/// Fewer iterations than this are executed.
const WORTHWHILE: i128 = 4;

/// Candidates that are looked at, at one visit.
const MAX_TRIES: u32 = 4;

/// How often the number of iterations is halved where a goal is in reach by evaluation, but not by the summary.
const MAX_HALVINGS: u32 = 3;

/// More iterations than this are taken for no end.
const FAR: i128 = 1 << 80;

/// How often a test may try something else where its inputs lead round and round.
const MAX_CIRCLED: u32 = 8;

/// What came of a candidate.
enum Came {
    /// The test stands elsewhere now, or at the end.
    Of(Progress),
    /// After so many more iterations there will be something else.
    Soon(i128),
    /// Nothing.
    Nothing,
}

impl Run<'_, '_> {
    /// Comes to a loop head: jumps over a cycle if there is one that repeats itself.
    pub(super) fn arrive(&mut self) -> Progress {
        let head = self.node;
        let mut visits = self.visits.remove(&head).unwrap_or_default();
        let periods = visits.arrive(self.steps.len(), &self.state);
        let progress = self.look_back(&mut visits, periods);
        self.visits.insert(head, visits);
        progress
    }

    fn look_back(&mut self, visits: &mut Visits, periods: usize) -> Progress {
        let mut tries = 0;
        for period in 1..=periods {
            let Some(candidate) = visits.candidate(period, &self.steps) else {
                continue;
            };
            match self.repeat(candidate, visits) {
                Came::Of(progress) => return progress,
                // What changes every other time may be the same every second time. What stays for longer ends for twice
                // as many rounds, too.
                Came::Soon(1) | Came::Nothing => tries += 1,
                Came::Soon(iterations) => {
                    visits.wait(iterations);
                    return Progress::Going;
                }
            }
            if tries == MAX_TRIES {
                break;
            }
        }
        if tries > 0 {
            visits.failed();
        }
        Progress::Going
    }

    fn repeat(&mut self, candidate: Candidate, visits: &mut Visits) -> Came {
        let mut prover = Prover {
            task: self.task,
            oracle: self.oracle,
            program: self.program,
        };
        let times = prover.repetitions(self.node, &self.state, &candidate);
        let Some(times) = times.filter(|&times| times > 0) else {
            return Came::Nothing;
        };
        if times < WORTHWHILE {
            return Came::Soon(times);
        }
        if has_inputs(&candidate.cycle) {
            return self.repeat_choices(&candidate, times);
        }
        if times == FOREVER {
            // Nothing is to be chosen, and there is no end to it.
            return Came::Of(Progress::Stuck);
        }
        if !self.leap(&candidate, times) {
            return Came::Nothing;
        }
        visits.jumped(self.steps.len(), &self.state);
        Came::Of(Progress::Going)
    }

    /// Repeats a cycle with inputs, up to so many times, until a goal can be reached by leaving it; or as long as one is in reach.
    fn repeat_choices(&mut self, candidate: &Candidate, times: i128) -> Came {
        let ways = self.program.ways(self.node);
        let mut ways: Vec<BlockEdgeId> = ways.open.iter().chain(&ways.silent).copied().collect();
        let again = match candidate.cycle.first() {
            Some(Taken::Block { edge, .. }) => *edge,
            _ => return Came::Nothing,
        };
        ways.retain(|&edge| edge != again);
        if let Some(progress) = self.leave(candidate, &ways, 1, times) {
            return Came::Of(progress);
        }
        let mut most = self.in_reach(candidate, times);
        if most == FOREVER {
            return self.circle();
        }
        if most < WORTHWHILE {
            return Came::Soon(most);
        }
        // What is required may be less than what the summary says. So the solver has the last word on how far to go.
        let mut least = most;
        for halvings in 0..=MAX_HALVINGS {
            if halvings == MAX_HALVINGS || least < WORTHWHILE {
                least = 1;
            }
            if let Some(progress) = self.leave(candidate, &[again], least, most) {
                return Came::Of(progress);
            }
            if least == 1 {
                break;
            }
            (least, most) = (least / 2, least);
        }
        // With these inputs there is no way to a goal any more.
        self.last.remove(&self.node);
        Came::Nothing
    }

    /// About the last iteration, up to a given one, after which a goal is in reach by evaluation.
    fn in_reach(&mut self, candidate: &Candidate, times: i128) -> i128 {
        let (node, state) = (self.node, self.state.clone());
        let required = self.required(node);
        let mut allows = |iterations: i128| {
            let after = advanced(&state, &candidate.change, iterations);
            after.is_some_and(|after| !required.excludes(&after))
        };
        if times != FOREVER && allows(times) {
            return times;
        }
        let (mut good, mut bad) = (0, 1);
        while bad < times && allows(bad) {
            if bad >= FAR {
                return times;
            }
            (good, bad) = (bad, bad.saturating_mul(2));
        }
        bad = bad.min(times);
        while bad - good > 1 {
            let middle = good + (bad - good) / 2;
            if allows(middle) {
                good = middle;
            } else {
                bad = middle;
            }
        }
        good
    }

    /// Repeats a cycle, at least and at most so many times, until a goal can be reached through one of the given
    /// blocks, and takes it. Nothing if that is not possible, or not known to be.
    fn leave(
        &mut self,
        candidate: &Candidate,
        ways: &[BlockEdgeId],
        least: i128,
        most: i128,
    ) -> Option<Progress> {
        for &edge in ways {
            let from = Origin::cycle(&self.state, &candidate.change, least, most);
            let layouts = &self.program.layouts;
            let reply = self
                .questions
                .ask(self.oracle, layouts, edge, from, self.budget);
            if let Reply::Go {
                inputs,
                plan,
                times,
            } = reply
                && (least..=most).contains(&times)
                && self.leap(candidate, times)
            {
                self.plan = plan;
                let has_left = self.attempt(edge, inputs, false);
                return Some(if has_left {
                    Progress::Moved
                } else {
                    Progress::Going
                });
            }
        }
        None
    }

    /// Takes a cycle so many times.
    fn leap(&mut self, candidate: &Candidate, times: i128) -> bool {
        let Some(state) = advanced(&self.state, &candidate.change, times) else {
            return false;
        };
        self.state = state;
        self.steps.push(Taken::Jump(Box::new(Jump {
            cycle: candidate.cycle.clone(),
            times: Times::constant(times),
        })));
        self.jumps += 1;
        true
    }

    /// The inputs of the last time lead round and round. The solver may have a better idea, but not for ever.
    fn circle(&mut self) -> Came {
        self.last.remove(&self.node);
        self.circled += 1;
        Came::Of(if self.circled > MAX_CIRCLED {
            Progress::Exhausted
        } else {
            Progress::Going
        })
    }
}
