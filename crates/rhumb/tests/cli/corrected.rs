//! Programs on which a verdict was wrong once, each for a class of its own: right, or refused by name.

use crate::support::{Folder, rhumb_in};

const HEAD: &str = "#include <pthread.h>\n#include <errno.h>\n#include <stdlib.h>\nextern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern _Bool __VERIFIER_nondet_bool(void);\n\
    extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);\n";

#[track_caller]
fn says(text: &str, expected: &str) {
    let folder = Folder::new();
    folder.file("input.c", format!("{HEAD}{text}"));
    let called = rhumb_in(folder.path(), ["check", "input.c", "--timeout", "20s"]);
    let line = called.last_line();
    assert!(line.starts_with(expected), "{line}");
}

/// Assembly writes to what it has a pointer to: handed over, in a structure, on the heap, or by an operand in memory.
#[test]
fn assembly_changes_what_it_points_to() {
    let cases = [
        "static void put(int *p) { __asm__ volatile(\"movl $2,(%0)\" :: \"r\"(p) : \"memory\"); } int main(void) { int x = 1; put(&x); if (x == 2) reach_error(); }",
        "int main(void) { int x = 1; __asm__ volatile(\"movl $2,%0\" :: \"m\"(x) : \"memory\"); if (x == 2) reach_error(); }",
        "struct s { int *p; }; int main(void) { int x = 1; struct s s = { &x }; __asm__ volatile(\"nop\" :: \"r\"(&s) : \"memory\"); if (x == 2) reach_error(); }",
        "int main(void) { int x = 1, *q; __asm__(\"mov %1,%0\" : \"=r\"(q) : \"r\"(&x)); *q = 3; if (x == 3) reach_error(); }",
    ];
    for case in cases {
        says(case, "verdict: UNKNOWN");
    }
    says(
        "int main(void) { int x = 1, y; __asm__(\"movl %1,%0\" : \"=r\"(y) : \"r\"(x)); if (x == 2) reach_error(); }",
        "verdict: SAFE",
    );
}

/// What no compiler inserts may not come back, either.
#[test]
fn assembly_may_not_come_back() {
    says(
        "int main(void) { __asm__ volatile(\"ud2\" : :); reach_error(); }",
        "verdict: UNKNOWN",
    );
}

/// C passes a number that both types have to a parameter of the other sign.
#[test]
fn arguments_of_the_other_sign() {
    says(
        "int g; void f(x) int x; { g = x; } int main(void) { void (*p)() = f; p(1u); if (g == 1) reach_error(); }",
        "verdict: UNKNOWN (unsupported a call without a prototype",
    );
    says(
        "int g; void f(x) int x; { g = x; } int main(void) { void (*p)() = f; p(1); if (g == 1) reach_error(); }",
        "verdict: UNSAFE",
    );
}

/// Each thread has an `errno` of its own.
#[test]
fn errors_belong_to_threads() {
    let text = |joined: &str, value: i32| {
        format!(
            "void *t(void *a) {{ errno = 5; return 0; }} int main(void) {{ pthread_t p; errno = 0; pthread_create(&p, 0, t, 0); {joined} if (errno == {value}) reach_error(); return 0; }}"
        )
    };
    says(&text("pthread_join(p, 0);", 0), "verdict: UNSAFE");
    says(&text("", 5), "verdict: SAFE");
}

/// Steps of atomic objects are one access.
#[test]
fn steps_of_atomic_objects() {
    let text = |qualifier: &str| {
        format!(
            "{qualifier} int a; int u, v; void *t(void *x) {{ *(int *)x = a++; return 0; }} int main(void) {{ pthread_t p, q; pthread_create(&p, 0, t, &u); pthread_create(&q, 0, t, &v);
            pthread_join(p, 0); pthread_join(q, 0); if (u == v) reach_error(); return 0; }}"
        )
    };
    says(&text("_Atomic"), "verdict: SAFE");
    says(&text(""), "verdict: UNSAFE");
}

/// What is found out of a value that one of many threads has, too, is not found out of the others.
#[test]
fn many_threads_share_no_knowledge() {
    let folder = Folder::new();
    let text = "int g, flag, c, d; pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
        void *t(void *a) { int v = 0, st = 0;
          while (1) {
            if (st) { pthread_mutex_lock(&m); if (v == 3) reach_error(); pthread_mutex_unlock(&m); return 0; }
            st = 1;
            __VERIFIER_atomic_begin();
            if (flag || c != d) { __VERIFIER_atomic_end(); return 0; }
            v = __VERIFIER_nondet_int(); g = v; c = c + 1;
            __VERIFIER_atomic_end();
          } }
        int main(void) { pthread_mutex_lock(&m);
          while (__VERIFIER_nondet_bool()) { pthread_t p; pthread_create(&p, 0, t, 0); }
          for (int i = 1; i < 4; i++) { __VERIFIER_atomic_begin(); if (c != i) exit(0); d = i; __VERIFIER_atomic_end(); }
          __VERIFIER_atomic_begin(); if (g != 7) exit(0); flag = 1; __VERIFIER_atomic_end();
          pthread_mutex_unlock(&m); pthread_exit(0); }";
    folder.file("input.c", format!("{HEAD}{text}"));
    let called = rhumb_in(folder.path(), ["check", "input.c", "--timeout", "10s"]);
    assert_ne!(called.last_line(), "verdict: SAFE");
}
