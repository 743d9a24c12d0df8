//! Loops whose closure has a closed form: the summary equals it, in both directions, for every number of iterations.

mod common;

use std::time::Duration;

use common::exact::{Case, add, are, case, is_exact, with_invariant};
use rhumb_logic::{Budget, Sort, Term, Transition};
use rhumb_summary::Preset;
use rhumb_summary::star::{Loop, Tools, star};

#[test]
fn translation() {
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            vec![w.step(w.terms.lt(x, z), [w.plus(x, 1), y, z])]
        },
        |w, [x, y, z], after, k| {
            let last = w.terms.le(w.terms.add(x, k), z);
            let [x, y, z] = [add(w, x, 1, k), y, z];
            w.terms.and([last, are(w, after, [x, y, z])])
        },
    ));
}

#[test]
fn translation_without_guard() {
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            vec![w.step(w.terms.bool(true), [w.plus(x, 2), w.plus(y, -3), z])]
        },
        |w, [x, y, z], after, k| are(w, after, [add(w, x, 2, k), add(w, y, -3, k), z]),
    ));
}

#[test]
fn translation_with_two_bounds() {
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            let guard = w
                .terms
                .and([w.terms.lt(x, z), w.terms.gt(y, w.terms.int(0))]);
            vec![w.step(guard, [w.plus(x, 2), w.plus(y, -1), z])]
        },
        |w, [x, y, z], after, k| {
            let last = w.plus(k, -1);
            let goes = [
                w.terms.lt(add(w, x, 2, last), z),
                w.terms.gt(add(w, y, -1, last), w.terms.int(0)),
                are(w, after, [add(w, x, 2, k), add(w, y, -1, k), z]),
            ];
            w.terms.and(goes)
        },
    ));
}

#[test]
fn nothing_changes() {
    is_exact(&case(
        |w| {
            let [x, _, z] = w.before();
            vec![w.step(w.terms.lt(x, z), w.before())]
        },
        |w, before, after, _| {
            let goes = w.terms.lt(before[0], before[2]);
            w.terms.and([goes, are(w, after, before)])
        },
    ));
}

#[test]
fn unequal_by_ones() {
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            vec![w.step(w.terms.ne(x, z), [w.plus(x, 1), y, z])]
        },
        |w, [x, y, z], after, k| {
            let never = w
                .terms
                .or([w.terms.gt(x, z), w.terms.le(w.terms.add(x, k), z)]);
            w.terms.and([never, are(w, after, [add(w, x, 1, k), y, z])])
        },
    ));
}

#[test]
fn unequal_by_twos() {
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            vec![w.step(w.terms.ne(x, z), [w.plus(x, 2), y, z])]
        },
        |w, [x, y, z], after, k| {
            let never = w.terms.or([
                w.terms.gt(x, z),
                w.terms.lt(add(w, x, 2, w.plus(k, -1)), z),
                w.terms.congruent(w.terms.sub(x, z), 2, 1),
            ]);
            w.terms.and([never, are(w, after, [add(w, x, 2, k), y, z])])
        },
    ));
}

#[test]
fn equal_once() {
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            vec![w.step(w.terms.eq(x, z), [w.plus(x, 1), y, z])]
        },
        |w, [x, y, z], after, k| {
            let once = w
                .terms
                .and([w.terms.eq(x, z), w.terms.eq(k, w.terms.int(1))]);
            w.terms.and([once, are(w, after, [w.plus(x, 1), y, z])])
        },
    ));
}

#[test]
fn equal_all_along() {
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            vec![w.step(w.terms.eq(x, y), [w.plus(x, 1), w.plus(y, 1), z])]
        },
        |w, [x, y, z], after, k| {
            let goes = w.terms.eq(x, y);
            w.terms
                .and([goes, are(w, after, [add(w, x, 1, k), add(w, y, 1, k), z])])
        },
    ));
}

#[test]
fn reset_to_a_constant() {
    is_exact(&case(
        |w| {
            let [x, _, z] = w.before();
            vec![w.step(w.terms.lt(x, z), [w.plus(x, 1), w.terms.int(7), z])]
        },
        |w, [x, _, z], after, k| {
            let last = w.terms.le(w.terms.add(x, k), z);
            w.terms
                .and([last, are(w, after, [add(w, x, 1, k), w.terms.int(7), z])])
        },
    ));
}

#[test]
fn reset_that_the_guard_reads() {
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            vec![w.step(w.terms.lt(y, w.terms.int(5)), [w.plus(x, 1), z, z])]
        },
        |w, [x, y, z], after, k| {
            let five = w.terms.int(5);
            let again = w
                .terms
                .or([w.terms.eq(k, w.terms.int(1)), w.terms.lt(z, five)]);
            let goes = w.terms.and([w.terms.lt(y, five), again]);
            w.terms.and([goes, are(w, after, [add(w, x, 1, k), z, z])])
        },
    ));
}

#[test]
fn reset_that_ends_the_loop() {
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            let guard = w.terms.eq(y, w.terms.int(1));
            vec![w.step(guard, [w.plus(x, 1), w.terms.int(0), z])]
        },
        |w, [x, y, z], after, k| {
            let one = w.terms.int(1);
            let once = w.terms.and([w.terms.eq(y, one), w.terms.eq(k, one)]);
            w.terms
                .and([once, are(w, after, [w.plus(x, 1), w.terms.int(0), z])])
        },
    ));
}

#[test]
fn reset_against_a_growing_bound() {
    // The reset variable is compared with a growing one: what the guard says before the first iteration is of the old value.
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            vec![w.step(w.terms.gt(y, x), [w.plus(x, 2), z, z])]
        },
        |w, [x, y, z], after, k| {
            let last = w.plus(k, -1);
            let again = w.terms.gt(z, add(w, x, 2, last));
            let again = w.terms.or([w.terms.eq(k, w.terms.int(1)), again]);
            let goes = w.terms.and([w.terms.gt(y, x), again]);
            w.terms.and([goes, are(w, after, [add(w, x, 2, k), z, z])])
        },
    ));
}

/// A variable grows as long as another is below 5, and shrinks from then on.
fn two_phases(bounded: bool) -> Case {
    case(
        |w| {
            let [x, y, z] = w.before();
            let early = w.terms.lt(x, w.terms.int(5));
            let value = w.terms.ite(early, w.plus(y, 1), w.plus(y, -1));
            let guard = w.terms.lt(x, z);
            let guard = if bounded { guard } else { w.terms.bool(true) };
            vec![w.step(guard, [w.plus(x, 1), value, z])]
        },
        |w, [x, y, z], after, k| {
            let (zero, five) = (w.terms.int(0), w.terms.int(5));
            let left = w.terms.sub(five, x);
            let left = w.terms.ite(w.terms.le(left, zero), zero, left);
            let early = w.terms.ite(w.terms.le(k, left), k, left);
            let last = w.terms.le(w.terms.add(x, k), z);
            let last = if bounded { last } else { w.terms.bool(true) };
            let y = add(w, add(w, y, 2, early), -1, k);
            w.terms.and([last, are(w, after, [add(w, x, 1, k), y, z])])
        },
    )
}

#[test]
fn two_phases_with_a_bound() {
    is_exact(&two_phases(true));
}

#[test]
fn two_phases_without_end() {
    is_exact(&two_phases(false));
}

/// What is counted are the multiples of a number among `x .. x+k-1`.
fn multiples(of: i64) -> Case {
    case(
        |w| {
            let [x, y, z] = w.before();
            let counted = w.terms.divides(of, x);
            let value = w.terms.ite(counted, w.plus(y, 1), y);
            vec![w.step(w.terms.lt(x, z), [w.plus(x, 1), value, z])]
        },
        |w, [x, y, z], after, k| {
            let below = |bound: Term| w.terms.div(w.plus(bound, of - 1), of);
            let next = w.terms.add(x, k);
            let number = w.terms.sub(below(next), below(x));
            let last = w.terms.le(next, z);
            w.terms
                .and([last, are(w, after, [next, w.terms.add(y, number), z])])
        },
    )
}

#[test]
fn period_of_two() {
    is_exact(&multiples(2));
}

#[test]
fn period_of_three() {
    is_exact(&multiples(3));
}

#[test]
fn alternation() {
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            let value = w.terms.sub(w.terms.int(1), y);
            vec![w.step(w.terms.lt(x, z), [w.plus(x, 1), value, z])]
        },
        |w, [x, y, z], after, k| {
            let other = w.terms.sub(w.terms.int(1), y);
            let value = w.terms.ite(w.terms.divides(2, k), y, other);
            let next = w.terms.add(x, k);
            w.terms
                .and([w.terms.le(next, z), are(w, after, [next, value, z])])
        },
    ));
}

#[test]
fn guarded_by_a_remainder() {
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            vec![w.step(w.terms.divides(2, x), [w.plus(x, 2), w.plus(y, 1), z])]
        },
        |w, [x, y, z], after, k| {
            let even = w.terms.divides(2, x);
            w.terms
                .and([even, are(w, after, [add(w, x, 2, k), add(w, y, 1, k), z])])
        },
    ));
}

/// Either of two multiples of a number is added.
fn strides(small: i64, large: i64) -> Case {
    case(
        |w| {
            let [x, y, z] = w.before();
            let add = |by: i64| w.step(w.terms.bool(true), [w.plus(x, by), y, z]);
            vec![add(small), add(large)]
        },
        |w, [x, y, z], after, k| {
            let grown = w.terms.sub(after[0], x);
            w.terms.and([
                w.terms.ge(grown, w.terms.scale(small, k)),
                w.terms.le(grown, w.terms.scale(large, k)),
                w.terms.divides(large - small, add(w, grown, -small, k)),
                are(w, after, [after[0], y, z]),
            ])
        },
    )
}

#[test]
fn strides_of_two_and_four() {
    is_exact(&strides(2, 4));
}

#[test]
fn strides_of_four_and_seven() {
    is_exact(&strides(4, 7));
}

/// A counter that goes around.
fn ring(states: i64) -> Case {
    with_invariant(
        |w| w.terms.within(0, w.before()[0], states - 1),
        |w| {
            let [x, y, z] = w.before();
            let is_last = w.terms.eq(x, w.terms.int(states - 1));
            let next = w.terms.ite(is_last, w.terms.int(0), w.plus(x, 1));
            vec![w.step(w.terms.bool(true), [next, y, z])]
        },
        |w, [x, y, z], after, k| {
            let turned = add(w, w.terms.sub(after[0], x), -1, k);
            w.terms.and([
                w.terms.within(0, x, states - 1),
                w.terms.within(0, after[0], states - 1),
                w.terms.divides(states, turned),
                are(w, after, [after[0], y, z]),
            ])
        },
    )
}

#[test]
fn machine_with_five_states() {
    is_exact(&ring(5));
}

#[test]
fn unsigned_counter() {
    is_exact(&ring(16));
}

#[test]
fn an_input_is_added() {
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            let input = w.terms.symbol("input", Sort::Int);
            let added = w.terms.var(input);
            let guard = w.terms.and([w.terms.lt(x, z), w.terms.within(0, added, 2)]);
            let mut step = w.step(guard, [w.plus(x, 1), w.terms.add(y, added), z]);
            step.inputs = vec![input];
            vec![step]
        },
        |w, [x, y, z], after, k| {
            let grown = w.terms.sub(after[1], y);
            w.terms.and([
                w.terms.le(w.terms.add(x, k), z),
                w.terms.ge(grown, w.terms.int(0)),
                w.terms.le(grown, w.terms.scale(2, k)),
                are(w, after, [w.terms.add(x, k), after[1], z]),
            ])
        },
    ));
}

#[test]
fn nested_with_a_constant_bound() {
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            let three = w.terms.int(3);
            let start = w.step(w.terms.lt(x, z), [x, w.terms.int(0), z]);
            let inner = w.step(w.terms.lt(y, three), [x, w.plus(y, 1), z]);
            let tools = Tools::new(&w.terms, Preset::Full, 0);
            let of = Loop {
                terms: &w.terms,
                iteration: &inner,
                invariant: w.terms.bool(true),
                state: &w.state,
                tools: &tools,
            };
            let inner = star(of, &Budget::time(Duration::from_secs(10)));
            let end = w.step(w.terms.ge(y, three), [w.plus(x, 1), y, z]);
            vec![Transition::sequence(&w.terms, [&start, &inner, &end])]
        },
        |w, [x, _, z], after, k| {
            let next = w.terms.add(x, k);
            let goes = w.terms.le(next, z);
            w.terms
                .and([goes, are(w, after, [next, w.terms.int(3), z])])
        },
    ));
}
