//! Types of expressions.

use super::{Owner, Validator};
use crate::expr::{ArithOp, BinOp, Expr, ExprKind, MAX_DEPTH, UnOp};
use crate::ids::ExprId;
use crate::types::{DataModel, FloatType, IntType, Type};

impl Validator<'_> {
    /// Checks all expressions, used or not; gives whether they can be walked without leaving the arena.
    pub(super) fn check_exprs(&mut self) -> bool {
        let exprs = &self.program.exprs;
        let mut depths: Vec<u32> = Vec::with_capacity(exprs.len());
        let mut sound = true;
        for index in 0..exprs.len() {
            let id = ExprId::from_usize(index);
            let what = || format!("expression {id:?}");
            let mut depth = 0;
            let mut owner = Owner::Nobody;
            let mut closed = true;
            for child in exprs.children(id) {
                closed &= self.require(child < id, || {
                    format!("{}: its operand {child:?} doesn't come before it", what())
                });
                if child < id {
                    depth = depth.max(depths[child.index()] + 1);
                    owner = owner.and(self.owners[child]);
                }
            }
            let program = self.program;
            owner = owner.and(match exprs[id].kind {
                ExprKind::Var(var) if self.in_range(var, program.vars.len(), what) => {
                    self.require(program.vars[var].ty == exprs.ty(id), || {
                        format!("{}: {var:?} has another type", what())
                    });
                    Owner::of(program.vars[var].scope)
                }
                ExprKind::AddrOf(object) if self.in_range(object, program.objects.len(), what) => {
                    Owner::of(program.objects[object].scope)
                }
                ExprKind::FuncAddr(function) => {
                    self.in_range(function, program.functions.len(), what);
                    Owner::Nobody
                }
                _ => Owner::Nobody,
            });
            self.require(depth <= MAX_DEPTH, || {
                format!("{}: deeper than {MAX_DEPTH}", what())
            });
            self.require(owner != Owner::Several, || {
                format!("{}: mentions the locals of several functions", what())
            });
            if closed {
                self.check_expr_type(id, &exprs[id]);
            }
            sound &= closed;
            depths.push(depth);
            self.owners.push(owner);
        }
        // Ids out of range of other tables are as bad as operands out of order.
        sound && self.problems.is_empty()
    }

    /// Whether a first value has only constants and addresses of global things in it.
    pub(super) fn is_constant(&self, value: ExprId) -> bool {
        let mut todo = vec![value];
        while let Some(id) = todo.pop() {
            match self.program.exprs[id].kind {
                ExprKind::Var(_) | ExprKind::AccessOk { .. } | ExprKind::FreeOk(_) => return false,
                _ => todo.extend(self.program.exprs.children(id)),
            }
        }
        matches!(self.owners[value], Owner::Nobody | Owner::Everybody)
    }

    fn check_expr_type(&mut self, id: ExprId, expr: &Expr) {
        let exprs = &self.program.exprs;
        let model = self.program.data_model;
        let ty = expr.ty;
        let well_typed = has_width(ty)
            && match expr.kind {
                ExprKind::Const(bits) => value_fits(ty, bits, model),
                ExprKind::Var(_) => true,
                ExprKind::AddrOf(_) | ExprKind::FuncAddr(_) => ty == Type::Ptr,
                ExprKind::Unary(op, arg) => unary_type(op, exprs.ty(arg)) == Some(ty),
                ExprKind::Binary(op, lhs, rhs) => {
                    binary_type(op, exprs.ty(lhs), exprs.ty(rhs)) == Some(ty)
                }
                ExprKind::Cast(arg) => cast_goes(exprs.ty(arg), ty, model),
                ExprKind::Overflows(op, lhs, rhs) => {
                    ty == Type::Bool && overflow_goes(op, exprs.ty(lhs), exprs.ty(rhs))
                }
                ExprKind::CastOverflows(to, arg) => {
                    ty == Type::Bool
                        && has_width(Type::Int(to))
                        && matches!(exprs.ty(arg), Type::Float(_))
                }
                ExprKind::PtrAdd(ptr, bytes) => {
                    ty == Type::Ptr
                        && exprs.ty(ptr) == Type::Ptr
                        && exprs
                            .ty(bytes)
                            .as_int()
                            .is_some_and(|int| int.width == model.pointer_width())
                }
                ExprKind::PtrDiff(lhs, rhs) => {
                    ty == Type::Int(model.ptrdiff_type())
                        && exprs.ty(lhs) == Type::Ptr
                        && exprs.ty(rhs) == Type::Ptr
                }
                ExprKind::AccessOk { ptr, size, .. } => {
                    ty == Type::Bool
                        && exprs.ty(ptr) == Type::Ptr
                        && exprs.ty(size) == Type::Int(model.size_type())
                }
                ExprKind::FreeOk(ptr) => ty == Type::Bool && exprs.ty(ptr) == Type::Ptr,
            };
        self.require(well_typed, || {
            let operands: Vec<String> = exprs
                .children(id)
                .map(|child| exprs.ty(child).to_string())
                .collect();
            format!(
                "expression {id:?}: {:?} on ({}) gives no {ty}",
                expr.kind,
                operands.join(", ")
            )
        });
    }
}

/// Whether a type is as wide as types go.
pub(super) fn has_width(ty: Type) -> bool {
    match ty {
        Type::Int(int) => (1..=128).contains(&int.width),
        _ => true,
    }
}

/// Whether the bit pattern is one of a value of the type.
fn value_fits(ty: Type, bits: u128, model: DataModel) -> bool {
    let width = match ty {
        Type::Bool => 1,
        Type::Int(int) => int.width,
        Type::Float(FloatType::F32) => 32,
        Type::Float(FloatType::F64) => 64,
        Type::Float(FloatType::X87) => 80,
        Type::Float(FloatType::F128) => 128,
        Type::Ptr => model.pointer_width(),
    };
    bits == IntType::unsigned(width).wrap(bits)
}

fn unary_type(op: UnOp, arg: Type) -> Option<Type> {
    let goes = match op {
        UnOp::Not => arg == Type::Bool,
        UnOp::BitNot => matches!(arg, Type::Int(_)),
        UnOp::Neg => matches!(arg, Type::Int(_) | Type::Float(_)),
    };
    goes.then_some(arg)
}

fn binary_type(op: BinOp, lhs: Type, rhs: Type) -> Option<Type> {
    let int = matches!(lhs, Type::Int(_));
    let same = lhs == rhs;
    let (goes, result) = match op {
        BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div => {
            (same && (int || matches!(lhs, Type::Float(_))), lhs)
        }
        BinOp::Rem => (same && int, lhs),
        BinOp::And | BinOp::Or | BinOp::Xor => (same && (int || lhs == Type::Bool), lhs),
        BinOp::Shl | BinOp::Shr => (int && matches!(rhs, Type::Int(_)), lhs),
        BinOp::Eq | BinOp::Ne => (same, Type::Bool),
        BinOp::Lt | BinOp::Le => (same && lhs != Type::Bool, Type::Bool),
    };
    goes.then_some(result)
}

fn cast_goes(from: Type, to: Type, model: DataModel) -> bool {
    match (from, to) {
        (Type::Int(_) | Type::Bool | Type::Float(_), Type::Int(_) | Type::Float(_)) => true,
        (Type::Int(int), Type::Ptr) | (Type::Ptr, Type::Int(int)) => {
            int.width == model.pointer_width()
        }
        _ => false,
    }
}

fn overflow_goes(op: ArithOp, lhs: Type, rhs: Type) -> bool {
    match op {
        ArithOp::Add | ArithOp::Sub | ArithOp::Mul | ArithOp::Div => {
            matches!(lhs, Type::Int(_)) && lhs == rhs
        }
        ArithOp::Shl => matches!(lhs, Type::Int(int) if int.signed) && matches!(rhs, Type::Int(_)),
    }
}
