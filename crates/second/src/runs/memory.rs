//! Objects: the values that were stored in them, by where they begin, over what was there at first.

use std::collections::BTreeMap;
use std::rc::Rc;

use rhumb_program::{Access, BinOp, BitRange, Init, InputSiteId, IntType, Type};

use super::Runs;
use super::state::{Base, Halt, PathState, Pointer, Value};
use crate::pool::{Id, Node, Sort};

/// More bytes than this are not written one by one.
const MAX_BYTES: u64 = 1 << 16;

/// What is where nothing was stored.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Background {
    Zero,
    /// Inputs: the site, and how often it was passed before.
    Input(InputSiteId, u32),
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Object {
    /// In bytes, a word as wide as a pointer.
    pub(super) size: Id,
    pub(super) is_live: bool,
    pub(super) read_only: bool,
    /// Whether `free` may end it.
    pub(super) is_heap: bool,
    background: Background,
    /// Values with the number of their bytes, by where they begin. They don't overlap.
    cells: BTreeMap<u64, (u64, Value)>,
}

impl Object {
    /// An object of zeros.
    pub(super) fn new(size: Id, read_only: bool) -> Object {
        Object {
            size,
            is_live: true,
            read_only,
            is_heap: false,
            background: Background::Zero,
            cells: BTreeMap::new(),
        }
    }

    /// All that was stored in it.
    pub(super) fn values(&self) -> impl Iterator<Item = &Value> {
        self.cells.values().map(|cell| &cell.1)
    }

    /// Values with where they begin and the number of their bytes.
    pub(super) fn cells(&self) -> impl Iterator<Item = (u64, u64, Value)> {
        let cells = self.cells.iter();
        cells.map(|(&at, &(size, value))| (at, size, value))
    }

    pub(super) fn has_cell_at(&self, at: u64) -> bool {
        self.cells.contains_key(&at)
    }

    /// Whether another object differs in nothing but what was stored.
    pub(super) fn is_alike(&self, other: &Object) -> bool {
        let of = |object: &Object| {
            let kind = (object.read_only, object.is_heap, object.background);
            (object.size, object.is_live, kind)
        };
        of(self) == of(other)
    }

    /// With these cells, which don't overlap.
    pub(super) fn with_cells(&self, cells: BTreeMap<u64, (u64, Value)>) -> Object {
        Object {
            cells,
            ..self.clone()
        }
    }

    /// The cells that a range touches.
    fn touched(&self, at: u64, size: u64) -> Vec<(u64, u64, Value)> {
        let before = self.cells.range(..at).next_back();
        let before = before.filter(|(start, cell)| **start + cell.0 > at);
        let inside = self.cells.range(at..at.saturating_add(size));
        let touched = before.into_iter().chain(inside);
        touched
            .map(|(&start, &(size, value))| (start, size, value))
            .collect()
    }
}

/// A piece of memory with a place that is known.
#[derive(Clone, Copy)]
pub(super) struct Spot {
    pub(super) object: u32,
    pub(super) at: u64,
}

impl Runs<'_> {
    /// The number that a word is on a path.
    pub(super) fn number(&self, state: &PathState, word: Id) -> Result<u64, Halt> {
        let bits = match *self.pool.node(word) {
            Node::Const(_, bits) => bits,
            _ => *state.known.get(&word).ok_or(Halt::Split(word))?,
        };
        u64::try_from(bits).map_err(|_| Halt::undecided("a number is too large"))
    }

    /// Where an access is that is known to be inside of a live object.
    pub(super) fn place(&self, state: &PathState, pointer: Value) -> Result<Spot, Halt> {
        match pointer {
            Value::Pointer(Pointer {
                base: Base::Object(object),
                offset,
            }) => Ok(Spot {
                object,
                at: self.number(state, offset)?,
            }),
            _ => Err(Halt::undecided("an access is to no object")),
        }
    }

    /// A byte of what is stored.
    fn byte(&mut self, state: &mut PathState, place: Spot) -> Result<Id, Halt> {
        let byte = IntType::unsigned(8);
        let object = &state.objects[place.object as usize];
        if let Some(&(start, size, value)) = object.touched(place.at, 1).first() {
            return self.byte_of(value, size, place.at - start);
        }
        match object.background {
            Background::Zero => Ok(self.pool.word(byte, 0)),
            Background::Input(site, passed) => {
                let symbol = self.input((Some(site), passed, place.at, 1), Sort::Word(byte));
                let object = Rc::make_mut(&mut state.objects[place.object as usize]);
                object.cells.insert(place.at, (1, Value::Scalar(symbol)));
                Ok(symbol)
            }
        }
    }

    /// One of the bytes of a value.
    fn byte_of(&mut self, value: Value, size: u64, index: u64) -> Result<Id, Halt> {
        let byte = IntType::unsigned(8);
        let null = |id: Id| matches!(self.pool.node(id), Node::Const(_, 0));
        let id = match value {
            Value::Scalar(id) => id,
            Value::Pointer(pointer) if pointer.base == Base::Nothing && null(pointer.offset) => {
                return Ok(self.pool.word(byte, 0));
            }
            Value::Pointer(_) => return Err(Halt::undecided("bytes of a pointer are looked at")),
        };
        if self.pool.sort(id) == Sort::Bool {
            let (one, zero) = (self.pool.word(byte, 1), self.pool.word(byte, 0));
            return Ok(self.pool.ite(id, one, zero));
        }
        let width = self.pool.word_type(id).width;
        if u64::from(width) != 8 * size {
            return Err(Halt::undecided(
                "bytes of a value with padding are looked at",
            ));
        }
        let unsigned = IntType::unsigned(width);
        let word = self.pool.cast(id, unsigned);
        let by = self.pool.word(unsigned, u128::from(8 * index));
        let shifted = self.pool.binary(BinOp::Shr, word, by);
        Ok(self.pool.cast(shifted, byte))
    }

    /// Bytes in a row as one unsigned word.
    fn word(&mut self, state: &mut PathState, place: Spot, size: u64) -> Result<Id, Halt> {
        let unsigned = IntType::unsigned(8 * size as u16);
        let mut word = self.pool.word(unsigned, 0);
        for index in 0..size {
            let at = place.at + index;
            let byte = self.byte(state, Spot { at, ..place })?;
            let byte = self.pool.cast(byte, unsigned);
            let by = self.pool.word(unsigned, u128::from(8 * index));
            let part = self.pool.binary(BinOp::Shl, byte, by);
            word = self.pool.binary(BinOp::Or, word, part);
        }
        Ok(word)
    }

    /// Reads a scalar.
    pub(super) fn load(
        &mut self,
        state: &mut PathState,
        place: Spot,
        access: Access,
    ) -> Result<Value, Halt> {
        let size = access.size(self.program.data_model);
        if let Some(bits) = access.bits {
            let word = self.word(state, place, size)?;
            return self.load_bits(word, bits, access.ty);
        }
        let object = &state.objects[place.object as usize];
        let touched = object.touched(place.at, size);
        if let [(start, length, value)] = touched[..]
            && (start, length) == (place.at, size)
            && let Some(value) = self.seen_as(value, access.ty)
        {
            return Ok(value);
        }
        let sort = self.sort(access.ty);
        if touched.is_empty() {
            match (object.background, sort) {
                (Background::Zero, _) => return Ok(self.zero(access.ty)),
                (Background::Input(site, passed), Some(sort)) => {
                    let value =
                        Value::Scalar(self.input((Some(site), passed, place.at, size), sort));
                    let object = Rc::make_mut(&mut state.objects[place.object as usize]);
                    object.cells.insert(place.at, (size, value));
                    return Ok(value);
                }
                (Background::Input(..), None) => {}
            }
        }
        match (access.ty, sort) {
            (Type::Int(_) | Type::Float(_), Some(Sort::Word(ty)))
                if u64::from(ty.width) == 8 * size =>
            {
                let word = self.word(state, place, size)?;
                Ok(Value::Scalar(self.pool.cast(word, ty)))
            }
            (Type::Bool, _) => {
                let byte = self.word(state, place, 1)?;
                match *self.pool.node(byte) {
                    Node::Const(_, bits @ 0..=1) => Ok(self.bits(Type::Bool, bits)),
                    _ => Err(Halt::undecided("a byte is read as a truth value")),
                }
            }
            (Type::Ptr, _) => {
                let word = self.word(state, place, size)?;
                match *self.pool.node(word) {
                    Node::Const(_, bits) => Ok(self.bits(Type::Ptr, bits)),
                    _ => Err(Halt::undecided("bytes are read as a pointer")),
                }
            }
            _ => Err(Halt::undecided("bytes are read as a value with padding")),
        }
    }

    /// What is in a range, as a value like another one; none if parts of values are there.
    pub(super) fn value_at(
        &mut self,
        object: &Object,
        at: u64,
        size: u64,
        like: Value,
    ) -> Option<Value> {
        if let Some(&(length, value)) = object.cells.get(&at) {
            return (length == size).then_some(value);
        }
        if !object.touched(at, size).is_empty() {
            return None;
        }
        let sort = match like {
            Value::Scalar(id) => self.pool.sort(id),
            Value::Pointer(_) if object.background == Background::Zero => {
                return Some(self.zero(Type::Ptr));
            }
            Value::Pointer(_) => return None,
        };
        match (object.background, sort) {
            (Background::Zero, Sort::Bool) => Some(Value::Scalar(self.pool.bool(false))),
            (Background::Zero, Sort::Word(ty)) => Some(Value::Scalar(self.pool.word(ty, 0))),
            (Background::Zero, Sort::Int) => None,
            (Background::Input(site, passed), sort) => Some(Value::Scalar(
                self.input((Some(site), passed, at, size), sort),
            )),
        }
    }

    /// A value of the same number of bytes, read as another type.
    fn seen_as(&mut self, value: Value, ty: Type) -> Option<Value> {
        match (value, self.sort(ty)) {
            (Value::Pointer(_), None) => Some(value),
            (Value::Scalar(id), Some(sort)) => match (self.pool.sort(id), sort) {
                (Sort::Bool, Sort::Bool) => Some(value),
                (Sort::Word(from), Sort::Word(to)) if from.width == to.width => {
                    Some(Value::Scalar(self.pool.cast(id, to)))
                }
                _ => None,
            },
            _ => None,
        }
    }

    fn load_bits(&mut self, word: Id, bits: BitRange, ty: Type) -> Result<Value, Halt> {
        let unsigned = self.pool.word_type(word);
        let by = self.pool.word(unsigned, bits.offset.into());
        let shifted = self.pool.binary(BinOp::Shr, word, by);
        let width = u16::from(bits.width);
        let part = self.pool.cast(shifted, IntType::unsigned(width));
        match ty {
            Type::Int(int) => {
                let signed = IntType {
                    width,
                    signed: int.signed,
                };
                let part = self.pool.cast(part, signed);
                Ok(Value::Scalar(self.pool.cast(part, int)))
            }
            Type::Bool => {
                let zero = self.pool.word(IntType::unsigned(width), 0);
                let same = self.pool.same(part, zero);
                Ok(Value::Scalar(self.pool.not(same)))
            }
            Type::Float(_) | Type::Ptr => Err(Halt::undecided("a bit-field is no integer")),
        }
    }

    /// Writes a scalar.
    pub(super) fn store(
        &mut self,
        state: &mut PathState,
        place: Spot,
        access: Access,
        value: Value,
    ) -> Result<(), Halt> {
        let size = access.size(self.program.data_model);
        let value = match access.bits {
            None => value,
            Some(bits) => {
                let Value::Scalar(id) = value else {
                    return Err(Halt::undecided("a bit-field is no integer"));
                };
                let unsigned = IntType::unsigned(8 * size as u16);
                let id = match self.pool.sort(id) {
                    Sort::Bool => {
                        let (one, zero) =
                            (self.pool.word(unsigned, 1), self.pool.word(unsigned, 0));
                        self.pool.ite(id, one, zero)
                    }
                    _ => self.pool.cast(id, unsigned),
                };
                let old = self.word(state, place, size)?;
                let mask = IntType::unsigned(bits.width.into()).mask() << bits.offset;
                let (taken, kept) = (
                    self.pool.word(unsigned, mask),
                    self.pool.word(unsigned, !mask),
                );
                let by = self.pool.word(unsigned, bits.offset.into());
                let shifted = self.pool.binary(BinOp::Shl, id, by);
                let new = self.pool.binary(BinOp::And, shifted, taken);
                let old = self.pool.binary(BinOp::And, old, kept);
                Value::Scalar(self.pool.binary(BinOp::Or, old, new))
            }
        };
        self.clear(state, place, size)?;
        let object = Rc::make_mut(&mut state.objects[place.object as usize]);
        object.cells.insert(place.at, (size, value));
        Ok(())
    }

    /// Makes room for a value: what sticks out on either side is kept as bytes.
    fn clear(&mut self, state: &mut PathState, place: Spot, size: u64) -> Result<(), Halt> {
        let end = place.at + size;
        let touched = state.objects[place.object as usize].touched(place.at, size);
        for (start, length, value) in touched {
            let mut rest = Vec::new();
            for index in 0..length {
                let at = start + index;
                if at < place.at || at >= end {
                    rest.push((at, self.byte_of(value, length, index)?));
                }
            }
            let object = Rc::make_mut(&mut state.objects[place.object as usize]);
            object.cells.remove(&start);
            let rest = rest.into_iter();
            object
                .cells
                .extend(rest.map(|(at, byte)| (at, (1, Value::Scalar(byte)))));
        }
        Ok(())
    }

    /// Sets bytes.
    pub(super) fn fill(
        &mut self,
        state: &mut PathState,
        pointer: Value,
        byte: Id,
        size: Id,
    ) -> Result<(), Halt> {
        if self.is_null_byte(byte) && self.is_whole(state, pointer, size) {
            return self.reset(state, pointer, Background::Zero);
        }
        let (place, count) = (self.place(state, pointer)?, self.count(state, size)?);
        self.clear(state, place, count)?;
        let byte = self.pool.cast(byte, IntType::unsigned(8));
        let object = Rc::make_mut(&mut state.objects[place.object as usize]);
        let places = place.at..place.at + count;
        object
            .cells
            .extend(places.map(|at| (at, (1, Value::Scalar(byte)))));
        Ok(())
    }

    /// Bytes get values from outside.
    pub(super) fn fill_with_inputs(
        &mut self,
        state: &mut PathState,
        pointer: Value,
        size: Id,
        site: InputSiteId,
    ) -> Result<(), Halt> {
        let whole = self.is_whole(state, pointer, size);
        let bytes = match whole {
            true => None,
            false => Some((self.place(state, pointer)?, self.count(state, size)?)),
        };
        let passed = state.events.entry(Some(site)).or_default();
        let event = std::mem::replace(passed, *passed + 1);
        let Some((place, count)) = bytes else {
            return self.reset(state, pointer, Background::Input(site, event));
        };
        self.clear(state, place, count)?;
        for index in 0..count {
            let byte = self.input(
                (Some(site), event, index, 1),
                Sort::Word(IntType::unsigned(8)),
            );
            let object = Rc::make_mut(&mut state.objects[place.object as usize]);
            object
                .cells
                .insert(place.at + index, (1, Value::Scalar(byte)));
        }
        Ok(())
    }

    /// Copies bytes.
    pub(super) fn copy(
        &mut self,
        state: &mut PathState,
        to: Value,
        from: Value,
        size: Id,
    ) -> Result<(), Halt> {
        let count = self.count(state, size)?;
        if count == 0 {
            return Ok(());
        }
        let (to, from) = (self.place(state, to)?, self.place(state, from)?);
        let mut parts = Vec::new();
        let end = from.at + count;
        let mut at = from.at;
        while at < end {
            let touched = state.objects[from.object as usize].touched(at, 1);
            match touched.first() {
                Some(&(start, length, value)) if start == at && at + length <= end => {
                    parts.push((at - from.at, length, value));
                    at += length;
                }
                _ => {
                    let byte = self.byte(state, Spot { at, ..from })?;
                    parts.push((at - from.at, 1, Value::Scalar(byte)));
                    at += 1;
                }
            }
        }
        self.clear(state, to, count)?;
        let object = Rc::make_mut(&mut state.objects[to.object as usize]);
        let parts = parts.into_iter();
        object
            .cells
            .extend(parts.map(|(at, length, value)| (to.at + at, (length, value))));
        Ok(())
    }

    /// Puts the first contents into a global object.
    pub(super) fn initialise(
        &mut self,
        state: &mut PathState,
        object: u32,
        init: &[Init],
    ) -> Result<(), Halt> {
        for piece in init {
            match piece {
                Init::Bytes { offset, bytes } => {
                    for (index, &byte) in bytes.iter().enumerate() {
                        let at = offset + index as u64;
                        let value = self.bits(Type::Int(IntType::unsigned(8)), byte.into());
                        let access = Access::whole(Type::Int(IntType::unsigned(8)));
                        self.store(state, Spot { object, at }, access, value)?;
                    }
                }
                Init::Scalar {
                    offset,
                    access,
                    value,
                } => {
                    let value = self.evaluate(state, *value)?;
                    let at = *offset;
                    self.store(state, Spot { object, at }, *access, value)?;
                }
            }
        }
        Ok(())
    }

    fn count(&self, state: &PathState, size: Id) -> Result<u64, Halt> {
        match self.number(state, size)? {
            count if count > MAX_BYTES => Err(Halt::undecided("many bytes are written at once")),
            count => Ok(count),
        }
    }

    fn is_null_byte(&self, byte: Id) -> bool {
        matches!(self.pool.node(byte), Node::Const(_, bits) if bits & 0xff == 0)
    }

    /// Whether so many bytes from here on are all of an object.
    fn is_whole(&self, state: &PathState, pointer: Value, size: Id) -> bool {
        let Value::Pointer(pointer) = pointer else {
            return false;
        };
        let is_start = matches!(self.pool.node(pointer.offset), Node::Const(_, 0));
        match pointer.base {
            Base::Object(object) => is_start && state.objects[object as usize].size == size,
            Base::Nothing | Base::Function(_) | Base::Anywhere => false,
        }
    }

    fn reset(
        &self,
        state: &mut PathState,
        pointer: Value,
        background: Background,
    ) -> Result<(), Halt> {
        let Value::Pointer(Pointer {
            base: Base::Object(object),
            ..
        }) = pointer
        else {
            return Err(Halt::undecided("an access is to no object"));
        };
        let object = Rc::make_mut(&mut state.objects[object as usize]);
        object.cells.clear();
        object.background = background;
        Ok(())
    }
}
