//! Labels.

use rhumb_program::Span;

use super::Sema;
use super::jump::Inside;
use crate::diagnostic::Diagnostic;
use crate::hir::{Label, LabelId};
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
        self.unit.body.labels.push(Label { name: text, span })
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
