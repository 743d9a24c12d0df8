//! The store: every term once.

use std::hash::{Hash, Hasher};
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};

use hashbrown::HashTable;
use rustc_hash::FxHasher;

use crate::work::Work;

use super::{
    ArraySort, Function, FunctionInfo, Node, Op, Relation, RelationInfo, Sort, Symbol, SymbolInfo,
    Term,
};

impl Node {
    /// The parts of a sum; of everything else nothing is counted.
    fn length(&self) -> u64 {
        match self {
            Node::Sum(sum) | Node::AtMostZero(sum) | Node::Zero(sum) | Node::Divides(_, sum) => {
                sum.parts.len() as u64
            }
            _ => 0,
        }
    }
}

/// Number of locks that writers share. Reading takes no lock.
const SHARDS: usize = 16;

/// Parts of a sum that are as much work as a term. They take less time than that, but they take room: sums that grow with
/// every step of a run would fill the memory within the work that is planned for a run.
const PARTS_OF_A_UNIT: u64 = 2;

/// The store of terms. It only grows; all of its methods take `&self`, and threads may share it.
pub struct Terms {
    nodes: boxcar::Vec<(Node, Sort)>,
    shards: [Mutex<HashTable<Term>>; SHARDS],
    symbols: boxcar::Vec<SymbolInfo>,
    functions: boxcar::Vec<FunctionInfo>,
    relations: boxcar::Vec<RelationInfo>,
    arrays: boxcar::Vec<(Sort, Sort)>,
    /// Guards the search for an array sort.
    array_lock: Mutex<()>,
}

impl Default for Terms {
    fn default() -> Terms {
        Terms::new()
    }
}

impl Terms {
    /// An empty store.
    pub fn new() -> Terms {
        Terms {
            nodes: boxcar::Vec::new(),
            shards: std::array::from_fn(|_| Mutex::new(HashTable::new())),
            symbols: boxcar::Vec::new(),
            functions: boxcar::Vec::new(),
            relations: boxcar::Vec::new(),
            arrays: boxcar::Vec::new(),
            array_lock: Mutex::new(()),
        }
    }

    /// What a term is.
    pub fn node(&self, term: Term) -> &Node {
        &self.nodes[term.index()].0
    }

    /// The sort of a term.
    pub fn sort(&self, term: Term) -> Sort {
        self.nodes[term.index()].1
    }

    /// Number of terms that were made.
    pub fn len(&self) -> usize {
        self.nodes.count()
    }

    /// Whether no term was made.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// A new symbol. The name is for people: two symbols may have the same.
    pub fn symbol(&self, name: impl Into<Box<str>>, sort: Sort) -> Symbol {
        let name = name.into();
        Symbol(id(self.symbols.push(SymbolInfo { name, sort })))
    }

    /// A new symbol of the same name and sort as another.
    pub fn fresh_copy(&self, of: Symbol) -> Symbol {
        let SymbolInfo { name, sort } = self.symbol_info(of).clone();
        self.symbol(name, sort)
    }

    /// The declaration of a symbol.
    pub fn symbol_info(&self, symbol: Symbol) -> &SymbolInfo {
        &self.symbols[symbol.0 as usize]
    }

    /// A new uninterpreted function.
    pub fn function(&self, info: FunctionInfo) -> Function {
        Function(id(self.functions.push(info)))
    }

    /// The declaration of a function.
    pub fn function_info(&self, function: Function) -> &FunctionInfo {
        &self.functions[function.0 as usize]
    }

    /// A new named relation.
    pub fn relation(&self, info: RelationInfo) -> Relation {
        Relation(id(self.relations.push(info)))
    }

    /// The definition of a named relation.
    pub fn relation_info(&self, relation: Relation) -> &RelationInfo {
        &self.relations[relation.0 as usize]
    }

    /// The sort of arrays with these indices and elements.
    pub fn array_sort(&self, index: Sort, element: Sort) -> Sort {
        let _guard = self
            .array_lock
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let known = self
            .arrays
            .iter()
            .find(|(_, sorts)| **sorts == (index, element));
        let place = match known {
            Some((place, _)) => place,
            None => self.arrays.push((index, element)),
        };
        Sort::Array(ArraySort(id(place)))
    }

    /// Sorts of the indices and elements of an array sort.
    pub fn array_sorts(&self, sort: ArraySort) -> (Sort, Sort) {
        self.arrays[sort.0 as usize]
    }

    /// The term for a node that is already in normal form.
    pub(super) fn intern(&self, node: Node, sort: Sort) -> Term {
        let hash = hash(&node);
        // The table uses the top bits; the shard takes others.
        let shard = &self.shards[(hash >> 20) as usize % SHARDS];
        let mut table = shard.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(&known) = table.find(hash, |&term| *self.node(term) == node) {
            return known;
        }
        Work::units(1 + node.length() / PARTS_OF_A_UNIT).count();
        let place = self.nodes.push((node, sort));
        let term = Term(NonZeroU32::MIN.saturating_add(id(place)));
        table.insert_unique(hash, term, |&term| self::hash(self.node(term)));
        term
    }

    /// The sort of an operation's result.
    pub(super) fn op_sort(&self, op: Op, args: &[Term]) -> Sort {
        let of = |index: usize| args.get(index).map_or(Sort::Int, |&arg| self.sort(arg));
        let width = |index: usize| match of(index) {
            Sort::BitVec(width) => width,
            _ => 0,
        };
        match op {
            Op::IntDiv | Op::IntMod | Op::Floor | Op::BvToInt | Op::BvToIntSigned => Sort::Int,
            Op::ToReal | Op::RealAdd | Op::RealMul => Sort::Real,
            Op::RealLe
            | Op::BvUlt
            | Op::BvUle
            | Op::BvSlt
            | Op::BvSle
            | Op::FpEq
            | Op::FpLt
            | Op::FpLe
            | Op::FpIsNan => Sort::Bool,
            Op::IntToBv(width) | Op::FpToSigned(width) | Op::FpToUnsigned(width) => {
                Sort::BitVec(width)
            }
            Op::BvNeg
            | Op::BvNot
            | Op::BvAdd
            | Op::BvSub
            | Op::BvMul
            | Op::BvUdiv
            | Op::BvUrem
            | Op::BvSdiv
            | Op::BvSrem
            | Op::BvAnd
            | Op::BvOr
            | Op::BvXor
            | Op::BvShl
            | Op::BvLshr
            | Op::BvAshr
            | Op::Store
            | Op::FpAdd
            | Op::FpSub
            | Op::FpMul
            | Op::FpDiv
            | Op::FpSqrt
            | Op::FpRound(_)
            | Op::FpNeg => of(0),
            Op::BvExtract(high, low) => Sort::BitVec(high - low + 1),
            Op::BvZeroExtend(by) | Op::BvSignExtend(by) => Sort::BitVec(width(0) + by),
            Op::BvConcat => Sort::BitVec(width(0) + width(1)),
            Op::Select => match of(0) {
                Sort::Array(sort) => self.array_sorts(sort).1,
                other => other,
            },
            Op::ConstArray(sort) => Sort::Array(sort),
            Op::FpFromBits(exponent, significand)
            | Op::FpToFp(exponent, significand)
            | Op::FpFromSigned(exponent, significand)
            | Op::FpFromUnsigned(exponent, significand) => Sort::Float(exponent, significand),
        }
    }
}

impl Term {
    fn index(self) -> usize {
        self.0.get() as usize - 1
    }
}

/// The place as an id. Four thousand million terms don't fit into memory, so this never saturates.
fn id(place: usize) -> u32 {
    u32::try_from(place).unwrap_or(u32::MAX - 1)
}

fn hash(node: &Node) -> u64 {
    let mut hasher = FxHasher::default();
    node.hash(&mut hasher);
    hasher.finish()
}

impl std::fmt::Debug for Terms {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Terms({})", self.len())
    }
}
