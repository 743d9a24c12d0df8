//! Expressions, as far as they are known.

use std::cell::Cell;

use rhumb_program::interp::eval;
use rhumb_program::{BinOp, ExprId, ExprKind, Program, Scope, Type, UnOp, VarId};

use super::heap::{End, Kind, Pointer, State, Value};

/// Evaluates expressions in a state.
pub(super) struct Evaluator<'p, 's> {
    pub(super) program: &'p Program,
    pub(super) state: &'s State,
    /// A row of which more has to be known for an answer: the two ends of it may be one object.
    pub(super) row: Cell<Option<u32>>,
}

impl<'p, 's> Evaluator<'p, 's> {
    pub(super) fn new(program: &'p Program, state: &'s State) -> Evaluator<'p, 's> {
        Evaluator {
            program,
            state,
            row: Cell::new(None),
        }
    }

    pub(super) fn variable(&self, var: VarId) -> Value {
        let variables = match self.program.vars[var].scope {
            Scope::Global => &self.state.globals,
            Scope::Local(_) => &self.state.frame().variables,
        };
        variables.get(&var).copied().unwrap_or(Value::Any)
    }

    pub(super) fn value(&self, id: ExprId) -> Value {
        let exprs = &self.program.exprs;
        let ty = exprs.ty(id);
        match exprs[id].kind {
            ExprKind::Const(bits) => Value::Bits(bits),
            ExprKind::Var(var) => self.variable(var),
            ExprKind::AddrOf(object) => {
                let state = self.state;
                let number = (state.statics.get(&object)).or(state.frame().objects.get(&object));
                number.map_or(Value::Any, |&number| Value::start_of(number))
            }
            ExprKind::FuncAddr(function) => Value::Function(function),
            ExprKind::Unary(op, arg) => match (op, ty, self.value(arg)) {
                (_, Type::Float(_), _) => Value::Any,
                (UnOp::Neg, Type::Int(_), Value::NonZero) => Value::NonZero,
                (_, _, Value::Bits(bits)) => known(eval::unary(op, ty, bits).ok()),
                _ => Value::Any,
            },
            ExprKind::Binary(op, lhs, rhs) => self.binary(op, lhs, rhs),
            ExprKind::Cast(arg) => self.cast(arg, ty),
            ExprKind::Overflows(op, lhs, rhs) => {
                let types = (exprs.ty(lhs), exprs.ty(rhs));
                match (self.value(lhs), self.value(rhs)) {
                    (Value::Bits(a), Value::Bits(b)) => {
                        truth(eval::overflows(op, types.0, a, types.1, b).ok())
                    }
                    _ => Value::Any,
                }
            }
            ExprKind::CastOverflows(..) => Value::Any,
            ExprKind::PtrAdd(ptr, by) => self.moved(ptr, by),
            ExprKind::PtrDiff(lhs, rhs) => match (self.value(lhs), self.value(rhs)) {
                (Value::Pointer(a), Value::Pointer(b))
                    if a.object == b.object && a.end == b.end =>
                {
                    let by = a.offset.zip(b.offset).and_then(|(a, b)| a.checked_sub(b));
                    let bits = by.zip(ty.as_int()).map(|(by, int)| int.wrap(by as u128));
                    known(bits)
                }
                _ => Value::Any,
            },
            ExprKind::AccessOk { ptr, size, write } => {
                let size = match self.value(size) {
                    Value::Bits(bits) => u64::try_from(bits).ok(),
                    _ => None,
                };
                truth(self.may_access(self.value(ptr), size, write))
            }
            ExprKind::FreeOk(ptr) => truth(self.may_free(self.value(ptr))),
        }
    }

    /// Whether a condition holds, if that is known.
    pub(super) fn truth(&self, id: ExprId) -> Option<bool> {
        match self.value(id) {
            Value::Bits(bits) => Some(bits != 0),
            Value::NonZero => Some(true),
            _ => None,
        }
    }

    pub(super) fn may_access(&self, ptr: Value, size: Option<u64>, write: bool) -> Option<bool> {
        match ptr {
            Value::NULL | Value::Ended | Value::Function(_) => Some(false),
            Value::Pointer(pointer) => {
                let object = &self.state.objects[&pointer.object];
                match write && object.read_only {
                    true => Some(false),
                    false => object.has(pointer.offset, size),
                }
            }
            Value::Bits(_) | Value::NonZero | Value::Any => None,
        }
    }

    fn may_free(&self, ptr: Value) -> Option<bool> {
        match ptr {
            Value::NULL => Some(true),
            Value::Ended | Value::Function(_) => Some(false),
            Value::Pointer(pointer) => {
                let object = &self.state.objects[&pointer.object];
                match object.kind {
                    Kind::Heap => pointer.offset.map(|offset| offset == 0),
                    Kind::Declared(_) | Kind::Stack => Some(false),
                }
            }
            Value::Bits(_) | Value::NonZero | Value::Any => None,
        }
    }

    fn binary(&self, op: BinOp, lhs: ExprId, rhs: ExprId) -> Value {
        let exprs = &self.program.exprs;
        let (ty, rhs_ty) = (exprs.ty(lhs), exprs.ty(rhs));
        let (a, b) = (self.value(lhs), self.value(rhs));
        match (ty, a, b) {
            (Type::Float(_), ..) => Value::Any,
            (Type::Ptr, ..) => truth(self.compared(op, a, b)),
            (_, Value::Bits(a), Value::Bits(b)) => known(eval::binary(op, ty, a, rhs_ty, b).ok()),
            (_, Value::NonZero, Value::NULL) | (_, Value::NULL, Value::NonZero) => match op {
                BinOp::Eq => truth(Some(false)),
                BinOp::Ne => truth(Some(true)),
                _ => Value::Any,
            },
            // False and anything, true or anything.
            (Type::Bool, Value::Bits(one), _) | (Type::Bool, _, Value::Bits(one)) => {
                match (op, one) {
                    (BinOp::And, 0) | (BinOp::Or, 1) => Value::Bits(one),
                    _ => Value::Any,
                }
            }
            _ => Value::Any,
        }
    }

    /// How two addresses compare.
    fn compared(&self, op: BinOp, a: Value, b: Value) -> Option<bool> {
        let is_equal = match op {
            BinOp::Eq | BinOp::Ne => self.is_equal(a, b)? == (op == BinOp::Eq),
            BinOp::Lt | BinOp::Le => {
                let (Value::Pointer(a), Value::Pointer(b)) = (a, b) else {
                    return None;
                };
                let is_one = a.object == b.object && a.end == b.end;
                if !is_one || !self.is_inside(a, 0) || !self.is_inside(b, 0) {
                    return None;
                }
                let (a, b) = a.offset.zip(b.offset)?;
                if op == BinOp::Lt { a < b } else { a <= b }
            }
            _ => return None,
        };
        Some(is_equal)
    }

    fn is_equal(&self, a: Value, b: Value) -> Option<bool> {
        match (a, b) {
            (Value::Bits(a), Value::Bits(b)) => Some(a == b),
            (Value::NULL, Value::NonZero | Value::Ended | Value::Function(_))
            | (Value::NonZero | Value::Ended | Value::Function(_), Value::NULL) => Some(false),
            (Value::NULL, Value::Pointer(pointer)) | (Value::Pointer(pointer), Value::NULL) => {
                self.is_inside(pointer, 0).then_some(false)
            }
            (Value::Function(a), Value::Function(b)) if a == b => Some(true),
            (Value::Pointer(a), Value::Pointer(b)) if a.object == b.object => {
                if a.end != b.end {
                    self.row.set(Some(a.object));
                    return None;
                }
                let (a, b) = a.offset.zip(b.offset)?;
                Some(a == b)
            }
            // Bytes of two objects that are alive lie at different places.
            (Value::Pointer(a), Value::Pointer(b)) => {
                (self.is_inside(a, 1) && self.is_inside(b, 1)).then_some(false)
            }
            _ => None,
        }
    }

    /// Whether so many bytes from a pointer on are inside its object.
    fn is_inside(&self, pointer: Pointer, size: u64) -> bool {
        self.state.objects[&pointer.object].has(pointer.offset, Some(size)) == Some(true)
    }

    fn cast(&self, arg: ExprId, to: Type) -> Value {
        let from = self.program.exprs.ty(arg);
        let value = self.value(arg);
        match (from, to, value) {
            (Type::Float(_), ..) | (_, Type::Float(_), _) => Value::Any,
            // A number that is made of a pointer has no object any more.
            (Type::Ptr, Type::Int(int), Value::Bits(bits)) => Value::Bits(int.wrap(bits)),
            (Type::Int(_), Type::Ptr, Value::NULL) => value,
            (Type::Ptr, ..) | (_, Type::Ptr, _) => Value::Any,
            (_, _, Value::Bits(bits)) => known(eval::cast(from, to, bits).ok()),
            (Type::Bool, _, Value::NonZero) => Value::NonZero,
            (Type::Int(a), Type::Int(b), Value::NonZero) if b.width >= a.width => Value::NonZero,
            _ => Value::Any,
        }
    }

    fn moved(&self, ptr: ExprId, by: ExprId) -> Value {
        let Type::Int(int) = self.program.exprs.ty(by) else {
            return Value::Any;
        };
        let by = match self.value(by) {
            Value::Bits(bits) => i64::try_from(int.extend(bits)).ok(),
            _ => None,
        };
        match (self.value(ptr), by) {
            (value, Some(0)) => value,
            (Value::Pointer(pointer), by) => {
                // Further away addresses come round again.
                let width = self.program.data_model.pointer_width();
                let word = rhumb_program::IntType::signed(width);
                let moved = pointer.offset.zip(by);
                let moved = moved.and_then(|(at, by)| at.checked_add(by));
                Value::Pointer(Pointer {
                    offset: moved.filter(|&at| word.contains(at.into())),
                    ..pointer
                })
            }
            // An address without an object: only near null does anybody mean something by it.
            (Value::Bits(bits), Some(by)) => {
                let model = self.program.data_model;
                let address = i128::try_from(bits).ok().map(|bits| bits + i128::from(by));
                let size = rhumb_program::IntType::unsigned(model.pointer_width());
                match address {
                    Some(address) if size.contains(address) => Value::Bits(address as u128),
                    _ => Value::Any,
                }
            }
            _ => Value::Any,
        }
    }
}

impl Value {
    /// Which end of a row a pointer is to.
    pub(super) fn row_end(self, state: &State) -> Option<(u32, End)> {
        match self {
            Value::Pointer(pointer) => {
                let object = &state.objects[&pointer.object];
                object
                    .row
                    .is_some()
                    .then_some((pointer.object, pointer.end))
            }
            _ => None,
        }
    }
}

fn known(bits: Option<u128>) -> Value {
    bits.map_or(Value::Any, Value::Bits)
}

fn truth(truth: Option<bool>) -> Value {
    known(truth.map(u128::from))
}
