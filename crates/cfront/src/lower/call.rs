//! Calls.

use std::sync::{Arc, LazyLock};

use index_vec::IndexVec;
use rhumb_program::{
    Action, Callee as ModelCallee, Cfa, ExprId, ExprKind, FloatType, FuncId, Function, IntType,
    LocKind, Span, TargetKind, Type, UbKind, VarId,
};

use super::effects::Effects;
use super::function::FunctionLowering;
use super::functions::plain_name;
use super::order::Order;
use super::varargs::ArgumentBlock;
use super::{UnitLowering, library};
use crate::ctypes::{CType, TypeId};
use crate::hir::{self, Block, Body, Callee, FunctionId, LocalId};
use crate::models;

/// The body of a function that has none, or that is the front end's own.
pub(super) static NO_BODY: LazyLock<Body> = LazyLock::new(|| Body {
    locals: IndexVec::new(),
    param_count: 0,
    exprs: IndexVec::new(),
    labels: IndexVec::new(),
    block: Block::default(),
    end: Span::default(),
});

/// A call of a function without a body.
#[derive(Clone, Copy)]
pub(super) struct OuterCall<'a> {
    /// The function, as it is declared.
    pub(super) id: FunctionId,
    pub(super) args: &'a [ExprId],
    /// The type of the result.
    pub(super) ty: TypeId,
    pub(super) wanted: Wanted,
    pub(super) span: Span,
}

/// What is done with the value of a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Wanted {
    /// It is dropped.
    Nothing,
    /// It is used.
    Value,
    /// It goes to this variable, if it has the variable's type.
    In(VarId),
}

impl UnitLowering<'_> {
    /// The type in which a function takes a parameter; `None` for a record, which is passed by its address. A function
    /// that is defined without a prototype takes what a call without a prototype passes (C11 6.5.2.2).
    pub(super) fn param_type(&self, id: FunctionId, index: usize) -> Option<Type> {
        let function = &self.unit.functions[id];
        let local = function
            .body
            .as_ref()?
            .locals
            .get(LocalId::from_usize(index))?;
        let declared = self.unit.types.scalar(local.ty.ty)?;
        let CType::Function(ty) = self.unit.types.get(function.ty) else {
            return Some(declared);
        };
        Some(match declared {
            Type::Bool if ty.unspecified => Type::Int(IntType::INT),
            Type::Int(int) if ty.unspecified && int.width < IntType::INT.width => {
                Type::Int(IntType::INT)
            }
            Type::Float(FloatType::F32) if ty.unspecified => Type::Float(FloatType::F64),
            _ => declared,
        })
    }

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
        let (params, result) = (ty.params.clone(), ty.result);
        // What else a call may pass is not seen here.
        let variadic = ty.variadic || ty.unspecified;
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
        } else if variadic && self.unit.library_effect(self.id).is_some() {
            self.unsupported(&format!("call of `{name}` through a pointer"), span);
            None
        } else {
            self.undefined_call(OuterCall {
                id: self.id,
                args: &args,
                ty: result,
                wanted: Wanted::Value,
                span,
            })
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

    /// The address of a function that may not exist is not known.
    pub(super) fn refuse_absent(&mut self, id: FunctionId, span: Span) {
        let name = &self.unit.unit.functions[id].name;
        let what = format!("`{name}`, which is weak and may not exist");
        self.unsupported(&what, span);
    }

    /// Address of a function.
    pub(super) fn function_address(&mut self, id: FunctionId, span: Span) -> ExprId {
        if self.unit.may_be_absent(id) {
            self.refuse_absent(id, span);
        }
        let func = self.unit.undefined_function_stub(id);
        self.node(ExprKind::FuncAddr(func), Type::Ptr)
    }

    /// A call. Gives the result (of a record: its address) unless it is `void` or not wanted.
    pub(super) fn call(
        &mut self,
        callee: Callee,
        args: &[hir::ExprId],
        ty: TypeId,
        wanted: Wanted,
        span: Span,
    ) -> Option<ExprId> {
        match callee {
            Callee::Function(id) => {
                let mut values = self.arguments(args, span);
                self.mark_call(id, span);
                if self.unit.is_target(id) {
                    let kind = target_kind(&self.unit.unit.functions[id].name);
                    self.reach_target(kind, span);
                    return None;
                }
                if self.breaks_promise(id) {
                    let name = &self.unit.unit.functions[id].name;
                    let what = format!("`{name}`, which is `const` or `pure` and has side effects");
                    self.unsupported(&what, span);
                    return None;
                }
                let is_undefined = self.unit.unit.functions[id].body.is_none();
                let model = is_undefined
                    .then(|| self.variadic_model(id, &values))
                    .flatten();
                if is_undefined && model.is_none() {
                    let args = &values;
                    return self.undefined_call(OuterCall {
                        id,
                        args,
                        ty,
                        wanted,
                        span,
                    });
                }
                let id = model.unwrap_or(id);
                if !self.unit.takes_block[id] {
                    return self.defined_call(id, values, ty, wanted, span);
                }
                let body = self.unit.unit.functions[id].body.as_ref();
                let fixed = body.map_or(0, |body| body.param_count);
                let block = self.split_off_block(args, &mut values, fixed, span);
                let result = self.defined_call(id, values, ty, wanted, span);
                self.end_block(&block, span);
                result
            }
            Callee::Pointer(ptr) => {
                for &arg in args {
                    let order = match self.order_of(ptr, arg) {
                        Order::Both => Order::Refused("an order of callee and arguments"),
                        order => order,
                    };
                    self.settle_order(order, span);
                }
                let target = self.value(ptr);
                let effects = self.effects_of(args);
                let target = self.protect(target, effects, span);
                let mut values = self.arguments(args, span);
                let Some(fixed) = self.variadic_params(ptr) else {
                    return self.call_through(ptr, target, values, ty, wanted, span);
                };
                let callee = ModelCallee::Pointer(target);
                // A function that isn't interested in further arguments takes the block for some of them.
                let block = self.split_off_block(args, &mut values, fixed, span);
                let result = self.emit_call(callee, values, ty, wanted, span);
                self.end_block(&block, span);
                result
            }
        }
    }

    /// The library's C text for an undefined function that is given these arguments, if that takes further ones.
    fn variadic_model(&self, id: FunctionId, args: &[ExprId]) -> Option<FunctionId> {
        let name = plain_name(&self.unit.unit.functions[id].name);
        let model = self.library_model(name, args);
        let model = model.filter(|_| !self.unit.is_own(id));
        model.filter(|&model| self.unit.takes_block[model])
    }

    /// The number of parameters of the variadic function that a pointer points to, by its type.
    fn variadic_params(&self, ptr: hir::ExprId) -> Option<usize> {
        let types = &self.unit.unit.types;
        let function = types.pointee(self.body.exprs[ptr].ty)?;
        match types.get(function.ty) {
            CType::Function(ty) if ty.variadic => Some(ty.params.len()),
            _ => None,
        }
    }

    /// Puts the arguments behind the first `fixed` into a block, which is passed instead of them.
    fn split_off_block(
        &mut self,
        args: &[hir::ExprId],
        values: &mut Vec<ExprId>,
        fixed: usize,
        span: Span,
    ) -> ArgumentBlock {
        let fixed = fixed.min(values.len());
        let further = values.split_off(fixed);
        let block = self.argument_block(&args[fixed..], &further, span);
        values.extend(block.args);
        block
    }

    /// A call of a function with a body.
    pub(super) fn defined_call(
        &mut self,
        id: FunctionId,
        args: Vec<ExprId>,
        ty: TypeId,
        wanted: Wanted,
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
        );
        if self.unit.unit.functions[id].noreturn {
            // To return from there is undefined, and gcc has no code behind the call.
            self.end_in(LocKind::Ub(UbKind::Unreachable), span);
        }
        let result = result?;
        // The declaration that the call sees may say less than the definition (`int f();`).
        match self.scalar(ty) {
            Some(ty) if ty != self.ty(result) => Some(self.convert(result, ty, span)),
            _ => Some(result),
        }
    }

    /// The effects of evaluating all of these.
    fn effects_of(&self, exprs: &[hir::ExprId]) -> Effects {
        exprs
            .iter()
            .fold(Effects::default(), |all, &expr| all.and(self.effects[expr]))
    }

    /// The arguments: from left to right, where the order doesn't matter.
    pub(super) fn arguments(&mut self, args: &[hir::ExprId], span: Span) -> Vec<ExprId> {
        let order = self.order_of_all(args);
        if self.settle_order(order, span) {
            return self.values_in_both_orders(args, span);
        }
        // The effects of what is evaluated after each.
        let mut later = vec![Effects::default(); args.len()];
        for index in (1..args.len()).rev() {
            later[index - 1] = later[index].and(self.effects[args[index]]);
        }
        let mut values = Vec::with_capacity(args.len());
        for (&arg, effects) in args.iter().zip(later) {
            let value = self.value(arg);
            let ty = self.body.exprs[arg].ty;
            let is_copied = effects.any && self.unit.is_record(ty);
            values.push(if is_copied {
                self.copy_record(value, ty, span)
            } else {
                self.protect(value, effects, span)
            });
        }
        values
    }

    /// Converts arguments to the types of the definition's parameters; without a prototype the call couldn't. `None` where they don't fit.
    fn match_params(
        &mut self,
        id: FunctionId,
        mut args: Vec<ExprId>,
        span: Span,
    ) -> Option<Vec<ExprId>> {
        let function = &self.unit.unit.functions[id];
        // Programs declare library functions with types of their own.
        let is_model = function.name.starts_with(models::PREFIX);
        let count = function.body.as_ref()?.param_count;
        let CType::Function(ty) = self.unit.unit.types.get(function.ty) else {
            return None;
        };
        if args.len() > count && ty.unspecified {
            args.truncate(count);
        }
        let wanted = count + if self.unit.takes_block[id] { 2 } else { 0 };
        if args.len() < wanted || (args.len() > wanted && !ty.variadic) {
            return None;
        }
        for (index, arg) in args.iter_mut().enumerate().take(count) {
            match self.unit.param_type(id, index) {
                Some(ty) if is_model || self.is_passed_alike(self.ty(*arg), ty) => {
                    *arg = self.convert(*arg, ty, span);
                }
                Some(_) => return None,
                // The address of a record.
                None if self.ty(*arg) == Type::Ptr => {}
                None => return None,
            }
        }
        Some(args)
    }

    /// Whether an argument can be passed to a parameter of another type, which the call doesn't know. C asks for
    /// compatible types (C11 6.5.2.2); as in gcc's code, numbers of one kind and width are passed alike, and pointers
    /// like numbers of their width.
    fn is_passed_alike(&self, arg: Type, param: Type) -> bool {
        let word = self.unit.unit.types.model.pointer_width();
        match (arg, param) {
            (Type::Int(arg), Type::Int(param)) => arg.width == param.width,
            (Type::Int(int), Type::Ptr) | (Type::Ptr, Type::Int(int)) => int.width == word,
            _ => arg == param,
        }
    }

    pub(super) fn emit_call(
        &mut self,
        callee: ModelCallee,
        mut args: Vec<ExprId>,
        ty: TypeId,
        wanted: Wanted,
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
        let scalar = self.scalar(ty);
        let dst = scalar.and_then(|ty| self.result_var(ty, wanted, span));
        let args = args.into();
        self.emit(Action::Call { dst, callee, args }, span);
        dst.map(|var| self.var(var))
    }
}

impl FunctionLowering<'_, '_> {
    /// The variable for a result, if it is wanted.
    pub(super) fn result_var(&mut self, ty: Type, wanted: Wanted, span: Span) -> Option<VarId> {
        match wanted {
            Wanted::Nothing => None,
            Wanted::In(var) if self.unit.program.vars[var].ty == ty => Some(var),
            Wanted::In(_) | Wanted::Value => Some(self.new_var(ty, span)),
        }
    }
}

/// What a call of a target function is called.
pub(super) fn target_kind(name: &Arc<str>) -> TargetKind {
    if library::is_assert_fail(name) {
        TargetKind::Assertion
    } else {
        TargetKind::Call(name.clone())
    }
}
