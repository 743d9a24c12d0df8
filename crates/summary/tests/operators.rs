//! Loop operators: no run escapes them, they keep their contract, and they say something.

mod common;

use std::time::Duration;

use common::{Body, CLASSES, Class, Random, World, generate};
use rhumb_logic::eval::evaluate_all;
use rhumb_logic::num::Int;
use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::transition::Outcome;
use rhumb_logic::{Assignment, Budget, Sort, Term, Transition, Value};
use rhumb_summary::star::{Closure, LoopOperator, OPERATORS};

fn budget() -> Budget {
    Budget::time(Duration::from_secs(3))
}

/// Each operator alone, and all together.
fn choices() -> Vec<(&'static str, &'static [LoopOperator])> {
    let alone = OPERATORS
        .iter()
        .map(|operator| (operator.name, std::slice::from_ref(operator)));
    alone.chain([("all", OPERATORS)]).collect()
}

/// A run: the states that it passes at the head.
fn run(world: &World, body: &Body, random: &mut Random) -> Vec<Assignment> {
    let terms = &world.terms;
    let random_state = |random: &mut Random, low: i64| -> Assignment {
        let value = |random: &mut Random| Value::Int(Int::from(random.range(low, 8)));
        let pairs = world.state.iter().map(|&symbol| (symbol, value(random)));
        pairs.collect()
    };
    let allowed = |state: &Assignment| {
        let value = evaluate_all(terms, &[body.invariant], state);
        value[0] == Some(Value::Bool(true))
    };
    let start = random_state(random, 0);
    if !allowed(&start) {
        return Vec::new();
    }
    let mut states = vec![start];
    while states.len() < 9 {
        let next = (0..3).find_map(|_| {
            let inputs = body.iteration.inputs.iter().map(|&input| {
                let value = match terms.symbol_info(input).sort {
                    rhumb_logic::Sort::Bool => Value::Bool(random.flip()),
                    _ => Value::Int(Int::from(random.range(0, 3))),
                };
                (input, value)
            });
            let inputs: Assignment = inputs.collect();
            let state = states.last().expect("a state");
            match body.iteration.apply(terms, state, &inputs) {
                Outcome::To(state) => Some(state),
                Outcome::Blocked | Outcome::Unknown => None,
            }
        });
        match next {
            Some(state) if allowed(&state) => states.push(state),
            _ => break,
        }
    }
    states
}

/// How many pairs of states of the runs the closure was seen to relate, with the right number of iterations. None may be outside.
fn related(world: &World, body: &Body, closure: &Closure, runs: &[Vec<Assignment>]) -> usize {
    let mut session = Session::new(world.terms.clone(), SessionOptions::default());
    session.assert(world.formula(closure));
    let mut pairs = 0;
    for states in runs {
        for (number, state) in states.iter().enumerate() {
            // Beginning, end and something between are enough of a long run.
            if number > 2 && number + 1 < states.len() {
                continue;
            }
            let mut fixed = world.has_values(&world.state, &states[0]);
            fixed.extend(world.has_values(&world.after, state));
            let count = world.terms.int(i64::try_from(number).expect("few"));
            fixed.push(world.terms.eq(world.k(), count));
            let answer = session.check_assuming(&fixed, &budget());
            assert!(
                !answer.is_unsat(),
                "{number} iterations of {} are not in {}",
                world.terms.display(body.iteration.guard),
                world.terms.display(closure.transition.guard),
            );
            pairs += usize::from(answer.is_sat());
        }
    }
    pairs
}

#[test]
fn no_run_escapes() {
    let mut pairs = 0;
    for class in CLASSES {
        for seed in 0..8 {
            let mut random = Random::new(seed * 31 + 7);
            let world = World::new();
            let body = generate(&world, class, &mut random);
            let runs: Vec<_> = (0..4).map(|_| run(&world, &body, &mut random)).collect();
            for (_, operators) in choices() {
                let closure = world.closure(&body, operators, &budget());
                pairs += related(&world, &body, &closure, &runs);
            }
        }
    }
    println!("{pairs} pairs of states are related as they must be");
    assert!(pairs > 5_000);
}

#[test]
fn without_time_summaries_are_coarse_and_sound() {
    let mut pairs = 0;
    for class in CLASSES {
        for seed in 0..10 {
            let mut random = Random::new(seed * 11 + 5);
            let world = World::new();
            let body = generate(&world, class, &mut random);
            let runs: Vec<_> = (0..2).map(|_| run(&world, &body, &mut random)).collect();
            for limit in [Duration::ZERO, Duration::from_millis(1)] {
                let closure = world.closure(&body, OPERATORS, &Budget::time(limit));
                pairs += related(&world, &body, &closure, &runs);
            }
        }
    }
    assert!(pairs > 300, "{pairs}");
}

#[test]
fn the_contract_holds() {
    let (mut decided, mut all) = (0, 0);
    for class in CLASSES {
        for seed in 0..3 {
            for (name, operators) in choices() {
                let mut random = Random::new(seed * 17 + 3);
                let world = World::new();
                let body = generate(&world, class, &mut random);
                let closure = world.closure(&body, operators, &budget());
                let answer = world.keeps_contract(&body, &closure);
                assert_ne!(
                    answer,
                    Some(false),
                    "{name} of {class:?}, seed {seed}: {}",
                    world.terms.display(body.iteration.guard)
                );
                all += 1;
                decided += usize::from(answer.is_some());
            }
        }
    }
    println!("{decided} of {all} contracts were decided");
    assert!(decided * 4 >= all * 3, "{decided} of {all}");
}

/// Whether the closure excludes one of a few pairs of states, for one iteration or more.
fn says_something(
    world: &World,
    body: &Body,
    operators: &[LoopOperator],
    random: &mut Random,
) -> bool {
    let terms = &world.terms;
    let closure = world.closure(body, operators, &budget());
    let mut session = Session::new(terms.clone(), SessionOptions::default());
    session.assert(world.formula(&closure));
    session.assert(terms.ge(world.k(), terms.int(1)));
    (0..12).any(|_| {
        let mut fixed = Vec::new();
        for (&before, &after) in world.state.iter().zip(&world.after) {
            let [one, other] = [0; 2].map(|_| terms.int(random.range(-3, 20)));
            // What no iteration changes is not for the operator to say.
            let updates = &body.iteration.updates;
            let is_changed = updates.iter().any(|update| update.0 == before);
            let other = if is_changed { other } else { one };
            fixed.push(terms.eq(terms.var(before), one));
            fixed.push(terms.eq(terms.var(after), other));
        }
        session.check_assuming(&fixed, &budget()).is_unsat()
    })
}

#[test]
fn operators_are_useful_on_their_classes() {
    let classes = [
        ("acceleration", Class::Translation),
        ("acceleration", Class::Resets),
        ("recurrences", Class::Branching),
        ("recurrences", Class::Inputs),
        ("strides", Class::Strides),
        ("guards", Class::Branching),
        ("guards", Class::Unsigned),
        ("last iteration", Class::Inputs),
        ("last iteration", Class::Resets),
        ("phases", Class::Phases),
        ("period", Class::Remainders),
        ("machine", Class::Machine),
        ("machine", Class::Phases),
        ("few values", Class::Values),
        ("products", Class::Products),
        ("few iterations", Class::Few),
        ("counters", Class::Counters),
        ("value graph", Class::Control),
    ];
    for (name, class) in classes {
        let operator = OPERATORS.iter().find(|operator| operator.name == name);
        let operator = std::slice::from_ref(operator.expect("an operator"));
        let useful = (0..40).filter(|&seed| {
            let mut random = Random::new(seed * 13 + 1);
            let world = World::new();
            let body = generate(&world, class, &mut random);
            says_something(&world, &body, operator, &mut random)
        });
        let useful = useful.count();
        println!("{name} says something of {useful} of 40 loops of class {class:?}");
        assert!(useful >= 32, "{name} on {class:?}: {useful} of 40");
    }
}

/// A loop that turns a truth value over while it counts: what is said of numbers stays, and nothing is subtracted that is none.
#[test]
fn what_is_no_number_is_left_alone() {
    for (name, operators) in choices() {
        let mut world = World::new();
        let terms = world.terms.clone();
        let [flag, flag_after] = ["f", "f'"].map(|name| terms.symbol(name, Sort::Bool));
        world.state.push(flag);
        world.after.push(flag_after);
        let [x, y, z] = world.before();
        let flag = terms.var(flag);
        let grown = terms.ite(flag, world.plus(y, 2), world.plus(y, 1));
        let values = [world.plus(x, 1), grown, z, terms.not(flag)];
        let updates = world.state.iter().copied().zip(values);
        let guard = terms.or([flag, terms.lt(x, terms.int(10))]);
        let body = Body {
            iteration: Transition::new(&terms, updates, guard, []),
            invariant: terms.bool(true),
        };
        let closure = world.closure(&body, operators, &budget());
        let answer = world.keeps_contract(&body, &closure);
        assert_ne!(answer, Some(false), "{name}");
        let relation = world.formula(&closure);
        let [x_after, y_after, _] = world.afterwards();
        let three = terms.eq(world.k(), terms.int(3));
        let escapes = |claim: Term| world.is_unsat(terms.and([relation, three, terms.not(claim)]));
        if name == "all" {
            // Three times round: x grows by three, y by four or five.
            assert_eq!(escapes(terms.eq(x_after, world.plus(x, 3))), Some(true));
            assert_eq!(escapes(terms.le(y_after, world.plus(y, 6))), Some(true));
        }
        assert_eq!(escapes(terms.eq(y_after, world.plus(y, 4))), Some(false));
        assert_eq!(escapes(flag), Some(false), "{name}");
    }
}
