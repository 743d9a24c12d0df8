//! The ways of values through a way: what its decisions depend on.

use rhumb_program::{Action, EdgeId, FuncId, Program, Scope, VarId};
use rustc_hash::FxHashSet;

use super::super::explicit::bounds_of;
use super::replay::Places;
use super::way::{CallingWay, WayStep};

/// What a step of a way has to do with.
#[derive(Default)]
pub(super) struct Concerned {
    /// The variables of its condition, and those that gave them their values.
    pub(super) vars: FxHashSet<VarId>,
    /// Of these, what calls set that the way doesn't enter.
    pub(super) lost: FxHashSet<VarId>,
}

/// A function in one of its activations, by their number.
type Owner = (usize, FuncId);

/// For each step of a way the activation that it begins in, and the one that it enters or leaves.
fn owners(program: &Program, way: &CallingWay) -> Vec<(Owner, Owner)> {
    let mut count = 0;
    let mut stack: Vec<Owner> = vec![(0, program.start)];
    let owner = |step: &WayStep| {
        let top = stack.last().copied().unwrap_or((0, program.start));
        match *step {
            WayStep::Edge(_) => (top, top),
            WayStep::Enter(_, callee) => {
                count += 1;
                stack.push((count, callee));
                (top, (count, callee))
            }
            WayStep::Leave(_) => {
                stack.pop();
                (stack.last().copied().unwrap_or(top), top)
            }
        }
    };
    way.steps.iter().map(owner).collect()
}

/// The ways of values through a way.
pub(super) struct Trace<'a> {
    program: &'a Program,
    places: &'a Places,
    way: &'a CallingWay,
    owners: Vec<(Owner, Owner)>,
}

impl<'a> Trace<'a> {
    pub(super) fn of(program: &'a Program, places: &'a Places, way: &'a CallingWay) -> Self {
        Trace {
            program,
            places,
            way,
            owners: owners(program, way),
        }
    }

    fn action(&self, function: FuncId, edge: EdgeId) -> &'a Action {
        &self.program.functions[function].cfa.edges[edge].action
    }

    /// The steps that are decisions, the last first.
    pub(super) fn decisions(&self) -> impl Iterator<Item = usize> + '_ {
        let steps = self.way.steps.iter().zip(&self.owners).enumerate().rev();
        steps.filter_map(|(number, (step, (owner, _)))| match *step {
            WayStep::Edge(edge) => {
                let action = self.action(owner.1, edge);
                matches!(action, Action::Assume { .. }).then_some(number)
            }
            WayStep::Enter(..) | WayStep::Leave(_) => None,
        })
    }

    /// What a step has to do with, all the way back to the start.
    pub(super) fn concerned(&self, until: usize) -> Concerned {
        let mut concerned = Concerned::default();
        let mut needed: FxHashSet<(usize, VarId)> = FxHashSet::default();
        let mut results: FxHashSet<usize> = FxHashSet::default();
        let program = self.program;
        let key = |activation: usize, var: VarId| match program.vars[var].scope {
            Scope::Global => (usize::MAX, var),
            Scope::Local(_) => (activation, var),
        };
        let steps = self.way.steps.iter().zip(&self.owners);
        for (number, (step, &(outer, inner))) in steps.enumerate().take(until + 1).rev() {
            let is_last = number == until;
            let mut reads = Vec::new();
            match *step {
                WayStep::Edge(edge) => match *self.action(outer.1, edge) {
                    Action::Assume { cond, .. } => {
                        let mut is_wanted = is_last;
                        program.exprs.for_each_var(cond, &mut |var| {
                            is_wanted |= needed.contains(&key(outer.0, var));
                        });
                        reads.extend(is_wanted.then_some(cond));
                    }
                    Action::Assign { dst, value } => {
                        let is_wanted = needed.remove(&key(outer.0, dst)) || is_last;
                        reads.extend(is_wanted.then_some(value));
                    }
                    Action::Return { value } => {
                        let is_wanted = results.remove(&outer.0) || is_last;
                        reads.extend(value.filter(|_| is_wanted));
                    }
                    ref action => {
                        let is_call = matches!(action, Action::Call { .. });
                        for var in self.places.set_by(program, action) {
                            if needed.remove(&key(outer.0, var)) && is_call {
                                concerned.lost.insert(var);
                            }
                        }
                    }
                },
                WayStep::Enter(edge, callee) => {
                    let params = program.functions[callee].params.iter();
                    if let Action::Call { args, .. } = self.action(outer.1, edge) {
                        for (&param, &arg) in params.zip(args.iter()) {
                            if needed.remove(&(inner.0, param)) || is_last {
                                reads.push(arg);
                            }
                        }
                    }
                }
                WayStep::Leave(edge) => {
                    let dst = self.action(outer.1, edge).defined_var();
                    if dst.is_some_and(|dst| needed.remove(&key(outer.0, dst))) {
                        results.insert(inner.0);
                    }
                }
            }
            for expr in reads {
                program.exprs.for_each_var(expr, &mut |var| {
                    if bounds_of(program, program.vars[var].ty).is_some() {
                        concerned.vars.insert(var);
                        needed.insert(key(outer.0, var));
                    }
                });
            }
        }
        concerned
    }
}
