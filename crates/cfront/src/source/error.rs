//! What can go wrong before there is a text to parse.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// An input that can't be used.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There is no such file.
    #[error("{}: no such file", .0.display())]
    Missing(PathBuf),
    /// It is a directory.
    #[error("{}: is a directory", .0.display())]
    Directory(PathBuf),
    /// It is neither a file nor a pipe.
    #[error("{}: not a regular file", .0.display())]
    NotAFile(PathBuf),
    /// The system refuses to read it.
    #[error("{}: can't be read: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// It is larger than we take.
    #[error("{}: too large: more than {limit} bytes", path.display())]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// The largest size.
        limit: u64,
    },
    /// The file has preprocessor directives, and there is no C compiler to deal with them.
    #[error(
        "{file}: has preprocessor directives, and no C compiler was found (tried {}); \
         install one, set CC, or give a preprocessed file",
        tried.join(", ")
    )]
    NoCompiler {
        /// The file.
        file: String,
        /// The commands that were tried.
        tried: Vec<String>,
    },
    /// The C compiler failed without naming a place.
    #[error("{file}: preprocessing failed: {detail}")]
    CompilerFailed {
        /// The file.
        file: String,
        /// What it said, or what we did to it.
        detail: String,
    },
    /// It was read as a task definition and is something else.
    #[error("{0}")]
    NotATask(FileMessage),
    /// Something is wrong at certain places; at least one.
    #[error("{}", display_all(.0))]
    Located(Vec<FileMessage>),
}

fn display_all(messages: &[FileMessage]) -> String {
    let lines: Vec<String> = messages.iter().map(FileMessage::to_string).collect();
    lines.join("\n")
}

/// An error at a place in a file that is not the text of a program being parsed: what the preprocessor says about an `#include`,
/// what is wrong with a task file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FileMessage {
    /// Name of the file.
    pub file: String,
    /// Line, from 1; 0 if only the file is known.
    pub line: u32,
    /// Column in bytes, from 1; 0 if only the line is known.
    pub column: u32,
    /// One sentence without a full stop.
    pub message: String,
    /// A few words under the caret; may be empty.
    pub label: String,
}

impl FileMessage {
    /// A message without a label.
    pub fn new(
        file: impl Into<String>,
        line: u32,
        column: u32,
        message: impl Into<String>,
    ) -> FileMessage {
        FileMessage {
            file: file.into(),
            line,
            column,
            message: message.into(),
            label: String::new(),
        }
    }

    /// Adds words under the caret.
    pub fn with_label(mut self, label: impl Into<String>) -> FileMessage {
        self.label = label.into();
        self
    }
}

impl fmt::Display for FileMessage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", self.file)?;
        for number in [self.line, self.column] {
            if number > 0 {
                write!(f, "{number}:")?;
            }
        }
        write!(f, " {}", self.message)
    }
}

impl From<FileMessage> for LoadError {
    fn from(message: FileMessage) -> LoadError {
        LoadError::Located(vec![message])
    }
}
