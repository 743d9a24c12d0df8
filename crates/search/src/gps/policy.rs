//! The policy: tests towards the goals, and a tree of what they leave open.
//!
//! Every leaf that is neither pruned nor covered waits in the frontier, first come, first served, so that each gets its
//! turn. What becomes of it: it is covered; or no run along its path can reach a goal any more, and it is pruned; or
//! there is such a run, from which a test sets out, and whatever the test passes by is new frontier. Each turn settles
//! its leaf, so every path of the program is looked at after finitely many turns.

use std::time::{Duration, Instant};

use rhumb_certify::proof::Proof;
use rhumb_logic::interpolate::Run;
use rhumb_logic::{Assignment, Budget, Work};
use rhumb_summary::OracleOptions;

use super::config::Config;
use super::test::{Start, Statistics, Tester};
use crate::art::{Art, Explained, Found, Grounds, TreeId, entered};
use crate::claim::Claim;
use crate::engine::Figures;
use crate::explorer::Policy;
use crate::impact::Impact;
use crate::runs::End;
use crate::task::Task;

/// The part of the work that is left which goes into what tests and proofs need of the summaries.
const SHARE: u32 = 4;

/// The part of the work that is left which one test may take, and what it may take anyway.
const TEST: u32 = 4;
const SHORT: Work = Work::secs(1);

/// The policy: that of `impact`, whose leaves are settled with the help of summaries and tests.
pub(crate) struct Gps<'t> {
    config: Config,
    impact: Impact<'t>,
    tester: Tester<'t>,
    /// What testers did that are gone.
    past: Statistics,
    testing: Duration,
}

impl<'t> Gps<'t> {
    /// A policy and its tree.
    pub(super) fn begin(task: &'t Task<'t>, config: Config, budget: &Budget) -> (Art<'t>, Gps<'t>) {
        let options = OracleOptions {
            summaries: config.summaries,
            gas: config.gas,
            preset: task.preset,
        };
        let (art, impact) = Impact::begin(task, options, config.labels, budget);
        let gps = Gps {
            config,
            impact,
            tester: Tester::new(task, config.jumps),
            past: Statistics::default(),
            testing: Duration::ZERO,
        };
        (art, gps)
    }

    /// Begins anew, with what the oracle says now.
    fn restart(&mut self, art: &mut Art<'t>) {
        self.impact.restart(art);
        self.past.add(self.tester.statistics());
        self.tester = Tester::new(art.task, self.config.jumps);
    }

    /// What the tests did.
    fn statistics(&self) -> Statistics {
        let mut all = self.past;
        all.add(self.tester.statistics());
        all
    }

    fn turn(&mut self, art: &mut Art<'t>, leaf: TreeId, budget: &Budget) -> Option<Claim> {
        if self.impact.cover(art, leaf, budget) {
            return None;
        }
        if leaf == art.tree.root() {
            // The first test needs nothing but a model of the summary. An error that is found at once doesn't have to
            // wait for what proofs need.
            return self.look_ahead(art, leaf, None, budget);
        }
        self.impact.require(art, &budget.part(SHARE));
        match self.impact.refute(art, leaf, budget) {
            Found::DeadEnd(explained) => {
                let reason = (explained, Grounds::Label);
                self.impact.prune(art, leaf, reason, budget);
                None
            }
            Found::Run(run) if art.is_at_goal(leaf) => {
                art.reached(leaf, art.tree.at(leaf), &run, Vec::new())
            }
            Found::Run(run) => self.look_ahead(art, leaf, Some(run), budget),
            Found::Unknown(why) => {
                art.undecided(leaf, why);
                None
            }
        }
    }

    /// Sets a test out from a leaf, if by the summary of what follows it can reach a goal.
    fn look_ahead(
        &mut self,
        art: &mut Art<'t>,
        leaf: TreeId,
        run: Option<Run>,
        budget: &Budget,
    ) -> Option<Claim> {
        let guide = &mut self.impact.guide;
        let at = art.tree.at(leaf);
        let share = match guide.oracle.is_long_way(at) {
            // Without it a test goes nowhere.
            true => budget.clone(),
            false => budget.part(SHARE),
        };
        let summary = guide.summary(at, &share);
        if art.task.terms.as_bool(summary.guard) == Some(true)
            && let Some(run) = run
        {
            return self.test(art, leaf, run, Assignment::default(), budget);
        }
        match art.beyond(leaf, &summary, false, budget) {
            Found::Run(mut run) => {
                let plan = run.inputs.pop().unwrap_or_default();
                run.states.pop();
                self.test(art, leaf, run, plan, budget)
            }
            Found::DeadEnd(_) => {
                // What the summary says is more than what proofs are made of; that is looked at again when everything else is done.
                let explained = match self.config.labels {
                    true => guide.explain(art, leaf, budget),
                    false => None,
                };
                let reason = (explained, Grounds::Summary);
                self.impact.prune(art, leaf, reason, budget);
                None
            }
            Found::Unknown(_) => {
                art.grow(leaf);
                None
            }
        }
    }

    /// Runs a test from the end of a run along the path to a leaf.
    fn test(
        &mut self,
        art: &mut Art<'t>,
        leaf: TreeId,
        run: Run,
        plan: Assignment,
        budget: &Budget,
    ) -> Option<Claim> {
        let begun = Instant::now();
        let start = Start {
            node: art.tree.at(leaf),
            state: run.states.last().cloned().unwrap_or_default(),
            plan,
        };
        let budget = match budget.left() {
            Some(left) => budget.within((left / TEST).max(SHORT)),
            None => budget.clone(),
        };
        let Impact { guide, learner, .. } = &mut self.impact;
        let trace = self.tester.run(&mut guide.oracle, start, &budget);
        self.testing += begun.elapsed();
        learner.note(art, leaf, &run, &trace.steps);
        match trace.end {
            End::Goal(node) => return art.reached(leaf, node, &run, trace.steps),
            End::TooLarge(_) if guide.oracle.gas().is_some() => {
                // Such numbers are nearly always gas: more iterations than 128 bits can count.
                guide.oracle.renounce_gas(art.space.graph);
                self.restart(art);
            }
            End::DeadEnd(_) | End::Effort(_) | End::Unknown(_) | End::TooLarge(_) => {
                let end = art.enter(leaf, &trace.steps);
                if end == leaf || trace.steps.len() > entered(&trace.steps) {
                    art.grow(end);
                } else {
                    art.open([end]);
                }
            }
        }
        None
    }
}

impl<'t> Policy<'t> for Gps<'t> {
    fn settle(&mut self, art: &mut Art<'t>, leaf: TreeId, budget: &Budget) -> Option<Claim> {
        let place = (art.tree.at(leaf), leaf == art.tree.root());
        let claim = self.turn(art, leaf, budget);
        if claim.is_none() && self.impact.look_closer(art, place, budget) {
            self.restart(art);
        }
        claim
    }

    fn aside(&mut self, art: &mut Art<'t>, budget: &Budget) -> Option<Proof> {
        self.impact.aside(art, budget)
    }

    fn at_last(&mut self, art: &mut Art<'t>, budget: &Budget) -> Option<Proof> {
        self.impact.at_last(art, budget)
    }

    fn prepare_proof(&mut self, art: &mut Art<'t>, budget: &Budget) {
        self.impact.prepare_proof(art, budget);
    }

    fn explain(&mut self, art: &mut Art<'t>, leaf: TreeId, budget: &Budget) -> Option<Explained> {
        self.impact.explain(art, leaf, budget)
    }

    fn so_far(&self) -> Option<String> {
        Some(format!("{} tests", self.statistics().tests))
    }

    fn figures(&self) -> Figures {
        let tests = self.statistics();
        let tests = [
            ("tests", tests.tests as f64),
            ("steps", tests.steps as f64),
            ("jumps", tests.jumps as f64),
            ("queries", tests.queries as f64),
            ("time.tests", self.testing.as_secs_f64()),
        ];
        tests.into_iter().chain(self.impact.figures()).collect()
    }
}
