//! Proofs by exploration: the checker walks through all states, as far as the proof wants it to look.

use std::time::Duration;

use rhumb_certify::file::ProofFile;
use rhumb_certify::proof::{
    Accepted, Argument, Ending, Exploration, Ground, Invalid, Proof, Rejected, View, check,
};
use rhumb_logic::Budget;
use rhumb_program::{Action, Program, VarId};

use crate::support::lower;

/// Checks the proof that follows the variables with these names and looks at all branches.
fn following(program: &Program, names: &[&str]) -> Result<Accepted, Rejected> {
    let ground = Ground::new(program);
    let followed = |var: &VarId| names.contains(&&*ground.program().vars[*var].decl.name);
    let view = View {
        followed: ground.program().vars.indices().filter(followed).collect(),
        ..View::default()
    };
    checked(program, &ground, &view)
}

/// Checks the proof that follows everything.
fn whole(program: &Program) -> Result<Accepted, Rejected> {
    let ground = Ground::new(program);
    let view = View {
        followed: ground.program().vars.indices().collect(),
        ..View::default()
    };
    checked(program, &ground, &view)
}

fn checked(program: &Program, ground: &Ground<'_>, view: &View) -> Result<Accepted, Rejected> {
    let proof = Proof::exploration(ground.named(view));
    let file = ProofFile::new(program, &proof).expect("it can be written");
    let text = file.to_json().expect("it is JSON");
    let again = ProofFile::from_json(&text).and_then(|file| file.proof(program));
    let again = again.expect("it can be read again");
    match (&proof.argument, &again.argument) {
        (Argument::Exploration(a), Argument::Exploration(b)) => assert_eq!(a, b),
        _ => panic!("another argument: {text}"),
    }
    check(program, &again, &Budget::time(Duration::from_secs(20)))
}

#[track_caller]
fn accepted(result: Result<Accepted, Rejected>) {
    if let Err(rejected) = result {
        panic!("{rejected}");
    }
}

#[track_caller]
fn fails(result: Result<Accepted, Rejected>) {
    assert!(matches!(result, Err(Rejected::Fails(_))), "{result:?}");
}

/// A machine with three states; `wrong` is one that it doesn't have.
fn machine(wrong: i32) -> Program {
    lower(&format!(
        "int main() {{ int s = 0; while (1) {{ int in = __VERIFIER_nondet_int();\n \
         if (s == 0 && in == 7) s = 4; else if (s == 4 && in > 3) s = 9; else if (s == 9) s = 0;\n \
         if (s == {wrong}) __VERIFIER_error(); }} }}"
    ))
}

#[test]
fn states_of_a_machine() {
    for wrong in 0..10 {
        let result = whole(&machine(wrong));
        match [0, 4, 9].contains(&wrong) {
            true => fails(result),
            false => accepted(result),
        }
    }
}

#[test]
fn what_is_not_followed_may_be_anything() {
    let program = machine(5);
    accepted(following(&program, &["s"]));
    fails(following(&program, &["in"]));
    fails(following(&program, &[]));
}

#[test]
fn a_branch_that_is_not_looked_at_goes_both_ways() {
    let program = lower(
        "int main() { int s = 0; while (1) { if (s > 5) __VERIFIER_error(); if (s == 0) s = 1; } }",
    );
    let ground = Ground::new(&program);
    let mut view = View {
        followed: ground.program().vars.indices().collect(),
        ..View::default()
    };
    accepted(checked(&program, &ground, &view));
    let cfa = ground.cfa();
    let branches = cfa.edges.iter().filter_map(|edge| match edge.action {
        Action::Assume { .. } => Some(edge.source),
        _ => None,
    });
    view.unseen = branches.collect();
    fails(checked(&program, &ground, &view));
}

/// Inputs that are copied, moved and compared with each other.
#[test]
fn inputs_stay_related() {
    let program = |last: &str| {
        lower(&format!(
            "int main() {{ int a = __VERIFIER_nondet_int(), b = __VERIFIER_nondet_int(), c;\n \
             if (a >= 1000 || b >= a) return 0; c = a + 2;\n \
             while (__VERIFIER_nondet_bool()) {{ int t = c; c = t; }}\n \
             if ({last}) __VERIFIER_error(); }}"
        ))
    };
    for never in ["c <= a", "c - a != 2", "b > c - 3", "c > 1001", "b == a"] {
        accepted(whole(&program(never)));
    }
    for sometimes in [
        "c > 1000",
        "b == a - 1",
        "b == c - 3",
        "c == 5",
        "b < c - 100",
    ] {
        fails(whole(&program(sometimes)));
    }
}

#[test]
fn differences_and_what_is_excluded() {
    accepted(whole(&lower(
        "int main() { char a = __VERIFIER_nondet_char(), b = __VERIFIER_nondet_char(); if (a == b) return 0;\n \
         while (__VERIFIER_nondet_bool()) { } if (a == b) __VERIFIER_error(); }",
    )));
    fails(whole(&lower(
        "int main() { char a = __VERIFIER_nondet_char(), b = __VERIFIER_nondet_char(); if (a == b) return 0;\n \
         while (__VERIFIER_nondet_bool()) { } if (a == b + 1) __VERIFIER_error(); }",
    )));
}

/// A truth value from outside is remembered once it was looked at.
#[test]
fn truth_values_are_learned() {
    let program = |last: &str| {
        lower(&format!(
            "int main() {{ _Bool b = __VERIFIER_nondet_bool(), c; int n = 0; if (b) n = 1; c = b;\n \
             while (__VERIFIER_nondet_bool()) {{ }} if ({last}) __VERIFIER_error(); }}"
        ))
    };
    for never in [
        "b && n == 0",
        "!c && n == 1",
        "b != c",
        "b + c == 1",
        "(b & c) != n",
    ] {
        accepted(whole(&program(never)));
    }
    for sometimes in ["b", "n == 0", "b + c == 2", "!(b | c)"] {
        fails(whole(&program(sometimes)));
    }
}

#[test]
fn arithmetic_that_wraps() {
    let program = |last: &str| {
        lower(&format!(
            "int main() {{ unsigned char x = __VERIFIER_nondet_uchar(); unsigned y = __VERIFIER_nondet_uint();\n \
             unsigned char n = x + 1; unsigned m = y - 1; signed char s = x;\n \
             while (__VERIFIER_nondet_bool()) {{ }} if ({last}) __VERIFIER_error(); }}"
        ))
    };
    for never in [
        "n == x",
        "n < x && x != 255",
        "m > y && y != 0",
        "s < 0 && x < 128",
        "s > 127",
    ] {
        accepted(whole(&program(never)));
    }
    for sometimes in [
        "n < x",
        "m > y",
        "n == 0",
        "s < 0",
        "m == 4294967295u",
        "s == -128",
    ] {
        fails(whole(&program(sometimes)));
    }
}

/// Undefined behaviour ends a run; so what follows an addition knows that it fits.
#[test]
fn what_overflows_ends() {
    accepted(whole(&lower(
        "int main() { int x = __VERIFIER_nondet_int(), y = x + 1;\n if (y < x) __VERIFIER_error(); }",
    )));
    fails(whole(&lower(
        "int main() { int x = __VERIFIER_nondet_int(), y = x + 1;\n if (y == -2147483647) __VERIFIER_error(); }",
    )));
}

/// Large objects, floats and products of inputs are not followed.
#[test]
fn what_is_not_modelled_may_be_anything() {
    fails(whole(&lower(
        "int main() { int a[40] = {1, 2}; int i = 0; while (i < 1) i++; if (a[i] == 7) __VERIFIER_error(); }",
    )));
    fails(whole(&lower(
        "int main() { double d = 1; while (d < 2) d = d + 1; if (d > 5) __VERIFIER_error(); }",
    )));
    let square = "unsigned char x = __VERIFIER_nondet_uchar(); int y = x * x;";
    fails(whole(&lower(&format!(
        "int main() {{ {square} if (y < 0) __VERIFIER_error(); }}"
    ))));
}

/// Calls that stay where they are may change what their bodies change.
#[test]
fn recursion_changes_globals() {
    let program = |start: i32| {
        lower(&format!(
            "int g = 1, h = 1; void f(int n) {{ if (n > 0) {{ g = 2; f(n - 1); }} }}\n \
             int main() {{ f({start}); if (h != 1) __VERIFIER_error(); if (g == 5) __VERIFIER_error(); }}"
        ))
    };
    fails(whole(&program(3)));
    accepted(whole(&lower(
        "int g = 1, h = 1; void f(int n) { if (n > 0) { g = 2; f(n - 1); } }\n \
         int main() { f(3); if (h != 1) __VERIFIER_error(); }",
    )));
}

#[test]
fn names_that_the_program_does_not_have() {
    let program = machine(5);
    let other = lower("int f(int a) { return a; } int main() { int q = f(f(3)); return q; }");
    let ground = Ground::new(&other);
    let vars = ground.program().vars.indices();
    let view = View {
        followed: vars.collect(),
        ..View::default()
    };
    let Exploration { followed, .. } = ground.named(&view);
    let proof = Proof::exploration(Exploration {
        followed,
        unseen: Vec::new(),
    });
    let result = check(&program, &proof, &Budget::unlimited());
    assert!(
        matches!(result, Err(Rejected::Invalid(Invalid::UnknownVariable(_)))),
        "{result:?}"
    );
}

/// Whoever asks again about a program with an error is not told that there is none.
#[test]
fn an_error_stays_one() {
    let program = machine(4);
    let ground = Ground::new(&program);
    let view = View {
        followed: ground.program().vars.indices().collect(),
        ..View::default()
    };
    let mut walk = ground.walk(&view);
    for _ in 0..4 {
        let pause = rhumb_logic::Work::secs(9);
        let ending = walk.go_on(&Budget::unlimited(), pause);
        assert!(matches!(ending, Ok(Ending::Reached(_))), "{ending:?}");
    }
}

/// More states than there is time for.
#[test]
fn a_proof_that_takes_too_long_is_not_accepted() {
    let program =
        lower("int main() { unsigned x = 0; while (1) { x++; if (x == 0) __VERIFIER_error(); } }");
    let ground = Ground::new(&program);
    let view = View {
        followed: ground.program().vars.indices().collect(),
        ..View::default()
    };
    let proof = Proof::exploration(ground.named(&view));
    let budget = Budget::unlimited().within(rhumb_logic::Work::millis(20));
    let result = check(&program, &proof, &budget);
    assert!(
        matches!(result, Err(Rejected::Undecided { .. })),
        "{result:?}"
    );
}
