//! Terms and formulas: sorted, hash-consed, in one store that threads share.
//!
//! A [`Term`] is a `Copy` id into a [`Terms`] store. Equal terms have equal ids, so a formula is a graph without
//! repetition, and every traversal here visits each node once: its cost is linear in the graph, however large the tree
//! would be. A formula is a term of sort [`Sort::Bool`].
//!
//! Integer arithmetic has a normal form. A sum is a [`Linear`] combination with integer coefficients over terms that
//! are not sums themselves; an atom compares a combination with zero, its coefficients coprime and its constant rounded
//! to what integers can reach; a congruence is an atom of its own ([`Node::Divides`]). What linear arithmetic can't
//! take (products, other theories, uninterpreted functions) stands in a combination as if it were a variable.

mod build;
mod connectives;
mod linear;
mod print;
mod store;
mod walk;

use std::num::NonZeroU32;

use dashu_int::UBig;

use crate::num::{Int, Rat};

pub use linear::Linear;
pub use store::Terms;
pub use walk::Renaming;

/// A term, by its place in the store that made it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Term(NonZeroU32);

impl Term {
    /// A number that no other term of its store has.
    pub fn raw(self) -> u32 {
        self.0.get()
    }
}

/// A constant whose value an assignment gives: a program variable at some point, an input, a counter.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Symbol(u32);

/// An uninterpreted function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Function(u32);

/// A named relation: a formula with parameters that is used by name instead of being copied.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Relation(u32);

/// The sort of the arrays of a store, by its place there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ArraySort(u32);

/// What a term stands for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Sort {
    /// A truth value.
    Bool,
    /// A mathematical integer.
    Int,
    /// A real number.
    Real,
    /// That many bits, at least one.
    BitVec(u32),
    /// An IEEE number: bits of the exponent, and of the significand with its hidden bit.
    Float(u32, u32),
    /// A map from one sort to another ([`Terms::array_sort`]).
    Array(ArraySort),
}

/// What a term is. Made by the constructors of [`Terms`] only, which keep the normal forms.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Node {
    /// `true` or `false`.
    Bool(bool),
    /// An integer.
    Int(Int),
    /// A real number.
    Real(Rat),
    /// A bit-vector: its width and its unsigned value.
    Bits(u32, UBig),
    /// A symbol of any sort.
    Symbol(Symbol),
    /// Negation; never of a constant, a negation, an [`Node::AtMostZero`] or a divisibility by 2.
    Not(Term),
    /// Conjunction of at least two, sorted, without repetition.
    And(Box<[Term]>),
    /// Disjunction of at least two, sorted, without repetition.
    Or(Box<[Term]>),
    /// Equivalence.
    Iff(Term, Term),
    /// The second if the first holds, else the third; not of sort `Bool`.
    Ite(Term, Term, Term),
    /// A linear combination that is neither a constant nor a single term.
    Sum(Linear),
    /// A product of two terms that are no constants.
    Product(Term, Term),
    /// The quotient by an integer of at least 2, rounded down.
    Div(Term, Int),
    /// The remainder, from 0 on, of the division by an integer of at least 2.
    Mod(Term, Int),
    /// The combination is at most zero. Coefficients are coprime.
    AtMostZero(Linear),
    /// The combination is zero. Coefficients are coprime, the first is positive.
    Zero(Linear),
    /// The integer (at least 2) divides the combination. Coefficients and constant are from 0 on and below it.
    Divides(Int, Linear),
    /// Two terms of one sort, neither `Bool` nor `Int`, are equal.
    Equal(Term, Term),
    /// An uninterpreted function, applied.
    Apply(Function, Box<[Term]>),
    /// A named relation, with a term for each parameter.
    Call(Relation, Box<[Term]>),
    /// An operation of another theory.
    Op(Op, Box<[Term]>),
}

/// A direction of rounding.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Rounding {
    /// To nearest, halves to even.
    NearestEven,
    /// To nearest, halves away from zero.
    NearestAway,
    /// Towards positive infinity.
    Up,
    /// Towards negative infinity.
    Down,
    /// Truncation.
    TowardsZero,
}

/// Operations that only the solver (and evaluation, for bit-vectors) knows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// Integer quotient as in SMT-LIB: the remainder is from 0 on; nothing is known for a zero divisor.
    IntDiv,
    /// Integer remainder as in SMT-LIB, from 0 on; nothing is known for a zero divisor.
    IntMod,
    /// The real number that an integer is.
    ToReal,
    /// The greatest integer that is not above a real number.
    Floor,
    /// Sum of reals.
    RealAdd,
    /// Product of reals.
    RealMul,
    /// At most, on reals.
    RealLe,
    /// The unsigned value of a bit-vector.
    BvToInt,
    /// The signed value of a bit-vector.
    BvToIntSigned,
    /// An integer modulo 2^width.
    IntToBv(u32),
    /// Two's complement negation.
    BvNeg,
    /// Complement of every bit.
    BvNot,
    /// Sum, modulo 2^width.
    BvAdd,
    /// Difference, modulo 2^width.
    BvSub,
    /// Product, modulo 2^width.
    BvMul,
    /// Unsigned quotient (all ones for a zero divisor).
    BvUdiv,
    /// Unsigned remainder (the dividend for a zero divisor).
    BvUrem,
    /// Signed quotient, truncated (by zero: 1 for a negative dividend, else -1).
    BvSdiv,
    /// Signed remainder with the sign of the dividend (the dividend for a zero divisor).
    BvSrem,
    /// And, bit by bit.
    BvAnd,
    /// Or, bit by bit.
    BvOr,
    /// Exclusive or, bit by bit.
    BvXor,
    /// Shift to the left; zero from `width` on.
    BvShl,
    /// Logical shift to the right; zero from `width` on.
    BvLshr,
    /// Arithmetic shift to the right; the sign everywhere from `width` on.
    BvAshr,
    /// Less, unsigned.
    BvUlt,
    /// At most, unsigned.
    BvUle,
    /// Less, signed.
    BvSlt,
    /// At most, signed.
    BvSle,
    /// The bits from the first number down to the second.
    BvExtract(u32, u32),
    /// That many zero bits in front.
    BvZeroExtend(u32),
    /// That many copies of the sign bit in front.
    BvSignExtend(u32),
    /// The first in front of the second.
    BvConcat,
    /// An element of an array.
    Select,
    /// An array with one element replaced.
    Store,
    /// The array of that sort with one value everywhere.
    ConstArray(ArraySort),
    /// The IEEE number with these bits: exponent bits, significand bits.
    FpFromBits(u32, u32),
    /// Sum, rounded to nearest even.
    FpAdd,
    /// Difference, rounded to nearest even.
    FpSub,
    /// Product, rounded to nearest even.
    FpMul,
    /// Quotient, rounded to nearest even.
    FpDiv,
    /// Square root, rounded to nearest even.
    FpSqrt,
    /// An integer next to it, in that direction.
    FpRound(Rounding),
    /// Change of sign.
    FpNeg,
    /// Equal as numbers.
    FpEq,
    /// Less as numbers.
    FpLt,
    /// At most as numbers.
    FpLe,
    /// Whether it is not a number.
    FpIsNan,
    /// To another format (exponent bits, significand bits), rounded to nearest even.
    FpToFp(u32, u32),
    /// A signed bit-vector as a number of that format, rounded to nearest even.
    FpFromSigned(u32, u32),
    /// An unsigned bit-vector as a number of that format, rounded to nearest even.
    FpFromUnsigned(u32, u32),
    /// A number, truncated, as a signed bit-vector of that width; nothing is known where it doesn't fit.
    FpToSigned(u32),
    /// A number, truncated, as an unsigned bit-vector of that width; nothing is known where it doesn't fit.
    FpToUnsigned(u32),
}

/// The declaration of a symbol.
#[derive(Clone, Debug)]
pub struct SymbolInfo {
    /// A name for people; two symbols may have the same.
    pub name: Box<str>,
    /// Its sort.
    pub sort: Sort,
}

/// The declaration of an uninterpreted function.
#[derive(Clone, Debug)]
pub struct FunctionInfo {
    /// A name for people.
    pub name: Box<str>,
    /// Sorts of the arguments.
    pub params: Box<[Sort]>,
    /// Sort of the result.
    pub result: Sort,
}

/// The definition of a named relation: `Call(r, args)` means the body with the arguments in place of the parameters.
/// The body has no other symbols; what is to be fresh at each use is a parameter, too.
#[derive(Clone, Debug)]
pub struct RelationInfo {
    /// A name for people.
    pub name: Box<str>,
    /// The parameters.
    pub params: Box<[Symbol]>,
    /// The formula.
    pub body: Term,
}
