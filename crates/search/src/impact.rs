//! IMPACT: lazy abstraction with interpolants (McMillan, CAV 2006), one path at a time.
//!
//! Leaves grow until they come to a goal. A path that no run takes there is a dead end, which interpolants explain:
//! they label the path, and labels cover. Beside the paper's algorithm induction and blocked states help, where the
//! preset has them.

use rhumb_certify::proof::Proof;
use rhumb_encode::NodeId;
use rhumb_logic::Budget;
use rhumb_summary::OracleOptions;

use crate::aids::Aids;
use crate::art::{Art, Explained, Found, Grounds, TreeId};
use crate::catalog::Entry;
use crate::claim::Claim;
use crate::distance::order;
use crate::engine::Figures;
use crate::explorer::{Explorer, Policy};
use crate::frontier::FirstCome;
use crate::guide::Guide;
use crate::learn::Learner;
use crate::task::Task;

/// The part of the work that is left which goes into what proofs need of the summaries.
const SHARE: u32 = 4;

/// The engine, for the catalog.
pub(crate) const IMPACT: Entry = Entry {
    name: "impact",
    about: "lazy abstraction with interpolants: one path at a time, no summaries, no tests",
    start: |task| {
        Box::new(Explorer::new(task, |task, budget| {
            let options = OracleOptions {
                summaries: false,
                gas: false,
                preset: task.preset,
            };
            Impact::begin(task, options, true, budget)
        }))
    },
};

/// The policy. What it has beside the tree is what searches guided by summaries have, too.
pub(crate) struct Impact<'t> {
    pub(crate) guide: Guide,
    pub(crate) learner: Learner<'t>,
    /// Whether dead ends are explained, and labels cover.
    labels: bool,
}

impl<'t> Impact<'t> {
    /// A policy and its tree.
    pub(crate) fn begin(
        task: &'t Task<'t>,
        options: OracleOptions,
        labels: bool,
        budget: &Budget,
    ) -> (Art<'t>, Impact<'t>) {
        let guide = Guide::new(task, options, budget);
        let art = Art::new(task, guide.known(), order(task, FirstCome));
        let learner = Learner::new(&art.space, Aids::of(task.preset), labels);
        let impact = Impact {
            guide,
            learner,
            labels,
        };
        (art, impact)
    }

    /// Begins anew, with what the oracle says now.
    pub(crate) fn restart(&mut self, art: &mut Art<'t>) {
        art.restart(self.guide.known());
        self.guide.forget_requirements();
        self.learner.renew(&art.space);
    }

    /// Tries to cover a leaf.
    pub(crate) fn cover(&self, art: &mut Art<'t>, leaf: TreeId, budget: &Budget) -> bool {
        self.labels && art.try_cover(leaf, budget)
    }

    /// Asks whether a leaf is a dead end, by what proofs are made of.
    pub(crate) fn refute(&mut self, art: &mut Art<'t>, leaf: TreeId, budget: &Budget) -> Found {
        let explain = self.labels && leaf != art.tree.root();
        art.refute(leaf, explain, budget)
    }

    /// Makes sure that the space knows what a goal takes.
    pub(crate) fn require(&mut self, art: &mut Art<'t>, budget: &Budget) {
        if self.guide.require(&mut art.space, budget) {
            self.learner.look_again();
        }
    }

    /// A leaf that no goal can be reached from: what follows from it for other paths is blocked, too.
    pub(crate) fn prune(
        &mut self,
        art: &mut Art<'t>,
        leaf: TreeId,
        (explained, grounds): (Option<Explained>, Grounds),
        budget: &Budget,
    ) {
        if art.prune(leaf, explained, grounds, budget) == Grounds::Label {
            self.learner.block_upwards(art, leaf, budget);
        }
    }

    /// Looks, after a turn at a node of the graph, whether it is time for more effort. Says whether the tree has to begin anew.
    pub(crate) fn look_closer(
        &mut self,
        art: &Art<'t>,
        (at, is_root): (NodeId, bool),
        budget: &Budget,
    ) -> bool {
        let is_news = is_root && self.guide.strengthen(art, budget);
        self.guide.look_closer(art, at, budget);
        is_news
    }

    fn turn(&mut self, art: &mut Art<'t>, leaf: TreeId, budget: &Budget) -> Option<Claim> {
        if self.cover(art, leaf, budget) {
            return None;
        }
        self.require(art, &budget.part(SHARE));
        let (at, is_goal) = (art.tree.at(leaf), art.is_at_goal(leaf));
        if !is_goal && art.space.always_reaches(at) {
            // Only the ends of paths matter.
            art.grow(leaf);
            return None;
        }
        match self.refute(art, leaf, budget) {
            Found::DeadEnd(explained) => {
                self.prune(art, leaf, (explained, Grounds::Label), budget);
            }
            Found::Run(run) if is_goal => return art.reached(leaf, at, &run, Vec::new()),
            Found::Run(_) => art.grow(leaf),
            Found::Unknown(why) => art.undecided(leaf, why),
        }
        None
    }
}

impl<'t> Policy<'t> for Impact<'t> {
    fn settle(&mut self, art: &mut Art<'t>, leaf: TreeId, budget: &Budget) -> Option<Claim> {
        let place = (art.tree.at(leaf), leaf == art.tree.root());
        let claim = self.turn(art, leaf, budget);
        if claim.is_none() && self.look_closer(art, place, budget) {
            self.restart(art);
        }
        claim
    }

    fn aside(&mut self, art: &mut Art<'t>, budget: &Budget) -> Option<Proof> {
        self.learner.learn(art, budget)
    }

    fn at_last(&mut self, art: &mut Art<'t>, budget: &Budget) -> Option<Proof> {
        self.learner.learn_at_last(art, budget)
    }

    fn prepare_proof(&mut self, art: &mut Art<'t>, budget: &Budget) {
        self.require(art, budget);
    }

    fn explain(&mut self, art: &mut Art<'t>, leaf: TreeId, budget: &Budget) -> Option<Explained> {
        self.guide.explain(art, leaf, budget)
    }

    fn figures(&self) -> Figures {
        let (learned, guided) = (self.learner.figures(), self.guide.figures());
        learned.into_iter().chain(guided).collect()
    }
}
