//! The exact interpreter: the judge of every counterexample.
//!
//! [`Machine::compile`] turns the automata of a [`Program`](crate::Program), as the front end lowered them, into
//! register code; [`Machine::run`] executes it on inputs from an [`InputSource`], and an [`Execution`] does so piece by
//! piece. Integers and floats are exact to the bit. Every access to memory is checked against the bounds and the
//! lifetime of the object that its pointer was made from, whether or not a check stands before it. Where C leaves
//! something open that a run depends on (addresses of objects), and where a step is only approximated, the run carries
//! a [`Caveat`] and is no evidence.

mod access;
mod arith;
mod code;
mod compile;
mod decimal;
pub mod eval;
mod execute;
mod executor;
mod extra;
mod float;
mod format;
mod inputs;
mod instr;
mod layout;
mod leaks;
mod machine;
mod math;
mod memory;
mod outcome;
mod pool;
mod printf;
mod races;
mod resume;
mod state;
mod threads;
mod values;

pub use inputs::{
    InputSource, KeyedInputs, ListInputs, Number, RandomInputs, Recorder, Repeated, input_value,
};
pub use machine::{Machine, Observer};
pub use memory::Others;
pub use outcome::{
    CallSite, Caveat, Fault, FaultDetail, ObjectRef, Outcome, Position, Run, RunLimits,
    UnsupportedReason,
};
pub use resume::{Execution, Progress};
pub use state::View;
