//! Counterexamples, broken on purpose: what makes one wrong is rejected, and a mutant that is accepted is right by plain execution.

#![allow(missing_docs, clippy::print_stdout)]

mod support;

use dashu_int::{IBig, UBig};
use rhumb_certify::counterexample::{Budget, Counterexample, Jump, Segment, check, compress};
use rhumb_program::interp::{KeyedInputs, Machine, Outcome, RunLimits};
use rhumb_program::{Program, TargetId};
use support::generate::{Generator, Random};
use support::*;

/// A random place in the nested segments.
fn list<'a>(segments: &'a mut Vec<Segment>, random: &mut Random) -> &'a mut Vec<Segment> {
    let inner: Vec<usize> = (segments.iter().enumerate())
        .filter(|(_, segment)| matches!(segment, Segment::Jump(_)))
        .map(|(index, _)| index)
        .collect();
    if inner.is_empty() || random.chance(2) {
        return segments;
    }
    match &mut segments[random.pick(&inner)] {
        Segment::Jump(jump) => list(&mut jump.cycle, random),
        Segment::Steps(_) => unreachable!("only jumps were collected"),
    }
}

fn change_count(jump: &mut Jump, random: &mut Random) -> &'static str {
    match random.below(4) {
        0 => {
            jump.count.first += UBig::ONE;
            "count + 1"
        }
        1 => {
            jump.count.first = (IBig::from(jump.count.first.clone()) - IBig::ONE)
                .try_into()
                .unwrap_or(UBig::ZERO);
            "count - 1"
        }
        2 => {
            jump.count.first <<= 1;
            "count doubled"
        }
        _ => {
            jump.count.growth = vec![IBig::from(random.below(3)) - IBig::ONE];
            "growth"
        }
    }
}

fn mutate(mutant: &mut Counterexample, program: &Program, random: &mut Random) -> &'static str {
    if random.chance(6) {
        let mut inputs = KeyedInputs::new();
        for (site, runs) in mutant.inputs.value_runs() {
            for run in runs {
                let change = (random.below(3) as i128 - 1) as u128;
                inputs.push_value(site, run.value.wrapping_add(change), run.count);
            }
        }
        inputs.push_value(site(program, 0), random.below(5) as u128, 3);
        mutant.inputs = inputs;
        return "input";
    }
    let segments = list(&mut mutant.segments, random);
    if segments.is_empty() {
        return "nothing";
    }
    let index = random.below(segments.len());
    match random.below(5) {
        0 => {
            segments.remove(index);
            "dropped"
        }
        1 => {
            let copy = segments[index].clone();
            segments.insert(index, copy);
            "twice"
        }
        2 => {
            let other = random.below(segments.len());
            segments.swap(index, other);
            "swapped"
        }
        _ => match &mut segments[index] {
            Segment::Steps(steps) => {
                *steps = steps.wrapping_add_signed(random.pick(&[1, -1]));
                "steps"
            }
            Segment::Jump(jump) => change_count(jump, random),
        },
    }
}

/// Programs whose error depends on every input and every iteration.
const EXACT: [&str; 3] = [
    "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void) { int n = __VERIFIER_nondet_int(); int sum = 0; int i;
  for (i = 0; i < n; i++) sum += __VERIFIER_nondet_int();
  if (n > 30 && sum == 3 * n) reach_error(); }",
    "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void) { int n = __VERIFIER_nondet_int(); int i, j, sum = 0, last = 0;
  for (i = 0; i < n; i++) { sum = 0; for (j = 0; j < 2 * n; j++) sum += __VERIFIER_nondet_int() - 2; last = sum; }
  if (n > 30 && 500 <= n * 2 * n && last == -4 * n) reach_error(); }",
    "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void) { int n = __VERIFIER_nondet_int(); int i, j, last = 0;
  for (i = 0; i < n; i++) for (j = 0; j < i; j++) last = i + j;
  if (n > 30 && last == 2 * n - 3) reach_error(); }",
];

#[test]
fn wrong_mutants_are_rejected() {
    let limits = RunLimits {
        steps: 300_000,
        ..RunLimits::default()
    };
    let budget = Budget {
        limits,
        ..Budget::default()
    };
    let (mut mutants, mut wrong, mut right, mut accepted) = (0u32, 0u32, 0u32, 0u32);
    let mut seen = std::collections::BTreeMap::<&str, (u32, u32)>::new();
    for seed in 0..160 {
        // Half of the programs reach the error on a few inputs only.
        let text = match seed % 2 {
            0 => Generator::program(seed),
            _ => EXACT[seed as usize / 2 % EXACT.len()].to_owned(),
        };
        let program = program(&text);
        let mut random = Random::new(seed + 77);
        let mut inputs = KeyedInputs::new();
        inputs.push_value(site(&program, 0), 40 + random.below(60) as u128, 1);
        if let Some(second) = sites(&program).nth(1) {
            inputs.push_value(second, 3, 500);
        }
        let Ok(found) = compress(&program, &inputs, &budget) else {
            continue;
        };
        if found.segments.len() < 2 {
            continue;
        }
        let machine = Machine::compile(&program);
        // Enough for every one of these programs.
        let plain = |inputs: &KeyedInputs| machine.run(&mut inputs.clone(), &RunLimits::default());
        let original = plain(&found.inputs);
        for _ in 0..30 {
            let mut mutant = found.clone();
            let kind = mutate(&mut mutant, &program, &mut random);
            if mutant == found {
                continue;
            }
            mutants += 1;
            let run = if mutant.inputs == found.inputs {
                original.clone()
            } else {
                plain(&mutant.inputs)
            };
            let is_right = run.outcome == Outcome::Target(mutant.target)
                && mutant.steps() == Some(run.steps.into());
            wrong += u32::from(!is_right);
            right += u32::from(is_right);
            let checked = check(&program, &mutant, &budget);
            let rates = seen.entry(kind).or_default();
            rates.0 += 1;
            if let Ok(checked) = checked {
                accepted += 1;
                rates.1 += 1;
                assert!(is_right, "seed {seed}, {kind}: accepted\n{text}");
                assert_eq!(checked.run.output, run.output, "seed {seed}, {kind}");
            }
        }
    }
    println!(
        "{mutants} mutants: {wrong} wrong, all rejected; {right} right, {accepted} of them accepted"
    );
    for (kind, (all, accepted)) in &seen {
        println!("  {kind}: {accepted} of {all} accepted");
    }
    assert!(wrong > 2000, "{wrong}");
    assert!(
        accepted > 0 && accepted * 2 > right,
        "{accepted} of {right}"
    );
}

#[test]
fn another_target_is_rejected() {
    let program = program(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void) { if (__VERIFIER_nondet_int()) reach_error(); reach_error(); }",
    );
    let budget = Budget::default();
    let mut found = compress(&program, &KeyedInputs::new(), &budget).unwrap();
    check(&program, &found, &budget).unwrap();
    for target in 0..5 {
        let target = TargetId::from_raw(target);
        if target != found.target {
            let right = std::mem::replace(&mut found.target, target);
            check(&program, &found, &budget).unwrap_err();
            found.target = right;
        }
    }
}
