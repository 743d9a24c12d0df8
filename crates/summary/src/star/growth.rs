//! By how much a variable grows in an iteration, whichever branches it takes.

use rhumb_logic::num::Int;
use rhumb_logic::{Node, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

/// What a term is: a multiple of a variable, and a constant between two numbers.
#[derive(Clone)]
struct Moved {
    factor: Int,
    least: Int,
    greatest: Int,
}

impl Moved {
    fn constant(value: &Int) -> Moved {
        Moved {
            factor: Int::ZERO,
            least: value.clone(),
            greatest: value.clone(),
        }
    }

    fn plus(&self, times: &Int, other: &Moved) -> Moved {
        let [one, two] = [&other.least, &other.greatest].map(|end| times * end);
        let (least, greatest) = if one <= two { (one, two) } else { (two, one) };
        Moved {
            factor: &self.factor + times * &other.factor,
            least: &self.least + least,
            greatest: &self.greatest + greatest,
        }
    }

    fn or(&self, other: &Moved) -> Option<Moved> {
        (self.factor == other.factor).then(|| Moved {
            factor: self.factor.clone(),
            least: self.least.clone().min(other.least.clone()),
            greatest: self.greatest.clone().max(other.greatest.clone()),
        })
    }
}

/// Numbers between which a variable grows, if its new value is the old one and a constant in every case that the value distinguishes.
pub(super) fn bounds(terms: &Terms, symbol: Symbol, value: Term) -> Option<(Int, Int)> {
    if terms.symbol_info(symbol).sort != Sort::Int {
        return None;
    }
    let mut known: FxHashMap<Term, Moved> = FxHashMap::default();
    for term in terms.postorder([value]) {
        let of = |part: &Term| known.get(part);
        let moved = match terms.node(term) {
            Node::Int(value) => Some(Moved::constant(value)),
            Node::Symbol(other) if *other == symbol => Some(Moved {
                factor: Int::ONE,
                ..Moved::constant(&Int::ZERO)
            }),
            Node::Ite(_, one, other) => of(one)
                .zip(of(other))
                .and_then(|(one, other)| one.or(other)),
            Node::Sum(sum) => {
                let start = Some(Moved::constant(&sum.constant));
                sum.parts.iter().fold(start, |all, (part, factor)| {
                    Some(all?.plus(factor, of(part)?))
                })
            }
            _ => None,
        };
        known.extend(moved.map(|moved| (term, moved)));
    }
    let moved = known.remove(&value)?;
    (moved.factor == Int::ONE).then_some((moved.least, moved.greatest))
}
