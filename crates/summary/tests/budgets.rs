//! Summaries within tiny budgets are coarse, and come soon; and without a clock they are the same every time.

mod common;

use std::time::{Duration, Instant};

use common::programs::{graph_of, random_program};
use common::{CLASSES, Class, Random, World, generate};
use rhumb_logic::project::Projector;
use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::{Budget, Work};
use rhumb_summary::star::{Effort, Loop, OPERATORS, Tools, star_by};
use rhumb_summary::{Oracle, OracleOptions, Precision, Preset, Steps, Summaries, forward};

/// Far more than what is done before the first look at the budget, on any machine.
const SOON: Duration = Duration::from_secs(5);

#[test]
fn the_contract_holds_however_little_there_is() {
    type Begin = fn() -> Budget;
    let budgets: [(&str, Begin); 5] = [
        ("no time", || Budget::time(Duration::ZERO)),
        ("1 ms", || Budget::time(Duration::from_millis(1))),
        ("no units", || Budget::unlimited().with_allowance(0)),
        ("1000 units", || Budget::unlimited().with_allowance(1_000)),
        ("20000 units", || Budget::unlimited().with_allowance(20_000)),
    ];
    let (mut decided, mut all) = (0, 0);
    for class in CLASSES {
        for seed in 0..3 {
            for (name, budget) in budgets {
                let mut random = Random::new(seed * 19 + 11);
                let world = World::new();
                let body = generate(&world, class, &mut random);
                let begun = Instant::now();
                let closure = world.closure(&body, OPERATORS, &budget());
                let time = begun.elapsed();
                assert!(time < SOON, "{time:?} with {name} of {class:?}");
                let answer = world.keeps_contract(&body, &closure);
                assert_ne!(answer, Some(false), "{name} of {class:?}, seed {seed}");
                all += 1;
                decided += usize::from(answer.is_some());
            }
        }
    }
    println!("{decided} of {all} contracts were decided");
    assert!(decided * 4 >= all * 3, "{decided} of {all}");
}

/// The text of a closure, and the queries and units that it took.
fn told(class: Class, seed: u64, preset: Preset) -> (String, u64, u64) {
    let mut random = Random::new(seed * 23 + 1);
    let world = World::new();
    let body = generate(&world, class, &mut random);
    let tools = Tools::new(&world.terms, preset, 0);
    let of = Loop {
        terms: &world.terms,
        iteration: &body.iteration,
        invariant: body.invariant,
        state: &world.state,
        tools: &tools,
    };
    let closure = star_by(of, tools.operators(), &Budget::unlimited());
    let costs = tools.costs();
    (
        world.terms.display(world.formula(&closure)).to_string(),
        costs.iter().map(|cost| cost.queries).sum(),
        costs.iter().map(|cost| cost.units).sum(),
    )
}

#[test]
fn the_same_loop_has_the_same_summary_at_the_same_price() {
    let mut asked = 0;
    for class in CLASSES {
        for preset in [Preset::Paper, Preset::Full] {
            let (one, other) = (told(class, 2, preset), told(class, 2, preset));
            assert_eq!(one, other, "{class:?} by {preset:?}");
            asked += one.1;
        }
    }
    assert!(asked > 100, "{asked} queries");
}

/// A level more may take parts apart once more and never takes less.
#[test]
fn efforts_grow_with_the_level() {
    for preset in [Preset::Paper, Preset::Full] {
        let efforts = [0, 1, 2, 40].map(|level| Effort::of_level(preset, level));
        for pair in efforts.windows(2) {
            assert!(pair[0].depth < pair[1].depth);
            assert!(pair[0].query <= pair[1].query && pair[0].hull <= pair[1].hull);
            assert!(pair[0].whole <= pair[1].whole && pair[0].most <= pair[1].most);
        }
    }
}

/// Whatever followed from the summaries of a level follows from those of the next.
#[test]
fn raised_summaries_say_what_they_said_before() {
    let mut decided = 0;
    for seed in 0..24 {
        let mut random = Random::new(seed * 7 + 3);
        let graph = graph_of(&random_program(&mut random));
        if graph.nodes.is_empty() {
            continue;
        }
        let terms = &graph.terms;
        let budget = Budget::time(Duration::from_secs(20));
        let known = forward::at_nodes(&graph, &budget);
        let mut summaries = Summaries::by(Steps::of(&graph, &known), Preset::Paper);
        let first = summaries.to_goals(graph.entry, &budget);
        for node in graph.nodes.indices() {
            summaries.raise(node, &budget);
        }
        let second = summaries.to_goals(graph.entry, &budget);
        let mut projector = Projector::new(terms.clone());
        let limit = Budget::time(Duration::from_secs(1));
        let Ok(required) = projector.exact(first.guard, &first.inputs, &limit) else {
            continue;
        };
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        session.assert(second.guard);
        let follows = session.entails(required, &limit);
        assert_ne!(follows, Some(false), "seed {seed}");
        decided += usize::from(follows.is_some());
    }
    assert!(decided >= 8, "{decided} of 24");
}

/// A row of loops that pass an amount on; before each of them one unit may be lost.
fn row(loops: usize) -> String {
    let phase = |k: usize| {
        format!(
            "if (__VERIFIER_nondet_int() && v{k} > 0) v{k} = v{k} - 1;
             int v{0} = 0; while (v{k} > 0) {{ v{k} = v{k} - 1; v{0} = v{0} + 1; }}\n",
            k + 1
        )
    };
    let phases: String = (0..loops).map(phase).collect();
    format!(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
         int main(void) {{ int n = __VERIFIER_nondet_int(); if (n < 0 || n > 100) return 0;
         int v0 = n; {phases} if (v{loops} + {loops} == n) reach_error(); return 0; }}"
    )
}

/// Of a long row of loops one share of the work shows the end; what is left is looked at with the next shares.
#[test]
fn what_there_was_no_work_for_is_looked_at_again() {
    let graph = graph_of(&row(40));
    let new = || Oracle::new(&graph, OracleOptions::default(), &Budget::unlimited());
    let whole = new().precision(graph.entry, &Budget::unlimited());
    assert_eq!(whole, Precision::Exact);
    let mut oracle = new();
    let mut shares = 0;
    while oracle.precision(graph.entry, &Budget::unlimited().within(Work::secs(1))) != whole {
        shares += 1;
        assert!(shares < 100, "no share brings anything new");
    }
    assert!(shares >= 2, "{shares} shares were too little");
    // Without work nothing is said, and nothing is spoilt.
    let mut idle = new();
    let nothing = Budget::unlimited().within(Work::NONE);
    assert_eq!(idle.precision(graph.entry, &nothing), Precision::Nothing);
    assert_eq!(idle.precision(graph.entry, &Budget::unlimited()), whole);
}
