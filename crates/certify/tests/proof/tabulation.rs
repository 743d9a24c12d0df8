//! Proofs by tabulation: the checker explores functions once for each way in which they are entered.

use std::time::Duration;

use rhumb_certify::file::ProofFile;
use rhumb_certify::proof::{
    Accepted, Argument, Following, Invalid, Judged, Lost, Procedures, Proof, Rejected, Tabulated,
    check,
};
use rhumb_logic::{Budget, Work};
use rhumb_program::{Program, VarId};

use crate::support::lower;

const SECONDS: Duration = Duration::from_secs(20);

/// Checks the proof that follows these variables, as it is read from its file again.
fn checked(program: &Program, following: Following) -> Result<Accepted, Rejected> {
    let proof = Proof::tabulation(following);
    let file = ProofFile::new(program, &proof).expect("it can be written");
    let text = file.to_json().expect("it is JSON");
    let again = ProofFile::from_json(&text).and_then(|file| file.proof(program));
    let again = again.expect("it can be read again");
    match (&proof.argument, &again.argument) {
        (Argument::Tabulation(a), Argument::Tabulation(b)) => assert_eq!(a, b),
        _ => panic!("another argument: {text}"),
    }
    check(program, &again, &Budget::time(SECONDS))
}

fn following(text: &str, names: &[&str]) -> Result<Accepted, Rejected> {
    let program = lower(text);
    let is_named = |var: &VarId| names.contains(&&*program.vars[*var].decl.name);
    let followed = program.vars.indices().filter(is_named).collect();
    checked(&program, Following::exactly(followed))
}

fn whole(text: &str) -> Result<Accepted, Rejected> {
    let program = lower(text);
    let followed = program.vars.indices().collect();
    checked(&program, Following::exactly(followed))
}

#[track_caller]
fn accepted(result: Result<Accepted, Rejected>) {
    if let Err(rejected) = result {
        panic!("{rejected}");
    }
}

#[track_caller]
fn reaches(result: Result<Accepted, Rejected>) {
    let is_reached = matches!(result, Err(Rejected::Lost(Lost::Target(_))));
    assert!(is_reached, "{result:?}");
}

const HEAD: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);\n";

/// A lock with a counter, taken and given back behind calls; `given` is how often it is given back.
fn lock(given: &str) -> String {
    format!(
        "{HEAD} static int held;
        static void take(void) {{ if (held) reach_error(); held = 1; }}
        static void give(void) {{ if (!held) reach_error(); held = 0; }}
        static int work(int x) {{ take(); if (x > 3) {{ give(); return 0; }} {given} return 1; }}
        int main(void) {{ while (__VERIFIER_nondet_int()) work(__VERIFIER_nondet_int()); return 0; }}"
    )
}

#[test]
fn what_matters_is_followed_through_calls() {
    accepted(following(&lock("give();"), &["held"]));
    reaches(following(&lock("give();"), &[]));
    reaches(following(&lock(""), &["held"]));
    reaches(whole(&lock("give(); give();")));
}

/// A result decides; `wrong` is the result for what is not positive.
fn result(wrong: i32) -> String {
    format!(
        "{HEAD} static int sign(int x) {{ if (x > 0) return 1; return {wrong}; }}
        int main(void) {{ int s = sign(__VERIFIER_nondet_int()); if (s > 1) reach_error(); return 0; }}"
    )
}

#[test]
fn results_come_back() {
    accepted(whole(&result(0)));
    accepted(following(&result(0), &["s"]));
    reaches(following(&result(0), &["x"]));
    reaches(whole(&result(2)));
}

/// What is known of a symbol goes along: into a function, and out of it.
#[test]
fn bounds_go_from_function_to_function() {
    let text = |bound: i32| {
        format!(
            "{HEAD} static int small(int x) {{ if (x > 9) reach_error(); return x; }}
            static int some(void) {{ int y = __VERIFIER_nondet_int(); if (y < 0 || y > {bound}) return 0; return y; }}
            int main(void) {{ int z = some(); if (small(z) < 0) reach_error(); return 0; }}"
        )
    };
    accepted(whole(&text(9)));
    reaches(whole(&text(10)));
}

/// A function calls itself, and another one that calls it.
fn recursive(step: i32) -> String {
    format!(
        "{HEAD} static int depth; static void down(int n);
        static void up(int n) {{ depth = depth - {step}; if (depth < 0) reach_error(); }}
        static void down(int n) {{ depth = depth + 1; if (depth > 3) return; if (n) down(n - 1); up(n); }}
        int main(void) {{ depth = 0; down(__VERIFIER_nondet_int()); return 0; }}"
    )
}

#[test]
fn functions_may_call_themselves() {
    accepted(whole(&recursive(1)));
    reaches(whole(&recursive(2)));
    reaches(following(&recursive(1), &["n"]));
}

/// The same function, entered with two numbers: what one entry leaves is not what the other does.
#[test]
fn entries_are_kept_apart() {
    let text = |second: i32| {
        format!(
            "{HEAD} static int twice(int x) {{ return x + x; }}
            int main(void) {{ int a = twice(2), b = twice(3); if (a + b > {second}) reach_error(); return 0; }}"
        )
    };
    accepted(whole(&text(10)));
    reaches(whole(&text(9)));
}

/// A global that a callee's callee sets, between two looks at it; and one that it doesn't set.
#[test]
fn what_callees_set_is_not_what_it_was() {
    let text = |looked_at: &str| {
        format!(
            "{HEAD} static int a, b;
            static void inner(void) {{ a = __VERIFIER_nondet_int(); }}
            static void outer(void) {{ inner(); }}
            int main(void) {{ a = 1; b = 1; outer(); if ({looked_at} != 1) reach_error(); return 0; }}"
        )
    };
    accepted(whole(&text("b")));
    reaches(whole(&text("a")));
}

/// Calls through pointers go to every function that fits.
#[test]
fn pointers_go_to_all_that_fit() {
    let text = |other: i32| {
        format!(
            "{HEAD} static int g; static void one(void) {{ g = 1; }} static void other(void) {{ g = {other}; }}
            static void no(int x) {{ g = 9; }} void (*keep)(int) = no;
            int main(void) {{ void (*f)(void) = __VERIFIER_nondet_int() ? one : other; f(); if (g == 2) reach_error(); return 0; }}"
        )
    };
    accepted(whole(&text(3)));
    reaches(whole(&text(2)));
}

/// Memory may hold anything.
/// A call through a pointer doesn't go to functions that take other records, unless the program converts pointers so.
#[test]
fn pointers_go_to_none_that_takes_other_records() {
    let text = |size: u32, table: &str, called: &str| {
        format!(
            "{HEAD} struct one {{ int a; }}; struct two {{ char b[{size}]; }}; static int state;
            static void first(struct one *p) {{ state = 1; }}
            static void second(struct two *p) {{ state = 2; }}
            static void anything(void *p) {{ state = 3; }}
            static void (*ones[2])(struct one *) = {{ first, 0 }};
            static void (*twos[2])(struct two *) = {{ second, 0 }};
            static {table};
            int main(void) {{ struct one it; int i = __VERIFIER_nondet_int(); void (*f)(struct one *) = ones[i & 1];
              void (*g)(struct two *) = twos[i & 1]; void (*h)(void *) = others[i & 1];
              if (i == 7) g((struct two *)&it); if (i == 8) h(&it);
              state = 0; f(&it); if ({called}) reach_error(); return 0; }}"
        )
    };
    let plain = "void (*others[2])(void *) = { anything, 0 }";
    accepted(whole(&text(9, plain, "state == 2")));
    reaches(whole(&text(9, plain, "state == 1")));
    // What may be given any pointer, or a record that looks the same, may be meant.
    reaches(whole(&text(9, plain, "state == 3")));
    reaches(whole(&text(4, plain, "state == 2")));
    // Nor to those that return something else than is expected.
    let returning = |result: &str, value: &str| {
        format!(
            "{HEAD} struct one {{ int a; }}; static int state; static void first(struct one *p) {{ state = 1; }}
            static {result} second(struct one *p) {{ state = 2; {value} }}
            static void (*firsts[2])(struct one *) = {{ first, 0 }};
            static {result} (*seconds[2])(struct one *) = {{ second, 0 }};
            int main(void) {{ struct one it; int i = __VERIFIER_nondet_int() & 1; void (*f)(struct one *) = firsts[i];
              {result} (*g)(struct one *) = seconds[i]; if (i) g(&it);
              state = 0; f(&it); if (state == 2) reach_error(); return 0; }}"
        )
    };
    accepted(whole(&returning("int", "return 0;")));
    reaches(whole(&returning("void", "")));
    // Somebody makes such pointers of others.
    for table in [
        "void (*others[2])(void *) = { anything, 0 }; void set(void) { ones[1] = (void (*)(struct one *))second; }",
        "void (*others[2])(void *) = { anything, 0 }; void set(void *p) { ones[1] = (void (*)(struct one *))p; }",
        "void (*others[2])(void *) = { anything, 0 }; void set(void) { ones[1] = (void (*)(struct one *))others[0]; }",
        "void (*others[2])(void *) = { anything, 0 }; void set(void (*f)()) { ones[1] = f; }",
    ] {
        reaches(whole(&text(9, table, "state == 2")));
    }
}

#[test]
fn memory_is_not_followed() {
    let text = format!(
        "{HEAD} int main(void) {{ int a[2]; a[0] = 1; if (a[0] != 1) reach_error(); return 0; }}"
    );
    reaches(whole(&text));
}

#[test]
fn variables_that_are_not_there_are_refused() {
    let program = lower(&lock("give();"));
    let proof = Proof::tabulation(Following::exactly(vec![VarId::new(program.vars.len())]));
    let result = check(&program, &proof, &Budget::time(SECONDS));
    let is_refused = matches!(result, Err(Rejected::Invalid(Invalid::UnknownVariable(_))));
    assert!(is_refused, "{result:?}");
}

/// Ways that no run goes say which variables to follow, until no such way is left.
#[test]
fn impossible_ways_say_what_matters() {
    let text = lock("give();");
    let program = lower(&text);
    let procedures = Procedures::new(&program);
    let budget = Budget::time(SECONDS);
    let mut following = Following::default();
    for _ in 0..5 {
        let way = match procedures.walk(&following).go_on(&budget, Work::secs(9)) {
            Tabulated::Closed => {
                let names = following
                    .vars
                    .iter()
                    .map(|&var| &*program.vars[var].decl.name);
                assert_eq!(names.collect::<Vec<_>>(), ["held"]);
                return;
            }
            Tabulated::Reached(way) => way,
            other => panic!("{other:?}"),
        };
        let more = match procedures.judge(&way, &following, &budget) {
            Judged::Impossible(more) => more,
            Judged::Possible(_) => procedures.skipped(&way, &following.vars),
            Judged::Unclear => Vec::new(),
        };
        assert!(!more.is_empty(), "{way:?}");
        following.vars.extend(more);
    }
    panic!("it doesn't come to an end: {following:?}");
}

/// Null is a value of a pointer: it goes into functions and out of them, and addresses of what is alive are none.
#[test]
fn null_is_followed() {
    let text = |given: &str, wanted: &str| {
        format!(
            "{HEAD} static int cell; static int *some(int x) {{ if (x) return {given}; return 0; }}
            static void must(int *p, int x) {{ if (x && !p) reach_error(); if (p && !x) reach_error(); }}
            int main(void) {{ int x = __VERIFIER_nondet_int(); int *p = some(x); if (!p) return 0;
              {wanted} return 0; }}"
        )
    };
    accepted(whole(&text("&cell", "if (p == 0) reach_error();")));
    reaches(whole(&text("&cell", "if (p != 0) reach_error();")));
    accepted(whole(&text("0", "reach_error();")));
    reaches(whole(&text("&cell", "reach_error();")));
    accepted(whole(&text("&cell", "must(p, 1);")));
    reaches(whole(&text("&cell", "must(p, 0);")));
    reaches(whole(&text("&cell", "must(0, 1);")));
    reaches(whole(&text(
        "&cell",
        "int *q = p + 1; if (q == 0) reach_error();",
    )));
}

/// A counter that grows without end, followed up to a number: `first` is how often it has been raised when the other one is.
fn counter(first: &str, wanted: &str) -> String {
    format!(
        "{HEAD} static int up, down;
        static void raise(void) {{ if (up < 2147483647) up = up + 1; }}
        static void lower(void) {{ down = 1; if ({wanted}) reach_error(); }}
        int main(void) {{ {first} while (__VERIFIER_nondet_int()) raise(); lower(); return 0; }}"
    )
}

#[test]
fn counters_are_followed_coarsely() {
    let coarsely = |text: &str, bound: u32| {
        let program = lower(text);
        let vars: Vec<VarId> = program.vars.indices().collect();
        let is_counter = |var: &VarId| &*program.vars[*var].decl.name == "up";
        let counter = vars.iter().copied().filter(is_counter);
        let coarse = counter.map(|var| (var, bound)).collect();
        checked(&program, Following { vars, coarse })
    };
    for bound in [0, 1, 3, 20] {
        accepted(coarsely(&counter("raise();", "up < down"), bound));
        accepted(coarsely(&counter("up = -7;", "up < -100"), 100));
        reaches(coarsely(&counter("", "up < down"), bound));
        reaches(coarsely(&counter("raise();", "up < 2"), bound));
        reaches(coarsely(&counter("raise();", "up > 1000000"), bound));
    }
    // Far from zero nothing is told apart.
    accepted(coarsely(&counter("up = 5;", "up < 5"), 5));
    reaches(coarsely(&counter("up = 5;", "up < 5"), 3));
}
