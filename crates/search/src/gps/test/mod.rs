//! Concrete tests: compiled blocks along a plan.
//!
//! A test is one run of the program from a state at a node of the block graph. Where the state decides, blocks are executed, in nanoseconds each. Where inputs
//! are to be chosen, the model of the last query is a plan: it has values for the inputs of blocks that the summaries pass once. Where the plan ends, the
//! solver is asked how a goal stays in reach ([`ask`]), which gives inputs and a new plan. Whether a goal is still in reach is otherwise a matter of
//! evaluation. A cycle that repeats itself is jumped over.

mod ask;
mod code;
mod state;

use index_vec::IndexVec;
use rhumb_encode::{BlockEdgeId, NodeId};
use rhumb_logic::{Assignment, Budget};
use rhumb_program::graph::LoopNest;
use rhumb_summary::Oracle;
use rustc_hash::FxHashMap;

use super::config::Config;
use super::trace::{End, Taken, Trace};
use crate::task::Task;
use ask::{Questions, Reply};
use code::{Code, Condition, Outcome};
use state::{Layouts, small};

/// Blocks that one test may execute.
const EFFORT: u64 = 2_000_000;

/// After so many blocks a test looks at its budget, and whether a goal is in reach where nothing is to be chosen.
const INTERVAL: u64 = 64;

/// Where a test starts, and what it knows.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// The node.
    pub(crate) node: NodeId,
    /// The values of the variables that are live there, and gas if there is any. What is missing is zero.
    pub(crate) state: Assignment,
    /// Values for inputs of blocks that lie ahead, from the model that the test is to follow.
    pub(crate) plan: Assignment,
}

/// What tests did so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Statistics {
    /// Tests.
    pub(crate) tests: u64,
    /// Blocks that were executed.
    pub(crate) steps: u64,
    /// Jumps.
    pub(crate) jumps: u64,
    /// Questions to the solver.
    pub(crate) queries: u64,
    /// Tests that ended where no goal is in reach.
    pub(crate) dead_ends: u64,
}

/// Runs tests. It belongs to one oracle: it keeps the code of its steps.
pub(crate) struct Tester<'t> {
    task: &'t Task<'t>,
    uses_jumps: bool,
    /// What depends on the oracle, from the first test on.
    program: Option<Program>,
    questions: Questions,
    statistics: Statistics,
}

/// The steps of an oracle as code.
struct Program {
    layouts: Layouts,
    steps: FxHashMap<BlockEdgeId, Code>,
    /// What is required of states, where it was asked for.
    required: FxHashMap<NodeId, Condition>,
    /// The blocks from each node, those first that lead closer to a goal; without those from which no goal is reached.
    outgoing: IndexVec<NodeId, Vec<BlockEdgeId>>,
    is_head: IndexVec<NodeId, bool>,
}

impl<'t> Tester<'t> {
    /// A tester that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>, config: &Config) -> Tester<'t> {
        Tester {
            task,
            uses_jumps: config.jumps,
            program: None,
            questions: Questions::default(),
            statistics: Statistics::default(),
        }
    }

    /// What the tests did so far.
    pub(crate) fn statistics(&self) -> Statistics {
        Statistics {
            queries: self.questions.asked,
            ..self.statistics
        }
    }

    /// Runs a test.
    pub(crate) fn run(&mut self, oracle: &mut Oracle, start: Start, budget: &Budget) -> Trace {
        let task = self.task;
        let program = self
            .program
            .get_or_insert_with(|| Program::new(task, oracle));
        self.statistics.tests += 1;
        let Some(state) = program.layouts.state(start.node, &start.state) else {
            return Trace {
                steps: Vec::new(),
                end: End::Unknown(start.node),
            };
        };
        let mut run = Run {
            task,
            program,
            questions: &mut self.questions,
            oracle,
            budget,
            node: start.node,
            state,
            next: Vec::new(),
            plan: start.plan,
            last: FxHashMap::default(),
            executed: 0,
            steps: Vec::new(),
        };
        let end = run.follow();
        self.statistics.steps += run.executed;
        self.statistics.dead_ends += u64::from(matches!(end, End::DeadEnd(_)));
        Trace {
            steps: run.steps,
            end,
        }
    }
}

impl Program {
    fn new(task: &Task<'_>, oracle: &Oracle) -> Program {
        let graph = &task.graph;
        let nodes = graph.nodes.len();
        // Distances to the goals, backwards from them.
        let mut distance: IndexVec<NodeId, Option<u32>> = IndexVec::from_vec(vec![None; nodes]);
        let mut queue: Vec<NodeId> = graph.goals().collect();
        for &goal in &queue {
            distance[goal] = Some(0);
        }
        let mut at = 0;
        while let Some(&node) = queue.get(at) {
            at += 1;
            let further = distance[node].map(|steps| steps + 1);
            for &edge in &graph.nodes[node].incoming {
                let source = graph.edges[edge].source;
                if distance[source].is_none() {
                    distance[source] = further;
                    queue.push(source);
                }
            }
        }
        let outgoing = graph.nodes.iter().map(|node| {
            let far = |edge: BlockEdgeId| distance[graph.edges[edge].target];
            let edges = node.outgoing.iter().copied();
            let mut edges: Vec<BlockEdgeId> = edges.filter(|&edge| far(edge).is_some()).collect();
            edges.sort_by_key(|&edge| far(edge));
            edges
        });
        let mut is_head: IndexVec<NodeId, bool> = IndexVec::from_vec(vec![false; nodes]);
        if nodes > 0 {
            for &head in LoopNest::of(&graph.graph(), graph.entry).heads() {
                is_head[head] = true;
            }
        }
        Program {
            layouts: Layouts::new(graph, oracle),
            steps: FxHashMap::default(),
            required: FxHashMap::default(),
            outgoing: outgoing.collect(),
            is_head,
        }
    }

    /// The code of a step.
    fn code(&mut self, task: &Task<'_>, oracle: &Oracle, edge: BlockEdgeId) -> &mut Code {
        let layouts = &self.layouts;
        let code = self.steps.entry(edge);
        code.or_insert_with(|| Code::new(&task.graph, oracle, layouts, edge))
    }
}

/// A test under way.
struct Run<'r, 't> {
    task: &'t Task<'t>,
    program: &'r mut Program,
    questions: &'r mut Questions,
    oracle: &'r mut Oracle,
    budget: &'r Budget,
    node: NodeId,
    state: Vec<i128>,
    /// The state after a step that is being tried.
    next: Vec<i128>,
    plan: Assignment,
    /// At each node the block that was taken last, and its inputs.
    last: FxHashMap<NodeId, (BlockEdgeId, Vec<i128>)>,
    executed: u64,
    steps: Vec<Taken>,
}

/// What a node's blocks came to.
enum Choice {
    /// One was taken.
    Gone,
    /// None leads to a goal.
    Stuck,
    /// None is known to.
    Unknown,
}

impl Run<'_, '_> {
    fn follow(&mut self) -> End {
        if self.is_out_of_reach(self.node) {
            return End::DeadEnd(self.node);
        }
        loop {
            if self.task.graph.nodes[self.node].kind.is_goal() {
                return End::Goal(self.node);
            }
            if self.executed.is_multiple_of(INTERVAL) && self.budget.is_spent()
                || self.executed >= EFFORT
            {
                return End::Effort(self.node);
            }
            match self.choose() {
                Choice::Gone => {}
                Choice::Stuck => return End::DeadEnd(self.node),
                Choice::Unknown => return End::Unknown(self.node),
            }
        }
    }

    /// Whether no goal can be reached from the state at a node. Asks for the current requirement: it may have become stronger.
    fn is_out_of_reach(&mut self, node: NodeId) -> bool {
        let required = self.oracle.prune(node, self.budget);
        let layouts = &self.program.layouts;
        let graph = &self.task.graph;
        let condition = self.program.required.entry(node);
        let condition = condition.or_insert_with(|| Condition::new(graph, layouts, node, required));
        if condition.formula != required {
            *condition = Condition::new(graph, layouts, node, required);
        }
        condition.excludes(&self.state)
    }

    /// Takes a block.
    fn choose(&mut self) -> Choice {
        let mut is_unknown = false;
        let mut open = Vec::new();
        for place in 0..self.program.outgoing[self.node].len() {
            let edge = self.program.outgoing[self.node][place];
            let code = self.program.code(self.task, self.oracle, edge);
            if !code.inputs.is_empty() {
                open.push(edge);
                continue;
            }
            match code.step(&self.state, &[], &mut self.next) {
                Outcome::Taken => return self.go_deterministically(edge),
                Outcome::Blocked => {}
                Outcome::Unknown => is_unknown = true,
            }
        }
        for &edge in &open {
            if let Some(inputs) = self.planned(edge)
                && self.attempt(edge, inputs)
            {
                let code = &self.program.steps[&edge];
                for input in &code.inputs {
                    self.plan.remove(input);
                }
                return Choice::Gone;
            }
        }
        if let Some((edge, inputs)) = self.last.get(&self.node).cloned()
            && self.attempt(edge, inputs)
        {
            return Choice::Gone;
        }
        for &edge in &open {
            let layouts = &self.program.layouts;
            let reply = self
                .questions
                .ask(self.oracle, layouts, edge, &self.state, self.budget);
            match reply {
                Reply::Go { inputs, plan } => {
                    self.plan = plan;
                    if self.attempt(edge, inputs) {
                        return Choice::Gone;
                    }
                    is_unknown = true;
                }
                Reply::No => {}
                Reply::Unknown => is_unknown = true,
            }
        }
        if is_unknown {
            Choice::Unknown
        } else {
            Choice::Stuck
        }
    }

    /// The inputs of a block by the plan, if it says anything about them.
    fn planned(&self, edge: BlockEdgeId) -> Option<Vec<i128>> {
        let inputs = &self.program.steps.get(&edge)?.inputs;
        let has_value = inputs.iter().any(|input| self.plan.contains_key(input));
        let value = |input| self.plan.get(input).map_or(Some(0), small);
        has_value.then(|| inputs.iter().map(value).collect())?
    }

    /// Takes a block with these inputs, if it can be taken and a goal stays in reach.
    fn attempt(&mut self, edge: BlockEdgeId, inputs: Vec<i128>) -> bool {
        let code = self.program.code(self.task, self.oracle, edge);
        if code.step(&self.state, &inputs, &mut self.next) != Outcome::Taken {
            return false;
        }
        let (target, own) = (code.target, code.own(&inputs));
        std::mem::swap(&mut self.state, &mut self.next);
        if self.is_out_of_reach(target) {
            std::mem::swap(&mut self.state, &mut self.next);
            return false;
        }
        self.last.insert(self.node, (edge, inputs));
        self.go(edge, target, &own);
        true
    }

    /// Takes the only block that can be taken. Now and then it looks whether a goal is in reach.
    fn go_deterministically(&mut self, edge: BlockEdgeId) -> Choice {
        std::mem::swap(&mut self.state, &mut self.next);
        let target = self.task.graph.edges[edge].target;
        self.go(edge, target, &[]);
        let looks = self.executed < INTERVAL || self.executed.is_multiple_of(INTERVAL);
        if looks && self.is_out_of_reach(target) {
            Choice::Stuck
        } else {
            Choice::Gone
        }
    }

    fn go(&mut self, edge: BlockEdgeId, target: NodeId, inputs: &[i128]) {
        self.steps.push(Taken::block(edge, inputs));
        self.executed += 1;
        self.node = target;
    }
}
