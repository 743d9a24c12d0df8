//! The C front end: text to [`rhumb_program::Program`].

mod ast;
mod ctypes;
mod diagnostic;
mod hir;
mod intern;
mod lower;
mod options;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use options::{Options, SignedOverflow, TargetSpec};
