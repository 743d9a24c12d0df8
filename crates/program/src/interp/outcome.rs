//! What a run comes to.

use crate::cfa::UbKind;
use crate::expr::ArithOp;
use crate::ids::{ApproxId, EdgeId, FuncId, LocId, ObjectId, TargetId, UnsupportedId};
use crate::model::Program;
use crate::span::Span;
use crate::types::{FloatType, IntType};

/// How far a run may go.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunLimits {
    /// Number of edges that may be executed.
    pub steps: u64,
    /// Number of bytes for objects and activations together.
    pub memory: u64,
    /// Number of calls that may be under way at one time.
    pub depth: u64,
    /// Number of bytes of output that are kept; the run goes on without keeping more.
    pub output: u64,
}

impl Default for RunLimits {
    /// A hundred million steps, 1 GiB of memory, two million calls, 1 MiB of output.
    fn default() -> RunLimits {
        RunLimits {
            steps: 100_000_000,
            memory: 1 << 30,
            depth: 2_000_000,
            output: 1 << 20,
        }
    }
}

/// A run that has ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Run {
    /// How it ended.
    pub outcome: Outcome,
    /// Number of edges of the automata that were executed: one for each edge taken, a call's edge when the callee is entered, and the edge
    /// whose action failed, if that ended the run. (A condition that can't be evaluated ends the run before one of its edges is taken.)
    /// Never more than the limit.
    pub steps: u64,
    /// Where it ended.
    pub end: Position,
    /// The calls under way at the end, outermost first.
    pub calls: Vec<CallSite>,
    /// What was written.
    pub output: Vec<u8>,
    /// Whether there was more output than the limit allows.
    pub output_truncated: bool,
    /// What the run rests on beside its inputs, each thing once, in the order of first use. A run with caveats is no evidence: another
    /// implementation of C, or another meaning of an approximated step, may go another way.
    pub caveats: Vec<Caveat>,
}

/// How a run ended.
#[derive(Clone, PartialEq, Debug)]
pub enum Outcome {
    /// A target was reached.
    Target(TargetId),
    /// The program ended with this status.
    Exit(i32),
    /// `abort`, or a failed assertion that is no target.
    Abort,
    /// An assumption didn't hold.
    AssumptionFailed,
    /// Undefined behaviour.
    Undefined(Fault),
    /// Something that is not modelled: nothing is known beyond this point.
    Unsupported(UnsupportedReason),
    /// Every thread waits for another one.
    Deadlock,
    /// The limit on steps.
    StepLimit,
    /// The limit on memory.
    MemoryLimit,
    /// The limit on calls under way.
    StackLimit,
}

/// Why a run can't go on.
#[derive(Clone, PartialEq, Debug)]
pub enum UnsupportedReason {
    /// A place that the front end marked.
    Construct(UnsupportedId),
    /// The use of a pointer that an approximated step gave.
    WildPointer(ApproxId),
    /// Something that the machine doesn't do.
    Other(&'static str),
}

/// A place in an automaton.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Position {
    /// The function.
    pub function: FuncId,
    /// The location reached; for an action that failed or was not begun the location before it.
    pub location: LocId,
    /// The edge that ended the run: it led to the location, or its action failed. `None` if a limit on steps did.
    pub edge: Option<EdgeId>,
}

/// A call under way.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CallSite {
    /// The calling function.
    pub function: FuncId,
    /// Its call edge.
    pub edge: EdgeId,
}

/// Something that a run rests on beside its inputs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Caveat {
    /// At this edge the run depended on where objects lie in memory, which C leaves open.
    Addresses {
        /// The function.
        function: FuncId,
        /// The edge.
        edge: EdgeId,
    },
    /// The value of an approximated step was used.
    Approximation(ApproxId),
    /// An argument of this `printf` doesn't have the type that the format asks for.
    FormatMismatch {
        /// The function.
        function: FuncId,
        /// The call.
        edge: EdgeId,
    },
}

/// Undefined behaviour that happened.
#[derive(Clone, PartialEq, Debug)]
pub struct Fault {
    /// Its kind.
    pub kind: UbKind,
    /// What exactly was wrong.
    pub detail: FaultDetail,
    /// The function.
    pub function: FuncId,
    /// The edge: the failed check, or the action itself where no check stands before it.
    pub edge: EdgeId,
}

/// An object, for a message.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ObjectRef {
    /// A declared object.
    Declared(ObjectId),
    /// An object that this edge allocated.
    Allocated {
        /// The function.
        function: FuncId,
        /// The edge.
        edge: EdgeId,
    },
    /// The object with this number of those that others made.
    Other(u32),
}

/// What exactly was wrong.
#[derive(Clone, PartialEq, Debug)]
pub enum FaultDetail {
    /// Nothing more is known than the kind.
    Unspecified,
    /// An access through a null pointer (or one near it: a member or element of nothing).
    NullDereference {
        /// The address.
        address: u64,
    },
    /// An access through a pointer that points to no object.
    NoObject {
        /// The address.
        address: u64,
    },
    /// An access to a function as if it were data.
    FunctionAccess(FuncId),
    /// An access outside an object.
    OutOfBounds {
        /// The object.
        object: ObjectRef,
        /// Number of its bytes.
        object_size: u64,
        /// Where the access begins, in bytes from the start of the object.
        offset: i64,
        /// Number of bytes that were accessed.
        access_size: u64,
    },
    /// An access to a local object whose lifetime has ended (or has not begun).
    LifetimeEnded(ObjectId),
    /// An access to memory that was freed or, for `alloca`, whose function has returned.
    UseAfterFree,
    /// A write to an object that may not be written.
    ReadOnly(ObjectRef),
    /// A byte that is no value of `_Bool`.
    TrapRepresentation {
        /// The byte.
        byte: u8,
    },
    /// `free` of a pointer that is not the start of an allocated object.
    InvalidFree {
        /// The object pointed into, if there is one.
        object: Option<ObjectRef>,
        /// Where, in bytes from its start, or the address if there is no object.
        offset: i64,
    },
    /// `free` of something that was freed before.
    DoubleFree,
    /// A signed result that doesn't fit.
    Overflow {
        /// The operation.
        op: ArithOp,
        /// Type of the left operand.
        ty: IntType,
        /// Left operand, by its bits.
        lhs: u128,
        /// Type of the right operand.
        rhs_ty: IntType,
        /// Right operand, by its bits.
        rhs: u128,
    },
    /// A divisor of zero.
    ZeroDivisor,
    /// A shift amount out of range.
    ShiftAmount {
        /// Its type.
        ty: IntType,
        /// The amount, by its bits.
        amount: u128,
    },
    /// A float that doesn't fit an integer type.
    FloatToInt {
        /// Type of the float.
        from: FloatType,
        /// The float, by its bits.
        bits: u128,
        /// The integer type.
        to: IntType,
    },
    /// The size of an array.
    ArraySize {
        /// Its type.
        ty: IntType,
        /// The size, by its bits.
        size: u128,
    },
    /// A call through a pointer that is not the address of a function.
    NotAFunction {
        /// The address.
        address: u64,
    },
    /// A call of a function with other parameters or another result.
    WrongSignature(FuncId),
    /// `printf` has fewer arguments than its format asks for, or one of a quite different type.
    FormatArguments,
}

impl Run {
    /// Whether nothing but the inputs decides this run, so that it is evidence for what it reached.
    pub fn is_definite(&self) -> bool {
        self.caveats.is_empty()
    }
}

impl Position {
    /// The source text it belongs to, if the function has any edge there.
    pub fn span(&self, program: &Program) -> Option<Span> {
        let cfa = &program.functions[self.function].cfa;
        let edge = self
            .edge
            .or_else(|| cfa.locations[self.location].outgoing.first().copied())?;
        Some(cfa.edges[edge].span)
    }
}

impl CallSite {
    /// The text of the call.
    pub fn span(&self, program: &Program) -> Span {
        program.functions[self.function].cfa.edges[self.edge].span
    }
}

impl Fault {
    /// The source text it belongs to.
    pub fn span(&self, program: &Program) -> Span {
        program.functions[self.function].cfa.edges[self.edge].span
    }

    /// One line that says what happened.
    pub fn describe(&self, program: &Program) -> String {
        let detail = self.detail.describe(program);
        let kind = kind_text(self.kind);
        if detail.is_empty() {
            kind.to_owned()
        } else {
            format!("{kind}: {detail}")
        }
    }
}

impl UnsupportedReason {
    /// What is not supported, in a few words.
    pub fn describe(&self, program: &Program) -> String {
        match *self {
            UnsupportedReason::Construct(id) => program.unsupported[id].what.clone(),
            UnsupportedReason::WildPointer(id) => format!(
                "use of a pointer that is not known ({})",
                program.approximations[id].what
            ),
            UnsupportedReason::Other(what) => what.to_owned(),
        }
    }
}

impl Caveat {
    /// What the run rests on, in a few words.
    pub fn describe(&self, program: &Program) -> String {
        match *self {
            Caveat::Addresses { .. } => "depends on where objects lie in memory".to_owned(),
            Caveat::Approximation(id) => {
                format!("approximated: {}", program.approximations[id].what)
            }
            Caveat::FormatMismatch { .. } => {
                "an argument of printf doesn't match the format".to_owned()
            }
        }
    }
}

impl ObjectRef {
    fn describe(self, program: &Program) -> String {
        match self {
            ObjectRef::Declared(id) => {
                let name = &program.objects[id].decl.name;
                if name.is_empty() {
                    "an unnamed object".to_owned()
                } else {
                    format!("`{name}`")
                }
            }
            ObjectRef::Allocated { function, edge } => {
                let span = program.functions[function].cfa.edges[edge].span;
                format!("the object allocated at {}", program.sources.position(span))
            }
            ObjectRef::Other(number) => format!("object {} of those that others made", number + 1),
        }
    }
}

impl FaultDetail {
    fn describe(&self, program: &Program) -> String {
        match *self {
            FaultDetail::Unspecified => String::new(),
            FaultDetail::NullDereference { address: 0 } => "null pointer".to_owned(),
            FaultDetail::NullDereference { address } => {
                format!("null pointer (plus {address} bytes)")
            }
            FaultDetail::NoObject { address } => format!("no object at address {address:#x}"),
            FaultDetail::FunctionAccess(id) => {
                format!("`{}` is a function", program.functions[id].name)
            }
            FaultDetail::OutOfBounds {
                object,
                object_size,
                offset,
                access_size,
            } => format!(
                "{access_size} byte{} at offset {offset} of {} of {object_size} byte{}",
                plural(access_size),
                object.describe(program),
                plural(object_size),
            ),
            FaultDetail::LifetimeEnded(id) => {
                format!(
                    "{} is used outside its lifetime",
                    ObjectRef::Declared(id).describe(program)
                )
            }
            FaultDetail::UseAfterFree => "the object was freed".to_owned(),
            FaultDetail::ReadOnly(object) => {
                format!("{} is read-only", object.describe(program))
            }
            FaultDetail::TrapRepresentation { byte } => {
                format!("trap representation: the byte {byte} is no value of _Bool")
            }
            FaultDetail::InvalidFree {
                object: Some(object),
                offset: 0,
            } => format!("{} was not allocated on the heap", object.describe(program)),
            FaultDetail::InvalidFree {
                object: Some(object),
                offset,
            } => format!("pointer to offset {offset} of {}", object.describe(program)),
            FaultDetail::InvalidFree {
                object: None,
                offset,
            } => format!("no object at address {offset:#x}"),
            FaultDetail::DoubleFree => "the object was freed before".to_owned(),
            FaultDetail::Overflow {
                op,
                ty,
                lhs,
                rhs_ty,
                rhs,
            } => format!(
                "{} {} {} doesn't fit {}",
                ty.display(lhs),
                match op {
                    ArithOp::Add => '+'.to_string(),
                    ArithOp::Sub => '-'.to_string(),
                    ArithOp::Mul => '*'.to_string(),
                    ArithOp::Div => '/'.to_string(),
                    ArithOp::Shl => "<<".to_string(),
                },
                rhs_ty.display(rhs),
                ty.c_name(),
            ),
            FaultDetail::ZeroDivisor => "the divisor is zero".to_owned(),
            FaultDetail::ShiftAmount { ty, amount } => format!("by {}", ty.display(amount)),
            FaultDetail::FloatToInt { from, bits, to } => {
                let value = super::decimal::shortest(from, bits);
                format!("{value} doesn't fit {}", to.c_name())
            }
            FaultDetail::ArraySize { ty, size } => format!("size {}", ty.display(size)),
            FaultDetail::NotAFunction { address: 0 } => "null pointer".to_owned(),
            FaultDetail::NotAFunction { address } => {
                format!("no function at address {address:#x}")
            }
            FaultDetail::WrongSignature(id) => format!(
                "`{}` has other parameters or another result",
                program.functions[id].name
            ),
            FaultDetail::FormatArguments => {
                "the arguments of printf don't fit its format".to_owned()
            }
        }
    }
}

fn plural(count: u64) -> &'static str {
    if count == 1 { "" } else { "s" }
}

fn kind_text(kind: UbKind) -> &'static str {
    match kind {
        UbKind::SignedOverflow => "signed overflow",
        UbKind::DivisionByZero => "division by zero",
        UbKind::BadShift => "shift out of range",
        UbKind::BadShifted => "left shift of a negative number or into the sign",
        UbKind::FloatToInt => "floating-point value out of range of the integer type",
        UbKind::BadRead => "invalid read",
        UbKind::BadWrite => "invalid write",
        UbKind::BadFree => "invalid free",
        UbKind::BadCall => "invalid call",
        UbKind::BadArraySize => "array size out of range",
        UbKind::Unreachable => "reached a point declared unreachable",
        UbKind::Unsequenced => "a variable is changed and accessed in no order",
        UbKind::BadBool => "a `_Bool` that is neither 0 nor 1 is read",
    }
}
