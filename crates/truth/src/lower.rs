//! From a text to a program.

use rhumb_cfront::{Options, compile_text};
use rhumb_program::Program;

/// The program of a text, or why there is none.
pub fn lower(text: &str) -> Result<Program, String> {
    let program = compile_text("program.c", text, &Options::default());
    program.map_err(|error| error.to_string())
}
