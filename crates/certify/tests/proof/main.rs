//! The proof checker on programs of our own.

#![allow(missing_docs)]

mod hard;
mod mutation;
mod oracle;
mod support;
mod traps;
mod written;
