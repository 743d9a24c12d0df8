//! A small executor for the programs of these tests, written without a look at the passes: integers of up to 64 bits,
//! truth values, pointers to whole objects, calls.

use std::collections::HashMap;

use rhumb_program::passes::{EdgeRef, LocRef, Placed, Restore, Role};
use rhumb_program::*;

/// How a run ends.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Outcome {
    Target(TargetId),
    Ub(UbKind),
    End(EndKind, i128),
    Unsupported,
    /// Cut off by a pass.
    Pruned,
    /// A step without a successor.
    Stuck,
    /// Too many steps, or too deep.
    Limit,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) enum Value {
    /// The mathematical value of an integer or truth value.
    Int(i128),
    Null,
    Function(FuncId),
    /// An object by the number of its lifetime.
    Object(usize),
}

/// A step of a run in terms of the program as lowered.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Step {
    /// Stands for the calls that are open.
    pub(crate) context: u64,
    pub(crate) edge: EdgeRef,
    /// The variable that was set, the calls that were open where it lives, and its value.
    pub(crate) set: Option<(VarId, u64, Value)>,
}

pub(crate) struct Run {
    pub(crate) outcome: Outcome,
    pub(crate) steps: Vec<Step>,
    /// The locations that were passed, with what stands for the open calls.
    pub(crate) locations: Vec<(u64, LocRef)>,
    pub(crate) inputs: usize,
}

struct Frame {
    function: FuncId,
    at: LocId,
    vars: HashMap<VarId, Value>,
    objects: HashMap<ObjectId, usize>,
    /// Stands for the open calls of the program as lowered.
    context: u64,
    /// Where the caller wants the result.
    result: Option<VarId>,
}

struct Machine<'p> {
    program: &'p Program,
    globals: HashMap<VarId, Value>,
    /// Contents of every object that ever lived; none when it is dead.
    memory: Vec<Option<Value>>,
    global_objects: HashMap<ObjectId, usize>,
    frames: Vec<Frame>,
}

fn mix(hash: u64, word: u64) -> u64 {
    (hash ^ word)
        .wrapping_mul(0x9E37_79B9_7F4A_7C15)
        .rotate_left(23)
        .wrapping_add(word)
}

fn enter(context: u64, call: EdgeRef) -> u64 {
    mix(
        mix(context, 1 + call.function.index() as u64),
        call.edge.index() as u64,
    )
}

/// What stands for the open calls at a thing that was placed in a context of a frame.
fn place<T>(restore: &Restore, frame: u64, placed: Placed<T>) -> u64 {
    restore
        .contexts()
        .calls(placed.context)
        .into_iter()
        .fold(frame, enter)
}

/// Input `occurrence` of a site under a seed: mostly small numbers.
pub(crate) fn input(seed: u64, site: InputSiteId, occurrence: usize) -> i128 {
    let hash = mix(mix(seed, site.index() as u64), occurrence as u64);
    i128::from((hash >> 32) as i32 % 7)
}

impl Machine<'_> {
    fn top(&mut self) -> &mut Frame {
        self.frames.last_mut().expect("a frame")
    }

    fn set(&mut self, var: VarId, value: Value) {
        match self.program.vars[var].scope {
            Scope::Global => self.globals.insert(var, value),
            Scope::Local(_) => self.top().vars.insert(var, value),
        };
    }

    fn object(&self, object: ObjectId) -> Option<usize> {
        match self.program.objects[object].scope {
            Scope::Global => self.global_objects.get(&object).copied(),
            Scope::Local(_) => self.frames[self.frames.len() - 1]
                .objects
                .get(&object)
                .copied(),
        }
    }

    fn int(&self, id: ExprId) -> Option<i128> {
        match self.eval(id)? {
            Value::Int(value) => Some(value),
            _ => None,
        }
    }

    fn eval(&self, id: ExprId) -> Option<Value> {
        let exprs = &self.program.exprs;
        let ty = exprs.ty(id);
        Some(match exprs[id].kind {
            ExprKind::Const(bits) => match ty {
                Type::Ptr => Value::Null,
                _ => Value::Int(reduce(ty, bits as i128)),
            },
            ExprKind::Var(var) => match self.program.vars[var].scope {
                Scope::Global => self.globals[&var],
                Scope::Local(_) => *self.frames[self.frames.len() - 1].vars.get(&var)?,
            },
            ExprKind::AddrOf(object) => Value::Object(self.object(object)?),
            ExprKind::FuncAddr(function) => Value::Function(function),
            ExprKind::Unary(op, arg) => {
                let arg = self.int(arg)?;
                Value::Int(reduce(
                    ty,
                    match op {
                        UnOp::Not => 1 - arg,
                        UnOp::BitNot => -arg - 1,
                        UnOp::Neg => -arg,
                    },
                ))
            }
            ExprKind::Cast(arg) => Value::Int(reduce(ty, self.int(arg)?)),
            ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne), lhs, rhs) => {
                let same = self.eval(lhs)? == self.eval(rhs)?;
                Value::Int(i128::from(same == (op == BinOp::Eq)))
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let (a, b) = (self.int(lhs)?, self.int(rhs)?);
                Value::Int(reduce(
                    ty,
                    match op {
                        BinOp::Add => a + b,
                        BinOp::Sub => a - b,
                        BinOp::Mul => a * b,
                        BinOp::Div => a.checked_div(b)?,
                        BinOp::Rem => a.checked_rem(b)?,
                        BinOp::And => a & b,
                        BinOp::Or => a | b,
                        BinOp::Xor => a ^ b,
                        BinOp::Shl => a << b,
                        BinOp::Shr => a >> b,
                        BinOp::Lt => i128::from(a < b),
                        BinOp::Le => i128::from(a <= b),
                        BinOp::Eq | BinOp::Ne => unreachable!(),
                    },
                ))
            }
            ExprKind::Overflows(op, lhs, rhs) => {
                let (a, b) = (self.int(lhs)?, self.int(rhs)?);
                let exact = match op {
                    ArithOp::Add => a + b,
                    ArithOp::Sub => a - b,
                    ArithOp::Mul => a * b,
                    ArithOp::Div => a.checked_div(b)?,
                    ArithOp::Shl => a << b,
                };
                let lost = reduce(exprs.ty(lhs), exact) != exact;
                Value::Int(i128::from(lost || op == ArithOp::Shl && a < 0))
            }
            ExprKind::AccessOk { ptr, .. } => Value::Int(match self.eval(ptr) {
                Some(Value::Object(object)) => i128::from(self.memory[object].is_some()),
                _ => 0,
            }),
            _ => return None,
        })
    }
}

/// The value of the type that is equal modulo its width.
fn reduce(ty: Type, value: i128) -> i128 {
    let Type::Int(int) = ty else {
        return value & 1;
    };
    let size = 1i128 << int.width;
    let low = value.rem_euclid(size);
    if int.signed && low >= size / 2 {
        low - size
    } else {
        low
    }
}

/// Runs a program on the inputs of a seed, and tells the run in terms of the program that `restore` leads back to.
pub(crate) fn run(program: &Program, restore: &Restore, seed: u64, max_steps: usize) -> Run {
    let mut machine = Machine {
        program,
        globals: HashMap::new(),
        memory: Vec::new(),
        global_objects: HashMap::new(),
        frames: Vec::new(),
    };
    for (id, object) in program.objects.iter_enumerated() {
        if object.scope == Scope::Global {
            machine.global_objects.insert(id, machine.memory.len());
            machine.memory.push(Some(Value::Int(0)));
        }
    }
    for (id, var) in program.vars.iter_enumerated() {
        if var.scope == Scope::Global {
            let value = match (var.init, var.ty) {
                (Some(init), _) => machine.eval(init).expect("constant"),
                (None, Type::Ptr) => Value::Null,
                (None, _) => Value::Int(0),
            };
            machine.globals.insert(id, value);
        }
    }
    let mut run = Run {
        outcome: Outcome::Limit,
        steps: Vec::new(),
        locations: Vec::new(),
        inputs: 0,
    };
    let frame = |function: FuncId, context: u64, result: Option<VarId>| Frame {
        function,
        at: program.functions[function].cfa.entry,
        vars: HashMap::new(),
        objects: HashMap::new(),
        context,
        result,
    };
    machine.frames.push(frame(program.start, 1, None));
    let mut occurrences: HashMap<InputSiteId, usize> = HashMap::new();
    for _ in 0..max_steps {
        let top = machine.top();
        let (function, at, context) = (top.function, top.at, top.context);
        let cfa = &program.functions[function].cfa;
        let here = LocRef {
            function,
            location: at,
        };
        if let Some(origin) = restore.location(here) {
            run.locations
                .push((place(restore, context, origin), origin.item));
        }
        match cfa.locations[at].kind {
            LocKind::Plain => {}
            LocKind::Exit => unreachable!("a return leaves the function"),
            LocKind::Target(target) => {
                run.outcome = Outcome::Target(target);
                return run;
            }
            LocKind::Ub(kind) => {
                run.outcome = Outcome::Ub(kind);
                return run;
            }
            // The edge has said it.
            LocKind::End(EndKind::Exit) => return run,
            LocKind::End(kind) => {
                run.outcome = Outcome::End(kind, 0);
                return run;
            }
            LocKind::Unsupported(_) => {
                run.outcome = Outcome::Unsupported;
                return run;
            }
            LocKind::Pruned => {
                run.outcome = Outcome::Pruned;
                return run;
            }
        }
        // Of a branch the first edge whose condition has the outcome.
        let edge = cfa
            .outgoing(at)
            .iter()
            .copied()
            .find(|&edge| match cfa.edges[edge].action {
                Action::Assume { cond, holds } => machine.int(cond) == Some(i128::from(holds)),
                _ => true,
            });
        let Some(edge) = edge else {
            run.outcome = Outcome::Stuck;
            return run;
        };
        let origin = restore.edge(EdgeRef { function, edge });
        let step_context = place(restore, context, origin.edge);
        let mut set = None;
        let next = cfa.edges[edge].target;
        let action = &cfa.edges[edge].action;
        let mut stuck = false;
        match *action {
            Action::Skip | Action::Assume { .. } | Action::Approximate { dst: None, .. } => {}
            Action::Assign { value, .. } => set = machine.eval(value),
            Action::Input { dst, site } => {
                let occurrence = occurrences.entry(site).or_default();
                set = Some(Value::Int(reduce(
                    program.vars[dst].ty,
                    input(seed, site, *occurrence),
                )));
                *occurrence += 1;
                run.inputs += 1;
            }
            Action::Load { ptr, .. } => match machine.eval(ptr) {
                Some(Value::Object(object)) => set = machine.memory[object],
                _ => stuck = true,
            },
            Action::Store { ptr, value, .. } => match (machine.eval(ptr), machine.eval(value)) {
                (Some(Value::Object(object)), Some(value)) if machine.memory[object].is_some() => {
                    machine.memory[object] = Some(value);
                }
                _ => stuck = true,
            },
            Action::Enter(object) => {
                if let Some(earlier) = machine.object(object) {
                    machine.memory[earlier] = None;
                }
                let new = machine.memory.len();
                machine.memory.push(Some(Value::Int(0)));
                machine.top().objects.insert(object, new);
            }
            Action::Leave(object) => {
                if let Some(earlier) = machine.object(object) {
                    machine.memory[earlier] = None;
                }
            }
            Action::Call {
                dst,
                callee,
                ref args,
            } => {
                let callee = match callee {
                    Callee::Function(callee) => Some(callee),
                    Callee::Pointer(ptr) => match machine.eval(ptr) {
                        Some(Value::Function(callee)) => Some(callee),
                        _ => None,
                    },
                    Callee::Builtin(_) => None,
                };
                let args: Option<Vec<Value>> = args.iter().map(|&arg| machine.eval(arg)).collect();
                let (Some(callee), Some(args)) = (callee, args) else {
                    run.outcome = Outcome::Stuck;
                    return run;
                };
                machine.top().at = next;
                let callee_context = enter(step_context, origin.edge.item);
                let mut new = frame(callee, callee_context, dst);
                new.vars
                    .extend(program.functions[callee].params.iter().copied().zip(args));
                machine.frames.push(new);
                run.steps.push(Step {
                    context: step_context,
                    edge: origin.edge.item,
                    set: None,
                });
                if machine.frames.len() > 40 {
                    return run;
                }
                continue;
            }
            Action::Return { value } => {
                let value = value.and_then(|value| machine.eval(value));
                let left = machine.frames.pop().expect("a frame");
                for object in left.objects.values() {
                    machine.memory[*object] = None;
                }
                if let (Some(dst), Some(value)) = (left.result, value) {
                    machine.set(dst, value);
                }
                run.steps.push(Step {
                    context: step_context,
                    edge: origin.edge.item,
                    set: None,
                });
                continue;
            }
            Action::Exit { code } => {
                run.outcome = machine
                    .int(code)
                    .map_or(Outcome::Stuck, |code| Outcome::End(EndKind::Exit, code));
            }
            ref other => unreachable!("not made by these tests: {other:?}"),
        }
        if stuck || action.defined_var().is_some() && set.is_none() {
            run.outcome = Outcome::Stuck;
            return run;
        }
        let mut event = None;
        if let (Some(var), Some(value)) = (action.defined_var(), set) {
            machine.set(var, value);
            let origin = restore.var(var);
            let lives = match program.vars[var].scope {
                Scope::Global => 0,
                Scope::Local(_) => place(restore, context, origin),
            };
            let original = origin.item.variable();
            event = original.map(|original| (original, lives, value));
        }
        if origin.role != Role::Silent {
            run.steps.push(Step {
                context: step_context,
                edge: origin.edge.item,
                set: event,
            });
        }
        machine.top().at = next;
    }
    run.outcome = Outcome::Limit;
    run
}
