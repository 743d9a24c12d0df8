//! Names and what they stand for: the name spaces of C (C11 6.2.3), with scopes.

use rhumb_program::Span;
use rustc_hash::FxHashMap;

use crate::ctypes::{EnumId, QualType, RecordId, TypeId};
use crate::hir::{FunctionId, GlobalId, LabelId, LocalId};
use crate::intern::Symbol;

/// What an ordinary identifier stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Binding {
    /// A type, with the alignment that the typedef itself asks for.
    Typedef(QualType, Option<u64>),
    Local(LocalId),
    Global(GlobalId),
    Function(FunctionId),
    /// An enumeration constant: its bits in its type.
    EnumConst(u128, TypeId),
    /// A parameter of a declaration that has no body: only its type can be used.
    PrototypeParam(TypeId),
}

/// What a tag stands for.
#[derive(Clone, Copy, Debug)]
pub(super) enum Tag {
    Record(RecordId),
    Enum(EnumId),
}

/// A name in a [`Namespace`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<T> {
    pub(super) symbol: Symbol,
    pub(super) value: T,
    pub(super) span: Span,
    /// Nesting of the scope; 0 is the file.
    pub(super) depth: u32,
    /// The entry that this one hides.
    hidden: Option<u32>,
}

/// One name space: names may be hidden by inner scopes and come back when those end.
#[derive(Debug)]
pub(super) struct Namespace<T> {
    newest: FxHashMap<Symbol, u32>,
    entries: Vec<Entry<T>>,
    /// Number of entries where each open scope began.
    marks: Vec<usize>,
}

impl<T> Default for Namespace<T> {
    fn default() -> Self {
        Namespace {
            newest: FxHashMap::default(),
            entries: Vec::new(),
            marks: Vec::new(),
        }
    }
}

impl<T: Copy> Namespace<T> {
    /// Opens a scope.
    pub(super) fn open(&mut self) {
        self.marks.push(self.entries.len());
    }

    /// Ends the innermost scope and forgets its names.
    pub(super) fn close(&mut self) {
        let mark = self.marks.pop().unwrap_or(0);
        for entry in self.entries.drain(mark..).rev() {
            match entry.hidden {
                Some(hidden) => self.newest.insert(entry.symbol, hidden),
                None => self.newest.remove(&entry.symbol),
            };
        }
    }

    /// Nesting of the innermost scope.
    pub(super) fn depth(&self) -> u32 {
        self.marks.len() as u32
    }

    /// Declares a name in the innermost scope.
    pub(super) fn declare(&mut self, symbol: Symbol, value: T, span: Span) {
        let index = self.entries.len() as u32;
        let hidden = self.newest.insert(symbol, index);
        self.entries.push(Entry {
            symbol,
            value,
            span,
            depth: self.marks.len() as u32,
            hidden,
        });
    }

    /// The innermost declaration of a name.
    pub(super) fn get(&self, symbol: Symbol) -> Option<&Entry<T>> {
        self.newest
            .get(&symbol)
            .map(|&index| &self.entries[index as usize])
    }

    /// The declaration of a name in the innermost scope itself.
    pub(super) fn get_here(&self, symbol: Symbol) -> Option<&Entry<T>> {
        self.get(symbol).filter(|entry| entry.depth == self.depth())
    }

    /// Changes what the innermost declaration of a name stands for.
    pub(super) fn replace(&mut self, symbol: Symbol, value: T) {
        if let Some(&index) = self.newest.get(&symbol) {
            self.entries[index as usize].value = value;
        }
    }

    /// Sets the innermost scope aside, so that declarations go to the one around it.
    fn suspend(&mut self) -> Vec<Entry<T>> {
        let mark = self.marks.last().copied().unwrap_or(self.entries.len());
        let entries = self.entries[mark..].to_vec();
        self.close();
        entries
    }

    /// Brings a suspended scope back.
    fn resume(&mut self, entries: Vec<Entry<T>>) {
        self.open();
        for entry in entries {
            self.declare(entry.symbol, entry.value, entry.span);
        }
    }

    /// All names that are declared, hidden or not.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Entry<T>> {
        self.entries.iter()
    }
}

/// The name spaces that have block scope.
#[derive(Debug, Default)]
pub(super) struct Scopes {
    pub(super) ordinary: Namespace<Binding>,
    pub(super) tags: Namespace<Tag>,
    pub(super) local_labels: Namespace<LabelId>,
}

impl Scopes {
    /// Opens a scope in every name space.
    pub(super) fn open(&mut self) {
        self.ordinary.open();
        self.tags.open();
        self.local_labels.open();
    }

    /// Ends the innermost scope in every name space.
    pub(super) fn close(&mut self) {
        self.ordinary.close();
        self.tags.close();
        self.local_labels.close();
    }

    /// Sets the innermost scope aside, so that declarations go to the one around it.
    pub(super) fn suspend(&mut self) -> Suspended {
        self.local_labels.close();
        Suspended {
            ordinary: self.ordinary.suspend(),
            tags: self.tags.suspend(),
        }
    }

    /// Brings a suspended scope back.
    pub(super) fn resume(&mut self, scope: Suspended) {
        self.ordinary.resume(scope.ordinary);
        self.tags.resume(scope.tags);
        self.local_labels.open();
    }

    /// Whether declarations are at file level.
    pub(super) fn at_file_level(&self) -> bool {
        self.ordinary.depth() == 0
    }
}

/// A scope that was set aside.
#[derive(Debug)]
pub(super) struct Suspended {
    ordinary: Vec<Entry<Binding>>,
    tags: Vec<Entry<Tag>>,
}

/// A name with linkage: all its declarations in the unit mean one object or function.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Linked {
    Global(GlobalId),
    Function(FunctionId),
}
