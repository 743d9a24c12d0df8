//! Expressions in infix.

use rustc_apfloat::Float;
use rustc_apfloat::ieee::{Double, Quad, Single, X87DoubleExtended};

use super::{Printer, is_default};
use crate::expr::{ArithOp, BinOp, ExprKind, UnOp};
use crate::ids::ExprId;
use crate::types::{FloatType, Type};

/// How tightly an operator binds. Bitwise operators and shifts count as the loosest, and take no other binary operator
/// as an operand without parentheses: nobody remembers C's order of those.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Binding {
    Any,
    Logical,
    Comparison,
    Sum,
    Product,
    Prefix,
}

impl Printer<'_> {
    /// An expression whose surroundings don't tell its type.
    pub fn expr(&self, id: ExprId) -> String {
        let mut text = String::new();
        self.write(&mut text, id, Binding::Any, false);
        text
    }

    /// An expression whose type is plain from its surroundings: a constant needs no suffix.
    pub(super) fn expr_of_known_type(&self, id: ExprId) -> String {
        let mut text = String::new();
        self.write(&mut text, id, Binding::Any, true);
        text
    }

    /// The negation of a condition, in the shortest way that is exact.
    pub(super) fn negated(&self, id: ExprId) -> String {
        let exprs = &self.program.exprs;
        let mut text = String::new();
        match exprs[id].kind {
            ExprKind::Unary(UnOp::Not, arg) => return self.expr(arg),
            ExprKind::Binary(BinOp::Eq, lhs, rhs) => {
                self.infix(&mut text, lhs, "!=", rhs, Binding::Sum, Binding::Sum);
            }
            ExprKind::Binary(BinOp::Ne, lhs, rhs) => {
                self.infix(&mut text, lhs, "==", rhs, Binding::Sum, Binding::Sum);
            }
            // Not so for floats: comparisons with NaN are false.
            ExprKind::Binary(BinOp::Lt, lhs, rhs) if !matches!(exprs.ty(lhs), Type::Float(_)) => {
                self.infix(&mut text, lhs, ">=", rhs, Binding::Sum, Binding::Sum);
            }
            ExprKind::Binary(BinOp::Le, lhs, rhs) if !matches!(exprs.ty(lhs), Type::Float(_)) => {
                self.infix(&mut text, lhs, ">", rhs, Binding::Sum, Binding::Sum);
            }
            _ => {
                text.push('!');
                self.write(&mut text, id, Binding::Prefix, false);
            }
        }
        text
    }

    fn write(&self, text: &mut String, id: ExprId, outer: Binding, known_type: bool) {
        let exprs = &self.program.exprs;
        let expr = &exprs[id];
        match expr.kind {
            ExprKind::Const(bits) => self.constant(text, expr.ty, bits, known_type),
            ExprKind::Var(var) => *text += self.var(var),
            ExprKind::AddrOf(object) => {
                text.push('&');
                *text += self.object(object);
            }
            ExprKind::FuncAddr(function) => {
                text.push('&');
                *text += self.function(function);
            }
            ExprKind::Unary(op, arg) => {
                let symbol = match op {
                    UnOp::Not => '!',
                    UnOp::BitNot => '~',
                    UnOp::Neg => '-',
                };
                text.push(symbol);
                // `--` is another operator, and `-1` another constant.
                let negative = op == UnOp::Neg
                    && matches!(
                        exprs[arg].kind,
                        ExprKind::Unary(UnOp::Neg, _) | ExprKind::Const(_)
                    );
                if negative {
                    text.push('(');
                    self.write(text, arg, Binding::Any, known_type);
                    text.push(')');
                } else {
                    self.write(text, arg, Binding::Prefix, known_type);
                }
            }
            ExprKind::Cast(arg) => {
                *text += &format!("({})", expr.ty);
                self.write(text, arg, Binding::Prefix, false);
            }
            ExprKind::Binary(op, lhs, rhs) => {
                let (symbol, own) = operator(op, expr.ty);
                let (mut left, right) = operands(op, expr.ty);
                // A chain of one associative operator needs no parentheses on the left.
                if let ExprKind::Binary(inner, ..) = exprs[lhs].kind
                    && inner == op
                    && matches!(op, BinOp::And | BinOp::Or | BinOp::Xor)
                {
                    left = own;
                }
                self.enclosed(text, own < outer, |text| {
                    self.infix(text, lhs, symbol, rhs, left, right);
                });
            }
            ExprKind::PtrAdd(lhs, rhs) => {
                self.enclosed(text, Binding::Sum < outer, |text| {
                    self.infix(text, lhs, "+", rhs, Binding::Sum, Binding::Product);
                });
            }
            ExprKind::PtrDiff(lhs, rhs) => {
                self.enclosed(text, Binding::Sum < outer, |text| {
                    self.infix(text, lhs, "-", rhs, Binding::Sum, Binding::Product);
                });
            }
            ExprKind::Overflows(op, lhs, rhs) => {
                let symbol = match op {
                    ArithOp::Add => "+",
                    ArithOp::Sub => "-",
                    ArithOp::Mul => "*",
                    ArithOp::Div => "/",
                    ArithOp::Shl => "<<",
                };
                *text += "overflows(";
                self.infix(text, lhs, symbol, rhs, Binding::Prefix, Binding::Prefix);
                text.push(')');
            }
            ExprKind::CastOverflows(int, arg) => {
                *text += &format!("overflows(({int})");
                self.write(text, arg, Binding::Prefix, false);
                text.push(')');
            }
            ExprKind::AccessOk { ptr, size, write } => {
                *text += if write { "writable(" } else { "readable(" };
                self.write(text, ptr, Binding::Any, false);
                *text += ", ";
                self.write(text, size, Binding::Any, true);
                text.push(')');
            }
            ExprKind::FreeOk(ptr) => {
                *text += "freeable(";
                self.write(text, ptr, Binding::Any, false);
                text.push(')');
            }
        }
    }

    fn enclosed(&self, text: &mut String, parentheses: bool, write: impl FnOnce(&mut String)) {
        if parentheses {
            text.push('(');
        }
        write(text);
        if parentheses {
            text.push(')');
        }
    }

    fn infix(
        &self,
        text: &mut String,
        lhs: ExprId,
        symbol: &str,
        rhs: ExprId,
        left: Binding,
        right: Binding,
    ) {
        let exprs = &self.program.exprs;
        let constant = |id: ExprId| matches!(exprs[id].kind, ExprKind::Const(_));
        // An operand that is not constant tells the type of the other, where both have one type; what is added to a pointer has its width.
        let same = exprs.ty(lhs) == exprs.ty(rhs);
        let moves = exprs.ty(lhs) == Type::Ptr;
        self.write(text, lhs, left, same && !constant(rhs));
        text.push(' ');
        *text += symbol;
        text.push(' ');
        self.write(text, rhs, right, moves || same && !constant(lhs));
    }

    fn constant(&self, text: &mut String, ty: Type, bits: u128, known_type: bool) {
        match ty {
            Type::Bool => *text += if bits == 0 { "false" } else { "true" },
            Type::Int(int) => *text += &int.display(bits),
            Type::Float(float) => *text += &float_text(float, bits),
            Type::Ptr if bits == 0 => *text += "null",
            Type::Ptr => *text += &format!("(ptr){bits:#x}"),
        }
        if !known_type && !is_default(ty) {
            *text += &ty.to_string();
        }
    }
}

/// The symbol of an operator and how tightly it binds.
fn operator(op: BinOp, ty: Type) -> (&'static str, Binding) {
    match op {
        BinOp::Mul => ("*", Binding::Product),
        BinOp::Div => ("/", Binding::Product),
        BinOp::Rem => ("%", Binding::Product),
        BinOp::Add => ("+", Binding::Sum),
        BinOp::Sub => ("-", Binding::Sum),
        BinOp::Lt => ("<", Binding::Comparison),
        BinOp::Le => ("<=", Binding::Comparison),
        BinOp::Eq => ("==", Binding::Comparison),
        BinOp::Ne => ("!=", Binding::Comparison),
        BinOp::And if ty == Type::Bool => ("&&", Binding::Logical),
        BinOp::Or if ty == Type::Bool => ("||", Binding::Logical),
        BinOp::And => ("&", Binding::Logical),
        BinOp::Or => ("|", Binding::Logical),
        BinOp::Xor => ("^", Binding::Logical),
        BinOp::Shl => ("<<", Binding::Logical),
        BinOp::Shr => (">>", Binding::Logical),
    }
}

/// What the left and the right operand must bind at least to stand without parentheses.
fn operands(op: BinOp, ty: Type) -> (Binding, Binding) {
    match op {
        BinOp::Mul | BinOp::Div | BinOp::Rem => (Binding::Product, Binding::Prefix),
        BinOp::Add | BinOp::Sub => (Binding::Sum, Binding::Product),
        BinOp::Lt | BinOp::Le | BinOp::Eq | BinOp::Ne => (Binding::Sum, Binding::Sum),
        BinOp::And | BinOp::Or | BinOp::Xor if ty == Type::Bool => {
            (Binding::Comparison, Binding::Comparison)
        }
        BinOp::And | BinOp::Or | BinOp::Xor | BinOp::Shl | BinOp::Shr => {
            (Binding::Prefix, Binding::Prefix)
        }
    }
}

fn float_text(ty: FloatType, bits: u128) -> String {
    let text = match ty {
        FloatType::F32 => Single::from_bits(bits).to_string(),
        FloatType::F64 => Double::from_bits(bits).to_string(),
        FloatType::X87 => X87DoubleExtended::from_bits(bits).to_string(),
        FloatType::F128 => Quad::from_bits(bits).to_string(),
    };
    if text
        .bytes()
        .all(|byte| byte.is_ascii_digit() || byte == b'-')
    {
        text + ".0"
    } else {
        text
    }
}
