//! Names as small numbers.

use std::sync::Arc;

use rustc_hash::FxHashMap;

/// An interned name.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord)]
pub(crate) struct Symbol(u32);

impl Symbol {
    /// Its number: symbols are numbered from 0 in the order in which they were first seen, so tables over names can be vectors.
    pub(crate) fn index(self) -> usize {
        self.0 as usize
    }
}

/// All names of a translation unit.
#[derive(Debug, Default)]
pub(crate) struct Interner {
    by_name: FxHashMap<Arc<str>, Symbol>,
    names: Vec<Arc<str>>,
}

impl Interner {
    /// The symbol of a name.
    pub(crate) fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&symbol) = self.by_name.get(name) {
            return symbol;
        }
        let symbol = Symbol(self.names.len() as u32);
        let name: Arc<str> = Arc::from(name);
        self.names.push(name.clone());
        self.by_name.insert(name, symbol);
        symbol
    }

    /// The name of a symbol.
    pub(crate) fn name(&self, symbol: Symbol) -> &Arc<str> {
        &self.names[symbol.0 as usize]
    }
}
