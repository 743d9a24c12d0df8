//! Whether the summary of a loop equals a closed form.

use std::time::Duration;

use rhumb_logic::{Budget, Term, Transition};
use rhumb_summary::star::OPERATORS;

use super::{Body, World};

/// A world, a loop in it, and the states that one or more iterations relate.
pub struct Case {
    pub world: World,
    pub body: Body,
    pub several: Term,
}

/// That the summary of the loop is exactly the identity for no iteration, and the closed form for one or more.
pub fn is_exact(case: &Case) {
    let Case {
        world,
        body,
        several,
    } = case;
    let terms = &world.terms;
    let k = world.k();
    let same = (world.before().into_iter())
        .zip(world.afterwards())
        .map(|(before, after)| terms.eq(before, after));
    let none = same.chain([terms.eq(k, terms.int(0))]);
    let closed = terms.or([
        terms.and(none.collect::<Vec<_>>()),
        terms.and([terms.ge(k, terms.int(1)), *several]),
    ]);
    let budget = Budget::time(Duration::from_secs(10));
    let closure = world.closure(body, OPERATORS, &budget);
    let summary = world.formula(&closure);
    let too_much = terms.and([summary, terms.not(closed)]);
    assert_eq!(world.is_unsat(too_much), Some(true), "it says too little");
    let projected = world.projected(&closure, Duration::from_secs(10));
    let projected = projected.expect("a projection");
    let missing = terms.and([closed, terms.not(projected)]);
    assert_eq!(world.is_unsat(missing), Some(true), "it says too much");
}

/// A loop of steps to choose from, given by guard and values.
pub fn case(
    steps: impl Fn(&World) -> Vec<Transition>,
    several: impl Fn(&World, [Term; 3], [Term; 3], Term) -> Term,
) -> Case {
    with_invariant(|world| world.terms.bool(true), steps, several)
}

pub fn with_invariant(
    invariant: impl Fn(&World) -> Term,
    steps: impl Fn(&World) -> Vec<Transition>,
    several: impl Fn(&World, [Term; 3], [Term; 3], Term) -> Term,
) -> Case {
    let world = World::new();
    let zero = Transition::zero(&world.terms);
    let iteration = (steps(&world).iter()).fold(zero, |all, step| all.choice(&world.terms, step));
    let invariant = invariant(&world);
    let several = several(&world, world.before(), world.afterwards(), world.k());
    Case {
        body: Body {
            iteration,
            invariant,
        },
        several,
        world,
    }
}

/// That values afterwards are these.
pub fn are(world: &World, after: [Term; 3], values: [Term; 3]) -> Term {
    let pairs = after.into_iter().zip(values);
    let equal = pairs.map(|(after, value)| world.terms.eq(after, value));
    world.terms.and(equal.collect::<Vec<_>>())
}

pub fn add(world: &World, term: Term, factor: i64, count: Term) -> Term {
    world.terms.add(term, world.terms.scale(factor, count))
}
