//! Threads: where another one may go on, and what the library's text says of them.
//!
//! Every access to memory has such a place before it, and so has everything that ends a lifetime, or the run: so there
//! is at most one of these between two places. What is not shared is found out later, by those who look at runs.

use std::ops::Range;

use rhumb_program::{
    Action, AllocKind, BinOp, Builtin, Callee, EdgeId, EndKind, ExprId, ExprKind, Init, InputKind,
    IntType, LocId, LocKind, ObjectId, Scope, Span, ThreadOp, Type, VarId,
};

use super::function::FunctionLowering;
use super::{Home, UnitLowering};
use crate::hir::{BinaryOp, FunctionId, GlobalId};

/// What the names of functions whose bodies are not interrupted start with.
const ATOMIC: &str = "__VERIFIER_atomic_";

/// What names of the library's own objects start with: nobody leaves those.
const LIBRARY: &str = "__rhumb_";

/// Threads that can have thread-local objects.
const COPIES: u64 = 32;

/// Whether the name, without what all of them start with, is one of those below.
pub(super) fn is_hook(name: &str) -> bool {
    matches!(
        name,
        "yield"
            | "atomic_begin"
            | "atomic_end"
            | "block"
            | "may_wait"
            | "spawn"
            | "start"
            | "current"
            | "end"
            | "is_done"
            | "result"
            | "holds"
    )
}

/// The same, for functions of verification tools.
pub(super) fn dialect_hook(name: &str) -> Option<&'static str> {
    Some(match name {
        "__VERIFIER_atomic_begin" | "__CPROVER_atomic_begin" | "__ESBMC_atomic_begin" => {
            "atomic_begin"
        }
        "__VERIFIER_atomic_end" | "__CPROVER_atomic_end" | "__ESBMC_atomic_end" => "atomic_end",
        "__ESBMC_yield" => "yield",
        _ => return None,
    })
}

impl UnitLowering<'_> {
    /// How many of a global there are.
    pub(super) fn copies(&self, id: GlobalId) -> u64 {
        match self.has_threads && self.unit.globals[id].thread_local {
            true => COPIES,
            false => 1,
        }
    }

    /// Whether they are objects of their own, one behind the other in the list of objects: whoever gets an address can go beyond its
    /// object. (All others are parts of one.)
    pub(super) fn has_own_objects(&self, id: GlobalId) -> bool {
        let global = &self.unit.globals[id];
        let is_reached = global.addr_taken || self.unit.types.scalar(global.ty.ty).is_none();
        let is_own = global.init.is_some() && !global.name.starts_with(LIBRARY);
        self.copies(id) > 1 && is_reached && is_own
    }

    /// The distance between two of them.
    fn stride(&self, id: GlobalId) -> u64 {
        let ty = self.unit.globals[id].ty.ty;
        self.unit.types.size_of(ty).unwrap_or(0)
    }

    /// First values for all copies of a global.
    pub(super) fn for_each_thread(&self, id: GlobalId, pieces: Vec<Init>) -> Vec<Init> {
        let stride = self.stride(id);
        let copies = (0..self.copies(id)).flat_map(|copy| {
            let mut pieces = pieces.clone();
            for piece in &mut pieces {
                match piece {
                    Init::Bytes { offset, .. } | Init::Scalar { offset, .. } => {
                        *offset += copy * stride;
                    }
                }
            }
            pieces
        });
        copies.collect()
    }

    /// The input that says which thread goes on.
    pub(super) fn add_schedule(&mut self, entry: FunctionId) {
        if self.has_threads {
            let (start, span) = (self.program.start, self.unit.functions[entry].span);
            let ty = Some(Type::Int(IntType::unsigned(16)));
            self.add_input(InputKind::Schedule, ty, start, span);
        }
    }
}

impl FunctionLowering<'_, '_> {
    /// The address of the copy of a global that this thread has.
    pub(super) fn own_copy(&mut self, id: GlobalId, first: ExprId, span: Span) -> ExprId {
        let int = Type::Int(IntType::INT);
        let dst = self.new_var(int, span);
        let action = Action::Call {
            dst: Some(dst),
            callee: Callee::Builtin(Builtin::Thread(ThreadOp::Current)),
            args: Box::new([]),
        };
        self.emit(action, span);
        let current = self.var(dst);
        let count = self.unit.int(IntType::INT, COPIES.into());
        let is_there = self.node(ExprKind::Binary(BinOp::Lt, current, count), Type::Bool);
        let (there, beyond) = (self.new_location(), self.new_location());
        self.split(is_there, there, beyond, span);
        self.continue_at(beyond);
        self.unsupported("objects of their own for many threads", span);
        self.continue_at(there);
        if let (true, Home::Object(first)) =
            (self.unit.has_own_objects(id), self.unit.global_home(id))
        {
            let (dst, end) = (self.new_var(Type::Ptr, span), self.new_location());
            self.choose_object((dst, first), current, 0..COPIES, end, span);
            self.continue_at(end);
            return self.var(dst);
        }
        let distance = self.unit.unit.types.model.ptrdiff_type();
        let current = self.convert(current, Type::Int(distance), span);
        let stride = self.unit.int(distance, self.unit.stride(id).into());
        let bytes = self.wrapping(BinaryOp::Mul, current, stride);
        self.ptr_add(first, bytes)
    }

    /// Sets a pointer to the object that belongs to a number of a range, by halves.
    fn choose_object(
        &mut self,
        (dst, first): (VarId, ObjectId),
        number: ExprId,
        range: Range<u64>,
        end: LocId,
        span: Span,
    ) {
        let middle = range.start.midpoint(range.end);
        if middle == range.start {
            let object = ObjectId::from_raw(first.raw() + range.start as u32);
            let address = self.node(ExprKind::AddrOf(object), Type::Ptr);
            self.assign(dst, address, span);
            return self.jump(end, span);
        }
        let limit = self.unit.int(IntType::INT, middle.into());
        let is_below = self.node(ExprKind::Binary(BinOp::Lt, number, limit), Type::Bool);
        let (below, rest) = (self.new_location(), self.new_location());
        self.split(is_below, below, rest, span);
        self.continue_at(below);
        self.choose_object((dst, first), number, range.start..middle, end, span);
        self.continue_at(rest);
        self.choose_object((dst, first), number, middle..range.end, end, span);
    }

    /// Whether no other thread goes on while this function runs.
    pub(super) fn is_atomic(&self) -> bool {
        let name = &*self.unit.unit.functions[self.id].name;
        self.unit.has_threads && name.starts_with(ATOMIC) && dialect_hook(name).is_none()
    }

    /// Before an action that others may see: another thread may go on.
    pub(super) fn let_others_go_on(&mut self, action: &Action, span: Span) {
        let is_visible = match action {
            Action::Load { .. }
            | Action::Store { .. }
            | Action::Copy { .. }
            | Action::Fill { .. }
            | Action::InputBytes { .. }
            | Action::Free { .. }
            | Action::Leave(_)
            | Action::Exit { .. } => true,
            // Local objects end with it.
            Action::Return { .. } => {
                let (objects, own) = (&self.unit.program.objects, Scope::Local(self.func));
                objects.iter().any(|object| object.scope == own)
            }
            _ => false,
        };
        if is_visible {
            self.thread_op(ThreadOp::Yield, span);
        }
        if matches!(action, Action::Return { .. }) && self.is_atomic() {
            self.thread_op(ThreadOp::AtomicEnd, span);
        }
    }

    /// Memory that lasts until a function returns ends with it, as local objects do: before that others may go on. Where
    /// there is such memory is known when all of the function is lowered.
    pub(super) fn let_others_go_on_before_returns(&mut self) {
        if !self.unit.has_threads || self.is_atomic() {
            return;
        }
        let mut edges = self.cfa.edges.iter();
        let allocates = edges.any(|edge| {
            let kind = AllocKind::Stack;
            matches!(edge.action, Action::Alloc { kind: of, .. } if of == kind)
        });
        if !allocates {
            return;
        }
        let edges = self.cfa.edges.iter_enumerated();
        let returns = edges.filter(|(_, edge)| matches!(edge.action, Action::Return { .. }));
        let returns: Vec<EdgeId> = returns.map(|(id, _)| id).collect();
        for id in returns {
            let (source, span) = (self.cfa.edges[id].source, self.cfa.edges[id].span);
            let between = self.new_location();
            self.cfa.locations[source]
                .outgoing
                .retain(|&edge| edge != id);
            self.cfa
                .add_edge(source, call(ThreadOp::Yield), between, span);
            self.cfa.edges[id].source = between;
            self.cfa.locations[between].outgoing.push(id);
        }
    }

    /// A place before the end of a run: others may go on first. Not before the end behind an [`Action::Exit`]: with
    /// that the run is over, and others may go on before it ([`Self::let_others_go_on`]).
    pub(super) fn before_end(&mut self, sink: LocId) -> LocId {
        if !matches!(
            self.cfa.locations[sink].kind,
            LocKind::End(EndKind::Abort | EndKind::AssumptionFailed | EndKind::WaitsForever)
                | LocKind::Ub(_)
        ) {
            return sink;
        }
        let before = self.new_location();
        let action = call(ThreadOp::Yield);
        let span = self.unit.unit.functions[self.id].span;
        self.cfa.add_edge(before, action, sink, span);
        before
    }

    pub(super) fn begin_atomic(&mut self, span: Span) {
        if self.unit.has_threads {
            self.thread_op(ThreadOp::Yield, span);
            self.thread_op(ThreadOp::AtomicBegin, span);
        }
    }

    pub(super) fn end_atomic(&mut self, span: Span) {
        if self.unit.has_threads {
            self.thread_op(ThreadOp::AtomicEnd, span);
        }
    }

    fn thread_op(&mut self, op: ThreadOp, span: Span) {
        self.emit(call(op), span);
    }

    /// A call of one of these functions.
    pub(super) fn thread_hook(
        &mut self,
        hook: &str,
        args: &[ExprId],
        span: Span,
    ) -> Option<ExprId> {
        let int = Type::Int(IntType::INT);
        if hook == "holds" {
            let ptr = self.argument(args[0], Type::Ptr, span);
            let size = Type::Int(self.unit.unit.types.model.size_type());
            let size = self.argument(args[1], size, span);
            let write = true;
            let holds = self.node(ExprKind::AccessOk { ptr, size, write }, Type::Bool);
            return Some(self.convert(holds, int, span));
        }
        if !self.unit.has_threads {
            // There is one thread, and if it waits it does so forever.
            return match hook {
                "current" => Some(self.unit.int(IntType::INT, 0)),
                "block" => {
                    self.end_in(LocKind::End(EndKind::WaitsForever), span);
                    None
                }
                "may_wait" if self.unit.options.asks_for_ends => {
                    self.unsupported("whether a wait for a condition ends", span);
                    None
                }
                // Who asks for deadlocks has one there.
                "may_wait" => {
                    self.emit(call(ThreadOp::MayWait), span);
                    None
                }
                "yield" | "atomic_begin" | "atomic_end" => {
                    self.emit(Action::Skip, span);
                    None
                }
                // It is the last one.
                "end" => {
                    let code = self.unit.int(IntType::INT, 0);
                    self.exit(code, span);
                    None
                }
                _ => {
                    self.unsupported("what other threads do, in a program that starts none", span);
                    None
                }
            };
        }
        let (op, result) = match hook {
            "start" => return Some(self.begin_thread(args[0], args[1], span)),
            "yield" => (ThreadOp::Yield, None),
            "atomic_begin" => {
                self.begin_atomic(span);
                return None;
            }
            "atomic_end" => (ThreadOp::AtomicEnd, None),
            "block" => (ThreadOp::Block, None),
            "may_wait" => (ThreadOp::MayWait, None),
            "spawn" => (ThreadOp::Spawn, Some(int)),
            "current" => (ThreadOp::Current, Some(int)),
            "is_done" => (ThreadOp::IsDone, Some(int)),
            "result" => (ThreadOp::Result, Some(Type::Ptr)),
            _ => (ThreadOp::End, None),
        };
        if op == ThreadOp::Spawn {
            self.count_thread(span);
        }
        if op == ThreadOp::End {
            self.exit_if_last(span);
            // Local objects end with it, and others may wait for that.
            self.thread_op(ThreadOp::Yield, span);
        }
        let dst = result.map(|ty| self.new_var(ty, span));
        let callee = Callee::Builtin(Builtin::Thread(op));
        let action = Action::Call {
            dst,
            callee,
            args: args.into(),
        };
        if op == ThreadOp::End {
            let end = self.cfa.add_location(LocKind::End(EndKind::Exit));
            self.leave_with(action, end, span);
            return None;
        }
        self.emit(action, span);
        dst.map(|var| self.var(var))
    }
}

fn call(op: ThreadOp) -> Action {
    Action::Call {
        dst: None,
        callee: Callee::Builtin(Builtin::Thread(op)),
        args: Box::new([]),
    }
}
