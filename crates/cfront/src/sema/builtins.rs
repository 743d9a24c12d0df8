//! gcc's built-in functions.

use rhumb_program::{FloatType, Span, Type};

use super::Sema;
use super::float;
use crate::ast;
use crate::ctypes::{CType, FloatKind, IntKind, TypeId};
use crate::hir::{BinaryOp, Callee, CompareOp, ExprId, ExprKind, Intrinsic};

/// Whether only a compiler can provide a function of that name.
pub(super) fn is_builtin_name(name: &str) -> bool {
    name.starts_with("__builtin_") || name.starts_with("__sync_") || name.starts_with("__atomic_")
}

/// Checked library functions (`__builtin___memcpy_chk`): the function behind each, and the arguments that are only for the check.
const CHECKED: &[(&str, &str, &[usize])] = &[
    ("memcpy", "memcpy", &[3]),
    ("memmove", "memmove", &[3]),
    ("mempcpy", "mempcpy", &[3]),
    ("memset", "memset", &[3]),
    ("strcpy", "strcpy", &[2]),
    ("strcat", "strcat", &[2]),
    ("stpcpy", "stpcpy", &[2]),
    ("strncpy", "strncpy", &[3]),
    ("strncat", "strncat", &[3]),
    ("printf", "printf", &[0]),
    ("fprintf", "fprintf", &[1]),
    ("sprintf", "sprintf", &[1, 2]),
    ("snprintf", "snprintf", &[2, 3]),
];

impl Sema<'_> {
    /// A call of a built-in function that the program hasn't declared.
    pub(super) fn builtin_call(&mut self, name: &str, args: &[ast::ExprId], span: Span) -> ExprId {
        let Some(base) = name.strip_prefix("__builtin_") else {
            if name == "alloca" {
                return self.alloca(name, args, span);
            }
            return self.atomic_call(name, args, span);
        };
        if let Some(result) = self.intrinsic_call(name, base, args, span) {
            return result;
        }
        if let Some(result) = self.float_builtin(name, base, args, span) {
            return result;
        }
        let checked = base
            .strip_prefix("__")
            .and_then(|base| base.strip_suffix("_chk"));
        if let Some(base) = checked
            && let Some((_, function, dropped)) = CHECKED.iter().find(|(known, ..)| *known == base)
            && let Some(function) = self.library_function(function, span)
        {
            let (kept, others): (Vec<usize>, Vec<usize>) =
                (0..args.len()).partition(|index| !dropped.contains(index));
            let has_flag = base.ends_with("printf");
            let is_flag = |index| has_flag && index == dropped[0];
            let mut others = others.into_iter();
            if !others.all(|index| self.is_idle_check(args[index], is_flag(index))) {
                return self.unsupported(format!("the check of `{name}`"), span);
            }
            let kept: Vec<ast::ExprId> = kept.into_iter().map(|index| args[index]).collect();
            return self.call_function(function, &kept, span);
        }
        match self.library_function(base, span) {
            Some(function) => self.call_function(function, args, span),
            None => self.unknown_builtin(name, args, span),
        }
    }

    /// Whether a size that is only for the check of a checked function can't make it fail in a run that goes on: one
    /// that is not known, or that of the whole object (to write beyond it is undefined anyway). A flag says which
    /// checks there are.
    fn is_idle_check(&mut self, arg: ast::ExprId, is_flag: bool) -> bool {
        let is_question = match self.ast.exprs[arg].kind {
            ast::ExprKind::Call(callee, _) => match self.ast.exprs[callee].kind {
                ast::ExprKind::Ident(name) => &**self.names.name(name) == "__builtin_object_size",
                _ => false,
            },
            _ => false,
        };
        let value = self.rvalue(arg);
        match self.fold_integer(value) {
            Some(_) if is_flag || is_question => true,
            Some(size) => size == self.unit.types.model.size_type().max_bits() as i128,
            None => false,
        }
    }

    /// A built-in function that we don't handle.
    pub(super) fn unknown_builtin(
        &mut self,
        name: &str,
        args: &[ast::ExprId],
        span: Span,
    ) -> ExprId {
        for &arg in args {
            self.rvalue(arg);
        }
        self.unsupported(format!("`{name}`"), span)
    }

    fn intrinsic_call(
        &mut self,
        name: &str,
        base: &str,
        args: &[ast::ExprId],
        span: Span,
    ) -> Option<ExprId> {
        let basic = self.unit.types.basic;
        Some(match base {
            "expect" | "expect_with_probability" => self.expect(name, args, span),
            "unreachable" => self.intrinsic(Intrinsic::Unreachable, basic.void, span),
            "trap" => self.intrinsic(Intrinsic::Trap, basic.void, span),
            "constant_p" => self.constant_p(name, args, span),
            "alloca" | "alloca_with_align" => self.alloca(name, args, span),
            "object_size" | "dynamic_object_size" => self.object_size(name, args, span),
            "assume_aligned" => match self.take_args(name, args, 2, span) {
                Ok(values) => {
                    let pointer = self.convert(values[0], basic.void_ptr);
                    self.after_effects(&values[1..], pointer)
                }
                Err(failed) => failed,
            },
            "prefetch" => match self.take_args(name, args, 1, span) {
                Ok(values) => {
                    let pointer = self.discard(values[0]);
                    self.after_effects(&values[1..], pointer)
                }
                Err(failed) => failed,
            },
            "va_start" | "va_end" | "va_copy" => self.va_builtin(base, args, span),
            "bswap16" => self.bit_builtin(Intrinsic::ByteSwap, IntKind::UShort, name, args, span),
            "bswap32" => self.bit_builtin(Intrinsic::ByteSwap, IntKind::UInt, name, args, span),
            "bswap64" => {
                self.bit_builtin(Intrinsic::ByteSwap, IntKind::ULongLong, name, args, span)
            }
            _ => {
                if let Some((op, kind)) = overflow_builtin(base) {
                    return Some(self.checked_arithmetic(op, kind, name, args, span));
                }
                let (intrinsic, kind) = counting_builtin(base)?;
                self.bit_builtin(intrinsic, kind, name, args, span)
            }
        })
    }

    pub(super) fn intrinsic(&mut self, what: Intrinsic, ty: TypeId, span: Span) -> ExprId {
        self.push(ExprKind::Intrinsic(what, Vec::new()), ty, span)
    }

    /// A value, after the effects of arguments that matter for nothing else.
    fn after_effects(&mut self, others: &[ExprId], mut value: ExprId) -> ExprId {
        for &other in others.iter().rev() {
            if self.has_effects(other) {
                value = self.sequence(other, value);
            }
        }
        value
    }

    /// The values of at least this many arguments.
    pub(super) fn take_args(
        &mut self,
        name: &str,
        args: &[ast::ExprId],
        count: usize,
        span: Span,
    ) -> Result<Vec<ExprId>, ExprId> {
        if args.len() < count {
            return Err(self.fail(span, format!("too few arguments to `{name}`")));
        }
        let values: Vec<ExprId> = args.iter().map(|&arg| self.rvalue(arg)).collect();
        match values.iter().find(|&&value| self.is_error(value)) {
            Some(&failed) => Err(failed),
            None => Ok(values),
        }
    }

    fn expect(&mut self, name: &str, args: &[ast::ExprId], span: Span) -> ExprId {
        let values = match self.take_args(name, args, 2, span) {
            Ok(values) => values,
            Err(failed) => return failed,
        };
        let value = self.check_scalar(values[0], "the argument");
        let long = self.unit.types.basic.long;
        let value = self.convert(value, long);
        // Whether gcc evaluates it depends on what it finds out about the first.
        if values[1..].iter().any(|&other| self.has_effects(other)) {
            return self.unsupported(format!("side effects in what `{name}` expects"), span);
        }
        value
    }

    fn alloca(&mut self, name: &str, args: &[ast::ExprId], span: Span) -> ExprId {
        let values = match self.take_args(name, args, 1, span) {
            Ok(values) => values,
            Err(failed) => return failed,
        };
        let size = self.check_scalar(values[0], "the size");
        if self.is_error(size) {
            return size;
        }
        let basic = self.unit.types.basic;
        let size = self.convert(size, basic.size);
        let kind = ExprKind::Intrinsic(Intrinsic::Alloca, vec![size]);
        self.push(kind, basic.void_ptr, span)
    }

    fn bit_builtin(
        &mut self,
        intrinsic: Intrinsic,
        kind: IntKind,
        name: &str,
        args: &[ast::ExprId],
        span: Span,
    ) -> ExprId {
        let values = match self.take_args(name, args, 1, span) {
            Ok(values) => values,
            Err(failed) => return failed,
        };
        if !self.unit.types.is_arithmetic(self.ty(values[0])) {
            return self.fail(span, format!("`{name}` needs an integer"));
        }
        let ty = self.unit.types.int(kind);
        let value = self.convert(values[0], ty);
        let result = match intrinsic {
            Intrinsic::ByteSwap => ty,
            _ => self.unit.types.basic.int,
        };
        self.push(ExprKind::Intrinsic(intrinsic, vec![value]), result, span)
    }

    /// `__builtin_add_overflow` and its kin; `kind` is given for those with fixed types.
    fn checked_arithmetic(
        &mut self,
        op: BinaryOp,
        kind: OverflowKind,
        name: &str,
        args: &[ast::ExprId],
        span: Span,
    ) -> ExprId {
        let mut values = match self.take_args(name, args, 3, span) {
            Ok(values) => values,
            Err(failed) => return failed,
        };
        if let OverflowKind::Typed(kind) = kind {
            let ty = self.unit.types.int(kind);
            for value in &mut values[..2] {
                *value = self.convert(*value, ty);
            }
        }
        for &value in &values[..2] {
            if !self.unit.types.is_integer(self.ty(value)) {
                return self.fail(
                    span,
                    format!("the first two arguments of `{name}` must be integers"),
                );
            }
        }
        // With `_p` nothing is stored: only the type of the third argument counts, which for a bit-field is of its width.
        if kind == OverflowKind::Predicate {
            let ty = self.value_type(values[2]);
            let bool = self.unit.types.basic.bool;
            if !matches!(self.unit.types.get(ty), CType::Int(_)) {
                let message = format!("the third argument of `{name}` must be an integer");
                return self.fail(span, message);
            }
            let kind = ExprKind::Intrinsic(Intrinsic::CheckedArith(op, ty), values[..2].to_vec());
            let result = self.push(kind, bool, span);
            return self.after_effects(&values[2..], result);
        }
        let pointee = self
            .unit
            .types
            .pointee(self.ty(values[2]))
            .map(|pointee| pointee.ty);
        match pointee {
            Some(ty) if matches!(self.unit.types.get(ty), CType::Int(_)) => {
                let bool = self.unit.types.basic.bool;
                values.truncate(3);
                let kind = ExprKind::Intrinsic(Intrinsic::CheckedArith(op, ty), values);
                self.push(kind, bool, span)
            }
            _ => self.fail(
                span,
                format!("the third argument of `{name}` must be a pointer to an integer"),
            ),
        }
    }

    /// Built-in functions on floating-point numbers.
    fn float_builtin(
        &mut self,
        name: &str,
        base: &str,
        args: &[ast::ExprId],
        span: Span,
    ) -> Option<ExprId> {
        Some(match base {
            "huge_val" | "inf" => self.float_const(FloatKind::Double, float::infinity, span),
            "huge_valf" | "inff" => self.float_const(FloatKind::Float, float::infinity, span),
            "huge_vall" | "infl" => self.float_const(FloatKind::LongDouble, float::infinity, span),
            "huge_valq" | "infq" | "huge_valf128" | "inff128" => {
                self.float_const(FloatKind::Float128, float::infinity, span)
            }
            "nan" => self.nan(FloatKind::Double, name, args, span),
            "nanf" => self.nan(FloatKind::Float, name, args, span),
            "nanl" => self.nan(FloatKind::LongDouble, name, args, span),
            "isnan" | "isinf" | "isinf_sign" | "isfinite" | "finite" | "isnormal" | "signbit"
            | "signbitf" | "signbitl" | "isnanf" | "isnanl" | "isinff" | "isinfl" | "finitef"
            | "finitel" => {
                let generic = match base.trim_end_matches(['f', 'l']) {
                    "isnan" => "__builtin_isnan",
                    "isin" => "__builtin_isinf",
                    "signbit" => "__builtin_signbit",
                    "finite" | "isfinite" => "__builtin_isfinite",
                    _ => name,
                };
                self.classify(generic, args, span)
            }
            "fpclassify" => self.fpclassify(name, args, span),
            "isgreater" => self.quiet_compare(CompareOp::Gt, name, args, span),
            "isgreaterequal" => self.quiet_compare(CompareOp::Ge, name, args, span),
            "isless" => self.quiet_compare(CompareOp::Lt, name, args, span),
            "islessequal" => self.quiet_compare(CompareOp::Le, name, args, span),
            "islessgreater" => {
                self.two_compares(CompareOp::Lt, CompareOp::Gt, false, name, args, span)
            }
            "isunordered" => {
                self.two_compares(CompareOp::Le, CompareOp::Gt, true, name, args, span)
            }
            _ => return None,
        })
    }

    fn float_const(&mut self, kind: FloatKind, value: fn(FloatType) -> u128, span: Span) -> ExprId {
        let ty = self.unit.types.float(kind);
        self.push(ExprKind::Const(value(kind.float_type())), ty, span)
    }

    fn nan(&mut self, kind: FloatKind, name: &str, args: &[ast::ExprId], span: Span) -> ExprId {
        let text = args.first().map(|&arg| &self.ast.exprs[arg].kind);
        let Some(ast::ExprKind::Str(literal)) = text else {
            return self.unknown_builtin(name, args, span);
        };
        let text = literal.text();
        let payload = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
            Some(digits) => u128::from_str_radix(digits, 16).ok(),
            None if text.is_empty() => Some(0),
            None if text.starts_with('0') => u128::from_str_radix(&text, 8).ok(),
            None => text.parse().ok(),
        };
        let Some(payload) = payload else {
            return self.unknown_builtin(name, args, span);
        };
        let ty = self.unit.types.float(kind);
        let bits = float::nan(kind.float_type(), payload);
        self.push(ExprKind::Const(bits), ty, span)
    }

    /// A question about a float: a call of the built-in function itself, whose argument keeps its type.
    fn classify(&mut self, name: &str, args: &[ast::ExprId], span: Span) -> ExprId {
        let values = match self.take_args(name, args, 1, span) {
            Ok(values) => values,
            Err(failed) => return failed,
        };
        self.classify_value(name, values[0], span)
    }

    fn classify_value(&mut self, name: &str, value: ExprId, span: Span) -> ExprId {
        if !matches!(self.ctype(value), CType::Float(_)) {
            return self.fail(span, format!("`{name}` needs a floating-point number"));
        }
        let function = self.generic_builtin(name, span);
        let kind = ExprKind::Call {
            callee: Callee::Function(function),
            args: vec![value],
        };
        self.push(kind, self.unit.types.basic.int, span)
    }

    /// `__builtin_fpclassify(nan, infinite, normal, subnormal, zero, x)`: the class of `x` (see `ClassifyFn::FpClassify`), then a choice.
    fn fpclassify(&mut self, name: &str, args: &[ast::ExprId], span: Span) -> ExprId {
        let mut values = match self.take_args(name, args, 6, span) {
            Ok(values) => values,
            Err(failed) => return failed,
        };
        let int = self.unit.types.basic.int;
        for value in &mut values[..5] {
            *value = self.check_scalar(*value, "a class");
            *value = self.convert(*value, int);
            if self.is_error(*value) {
                return *value;
            }
        }
        let class = self.classify_value(name, values[5], span);
        if self.is_error(class) {
            return class;
        }
        let (nan, infinite, normal, subnormal, zero) =
            (values[0], values[1], values[2], values[3], values[4]);
        let (assignment, local) = self.keep(class);
        let mut result = normal;
        for (number, value) in [(3, subnormal), (2, zero), (1, infinite), (0, nan)] {
            let class = self.kept(local, span);
            let number = self.int_const(number, int, span);
            let test = self.push(ExprKind::Compare(CompareOp::Eq, class, number), int, span);
            result = self.push(ExprKind::Cond(test, value, result), int, span);
        }
        self.sequence(assignment, result)
    }

    /// Two numbers of one floating type, for a comparison.
    fn float_pair(
        &mut self,
        name: &str,
        args: &[ast::ExprId],
        span: Span,
    ) -> Result<(ExprId, ExprId), ExprId> {
        let values = self.take_args(name, args, 2, span)?;
        let (a, b) = (values[0], values[1]);
        let types = &self.unit.types;
        let is_float = |ty| matches!(types.scalar(ty), Some(Type::Float(_)));
        let fits = types.is_arithmetic(self.ty(a))
            && types.is_arithmetic(self.ty(b))
            && (is_float(self.ty(a)) || is_float(self.ty(b)));
        if !fits {
            return Err(self.fail(span, format!("`{name}` needs floating-point numbers")));
        }
        let ty = self.common_type(a, b);
        Ok((self.convert(a, ty), self.convert(b, ty)))
    }

    fn quiet_compare(
        &mut self,
        op: CompareOp,
        name: &str,
        args: &[ast::ExprId],
        span: Span,
    ) -> ExprId {
        match self.float_pair(name, args, span) {
            Ok((a, b)) => self.push(ExprKind::Compare(op, a, b), self.unit.types.basic.int, span),
            Err(failed) => failed,
        }
    }

    /// Whether one of two comparisons holds, or (with `negate`) none.
    fn two_compares(
        &mut self,
        first: CompareOp,
        second: CompareOp,
        negate: bool,
        name: &str,
        args: &[ast::ExprId],
        span: Span,
    ) -> ExprId {
        let (a, b) = match self.float_pair(name, args, span) {
            Ok(pair) => pair,
            Err(failed) => return failed,
        };
        let int = self.unit.types.basic.int;
        let (keep_a, a) = self.keep(a);
        let (keep_b, b) = self.keep(b);
        let mut holds = [first, second].map(|op| {
            let (a, b) = (self.kept(a, span), self.kept(b, span));
            self.push(ExprKind::Compare(op, a, b), int, span)
        });
        let mut result = self.push(ExprKind::LogOr(holds[0], holds[1]), int, span);
        if negate {
            result = self.push(ExprKind::LogNot(result), int, span);
        }
        holds[0] = self.sequence(keep_b, result);
        self.sequence(keep_a, holds[0])
    }
}

/// How the arguments of an overflow builtin are typed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum OverflowKind {
    /// Each as it is.
    Generic,
    /// All of one type.
    Typed(IntKind),
    /// Each as it is, and nothing is stored.
    Predicate,
}

fn overflow_builtin(base: &str) -> Option<(BinaryOp, OverflowKind)> {
    let operation = |name: &str| match name {
        "add" => Some(BinaryOp::Add),
        "sub" => Some(BinaryOp::Sub),
        "mul" => Some(BinaryOp::Mul),
        _ => None,
    };
    if let Some(name) = base.strip_suffix("_overflow_p") {
        return operation(name).map(|op| (op, OverflowKind::Predicate));
    }
    let name = base.strip_suffix("_overflow")?;
    if let Some(op) = operation(name) {
        return Some((op, OverflowKind::Generic));
    }
    let (signed, rest) = match name.split_at_checked(1)? {
        ("s", rest) => (true, rest),
        ("u", rest) => (false, rest),
        _ => return None,
    };
    let op = operation(rest.get(..3)?)?;
    let kind = match rest.get(3..)? {
        "" => IntKind::Int,
        "l" => IntKind::Long,
        "ll" => IntKind::LongLong,
        _ => return None,
    };
    let kind = if signed { kind } else { kind.to_unsigned() };
    Some((op, OverflowKind::Typed(kind)))
}

fn counting_builtin(base: &str) -> Option<(Intrinsic, IntKind)> {
    let (name, kind) = match base.strip_suffix("ll") {
        Some(name) => (name, IntKind::ULongLong),
        None => match base.strip_suffix('l') {
            Some(name) => (name, IntKind::ULong),
            None => (base, IntKind::UInt),
        },
    };
    let intrinsic = match name {
        "popcount" => Intrinsic::PopCount,
        "clz" => Intrinsic::CountLeadingZeros,
        "ctz" => Intrinsic::CountTrailingZeros,
        "ffs" => Intrinsic::FindFirstSet,
        "parity" => Intrinsic::Parity,
        _ => return None,
    };
    Some((intrinsic, kind))
}
