//! Verifiers: how they are called, and how their answers are read. Ours is one of them.

mod catalogue;
mod patterns;
mod statistics;
mod template;

pub use catalogue::{names as shipped_names, patterns_for};
pub use patterns::{Answer, Output, PatternError, Patterns};
pub use statistics::Statistics;
pub use template::{Template, TemplateError, Values};

/// A verifier under test.
#[derive(Clone, Debug)]
pub struct Tool {
    /// What it is called in the results.
    pub name: String,
    /// How it is called.
    pub command: Template,
    /// How its answer is read.
    pub patterns: Patterns,
    /// What `--version` said, for tools where that was asked.
    pub version: Option<String>,
}

/// Names of tools become names of folders, and columns of tables.
pub fn is_valid_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._+-".contains(c);
    name.starts_with(|c: char| c.is_ascii_alphanumeric()) && name.chars().all(allowed)
}
