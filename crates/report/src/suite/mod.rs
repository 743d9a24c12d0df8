//! Test suites as text: for the competition on testing, as tables, and the source text with what is covered.

mod harness;
mod inputs;
mod lines;
mod table;
mod test_comp;

pub use harness::{makefile, test_harness};
pub use inputs::{Given, in_order};
pub use lines::{page, text};
pub use table::{goals_table, tests_table};
pub use test_comp::{SuiteAbout, metadata, test_case};

/// A goal and what is known of it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Row {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
    /// What the goal is, in words.
    pub what: String,
    /// What is known of it.
    pub state: GoalState,
}

/// What is known of a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum GoalState {
    /// These tests cover it, by their numbers from 1.
    Covered(Vec<usize>),
    /// A certified proof says that no run does.
    Unreachable,
    /// Nothing is known, for this reason.
    Open(String),
}

impl GoalState {
    /// In a word.
    pub fn word(&self) -> &'static str {
        match self {
            GoalState::Covered(_) => "covered",
            GoalState::Unreachable => "unreachable",
            GoalState::Open(_) => "open",
        }
    }
}

/// Text in markup, XML or HTML. What XML has no place for becomes a question mark.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\t' | '\n' => escaped.push(letter),
            letter if letter.is_control() || matches!(letter, '\u{fffe}' | '\u{ffff}') => {
                escaped.push('?');
            }
            letter => escaped.push(letter),
        }
    }
    escaped
}
