//! Certificates that are read here: right ones, wrong ones, and no certificates at all.

use std::time::Duration;

use rhumb_certify::proof::Proof;
use rhumb_second::{BadCertificate, Opinion, OpinionLimits, Solver, check};

use crate::support::{certificate, empty, lower, opinion, proved, solver};

const COUNTED: &str = "int main(void) { int i = 0, s = 0; while (i < 6) { i++; s += 2; } if (s != 12) reach_error(); return 0; }";

fn file(
    program: &rhumb_program::Program,
    text: &str,
    solver: &Solver,
) -> Result<Opinion, BadCertificate> {
    let limits = OpinionLimits::new(Duration::from_secs(20), &|| false);
    check(program, text, solver, &limits)
}

#[test]
fn unrolling_is_as_deep_as_it_says() {
    let Some(solver) = solver() else { return };
    let program = lower(COUNTED);
    let open = lower(
        "int main(void) { unsigned n = __VERIFIER_nondet_uint(), i = 0; if (n > 9) return 0; while (i < n) i++; if (i > 9) reach_error(); return 0; }",
    );
    for (program, enough) in [(&program, 7), (&open, 10)] {
        for depth in [enough, enough + 5] {
            let text = certificate(program, &Proof::unrolling(depth));
            assert_eq!(opinion(program, &text, &solver), Opinion::Valid, "{depth}");
        }
        for depth in [0, 1, enough - 1] {
            let text = certificate(program, &Proof::unrolling(depth));
            let said = opinion(program, &text, &solver);
            assert!(matches!(said, Opinion::Rejected(_)), "{depth}: {said:?}");
        }
    }
}

#[test]
fn a_loop_needs_an_invariant() {
    let Some(solver) = solver() else { return };
    let program = lower(COUNTED);
    let said = opinion(&program, &certificate(&program, &empty()), &solver);
    assert!(matches!(said, Opinion::Rejected(_)), "{said:?}");
    let text = proved(&program, 0).expect("a proof");
    assert_eq!(opinion(&program, &text, &solver), Opinion::Valid);
}

/// Formulas with quantifiers, and what hints have to do with them.
#[test]
fn hints_are_used_and_not_trusted() {
    let Some(solver) = solver() else { return };
    // x is a multiple of 3 that grows: "for no k is x = 3k + 1".
    let program = lower(
        "int main(void) { unsigned char i = 0; int x = 0; while (i < 200) { i++; x += 3; } if (x == 601) reach_error(); return 0; }",
    );
    let main = program.function_named("main").expect("main");
    let text = proved(&program, 0).expect("a proof");
    // The place of the loop, and the variables, as the proof of the engine names them.
    let point = {
        let at = text.find("\"calls\"").expect("a variable in a call");
        let end = text[at..].find("],\n").map_or(text.len(), |end| at + end);
        text[at..end]
            .split_once(':')
            .expect("a list")
            .1
            .trim()
            .to_owned()
    };
    let call = format!("{point}]").split_whitespace().collect::<String>();
    let call = call.trim_end_matches(']').to_owned() + "]]";
    let var = |name: &str| {
        let found = program.vars.position(|var| &*var.decl.name == name);
        found.expect("a variable").raw()
    };
    let head = {
        let cfa = &program.functions[main].cfa;
        let found = cfa
            .locations
            .position(|location| location.loop_statement.is_some());
        found.expect("a loop").raw()
    };
    let make = |matrix: &str, negated: bool, values: &str, premise: &str| {
        format!(
            r#"{{"version": 1, "program": "", "variables": [
                {{"name": "x", "calls": {call}, "variable": {x}}}, {{"name": "i", "calls": {call}, "variable": {i}}}],
                "bound": {{"k": "Int"}},
                "argument": {{"invariants": {{"points": [{{"calls": {call}, "location": [{f}, {head}],
                  "formulas": [{{"bound": ["k"], "negated": {negated}, "matrix": "{matrix}"}}, {{"matrix": "(<= 0 x 600)"}}]}}],
                "hints": [{{"from": {{"calls": {call}, "location": [{f}, {head}]}}, "to": {{"calls": {call}, "location": [{f}, {head}]}},
                  "goal": 0{premise}, "values": ["{values}"]}},
                  {{"from": {{"location": [{start}, {entry}]}}, "to": {{"calls": {call}, "location": [{f}, {head}]}}, "goal": 0, "values": ["0"]}}]}}}}}}"#,
            x = var("x"),
            i = var("i"),
            f = main.raw(),
            start = program.start.raw(),
            entry = program.functions[program.start].cfa.entry.raw(),
        )
        .replace("(<= 0 x 600)", "(and (<= 0 x) (= x (* 3 i)) (<= i 200))")
    };
    let premise = ", \"premise\": 0";
    let cases = [
        // Multiples of three, seen one step before: k - 1.
        (make("(= x (+ (* 3 k) 1))", true, "(- k 1)", premise), true),
        // The wrong instance proves nothing, but the goal's own k is tried, too; that is not enough here.
        (make("(= x (+ (* 3 k) 0))", true, "(- k 1)", premise), false),
        (make("(= x (* 3 k))", false, "(+ k 1)", ""), true),
        (make("(= x (+ 1 (* 3 k)))", false, "(+ k 1)", ""), false),
    ];
    for (text, expected) in cases {
        let said = opinion(&program, &text, &solver);
        match expected {
            true => assert_eq!(said, Opinion::Valid, "{text}"),
            false => assert!(matches!(said, Opinion::Rejected(_)), "{said:?}: {text}"),
        }
    }
}

#[test]
fn bad_files_are_refused() {
    let Some(solver) = solver() else { return };
    let program = lower(COUNTED);
    let good = proved(&program, 0).expect("a proof");
    for text in ["", "{", "[]", "{\"version\": 1}", "null"] {
        let said = file(&program, text, &solver);
        assert!(
            matches!(said, Err(BadCertificate::Syntax(_))),
            "{text}: {said:?}"
        );
    }
    let version = good.replacen("\"version\": 1", "\"version\": 2", 1);
    assert_eq!(
        file(&program, &version, &solver),
        Err(BadCertificate::Version(2))
    );
    for matrix in [
        "(",
        ")",
        "(= 1 true)",
        "(foo 1)",
        "(and 1 2)",
        "5",
        "|nobody|",
        "(let ((a 1)) b)",
        "()",
        "(_ bv3 0)",
        "((_ extract 9 0) (_ bv1 4))",
    ] {
        let text = format!(
            r#"{{"version": 1, "program": "", "argument": {{"invariants": {{"points": [{{"location": [1, 0], "formulas": [{{"matrix": "{matrix}"}}]}}]}}}}}}"#
        );
        let said = file(&program, &text, &solver);
        assert!(
            matches!(said, Err(BadCertificate::Formula(_))),
            "{matrix}: {said:?}"
        );
    }
    for place in ["[99, 0]", "[1, 99999]"] {
        let text = format!(
            r#"{{"version": 1, "program": "", "argument": {{"invariants": {{"points": [{{"location": {place}, "formulas": []}}]}}}}}}"#
        );
        let said = file(&program, &text, &solver);
        assert!(
            matches!(said, Err(BadCertificate::Program(_))),
            "{place}: {said:?}"
        );
    }
    // Any part of a good file: an error or an opinion, never a panic.
    for end in (0..good.len()).step_by(37) {
        if good.is_char_boundary(end) {
            assert!(file(&program, &good[..end], &solver).is_err());
        }
    }
}
