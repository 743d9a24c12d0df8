//! Programs on which a verdict was wrong once, each for a class of its own: right, or refused by name.

use crate::support::{Folder, rhumb_in};

const HEAD: &str = "#include <pthread.h>\n#include <errno.h>\n#include <stdlib.h>\nextern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern _Bool __VERIFIER_nondet_bool(void);\n\
    extern void __VERIFIER_atomic_begin(void); extern void __VERIFIER_atomic_end(void);\n";

/// The same without headers.
const HEAD_ALONE: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);";

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
        "struct s { int *p; }; int main(void) { int x = 1; struct s s = { &x }; __asm__ volatile(\"call put\" :: \"r\"(&s) : \"memory\"); if (x == 2) reach_error(); }",
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

/// A number goes to a parameter of the other sign with the same bits.
#[test]
fn arguments_of_the_other_sign() {
    says(
        "int g; void f(x) int x; { g = x; } int main(void) { void (*p)() = f; p(1u); if (g == 1) reach_error(); }",
        "verdict: UNSAFE",
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

/// A shift is not the same the other way round, nor twice the same.
#[test]
fn shifts_by_what_is_shifted() {
    let text = |amount: &str, error: &str| {
        format!(
            "int main(void) {{ unsigned x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); if (x >= 8 || y >= 8) return 0; unsigned h = y ^ x; {amount} if ({error}) reach_error(); return 0; }}"
        )
    };
    for engine in ["gps", "execute", "horn"] {
        let folder = Folder::new();
        for (amount, error) in [
            ("h = x << x;", "h == 8"),
            ("h ^= x << y;", "h == (1 ^ 2 ^ 4)"),
            ("h = (x << y) << x;", "h == 8"),
            ("h = 64u >> x >> x;", "h == 4"),
        ] {
            folder.file("input.c", format!("{HEAD}{}", text(amount, error)));
            let called = rhumb_in(
                folder.path(),
                ["check", "input.c", "--timeout", "10s", "--engine", engine],
            );
            assert_ne!(called.last_line(), "verdict: SAFE", "{engine}: {amount}");
        }
    }
}

/// Some of the bits of a number are not that number in another format.
#[test]
fn bits_of_floats_in_other_formats() {
    const FLOATS: &str = "#include <math.h>\nextern double __VERIFIER_nondet_double(void); extern float __VERIFIER_nondet_float(void);\n";
    for text in [
        "int main(void) { union { double d; float f; } u; double x = __VERIFIER_nondet_double(); if (!(x >= 1 && x <= 2)) return 0; u.d = x + 1.0; if (fabsf(u.f) < 1.0f) reach_error(); return 0; }",
        "int main(void) { union { double d; float f; } u; double x = __VERIFIER_nondet_double(); if (!(x >= 1 && x <= 2)) return 0; u.d = x + 1.0; if (-u.f > -1.0f) reach_error(); return 0; }",
        "int main(void) { union { double d; float f; } u; float x = __VERIFIER_nondet_float(); if (!(x >= 1 && x <= 2)) return 0; u.d = 0; u.f = x + 1.0f; if (u.d < 1.0) reach_error(); return 0; }",
    ] {
        says(&format!("{FLOATS}{text}"), "verdict: UNSAFE");
    }
    // Which of two zeros is the lesser is open.
    for text in [
        "int main(void) { if (signbit(fmin(0.0, -0.0))) reach_error(); return 0; }",
        "int main(void) { if (!signbit(fmin(0.0, -0.0))) reach_error(); return 0; }",
        "int main(void) { double x = __VERIFIER_nondet_double(); if (x == 0 && signbit(x) && signbit(fmax(x, 0.0))) reach_error(); return 0; }",
    ] {
        says(&format!("{FLOATS}{text}"), "verdict: UNKNOWN");
    }
}

/// Runs that are told apart by what an argument is are followed into the call.
#[test]
fn arguments_that_raise_a_question() {
    let folder = Folder::new();
    let text = "static void f(int a) { if (a == 3) reach_error(); if (a != 4) return; int b = a; if (b == 4) reach_error(); }
        int main(void) { int x = __VERIFIER_nondet_int(); if (x < 0 || x > 3) return 0; f(x * x); return 0; }";
    folder.file("input.c", format!("{HEAD}{text}"));
    for engine in ["tabulate", "gps"] {
        let called = rhumb_in(
            folder.path(),
            ["check", "input.c", "--timeout", "20s", "--engine", engine],
        );
        assert_ne!(called.last_line(), "verdict: SAFE", "{engine}");
    }
}

/// A free of something unknown may have freed nothing; and what the library keeps for itself is nobody's leak.
#[test]
fn memory_that_may_be_left() {
    let leaks = |text: &str, checks: &str| {
        let folder = Folder::new();
        folder.file("input.c", format!("{HEAD}{text}"));
        let called = rhumb_in(
            folder.path(),
            ["check", "input.c", "--timeout", "5s", "--checks", checks],
        );
        called.last_line().to_owned()
    };
    let hidden = "int *q[1]; int main(void) { unsigned n = __VERIFIER_nondet_int(), h = 1;
        for (unsigned i = 0; i < n; i++) h = h & 1 ? h >> 1 ^ 0xa3000000u : h >> 1;
        int *p = malloc(8); q[0] = malloc(4); if (h != 77) free(p); p = 0; free(q[0]); return 0; }";
    for checks in ["leaks", "cleanup", "bounds,leaks"] {
        assert_ne!(leaks(hidden, checks), "verdict: SAFE", "{checks}");
    }
    let arguments = "int main(int argc, char **argv) { return argc > 1 ? argv[1][0] == 0 : 0; }";
    for checks in ["leaks", "cleanup"] {
        let found = leaks(arguments, checks);
        assert!(!found.starts_with("verdict: UNSAFE"), "{checks}: {found}");
    }
}

/// Undefined behaviour in a program with threads is not asked yet, also where `main` never comes back.
#[test]
fn threads_are_refused_before_they_run() {
    let programs = [
        "int a[2], i; void *ta(void *q) { i = 5; return 0; } int main(void) { pthread_t t; pthread_create(&t, 0, ta, 0); a[i] = 1; exit(0); }",
        "int *p; void *ta(void *q) { free(p); return 0; } int main(void) { pthread_t t; p = malloc(4); pthread_create(&t, 0, ta, 0); free(p); pthread_join(t, 0); return 0; }",
    ];
    for program in programs {
        let folder = Folder::new();
        folder.file("input.c", format!("{HEAD}{program}"));
        let args = [
            "check",
            "input.c",
            "--checks",
            "bounds,free",
            "--timeout",
            "20s",
        ];
        let called = rhumb_in(folder.path(), args);
        let line = called.last_line();
        assert!(line.starts_with("verdict: UNKNOWN"), "{line}");
    }
}

/// All that is compared has to be there, also behind the first difference.
#[test]
fn bytes_behind_a_difference() {
    let text = |n: u32| {
        format!(
            "#include <string.h>\nint main(void) {{ char b[2] = {{1, 2}}, c[3] = {{1, 3, 4}}; return memcmp(b, c, {n}) > 0; }}"
        )
    };
    says(&text(3), "verdict: UNSAFE");
    says(&text(2), "verdict: SAFE");
}

/// What a call with these checks ends with.
fn with_checks(text: &str, checks: &str) -> String {
    let folder = Folder::new();
    folder.file(
        "input.c",
        format!("{HEAD}#include <stdio.h>\n#include <string.h>\n{text}"),
    );
    let args = ["check", "input.c", "--timeout", "20s", "--checks", checks];
    rhumb_in(folder.path(), args).stdout
}

#[track_caller]
fn ends_with(text: &str, checks: &str, expected: &str) {
    let stdout = with_checks(text, checks);
    let line = stdout.lines().last().unwrap_or("");
    assert!(line.starts_with(expected), "{text}\n{stdout}");
}

/// A `_Bool` that is neither 0 nor 1 was the end of a run that nobody asked for.
#[test]
fn truth_values_that_are_none() {
    const BYTE: &str = "extern unsigned char __VERIFIER_nondet_uchar(void);\n";
    let bad = [
        "int main(void) { union { _Bool b; unsigned char c; } u; u.c = 2; return u.b; }",
        "int main(void) { unsigned char c = __VERIFIER_nondet_uchar(); _Bool b; memcpy(&b, &c, 1); return b; }",
        "struct s { int n; _Bool b; }; int main(void) { struct s t = {0, 1}; char *p = (char *)&t; p[4] = 3; return t.b; }",
        "struct s { int a[2]; _Bool b; }; int main(void) { struct s t = {{0}, 1}; t.a[2] = 77; return t.b; }",
        "union u { _Bool *b; unsigned char *c; }; int main(void) { _Bool x = 0; union u u; u.b = &x; *u.c = 2; return x; }",
        "static int f(_Bool *b) { return *b; } int main(void) { unsigned char c = 2; int (*g)(unsigned char *) = (int (*)(unsigned char *))f; return g(&c); }",
        "int main(void) { _Bool x = 0, *p = &x; unsigned char **q = (unsigned char **)&p; **q = 2; return x; }",
        "struct s { int n; _Bool b; } s; void out(const char *); int main(void) { ((char *)&s)[4] = 3; out(0); return s.b; }",
    ];
    for text in bad {
        for checks in ["default", "bool"] {
            ends_with(&format!("{BYTE}{text}"), checks, "verdict: UNSAFE");
        }
        ends_with(&format!("{BYTE}{text}"), "overflow", "verdict: SAFE");
    }
    let good = [
        "int main(void) { union { _Bool b; unsigned char c; } u; u.c = 1; if (!u.b) reach_error(); return 0; }",
        "int main(void) { unsigned char c = __VERIFIER_nondet_uchar() & 1; _Bool b; memcpy(&b, &c, 1); if (b != c) reach_error(); return b; }",
        "struct s { int n; _Bool b; }; int main(void) { struct s s = {0, 1}, t; s.b = __VERIFIER_nondet_bool(); t = s; if (t.b != s.b) reach_error(); return 0; }",
        "struct s { int n; _Bool b; }; int main(void) { struct s *s = malloc(sizeof *s); s->n = 1; s->b = __VERIFIER_nondet_int() > 3; if (s->b) s->n = 2; if (s->n > 2) reach_error(); free(s); return 0; }",
        "int main(void) { static _Bool a[100]; int n = __VERIFIER_nondet_int(); for (int i = 0; i < n && i < 100; i++) a[i] = i % 2; int k = 0; for (int i = 0; i < 100; i++) if (a[i]) k++; if (k > 100) reach_error(); return 0; }",
        "struct s { int n; _Bool b; } c; void out(const char *); int main(void) { out(0); if (c.b) c.n = 0; return 0; }",
        "struct s { int n; _Bool b; }; int main(void) { struct s s = {1, 1}; int *p = &s.n; *p = 2; if (!s.b) reach_error(); return 0; }",
        "struct s { int n; _Bool b; }; struct s *get(void); int main(void) { struct s *s = get(); if (s && s->b) return 1; return 0; }",
    ];
    for text in good {
        ends_with(&format!("{BYTE}{text}"), "default", "verdict: SAFE");
    }
}

/// Where an object lay that has ended another one may lie.
#[test]
fn addresses_of_what_has_ended() {
    let open = [
        "int main(void) { int *p = malloc(4); free(p); int *q = malloc(4); if (p == q) reach_error(); free(q); return 0; }",
        "int main(void) { int *p = malloc(4); free(p); int *q = malloc(4); if (p != q) reach_error(); free(q); return 0; }",
        "static int *f(void) { int x; int *p = &x; return p; } int main(void) { int *p = f(); int y; int *q = &y; if (p == q) reach_error(); return 0; }",
    ];
    for text in open {
        ends_with(text, "none", "verdict: UNKNOWN");
    }
    let known = [
        "int main(void) { int *p = malloc(4), *q = malloc(4); if (p == q) reach_error(); free(p); free(q); return 0; }",
        "int main(void) { int *p = malloc(4); free(p); if (p == 0 || p != p) reach_error(); return 0; }",
        "int main(void) { int x, y; int *p = &x, *q = &y; if (__VERIFIER_nondet_bool()) q = &x; x = 0; if (p == q) *q = 1; if (x && q != &x) reach_error(); return 0; }",
        "static int same(int *a, int *b) { int c; int *d = &c; return a == b || d == a; } int main(void) { int x, y, n = 0; for (int i = 0; i < 3; i++) n += same(&x, &y); if (n) reach_error(); return 0; }",
    ];
    for text in known {
        ends_with(text, "none", "verdict: SAFE");
    }
}

/// What a function of the library reads through its arguments has to be there, or the verdict says that this is assumed.
#[test]
fn what_the_library_reads() {
    let text = |call: &str| {
        format!(
            "#include <unistd.h>\nint main(void) {{ char b[4] = {{1, 2, 3, 4}}; {call}; return 0; }}"
        )
    };
    for bad in [
        "fwrite(b, 1, 5, stdout)",
        "fwrite(b, 2, 3, stdout)",
        "write(1, b, 8)",
        "fwrite(b, (size_t)-1 / 2 + 1, 2, stdout)",
    ] {
        ends_with(&text(bad), "default", "verdict: UNSAFE");
        ends_with(&text(bad), "bounds", "verdict: UNSAFE");
    }
    for good in [
        "fwrite(b, 1, 4, stdout)",
        "fwrite(0, 0, 4, stdout)",
        "write(1, b, 4)",
        "fputs(\"abc\", stdout); fprintf(stderr, \"%d\\n\", b[0]); fflush(stdout)",
    ] {
        ends_with(&text(good), "bounds", "verdict: SAFE");
    }
    for (open, name) in [("fputs(b, stdout)", "fputs"), ("strtod(b, 0)", "strtod")] {
        let unknown =
            format!("verdict: UNKNOWN (unsupported whether what `{name}` gets pointers to");
        ends_with(&text(open), "bounds", &unknown);
        ends_with(&text(open), "overflow", "verdict: SAFE");
        let stdout = with_checks(&text(open), "default");
        let assumed = format!("assumes: what `{name}` gets pointers to may be used\n");
        assert!(stdout.contains(&assumed), "{stdout}");
        assert!(stdout.ends_with("verdict: SAFE\n"), "{stdout}");
    }
}

/// What is taken to be behind pointers from outside is said, in every format.
#[test]
fn objects_behind_pointers_from_outside() {
    let folder = Folder::new();
    let text = "int *f(void); int main(void) { int *p = f(); if (p) p[0] = 1; return 0; }";
    folder.file("input.c", text);
    let assumed =
        "pointers from outside are null, or each points to the start of an object of its own";
    for format in ["text", "json"] {
        let args = [
            "check",
            "input.c",
            "--format",
            format,
            "--certificate",
            "proof.json",
        ];
        let called = rhumb_in(folder.path(), args).expect(0, &[]);
        // Long lines are broken.
        let text = called.stdout.replace("\n  ", " ");
        assert!(text.contains(assumed), "{text}");
    }
    let certificate = std::fs::read_to_string(folder.path().join("proof.json")).unwrap();
    assert!(certificate.contains(assumed), "{certificate}");
    folder.file("input.c", "int f(void); int main(void) { return f() > 3; }");
    let called = rhumb_in(folder.path(), ["check", "input.c"]).expect(0, &[]);
    assert!(!called.stdout.contains(assumed), "{}", called.stdout);
}

/// Two threads that free one object race, and so do one that frees and one that uses it.
#[test]
fn frees_that_race() {
    let text = |thread: &str, main: &str| {
        format!(
            "int *p; void *t(void *a) {{ {thread} return 0; }} int main(void) {{ pthread_t x; p = malloc(4); pthread_create(&x, 0, t, 0); {main} return 0; }}"
        )
    };
    let join = "pthread_join(x, 0);";
    for (thread, main) in [
        ("free(p);", format!("free(p); {join}")),
        ("free(p);", format!("*p = 1; {join}")),
        ("*p = 1;", format!("free(p); {join}")),
    ] {
        ends_with(&text(thread, &main), "race", "verdict: UNSAFE");
    }
    for (thread, main) in [
        ("free(p);", join.to_owned()),
        ("*p = 1;", format!("{join} free(p);")),
        ("int *q = malloc(4); free(q);", format!("free(p); {join}")),
    ] {
        ends_with(&text(thread, &main), "race", "verdict: SAFE");
    }
}

/// One thread that waits for a condition has nobody who could signal it.
#[test]
fn one_thread_waits_for_a_condition() {
    let text = |wait: &str| {
        format!(
            "int main(void) {{ pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER; pthread_cond_t c = PTHREAD_COND_INITIALIZER; pthread_mutex_lock(&m); {wait} pthread_mutex_unlock(&m); return 0; }}"
        )
    };
    let wait = "if (__VERIFIER_nondet_bool()) pthread_cond_wait(&c, &m);";
    ends_with(&text(wait), "deadlock", "verdict: UNSAFE");
    ends_with(&text(wait), "default", "verdict: SAFE");
    ends_with(
        &text("pthread_cond_signal(&c);"),
        "deadlock",
        "verdict: SAFE",
    );
}

/// Wide strings, and macros that only a compiler knows, in a file without directives.
#[test]
fn wide_strings_and_macros_of_compilers() {
    let folder = Folder::new();
    for (text, expected) in [
        (
            "typedef __WCHAR_TYPE__ w; unsigned long wcslen(const w *); extern void reach_error(void); int main(void) { if (wcslen(L\"abc\") != 3) reach_error(); }",
            "verdict: SAFE",
        ),
        (
            "unsigned long wcslen(const int *); extern void reach_error(void); int main(void) { if (wcslen(L\"abc\") == 3) reach_error(); }",
            "verdict: UNSAFE",
        ),
        (
            "extern void reach_error(void); int main(void) { if (__INT64_C(1) + _LP64 == 2 && __ATOMIC_SEQ_CST == 5) reach_error(); }",
            "verdict: UNSAFE",
        ),
    ] {
        folder.file("input.c", text);
        let called = rhumb_in(folder.path(), ["check", "input.c"]);
        assert_eq!(called.last_line(), expected, "{text}\n{}", called.stderr);
    }
}

/// Every thread has a thread-local object of its own, and no index leads to another one's.
#[test]
fn thread_local_objects_lie_apart() {
    let text = |thread: &str, error: &str| {
        format!(
            "_Thread_local int a[2] = {{1, 2}}; void *t(void *q) {{ {thread} return 0; }} int main(void) {{ pthread_t x; a[0] = 3; pthread_create(&x, 0, t, 0); pthread_join(x, 0); if ({error}) reach_error(); return 0; }}"
        )
    };
    let own = "if (a[0] != 1) reach_error(); a[0] = 7;";
    ends_with(
        &text(own, "a[0] != 3 || a[1] != 2"),
        "none",
        "verdict: SAFE",
    );
    ends_with(&text(own, "a[0] == 3"), "none", "verdict: UNSAFE");
    // A run ends where an index is beyond the end.
    ends_with(&text("a[-2] = 5;", "a[0] == 5"), "none", "verdict: SAFE");
    ends_with(
        &text("a[-2] = 5; reach_error();", "0"),
        "none",
        "verdict: SAFE",
    );
}

/// Which of two NaNs a sum is depends on the order in which a compiler takes them.
#[test]
fn sums_of_two_nans() {
    let text = |op: &str, error: &str| {
        format!("static unsigned long b(double d) {{ unsigned long u; memcpy(&u, &d, 8); return u; }} double zero; static double first = 0.0 / 0.0;
            int main(void) {{ double x = __builtin_nan(\"1\"), y = __builtin_nan(\"2\"), z = x {op} y; if ({error}) reach_error(); return 0; }}")
    };
    for op in ["+", "*"] {
        for error in ["(b(z) & 3) == 1", "(b(z) & 3) == 2"] {
            ends_with(&text(op, error), "none", "verdict: UNKNOWN");
        }
    }
    for op in ["-", "/"] {
        ends_with(&text(op, "(b(z) & 3) == 1"), "none", "verdict: UNSAFE");
    }
    for (error, expected) in [
        ("b(first) >> 63", "verdict: SAFE"),
        ("b(zero / zero) >> 63", "verdict: UNSAFE"),
        ("b(x + x) != b(x)", "verdict: SAFE"),
    ] {
        ends_with(&text("-", error), "none", expected);
    }
}

/// A left shift into the sign is what gcc makes of it, unless somebody asks.
#[test]
fn shifts_into_the_sign() {
    let text = |shift: &str, error: &str| {
        format!(
            "int main(void) {{ int x = __VERIFIER_nondet_int(); if (x < 0 || x > 1) return 0; int y = {shift}; if ({error}) reach_error(); return 0; }}"
        )
    };
    ends_with(&text("x << 31", "y < 0"), "none", "verdict: UNSAFE");
    ends_with(&text("x << 31", "x && y >= 0"), "none", "verdict: SAFE");
    ends_with(&text("x << 31", "x && y >= 0"), "overflow", "verdict: SAFE");
    for bad in ["x << 31", "-x << 0", "(x + 2) << 30", "1 << (30 + x)"] {
        ends_with(&text(bad, "0"), "shift", "verdict: UNSAFE");
        ends_with(&text(bad, "0"), "default", "verdict: UNSAFE");
    }
    for good in [
        "x << 30",
        "(x + 2) << 29",
        "1 << (29 + x)",
        "(int)((unsigned)x << 31)",
        "(unsigned char)x << 23",
    ] {
        ends_with(&text(good, "0"), "shift", "verdict: SAFE");
    }
}

/// With addresses of 32 bits: they are extended by their top bit, and come round again where they are moved too far.
#[test]
fn short_addresses() {
    let ends_with = |text: &str, error: &str, expected: &str| {
        let folder = Folder::new();
        let head = "extern void *malloc(unsigned); extern void free(void *);";
        let text = format!("{HEAD_ALONE}{head}{text} if ({error}) reach_error(); return 0; }}");
        folder.file("input.c", text);
        let model = ["--data-model", "ILP32", "--checks", "none"];
        let check = ["check", "input.c", "--timeout", "20s"];
        let called = rhumb_in(folder.path(), check.into_iter().chain(model));
        let line = called.last_line();
        assert!(line.starts_with(expected), "{error}: {line}");
    };
    let high = "int main(void) { char *p = (char *)0xfffffff0u; long long x = (long long)p; unsigned long long u = (unsigned long long)p;";
    ends_with(high, "x == -16 && u + 16 == 0", "verdict: UNSAFE");
    ends_with(high, "x > 0", "verdict: SAFE");
    let list = "struct n { struct n *n; }; int main(void) { struct n *h = 0; \
        while (__VERIFIER_nondet_int()) { struct n *c = malloc(sizeof *c); c->n = h; h = c; } if (!h) return 0; \
        char *e = (char *)h + 0x80000000u;";
    let round = format!("{list} e = e + 0x80000000u;");
    ends_with(&round, "e == (char *)h", "verdict: UNSAFE");
    ends_with(list, "e == (char *)h", "verdict: SAFE");
}

/// glibc sorts with functions that only say what is greater, and takes negative characters for what they are without a sign.
#[test]
fn sorting_and_characters_as_in_glibc() {
    let sorted = |error: &str| {
        format!(
            "static int more(const void *a, const void *b) {{ return *(const int *)a > *(const int *)b; }} \
             int main(void) {{ int a[3] = {{3, 1, 2}}; qsort(a, 3, sizeof *a, more); if ({error}) reach_error(); }}"
        )
    };
    says(&sorted("a[0] != 1 || a[2] != 3"), "verdict: SAFE");
    says(&sorted("a[0] == 1"), "verdict: UNSAFE");
    let characters = "extern int toupper(int), tolower(int); int main(void) { \
        if (toupper(-5) != 251 || tolower(-128) != 128 || toupper(-1) != -1) reach_error(); }";
    says(characters, "verdict: SAFE");
}

/// What writes or reads may fail, and then `errno` is another one.
#[test]
fn errors_of_input_and_output() {
    for call in ["puts(\"x\")", "printf(\"x\")", "putchar(120)", "getchar()"] {
        let text = format!(
            "extern int puts(const char *), printf(const char *, ...), putchar(int), getchar(void); \
             int main(void) {{ errno = 0; {call}; if (errno) reach_error(); }}"
        );
        says(&text, "verdict: UNKNOWN");
    }
    says(
        "int main(void) { errno = 0; if (errno) reach_error(); }",
        "verdict: SAFE",
    );
}
