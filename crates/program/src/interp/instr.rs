//! The instruction set: register code, 16 bytes per instruction.
//!
//! Registers are 64-bit words. Values up to 64 bits take one register: integers extended to 64 bits by their
//! signedness, truth values as 0 or 1, floats by their bits. Wider values take two, the low word first; pointers take
//! two, address and provenance. An operand is a [`Slot`]: a register of the current activation, or a fixed one (global
//! variables and constants).

use super::float::FloatOp;
use crate::ids::{EdgeId, FuncId};
use crate::types::{Access, FloatType, Type};

/// A register: fixed, or of the current activation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Slot(u32);

impl Slot {
    const LOCAL: u32 = 1 << 31;
    /// No register.
    pub(super) const NOWHERE: Slot = Slot(u32::MAX);

    pub(super) fn fixed(index: u32) -> Slot {
        debug_assert!(index < Slot::LOCAL);
        Slot(index)
    }

    pub(super) fn local(index: u32) -> Slot {
        debug_assert!(index < Slot::LOCAL);
        Slot(Slot::LOCAL | index)
    }

    pub(super) fn is_local(self) -> bool {
        self.0 & Slot::LOCAL != 0
    }

    /// The register behind this one.
    #[inline(always)]
    pub(super) fn next(self) -> Slot {
        Slot(self.0 + 1)
    }

    /// Its index, when the registers of the current activation begin at `base`.
    #[inline(always)]
    pub(super) fn index(self, base: usize) -> usize {
        // The bit that marks a local is taken off together with the addition of the base.
        let shift = if self.is_local() {
            base.wrapping_sub(Slot::LOCAL as usize)
        } else {
            0
        };
        (self.0 as usize).wrapping_add(shift)
    }
}

/// Number of registers that a value of the type takes.
pub(super) fn words(ty: Type) -> u32 {
    match ty {
        Type::Bool | Type::Float(FloatType::F32 | FloatType::F64) => 1,
        Type::Int(int) if int.width <= 64 => 1,
        Type::Int(_) | Type::Float(FloatType::X87 | FloatType::F128) | Type::Ptr => 2,
    }
}

/// How a value that takes one register lies in memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Cell {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    Word,
    Bool,
    Pointer,
}

impl Cell {
    /// That of an access, if it is of this simple kind.
    pub(super) fn of(access: Access) -> Option<Cell> {
        if access.bits.is_some() {
            return None;
        }
        Some(match access.ty {
            Type::Bool => Cell::Bool,
            Type::Ptr => Cell::Pointer,
            Type::Float(FloatType::F32) => Cell::U32,
            Type::Float(FloatType::F64) => Cell::Word,
            Type::Float(FloatType::X87 | FloatType::F128) => return None,
            Type::Int(int) => match (int.width, int.signed) {
                (8, true) => Cell::I8,
                (8, false) => Cell::U8,
                (16, true) => Cell::I16,
                (16, false) => Cell::U16,
                (32, true) => Cell::I32,
                (32, false) => Cell::U32,
                (64, _) => Cell::Word,
                _ => return None,
            },
        })
    }
}

/// An instruction. `dst` is written, `a`, `b`, ... are read; everything is read before anything is written.
///
/// Jump targets are indices into the code. Addresses are `base + index * scale`, modulo the size of an address.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Instr {
    Const {
        dst: Slot,
        value: u64,
    },
    Move {
        dst: Slot,
        a: Slot,
    },
    Move2 {
        dst: Slot,
        a: Slot,
    },

    // Modulo 2^64.
    Add {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Sub {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Mul {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    /// `a * scale + b`.
    Scale {
        dst: Slot,
        a: Slot,
        b: Slot,
        scale: u16,
    },
    // Wrapped to 32 bits, signed or unsigned.
    AddI32 {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    SubI32 {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    MulI32 {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    AddU32 {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    SubU32 {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    MulU32 {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    // On overflow: go to the site's exit instead.
    AddCheckI32 {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    SubCheckI32 {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    MulCheckI32 {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    AddCheckI64 {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    SubCheckI64 {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    MulCheckI64 {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    // The result is wrapped by shifting `spare` bits out and in again.
    DivSigned {
        dst: Slot,
        a: Slot,
        b: Slot,
        spare: u8,
    },
    DivUnsigned {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    RemSigned {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    RemUnsigned {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    And {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Or {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Xor {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    // Shifts of a value of `64 - spare` bits.
    ShlSigned {
        dst: Slot,
        a: Slot,
        b: Slot,
        spare: u8,
    },
    ShlUnsigned {
        dst: Slot,
        a: Slot,
        b: Slot,
        spare: u8,
    },
    ShrSigned {
        dst: Slot,
        a: Slot,
        b: Slot,
        spare: u8,
    },
    ShrUnsigned {
        dst: Slot,
        a: Slot,
        b: Slot,
        spare: u8,
    },
    /// Wraps to a signed integer of `64 - spare` bits.
    WrapSigned {
        dst: Slot,
        a: Slot,
        spare: u8,
    },
    /// Wraps to an unsigned integer of `64 - spare` bits.
    WrapUnsigned {
        dst: Slot,
        a: Slot,
        spare: u8,
    },

    // Comparisons give 0 or 1.
    Eq {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    Ne {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    LtSigned {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    LeSigned {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    LtUnsigned {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    LeUnsigned {
        dst: Slot,
        a: Slot,
        b: Slot,
    },

    // Branches go to the target if the condition holds, else on.
    Jump {
        target: u32,
    },
    IfTrue {
        a: Slot,
        target: u32,
    },
    IfFalse {
        a: Slot,
        target: u32,
    },
    IfEq {
        a: Slot,
        b: Slot,
        target: u32,
    },
    IfNe {
        a: Slot,
        b: Slot,
        target: u32,
    },
    IfLtSigned {
        a: Slot,
        b: Slot,
        target: u32,
    },
    IfLeSigned {
        a: Slot,
        b: Slot,
        target: u32,
    },
    IfLtUnsigned {
        a: Slot,
        b: Slot,
        target: u32,
    },
    IfLeUnsigned {
        a: Slot,
        b: Slot,
        target: u32,
    },

    // The end of a loop: adds the step, which may overflow as above, and goes to the target if the sum is less (or equal).
    CountLtI32 {
        a: Slot,
        limit: Slot,
        target: u32,
        step: i16,
    },
    CountLeI32 {
        a: Slot,
        limit: Slot,
        target: u32,
        step: i16,
    },

    F64 {
        dst: Slot,
        a: Slot,
        b: Slot,
        op: FloatOp,
    },
    F32 {
        dst: Slot,
        a: Slot,
        b: Slot,
        op: FloatOp,
    },
    F64Lt {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    F64Le {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    F64FromSigned {
        dst: Slot,
        a: Slot,
    },
    /// An operator by its definition; for everything that has no instruction of its own.
    Generic {
        index: u32,
    },

    /// `a + b * scale`.
    PtrAdd {
        dst: Slot,
        a: Slot,
        b: Slot,
        scale: u16,
    },
    PtrEq {
        dst: Slot,
        a: Slot,
        b: Slot,
        negate: bool,
    },
    PtrLt {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    PtrLe {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    PtrDiff {
        dst: Slot,
        a: Slot,
        b: Slot,
    },
    PtrToInt {
        dst: Slot,
        a: Slot,
        signed: bool,
        /// Whether it is only compared with a number at which nothing lies.
        roughly: bool,
    },
    IntToPtr {
        dst: Slot,
        a: Slot,
    },
    /// Address of a local object; `object` is the register with its provenance.
    LocalAddress {
        dst: Slot,
        object: Slot,
    },
    AccessOk {
        dst: Slot,
        ptr: Slot,
        size: Slot,
        write: bool,
    },
    FreeOk {
        dst: Slot,
        ptr: Slot,
    },

    // Memory: at a pointer, or in an object whose provenance is in a register.
    LoadI32 {
        dst: Slot,
        ptr: Slot,
        index: Slot,
        scale: u16,
    },
    LoadObjectI32 {
        dst: Slot,
        object: Slot,
        index: Slot,
        scale: u16,
    },
    Load {
        dst: Slot,
        ptr: Slot,
        index: Slot,
        scale: u16,
        cell: Cell,
    },
    LoadObject {
        dst: Slot,
        object: Slot,
        index: Slot,
        scale: u16,
        cell: Cell,
    },
    StoreI32 {
        a: Slot,
        ptr: Slot,
        index: Slot,
        scale: u16,
    },
    StoreObjectI32 {
        a: Slot,
        object: Slot,
        index: Slot,
        scale: u16,
    },
    Store {
        a: Slot,
        ptr: Slot,
        index: Slot,
        scale: u16,
        cell: Cell,
    },
    StoreObject {
        a: Slot,
        object: Slot,
        index: Slot,
        scale: u16,
        cell: Cell,
    },
    /// Any access, by its definition.
    LoadAny {
        index: u32,
    },
    StoreAny {
        index: u32,
    },

    Input {
        index: u32,
    },
    Call {
        index: u32,
    },
    /// Leaves the function; `a` is `NOWHERE` or the result of so many words.
    Return {
        a: Slot,
        words: u8,
        scope: bool,
        function: FuncId,
    },
    /// Ends the run with a status.
    Exit {
        a: Slot,
    },
    /// Ends the run in a sink.
    Sink {
        index: u32,
    },
    /// Anything else.
    Extra {
        index: u32,
    },
    /// What threads do to each other. The block ends here.
    Thread {
        index: u32,
    },
    /// Only in traced code: the edge begins.
    Edge {
        edge: EdgeId,
    },
    /// The values before the first step are complete.
    Begin,
}

const _: () = assert!(size_of::<Instr>() == 16);

impl Instr {
    /// The register that the instruction writes, if it writes exactly one word and nothing else.
    pub(super) fn dst_mut(&mut self) -> Option<&mut Slot> {
        match self {
            Instr::Const { dst, .. }
            | Instr::Move { dst, .. }
            | Instr::Add { dst, .. }
            | Instr::Sub { dst, .. }
            | Instr::Mul { dst, .. }
            | Instr::Scale { dst, .. }
            | Instr::AddI32 { dst, .. }
            | Instr::SubI32 { dst, .. }
            | Instr::MulI32 { dst, .. }
            | Instr::AddU32 { dst, .. }
            | Instr::SubU32 { dst, .. }
            | Instr::MulU32 { dst, .. }
            | Instr::AddCheckI32 { dst, .. }
            | Instr::SubCheckI32 { dst, .. }
            | Instr::MulCheckI32 { dst, .. }
            | Instr::AddCheckI64 { dst, .. }
            | Instr::SubCheckI64 { dst, .. }
            | Instr::MulCheckI64 { dst, .. } => Some(dst),
            _ => None,
        }
    }

    /// Where a branch leads if it is taken.
    pub(super) fn target_mut(&mut self) -> Option<&mut u32> {
        match self {
            Instr::Jump { target }
            | Instr::IfTrue { target, .. }
            | Instr::IfFalse { target, .. }
            | Instr::IfEq { target, .. }
            | Instr::IfNe { target, .. }
            | Instr::IfLtSigned { target, .. }
            | Instr::IfLeSigned { target, .. }
            | Instr::IfLtUnsigned { target, .. }
            | Instr::IfLeUnsigned { target, .. }
            | Instr::CountLtI32 { target, .. }
            | Instr::CountLeI32 { target, .. } => Some(target),
            _ => None,
        }
    }
}
