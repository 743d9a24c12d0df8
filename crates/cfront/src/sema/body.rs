//! The function that is being analysed, and the making of nodes in it.

use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_program::{Access, Span, Type};
use rustc_hash::FxHashSet;

use super::Sema;
use super::jump::Jumps;
use super::label::LabelState;
use super::switch::SwitchState;
use crate::ctypes::{CType, QualType, TypeId};
use crate::hir::{
    Expr, ExprId, ExprKind, GlobalId, InitPiece, Label, LabelId, Local, LocalId, LocalInit,
};
use crate::intern::Symbol;

/// What is known about a function while its body is read. Between functions `function` is `None` and only `exprs` is used.
#[derive(Debug, Default)]
pub(super) struct BodyState {
    pub(super) function: Option<FunctionContext>,
    pub(super) locals: IndexVec<LocalId, Local>,
    pub(super) exprs: IndexVec<ExprId, Expr>,
    pub(super) labels: IndexVec<LabelId, Label>,
    pub(super) label_states: IndexVec<LabelId, LabelState>,
    pub(super) label_names: rustc_hash::FxHashMap<Symbol, LabelId>,
    /// Locals declared with `register`.
    pub(super) registers: FxHashSet<LocalId>,
    /// Assignments to the hidden lengths of variable-length arrays, and operands of `typeof` of such types: to be evaluated where the
    /// type stands.
    pub(super) pending_lengths: Vec<ExprId>,
    pub(super) switches: Vec<SwitchState>,
    pub(super) jumps: Jumps,
    /// Number of enclosing loops.
    pub(super) loops: u32,
    /// Number of enclosing loops and switches.
    pub(super) breakable: u32,
    /// Ends of the enclosing blocks in the text.
    pub(super) block_ends: Vec<u32>,
}

/// Facts about the function itself.
#[derive(Debug)]
pub(super) struct FunctionContext {
    pub(super) name: Arc<str>,
    pub(super) result: TypeId,
    /// Whether it takes further arguments.
    pub(super) variadic: bool,
    /// The array `__func__`, once it is used.
    pub(super) func_name: Option<GlobalId>,
}

impl BodyState {
    /// Forgets everything, and keeps the memory for the next use.
    pub(super) fn clear(&mut self) {
        self.exprs.clear();
        self.locals.clear();
        self.pending_lengths.clear();
        self.function = None;
    }
}

impl Sema<'_> {
    pub(super) fn push(&mut self, kind: ExprKind, ty: TypeId, span: Span) -> ExprId {
        self.unit.body.exprs.push(Expr { kind, ty, span })
    }

    pub(super) fn hir(&self, id: ExprId) -> &Expr {
        &self.unit.body.exprs[id]
    }

    pub(super) fn ty(&self, id: ExprId) -> TypeId {
        self.unit.body.exprs[id].ty
    }

    pub(super) fn ctype(&self, id: ExprId) -> &CType {
        self.unit.types.get(self.ty(id))
    }

    pub(super) fn span(&self, id: ExprId) -> Span {
        self.unit.body.exprs[id].span
    }

    /// An expression that had an error.
    pub(super) fn error_expr(&mut self, span: Span) -> ExprId {
        let ty = self.unit.types.basic.error;
        self.push(ExprKind::Const(0), ty, span)
    }

    /// Reports an error and gives an expression that stands for it.
    pub(super) fn fail(&mut self, span: Span, message: impl Into<String>) -> ExprId {
        self.error(span, message);
        self.error_expr(span)
    }

    /// An expression that we don't handle, of no type that matters.
    pub(super) fn unsupported(&mut self, what: impl Into<String>, span: Span) -> ExprId {
        let ty = self.unit.types.basic.error;
        self.push(ExprKind::Unsupported(what.into()), ty, span)
    }

    /// Whether the expression had an error or can't be handled; then an operation on it is the expression itself.
    pub(super) fn is_error(&self, id: ExprId) -> bool {
        self.ty(id) == self.unit.types.basic.error
    }

    /// A constant; `value` is reduced to the integer type.
    pub(super) fn int_const(&mut self, value: i128, ty: TypeId, span: Span) -> ExprId {
        let bits = match self.unit.types.scalar(ty) {
            Some(Type::Int(int)) => int.wrap(value as u128),
            _ => value as u128,
        };
        self.push(ExprKind::Const(bits), ty, span)
    }

    /// A constant of type `size_t`.
    pub(super) fn size_const(&mut self, value: u64, span: Span) -> ExprId {
        self.int_const(i128::from(value), self.unit.types.basic.size, span)
    }

    /// The value of a place. A type without values that we handle gives an [`ExprKind::Unsupported`].
    pub(super) fn load(&mut self, place: ExprId) -> ExprId {
        let (ty, span) = (self.ty(place), self.span(place));
        self.push(ExprKind::Load(place), ty, span)
    }

    /// A hidden local.
    pub(super) fn temporary(&mut self, ty: TypeId, span: Span) -> LocalId {
        self.unit.body.locals.push(Local {
            name: Arc::from(""),
            ty: QualType::plain(ty),
            addr_taken: false,
            align: None,
            type_align: None,
            span,
            visible: Span::default(),
        })
    }

    /// Stores a value in a hidden local, for use more than once: the assignment, and the local.
    pub(super) fn keep(&mut self, value: ExprId) -> (ExprId, LocalId) {
        let (ty, span) = (self.ty(value), self.span(value));
        let local = self.temporary(ty, span);
        let place = self.push(ExprKind::Local(local), ty, span);
        let assignment = self.push(ExprKind::Assign { place, value }, ty, span);
        (assignment, local)
    }

    /// A hidden object in memory with this value: a place, and the local to name it again.
    pub(super) fn keep_in_memory(&mut self, value: ExprId) -> (ExprId, LocalId) {
        let (ty, span) = (self.ty(value), self.span(value));
        let piece = match self.unit.types.scalar(ty) {
            Some(scalar) => InitPiece::Scalar {
                offset: 0,
                access: Access::whole(scalar),
                value,
            },
            None => InitPiece::Record { offset: 0, value },
        };
        self.object_in_memory(ty, vec![piece], span)
    }

    /// A hidden object in memory, zero but for the pieces.
    pub(super) fn object_in_memory(
        &mut self,
        ty: TypeId,
        pieces: Vec<InitPiece>,
        span: Span,
    ) -> (ExprId, LocalId) {
        let local = self.temporary(ty, span);
        self.unit.body.locals[local].addr_taken = true;
        let init = Box::new(LocalInit::Pieces(pieces));
        let kind = ExprKind::CompoundLiteral { local, init };
        (self.push(kind, ty, span), local)
    }

    /// The value of a hidden local.
    pub(super) fn kept(&mut self, local: LocalId, span: Span) -> ExprId {
        let ty = self.unit.body.locals[local].ty.ty;
        let place = self.push(ExprKind::Local(local), ty, span);
        self.load(place)
    }

    /// `first, second`.
    pub(super) fn sequence(&mut self, first: ExprId, second: ExprId) -> ExprId {
        let span = self.span(first).to(self.span(second));
        let ty = self.ty(second);
        self.push(ExprKind::Comma(first, second), ty, span)
    }

    /// Puts the evaluation of array lengths that came up since `mark` before a value.
    pub(super) fn after_lengths(&mut self, mark: usize, value: ExprId) -> ExprId {
        let mut value = value;
        while self.unit.body.pending_lengths.len() > mark {
            if let Some(length) = self.unit.body.pending_lengths.pop() {
                value = self.sequence(length, value);
            }
        }
        value
    }

    /// Where the innermost block ends in the text.
    pub(super) fn block_end(&self) -> u32 {
        self.unit
            .body
            .block_ends
            .last()
            .copied()
            .unwrap_or(u32::MAX)
    }

    /// Whether we are inside a function.
    pub(super) fn in_function(&self) -> bool {
        self.unit.body.function.is_some()
    }
}
