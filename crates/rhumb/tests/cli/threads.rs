//! Threads: verdicts, schedules as evidence, and what is refused.

use crate::support::{Folder, check, check_without_checks, rhumb_in};

const HEAD: &str = "#include <pthread.h>\n#include <semaphore.h>\n#include <assert.h>\n\
    extern int __VERIFIER_nondet_int(void);\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;\nint x, y;\n";

/// A program with two threads that do this, after `main` did something, and before it does something else.
fn two(body: &str, before: &str, after: &str) -> String {
    format!(
        "{HEAD}void *f(void *p) {{ {body} return p; }}\nint main(void) {{ pthread_t a, b; {before}\n\
         pthread_create(&a, 0, f, &x); pthread_create(&b, 0, f, &y);\n\
         pthread_join(a, 0); pthread_join(b, 0); {after} return 0; }}\n"
    )
}

#[track_caller]
fn verdict(program: String, expected: &str) {
    let called = check(program.clone());
    let line = format!("verdict: {expected}");
    let text = format!("{program}\n{}{}", called.stdout, called.stderr);
    assert!(called.last_line().starts_with(&line), "{text}");
}

#[test]
fn locks_exclude_and_races_are_seen() {
    verdict(two("x = x + 1;", "", "assert(x == 2);"), "UNSAFE");
    verdict(
        two("__sync_fetch_and_add(&x, 1);", "", "assert(x == 2);"),
        "SAFE",
    );
    let locked = "pthread_mutex_lock(&m); x = x + 1; pthread_mutex_unlock(&m);";
    verdict(two(locked, "", "assert(x == 2);"), "SAFE");
    verdict(two(locked, "", "assert(x == 1);"), "UNSAFE");
    let tried = "if (pthread_mutex_trylock(&m) == 0) { x = x + 1; pthread_mutex_unlock(&m); }";
    verdict(two(tried, "", "assert(x == 2);"), "UNSAFE");
    verdict(two(tried, "", "assert(x >= 1);"), "SAFE");
}

#[test]
fn what_only_one_order_allows() {
    // Each thread sees the other's store, or its own comes later.
    let dekker = "int *own = p, *other = own == &x ? &y : &x; *own = 1; if (!*other) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }";
    verdict(two(dekker, "", "assert(x && y);"), "SAFE");
    // A thread that waits in a loop.
    let waits = "if (p == &x) { x = 1; while (!y) ; assert(y == 1); } else { while (!x) ; y = 1; }";
    verdict(two(waits, "", "assert(x + y == 2);"), "SAFE");
    // One that ends the run does so when it wants to.
    verdict(
        two("x = 1; assert(y == 0); if (p == &y) y = 1;", "", ""),
        "UNSAFE",
    );
    verdict(
        two(
            "if (p == &y) { y = 1; exit(0); } assert(y == 0);",
            "extern void exit(int);",
            "",
        ),
        "UNSAFE",
    );
}

#[test]
fn the_library_of_threads() {
    verdict(
        format!(
            "{HEAD}sem_t s; void *f(void *p) {{ sem_wait(&s); x = x + 1; sem_post(&s); return 0; }}\n\
             int main(void) {{ pthread_t a, b; sem_init(&s, 0, 1); pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);\n\
             pthread_join(a, 0); pthread_join(b, 0); assert(x == 2); return 0; }}\n"
        ),
        "SAFE",
    );
    verdict(
        format!(
            "{HEAD}pthread_barrier_t w; void *f(void *p) {{ *(int *)p = 1; pthread_barrier_wait(&w); assert(x && y); return 0; }}\n\
             int main(void) {{ pthread_t a, b; pthread_barrier_init(&w, 0, 2); pthread_create(&a, 0, f, &x); pthread_create(&b, 0, f, &y);\n\
             pthread_join(a, 0); pthread_join(b, 0); return 0; }}\n"
        ),
        "SAFE",
    );
    verdict(
        format!(
            "{HEAD}_Thread_local int own = 3; void *f(void *p) {{ own++; assert(own == 4); pthread_exit((void *)&x); return 0; }}\n\
             int main(void) {{ pthread_t a; void *r; pthread_create(&a, 0, f, 0); own = 7; pthread_join(a, &r); assert(r == &x && own == 7); return 0; }}\n"
        ),
        "SAFE",
    );
}

/// A program that creates threads without an end.
fn crowd(body: &str) -> String {
    format!(
        "{HEAD}extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\n\
         void *f(void *p) {{ {body} return 0; }}\n\
         int main(void) {{ pthread_t t; while (1) pthread_create(&t, 0, f, 0); }}\n"
    )
}

#[test]
fn any_number_of_threads() {
    let lock = "pthread_mutex_lock(&m);";
    let unlock = "pthread_mutex_unlock(&m);";
    verdict(
        crowd(&format!("{lock} x = 0; x = 1; assert(x == 1); {unlock}")),
        "SAFE",
    );
    verdict(
        crowd(&format!("{lock} x = 0; x = 1; {unlock} assert(x == 1);")),
        "UNSAFE",
    );
    verdict(crowd("x = 0; x = 1; assert(x == 1);"), "UNSAFE");
    // Three threads are needed.
    verdict(
        crowd("if (x < 2) __sync_fetch_and_add(&x, 1); assert(x < 3);"),
        "UNSAFE",
    );
    // What one has from outside is not what another one has.
    let own = "int a = __VERIFIER_nondet_int(), b = a;";
    verdict(
        crowd(&format!(
            "{own} {lock} x = 1; x = 0; assert(a == b); {unlock}"
        )),
        "SAFE",
    );
    verdict(
        crowd(&format!(
            "{own} if (a < 0 || a > 1) return 0; {lock} x = a; y = 0; assert(x == b); {unlock}"
        )),
        "SAFE",
    );
}

#[test]
fn a_schedule_is_evidence() {
    let folder = Folder::new();
    folder.file("case.c", two("x = x + 1;", "", "assert(x == 2);"));
    let path = folder.path();
    let found = rhumb_in(path, ["check", "case.c", "--certificate", "c.json"]);
    assert_eq!(found.status, 10, "{}{}", found.stdout, found.stderr);
    let written = std::fs::read_to_string(path.join("c.json")).expect("a certificate");
    assert!(written.contains("schedule"), "{written}");
    let validated = rhumb_in(path, ["validate", "case.c", "--certificate", "c.json"]);
    assert_eq!(
        validated.status, 0,
        "{}{}",
        validated.stdout, validated.stderr
    );
    let harness = rhumb_in(path, ["check", "case.c", "--harness", "h.c"]);
    assert!(
        harness.stderr.contains("schedule of threads"),
        "{}",
        harness.stderr
    );
    let other = rhumb_in(path, ["check", "case.c", "--engine", "bmc"]);
    assert!(other.last_line().contains("threads"), "{}", other.stdout);
}

#[test]
fn what_is_refused() {
    verdict(
        format!(
            "struct s {{ int a, b; }} s, t = {{1, 1}};\n{}",
            two("if (p == &x) s = t; else assert(s.a >= 0);", "", "")
        ),
        "UNKNOWN",
    );
    verdict(
        format!(
            "{HEAD}void *f(void *p) {{ return p; }}\nint main(void) {{ pthread_t a; pthread_create(&a, 0, f, 0); pthread_cancel(a); assert(x == 0); return 0; }}\n"
        ),
        "UNKNOWN",
    );
}

/// What other threads do before `main` returns happens, whether it waits for them or not; what they would do behind that doesn't.
#[test]
fn the_end_of_main_ends_the_others() {
    let alone = |body: &str, rest: &str| {
        format!(
            "{HEAD}extern void exit(int); void *f(void *p) {{ {body} return p; }}\n\
             int main(void) {{ pthread_t a, b; pthread_create(&a, 0, f, &x); {rest} }}\n"
        )
    };
    for rest in [
        "return 0;",
        "exit(0);",
        "pthread_create(&b, 0, f, &y); return 0;",
    ] {
        verdict(alone("assert(0);", rest), "UNSAFE");
        verdict(alone("assert(x == 0);", rest), "SAFE");
    }
    let locked = "pthread_mutex_lock(&m); assert(y == 1); pthread_mutex_unlock(&m);";
    verdict(alone(locked, "return 0;"), "UNSAFE");
    // Nobody goes on behind the end.
    verdict(
        alone("pthread_mutex_lock(&m); assert(0);", "return 0;")
            .replace("pthread_create", "pthread_mutex_lock(&m); pthread_create"),
        "SAFE",
    );
    let folder = Folder::new();
    folder.file("p.prp", "CHECK( init(main()), LTL(G ! data-race) )\n");
    folder.file(
        "a.c",
        alone("x = p == &x;", "pthread_create(&b, 0, f, &y); return 0;"),
    );
    let called = rhumb_in(folder.path(), ["check", "a.c", "--property", "p.prp"]);
    assert_eq!(called.last_line(), "verdict: UNSAFE", "{}", called.stderr);
}

/// The same without checks: a run in which something is undefined ends there.
#[track_caller]
fn verdict_without_checks(program: &str, expected: &str) {
    let called = check_without_checks(program);
    let line = format!("verdict: {expected}");
    let text = format!("{program}\n{}{}", called.stdout, called.stderr);
    assert!(called.last_line().starts_with(&line), "{text}");
}

/// Memory that ends when a function returns can be read by others until then.
#[test]
fn others_go_on_before_memory_ends() {
    for made in [
        "int *v = __builtin_alloca(4); *v = 5; q = v; return 0;",
        "int n = 2; int v[n]; v[0] = 5; q = v; return 0;",
        "int v = 5; q = &v; return 0;",
        // Where the function returns before it allocates, in the order of the text.
        "int *v = 0; again: if (v) return 0; v = __builtin_alloca(4); *v = 5; q = v; goto again;",
    ] {
        for (read, expected) in [(5, "UNSAFE"), (6, "SAFE")] {
            let program = format!(
                "#include <pthread.h>\nextern void reach_error(void); int d, *q = &d; void *f(void *p) {{ {made} }}
                 int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); int *r = q; if (*r == {read}) reach_error(); return 0; }}"
            );
            verdict_without_checks(&program, expected);
        }
    }
}

/// Either of two threads may be the one that exits.
#[test]
fn who_exits_first_is_open() {
    for (thread, expected) in [("exit(0);", "UNSAFE"), ("return 0;", "SAFE")] {
        let program = format!(
            "#include <pthread.h>\n#include <stdlib.h>\nextern void reach_error(void); pthread_t first;
             void h(void) {{ if (pthread_self() != first) reach_error(); }} void *f(void *p) {{ {thread} }}
             int main(void) {{ pthread_t t; first = pthread_self(); atexit(h); pthread_create(&t, 0, f, 0); return 0; }}"
        );
        verdict_without_checks(&program, expected);
    }
}

/// Operands that others can interrupt are evaluated in either order.
#[test]
fn operands_in_either_order() {
    for (test, expected) in [
        ("if (10 * y + z == 20) reach_error();", "UNSAFE"),
        ("if (10 * z + y == 2) reach_error();", "UNSAFE"),
        ("if (10 * y + z == 30) reach_error();", "SAFE"),
        ("if (h(get(&y), get(&z))) reach_error();", "UNSAFE"),
        (
            "int a = get(&y), b = get(&z); if (h(a, b)) reach_error();",
            "SAFE",
        ),
        // First one, and then the other.
        ("if (y == 2 && z == 0) reach_error();", "SAFE"),
        ("if (z == 0 && y == 2) reach_error();", "UNSAFE"),
        (
            "if (y + z + y == 4) reach_error();",
            "UNKNOWN (unsupported more than two orders of evaluation",
        ),
    ] {
        let program = format!(
            "#include <pthread.h>\nextern void reach_error(void); _Atomic int y, z; int h(int a, int b) {{ return a == 2 && b == 0; }}
             int get(_Atomic int *p) {{ return *p; }} void *f(void *p) {{ z = 1; y = 2; return p; }}
             int main(void) {{ pthread_t t; pthread_create(&t, 0, f, 0); {test} return 0; }}"
        );
        verdict_without_checks(&program, expected);
    }
}

#[test]
fn threads_begin_in_functions_of_other_types() {
    let starts = |function: &str, start: &str, after: &str| {
        format!(
            "{HEAD}{function}\nint main(void) {{ pthread_t a; void *r = 0; x = 5;\n\
             pthread_create(&a, 0, {start}, &x); pthread_join(a, &r); {after} return 0; }}\n"
        )
    };
    let cast = "(void *(*)(void *))f";
    for function in [
        "int f(void *p) { *(int *)p = 7; return 3; }",
        "void f(void *p) { *(int *)p = 7; }",
        "void f(void) { x = 7; }",
        "void f() { x = 7; }",
        "int f() { x = 7; return 3; }",
        "void *f(void) { x = 7; return (void *)3; }",
        "void *f(int *p) { *p = 7; return (void *)3; }",
    ] {
        verdict(starts(function, cast, "assert(x == 7);"), "SAFE");
        verdict(starts(function, cast, "assert(x == 5);"), "UNSAFE");
        if !function.starts_with("void f") {
            verdict(starts(function, cast, "assert((int)(long)r == 3);"), "SAFE");
            verdict(
                starts(function, cast, "assert((int)(long)r == 4);"),
                "UNSAFE",
            );
        }
    }
    // What nobody has set is open.
    let narrow = "int f(void *p) { return 3; }";
    verdict(starts(narrow, cast, "assert((long)r == 3);"), "UNSAFE");
    let nothing = "void f(void *p) { }";
    verdict(starts(nothing, cast, "assert(!r);"), "UNSAFE");
    // A number is the lowest bits of the word that is passed.
    let number = "void *f(int n) { x = n; return 0; }";
    let calls =
        starts(number, cast, "").replace(", &x); ", ", (void *)41L); assert(x == 5 || x == 41); ");
    verdict(calls, "SAFE");
    // Through a variable, in which there may be one or another.
    let either = "int f(void *p) { x = 7; return 0; }\nvoid g(void) { x = 8; }";
    let choice = "(__VERIFIER_nondet_int() ? (void *(*)(void *))f : (void *(*)(void *))g)";
    verdict(starts(either, choice, "assert(x == 7 || x == 8);"), "SAFE");
    verdict(starts(either, choice, "assert(x == 7);"), "UNSAFE");
}

/// A thread takes and gives words; in other functions none is known to begin.
#[test]
fn starts_that_take_truth_values_or_are_refused() {
    let start = |function: &str, start: &str, argument: &str, after: &str| {
        format!(
            "{HEAD}{function}\nint main(void) {{ pthread_t a; void *r = 0; {start}\n\
             pthread_create(&a, 0, s, (void *){argument}); pthread_join(a, &r); {after} return 0; }}\n"
        )
    };
    let cast = "void *(*s)(void *) = (void *(*)(void *))f;";
    let truth = "_Bool f(_Bool b) { x = b + 5; return b; }";
    for (argument, found) in [("0L", 5), ("1L", 6), ("256L", 5)] {
        let after = format!("assert(x == {found} && ((long)r & 255) == {found} - 5);");
        verdict(start(truth, cast, argument, &after), "SAFE");
        verdict(
            start(truth, cast, argument, "assert(x != 5 && x != 6);"),
            "UNSAFE",
        );
    }
    verdict(start(truth, cast, "2L", "assert(x == 0);"), "UNKNOWN");
    let hidden = "int (*p)(int) = f; void *(*s)(void *); __builtin_memcpy(&s, &p, sizeof s);";
    for (function, start_with) in [
        ("void *f(int a, int b) { x = 1; return 0; }", cast),
        ("void *f(__int128 a) { x = 1; return 0; }", cast),
        ("double f(void *p) { x = 1; return 0; }", cast),
        ("void *f(int n, ...) { x = 1; return 0; }", cast),
        ("int f(int n) { x = 1; return 0; }", hidden),
    ] {
        verdict(
            start(function, start_with, "1L", "assert(x == 0);"),
            "UNKNOWN",
        );
    }
}

/// With the last thread the run ends as with `exit`.
#[test]
fn the_last_thread_exits() {
    let program = |asserted: &str, rest: &str| {
        format!(
            "{HEAD}extern int atexit(void (*)(void)); extern void exit(int); void bye(void) {{ assert({asserted}); }}\n\
             void *f(void *p) {{ __sync_fetch_and_add(&x, 1); return 0; }}\n\
             int main(void) {{ pthread_t a, b; atexit(bye); {rest} }}\n"
        )
    };
    let two = "pthread_create(&a, 0, f, 0); pthread_create(&b, 0, f, 0);";
    for (rest, safe, unsafe_) in [
        ("pthread_exit(0);".to_owned(), "x == 0", "x == 1"),
        (format!("{two} pthread_exit(0);"), "x == 2", "x < 2"),
        (format!("{two} return 0;"), "x <= 2", "x < 2"),
        (
            format!("{two} pthread_join(a, 0); pthread_exit(0);"),
            "x == 2",
            "x < 2",
        ),
        (
            format!("{two} pthread_join(a, 0); exit(0);"),
            "x >= 1",
            "x == 1",
        ),
    ] {
        verdict(program(safe, &rest), "SAFE");
        verdict(program(unsafe_, &rest), "UNSAFE");
        let destructor = |asserted: &str| {
            let text = program(asserted, &rest).replace("atexit(bye);", "");
            text.replace("void bye", "__attribute__((destructor)) void bye")
        };
        verdict(destructor(safe), "SAFE");
        verdict(destructor(unsafe_), "UNSAFE");
    }
    // Two that say at one time what must run at the end.
    let both = format!(
        "{HEAD}extern int atexit(void (*)(void)); int n; void a1(void) {{ n++; }}\n\
         __attribute__((destructor)) void bye(void) {{ assert(n == 2); }}\n\
         void *f(void *p) {{ atexit(a1); return 0; }}\n\
         int main(void) {{ pthread_t a; pthread_create(&a, 0, f, 0); atexit(a1); pthread_join(a, 0); return 0; }}\n"
    );
    verdict(both.clone(), "SAFE");
    verdict(both.replace("n == 2", "n < 2"), "UNSAFE");
}

/// What the library says of wrong arguments, and of threads themselves.
#[test]
fn results_of_the_library_of_threads() {
    let main = |text: &str| {
        format!(
            "{HEAD}#include <time.h>\n#include <limits.h>\nint main(void) {{ {text} return 0; }}\n"
        )
    };
    for (before, holds) in [
        ("", "pthread_self() != 0"),
        (
            "pthread_t none = 0;",
            "!pthread_equal(none, pthread_self())",
        ),
        ("", "pthread_equal(pthread_self(), pthread_self())"),
        ("sem_t s;", "sem_init(&s, 0, (unsigned)INT_MAX + 1) == -1"),
        (
            "sem_t s; sem_init(&s, 0, INT_MAX);",
            "sem_post(&s) == -1 && sem_wait(&s) == 0 && sem_post(&s) == 0",
        ),
        (
            "pthread_mutexattr_t a;",
            "pthread_mutexattr_init(&a) == 0 && pthread_mutexattr_settype(&a, 77) == 22",
        ),
        (
            "pthread_attr_t a;",
            "pthread_attr_setdetachstate(&a, 7) == 22 && pthread_attr_setdetachstate(&a, 1) == 0",
        ),
        (
            "pthread_attr_t a;",
            "pthread_attr_setstacksize(&a, 1) == 22 && pthread_attr_setstacksize(&a, 1 << 20) == 0",
        ),
        (
            "pthread_mutexattr_t a; pthread_mutex_t e; pthread_cond_t c = PTHREAD_COND_INITIALIZER; pthread_mutexattr_init(&a); \
             pthread_mutexattr_settype(&a, PTHREAD_MUTEX_ERRORCHECK); pthread_mutex_init(&e, &a);",
            "pthread_cond_wait(&c, &e) == 1",
        ),
        (
            "pthread_cond_t c = PTHREAD_COND_INITIALIZER; struct timespec t = {0, 1000000000}; pthread_mutex_lock(&m);",
            "pthread_cond_timedwait(&c, &m, &t) == 22 && pthread_mutex_trylock(&m) == 16",
        ),
        (
            "struct timespec t = {0, -1};",
            "pthread_mutex_timedlock(&m, &t) == 0 && pthread_mutex_timedlock(&m, &t) == 22",
        ),
        (
            "struct timespec t = {0, 5};",
            "pthread_mutex_timedlock(&m, &t) == 0 && pthread_mutex_timedlock(&m, &t) == 110",
        ),
    ] {
        verdict(
            main(&format!("{before} int ok = {holds}; assert(ok);")),
            "SAFE",
        );
        verdict(
            main(&format!("{before} int ok = {holds}; assert(!ok);")),
            "UNSAFE",
        );
    }
    verdict(
        two(
            "",
            "",
            "assert(!pthread_equal(a, b) && !pthread_equal(a, pthread_self()));",
        ),
        "SAFE",
    );
    let own = "static pthread_t own; if (p == &x) own = pthread_self();";
    verdict(
        two(own, "", "").replace(
            "return p",
            "assert(p == &y || pthread_equal(own, pthread_self())); return p",
        ),
        "SAFE",
    );
}

/// Runs of threads whose functions have memory of their own again and again.
#[test]
fn calls_of_threads_have_memory() {
    let body = "for (int i = 0; i < 3; i++) { int own = i, *q = &own; *q = *q + 1; pthread_mutex_lock(&m); x = x + own; pthread_mutex_unlock(&m); }";
    let called = "static void add(int i) { int own[3] = {i, i, i}, *q = own; q[1]++; __sync_fetch_and_add(&x, own[1]); }\n";
    let calls = two(
        "for (int i = 0; i < 3; i++) add(i);",
        "",
        "assert(x != 12);",
    );
    let calls = calls.replace("void *f", &format!("{called}void *f"));
    verdict(calls.clone(), "UNSAFE");
    verdict(calls.replace("x != 12", "x == 12"), "SAFE");
    verdict(two(body, "", "assert(x != 12);"), "UNSAFE");
}

/// Any number of threads that count without an end: what each of them keeps is enough.
#[test]
fn threads_one_at_a_time() {
    let text = |released: &str| {
        format!(
            "{HEAD}extern void __VERIFIER_assume(int); unsigned value; int lock;\n\
             void __VERIFIER_atomic_take(void) {{ __VERIFIER_assume(lock == 0); lock = 1; }}\n\
             void __VERIFIER_atomic_give(void) {{ lock = 0; }}\n\
             void *f(void *p) {{ __VERIFIER_atomic_take(); unsigned v = value; if (v == -1u) {{ __VERIFIER_atomic_give(); return 0; }}\n\
             {released} value = v + 1; __VERIFIER_atomic_give(); assert(value > v); return 0; }}\n\
             int main(void) {{ pthread_t t; while (1) pthread_create(&t, 0, f, 0); }}\n"
        )
    };
    let folder = Folder::new();
    folder.file("input.c", text(""));
    let found = rhumb_in(
        folder.path(),
        ["check", "input.c", "--certificate", "c.json"],
    );
    assert_eq!(found.last_line(), "verdict: SAFE", "{}", found.stdout);
    let written = std::fs::read_to_string(folder.path().join("c.json")).expect("a certificate");
    assert!(written.contains("\"alone\""), "{written}");
    let validate = ["validate", "input.c", "--certificate", "c.json"];
    rhumb_in(folder.path(), validate).expect(0, &[]);
    // A promise that nobody has made is no proof any more.
    let promise = written.find("\"owned\"").expect("a promise about the lock");
    let held = promise
        + written[promise..]
            .find("\"held\": 1")
            .expect("while it is 1");
    let mut other = written.clone();
    other.replace_range(held..held + "\"held\": 1".len(), "\"held\": 2");
    folder.file("c.json", other);
    assert_ne!(rhumb_in(folder.path(), validate).status, 0);
    folder.file("input.c", text("__VERIFIER_atomic_give();"));
    let found = rhumb_in(folder.path(), ["check", "input.c"]);
    assert_eq!(found.last_line(), "verdict: UNSAFE", "{}", found.stdout);
}

/// A thread that may loop for as long as an input says, without others noticing, is not all that there is.
#[test]
fn loops_on_inputs_hide_nothing_short() {
    let before =
        "int n = __VERIFIER_nondet_int(); if (n) while (n != 1) { n = n > 1 ? n - 1 : n + 1; }";
    verdict(two("x = x + 1;", before, "assert(x == 2);"), "UNSAFE");
}
