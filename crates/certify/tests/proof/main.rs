//! The proof checker on programs of our own.

#![allow(missing_docs)]

mod bounds;
mod constants;
mod contracts;
mod control;
mod execution;
mod exploration;
mod files;
mod floats;
mod hard;
mod joins;
mod mutation;
mod oracle;
mod parts;
mod second;
mod support;
mod tabulation;
mod tasks;
mod terminators;
mod text;
mod traps;
mod written;
