//! Ways of a program in which calls are inlined and objects are variables, as ways of the program as it was lowered.
//!
//! Right for state machines whose numbers lie in records: the ways are found where records are variables, and runs are
//! led along them where memory is memory. Only the decisions of a way are kept: between two of them a program goes on
//! by itself. Nothing here is believed: whoever is led along such a way comes to a target or doesn't.

use rhumb_program::passes::{ContextId, EdgeRef, Restore, Role};
use rhumb_program::{Action, Callee, EdgeId, ExprKind, FuncId, LocKind, Program};

use super::way::{CallingWay, MAX_STEPS, WayStep};

/// A step of the inlined program that is one of the program as lowered.
struct Origin {
    edge: EdgeRef,
    context: ContextId,
    /// The function that it enters, if it is a call that was not inlined and that the way enters.
    entered: Option<FuncId>,
}

/// Someone who walks through the program as lowered.
struct Walker<'a> {
    lowered: &'a Program,
    restore: &'a Restore,
    /// What the inlined program does on the way.
    origins: &'a [Origin],
    /// The first of those that is still to come.
    next: usize,
}

impl CallingWay {
    /// The way of the program as lowered that makes the same decisions. None if it can't be told where it goes.
    pub fn as_lowered(
        &self,
        inlined: &Program,
        restore: &Restore,
        lowered: &Program,
    ) -> Option<CallingWay> {
        let mut origins = Vec::new();
        let mut functions = vec![inlined.start];
        for step in &self.steps {
            let &function = functions.last()?;
            let (edge, entered) = match *step {
                WayStep::Edge(edge) => (edge, None),
                WayStep::Enter(edge, callee) => {
                    functions.push(callee);
                    (edge, Some(callee))
                }
                WayStep::Leave(_) => {
                    functions.pop();
                    continue;
                }
            };
            let origin = restore.edge(EdgeRef { function, edge });
            if origin.role == Role::Step {
                origins.push(Origin {
                    edge: origin.edge.item,
                    context: origin.edge.context,
                    entered,
                });
            }
        }
        let walker = Walker {
            lowered,
            restore,
            origins: &origins,
            next: 0,
        };
        walker.walk()
    }
}

impl Walker<'_> {
    fn walk(mut self) -> Option<CallingWay> {
        let mut function = self.lowered.start;
        let mut location = self.lowered.functions[function].cfa.entry;
        let mut callers: Vec<EdgeRef> = Vec::new();
        let mut steps = Vec::new();
        loop {
            let cfa = &self.lowered.functions[function].cfa;
            let place = &cfa.locations[location];
            if matches!(place.kind, LocKind::Target(_)) {
                return Some(CallingWay { steps, function });
            }
            if steps.len() > MAX_STEPS {
                return None;
            }
            let edge = match *place.outgoing {
                [edge] => edge,
                [first, second] => self.decision(function, first, second)?,
                _ if place.kind == LocKind::Exit => {
                    let call = callers.pop()?;
                    steps.push(WayStep::Leave(call.edge));
                    function = call.function;
                    location = self.lowered.functions[function].cfa.edges[call.edge].target;
                    continue;
                }
                _ => return None,
            };
            let callee = match &cfa.edges[edge].action {
                Action::Call { callee, .. } => self.callee(*callee, EdgeRef { function, edge }),
                _ => None,
            };
            self.pass(EdgeRef { function, edge });
            match callee {
                None => {
                    steps.push(WayStep::Edge(edge));
                    location = cfa.edges[edge].target;
                }
                Some(callee) => {
                    steps.push(WayStep::Enter(edge, callee));
                    callers.push(EdgeRef { function, edge });
                    function = callee;
                    location = self.lowered.functions[callee].cfa.entry;
                }
            }
        }
    }

    /// Leaves steps behind that have been made.
    fn pass(&mut self, edge: EdgeRef) {
        while self
            .origins
            .get(self.next)
            .is_some_and(|at| at.edge == edge)
        {
            self.next += 1;
        }
    }

    /// Which of two edges is taken: the one that comes next on the way. A branch that the inlined program doesn't have
    /// goes where a run doesn't end.
    fn decision(&mut self, function: FuncId, first: EdgeId, second: EdgeId) -> Option<EdgeId> {
        let cfa = &self.lowered.functions[function].cfa;
        let is_either = |at: &Origin| {
            at.edge.function == function && (at.edge.edge == first || at.edge.edge == second)
        };
        let is_decision = |at: &Origin| {
            let edges = &self.lowered.functions[at.edge.function].cfa.edges;
            matches!(edges[at.edge.edge].action, Action::Assume { .. })
        };
        let ahead = &self.origins[self.next..];
        let distance = ahead.iter().position(is_decision);
        if let Some(distance) = distance
            && is_either(&ahead[distance])
        {
            let taken = ahead[distance].edge.edge;
            self.next += distance;
            return Some(taken);
        }
        let goes_on = |edge: &EdgeId| cfa.locations[cfa.edges[*edge].target].kind == LocKind::Plain;
        let mut sides = [first, second].into_iter().filter(goes_on);
        match (sides.next(), sides.next()) {
            (Some(side), None) => Some(side),
            _ => None,
        }
    }

    /// The function that a call enters, if it enters one: a call that was not inlined says so itself, and of inlined
    /// calls through pointers those know it that come next.
    fn callee(&self, callee: Callee, call: EdgeRef) -> Option<FuncId> {
        if let Some(at) = self.origins.get(self.next)
            && at.edge == call
        {
            return at.entered;
        }
        match callee {
            Callee::Builtin(_) => None,
            Callee::Function(function) => Some(function),
            Callee::Pointer(ptr) => match self.lowered.exprs[ptr].kind {
                ExprKind::FuncAddr(function) => Some(function),
                _ => {
                    let contexts = self.restore.contexts();
                    let mut ahead = self.origins[self.next..].iter();
                    let inside = ahead.find(|at| {
                        contexts
                            .last_call(at.context)
                            .is_some_and(|last| last.1 == call)
                    });
                    inside.map(|at| at.edge.function)
                }
            },
        }
    }
}
