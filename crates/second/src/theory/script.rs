//! Scripts in SMT-LIB.

use std::fmt::Write;

use super::Question;
use crate::pool::Id;

/// A text that grows: each definition names what earlier ones name.
#[derive(Default)]
pub(super) struct Script {
    text: String,
    count: usize,
    symbols: Vec<(Id, String)>,
}

impl Script {
    /// Something of which nothing is known but its sort.
    pub(super) fn declare(&mut self, sort: &str) -> String {
        let name = self.name('s');
        let _ = writeln!(self.text, "(declare-fun {name} () {sort})");
        name
    }

    /// A name for a term.
    pub(super) fn define(&mut self, sort: &str, term: &str) -> String {
        let name = self.name('t');
        let _ = writeln!(self.text, "(define-fun {name} () {sort} {term})");
        name
    }

    pub(super) fn assert(&mut self, formula: &str) {
        let _ = writeln!(self.text, "(assert {formula})");
    }

    fn name(&mut self, letter: char) -> String {
        self.count += 1;
        format!("{letter}{}", self.count)
    }

    /// The name of a symbol of the question.
    pub(super) fn known_as(&mut self, symbol: Id, name: &str) {
        self.symbols.push((symbol, name.to_owned()));
    }

    /// The whole question.
    pub(super) fn finish(self, logic: &str) -> Question {
        Question {
            text: format!("(set-logic {logic})\n{}(check-sat)\n", self.text),
            names: self.symbols,
        }
    }
}

/// An operator and its arguments.
pub(super) fn list<S: AsRef<str>>(operator: &str, args: impl IntoIterator<Item = S>) -> String {
    let mut text = format!("({operator}");
    for arg in args {
        text.push(' ');
        text.push_str(arg.as_ref());
    }
    text.push(')');
    text
}
