//! Functions without a body: inputs, the verifier's own functions, and the C library.

use rhumb_program::{
    Action, AllocKind, Builtin, Callee, ClassifyFn, DataModel, EndKind, ExprId, ExprKind,
    FloatType, InputKind, IntType, LocKind, Math2Fn, MathFn, Span, TargetKind, Type, UbKind,
};

use super::function::FunctionLowering;
use super::library_names::{OUTPUT_ONLY, THREADS, is_library_name};
use crate::ctypes::{CType, TypeId};
use crate::diagnostic::Diagnostic;
use crate::hir::{BinaryOp, FunctionId};
use crate::options::TargetSpec;

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

impl FunctionLowering<'_, '_> {
    /// A call of a function without a body.
    pub(super) fn undefined_call(
        &mut self,
        id: FunctionId,
        args: &[ExprId],
        ty: TypeId,
        wanted: bool,
        span: Span,
    ) -> Option<ExprId> {
        let name = self.unit.unit.functions[id].name.clone();
        if let Some(what) = name.strip_prefix("__VERIFIER_nondet_") {
            return self.nondet(what, InputKind::Nondet(name.clone()), ty, span);
        }
        match (&*name, args) {
            ("abort", _) => self.end_in(LocKind::End(EndKind::Abort), span),
            (_, _) if is_assert_fail(&name) => self.end_in(LocKind::End(EndKind::Abort), span),
            ("exit" | "_exit" | "_Exit" | "quick_exit", &[code]) => {
                let code = self.convert(code, Type::Int(IntType::INT), span);
                let end = self.sink(LocKind::End(EndKind::Exit));
                self.leave_with(Action::Exit { code }, end, span);
            }
            ("__VERIFIER_assume" | "__builtin_assume", &[cond]) => {
                let cond = self.not_zero(cond);
                self.require(cond, true, LocKind::End(EndKind::AssumptionFailed), span);
            }
            ("__VERIFIER_assert" | "assert", &[cond]) => self.verifier_assert(cond, span),
            ("__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end", _) => {}
            ("malloc", &[size]) => return Some(self.allocate(size, false, span)),
            ("calloc", &[count, size]) => {
                let total = self.wrapping(BinaryOp::Mul, count, size);
                return Some(self.allocate(total, true, span));
            }
            ("aligned_alloc" | "memalign", &[_, size]) => {
                return Some(self.allocate(size, false, span));
            }
            ("alloca", &[size]) => return Some(self.allocate_on_stack(size, span)),
            ("free", &[ptr]) => {
                let ptr = self.atomic(ptr, span);
                let ok = self.node(ExprKind::FreeOk(ptr), Type::Bool);
                self.require(ok, true, LocKind::Ub(UbKind::BadFree), span);
                let kind = AllocKind::Heap;
                self.emit(Action::Free { ptr, kind }, span);
            }
            ("memcpy" | "memmove" | "__memcpy_chk", &[dst, src, size, ..]) => {
                let [dst, src, size] = [dst, src, size].map(|arg| self.atomic(arg, span));
                self.check_range(dst, size, true, span);
                self.check_range(src, size, false, span);
                self.emit(Action::Copy { dst, src, size }, span);
                return Some(dst);
            }
            ("memset" | "__memset_chk", &[dst, byte, size, ..]) => {
                let [dst, byte, size] = [dst, byte, size].map(|arg| self.atomic(arg, span));
                self.check_range(dst, size, true, span);
                self.emit(Action::Fill { dst, byte, size }, span);
                return Some(dst);
            }
            _ => {
                if let Some(&model) = self.unit.models.get(&*name) {
                    return self.defined_call(model, args.to_vec(), ty, wanted, span);
                }
                if let Some(builtin) = self.builtin(&name, args) {
                    return self.builtin_call(builtin, args, ty, wanted, span);
                }
                return self.unknown_call(id, args, ty, wanted, span);
            }
        }
        None
    }

    /// An input of the type that a name says, or else of the declared type.
    fn nondet(&mut self, what: &str, kind: InputKind, ty: TypeId, span: Span) -> Option<ExprId> {
        let declared = self.scalar(ty)?;
        let named = nondet_type(what, self.unit.unit.types.model).unwrap_or(declared);
        if declared == Type::Ptr || named == Type::Ptr {
            let var = self.new_var(Type::Ptr, span);
            self.approximate(
                Some(var),
                "a pointer that may point anywhere".to_owned(),
                span,
            );
            let value = self.var(var);
            return Some(self.convert(value, declared, span));
        }
        let var = self.new_var(named, span);
        self.input(var, kind, span);
        let value = self.var(var);
        Some(self.convert(value, declared, span))
    }

    fn verifier_assert(&mut self, cond: ExprId, span: Span) {
        let cond = self.not_zero(cond);
        let (holds, fails) = (self.new_location(), self.new_location());
        self.split(cond, holds, fails, span);
        self.continue_at(fails);
        match self.unit.options.targets {
            TargetSpec::Default => self.reach_target(TargetKind::Assertion, span),
            TargetSpec::Call(_) => self.end_in(LocKind::End(EndKind::Abort), span),
        }
        self.continue_at(holds);
    }

    /// `malloc` and `calloc`: a new object; it never fails.
    fn allocate(&mut self, size: ExprId, zeroed: bool, span: Span) -> ExprId {
        let size = self.atomic(size, span);
        let dst = self.new_var(Type::Ptr, span);
        let kind = AllocKind::Heap;
        self.emit(Action::Alloc { dst, size, kind }, span);
        let ptr = self.var(dst);
        if !zeroed {
            self.input_bytes(ptr, size, InputKind::Uninitialised("malloc".into()), span);
        }
        ptr
    }

    /// `alloca`: lives until the function returns.
    pub(super) fn allocate_on_stack(&mut self, size: ExprId, span: Span) -> ExprId {
        let size = self.atomic(size, span);
        let dst = self.new_var(Type::Ptr, span);
        let kind = AllocKind::Stack;
        self.emit(Action::Alloc { dst, size, kind }, span);
        let ptr = self.var(dst);
        self.input_bytes(ptr, size, InputKind::Uninitialised("alloca".into()), span);
        ptr
    }

    /// The library function that the interpreter executes itself, if the arguments fit.
    fn builtin(&self, name: &str, args: &[ExprId]) -> Option<Builtin> {
        let bare = name.strip_prefix("__builtin_").unwrap_or(name);
        let is_ptr = |index: usize| {
            args.get(index)
                .is_some_and(|&arg| self.ty(arg) == Type::Ptr)
        };
        match bare {
            "printf" if is_ptr(0) => return Some(Builtin::Printf),
            "puts" if args.len() == 1 && is_ptr(0) => return Some(Builtin::Puts),
            "putchar" if args.len() == 1 && !is_ptr(0) => return Some(Builtin::Putchar),
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
        wanted: bool,
        span: Span,
    ) -> Option<ExprId> {
        let result = match builtin {
            Builtin::Math(_, float) | Builtin::Math2(_, float) => Type::Float(float),
            _ => Type::Int(IntType::INT),
        };
        let dst = wanted.then(|| self.new_var(result, span));
        let callee = Callee::Builtin(builtin);
        let args = args.into();
        self.emit(Action::Call { dst, callee, args }, span);
        let value = dst.map(|var| self.var(var))?;
        self.scalar(ty).map(|ty| self.convert(value, ty, span))
    }

    /// A function that we know nothing about, or only that it belongs to the library.
    fn unknown_call(
        &mut self,
        id: FunctionId,
        args: &[ExprId],
        ty: TypeId,
        wanted: bool,
        span: Span,
    ) -> Option<ExprId> {
        let name = self.unit.unit.functions[id].name.clone();
        let is_library = is_library_name(&name);
        if THREADS.iter().any(|prefix| name.starts_with(prefix)) {
            self.unsupported(&format!("threads (`{name}`)"), span);
            return None;
        }
        if self.unit.unit.functions[id].noreturn {
            self.end_in(LocKind::End(EndKind::Abort), span);
            return None;
        }
        let harmless = !self.may_write(id, args) || OUTPUT_ONLY.contains(&&*name);
        if is_library && !harmless {
            self.unsupported(&format!("library function `{name}`"), span);
            return None;
        }
        if !is_library {
            self.announce(id, span);
        }
        if self.unit.is_record(ty) {
            if is_library {
                self.unsupported(&format!("library function `{name}`"), span);
                return None;
            }
            let result = self.temporary_object(ty, span);
            let size = self.size_of(ty);
            self.input_bytes(result, size, InputKind::UndefinedFunction(name), span);
            return Some(result);
        }
        let scalar = self.scalar(ty)?;
        if is_library || scalar == Type::Ptr {
            if !wanted {
                return None;
            }
            let var = self.new_var(scalar, span);
            self.approximate(Some(var), format!("the result of `{name}`"), span);
            return Some(self.var(var));
        }
        // Also where the result is not wanted, so that the number of input events doesn't depend on that.
        let var = self.new_var(scalar, span);
        self.input(var, InputKind::UndefinedFunction(name), span);
        Some(self.var(var))
    }

    /// Whether a function could write through one of its arguments.
    fn may_write(&self, id: FunctionId, args: &[ExprId]) -> bool {
        let types = &self.unit.unit.types;
        let CType::Function(ty) = types.get(self.unit.unit.functions[id].ty) else {
            return true;
        };
        args.iter().enumerate().any(|(index, &arg)| {
            let to_const = ty.params.get(index).is_some_and(
                |&param| matches!(types.get(param), CType::Pointer(to) if to.quals.is_const),
            );
            self.ty(arg) == Type::Ptr && !to_const
        })
    }

    /// Says once that a function without a body is an input.
    fn announce(&mut self, id: FunctionId, span: Span) {
        if self.unit.announced.contains(&id) {
            return;
        }
        self.unit.announced.push(id);
        let name = &self.unit.unit.functions[id].name;
        self.unit.diagnostics.push(
            Diagnostic::warning(span, format!("function `{name}` has no body"))
                .with_label("taken as an input: any result, no other effect"),
        );
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
