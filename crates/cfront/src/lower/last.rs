//! The last thread: with it the run ends as `exit` ends it (C11 7.26.5.5, POSIX `pthread_exit`).
//!
//! Only where functions were given to `atexit`, or destructors are there, does anybody see a difference to a run that
//! just stops; so only there threads are counted, in memory.

use rhumb_program::{
    Access, Action, BinOp, ExprId, ExprKind, IntType, Object, ObjectId, Scope, Shape, Span, Type,
};

use super::function::FunctionLowering;
use super::start::EXIT_FUNCTIONS;
use super::{UnitLowering, temporary};
use crate::hir::BinaryOp;

const COUNT: IntType = IntType::INT;

impl UnitLowering<'_> {
    /// Whether something runs when the program exits.
    pub(super) fn has_exit_functions(&self) -> bool {
        !self.unit.destructors.is_empty() || self.models.contains_key(EXIT_FUNCTIONS)
    }

    /// The object that counts the threads beside the first one that haven't ended.
    fn others_object(&mut self) -> ObjectId {
        if let Some(object) = self.others {
            return object;
        }
        let object = self.program.objects.push(Object {
            decl: temporary(Span::default()),
            size: u64::from(COUNT.width / 8),
            align: u64::from(COUNT.width / 8),
            shape: Shape::Bytes,
            scope: Scope::Global,
            read_only: false,
            init: Vec::new(),
        });
        self.others = Some(object);
        object
    }
}

impl FunctionLowering<'_, '_> {
    /// Before a thread is created: there is one more.
    pub(super) fn count_thread(&mut self, span: Span) {
        if !self.unit.has_exit_functions() {
            return;
        }
        self.begin_atomic(span);
        let others = self.load_others(span);
        let one = self.unit.int(COUNT, 1);
        let value = self.wrapping(BinaryOp::Add, others, one);
        self.store_others(value, span);
        self.end_atomic(span);
    }

    /// Before a thread ends: if it is the last one, the run exits.
    pub(super) fn exit_if_last(&mut self, span: Span) {
        if !self.unit.has_exit_functions() {
            return;
        }
        self.begin_atomic(span);
        let others = self.load_others(span);
        let zero = self.unit.int(COUNT, 0);
        let is_last = self.node(ExprKind::Binary(BinOp::Eq, others, zero), Type::Bool);
        let (last, next) = (self.new_location(), self.new_location());
        self.split(is_last, last, next, span);
        self.continue_at(last);
        self.end_atomic(span);
        self.exit(zero, span);
        self.continue_at(next);
        let one = self.unit.int(COUNT, 1);
        let value = self.wrapping(BinaryOp::Sub, others, one);
        self.store_others(value, span);
        self.end_atomic(span);
    }

    fn load_others(&mut self, span: Span) -> ExprId {
        let object = self.unit.others_object();
        let ptr = self.node(ExprKind::AddrOf(object), Type::Ptr);
        let access = Access::whole(Type::Int(COUNT));
        let dst = self.new_var(Type::Int(COUNT), span);
        self.emit(Action::Load { dst, ptr, access }, span);
        self.var(dst)
    }

    fn store_others(&mut self, value: ExprId, span: Span) {
        let object = self.unit.others_object();
        let ptr = self.node(ExprKind::AddrOf(object), Type::Ptr);
        let access = Access::whole(Type::Int(COUNT));
        self.emit(Action::Store { ptr, value, access }, span);
    }
}
