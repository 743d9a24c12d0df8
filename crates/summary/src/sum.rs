//! Summaries: for every cut point what all paths from it to a goal require of the state.

mod tails;

use index_vec::IndexVec;
use rhumb_encode::{BlockEdgeId, NodeId};
use rhumb_logic::{Budget, Term, Transition};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::path::{self, Path, PathId, Paths};
use crate::preset::Preset;
use crate::readable;
use crate::star::{Closure, Cost, Loop, LoopOperator, Tools, star_by};
use crate::steps::Steps;
use tails::{Reach, Tails};

/// The highest level of precision: every one costs a multiple of the one before.
const HIGHEST: usize = 2;

/// The paths from every cut point to the goals, summarised on demand.
pub struct Summaries {
    steps: Steps,
    paths: Paths<NodeId, BlockEdgeId>,
    to_goals: IndexVec<NodeId, PathId>,
    /// Whose solution an expression is.
    solved: FxHashMap<PathId, NodeId>,
    done: FxHashMap<PathId, Transition>,
    /// What was found about ends of ways, and for nodes.
    tails: Tails,
    answers: FxHashMap<NodeId, Transition>,
    /// Where the edges of an expression begin.
    reach: IndexVec<PathId, Reach>,
    /// The closures of loops, by their stars.
    closures: FxHashMap<PathId, Closure>,
    preset: Preset,
    /// The operators, for each level of precision that some loop has.
    tools: Vec<Tools>,
    /// The levels of loops that have been raised, by their heads.
    levels: FxHashMap<NodeId, usize>,
}

/// A loop as the summaries see it.
#[derive(Clone, Debug)]
pub struct LoopSummary {
    /// Where it is entered and left.
    pub head: NodeId,
    /// One iteration, from the head back to it.
    pub iteration: Transition,
    /// Any number of them.
    pub iterated: Transition,
}

impl Summaries {
    /// Prepares the summaries of a graph, with everything we have.
    pub fn new(steps: Steps) -> Summaries {
        Summaries::by(steps, Preset::Full)
    }

    /// Prepares the summaries of a graph, with the loop operators of a preset.
    pub fn by(steps: Steps, preset: Preset) -> Summaries {
        let tools = vec![Tools::new(&steps.terms, preset, 0)];
        let mut paths = Paths::default();
        let arcs: Vec<_> = steps
            .edges
            .iter_enumerated()
            .map(|(edge, step)| path::Arc {
                source: step.source,
                target: step.target,
                edge,
            })
            .collect();
        let is_goal = |node: NodeId| steps.nodes[node].is_goal;
        let to_goals = path::to_targets(&mut paths, steps.nodes.len(), &arcs, steps.entry, is_goal);
        let mut solved = FxHashMap::default();
        for (node, &path) in to_goals.iter_enumerated() {
            if !matches!(paths.get(path), Path::None | Path::Empty) {
                solved.entry(path).or_insert(node);
            }
        }
        Summaries {
            reach: tails::reach(&steps, &paths),
            steps,
            paths,
            to_goals,
            solved,
            done: FxHashMap::default(),
            tails: Tails::default(),
            answers: FxHashMap::default(),
            closures: FxHashMap::default(),
            preset,
            tools,
            levels: FxHashMap::default(),
        }
    }

    /// What the loop operators have cost so far, the dearest first.
    pub fn costs(&self) -> Vec<Cost> {
        let mut costs: Vec<Cost> = self.tools.iter().flat_map(Tools::costs).collect();
        costs.sort_by_key(|cost| std::cmp::Reverse(cost.time));
        costs
    }

    /// Summarises a loop again at the next level of precision. What comes out holds beside what was known of the loop
    /// before. Gives the nodes whose summaries are other ones from now on; none at all if nothing new was found, or if
    /// there is no further level.
    pub fn raise(&mut self, head: NodeId, budget: &Budget) -> Vec<NodeId> {
        let level = self.levels.get(&head).map_or(1, |level| level + 1);
        if level > HIGHEST {
            return Vec::new();
        }
        let stars = (0..self.paths.len()).map(PathId::from_usize);
        let stars: Vec<(PathId, PathId)> = stars
            .filter_map(|path| match *self.paths.get(path) {
                Path::Star { head: at, body } if at == head => Some((path, body)),
                _ => None,
            })
            .collect();
        let before: Vec<Closure> = (stars.iter())
            .map(|&(star, body)| self.closure(star, head, body, budget))
            .collect();
        self.levels.insert(head, level);
        while self.tools.len() <= level {
            let next = u32::try_from(self.tools.len()).unwrap_or(u32::MAX);
            let tools = Tools::new(&self.steps.terms, self.preset, next);
            self.tools.push(tools);
        }
        let terms = self.steps.terms.clone();
        let mut changed = vec![false; self.paths.len()];
        for ((star, body), before) in stars.into_iter().zip(before) {
            let iteration = self.evaluate(body, budget);
            let again = self.iterations(head, &iteration);
            let after = star_by(again, again.tools.operators(), budget);
            // Two closures have no input in common, so it takes their texts to compare them.
            let text = |closure: &Closure| readable::lines(&terms, &closure.transition);
            if text(&before) != text(&after) {
                self.closures.insert(star, before.meet(&terms, &after));
                changed[star.index()] = true;
            }
        }
        self.forget(changed)
    }

    /// Forgets the relations of the given expressions and of all that they are part of, but keeps the closures of the
    /// former. Gives the nodes whose solutions are among them.
    fn forget(&mut self, mut changed: Vec<bool>) -> Vec<NodeId> {
        // An expression comes after its parts.
        for index in 0..self.paths.len() {
            let path = PathId::from_usize(index);
            let is_changed = |part: &PathId| changed[part.index()];
            let of_parts = match self.paths.get(path) {
                Path::None | Path::Empty | Path::Edge(_) => false,
                Path::Then(first, second) => is_changed(first) || is_changed(second),
                Path::Or(members) => members.iter().any(is_changed),
                Path::Star { body, .. } => is_changed(body),
            };
            if of_parts {
                self.closures.remove(&path);
            }
            changed[index] |= of_parts;
            if changed[index] {
                self.done.remove(&path);
                self.tails.forget(path);
            }
        }
        let solutions = self.to_goals.iter_enumerated();
        let solutions = solutions.filter(|(_, path)| changed[path.index()]);
        let nodes: Vec<NodeId> = solutions.map(|(node, _)| node).collect();
        for node in &nodes {
            self.answers.remove(node);
        }
        nodes
    }

    /// The closure of a loop, by its star.
    fn closure(&mut self, star: PathId, head: NodeId, body: PathId, budget: &Budget) -> Closure {
        if let Some(known) = self.closures.get(&star) {
            return known.clone();
        }
        let iteration = self.evaluate(body, budget);
        let of = self.iterations(head, &iteration);
        let closure = star_by(of, of.tools.operators(), budget);
        self.closures.insert(star, closure.clone());
        closure
    }

    /// What the summaries are made of.
    pub fn steps(&self) -> &Steps {
        &self.steps
    }

    /// What the paths from a node to a goal require: the guard of the result, over the state at the node and the inputs
    /// of the result. It says nothing of the state at the goal.
    pub fn to_goals(&mut self, node: NodeId, budget: &Budget) -> Transition {
        if let Some(known) = self.answers.get(&node) {
            return known.clone();
        }
        let path = self.to_goals[node];
        let mut tails = std::mem::take(&mut self.tails);
        let tail = self.tail(path, &|_| None, &mut tails, budget);
        self.tails = tails;
        let answer = tail.into_transition(&self.steps);
        self.answers.insert(node, answer.clone());
        answer
    }

    /// As [`Summaries::to_goals`], with formulas in place of the summaries of further nodes that the paths come to, for
    /// some of which there may be one. What a formula says of a node has to include what is known there.
    pub fn to_goals_by(
        &mut self,
        node: NodeId,
        formula: &dyn Fn(NodeId) -> Option<Term>,
        budget: &Budget,
    ) -> Transition {
        let path = self.to_goals[node];
        let tail = self.tail(path, formula, &mut Tails::default(), budget);
        tail.into_transition(&self.steps)
    }

    /// The nodes whose summaries that of a node ends with, unless it has no other part.
    pub fn continues_with(&self, node: NodeId) -> Vec<NodeId> {
        let whole = self.to_goals[node];
        let (mut found, mut seen, mut stack) = (Vec::new(), FxHashSet::default(), vec![whole]);
        while let Some(path) = stack.pop() {
            if !seen.insert(path) {
                continue;
            }
            match (self.solved_by(path), self.paths.get(path)) {
                (Some(node), _) if path != whole => found.push(node),
                (_, Path::Then(_, rest)) => stack.push(*rest),
                (_, Path::Or(members)) => stack.extend(members),
                _ => {}
            }
        }
        found
    }

    /// The node that an expression is the solution of, if it says something.
    fn solved_by(&self, path: PathId) -> Option<NodeId> {
        self.solved.get(&path).copied()
    }

    /// All loops, those inside others first.
    pub fn loops(&mut self, budget: &Budget) -> Vec<LoopSummary> {
        let mut loops = Vec::new();
        for index in 0..self.paths.len() {
            let path = PathId::from_usize(index);
            if let Path::Star { head, body } = *self.paths.get(path) {
                loops.push(LoopSummary {
                    head,
                    iteration: self.evaluate(body, budget),
                    iterated: self.evaluate(path, budget),
                });
            }
        }
        loops
    }

    /// What each operator says of a loop by itself, without those that have nothing to say.
    pub fn by_operator(
        &self,
        of: &LoopSummary,
        budget: &Budget,
    ) -> Vec<(&'static LoopOperator, Transition)> {
        let terms = &self.steps.terms;
        let by = |operators: &[LoopOperator]| {
            let iterations = self.iterations(of.head, &of.iteration);
            star_by(iterations, operators, budget).transition
        };
        // Two closures have no input in common, so it takes their texts to compare them.
        let nothing = readable::lines(terms, &by(&[]));
        let operators = self.iterations(of.head, &of.iteration).tools.operators();
        let alone =
            (operators.iter()).map(|operator| (operator, by(std::slice::from_ref(operator))));
        alone
            .filter(|(_, says)| readable::lines(terms, says) != nothing)
            .collect()
    }

    /// A loop for the operators.
    fn iterations<'a>(&'a self, head: NodeId, iteration: &'a Transition) -> Loop<'a> {
        Loop {
            terms: &self.steps.terms,
            iteration,
            invariant: self.steps.nodes[head].known,
            state: &self.steps.state,
            tools: &self.tools[self.levels.get(&head).copied().unwrap_or(0)],
        }
    }

    /// The relation of a path expression. Expressions are shared, so each is evaluated once.
    fn evaluate(&mut self, path: PathId, budget: &Budget) -> Transition {
        if let Some(known) = self.done.get(&path) {
            return known.clone();
        }
        let terms = self.steps.terms.clone();
        let result = match self.paths.get(path).clone() {
            Path::None => Transition::zero(&terms),
            Path::Empty => Transition::identity(&terms),
            Path::Edge(edge) => {
                let step = &self.steps.edges[edge];
                let known = self.steps.nodes[step.source].known;
                step.transition.restrict(&terms, known)
            }
            Path::Then(first, second) => {
                let first = self.evaluate(first, budget);
                let second = self.evaluate(second, budget);
                first.compose(&terms, &second)
            }
            Path::Or(members) => {
                let mut all = Transition::zero(&terms);
                for &member in &members {
                    // Members may share inputs; in a choice only one of them is taken.
                    all = all.choice(&terms, &self.evaluate(member, budget));
                }
                all
            }
            Path::Star { head, body } => self.closure(path, head, body, budget).transition,
        };
        self.done.insert(path, result.clone());
        result
    }
}
