//! Where jumps may not lead: into a statement expression, or past the declaration of a type of variable size.
//!
//! What a jump must not enter is a tree of barriers; at each place of the text one of them is the innermost. A jump is fine if it only
//! leaves barriers, that is if the innermost barrier around its target is also around the jump.

use rhumb_program::Span;

use super::Sema;
use crate::hir::LabelId;

/// Something that a jump must not enter.
#[derive(Clone, Copy, Debug)]
pub(super) enum Barrier {
    StatementExpr,
    VariableSize,
}

/// The innermost barrier at a place.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Inside(Option<u32>);

/// The barriers of a function, and its jumps.
#[derive(Debug, Default)]
pub(super) struct Jumps {
    /// Each with the one around it.
    barriers: Vec<(Barrier, Inside)>,
    here: Inside,
    /// Jumps to labels: which, from where.
    gotos: Vec<(LabelId, Inside, Span)>,
    /// From where computed jumps start.
    computed: Vec<Inside>,
}

impl Jumps {
    /// The innermost barrier around what is being read.
    pub(super) fn here(&self) -> Inside {
        self.here
    }

    /// What follows lies behind one more barrier.
    pub(super) fn enter(&mut self, barrier: Barrier) {
        self.barriers.push((barrier, self.here));
        self.here = Inside(Some(self.barriers.len() as u32 - 1));
    }

    /// A scope ends, and with it the barriers inside.
    pub(super) fn leave_to(&mut self, outside: Inside) {
        self.here = outside;
    }

    /// Notes a `goto`.
    pub(super) fn goto(&mut self, label: LabelId, span: Span) {
        self.gotos.push((label, self.here, span));
    }

    /// Notes a computed jump; gives its number, which it shares with those that start behind the same barriers.
    pub(super) fn computed_goto(&mut self) -> u32 {
        let here = self.here;
        let known = self.computed.iter().position(|&from| from == here);
        let number = known.unwrap_or_else(|| {
            self.computed.push(here);
            self.computed.len() - 1
        });
        number as u32
    }

    /// The barrier that a jump enters, if it enters one.
    pub(super) fn entered(&self, from: Inside, to: Inside) -> Option<Barrier> {
        let mut around = from;
        while around != to {
            match around.0 {
                Some(index) => around = self.barriers[index as usize].1,
                None => return to.0.map(|index| self.barriers[index as usize].0),
            }
        }
        None
    }
}

impl Sema<'_> {
    /// Reports jumps to labels that lie behind a barrier. Computed ones only must not happen.
    pub(super) fn check_jumps(&mut self) {
        let jumps = std::mem::take(&mut self.unit.body.jumps);
        for &(label, from, span) in &jumps.gotos {
            let Some(to) = self.unit.body.label_states[label].inside else {
                continue;
            };
            if let Some(barrier) = jumps.entered(from, to) {
                self.bad_jump("`goto`", barrier, span);
            }
        }
        let body = &mut self.unit.body;
        for (label, state) in body.labels.iter_mut().zip(&body.label_states) {
            if let (Some(_), Some(to)) = (label.address, state.inside) {
                let starts = (0..).zip(&jumps.computed);
                let barred = starts.filter(|&(_, &from)| jumps.entered(from, to).is_some());
                label.barred = barred.map(|(number, _)| number).collect();
            }
        }
    }

    /// Reports a jump into something that it must not enter.
    pub(super) fn bad_jump(&mut self, what: &str, barrier: Barrier, span: Span) {
        let into = match barrier {
            Barrier::StatementExpr => "into a statement expression",
            Barrier::VariableSize => "past the declaration of a type of variable size",
        };
        self.error(span, format!("{what} jumps {into}"));
    }
}
