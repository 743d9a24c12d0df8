//! The query log: everything that a session was told and asked, as a script in SMT-LIB 2 that any solver can run again.

use std::io::{self, Write};
use std::time::Duration;

use crate::term::{Term, Terms};

use super::Answer;
use super::smtlib::{Writer, line};
use super::statistics::Purpose;

/// Writes down what happens in a session. After the first failure nothing more is written.
pub(super) struct QueryLog {
    out: Box<dyn Write + Send>,
    writer: Writer,
    failure: Option<io::Error>,
}

impl QueryLog {
    pub(super) fn new(out: Box<dyn Write + Send>) -> QueryLog {
        let mut log = QueryLog {
            out,
            writer: Writer::default(),
            failure: None,
        };
        log.write("(set-logic ALL)\n");
        log
    }

    pub(super) fn push(&mut self) {
        self.writer.push();
        self.write("(push 1)\n");
    }

    pub(super) fn pop(&mut self) {
        self.writer.pop();
        self.write("(pop 1)\n");
    }

    pub(super) fn assert(&mut self, terms: &Terms, formula: Term) {
        let mut text = String::new();
        for formula in self.writer.define(terms, &[formula], &mut text) {
            line(&mut text, format_args!("(assert {formula})"));
        }
        self.write(&text);
    }

    /// A query. It is written before it is answered, so that one without an answer can be found, too.
    pub(super) fn query(&mut self, terms: &Terms, assumptions: &[Term], purpose: Purpose) {
        let mut text = format!("; {}\n", purpose.0);
        if assumptions.is_empty() {
            text.push_str("(check-sat)\n");
        } else {
            // Only literals can be assumed.
            let formulas = self.writer.define(terms, assumptions, &mut text);
            text.push_str("(push 1)\n");
            let mut literals = Vec::with_capacity(formulas.len());
            for formula in formulas {
                let literal = self.writer.name("a");
                line(&mut text, format_args!("(declare-fun {literal} () Bool)"));
                line(&mut text, format_args!("(assert (=> {literal} {formula}))"));
                literals.push(literal);
            }
            line(
                &mut text,
                format_args!("(check-sat-assuming ({}))", literals.join(" ")),
            );
            text.push_str("(pop 1)\n");
        }
        self.write(&text);
        self.flush();
    }

    pub(super) fn answer(&mut self, answer: &Answer, time: Duration) {
        let what = match answer {
            Answer::Sat(_) => "sat".into(),
            Answer::Unsat(_) => "unsat".into(),
            Answer::Unknown(reason) => format!("unknown ({reason})"),
        };
        self.write(&format!(
            "; {what} after {:.3} ms\n",
            time.as_secs_f64() * 1e3
        ));
    }

    /// Ends the log. Says what went wrong, if something did.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.flush();
        self.failure.map_or(Ok(()), Err)
    }

    fn write(&mut self, text: &str) {
        if self.failure.is_none() {
            self.failure = self.out.write_all(text.as_bytes()).err();
        }
    }

    fn flush(&mut self) {
        if self.failure.is_none() {
            self.failure = self.out.flush().err();
        }
    }
}
