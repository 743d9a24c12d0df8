//! What the program with bounds knows of bytes that are 0. Only bad reads are asked for, so that writes by pointers
//! that nobody follows are no errors by themselves: what they do to terminators is what counts.

use std::time::Duration;

use rhumb_certify::proof::{Accepted, Proof, Rejected, check, with_bounds};
use rhumb_logic::Budget;
use rhumb_program::{Checks, Program, TargetKind, UbKind};

use crate::support::lower;

const HEAD: &str =
    "typedef unsigned long size_t; extern void *malloc(size_t); extern void free(void *);
    extern void *calloc(size_t, size_t); extern void *__builtin_alloca(size_t);
    extern void *memset(void *, int, size_t); extern void *memcpy(void *, const void *, size_t);
    extern char *strcpy(char *, const char *); extern int touch(char *);
    extern char __VERIFIER_nondet_char(void);\n";

/// A string of computed size, something that happens, and a bad read unless the byte at its end is 0.
const STRING: &str = "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 9 || n > 1000) return 0;
    char *s = __builtin_alloca(n), *t = __builtin_alloca(n), *q = s + 1, c = __VERIFIER_nondet_char();
    char **m = __builtin_alloca(8); int i = __VERIFIER_nondet_int(); if (i < 0 || i >= n) return 0; t[n - 1] = 0;
    HERE if (s[n - 1]) return s[n]; return 0; }";

fn reads(text: &str) -> Program {
    let checks = Checks::parse("bounds").expect("there are such checks");
    let program = checks.apply(lower(&format!("{HEAD}{text}")));
    let is_read = |kind: &TargetKind| *kind == TargetKind::Undefined(UbKind::BadRead);
    let asked: Vec<_> = (program.targets.iter_enumerated())
        .filter(|(_, target)| is_read(&target.kind))
        .map(|(id, _)| id)
        .collect();
    program.asking(&asked)
}

fn verdict(text: &str) -> Result<Accepted, Rejected> {
    let program = reads(text);
    let bounded = with_bounds(&program).expect("it has bounds");
    assert!(bounded.validate().is_ok(), "{:?}", bounded.validate());
    let proof = Proof::bounds(Proof::unrolling(12));
    check(&program, &proof, &Budget::time(Duration::from_secs(60)))
}

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
fn what_is_stored_is_read_again() {
    tells_apart(STRING, "s[n - 1] = 0;", "");
    tells_apart(STRING, "s[n - 1] = 0;", "s[n - 1] = 1;");
    tells_apart(STRING, "s[n - 1] = 0;", "s[n - 2] = 0;");
    tells_apart(STRING, "s[n - 1] = 0;", "t[n - 1] = 0;");
    tells_apart(STRING, "s[n - 1] = 0;", "if (c) s[n - 1] = 0;");
    tells_apart(
        STRING,
        "if (c) return 0; s[n - 1] = c;",
        "if (c > 1) return 0; s[n - 1] = c;",
    );
}

#[test]
fn other_bytes_stay() {
    let text = STRING.replace("HERE", "s[n - 1] = 0; HERE");
    tells_apart(&text, "s[0] = 1;", "s[n - 1] = 1;");
    tells_apart(&text, "t[n - 1] = 1;", "s[n - 1] = c;");
    tells_apart(&text, "if (i < n - 1) s[i] = c;", "s[i] = c;");
    tells_apart(&text, "if (c == 0) s[i] = c;", "if (c >= 0) s[i] = c;");
    // By another pointer to the same object, and by one that was moved out and back.
    tells_apart(&text, "q[n - 3] = 1;", "q[n - 2] = 1;");
    tells_apart(
        &text,
        "q = s + n; q[-2] = 1;",
        "q = s + 2 * n; q[-n - 1] = 1;",
    );
    // A byte that is 0 elsewhere is one to know instead.
    tells_apart(
        &text,
        "s[n - 1] = 1; s[n - 1] = 0;",
        "s[n - 1] = 1; s[n - 2] = 0;",
    );
}

#[test]
fn wide_stores_are_to_all_of_their_bytes() {
    let text = STRING.replace("HERE", "s[n - 1] = 0; HERE");
    tells_apart(
        &text,
        "*(int *)(s + n - 5) = 7;",
        "*(int *)(s + n - 4) = 7;",
    );
    tells_apart(
        &text,
        "*(short *)(s + n - 3) = 256;",
        "*(short *)(s + n - 2) = 256;",
    );
    tells_apart(
        &text,
        "*(double *)(s + n - 9) = 1.5;",
        "*(double *)(s + n - 8) = 1.5;",
    );
}

#[test]
fn bits_of_a_byte_are_not_the_byte() {
    let text = format!("struct bits {{ unsigned char low : 4, high : 4; }}; {STRING}");
    let text = text.replace("HERE", "struct bits *b = (struct bits *)(s + n - 1); HERE");
    tells_apart(&text, "s[n - 1] = 0;", "b->low = 0;");
    tells_apart(
        &text,
        "b->low = 1; s[n - 1] = 0;",
        "s[n - 1] = 0; b->high = 1;",
    );
}

#[test]
fn pointers_that_nobody_follows_are_to_everything() {
    let text = STRING.replace("HERE", "*m = s; char *p = t; s[n - 1] = 0; HERE");
    tells_apart(&text, "p[n - 1] = 1;", "p = *m; p[n - 1] = 1;");
    tells_apart(
        &text,
        "*p = 1;",
        "p = (char *)(unsigned long)(s + n - 1); *p = 1;",
    );
    tells_apart(&text, "", "touch(s);");
    tells_apart(&text, "memset(p, 1, n);", "p = *m; memset(p, 1, n);");
    tells_apart(
        &text,
        "memcpy(p, s, n);",
        "p = *m; memcpy(p, s + 1, n - 1);",
    );
}

#[test]
fn bytes_that_are_set_together() {
    tells_apart(STRING, "memset(s, 0, n);", "memset(s, 1, n);");
    tells_apart(STRING, "memset(s, 256, n);", "memset(s, c, n);");
    tells_apart(STRING, "memset(s, 0, n);", "memset(s, 0, n - 1);");
    tells_apart(STRING, "memset(s + i, 0, n - i);", "memset(s + i, 0, 0);");
    let text = STRING.replace("HERE", "s[n - 1] = 0; HERE");
    tells_apart(&text, "memset(s, 1, n - 1);", "memset(s, 1, n);");
    tells_apart(
        &text,
        "memset(s + n - 1, 1, 0);",
        "memset(s + n - 1, 1, 1);",
    );
    tells_apart(&text, "memset(s, 1, i);", "memset(s, 1, i + 1);");
}

#[test]
fn copies_have_the_terminator_of_what_is_copied() {
    tells_apart(STRING, "memcpy(s, t, n);", "memcpy(s, t, n - 1);");
    tells_apart(STRING, "memcpy(s, t, n);", "t[n - 1] = 1; memcpy(s, t, n);");
    tells_apart(
        STRING,
        "memcpy(s + 1, t + 1, n - 1);",
        "memcpy(s, t + 1, n - 1);",
    );
    tells_apart(
        STRING,
        "t[0] = 0; memcpy(s + n - 1, t, 1);",
        "t[0] = 0; memcpy(s + n - 2, t, 1);",
    );
    let text = STRING.replace("HERE", "s[n - 1] = 0; HERE");
    tells_apart(
        &text,
        "memcpy(s, t, n - 1);",
        "t[n - 1] = 1; memcpy(s, t, n);",
    );
}

#[test]
fn new_instances_have_new_bytes() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 9 || n > 1000) return 0;
        for (int i = 0; i < 2; i++) { char *s = malloc(n); if (i == 0) s[n - 1] = 0;
        if (HERE) { if (s[n - 1]) return s[n]; } free(s); } return 0; }";
    tells_apart(text, "i == 0", "i == 1");
    let text = "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 9 || n > 1000) return 0;
        char *old = 0; for (int i = 0; i < 2; i++) { char *s = malloc(n); s[n - 1] = 0; HERE
        if (s[n - 1]) return s[n]; old = s; } return 0; }";
    tells_apart(
        text,
        "if (i == 2) old[n - 1] = 1;",
        "if (i == 1) s[n - 1] = 1;",
    );
    let text = "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 1 || n > 1000) return 0;
        char *s = HERE; if (s[n - 1]) return s[n]; return 0; }";
    tells_apart(text, "calloc(n, 1)", "malloc(n)");
}

#[test]
fn first_contents_are_known() {
    let text = "static char a[5000] = \"ab\"; static char b[5000] = {1, 2, 3}; static char *const p = HERE;
        int main(void) { int i = __VERIFIER_nondet_int(); if (i != 2) return 0;
        if (p[i]) return p[-1]; return 0; }";
    tells_apart(text, "a", "b");
    let text = "static char a[5000] = \"ab\"; int main(void) { int i = __VERIFIER_nondet_int(); if (i != 2) return 0;
        HERE if (a[i]) return a[-1]; return 0; }";
    tells_apart(text, "a[1] = 1;", "a[2] = 1;");
    tells_apart(text, "", "a[i] = 1;");
}

#[test]
fn strings_are_copied_with_their_end() {
    let text = "int main(void) { int n = __VERIFIER_nondet_int(); if (n < 2 || n > 4) return 0;
        char *s = malloc(n), *t = malloc(n); s[n - 1] = 0; HERE
        while (*t) t++; return 0; }";
    tells_apart(text, "strcpy(t, s);", "");
    tells_apart(text, "strcpy(t, s);", "strcpy(t, s); t[n - 1] = 1;");
}
