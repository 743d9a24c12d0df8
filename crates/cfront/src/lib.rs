//! The C front end: text to [`rhumb_program::Program`].

mod ast;
mod diagnostic;
mod intern;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
