//! Dead ends, and why they are.
//!
//! The question about a path is whether some run along it ends where a goal can still be reached. If not, interpolants along the path explain it, and the
//! last one excludes all of these states: so the path is pruned together with every other one that comes to a label as strong.

use std::time::{Duration, Instant};

use rhumb_logic::interpolate::{
    Backward, Interpolator, Label, PathAnswer, PathQuery, PathSession, Projection, Run, check_seq,
};
use rhumb_logic::session::{SessionOptions, Unknown};
use rhumb_logic::{Budget, Term, Terms, Transition};
use rhumb_summary::Preset;

use super::config::Config;
use super::space::Space;
use super::tree::{Tree, TreeId};

/// The time for one question about a path.
const QUERY: Duration = Duration::from_secs(4);

/// On paths that are longer than this the labels on the way are looked at before the whole path.
const LONG: usize = 4;

/// New labels along a path.
pub(crate) type Explained = Vec<(TreeId, Label)>;

/// The answer to a question about a path.
pub(crate) enum Found {
    /// There is a run.
    Run(Run),
    /// There is none, for these reasons; without any if they were not found.
    DeadEnd(Option<Explained>),
    /// Not decided.
    Unknown(Unknown),
}

/// Asks about paths.
pub(crate) struct Refiner {
    /// Paths from the root.
    whole: PathSession,
    /// Parts of paths.
    parts: PathSession,
    strategies: Vec<Backward>,
    /// Questions about paths.
    pub(crate) asked: u64,
    /// Time for questions about paths, interpolation included.
    pub(crate) time: Duration,
}

impl Refiner {
    /// A refiner that was asked nothing yet.
    pub(crate) fn new(terms: &std::sync::Arc<Terms>, config: &Config) -> Refiner {
        let with = |projection| Backward {
            projection,
            ..Backward::default()
        };
        let session = || PathSession::new(terms.clone(), SessionOptions::default());
        Refiner {
            whole: session(),
            parts: session(),
            strategies: match config.preset {
                Preset::Paper => vec![with(Projection::Exact), with(Projection::Cover)],
                Preset::Full => vec![with(Projection::Guided), with(Projection::Exact)],
            },
            asked: 0,
            time: Duration::ZERO,
        }
    }

    /// Whether some run along the path to a node ends where a goal can be reached.
    pub(crate) fn dead_end(
        &mut self,
        space: &Space<'_>,
        tree: &Tree,
        leaf: TreeId,
        explain: bool,
        budget: &Budget,
    ) -> Found {
        let terms = &space.graph.terms;
        let at = tree.at(leaf);
        let post = terms.not(terms.and([space.known(at), space.reaches(at)]));
        if explain && let Some(explained) = self.from_labels(space, tree, leaf, post, budget) {
            return Found::DeadEnd(Some(explained));
        }
        let path = tree.path(None, leaf);
        self.ask(space, tree, &path, None, post, explain, budget)
    }

    /// Whether some run along the path to a node, and then by a summary, reaches a goal. The run has the inputs of the summary as those of its last step.
    pub(crate) fn beyond(
        &mut self,
        space: &Space<'_>,
        tree: &Tree,
        leaf: TreeId,
        summary: &Transition,
        explain: bool,
        budget: &Budget,
    ) -> Found {
        let path = tree.path(None, leaf);
        let post = space.graph.terms.bool(false);
        self.ask(space, tree, &path, Some(summary), post, explain, budget)
    }

    /// Whether every run along a part of a path, from a state in which the label of its beginning holds, leads to a state in which it holds again.
    pub(crate) fn returns(
        &mut self,
        space: &Space<'_>,
        tree: &Tree,
        from: TreeId,
        to: TreeId,
        budget: &Budget,
    ) -> Option<Explained> {
        let terms = &space.graph.terms;
        let label = tree.label(from).formula(terms);
        let post = terms.or([terms.not(space.known(tree.at(to))), label]);
        let path = tree.path(Some(from), to);
        match self.ask(space, tree, &path, None, post, true, budget) {
            Found::DeadEnd(explained) => explained,
            Found::Run(_) | Found::Unknown(_) => None,
        }
    }

    /// Explains a dead end by the end of the path alone, from the label of an ancestor on.
    fn from_labels(
        &mut self,
        space: &Space<'_>,
        tree: &Tree,
        leaf: TreeId,
        post: Term,
        budget: &Budget,
    ) -> Option<Explained> {
        let path = tree.path(None, leaf);
        let mut back = 1;
        while back < path.len() {
            let start = path.len() - 1 - back;
            let is_useful = !tree.label(path[start]).is_top();
            if is_useful && (back == 1 || path.len() > LONG) {
                let found = self.ask(space, tree, &path[start..], None, post, true, budget);
                if let Found::DeadEnd(Some(explained)) = found {
                    return Some(explained);
                }
            }
            back *= 4;
        }
        None
    }

    /// A question about a path that begins at the root or at a node whose label holds.
    #[allow(
        clippy::too_many_arguments,
        reason = "one place where all questions meet"
    )]
    fn ask(
        &mut self,
        space: &Space<'_>,
        tree: &Tree,
        path: &[TreeId],
        last: Option<&Transition>,
        post: Term,
        explain: bool,
        budget: &Budget,
    ) -> Found {
        let begun = Instant::now();
        self.asked += 1;
        let budget = &budget.within(QUERY);
        let terms = &space.graph.terms;
        let Some((&first, rest)) = path.split_first() else {
            return Found::DeadEnd(None);
        };
        let steps: Vec<&Transition> = (rest.iter())
            .map(|&id| space.block(tree.edge(id)))
            .chain(last)
            .collect();
        let known: Vec<Label> = match explain {
            true => path.iter().map(|&id| tree.label(id).clone()).collect(),
            false => Vec::new(),
        };
        let query = PathQuery {
            pre: tree.label(first).formula(terms),
            path: &steps,
            post,
            known: &known,
        };
        let paths = match first == tree.root() {
            true => &mut self.whole,
            false => &mut self.parts,
        };
        let mut found = Found::DeadEnd(None);
        let strategies = self.strategies.iter().map(|it| it as &dyn Interpolator);
        for strategy in strategies.take(if explain { usize::MAX } else { 1 }) {
            let strategy = explain.then_some(strategy);
            found = match check_seq(paths, &query, strategy, budget) {
                PathAnswer::Feasible(run) => Found::Run(run),
                PathAnswer::Unknown(why) => Found::Unknown(why),
                PathAnswer::Infeasible(refutation) => {
                    let labels = refutation.labels;
                    Found::DeadEnd(labels.map(|labels| path.iter().copied().zip(labels).collect()))
                }
            };
            if !matches!(found, Found::DeadEnd(None)) {
                break;
            }
        }
        self.time += begun.elapsed();
        found
    }
}
