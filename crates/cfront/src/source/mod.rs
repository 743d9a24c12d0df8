//! From a file to the text that is parsed, with the map back to the user's files.
//!
//! A preprocessed file (`.i`) and a file without preprocessor directives are taken as they are. Everything else goes through `cc -E`, and
//! the line markers that it writes lead back to the lines that the user wrote.

mod command;
mod error;
mod preprocess;
mod read;

#[cfg(test)]
mod tests;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rhumb_program::{DataModel, SourceMap};

use crate::diagnostic::Diagnostics;
use crate::intern::Interner;
use crate::lex::directive::{self, Directive};
use crate::lex::{Lexer, TokenKind, utf8_char};
pub use error::{FileMessage, LoadError};
pub(crate) use read::read_file;

/// Positions in the text are 32 bits wide.
const MAX_TEXT: u64 = u32::MAX as u64 - 1;

/// How a C file is read.
#[derive(Clone, Debug)]
pub struct LoadOptions {
    /// Decides what the preprocessor says about the sizes of types.
    pub data_model: DataModel,
    /// Further arguments for the preprocessor: `-I`, `-D` and what else it knows.
    pub arguments: Vec<String>,
    /// The C compiler whose preprocessor is used, possibly with arguments. By default the one that the environment variable `CC` names,
    /// or else `cc`, `gcc` or `clang`.
    pub compiler: Option<String>,
    /// How long the preprocessor may run.
    pub preprocess_time: Duration,
    /// How much text the preprocessor may produce, in bytes.
    pub preprocess_size: u64,
}

impl Default for LoadOptions {
    fn default() -> LoadOptions {
        LoadOptions {
            data_model: DataModel::default(),
            arguments: Vec::new(),
            compiler: None,
            preprocess_time: Duration::from_secs(60),
            preprocess_size: 1 << 30,
        }
    }
}

/// A text to be parsed.
#[derive(Clone, Debug)]
pub struct Source {
    /// The text, and where its parts come from.
    pub map: SourceMap,
    /// Whether the text is what the preprocessor made of the file.
    pub preprocessed: bool,
}

/// Reads a C file, preprocessing it if it needs that.
pub fn load(path: &Path, options: &LoadOptions) -> Result<Source, LoadError> {
    let text = read_file(path, MAX_TEXT)?;
    let name = path.to_string_lossy();
    let as_it_is = path.extension().is_some_and(|extension| extension == "i");
    load_from(&name, text, Some(path), as_it_is, options)
}

/// Takes a text as if it had been read from a file of that name.
pub fn load_text(name: &str, text: Vec<u8>, options: &LoadOptions) -> Result<Source, LoadError> {
    if text.len() as u64 > MAX_TEXT {
        return Err(LoadError::TooLarge {
            path: name.into(),
            limit: MAX_TEXT,
        });
    }
    load_from(name, text, None, name.ends_with(".i"), options)
}

fn load_from(
    name: &str,
    text: Vec<u8>,
    path: Option<&Path>,
    as_it_is: bool,
    options: &LoadOptions,
) -> Result<Source, LoadError> {
    refuse_binary(name, &text)?;
    let preprocessed = !as_it_is && needs_preprocessor(&text, options);
    let text = if preprocessed {
        preprocess::preprocess(name, text, path, options)?
    } else {
        text
    };
    if has_no_tokens(&text) {
        let message = FileMessage::new(name, 1, 1, "the file is empty: there is no C in it");
        return Err(message.into());
    }
    Ok(Source {
        map: map_lines(name, text),
        preprocessed,
    })
}

/// The map of a text, with its line markers.
fn map_lines(name: &str, text: Vec<u8>) -> SourceMap {
    let text: Arc<[u8]> = text.into();
    let mut map = SourceMap::new(name, text.clone());
    let mut current = name.to_owned();
    directive::for_each(&text, |start, end, directive| {
        if let Directive::Line { line, file } = directive {
            if let Some(file) = file {
                current = file;
            }
            // A directive may be continued over several lines: it counts from its last one.
            let last = if end > start { end - 1 } else { start };
            map.add_marker(last as u32, line, &current);
        }
    });
    map
}

/// Whether there is something in the text that only a preprocessor understands.
fn needs_preprocessor(text: &[u8], options: &LoadOptions) -> bool {
    if !options.arguments.is_empty() {
        return true;
    }
    let mut found = false;
    directive::for_each(text, |_, _, directive| {
        found |= matches!(directive, Directive::Other(_));
    });
    found || has_predefined_macro(text)
}

/// Macros that compilers predefine and whose names don't look like it.
const OTHER_MACROS: &[&[u8]] = &[
    b"_ILP32",
    b"_LP64",
    b"_STDC_PREDEF_H",
    b"__amd64",
    b"__code_model_32__",
    b"__code_model_small__",
    b"__gnu_linux__",
    b"__i386",
    b"__i386__",
    b"__i686",
    b"__i686__",
    b"__k8",
    b"__k8__",
    b"__linux",
    b"__linux__",
    b"__pentiumpro",
    b"__pentiumpro__",
    b"__pic__",
    b"__pie__",
    b"__unix",
    b"__unix__",
    b"__x86_64",
    b"__x86_64__",
    b"__amd64__",
];

/// Whether a name of the form `__UPPER_CASE` is in the text: those are macros that compilers predefine (`__LINE__`, `__INT_MAX__`,
/// `__ATOMIC_SEQ_CST`), except
/// for two that are part of the language. A name in a comment counts, too: preprocessing for nothing does no harm.
fn has_predefined_macro(text: &[u8]) -> bool {
    let mut pos = 0;
    while let Some(found) = text[pos..].iter().position(|&byte| byte == b'_') {
        let start = pos + found;
        let len = text[start..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        let inside = start > 0 && text[start - 1].is_ascii_alphanumeric();
        let name = &text[start..start + len];
        let is_upper = |name: &[u8]| {
            name.iter().any(u8::is_ascii_uppercase) && !name.iter().any(u8::is_ascii_lowercase)
        };
        if !inside && OTHER_MACROS.contains(&name) {
            return true;
        }
        if !inside
            && name.starts_with(b"__")
            && is_upper(name)
            && name != b"__FUNCTION__"
            && name != b"__PRETTY_FUNCTION__"
        {
            return true;
        }
        pos = start + len;
    }
    false
}

/// Whether the text holds comments, blanks and directives only.
fn has_no_tokens(text: &[u8]) -> bool {
    let mut interner = Interner::default();
    let mut diagnostics = Diagnostics::default();
    let first = Lexer::new(text, &mut interner).next(&mut interner, &mut diagnostics);
    first.kind == TokenKind::Eof && !diagnostics.has_errors()
}

/// Refuses what is no text: single odd bytes are reported where they stand, but a file full of them is something else.
fn refuse_binary(name: &str, text: &[u8]) -> Result<(), LoadError> {
    const LOOKED_AT: usize = 4096;
    let head = &text[..text.len().min(LOOKED_AT)];
    let message = if head.starts_with(b"\xff\xfe") || head.starts_with(b"\xfe\xff") {
        "the file is UTF-16 text: convert it to UTF-8"
    } else {
        let mut odd = 0;
        let mut pos = 0;
        while pos < head.len() {
            let byte = head[pos];
            let control = byte < 7 || (14..32).contains(&byte) || byte == 127;
            let len = match utf8_char(text, pos) {
                Some(character) if !control => character.len_utf8(),
                _ => {
                    odd += 1;
                    1
                }
            };
            pos += len;
        }
        // Text in an 8-bit encoding has some, in comments; noise has every second or third.
        if odd < 16 || odd * 5 < head.len() {
            return Ok(());
        }
        "the file is not text"
    };
    let first = head
        .iter()
        .position(|byte| !byte.is_ascii_graphic() && !byte.is_ascii_whitespace())
        .unwrap_or(0);
    let line_start = head[..first]
        .iter()
        .rposition(|&byte| byte == b'\n')
        .map_or(0, |at| at + 1);
    let line = 1 + head[..first].iter().filter(|&&byte| byte == b'\n').count();
    Err(
        FileMessage::new(name, line as u32, (first - line_start + 1) as u32, message)
            .with_label("not part of any C text")
            .into(),
    )
}
