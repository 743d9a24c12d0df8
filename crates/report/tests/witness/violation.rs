//! Violation witnesses.

use std::time::UNIX_EPOCH;

use rhumb_certify::counterexample::Budget;
use rhumb_certify::{Verdict, certify_unsafe};
use rhumb_program::interp::{ListInputs, Machine, Recorder, RunLimits};
use rhumb_report::witness::{About, Content, MAX_WAYPOINTS, Note, Validity, read, write};

use crate::schema;
use crate::support::{checked, head, lower, written};

const SUM: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nextern unsigned char __VERIFIER_nondet_uchar(void);\nint main(void) {\n  \
                   int x = __VERIFIER_nondet_int();\n  unsigned char y = __VERIFIER_nondet_uchar();\n  int z = __VERIFIER_nondet_int();\n  \
                   if (x == 1000 && y == 77 && z < -5)\n    reach_error();\n  return 0;\n}\n";

fn violated(text: &str, values: &[i128]) -> (rhumb_program::Program, Verdict) {
    let program = lower(text);
    let mut recorder = Recorder::new(ListInputs::new(&program, values.iter().copied()));
    Machine::compile(&program).run(&mut recorder, &RunLimits::default());
    let verdict = certify_unsafe(
        &Machine::compile(&program),
        &recorder.into_inputs(),
        &Budget::default(),
    )
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

/// A run of many inputs, each of which is asked for.
const LONG: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int n = 0;\n  \
                    while (__VERIFIER_nondet_int() == 7)\n    n++;\n  if (n == 30000)\n    reach_error();\n  return 0;\n}\n";

#[test]
fn what_we_write_about_a_long_run_can_be_read() {
    let (program, verdict) = violated(LONG, &[7; 30_000]);
    let (witness, notes) = written(&program, &verdict);
    assert_eq!(notes, [Note::InputsCut(MAX_WAYPOINTS)]);
    assert_eq!(read(witness.to_string().as_bytes()), Ok(vec![witness]));
}

#[test]
fn a_long_path_leaves_room_for_fewer_waypoints() {
    let (program, verdict) = violated(LONG, &[7; 30_000]);
    let path = format!("/{}.c", "a\"b\\".repeat(1_000));
    let text = program.sources.text().clone();
    let about = About {
        file_name: &path,
        file: &text,
        specification: "CHECK( init(main()), LTL(G ! call(reach_error())) )",
        version: "0",
        time: UNIX_EPOCH,
    };
    let (witness, notes) = write(&program, &verdict, &about).expect("there is a witness");
    assert!(
        matches!(notes[..], [Note::InputsCut(100..MAX_WAYPOINTS)]),
        "{notes:?}"
    );
    assert_eq!(read(witness.to_string().as_bytes()), Ok(vec![witness]));
}

#[test]
fn the_name_of_a_witness_is_made_from_what_it_says() {
    let (program, verdict) = violated(SUM, &[1000, 77, -6]);
    let (other_program, other) = violated(&SUM.replace("77", "78"), &[1000, 78, -6]);
    let name = |program, verdict| written(program, verdict).0.metadata.uuid;
    assert_eq!(name(&program, &verdict), name(&program, &verdict));
    assert_ne!(name(&program, &verdict), name(&other_program, &other));
}
