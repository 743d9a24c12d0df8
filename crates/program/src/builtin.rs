//! Library functions that are neither C text nor a single action of the model: the interpreter executes them itself.
//!
//! An analysis that has no better idea takes their result as unknown; none of them writes memory that the program can see.

use crate::ids::ApproxId;
use crate::types::FloatType;

/// A library function that the interpreter executes itself.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Builtin {
    /// `printf(format, ...)`: writes to the run's output, gives the number of characters.
    Printf,
    /// `puts(string)`.
    Puts,
    /// `putchar(c)`.
    Putchar,
    /// Others run: every object that they can reach may change, and they keep the pointers that they get as arguments.
    /// The interpreter does nothing, which is one of the things that can happen; changes that a run can see are input
    /// actions that follow. Who reasons about the contents of memory must forget them here.
    Outside,
    /// A library function without a model uses what these pointers point to, and nobody looks whether it may. It does nothing.
    /// [`Checks`](crate::Checks) take it away:
    /// who asks for bad accesses has no answer there, or an assumption, which has the name.
    Unseen(ApproxId),
    /// A function of one floating-point argument with a result of the same type.
    Math(MathFn, FloatType),
    /// A function of two floating-point arguments with a result of the same type.
    Math2(Math2Fn, FloatType),
    /// A question about a floating-point argument; the result is an `int`.
    Classify(ClassifyFn, FloatType),
    /// `fesetround(direction)`: from now on floating-point arithmetic rounds like that. The result is 0, or 1 for what
    /// is no direction. Directions have the numbers of x86: 0 to nearest, 0x400 down, 0x800 up, 0xc00 towards zero.
    SetRounding,
    /// `fegetround()`.
    GetRounding,
    /// What starts and coordinates threads. Whoever has no notion of threads must not look at a program with such calls.
    Thread(ThreadOp),
    /// Whether there is memory of the heap of which this is true: a `Bool`. Not a function of C;
    /// [`Checks`](crate::Checks) put it where it matters.
    Leaks(Leak),
}

/// What programs with threads are made of; mutexes, joins and the like are C text over these.
///
/// Threads have numbers, in the order in which they were created; the first one, which runs the entry function, has the
/// number 0. One of them goes on at a time. Another one may go on instead only at [`Yield`](ThreadOp::Yield) and
/// [`Block`](ThreadOp::Block), and where a thread ends; which one is an input of the kind
/// [`InputKind::Schedule`](crate::InputKind::Schedule).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ThreadOp {
    /// `void yield(void)`: another thread may go on. Stands before every access to memory that others may reach.
    Yield,
    /// `void atomic_begin(void)`: no other thread goes on from here on.
    AtomicBegin,
    /// `void atomic_end(void)`: the innermost part that has begun so ends.
    AtomicEnd,
    /// `_Bool block(void)`: this thread waits; it goes on here when others have done something, to look once more
    /// whether it can. Stands in a part that [`AtomicBegin`](ThreadOp::AtomicBegin) began, before anything is written
    /// there; the part ends, and begins again. Where no thread can go on any more, the run ends; if somebody looks at
    /// the result it goes on here, with 1. All other times the result is 0.
    Block,
    /// `void may_wait(void)`: a real thread may wait here until others wake it up; this one goes on, as if it had been.
    MayWait,
    /// `int spawn(void (*body)(void *, void *), void *, void *)`: a new thread, that runs this function on these
    /// arguments. Gives its number.
    Spawn,
    /// `int current(void)`: the number of this thread.
    Current,
    /// `void end(void *result)`: this thread ends, with everything that is local in it. The run ends with the last thread.
    End,
    /// `int is_done(int thread)`: whether a thread has ended.
    IsDone,
    /// `void *result(int thread)`: with what it ended.
    Result,
    /// `_Bool races(void *first, uint64_t size)`: these bytes are accessed next. Whether another thread has accessed
    /// one of them, too, so that the two are a data race: one of them writes, one of them is not in a part without
    /// switches, and neither happens before the other. Not a function of C; [`Checks`](crate::Checks) put it before
    /// accesses.
    Races {
        /// Whether they are written.
        write: bool,
    },
}

/// What threads can do to each other.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum ThreadFault {
    /// Two threads access the same memory, one writes, one is not atomic, and nothing says which comes first.
    Race,
    /// Every thread that has not ended waits for another one.
    Deadlock,
}

impl ThreadFault {
    /// What is wrong, in a few words.
    pub fn describe(self) -> &'static str {
        match self {
            ThreadFault::Race => "data race",
            ThreadFault::Deadlock => "deadlock: every thread waits",
        }
    }
}

/// What may be wrong with memory of the heap that was not freed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub enum Leak {
    /// No pointer leads to it any more: none of a variable in scope, and none in an object that such a pointer leads to.
    Lost,
    /// The program ends, and it is still there.
    Unfreed,
}

impl Leak {
    /// What is wrong, in a few words.
    pub fn describe(self) -> &'static str {
        match self {
            Leak::Lost => "memory leak: no pointer to it is left",
            Leak::Unfreed => "memory that is not freed at the end",
        }
    }
}

/// Functions from a float to a float that IEEE 754 defines exactly.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MathFn {
    /// Absolute value.
    Fabs,
    /// Square root, correctly rounded.
    Sqrt,
    /// Greatest integer that is not greater.
    Floor,
    /// Least integer that is not less.
    Ceil,
    /// Truncation towards zero.
    Trunc,
    /// Nearest integer, halves away from zero.
    Round,
    /// An integer next to it, in the direction of rounding (`rint`, `nearbyint`).
    Rint,
}

/// Functions of two floats that IEEE 754 and C define exactly.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Math2Fn {
    /// The lesser; a NaN loses.
    Fmin,
    /// The greater; a NaN loses.
    Fmax,
    /// Remainder of truncated division, exact.
    Fmod,
    /// The first with the sign of the second.
    Copysign,
}

/// Questions about a float.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum ClassifyFn {
    /// 1 for NaN.
    IsNan,
    /// 1 for +infinity, -1 for -infinity (as `__builtin_isinf_sign`).
    IsInf,
    /// 1 for a finite number.
    IsFinite,
    /// 1 for a normal number.
    IsNormal,
    /// 1 for a set sign bit.
    SignBit,
    /// `FP_NAN` 0, `FP_INFINITE` 1, `FP_ZERO` 2, `FP_SUBNORMAL` 3, `FP_NORMAL` 4.
    FpClassify,
}
