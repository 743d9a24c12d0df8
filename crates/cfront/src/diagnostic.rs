//! What the front end has to say about a file.

use rhumb_program::Span;

/// How bad it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
pub enum Severity {
    /// Worth knowing.
    Warning,
    /// The file is not valid C.
    Error,
}

/// A message about a place in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// One sentence without a full stop.
    pub message: String,
    /// The place.
    pub span: Span,
    /// A few words under the caret; may be empty.
    pub label: String,
    /// Other places that matter ("previous definition is here").
    pub notes: Vec<(Span, String)>,
}

impl Diagnostic {
    /// An error.
    pub fn error(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Error,
            message: message.into(),
            span,
            label: String::new(),
            notes: Vec::new(),
        }
    }

    /// A warning.
    pub fn warning(span: Span, message: impl Into<String>) -> Diagnostic {
        Diagnostic {
            severity: Severity::Warning,
            ..Diagnostic::error(span, message)
        }
    }

    /// Adds words under the caret.
    pub fn with_label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// Adds another place.
    pub fn with_note(mut self, span: Span, note: impl Into<String>) -> Diagnostic {
        self.notes.push((span, note.into()));
        self
    }
}

/// The messages of one file, in the order in which they were found. After [`Diagnostics::MAX_ERRORS`] errors the front end gives up.
#[derive(Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    errors: usize,
}

impl Diagnostics {
    /// More errors than this help nobody.
    pub const MAX_ERRORS: usize = 20;

    /// Adds a message. Only the first error for a place is kept, since those after it are mostly its consequences; a
    /// warning is not repeated.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        let is_error = diagnostic.severity == Severity::Error;
        if is_error && self.errors >= Self::MAX_ERRORS {
            return;
        }
        if self.list.iter().rev().take(4).any(|known| {
            known.severity == diagnostic.severity
                && known.span.lo == diagnostic.span.lo
                && (is_error || known.message == diagnostic.message)
        }) {
            return;
        }
        self.errors += usize::from(is_error);
        self.list.push(diagnostic);
    }

    /// Whether the file is not valid C.
    pub fn has_errors(&self) -> bool {
        self.errors > 0
    }

    /// Whether it is time to give up.
    pub fn too_many(&self) -> bool {
        self.errors >= Self::MAX_ERRORS
    }

    /// What the first error says; nothing if there is none.
    pub fn first_error(&self) -> &str {
        let mut errors = self.iter().filter(|it| it.severity == Severity::Error);
        errors.next().map_or("", |error| &error.message)
    }

    /// The messages.
    pub fn iter(&self) -> impl Iterator<Item = &Diagnostic> {
        self.list.iter()
    }
}
