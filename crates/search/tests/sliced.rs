//! Branches and loops that decide nothing about the targets are left out.

mod common;

use common::{Answer, program, search};
use rhumb_certify::proof::Argument;
use rhumb_encode::prepare_sliced;
use rhumb_program::Program;
use rhumb_program::passes::Goals;
use rhumb_summary::Preset;

fn of_main(body: &str) -> Program {
    program(&format!("int main(void) {{ {body} return 0; }}"))
}

/// The program without what decides nothing, if loops are gone with it.
fn sliced(body: &str) -> Option<String> {
    let program = of_main(body);
    let prepared = prepare_sliced(&program, &Goals::all_targets(&program))?;
    Some(prepared.program.to_text())
}

fn answer(body: &str) -> Answer {
    search(&of_main(body), "gps", Preset::Full, 60).answer
}

/// Nobody knows whether it ends.
const ENDLESS: &str = "while (n > 1) n = n % 2 ? 3 * n + 1 : n / 2;";

/// What comes beside the loops that decide nothing is proved as if they were not there; proofs have something to say at
/// each of them all the same.
#[test]
fn loops_beside_what_matters() {
    let body = format!(
        "unsigned n = __VERIFIER_nondet_uint(); unsigned many = __VERIFIER_nondet_uint(), sum = 0;
         if (n > 7) {{ {ENDLESS} }}
         for (unsigned i = 0; i < many; i++) {{ sum += 2; {ENDLESS} }}
         while (n != 1) n = n * n + 3;
         if (sum % 2 != 0) reach_error();"
    );
    let text = sliced(&body).expect("loops are left out");
    assert!(!text.contains("* n") && !text.contains("* 3"), "{text}");
    match answer(&body) {
        Answer::Safe(proof) => assert!(matches!(proof.argument, Argument::Invariants(_))),
        other => panic!("{other:?}"),
    }
    let wrong = body.replace("sum % 2 != 0", "sum == 8 && many == 4");
    assert_eq!(answer(&wrong).word(), "UNSAFE");
}

/// A loop that is left out may not end, and conditions that nobody asked about may not hold: no error rests on that.
#[test]
fn what_is_left_out_may_be_all() {
    for (body, is_sliced) in [
        (
            "unsigned n = __VERIFIER_nondet_uint(), x = __VERIFIER_nondet_uint(); int y = 1;
          while (y > 0) n = n * 7 + 1; if (x) reach_error();",
            true,
        ),
        (
            "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int();
          if (y > 3) { while (y > 0) { if (y < 2) return 0; } } else return 0;
          if (x > 5) reach_error();",
            true,
        ),
        (
            "int x = __VERIFIER_nondet_int(), y = x; while (y > 0) y--; if (y > 0) reach_error();",
            false,
        ),
    ] {
        assert_eq!(sliced(body).is_some(), is_sliced, "{body}");
        assert_ne!(answer(body).word(), "UNSAFE", "{body}");
    }
}

/// What decides stays: what is given, counted, read from memory, and how often an input was taken before.
#[test]
fn what_matters_stays() {
    for body in [
        "int n = __VERIFIER_nondet_int(), i = 0; while (i < n) i++; if (i > 5) reach_error();",
        "int n = __VERIFIER_nondet_int(), x = 0; for (int i = 0; i < n; i++) if (i == 3) x = 1; if (x) reach_error();",
        "int x = 1; for (int i = 0; i < 4; i++) { x = __VERIFIER_nondet_int(); if (x) break; } if (x == 7) reach_error();",
        "int n = __VERIFIER_nondet_int(), a[9]; for (int i = 0; i < 9; i++) a[i] = n; int *p = a + (n & 7); if (*p == 7) reach_error();",
        "int n = __VERIFIER_nondet_int(); if (n > 9) { while (n > 3) n--; reach_error(); }",
    ] {
        if let Some(text) = sliced(body) {
            assert!(text.contains("target"), "{text}");
        }
        assert_eq!(answer(body).word(), "UNSAFE", "{body}");
    }
}
