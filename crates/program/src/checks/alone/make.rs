//! Makes the program of one thread among others.

use std::sync::Arc;

use super::super::Application;
use super::kept::implied;
use super::simple::{end_at_once, resolve_calls};
use super::{Choice, Promise, Promises, Unfit, fitness};
use crate::builtin::{Builtin, ThreadOp};
use crate::cfa::{Action, Callee, Cfa, EndKind, LocKind};
use crate::checks::Checks;
use crate::expr::{BinOp, ExprKind};
use crate::ids::{EdgeId, ExprId, FuncId, InputSiteId, ObjectId, TargetId, VarId};
use crate::model::{Function, InputKind, InputSite, Program, Scope, TargetKind};
use crate::span::Span;
use crate::types::{IntType, Type};

pub(super) const COUNT: IntType = IntType::unsigned(32);

/// Which promises others keep, and which one is asked about.
type Chosen = (Vec<VarId>, VarId);

/// The program of one thread of another one, among others that keep these promises. Its targets are those of the given
/// program, and one for each promise, in their order: that this thread doesn't keep it.
pub fn alone(program: &Program, promises: &Promises) -> Result<Program, Unfit> {
    let (work, _) = made(program, promises, false)?;
    Ok(work)
}

/// The same, with all of these promises to choose from. Nothing rests on it: it is for whoever looks for those that are
/// kept.
pub fn alone_with_choice(program: &Program, promises: &Promises) -> Result<Choice, Unfit> {
    let (program, variables) = made(program, promises, true)?;
    let (relied, asked) = variables.ok_or(Unfit("nothing to choose from"))?;
    let broken = TargetId::from_usize(program.targets.len() - 1);
    Ok(Choice {
        program,
        relied,
        asked,
        broken,
    })
}

fn made(
    program: &Program,
    promises: &Promises,
    chooses: bool,
) -> Result<(Program, Option<Chosen>), Unfit> {
    if program.schedule().is_none() {
        return Err(Unfit("one thread"));
    }
    if !promises.are_kept_by_all_steps_together(program) {
        return Err(Unfit("promises that several steps don't keep"));
    }
    fitness::check(program)?;
    let checks = Checks::none();
    let mut work = Application {
        checks: &checks,
        program: program.clone(),
    };
    end_at_once(&mut work);
    let thread = Thread::add(&mut work, promises, chooses);
    thread.ask_what_is_written(&mut work);
    thread.replace_operations(&mut work);
    resolve_calls(&mut work);
    // None of these is left to be asked.
    for site in work.program.inputs.indices() {
        if work.program.inputs[site].kind == InputKind::Schedule {
            work.program.inputs[site].kind = InputKind::Others;
        }
    }
    Ok((work.program, thread.chosen))
}

/// The given program with all its threads, and the same targets: those of promises are reached where a thread is seen to
/// break one, but for promises about locks. Nothing rests on it: it is for whoever wants to know soon which promises are
/// bad.
pub fn all_together(program: &Program, promises: &Promises) -> Program {
    let checks = Checks::none();
    let mut work = Application {
        checks: &checks,
        program: program.clone(),
    };
    let mut thread = Thread::add(&mut work, promises, false);
    thread.is_mine.fill(None);
    thread.ask_what_is_written(&mut work);
    let is_spawn = |action: &Action| {
        let op = Builtin::Thread(ThreadOp::Spawn);
        matches!(action, Action::Call { callee: Callee::Builtin(builtin), .. } if *builtin == op)
    };
    for (function, edge) in work.edges(is_spawn) {
        let value = work.program.exprs.bool(true);
        let dst = thread.has_others;
        let cfa = &mut work.program.functions[function].cfa;
        let created = cfa.add_location(LocKind::Plain);
        let next = std::mem::replace(&mut cfa.edges[edge].target, created);
        let span = cfa.edges[edge].span;
        cfa.add_edge(created, Action::Assign { dst, value }, next, span);
    }
    work.program
}

/// What is known of a thread beside its own state.
pub(super) struct Thread<'p> {
    pub(super) promises: &'p Promises,
    /// Whether there are others.
    pub(super) has_others: VarId,
    /// How many parts without switches have begun.
    atomic: VarId,
    /// For each number that is a lock, whether this thread has changed it last.
    pub(super) is_mine: Vec<Option<VarId>>,
    /// The function in which others go on.
    pub(super) others: FuncId,
    /// Where each promise is broken: the number of its target.
    pub(super) broken: usize,
    /// Where promises are chosen: whether others keep each, and which one this thread is asked about.
    pub(super) chosen: Option<Chosen>,
}

impl<'p> Thread<'p> {
    fn add(work: &mut Application<'_>, promises: &'p Promises, chooses: bool) -> Thread<'p> {
        let span = work.program.functions[work.program.start].span;
        let has_others = work.add_variable(Type::Bool, Scope::Global, span);
        let atomic = work.add_variable(Type::Int(COUNT), Scope::Global, span);
        let is_lock = |number: usize| {
            let mut promises = promises.promises.iter();
            promises
                .any(|promise| matches!(promise, Promise::Owned { lock, .. } if *lock == number))
        };
        let numbers = 0..promises.numbers.len();
        let is_mine = numbers
            .map(|number| {
                is_lock(number).then(|| work.add_variable(Type::Bool, Scope::Global, span))
            })
            .collect();
        let others = work.program.functions.push(Function {
            name: Arc::from("<others>"),
            params: Vec::new(),
            result: None,
            variadic: false,
            cfa: Cfa::new(),
            span,
        });
        let forced = work.add_variable(Type::Bool, Scope::Local(others), span);
        work.program.functions[others].params.push(forced);
        let mut thread = Thread {
            promises,
            has_others,
            atomic,
            is_mine,
            others,
            broken: work.program.targets.len(),
            chosen: None,
        };
        if chooses {
            thread.choose(work, span);
        }
        // Targets have to be somewhere: `ask` finds those that were not used.
        let targets = if chooses { 1 } else { promises.promises.len() };
        for number in 0..targets {
            let start = work.program.start;
            let cfa = &mut work.program.functions[start].cfa;
            let at = cfa.add_location(LocKind::Plain);
            let kind = TargetKind::Goal(format!("promise {number}").into());
            work.add_target(kind, start, at, span);
        }
        thread.let_others_go_on(work, forced, span);
        thread
    }

    /// The body of the function in which others go on, unless this thread is in a part without switches and doesn't wait
    /// there.
    fn let_others_go_on(&self, work: &mut Application<'_>, forced: VarId, span: Span) {
        let function = self.others;
        let cfa = &mut work.program.functions[function].cfa;
        let (entry, done) = (cfa.entry, cfa.add_location(LocKind::Plain));
        let has_others = work.variable(self.has_others);
        let at = work.branch(function, entry, has_others, done, span);
        let atomic = work.variable(self.atomic);
        let zero = work.program.exprs.int(COUNT, 0);
        let is_free = work.program.exprs.binary(BinOp::Eq, atomic, zero);
        let forced = work.variable(forced);
        let may_go_on = work.program.exprs.binary(BinOp::Or, is_free, forced);
        let at = work.branch(function, at, may_go_on, done, span);
        let (old, at) = self.read(work, function, at, span);
        let mut at = at;
        for object in shared_objects(&work.program) {
            let site = self.add_input(work, None, function, span);
            let size = i128::from(work.program.objects[object].size);
            let size_type = work.program.data_model.size_type();
            let exprs = &mut work.program.exprs;
            let (ptr, size) = (exprs.addr_of(object), exprs.int(size_type, size));
            at = work.then(function, at, Action::InputBytes { ptr, size, site }, span);
        }
        let (new, mut at) = self.read(work, function, at, span);
        // What others have changed is not what this thread has changed last.
        let mut mine = vec![None; old.len()];
        for (number, flag) in self.is_mine.iter().enumerate() {
            let Some(flag) = *flag else { continue };
            let before = work.add_variable(Type::Bool, Scope::Local(function), span);
            let value = work.variable(flag);
            at = work.then(function, at, Action::Assign { dst: before, value }, span);
            mine[number] = Some(before);
            let still = work.add_answer(function, span);
            let site = self.add_input(work, Some(Type::Bool), function, span);
            at = work.then(function, at, Action::Input { dst: still, site }, span);
            let (still, was) = (work.variable(still), work.variable(before));
            let same = self.is_same(work, (old[number], new[number]));
            let exprs = &mut work.program.exprs;
            let value = exprs.binary(BinOp::And, was, still);
            let value = exprs.binary(BinOp::And, value, same);
            at = work.then(function, at, Action::Assign { dst: flag, value }, span);
        }
        let gone = work.program.functions[function]
            .cfa
            .add_location(LocKind::End(EndKind::AssumptionFailed));
        for (position, promise) in self.promises.promises.iter().enumerate() {
            if let Promise::Owned { lock, held, number } = *promise {
                let Some(was_mine) = mine[lock] else { continue };
                let is_held = self.is_number(work, lock, old[lock], held);
                let was_mine = work.variable(was_mine);
                let holds = work.program.exprs.binary(BinOp::And, was_mine, is_held);
                let mut kept = self.is_same(work, (old[number], new[number]));
                if lock == number
                    && let Some(flag) = self.is_mine[lock]
                {
                    let still = work.variable(flag);
                    kept = work.program.exprs.binary(BinOp::And, kept, still);
                }
                let kept = implied(work, holds, kept);
                let kept = self.if_relied_on(work, position, kept);
                at = work.branch(function, at, kept, gone, span);
                continue;
            }
            let kept = self.is_kept(work, promise, &old, &new);
            let kept = self.if_relied_on(work, position, kept);
            at = work.branch(function, at, kept, gone, span);
        }
        let cfa = &mut work.program.functions[function].cfa;
        cfa.add_edge(at, Action::Skip, done, span);
        let exit = cfa.exit;
        cfa.add_edge(done, Action::Return { value: None }, exit, span);
    }

    pub(super) fn add_input(
        &self,
        work: &mut Application<'_>,
        ty: Option<Type>,
        function: FuncId,
        span: Span,
    ) -> InputSiteId {
        work.program.inputs.push(InputSite {
            kind: InputKind::Others,
            ty,
            function,
            span,
        })
    }

    /// What threads are made of becomes what one of them sees of it.
    fn replace_operations(&self, work: &mut Application<'_>) {
        let is_op = |action: &Action| {
            matches!(
                action,
                Action::Call {
                    callee: Callee::Builtin(Builtin::Thread(_)),
                    ..
                }
            )
        };
        for (function, edge) in work.edges(is_op) {
            let taken = &mut work.program.functions[function].cfa.edges[edge].action;
            let action = std::mem::replace(taken, Action::Skip);
            let Action::Call {
                dst,
                callee: Callee::Builtin(Builtin::Thread(op)),
                args,
            } = action
            else {
                continue;
            };
            match op {
                ThreadOp::Yield => self.go_on_here(work, function, edge, false),
                ThreadOp::Block => self.go_on_here(work, function, edge, true),
                ThreadOp::AtomicBegin => self.count(work, function, edge, true),
                ThreadOp::AtomicEnd => self.count(work, function, edge, false),
                ThreadOp::MayWait | ThreadOp::End | ThreadOp::Races { .. } => {}
                ThreadOp::Spawn => self.create(work, function, edge, dst, &args),
                ThreadOp::Current | ThreadOp::IsDone | ThreadOp::Result => {
                    self.leave_open(work, function, edge, dst);
                }
            }
        }
    }

    /// Others go on.
    fn go_on_here(&self, work: &mut Application<'_>, function: FuncId, edge: EdgeId, forced: bool) {
        let forced = work.program.exprs.bool(forced);
        work.program.functions[function].cfa.edges[edge].action = Action::Call {
            dst: None,
            callee: Callee::Function(self.others),
            args: [forced].into(),
        };
    }

    /// A part without switches begins or ends.
    fn count(&self, work: &mut Application<'_>, function: FuncId, edge: EdgeId, begins: bool) {
        let count = work.variable(self.atomic);
        let exprs = &mut work.program.exprs;
        let (zero, one) = (exprs.int(COUNT, 0), exprs.int(COUNT, 1));
        let op = if begins { BinOp::Add } else { BinOp::Sub };
        let value = exprs.binary(op, count, one);
        let dst = self.atomic;
        work.program.functions[function].cfa.edges[edge].action = Action::Assign { dst, value };
        if !begins {
            let is_none = work.program.exprs.binary(BinOp::Eq, count, zero);
            let next = work.program.functions[function].cfa.edges[edge].target;
            work.require_before((function, edge), is_none, false, next);
        }
    }

    /// A thread is created: this one goes on, or that one does instead.
    fn create(
        &self,
        work: &mut Application<'_>,
        function: FuncId,
        edge: EdgeId,
        dst: Option<VarId>,
        args: &[ExprId],
    ) {
        let span = work.program.functions[function].cfa.edges[edge].span;
        let yes = work.program.exprs.bool(true);
        let no = work.program.exprs.bool(false);
        self.leave_open(work, function, edge, dst);
        let next = work.program.functions[function].cfa.edges[edge].target;
        let cfa = &mut work.program.functions[function].cfa;
        let created = cfa.add_location(LocKind::Plain);
        cfa.edges[edge].target = created;
        let dst = self.has_others;
        let at = work.then(function, created, Action::Assign { dst, value: yes }, span);
        let becomes = work.add_answer(function, span);
        let site = self.add_input(work, Some(Type::Bool), function, span);
        let at = work.then(function, at, Action::Input { dst: becomes, site }, span);
        let becomes = work.variable(becomes);
        let mut at = work.branch(function, at, becomes, next, span);
        // It has changed nothing yet, and is in no part without switches.
        for flag in self.is_mine.iter().flatten() {
            let action = Action::Assign {
                dst: *flag,
                value: no,
            };
            at = work.then(function, at, action, span);
        }
        let zero = work.program.exprs.int(COUNT, 0);
        let dst = self.atomic;
        at = work.then(function, at, Action::Assign { dst, value: zero }, span);
        let callee = Callee::Function(self.others);
        let (dst, args_of_others) = (None, [no].into());
        let action = Action::Call {
            dst,
            callee,
            args: args_of_others,
        };
        at = work.then(function, at, action, span);
        let [body, args @ ..] = args else { return };
        if let ExprKind::FuncAddr(body) = work.program.exprs[*body].kind {
            let action = Action::Call {
                dst: None,
                callee: Callee::Function(body),
                args: args.into(),
            };
            at = work.then(function, at, action, span);
        }
        work.program.functions[function].cfa.locations[at].kind = LocKind::End(EndKind::Exit);
    }

    /// A variable gets any value.
    fn leave_open(
        &self,
        work: &mut Application<'_>,
        function: FuncId,
        edge: EdgeId,
        dst: Option<VarId>,
    ) {
        let Some(dst) = dst else { return };
        let (ty, span) = {
            let edge = &work.program.functions[function].cfa.edges[edge];
            (work.program.vars[dst].ty, edge.span)
        };
        let action = match ty {
            Type::Ptr => {
                let what = "what a thread ends with".to_owned();
                let what = work
                    .program
                    .approximations
                    .push(crate::model::Approximation { what, span });
                Action::Approximate {
                    dst: Some(dst),
                    what,
                }
            }
            _ => {
                let site = self.add_input(work, Some(ty), function, span);
                Action::Input { dst, site }
            }
        };
        work.program.functions[function].cfa.edges[edge].action = action;
    }
}

/// Objects that several threads may write.
fn shared_objects(program: &Program) -> Vec<ObjectId> {
    let objects = program.objects.iter_enumerated();
    let shared = objects.filter(|(_, object)| {
        object.scope == Scope::Global && !object.read_only && object.size > 0
    });
    shared.map(|(id, _)| id).collect()
}
