//! The contents of an object in one of two states that tell runs apart.

use std::collections::BTreeSet;
use std::sync::Arc;

use rhumb_logic::{Int, Terms};

use super::super::value::Value;
use super::{Cell, Content, Contents, Instance, unsigned};
use crate::proof::encode::number::Number;

/// Why two contents can't be one.
pub(in crate::proof::execution) enum Parting {
    /// Bytes from outside have to be looked at first: in the first or the second of the two, from where on, how many.
    Unseen(bool, u64, u64),
    /// They are too different.
    Different,
}

/// Bytes of one number at most.
const WIDEST: u64 = 8;

impl Instance {
    /// Whether an object is the same one in both states, and they say the same of it but for its contents.
    pub(in crate::proof::execution) fn is_like(&self, other: &Instance) -> bool {
        (self.kind, self.is_alive, self.read_only, self.size)
            == (other.kind, other.is_alive, other.read_only, other.size)
            && self.origin == other.origin
    }

    /// Whether both states share its contents.
    pub(in crate::proof::execution) fn has_same_contents(&self, other: &Instance) -> bool {
        Arc::ptr_eq(&self.contents, &other.contents)
    }

    /// The object with contents that are this one's or the other one's: `choose` says what is either of two values
    /// that are so many bytes wide.
    pub(in crate::proof::execution) fn joined(
        &self,
        other: &Instance,
        terms: &Terms,
        mut choose: impl FnMut(&Content, &Content, u64) -> Option<Content>,
    ) -> Result<Instance, Parting> {
        let (a, b) = (&*self.contents, &*other.contents);
        let mut joined = a.clone();
        for (start, end) in a.differences(b) {
            let mut pieces = Vec::new();
            for (first, last) in a.pieces(b, start, end) {
                let size = last - first;
                let (mine, theirs) = (a.content(terms, first, size), b.content(terms, first, size));
                let content = match (&mine, &theirs) {
                    (Content::Fresh(x), Content::Fresh(y)) if x == y => mine,
                    (Content::Fresh(_), _) => {
                        return Err(Parting::Unseen(true, first, size.min(WIDEST)));
                    }
                    (_, Content::Fresh(_)) => {
                        return Err(Parting::Unseen(false, first, size.min(WIDEST)));
                    }
                    _ => choose(&mine, &theirs, size).ok_or(Parting::Different)?,
                };
                pieces.push((first, Cell { size, content }));
            }
            joined.clear(terms, start, end - start);
            joined.cells.extend(pieces);
        }
        Ok(Instance {
            contents: Arc::new(joined),
            ..self.clone()
        })
    }
}

impl Contents {
    /// Ranges outside of which both are the same. No cell of either lies across the border of one.
    fn differences(&self, other: &Contents) -> Vec<(u64, u64)> {
        let mut ranges: Vec<(u64, u64)> = Vec::new();
        for (of, against) in [(self, other), (other, self)] {
            for (&start, cell) in &of.cells {
                let same = against.cells.get(&start);
                if !same.is_some_and(|same| same.is(cell)) {
                    ranges.push((start, start + cell.size));
                }
            }
        }
        let is_covered = |at: u64| {
            let below = |contents: &Contents| {
                let last = contents.cells.range(..=at).next_back();
                last.is_some_and(|(start, cell)| start + cell.size > at)
            };
            below(self) && below(other)
        };
        let mut at = 0;
        while at < self.bytes.len() {
            // Most of two large objects is the same: that is found by comparing slices.
            const STRIDE: usize = 256;
            let end = (at + STRIDE).min(self.bytes.len());
            if self.bytes[at..end] != other.bytes[at..end] {
                for place in at..end {
                    if self.bytes[place] != other.bytes[place] && !is_covered(place as u64) {
                        ranges.push(self.word(other, place as u64));
                    }
                }
            }
            at = end;
        }
        ranges.sort_unstable();
        let mut merged: Vec<(u64, u64)> = Vec::new();
        for (start, end) in ranges {
            match merged.last_mut() {
                Some(last) if start < last.1 => last.1 = last.1.max(end),
                _ => merged.push((start, end)),
            }
        }
        merged
    }

    /// The bytes around a place that are likely to be one number in both: the largest aligned word of plain bytes whose
    /// high bytes are those of a small number.
    fn word(&self, other: &Contents, at: u64) -> (u64, u64) {
        let is_plain = |contents: &Contents, start: u64, size: u64| {
            contents.overlapping(start, size).is_empty()
        };
        let is_small = |contents: &Contents, start: u64, size: u64| {
            let high = &contents.bytes[(start + size / 2) as usize..(start + size) as usize];
            high.iter().all(|&byte| byte == 0) || high.iter().all(|&byte| byte == 0xff)
        };
        for size in [WIDEST, 4, 2] {
            let start = at / size * size;
            let fits = start + size <= self.bytes.len() as u64;
            let both = [self, other];
            if fits
                && both.iter().all(|it| is_plain(it, start, size))
                && both.iter().all(|it| is_small(it, start, size))
            {
                return (start, start + size);
            }
        }
        (at, at + 1)
    }

    /// A range cut wherever a cell of either side begins or ends, and where it is too wide for one number.
    fn pieces(&self, other: &Contents, start: u64, end: u64) -> Vec<(u64, u64)> {
        let mut cuts = BTreeSet::from([start, end]);
        for contents in [self, other] {
            for (first, cell) in contents.overlapping(start, end - start) {
                cuts.extend([first.max(start), (first + cell.size).min(end)]);
            }
        }
        let cuts: Vec<u64> = cuts.into_iter().collect();
        let mut pieces = Vec::new();
        for pair in cuts.windows(2) {
            let (mut first, last) = (pair[0], pair[1]);
            let is_plain = |contents: &Contents| contents.overlapping(first, 1).is_empty();
            if is_plain(self) != is_plain(other) || is_plain(self) {
                while last - first > WIDEST {
                    pieces.push((first, first + WIDEST));
                    first += WIDEST;
                }
            }
            pieces.push((first, last));
        }
        pieces
    }

    /// What lies in a range, in which no cell begins or ends.
    fn content(&self, terms: &Terms, start: u64, size: u64) -> Content {
        match self.overlapping(start, size).first() {
            Some((first, cell)) => cell.part(terms, start - first, size).content,
            None => {
                let mut bits = [0; 16];
                let bytes = &self.bytes[start as usize..][..size.min(16) as usize];
                bits[..bytes.len()].copy_from_slice(bytes);
                let value = Int::from(u128::from_le_bytes(bits));
                Content::Number(Number::constant(terms, value))
            }
        }
    }
}

impl Cell {
    fn is(&self, other: &Cell) -> bool {
        self.size == other.size
            && match (&self.content, &other.content) {
                (Content::Number(a), Content::Number(b)) => a.term == b.term,
                (Content::Whole(a), Content::Whole(b)) => a == b,
                (Content::Fresh(a), Content::Fresh(b)) => a == b,
                _ => false,
            }
    }
}

impl Content {
    /// The value of a pointer of so many bytes; none if nobody has looked at it.
    pub(in crate::proof::execution) fn as_whole(&self, terms: &Terms, size: u64) -> Option<Value> {
        match self {
            Content::Whole(value) => Some(value.clone()),
            Content::Number(number) => {
                let number = unsigned(terms, number.clone(), size);
                Some(
                    match number
                        .as_constant(terms)
                        .map(|it| u128::try_from(it.clone()))
                    {
                        Some(Ok(bits)) => Value::Known(bits),
                        _ => Value::Number(number),
                    },
                )
            }
            Content::Fresh(_) => None,
        }
    }
}
