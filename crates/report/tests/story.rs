//! Which decisions of a run mattered, against the same question asked in C.

#![allow(missing_docs)]

#[path = "../../certify/tests/support/mod.rs"]
mod support;

use rhumb_program::interp::{KeyedInputs, Machine, Outcome, RunLimits};
use rhumb_report::story::{Decision, tell, tell_weighed};
use support::*;

const HEAD: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n";

/// The decisions of the run on these inputs: text, outcome, whether it mattered.
fn decisions(text: &str, values: &[i128]) -> Vec<(String, bool, Option<bool>)> {
    let program = program(&format!("{HEAD}{text}"));
    let mut given = KeyedInputs::new();
    // Of one place all values, of several one each.
    let places = sites(&program).count();
    for (n, &value) in values.iter().enumerate() {
        given.push_value(site(&program, n % places), value as u128, 1);
    }
    let story = tell_weighed(&program, &given);
    let all = story.steps.into_iter().flat_map(|step| step.decisions);
    all.map(|one: Decision| (one.text, one.holds, one.mattered))
        .collect()
}

fn mattered(text: &str, values: &[i128]) -> Vec<(String, Option<bool>)> {
    let all = decisions(text, values).into_iter();
    all.map(|(text, _, mattered)| (text, mattered)).collect()
}

fn expect(text: &str, values: &[i128], expected: &[(&str, Option<bool>)]) {
    let expected: Vec<(String, Option<bool>)> = expected
        .iter()
        .map(|&(text, mattered)| (text.to_owned(), mattered))
        .collect();
    assert_eq!(mattered(text, values), expected, "{text}");
}

#[test]
fn what_the_error_depends_on_is_told_from_what_it_does_not() {
    let text = "int main(void) { int x = __VERIFIER_nondet_int(), y = 0, log = 0;\n\
        if (x > 10) y = 1;\n if (x > 20) log++;\n if (y) reach_error(); return log; }";
    let (yes, no) = (Some(true), Some(false));
    expect(text, &[30], &[("x > 10", yes), ("x > 20", no), ("y", yes)]);
    // The other side of the same decision: not taken, and no less irrelevant.
    expect(text, &[15], &[("x > 10", yes), ("x > 20", no), ("y", yes)]);
}

#[test]
fn a_way_that_was_not_taken_may_matter() {
    let text = "int main(void) { int size = __VERIFIER_nondet_int();\n\
        if (size < 0) size = 0;\n if (size > 8) size = 8;\n if (size == 12) reach_error();\n\
        if (size > 8) reach_error(); return 0; }";
    let found = mattered(text, &[9]);
    assert!(
        found.iter().all(|(_, mattered)| mattered.is_none()),
        "no target, no marks: {found:?}"
    );
    let text = text.replace("size > 8) size", "size > 100) size");
    let (yes, no) = (Some(true), Some(false));
    // Set to zero, or to eight, it would have been right; and at the other error the run is not at this one.
    let expected = [
        ("size < 0", yes),
        ("size > 100", yes),
        ("size == 12", yes),
        ("size > 8", yes),
    ];
    expect(&text, &[9], &expected);
    let twice = "int main(void) { if (__VERIFIER_nondet_int() || __VERIFIER_nondet_int()) reach_error(); return 0; }";
    let first = "__VERIFIER_nondet_int()";
    expect(twice, &[1, 1], &[(first, no)]);
    expect(twice, &[1, 0], &[(first, yes)]);
}

#[test]
fn what_does_not_come_to_an_end_is_not_judged() {
    let text = "int main(void) { unsigned i = 0; int x = __VERIFIER_nondet_int();\n\
        if (x == 3) i = 1;\n while (i != 1) i += 2;\n reach_error(); }";
    let found = mattered(text, &[3]);
    assert_eq!(found[0], ("x == 3".to_owned(), None), "{found:?}");
    let story = {
        let program = program(&format!("{HEAD}{text}"));
        tell(&program, &inputs(&program, &[3]))
    };
    let mut all = story.steps.iter().flat_map(|step| &step.decisions);
    assert!(all.all(|decision| decision.mattered.is_none()));
}

#[test]
fn rounds_of_a_loop_are_decisions_of_their_own() {
    let text = "int main(void) { int sum = 0;\n\
        for (int i = 0; i < 4; i++)\n sum += __VERIFIER_nondet_int();\n if (sum >= 10) reach_error(); return 0; }";
    let (yes, no) = (Some(true), Some(false));
    // The first three are needed, the last one adds nothing; a fifth round would not change anything, either.
    expect(
        text,
        &[4, 3, 3, 0],
        &[
            ("i < 4", yes),
            ("i < 4", yes),
            ("i < 4", yes),
            ("i < 4", no),
            ("i < 4", no),
            ("sum >= 10", yes),
        ],
    );
}

struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        (rhumb_random::next(&mut self.0) >> 33) % limit
    }
}

/// A random program: its conditions as they are, or each passed through a function that counts and turns one.
fn generated(random: &mut Random, depth: u32, plain: &mut String, turned: &mut String) {
    let variable = |random: &mut Random| ["a", "b", "c"][random.below(3) as usize];
    for _ in 0..1 + random.below(3) {
        let kind = random.below(if depth == 0 { 2 } else { 5 });
        if kind < 2 {
            let (to, from, by) = (variable(random), variable(random), random.below(7));
            let text = format!("{to} = ({from} + {by}) % 11;\n");
            plain.push_str(&text);
            turned.push_str(&text);
            continue;
        }
        let condition = format!("{} % 5 < {}", variable(random), random.below(6));
        let word = match kind {
            2 => "if",
            3 => "if (c > 9) ; else if",
            _ => "for (int i = 0; i < 3; i++) if",
        };
        plain.push_str(&format!("{word} ({condition}) {{\n"));
        let word = word
            .replace("c > 9", "t(c > 9)")
            .replace("i < 3", "t(i < 3)");
        turned.push_str(&format!("{word} (t({condition})) {{\n"));
        generated(random, depth - 1, plain, turned);
        plain.push_str("}\n");
        turned.push_str("}\n");
    }
}

#[test]
fn marks_are_what_turning_the_decision_in_c_comes_to() {
    let mut random = Random(17);
    let (mut yes, mut no) = (0, 0);
    for _ in 0..400 {
        let (mut plain, mut turned) = (String::new(), String::new());
        generated(&mut random, 3, &mut plain, &mut turned);
        let start = "int main(void) { int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c = 1;\n";
        let limit = random.below(9);
        let plain = format!(
            "{HEAD}{start}{plain}if ((a + b) % 9 >= {limit}) reach_error();\nreturn 0; }}\n"
        );
        let turned = format!(
            "{HEAD}int which, count; int t(int x) {{ return x ^ (count++ == which); }}\n\
             {start}which = __VERIFIER_nondet_int();\n{turned}if (t((a + b) % 9 >= {limit})) reach_error();\nreturn 0; }}\n"
        );
        let (plain_program, turned_program) = (program(&plain), program(&turned));
        let values = [random.below(11).into(), random.below(11).into()];
        let story = tell_weighed(&plain_program, &inputs(&plain_program, &values));
        let machine = Machine::compile(&turned_program);
        let reaches = |which: i128| {
            let mut given: KeyedInputs = inputs(&turned_program, &[values[0], values[1], which]);
            let run = machine.run(&mut given, &RunLimits::default());
            matches!(run.outcome, Outcome::Target(_))
        };
        let all = story.steps.iter().flat_map(|step| &step.decisions);
        for decision in all {
            let expected = reaches(-1).then(|| !reaches(decision.number.into()));
            assert_eq!(
                decision.mattered, expected,
                "{decision:?} {values:?}\n{plain}"
            );
            match expected {
                Some(true) => yes += 1,
                Some(false) => no += 1,
                None => {}
            }
        }
    }
    assert!(yes > 300 && no > 1000, "{yes} {no}");
}
