//! Proofs about the program in which bounds are numbers: by unrolling, so that what is accepted depends on that program alone.

use std::time::Duration;

use rhumb_certify::file::ProofFile;
use rhumb_certify::proof::{Accepted, Argument, Invalid, Proof, Rejected, check, with_bounds};
use rhumb_logic::Budget;
use rhumb_program::{Checks, DataModel, Program};

use crate::support::{lower, lower_for};

const HEAD: &str =
    "typedef unsigned long size_t; extern void *malloc(size_t); extern void free(void *);
    extern void *__builtin_alloca(size_t);\n";

const INPUTS: &str = "extern unsigned long __VERIFIER_nondet_ulong(void);\n";

fn asked(text: &str) -> Program {
    let checks = Checks::parse("bounds,free,leaks").expect("there are such checks");
    checks.apply(lower(&format!("{HEAD}{text}")))
}

fn verdict(text: &str) -> Result<Accepted, Rejected> {
    let program = asked(text);
    let bounded = with_bounds(&program).expect("it has bounds");
    assert!(bounded.validate().is_ok(), "{:?}", bounded.validate());
    let proof = Proof::bounds(Proof::unrolling(12));
    check(&program, &proof, &Budget::time(Duration::from_secs(20)))
}

/// What is said of a program in which a bad access ends a run, and `__VERIFIER_error` is the target.
fn verdict_behind(data_model: DataModel, text: &str) -> Result<Accepted, Rejected> {
    let head = match data_model {
        DataModel::Lp64 => HEAD.to_owned(),
        DataModel::Ilp32 => HEAD.replace("unsigned long size_t", "unsigned size_t"),
    };
    let program = lower_for(data_model, &format!("{head}{INPUTS}{text}"));
    let bounded = with_bounds(&program).expect("it has bounds");
    assert!(bounded.validate().is_ok(), "{:?}", bounded.validate());
    let proof = Proof::bounds(Proof::unrolling(12));
    check(&program, &proof, &Budget::time(Duration::from_secs(20)))
}

/// Behind an access that was right, the second condition in place of `HERE` can hold, and the first one can't.
#[track_caller]
fn follows(data_model: DataModel, text: &str, never: &str, sometimes: &str) {
    let text = text.replace("HERE", "if (HERE) __VERIFIER_error();");
    let result = verdict_behind(data_model, &text.replace("HERE", never));
    assert!(result.is_ok(), "{never}: {result:?}");
    let result = verdict_behind(data_model, &text.replace("HERE", sometimes));
    assert!(
        matches!(result, Err(Rejected::Fails(_))),
        "{sometimes}: {result:?}"
    );
}

#[test]
fn what_was_accessed_was_inside() {
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        let text = "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 1000) return 0;
            char *a = __builtin_alloca(n); int i = __VERIFIER_nondet_int(); a[i] = 1; HERE return 0; }";
        follows(model, text, "i < 0 || i >= n", "i == n - 1");
        follows(model, text, "i == -1", "i == 0");
        let text = "int main(void) { int a[7]; int i = __VERIFIER_nondet_int(); if (i < -9 || i > 9) return 0;
            a[i] = 1; HERE return 0; }";
        follows(model, text, "i < 0 || i > 6", "i > 5");
        // Nothing is known of an access that was not made.
        let text = "int main(void) { int a[7]; int i = __VERIFIER_nondet_int(); if (i < -9 || i > 9) return 0;
            if (i != 8) a[i] = 1; HERE return 0; }";
        follows(model, text, "i == 7", "i == 8");
        // Of two objects, either.
        let text = "int main(void) { char a[3], b[5], *p = a; if (__VERIFIER_nondet_int()) p = b;
            int i = __VERIFIER_nondet_int(); p[i] = 1; HERE return 0; }";
        follows(model, text, "i > 4", "i == 4");
        // Or one that nobody knows.
        let text = "char *any(void); int main(void) { char a[3], *p = a; if (__VERIFIER_nondet_int()) p = any();
            int i = __VERIFIER_nondet_int(); p[i] = 1; HERE return 0; }";
        follows(model, text, "i != i", "i == 3");
    }
}

#[test]
fn what_goes_around_all_memory_comes_back() {
    let text = "int main(void) { char a[10], *p = a; unsigned n = __VERIFIER_nondet_uint();
        for (unsigned i = 0; i < n; i++) { if (i == 3) return 0; p += 0x80000000u; } *p = 1; HERE return 0; }";
    follows(DataModel::Ilp32, text, "n == 1", "n == 2");
    follows(DataModel::Lp64, text, "n == 1 || n == 2", "n == 0");
}

#[test]
fn sizes_of_more_than_half_of_memory_are_sizes() {
    let text = "int main(void) { size_t n = __VERIFIER_nondet_ulong(); char *p = malloc(n); if (!p) return 0;
        p[n - 1] = 1; HERE return 0; }";
    let many = "n > (size_t)-1 / 2 + 5 && n < (size_t)-1 / 2 + 8";
    follows(DataModel::Ilp32, text, "n == 0", many);
    follows(DataModel::Lp64, text, "n == 0", many);
}

/// The program with the first text in place of `HERE` is right, that with the second one is not.
#[track_caller]
fn tells_apart(text: &str, right: &str, wrong: &str) {
    let result = verdict(&text.replace("HERE", right));
    assert!(result.is_ok(), "{right}: {result:?}");
    let result = verdict(&text.replace("HERE", wrong));
    assert!(
        matches!(result, Err(Rejected::Fails(_))),
        "{wrong}: {result:?}"
    );
}

#[test]
fn indices_are_less_than_what_was_allocated() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 1000) return 0;
        int *a = __builtin_alloca(n * sizeof(int));
        int i = __VERIFIER_nondet_int(); if (HERE) a[i] = 1; return 0; }";
    tells_apart(text, "0 <= i && i < n", "0 <= i && i <= n");
    tells_apart(text, "0 <= i && i < n", "i < n");
}

#[test]
fn a_size_that_wraps_is_small() {
    let text = "int main(void) { unsigned n = __VERIFIER_nondet_uint(); if (HERE) return 0;
        char *a = malloc(n * 4u); if (n > 0) a[n - 1] = 1; free(a); return 0; }";
    tells_apart(text, "n > 1000", "n == 5");
}

#[test]
fn what_is_freed_is_not_used() {
    let text = "int main(void) { char *p = malloc(4), *q = p; HERE return 0; }";
    tells_apart(text, "q[3] = 1; free(p);", "free(p); q[3] = 1;");
    tells_apart(text, "free(q);", "free(q); free(p);");
    tells_apart(text, "free(q);", "free(q + 1);");
    tells_apart(
        text,
        "free(0); free(p);",
        "free(p); p = malloc(1); free(q); free(p);",
    );
}

#[test]
fn pointers_to_earlier_instances_are_none_to_later_ones() {
    let text = "int main(void) { char *old = 0; for (int i = 0; i < 2; i++) {
        char *p = malloc(1); if (HERE) *old = 1; old = p; free(p); } return 0; }";
    tells_apart(text, "i == 5", "i == 1");
    let text = "int main(void) { int *old = 0; for (int i = 0; i < 2; i++) {
        int x = 0; if (HERE) *old = 1; old = &x; } return 0; }";
    tells_apart(text, "i == 5", "i == 1");
}

#[test]
fn scopes_end() {
    let text =
        "static int *f(int *q) { int x = 1; HERE } int main(void) { int y = 2; return *f(&y); }";
    tells_apart(text, "*q = x; return q;", "*q = x; return &x;");
}

#[test]
fn pointers_walk() {
    let text = "int main(void) { char a[3]; for (char *p = a; HERE; p++) *p = 0; return 0; }";
    tells_apart(text, "p < a + 3", "p <= a + 3");
    tells_apart(text, "p != a + 3", "p != a + 4");
    tells_apart(text, "p - a < 3", "p - a < 4");
    let text = "int main(void) { const char *p = \"ab\"; while (HERE) p++; return 0; }";
    tells_apart(text, "*p && *p != 'c'", "*p != 'c'");
}

#[test]
fn what_may_not_be_written_is_only_read() {
    let text = "int main(void) { char *p = \"ab\"; HERE return 0; }";
    tells_apart(text, "return p[2];", "p[0] = 'c';");
    tells_apart(text, "return p[2];", "return p[3];");
}

#[test]
fn null_and_what_is_not_known_is_not_accessed() {
    let text =
        "int main(void) { int x = 1, *p = HERE; if (__VERIFIER_nondet_int()) p = &x; return *p; }";
    tells_apart(text, "&x", "0");
    let text = "int main(void) { int x = 1, *p = &x; HERE return *p; }";
    tells_apart(text, "if (p == 0) p = 0;", "if (p != 0) p = 0;");
}

#[test]
fn pointers_without_a_value_are_not_used() {
    let text = "int main(void) { char a[2] = {1, 0}, *p, *q; HERE while (*p) p++; return 0; }";
    tells_apart(text, "p = a; q = a;", "q = a;");
    tells_apart(text, "p = q = a;", "if (__VERIFIER_nondet_int()) p = a;");
}

#[test]
fn lost_memory_is_a_leak() {
    let text =
        "int main(void) { for (int i = 0; i < 2; i++) { char *p = malloc(1); HERE } return 0; }";
    tells_apart(text, "free(p);", "");
    tells_apart(text, "free(p);", "if (i == 0) free(p);");
    tells_apart(text, "free(p);", "if (i == 1) free(p);");
    let text = "static char *kept; int main(void) { kept = malloc(1); for (int i = 0; i < 2; i++) HERE; return 0; }";
    tells_apart(text, "kept[0] = 1", "kept = 0");
}

#[test]
fn bounds_are_written_and_read_again() {
    let program =
        asked("int main(void) { int a[2]; a[1] = 1; return a[__VERIFIER_nondet_int() & 1]; }");
    let proof = Proof::bounds(Proof::unrolling(1));
    let text = ProofFile::new(&program, &proof).and_then(|file| file.to_json());
    let text = text.expect("it can be written");
    let again = ProofFile::from_json(&text).and_then(|file| file.proof(&program));
    let again = again.expect("it can be read again");
    assert!(matches!(again.argument, Argument::Bounds(_)));
    let budget = Budget::time(Duration::from_secs(20));
    assert!(check(&program, &again, &budget).is_ok());
}

#[test]
fn only_some_proofs_are_about_bounds() {
    let program = asked("int main(void) { int a[2]; a[1] = 1; return a[0]; }");
    let budget = Budget::time(Duration::from_secs(20));
    let execution = Proof::bounds(Proof::execution(1000));
    let nested = Proof::bounds(Proof::bounds(Proof::unrolling(1)));
    for proof in [execution, nested] {
        let result = check(&program, &proof, &budget);
        let is_refused = matches!(result, Err(Rejected::Invalid(Invalid::NoBounds)));
        assert!(is_refused, "{result:?}");
    }
    let plain = lower("int main(void) { int a[2]; a[1] = 1; return a[0]; }");
    assert!(check(&plain, &Proof::bounds(Proof::unrolling(1)), &budget).is_err());
}
