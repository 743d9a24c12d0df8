//! Calls that stay in place: what their bodies set is unknown behind them, and no engine takes it for known.

use crate::support::{Folder, rhumb_in};

/// What each engine says about a text.
fn verdicts(text: &str) -> Vec<(String, String)> {
    let folder = Folder::new();
    folder.file("input.c", text);
    let engines = rhumb_in(folder.path(), ["engines"]);
    let names = engines
        .stdout
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let verdicts = names.map(|name| {
        let called = rhumb_in(
            folder.path(),
            [
                "check",
                "input.c",
                "--engine",
                name,
                "--timeout",
                "60s",
                "--checks",
                "none",
            ],
        );
        (name.to_owned(), called.last_line().to_owned())
    });
    verdicts.collect()
}

const RECURSIVE: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int state = 1, other = 1;
void sink(int n) { if (n > 2) { sink(n - 1); return; } state = __VERIFIER_nondet_int(); }
";

#[test]
fn what_a_body_sets_is_not_known_behind_the_call() {
    let verdicts = verdicts(&format!(
        "{RECURSIVE}int main(void) {{ state = 4; sink(5); if (state == 271828) reach_error(); return 0; }}\n"
    ));
    assert!(verdicts.len() > 5, "{verdicts:?}");
    for (engine, verdict) in verdicts {
        assert_ne!(verdict, "verdict: SAFE", "{engine}");
        // Nor is it claimed: the reason is not a proof that fell through.
        assert!(!verdict.contains("not accepted"), "{engine}: {verdict}");
    }
}

#[test]
fn what_no_body_sets_is_kept() {
    let verdicts = verdicts(&format!(
        "{RECURSIVE}int main(void) {{ other = 4; sink(5); if (other != 4) reach_error(); return 0; }}\n"
    ));
    for (engine, verdict) in verdicts {
        // There is no array of which one could follow an element, and the other claims nothing where calls are left.
        if !["elements", "values"].contains(&&*engine) {
            assert_eq!(verdict, "verdict: SAFE", "{engine}");
        }
    }
}

/// A start that consists of a call which can't be followed is a goal from the beginning.
#[test]
fn a_recursive_main_is_not_forgotten() {
    let verdicts = verdicts(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); int depth;
         int main(void) { depth++; if (depth == 3 && __VERIFIER_nondet_int() == 8) reach_error(); if (depth < 4) main(); return 0; }\n",
    );
    for (engine, verdict) in verdicts {
        assert_ne!(verdict, "verdict: SAFE", "{engine}");
        assert!(!verdict.contains("not accepted"), "{engine}: {verdict}");
    }
}

/// Functions go where a pointer to functions of other signs is called, and take the bits for what they expect.
#[test]
fn callbacks_with_other_signs() {
    let cases = [
        (
            "enum E { A, B }; static void f(enum E e) { assert(e CMP B); }
             static void (*table[1])(int) = {(void (*)(int))f};
             int main(void) { table[0](1); return 0; }",
            ["==", "!="],
        ),
        (
            "static unsigned next(unsigned p) { return p + 1; }
             int main(void) { int (*g)(int) = (int (*)(int))next; int k = g(-1); assert(k CMP 0); return 0; }",
            ["==", "!="],
        ),
        (
            "extern void qsort(void *, unsigned long, unsigned long, int (*)(const void *, const void *)); int a[2] = {2, 1};
             static unsigned by(const void *x, const void *y) { return *(int *)x - *(int *)y; }
             int main(void) { qsort(a, 2, 4, (int (*)(const void *, const void *))by); assert(a[0] CMP 1); return 0; }",
            ["==", "!="],
        ),
        (
            "extern int __VERIFIER_nondet_int(void);
             static unsigned half(unsigned x) { return x / 2; } static int negative(int x) { return -x; }
             int main(void) { int (*g)(int) = __VERIFIER_nondet_int() ? (int (*)(int))half : negative; int k = g(-2);
             assert(k == 2 || k CMP 2147483647); return 0; }",
            ["==", "!="],
        ),
        (
            "static int f(); static int (*g)() = f; static int f(unsigned x) { return x > 5; }
             int main(void) { assert(g(-1) CMP 1); return 0; }",
            ["==", "!="],
        ),
    ];
    for (text, [holds, fails]) in cases {
        for (sign, verdict) in [(holds, "verdict: SAFE"), (fails, "verdict: UNSAFE")] {
            let folder = Folder::new();
            let text = format!("#include <assert.h>\n{}\n", text.replace("CMP", sign));
            folder.file("input.c", &text);
            let called = rhumb_in(folder.path(), ["check", "input.c"]);
            assert_eq!(called.last_line(), verdict, "{text}{}", called.stdout);
        }
    }
    // In the same way it never comes to an end.
    let folder = Folder::new();
    folder.file(
        "input.c",
        "unsigned r(unsigned p); int (*g)(int) = (int (*)(int))r;
         unsigned r(unsigned p) { return g(p); } int main(void) { return r(0); }\n",
    );
    let called = rhumb_in(
        folder.path(),
        ["check", "input.c", "--checks", "termination"],
    );
    assert_eq!(called.last_line(), "verdict: UNSAFE", "{}", called.stdout);
}

/// Objects on the stack of main live as long as the run: they keep nobody from looking into it.
#[test]
fn a_main_with_an_array_of_variable_length() {
    let program = |limit: u32| {
        format!(
            "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
             int main(void) {{ unsigned n = __VERIFIER_nondet_uint() % 8 + 1; int row[n]; row[0] = 1;
             if (n > {limit}) reach_error(); return 0; }}\n"
        )
    };
    let folder = Folder::new();
    for (limit, verdict) in [(8, "verdict: SAFE"), (7, "verdict: UNSAFE")] {
        folder.file("input.c", program(limit));
        let called = rhumb_in(folder.path(), ["check", "input.c"]);
        assert_eq!(called.last_line(), verdict);
    }
}
