//! Tests of the analysis on C text, many of them against gcc.

mod corpus;
mod dev;

use std::sync::Arc;

use rhumb_program::{DataModel, SourceMap};

use super::Analyzer;
use crate::ast::Ast;
use crate::diagnostic::{Diagnostics, Severity};
use crate::hir::{ExprKind, Stmt, StmtKind, Unit};
use crate::intern::Interner;
use crate::parse::Parser;

const MODELS: [DataModel; 2] = [DataModel::Ilp32, DataModel::Lp64];

/// The outcome of an analysis.
struct Analysed {
    unit: Unit,
    names: Interner,
    diags: Diagnostics,
    map: SourceMap,
}

impl Analysed {
    /// The messages of a severity as `line:column: message`.
    fn messages(&self, severity: Severity) -> Vec<String> {
        let list = self.diags.iter().filter(|message| message.severity == severity);
        list.map(|message| {
            let position = self.map.position(message.span);
            format!("{}:{}: {}", position.line, position.column, message.message)
        })
        .collect()
    }

    fn errors(&self) -> Vec<String> {
        self.messages(Severity::Error)
    }
}

/// Parses and analyses a text.
fn analyse(text: &[u8], model: DataModel) -> Analysed {
    let mut names = Interner::default();
    let mut diags = Diagnostics::default();
    let mut ast = Ast::default();
    let mut parser = Parser::new(text, &mut names, &mut diags);
    let mut analyzer = Analyzer::new(model, &mut names);
    while let Some(decl) = parser.next_external(&mut ast, &mut names, &mut diags) {
        analyzer.external(&decl, &ast, &mut names, &mut diags);
        ast.exprs.clear();
        ast.stmts.clear();
    }
    let unit = analyzer.finish(&mut diags);
    Analysed {
        unit,
        names,
        diags,
        map: SourceMap::new("test.c", Arc::from(text)),
    }
}

/// The names of everything that the unit marks as not handled.
fn unsupported(unit: &Unit) -> Vec<String> {
    let mut found = Vec::new();
    for body in unit.functions.iter().filter_map(|function| function.body.as_ref()) {
        unsupported_in(&body.block.stmts, &mut found);
        for expr in &body.exprs {
            match &expr.kind {
                ExprKind::Unsupported(what) => found.push(what.clone()),
                ExprKind::StmtExpr { block, .. } => unsupported_in(&block.stmts, &mut found),
                _ => {}
            }
        }
    }
    found
}

fn unsupported_in(stmts: &[Stmt], found: &mut Vec<String>) {
    for stmt in stmts {
        match &stmt.kind {
            StmtKind::Unsupported(what) => found.push(what.clone()),
            StmtKind::Block(block) => unsupported_in(&block.stmts, found),
            StmtKind::Sequence(stmts) => unsupported_in(stmts, found),
            StmtKind::If { arms, otherwise } => {
                for (_, arm) in arms {
                    unsupported_in(std::slice::from_ref(arm), found);
                }
                if let Some(otherwise) = otherwise {
                    unsupported_in(std::slice::from_ref(otherwise), found);
                }
            }
            StmtKind::While { body, .. }
            | StmtKind::DoWhile { body, .. }
            | StmtKind::For { body, .. }
            | StmtKind::Switch { body, .. } => unsupported_in(std::slice::from_ref(body), found),
            _ => {}
        }
    }
}
