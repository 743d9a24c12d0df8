//! The engine `gps` and those that are settings of it.

use rhumb_logic::Budget;

use super::config::Config;
use super::search::Search;
use crate::claim::Claim;
use crate::engine::{Engine, Progress, Step};
use crate::proof::Draft;
use crate::task::Task;

/// The part of the time that invariants and summaries get.
const SHARE: u32 = 3;

/// The engine.
pub(crate) struct Gps<'t> {
    task: &'t Task<'t>,
    config: Config,
    search: Option<Search<'t>>,
}

impl<'t> Gps<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>, config: Config) -> Gps<'t> {
        Gps {
            task,
            config,
            search: None,
        }
    }
}

impl Engine for Gps<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let Some(search) = &mut self.search else {
            if self.task.graph.goals().next().is_none() {
                let proof = Draft::without_goals(self.task, budget);
                return Step::Done(Claim::Safe(proof));
            }
            let share = match budget.remaining() {
                Some(left) => budget.within(left / SHARE),
                None => budget.clone(),
            };
            self.search = Some(Search::new(self.task, self.config, &share));
            return Step::Working;
        };
        if budget.is_spent() {
            return Step::Done(Claim::Unknown(search.stopped()));
        }
        if !search.frontier.is_empty()
            && let Some(proof) = search.learn(budget)
        {
            return Step::Done(Claim::Safe(proof));
        }
        if let Some(leaf) = search.frontier.pop_front() {
            if let Some(claim) = search.turn(leaf, budget) {
                return Step::Done(claim);
            }
            if leaf == search.tree.root() {
                search.strengthen(budget);
            }
            return Step::Working;
        }
        if let Some(reason) = search.obstacle.clone() {
            let proof = search.learn_at_last(budget);
            return Step::Done(proof.map_or(Claim::Unknown(reason), Claim::Safe));
        }
        match search.conclude(budget) {
            Some(proof) => Step::Done(Claim::Safe(proof)),
            None => Step::Working,
        }
    }

    fn go_on(&mut self) -> bool {
        let Some(search) = &mut self.search else {
            return false;
        };
        // A proof that is not accepted can do better where leaves were pruned on weaker grounds.
        search.claim_rejected()
            || search.learner.is_rejected()
            || search.reopen(false, &Budget::unlimited())
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
