//! Proofs by contracts: each body holds what it promises, and a promise that is not kept is not believed.

use rhumb_program::Program;
use rhumb_second::{BadCertificate, Opinion, OpinionLimits, Solver, check};

use crate::support::{lower, solver};

/// Functions that call themselves as often as inputs say, with what `f` requires and ensures: `r` is its result, `X` a variable, `X0` what
/// it was at the entry. `{}` makes the assertion hold or not.
const PROGRAMS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "int f(int x) { if (x == 0) return 0; int ret = f(x - 1) + 1; if (ret > 3) return 3; return ret; }
         int main(void) { int x = __VERIFIER_nondet_int(); if (f(x) {} 3) reach_error(); return 0; }",
        ">",
        "==",
        "",
        "\"(<= r 3)\"",
    ),
    (
        "int f(int m, int x) { if (m <= 0) return x; return f(m - 1, x < 1000 ? x + 1 : x); }
         int main(void) { int m = __VERIFIER_nondet_int(), n = __VERIFIER_nondet_int();
             if (n < 0 || n > 1000) return 0;
             int r = f(m, n); if (r < n) reach_error(); if (r > {}) reach_error(); return 0; }",
        "1000",
        "999",
        "\"(<= x 1000)\"",
        "\"(<= r 1000)\", \"(<= x0 r)\"",
    ),
    // A global that is set on the way down, in a loop that says nothing.
    (
        "int x; void f(int n) { if (n <= 0) return; for (int i = 0; i < n; i++) ; x = {}; f(n - 1); }
         int main(void) { f(__VERIFIER_nondet_int()); if (x < 0 || x > 1) reach_error(); return 0; }",
        "1",
        "2",
        "",
        "\"(or (= x 1) (= x x0))\"",
    ),
];

fn ask(
    program: &Program,
    requires: &str,
    ensures: &str,
    solver: &Solver,
) -> Result<Opinion, BadCertificate> {
    let functions = program.functions.iter_enumerated();
    let function = functions
        .clone()
        .find(|(_, function)| &*function.name == "f");
    let function = function.expect("there is an f").0;
    let vars = program.vars.iter_enumerated();
    let is_x = |scope| {
        matches!(scope, rhumb_program::Scope::Global)
            || scope == rhumb_program::Scope::Local(function)
    };
    let mut x = vars.filter(|(_, var)| &*var.decl.name == "x" && is_x(var.scope));
    let x = x.next().expect("there is an x").0.raw();
    let function = function.raw();
    let claim = format!(
        "{{\"version\": 1, \"program\": \"\", \"bound\": {{\"r\": \"Int\", \"x0\": \"Int\"}},
          \"variables\": [{{\"name\": \"x\", \"variable\": {x}}}],
          \"argument\": {{\"contracts\": {{\"functions\": [{{\"function\": {function}, \"requires\": [{requires}],
          \"ensures\": [{ensures}], \"result\": \"r\"}}], \"entry\": [{{\"name\": \"x0\", \"variable\": {{\"variable\": {x}}}}}],
          \"points\": []}}}}}}"
    );
    let limits = OpinionLimits::new(std::time::Duration::from_secs(20), &|| false);
    check(program, &claim, solver, &limits)
}

fn is_rejected(opinion: &Result<Opinion, BadCertificate>) -> bool {
    matches!(opinion, Ok(Opinion::Rejected(_)))
}

#[test]
fn bodies_are_checked_one_by_one() {
    let Some(solver) = solver() else { return };
    for (text, right, wrong, requires, ensures) in PROGRAMS {
        let safe = lower(&text.replace("{}", right));
        let of_safe = ask(&safe, requires, ensures, &solver);
        assert_eq!(of_safe, Ok(Opinion::Valid), "{text}");
        // The same promises of a program that doesn't keep them, and no promise at all.
        let broken = lower(&text.replace("{}", wrong));
        let of_broken = ask(&broken, requires, ensures, &solver);
        assert!(is_rejected(&of_broken), "{of_broken:?}: {text}");
        let of_nothing = ask(&safe, "", "", &solver);
        assert!(is_rejected(&of_nothing), "{of_nothing:?}: {text}");
    }
}

#[test]
fn promises_that_are_too_good_are_refused() {
    let Some(solver) = solver() else { return };
    let (text, right, ..) = PROGRAMS[0];
    let program = lower(&text.replace("{}", right));
    // Not kept; required, and not given.
    assert!(is_rejected(&ask(&program, "", "\"(<= r 2)\"", &solver)));
    assert!(is_rejected(&ask(
        &program,
        "\"(<= 0 x)\"",
        "\"(<= r 3)\"",
        &solver
    )));
    // What a caller would understand in another way.
    assert!(ask(&program, "", "\"(<= x 3)\"", &solver).is_err());
    assert!(ask(&program, "\"(<= 0 x0)\"", "\"(<= r 3)\"", &solver).is_err());
}
