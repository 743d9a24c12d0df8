//! Functions without a body: inputs, the verifier's own functions, and the C library.

use rhumb_program::{
    Action, AllocKind, ArithOp, Builtin, Callee, ClassifyFn, DataModel, EndKind, ExprId, ExprKind,
    FloatType, InputKind, IntType, LocKind, Math2Fn, MathFn, Span, Type, UbKind,
};

use super::call::{OuterCall, Wanted};
use super::function::FunctionLowering;
use super::functions::plain_name;
use super::open;
use crate::ctypes::TypeId;
use crate::hir::{self, BinaryOp};

/// What a failing `assert` calls, in the libraries that we know.
pub(super) fn is_assert_fail(name: &str) -> bool {
    matches!(
        name,
        "__assert_fail"
            | "__assert_perror_fail"
            | "__assert"
            | "__assert_rtn"
            | "__assert2"
            | "__assert_func"
    )
}

/// Functions of the library that calls are lowered for one by one, below.
const BUILT_IN: &[&str] = &[
    "_Exit",
    "_exit",
    "abort",
    "aligned_alloc",
    "alloca",
    "calloc",
    "error",
    "error_at_line",
    "exit",
    "fegetround",
    "fesetround",
    "free",
    "malloc",
    "memalign",
    "memcpy",
    "memmove",
    "memset",
    "printf",
    "putchar",
    "puts",
    "quick_exit",
    "realloc",
];

/// Whether the front end or the interpreter does what a library function does.
pub(crate) fn is_built_in(name: &str) -> bool {
    BUILT_IN.contains(&name)
        || math_function(name).is_some()
        || math2_function(name).is_some()
        || classify_function(name).is_some()
}

impl FunctionLowering<'_, '_> {
    /// A call of a function without a body.
    pub(super) fn undefined_call(&mut self, call: OuterCall<'_>) -> Option<ExprId> {
        let (args, ty, wanted, span) = (call.args, call.ty, call.wanted, call.span);
        let name = self.unit.unit.functions[call.id].name.clone();
        if name.starts_with("__rhumb_") {
            return self.hook(&name, args, ty, wanted, span);
        }
        if let Some(result) = self.dialect_call(call) {
            return result;
        }
        if &*name == "__VERIFIER_error" {
            // Nobody asks for it: then it only ends the run.
            self.end_in(LocKind::End(EndKind::Abort), span);
            return None;
        }
        if self.unit.is_own(call.id) {
            return self.unknown_call(call);
        }
        match (plain_name(&name), args) {
            ("abort", _) => self.end_in(LocKind::End(EndKind::Abort), span),
            (_, _) if is_assert_fail(&name) => self.end_in(LocKind::End(EndKind::Abort), span),
            ("exit", _) => self.exit_with(args.first().copied(), span),
            ("_exit" | "_Exit" | "quick_exit", _) => {
                let code = self.exit_code(args.first().copied(), span);
                let end = self.sink(LocKind::End(EndKind::Exit));
                self.leave_with(Action::Exit { code }, end, span);
            }
            ("assume", &[cond]) if &*name == "__builtin_assume" => {
                let cond = self.not_zero(cond);
                self.require(cond, true, LocKind::End(EndKind::AssumptionFailed), span);
            }
            ("malloc", &[size]) => return Some(self.allocate(size, AllocKind::Heap, wanted, span)),
            ("calloc", &[count, size]) => return Some(self.calloc(count, size, wanted, span)),
            ("aligned_alloc" | "memalign", &[_, size]) => {
                return Some(self.allocate(size, AllocKind::Heap, wanted, span));
            }
            ("realloc", &[ptr, size]) => return Some(self.reallocate(ptr, size, span)),
            ("alloca", &[size]) => {
                return Some(self.allocate(size, AllocKind::Stack, wanted, span));
            }
            ("free", &[ptr]) => {
                let ptr = self.argument(ptr, Type::Ptr, span);
                let ok = self.node(ExprKind::FreeOk(ptr), Type::Bool);
                self.require(ok, true, LocKind::Ub(UbKind::BadFree), span);
                let kind = AllocKind::Heap;
                self.emit(Action::Free { ptr, kind }, span);
            }
            ("memcpy" | "memmove" | "__memcpy_chk" | "__memmove_chk", &[dst, src, size, ..]) => {
                let [dst, src] = [dst, src].map(|arg| self.argument(arg, Type::Ptr, span));
                let size = self.argument(size, self.size_type(), span);
                self.check_range(dst, size, true, span);
                self.check_range(src, size, false, span);
                self.emit(Action::Copy { dst, src, size }, span);
                return Some(dst);
            }
            ("memset" | "__memset_chk", &[dst, byte, size, ..]) => {
                let dst = self.argument(dst, Type::Ptr, span);
                let byte = self.argument(byte, Type::Int(IntType::INT), span);
                let size = self.argument(size, self.size_type(), span);
                self.check_range(dst, size, true, span);
                self.emit(Action::Fill { dst, byte, size }, span);
                return Some(dst);
            }
            _ => {
                let value = if let Some(&model) = self.unit.models.get(plain_name(&name)) {
                    self.defined_call(model, args.to_vec(), ty, wanted, span)
                } else if let Some(builtin) = self.builtin(&name, args) {
                    self.builtin_call(builtin, args, ty, wanted, span)
                } else {
                    return self.unknown_call(call);
                };
                return match open::openness(&name) {
                    Some(kind) => value.map(|value| self.leave_open(value, kind, &name, span)),
                    None => value,
                };
            }
        }
        None
    }

    fn size_type(&self) -> Type {
        Type::Int(self.unit.unit.types.model.size_type())
    }

    /// An argument as the library declares it (the program's own declaration may say something else), cheap to use twice.
    pub(super) fn argument(&mut self, arg: ExprId, ty: Type, span: Span) -> ExprId {
        let arg = self.convert(arg, ty, span);
        self.atomic(arg, span)
    }

    /// `__VERIFIER_nondet_*` and its like: an input of the type that the name says, or else of the declared type.
    pub(super) fn nondet(
        &mut self,
        what: &str,
        args: &[ExprId],
        kind: InputKind,
        ty: TypeId,
        wanted: Wanted,
        span: Span,
    ) -> Option<ExprId> {
        if let ("memory", &[ptr, size]) = (what, args) {
            let ptr = self.argument(ptr, Type::Ptr, span);
            let size = self.argument(size, self.size_type(), span);
            self.check_range(ptr, size, true, span);
            self.input_bytes(ptr, size, kind, span);
            return None;
        }
        if self.unit.is_record(ty) {
            return self.record_input(ty, kind, span);
        }
        let declared = self.scalar(ty)?;
        let named = nondet_type(what, self.unit.unit.types.model).unwrap_or(declared);
        let named = if declared == Type::Ptr {
            declared
        } else {
            named
        };
        // An input event happens whether or not the result is wanted, so that the number of events doesn't depend on that.
        let var = self
            .result_var(named, wanted, span)
            .unwrap_or_else(|| self.new_var(named, span));
        if named == Type::Ptr {
            self.any_pointer(var, kind, span);
        } else {
            self.input(var, kind, span);
        }
        let value = self.var(var);
        Some(self.convert(value, declared, span))
    }

    /// Whether an expression is a call that gives any pointer.
    pub(super) fn is_any_pointer(&self, expr: hir::ExprId) -> bool {
        let node = &self.body.exprs[expr];
        let hir::ExprKind::Call { callee, args } = &node.kind else {
            return false;
        };
        let hir::Callee::Function(id) = *callee else {
            return false;
        };
        let function = &self.unit.unit.functions[id];
        args.is_empty()
            && function.body.is_none()
            && self.scalar(node.ty) == Some(Type::Ptr)
            && rhumb_program::dialect::nondet(&function.name).is_some()
            && !self.unit.is_ordinary(&function.name)
    }

    /// Whether any pointer is null, where nothing else is asked of it: that is an input, and no more than that.
    pub(super) fn any_truth(&mut self, call: hir::ExprId) -> ExprId {
        let node = &self.body.exprs[call];
        let name = match &node.kind {
            hir::ExprKind::Call {
                callee: hir::Callee::Function(id),
                ..
            } => self.unit.unit.functions[*id].name.clone(),
            _ => "".into(),
        };
        let var = self.new_var(Type::Bool, node.span);
        self.input(var, InputKind::Nondet(name), node.span);
        self.var(var)
    }

    /// A record from outside.
    pub(super) fn record_input(
        &mut self,
        ty: TypeId,
        kind: InputKind,
        span: Span,
    ) -> Option<ExprId> {
        let ptr = self.temporary_object(ty, span);
        let size = self.size_of(ty);
        self.input_bytes(ptr, size, kind, span);
        self.assume_truths(ptr, ty, 1, span);
        Some(ptr)
    }

    /// A new object with contents from outside; it never fails.
    pub(super) fn allocate(
        &mut self,
        size: ExprId,
        kind: AllocKind,
        wanted: Wanted,
        span: Span,
    ) -> ExprId {
        let size = self.argument(size, self.size_type(), span);
        // What ends with its function is held by a variable that nobody else sets, for who has to end it.
        let wanted = match kind {
            AllocKind::Heap => self.result_var(Type::Ptr, wanted, span),
            AllocKind::Stack => None,
        };
        let dst = wanted.unwrap_or_else(|| self.new_var(Type::Ptr, span));
        // The size may be an expression over the variable that gets the result.
        let size = self.protect_from(size, dst, span);
        self.emit(Action::Alloc { dst, size, kind }, span);
        let ptr = self.var(dst);
        let name = match kind {
            AllocKind::Heap => "malloc",
            AllocKind::Stack => "alloca",
        };
        self.input_bytes(ptr, size, InputKind::Uninitialised(name.into()), span);
        ptr
    }

    /// A new object of zeros; it fails only if the size is no number of bytes.
    fn calloc(&mut self, count: ExprId, size: ExprId, wanted: Wanted, span: Span) -> ExprId {
        let [count, size] = [count, size].map(|arg| self.argument(arg, self.size_type(), span));
        let dst = self
            .result_var(Type::Ptr, wanted, span)
            .unwrap_or_else(|| self.new_var(Type::Ptr, span));
        let total = self.wrapping(BinaryOp::Mul, count, size);
        let kind = AllocKind::Heap;
        let allocation = Action::Alloc {
            dst,
            size: total,
            kind,
        };
        if self.unit.program.exprs.as_int_const(total).is_some() || total == count {
            self.emit(allocation, span);
            return self.var(dst);
        }
        let too_large = self.node(ExprKind::Overflows(ArithOp::Mul, count, size), Type::Bool);
        let (fails, fits, end) = (
            self.new_location(),
            self.new_location(),
            self.new_location(),
        );
        self.split(too_large, fails, fits, span);
        self.continue_at(fails);
        let null = self.node(ExprKind::Const(0), Type::Ptr);
        self.assign(dst, null, span);
        self.lose_errno(span);
        self.jump(end, span);
        self.continue_at(fits);
        self.leave_with(allocation, end, span);
        self.continue_at(end);
        self.var(dst)
    }

    /// The library function that the interpreter executes itself, if the arguments fit.
    fn builtin(&self, name: &str, args: &[ExprId]) -> Option<Builtin> {
        let bare = name.strip_prefix("__builtin_").unwrap_or(name);
        let is_ptr = |index: usize| {
            args.get(index)
                .is_some_and(|&arg| self.ty(arg) == Type::Ptr)
        };
        match bare {
            "printf" if is_ptr(0) && !self.format_may_write(args, 0) => {
                return Some(Builtin::Printf);
            }
            "puts" if args.len() == 1 && is_ptr(0) => return Some(Builtin::Puts),
            "putchar" if args.len() == 1 && !is_ptr(0) => return Some(Builtin::Putchar),
            "fesetround" if args.len() == 1 && self.ty(args[0]) == Type::Int(IntType::INT) => {
                return Some(Builtin::SetRounding);
            }
            "fegetround" if args.is_empty() => return Some(Builtin::GetRounding),
            _ => {}
        }
        let Type::Float(float) = self.ty(*args.first()?) else {
            return None;
        };
        if args.iter().any(|&arg| self.ty(arg) != Type::Float(float)) {
            return None;
        }
        let classify = classify_function(bare).map(|function| Builtin::Classify(function, float));
        if args.len() == 1 && classify.is_some() {
            return classify;
        }
        let stem = match float {
            FloatType::F32 => bare.strip_suffix('f')?,
            FloatType::F64 => bare,
            FloatType::X87 | FloatType::F128 => bare.strip_suffix('l')?,
        };
        match args.len() {
            1 => math_function(stem).map(|function| Builtin::Math(function, float)),
            2 => math2_function(stem).map(|function| Builtin::Math2(function, float)),
            _ => None,
        }
    }

    fn builtin_call(
        &mut self,
        builtin: Builtin,
        args: &[ExprId],
        ty: TypeId,
        wanted: Wanted,
        span: Span,
    ) -> Option<ExprId> {
        let result = match builtin {
            Builtin::Math(_, float) | Builtin::Math2(_, float) => Type::Float(float),
            _ => Type::Int(IntType::INT),
        };
        let dst = self.result_var(result, wanted, span);
        let callee = Callee::Builtin(builtin);
        let args = args.into();
        self.emit(Action::Call { dst, callee, args }, span);
        // Those that have no result for every number, and those that write to what may be closed or full.
        if matches!(
            builtin,
            Builtin::Math(MathFn::Sqrt, _)
                | Builtin::Math2(Math2Fn::Fmod, _)
                | Builtin::Printf
                | Builtin::Puts
                | Builtin::Putchar
        ) {
            self.lose_errno(span);
        }
        let value = dst.map(|var| self.var(var))?;
        self.scalar(ty).map(|ty| self.convert(value, ty, span))
    }
}

/// The type that the name of `__VERIFIER_nondet_*` says.
fn nondet_type(what: &str, model: DataModel) -> Option<Type> {
    let long = model.pointer_width();
    Some(match what {
        "bool" | "_Bool" => Type::Bool,
        "char" | "schar" | "s8" => Type::Int(IntType::signed(8)),
        "uchar" | "u8" => Type::Int(IntType::unsigned(8)),
        "short" | "s16" => Type::Int(IntType::signed(16)),
        "ushort" | "u16" => Type::Int(IntType::unsigned(16)),
        "int" | "s32" => Type::Int(IntType::signed(32)),
        "uint" | "unsigned" | "unsigned_int" | "u32" => Type::Int(IntType::unsigned(32)),
        "long" => Type::Int(IntType::signed(long)),
        "ulong" | "size_t" | "sector_t" | "pthread_t" => Type::Int(IntType::unsigned(long)),
        "longlong" | "loff_t" | "s64" => Type::Int(IntType::signed(64)),
        "ulonglong" | "u64" => Type::Int(IntType::unsigned(64)),
        "int128" => Type::Int(IntType::signed(128)),
        "uint128" => Type::Int(IntType::unsigned(128)),
        "float" => Type::Float(FloatType::F32),
        "double" => Type::Float(FloatType::F64),
        "pointer" | "pchar" => Type::Ptr,
        _ => return None,
    })
}

fn math_function(name: &str) -> Option<MathFn> {
    Some(match name {
        "fabs" => MathFn::Fabs,
        "sqrt" => MathFn::Sqrt,
        "floor" => MathFn::Floor,
        "ceil" => MathFn::Ceil,
        "trunc" => MathFn::Trunc,
        "round" => MathFn::Round,
        "rint" | "nearbyint" => MathFn::Rint,
        _ => return None,
    })
}

fn math2_function(name: &str) -> Option<Math2Fn> {
    Some(match name {
        "fmin" => Math2Fn::Fmin,
        "fmax" => Math2Fn::Fmax,
        "fmod" => Math2Fn::Fmod,
        "copysign" => Math2Fn::Copysign,
        _ => return None,
    })
}

/// The type-generic builtins and the functions behind the macros of glibc's `math.h`.
fn classify_function(name: &str) -> Option<ClassifyFn> {
    Some(match name.trim_start_matches("__") {
        "isnan" | "isnanf" | "isnanl" => ClassifyFn::IsNan,
        "isinf" | "isinff" | "isinfl" | "isinf_sign" => ClassifyFn::IsInf,
        "isfinite" | "finite" | "finitef" | "finitel" => ClassifyFn::IsFinite,
        "isnormal" => ClassifyFn::IsNormal,
        "signbit" | "signbitf" | "signbitl" => ClassifyFn::SignBit,
        "fpclassify" | "fpclassifyf" | "fpclassifyl" => ClassifyFn::FpClassify,
        _ => return None,
    })
}
