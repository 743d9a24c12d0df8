//! Joins: ways that contradict themselves meet with ways that don't. The empty proof of a program without loops is
//! accepted if and only if the program is safe.

use std::sync::Arc;

use rhumb_certify::proof::{Proof, Rejected, check};
use rhumb_logic::{Budget, Terms};

use crate::support::lower;

fn empty_proof_of(text: &str) -> Result<(), Rejected> {
    let proof = Proof::invariants(Arc::new(Terms::new()));
    check(&lower(text), &proof, &Budget::unlimited()).map(|_| ())
}

fn is_accepted(text: &str) {
    empty_proof_of(text).unwrap_or_else(|rejected| panic!("{rejected}\n{text}"));
}

fn is_rejected(text: &str) {
    let rejected = empty_proof_of(text).expect_err(text);
    assert!(matches!(rejected, Rejected::Fails(_)), "{rejected}\n{text}");
}

/// Two ways to one label, of which neither can happen, before both meet with the way that does.
#[test]
fn a_meeting_that_nobody_comes_to() {
    let program = |test: &str| {
        format!(
            "int main() {{ int key = __VERIFIER_nondet_int(), door = 7, lamp = 0;
             if (key == 5) {{ if (key == 6) goto dark; }} else {{ if (key == 5) goto dark; }}
             door = 8; goto end;
             dark: lamp = 1;
             end: if ({test}) __VERIFIER_error(); return 0; }}"
        )
    };
    for holds in ["lamp != 0", "door != 8", "key == 6 && door == 7"] {
        is_accepted(&program(holds));
    }
    for fails in [
        "lamp == 0",
        "door == 8",
        "key == 31415",
        "key == 5 && door == 8",
    ] {
        is_rejected(&program(fails));
    }
}

#[test]
fn several_ways_to_an_error_that_contradict_themselves() {
    let program = |wanted: i32| {
        format!(
            "int main() {{ int left = __VERIFIER_nondet_int(), right = __VERIFIER_nondet_int(), l = 0, r = 0;
             if (left > 3) l = 2;
             if (right > 3) r = 2;
             if (left > 3) {{ if (l != 2) goto bad; }}
             if (right > 3) {{ if (r != {wanted}) goto bad; }}
             return 0;
             bad: __VERIFIER_error(); }}"
        )
    };
    is_accepted(&program(2));
    is_rejected(&program(1));
}

#[test]
fn a_switch_whose_cases_contradict_themselves() {
    let program = |test: &str| {
        format!(
            "int main() {{ int kind = __VERIFIER_nondet_int(), seen = 0;
             switch (kind) {{ case 4: if (kind == 3) goto out; break; default: if (kind == 4) goto out; }}
             seen = 1;
             out: if ({test}) __VERIFIER_error(); return 0; }}"
        )
    };
    is_accepted(&program("!seen"));
    is_rejected(&program("seen && kind == 27182818"));
}

/// A call that stays in place may change what its body sets, and nothing else.
#[test]
fn calls_that_stay_change_what_they_may() {
    let program = |test: &str| {
        format!(
            "int touched = 1, kept = 1;
             int dive(int n) {{ if (n > 0) return dive(n - 1); touched = __VERIFIER_nondet_int(); return n; }}
             int main() {{ int mark = 0;
             touched = 2; kept = 2; dive(1);
             if (touched == 2) {{ if (touched != 9) goto meet; }} else {{ if (touched != 2) goto meet; }}
             goto end;
             meet: mark = 3;
             end: if ({test}) __VERIFIER_error(); return 0; }}"
        )
    };
    for holds in ["kept != 2", "mark != 3"] {
        is_accepted(&program(holds));
    }
    for fails in ["touched != 2", "mark == 3 && touched == 987654321"] {
        is_rejected(&program(fails));
    }
}
