//! Choices between terms that differ by something that stays.
//!
//! After `if (c) k = k + 1; else k = k - 1;` the value is `ite(c, k + 1, k - 1)`. If `k` goes and `c` stays, this is `k -
//! 1 + ite(c, 2, 0)`: the symbol comes out of the choice, and both branches are projected at once.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cube::mentioning;
use crate::num::Int;
use crate::term::{Node, Sort, Symbol, Term, Terms};

/// The formula with the symbols out of such choices, wherever they are.
pub(super) fn lifted(terms: &Terms, formula: Term, targets: &FxHashSet<Symbol>) -> Term {
    let order = terms.postorder([formula]);
    let touched = mentioning(terms, &order, targets);
    let known: FxHashSet<Term> = order.iter().copied().collect();
    // Terms of the formula are known; one that is made here is looked through.
    let stays = |term: Term| {
        if known.contains(&term) {
            return !touched.contains(&term);
        }
        let symbols = terms.symbols([term]);
        symbols.iter().all(|symbol| !targets.contains(symbol))
    };
    let mut done: FxHashMap<Term, Term> = FxHashMap::default();
    for &term in order.iter().filter(|term| touched.contains(term)) {
        let mut new = terms.rebuild(term, |child| done.get(&child).copied().unwrap_or(child));
        if let Node::Ite(condition, then, other) = *terms.node(new)
            && terms.sort(new) == Sort::Int
            && stays(condition)
        {
            let other_sum = terms.as_linear(other);
            let difference = terms.as_linear(then).plus(&Int::NEG_ONE, &other_sum);
            if difference.parts.iter().all(|(part, _)| stays(*part)) {
                let choice = terms.ite(condition, terms.linear(&difference), terms.int(0));
                new = terms.add(other, choice);
            }
        }
        done.insert(term, new);
    }
    done.get(&formula).copied().unwrap_or(formula)
}
