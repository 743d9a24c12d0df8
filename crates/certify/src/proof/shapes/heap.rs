//! What is known of memory: objects, and rows of objects that are linked one to the next.

use std::collections::BTreeMap;

use rhumb_program::{Access, DataModel, FuncId, IntType, LocId, ObjectId, Type, VarId};

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum Value {
    /// These bits. A pointer with them is an address without an object; 0 is null.
    Bits(u128),
    /// Any bits but 0.
    NonZero,
    /// Nothing.
    Any,
    /// A pointer to an object that is alive.
    Pointer(Pointer),
    /// The address of a function.
    Function(FuncId),
    /// A pointer to, or just behind, an object whose life has ended. It is not null.
    Ended,
}

/// A pointer to a place in an object that is alive.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Pointer {
    pub(super) object: u32,
    /// Which one, if it is a row: the first or the last. For a single object always the first.
    pub(super) end: End,
    /// The distance from its start; none if that is not known.
    pub(super) offset: Option<i64>,
}

/// Which object of a row is meant.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) enum End {
    First,
    Last,
    /// In an object of the row, and in what belongs to it: this very object.
    Own,
}

/// How an object came to be.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Kind {
    Declared(ObjectId),
    Heap,
    Stack,
}

/// An object that is alive, or a row of them.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Object {
    pub(super) kind: Kind,
    /// None if it is not known.
    pub(super) size: Option<u64>,
    pub(super) read_only: bool,
    /// Where it was allocated, and in which calls; 0 for several places. It says only what is worth being one row.
    pub(super) site: u64,
    /// What is in it; nothing for a row.
    pub(super) contents: Contents,
    /// How it is linked, if it is a row.
    pub(super) row: Option<Row>,
    /// What it belongs to: then there is one for each object of a row that has such contents.
    pub(super) owner: Option<Owner>,
}

/// Contents of objects of a row, by the number of the row and of the contents in it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Owner {
    pub(super) row: u32,
    pub(super) contents: usize,
}

/// What is in an object.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Contents {
    /// Whether bytes outside of all cells are zero; otherwise they may be anything.
    pub(super) is_zero: bool,
    /// Scalars; they don't overlap.
    pub(super) cells: BTreeMap<u64, Cell>,
}

/// A scalar in an object.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Cell {
    pub(super) ty: Type,
    pub(super) value: Value,
}

/// One or more objects, each with a pointer to the next one.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Row {
    /// Where each object has the pointer to the next one.
    pub(super) link: u64,
    /// Where each has the pointer to the one before, if it has one.
    pub(super) back: Option<u64>,
    /// Where in an object these pointers point to.
    pub(super) head: i64,
    /// What the last one has for a pointer to the next one.
    pub(super) next: Value,
    /// What the first one has for a pointer to the one before; anything if there are no such pointers.
    pub(super) prev: Value,
    /// What each object has beside these pointers: one of these.
    pub(super) contents: Vec<Contents>,
}

/// What is known at a point of a run.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct State {
    /// The calls under way; the last one goes on.
    pub(super) frames: Vec<Frame>,
    /// Variables of which something is known.
    pub(super) globals: BTreeMap<VarId, Value>,
    /// The objects that live as long as the run.
    pub(super) statics: BTreeMap<ObjectId, u32>,
    pub(super) objects: BTreeMap<u32, Object>,
    /// Whether there may be an object of the heap that nothing here leads to.
    pub(super) may_be_lost: bool,
}

/// A call under way.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(super) struct Frame {
    pub(super) function: FuncId,
    pub(super) location: LocId,
    /// Variables of which something is known.
    pub(super) variables: BTreeMap<VarId, Value>,
    /// The local objects that are alive.
    pub(super) objects: BTreeMap<ObjectId, u32>,
    /// What lives until the function returns.
    pub(super) allocated: Vec<u32>,
    /// Where the caller wants the result.
    pub(super) result: Option<VarId>,
}

impl Value {
    pub(super) const NULL: Value = Value::Bits(0);

    /// Whether all values that the other stands for are among those of this one, both being numbers.
    pub(super) fn covers(self, other: Value) -> bool {
        match (self, other) {
            (Value::Any, _) => true,
            (Value::NonZero, Value::Bits(bits)) => bits != 0,
            _ => self == other,
        }
    }

    /// The least that covers both, both being numbers.
    pub(super) fn join(self, other: Value) -> Value {
        match (self, other) {
            _ if self.covers(other) => self,
            _ if other.covers(self) => other,
            (Value::Bits(a), Value::Bits(b)) if a != 0 && b != 0 => Value::NonZero,
            _ => Value::Any,
        }
    }

    pub(super) fn start_of(object: u32) -> Value {
        Value::Pointer(Pointer {
            object,
            end: End::First,
            offset: Some(0),
        })
    }
}

const BYTE: Type = Type::Int(IntType::unsigned(8));

const ANY_BYTE: Cell = Cell {
    ty: BYTE,
    value: Value::Any,
};

impl Object {
    /// An object of zeros.
    pub(super) fn zeros(kind: Kind, size: Option<u64>, read_only: bool) -> Object {
        Object {
            kind,
            size,
            read_only,
            site: 0,
            contents: Contents {
                is_zero: true,
                cells: BTreeMap::new(),
            },
            row: None,
            owner: None,
        }
    }

    /// Whether a range is inside for certain (true), not for certain (false), or that is not known.
    pub(super) fn has(&self, offset: Option<i64>, size: Option<u64>) -> Option<bool> {
        let offset = offset?;
        let Ok(offset) = u64::try_from(offset) else {
            return Some(false);
        };
        let end = offset.checked_add(size?)?;
        Some(end <= self.size?)
    }

    /// Sets bytes of a range to zero, or to anything.
    pub(super) fn fill(&mut self, offset: u64, size: u64, zero: bool, model: DataModel) {
        match offset == 0 && self.size == Some(size) {
            true => {
                self.contents.cells.clear();
                self.contents.is_zero = zero;
            }
            false => self.contents.fill(offset, size, zero, model),
        }
    }

    /// All values in it, to be changed.
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let links = self.row.as_mut().into_iter().flat_map(|row| {
            let contents = row.contents.iter_mut().flat_map(Contents::values_mut);
            [&mut row.next, &mut row.prev].into_iter().chain(contents)
        });
        self.contents.values_mut().chain(links)
    }

    /// All values in it.
    pub(super) fn values(&self) -> impl Iterator<Item = Value> {
        let links = self.row.iter().flat_map(|row| {
            let contents = row.contents.iter().flat_map(Contents::values);
            [row.next, row.prev].into_iter().chain(contents)
        });
        self.contents.values().chain(links)
    }
}

impl Contents {
    pub(super) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        self.cells.values_mut().map(|cell| &mut cell.value)
    }

    pub(super) fn values(&self) -> impl Iterator<Item = Value> {
        self.cells.values().map(|cell| cell.value)
    }

    /// The cells that have bytes in common with a range.
    fn overlapping(&self, offset: u64, size: u64, model: DataModel) -> Vec<(u64, u64)> {
        let all = self.cells.iter();
        all.map(|(&start, cell)| (start, cell.ty.size(model)))
            .filter(|&(start, len)| start < offset + size && offset < start + len)
            .collect()
    }

    /// Takes all cells out of a range. What of them lies outside may be anything.
    fn clear(&mut self, offset: u64, size: u64, model: DataModel) {
        for (start, len) in self.overlapping(offset, size, model) {
            self.cells.remove(&start);
            for at in start..start + len {
                if at < offset || at >= offset + size {
                    self.cells.insert(at, ANY_BYTE);
                }
            }
        }
    }

    fn fill(&mut self, offset: u64, size: u64, zero: bool, model: DataModel) {
        self.clear(offset, size, model);
        if self.is_zero != zero {
            let value = if zero { Value::NULL } else { Value::Any };
            for at in offset..offset + size {
                self.cells.insert(at, Cell { ty: BYTE, value });
            }
        }
    }

    /// Forgets all contents.
    pub(super) fn forget(&mut self) {
        self.cells.clear();
        self.is_zero = false;
    }

    pub(super) fn store(&mut self, offset: u64, access: Access, value: Value, model: DataModel) {
        let size = access.size(model);
        if access.bits.is_some() {
            self.clear(offset, size, model);
            for at in offset..offset + size {
                self.cells.insert(at, ANY_BYTE);
            }
            return;
        }
        self.clear(offset, size, model);
        // Its padding keeps what was there.
        let value = match access.ty {
            Type::Float(_) => Value::Any,
            _ => value,
        };
        let ty = access.ty;
        self.cells.insert(offset, Cell { ty, value });
    }

    pub(super) fn load(&self, offset: u64, access: Access, model: DataModel) -> Value {
        if access.bits.is_some() {
            return Value::Any;
        }
        let size = access.size(model);
        if let Some(cell) = self.cells.get(&offset)
            && cell.ty.size(model) == size
        {
            let is_same = match (cell.ty, access.ty) {
                (Type::Int(_), Type::Int(_)) => true,
                (a, b) => a == b,
            };
            // Null and zero are the same bits.
            return match is_same || cell.value == Value::NULL {
                true => cell.value,
                false => Value::Any,
            };
        }
        let overlapping = self.overlapping(offset, size, model);
        let is_zero = |&(start, _): &(u64, u64)| self.cells[&start].value == Value::NULL;
        let inside: u64 = (overlapping.iter())
            .filter(|&&(start, len)| start >= offset && start + len <= offset + size)
            .map(|entry| entry.1)
            .sum();
        match overlapping.iter().all(is_zero) && (self.is_zero || inside == size) {
            true => Value::NULL,
            false => Value::Any,
        }
    }

    /// The contents of a range as cells; what is not in one is as the object's other bytes.
    pub(super) fn extract(&self, offset: u64, size: u64, model: DataModel) -> Vec<(u64, Cell)> {
        let mut found = Vec::new();
        for (start, len) in self.overlapping(offset, size, model) {
            if start >= offset && start + len <= offset + size {
                found.push((start - offset, self.cells[&start]));
            } else {
                let bytes = start.max(offset)..(start + len).min(offset + size);
                found.extend(bytes.map(|at| (at - offset, ANY_BYTE)));
            }
        }
        found
    }
}

impl State {
    /// How many cells of memory it has, outside of rows.
    pub(super) fn cells(&self) -> usize {
        let objects = self.objects.values();
        objects.map(|object| object.contents.cells.len()).sum()
    }

    /// The call that goes on.
    pub(super) fn frame(&self) -> &Frame {
        &self.frames[self.frames.len() - 1]
    }

    pub(super) fn frame_mut(&mut self) -> &mut Frame {
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    /// Adds an object, and says its number.
    pub(super) fn add(&mut self, object: Object) -> u32 {
        let number = self.objects.last_key_value().map_or(0, |entry| entry.0 + 1);
        self.objects.insert(number, object);
        number
    }

    /// Changes all values that are pointers to objects.
    pub(super) fn retarget(&mut self, change: impl Fn(Pointer) -> Value) {
        let apply = |value: &mut Value| {
            if let Value::Pointer(pointer) = *value {
                *value = change(pointer);
            }
        };
        self.globals.values_mut().for_each(apply);
        for frame in &mut self.frames {
            frame.variables.values_mut().for_each(apply);
        }
        for object in self.objects.values_mut() {
            object.values_mut().for_each(apply);
        }
    }

    /// Ends the life of an object that is no row.
    pub(super) fn end(&mut self, number: u32) {
        let Some(object) = self.objects.remove(&number) else {
            return;
        };
        self.retarget(|pointer| match pointer.object == number {
            false => Value::Pointer(pointer),
            // Inside or just behind: then it isn't null, either.
            true if object.has(pointer.offset, Some(0)) == Some(true) => Value::Ended,
            true => Value::Any,
        });
    }

    /// The values that variables have.
    pub(super) fn roots(&self) -> impl Iterator<Item = Value> {
        let frames = self.frames.iter();
        let locals = frames.flat_map(|frame| frame.variables.values().copied());
        self.globals.values().copied().chain(locals)
    }
}
