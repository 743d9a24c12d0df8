//! Choices between terms that differ by something that stays.
//!
//! After `if (c) k = k + 1; else k = k - 1;` the value is `ite(c, k + 1, k - 1)`. If `k` goes and `c` stays, this is `k - 1 + ite(c, 2, 0)`: the symbol comes out
//! of the choice, and both branches are projected at once.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cube::mentioning;
use crate::num::Int;
use crate::term::{Node, Sort, Symbol, Term, Terms};

/// The formula with the symbols out of such choices, wherever they are.
pub(super) fn lifted(terms: &Terms, formula: Term, targets: &FxHashSet<Symbol>) -> Term {
    let order = terms.postorder([formula]);
    let touched = mentioning(terms, &order, targets);
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    for term in order {
        if !touched.contains(&term) {
            continue;
        }
        let mut new = terms.rebuild(term, |child| done.get(&child).copied().unwrap_or(child));
        if let Node::Ite(condition, then, other) = *terms.node(new)
            && terms.sort(new) == Sort::Int
            && stays(terms, condition, targets)
        {
            let other_sum = terms.as_linear(other);
            let difference = terms.as_linear(then).plus(&Int::NEG_ONE, &other_sum);
            let difference = terms.linear(&difference);
            if stays(terms, difference, targets) {
                let choice = terms.ite(condition, difference, terms.int(0));
                new = terms.add(other, choice);
            }
        }
        done.insert(term, new);
    }
    done.get(&formula).copied().unwrap_or(formula)
}

fn stays(terms: &Terms, term: Term, targets: &FxHashSet<Symbol>) -> bool {
    terms
        .symbols([term])
        .iter()
        .all(|symbol| !targets.contains(symbol))
}
