//! What is assumed about floating-point arithmetic where compilers differ.

use rhumb_program::{BinOp, DataModel, ExprId, ExprKind, FloatType, Program, Span, Type};

use super::UnitLowering;
use crate::diagnostic::Diagnostic;

impl UnitLowering<'_> {
    /// `gcc -m32` by itself computes in the registers of the x87 unit, which hold more than the types say. A program that computes with
    /// floats is told that it is not taken like that.
    pub(super) fn say_how_floats_round(&mut self) {
        if self.program.data_model != DataModel::Ilp32 {
            return;
        }
        if let Some(span) = first_computation(&self.program) {
            self.diagnostics.push(
                Diagnostic::warning(
                    span,
                    "the answer assumes that each floating-point operation rounds to its type",
                )
                .with_label("as with `gcc -m32 -msse2 -mfpmath=sse`"),
            );
        }
    }
}

/// The first computation, in the order of the text, that the x87 unit may round in another way.
fn first_computation(program: &Program) -> Option<Span> {
    let edges = program
        .functions
        .iter()
        .flat_map(|function| &function.cfa.edges);
    edges
        .filter(|edge| {
            let mut found = false;
            edge.action
                .for_each_expr(|expr| found |= computes(program, expr));
            found
        })
        .map(|edge| edge.span)
        .min_by_key(|span| span.lo)
}

fn computes(program: &Program, expr: ExprId) -> bool {
    let exprs = &program.exprs;
    let narrow = Type::Float(FloatType::F32);
    let is_inexact = match exprs[expr].kind {
        ExprKind::Binary(BinOp::Add | BinOp::Sub | BinOp::Mul | BinOp::Div, ..) => {
            matches!(exprs.ty(expr), Type::Float(FloatType::F32 | FloatType::F64))
        }
        ExprKind::Cast(arg) => matches!(exprs.ty(arg), Type::Float(_)) && exprs.ty(expr) == narrow,
        _ => false,
    };
    is_inexact || exprs.children(expr).any(|child| computes(program, child))
}
