//! The C front end: text to [`rhumb_program::Program`].

mod ast;
mod diagnostic;
mod intern;
mod lex;
mod parse;

pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use parse::check_syntax;
