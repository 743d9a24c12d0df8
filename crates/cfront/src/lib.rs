//! The C front end: text to [`rhumb_program::Program`].

mod ast;
mod ctypes;
mod diagnostic;
mod hir;
mod intern;
mod sema;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
