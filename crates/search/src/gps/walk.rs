//! Concrete runs, one block at a time: the plan is followed as long as it leads on.

use rhumb_encode::{BlockEdgeId, NodeId};
use rhumb_logic::eval::holds;
use rhumb_logic::session::{Answer, Session, SessionOptions};
use rhumb_logic::transition::Outcome;
use rhumb_logic::{Assignment, Budget, Value};
use rhumb_program::interp::KeyedInputs;
use rhumb_summary::Oracle;

use super::config::Config;
use super::trace::{End, Taken, Trace};
use crate::task::Task;

const EFFORT: usize = 20_000;

/// Where a test begins.
#[derive(Clone, Debug)]
pub(crate) struct Start {
    /// The node.
    pub(crate) node: NodeId,
    /// The state there, gas included.
    pub(crate) state: Assignment,
    /// Inputs to try first.
    pub(crate) plan: Assignment,
}

/// Runs tests.
pub(crate) struct Tester<'t> {
    task: &'t Task<'t>,
}

impl<'t> Tester<'t> {
    /// A tester that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>, _config: &Config) -> Tester<'t> {
        Tester { task }
    }

    /// Runs a test.
    pub(crate) fn run(&mut self, oracle: &mut Oracle, start: Start, budget: &Budget) -> Trace {
        let Start {
            mut node,
            mut state,
            mut plan,
        } = start;
        let graph = &self.task.graph;
        let mut steps = Vec::new();
        loop {
            if graph.nodes[node].kind.is_goal() {
                return Trace {
                    steps,
                    end: End::Goal(node),
                };
            }
            if steps.len() >= EFFORT || budget.is_spent() {
                return Trace {
                    steps,
                    end: End::Effort(node),
                };
            }
            let mut next = self.follow(oracle, node, &state, &plan, budget);
            if next.is_none() {
                match self.plan(oracle, node, &state, budget) {
                    Some(Some(new)) => plan = new,
                    Some(None) => {
                        return Trace {
                            steps,
                            end: End::DeadEnd(node),
                        };
                    }
                    None => {
                        return Trace {
                            steps,
                            end: End::Unknown(node),
                        };
                    }
                }
                next = self.follow(oracle, node, &state, &plan, budget);
            }
            let Some((edge, after)) = next else {
                return Trace {
                    steps,
                    end: End::DeadEnd(node),
                };
            };
            let block = &graph.edges[edge];
            let inputs = block.transition.inputs.iter();
            let inputs = inputs.map(|input| {
                let value = plan.get(input).cloned();
                value.unwrap_or(Value::Int(0.into()))
            });
            steps.push(Taken::Block {
                edge,
                inputs: inputs.collect(),
            });
            // Inputs of a block are used up.
            block.transition.inputs.iter().for_each(|input| {
                plan.remove(input);
            });
            node = block.target;
            state = after;
        }
    }

    fn follow(
        &self,
        oracle: &mut Oracle,
        node: NodeId,
        state: &Assignment,
        plan: &Assignment,
        budget: &Budget,
    ) -> Option<(BlockEdgeId, Assignment)> {
        let graph = &self.task.graph;
        graph.nodes[node].outgoing.iter().find_map(|&edge| {
            let transition = &oracle.steps().edges[edge].transition;
            let Outcome::To(after) = transition.apply(&self.task.terms, state, plan) else {
                return None;
            };
            let reaches = oracle.prune(graph.edges[edge].target, budget);
            holds(&self.task.terms, reaches, &after).then_some((edge, after))
        })
    }

    fn plan(
        &self,
        oracle: &mut Oracle,
        node: NodeId,
        state: &Assignment,
        budget: &Budget,
    ) -> Option<Option<Assignment>> {
        let terms = &self.task.terms;
        let summary = oracle.summary(node, budget);
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        session.assert(summary.guard);
        for (&symbol, value) in state {
            if let Value::Int(value) = value {
                session.assert(terms.eq(terms.var(symbol), terms.int(value.clone())));
            }
        }
        match session.check(budget) {
            Answer::Sat(model) => Some(Some(model.into_assignment())),
            Answer::Unsat(_) => Some(None),
            Answer::Unknown(_) => None,
        }
    }
}

/// The inputs of the program that a run from the entry reads.
pub(crate) fn inputs(task: &Task<'_>, steps: &[Taken]) -> KeyedInputs {
    let graph = &task.graph;
    let mut inputs = KeyedInputs::new();
    let mut state = Assignment::default();
    for step in steps {
        let Taken::Block {
            edge,
            inputs: values,
        } = step
        else {
            break;
        };
        let symbols = graph.edges[*edge].transition.inputs.iter().copied();
        let values = symbols.zip(values.iter().cloned()).collect();
        let Ok(decoded) = graph.decode(*edge, &state, &values) else {
            break;
        };
        for event in decoded.events {
            inputs.push_value(event.site, event.bits, 1);
        }
        state = decoded.post;
    }
    inputs
}
