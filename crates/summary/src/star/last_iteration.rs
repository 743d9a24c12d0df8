//! The last iteration as it is.
//!
//! Hulls say of the state after the loop only what is convex. Here the last iteration is the body itself, after what
//! the operators that give facts say of those before it: right for loops that establish something other than a convex
//! set in every iteration, such as a remainder or a case distinction. It makes the summary harder to solve, so loops
//! that do nothing but add constants, on whichever path, are left to the other operators: nothing but the sum of what
//! was added matters there. The contract: the relation for `k` from 1 on is `S_(k-1) ; body` with an `S` that keeps it,
//! so `body ; S_(k-1) ; body` is contained in `S_k ; body`; for `k = 0` it is the identity, and `body` is contained in
//! `S_0 ; body`.

use rhumb_logic::{Budget, Sort, Symbol, Term, Transition};

use super::{Closure, How, Loop, LoopOperator, growth};

pub(super) const OPERATOR: LoopOperator = LoopOperator {
    name: "last iteration",
    about: "loops that establish something not convex in every iteration",
    how: How::Whole(with_last),
};

/// Bodies with more terms are not repeated.
const LARGEST: usize = 400;

fn with_last(of: Loop<'_>, others: &Closure, _: &Budget) -> Option<Closure> {
    let Loop {
        terms, iteration, ..
    } = of;
    let moves = |&(symbol, value): &(Symbol, Term)| growth::bounds(terms, symbol, value).is_some();
    if iteration.updates.iter().all(moves) {
        return None;
    }
    if of.size() > LARGEST {
        return None;
    }
    let symbol = terms.symbol("k", Sort::Int);
    let count = terms.var(symbol);
    let none = Transition::assume(terms.eq(count, terms.int(0)));
    let before = terms.add(others.count, terms.int(1));
    let is_count = terms.and([terms.eq(count, before), terms.ge(count, terms.int(1))]);
    let some = (others.transition.compose(terms, iteration)).restrict(terms, is_count);
    let mut transition = none.choice(terms, &some);
    transition.inputs.push(symbol);
    transition.inputs.sort_unstable();
    Some(Closure { transition, count })
}
