//! Questions whose answer is gcc's own affair: `__builtin_constant_p` and `__builtin_object_size`. Where the answer without optimisation is
//! certain, it is that one; elsewhere it is open, and no UNSAFE may rest on it.

use rhumb_program::Span;

use super::Sema;
use super::constant::{Base, Constant, Mode};
use crate::ast;
use crate::ctypes::{ArrayLen, CType, TypeId};
use crate::hir::{Callee, ExprId, ExprKind, Intrinsic};

/// What gcc may say.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Answer {
    Yes,
    No,
    Open,
}

impl Sema<'_> {
    pub(super) fn constant_p(&mut self, name: &str, args: &[ast::ExprId], span: Span) -> ExprId {
        let values = match self.take_args(name, args, 1, span) {
            Ok(values) => values,
            Err(failed) => return failed,
        };
        let int = self.unit.types.basic.int;
        let value = match self.is_constant_to_gcc(values[0]) {
            Answer::Yes => 1,
            Answer::No => 0,
            Answer::Open => {
                let bool = self.unit.types.basic.bool;
                let answer = self.open_value("what gcc takes for a constant", bool, span);
                return self.convert(answer, int);
            }
        };
        self.int_const(value, int, span)
    }

    /// A value that we don't know.
    fn open_value(&mut self, what: &'static str, ty: TypeId, span: Span) -> ExprId {
        self.intrinsic(Intrinsic::Open(what), ty, span)
    }

    fn is_constant_to_gcc(&self, id: ExprId) -> Answer {
        // gcc looks into statements, and knows results of library functions.
        let is_known_to_gcc = |kind: &ExprKind| match kind {
            ExprKind::StmtExpr { .. } => true,
            ExprKind::Call {
                callee: Callee::Function(function),
                ..
            } => self.unit.functions[*function].body.is_none(),
            _ => false,
        };
        if self.has_effects(id) {
            let is_open = self.any_part(id, &is_known_to_gcc);
            return if is_open { Answer::Open } else { Answer::No };
        }
        match self.evaluate(id, Mode::Integer) {
            // Comparisons of addresses are constants to us, and sometimes to gcc.
            Ok(Constant::Bits(_)) if self.mentions_addresses(id) => Answer::Open,
            Ok(Constant::Bits(_)) => Answer::Yes,
            Ok(Constant::Address(Base::Global(global), 0)) if self.is_string_global(global) => {
                Answer::Yes
            }
            _ if self.unit.optimises => Answer::Open,
            Ok(Constant::Address(..)) => Answer::No,
            Err(_) => self.is_constant_by_algebra(id),
        }
    }

    /// Whether gcc could find that an expression which isn't constant by its parts has the same value always: `x * 0`, `x == x`.
    fn is_constant_by_algebra(&self, id: ExprId) -> Answer {
        match &self.hir(id).kind {
            ExprKind::Convert(arg) | ExprKind::Unary(_, arg) => self.is_constant_by_algebra(*arg),
            ExprKind::Load(_) | ExprKind::AddrOf(_) | ExprKind::Decay(_) => Answer::No,
            _ => Answer::Open,
        }
    }

    fn mentions_addresses(&self, id: ExprId) -> bool {
        let is_address = |kind: &ExprKind| {
            matches!(
                kind,
                ExprKind::AddrOf(_) | ExprKind::Decay(_) | ExprKind::Function(_)
            )
        };
        self.any_part(id, &is_address)
    }

    /// Whether evaluating the expression may do something beside giving a value.
    pub(super) fn has_effects(&self, id: ExprId) -> bool {
        let has_effect = |kind: &ExprKind| match kind {
            ExprKind::Assign { .. } | ExprKind::Update(_) | ExprKind::StmtExpr { .. } => true,
            ExprKind::Call { .. } => true,
            ExprKind::Intrinsic(intrinsic, args) => match intrinsic {
                Intrinsic::Together
                | Intrinsic::AtomicBegin
                | Intrinsic::AtomicEnd
                | Intrinsic::PopCount
                | Intrinsic::CountLeadingZeros
                | Intrinsic::CountTrailingZeros
                | Intrinsic::FindFirstSet
                | Intrinsic::Parity
                | Intrinsic::ByteSwap
                | Intrinsic::Open(_) => false,
                Intrinsic::CheckedArith(..) => args.len() > 2,
                _ => true,
            },
            _ => false,
        };
        self.any_part(id, &has_effect)
    }

    /// Whether the expression or an operand of it, however deep, is of this kind.
    fn any_part(&self, id: ExprId, wanted: &dyn Fn(&ExprKind) -> bool) -> bool {
        let mut work = vec![id];
        while let Some(id) = work.pop() {
            let expr = self.hir(id);
            if wanted(&expr.kind) {
                return true;
            }
            expr.for_each_operand(&mut |operand| work.push(operand));
        }
        false
    }

    /// `__builtin_object_size(pointer, kind)`. Its argument is not evaluated. Without optimisation gcc knows the size
    /// of an object that is named, and nothing about what a variable points to; then the answer is "as large as you
    /// like", or for the lower bound 0.
    pub(super) fn object_size(&mut self, name: &str, args: &[ast::ExprId], span: Span) -> ExprId {
        let values = match self.take_args(name, args, 2, span) {
            Ok(values) => values,
            Err(failed) => return failed,
        };
        let Some(kind @ 0..=3) = self.fold_integer(values[1]) else {
            let message = format!("the second argument of `{name}` must be 0 to 3");
            return self.fail(span, message);
        };
        let size = self.unit.types.basic.size;
        let nothing = if kind < 2 { -1 } else { 0 };
        if self.has_effects(values[0]) {
            return self.int_const(nothing, size, span);
        }
        let pointer = self.without_pointer_casts(values[0]);
        let known = match self.hir(pointer).kind {
            ExprKind::AddrOf(place) | ExprKind::Decay(place) => self.named_object_size(place),
            ExprKind::Load(_) if !self.unit.optimises => Some(nothing),
            _ => None,
        };
        match known {
            Some(known) => self.int_const(known, size, span),
            None => self.open_value("what gcc knows of the size of an object", size, span),
        }
    }

    fn without_pointer_casts(&self, mut id: ExprId) -> ExprId {
        while let ExprKind::Convert(arg) = self.hir(id).kind
            && self.unit.types.pointee(self.ty(arg)).is_some()
        {
            id = arg;
        }
        id
    }

    /// The size of a place that is a whole object.
    fn named_object_size(&self, place: ExprId) -> Option<i128> {
        let is_object = matches!(
            self.hir(place).kind,
            ExprKind::Local(_) | ExprKind::Global(_)
        );
        let ty = self.ty(place);
        let is_array = matches!(
            self.unit.types.get(ty),
            CType::Array(_, ArrayLen::Known(_)) | CType::Int(_) | CType::Float(_)
        );
        let size = self
            .unit
            .types
            .size_of(ty)
            .filter(|_| is_object && is_array);
        size.map(i128::from)
    }
}
