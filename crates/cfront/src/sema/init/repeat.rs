//! Ranges of designators: `[first ... last] = value`.

use rhumb_program::{Access, Span};

use super::Sema;
use super::pieces::{Builder, PieceValue};
use crate::hir::{ExprKind, LocalId};

/// More pieces than this (by ranges of designators) and the initialiser counts as unsupported.
const MAX_PIECES: u64 = 1 << 24;

/// `[first ... last]`, at a depth of the path.
pub(super) struct Range {
    pub(super) depth: usize,
    pub(super) last: u64,
    /// Number of indices beside the first.
    pub(super) copies: u64,
    /// Size of an element.
    pub(super) stride: u64,
}

enum Repeated {
    Same(PieceValue),
    Kept(LocalId, Option<Access>),
}

impl Sema<'_> {
    /// Repeats what an item set for the other indices of a range. A value with side effects is evaluated once.
    pub(super) fn repeat(
        &mut self,
        builder: &mut Builder,
        first_piece: usize,
        first_event: usize,
        range: &Range,
    ) {
        let originals: Vec<usize> = (first_piece..builder.pieces.len())
            .filter(|&index| {
                let piece = builder.pieces[index].as_ref();
                piece.is_some_and(|piece| piece.order >= first_piece)
            })
            .collect();
        if range.copies.saturating_mul(originals.len() as u64) > MAX_PIECES {
            builder.unsupported = Some("initializer with that many elements".to_string());
            return;
        }
        let mut kept = Vec::with_capacity(originals.len());
        for &index in &originals {
            let Some(piece) = &mut builder.pieces[index] else {
                continue;
            };
            let (offset, bits) = (piece.offset, piece.bits);
            let value = self.repeatable(&mut piece.value);
            kept.push((offset, bits, value));
        }
        let events = builder.events_since(first_event);
        for copy in 1..=range.copies {
            let distance = copy * range.stride;
            for event in &events {
                builder.happen(event.moved(distance));
            }
            for (offset, bits, value) in &kept {
                let value = match value {
                    Repeated::Same(value) => value.clone(),
                    Repeated::Kept(local, like) => {
                        let span = Span::default();
                        let value = self.kept(*local, span);
                        match like {
                            Some(access) => PieceValue::Scalar(*access, value),
                            None => PieceValue::Record(value),
                        }
                    }
                };
                let bits = (bits.0 + distance * 8, bits.1 + distance * 8);
                builder.push(offset + distance, bits, value);
            }
        }
    }

    /// Makes a value fit for use more than once.
    fn repeatable(&mut self, value: &mut PieceValue) -> Repeated {
        match value {
            PieceValue::Scalar(_, expr) if matches!(self.hir(*expr).kind, ExprKind::Const(_)) => {
                Repeated::Same(value.clone())
            }
            PieceValue::Scalar(access, expr) => {
                let access = *access;
                let (assignment, local) = self.keep(*expr);
                *expr = assignment;
                Repeated::Kept(local, Some(access))
            }
            PieceValue::Record(expr) => {
                let (place, local) = self.keep_in_memory(*expr);
                *expr = self.load(place);
                Repeated::Kept(local, None)
            }
            PieceValue::Constant(..) | PieceValue::Bytes(_) => Repeated::Same(value.clone()),
        }
    }
}
