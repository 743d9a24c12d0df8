//! From a text to a program.

use rhumb_cfront::{LoadOptions, Options, Severity, compile, load_text};
use rhumb_program::Program;

/// The program of a text, or why there is none.
pub fn lower(text: &str) -> Result<Program, String> {
    let bytes = text.as_bytes().to_vec();
    let source = load_text("program.c", bytes, &LoadOptions::default());
    let source = source.map_err(|error| error.to_string())?;
    let compiled = compile(source.map, &Options::default());
    let errors = compiled.diagnostics.iter();
    let mut errors = errors.filter(|diagnostic| diagnostic.severity == Severity::Error);
    compiled.program.ok_or_else(|| {
        errors
            .next()
            .map_or_else(String::new, |error| error.message.clone())
    })
}
