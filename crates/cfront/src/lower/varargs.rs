//! The further arguments of variadic functions.
//!
//! A function that calls `va_start` has one more parameter: a pointer to a block of memory in which the caller lays the
//! further arguments one behind the other, each with a tag that says how its type is passed. A `va_list` points to the
//! next one. Reading behind the last argument leaves the block, and reading an argument as something else meets the
//! wrong tag: undefined behaviour is found where C has it.

use rhumb_program::{
    Action, BinOp, DataModel, ExprId, ExprKind, FloatType, IntType, LocKind, Object, ObjectId,
    Scope, Shape, Span, Type, UbKind,
};

use super::function::FunctionLowering;
use super::{temporary, whole};
use crate::ctypes::{CType, TypeId};
use crate::hir::{self, ExprKind as Hir, Intrinsic};

/// Arguments and tags start at multiples of this, the greatest alignment that a type has.
const UNIT: u64 = 16;

/// The type of a tag.
const TAG: IntType = IntType::unsigned(32);

/// Whether a function asks for its further arguments.
pub(super) fn takes_block(function: &hir::Function) -> bool {
    let exprs = function.body.iter().flat_map(|body| &body.exprs);
    let mut intrinsics = exprs.filter_map(|expr| match &expr.kind {
        Hir::Intrinsic(intrinsic, _) => Some(*intrinsic),
        _ => None,
    });
    intrinsics.any(|intrinsic| intrinsic == Intrinsic::VaStart)
}

/// The further arguments of a call.
pub(super) struct ArgumentBlock {
    /// Where they lie, if there are any.
    object: Option<ObjectId>,
    /// What is passed instead of them.
    pub(super) args: [ExprId; 2],
}

impl FunctionLowering<'_, '_> {
    /// Adds the parameters for further arguments. The first one makes sure that only a call with a block fits: nothing
    /// else passes a `Bool` to a function without saying so in its type.
    pub(super) fn receive_block(&mut self, span: Span) {
        let [mark, block] = [Type::Bool, Type::Ptr].map(|ty| self.new_var(ty, span));
        self.block_ptr = Some(block);
        let function = &mut self.unit.program.functions[self.func];
        function.params.extend([mark, block]);
        function.variadic = false;
    }

    /// A call without further arguments.
    pub(super) fn empty_block(&mut self) -> ArgumentBlock {
        let null = self.node(ExprKind::Const(0), Type::Ptr);
        self.block_at(None, null)
    }

    fn block_at(&mut self, object: Option<ObjectId>, address: ExprId) -> ArgumentBlock {
        let mark = self.node(ExprKind::Const(1), Type::Bool);
        ArgumentBlock {
            object,
            args: [mark, address],
        }
    }

    /// Lays arguments into a block; `values` are those of `args`, which have been promoted.
    pub(super) fn argument_block(
        &mut self,
        args: &[hir::ExprId],
        values: &[ExprId],
        span: Span,
    ) -> ArgumentBlock {
        if args.is_empty() {
            return self.empty_block();
        }
        let types: Vec<TypeId> = args.iter().map(|&arg| self.body.exprs[arg].ty).collect();
        let sizes = types.iter().map(|&ty| self.entry_size(ty));
        let object = self.unit.program.objects.push(Object {
            decl: temporary(span),
            size: sizes.fold(0, u64::saturating_add),
            align: UNIT,
            shape: Shape::Bytes,
            scope: Scope::Local(self.func),
            read_only: false,
            init: Vec::new(),
        });
        self.emit(Action::Enter(object), span);
        let block = self.node(ExprKind::AddrOf(object), Type::Ptr);
        let mut offset: u64 = 0;
        for (&ty, &value) in types.iter().zip(values) {
            let tag = self.unit.int(TAG, i128::from(self.tag(ty)));
            let action = Action::Store {
                ptr: self.offset(block, offset),
                value: tag,
                access: whole(Type::Int(TAG)),
            };
            self.emit(action, span);
            let ptr = self.offset(block, offset.saturating_add(UNIT));
            let action = match self.scalar(ty) {
                Some(scalar) => Action::Store {
                    ptr,
                    value,
                    access: whole(scalar),
                },
                None => Action::Copy {
                    dst: ptr,
                    src: value,
                    size: self.size_of(ty),
                },
            };
            self.emit(action, span);
            offset = offset.saturating_add(self.entry_size(ty));
        }
        self.block_at(Some(object), block)
    }

    /// The call is over: nothing may refer to its arguments any more.
    pub(super) fn end_block(&mut self, block: &ArgumentBlock, span: Span) {
        if let Some(object) = block.object
            && self.is_reachable()
        {
            self.emit(Action::Leave(object), span);
        }
    }

    /// `va_start`: the list begins with the first argument of the block.
    pub(super) fn va_start(&mut self, list: hir::ExprId, span: Span) {
        let list = self.value(list);
        let place = self.next_argument(list, span);
        let Some(block) = self.block_ptr else {
            // Analysis reports `va_start` where there are no further arguments.
            return;
        };
        let value = self.var(block);
        let access = whole(Type::Ptr);
        let (ptr, size) = (place, self.pointer_size());
        self.check_range(ptr, size, true, span);
        self.emit(Action::Store { ptr, value, access }, span);
    }

    /// `va_copy`.
    pub(super) fn va_copy(&mut self, to: hir::ExprId, from: hir::ExprId, span: Span) {
        let to = self.value(to);
        let to = self.capture(to, span);
        let from = self.value(from);
        let from = self.atomic(from, span);
        let size = self.size_of(self.unit.unit.types.basic.va_list);
        self.check_range(to, size, true, span);
        self.check_range(from, size, false, span);
        let (dst, src) = (to, from);
        self.emit(Action::Copy { dst, src, size }, span);
    }

    /// `va_arg`: the value of the next argument, or the address of a record. The list moves on.
    pub(super) fn va_arg(&mut self, list: hir::ExprId, ty: TypeId, span: Span) -> ExprId {
        let list = self.value(list);
        let place = self.next_argument(list, span);
        let size = self.pointer_size();
        self.check_range(place, size, true, span);
        let entry = self.load(place, Type::Ptr, span);
        let header = self.unit.size(UNIT);
        self.check_range(entry, header, false, span);
        let tag = self.load(entry, Type::Int(TAG), span);
        let expected = self.unit.int(TAG, i128::from(self.tag(ty)));
        let fits = self.node(ExprKind::Binary(BinOp::Eq, tag, expected), Type::Bool);
        self.require(fits, true, LocKind::Ub(UbKind::BadRead), span);
        let argument = self.offset(entry, UNIT);
        let value = match self.scalar(ty) {
            Some(scalar) => self.load(argument, scalar, span),
            None => argument,
        };
        let next = self.offset(entry, self.entry_size(ty));
        let action = Action::Store {
            ptr: place,
            value: next,
            access: whole(Type::Ptr),
        };
        self.emit(action, span);
        value
    }

    /// The place in a list that has the address of the next argument. What else there is in it is not used.
    fn next_argument(&mut self, list: ExprId, span: Span) -> ExprId {
        let place = match self.unit.unit.types.model {
            DataModel::Ilp32 => list,
            DataModel::Lp64 => self.offset(list, 8),
        };
        self.atomic(place, span)
    }

    fn pointer_size(&mut self) -> ExprId {
        let bytes = u64::from(self.unit.unit.types.model.pointer_width() / 8);
        self.unit.size(bytes)
    }

    fn load(&mut self, ptr: ExprId, ty: Type, span: Span) -> ExprId {
        let dst = self.new_var(ty, span);
        let access = whole(ty);
        self.emit(Action::Load { dst, ptr, access }, span);
        self.var(dst)
    }

    /// Bytes that an argument takes in a block, with its tag.
    fn entry_size(&self, ty: TypeId) -> u64 {
        let size = self.unit.unit.types.size_of(ty).unwrap_or(0);
        let rounded = size.checked_next_multiple_of(UNIT);
        rounded.unwrap_or(size).saturating_add(UNIT)
    }

    /// How a type is passed: integers and pointers by their size, everything else for itself.
    fn tag(&self, ty: TypeId) -> u32 {
        let types = &self.unit.unit.types;
        match (types.scalar(ty), types.get(ty)) {
            (Some(Type::Bool), _) => 1,
            (Some(Type::Float(float)), _) => match float {
                FloatType::F32 => 101,
                FloatType::F64 => 102,
                FloatType::X87 => 103,
                FloatType::F128 => 104,
            },
            (Some(scalar), _) => scalar.size(types.model) as u32,
            (None, CType::Record(id)) => 1000 + id.index() as u32,
            (None, _) => 0,
        }
    }
}
