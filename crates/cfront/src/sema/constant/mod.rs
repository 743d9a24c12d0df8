//! Constant expressions: exact evaluation of the typed tree where C asks for a constant.

mod calls;
mod memory;

use rhumb_program::interp::eval;
use rhumb_program::{IntType, Span, Type};

use super::{RED_ZONE, STACK_PIECE, Sema, float};
use crate::ast::{self, StaticAssert};
use crate::ctypes::TypeId;
use crate::diagnostic::Diagnostic;
use crate::hir::{BinaryOp, Callee, CompareOp, ExprId, ExprKind, FunctionId, GlobalId, UnaryOp};

/// The value of a constant expression.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Constant {
    /// Bits in the expression's type.
    Bits(u128),
    /// An address that is known when the program is loaded.
    Address(Base, i64),
}

/// What an address belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Base {
    Global(GlobalId),
    Function(FunctionId),
}

/// Why an expression is no constant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum NotConstant {
    /// This part is none.
    At(Span),
    DivisionByZero(Span),
    /// Something that we don't handle.
    Unsupported(String),
}

/// What may stand in a constant expression beside constants.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Mode {
    /// Nothing else: array lengths, labels, widths.
    Integer,
    /// Addresses and the values of `const` objects: initialisers.
    Initializer,
}

type Evaluated = Result<Constant, NotConstant>;

impl Sema<'_> {
    /// The value of an integer expression, if it is constant.
    pub(super) fn fold_integer(&self, id: ExprId) -> Option<i128> {
        self.evaluate_integer(id).ok()
    }

    fn evaluate_integer(&self, id: ExprId) -> Result<i128, NotConstant> {
        let bits = match self.evaluate(id, Mode::Integer)? {
            Constant::Bits(bits) => bits,
            Constant::Address(..) => return Err(NotConstant::At(self.span(id))),
        };
        match self.unit.types.scalar(self.ty(id)) {
            Some(Type::Int(int)) => Ok(int.extend(bits)),
            Some(Type::Bool) => Ok(bits as i128),
            _ => Err(NotConstant::At(self.span(id))),
        }
    }

    /// The value of an expression that must be an integer constant; `what` names it in the message.
    pub(super) fn integer_constant(&mut self, id: ast::ExprId, what: &str) -> Option<i128> {
        let value = self.rvalue(id);
        self.integer_constant_value(value, what)
    }

    /// The same for an expression that is already analysed.
    pub(super) fn integer_constant_value(&mut self, value: ExprId, what: &str) -> Option<i128> {
        if let ExprKind::Unsupported(name) = &self.hir(value).kind {
            let message = format!("{what} needs {name}, which is not supported");
            self.error(self.span(value), message);
            return None;
        }
        if self.is_error(value) {
            return None;
        }
        let span = self.span(value);
        if !self.unit.types.is_integer(self.ty(value)) {
            let shown = self.show(self.ty(value));
            self.error(span, format!("{what} must be an integer, not `{shown}`"));
            return None;
        }
        match self.evaluate_integer(value) {
            Ok(value) => Some(value),
            Err(problem) => {
                let diagnostic = Diagnostic::error(span, format!("{what} must be constant"));
                self.diags.push(match problem {
                    NotConstant::At(at) if at != span => {
                        diagnostic.with_note(at, "this is not constant")
                    }
                    NotConstant::At(_) => diagnostic.with_label("not constant"),
                    NotConstant::DivisionByZero(at) => {
                        Diagnostic::error(at, "division by zero in a constant expression")
                    }
                    NotConstant::Unsupported(name) => {
                        diagnostic.with_label(format!("{name} is not supported"))
                    }
                });
                None
            }
        }
    }

    pub(super) fn static_assert(&mut self, assertion: &StaticAssert) {
        let value = self.integer_constant(assertion.cond, "the condition of a static assertion");
        if value != Some(0) {
            return;
        }
        let message = assertion.message.map(|id| &self.ast.exprs[id].kind);
        let text = match message {
            Some(ast::ExprKind::Str(literal)) => {
                format!("static assertion failed: {}", literal.text())
            }
            _ => "static assertion failed".to_string(),
        };
        self.error(assertion.span, text);
    }

    /// The value of a constant expression.
    pub(super) fn evaluate(&self, id: ExprId, mode: Mode) -> Evaluated {
        stacker::maybe_grow(RED_ZONE, STACK_PIECE, || self.evaluate_inner(id, mode))
    }

    fn evaluate_inner(&self, id: ExprId, mode: Mode) -> Evaluated {
        let expr = self.hir(id);
        let not_constant = Err(NotConstant::At(expr.span));
        match &expr.kind {
            ExprKind::Const(bits) if !self.is_error(id) => Ok(Constant::Bits(*bits)),
            ExprKind::Convert(arg) => {
                let value = self.evaluate(*arg, mode)?;
                self.convert_constant(value, self.ty(*arg), expr.ty, expr.span)
            }
            ExprKind::Unary(op, arg) => match (self.evaluate(*arg, mode)?, self.scalar_type(id)) {
                (Constant::Bits(bits), Some(Type::Int(int))) => Ok(Constant::Bits(match op {
                    UnaryOp::Neg => int.wrap(bits.wrapping_neg()),
                    UnaryOp::BitNot => int.wrap(!bits),
                })),
                (Constant::Bits(bits), Some(Type::Float(ty))) if *op == UnaryOp::Neg => {
                    Ok(Constant::Bits(float::negate(ty, bits)))
                }
                _ => not_constant,
            },
            ExprKind::Binary(op, lhs, rhs) => self.evaluate_binary(id, *op, *lhs, *rhs, mode),
            ExprKind::Compare(op, lhs, rhs) => self.evaluate_compare(id, *op, *lhs, *rhs, mode),
            ExprKind::LogNot(arg) => Ok(truth(!self.evaluate_truth(*arg, mode)?)),
            ExprKind::LogAnd(lhs, rhs) => Ok(truth(
                self.evaluate_truth(*lhs, mode)? && self.evaluate_truth(*rhs, mode)?,
            )),
            ExprKind::LogOr(lhs, rhs) => Ok(truth(
                self.evaluate_truth(*lhs, mode)? || self.evaluate_truth(*rhs, mode)?,
            )),
            ExprKind::Cond(cond, then, otherwise) => {
                let chosen = if self.evaluate_truth(*cond, mode)? {
                    *then
                } else {
                    *otherwise
                };
                self.evaluate(chosen, mode)
            }
            ExprKind::PtrAdd {
                ptr,
                index,
                element_size,
                subtract,
            } => {
                let pointer = self.evaluate(*ptr, mode)?;
                let index = self.evaluate_as_i128(*index, mode)?;
                let size = self.evaluate_as_i128(*element_size, mode)?;
                let bytes = index.wrapping_mul(size);
                Ok(self.shift(
                    pointer,
                    if *subtract {
                        bytes.wrapping_neg()
                    } else {
                        bytes
                    },
                ))
            }
            ExprKind::PtrDiff {
                lhs,
                rhs,
                element_size,
            } => {
                let (a, b) = (self.evaluate(*lhs, mode)?, self.evaluate(*rhs, mode)?);
                let size = self.evaluate_as_i128(*element_size, mode)?;
                let bytes = match (a, b) {
                    (Constant::Bits(a), Constant::Bits(b)) => a as i128 - b as i128,
                    (Constant::Address(x, a), Constant::Address(y, b)) if x == y => {
                        i128::from(a) - i128::from(b)
                    }
                    (
                        Constant::Address(Base::Global(x), _),
                        Constant::Address(Base::Global(y), _),
                    ) if self.is_label(x) && self.is_label(y) => {
                        let what = "a difference of labels".to_string();
                        return Err(NotConstant::Unsupported(what));
                    }
                    _ => return not_constant,
                };
                let word = self.unit.types.model.ptrdiff_type();
                match bytes.checked_div(size) {
                    Some(count) => Ok(Constant::Bits(word.wrap(count as u128))),
                    None => Err(NotConstant::DivisionByZero(expr.span)),
                }
            }
            ExprKind::AddrOf(place) | ExprKind::Decay(place) => self.evaluate_place(*place, mode),
            ExprKind::Function(function) => Ok(Constant::Address(Base::Function(*function), 0)),
            ExprKind::Load(place) if mode == Mode::Initializer => self.evaluate_load(*place, mode),
            ExprKind::Intrinsic(intrinsic, args) => {
                self.evaluate_intrinsic(id, *intrinsic, args, mode)
            }
            ExprKind::Call {
                callee: Callee::Function(function),
                args,
            } => self.evaluate_call(*function, args, mode, expr.span),
            ExprKind::Unsupported(what) => Err(NotConstant::Unsupported(what.clone())),
            _ => not_constant,
        }
    }

    fn scalar_type(&self, id: ExprId) -> Option<Type> {
        self.unit.types.scalar(self.ty(id))
    }

    fn evaluate_as_i128(&self, id: ExprId, mode: Mode) -> Result<i128, NotConstant> {
        match (self.evaluate(id, mode)?, self.scalar_type(id)) {
            (Constant::Bits(bits), Some(Type::Int(int))) => Ok(int.extend(bits)),
            _ => Err(NotConstant::At(self.span(id))),
        }
    }

    /// An address moved by a number of bytes.
    fn shift(&self, pointer: Constant, bytes: i128) -> Constant {
        match pointer {
            Constant::Bits(bits) => {
                let word = self.unit.types.model.size_type();
                Constant::Bits(word.wrap(bits.wrapping_add(bytes as u128)))
            }
            Constant::Address(base, offset) => {
                Constant::Address(base, offset.wrapping_add(bytes as i64))
            }
        }
    }

    fn evaluate_truth(&self, id: ExprId, mode: Mode) -> Result<bool, NotConstant> {
        match (self.evaluate(id, mode)?, self.scalar_type(id)) {
            (Constant::Address(..), _) => Ok(true),
            (Constant::Bits(bits), Some(Type::Float(ty))) => Ok(float::is_nonzero(ty, bits)),
            (Constant::Bits(bits), _) => Ok(bits != 0),
        }
    }

    fn convert_constant(&self, value: Constant, from: TypeId, to: TypeId, span: Span) -> Evaluated {
        let types = &self.unit.types;
        let (Some(from), Some(to)) = (types.scalar(from), types.scalar(to)) else {
            return Err(NotConstant::At(span));
        };
        let bits = match value {
            Constant::Bits(bits) => bits,
            Constant::Address(..) => {
                let word = types.model.pointer_width();
                return match to {
                    Type::Ptr => Ok(value),
                    Type::Int(int) if int.width == word => Ok(value),
                    Type::Bool => Ok(truth(true)),
                    _ => Err(NotConstant::At(span)),
                };
            }
        };
        let word = types.model.size_type();
        Ok(Constant::Bits(match (from, to) {
            (Type::Float(from), Type::Float(to)) => float::convert(from, to, bits),
            (Type::Float(from), Type::Bool) => u128::from(float::is_nonzero(from, bits)),
            (Type::Float(from), Type::Int(to)) => float::to_int(from, to, bits),
            (Type::Int(from), Type::Float(to)) => float::from_int(to, from, bits),
            (Type::Bool, Type::Float(to)) => float::from_int(to, IntType::unsigned(1), bits),
            (Type::Int(from), Type::Int(to)) => to.wrap(from.extend(bits) as u128),
            (Type::Int(from), Type::Ptr) => word.wrap(from.extend(bits) as u128),
            (_, Type::Bool) => u128::from(bits != 0),
            (_, Type::Int(to)) => to.wrap(bits),
            (_, Type::Ptr) => bits,
            (Type::Ptr, Type::Float(_)) => return Err(NotConstant::At(span)),
        }))
    }

    fn evaluate_binary(
        &self,
        id: ExprId,
        op: BinaryOp,
        lhs: ExprId,
        rhs: ExprId,
        mode: Mode,
    ) -> Evaluated {
        let span = self.span(id);
        let (a, b) = (self.evaluate(lhs, mode)?, self.evaluate(rhs, mode)?);
        let (a, b) = match (a, b) {
            (Constant::Bits(a), Constant::Bits(b)) => (a, b),
            // An address in an integer as wide as a pointer.
            (Constant::Address(..), Constant::Bits(bits)) if op == BinaryOp::Add => {
                return Ok(self.shift(a, bits as i128));
            }
            (Constant::Bits(bits), Constant::Address(..)) if op == BinaryOp::Add => {
                return Ok(self.shift(b, bits as i128));
            }
            (Constant::Address(..), Constant::Bits(bits)) if op == BinaryOp::Sub => {
                return Ok(self.shift(a, (bits as i128).wrapping_neg()));
            }
            (Constant::Address(x, a), Constant::Address(y, b)) if op == BinaryOp::Sub && x == y => {
                let word = self.unit.types.model.size_type();
                return Ok(Constant::Bits(word.wrap(a.wrapping_sub(b) as u128)));
            }
            _ => return Err(NotConstant::At(span)),
        };
        match self.scalar_type(id) {
            Some(Type::Int(int)) => {
                let amount = match self.scalar_type(rhs) {
                    Some(Type::Int(rhs_type)) => rhs_type.extend(b),
                    _ => 0,
                };
                match int_binary(int, op, a, b, amount) {
                    Ok(bits) => Ok(Constant::Bits(bits)),
                    Err(IntError::DivisionByZero) => Err(NotConstant::DivisionByZero(span)),
                    Err(IntError::BadShift) => Err(NotConstant::At(span)),
                }
            }
            Some(Type::Float(ty)) => match float::binary(ty, op, a, b) {
                Some(bits) => Ok(Constant::Bits(bits)),
                None => Err(NotConstant::At(span)),
            },
            _ => Err(NotConstant::At(span)),
        }
    }

    fn evaluate_compare(
        &self,
        id: ExprId,
        op: CompareOp,
        lhs: ExprId,
        rhs: ExprId,
        mode: Mode,
    ) -> Evaluated {
        let (a, b) = (self.evaluate(lhs, mode)?, self.evaluate(rhs, mode)?);
        let holds = match (a, b) {
            (Constant::Bits(a), Constant::Bits(b)) => match self.scalar_type(lhs) {
                Some(Type::Float(ty)) => float::compare(ty, op, a, b),
                Some(Type::Int(int)) if int.signed => compare(op, int.extend(a), int.extend(b)),
                _ => compare(op, a, b),
            },
            (Constant::Address(x, a), Constant::Address(y, b)) if x == y => compare(op, a, b),
            // No object has the address null.
            (Constant::Address(_, 0), Constant::Bits(0))
            | (Constant::Bits(0), Constant::Address(_, 0))
                if matches!(op, CompareOp::Eq | CompareOp::Ne) =>
            {
                op == CompareOp::Ne
            }
            // Distinct objects have distinct addresses; only literals may share theirs.
            (Constant::Address(x, 0), Constant::Address(y, 0))
                if matches!(op, CompareOp::Eq | CompareOp::Ne)
                    && self.has_own_address(x)
                    && self.has_own_address(y) =>
            {
                op == CompareOp::Ne
            }
            _ => return Err(NotConstant::At(self.span(id))),
        };
        Ok(truth(holds))
    }
}

fn truth(value: bool) -> Constant {
    Constant::Bits(u128::from(value))
}

fn compare<T: Ord>(op: CompareOp, a: T, b: T) -> bool {
    match op {
        CompareOp::Eq => a == b,
        CompareOp::Ne => a != b,
        CompareOp::Lt => a < b,
        CompareOp::Le => a <= b,
        CompareOp::Gt => a > b,
        CompareOp::Ge => a >= b,
    }
}

enum IntError {
    DivisionByZero,
    BadShift,
}

/// An integer operator on bit patterns; `amount` is the right operand of a shift.
fn int_binary(
    int: IntType,
    op: BinaryOp,
    a: u128,
    b: u128,
    amount: i128,
) -> Result<u128, IntError> {
    // gcc folds a shift that is too far as if it were done bit by bit; one by a negative amount it doesn't fold.
    let shift = match u32::try_from(amount) {
        Ok(amount) => Some(amount.min(u32::from(int.width))),
        Err(_) if amount > 0 => Some(u32::from(int.width)),
        Err(_) => None,
    };
    let shift = || shift.ok_or(IntError::BadShift);
    let result = match op {
        BinaryOp::Shl => a.checked_shl(shift()?).unwrap_or(0),
        BinaryOp::Shr if int.signed => (int.extend(a) >> shift()?.min(127)) as u128,
        BinaryOp::Shr => a.checked_shr(shift()?).unwrap_or(0),
        _ => {
            let ty = Type::Int(int);
            let result = eval::binary(op.of_model(), ty, a, ty, b);
            return result.map_err(|_| IntError::DivisionByZero);
        }
    };
    Ok(int.wrap(result))
}
