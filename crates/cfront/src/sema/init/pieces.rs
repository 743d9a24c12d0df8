//! The pieces of an initialiser that have been set so far.

use std::collections::BTreeMap;

use rhumb_program::Access;
use rustc_hash::FxHashMap;

use crate::ctypes::RecordId;
use crate::hir::{ConstValue, ExprId, LocalId};

/// A part of an object with its first value.
#[derive(Debug)]
pub(in crate::sema) struct Piece {
    pub(in crate::sema) offset: u64,
    /// First bit, counted from the start of the object, and one past the last.
    pub(super) bits: (u128, u128),
    /// When it was set: its number among the pieces. What is left of a string keeps the string's.
    pub(super) order: usize,
    pub(in crate::sema) value: PieceValue,
}

#[derive(Clone, Debug)]
pub(in crate::sema) enum PieceValue {
    /// A scalar; in a static initialiser it is evaluated at once.
    Scalar(Access, ExprId),
    Constant(Access, ConstValue),
    Bytes(Box<[u8]>),
    Record(ExprId),
    /// The value of a hidden local, which an effect before it sets; without an access it is a record.
    Kept(LocalId, Option<Access>),
    /// Sets nothing, and is evaluated when its turn comes.
    Effect(ExprId),
}

/// An initialiser in the making.
#[derive(Debug, Default)]
pub(in crate::sema) struct Builder {
    /// Whether the object has static storage, so that values must be constant.
    pub(in crate::sema) is_static: bool,
    /// What is set; `None` for what was overridden later.
    pub(in crate::sema) pieces: Vec<Option<Piece>>,
    /// End of the last piece in order of bits.
    end: u128,
    /// Pieces by their first bit: only once one was set out of order.
    by_start: Option<BTreeMap<u128, usize>>,
    /// The member that is set in each union.
    active: FxHashMap<(u64, RecordId), u64>,
    /// What happened beside the setting of pieces since the outermost range that is being read began.
    log: Vec<Event>,
    open_ranges: u32,
    /// Something that we don't handle.
    pub(in crate::sema) unsupported: Option<String>,
    /// Whether an error was reported.
    pub(in crate::sema) failed: bool,
}

/// Something that an initialiser for a range of elements does in each of them.
#[derive(Clone, Copy, Debug)]
pub(super) enum Event {
    /// Forgets what was set between two bits.
    Clear(u128, u128),
    /// Selects a member of the union at this offset.
    Select {
        offset: u64,
        union: RecordId,
        size: u64,
        member: u64,
    },
}

impl Event {
    pub(super) fn moved(self, distance: u64) -> Event {
        match self {
            Event::Clear(start, end) => Event::Clear(start + bits(distance), end + bits(distance)),
            Event::Select {
                offset,
                union,
                size,
                member,
            } => Event::Select {
                offset: offset + distance,
                union,
                size,
                member,
            },
        }
    }
}

impl Builder {
    /// For an object with static storage.
    pub(in crate::sema) fn for_static() -> Builder {
        Builder {
            is_static: true,
            ..Builder::default()
        }
    }

    /// Sets a piece; what was set there before is forgotten.
    pub(super) fn push(&mut self, offset: u64, bits: (u128, u128), value: PieceValue) {
        let (start, end) = bits;
        if start < self.end {
            self.clear(start, end);
        }
        if let Some(by_start) = &mut self.by_start {
            by_start.insert(start, self.pieces.len());
        }
        self.end = self.end.max(end);
        self.pieces.push(Some(Piece {
            offset,
            bits,
            order: self.pieces.len(),
            value,
        }));
    }

    /// Adds something that is evaluated before the pieces that follow. No later piece overrides it.
    pub(super) fn push_effect(&mut self, value: ExprId) {
        self.pieces.push(Some(Piece {
            offset: 0,
            bits: (0, 0),
            order: self.pieces.len(),
            value: PieceValue::Effect(value),
        }));
    }

    /// Puts an effect in the place of a piece.
    pub(super) fn replace_by_effect(&mut self, index: usize, value: ExprId) {
        let Some(Some(piece)) = self.pieces.get_mut(index) else {
            return;
        };
        if let Some(by_start) = &mut self.by_start {
            by_start.remove(&piece.bits.0);
        }
        piece.bits = (0, 0);
        piece.value = PieceValue::Effect(value);
    }

    /// Begins with an initialiser for a range of elements.
    pub(super) fn open_range(&mut self) {
        self.open_ranges += 1;
    }

    pub(super) fn close_range(&mut self) {
        self.open_ranges -= 1;
        if self.open_ranges == 0 {
            self.log.clear();
        }
    }

    /// Number of events so far, to ask for later ones.
    pub(super) fn event_count(&self) -> usize {
        self.log.len()
    }

    /// What happened since then.
    pub(super) fn events_since(&self, count: usize) -> Vec<Event> {
        self.log[count..].to_vec()
    }

    /// Begins with a part that is initialised as a whole.
    pub(super) fn begin_whole(&mut self, offset: u64, size: u64) {
        let start = bits(offset);
        self.happen(Event::Clear(start, start + bits(size)));
    }

    /// Notes an event if it may have to be repeated, and carries it out.
    pub(super) fn happen(&mut self, event: Event) {
        if self.open_ranges > 0 {
            self.log.push(event);
        }
        match event {
            Event::Clear(start, end) => self.clear(start, end),
            // Setting another member of a union forgets the one that was set before.
            Event::Select {
                offset,
                union,
                size,
                member,
            } => {
                let before = self.active.insert((offset, union), member);
                if before.is_some_and(|before| before != member) {
                    self.clear(bits(offset), bits(offset) + bits(size));
                }
            }
        }
    }

    /// Forgets what was set between two bits.
    fn clear(&mut self, start: u128, end: u128) {
        if start >= self.end {
            return;
        }
        let pieces = &mut self.pieces;
        let by_start = self.by_start.get_or_insert_with(|| {
            let alive = pieces.iter().enumerate();
            alive
                .filter_map(|(index, piece)| {
                    let (start, end) = piece.as_ref()?.bits;
                    (start < end).then_some((start, index))
                })
                .collect()
        });
        // A piece that begins before the range can only be the last one there.
        let first = by_start
            .range(..start)
            .next_back()
            .map_or(start, |(&from, _)| from);
        let overlapping: Vec<(u128, usize)> = by_start
            .range(first..end.max(first))
            .map(|(&from, &index)| (from, index))
            .filter(|&(_, index)| {
                pieces[index]
                    .as_ref()
                    .is_some_and(|piece| piece.bits.1 > start)
            })
            .collect();
        for (from, index) in overlapping {
            by_start.remove(&from);
            let piece = pieces[index].take();
            // Of a string, what lies outside of the range stays.
            let rest = piece.map(|piece| outside(piece, start, end));
            for part in rest.into_iter().flatten().flatten() {
                by_start.insert(part.bits.0, pieces.len());
                pieces.push(Some(part));
            }
        }
    }
}

/// That many bytes in bits. (Those of a large object can't be counted with 64 bits.)
pub(super) fn bits(bytes: u64) -> u128 {
    u128::from(bytes) * 8
}

/// The parts of a piece of bytes before and after a range of bits.
fn outside(piece: Piece, start: u128, end: u128) -> [Option<Piece>; 2] {
    let PieceValue::Bytes(bytes) = &piece.value else {
        return [None, None];
    };
    let part = |from: u128, to: u128| {
        let first = (from - piece.bits.0) as usize / 8;
        let last = (to - piece.bits.0) as usize / 8;
        (from < to).then(|| Piece {
            offset: (from / 8) as u64,
            bits: (from, to),
            order: piece.order,
            value: PieceValue::Bytes(bytes[first..last].into()),
        })
    };
    let (before, after) = (
        start.clamp(piece.bits.0, piece.bits.1),
        end.clamp(piece.bits.0, piece.bits.1),
    );
    [part(piece.bits.0, before), part(after, piece.bits.1)]
}
