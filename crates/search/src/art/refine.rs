//! Dead ends, and why they are.
//!
//! The question about a path is whether some run along it ends where a goal can still be reached. If not, interpolants
//! along the path explain it, and the last one excludes all of these states: so the path is pruned together with every
//! other one that comes to a label as strong.

use std::cell::Cell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rhumb_logic::interpolate::{
    Backward, Chain, Interpolator, Label, PathAnswer, PathQuery, PathSession, Projection, Refuted,
    Run, check_seq,
};
use rhumb_logic::session::{SessionOptions, Unknown};
use rhumb_logic::{Budget, Term, Terms, Transition, Work};
use rhumb_summary::Preset;
use rustc_hash::FxHashMap;

use super::space::Space;
use super::tree::{Tree, TreeId};

/// The work for one question about a path, at first.
const QUERY: Work = Work::secs(4);

/// The work for its reasons, at first. A dead end without them is one all the same; they are only needed for a proof.
const REASONS: Work = Work::secs(1);

/// So many times as much for each turn that was not enough.
const MORE: u32 = 4;

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

/// A question about a path that begins at the root, or at a node whose label holds: whether a run along it, and then by
/// one more step if there is one, violates a formula.
struct Question<'q> {
    path: &'q [TreeId],
    last: Option<&'q Transition>,
    post: Term,
    /// Whether the reasons are wanted if there is no such run.
    explain: bool,
}

/// Asks about paths.
pub(crate) struct Refiner {
    /// Paths from the root.
    whole: PathSession,
    /// Parts of paths.
    parts: PathSession,
    /// Ways to find reasons, until one is found.
    strategies: Vec<Box<dyn Interpolator>>,
    /// How many times as much time as at first a question gets.
    patience: u32,
    /// How often the solver didn't know about a leaf.
    hard: FxHashMap<TreeId, u32>,
    /// Questions about paths.
    pub(crate) asked: u64,
    /// Time for questions about paths.
    pub(crate) querying: Duration,
    /// Time for the reasons.
    pub(crate) interpolating: Duration,
}

impl Refiner {
    /// A refiner that was asked nothing yet.
    pub(crate) fn new(terms: &Arc<Terms>, preset: Preset) -> Refiner {
        let with = |projection| -> Box<dyn Interpolator> {
            Box::new(Backward {
                projection,
                ..Backward::default()
            })
        };
        let session = || PathSession::new(terms.clone(), SessionOptions::default());
        Refiner {
            whole: session(),
            parts: session(),
            strategies: match preset {
                Preset::Paper => vec![with(Projection::Exact), with(Projection::Cover)],
                Preset::Full => vec![with(Projection::Guided), with(Projection::Exact)],
            },
            patience: 1,
            hard: FxHashMap::default(),
            asked: 0,
            querying: Duration::ZERO,
            interpolating: Duration::ZERO,
        }
    }

    /// From now on reasons are looked for by Horn clauses first: for those who need the atoms of reasons more than their form.
    pub(crate) fn prefer_chains(&mut self) {
        self.strategies.insert(0, Box::new(Chain));
    }

    /// Sets the time for questions, after so many turns that were not enough.
    pub(crate) fn set_patience(&mut self, turns: u32) {
        self.patience = MORE.saturating_pow(turns.min(4));
    }

    /// Sets the time for questions to what a leaf has come to.
    pub(crate) fn be_patient(&mut self, leaf: TreeId) {
        let turns = self.hard.get(&leaf).copied().unwrap_or(0);
        self.set_patience(turns);
    }

    /// The solver didn't know about a leaf: so often by now.
    pub(crate) fn note_failure(&mut self, leaf: TreeId) -> u32 {
        let turns = self.hard.entry(leaf).or_insert(0);
        *turns += 1;
        *turns
    }

    /// There is another tree.
    pub(crate) fn forget_leaves(&mut self) {
        self.hard.clear();
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
        if explain && let Some(explained) = self.by_labels(space, tree, leaf, post, budget) {
            return Found::DeadEnd(Some(explained));
        }
        let question = Question {
            path: &tree.path(None, leaf),
            last: None,
            post,
            explain,
        };
        self.ask(space, tree, &question, budget)
    }

    /// Whether some run along the path to a node, and then by a summary, reaches a goal. The run has the inputs of the
    /// summary as those of its last step.
    pub(crate) fn beyond(
        &mut self,
        space: &Space<'_>,
        tree: &Tree,
        leaf: TreeId,
        summary: &Transition,
        explain: bool,
        budget: &Budget,
    ) -> Found {
        let question = Question {
            path: &tree.path(None, leaf),
            last: Some(summary),
            post: space.graph.terms.bool(false),
            explain,
        };
        self.ask(space, tree, &question, budget)
    }

    /// Whether every run along a part of a path, from a state in which the label of its beginning holds, leads to a
    /// state in which it holds again.
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
        let question = Question {
            path: &tree.path(Some(from), to),
            last: None,
            post: terms.or([terms.not(space.known(tree.at(to))), label]),
            explain: true,
        };
        match self.ask(space, tree, &question, budget) {
            Found::DeadEnd(explained) => explained,
            Found::Run(_) | Found::Unknown(_) => None,
        }
    }

    /// Explains a dead end by the end of the path alone, from the label of an ancestor on.
    fn by_labels(
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
                let question = Question {
                    path: &path[start..],
                    last: None,
                    post,
                    explain: true,
                };
                let found = self.ask(space, tree, &question, budget);
                if let Found::DeadEnd(Some(explained)) = found {
                    return Some(explained);
                }
            }
            back *= 4;
        }
        None
    }

    fn ask(
        &mut self,
        space: &Space<'_>,
        tree: &Tree,
        question: &Question<'_>,
        budget: &Budget,
    ) -> Found {
        let begun = Instant::now();
        self.asked += 1;
        let budget = &budget.within(QUERY * self.patience);
        let path = question.path;
        let Some((&first, rest)) = path.split_first() else {
            return Found::DeadEnd(None);
        };
        let steps: Vec<&Transition> = (rest.iter())
            .map(|&id| space.block(tree.edge(id)))
            .chain(question.last)
            .collect();
        let known: Vec<Label> = match question.explain {
            true => path.iter().map(|&id| tree.label(id).clone()).collect(),
            false => Vec::new(),
        };
        let query = PathQuery {
            pre: tree.label(first).formula(&space.graph.terms),
            path: &steps,
            post: question.post,
            known: &known,
        };
        let paths = match first == tree.root() {
            true => &mut self.whole,
            false => &mut self.parts,
        };
        let interpolating = Cell::new(Duration::ZERO);
        let mut found = Found::DeadEnd(None);
        for strategy in &self.strategies {
            let strategy = Timed {
                strategy: &**strategy,
                limit: REASONS * self.patience,
                time: &interpolating,
            };
            let strategy = question.explain.then_some(&strategy as &dyn Interpolator);
            found = match check_seq(paths, &query, strategy, budget) {
                PathAnswer::Feasible(run) => Found::Run(run),
                PathAnswer::Unknown(why) => Found::Unknown(why),
                PathAnswer::Infeasible(refutation) => {
                    let labels = refutation.labels;
                    Found::DeadEnd(labels.map(|labels| path.iter().copied().zip(labels).collect()))
                }
            };
            if !question.explain || !matches!(found, Found::DeadEnd(None)) {
                break;
            }
        }
        self.interpolating += interpolating.get();
        self.querying += begun.elapsed().saturating_sub(interpolating.get());
        found
    }
}

/// A strategy with a limit, whose time is taken.
struct Timed<'a> {
    strategy: &'a dyn Interpolator,
    limit: Work,
    time: &'a Cell<Duration>,
}

impl Interpolator for Timed<'_> {
    fn interpolate(&self, refuted: &mut Refuted<'_>, budget: &Budget) -> Option<Vec<Label>> {
        let begun = Instant::now();
        let budget = budget.within(self.limit);
        let labels = self.strategy.interpolate(refuted, &budget);
        self.time.set(self.time.get() + begun.elapsed());
        labels
    }
}
