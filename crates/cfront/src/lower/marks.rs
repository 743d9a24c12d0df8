//! What of the text edges stand for, where tests for parts of it are wanted.
//!
//! Marks on edges that are there anyway cost nothing; labels, calls and `default` get an edge of their own. So all of
//! it is left out where nobody asks.

use std::sync::Arc;

use rhumb_program::{Action, Choice, EdgeId, LocId, Mark, Span};

use super::function::FunctionLowering;
use crate::hir::{self, FunctionId};
use crate::options::TargetSpec;

impl FunctionLowering<'_, '_> {
    fn marks(&self) -> bool {
        self.unit.options.targets == TargetSpec::Goals
    }

    fn mark(&mut self, edge: EdgeId) -> &mut Mark {
        self.cfa.edges[edge].mark.get_or_insert_default()
    }

    /// Evaluates a decision of the text and goes to one of two different locations.
    pub(super) fn decide(&mut self, cond: hir::ExprId, on_true: LocId, on_false: LocId) {
        let first = self.cfa.edges.len();
        let span = self.body.exprs[cond].span;
        let around = self.decision.replace(span);
        self.branch(cond, on_true, on_false);
        self.decision = around;
        if !self.marks() {
            return;
        }
        for edge in (first..self.cfa.edges.len()).map(EdgeId::from_usize) {
            let Action::Assume { .. } = self.cfa.edges[edge].action else {
                continue;
            };
            let target = self.cfa.edges[edge].target;
            if target == on_true {
                self.mark(edge).decision = Some((span, Choice::True));
            } else if target == on_false {
                self.mark(edge).decision = Some((span, Choice::False));
            }
        }
    }

    /// The last split is one by a condition of the text.
    pub(super) fn mark_condition(&mut self) {
        if self.marks() {
            let end = self.cfa.edges.len();
            for edge in (end - 2..end).map(EdgeId::from_usize) {
                self.mark(edge).condition_of = self.decision;
            }
        }
    }

    /// The last split finds out whether a value is that of a `case`.
    pub(super) fn mark_case(&mut self, hit: LocId, span: Span) {
        if self.marks() {
            let end = self.cfa.edges.len();
            for edge in (end - 2..end).map(EdgeId::from_usize) {
                if self.cfa.edges[edge].target == hit {
                    self.mark(edge).decision = Some((span, Choice::Case));
                }
            }
        }
    }

    /// The value of a `switch` is that of no `case`.
    pub(super) fn mark_default(&mut self, span: Span) {
        let decision = Some((span, Choice::Default));
        self.pass(
            Mark {
                decision,
                ..Mark::default()
            },
            span,
        );
    }

    /// A label is passed.
    pub(super) fn mark_label(&mut self, name: &Arc<str>, span: Span) {
        let label = Some(name.clone());
        self.pass(
            Mark {
                label,
                ..Mark::default()
            },
            span,
        );
    }

    /// `goto`, `break` or `continue`.
    pub(super) fn mark_jump(&mut self, span: Span) {
        let mark = Mark {
            is_jump: true,
            ..Mark::default()
        };
        self.pass(mark, span);
    }

    /// A function is called.
    pub(super) fn mark_call(&mut self, id: FunctionId, span: Span) {
        let call = Some(self.unit.unit.functions[id].name.clone());
        self.pass(
            Mark {
                call,
                ..Mark::default()
            },
            span,
        );
    }

    /// An edge that does nothing and has a mark.
    fn pass(&mut self, mark: Mark, span: Span) {
        if self.marks() && self.is_reachable() {
            self.emit(Action::Skip, span);
            let edge = self.cfa.edges.last_idx();
            *self.mark(edge) = mark;
        }
    }
}
