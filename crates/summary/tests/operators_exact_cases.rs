//! Loops of several cases whose closure has a closed form: machines, turns, counters with resets, symbolic steps,
//! nests. The summary equals it.

mod common;

use std::time::Duration;

use common::World;
use common::exact::{Case, add, are, case, is_exact, with_invariant};
use rhumb_logic::{Budget, Term, Transition};
use rhumb_summary::Preset;
use rhumb_summary::star::{Loop, Tools, star};

/// What the states of a machine before a given one add up to.
fn before_state(w: &World, state: Term, weights: &[i64]) -> Term {
    let mut sum = 0;
    let mut result = w.terms.int(0);
    for (number, weight) in (0..).zip(weights) {
        let is_it = w.terms.eq(state, w.terms.int(number));
        result = w.terms.ite(is_it, w.terms.int(sum), result);
        sum += weight;
    }
    result
}

/// A machine that goes round and adds something else in each state.
fn weighted_ring(weights: &'static [i64]) -> Case {
    let states = i64::try_from(weights.len()).expect("few");
    with_invariant(
        |w| w.terms.within(0, w.before()[0], states - 1),
        |w| {
            let [x, y, z] = w.before();
            let step = |(state, weight): (i64, &i64)| {
                let next = w.terms.int((state + 1) % states);
                let here = w.terms.eq(x, w.terms.int(state));
                w.step(here, [next, w.plus(y, *weight), z])
            };
            (0..).zip(weights).map(step).collect()
        },
        |w, [x, y, z], after, k| {
            let moved = w.terms.add(x, k);
            let (rounds, end) = (w.terms.div(moved, states), w.terms.modulo(moved, states));
            let around = weights.iter().sum::<i64>();
            let start = before_state(w, x, weights);
            let rest = w.terms.sub(before_state(w, end, weights), start);
            let value = w.terms.add(add(w, y, around, rounds), rest);
            w.terms.and([
                w.terms.within(0, x, states - 1),
                are(w, after, [end, value, z]),
            ])
        },
    )
}

#[test]
fn machine_of_five_states_with_effects() {
    is_exact(&weighted_ring(&[1, 2, 0, 3, 1]));
}

#[test]
fn two_branches_in_turn() {
    is_exact(&weighted_ring(&[1, 3]));
}

#[test]
fn machine_that_waits_or_moves_on() {
    is_exact(&with_invariant(
        |w| w.terms.within(0, w.before()[0], 4),
        |w| {
            let [x, y, z] = w.before();
            let steps = (0..=4).flat_map(|state: i64| {
                let here = w.terms.eq(x, w.terms.int(state));
                let waits = w.step(here, [x, y, z]);
                let moves = w.step(here, [w.terms.int(state + 1), w.plus(y, 1), z]);
                if state < 4 {
                    vec![waits, moves]
                } else {
                    vec![waits]
                }
            });
            steps.collect()
        },
        |w, [x, y, z], after, k| {
            let moves = w.terms.sub(after[0], x);
            w.terms.and([
                w.terms.within(0, x, 4),
                w.terms.le(x, after[0]),
                w.terms.le(after[0], w.terms.int(4)),
                w.terms.le(moves, k),
                are(w, after, [after[0], w.terms.add(y, moves), z]),
            ])
        },
    ));
}

#[test]
fn three_phases() {
    // Up by one to 3, then by two to 8, then by three.
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            let [three, eight] = [3, 8].map(|bound| w.terms.lt(x, w.terms.int(bound)));
            let later = w.terms.ite(eight, w.plus(x, 2), w.plus(x, 3));
            let next = w.terms.ite(three, w.plus(x, 1), later);
            vec![w.step(w.terms.bool(true), [next, y, z])]
        },
        |w, [x, y, z], after, k| {
            let (zero, t) = (w.terms.int(0), &w.terms);
            let least = |a: Term, b: Term| t.ite(t.le(a, b), a, b);
            let positive = |a: Term| t.ite(t.le(a, zero), zero, a);
            let ones = least(k, positive(t.sub(t.int(3), x)));
            let x = t.add(x, ones);
            let left = t.sub(k, ones);
            // As many twos as it takes to reach 8.
            let twos = least(left, positive(t.div(t.sub(t.int(9), x), 2)));
            let x = add(w, x, 2, twos);
            let x = add(w, x, 3, t.sub(left, twos));
            are(w, after, [x, y, z])
        },
    ));
}

#[test]
fn copy_of_a_growing_variable() {
    is_exact(&case(
        |w| {
            let [x, _, z] = w.before();
            vec![w.step(w.terms.lt(x, z), [w.plus(x, 1), x, z])]
        },
        |w, [x, _, z], after, k| {
            let next = w.terms.add(x, k);
            let goes = w.terms.le(next, z);
            w.terms
                .and([goes, are(w, after, [next, w.plus(next, -1), z])])
        },
    ));
}

#[test]
fn copy_that_the_guard_reads() {
    // The guard is about the old value first, and about what was copied afterwards.
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            vec![w.step(w.terms.lt(y, z), [w.plus(x, 2), w.plus(x, 5), z])]
        },
        |w, [x, y, z], after, k| {
            let t = &w.terms;
            let copied = |j: Term| w.plus(add(w, x, 2, w.plus(j, -1)), 5);
            let again = t.or([t.eq(k, t.int(1)), t.lt(copied(w.plus(k, -1)), z)]);
            let values = [add(w, x, 2, k), copied(k), z];
            t.and([t.lt(y, z), again, are(w, after, values)])
        },
    ));
}

#[test]
fn step_of_few_values() {
    is_exact(&with_invariant(
        |w| w.terms.within(0, w.before()[2], 3),
        |w| {
            let [x, y, z] = w.before();
            let guard = w.terms.lt(x, w.terms.int(20));
            vec![w.step(guard, [w.terms.add(x, z), w.plus(y, 1), z])]
        },
        |w, [x, y, z], after, k| {
            let t = &w.terms;
            let with = |step: i64| {
                let last = add(w, x, step, w.plus(k, -1));
                t.and([
                    t.eq(z, t.int(step)),
                    t.lt(x, t.int(20)),
                    t.lt(last, t.int(20)),
                    are(w, after, [add(w, x, step, k), t.add(y, k), z]),
                ])
            };
            t.or((0..=3).map(with).collect::<Vec<_>>())
        },
    ));
}

#[test]
fn counter_with_a_reset() {
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            let always = w.terms.bool(true);
            vec![
                w.step(always, [w.plus(x, 1), y, z]),
                w.step(always, [w.terms.int(0), w.plus(y, 1), z]),
            ]
        },
        |w, [x, y, z], after, k| {
            let t = &w.terms;
            let resets = t.sub(after[1], y);
            let never = are(w, after, [t.add(x, k), y, z]);
            let some = t.and([
                t.ge(resets, t.int(1)),
                t.ge(after[0], t.int(0)),
                t.le(t.add(after[0], resets), k),
                t.eq(after[2], z),
            ]);
            t.or([never, some])
        },
    ));
}

#[test]
fn two_counters_with_resets_of_their_own() {
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            let (always, zero) = (w.terms.bool(true), w.terms.int(0));
            vec![
                w.step(always, [w.plus(x, 1), w.plus(y, 1), z]),
                w.step(always, [zero, y, z]),
                w.step(always, [x, zero, z]),
            ]
        },
        |w, [x, y, z], after, k| {
            let t = &w.terms;
            let zero = t.int(0);
            let [first, second, third] = after;
            // One was reset: the other has grown by all that is not a reset.
            let one = |reset: Term, kept: Term, old: Term| {
                let grown = t.sub(kept, old);
                t.and([
                    t.ge(reset, zero),
                    t.le(reset, grown),
                    t.le(w.plus(grown, 1), k),
                ])
            };
            let both = t.and([
                t.ge(first, zero),
                t.ge(second, zero),
                t.le(w.plus(first, 2), k),
                t.le(w.plus(second, 2), k),
            ]);
            let none = t.and([t.eq(first, t.add(x, k)), t.eq(second, t.add(y, k))]);
            let ways = t.or([none, one(first, second, y), one(second, first, x), both]);
            t.and([ways, t.eq(third, z)])
        },
    ));
}

#[test]
fn doubled_a_few_times() {
    is_exact(&with_invariant(
        |w| w.terms.within(0, w.before()[0], 4),
        |w| {
            let [x, y, z] = w.before();
            let guard = w.terms.lt(x, w.terms.int(4));
            vec![w.step(guard, [w.plus(x, 1), w.terms.add(y, y), z])]
        },
        |w, [x, y, z], after, k| {
            let t = &w.terms;
            let times = |number: u32| {
                let doubled = t.scale(i64::from(2_u32.pow(number)), y);
                let values = [w.plus(x, i64::from(number)), doubled, z];
                t.and([t.eq(k, t.int(number)), are(w, after, values)])
            };
            let ways = t.or((1..=4).map(times).collect::<Vec<_>>());
            let in_range = [t.ge(x, t.int(0)), t.le(t.add(x, k), t.int(4))];
            t.and([in_range[0], in_range[1], ways])
        },
    ));
}

#[test]
fn nested_with_a_flag() {
    // The inner loop counts to 1000 and clears a flag on the way; what it does is the same every time.
    is_exact(&case(
        |w| {
            let [x, y, z] = w.before();
            let (t, last) = (&w.terms, w.terms.int(1000));
            let start = w.step(t.lt(x, t.int(10)), [x, t.int(0), t.int(1)]);
            let flag = t.ite(t.ge(y, t.int(300)), t.int(0), z);
            let inner = w.step(t.lt(y, last), [x, w.plus(y, 1), flag]);
            let tools = Tools::new(t, Preset::Full, 0);
            let of = Loop {
                tools: &tools,
                terms: t,
                iteration: &inner,
                invariant: t.bool(true),
                state: &w.state,
            };
            let inner = star(of, &Budget::time(Duration::from_secs(10)));
            let is_clear = t.eq(z, t.int(0));
            let next = t.ite(is_clear, w.plus(x, 1), w.plus(x, 2));
            let end = w.step(t.ge(y, last), [next, y, z]);
            vec![Transition::sequence(t, [&start, &inner, &end])]
        },
        |w, [x, _, _], after, k| {
            let t = &w.terms;
            let next = t.add(x, k);
            let values = [next, t.int(1000), t.int(0)];
            t.and([t.le(next, t.int(10)), are(w, after, values)])
        },
    ));
}
