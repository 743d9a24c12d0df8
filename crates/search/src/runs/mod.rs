//! Concrete runs: what they did, their inputs, and what the interpreter makes of these.

mod blind;
mod decode;
mod few;
mod replay;
mod trace;

pub(crate) use blind::{errors, stumble, stumbles, wander};
pub(crate) use decode::Decoder;
pub(crate) use few::choose;
pub(crate) use replay::{Replayed, replay, replay_within};
pub(crate) use trace::{End, Jump, Taken, Times, Trace, of_number, to_number};
