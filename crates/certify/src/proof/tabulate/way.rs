//! Ways through the functions of a program, taken out of a tabulation.

use rhumb_logic::Budget;
use rhumb_program::{EdgeId, FuncId, Program, Span};

use super::walk::{Before, Tabulation};
use crate::proof::execution::{self, Led};

/// A way with more steps than this is not followed.
pub(super) const MAX_STEPS: usize = 200_000;

/// A step of a way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::proof) enum WayStep {
    /// An edge of the function that is executed.
    Edge(EdgeId),
    /// A call, into this function.
    Enter(EdgeId, FuncId),
    /// The function returns to the edge that called it.
    Leave(EdgeId),
}

/// A way from the start of the program to something that must not be reached.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CallingWay {
    pub(in crate::proof) steps: Vec<WayStep>,
    /// The function in which it ends.
    pub(super) function: FuncId,
}

/// What is still to be written down, the last first.
enum Todo {
    /// How a node was come to, from the entry of its function.
    Within(u32),
    /// How a function comes to be entered in one way, from the start of the program.
    Entered(u32),
    Step(WayStep),
    Trail(u32),
}

impl CallingWay {
    /// The way to a node, and on along some edges. None if it is too long.
    pub(super) fn to(walk: &Tabulation<'_>, node: u32, trail: &[EdgeId]) -> Option<CallingWay> {
        let mut steps = Vec::new();
        let context = walk.nodes[node as usize].context;
        let mut todo = vec![Todo::Within(node), Todo::Entered(context)];
        while let Some(next) = todo.pop() {
            if steps.len() + todo.len() > MAX_STEPS {
                return None;
            }
            match next {
                Todo::Step(step) => steps.push(step),
                Todo::Trail(node) => {
                    let trail = walk.nodes[node as usize].trail.iter();
                    steps.extend(trail.map(|&edge| WayStep::Edge(edge)));
                }
                Todo::Entered(context) => {
                    let entered = &walk.contexts[context as usize];
                    if let Some(&caller) = entered.callers.first() {
                        let edge = walk.call_at(caller);
                        todo.push(Todo::Step(WayStep::Enter(edge, entered.function)));
                        todo.push(Todo::Within(caller));
                        todo.push(Todo::Entered(walk.nodes[caller as usize].context));
                    }
                }
                Todo::Within(node) => {
                    todo.push(Todo::Trail(node));
                    match walk.nodes[node as usize].before {
                        Before::Entry => {}
                        Before::Node(before) => todo.push(Todo::Within(before)),
                        Before::Return { call, exit } => {
                            let edge = walk.call_at(call);
                            let context = walk.nodes[exit as usize].context;
                            let function = walk.contexts[context as usize].function;
                            todo.push(Todo::Step(WayStep::Leave(edge)));
                            todo.push(Todo::Within(exit));
                            todo.push(Todo::Step(WayStep::Enter(edge, function)));
                            todo.push(Todo::Within(call));
                        }
                    }
                }
            }
        }
        steps.extend(trail.iter().map(|&edge| WayStep::Edge(edge)));
        let function = walk.contexts[context as usize].function;
        Some(CallingWay { steps, function })
    }

    /// Leads a run along it, in the program as lowered that it is a way of, with memory, and with pointers from outside
    /// that point to objects of others.
    pub fn lead(&self, lowered: &Program, budget: &Budget) -> Led {
        execution::lead(lowered, self, budget)
    }

    /// Number of its steps.
    pub fn length(&self) -> usize {
        self.steps.len()
    }

    /// The edge of a step, and the function that it belongs to.
    pub(in crate::proof) fn edge(
        &self,
        program: &Program,
        step: usize,
    ) -> Option<(FuncId, EdgeId)> {
        let mut functions = vec![program.start];
        for step in self.steps.get(..step)? {
            match *step {
                WayStep::Edge(_) => {}
                WayStep::Enter(_, callee) => functions.push(callee),
                WayStep::Leave(_) => {
                    functions.pop();
                }
            }
        }
        let (WayStep::Edge(edge) | WayStep::Enter(edge, _) | WayStep::Leave(edge)) =
            *self.steps.get(step)?;
        if matches!(self.steps.get(step)?, WayStep::Leave(_)) {
            functions.pop();
        }
        Some((*functions.last()?, edge))
    }

    /// The source text of the last thing that is done on it.
    pub fn end(&self, program: &Program) -> Option<Span> {
        match *self.steps.last()? {
            WayStep::Edge(edge) => {
                let edges = &program.functions[self.function].cfa.edges;
                edges.get(edge).map(|edge| edge.span)
            }
            WayStep::Enter(..) | WayStep::Leave(_) => None,
        }
    }
}
