//! Violation witnesses.

use rhumb_certify::counterexample::Budget;
use rhumb_certify::witness::{Content, Validity};
use rhumb_certify::{Verdict, certify_unsafe};
use rhumb_program::interp::{Limits, ListInputs, Machine, Recorder};

use crate::schema;
use crate::support::{checked, head, lower, written};

const SUM: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\nint main(void) {\n  \
                   int x = __VERIFIER_nondet_int();\n  unsigned char y = __VERIFIER_nondet_uchar();\n  int z = __VERIFIER_nondet_int();\n  \
                   if (x == 1000 && y == 77 && z < -5)\n    reach_error();\n  return 0;\n}\n";

fn violated(text: &str, values: &[i128]) -> (rhumb_program::Program, Verdict) {
    let program = lower(text);
    let mut recorder = Recorder::new(ListInputs::new(&program, values.iter().copied()));
    Machine::compile(&program).run(&mut recorder, &Limits::default());
    let verdict = certify_unsafe(&program, &recorder.into_inputs(), &Budget::default())
        .expect("an error that is reached");
    (program, verdict)
}

#[test]
fn inputs_are_written_in_their_order_and_lead_back_to_the_error() {
    let (program, verdict) = violated(SUM, &[1000, 77, -6]);
    let (witness, notes) = written(&program, &verdict);
    let text = witness.to_string();
    schema::check(&text);
    assert_eq!(notes, []);
    let Content::Violation(segments) = &witness.content else {
        panic!()
    };
    let constraints: Vec<&str> = segments
        .iter()
        .filter_map(|segment| segment.follow.constraint.as_ref().map(|c| &*c.value))
        .collect();
    assert_eq!(
        constraints,
        ["\\result == 1000", "\\result == 77", "\\result == -6"]
    );
    // The closing parenthesis of the first call.
    assert!(text.contains("line: 5\n          column: 33\n"), "{text}");
    assert!(text.contains("type: target\n        action: follow\n        location:\n          file_name: \"test.c\"\n          line: 9\n          column: 5\n"), "{text}");
    assert_eq!(
        checked(&program, &text).unwrap().validity,
        Validity::Violated
    );
}

/// A witness in another tool's words: waypoints as (type, place, constraint).
fn waypoints(all: &[(&str, &str, &str)]) -> String {
    let mut text = head("violation_sequence", SUM);
    for (kind, place, constraint) in all {
        text += &format!(
            "  - segment:\n    - waypoint: {{type: {kind}, action: follow, location: {{file_name: test.c, {place}}}"
        );
        if !constraint.is_empty() {
            text += &format!(", constraint: {{value: {constraint:?}}}");
        }
        text += "}\n";
    }
    text
}

fn validity(all: &[(&str, &str, &str)]) -> Validity {
    checked(&lower(SUM), &waypoints(all))
        .unwrap_or_else(|error| panic!("{error}"))
        .validity
}

#[test]
fn lines_are_enough() {
    let all = [
        ("function_return", "line: 5", "\\result == 1000"),
        ("function_return", "line: 6, column: 21", "77 == \\result"),
        ("function_return", "line: 7", "\\result < -5"),
        ("branching", "line: 8", "true"),
        ("target", "line: 9, column: 5", ""),
    ];
    assert_eq!(validity(&all), Validity::Violated);
}

#[test]
fn missing_values_are_searched_for() {
    let all = [
        ("function_return", "line: 6", "\\result == 77"),
        ("target", "line: 9", ""),
    ];
    assert_eq!(validity(&all), Validity::Violated);
    let assumed = [
        ("assumption", "line: 6", "x == 1000"),
        ("assumption", "line: 7", "(x == 1000) && (y == 77)"),
        ("assumption", "line: 8", "z == -2147483648"),
        ("target", "line: 9", ""),
    ];
    assert_eq!(validity(&assumed), Validity::Violated);
}

#[test]
fn wrong_values_are_rejected() {
    let all = [
        ("function_return", "line: 5", "\\result == 1000"),
        ("function_return", "line: 6", "\\result == 78"),
        ("function_return", "line: 7", "\\result == -6"),
        ("target", "line: 9", ""),
    ];
    assert!(matches!(validity(&all), Validity::Rejected(_)));
    // The right run, but the error is said to be elsewhere.
    let elsewhere = [
        ("function_return", "line: 5", "\\result == 1000"),
        ("function_return", "line: 6", "\\result == 77"),
        ("function_return", "line: 7", "\\result == -6"),
        ("target", "line: 10", ""),
    ];
    assert!(matches!(validity(&elsewhere), Validity::Rejected(_)));
}
