//! What every engine is.

use rhumb_logic::Budget;

use crate::claim::Claim;
use crate::task::Task;
use crate::view::TreeView;

/// How an engine is set to work.
pub(crate) type Start = for<'t> fn(&'t Task<'t>) -> Box<dyn Engine + 't>;

/// A search that can be stopped and resumed at any time.
pub trait Engine {
    /// Goes on for a while: until there is something to tell, or the budget is spent.
    fn step(&mut self, budget: &Budget) -> Step;

    /// Goes on after a claim that came to nothing: its evidence was not accepted. Says whether there is anything left to try.
    fn go_on(&mut self) -> bool {
        false
    }

    /// Where it stands.
    fn progress(&self) -> Progress;

    /// The reachability tree that it has grown, if it grows one.
    fn tree(&self) -> Option<TreeView> {
        None
    }
}

/// What a step came to.
#[derive(Clone, Debug)]
pub enum Step {
    /// There is more to do.
    Working,
    /// The search is over.
    Done(Claim),
}

/// Where an engine stands, for people.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Progress {
    /// In a few words: `depth 12`.
    pub summary: String,
    /// In figures: `queries`, `time.solver`.
    pub figures: Figures,
}

/// Counts and times, each with its name.
pub type Figures = Vec<(&'static str, f64)>;
