//! The engine `gps` and those that are settings of it.

use rhumb_certify::proof::Proof;
use rhumb_logic::Budget;

use super::blind::stumble;
use super::config::Config;
use super::search::Search;
use crate::claim::Claim;
use crate::engine::{Engine, Progress, Step};
use crate::proof::{Draft, inductive};
use crate::task::Task;

/// The part of the work that invariants and summaries get.
const SHARE: u32 = 3;

/// The engine.
pub(crate) struct Gps<'t> {
    task: &'t Task<'t>,
    config: Config,
    /// Whether random inputs were tried, as far as they are to be.
    has_stumbled: bool,
    search: Option<Search<'t>>,
    safe: Safe,
}

/// How far a claim that the program is safe has got.
enum Safe {
    /// There is none.
    No,
    /// It was made with this proof.
    Claimed(Proof),
    /// The proof was not accepted; its inductive part may be.
    Rejected(Proof),
    /// It was made again, with the inductive part.
    Mended,
}

impl<'t> Gps<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>, config: Config) -> Gps<'t> {
        Gps {
            task,
            config,
            has_stumbled: !(config.blind && config.tests),
            search: None,
            safe: Safe::No,
        }
    }

    /// The engine `gps` itself.
    pub(crate) fn whole(task: &'t Task<'t>) -> Gps<'t> {
        Gps::new(task, Config::GPS.with(task.preset))
    }

    /// Goes on for a while.
    fn proceed(&mut self, budget: &Budget) -> Step {
        let Some(search) = &mut self.search else {
            if self.task.graph.goals().next().is_none() {
                let proof = Draft::without_goals(self.task, budget);
                return Step::Done(Claim::Safe(proof));
            }
            if !std::mem::replace(&mut self.has_stumbled, true)
                && let Some(claim) = stumble(self.task)
            {
                return Step::Done(claim);
            }
            let search = Search::new(self.task, self.config, &budget.part(SHARE));
            self.search = Some(search);
            return Step::Working;
        };
        if budget.is_spent() {
            return Step::Done(Claim::Unknown(search.stopped()));
        }
        if let Safe::Rejected(proof) = &self.safe {
            let mended = inductive(self.task, proof.clone(), &budget.part(SHARE));
            self.safe = Safe::Mended;
            return match mended {
                Some(proof) => Step::Done(Claim::Safe(proof)),
                None if search.is_open(budget) => Step::Working,
                None => Step::Done(Claim::Unknown(search.stopped())),
            };
        }
        if !search.frontier.is_empty()
            && let Some(proof) = search.learn(budget)
        {
            return Step::Done(Claim::Safe(proof));
        }
        let Some(leaf) = search.frontier.pop_front() else {
            return match search.obstacle.clone() {
                Some(reason) => Step::Done(match search.learn_at_last(budget) {
                    Some(proof) => Claim::Safe(proof),
                    None => Claim::Unknown(reason),
                }),
                None => match search.conclude(budget) {
                    Some(proof) => Step::Done(Claim::Safe(proof)),
                    None => Step::Working,
                },
            };
        };
        let (at, is_root) = (search.tree.at(leaf), leaf == search.tree.root());
        if let Some(claim) = search.turn(leaf, budget) {
            return Step::Done(claim);
        }
        if is_root {
            search.strengthen(budget);
        }
        search.look_closer(at, budget);
        Step::Working
    }
}

impl Engine for Gps<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let step = self.proceed(budget);
        if let Step::Done(Claim::Safe(proof)) = &step
            && !matches!(self.safe, Safe::Mended)
        {
            self.safe = Safe::Claimed(proof.clone());
        }
        step
    }

    fn go_on(&mut self) -> bool {
        let Some(search) = &mut self.search else {
            // An error that was stumbled upon was not accepted; or there was no goal, and there is nothing else to say.
            return self.task.graph.goals().next().is_some();
        };
        if search.reject() {
            return true;
        }
        match std::mem::replace(&mut self.safe, Safe::No) {
            Safe::Claimed(proof) if proof.as_invariants().is_some() => {
                self.safe = Safe::Rejected(proof);
                true
            }
            Safe::No | Safe::Claimed(_) | Safe::Mended | Safe::Rejected(_) => {
                search.is_open(&Budget::unlimited())
            }
        }
    }

    fn progress(&self) -> Progress {
        match &self.search {
            Some(search) => search.progress(),
            None => Progress {
                summary: "summaries".to_owned(),
                figures: Vec::new(),
            },
        }
    }
}
