//! Which of some symbols occur below which terms, for all terms of a formula at once.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::term::{Symbol, Term, Terms};

/// A set of symbols, by their places in a [`Mentions`].
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct SymbolSet(Vec<u64>);

impl SymbolSet {
    /// Adds all of another set.
    pub(super) fn add(&mut self, other: &SymbolSet) {
        if self.0.len() < other.0.len() {
            self.0.resize(other.0.len(), 0);
        }
        for (word, more) in self.0.iter_mut().zip(&other.0) {
            *word |= more;
        }
    }

    /// Whether the two have a symbol in common.
    pub(super) fn meets(&self, other: &SymbolSet) -> bool {
        self.0.iter().zip(&other.0).any(|(a, b)| a & b != 0)
    }

    /// Whether there is no symbol in it.
    pub(super) fn is_empty(&self) -> bool {
        self.0.iter().all(|word| *word == 0)
    }

    fn insert(&mut self, place: usize) {
        let word = place / 64;
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        self.0[word] |= 1 << (place % 64);
    }

    fn places(&self) -> impl Iterator<Item = usize> + '_ {
        self.0.iter().enumerate().flat_map(|(place, &word)| {
            (0..64)
                .filter(move |bit| word >> bit & 1 == 1)
                .map(move |bit| place * 64 + bit)
        })
    }
}

/// For each term below some roots the symbols of interest that occur in it.
pub(super) struct Mentions {
    symbols: Vec<Symbol>,
    single: FxHashMap<Symbol, SymbolSet>,
    below: FxHashMap<Term, SymbolSet>,
    nothing: SymbolSet,
}

impl Mentions {
    /// Looks through all terms below the roots.
    pub(super) fn new(terms: &Terms, roots: &[Term], interest: &FxHashSet<Symbol>) -> Mentions {
        let mut found = Mentions {
            symbols: Vec::new(),
            single: FxHashMap::default(),
            below: FxHashMap::default(),
            nothing: SymbolSet::default(),
        };
        for term in terms.postorder(roots.iter().copied()) {
            let mut set = SymbolSet::default();
            if let Some(symbol) = terms.as_symbol(term).filter(|s| interest.contains(s)) {
                set.insert(found.symbols.len());
                found.symbols.push(symbol);
                found.single.insert(symbol, set.clone());
            }
            terms.for_each_child(term, |child| set.add(found.of(child)));
            if !set.is_empty() {
                found.below.insert(term, set);
            }
        }
        found
    }

    /// The symbols in a term.
    pub(super) fn of(&self, term: Term) -> &SymbolSet {
        self.below.get(&term).unwrap_or(&self.nothing)
    }

    /// The set with one symbol.
    pub(super) fn only(&self, symbol: Symbol) -> &SymbolSet {
        self.single.get(&symbol).unwrap_or(&self.nothing)
    }

    /// The symbols in any of some terms.
    pub(super) fn of_all(&self, terms: impl IntoIterator<Item = Term>) -> SymbolSet {
        let mut all = SymbolSet::default();
        for term in terms {
            all.add(self.of(term));
        }
        all
    }

    /// The members of a set.
    pub(super) fn members<'a>(&'a self, set: &'a SymbolSet) -> impl Iterator<Item = Symbol> + 'a {
        set.places()
            .filter_map(|place| self.symbols.get(place).copied())
    }
}
