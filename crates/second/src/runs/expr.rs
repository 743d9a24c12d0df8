//! Expressions of the model, on one path.

use rhumb_program::interp::eval;
use rhumb_program::{BinOp, ExprId, ExprKind, Scope, Type, UnOp};

use super::Runs;
use super::floats::Definition;
use super::model::{compares, is_of_words};
use super::state::{Base, Halt, PathState, Pointer, Value};
use crate::pool::{Id, Node, Sort};

impl Runs<'_> {
    /// The value of an expression. Recursive on its depth, which the model limits.
    pub(super) fn evaluate(&mut self, state: &PathState, expr: ExprId) -> Result<Value, Halt> {
        let program = self.program;
        let ty = program.exprs.ty(expr);
        Ok(match program.exprs[expr].kind {
            ExprKind::Const(bits) => self.bits(ty, bits),
            ExprKind::Var(var) => {
                let found = match program.vars[var].scope {
                    Scope::Global => state.globals.get(&var),
                    Scope::Local(_) => state.frame().and_then(|frame| frame.locals.get(&var)),
                };
                *found.ok_or_else(|| Halt::undecided("a variable is read that was never set"))?
            }
            ExprKind::AddrOf(object) => {
                let found = match program.objects[object].scope {
                    Scope::Global => state.global_objects.get(&object),
                    Scope::Local(_) => state.frame().and_then(|frame| frame.objects.get(&object)),
                };
                let unborn = || Halt::undecided("an address is taken of what doesn't live yet");
                let base = Base::Object(*found.ok_or_else(unborn)?);
                let offset = self.size(0);
                Value::Pointer(Pointer { base, offset })
            }
            ExprKind::FuncAddr(function) => {
                let base = Base::Function(function);
                let offset = self.size(0);
                Value::Pointer(Pointer { base, offset })
            }
            ExprKind::Unary(op, arg) => {
                let value = self.scalar(state, arg)?;
                match (op, ty) {
                    (UnOp::Not, Type::Bool) => Value::Scalar(self.pool.not(value)),
                    (op, Type::Int(_)) if is_of_words(op) => {
                        Value::Scalar(self.pool.unary(op, value))
                    }
                    (UnOp::Neg, Type::Float(float)) if self.constant(value).is_err() => {
                        self.defined(float, Definition::Negated(float, value))?
                    }
                    _ => {
                        let bits = self.constant(value)?;
                        let bits = eval::unary(op, ty, bits);
                        self.bits(ty, bits.map_err(|_| no_value())?)
                    }
                }
            }
            ExprKind::Binary(op, lhs, rhs) => self.binary(state, op, lhs, rhs, ty)?,
            ExprKind::Cast(arg) => self.cast(state, arg, ty)?,
            ExprKind::Overflows(op, lhs, rhs) => {
                let (a, b) = (self.scalar(state, lhs)?, self.scalar(state, rhs)?);
                Value::Scalar(self.pool.overflows(op, a, b))
            }
            ExprKind::CastOverflows(to, arg) => {
                let value = self.scalar(state, arg)?;
                let bits = self.constant(value)?;
                let overflows = eval::cast_overflows(to, program.exprs.ty(arg), bits);
                let overflows = overflows.map_err(|_| no_value())?;
                Value::Scalar(self.pool.bool(overflows))
            }
            ExprKind::PtrAdd(pointer, bytes) => {
                let (pointer, bytes) = (self.pointer(state, pointer)?, self.scalar(state, bytes)?);
                let bytes = self.pool.cast(bytes, program.data_model.size_type());
                let offset = self.pool.binary(BinOp::Add, pointer.offset, bytes);
                Value::Pointer(Pointer { offset, ..pointer })
            }
            ExprKind::PtrDiff(lhs, rhs) => {
                let (a, b) = (self.pointer(state, lhs)?, self.pointer(state, rhs)?);
                if a.base != b.base {
                    return Err(Halt::undecided(
                        "a distance between two objects is asked for",
                    ));
                }
                let distance = self.pool.binary(BinOp::Sub, a.offset, b.offset);
                let signed = program.data_model.ptrdiff_type();
                Value::Scalar(self.pool.cast(distance, signed))
            }
            ExprKind::AccessOk { ptr, size, write } => {
                let (pointer, size) = (self.pointer(state, ptr)?, self.scalar(state, size)?);
                Value::Scalar(self.access_ok(state, pointer, size, write))
            }
            ExprKind::FreeOk(ptr) => {
                let pointer = self.pointer(state, ptr)?;
                let zero = self.size(0);
                let is_start = self.pool.same(pointer.offset, zero);
                let may = match pointer.base {
                    Base::Nothing => true,
                    Base::Function(_) | Base::Anywhere => false,
                    Base::Object(object) => {
                        let object = &state.objects[object as usize];
                        object.is_live && object.is_heap
                    }
                };
                let may = self.pool.bool(may);
                Value::Scalar(self.pool.and([may, is_start]))
            }
        })
    }

    /// Whether a condition compares a pointer that may point anywhere, so that both outcomes are looked at, and nothing
    /// is known of either.
    pub(super) fn is_open(&mut self, state: &PathState, condition: ExprId) -> Result<bool, Halt> {
        let ExprKind::Binary(op, lhs, rhs) = self.program.exprs[condition].kind else {
            return Ok(false);
        };
        if !compares(op) || self.program.exprs.ty(lhs) != Type::Ptr {
            return Ok(false);
        }
        let (a, b) = (self.evaluate(state, lhs)?, self.evaluate(state, rhs)?);
        Ok(is_anywhere(a) || is_anywhere(b))
    }

    /// A truth value, a word, or the bits of a float.
    pub(super) fn scalar(&mut self, state: &PathState, expr: ExprId) -> Result<Id, Halt> {
        match self.evaluate(state, expr)? {
            Value::Scalar(id) => Ok(id),
            Value::Pointer(_) => Err(Halt::undecided("a pointer is used as a number")),
        }
    }

    pub(super) fn pointer(&mut self, state: &PathState, expr: ExprId) -> Result<Pointer, Halt> {
        match self.evaluate(state, expr)? {
            Value::Pointer(pointer) if pointer.base == Base::Anywhere => {
                Err(Halt::undecided("a pointer may point anywhere"))
            }
            Value::Pointer(pointer) => Ok(pointer),
            Value::Scalar(_) => Err(Halt::undecided("a number is used as a pointer")),
        }
    }

    fn constant(&self, id: Id) -> Result<u128, Halt> {
        match *self.pool.node(id) {
            Node::Const(_, bits) => Ok(bits),
            Node::Bool(value) => Ok(value.into()),
            _ => Err(Halt::undecided("arithmetic on floats depends on inputs")),
        }
    }

    fn binary(
        &mut self,
        state: &PathState,
        op: BinOp,
        lhs: ExprId,
        rhs: ExprId,
        ty: Type,
    ) -> Result<Value, Halt> {
        let of = self.program.exprs.ty(lhs);
        match of {
            Type::Ptr => {
                let (a, b) = (self.evaluate(state, lhs)?, self.evaluate(state, rhs)?);
                // Where such a pointer came from, the path was marked: both outcomes are looked at.
                if compares(op) && (is_anywhere(a) || is_anywhere(b)) {
                    return Ok(Value::Scalar(self.pool.fresh(Sort::Bool)));
                }
                let (a, b) = (self.pointer(state, lhs)?, self.pointer(state, rhs)?);
                return Ok(Value::Scalar(self.compare(state, op, a, b)?));
            }
            Type::Float(float) => {
                let (a, b) = (self.scalar(state, lhs)?, self.scalar(state, rhs)?);
                if self.constant(a).is_err() || self.constant(b).is_err() {
                    return match compares(op) {
                        true => Ok(Value::Scalar(self.compare_floats(op, float, a, b)?)),
                        false => self.defined(float, Definition::Binary(op, float, a, b)),
                    };
                }
                let (a, b) = (self.constant(a)?, self.constant(b)?);
                let bits = eval::binary(op, of, a, of, b).map_err(|_| no_value())?;
                return Ok(self.bits(ty, bits));
            }
            Type::Bool | Type::Int(_) => {}
        }
        let (a, b) = (self.scalar(state, lhs)?, self.scalar(state, rhs)?);
        let is_truth = of == Type::Bool;
        let result = match op {
            BinOp::Eq => self.pool.same(a, b),
            BinOp::Ne => {
                let same = self.pool.same(a, b);
                self.pool.not(same)
            }
            BinOp::Xor if is_truth => {
                let same = self.pool.same(a, b);
                self.pool.not(same)
            }
            BinOp::And if is_truth => self.pool.and([a, b]),
            BinOp::Or if is_truth => self.pool.or([a, b]),
            BinOp::Lt | BinOp::Le if !is_truth => self.pool.less(op == BinOp::Le, a, b),
            _ if is_truth => return Err(Halt::undecided("arithmetic on truth values")),
            _ => self.pool.binary(op, a, b),
        };
        Ok(Value::Scalar(result))
    }

    fn cast(&mut self, state: &PathState, arg: ExprId, to: Type) -> Result<Value, Halt> {
        let from = self.program.exprs.ty(arg);
        let word = self.program.data_model.size_type();
        let value = self.evaluate(state, arg)?;
        match (value, from, to) {
            (Value::Pointer(pointer), _, Type::Int(int)) if pointer.base == Base::Nothing => {
                Ok(Value::Scalar(self.pool.cast(pointer.offset, int)))
            }
            (Value::Pointer(_), _, _) => Err(Halt::undecided("an address is used as a number")),
            (Value::Scalar(id), Type::Int(_), Type::Ptr) => {
                let offset = self.pool.cast(id, word);
                let base = Base::Nothing;
                Ok(Value::Pointer(Pointer { base, offset }))
            }
            (Value::Scalar(id), Type::Int(_), Type::Int(int)) => {
                Ok(Value::Scalar(self.pool.cast(id, int)))
            }
            (Value::Scalar(id), Type::Bool, Type::Int(int)) => {
                let (one, zero) = (self.pool.word(int, 1), self.pool.word(int, 0));
                Ok(Value::Scalar(self.pool.ite(id, one, zero)))
            }
            (Value::Scalar(id), Type::Float(from), Type::Float(to))
                if self.constant(id).is_err() =>
            {
                self.defined(to, Definition::Cast(from, to, id))
            }
            (Value::Scalar(id), _, _) => {
                let bits = self.constant(id)?;
                let bits = eval::cast(from, to, bits).map_err(|_| no_value())?;
                Ok(self.bits(to, bits))
            }
        }
    }

    /// Whether so many bytes are inside one live object.
    fn access_ok(&mut self, state: &PathState, pointer: Pointer, size: Id, write: bool) -> Id {
        let Base::Object(object) = pointer.base else {
            return self.pool.bool(false);
        };
        let object = &state.objects[object as usize];
        if !object.is_live || (write && object.read_only) {
            return self.pool.bool(false);
        }
        let all = object.size;
        let begins = self.pool.less(true, pointer.offset, all);
        let rest = self.pool.binary(BinOp::Sub, all, pointer.offset);
        let fits = self.pool.less(true, size, rest);
        self.pool.and([begins, fits])
    }

    /// Compares addresses, where no address has to be known for that.
    fn compare(
        &mut self,
        state: &PathState,
        op: BinOp,
        a: Pointer,
        b: Pointer,
    ) -> Result<Id, Halt> {
        if !compares(op) {
            return Err(Halt::undecided("arithmetic on addresses"));
        }
        let is_order = matches!(op, BinOp::Lt | BinOp::Le);
        if a.base == b.base {
            if is_order && !(self.is_inside(state, a)? && self.is_inside(state, b)?) {
                return Err(Halt::undecided("pointers beyond their object are compared"));
            }
            return Ok(match op {
                BinOp::Lt | BinOp::Le => self.pool.less(op == BinOp::Le, a.offset, b.offset),
                _ => {
                    let same = self.pool.same(a.offset, b.offset);
                    match op {
                        BinOp::Eq => same,
                        _ => self.pool.not(same),
                    }
                }
            });
        }
        let is_null = |pointer: Pointer| {
            let is_zero = matches!(self.pool.node(pointer.offset), Node::Const(_, 0));
            pointer.base == Base::Nothing && is_zero
        };
        let has_nothing = a.base == Base::Nothing || b.base == Base::Nothing;
        if is_order || (has_nothing && !is_null(a) && !is_null(b)) {
            return Err(Halt::undecided(
                "the order or the value of addresses matters",
            ));
        }
        // Objects lie apart, and none at null; but one may begin where another one ends.
        let is_apart = match has_nothing {
            true => self.is_inside(state, a)? && self.is_inside(state, b)?,
            false => self.is_before_end(state, a)? && self.is_before_end(state, b)?,
        };
        if !is_apart {
            return Err(Halt::undecided("pointers beyond their object are compared"));
        }
        Ok(self.pool.bool(op == BinOp::Ne))
    }

    /// Whether a pointer points into its object, which must live, and not to its end, or to a function's beginning.
    fn is_before_end(&mut self, state: &PathState, pointer: Pointer) -> Result<bool, Halt> {
        match pointer.base {
            Base::Object(object) if state.objects[object as usize].is_live => {
                let size = state.objects[object as usize].size;
                let inside = self.pool.less(false, pointer.offset, size);
                self.is_sure(state, inside)
            }
            Base::Object(_) => Ok(false),
            _ => self.is_inside(state, pointer),
        }
    }

    /// Whether a pointer points into its object or to its end, which must live, to a function's beginning, or nowhere.
    fn is_inside(&mut self, state: &PathState, pointer: Pointer) -> Result<bool, Halt> {
        let end = match pointer.base {
            Base::Nothing => return Ok(true),
            Base::Anywhere => return Ok(false),
            Base::Function(_) => self.size(0),
            Base::Object(object) => match &state.objects[object as usize] {
                object if object.is_live => object.size,
                _ => return Ok(false),
            },
        };
        let inside = self.pool.less(true, pointer.offset, end);
        self.is_sure(state, inside)
    }
}

fn is_anywhere(value: Value) -> bool {
    matches!(value, Value::Pointer(pointer) if pointer.base == Base::Anywhere)
}

fn no_value() -> Halt {
    Halt::undecided("an operation has no value")
}
