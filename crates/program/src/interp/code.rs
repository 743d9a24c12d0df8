//! Code: instructions and the tables that they refer to.

use super::instr::{Instr, Slot};
use crate::builtin::Builtin;
use crate::cfa::AllocKind;
use crate::expr::{ArithOp, BinOp, UnOp};
use crate::ids::{ApproxId, EdgeId, FuncId, InputSiteId, LocId, ObjectId};
use crate::types::{Access, IntType, Type};

/// A value: its register and its type.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Operand {
    pub(super) slot: Slot,
    pub(super) ty: Type,
}

/// An operator by its definition.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Generic {
    pub(super) op: GenericOp,
    pub(super) dst: Operand,
    pub(super) a: Operand,
    /// The second operand; the first again where there is none.
    pub(super) b: Operand,
}

/// Which operator.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum GenericOp {
    Unary(UnOp),
    Binary(BinOp),
    Overflows(ArithOp),
    Cast,
    CastOverflows(IntType),
}

/// An access by its definition.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct AnyAccess {
    pub(super) ptr: Slot,
    /// Where the value goes to or comes from.
    pub(super) value: Slot,
    pub(super) access: Access,
}

/// A call of a function of the program.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Call {
    pub(super) callee: CallTarget,
    /// The words of the arguments, in the order in which the callee's registers take them; of those for which it has parameters.
    pub(super) args: Box<[Slot]>,
    /// Where the result goes, or `NOWHERE`.
    pub(super) dst: Slot,
    /// Number of registers of the caller's activation.
    pub(super) advance: u32,
}

/// What is called.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum CallTarget {
    Function(FuncId),
    Pointer {
        ptr: Slot,
        args: Box<[Type]>,
        result: Option<Type>,
    },
}

/// What is done rarely, or takes long anyway.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Extra {
    InputBytes {
        ptr: Slot,
        size: Slot,
        site: InputSiteId,
    },
    Approximate {
        dst: Option<Operand>,
        what: ApproxId,
    },
    Copy {
        dst: Slot,
        src: Slot,
        size: Slot,
    },
    Fill {
        dst: Slot,
        byte: Slot,
        size: Slot,
    },
    Enter {
        object: ObjectId,
        /// The register of its provenance.
        slot: Slot,
        /// Distance from the start of the activation's part of the stack.
        offset: u64,
    },
    Leave {
        object: ObjectId,
        slot: Slot,
    },
    Alloc {
        dst: Slot,
        size: Slot,
        kind: AllocKind,
        /// Number of the edge in the whole program.
        origin: u32,
    },
    Free {
        ptr: Slot,
        kind: AllocKind,
    },
    Builtin {
        builtin: Builtin,
        args: Box<[Operand]>,
        dst: Option<Operand>,
    },
    /// A call that can't work, found out when the code was made.
    BadCall(FuncId),
}

/// A sink, and what the machine can say about how it was reached.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Sink {
    pub(super) location: LocId,
    pub(super) explain: Explain,
}

/// The operands of the condition that led into undefined behaviour, evaluated once more.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Explain {
    Nothing,
    Overflow {
        op: ArithOp,
        a: Operand,
        b: Operand,
    },
    Access {
        ptr: Slot,
        size: Slot,
        write: bool,
    },
    Free {
        ptr: Slot,
    },
    FloatToInt {
        a: Operand,
        to: IntType,
    },
    /// The operand of a comparison that is no constant.
    Compared(Operand),
}

/// What is known about an instruction beside what it does.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Site {
    /// The edge that it is part of.
    pub(super) edge: EdgeId,
    /// For an access that stands for its check, too: the edge on which the check fails.
    pub(super) check: Option<EdgeId>,
    /// For a checked operation: where the code goes on when the check fails.
    pub(super) exit: u32,
    /// Number of edges that were charged for already and are not executed if the run ends here.
    pub(super) pending: u32,
}

/// How a function is entered.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Its first instruction.
    pub(super) pc: u32,
    /// Number of registers of an activation.
    pub(super) words: u32,
    /// Number of registers that the arguments take.
    pub(super) param_words: u32,
    /// Whether its activations have local memory.
    pub(super) scope: bool,
}

/// The code of a program.
#[derive(Clone, Debug, Default)]
pub(super) struct Code {
    pub(super) instrs: Vec<Instr>,
    /// One for each instruction.
    pub(super) sites: Vec<Site>,
    /// One for each instruction: the number of edges to charge for when control is transferred to it.
    pub(super) charges: Vec<u32>,
    /// The blocks: first instruction and where it is in the automaton. In the order of the instructions.
    pub(super) blocks: Vec<(u32, FuncId, LocId)>,
    /// By function.
    pub(super) functions: Vec<Entry>,
    pub(super) inputs: Vec<(Operand, InputSiteId)>,
    pub(super) generics: Vec<Generic>,
    pub(super) accesses: Vec<AnyAccess>,
    pub(super) calls: Vec<Call>,
    pub(super) extras: Vec<Extra>,
    pub(super) sinks: Vec<Sink>,
}

impl Code {
    /// The block that begins at this instruction.
    pub(super) fn block_at(&self, pc: u32) -> Option<(FuncId, LocId)> {
        let index = self
            .blocks
            .binary_search_by_key(&pc, |block| block.0)
            .ok()?;
        let (_, function, location) = self.blocks[index];
        Some((function, location))
    }

    /// The function that an instruction belongs to.
    pub(super) fn function_of(&self, pc: u32) -> FuncId {
        let after = self.blocks.partition_point(|block| block.0 <= pc);
        self.blocks
            .get(after.saturating_sub(1))
            .map_or(FuncId::from_raw(0), |block| block.1)
    }

    /// The first instruction of a location that begins a block; in traced code every location that can be reached does.
    pub(super) fn location(&self, function: FuncId, location: LocId) -> Option<u32> {
        let first = self.blocks.partition_point(|block| block.1 < function);
        self.blocks[first..]
            .iter()
            .take_while(|block| block.1 == function)
            .find(|block| block.2 == location)
            .map(|block| block.0)
    }
}
