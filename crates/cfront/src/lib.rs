//! The C front end: text to [`rhumb_program::Program`].

mod ast;
mod compile;
mod ctypes;
mod diagnostic;
mod hir;
mod intern;
mod lex;
mod library_table;
mod lower;
mod models;
mod options;
mod parse;
mod project;
mod property;
mod render;
mod sema;
mod source;
mod taskfile;
mod tokens;

pub use compile::{
    Compiled, SourceFile, TextError, compile, compile_file, compile_files, compile_text,
};
pub use diagnostic::{Diagnostic, Diagnostics, Severity};
pub use library_table::library_table;
pub use options::{Options, SignedOverflow, TargetSpec, UndefinedFunction, UndefinedFunctions};
pub use parse::check_syntax;
pub use project::{CompileCommand, DATABASE, Project, load_project};
pub use property::{Property, PropertyKind, load_property, parse_property};
pub use render::{MessageRenderer, render_load_error};
pub use sema::closest;
pub use source::{FileMessage, LoadError, LoadOptions, Source, load, load_text};
pub use taskfile::{FileNames, TaskFile, TaskProperty, load_task, parse_task};
pub use tokens::{PlainKind, PlainToken, Tokens};
