//! Ranges of designators: `[first ... last] = value`.

use super::Sema;
use super::pieces::{Builder, PieceValue, bits};
use crate::hir::ExprKind;

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
        let mut repeated = Vec::with_capacity(originals.len());
        for &index in &originals {
            self.evaluate_once(builder, index);
        }
        // Where a value is evaluated once, the piece that was set for the first index has been replaced by another one.
        for piece in builder.pieces[first_piece..].iter().flatten() {
            if piece.order >= first_piece && !matches!(piece.value, PieceValue::Effect(_)) {
                repeated.push((piece.offset, piece.bits, piece.value.clone()));
            }
        }
        let events = builder.events_since(first_event);
        for copy in 1..=range.copies {
            let distance = copy * range.stride;
            for event in &events {
                builder.happen(event.moved(distance));
            }
            for (offset, (start, end), value) in &repeated {
                let moved = (start + bits(distance), end + bits(distance));
                builder.push(offset + distance, moved, value.clone());
            }
        }
    }

    /// Makes a piece fit for repetition: a value that isn't constant is evaluated into a hidden local. The pieces that read it are then
    /// like any others, and the evaluation stays if a later initialiser overrides some of them.
    fn evaluate_once(&mut self, builder: &mut Builder, index: usize) {
        let Some(piece) = &builder.pieces[index] else {
            return;
        };
        let (offset, range) = (piece.offset, piece.bits);
        let (evaluation, kept) = match piece.value {
            PieceValue::Scalar(access, value)
                if !matches!(self.hir(value).kind, ExprKind::Const(_)) =>
            {
                let (assignment, local) = self.keep(value);
                (assignment, PieceValue::Kept(local, Some(access)))
            }
            PieceValue::Record(value) => {
                let (place, local) = self.keep_in_memory(value);
                (self.load(place), PieceValue::Kept(local, None))
            }
            _ => return,
        };
        builder.replace_by_effect(index, evaluation);
        builder.push(offset, range, kept);
    }
}
