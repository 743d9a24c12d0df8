//! Expressions of the model.

use rhumb_program::{BinOp, ExprId, ExprKind, ObjectId, Scope, Type, UnOp};

use super::values::{Stretch, Values};
use crate::memory::{Bounds, Home};
use crate::pool::{Id, Sort};
use crate::unfold::Activation;

/// Where an expression is evaluated: in which activation, and where on the way. None for a first value, which has no variables.
type At = Option<(Activation, Stretch)>;

impl Values<'_, '_> {
    /// The value of an expression at the end of a stretch as far as it goes. What is not modelled has any value of its type.
    pub(super) fn evaluate(&mut self, expr: ExprId, activation: Activation, at: Stretch) -> Id {
        self.expression(expr, Some((activation, at)))
    }

    /// The value of an expression of constants and addresses.
    pub(super) fn constant(&mut self, expr: ExprId) -> Id {
        self.expression(expr, None)
    }

    /// Recursive on the depth of the expression, which the model limits.
    fn expression(&mut self, expr: ExprId, at: At) -> Id {
        let program = self.unfolded.program;
        let ty = program.exprs.ty(expr);
        let is_float = |expr: ExprId| matches!(program.exprs.ty(expr), Type::Float(_));
        match program.exprs[expr].kind {
            ExprKind::Const(bits) => match self.sort(ty) {
                Sort::Bool => self.pool.bool(bits != 0),
                Sort::Word(ty) => self.pool.word(ty, bits),
                Sort::Int => self.any(ty),
            },
            ExprKind::Var(var) => match at {
                Some((activation, stretch)) => {
                    let var = self.unfolded.var(activation, var);
                    self.get(stretch, var)
                }
                None => self.any(ty),
            },
            ExprKind::AddrOf(object) => self.object(object, at),
            ExprKind::FuncAddr(_) => self.address(),
            ExprKind::Unary(op, arg) => match (op, ty) {
                (UnOp::Not, Type::Bool) => {
                    let arg = self.expression(arg, at);
                    self.pool.not(arg)
                }
                (UnOp::BitNot | UnOp::Neg, Type::Int(_)) => {
                    let arg = self.expression(arg, at);
                    self.pool.unary(op, arg)
                }
                _ => self.any(ty),
            },
            ExprKind::Binary(_, lhs, rhs) if is_float(lhs) || is_float(rhs) => self.any(ty),
            ExprKind::Binary(op, lhs, rhs) => {
                let (a, b) = (self.expression(lhs, at), self.expression(rhs, at));
                self.operation(op, a, b, ty)
            }
            ExprKind::Cast(arg) => {
                let from = program.exprs.ty(arg);
                match (from, self.sort(ty)) {
                    (Type::Float(_), _) => self.any(ty),
                    _ if matches!(ty, Type::Float(_)) => self.any(ty),
                    (Type::Bool, Sort::Word(to)) => {
                        let arg = self.expression(arg, at);
                        let (one, zero) = (self.pool.word(to, 1), self.pool.word(to, 0));
                        self.pool.ite(arg, one, zero)
                    }
                    (_, Sort::Word(to)) => {
                        let arg = self.expression(arg, at);
                        self.pool.cast(arg, to)
                    }
                    _ => self.any(ty),
                }
            }
            ExprKind::Overflows(op, lhs, rhs) => {
                match (program.exprs.ty(lhs), program.exprs.ty(rhs)) {
                    (Type::Int(_), Type::Int(_)) => {
                        let (a, b) = (self.expression(lhs, at), self.expression(rhs, at));
                        self.pool.overflows(op, a, b)
                    }
                    _ => self.any(ty),
                }
            }
            ExprKind::PtrAdd(pointer, bytes) => {
                let unsigned = program.data_model.size_type();
                let (a, b) = (self.expression(pointer, at), self.expression(bytes, at));
                let b = self.pool.cast(b, unsigned);
                self.pool.binary(BinOp::Add, a, b)
            }
            ExprKind::PtrDiff(lhs, rhs) => {
                let signed = program.data_model.ptrdiff_type();
                let (a, b) = (self.expression(lhs, at), self.expression(rhs, at));
                let difference = self.pool.binary(BinOp::Sub, a, b);
                self.pool.cast(difference, signed)
            }
            ExprKind::AccessOk { ptr, size, .. } => {
                // Whether it is right is not known; if it is, the pointer is inside.
                let is_right = self.any(ty);
                let Some(bounds) = at.and_then(|at| self.bounds(ptr, at.0)) else {
                    return is_right;
                };
                let word = program.data_model.size_type();
                let (pointer, size) = (self.expression(ptr, at), self.expression(size, at));
                let base = self.pool.word(word, bounds.base.into());
                let all = self.pool.word(word, bounds.size.into());
                let distance = self.pool.binary(BinOp::Sub, pointer, base);
                let begins = self.pool.less(true, distance, all);
                let rest = self.pool.binary(BinOp::Sub, all, distance);
                let fits = self.pool.less(true, size, rest);
                self.pool.and([is_right, begins, fits])
            }
            ExprKind::CastOverflows(..) | ExprKind::FreeOk(_) => self.any(ty),
        }
    }

    /// The object that a pointer is to, if it is known to be to one only.
    fn bounds(&self, pointer: ExprId, activation: Activation) -> Option<Bounds> {
        let (unfolded, exprs) = (self.unfolded, &self.unfolded.program.exprs);
        match exprs[pointer].kind {
            ExprKind::Var(var) => {
                let var = unfolded.var(activation, var);
                unfolded.memory.bounds.get(&var).copied()
            }
            ExprKind::PtrAdd(pointer, _) => self.bounds(pointer, activation),
            ExprKind::AddrOf(object) => {
                let declared = &unfolded.program.objects[object];
                let is_local = declared.scope != Scope::Global;
                let home = Home::Object(is_local.then_some(activation), object);
                let base = *unfolded.memory.bases.get(&home)?;
                let size = declared.size;
                Some(Bounds { base, size })
            }
            _ => None,
        }
    }

    /// A binary operator on truth values or words.
    fn operation(&mut self, op: BinOp, a: Id, b: Id, ty: Type) -> Id {
        if self.pool.sort(a) == Sort::Bool {
            return match op {
                BinOp::And => self.pool.and([a, b]),
                BinOp::Or => self.pool.or([a, b]),
                BinOp::Eq => self.pool.same(a, b),
                BinOp::Xor | BinOp::Ne => {
                    let same = self.pool.same(a, b);
                    self.pool.not(same)
                }
                BinOp::Lt => {
                    let a = self.pool.not(a);
                    self.pool.and([a, b])
                }
                BinOp::Le => {
                    let a = self.pool.not(a);
                    self.pool.or([a, b])
                }
                BinOp::Add
                | BinOp::Sub
                | BinOp::Mul
                | BinOp::Div
                | BinOp::Rem
                | BinOp::Shl
                | BinOp::Shr => self.any(ty),
            };
        }
        match op {
            BinOp::Eq => self.pool.same(a, b),
            BinOp::Ne => {
                let same = self.pool.same(a, b);
                self.pool.not(same)
            }
            BinOp::Lt => self.pool.less(false, a, b),
            BinOp::Le => self.pool.less(true, a, b),
            BinOp::Add
            | BinOp::Sub
            | BinOp::Mul
            | BinOp::Div
            | BinOp::Rem
            | BinOp::And
            | BinOp::Or
            | BinOp::Xor
            | BinOp::Shl
            | BinOp::Shr => self.pool.binary(op, a, b),
        }
    }

    /// The address of an object: that of a global one is the same for the whole run, that of a local one depends on the activation.
    fn object(&mut self, object: ObjectId, at: At) -> Id {
        let is_local = self.unfolded.program.objects[object].scope != Scope::Global;
        let activation = at.map(|at| at.0).filter(|_| is_local);
        let home = Home::Object(activation, object);
        if let Some(&base) = self.unfolded.memory.bases.get(&home) {
            let word = self.unfolded.program.data_model.size_type();
            return self.pool.word(word, base.into());
        }
        if self.unfolded.program.objects[object].scope != Scope::Global {
            return self.address();
        }
        if let Some(&known) = self.objects.get(&object) {
            return known;
        }
        let address = self.address();
        self.objects.insert(object, address);
        address
    }

    /// The address of something: any but null.
    pub(super) fn address(&mut self) -> Id {
        let ty = self.unfolded.program.data_model.size_type();
        let symbol = self.pool.fresh(Sort::Word(ty));
        // Null becomes one: every other address stays what it is.
        let (zero, one) = (self.pool.word(ty, 0), self.pool.word(ty, 1));
        let is_null = self.pool.same(symbol, zero);
        self.pool.ite(is_null, one, symbol)
    }
}
