//! `switch` and its labels.

use std::collections::BTreeMap;

use rhumb_program::{IntType, Span, Type};

use super::Sema;
use super::jump::Inside;
use crate::ast;
use crate::ctypes::TypeId;
use crate::diagnostic::Diagnostic;
use crate::hir::{Stmt, StmtKind};

/// A `switch` whose body is being read.
#[derive(Debug)]
pub(super) struct SwitchState {
    /// The promoted type of its value; `None` after an error.
    ty: Option<TypeId>,
    /// Its labels: last value and place by first value, in the order of the type.
    cases: BTreeMap<u128, (u128, Span)>,
    default: Option<Span>,
    /// What its labels may be inside of.
    inside: Inside,
}

impl Sema<'_> {
    pub(super) fn switch(&mut self, value: ast::ExprId, body: ast::StmtId) -> StmtKind {
        let value = self.rvalue(value);
        let value = if self.is_error(value) {
            value
        } else if self.unit.types.is_integer(self.ty(value)) {
            self.promote(value)
        } else {
            let shown = self.show(self.ty(value));
            self.fail(
                self.span(value),
                format!("`switch` needs an integer, not `{shown}`"),
            )
        };
        let ty = (!self.is_error(value)).then(|| self.ty(value));
        self.unit.body.switches.push(SwitchState {
            ty,
            cases: BTreeMap::new(),
            default: None,
            inside: self.unit.body.jumps.here(),
        });
        self.unit.body.breakable += 1;
        let body = Box::new(self.single(body));
        self.unit.body.breakable -= 1;
        self.unit.body.switches.pop();
        if ty.is_none() {
            return StmtKind::Expr(value);
        }
        StmtKind::Switch { value, body }
    }

    /// `case lo:` or `case lo ... hi:`.
    pub(super) fn case(
        &mut self,
        lo: ast::ExprId,
        hi: Option<ast::ExprId>,
        span: Span,
        out: &mut Vec<Stmt>,
    ) {
        let Some(switch) = self.unit.body.switches.last() else {
            self.error(span, "`case` stands outside of a `switch`");
            return;
        };
        let ty = switch.ty;
        self.check_switch_label(span);
        let first = self.integer_constant(lo, "a case label");
        let last = match hi {
            Some(hi) => self.integer_constant(hi, "a case label"),
            None => first,
        };
        let (Some(first), Some(last), Some(ty)) = (first, last, ty) else {
            return;
        };
        let Some(Type::Int(int)) = self.unit.types.scalar(ty) else {
            return;
        };
        let (lo_bits, hi_bits) = (int.wrap(first as u128), int.wrap(last as u128));
        if in_order(int, lo_bits) > in_order(int, hi_bits) {
            self.warn(span, "the range of the case label is empty");
            return;
        }
        if self.add_case(int, lo_bits, hi_bits, span) {
            out.push(Stmt {
                kind: StmtKind::Case {
                    lo: lo_bits,
                    hi: hi_bits,
                },
                span,
            });
        }
    }

    fn add_case(&mut self, int: IntType, lo: u128, hi: u128, span: Span) -> bool {
        let (lo, hi) = (in_order(int, lo), in_order(int, hi));
        let Some(switch) = self.unit.body.switches.last_mut() else {
            return false;
        };
        let below = switch.cases.range(..=hi).next_back();
        if let Some((_, &(last, previous))) = below
            && last >= lo
        {
            self.diags.push(
                Diagnostic::error(span, "duplicate case value")
                    .with_note(previous, "previously used here"),
            );
            return false;
        }
        switch.cases.insert(lo, (hi, span));
        true
    }

    /// Reports a label that the `switch` must not jump to.
    fn check_switch_label(&mut self, span: Span) {
        let Some(switch) = self.unit.body.switches.last() else {
            return;
        };
        let jumps = &self.unit.body.jumps;
        if let Some(barrier) = jumps.entered(switch.inside, jumps.here()) {
            self.bad_jump("`switch`", barrier, span);
        }
    }

    /// `default:`.
    pub(super) fn default_label(&mut self, span: Span, out: &mut Vec<Stmt>) {
        self.check_switch_label(span);
        let Some(switch) = self.unit.body.switches.last_mut() else {
            self.error(span, "`default` stands outside of a `switch`");
            return;
        };
        match switch.default.replace(span) {
            None => out.push(Stmt {
                kind: StmtKind::Default,
                span,
            }),
            Some(previous) => self.diags.push(
                Diagnostic::error(span, "`switch` has two defaults")
                    .with_note(previous, "the first one is here"),
            ),
        }
    }
}

/// Maps bit patterns so that their unsigned order is the order of the type.
fn in_order(int: IntType, bits: u128) -> u128 {
    if int.signed {
        bits ^ int.min_bits()
    } else {
        bits
    }
}
