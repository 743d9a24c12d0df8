//! The ways of values through a way: what its decisions depend on.

use rhumb_program::{Action, BinOp, EdgeId, ExprId, ExprKind, FuncId, Program, Scope, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

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

/// A value that some variable has somewhere on a way. Who gets it by a copy, or moved by a constant, has the same one.
type Number = usize;

/// What a step does with values.
#[derive(Default)]
struct Flow {
    /// The values that it looks at, and whose they are.
    reads: Vec<(VarId, Number)>,
    /// The value that it makes of them, or hands on; a decision makes none.
    makes: Option<Number>,
    /// The variable that a call sets which the way doesn't enter.
    lost: Option<VarId>,
}

/// Who has which value.
struct Values<'a> {
    program: &'a Program,
    numbers: FxHashMap<(usize, VarId), Number>,
    results: FxHashMap<usize, Number>,
    count: usize,
}

impl Values<'_> {
    fn fresh(&mut self) -> Number {
        self.count += 1;
        self.count
    }

    fn key(&self, activation: usize, var: VarId) -> (usize, VarId) {
        match self.program.vars[var].scope {
            Scope::Global => (usize::MAX, var),
            Scope::Local(_) => (activation, var),
        }
    }

    fn number(&mut self, activation: usize, var: VarId) -> Number {
        let key = self.key(activation, var);
        if let Some(&known) = self.numbers.get(&key) {
            return known;
        }
        let number = self.fresh();
        self.numbers.insert(key, number);
        number
    }

    /// The values that an expression looks at.
    fn reads(&mut self, activation: usize, expr: ExprId) -> Vec<(VarId, Number)> {
        let program = self.program;
        let mut reads = Vec::new();
        program.exprs.for_each_var(expr, &mut |var| {
            if bounds_of(program, program.vars[var].ty).is_some() {
                reads.push((var, self.number(activation, var)));
            }
        });
        reads
    }

    /// What becomes of an expression.
    fn made(&mut self, activation: usize, expr: ExprId) -> (Number, Flow) {
        let reads = self.reads(activation, expr);
        let handed_on = source(self.program, expr);
        let number = match handed_on.and_then(|var| reads.iter().find(|read| read.0 == var)) {
            Some(&(_, number)) => number,
            None => self.fresh(),
        };
        let flow = Flow {
            reads,
            makes: Some(number),
            lost: None,
        };
        (number, flow)
    }

    fn set(&mut self, activation: usize, var: VarId, number: Number) {
        self.numbers.insert(self.key(activation, var), number);
    }
}

/// The variable whose value an expression is, but for a constant.
fn source(program: &Program, expr: ExprId) -> Option<VarId> {
    match program.exprs[expr].kind {
        ExprKind::Var(var) => Some(var),
        ExprKind::Cast(arg) => source(program, arg),
        ExprKind::Binary(BinOp::Add | BinOp::Sub, arg, by) => {
            program.exprs.as_int_const(by)?;
            source(program, arg)
        }
        _ => None,
    }
}

/// The ways of values through a way.
pub(super) struct Trace<'a> {
    program: &'a Program,
    way: &'a CallingWay,
    owners: Vec<(Owner, Owner)>,
    /// For each step what it does with values.
    flows: Vec<Vec<Flow>>,
}

impl<'a> Trace<'a> {
    pub(super) fn of(program: &'a Program, places: &Places, way: &'a CallingWay) -> Self {
        let mut trace = Trace {
            program,
            way,
            owners: owners(program, way),
            flows: Vec::with_capacity(way.steps.len()),
        };
        let mut values = Values {
            program,
            numbers: FxHashMap::default(),
            results: FxHashMap::default(),
            count: 0,
        };
        for (step, &owners) in way.steps.iter().zip(&trace.owners) {
            trace
                .flows
                .push(trace.flow(places, step, owners, &mut values));
        }
        trace
    }

    fn action(&self, function: FuncId, edge: EdgeId) -> &'a Action {
        &self.program.functions[function].cfa.edges[edge].action
    }

    /// What a step does with values.
    fn flow(
        &self,
        places: &Places,
        step: &WayStep,
        (outer, inner): (Owner, Owner),
        values: &mut Values<'_>,
    ) -> Vec<Flow> {
        match *step {
            WayStep::Edge(edge) => match *self.action(outer.1, edge) {
                Action::Assume { cond, .. } => vec![Flow {
                    reads: values.reads(outer.0, cond),
                    ..Flow::default()
                }],
                Action::Assign { dst, value } => {
                    let (number, flow) = values.made(outer.0, value);
                    values.set(outer.0, dst, number);
                    vec![flow]
                }
                Action::Return { value: Some(value) } => {
                    let (number, flow) = values.made(outer.0, value);
                    values.results.insert(outer.0, number);
                    vec![flow]
                }
                ref action => {
                    let is_call = matches!(action, Action::Call { .. });
                    let set = places.set_by(self.program, action).into_iter();
                    let set = set.map(|var| {
                        let number = values.fresh();
                        values.set(outer.0, var, number);
                        Flow {
                            makes: Some(number),
                            lost: is_call.then_some(var),
                            ..Flow::default()
                        }
                    });
                    set.collect()
                }
            },
            WayStep::Enter(edge, callee) => {
                let Action::Call { args, .. } = self.action(outer.1, edge) else {
                    return Vec::new();
                };
                let params = self.program.functions[callee].params.iter();
                let given = params.zip(args.iter()).map(|(&param, &arg)| {
                    let (number, flow) = values.made(outer.0, arg);
                    values.set(inner.0, param, number);
                    flow
                });
                given.collect()
            }
            WayStep::Leave(edge) => {
                let result = values.results.remove(&inner.0);
                if let Some(dst) = self.action(outer.1, edge).defined_var() {
                    let number = result.unwrap_or_else(|| values.fresh());
                    values.set(outer.0, dst, number);
                }
                Vec::new()
            }
        }
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

    /// What a step has to do with, all the way back to the start: what gave it its values, and decisions about these, under whatever name.
    pub(super) fn concerned(&self, until: usize) -> Concerned {
        let mut concerned = Concerned::default();
        let mut needed: FxHashSet<Number> = FxHashSet::default();
        for (step, flows) in self.flows.iter().enumerate().take(until + 1).rev() {
            for flow in flows {
                let is_needed = match flow.makes {
                    None => flow.reads.iter().any(|read| needed.contains(&read.1)),
                    Some(number) => needed.contains(&number),
                };
                if is_needed {
                    concerned.lost.extend(flow.lost);
                }
                if is_needed || step == until {
                    concerned.vars.extend(flow.reads.iter().map(|read| read.0));
                    needed.extend(flow.reads.iter().map(|read| read.1));
                }
            }
        }
        concerned
    }
}
