//! Tests of the analysis on C text, many of them against gcc.

mod constants;
mod corpus;
mod errors;
mod gcc;
mod initializers;
mod mutations;
mod operators;
mod random;
mod records;
mod tree;
mod validate;

use std::sync::Arc;

use rhumb_program::{DataModel, SourceMap};

use super::Analyzer;
use crate::ast::Ast;
use crate::diagnostic::{Diagnostics, Severity};
use crate::hir::{ConstValue, ExprKind, StaticInit, Stmt, StmtKind, Unit};
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
        let list = self
            .diags
            .iter()
            .filter(|message| message.severity == severity);
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
    for body in unit
        .functions
        .iter()
        .filter_map(|function| function.body.as_ref())
    {
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
            | StmtKind::Switch { body, .. } => unsupported_in(std::slice::from_ref(body), found),
            StmtKind::For(each) => unsupported_in(std::slice::from_ref(&each.body), found),
            _ => {}
        }
    }
}

/// The first contents of a global that holds no addresses.
fn bytes_of(unit: &Unit, name: &str) -> Vec<u8> {
    let found = unit.globals.iter().find(|global| &*global.name == name);
    let global = found.expect("the test defines the global");
    let size = unit
        .types
        .size_of(global.ty.ty)
        .expect("its type is complete") as usize;
    let mut bytes = vec![0; size];
    for piece in global.init.iter().flatten() {
        let (offset, bits, value, width) = match piece {
            StaticInit::Bytes {
                offset,
                bytes: text,
            } => {
                let start = *offset as usize;
                bytes[start..start + text.len()].copy_from_slice(text);
                continue;
            }
            StaticInit::Scalar {
                offset,
                access,
                value,
            } => {
                let ConstValue::Bits(value) = *value else {
                    panic!("an address in a test about bytes");
                };
                let (first, width) = match access.bits {
                    Some(bits) => (usize::from(bits.offset), usize::from(bits.width)),
                    None => (0, access.ty.size(unit.types.model) as usize * 8),
                };
                (*offset as usize, first, value, width)
            }
        };
        for bit in 0..width.min(128) {
            let at = bits + bit;
            let mask = 1 << (at % 8);
            let byte = &mut bytes[offset + at / 8];
            *byte = if value >> bit & 1 == 1 {
                *byte | mask
            } else {
                *byte & !mask
            };
        }
    }
    bytes
}
