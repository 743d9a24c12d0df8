//! Jumps: what a test does when it comes to a loop head.
//!
//! Where the state decides everything, a cycle is repeated as often as it goes the same way. Where inputs were chosen on the way, others may be better: the solver
//! is asked after how many iterations to leave the loop elsewhere, which is one question however many iterations there are. If that is not how to
//! reach a goal, the cycle is repeated as long as one is in reach.

use rhumb_encode::BlockEdgeId;

use super::ask::{Origin, Reply};
use super::line::FOREVER;
use super::prover::{Prover, advanced};
use super::run::{Progress, Run};
use super::visits::{Candidate, Visits, has_inputs};
use crate::gps::trace::{Jump, Taken, Times};

/// Fewer iterations than this are executed.
const WORTHWHILE: i128 = 4;

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
        let mut has_failed = false;
        for period in 1..=periods {
            let Some(candidate) = visits.candidate(period, &self.steps) else {
                continue;
            };
            match self.repeat(candidate, visits) {
                Came::Of(progress) => return progress,
                Came::Soon(iterations) => visits.wait(iterations),
                Came::Nothing => has_failed = true,
            }
        }
        if has_failed {
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
        let Some(mut times) = times.filter(|&times| times > 0) else {
            return Came::Nothing;
        };
        if times < WORTHWHILE {
            return Came::Soon(times);
        }
        if has_inputs(&candidate.cycle) {
            if let Some(progress) = self.leave(&candidate, times) {
                return Came::Of(progress);
            }
            times = times.min(self.keeps_in_reach(&candidate).unwrap_or(FOREVER));
            if times == FOREVER {
                return self.circle();
            }
            if times < WORTHWHILE {
                return Came::Soon(times);
            }
        } else if times == FOREVER {
            // Nothing is to be chosen, and there is no end to it.
            return Came::Of(Progress::Stuck);
        }
        if !self.leap(&candidate, times) {
            return Came::Nothing;
        }
        visits.jumped(self.steps.len(), &self.state);
        Came::Of(Progress::Going)
    }

    /// The number of iterations after which a goal is still in reach.
    fn keeps_in_reach(&mut self, candidate: &Candidate) -> Option<i128> {
        let required = self.oracle.prune(self.node, &self.share());
        let mut prover = Prover {
            task: self.task,
            oracle: self.oracle,
            program: self.program,
        };
        prover.keeps(self.node, &self.state, &candidate.change, required)
    }

    /// Repeats a cycle, up to so many times, until a goal can be reached by leaving the loop elsewhere, and leaves there. Nothing if that is not
    /// possible, or not known to be.
    fn leave(&mut self, candidate: &Candidate, times: i128) -> Option<Progress> {
        let Taken::Block { edge: first, .. } = candidate.cycle.first()? else {
            return None;
        };
        let ways = self.program.ways(self.node);
        let others = ways.open.iter().chain(&ways.silent).copied();
        let others: Vec<BlockEdgeId> = others.filter(|edge| edge != first).collect();
        for edge in others {
            let from = Origin::cycle(&self.state, &candidate.change, times);
            let layouts = &self.program.layouts;
            let reply = self
                .questions
                .ask(self.oracle, layouts, edge, from, self.budget);
            if let Reply::Go {
                inputs,
                plan,
                times: after,
            } = reply
                && (1..=times).contains(&after)
                && self.leap(candidate, after)
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
