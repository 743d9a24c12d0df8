//! Where threads begin, in functions of whatever type.
//!
//! Right for programs that convert their functions to what `pthread_create` wants: C leaves it undefined to call a
//! function that returns `int`, or nothing, or takes nothing, through a `void *(*)(void *)` (C11 6.5.2.2), and every
//! machine passes one word and takes one back. To end the run there would say of all that such a program does that it
//! can't happen. So the thread calls the function with as much as it takes; what it doesn't return is open.

use rhumb_program::{
    Action, BinOp, Callee, ExprId, ExprKind, InputKind, IntType, Span, Type, VarId,
};

use super::UnitLowering;
use super::call::Wanted;
use super::function::FunctionLowering;
use crate::ctypes::CType;
use crate::hir::FunctionId;
use crate::models;

impl FunctionLowering<'_, '_> {
    /// The call with which a thread begins.
    pub(super) fn begin_thread(&mut self, start: ExprId, argument: ExprId, span: Span) -> ExprId {
        let start = self.atomic(start, span);
        let argument = self.atomic(argument, span);
        let (result, behind) = (self.new_var(Type::Ptr, span), self.new_location());
        for id in self.unit.converted_starts() {
            let Some(function) = self.unit.functions[id] else {
                continue;
            };
            let address = self.node(ExprKind::FuncAddr(function), Type::Ptr);
            let is_it = self.node(ExprKind::Binary(BinOp::Eq, start, address), Type::Bool);
            let (here, elsewhere) = (self.new_location(), self.new_location());
            self.split(is_it, here, elsewhere, span);
            self.continue_at(here);
            self.begin_in(id, argument, result, span);
            self.jump(behind, span);
            self.continue_at(elsewhere);
        }
        let call = Action::Call {
            dst: Some(result),
            callee: Callee::Pointer(start),
            args: [argument].into(),
        };
        self.emit(call, span);
        self.jump(behind, span);
        self.continue_at(behind);
        self.var(result)
    }

    /// Calls a function of another type.
    fn begin_in(&mut self, id: FunctionId, argument: ExprId, result: VarId, span: Span) {
        let takes = self.unit.param_count(id) > 0;
        let passed = self.unit.param_type(id, 0).filter(|_| takes);
        let args = passed.map(|ty| self.word_as(argument, ty, span));
        let CType::Function(ty) = self.unit.unit.types.get(self.unit.unit.functions[id].ty) else {
            return;
        };
        let args = args.into_iter().collect();
        let value = self.defined_call(id, args, ty.result, Wanted::Value, span);
        let word = Type::Int(self.unit.unit.types.model.size_type());
        let value = match value.map(|value| (value, self.ty(value))) {
            Some((value, Type::Ptr)) => value,
            Some((value, Type::Int(int))) => self.lowest_of_word(value, int, span),
            _ => self.left_open(word, span),
        };
        let value = self.convert(value, Type::Ptr, span);
        self.assign(result, value, span);
    }

    /// A word, as who takes it in a parameter of a type sees it.
    fn word_as(&mut self, value: ExprId, ty: Type, span: Span) -> ExprId {
        let word = Type::Int(self.unit.unit.types.model.size_type());
        match ty {
            Type::Int(_) => {
                let value = self.convert(value, word, span);
                self.convert(value, ty, span)
            }
            _ => value,
        }
    }

    /// A word whose lowest bits are a number; nobody has set the others.
    fn lowest_of_word(&mut self, value: ExprId, int: IntType, span: Span) -> ExprId {
        let size = self.unit.unit.types.model.size_type();
        let word = Type::Int(size);
        if int.width >= size.width {
            return self.convert(value, word, span);
        }
        let unsigned = Type::Int(IntType::unsigned(int.width));
        let value = self.convert(value, unsigned, span);
        let low = self.convert(value, word, span);
        let above = self.left_open(word, span);
        let factor = self.unit.int(size, 1 << int.width);
        let high = self.node(ExprKind::Binary(BinOp::Mul, above, factor), word);
        self.node(ExprKind::Binary(BinOp::Add, high, low), word)
    }

    fn left_open(&mut self, ty: Type, span: Span) -> ExprId {
        let var = self.new_var(ty, span);
        self.input(var, InputKind::MissingReturn, span);
        self.var(var)
    }
}

impl UnitLowering<'_> {
    /// The functions of other types than `void *(void *)` with at most one word to take and one to give, whose addresses
    /// the program makes pointers to functions of other types.
    fn converted_starts(&self) -> Vec<FunctionId> {
        let functions = self.unit.functions.iter_enumerated();
        let converted = functions.filter(|&(id, function)| {
            function.addr_taken
                && !function.name.starts_with(models::PREFIX)
                && self.is_other_start(id)
                && self.is_converted(id)
        });
        converted.map(|(id, _)| id).collect()
    }

    fn param_count(&self, id: FunctionId) -> usize {
        let body = self.unit.functions[id].body.as_ref();
        body.map_or(0, |body| body.param_count)
    }

    fn is_other_start(&self, id: FunctionId) -> bool {
        let function = &self.unit.functions[id];
        let CType::Function(ty) = self.unit.types.get(function.ty) else {
            return false;
        };
        let is_word = |ty: Type| matches!(ty, Type::Int(_) | Type::Ptr);
        if function.body.is_none() {
            return false;
        }
        let takes = match self.param_count(id) {
            0 => None,
            1 => match self.param_type(id, 0) {
                Some(ty) if is_word(ty) => Some(ty),
                _ => return false,
            },
            _ => return false,
        };
        let gives = match (
            self.unit.types.scalar(ty.result),
            self.unit.types.get(ty.result),
        ) {
            (Some(ty), _) if is_word(ty) => Some(ty),
            (None, CType::Void) => None,
            _ => return false,
        };
        let is_as_wanted = gives == Some(Type::Ptr) && takes == Some(Type::Ptr);
        !ty.variadic && !self.takes_block[id] && !is_as_wanted
    }

    /// Whether pointers to such functions, or pointers to who knows what, become pointers to functions.
    fn is_converted(&self, id: FunctionId) -> bool {
        let types = &self.unit.types;
        self.unit.to_functions.iter().any(|&(from, _)| {
            let pointee = types.pointee(from).map(|to| types.get(to.ty));
            match pointee {
                Some(CType::Function(_)) => {
                    let from = types.pointee(from).map(|to| to.ty);
                    from.is_some_and(|from| types.compatible(from, self.unit.functions[id].ty))
                }
                _ => true,
            }
        })
    }
}
