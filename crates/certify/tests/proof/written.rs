//! Proofs written by hand: each is accepted, and says what it has to say about the program.

use rhumb_certify::proof::{Formula, Instance, Proof, Rejected, check};
use rhumb_logic::Budget;

use crate::support::{Written, counted_down, lower};

const COUNTER: &str =
    "int main() { int i = 0;\n while (i < 10)\n i++;\n if (i != 10) __VERIFIER_error(); }";

#[test]
fn a_counter() {
    Written::new(COUNTER)
        .at(2, &["(<= 0 i)", "(<= i 10)"])
        .accepted();
}

#[test]
fn a_counter_needs_its_bound() {
    let message = Written::new(COUNTER).at(2, &["(<= 0 i)"]).fails();
    assert!(message.contains("the target at test.c:4"), "{message}");
    assert!(message.contains("before: i = "), "{message}");
}

#[test]
fn a_formula_that_is_not_kept_is_named() {
    let message = Written::new(COUNTER)
        .at(2, &["(<= 0 i)", "(<= i 10)", "(<= i 7)"])
        .fails();
    assert!(
        message.contains("to the cut point at test.c:2"),
        "{message}"
    );
    assert!(message.contains("`i <= 7` has to hold"), "{message}");
    assert!(message.contains("before: i = 7"), "{message}");
    assert!(message.contains("after: i = 8"), "{message}");
}

#[test]
fn a_formula_that_does_not_hold_at_first_is_named() {
    let message = Written::new(COUNTER)
        .at(2, &["(<= 1 i)", "(<= i 10)"])
        .fails();
    assert!(
        message.contains("from the start to the cut point"),
        "{message}"
    );
    assert!(message.contains("after: i = 0"), "{message}");
}

#[test]
fn two_phases() {
    Written::new(
        "int main() { int x = 0, y = 50;\n while (x < 100) {\n x = x + 1; if (x > 50) y = y + 1; }\n \
         if (y != 100) __VERIFIER_error(); }",
    )
    .at(
        2,
        &[
            "(<= x 100)",
            "(or (and (<= x 50) (= y 50)) (and (> x 50) (= y x)))",
        ],
    )
    .accepted();
}

#[test]
fn nested_loops() {
    Written::new(
        "int main() { int n = __VERIFIER_nondet_int(); int i = 0, k = 0; if (n < 0 || n > 1000) return 0;\n \
         while (i < n) { int j = 0;\n while (j < 3) { j++; k++; }\n i++; }\n \
         if (k != 3 * n) __VERIFIER_error(); }",
    )
    .at(2, &["(<= 0 i n 1000)".replace("(<= 0 i n 1000)", "(and (<= 0 i) (<= i n) (<= n 1000))").as_str(), "(= k (* 3 i))"])
    .at(3, &["(and (<= 0 i) (< i n) (<= n 1000))", "(and (<= 0 j) (<= j 3))", "(= k (+ (* 3 i) j))"])
    .accepted();
}

#[test]
fn even_and_odd() {
    Written::new(
        "int main() { unsigned x = 0;\n while (__VERIFIER_nondet_bool())\n x += 2;\n \
         if (x % 2) __VERIFIER_error(); }",
    )
    .at(2, &["(= (mod x 2) 0)"])
    .accepted();
}

#[test]
fn unsigned_that_wraps_on_purpose() {
    // From 4 on down: 0 - 1 is the greatest value, so it never ends; until then it is at most 4.
    Written::new(
        "int main() { unsigned x = 4;\n while (x <= 4) {\n x--; }\n if (x != 4294967295u) __VERIFIER_error(); }",
    )
    .at(2, &["(or (<= x 4) (= x 4294967295))"])
    .accepted();
}

#[test]
fn characters() {
    Written::new(
        "int main() { char c = 0; int i = 0;\n while (i < 300) {\n c = c + 1; i++; }\n \
         if (c != 44) __VERIFIER_error(); }",
    )
    .at(2, &["(<= 0 i)", "(<= i 300)", "(= (mod (- i c) 256) 0)"])
    .accepted();
}

#[test]
fn casts_back_and_forth() {
    Written::new(
        "int main() { int x = __VERIFIER_nondet_int(); unsigned u = x; long l = u; short s = x; int n = 0;\n \
         while (n < 5) n++;\n \
         if ((int)u != x) __VERIFIER_error();\n if (l < 0) __VERIFIER_error();\n \
         if ((short)(l) != s) __VERIFIER_error(); }",
    )
    .at(2, &["(<= n 5)", "(= (mod (- x u) 4294967296) 0)", "(= l u)", "(= (mod (- x s) 65536) 0)"])
    .accepted();
}

#[test]
fn a_state_machine() {
    Written::new(
        "int main() { int s = 0, t = 0;\n while (__VERIFIER_nondet_bool()) {\n \
         switch (s) { case 0: s = 1; t = 5; break; case 1: s = 2; t = t + 2; break; \
         case 2: s = 0; t = 0; break; default: __VERIFIER_error(); }\n \
         if (t > 7) __VERIFIER_error(); } }",
    )
    .at(
        2,
        &["(or (and (= s 0) (= t 0)) (and (= s 1) (= t 5)) (and (= s 2) (= t 7)))"],
    )
    .accepted();
}

#[test]
fn a_function_called_twice() {
    Written::new(
        "int f(int a) { int s = 0, i = 0;\n while (i < a) { s += 2; i++; }\n return s; }\n \
         int main() { int n = __VERIFIER_nondet_int(); if (n < 0 || n > 100) return 0;\n \
         int p = f(n);\n int q = f(2 * n);\n if (q != 2 * p) __VERIFIER_error(); }",
    )
    .in_call(
        2,
        5,
        &[
            "(= f.s@5 (* 2 f.i@5))",
            "(<= f.i@5 f.a@5)",
            "(= f.a@5 n)",
            "(<= 0 n)",
            "(<= n 100)",
            "(<= 0 f.i@5)",
        ],
    )
    .in_call(
        2,
        6,
        &[
            "(= f.s@6 (* 2 f.i@6))",
            "(<= f.i@6 f.a@6)",
            "(= f.a@6 (* 2 n))",
            "(= p (* 2 n))",
            "(<= 0 n)",
            "(<= n 100)",
            "(<= 0 f.i@6)",
        ],
    )
    .accepted();
}

#[test]
fn globals_start_with_their_values() {
    Written::new(
        "int g = 3; int h; int main() {\n while (__VERIFIER_nondet_bool()) h = h + g;\n \
         if (h % 3) __VERIFIER_error(); }",
    )
    .at(2, &["(= g 3)", "(= (mod h 3) 0)"])
    .accepted();
}

#[test]
fn recursion_that_can_do_no_harm_may_change_globals_only() {
    let text = "int g; int f(int n) { g = g + 1; return n <= 0 ? 0 : f(n - 1); }\n \
        int main() { int x = 1; g = 0; f(3);\n while (__VERIFIER_nondet_bool()) x = 1;\n";
    Written::new(&format!("{text} if (x != 1) __VERIFIER_error(); }}"))
        .at(3, &["(= x 1)"])
        .accepted();
    let message = Written::new(&format!("{text} if (g == 77) __VERIFIER_error(); }}"))
        .at(3, &["(= x 1)", "(= g 0)"])
        .fails();
    assert!(message.contains("`g == 0`"), "{message}");
}

#[test]
fn recursion_with_a_target_must_not_be_reached() {
    let text = |guard: &str| {
        format!(
            "void f(int n) {{ if (n < 0) __VERIFIER_error(); if (n) f(n - 1); }}\n int main() {{ int x = 1;\n \
             while (__VERIFIER_nondet_bool()) {{ if ({guard}) f(3); }} }}"
        )
    };
    Written::new(&text("x == 2")).at(3, &["(= x 1)"]).accepted();
    let message = Written::new(&text("x == 1")).at(3, &["(= x 1)"]).fails();
    assert!(
        message.contains("call that is not inlined at test.c:3"),
        "{message}"
    );
}

#[test]
fn truth_values() {
    Written::new(
        "int main() { _Bool flip = 0; unsigned char n = 0;\n while (__VERIFIER_nondet_bool()) { flip = !flip; n++; }\n \
         if (flip != (n & 1)) __VERIFIER_error(); }",
    )
    .at(2, &["(= flip (mod n 2))"])
    .accepted();
}

/// `no k: k >= 0 and x - 3k = 1`: the bound symbol counts the rounds that are still to come.
#[test]
fn a_negated_quantifier_with_a_hint() {
    counted_down("(+ k 1)").accepted();
    let message = counted_down("(+ k 2)").fails();
    assert!(message.contains("no k:"), "{message}");
}

/// `exists k: x = 3k`.
#[test]
fn an_existential_with_a_hint() {
    let text = "int main() { unsigned char n = __VERIFIER_nondet_uchar(); int x = 0;\n \
        while (n > 0) { x += 3; n--; }\n if (x == 7) __VERIFIER_error(); }";
    let build = |value: &str| {
        let mut written = Written::new(text);
        let k = written.counter("k");
        let head = written.head(2);
        let matrix = written.term("(= x (* 3 k))");
        written
            .proof
            .add(head.clone(), Formula::exists(vec![k], matrix));
        written.hint(head.clone(), head, Some(0), Instance::Goal, &[value]);
        // At the start x is 0.
        let entry = rhumb_certify::proof::Point {
            calls: Box::new([]),
            location: rhumb_program::passes::LocRef {
                function: written.program.start,
                location: written.program.functions[written.program.start].cfa.entry,
            },
        };
        let head = written.head(2);
        written.hint(entry, head, Some(0), Instance::Goal, &["0"]);
        written
    };
    build("(+ k 1)").accepted();
    let message = build("(+ k 3)").fails();
    assert!(message.contains("exists k:"), "{message}");
}

#[test]
fn unrolling() {
    let program = lower(
        "int main() { int i, j, s = 0; for (i = 0; i < 5; i++)\n for (j = 0; j < i; j++) s++;\n \
         if (s != 10) __VERIFIER_error(); }",
    );
    let budget = Budget::unlimited();
    // The outer head 6 times, the inner one 0 + 1, 1 + 1, … times.
    let enough = 6 + 5 + 10;
    let accepted = check(&program, &Proof::unrolling(enough), &budget).expect("deep enough");
    assert_eq!(accepted.queries, 0, "all of it is constant");
    let Err(Rejected::Fails(failure)) = check(&program, &Proof::unrolling(enough - 1), &budget)
    else {
        panic!("too shallow");
    };
    assert!(
        failure.to_string().contains("one more round of the loop"),
        "{failure}"
    );
}

#[test]
fn unrolling_with_inputs() {
    let text = |value: &str| {
        format!(
            "int main() {{ unsigned n = __VERIFIER_nondet_uint() % 8, i = 0, s = 0; while (i < n) {{ i++; if \
             (__VERIFIER_nondet_bool()) s += i; }} if (s > {value}) __VERIFIER_error(); }}"
        )
    };
    let budget = Budget::unlimited();
    let accepted = check(&lower(&text("28")), &Proof::unrolling(8), &budget);
    accepted.expect("28 is the greatest sum");
    let rejected = check(&lower(&text("27")), &Proof::unrolling(8), &budget);
    let Err(Rejected::Fails(failure)) = rejected else {
        panic!("{rejected:?}")
    };
    assert!(failure.to_string().contains("the target"), "{failure}");
}
