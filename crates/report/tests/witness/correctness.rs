//! Correctness witnesses.

use std::time::Duration;

use rhumb_certify::proof::Checker;
use rhumb_certify::{Verdict, certify_safe};
use rhumb_logic::Budget;
use rhumb_report::witness::{Content, Note, Unprintable, Validity, Witness};

use crate::proofs::Written;
use crate::schema;
use crate::support::{checked, invariants, lower, written};

fn proved(proof: &Written) -> Verdict {
    let budget = Budget::time(Duration::from_secs(20));
    certify_safe(&Checker::new(&proof.program), proof.proof.clone(), &budget)
        .expect("a proof that holds")
}

fn values(witness: &Witness) -> Vec<&str> {
    match &witness.content {
        Content::Correctness(invariants) => invariants
            .iter()
            .map(|invariant| &*invariant.value)
            .collect(),
        Content::Violation(_) => panic!("a violation"),
    }
}

/// Writes the witness of a proof, checks its form and that it is accepted.
fn round_trip(proof: &Written) -> (Witness, Vec<Note>) {
    let (witness, notes) = written(&proof.program, &proved(proof));
    let text = witness.to_string();
    schema::check(&text);
    let validation =
        checked(&proof.program, &text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(validation.validity, Validity::Correct, "{text}");
    (witness, notes)
}

const COUNTER: &str =
    "int main() { int i = 0;\n while (i < 10)\n i++;\n if (i != 10) __VERIFIER_error(); }";

#[test]
fn a_counter() {
    let proof = Written::new(COUNTER).at(2, &["(<= 0 i)", "(<= i 10)"]);
    let (witness, notes) = round_trip(&proof);
    assert_eq!(values(&witness), ["0 <= i", "i <= 10"]);
    assert_eq!(notes, []);
    let text = witness.to_string();
    assert!(
        text.contains("line: 2\n        column: 2\n        function: \"main\"\n"),
        "{text}"
    );
}

#[test]
fn a_for_loop_names_its_own_variable() {
    let proof = Written::new(
        "int main() { unsigned n = __VERIFIER_nondet_uint(), x = 0;\n for (unsigned i = 0; i < n; i++)\n x += 2;\n \
         if (x % 2) __VERIFIER_error(); }",
    )
    .at(2, &["(= (mod x 2) 0)", "(<= i n)"]);
    let (witness, _) = round_trip(&proof);
    assert_eq!(
        values(&witness),
        ["((long long)x) % 2 == 0", "(long long)i <= (long long)n"]
    );
}

#[test]
fn contexts_are_alternatives() {
    let proof = Written::new(
        "int count(int n) { int i = 0;\n while (i < n) i++;\n return i; }\nint main() {\n int a = count(3);\n int b = count(5);\n \
         if (a + b != 8) __VERIFIER_error(); }",
    )
    .in_call(2, 5, &["(<= 0 count.i@5)", "(<= count.i@5 3)", "(= count.n@5 3)"])
    .in_call(2, 6, &["(<= 0 count.i@6)", "(<= count.i@6 5)", "(= count.n@6 5)", "(= main.a 3)"]);
    let (witness, notes) = round_trip(&proof);
    let values = values(&witness);
    assert_eq!(values[0], "0 <= i");
    assert!(
        values[1].contains(" || ") && values[1].contains("n == 3"),
        "{values:?}"
    );
    let dropped = |why: &Unprintable| matches!(why, Unprintable::OutOfScope(name) if name == "a");
    assert!(
        notes
            .iter()
            .any(|note| matches!(note, Note::Dropped { why, .. } if dropped(why))),
        "{notes:?}"
    );
}

#[test]
fn unrolled_programs_have_trivial_invariants() {
    let program = lower(
        "extern void reach_error(void);\nint main() { int i = 0; while (i < 5) i++; if (i != 5) reach_error(); }",
    );
    let budget = Budget::time(Duration::from_secs(20));
    let proof = rhumb_certify::proof::Proof::unrolling(6);
    let (witness, _) = written(
        &program,
        &certify_safe(&Checker::new(&program), proof, &budget).expect("a proof that holds"),
    );
    schema::check(&witness.to_string());
    assert_eq!(values(&witness), ["1"]);
    let validation = checked(&program, &witness.to_string()).unwrap();
    assert_eq!(validation.validity, Validity::Correct);
}

#[test]
fn programs_without_loops_have_a_place_for_an_invariant() {
    let program = lower(
        "extern void reach_error(void);\nint main(void)\n{\n  int x = 1;\n  if (!x) reach_error(); }",
    );
    let budget = Budget::time(Duration::from_secs(20));
    let proof = rhumb_certify::proof::Proof::unrolling(1);
    let (witness, _) = written(
        &program,
        &certify_safe(&Checker::new(&program), proof, &budget).expect("a proof that holds"),
    );
    let text = witness.to_string();
    schema::check(&text);
    assert!(
        text.contains("location_invariant") && text.contains("line: 4"),
        "{text}"
    );
    assert_eq!(
        checked(&program, &text).unwrap().validity,
        Validity::Correct
    );
}

const TWO: &str = "extern void reach_error(void);\nint main(void) {\n  int x = 0, y = 0;\n  while (x < 1000000) {\n    x++;\n    y++;\n  }\n  \
                   if (y != 1000000) reach_error();\n}\n";

#[track_caller]
fn expect(program: &str, all: &[(&str, &str)], validity: Validity) {
    let witness = invariants(program, all);
    let validation = checked(&lower(program), &witness);
    assert_eq!(
        validation
            .unwrap_or_else(|error| panic!("{error}"))
            .validity,
        validity
    );
}

#[test]
fn other_tools_name_loops_in_other_ways() {
    for place in [
        "line: 4, column: 3",
        "line: 4",
        "line: 4, column: 1",
        "line: 5",
        "line: 4, column: 0",
    ] {
        expect(TWO, &[(place, "x == y && x <= 1000000")], Validity::Correct);
    }
}

#[test]
fn weak_invariants_are_strengthened() {
    // The bound is missing; constants of the program give it.
    expect(TWO, &[("line: 4", "x == y")], Validity::Correct);
    // Nothing is said at all about what is needed, but comparisons of variables are tried.
    expect(TWO, &[("line: 4", "1")], Validity::Correct);
    // Redundant ones do no harm.
    expect(
        TWO,
        &[
            ("line: 4", "x >= 0"),
            ("line: 4", "x == y"),
            ("line: 4", "x + 0L <= 1000000"),
        ],
        Validity::Correct,
    );
}

#[test]
fn wrong_invariants_are_rejected() {
    let witness = invariants(TWO, &[("line: 4", "x == y && x < 7")]);
    match checked(&lower(TWO), &witness).unwrap().validity {
        Validity::Rejected(why) => {
            assert!(why.contains("x = 7") && why.contains("line 4"), "{why}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn undefined_invariants_do_not_hold() {
    // The sum overflows when x is INT_MAX - 5 or more, which is never; dividing by x fails at once.
    expect(
        TWO,
        &[("line: 4", "x == y && x + 5 > 0")],
        Validity::Correct,
    );
    let witness = invariants(TWO, &[("line: 4", "1 / x >= 0")]);
    let validity = checked(&lower(TWO), &witness).unwrap().validity;
    assert!(matches!(validity, Validity::Rejected(_)), "{validity:?}");
}

#[test]
fn true_invariants_that_are_not_enough_are_undecided() {
    let program = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nint main(void) {\n  int n = __VERIFIER_nondet_int(), s = 0;\n  \
                   for (int i = 0; i < n; i++)\n    s += i % 7;\n  if (s < 0 && n < 100000) reach_error();\n  if (s == 12345) reach_error();\n}\n";
    let witness = invariants(program, &[("line: 5", "i >= 0")]);
    let validity = checked(&lower(program), &witness).unwrap().validity;
    assert!(matches!(validity, Validity::Undecided(_)), "{validity:?}");
}

#[test]
fn invariants_before_statements() {
    let program = "extern void reach_error(void);\nint main(void) {\n  int x = 0;\n  while (x < 10000) {\n    x = x + 2;\n  }\n  x = x + 1;\n  \
                   if (x != 10001) reach_error();\n}\n";
    let witness = |value: &str, line: u32| {
        invariants(
            program,
            &[("line: 4", "x % 2 == 0 && x >= 0 && x <= 10000")],
        ) + &format!(
            "  - invariant:\n      type: location_invariant\n      location: {{file_name: test.c, line: {line}}}\n      value: {value:?}\n      \
                 format: c_expression\n"
        )
    };
    let validity = |text: String| checked(&lower(program), &text).unwrap().validity;
    assert_eq!(validity(witness("x == 10000", 7)), Validity::Correct);
    assert_eq!(validity(witness("x < 10000", 5)), Validity::Correct);
    assert!(matches!(
        validity(witness("x == 10001", 7)),
        Validity::Rejected(_)
    ));
}

#[test]
fn invariants_about_memory_are_left_out() {
    let program = "extern void reach_error(void);\nint main(void) {\n  int a[2] = {0, 0}, i = 0;\n  while (i < 9)\n    i++;\n  if (i != 9) reach_error();\n  return a[0];\n}\n";
    let witness = invariants(program, &[("line: 4", "i <= 9"), ("line: 4", "a[0] == 0")]);
    let validation = checked(&lower(program), &witness).unwrap();
    assert!(
        matches!(validation.validity, Validity::Undecided(_)),
        "{validation:?}"
    );
    assert!(
        validation.notes.iter().any(|note| note.contains("memory")),
        "{validation:?}"
    );
}

#[test]
fn many_invariants_at_one_loop() {
    let program = "extern void reach_error(void);\nint main(void) {\n  int i = 0;\n  while (i < 5)\n    i++;\n  if (i != 5) reach_error();\n}\n";
    let values: Vec<String> = (0..2000).map(|more| format!("i <= {}", 5 + more)).collect();
    let all: Vec<(&str, &str)> = values.iter().map(|v| ("line: 4", &**v)).collect();
    expect(program, &all, Validity::Correct);
}
