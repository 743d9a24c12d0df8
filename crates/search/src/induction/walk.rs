//! Random walks over the blocks: states that candidates have to admit, found without a solver.

use index_vec::IndexVec;
use rhumb_encode::{BlockEdgeId, BlockGraph, CompiledBlock, NodeId, Step};
use rhumb_logic::eval::Frame;
use rhumb_logic::session::{Answer, Session, SessionOptions};
use rhumb_logic::{Assignment, Budget, Symbol};

use crate::facts::Facts;
use crate::runs::{of_number, to_number};

/// Walks, each from the entry.
const WALKS: usize = 24;

/// Blocks of a walk.
const STEPS: usize = 160;

/// How often inputs are chosen for a block before another one is tried.
const TRIES: usize = 6;

/// Space between the addresses of a walk, and below the first one.
const STRIDE: i128 = 1 << 12;

/// Walks about, and notes the states that it comes to. They are reached in the formulas: where a block is not exact, perhaps not by the
/// program; but then no inductive fact excludes them, either.
pub(crate) fn explore(graph: &BlockGraph, facts: &mut Facts, budget: &Budget) {
    let mut walker = Walker {
        graph,
        blocks: graph.edges.indices().map(|_| None).collect(),
        random: Random(0x9e37_79b9_7f4a_7c15),
    };
    for _ in 0..WALKS {
        if budget.is_spent() {
            return;
        }
        walker.walk(facts, budget);
    }
}

struct Walker<'g> {
    graph: &'g BlockGraph,
    blocks: IndexVec<BlockEdgeId, Option<Block>>,
    random: Random,
}

struct Block {
    code: CompiledBlock,
    frame: Frame,
    /// Inputs with which the block can be taken from some state.
    model: Vec<i128>,
}

impl Walker<'_> {
    fn walk(&mut self, facts: &mut Facts, budget: &Budget) {
        let graph = self.graph;
        let addresses = graph.state.constants().zip(1..);
        let mut state: Vec<i128> = addresses.map(|(_, place)| place * STRIDE).collect();
        let mut node = graph.entry;
        let live = graph.nodes[node].live.len();
        state.splice(0..0, std::iter::repeat_n(0, live));
        for _ in 0..STEPS {
            budget.spend(1);
            let Some((target, next)) = self.step(node, &state, budget) else {
                return;
            };
            (node, state) = (target, next);
            facts.reach(node, &self.assignment(node, &state));
        }
    }

    /// A step from a state, if one is found.
    fn step(
        &mut self,
        node: NodeId,
        state: &[i128],
        budget: &Budget,
    ) -> Option<(NodeId, Vec<i128>)> {
        let graph = self.graph;
        let mut edges = graph.nodes[node].outgoing.clone();
        while !edges.is_empty() {
            let place = self.random.below(edges.len());
            let edge = edges.swap_remove(place);
            let inputs = graph.edges[edge].transition.inputs.len();
            let block = self.blocks[edge].get_or_insert_with(|| Block::new(graph, edge, budget));
            let tries = if inputs == 0 { 1 } else { TRIES };
            for _ in 0..tries {
                let random = &mut self.random;
                let model = block.model.iter();
                let inputs: Vec<i128> = model.map(|&value| random.input(value)).collect();
                if let Step::To(next) = block.code.step(&mut block.frame, state, &inputs) {
                    return Some((graph.edges[edge].target, next));
                }
            }
        }
        None
    }

    fn assignment(&self, node: NodeId, state: &[i128]) -> Assignment {
        let graph = self.graph;
        let cells = graph.state_at(node).zip(state);
        let values =
            cells.map(|(cell, &number)| Some((cell.symbol, of_number(cell.sort, number)?)));
        values.flatten().collect()
    }
}

impl Block {
    fn new(graph: &BlockGraph, edge: BlockEdgeId, budget: &Budget) -> Block {
        let code = graph.compile(edge);
        let transition = &graph.edges[edge].transition;
        let mut session = Session::new(graph.terms.clone(), SessionOptions::default());
        session.assert(transition.guard);
        session.assert(graph.ranges(graph.edges[edge].source));
        let answer = match transition.inputs[..] {
            [] => None,
            _ => Some(session.check(budget)),
        };
        let value = |&input: &Symbol| match &answer {
            Some(Answer::Sat(model)) => model.value(input).and_then(to_number).unwrap_or(0),
            _ => 0,
        };
        Block {
            frame: code.frame(),
            code,
            model: transition.inputs.iter().map(value).collect(),
        }
    }
}

/// A small generator of numbers, the same ones on every machine.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// A value for an input: near to one that is possible somewhere, or small, now and then anything.
    fn input(&mut self, possible: i128) -> i128 {
        let small = (self.next() % 21) as i128 - 10;
        match self.next() % 8 {
            0 | 1 => possible,
            2 => possible + small,
            3 => i128::from(self.next() as i32),
            4 | 5 => small.abs() % 2,
            _ => small,
        }
    }
}
