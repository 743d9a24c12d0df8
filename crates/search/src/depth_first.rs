//! IMPACT in the order in which it was published (McMillan, CAV 2006): depth first, with interpolants and covers and nothing else.
//!
//! Right for programs whose errors are long and whose dead ends are alike: a path is followed to its end, and what
//! refutes it covers what comes later.
//!
//! # How to write an engine
//!
//! This is the smallest engine on a reachability tree, and a place to start from. It has three parts:
//!
//! 1. an [`Entry`] for the catalog, with a name and a line for `rhumb engines`;
//! 2. a beginning: an [`Art`] with what is known of the program at first, and the [`Order`](crate::frontier::Order) in
//!    which leaves get their turn;
//! 3. a [`Policy`]: what becomes of a leaf. Everything else has a default.
//!
//! The [`Explorer`] does the rest: it hands out the leaves, makes the proof when none is left, and goes on when
//! evidence is not accepted. No engine has to be trusted: a claim that is wrong is not accepted, and the worst that a
//! policy can do is to come to no answer.

use rhumb_logic::Budget;
use rhumb_summary::forward;

use crate::art::{Art, Found, Grounds, TreeId};
use crate::catalog::Entry;
use crate::claim::Claim;
use crate::distance::order;
use crate::explorer::{Explorer, Policy};
use crate::frontier::DepthFirst;

/// The engine, for the catalog.
pub(crate) const IMPACT_DFS: Entry = Entry {
    name: "impact-dfs",
    about: "lazy abstraction with interpolants, depth first: nothing but dead ends and covers",
    start: |task| {
        Box::new(Explorer::new(task, |task, budget| {
            let known = forward::at_nodes(&task.graph, budget);
            (Art::new(task, known, order(task, DepthFirst)), ImpactDfs)
        }))
    },
};

/// The policy. It remembers nothing: all that it needs is in the tree.
struct ImpactDfs;

impl<'t> Policy<'t> for ImpactDfs {
    fn settle(&mut self, art: &mut Art<'t>, leaf: TreeId, budget: &Budget) -> Option<Claim> {
        if art.try_cover(leaf, budget) {
            return None;
        }
        if !art.is_at_goal(leaf) {
            art.grow(leaf);
            return None;
        }
        match art.refute(leaf, true, budget) {
            Found::Run(run) => return art.reached(leaf, art.tree.at(leaf), &run, Vec::new()),
            Found::DeadEnd(explained) => {
                art.prune(leaf, explained, Grounds::Label, budget);
            }
            Found::Unknown(why) => art.undecided(leaf, why),
        }
        None
    }
}
