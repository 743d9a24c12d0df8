//! Calls through pointers of functions whose types have other signs.
//!
//! Right for tables of callbacks: an `enum` is an `unsigned int` for gcc, and a function that takes one goes into a table
//! of functions that take an `int`; a comparison gives an `unsigned`. C leaves such a call undefined (C11 6.5.2.2), and
//! gcc's code passes the same bits. So the call goes to the function with what it expects of the same bits, and what it
//! gives is taken for what the call expects.

use rhumb_program::{BinOp, Callee as ModelCallee, ExprId, ExprKind, Span, Type, VarId};

use super::call::Wanted;
use super::function::FunctionLowering;
use crate::ctypes::{CType, TypeId};
use crate::hir::{self, FunctionId};

impl FunctionLowering<'_, '_> {
    /// A call through a pointer that has no further arguments.
    pub(super) fn call_through(
        &mut self,
        ptr: hir::ExprId,
        target: ExprId,
        values: Vec<ExprId>,
        ty: TypeId,
        wanted: Wanted,
        span: Span,
    ) -> Option<ExprId> {
        let target = self.without_strangers(ptr, target, span);
        let others = self.with_other_signs(&values, ty);
        if others.is_empty() {
            return self.emit_call(ModelCallee::Pointer(target), values, ty, wanted, span);
        }
        let target = self.atomic(target, span);
        let values: Vec<ExprId> = (values.into_iter())
            .map(|value| self.atomic(value, span))
            .collect();
        let result = self.scalar(ty).map(|ty| self.new_var(ty, span));
        let behind = self.new_location();
        for id in others {
            let Some(function) = self.unit.functions[id] else {
                continue;
            };
            let address = self.node(ExprKind::FuncAddr(function), Type::Ptr);
            let is_it = self.node(ExprKind::Binary(BinOp::Eq, target, address), Type::Bool);
            let (here, elsewhere) = (self.new_location(), self.new_location());
            self.split(is_it, here, elsewhere, span);
            self.continue_at(here);
            let passed = values.iter().enumerate().map(|(index, &value)| {
                match self.unit.param_type(id, index) {
                    Some(ty) => self.convert(value, ty, span),
                    None => value,
                }
            });
            let passed = passed.collect();
            let given = self.defined_call(id, passed, ty, Wanted::Value, span);
            self.take_result(given, result, behind, span);
            self.continue_at(elsewhere);
        }
        let given = self.emit_call(
            ModelCallee::Pointer(target),
            values,
            ty,
            Wanted::Value,
            span,
        );
        self.take_result(given, result, behind, span);
        self.continue_at(behind);
        result.map(|result| self.var(result))
    }

    /// Goes on behind a call, with what it gave.
    fn take_result(
        &mut self,
        given: Option<ExprId>,
        result: Option<VarId>,
        behind: rhumb_program::LocId,
        span: Span,
    ) {
        if let (Some(given), Some(result)) = (given, result) {
            let ty = self.unit.program.vars[result].ty;
            let given = self.convert(given, ty, span);
            self.assign(result, given, span);
        }
        self.jump(behind, span);
    }

    /// Functions whose addresses are taken, and that a call with these arguments and a result of this type goes to but for
    /// signs.
    fn with_other_signs(&self, args: &[ExprId], ty: TypeId) -> Vec<FunctionId> {
        if self.unit.is_record(ty) {
            return Vec::new();
        }
        let functions = self.unit.unit.functions.iter_enumerated();
        let taken = functions.filter(|(_, function)| function.addr_taken);
        let others = taken.filter(|&(id, function)| {
            let Some(body) = &function.body else {
                return false;
            };
            let CType::Function(own) = self.unit.unit.types.get(function.ty) else {
                return false;
            };
            if own.variadic || self.unit.takes_block[id] || body.param_count != args.len() {
                return false;
            }
            let params = (0..args.len()).map(|index| self.unit.param_type(id, index));
            let given = args.iter().map(|&arg| Some(self.ty(arg)));
            let gives = self.unit.unit.types.scalar(own.result);
            let result = (gives, self.scalar(ty));
            let pairs: Vec<_> = params.zip(given).chain([result]).collect();
            pairs.iter().all(|&(one, other)| is_alike(one, other))
                && pairs.iter().any(|(one, other)| one != other)
        });
        others.map(|(id, _)| id).collect()
    }
}

/// Whether two types differ in nothing but a sign.
fn is_alike(one: Option<Type>, other: Option<Type>) -> bool {
    match (one, other) {
        (Some(Type::Int(one)), Some(Type::Int(other))) => one.width == other.width,
        _ => one == other,
    }
}
