//! From what a test did to the inputs of the program.
//!
//! The blocks are walked once more, from the entry on, each by the exact meaning of its instructions. A jump is walked once: all its iterations read the same
//! values, and the state after it lies on a line through the state before it and the one after the first iteration.

use rhumb_encode::{BlockEdgeId, Event};
use rhumb_logic::num::Int;
use rhumb_logic::{Assignment, Symbol, Value};
use rhumb_program::interp::KeyedInputs;
use rhumb_program::{Action, InputSiteId};
use rustc_hash::FxHashMap;

use super::trace::{Taken, Times};
use crate::task::Task;

/// Events of a cycle whose values are not all the same are written down one by one up to this many; jumps that read values and have inner jumps of growing
/// length are gone through iteration by iteration up to this many.
const MAX_EVENTS: u64 = 1_000_000;

/// Why there are no inputs.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub(crate) enum NotDecoded {
    /// The program goes another way than the blocks say.
    #[error("the program doesn't follow block {0:?}")]
    Elsewhere(BlockEdgeId),
    /// The run reads more different values than can be written down.
    #[error("the run reads too many different values")]
    TooMany,
}

/// Collects the inputs of a run from the entry on.
pub(crate) struct Decoder<'t> {
    task: &'t Task<'t>,
    state: Assignment,
    inputs: KeyedInputs,
    /// Whether a block reads anything.
    reads: FxHashMap<BlockEdgeId, bool>,
}

impl<'t> Decoder<'t> {
    /// At the entry, with given values of addresses.
    pub(crate) fn new(task: &'t Task<'t>, state: Assignment) -> Decoder<'t> {
        Decoder {
            task,
            state,
            inputs: KeyedInputs::new(),
            reads: FxHashMap::default(),
        }
    }

    /// The inputs so far.
    pub(crate) fn finish(self) -> KeyedInputs {
        self.inputs
    }

    /// The state that the run has come to.
    pub(crate) fn state(&self) -> &Assignment {
        &self.state
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
                Taken::Jump { cycle, times } => self.jump(cycle, times)?,
            }
        }
        Ok(())
    }

    /// Walks one block.
    fn block(&mut self, edge: BlockEdgeId, inputs: &[Value]) -> Result<Vec<Event>, NotDecoded> {
        let graph = &self.task.graph;
        let symbols = graph.edges[edge].transition.inputs.iter().copied();
        let values: Assignment = symbols.zip(inputs.iter().cloned()).collect();
        let decoded = graph.decode(edge, &self.state, &values);
        let decoded = decoded.map_err(|_| NotDecoded::Elsewhere(edge))?;
        // Addresses are no variables: they stay.
        self.state.extend(decoded.post);
        Ok(decoded.events)
    }

    /// Follows a jump that stands in no other.
    fn jump(&mut self, cycle: &[Taken], times: &Times) -> Result<(), NotDecoded> {
        let mut read = Vec::new();
        if !self.reads(cycle) {
            return self.repeat(cycle, &times.first, &mut read);
        }
        if grows(cycle) {
            return self.unroll(cycle, &times.first, &mut Vec::new());
        }
        self.repeat(cycle, &times.first, &mut read)?;
        self.write(read)
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
                Taken::Jump { cycle, times } => self.repeat(cycle, &times.first, events)?,
            }
        }
        for (_, count) in events.iter_mut().skip(first) {
            *count *= times;
        }
        self.extrapolate(&before, times);
        Ok(())
    }

    /// From the state before a cycle and the one after it to the one after so many iterations.
    fn extrapolate(&mut self, before: &Assignment, times: &Int) {
        for (symbol, value) in &mut self.state {
            if let (Value::Int(after), Some(Value::Int(before))) = (value, before.get(symbol)) {
                *after = before + times * (&*after - before);
            }
        }
    }

    /// Writes down the events of a jump. Per site they must have one value, or be few.
    fn write(&mut self, events: Vec<(Event, Int)>) -> Result<(), NotDecoded> {
        let mut sites: Vec<(InputSiteId, u128, Int)> = Vec::new();
        for (event, count) in events {
            match sites.iter_mut().find(|(site, ..)| *site == event.site) {
                Some((_, bits, total)) if *bits == event.bits => *total += count,
                Some(_) => return Err(NotDecoded::TooMany),
                None => sites.push((event.site, event.bits, count)),
            }
        }
        for (site, bits, count) in sites {
            let count = u64::try_from(&count).map_err(|_| NotDecoded::TooMany)?;
            self.inputs.push_value(site, bits, count);
        }
        Ok(())
    }

    /// Takes every iteration of a cycle by itself.
    fn unroll(
        &mut self,
        cycle: &[Taken],
        times: &Int,
        iterations: &mut Vec<Int>,
    ) -> Result<(), NotDecoded> {
        let times = u64::try_from(times)
            .ok()
            .filter(|&times| times <= MAX_EVENTS);
        for iteration in 0..times.ok_or(NotDecoded::TooMany)? {
            iterations.push(Int::from(iteration));
            for step in cycle {
                match step {
                    Taken::Block { .. } => self.follow(std::slice::from_ref(step))?,
                    Taken::Jump { cycle, times } => {
                        let times = times.at(iterations);
                        self.unroll(cycle, &times, iterations)?;
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
                *self.reads.entry(*edge).or_insert_with(|| {
                    let fragment = graph.fragment(*edge);
                    let mut actions = fragment.iter().map(|&edge| &graph.cfa().edges[edge].action);
                    actions.any(|action| matches!(action, Action::Input { .. }))
                })
            }
            Taken::Jump { cycle, .. } => self.reads(cycle),
        })
    }
}

/// Whether some inner jump grows.
fn grows(steps: &[Taken]) -> bool {
    steps.iter().any(|step| match step {
        Taken::Block { .. } => false,
        Taken::Jump { cycle, times } => {
            times.growth.iter().any(|growth| !growth.is_zero()) || grows(cycle)
        }
    })
}
