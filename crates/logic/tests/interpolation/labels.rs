//! Labels: sets of clauses, what they mean, and how short they stay.

use super::*;

/// Insertion keeps the meaning and leaves out what is subsumed.
#[test]
fn labels_mean_the_conjunction_of_what_was_inserted() {
    let mut random = Random(22);
    let (mut shorter, mut total) = (0, 0);
    for _ in 0..300 {
        let scope = Scope::new(2, 0);
        let terms = &scope.terms;
        let mut label = Label::top();
        let mut inserted = Vec::new();
        for _ in 0..6 {
            // Clauses over few atoms, so that subsumption happens.
            let x = terms.var(scope.ints[random.below(2)]);
            let atom = |random: &mut Random| {
                let limit = terms.int(random.between(-2, 2));
                match random.below(5) {
                    0 => terms.le(x, limit),
                    1 => terms.ge(x, limit),
                    2 => terms.eq(x, limit),
                    3 => terms.ne(x, limit),
                    _ => terms.congruent(x, 1 << random.below(3), random.between(0, 3)),
                }
            };
            let clause = terms.or((0..=random.below(3)).map(|_| atom(&mut random)));
            label.insert(terms, clause);
            inserted.push(clause);
        }
        shorter += usize::from(label.clauses().len() < 6);
        total += 1;
        let (formula, all) = (label.formula(terms), terms.and(inserted));
        for state in states(4) {
            assert_eq!(holds(&scope, formula, &state), holds(&scope, all, &state));
        }
    }
    assert!(
        shorter * 2 > total,
        "{shorter} of {total} had something to leave out"
    );
}

/// Entailment against listing all states, and what it cost.
#[test]
fn entailment_is_decided_cheap_before_dear() {
    let mut random = Random(23);
    let scope = Scope::new(2, 0);
    let terms = &scope.terms;
    let mut store: LabelStore<u32> = LabelStore::new(terms.clone(), SessionOptions::default());
    let range = |variable: usize| terms.within(-3, terms.var(scope.ints[variable]), 3);
    for place in 0..2 {
        store.add_fact(place, range(0));
        store.add_fact(place, range(1));
    }
    let labels: Vec<Label> = (0..40)
        .map(|_| {
            let formula = Test::random(&mut random, &scope, SMALL).build(&scope);
            let more = Test::random(&mut random, &scope, SMALL).build(&scope);
            Label::of(terms, terms.and([formula, more]))
        })
        .collect();
    let mut yes = 0;
    let mut total = 0;
    for round in 0..2 {
        for premise in &labels {
            for conclusion in labels.iter().skip(round).step_by(3) {
                let (p, c) = (premise.formula(terms), conclusion.formula(terms));
                let truth = states(3)
                    .iter()
                    .all(|state| !holds(&scope, p, state) || holds(&scope, c, state));
                let place = u32::from(total % 2 == 0);
                let found = store.entails(place, premise, conclusion, &budget());
                assert_eq!(found, Some(truth));
                let formula = store.entails_formula(place, premise, c, &budget());
                assert_eq!(formula, Some(truth));
                yes += usize::from(truth);
                total += 1;
            }
        }
    }
    let statistics = store.statistics();
    println!("{yes} of {total}: {statistics:?}");
    assert!(yes * 4 > total && yes * 4 < total * 3, "{yes} of {total}");
    assert!(statistics.refuted > statistics.asked, "{statistics:?}");
    // A fact that excludes remembered counter-models.
    let x = terms.var(scope.ints[0]);
    let (low, lower) = (
        Label::of(terms, terms.le(x, terms.int(5))),
        Label::of(terms, terms.le(x, terms.int(1))),
    );
    assert_eq!(store.entails(9, &low, &lower, &budget()), Some(false));
    store.add_fact(9, terms.le(x, terms.int(0)));
    assert_eq!(store.entails(9, &low, &lower, &budget()), Some(true));
}

/// Long paths: the core is short, and so is every label.
#[test]
fn labels_of_long_paths_stay_short() {
    let scope = Scope::new(3, 0);
    let terms = &scope.terms;
    let [x, y, z] = [0, 1, 2].map(|index| terms.var(scope.ints[index]));
    let input = terms.symbol("i", Sort::Int);
    let i = terms.var(input);
    // x counts, y sums up inputs, z copies inputs: only x matters.
    let step = Transition::new(
        terms,
        [
            (scope.ints[0], terms.add(x, terms.int(2))),
            (scope.ints[1], terms.add(y, i)),
            (scope.ints[2], i),
        ],
        terms.and([terms.ge(i, z), terms.le(x, terms.int(1000))]),
        [input],
    );
    let path = vec![&step; 200];
    let query = PathQuery {
        pre: terms.eq(x, terms.int(0)),
        path: &path,
        post: terms.ne(x, terms.int(399)),
        known: &[],
    };
    let refutation = refuted(&scope, &query);
    let labels = refutation.labels.expect("labels");
    assert_eq!(
        verify(&mut fresh(&scope), &query, &labels, &budget()),
        Some(true)
    );
    for label in &labels {
        assert_eq!(label.clauses().len(), 1);
        assert_eq!(terms.symbols([label.formula(terms)]), [scope.ints[0]]);
    }
    for step in &refutation.core.steps {
        assert!(step.guards.is_empty() && step.updates == [scope.ints[0]]);
    }
}
