//! A test under way: which block comes next.

use rhumb_encode::{BlockEdgeId, NodeId};
use rhumb_logic::{Assignment, Budget};
use rhumb_summary::{Oracle, Precision};
use rustc_hash::FxHashMap;

use super::ask::{Origin, Questions, Reply};
use super::code::{Condition, Outcome};
use super::program::Program;
use super::state::small;
use super::visits::Visits;
use crate::runs::{End, Taken};
use crate::task::Task;

/// Blocks that one test may execute.
const EFFORT: u64 = 2_000_000;

/// Questions that one test may ask.
const QUESTIONS: u64 = 4000;

/// After so many blocks a test looks at its budget, and whether a goal is in reach where nothing is to be chosen.
const INTERVAL: u64 = 64;

/// A test under way.
pub(super) struct Run<'r, 't> {
    pub(super) task: &'t Task<'t>,
    pub(super) program: &'r mut Program,
    pub(super) questions: &'r mut Questions,
    pub(super) oracle: &'r mut Oracle,
    pub(super) budget: &'r Budget,
    pub(super) uses_jumps: bool,
    pub(super) node: NodeId,
    pub(super) state: Vec<i128>,
    /// The state after a step that is being tried.
    next: Vec<i128>,
    /// Values for inputs that lie ahead.
    pub(super) plan: Assignment,
    /// At each node the block with inputs that was taken last.
    pub(super) last: FxHashMap<NodeId, Last>,
    pub(super) visits: FxHashMap<NodeId, Visits>,
    /// How often it went round and round with inputs that lead nowhere.
    pub(super) circled: u32,
    pub(super) executed: u64,
    pub(super) jumps: u64,
    pub(super) steps: Vec<Taken>,
}

/// A block with inputs that was taken.
#[derive(Clone, Debug)]
pub(super) struct Last {
    pub(super) edge: BlockEdgeId,
    pub(super) inputs: Vec<i128>,
    /// Whether it was taken with the same inputs before.
    is_repeated: bool,
}

/// What came of an attempt to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    /// It goes on from here.
    Going,
    /// It stands at another node.
    Moved,
    /// No goal can be reached.
    Stuck,
    /// It is not known how a goal can be reached.
    Unknown,
    /// The numbers that a goal takes are too large.
    TooLarge,
    /// It would go on for too long.
    Exhausted,
}

impl<'r, 't> Run<'r, 't> {
    /// A test at the entry that has done nothing yet.
    pub(super) fn new(
        task: &'t Task<'t>,
        program: &'r mut Program,
        questions: &'r mut Questions,
        oracle: &'r mut Oracle,
        budget: &'r Budget,
    ) -> Run<'r, 't> {
        Run {
            task,
            program,
            questions,
            oracle,
            budget,
            uses_jumps: true,
            node: task.graph.entry,
            state: Vec::new(),
            next: Vec::new(),
            plan: Assignment::default(),
            last: FxHashMap::default(),
            visits: FxHashMap::default(),
            circled: 0,
            executed: 0,
            jumps: 0,
            steps: Vec::new(),
        }
    }

    /// Runs to the end.
    pub(super) fn follow(&mut self) -> End {
        let last_question = self.questions.asked.saturating_add(QUESTIONS);
        loop {
            if self.task.graph.nodes[self.node].kind.is_goal() {
                return End::Goal(self.node);
            }
            let is_done = self.executed >= EFFORT
                || self.questions.asked >= last_question
                || self.executed.is_multiple_of(INTERVAL) && self.is_spent();
            let mut progress = if is_done {
                Progress::Exhausted
            } else if self.uses_jumps && self.program.is_head(self.node) {
                self.arrive()
            } else {
                Progress::Going
            };
            if progress == Progress::Going {
                progress = self.choose();
            }
            match progress {
                Progress::Going | Progress::Moved => {}
                Progress::Stuck => return End::DeadEnd(self.node),
                Progress::Unknown => return End::Unknown(self.node),
                Progress::TooLarge => return End::TooLarge(self.node),
                Progress::Exhausted => return End::Effort(self.node),
            }
        }
    }

    /// Counts the blocks since the last look, and says whether the budget is spent.
    fn is_spent(&self) -> bool {
        self.budget.spend(INTERVAL / 2);
        self.budget.is_spent()
    }

    /// Whether no goal can be reached from the state at a node.
    pub(super) fn is_out_of_reach(&mut self, node: NodeId) -> bool {
        let state = std::mem::take(&mut self.state);
        let is_excluded = self.required(node).excludes(&state);
        self.state = state;
        is_excluded
    }

    /// What is required of states at a node.
    pub(super) fn required(&mut self, node: NodeId) -> &mut Condition {
        // The oracle may know more than the last time.
        let formula = self.oracle.prune(node, &self.share());
        let layouts = &self.program.layouts;
        let graph = &self.task.graph;
        let condition = self.program.required.entry(node);
        let condition = condition.or_insert_with(|| Condition::new(graph, layouts, node, formula));
        if condition.formula != formula {
            *condition = Condition::new(graph, layouts, node, formula);
        }
        condition
    }

    /// A part of the work, for what only helps.
    pub(super) fn share(&self) -> Budget {
        self.budget.part(8)
    }

    /// Takes a block: the one that the state decides on; or by the plan; or as the last time; or as the solver says.
    fn choose(&mut self) -> Progress {
        let mut is_unknown = false;
        let mut is_too_large = false;
        let mut place = 0;
        while let Some(&edge) = self.program.ways(self.node).silent.get(place) {
            place += 1;
            let code = self.program.code(self.task, self.oracle, edge);
            match code.step(&self.state, &[], &mut self.next) {
                Outcome::Taken => return self.go_on(edge),
                Outcome::Blocked => {}
                Outcome::Unknown => is_unknown = true,
            }
        }
        let open = self.program.ways(self.node).open.clone();
        for &edge in &open {
            // Where there are several ways, the plan is a proposal; whoever leaves a loop too early doesn't reach a goal.
            let looks_ahead = open.len() > 1;
            if let Some(inputs) = self.planned(edge)
                && (!looks_ahead || self.knows_what_is_required(edge))
                && self.attempt(edge, inputs, looks_ahead)
            {
                let inputs = &self.oracle.steps().edges[edge].transition.inputs;
                for input in inputs {
                    self.plan.remove(input);
                }
                return Progress::Moved;
            }
        }
        if let Some(last) = self.last.get(&self.node).cloned()
            && self.leads_on(&last)
            && self.attempt(last.edge, last.inputs, true)
        {
            return Progress::Moved;
        }
        for &edge in &open {
            let from = Origin::state(&self.state);
            let layouts = &self.program.layouts;
            let reply = self
                .questions
                .ask(self.oracle, layouts, edge, from, self.budget);
            match reply {
                Reply::Go { inputs, plan, .. } => {
                    if self.attempt(edge, inputs, false) {
                        self.plan = plan;
                        return Progress::Moved;
                    }
                    is_unknown = true;
                }
                Reply::No => {}
                Reply::Unknown => is_unknown = true,
                Reply::TooLarge => is_too_large = true,
            }
        }
        if is_too_large {
            Progress::TooLarge
        } else if is_unknown {
            Progress::Unknown
        } else {
            Progress::Stuck
        }
    }

    /// Whether a goal may stay in reach if a block is taken again. If evaluation alone doesn't tell, the solver is
    /// asked; but where the same inputs don't seem to be right twice, any others will do.
    fn leads_on(&mut self, last: &Last) -> bool {
        if self.knows_what_is_required(last.edge) {
            return true;
        }
        if !last.is_repeated {
            return false;
        }
        let from = Origin::state(&self.state).with_inputs(&last.inputs);
        let layouts = &self.program.layouts;
        let reply = (self.questions).ask(self.oracle, layouts, last.edge, from, self.budget);
        matches!(reply, Reply::Go { .. })
    }

    /// The inputs of a block by the plan, if it says anything about them.
    fn planned(&self, edge: BlockEdgeId) -> Option<Vec<i128>> {
        let inputs = &self.oracle.steps().edges[edge].transition.inputs;
        if !inputs.iter().any(|input| self.plan.contains_key(input)) {
            return None;
        }
        let value = |input| self.plan.get(input).map_or(Some(0), small);
        inputs.iter().map(value).collect()
    }

    /// Whether evaluation alone tells if a goal is in reach behind a block. Else it is better to ask.
    fn knows_what_is_required(&mut self, edge: BlockEdgeId) -> bool {
        let target = self.task.graph.edges[edge].target;
        self.oracle.precision(target, &self.share()) >= Precision::Rational
    }

    /// Takes a block with these inputs, if it can be taken; `looks_ahead`: and if a goal stays in reach.
    pub(super) fn attempt(
        &mut self,
        edge: BlockEdgeId,
        inputs: Vec<i128>,
        looks_ahead: bool,
    ) -> bool {
        let code = self.program.code(self.task, self.oracle, edge);
        if code.step(&self.state, &inputs, &mut self.next) != Outcome::Taken {
            return false;
        }
        let (target, own) = (code.target, code.own(&inputs));
        std::mem::swap(&mut self.state, &mut self.next);
        if looks_ahead && self.is_out_of_reach(target) {
            std::mem::swap(&mut self.state, &mut self.next);
            return false;
        }
        let last = self.last.get(&self.node);
        let is_repeated = last.is_some_and(|last| last.edge == edge && last.inputs == inputs);
        let last = Last {
            edge,
            inputs,
            is_repeated,
        };
        self.last.insert(self.node, last);
        self.enter(edge, target, &own);
        true
    }

    /// Takes the only block that can be taken, which was tried. Now and then it looks whether a goal is in reach.
    fn go_on(&mut self, edge: BlockEdgeId) -> Progress {
        std::mem::swap(&mut self.state, &mut self.next);
        let target = self.task.graph.edges[edge].target;
        self.enter(edge, target, &[]);
        if self.executed.is_multiple_of(INTERVAL) && self.is_out_of_reach(target) {
            Progress::Stuck
        } else {
            Progress::Moved
        }
    }

    fn enter(&mut self, edge: BlockEdgeId, target: NodeId, inputs: &[i128]) {
        self.steps.push(Taken::block(edge, inputs));
        self.executed += 1;
        self.node = target;
    }
}
