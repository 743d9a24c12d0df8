//! Control flow of every kind, and what is not modelled exactly.

use rhumb_certify::proof::{Formula, Invalid, Proof, Rejected, check};
use rhumb_logic::{Budget, Sort};

use crate::support::{Written, lower};

#[test]
fn loops_made_of_jumps() {
    Written::new(
        "int main() { int i = 0;\n again: if (i >= 10) goto out;\n i++;\n goto again;\n out: if (i != 10) __VERIFIER_error(); }",
    )
    .at(2, &["(<= i 10)"])
    .accepted();
}

/// A loop with two ways in. Any of its points may be the one that the proof speaks of.
#[test]
fn an_irreducible_loop_may_be_cut_anywhere() {
    let text = "int main() { unsigned x = __VERIFIER_nondet_bool();\n if (x) goto second;\n \
        first: x += 2;\n second: x += 4; if (x > 1000) x = x % 2;\n if (__VERIFIER_nondet_bool()) goto first;\n \
        if (x > 1010) __VERIFIER_error(); }";
    let plain = Written::new(text);
    let function = plain.inlined.start;
    let cfa = &plain.inlined.functions[function].cfa;
    let passed = rhumb_program::passes::inline::run(&plain.program, 1_000_000).passed;
    let mut accepted = 0;
    for location in cfa.locations.indices() {
        let at = rhumb_program::passes::LocRef { function, location };
        let mut written = Written::new(text);
        let Some(point) = rhumb_certify::proof::Point::of(&passed.restore, at) else {
            continue;
        };
        let formula = Formula::plain(written.term("(<= x 1006)"));
        written.proof.add(point, formula);
        accepted += usize::from(written.check().is_ok());
    }
    // At some points the formula is not inductive, at most it is.
    assert!(accepted >= 3, "{accepted}");
}

#[test]
fn formulas_at_points_that_are_no_heads() {
    // One after the loop: then the rest is proved from there on.
    let text = "int main() { int i = 0;\n while (i < 10) i++;\n int j = 0;\n while (j < i) j++;\n if (j != 10) __VERIFIER_error(); }";
    Written::new(text)
        .at(2, &["(<= i 10)"])
        .at(4, &["(= i 10)", "(<= j 10)"])
        .accepted();
}

#[test]
fn loops_behind_which_nothing_can_go_wrong_need_not_end() {
    let text = "int main() { unsigned i = 0; while (i < 3) i++; if (i != 3) __VERIFIER_error();\n while (1) i++; }";
    let program = lower(text);
    check(&program, &Proof::unrolling(4), &Budget::unlimited())
        .expect("four visits of the first head");
    // But what a proof says there has to be right.
    Written::new(text).at(2, &["(>= i 0)"]).fails();
    let written = Written::new(text).at(1, &["(<= i 3)"]);
    written.accepted();
    let message = written.at(2, &["(<= i 3)"]).fails();
    assert!(message.contains("the cut point at test.c:2"), "{message}");
}

#[test]
fn a_conjunction_is_named_by_its_part() {
    let message = Written::new(
        "int main() { int i = 0;\n while (i < 10) i++;\n if (i != 10) __VERIFIER_error(); }",
    )
    .at(2, &["(and (<= 0 i) (<= i 10) (<= i 8))"])
    .fails();
    assert!(message.contains("`i <= 8` has to hold"), "{message}");
}

#[test]
fn undefined_behaviour_and_failed_assumptions_end_a_run() {
    Written::new(
        "extern void abort(void); int main() { int x = __VERIFIER_nondet_int(), y = 1; if (x != 0) abort();\n \
         while (__VERIFIER_nondet_bool()) y = 1;\n y = 10 / x; __VERIFIER_error(); }",
    )
    .at(2, &["(= x 0)"])
    .accepted();
}

#[test]
fn memory_and_floats_have_any_value() {
    let text = "int a[4]; double d = 1.5; int main() { int x = 0; a[1] = 5;\n \
        while (__VERIFIER_nondet_bool()) { x = a[1]; d = d + 1; if (d < 0) x = 0; }\n";
    Written::new(&format!(
        "{text} if (x > 2147483647L) __VERIFIER_error(); }}"
    ))
    .at(2, &["(<= x 2147483647)"])
    .accepted();
    let message = Written::new(&format!("{text} if (x == 77) __VERIFIER_error(); }}"))
        .at(2, &["(<= 0 x)"])
        .fails();
    assert!(
        message.contains("has to hold") || message.contains("target"),
        "{message}"
    );
}

#[test]
fn addresses_are_not_null() {
    Written::new(
        "int g; int main() { int *p = &g; int n = 0;\n while (n < 3) n++;\n if (p == 0) __VERIFIER_error(); }",
    )
    .at(2, &["(> p 0)"])
    .accepted();
}

#[test]
fn calls_through_pointers() {
    let text = |body: &str| {
        format!(
            "int g; void f(void) {{ g = 1; }} void h(void) {{ {body} }} int main() {{ void (*p)(void) = __VERIFIER_nondet_bool() ? f : h;\n \
             int x = 3; while (__VERIFIER_nondet_bool()) p();\n if (x != 3) __VERIFIER_error(); }}"
        )
    };
    Written::new(&text("g = 2;")).at(2, &["(= x 3)"]).accepted();
    let message = Written::new(&text("__VERIFIER_error();"))
        .at(2, &["(= x 3)"])
        .fails();
    assert!(message.contains("call that is not inlined"), "{message}");
}

#[test]
fn what_is_not_supported_must_not_be_reached() {
    let text = |guard: &str| {
        format!(
            "int main() {{ int x = 1;\n while (x < 5) {{ if ({guard}) {{ __asm__(\"nop\" : : : \"memory\"); }} x++; }} return 0; }}"
        )
    };
    Written::new(&text("x > 5")).at(2, &["(<= x 5)"]).accepted();
    let rejected = Written::new(&text("x > 3")).at(2, &["(<= x 5)"]);
    // If the construct is supported some day, this is an ordinary program.
    if rejected.program.unsupported.is_empty() {
        rejected.accepted();
    } else {
        let message = rejected.fails();
        assert!(message.contains("not supported"), "{message}");
    }
}

#[test]
fn proofs_that_make_no_sense() {
    let text = "int main() { int i = 0;\n while (i < 10) i++;\n if (i != 10) __VERIFIER_error(); }";
    let invalid = |written: &Written| match written.check() {
        Err(Rejected::Invalid(invalid)) => invalid,
        other => panic!("{other:?}"),
    };
    let mut written = Written::new(text);
    let head = written.head(2);
    written.counter("k");
    let formula = Formula::plain(written.term("(<= i k)"));
    written.proof.add(head.clone(), formula);
    assert!(matches!(invalid(&written), Invalid::FreeSymbol(name) if name == "k"));

    let mut written = Written::new(text);
    let formula = Formula::plain(written.term("(+ i 1)"));
    written.proof.add(head.clone(), formula);
    assert!(matches!(invalid(&written), Invalid::NotAFormula(_)));

    let mut written = Written::new(text);
    let real = written.proof.terms.symbol("r", Sort::Real);
    let variable = written
        .proof
        .variables
        .values()
        .next()
        .expect("a variable")
        .clone();
    written.proof.declare(real, variable);
    assert!(matches!(invalid(&written), Invalid::Sort(name) if name == "r"));

    let mut written = Written::new(text);
    let terms = written.proof.terms.clone();
    let function = terms.function(rhumb_logic::term::FunctionInfo {
        name: "f".into(),
        params: [Sort::Int].into(),
        result: Sort::Int,
    });
    let applied = terms.apply(function, [terms.var(written.names["i"])]);
    written
        .proof
        .add(head, Formula::plain(terms.le(applied, terms.int(0))));
    assert!(matches!(invalid(&written), Invalid::Uninterpreted(_)));
}

#[test]
fn a_spent_budget_is_no_answer() {
    let program = lower(
        "int main() { unsigned x = __VERIFIER_nondet_uint(); while (x) x /= 2; if (x) __VERIFIER_error(); }",
    );
    let budget = Budget::unlimited();
    budget.cancel.cancel();
    let result = check(&program, &Proof::unrolling(40), &budget);
    assert!(
        matches!(result, Err(Rejected::Undecided { .. })),
        "{result:?}"
    );
    check(&program, &Proof::unrolling(40), &Budget::unlimited()).expect("33 rounds at most");
}
