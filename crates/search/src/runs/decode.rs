//! From what a test did to the inputs of the program.
//!
//! The blocks are followed once more, from the entry on; those that read something by the exact meaning of their
//! instructions. A jump is followed once: all its iterations read the same values, and the state after it lies on a
//! line through the state before it and the one after the first iteration.

use rhumb_encode::{BlockEdgeId, BlockGraph, Cell, CompiledBlock, Event, NodeId, Step};
use rhumb_logic::eval::Frame;
use rhumb_logic::num::Int;
use rhumb_logic::{Assignment, Symbol, Value};
use rhumb_program::Action;
use rhumb_program::interp::KeyedInputs;
use rustc_hash::FxHashMap;

use super::{Jump, Taken};
use crate::task::Task;

/// A jump that reads different values at one site, or has inner jumps of growing length and reads anything, is followed
/// iteration by iteration, up to this many.
const MAX_ITERATIONS: u64 = 1_000_000;

/// Why there are no inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum NotDecoded {
    /// The program goes another way than the blocks say.
    #[error("the program doesn't follow block {0:?}")]
    Elsewhere(BlockEdgeId),
    /// The run reads more different values than can be written down, or changes what is no number in every iteration of a jump.
    #[error("the run reads too many different values")]
    TooMany,
}

/// Collects the inputs of a run from the entry on.
pub(crate) struct Decoder<'t> {
    task: &'t Task<'t>,
    node: NodeId,
    /// The values of the variables that are live at the node, then of the addresses.
    state: Vec<Value>,
    inputs: KeyedInputs,
    blocks: FxHashMap<BlockEdgeId, Block>,
}

/// A block, ready to be followed.
enum Block {
    /// It reads something.
    Reading,
    /// It doesn't.
    Silent(Box<(CompiledBlock, Frame)>),
}

impl<'t> Decoder<'t> {
    /// At the entry, with given values of addresses. None if some cell has no value to begin with.
    pub(crate) fn new(task: &'t Task<'t>, addresses: Assignment) -> Option<Decoder<'t>> {
        let node = task.graph.entry;
        Some(Decoder {
            task,
            node,
            state: values(&task.graph, node, &addresses)?,
            inputs: KeyedInputs::new(),
            blocks: FxHashMap::default(),
        })
    }

    /// The inputs so far.
    pub(crate) fn finish(self) -> KeyedInputs {
        self.task.prepared.inputs_as_lowered(self.inputs)
    }

    /// The node that the run has come to, and the values of its variables there.
    #[cfg(test)]
    pub(crate) fn state(&self) -> (NodeId, Assignment) {
        let symbols = symbols(&self.task.graph, self.node);
        (self.node, symbols.zip(self.state.iter().cloned()).collect())
    }

    /// Goes on with a part of a run.
    pub(crate) fn follow(&mut self, steps: &[Taken]) -> Result<(), NotDecoded> {
        for step in steps {
            match step {
                Taken::Block { edge, inputs } => {
                    for Event { site, bits } in self.block(*edge, inputs)? {
                        self.inputs.push_value(site, bits, 1);
                    }
                }
                Taken::Jump(jump) => self.jump(jump)?,
            }
        }
        Ok(())
    }

    /// Follows one block: what it reads.
    fn block(&mut self, edge: BlockEdgeId, inputs: &[Value]) -> Result<Vec<Event>, NotDecoded> {
        let graph = &self.task.graph;
        let block = &graph.edges[edge];
        if block.source != self.node {
            return Err(NotDecoded::Elsewhere(edge));
        }
        let prepared = self.blocks.entry(edge);
        let prepared = prepared.or_insert_with(|| Block::new(graph, edge));
        let events = match prepared {
            Block::Reading => {
                let read = block.transition.inputs.iter().copied();
                let read: Assignment = read.zip(inputs.iter().cloned()).collect();
                let mut state: Assignment = symbols(graph, self.node)
                    .zip(self.state.iter().cloned())
                    .collect();
                let decoded = graph.decode(edge, &state, &read);
                let decoded = decoded.map_err(|_| NotDecoded::Elsewhere(edge))?;
                // Addresses are no variables: they stay.
                state.extend(decoded.post);
                let after = values(graph, block.target, &state);
                self.state = after.ok_or(NotDecoded::Elsewhere(edge))?;
                decoded.events
            }
            Block::Silent(code) => {
                let (code, frame) = &mut **code;
                match code.step_exact(frame, &self.state, inputs) {
                    Step::To(after) => self.state = after,
                    Step::Blocked | Step::Unknown => return Err(NotDecoded::Elsewhere(edge)),
                }
                Vec::new()
            }
        };
        self.node = block.target;
        Ok(events)
    }

    /// Follows a jump that stands in no other.
    fn jump(&mut self, jump: &Jump) -> Result<(), NotDecoded> {
        if !(self.reads(&jump.cycle) && grows(&jump.cycle)) {
            let before = (self.node, self.state.clone());
            let mut events = Vec::new();
            self.repeat(&jump.cycle, &jump.times.first, &mut events)?;
            if self.write(events)? {
                return Ok(());
            }
            (self.node, self.state) = before;
        }
        self.unroll(&jump.cycle, &jump.times.first, &mut Vec::new())
    }

    /// Takes a cycle so many times: collects its events, each with how often it happens.
    fn repeat(
        &mut self,
        cycle: &[Taken],
        times: &Int,
        events: &mut Vec<(Event, Int)>,
    ) -> Result<(), NotDecoded> {
        let before = self.state.clone();
        let first = events.len();
        for step in cycle {
            match step {
                Taken::Block { edge, inputs } => {
                    let read = self.block(*edge, inputs)?;
                    events.extend(read.into_iter().map(|event| (event, Int::ONE)));
                }
                Taken::Jump(jump) => self.repeat(&jump.cycle, &jump.times.first, events)?,
            }
        }
        for (_, count) in events.iter_mut().skip(first) {
            *count *= times;
        }
        // All iterations add what the first one did; what can't be added to has to stay.
        for (value, before) in self.state.iter_mut().zip(&before) {
            match (value, before) {
                (Value::Int(after), Value::Int(before)) => {
                    *after = before + times * (&*after - before);
                }
                (after, before) if *after == *before => {}
                _ => return Err(NotDecoded::TooMany),
            }
        }
        Ok(())
    }

    /// Writes down the events of a jump, unless a site has different values.
    fn write(&mut self, events: Vec<(Event, Int)>) -> Result<bool, NotDecoded> {
        let mut sites: Vec<(Event, Int)> = Vec::new();
        for (event, count) in events {
            match sites.iter_mut().find(|(known, _)| known.site == event.site) {
                Some((known, total)) if *known == event => *total += count,
                Some(_) => return Ok(false),
                None => sites.push((event, count)),
            }
        }
        for (event, count) in sites {
            let count = u64::try_from(&count).map_err(|_| NotDecoded::TooMany)?;
            self.inputs.push_value(event.site, event.bits, count);
        }
        Ok(true)
    }

    /// Takes every iteration of a cycle by itself.
    fn unroll(
        &mut self,
        cycle: &[Taken],
        times: &Int,
        iterations: &mut Vec<Int>,
    ) -> Result<(), NotDecoded> {
        let times = u64::try_from(times).map_err(|_| NotDecoded::TooMany)?;
        if times > MAX_ITERATIONS {
            return Err(NotDecoded::TooMany);
        }
        for iteration in 0..times {
            iterations.push(Int::from(iteration));
            for step in cycle {
                match step {
                    Taken::Block { .. } => self.follow(std::slice::from_ref(step))?,
                    Taken::Jump(jump) => {
                        let times = jump.times.at(iterations);
                        self.unroll(&jump.cycle, &times, iterations)?;
                    }
                }
            }
            iterations.pop();
        }
        Ok(())
    }

    /// Whether something is read on the way.
    fn reads(&mut self, steps: &[Taken]) -> bool {
        steps.iter().any(|step| match step {
            Taken::Block { edge, .. } => {
                let graph = &self.task.graph;
                let block = self.blocks.entry(*edge);
                let block = block.or_insert_with(|| Block::new(graph, *edge));
                matches!(block, Block::Reading)
            }
            Taken::Jump(jump) => self.reads(&jump.cycle),
        })
    }
}

impl Block {
    fn new(graph: &BlockGraph, edge: BlockEdgeId) -> Block {
        let fragment = graph.fragment(edge);
        let mut actions = fragment.iter().map(|&edge| &graph.cfa().edges[edge].action);
        if actions.any(|action| matches!(action, Action::Input { .. })) {
            Block::Reading
        } else {
            let code = graph.compile(edge);
            let frame = code.frame();
            Block::Silent(Box::new((code, frame)))
        }
    }
}

/// The symbols of the state at a node.
fn symbols(graph: &BlockGraph, node: NodeId) -> impl Iterator<Item = Symbol> + '_ {
    graph.state_at(node).map(|cell| cell.symbol)
}

/// The state at a node; what has no value is zero.
fn values(graph: &BlockGraph, node: NodeId, of: &Assignment) -> Option<Vec<Value>> {
    let value = |cell: &Cell| match of.get(&cell.symbol) {
        Some(value) => Some(value.clone()),
        None => Value::default_of(cell.sort),
    };
    graph.state_at(node).map(value).collect()
}

/// Whether some inner jump grows.
fn grows(steps: &[Taken]) -> bool {
    steps.iter().any(|step| match step {
        Taken::Block { .. } => false,
        Taken::Jump(jump) => {
            let mut growth = jump.times.growth.iter();
            growth.any(|growth| !growth.is_zero()) || grows(&jump.cycle)
        }
    })
}
