//! Expressions: typed, without side effects, over variables. Memory is read by edges, never inside an expression
//! (only the predicates [`ExprKind::AccessOk`] and [`ExprKind::FreeOk`] look at which objects are alive).
//!
//! Expressions live in one arena per program; children come before their parents. The front end keeps every tree shallower than
//! [`MAX_DEPTH`], so walking one recursively is safe.

use index_vec::IndexVec;

use crate::ids::{ExprId, FuncId, ObjectId, VarId};
use crate::interp::eval;
use crate::types::{DataModel, FloatType, IntType, Type};

/// No expression of a lowered program is deeper than this; the front end names intermediate results instead.
pub const MAX_DEPTH: u32 = 64;

/// An expression and its type.
#[derive(Clone, PartialEq, Debug)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// The type of its value.
    pub ty: Type,
}

/// What an expression is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ExprKind {
    /// A constant: the bit pattern of the value in the expression's type (`Bool`: 0 or 1; `Ptr`: an address without an object, 0 is null).
    Const(u128),
    /// The value of a variable.
    Var(VarId),
    /// Address of the first byte of an object (in a recursive function: of the current activation's).
    AddrOf(ObjectId),
    /// Address of a function.
    FuncAddr(FuncId),
    /// A unary operator; the argument has the type that [`UnOp`] says.
    Unary(UnOp, ExprId),
    /// A binary operator; the operands have the types that [`BinOp`] says.
    Binary(BinOp, ExprId, ExprId),
    /// Conversion of a value to the expression's type; see [`Exprs::cast`] for what goes.
    Cast(ExprId),
    /// Whether the exact result of the operation doesn't fit the operands' integer type. Type `Bool`.
    Overflows(ArithOp, ExprId, ExprId),
    /// Whether the truncated value of a floating-point expression doesn't fit the integer type (NaN never fits). Type `Bool`.
    CastOverflows(IntType, ExprId),
    /// A pointer moved by a number of bytes (second operand: an integer as wide as a pointer). The object stays the same.
    PtrAdd(ExprId, ExprId),
    /// Distance in bytes from the second pointer to the first: a signed integer as wide as a pointer.
    PtrDiff(ExprId, ExprId),
    /// Whether `size` bytes (second operand: unsigned, as wide as a pointer) at the pointer are inside one live object that may be
    /// read (or written). Size 0 asks for a valid pointer all the same. Type `Bool`.
    AccessOk {
        /// The pointer.
        ptr: ExprId,
        /// Number of bytes.
        size: ExprId,
        /// Whether they are to be written.
        write: bool,
    },
    /// Whether the pointer is null or the start of a live heap object. Type `Bool`.
    FreeOk(ExprId),
}

/// Unary operators.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum UnOp {
    /// Logical not. `Bool` to `Bool`.
    Not,
    /// Complement of every bit. Integers.
    BitNot,
    /// Two's complement negation (wraps) of an integer, or change of the sign bit of a float.
    Neg,
}

/// Binary operators. Unless said otherwise both operands have one and the same type, which is also the type of the result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum BinOp {
    /// Sum; integers wrap. Integers, floats.
    Add,
    /// Difference; integers wrap. Integers, floats.
    Sub,
    /// Product; integers wrap. Integers, floats.
    Mul,
    /// Quotient, truncated towards zero for integers (`MIN / -1` wraps; by zero: undefined, a check edge stands before). Integers, floats.
    Div,
    /// Remainder with the sign of the dividend (`MIN % -1` is 0; by zero: as for `Div`). Integers.
    Rem,
    /// Bitwise and. Integers, `Bool`.
    And,
    /// Bitwise or. Integers, `Bool`.
    Or,
    /// Bitwise exclusive or. Integers, `Bool`.
    Xor,
    /// Shift to the left by the second operand, an integer of any type (out of range: a check edge stands before). Wraps.
    Shl,
    /// Shift to the right; arithmetic for signed types. Second operand as for `Shl`.
    Shr,
    /// Equal. Any type; result `Bool`. IEEE for floats. Pointers compare by address.
    Eq,
    /// Not equal: exactly the negation of `Eq`.
    Ne,
    /// Less. Integers (by the type's signedness), floats (false for NaN), pointers (by address, unsigned); result `Bool`.
    Lt,
    /// Less or equal; as `Lt`.
    Le,
}

/// Operations that can overflow.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ArithOp {
    /// Sum.
    Add,
    /// Difference. Negation of `x` is asked for as `0 - x`.
    Sub,
    /// Product.
    Mul,
    /// Quotient and remainder: only `MIN / -1` overflows. A zero divisor doesn't count.
    Div,
    /// `a << b` for signed `a`: overflows when `a` is negative or `a * 2^b` doesn't fit. `b` in range.
    Shl,
}

/// The arena of a program's expressions.
#[derive(Clone, Debug, Default)]
pub struct Exprs {
    nodes: IndexVec<ExprId, Expr>,
}

impl std::ops::Index<ExprId> for Exprs {
    type Output = Expr;

    fn index(&self, id: ExprId) -> &Expr {
        &self.nodes[id]
    }
}

impl Exprs {
    /// Number of expressions.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Adds a node as it is. The named constructors are safer.
    pub fn push(&mut self, kind: ExprKind, ty: Type) -> ExprId {
        self.nodes.push(Expr { kind, ty })
    }

    /// The type of an expression.
    pub fn ty(&self, id: ExprId) -> Type {
        self.nodes[id].ty
    }

    /// The integer constant that an expression is, if it is one: (type, bits).
    pub fn as_int_const(&self, id: ExprId) -> Option<(IntType, u128)> {
        match self.nodes[id] {
            Expr {
                kind: ExprKind::Const(bits),
                ty: Type::Int(int),
            } => Some((int, bits)),
            _ => None,
        }
    }

    /// An integer constant; `value` is reduced to the type.
    pub fn int(&mut self, ty: IntType, value: i128) -> ExprId {
        self.push(ExprKind::Const(ty.wrap(value as u128)), Type::Int(ty))
    }

    /// `true` or `false`.
    pub fn bool(&mut self, value: bool) -> ExprId {
        self.push(ExprKind::Const(u128::from(value)), Type::Bool)
    }

    /// A floating-point constant, by its bits.
    pub fn float(&mut self, ty: FloatType, bits: u128) -> ExprId {
        self.push(ExprKind::Const(bits), Type::Float(ty))
    }

    /// The null pointer.
    pub fn null(&mut self) -> ExprId {
        self.push(ExprKind::Const(0), Type::Ptr)
    }

    /// A variable of the given type.
    pub fn var(&mut self, var: VarId, ty: Type) -> ExprId {
        self.push(ExprKind::Var(var), ty)
    }

    /// Address of an object.
    pub fn addr_of(&mut self, object: ObjectId) -> ExprId {
        self.push(ExprKind::AddrOf(object), Type::Ptr)
    }

    /// Address of a function.
    pub fn func_addr(&mut self, func: FuncId) -> ExprId {
        self.push(ExprKind::FuncAddr(func), Type::Ptr)
    }

    /// A unary operation; the result has the argument's type.
    pub fn unary(&mut self, op: UnOp, arg: ExprId) -> ExprId {
        let ty = self.ty(arg);
        self.push(ExprKind::Unary(op, arg), ty)
    }

    /// A binary operation; comparisons give `Bool`, everything else the left operand's type.
    pub fn binary(&mut self, op: BinOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        let ty = match op {
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le => Type::Bool,
            _ => self.ty(lhs),
        };
        self.push(ExprKind::Binary(op, lhs, rhs), ty)
    }

    /// A conversion. What goes: integer to integer (wrap), `Bool` to integer or float (0 or 1), integer to float (round to nearest even),
    /// float to integer (truncate; out of range: a check edge stands before), float to float (round to nearest even), integer as
    /// wide as a pointer to `Ptr` and back. Never to `Bool`: that is a comparison with zero.
    pub fn cast(&mut self, to: Type, arg: ExprId) -> ExprId {
        if self.ty(arg) == to {
            return arg;
        }
        self.push(ExprKind::Cast(arg), to)
    }

    /// `ptr` moved by `bytes`.
    pub fn ptr_add(&mut self, ptr: ExprId, bytes: ExprId) -> ExprId {
        self.push(ExprKind::PtrAdd(ptr, bytes), Type::Ptr)
    }

    /// Distance in bytes between two pointers.
    pub fn ptr_diff(&mut self, lhs: ExprId, rhs: ExprId, model: DataModel) -> ExprId {
        self.push(ExprKind::PtrDiff(lhs, rhs), Type::Int(model.ptrdiff_type()))
    }

    /// Whether the operation overflows.
    pub fn overflows(&mut self, op: ArithOp, lhs: ExprId, rhs: ExprId) -> ExprId {
        self.push(ExprKind::Overflows(op, lhs, rhs), Type::Bool)
    }

    /// Replaces arithmetic on floating-point constants by its result, rounded to nearest, as gcc does without regard to
    /// the direction of rounding at run time. What overflows it leaves to the run.
    pub fn fold_float_constants(&mut self) {
        for index in 0..self.nodes.len() {
            let id = ExprId::new(index);
            let constant = |id: ExprId| match self.nodes[id].kind {
                ExprKind::Const(bits) => Some(bits),
                _ => None,
            };
            let ty = self.nodes[id].ty;
            let folded = match (self.nodes[id].kind, ty) {
                (ExprKind::Binary(op, lhs, rhs), Type::Float(_)) => constant(lhs)
                    .zip(constant(rhs))
                    .and_then(|(a, b)| eval::binary(op, ty, a, ty, b).ok()),
                (ExprKind::Cast(arg), Type::Float(_)) => {
                    constant(arg).and_then(|bits| eval::cast(self.ty(arg), ty, bits).ok())
                }
                _ => None,
            };
            if let (Some(bits), Type::Float(float)) = (folded, ty)
                && eval::is_finite(float, bits)
            {
                self.nodes[id].kind = ExprKind::Const(bits);
            }
        }
    }

    /// The direct children of an expression.
    pub fn children(&self, id: ExprId) -> impl Iterator<Item = ExprId> + use<> {
        let (first, second) = match self.nodes[id].kind {
            ExprKind::Const(_) | ExprKind::Var(_) | ExprKind::AddrOf(_) | ExprKind::FuncAddr(_) => {
                (None, None)
            }
            ExprKind::Unary(_, arg)
            | ExprKind::Cast(arg)
            | ExprKind::CastOverflows(_, arg)
            | ExprKind::FreeOk(arg) => (Some(arg), None),
            ExprKind::Binary(_, lhs, rhs)
            | ExprKind::Overflows(_, lhs, rhs)
            | ExprKind::PtrAdd(lhs, rhs)
            | ExprKind::PtrDiff(lhs, rhs)
            | ExprKind::AccessOk {
                ptr: lhs,
                size: rhs,
                ..
            } => (Some(lhs), Some(rhs)),
        };
        first.into_iter().chain(second)
    }

    /// Calls `visit` on every variable that the expression reads.
    pub fn for_each_var(&self, id: ExprId, visit: &mut dyn FnMut(VarId)) {
        if let ExprKind::Var(var) = self.nodes[id].kind {
            visit(var);
        }
        for child in self.children(id) {
            self.for_each_var(child, visit);
        }
    }
}
