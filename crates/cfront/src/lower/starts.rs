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

const BYTE: IntType = IntType::unsigned(8);

impl FunctionLowering<'_, '_> {
    /// The call with which a thread begins.
    pub(super) fn begin_thread(&mut self, start: ExprId, argument: ExprId, span: Span) -> ExprId {
        let start = self.atomic(start, span);
        let argument = self.atomic(argument, span);
        let (result, behind) = (self.new_var(Type::Ptr, span), self.new_location());
        for (id, is_known) in self.unit.other_starts() {
            let Some(function) = self.unit.functions[id] else {
                continue;
            };
            let address = self.node(ExprKind::FuncAddr(function), Type::Ptr);
            let is_it = self.node(ExprKind::Binary(BinOp::Eq, start, address), Type::Bool);
            let (here, elsewhere) = (self.new_location(), self.new_location());
            self.split(is_it, here, elsewhere, span);
            self.continue_at(here);
            if is_known {
                self.begin_in(id, argument, result, span);
                self.jump(behind, span);
            } else {
                let name = &self.unit.unit.functions[id].name;
                let what = format!("a thread that begins in `{name}`, a function of another type");
                self.unsupported(&what, span);
            }
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
            Some((value, Type::Bool)) => self.lowest_of_word(value, BYTE, span),
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
            // The function takes it that the lowest byte is 0 or 1.
            Type::Bool => {
                let value = self.convert(value, word, span);
                let value = self.convert(value, Type::Int(BYTE), span);
                let value = self.atomic(value, span);
                let one = self.unit.int(BYTE, 1);
                let is_truth = self.node(ExprKind::Binary(BinOp::Le, value, one), Type::Bool);
                let (truth, other) = (self.new_location(), self.new_location());
                self.split(is_truth, truth, other, span);
                self.continue_at(other);
                self.unsupported("a thread whose `_Bool` is neither 0 nor 1", span);
                self.continue_at(truth);
                self.node(ExprKind::Binary(BinOp::Eq, value, one), Type::Bool)
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
    /// The functions of other types than `void *(void *)` whose addresses the program takes, and whether it is known how
    /// a thread begins in them: they have at most one word to take and one to give, and their addresses become pointers
    /// to functions of other types.
    fn other_starts(&self) -> Vec<(FunctionId, bool)> {
        let functions = self.unit.functions.iter_enumerated();
        let taken = functions.filter(|(_, function)| {
            function.addr_taken && !function.name.starts_with(models::PREFIX)
        });
        let others = taken.filter(|(_, function)| function.body.is_some());
        let kinds = others.filter_map(|(id, _)| Some((id, self.kind_of_start(id)?)));
        kinds
            .map(|(id, is_known)| (id, is_known && self.is_converted(id)))
            .collect()
    }

    fn param_count(&self, id: FunctionId) -> usize {
        let body = self.unit.functions[id].body.as_ref();
        body.map_or(0, |body| body.param_count)
    }

    /// Whether it is known how a thread begins in a function of another type than `void *(void *)`; none if it is of that.
    fn kind_of_start(&self, id: FunctionId) -> Option<bool> {
        let function = &self.unit.functions[id];
        let CType::Function(ty) = self.unit.types.get(function.ty) else {
            return None;
        };
        let size = self.unit.types.model.size_type();
        let is_word = |ty: Type| match ty {
            Type::Int(int) => int.width <= size.width,
            Type::Bool | Type::Ptr => true,
            Type::Float(_) => false,
        };
        let (count, passed) = (self.param_count(id), self.param_type(id, 0));
        let result = self.unit.types.scalar(ty.result);
        let is_block = ty.variadic || self.takes_block[id];
        if !is_block && (count, passed, result) == (1, Some(Type::Ptr), Some(Type::Ptr)) {
            return None;
        }
        let takes = count == 0 || count == 1 && passed.is_some_and(is_word);
        let gives = match result {
            Some(ty) => is_word(ty),
            None => matches!(self.unit.types.get(ty.result), CType::Void),
        };
        Some(!is_block && takes && gives)
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
