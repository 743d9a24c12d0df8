mod declarations;
mod dump;
mod errors;
mod expressions;
mod limits;
mod literals;
mod oracle;
mod random;
mod statements;

use crate::ast::Ast;
use crate::diagnostic::{Diagnostics, Severity};
use crate::intern::Interner;
use crate::parse::Parser;
use dump::Dump;
use rhumb_program::SourceMap;

/// The external declarations of a text in the form of [`Dump`], and the messages.
fn parse(text: &[u8]) -> (Vec<String>, Diagnostics) {
    let mut interner = Interner::default();
    let mut diagnostics = Diagnostics::default();
    let mut parser = Parser::new(text, &mut interner, &mut diagnostics);
    let mut found = Vec::new();
    loop {
        let mut ast = Ast::default();
        let next = parser.next_external(&mut ast, &mut interner, &mut diagnostics);
        let Some(declaration) = next else {
            return (found, diagnostics);
        };
        let dump = Dump {
            ast: &ast,
            names: &interner,
        };
        found.push(dump.external(&declaration));
    }
}

/// The messages of a text as `line:column: message`.
fn messages(text: &str, severity: Severity) -> Vec<String> {
    let (_, diagnostics) = parse(text.as_bytes());
    let map = SourceMap::new("t.c", text.as_bytes().into());
    diagnostics
        .iter()
        .filter(|diagnostic| diagnostic.severity == severity)
        .map(|diagnostic| {
            let position = map.position(diagnostic.span);
            format!(
                "{}:{}: {}",
                position.line, position.column, diagnostic.message
            )
        })
        .collect()
}

/// Checks that a text is accepted without a message and parsed to this.
#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let (found, diagnostics) = parse(text.as_bytes());
    let messages: Vec<_> = diagnostics.iter().collect();
    assert!(messages.is_empty(), "{text}\n{messages:?}");
    assert_eq!(found, expected, "{text}");
}

/// Checks the last declaration of a text.
#[track_caller]
fn check_last(text: &str, expected: &str) {
    let (found, diagnostics) = parse(text.as_bytes());
    let messages: Vec<_> = diagnostics.iter().collect();
    assert!(messages.is_empty(), "{text}\n{messages:?}");
    assert_eq!(found.last().map(String::as_str), Some(expected), "{text}");
}

/// Checks an expression, in a function with a typedef `T` in scope.
#[track_caller]
fn check_expr(text: &str, expected: &str) {
    let whole = format!("typedef int T; void f(void) {{ {text}; }}");
    check_last(&whole, &format!("(fun f: fn() void {{{expected}}})"));
}

/// Checks statements, in a function with a typedef `T` in scope.
#[track_caller]
fn check_stmts(text: &str, expected: &str) {
    let whole = format!("typedef int T; void f(void) {{ {text} }}");
    check_last(&whole, &format!("(fun f: fn() void {{{expected}}})"));
}
