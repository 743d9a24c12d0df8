//! Which programs can be looked at one thread at a time: those whose threads share global objects with numbers in them,
//! and nothing else.
//!
//! What others do to memory in several steps of a machine is one step here, and would be seen half done. Memory that
//! others may write becomes bytes from outside, which are numbers, and lead nowhere as pointers. So no
//! pointer may be read from such memory; no address of what is local to a thread may get to another one; and no memory is
//! allocated, because nobody knows whose it is.

use crate::builtin::{Builtin, ThreadOp};
use crate::cfa::{Action, Callee};
use crate::expr::ExprKind;
use crate::graph::CallGraph;
use crate::ids::{ExprId, FuncId, ObjectId, VarId};
use crate::model::{Program, Scope};
use crate::types::Type;
use rustc_hash::FxHashSet;

use super::Unfit;

/// Why a program is none of these; nothing, if it is one.
pub(super) fn check(program: &Program) -> Result<(), Unfit> {
    let local = Flow::of(program, Begin::Expr(is_local), false);
    let made = Flow::of(program, Begin::Expr(is_made), true);
    let copies = actions(program).any(|(_, action)| matches!(action, Action::Copy { .. }));
    if program.vars.iter().any(|var| var.scope == Scope::Global) {
        return Err(Unfit("a shared variable that is not in memory"));
    }
    for (_, action) in actions(program) {
        if may_be_half_done(program, action) && !is_own(&local, action) {
            return Err(Unfit("an access that others may see half done"));
        }
        match action {
            Action::Alloc { .. } | Action::Free { .. } => {
                return Err(Unfit("memory that is allocated"));
            }
            Action::Load { ptr, access, .. } if access.ty == Type::Ptr => {
                let is_known = local.base(*ptr).is_some_and(|object| {
                    let object = &program.objects[object];
                    object.read_only || (object.scope != Scope::Global && !copies)
                });
                if !is_known {
                    return Err(Unfit("a pointer in memory"));
                }
            }
            Action::Store { value, .. } if local.is_in(*value) => {
                return Err(Unfit("a local object that others may reach"));
            }
            Action::Call { callee, args, .. } => match callee {
                Callee::Function(_) => {}
                Callee::Pointer(_) if args.iter().any(|&arg| local.is_in(arg)) => {
                    return Err(Unfit("a local object that goes where nobody knows"));
                }
                Callee::Pointer(_) => {}
                Callee::Builtin(Builtin::Thread(ThreadOp::Races { .. })) => {
                    return Err(Unfit("races"));
                }
                Callee::Builtin(Builtin::Thread(ThreadOp::Block)) if has_result(action) => {
                    return Err(Unfit("deadlocks"));
                }
                Callee::Builtin(Builtin::Thread(ThreadOp::End)) => {
                    if args.iter().any(|&arg| local.is_in(arg)) {
                        return Err(Unfit("a local object that others may reach"));
                    }
                }
                Callee::Builtin(Builtin::Thread(ThreadOp::Spawn)) => {
                    if args.iter().any(|&arg| local.is_in(arg)) {
                        return Err(Unfit("a local object that others may reach"));
                    }
                    let is_known = |arg: &ExprId| matches!(program.exprs[*arg].kind, ExprKind::FuncAddr(function) if fits(program, function));
                    if args.len() != 3 || !args.first().is_some_and(is_known) {
                        return Err(Unfit("a thread that begins nobody knows where"));
                    }
                }
                Callee::Builtin(
                    Builtin::Thread(_)
                    | Builtin::Printf
                    | Builtin::Puts
                    | Builtin::Putchar
                    | Builtin::Math(..)
                    | Builtin::Math2(..)
                    | Builtin::Classify(..)
                    | Builtin::GetRounding,
                ) => {}
                Callee::Builtin(_) => return Err(Unfit("what others may do to memory")),
            },
            _ => {}
        }
    }
    for (_, action) in actions(program) {
        if goes_to(action).any(|ptr| made.is_in(ptr)) {
            return Err(Unfit("a pointer made of a number"));
        }
        if mixes_local_pointers(&local, action) {
            return Err(Unfit("a pointer in the place of a number"));
        }
    }
    check_results(program)
}

/// What a thread ends with comes back in nobody's hands here, from nowhere. So nobody may look at it, if it may lead
/// somewhere.
fn check_results(program: &Program) -> Result<(), Unfit> {
    let addresses = Flow::of(program, Begin::Addresses, false);
    if !addresses.is_end_of_threads() {
        return Ok(());
    }
    let results = Flow::of(program, Begin::Results, false);
    for (_, action) in actions(program) {
        let only_passes_on = |expr: ExprId| {
            matches!(program.exprs[expr].kind, ExprKind::Var(_)) || !results.is_in(expr)
        };
        let is_used = match action {
            Action::Assign { value, .. } | Action::Return { value: Some(value) } => {
                !only_passes_on(*value)
            }
            Action::Store { ptr, value, .. } => results.is_in(*ptr) || !only_passes_on(*value),
            Action::Call { callee, args, .. } => {
                let goes = match callee {
                    Callee::Pointer(ptr) => results.is_in(*ptr),
                    Callee::Function(_) => false,
                    Callee::Builtin(_) => args.iter().any(|&arg| results.is_in(arg)),
                };
                goes || !args.iter().all(|&arg| only_passes_on(arg))
            }
            _ => {
                let mut is_used = false;
                action.for_each_expr(|expr| is_used |= results.is_in(expr));
                is_used
            }
        };
        if is_used {
            return Err(Unfit("what a thread ends with"));
        }
    }
    Ok(())
}

/// Whether numbers are put where pointers are read: into local objects, by their names or by pointers to them.
fn mixes_local_pointers(local: &Flow<'_>, action: &Action) -> bool {
    let program = local.program;
    let (ptr, is_pointer) = match *action {
        Action::Store { ptr, access, .. } => (ptr, access.ty == Type::Ptr),
        Action::Fill { dst, .. } => (dst, false),
        _ => return false,
    };
    let mut loads = actions(program).filter_map(|(_, action)| match action {
        Action::Load { ptr, access, .. } if access.ty == Type::Ptr => local.base(*ptr),
        _ => None,
    });
    !is_pointer
        && match local.base(ptr) {
            Some(object) => loads.any(|loaded| loaded == object),
            None => {
                let is_local = |object: ObjectId| program.objects[object].scope != Scope::Global;
                local.is_in(ptr) && loads.any(is_local)
            }
        }
}

/// The pointers that an action follows.
fn goes_to(action: &Action) -> impl Iterator<Item = ExprId> {
    let (first, second) = match *action {
        Action::Load { ptr, .. } | Action::Store { ptr, .. } | Action::InputBytes { ptr, .. } => {
            (Some(ptr), None)
        }
        Action::Copy { dst, src, .. } => (Some(dst), Some(src)),
        Action::Fill { dst, .. } => (Some(dst), None),
        Action::Free { ptr, .. } => (Some(ptr), None),
        Action::Call {
            callee: Callee::Pointer(ptr),
            ..
        } => (Some(ptr), None),
        _ => (None, None),
    };
    first.into_iter().chain(second)
}

/// Whether an expression is the address of a local object.
fn is_local(program: &Program, expr: ExprId) -> bool {
    let exprs = &program.exprs;
    matches!(exprs[expr].kind, ExprKind::AddrOf(object) if program.objects[object].scope != Scope::Global)
}

/// Whether an expression is the address of anything.
fn is_address(program: &Program, expr: ExprId) -> bool {
    matches!(
        program.exprs[expr].kind,
        ExprKind::AddrOf(_) | ExprKind::FuncAddr(_)
    )
}

/// Whether an expression is a pointer made of a number that is not written in the text: by a cast, or by its distance
/// from null or another address that is written there.
fn is_made(program: &Program, expr: ExprId) -> bool {
    let exprs = &program.exprs;
    match exprs[expr].kind {
        ExprKind::Cast(arg) => {
            exprs[expr].ty == Type::Ptr && exprs.ty(arg) != Type::Ptr && !is_constant(program, arg)
        }
        ExprKind::PtrAdd(from, bytes) => {
            !is_constant(program, bytes) && is_written_address(program, from)
        }
        _ => false,
    }
}

fn is_constant(program: &Program, expr: ExprId) -> bool {
    matches!(program.exprs[expr].kind, ExprKind::Const(_))
}

/// Whether an address is a number that is written in the text, however far from it.
fn is_written_address(program: &Program, mut expr: ExprId) -> bool {
    loop {
        match program.exprs[expr].kind {
            ExprKind::Const(_) => return true,
            ExprKind::Cast(arg) | ExprKind::PtrAdd(arg, _) => expr = arg,
            _ => return false,
        }
    }
}

/// Whether an access is more than one step of a machine, though it is one here.
fn may_be_half_done(program: &Program, action: &Action) -> bool {
    let model = program.data_model;
    match action {
        Action::Copy { .. } | Action::Fill { .. } | Action::InputBytes { .. } => true,
        Action::Load { access, .. } | Action::Store { access, .. } => {
            access.bits.is_some() || access.size(model) > u64::from(model.pointer_width() / 8)
        }
        _ => false,
    }
}

/// Whether an access is to local objects, as it says itself, or to what nobody writes.
fn is_own(local: &Flow<'_>, action: &Action) -> bool {
    let is_own = |ptr: ExprId| {
        local.base(ptr).is_some_and(|object| {
            let object = &local.program.objects[object];
            object.scope != Scope::Global || object.read_only
        })
    };
    match *action {
        Action::Load { ptr, .. } | Action::Store { ptr, .. } | Action::InputBytes { ptr, .. } => {
            is_own(ptr)
        }
        Action::Copy { dst, src, .. } => is_own(dst) && is_own(src),
        Action::Fill { dst, .. } => is_own(dst),
        _ => true,
    }
}

fn has_result(action: &Action) -> bool {
    action.defined_var().is_some()
}

/// Whether a function takes two pointers.
fn fits(program: &Program, function: FuncId) -> bool {
    program.takes(function, [Type::Ptr; 2].into_iter(), None)
}

fn actions(program: &Program) -> impl Iterator<Item = (FuncId, &Action)> {
    let functions = program.functions.iter_enumerated();
    functions.flat_map(|(id, function)| {
        let edges = function.cfa.edges.iter();
        edges.map(move |edge| (id, &edge.action))
    })
}

/// The variables that get pointers from memory.
fn read_pointers(program: &Program) -> impl Iterator<Item = VarId> {
    actions(program).filter_map(|(_, action)| match action {
        Action::Load { dst, access, .. } if access.ty == Type::Ptr => Some(*dst),
        _ => None,
    })
}

/// Where values of some kind come from.
#[derive(Clone, Copy)]
enum Begin {
    /// Expressions of which this is true.
    Expr(fn(&Program, ExprId) -> bool),
    /// Addresses of anything, and pointers in memory: initialisers may have put them there.
    Addresses,
    /// What threads end with.
    Results,
}

/// Where values of some kind may be, beside memory.
struct Flow<'p> {
    program: &'p Program,
    begins: Begin,
    /// Whether numbers made of one are none.
    only_pointers: bool,
    vars: FxHashSet<VarId>,
}

impl<'p> Flow<'p> {
    fn of(program: &'p Program, begins: Begin, only_pointers: bool) -> Flow<'p> {
        let mut flow = Flow {
            program,
            begins,
            only_pointers,
            vars: FxHashSet::default(),
        };
        if matches!(begins, Begin::Addresses) {
            flow.vars.extend(read_pointers(program));
        }
        let graph = CallGraph::of(program);
        // Functions that may give one.
        let mut giving: FxHashSet<FuncId> = FxHashSet::default();
        loop {
            let before = (flow.vars.len(), giving.len());
            for (function, action) in actions(program) {
                match action {
                    Action::Assign { dst, value } if flow.is_in(*value) => {
                        flow.vars.insert(*dst);
                    }
                    Action::Return { value: Some(value) } if flow.is_in(*value) => {
                        giving.insert(function);
                    }
                    // It may be read again anywhere.
                    Action::Store { value, .. } if flow.is_in(*value) => {
                        flow.vars.extend(read_pointers(program));
                    }
                    Action::Call { dst, callee, .. } => {
                        flow.pass(&graph, action);
                        let gives = match callee {
                            Callee::Function(callee) => giving.contains(callee),
                            Callee::Pointer(_) => !giving.is_empty(),
                            Callee::Builtin(Builtin::Thread(ThreadOp::Result)) => {
                                matches!(begins, Begin::Results) || flow.is_end_of_threads()
                            }
                            Callee::Builtin(_) => false,
                        };
                        flow.vars.extend(dst.filter(|_| gives));
                    }
                    _ => {}
                }
            }
            if before == (flow.vars.len(), giving.len()) {
                return flow;
            }
        }
    }

    /// What is passed goes to the parameters of whoever may be called, or run by a thread.
    fn pass(&mut self, graph: &CallGraph, action: &Action) {
        let program = self.program;
        let Action::Call { dst, callee, args } = action else {
            return;
        };
        // Nobody goes anywhere else: see `resolve_calls`.
        let result = dst.map(|dst| program.vars[dst].ty);
        let types = || args.iter().map(|&arg| program.exprs.ty(arg));
        let takes = |callee: &FuncId| program.takes(*callee, types(), result);
        let (callees, args): (Vec<FuncId>, &[ExprId]) = match callee {
            Callee::Function(callee) => (vec![*callee], args),
            Callee::Pointer(_) => {
                let mut callees = graph.callees_of(program, action).into_owned();
                callees.retain(takes);
                (callees, args)
            }
            Callee::Builtin(Builtin::Thread(ThreadOp::Spawn)) => match &args[..] {
                [body, args @ ..] => match program.exprs[*body].kind {
                    ExprKind::FuncAddr(body) => (vec![body], args),
                    _ => (program.functions.indices().collect(), args),
                },
                [] => return,
            },
            Callee::Builtin(_) => return,
        };
        for callee in callees {
            let params = program.functions[callee].params.iter();
            for (&param, &arg) in params.zip(args) {
                if self.is_in(arg) {
                    self.vars.insert(param);
                }
            }
        }
    }

    /// Whether a thread may end with one.
    fn is_end_of_threads(&self) -> bool {
        actions(self.program).any(|(_, action)| match action {
            Action::Call {
                callee: Callee::Builtin(Builtin::Thread(ThreadOp::End)),
                args,
                ..
            } => args.iter().any(|&arg| self.is_in(arg)),
            _ => false,
        })
    }

    /// Whether the value of an expression may depend on one.
    fn is_in(&self, expr: ExprId) -> bool {
        let exprs = &self.program.exprs;
        if self.only_pointers && exprs.ty(expr) != Type::Ptr {
            return false;
        }
        match exprs[expr].kind {
            ExprKind::Var(var) => self.vars.contains(&var),
            _ => {
                let begins = match self.begins {
                    Begin::Expr(begins) => begins(self.program, expr),
                    Begin::Addresses => is_address(self.program, expr),
                    Begin::Results => false,
                };
                begins || exprs.children(expr).any(|child| self.is_in(child))
            }
        }
    }

    /// The object whose address an expression says in so many words, or a part of it.
    fn base(&self, ptr: ExprId) -> Option<ObjectId> {
        match self.program.exprs[ptr].kind {
            ExprKind::AddrOf(object) => Some(object),
            ExprKind::PtrAdd(ptr, _) => self.base(ptr),
            _ => None,
        }
    }
}
