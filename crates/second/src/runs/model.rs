//! Values for symbols, and which conditions speak of the same ones.

use rhumb_program::interp::eval;
use rhumb_program::{BinOp, Type, UnOp};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::pool::{Id, Node, Pool, Sort};

/// Values for symbols; those that are not mentioned are zero.
#[derive(Clone, Debug, Default)]
pub(super) struct Model {
    values: FxHashMap<Id, u128>,
}

impl Model {
    /// With other values for some symbols, as the solver wrote them.
    pub(super) fn with(&self, pool: &Pool, values: &[(Id, String)]) -> Option<Model> {
        let mut model = self.clone();
        for (id, text) in values {
            model.values.insert(*id, read(pool.sort(*id), text)?);
        }
        Some(model)
    }

    /// The value of a truth value or a word.
    pub(super) fn evaluate(&self, pool: &Pool, id: Id) -> Option<u128> {
        let mut known: FxHashMap<Id, u128> = FxHashMap::default();
        let mut todo = vec![(id, false)];
        while let Some((id, parts_done)) = todo.pop() {
            if known.contains_key(&id) {
                continue;
            }
            if !parts_done {
                todo.push((id, true));
                pool.for_each_part(id, |part| todo.push((part, false)));
                continue;
            }
            let value = self.node(pool, id, &known)?;
            known.insert(id, value);
        }
        known.get(&id).copied()
    }

    fn node(&self, pool: &Pool, id: Id, known: &FxHashMap<Id, u128>) -> Option<u128> {
        let get = |id: &Id| known.get(id).copied();
        let ty = |id: Id| Type::Int(pool.word_type(id));
        let truth = |value: bool| Some(u128::from(value));
        match pool.node(id) {
            Node::Symbol(..) => Some(self.values.get(&id).copied().unwrap_or(0)),
            Node::Bool(value) => truth(*value),
            Node::Not(a) => truth(get(a)? == 0),
            Node::And(parts) => truth(!parts.iter().any(|part| get(part) == Some(0))),
            Node::Or(parts) => truth(parts.iter().any(|part| get(part) == Some(1))),
            Node::Same(a, b) => truth(get(a)? == get(b)?),
            Node::Ite(condition, then, other) => match get(condition)? {
                0 => get(other),
                _ => get(then),
            },
            Node::Const(_, bits) => Some(*bits),
            Node::Unary(op, a) => eval::unary(*op, ty(*a), get(a)?).ok(),
            Node::Binary(op, a, b) => eval::binary(*op, ty(*a), get(a)?, ty(*b), get(b)?).ok(),
            Node::Less { or_equal, lhs, rhs } => {
                let op = match or_equal {
                    true => BinOp::Le,
                    false => BinOp::Lt,
                };
                eval::binary(op, ty(*lhs), get(lhs)?, ty(*rhs), get(rhs)?).ok()
            }
            Node::Cast(a, to) => eval::cast(ty(*a), Type::Int(*to), get(a)?).ok(),
            Node::Overflows(op, a, b) => {
                let overflows = eval::overflows(*op, ty(*a), get(a)?, ty(*b), get(b)?);
                truth(overflows.ok()?)
            }
            Node::Int(_)
            | Node::Value(_)
            | Node::Sum(_)
            | Node::Product(..)
            | Node::Div(..)
            | Node::Mod(..)
            | Node::AtMost(..)
            | Node::Reduced(..) => None,
        }
    }
}

/// A value as solvers write it: `true`, `5`, `(- 5)`, `#b101`.
fn read(sort: Sort, text: &str) -> Option<u128> {
    let Sort::Word(ty) = sort else {
        return match text {
            "true" => Some(1),
            "false" => Some(0),
            _ => None,
        };
    };
    if let Some(bits) = text.strip_prefix("#b") {
        return u128::from_str_radix(bits, 2).ok();
    }
    let bits = match text.strip_prefix("(-") {
        Some(rest) => {
            let number: u128 = rest.trim_end_matches(')').trim().parse().ok()?;
            number.wrapping_neg()
        }
        None => text.parse().ok()?,
    };
    Some(ty.wrap(bits))
}

/// The symbols that formulas speak of.
#[derive(Default)]
pub(super) struct Symbols {
    known: FxHashMap<Id, Box<[Id]>>,
}

impl Symbols {
    fn of(&mut self, pool: &Pool, id: Id) -> &[Id] {
        self.known.entry(id).or_insert_with(|| {
            let mut symbols = Vec::new();
            let mut seen = FxHashSet::default();
            let mut todo = vec![id];
            while let Some(id) = todo.pop() {
                if !seen.insert(id) {
                    continue;
                }
                if let Node::Symbol(..) = pool.node(id) {
                    symbols.push(id);
                }
                pool.for_each_part(id, |part| todo.push(part));
            }
            symbols.into()
        })
    }

    /// The conditions of a path that matter for one more, and the symbols of all of them. The others can hold whatever
    /// comes of these: they share no symbol, and the path is possible.
    pub(super) fn slice(&mut self, pool: &Pool, path: &[Id], goal: Id) -> (Vec<Id>, Vec<Id>) {
        let mut wanted: FxHashSet<Id> = self.of(pool, goal).iter().copied().collect();
        let mut left: Vec<Id> = path.to_vec();
        let mut kept = Vec::new();
        loop {
            let before = kept.len();
            left.retain(|&condition| {
                let symbols = self.of(pool, condition);
                let matters = symbols.iter().any(|symbol| wanted.contains(symbol));
                if matters {
                    wanted.extend(symbols.iter().copied());
                    kept.push(condition);
                }
                !matters
            });
            if kept.len() == before {
                break;
            }
        }
        let mut wanted: Vec<Id> = wanted.into_iter().collect();
        wanted.sort_unstable();
        (kept, wanted)
    }
}

/// Whether an operator gives a truth value.
pub(super) fn compares(op: BinOp) -> bool {
    matches!(op, BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le)
}

/// Whether a unary operator is one of words.
pub(super) fn is_of_words(op: UnOp) -> bool {
    matches!(op, UnOp::BitNot | UnOp::Neg)
}
