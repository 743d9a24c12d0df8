//! What a term can be, as far as that is seen without a solver.

use rhumb_logic::num::floor_mod;
use rhumb_logic::{Int, Node, Term, Terms};
use rustc_hash::FxHashMap;

use super::super::step::Within;

/// Values of a place or a size that runs are told apart by, at most.
pub(super) const VALUES: usize = 300;

/// All values that a term may have, of an access those that are right ones; none if they are many.
pub(super) fn candidates(terms: &Terms, term: Term, within: Option<Within>) -> Option<Vec<Int>> {
    let few = values(terms, term);
    let Some(within) = within else {
        return few;
    };
    let last = Int::from(within.last);
    if let Some(mut few) = few {
        few.retain(|value| *value >= Int::ZERO && *value <= last);
        return Some(few);
    }
    let (step, first) = steps(terms, term);
    let step = if step == Int::ZERO { Int::ONE } else { step };
    let mut value = floor_mod(&first, &step);
    if &last / &step > Int::from(VALUES as u64) {
        return None;
    }
    let mut all = Vec::new();
    while value <= last {
        all.push(value.clone());
        value += &step;
    }
    Some(all)
}

/// What a term may be, if that is a few constants, each once.
fn values(terms: &Terms, term: Term) -> Option<Vec<Int>> {
    let mut known: FxHashMap<Term, Vec<Int>> = FxHashMap::default();
    for part in terms.postorder([term]) {
        let all = |part: &Term| known.get(part);
        let mut found: Vec<Int> = match terms.node(part) {
            Node::Int(value) => vec![value.clone()],
            Node::Ite(_, then, other) => match (all(then), all(other)) {
                (Some(then), Some(other)) => then.iter().chain(other).cloned().collect(),
                _ => continue,
            },
            Node::Sum(sum) => {
                let mut found = vec![sum.constant.clone()];
                for (part, factor) in &sum.parts {
                    let Some(part) = all(part).filter(|part| part.len() * found.len() <= VALUES)
                    else {
                        found.clear();
                        break;
                    };
                    let sums = |sum: &Int| {
                        let parts = part.iter().map(|part| sum + part * factor);
                        parts.collect::<Vec<Int>>()
                    };
                    found = found.iter().flat_map(sums).collect();
                }
                found
            }
            _ => continue,
        };
        found.sort_unstable();
        found.dedup();
        if !found.is_empty() && found.len() <= VALUES {
            known.insert(part, found);
        }
    }
    known.remove(&term)
}

/// A number and another one, from which a term is always a multiple of the first away.
fn steps(terms: &Terms, term: Term) -> (Int, Int) {
    let mut known: FxHashMap<Term, (Int, Int)> = FxHashMap::default();
    for part in terms.postorder([term]) {
        let of = |part: &Term| known.get(part).cloned().unwrap_or((Int::ONE, Int::ZERO));
        let found = match terms.node(part) {
            Node::Int(value) => (Int::ZERO, value.clone()),
            Node::Ite(_, then, other) => {
                let ((a, x), (b, y)) = (of(then), of(other));
                (divisor(divisor(a, b), &x - y), x)
            }
            Node::Sum(sum) => {
                let mut found = (Int::ZERO, sum.constant.clone());
                for (part, factor) in &sum.parts {
                    let (step, first) = of(part);
                    found.0 = divisor(found.0, step * factor);
                    found.1 += first * factor;
                }
                found
            }
            Node::Mod(inner, period) => {
                let (step, first) = of(inner);
                (divisor(step, period.clone()), first)
            }
            _ => (Int::ONE, Int::ZERO),
        };
        known.insert(part, found);
    }
    known.remove(&term).unwrap_or((Int::ONE, Int::ZERO))
}

/// The greatest common divisor, from 0 on.
fn divisor(a: Int, b: Int) -> Int {
    let (mut a, mut b) = (a, b);
    while b != Int::ZERO {
        (a, b) = (
            b.clone(),
            floor_mod(&a, &if b < Int::ZERO { -b } else { b }),
        );
    }
    if a < Int::ZERO { -a } else { a }
}

#[cfg(test)]
mod tests {
    use rhumb_logic::Sort;

    use super::*;

    fn access(terms: &Terms, offset: Term, last: u64) -> Option<Within> {
        let may = terms.bool(true);
        Some(Within {
            instance: 0,
            offset,
            last,
            may,
        })
    }

    #[test]
    fn places_of_an_access_are_those_of_elements() {
        let terms = Terms::new();
        let x = terms.var(terms.symbol("x", Sort::Int));
        let offset = terms.modulo(terms.add(terms.scale(12, x), terms.int(4)), 1u64 << 32);
        let found = candidates(&terms, offset, access(&terms, offset, 20));
        let all = [0, 4, 8, 12, 16, 20].map(Int::from);
        assert_eq!(found, Some(all.to_vec()));
        let offset = terms.add(terms.scale(12, x), terms.int(4));
        let found = candidates(&terms, offset, access(&terms, offset, 40));
        assert_eq!(found, Some([4, 16, 28, 40].map(Int::from).to_vec()));
        assert_eq!(
            candidates(&terms, offset, access(&terms, offset, 40_000)),
            None
        );
    }

    #[test]
    fn choices_and_their_sums_have_the_values_that_they_are_made_of() {
        let terms = Terms::new();
        let [p, q] = ["p", "q"].map(|name| terms.var(terms.symbol(name, Sort::Bool)));
        let a = terms.ite(p, terms.int(3), terms.int(8));
        let b = terms.ite(q, terms.int(100), terms.int(0));
        let found = values(&terms, terms.add(a, b));
        assert_eq!(found, Some([3, 8, 103, 108].map(Int::from).to_vec()));
        let x = terms.var(terms.symbol("x", Sort::Int));
        assert_eq!(values(&terms, terms.ite(p, x, a)), None);
        let found = candidates(&terms, a, access(&terms, a, 4));
        assert_eq!(found, Some(vec![Int::from(3)]));
    }
}
