//! Whether all runs end: questions that were answered wrongly once, with their likes that are right.

use crate::support::{Folder, rhumb_in};

const HEAD: &str =
    "#include <stdlib.h>\n#include <pthread.h>\nextern int __VERIFIER_nondet_int(void);\n";

#[track_caller]
fn verdict(text: &str, expected: &str) -> String {
    let folder = Folder::new();
    folder.file("input.c", format!("{HEAD}{text}"));
    let limits = [
        "check",
        "input.c",
        "--timeout",
        "60s",
        "--cpu-timeout",
        "6s",
    ];
    let asked = ["--checks", "termination", "--certificate", "c.json"];
    let called = rhumb_in(folder.path(), limits.into_iter().chain(asked));
    let line = called.last_line();
    assert!(
        line.starts_with(&format!("verdict: {expected}")),
        "{text}\n{}{}",
        called.stdout,
        called.stderr
    );
    if expected != "UNKNOWN" {
        let again = ["validate", "input.c", "--certificate", "c.json"];
        rhumb_in(folder.path(), again).expect(0, &[]);
    }
    called.stdout
}

/// A function that is called through its own name, cast to another type, calls itself all the same.
#[test]
fn recursion_through_a_cast_counts() {
    let call = |argument: &str| {
        format!(
            "int f(int x) {{ if (x <= 0) return 0; return ((int (*)())f)({argument}); }}\n\
             int main(void) {{ return f(__VERIFIER_nondet_int()); }}"
        )
    };
    verdict(&call("x - 1"), "SAFE");
    verdict(&call("x"), "UNSAFE");
    let both = |argument: &str| {
        format!(
            "int f(unsigned x);\nenum e {{ A, B }};\n\
             int g(enum e x) {{ return x ? ((int (*)(enum e))f)({argument}) : 0; }}\n\
             int f(unsigned x) {{ return x ? ((int (*)(unsigned))g)(x) : 0; }}\n\
             int main(void) {{ return f(__VERIFIER_nondet_int()); }}"
        )
    };
    verdict(&both("x"), "UNSAFE");
}

/// Operands of which one ends the run and the other one never comes to an end, in either order.
#[test]
fn what_comes_first_may_not_end() {
    let text = |sum: &str, body: &str| {
        format!(
            "int f(void) {{ {body} return 1; }} int g(void) {{ exit(0); }}\n\
             int k(int a, int b) {{ return a; }} int main(void) {{ return {sum}; }}"
        )
    };
    for sum in ["f() + g()", "g() + f()", "k(g(), f())", "k(f(), g())"] {
        verdict(&text(sum, "for (;;) ;"), "UNSAFE");
        verdict(&text(sum, "for (int i = 0; i < 9; i++) ;"), "SAFE");
    }
}

/// One thread that waits for another one does so forever.
#[test]
fn who_waits_alone_does_not_end() {
    let text = |body: &str| {
        format!(
            "pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c;\n\
             int main(void) {{ pthread_mutex_lock(&m); {body} return 0; }}"
        )
    };
    verdict(
        &text("pthread_mutex_unlock(&m); pthread_mutex_lock(&m);"),
        "SAFE",
    );
    verdict(&text("pthread_mutex_lock(&m);"), "UNSAFE");
    verdict(&text("pthread_cond_wait(&c, &m);"), "UNKNOWN");
}

#[test]
fn what_is_assumed_of_others_is_said() {
    let said = verdict("int g(int); int main(void) { return g(3); }", "SAFE");
    assert!(
        said.contains("assumes: calls of functions without a body come to an end"),
        "{said}"
    );
    let said = verdict("int main(void) { return __VERIFIER_nondet_int(); }", "SAFE");
    assert!(!said.contains("assumes"), "{said}");
}
