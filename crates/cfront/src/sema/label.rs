//! Labels.

use std::sync::Arc;

use rhumb_program::Span;

use super::Sema;
use super::jump::Inside;
use crate::ast::Quals;
use crate::ctypes::{ArrayLen, CType, QualType};
use crate::diagnostic::Diagnostic;
use crate::hir::{ExprId, ExprKind, GlobalId, Label, LabelId};
use crate::intern::Symbol;

/// What is known about a label.
#[derive(Debug)]
pub(super) struct LabelState {
    /// Where it stands.
    pub(super) defined: Option<Span>,
    /// Where it is first mentioned.
    pub(super) used: Span,
    /// What a jump to it has to be inside of, once it is defined.
    pub(super) inside: Option<Inside>,
}

impl Sema<'_> {
    /// The label of that name, made if it is mentioned for the first time.
    pub(super) fn label_used(&mut self, name: Symbol, span: Span) -> LabelId {
        if let Some(entry) = self.unit.scopes.local_labels.get(name) {
            return entry.value;
        }
        if let Some(&label) = self.unit.body.label_names.get(&name) {
            return label;
        }
        let label = self.new_label(name, span);
        self.unit.body.label_names.insert(name, label);
        label
    }

    fn new_label(&mut self, name: Symbol, span: Span) -> LabelId {
        let text = self.names.name(name).clone();
        self.unit.body.label_states.push(LabelState {
            defined: None,
            used: span,
            inside: None,
        });
        self.unit.body.labels.push(Label {
            name: text,
            address: None,
            barred: Vec::new(),
            span,
        })
    }

    /// `&&name`: the address of a hidden object that stands for the label.
    pub(super) fn label_address(&mut self, name: Symbol, span: Span) -> ExprId {
        let label = self.label_used(name, span);
        let code = QualType {
            ty: self.unit.types.basic.char,
            quals: Quals {
                is_const: true,
                ..Quals::default()
            },
        };
        let ty = self
            .unit
            .types
            .intern(CType::Array(code, ArrayLen::Known(1)));
        let global = match self.unit.body.labels[label].address {
            Some(global) => global,
            None => {
                let global = self.new_global(Arc::from(""), QualType::plain(ty), span);
                self.unit.globals[global].init = Some(Vec::new());
                self.unit.globals[global].addr_taken = true;
                self.unit.global_states[global].label = true;
                self.unit.body.labels[label].address = Some(global);
                global
            }
        };
        let place = self.push(ExprKind::Global(global), ty, span);
        let pointer = self.unit.types.basic.void_ptr;
        self.push(ExprKind::AddrOf(place), pointer, span)
    }

    /// Whether an object stands for a label.
    pub(super) fn is_label(&self, global: GlobalId) -> bool {
        self.unit.global_states[global].label
    }

    /// `__label__ name;`: a label that only the enclosing block knows.
    pub(super) fn local_label(&mut self, name: Symbol, span: Span) {
        let label = self.new_label(name, span);
        self.unit.scopes.local_labels.declare(name, label, span);
    }

    /// `name:`.
    pub(super) fn label_defined(&mut self, name: Symbol, span: Span) -> LabelId {
        let label = self.label_used(name, span);
        let inside = self.unit.body.jumps.here();
        let state = &mut self.unit.body.label_states[label];
        state.inside = Some(inside);
        if let Some(previous) = state.defined.replace(span) {
            let message = format!("label `{}` is defined twice", self.names.name(name));
            self.diags.push(
                Diagnostic::error(span, message).with_note(previous, "previous definition is here"),
            );
        }
        self.unit.body.labels[label].span = span;
        label
    }
}
