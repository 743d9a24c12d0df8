//! What every sequence of passes keeps: a run ends the same way on the same inputs, and its steps lead back to the steps of the run of the
//! program as lowered.

use std::collections::HashSet;

use proptest::prelude::*;
use rhumb_program::graph::CallGraph;
use rhumb_program::passes::{
    Goals, LocRef, Passed, Restore, constants, contract, dead, inline, prune,
};
use rhumb_program::*;

use crate::exec::{Outcome, Run, run};
use crate::generate;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Pass {
    Inline,
    InlineTightly,
    Prune,
    Constants,
    Dead,
    Contract,
}

const PASSES: [Pass; 6] = [
    Pass::Inline,
    Pass::InlineTightly,
    Pass::Prune,
    Pass::Constants,
    Pass::Dead,
    Pass::Contract,
];

/// How much the tests saw, so that they can't become empty without anybody noticing.
#[derive(Default, Debug)]
struct Seen {
    programs: usize,
    compared_runs: usize,
    goals_reached: usize,
    runs_with_calls: usize,
    runs_with_inputs: usize,
    undefined: usize,
}

fn apply(pass: Pass, program: &Program) -> Passed {
    let result = match pass {
        Pass::Inline => inline::run(program, 100_000).passed,
        Pass::InlineTightly => {
            let edges: usize = program.functions.iter().map(|f| f.cfa.edges.len()).sum();
            inline::run(program, edges + 15).passed
        }
        Pass::Prune => prune::run(program, &Goals::all_targets(program)),
        Pass::Constants => constants::run(program),
        Pass::Dead => dead::run(program),
        Pass::Contract => contract::run(program),
    };
    if let Err(invalid) = result.program.validate() {
        panic!(
            "{pass:?} makes a {invalid}\nof\n{}\nnamely\n{}",
            program.to_text(),
            result.program.to_text()
        );
    }
    assert_eq!(result.program.inputs.len(), program.inputs.len());
    if pass == Pass::Prune {
        assert_no_dead_code(&result.program);
    }
    result
}

/// Everything that is left can be reached, apart from exits.
fn assert_no_dead_code(program: &Program) {
    let called = CallGraph::of(program).reachable(program.start);
    for (id, function) in program.functions.iter_enumerated() {
        let cfa = &function.cfa;
        assert!(called[id] || cfa.edges.is_empty(), "{}", program.to_text());
        let reached = cfa.reachable();
        for (at, _) in reached.iter_enumerated().filter(|&(_, &reached)| !reached) {
            assert_eq!(at, cfa.exit, "{}", program.to_text());
        }
    }
}

fn is_goal(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Target(_) | Outcome::Unsupported)
}

/// Whether the steps after the passes are those before; with gaps if passes remove steps.
fn check_steps(before: &Run, after: &Run, gaps: bool, prefix: bool) {
    let mut rest = before.steps.iter();
    for step in &after.steps {
        let original = loop {
            let original = rest
                .next()
                .unwrap_or_else(|| panic!("{step:?} is no step of the original run any more"));
            if (original.context, original.edge) == (step.context, step.edge) {
                break original;
            }
            assert!(gaps, "{step:?} instead of {original:?}");
        };
        if let (Some(expected), Some(actual)) = (original.set, step.set) {
            assert_eq!(actual, expected, "at {step:?}");
        }
    }
    if !gaps && !prefix {
        assert_eq!(rest.next(), None, "steps are missing at the end");
    }
}

/// The heads of the loops of the program as lowered.
fn loop_heads(program: &Program) -> HashSet<LocRef> {
    program
        .functions
        .iter_enumerated()
        .flat_map(|(function, body)| {
            let heads: Vec<LocRef> = body
                .cfa
                .loops()
                .heads()
                .iter()
                .map(|&location| LocRef { function, location })
                .collect();
            heads
        })
        .collect()
}

/// Applies passes to a random program.
fn check(numbers: &[u32], passes: &[Pass], seen: &mut Seen) {
    let program = generate::program(numbers);
    program
        .validate()
        .unwrap_or_else(|invalid| panic!("{invalid}"));
    check_program(&program, passes, seen);
}

/// Every pass by itself has to keep what it is given, and all of them together the program as lowered.
fn check_program(program: &Program, passes: &[Pass], seen: &mut Seen) {
    seen.programs += 1;
    let mut whole = Passed::unchanged(program);
    for &pass in passes {
        let one = apply(pass, &whole.program);
        compare(&whole.program, &one, &[pass], &mut Seen::default());
        whole = whole.then(|_| one);
    }
    compare(program, &whole, passes, seen);
}

/// Checks a program, some of whose runs reach a goal, with every pair of passes.
pub(crate) fn keeps_runs(program: &Program) {
    for first in PASSES {
        for second in PASSES {
            let mut seen = Seen::default();
            check_program(program, &[first, second], &mut seen);
            assert!(seen.goals_reached > 0, "{}", program.to_text());
        }
    }
}

fn compare(program: &Program, result: &Passed, passes: &[Pass], seen: &mut Seen) {
    let has = |pass: Pass| passes.contains(&pass);
    let identity = Restore::identity(program);
    let heads = loop_heads(program);
    for seed in 0..6 {
        let before = run(program, &identity, seed, 2_000);
        if before.outcome == Outcome::Limit {
            continue;
        }
        let after = run(&result.program, &result.restore, seed, 20_000);
        seen.compared_runs += 1;
        seen.goals_reached += usize::from(is_goal(before.outcome));
        seen.runs_with_inputs += usize::from(before.inputs > 0);
        seen.undefined += usize::from(matches!(before.outcome, Outcome::Ub(_)));
        let entered: HashSet<u64> = before.steps.iter().map(|step| step.context).collect();
        seen.runs_with_calls += usize::from(entered.len() > 1);
        let report = || {
            format!(
                "{passes:?}, inputs {seed}\n{}\nbecame\n{}",
                program.to_text(),
                result.program.to_text()
            )
        };
        let cut = has(Pass::Prune) && !is_goal(before.outcome);
        if cut && after.outcome == Outcome::Pruned {
            check_steps(&before, &after, has(Pass::Contract), true);
            continue;
        }
        assert_eq!(after.outcome, before.outcome, "{}", report());
        check_steps(&before, &after, has(Pass::Contract), false);
        // What is a loop head for a pass needn't be one for the next: the back edge may be gone.
        if passes.len() == 1 {
            let passed_heads = |run: &Run| -> Vec<(u64, LocRef)> {
                let heads = run.locations.iter().filter(|(_, at)| heads.contains(at));
                heads.copied().collect()
            };
            assert_eq!(passed_heads(&after), passed_heads(&before), "{}", report());
        }
    }
}

pub(crate) fn numbers(seed: u64, count: usize) -> Vec<u32> {
    let mut state = seed;
    (0..count)
        .map(|_| (rhumb_random::next(&mut state) >> 32) as u32)
        .collect()
}

/// Number of programs for each pass: 400, or what `RHUMB_PASS_PROGRAMS` says, for a long run.
fn program_count() -> u64 {
    let given = std::env::var("RHUMB_PASS_PROGRAMS").ok();
    given.and_then(|given| given.parse().ok()).unwrap_or(400)
}

#[test]
fn each_pass_alone_keeps_every_run() {
    for pass in PASSES {
        let mut seen = Seen::default();
        for seed in 0..program_count().max(400) {
            check(&numbers(seed, 600), &[pass], &mut seen);
        }
        assert!(
            seen.compared_runs > 1_400
                && seen.goals_reached > 300
                && seen.runs_with_calls > 300
                && seen.runs_with_inputs > 600
                && seen.undefined > 100,
            "{pass:?}: {seen:?}"
        );
    }
}

#[test]
fn every_order_of_passes_keeps_every_run() {
    let mut seen = Seen::default();
    let mut seed = 1_000;
    for first in PASSES {
        for second in PASSES {
            for third in PASSES {
                for _ in 0..program_count().div_ceil(150) {
                    seed += 1;
                    check(&numbers(seed, 600), &[first, second, third], &mut seen);
                }
            }
        }
    }
    assert!(
        seen.compared_runs > 2_000 && seen.goals_reached > 400,
        "{seen:?}"
    );
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 300,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_orders_keep_every_run(
        numbers in prop::collection::vec(any::<u32>(), 0..600),
        passes in prop::collection::vec(0..PASSES.len(), 1..6),
    ) {
        let passes: Vec<Pass> = passes.into_iter().map(|index| PASSES[index]).collect();
        check(&numbers, &passes, &mut Seen::default());
    }
}
