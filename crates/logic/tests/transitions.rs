//! Transition formulas against relations between states, listed pair by pair.

mod common;

use std::collections::BTreeSet;

use common::{Expr, Random, SMALL as SHAPE, Scope, State, Test, assignment, inputs, random_step};
use rhumb_logic::transition::Outcome;
use rhumb_logic::{Int, Symbol, Term, Transition, Value, eval};

/// The states that each state leads to.
type Image = BTreeSet<State>;

/// States to start from.
fn starts() -> Vec<State> {
    let values = || (-2i64..=2).map(Int::from);
    values()
        .flat_map(|x| values().map(move |y| vec![x.clone(), y]))
        .collect()
}

fn image(scope: &Scope, step: &Transition, state: &State) -> Image {
    let before = assignment(&scope.ints, state);
    let mut image = Image::new();
    for inputs in inputs(scope, step) {
        match step.apply(&scope.terms, &before, &inputs) {
            Outcome::To(after) => {
                let value = |symbol| after[symbol].as_int().cloned().expect("an integer");
                image.insert(scope.ints.iter().map(value).collect());
            }
            Outcome::Blocked => {}
            Outcome::Unknown => panic!("everything here has a value"),
        }
    }
    image
}

#[test]
fn basic_steps_mean_what_they_say() {
    let mut random = Random(11);
    for _ in 0..200 {
        let scope = Scope::new(2, 0);
        let terms = &scope.terms;
        let test = Test::random(&mut random, &scope, SHAPE);
        let values: Vec<Expr> = (0..2)
            .map(|_| Expr::random(&mut random, &scope, SHAPE))
            .collect();
        let updates: Vec<(Symbol, Term)> = (scope.ints.iter().copied())
            .zip(values.iter().map(|value| value.build(&scope)))
            .collect();
        let assign = Transition::assign(terms, updates);
        let assume = Transition::assume(test.build(&scope));
        for state in starts() {
            let point = common::Point {
                ints: state.clone(),
                bools: vec![],
            };
            let next: State = values.iter().map(|value| value.value(&point)).collect();
            assert_eq!(image(&scope, &assign, &state), Image::from([next]));
            let stays: Image = test
                .value(&point)
                .then(|| state.clone())
                .into_iter()
                .collect();
            assert_eq!(image(&scope, &assume, &state), stays);
        }
    }
    let scope = Scope::new(2, 0);
    let havoc = Transition::havoc(&scope.terms, [scope.ints[1]]);
    let any = image(&scope, &havoc, &vec![Int::from(7), Int::from(7)]);
    let expected = (-1..=1).map(|value| vec![Int::from(7), Int::from(value)]);
    assert_eq!(any, expected.collect());
    assert!(image(&scope, &Transition::zero(&scope.terms), &starts()[0]).is_empty());
}

/// Composition, choice, meet, restriction and renaming of random steps, and of what these make.
#[test]
fn operations_are_those_of_relations() {
    let mut random = Random(12);
    let (mut pairs, mut blocked) = (0usize, 0usize);
    for round in 0..400 {
        let scope = Scope::new(2, 0);
        let terms = &scope.terms;
        let a = random_step(&mut random, &scope);
        // Now and then a step with itself, whose inputs must be told apart, and the other side of a branch.
        let b = match round % 5 {
            0 => a.clone(),
            1 => {
                let condition = Test::random(&mut random, &scope, SHAPE).build(&scope);
                let b = random_step(&mut random, &scope);
                let other = terms.not(condition);
                check_choice(
                    &scope,
                    &a.restrict(terms, condition),
                    &b.restrict(terms, other),
                );
                b
            }
            _ => random_step(&mut random, &scope),
        };
        check_choice(&scope, &a, &b);
        let composed = a.compose(terms, &b);
        let met = a.meet(terms, &b);
        let twice = composed.choice(terms, &b).compose(terms, &a);
        let formula = Test::random(&mut random, &scope, SHAPE);
        let built = formula.build(&scope);
        let holds = |state: &State| {
            formula.value(&common::Point {
                ints: state.clone(),
                bools: vec![],
            })
        };
        for state in starts() {
            let of = |step: &Transition, state: &State| image(&scope, step, state);
            let then = |first: &Image, step: &Transition| -> Image {
                first.iter().flat_map(|middle| of(step, middle)).collect()
            };
            let (first, second) = (of(&a, &state), of(&b, &state));
            pairs += 1;
            blocked += usize::from(first.is_empty());
            let both = then(&first, &b);
            assert_eq!(of(&composed, &state), both);
            let common: Image = first.intersection(&second).cloned().collect();
            assert_eq!(of(&met, &state), common);
            let either: Image = both.union(&second).cloned().collect();
            assert_eq!(of(&twice, &state), then(&either, &a));
            let (renamed, fresh) = a.rename_apart(terms);
            assert!(fresh.iter().all(|input| !a.inputs.contains(input)));
            assert_eq!(of(&renamed, &state), first);
            let from = if holds(&state) {
                first.clone()
            } else {
                Image::new()
            };
            assert_eq!(of(&a.restrict(terms, built), &state), from);
            let to: Image = first.iter().filter(|state| holds(state)).cloned().collect();
            assert_eq!(of(&a.restrict_after(terms, built), &state), to);
        }
    }
    assert!(
        (pairs / 10..pairs * 9 / 10).contains(&blocked),
        "{blocked} of {pairs} blocked"
    );
}

fn check_choice(scope: &Scope, a: &Transition, b: &Transition) {
    let choice = a.choice(&scope.terms, b);
    for state in starts() {
        let (first, second) = (image(scope, a, &state), image(scope, b, &state));
        let either: Image = first.union(&second).cloned().collect();
        assert_eq!(image(scope, &choice, &state), either);
    }
}

/// Two vocabularies, forgetting and compiled steps say the same as applying.
#[test]
fn formulas_and_code_describe_the_same_pairs() {
    let mut random = Random(13);
    for _ in 0..300 {
        let scope = Scope::new(2, 0);
        let terms = &scope.terms;
        let step =
            random_step(&mut random, &scope).choice(terms, &random_step(&mut random, &scope));
        let primed: Vec<Symbol> = scope
            .ints
            .iter()
            .map(|&variable| terms.fresh_copy(variable))
            .collect();
        let formula = step.to_formula(
            terms,
            scope.ints.iter().copied().zip(primed.iter().copied()),
        );
        let compiled = step.compile(terms, &scope.ints);
        let mut frame = compiled.frame();
        let forgotten = step.forget(terms, &scope.ints[1..]);
        for state in starts() {
            let before = assignment(&scope.ints, &state);
            for inputs in inputs(&scope, &step) {
                let outcome = step.apply(terms, &before, &inputs);
                let values = scope.ints.iter().map(|symbol| before[symbol].clone());
                let values: Vec<Value> = values
                    .chain(step.inputs.iter().map(|input| inputs[input].clone()))
                    .collect();
                let code = compiled.eval(&mut frame, &values);
                let taken = matches!(outcome, Outcome::To(_));
                assert_eq!(code[0], Some(Value::Bool(taken)));
                let Outcome::To(after) = outcome else {
                    continue;
                };
                let new: Vec<Option<Value>> = (scope.ints.iter())
                    .map(|symbol| after.get(symbol).cloned())
                    .collect();
                assert_eq!(code[1..], new);
                let mut all = before.clone();
                all.extend(inputs.clone());
                all.extend(primed.iter().copied().zip(new.iter().flatten().cloned()));
                assert!(eval::holds(terms, formula, &all));
                // Another value of a variable afterwards is no pair of the relation.
                let wrong = after[&scope.ints[0]].as_int().expect("an integer") + Int::ONE;
                all.insert(primed[0], Value::Int(wrong));
                assert!(!eval::holds(terms, formula, &all));
                // Without the second variable: the first one's old and new value, for some value of what was forgotten.
                let renamed = forgotten.inputs.iter().filter(|i| !step.inputs.contains(i));
                let mut chosen = inputs.clone();
                chosen.extend(renamed.map(|&input| (input, before[&scope.ints[1]].clone())));
                let mut first = before.clone();
                first.remove(&scope.ints[1]);
                let Outcome::To(result) = forgotten.apply(terms, &first, &chosen) else {
                    panic!("a pair got lost");
                };
                assert_eq!(result.get(&scope.ints[0]), after.get(&scope.ints[0]));
            }
        }
    }
}

/// A long composition and a long row of branches stay linear in size.
#[test]
fn size_is_linear() {
    let sizes: Vec<usize> = [100, 200, 400]
        .into_iter()
        .map(|n| {
            let scope = Scope::new(2, 0);
            let terms = &scope.terms;
            let (x, y) = (terms.var(scope.ints[0]), terms.var(scope.ints[1]));
            let mut path = Transition::identity(terms);
            for step in 0..n {
                let condition = terms.le(terms.add(x, y), terms.int(step));
                let one = Transition::assign(terms, [(scope.ints[0], terms.add(x, y))])
                    .restrict(terms, condition);
                let two = Transition::assign(terms, [(scope.ints[1], terms.sub(y, x))])
                    .restrict(terms, terms.not(condition));
                path = path.compose(terms, &one.choice(terms, &two));
                assert!(path.inputs.is_empty(), "a branch needs no input");
            }
            let roots = path.updates.iter().map(|update| update.1);
            terms.postorder(roots.chain([path.guard])).len()
        })
        .collect();
    assert!(
        sizes[1] < sizes[0] * 5 / 2 && sizes[2] < sizes[1] * 5 / 2,
        "{sizes:?}"
    );
}
