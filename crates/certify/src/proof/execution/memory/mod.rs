//! Memory of a run whose inputs are left open: which objects there are is known, what they contain may depend on inputs.
//!
//! An object has bytes, and *cells* above them for contents that are no plain bytes: numbers that depend on inputs,
//! pointers, and bytes that come from outside and that nobody has looked at yet. Cells don't overlap; the bytes below a
//! cell mean nothing.

mod join;

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_logic::{Int, Terms};
use rhumb_program::{InputSiteId, IntType, ObjectId};

use super::Gap;
use super::value::{Value, piece};
use crate::proof::encode::number::{Number, Range};

/// Contents larger than this are not followed.
const MAX_SIZE: u64 = 1 << 22;

/// How an object came to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Declared,
    Heap,
    Stack,
}

/// An object at run time.
#[derive(Clone, Debug)]
pub(super) struct Instance {
    pub(super) kind: Kind,
    pub(super) is_alive: bool,
    pub(super) read_only: bool,
    pub(super) size: u64,
    /// Whether other threads than the one that made it may reach it.
    pub(super) is_shared: bool,
    /// The object of the program that it is an instance of; none if it was allocated.
    pub(super) origin: Option<ObjectId>,
    contents: Arc<Contents>,
}

#[derive(Clone, Debug, Default)]
struct Contents {
    bytes: Vec<u8>,
    cells: BTreeMap<u64, Cell>,
}

#[derive(Clone, Debug)]
pub(super) struct Cell {
    size: u64,
    content: Content,
}

#[derive(Clone, Debug)]
pub(super) enum Content {
    /// A number of the signed or the unsigned type of that many bytes.
    Number(Number),
    /// A pointer, or something wild.
    Whole(Value),
    /// Bytes of an input event, from this one on.
    Fresh(Source),
}

/// A byte of an input event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Source {
    pub(super) site: InputSiteId,
    pub(super) occurrence: u64,
    pub(super) offset: u64,
}

/// What is read from memory.
pub(super) enum Read {
    Known(u128),
    /// A number of the signed or the unsigned type of that many bytes.
    Number(Number),
    Whole(Value),
}

pub(super) use join::Parting;

/// Bytes that are taken from one place to another.
pub(super) struct Extract {
    bytes: Vec<u8>,
    cells: Vec<(u64, Cell)>,
}

impl Extract {
    /// The objects that pointers in it point to.
    pub(super) fn pointees(&self) -> Vec<u32> {
        let cells = self.cells.iter();
        cells.filter_map(|(_, cell)| cell.pointee()).collect()
    }
}

impl Cell {
    /// The object that it points to.
    fn pointee(&self) -> Option<u32> {
        match &self.content {
            Content::Whole(Value::Pointer(pointer)) => pointer.instance(),
            _ => None,
        }
    }

    /// A part of it. What is left of a pointer that is taken apart can't be said.
    fn part(&self, terms: &Terms, first: u64, count: u64) -> Cell {
        let content = match &self.content {
            _ if count == self.size => self.content.clone(),
            Content::Number(number) => {
                let whole = unsigned(terms, number.clone(), self.size);
                Content::Number(piece(terms, &whole, first, count))
            }
            Content::Whole(_) => Content::Whole(Value::Wild),
            Content::Fresh(source) => Content::Fresh(Source {
                offset: source.offset + first,
                ..*source
            }),
        };
        Cell {
            size: count,
            content,
        }
    }
}

/// The same bits as a number of the unsigned type of that many bytes.
pub(super) fn unsigned(terms: &Terms, number: Number, size: u64) -> Number {
    number.wrap(terms, IntType::unsigned(8 * size as u16))
}

impl Contents {
    /// The cells that have bytes in common with a range, with their places.
    fn overlapping(&self, offset: u64, size: u64) -> Vec<(u64, Cell)> {
        let mut found: Vec<(u64, Cell)> = self
            .cells
            .range(..offset + size)
            .rev()
            .take_while(|(start, cell)| *start + cell.size > offset)
            .map(|(&start, cell)| (start, cell.clone()))
            .collect();
        found.reverse();
        found
    }

    /// Takes all cells out of a range. What of them lies outside stays.
    fn clear(&mut self, terms: &Terms, offset: u64, size: u64) {
        let end = offset + size;
        for (start, cell) in self.overlapping(offset, size) {
            self.cells.remove(&start);
            let cell_end = start + cell.size;
            if start < offset {
                let before = cell.part(terms, 0, offset - start);
                self.cells.insert(start, before);
            }
            if cell_end > end {
                let behind = cell.part(terms, end - start, cell_end - end);
                self.cells.insert(end, behind);
            }
        }
    }
}

impl Instance {
    /// An object of zeros.
    pub(super) fn new(kind: Kind, size: u64, read_only: bool) -> Result<Instance, Gap> {
        if size > MAX_SIZE {
            return Err(Gap("a large object"));
        }
        let contents = Contents {
            bytes: vec![0; size as usize],
            cells: BTreeMap::new(),
        };
        Ok(Instance {
            kind,
            is_alive: true,
            read_only,
            size,
            is_shared: false,
            origin: None,
            contents: Arc::new(contents),
        })
    }

    /// The objects that pointers in it point to.
    pub(super) fn pointees(&self) -> Vec<u32> {
        let cells = self.contents.cells.values();
        cells.filter_map(Cell::pointee).collect()
    }

    /// The plain bytes, and what lies above them: where, how many bytes, what.
    pub(super) fn parts(&self) -> (&[u8], impl Iterator<Item = (u64, u64, &Content)>) {
        let cells = self.contents.cells.iter();
        let cells = cells.map(|(&start, cell)| (start, cell.size, &cell.content));
        (&self.contents.bytes, cells)
    }

    /// What lies above the plain bytes, with how many bytes it has, to be changed.
    pub(super) fn cells_mut(&mut self) -> impl Iterator<Item = (u64, &mut Content)> {
        let cells = Arc::make_mut(&mut self.contents).cells.values_mut();
        cells.map(|cell| (cell.size, &mut cell.content))
    }

    /// The same, if there may be pointers among it; else nothing is copied.
    pub(super) fn cells_with_pointers(&mut self) -> impl Iterator<Item = (u64, &mut Content)> {
        let has_any = self.pointers().next().is_some();
        has_any.then(|| self.cells_mut()).into_iter().flatten()
    }

    /// One that there is no more.
    pub(super) fn gone() -> Instance {
        Instance {
            kind: Kind::Declared,
            is_alive: false,
            read_only: false,
            size: 0,
            is_shared: false,
            origin: None,
            contents: Arc::default(),
        }
    }

    /// Ends its lifetime.
    pub(super) fn end(&mut self) {
        self.is_alive = false;
        self.contents = Arc::default();
    }

    /// The pointers that lie in it, and what may be one.
    pub(super) fn pointers(&self) -> impl Iterator<Item = &Value> {
        let cells = self.contents.cells.values();
        cells.filter_map(|cell| match &cell.content {
            Content::Whole(value) => Some(value),
            Content::Number(_) | Content::Fresh(_) => None,
        })
    }

    /// What lies in a range, which is inside and has at most sixteen bytes. `fresh` makes a number for bytes of an
    /// input that nobody has looked at.
    pub(super) fn read(
        &mut self,
        terms: &Terms,
        offset: u64,
        size: u64,
        mut fresh: impl FnMut(Source, u64) -> Number,
    ) -> Result<Read, Gap> {
        let mut overlapping = self.contents.overlapping(offset, size);
        if overlapping.is_empty() {
            let mut bits = [0; 16];
            let bytes = &self.contents.bytes[offset as usize..(offset + size) as usize];
            bits[..size as usize].copy_from_slice(bytes);
            return Ok(Read::Known(u128::from_le_bytes(bits)));
        }
        if (overlapping.iter()).any(|(_, cell)| matches!(cell.content, Content::Fresh(_))) {
            self.look_at(terms, offset, size, &overlapping, &mut fresh);
            overlapping = self.contents.overlapping(offset, size);
        }
        if let [(start, cell)] = &*overlapping
            && *start == offset
            && cell.size == size
        {
            match &cell.content {
                Content::Number(number) => return Ok(Read::Number(number.clone())),
                Content::Whole(value) => return Ok(Read::Whole(value.clone())),
                Content::Fresh(_) => {}
            }
        }
        self.assembled(terms, offset, size, &overlapping)
    }

    /// Makes numbers of what was not looked at in a range.
    fn look_at(
        &mut self,
        terms: &Terms,
        offset: u64,
        size: u64,
        overlapping: &[(u64, Cell)],
        fresh: &mut impl FnMut(Source, u64) -> Number,
    ) {
        let contents = Arc::make_mut(&mut self.contents);
        for (start, cell) in overlapping {
            if let Content::Fresh(source) = cell.content {
                let (first, end) = (offset.max(*start), (offset + size).min(start + cell.size));
                contents.clear(terms, first, end - first);
                let source = Source {
                    offset: source.offset + (first - start),
                    ..source
                };
                let content = Content::Number(fresh(source, end - first));
                let size = end - first;
                contents.cells.insert(first, Cell { size, content });
            }
        }
    }

    /// The number that several pieces make together.
    fn assembled(
        &self,
        terms: &Terms,
        offset: u64,
        size: u64,
        overlapping: &[(u64, Cell)],
    ) -> Result<Read, Gap> {
        let end = offset + size;
        let mut known = [0; 16];
        let bytes = &self.contents.bytes[offset as usize..end as usize];
        known[..size as usize].copy_from_slice(bytes);
        let mut symbolic = terms.int(0);
        for (start, cell) in overlapping {
            let (first, last) = (offset.max(*start), end.min(start + cell.size));
            let part = cell.part(terms, first - start, last - first);
            let Content::Number(number) = &part.content else {
                return Err(Gap("a part of a pointer"));
            };
            known[(first - offset) as usize..(last - offset) as usize].fill(0);
            let weight = Int::ONE << (8 * (first - offset) as usize);
            let number = unsigned(terms, number.clone(), part.size);
            symbolic = terms.add(symbolic, terms.scale(weight, number.term));
        }
        let known = terms.int(Int::from(u128::from_le_bytes(known)));
        Ok(Read::Number(Number {
            term: terms.add(symbolic, known),
            range: Range::of_int(IntType::unsigned(8 * size as u16)),
        }))
    }

    /// Writes plain bytes: the low ones of a bit pattern.
    pub(super) fn write_bits(&mut self, terms: &Terms, offset: u64, size: u64, bits: u128) {
        self.write_bytes(terms, offset, &bits.to_le_bytes()[..size as usize]);
    }

    /// Writes plain bytes.
    pub(super) fn write_bytes(&mut self, terms: &Terms, offset: u64, bytes: &[u8]) {
        let contents = Arc::make_mut(&mut self.contents);
        contents.clear(terms, offset, bytes.len() as u64);
        let start = offset as usize;
        contents.bytes[start..start + bytes.len()].copy_from_slice(bytes);
    }

    /// Writes a number of the signed or the unsigned type of that many bytes.
    pub(super) fn write_number(&mut self, terms: &Terms, offset: u64, size: u64, number: Number) {
        self.write_cell(terms, offset, size, Content::Number(number));
    }

    /// Writes a pointer.
    pub(super) fn write_whole(&mut self, terms: &Terms, offset: u64, size: u64, value: Value) {
        self.write_cell(terms, offset, size, Content::Whole(value));
    }

    /// Writes bytes of an input.
    pub(super) fn write_fresh(&mut self, terms: &Terms, offset: u64, size: u64, source: Source) {
        if size > 0 {
            self.write_cell(terms, offset, size, Content::Fresh(source));
        }
    }

    fn write_cell(&mut self, terms: &Terms, offset: u64, size: u64, content: Content) {
        let contents = Arc::make_mut(&mut self.contents);
        contents.clear(terms, offset, size);
        contents.cells.insert(offset, Cell { size, content });
    }

    /// Sets bytes.
    pub(super) fn fill(&mut self, terms: &Terms, offset: u64, size: u64, byte: u8) {
        let contents = Arc::make_mut(&mut self.contents);
        contents.clear(terms, offset, size);
        contents.bytes[offset as usize..(offset + size) as usize].fill(byte);
    }

    /// The contents of a range, to be put elsewhere.
    pub(super) fn extract(&self, terms: &Terms, offset: u64, size: u64) -> Extract {
        let end = offset + size;
        let cells = self.contents.overlapping(offset, size).into_iter();
        Extract {
            bytes: self.contents.bytes[offset as usize..end as usize].to_vec(),
            cells: cells
                .map(|(start, cell)| {
                    let (first, last) = (offset.max(start), end.min(start + cell.size));
                    let part = cell.part(terms, first - start, last - first);
                    (first - offset, part)
                })
                .collect(),
        }
    }

    /// Puts contents from elsewhere into a range.
    pub(super) fn put(&mut self, terms: &Terms, offset: u64, extract: Extract) {
        let contents = Arc::make_mut(&mut self.contents);
        let size = extract.bytes.len() as u64;
        contents.clear(terms, offset, size);
        contents.bytes[offset as usize..(offset + size) as usize].copy_from_slice(&extract.bytes);
        let cells = extract.cells.into_iter();
        contents
            .cells
            .extend(cells.map(|(start, cell)| (offset + start, cell)));
    }
}
