//! The path: through blocks, into callees and back, and what it reads.

use rhumb_encode::{BlockEdgeId, NodeId};
use rhumb_logic::interpolate::Run;
use rhumb_logic::{Assignment, Renaming, Symbol, Term, Transition, Value};
use rhumb_program::interp::KeyedInputs;
use rustc_hash::FxHashMap;

use super::Procedures;
use super::labels::Label;
use super::model::equal;
use crate::claim::{Claim, Reason};
use crate::runs::{Replayed, replay};

/// A place on the path, which is not blocked.
pub(super) struct Query {
    pub(super) procedure: usize,
    pub(super) node: NodeId,
    /// What led here.
    pub(super) step: Transition,
    pub(super) taken: Taken,
    /// The query that called this activation.
    pub(super) caller: Option<usize>,
    pub(super) depth: usize,
    /// What is left of each part of the bounds.
    pub(super) left: Vec<u32>,
    /// What blocks the first edges that lead on.
    pub(super) blocked: Vec<Label>,
    /// What the call that is the next edge was entered for already.
    pub(super) entered: Vec<Wanted>,
}

/// How the path got to a place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    Start,
    Block(BlockEdgeId),
    /// By a call: what of it is in question, and how many labels there were when the step was made.
    Call(BlockEdgeId, Wanted, u64),
    Return,
}

/// What is to come of a call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    Abort,
    Return,
}

impl Procedures<'_> {
    /// Steps into callees say what the labels behind the calls exclude: by the labels that there are now.
    pub(super) fn renew(&mut self) {
        for place in 1..self.stack.len() {
            let Taken::Call(edge, wanted, version) = self.stack[place].taken else {
                continue;
            };
            if version != self.annotation.version {
                let step = self.entering(place - 1, edge, wanted);
                self.stack[place].step = step;
                self.stack[place].taken = Taken::Call(edge, wanted, self.annotation.version);
            }
        }
    }

    /// The name under which a caller's value is kept while a callee runs.
    fn kept(&mut self, depth: usize, symbol: Symbol) -> Symbol {
        let terms = &self.terms;
        let made = || terms.fresh_copy(symbol);
        *self.kept.entry((depth, symbol)).or_insert_with(made)
    }

    /// The step into a callee (`push`), of which something is wanted.
    pub(super) fn entering(
        &mut self,
        caller: usize,
        edge: BlockEdgeId,
        wanted: Wanted,
    ) -> Transition {
        let terms = self.terms.clone();
        let Query {
            procedure,
            depth,
            ref left,
            ..
        } = self.stack[caller];
        let own = &self.procedures[procedure];
        let block = &own.graph.edges[edge];
        let call = &own.calls[&edge];
        let callee = &self.procedures[call.callee];
        let mut updates = call.entering.clone();
        let mut inputs = call.open.clone();
        let guard = match wanted {
            Wanted::Abort => {
                updates.extend(callee.exit.abort(&terms));
                own.exit.aborting(&terms)
            }
            Wanted::Return => {
                let exits = callee.exit.symbols().zip(call.left.symbols());
                updates.extend(exits.map(|(theirs, ours)| (theirs, terms.var(ours))));
                inputs.extend(block.transition.inputs.iter().copied());
                inputs.extend(call.left.symbols());
                let known = self
                    .annotation
                    .known(&terms, procedure, block.target, Some(left));
                let open = terms.not(known.formula);
                let allowed = block.transition.before(&terms, open);
                terms.and([equal(&terms, call.left.aborts, 0), allowed])
            }
        };
        for symbol in own.symbols() {
            let kept = self.kept(depth, symbol);
            updates.push((kept, terms.var(symbol)));
        }
        Transition::new(&terms, updates, guard, inputs)
    }

    /// The step from where the last query returns to behind the call (`pop`).
    pub(super) fn returning(&mut self, caller: usize, edge: BlockEdgeId) -> Option<Transition> {
        let terms = self.terms.clone();
        let (procedure, depth) = (self.stack[caller].procedure, self.stack[caller].depth);
        let query = self.stack.last()?;
        let callee = &self.procedures[query.procedure];
        let leaving = callee.leaving(query.node)?;
        let own = &self.procedures[procedure];
        let call = &own.calls[&edge];
        // How it is left is what was guessed when it was entered.
        let exits = callee.exit.symbols().zip(call.left.symbols());
        let mut values: FxHashMap<Symbol, Term> = exits
            .map(|(theirs, ours)| (ours, terms.var(theirs)))
            .collect();
        let block = own.graph.edges[edge].transition.clone();
        let symbols = own.symbols();
        for &symbol in &symbols {
            let kept = self.kept(depth, symbol);
            values.insert(symbol, terms.var(kept));
        }
        let mut renaming = Renaming::new(values);
        let updates: Vec<(Symbol, Term)> = symbols
            .into_iter()
            .map(|symbol| {
                let value = block.value_of(&terms, symbol);
                (symbol, renaming.apply(&terms, value))
            })
            .collect();
        let guard = terms.and([leaving, renaming.apply(&terms, block.guard)]);
        Some(Transition::new(&terms, updates, guard, block.inputs))
    }

    /// A run gets to a goal: its inputs, from one block after the other.
    pub(super) fn reached(&self, run: &Run) -> Claim {
        let mut inputs = KeyedInputs::new();
        for (place, query) in self.stack.iter().enumerate() {
            let Taken::Block(edge) = query.taken else {
                continue;
            };
            let graph = &self.procedures[query.procedure].graph;
            let (Some(state), Some(read)) = (run.states.get(place), run.inputs.get(place)) else {
                continue;
            };
            let cells = graph.state_at(graph.edges[edge].source);
            let state: Assignment = cells
                .filter_map(|cell| {
                    let value = state.get(&cell.symbol).cloned();
                    Some((cell.symbol, value.or(Value::default_of(cell.sort))?))
                })
                .collect();
            // Where the program leaves the blocks, something was approximated: the inputs up to there may do all the same.
            let Ok(decoded) = graph.decode(edge, &state, read) else {
                break;
            };
            for event in decoded.events {
                inputs.push_value(event.site, event.bits, 1);
            }
        }
        let inputs = self.task.prepared.inputs_as_lowered(inputs);
        match replay(self.task, &inputs) {
            Replayed::Target(target) => Claim::Unsafe { target, inputs },
            Replayed::Unsupported(reason) => Claim::Unknown(reason),
            Replayed::Other => Claim::Unknown(Reason::Inconclusive),
        }
    }
}
