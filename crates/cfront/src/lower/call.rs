//! Calls.

use std::sync::{Arc, LazyLock};

use index_vec::IndexVec;
use rhumb_program::{
    Action, Callee as ModelCallee, Cfa, ExprId, ExprKind, FuncId, Function, LocKind, Span,
    TargetKind, Type, UbKind,
};

use super::function::FunctionLowering;
use super::{UnitLowering, library};
use crate::ctypes::{CType, TypeId};
use crate::hir::{self, Block, Body, Callee, FunctionId, LocalId};

/// The body of a function that has none, or that is the front end's own.
pub(super) static NO_BODY: LazyLock<Body> = LazyLock::new(|| Body {
    locals: IndexVec::new(),
    param_count: 0,
    exprs: IndexVec::new(),
    labels: IndexVec::new(),
    block: Block::default(),
    end: Span::default(),
});

impl UnitLowering<'_> {
    /// A function that does what a call of an undefined function does, for those that are called through a pointer.
    pub(super) fn undefined_function_stub(&mut self, id: FunctionId) -> FuncId {
        if let Some(func) = self.functions[id] {
            return func;
        }
        let declared = &self.unit.functions[id];
        let func = self.program.functions.push(Function {
            name: declared.name.clone(),
            params: Vec::new(),
            result: None,
            variadic: false,
            cfa: Cfa::new(),
            span: declared.span,
        });
        self.functions[id] = Some(func);
        FunctionLowering::new(self, &NO_BODY, id, func).lower_stub();
        func
    }
}

impl FunctionLowering<'_, '_> {
    fn lower_stub(mut self) {
        let declared = &self.unit.unit.functions[self.id];
        let (span, name) = (declared.span, declared.name.clone());
        let CType::Function(ty) = self.unit.unit.types.get(declared.ty) else {
            return;
        };
        let (params, result, variadic) = (ty.params.clone(), ty.result, ty.variadic);
        let mut args = Vec::new();
        if self.unit.is_record(result) {
            let var = self.new_var(Type::Ptr, span);
            self.unit.program.functions[self.func].params.push(var);
            self.result_ptr = Some(var);
        }
        for param in params {
            let ty = self.scalar(param).unwrap_or(Type::Ptr);
            let var = self.new_var(ty, span);
            self.unit.program.functions[self.func].params.push(var);
            args.push(self.var(var));
        }
        let function = &mut self.unit.program.functions[self.func];
        function.result = self.unit.unit.types.scalar(result);
        function.variadic = variadic;
        let value = if self.unit.is_target(self.id) {
            self.reach_target(target_kind(&name), span);
            None
        } else {
            self.undefined_call(self.id, &args, result, true, span)
        };
        if self.is_reachable() {
            let value = match (self.result_ptr, value) {
                (Some(var), Some(src)) => {
                    let (dst, size) = (self.var(var), self.size_of(result));
                    self.emit(Action::Copy { dst, src, size }, span);
                    None
                }
                (_, value) => value.filter(|_| self.scalar(result).is_some()),
            };
            let exit = self.cfa.exit;
            self.leave_with(Action::Return { value }, exit, span);
        }
        self.finish();
    }

    /// Address of a function.
    pub(super) fn function_address(&mut self, id: FunctionId) -> ExprId {
        let func = self.unit.undefined_function_stub(id);
        self.node(ExprKind::FuncAddr(func), Type::Ptr)
    }

    /// A call. Gives the result (of a record: its address) unless it is `void` or not wanted.
    pub(super) fn call(
        &mut self,
        callee: Callee,
        args: &[hir::ExprId],
        ty: TypeId,
        wanted: bool,
        span: Span,
    ) -> Option<ExprId> {
        match callee {
            Callee::Function(id) => {
                let args = self.arguments(args, span);
                if self.unit.is_target(id) {
                    let kind = target_kind(&self.unit.unit.functions[id].name);
                    self.reach_target(kind, span);
                    return None;
                }
                if self.unit.unit.functions[id].body.is_none() {
                    return self.undefined_call(id, &args, ty, wanted, span);
                }
                self.defined_call(id, args, ty, wanted, span)
            }
            Callee::Pointer(ptr) => {
                let mut target = self.value(ptr);
                if args.iter().any(|&arg| self.effects[arg]) {
                    target = self.capture(target, span);
                }
                let args = self.arguments(args, span);
                self.emit_call(ModelCallee::Pointer(target), args, ty, wanted, span)
            }
        }
    }

    /// A call of a function with a body.
    pub(super) fn defined_call(
        &mut self,
        id: FunctionId,
        args: Vec<ExprId>,
        ty: TypeId,
        wanted: bool,
        span: Span,
    ) -> Option<ExprId> {
        let func = self.unit.functions[id]?;
        let Some(args) = self.match_params(id, args, span) else {
            self.end_in(LocKind::Ub(UbKind::BadCall), span);
            return None;
        };
        let CType::Function(defined) = self.unit.unit.types.get(self.unit.unit.functions[id].ty)
        else {
            return None;
        };
        let result = self.emit_call(
            ModelCallee::Function(func),
            args,
            defined.result,
            wanted,
            span,
        )?;
        // The declaration that the call sees may say less than the definition (`int f();`).
        match self.scalar(ty) {
            Some(ty) if ty != self.ty(result) => Some(self.convert(result, ty, span)),
            _ => Some(result),
        }
    }

    /// The arguments, from left to right.
    fn arguments(&mut self, args: &[hir::ExprId], span: Span) -> Vec<ExprId> {
        let last_effect = args.iter().rposition(|&arg| self.effects[arg]).unwrap_or(0);
        let mut values = Vec::with_capacity(args.len());
        for (index, &arg) in args.iter().enumerate() {
            let value = self.value(arg);
            values.push(if index < last_effect {
                self.capture(value, span)
            } else {
                value
            });
        }
        values
    }

    /// Converts arguments to the types of the definition's parameters; without a prototype the call couldn't. `None` where their number is wrong.
    fn match_params(
        &mut self,
        id: FunctionId,
        args: Vec<ExprId>,
        span: Span,
    ) -> Option<Vec<ExprId>> {
        let function = &self.unit.unit.functions[id];
        let body = function.body.as_ref()?;
        let CType::Function(ty) = self.unit.unit.types.get(function.ty) else {
            return None;
        };
        let count = body.param_count;
        if args.len() < count || (args.len() > count && !ty.variadic) {
            return None;
        }
        let converted = args.into_iter().enumerate().map(|(index, arg)| {
            let param = (index < count)
                .then(|| self.scalar(body.locals[LocalId::from_usize(index)].ty.ty))
                .flatten();
            match param {
                Some(ty) => self.convert(arg, ty, span),
                None => arg,
            }
        });
        Some(converted.collect())
    }

    fn emit_call(
        &mut self,
        callee: ModelCallee,
        mut args: Vec<ExprId>,
        ty: TypeId,
        wanted: bool,
        span: Span,
    ) -> Option<ExprId> {
        if self.unit.is_record(ty) {
            let result = self.temporary_object(ty, span);
            args.insert(0, result);
            let args = args.into();
            self.emit(
                Action::Call {
                    dst: None,
                    callee,
                    args,
                },
                span,
            );
            return Some(result);
        }
        let scalar = self.scalar(ty).filter(|_| wanted);
        let dst = scalar.map(|ty| self.new_var(ty, span));
        let args = args.into();
        self.emit(Action::Call { dst, callee, args }, span);
        dst.map(|var| self.var(var))
    }
}

/// What a call of a target function is called.
fn target_kind(name: &Arc<str>) -> TargetKind {
    if library::is_assert_fail(name) {
        TargetKind::Assertion
    } else {
        TargetKind::Call(name.clone())
    }
}
