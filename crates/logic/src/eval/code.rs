//! The code that terms are compiled to.

/// A register, by its place: inputs first, then constants, then one for each term.
pub(super) type Register = u32;

/// One step. Truth values are 0 and 1, bit-vectors their unsigned value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    /// This can't be computed with small numbers: start again with exact ones.
    Escape,
    /// Goes on at another place.
    Jump(u32),
    /// Goes on at another place if the register is zero.
    Unless(Register, u32),
    /// Decides a conjunction or disjunction: if the operand is `value`, so is `to`, and the code goes on at `end`.
    Decide {
        operand: Register,
        value: bool,
        to: Register,
        end: u32,
    },
    /// A step with one operand.
    One(One, Register, Register),
    /// A step with two operands.
    Two(Two, Register, Register, Register),
    /// The third register if the second is not zero, else the fourth.
    Select(Register, Register, Register, Register),
    /// A linear combination of the parts from one place up to another, turned into the result.
    Sum(Sum, Register, u32, u32),
    /// An operation on bit-vectors of that width.
    Bits(Bits, u32, Register, Register, Register),
}

/// What is made of one operand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum One {
    /// The same.
    Copy,
    /// The other truth value.
    Not,
    /// The quotient by a power of two, rounded down.
    DivPower(u32),
    /// The remainder by a power of two.
    ModPower(u32),
    /// Whether a power of two divides it.
    PowerDivides(u32),
}

/// What is made of two operands.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Two {
    /// Sum.
    Add,
    /// Difference.
    Sub,
    /// Product.
    Mul,
    /// Quotient; the remainder is from 0 on.
    Div,
    /// Remainder, from 0 on.
    Mod,
    /// Whether the second divides the first.
    Divides,
    /// Whether the first is at most the second.
    AtMost,
    /// Whether both are the same.
    Same,
}

/// What is made of a linear combination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Sum {
    /// Itself.
    Value,
    /// Whether it is at most zero.
    AtMostZero,
    /// Whether it is zero.
    Zero,
}

/// Operations on bit-vectors, with the meaning that [`crate::term::Op`] gives them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Bits {
    Signed,
    FromInt,
    Neg,
    Not,
    Add,
    Sub,
    Mul,
    Udiv,
    Urem,
    Sdiv,
    Srem,
    And,
    Or,
    Xor,
    Shl,
    Lshr,
    Ashr,
    Slt,
    Sle,
    /// The bits from a place on; the width is that of the result.
    Extract(u32),
    /// From that width to the wider one.
    SignExtend(u32),
    /// The second operand has that many bits.
    Concat(u32),
}

/// A part of a linear combination.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Part {
    pub(super) coefficient: i128,
    pub(super) register: Register,
}

/// Compiled terms.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) steps: Vec<Step>,
    pub(super) parts: Vec<Part>,
    /// What the registers hold at the start: zero, but for constants.
    pub(super) registers: Vec<i128>,
    /// Where the results are.
    pub(super) results: Vec<Register>,
}
