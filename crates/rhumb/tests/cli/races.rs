//! Data races and deadlocks, as findings of their own.

use std::process::Command;

use crate::support::{Folder, rhumb_in};

const HEAD: &str = "#include <pthread.h>\n#include <semaphore.h>\n#include <stdatomic.h>\n#include <stdlib.h>\n\
    pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER, n = PTHREAD_MUTEX_INITIALIZER;\n\
    int x, y, cells[2], *heap; struct s { int a; char b, c; int f : 3, g : 3; } s, t;\n\
    atomic_int flag; _Atomic int count; volatile int v; _Thread_local int own;\n\
    pthread_spinlock_t spin; sem_t sem; pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER; pthread_barrier_t bar;\n\
    pthread_once_t once = PTHREAD_ONCE_INIT; pthread_cond_t cond = PTHREAD_COND_INITIALIZER;\n\
    void first(void) { x = 1; }\n";

/// What only verifiers know.
const VERIFIER: &str = "extern int __VERIFIER_nondet_int(void);\n\
    extern void __VERIFIER_atomic_begin(void), __VERIFIER_atomic_end(void);\n";

const LOCKED: &str = "pthread_mutex_lock(&m); x = x + 1; pthread_mutex_unlock(&m);";

/// Two threads, and what `main` does before them, beside them and behind them.
struct Two {
    verdict: &'static str,
    main: [&'static str; 3],
    threads: [&'static str; 2],
}

const fn two(verdict: &'static str, threads: [&'static str; 2]) -> Two {
    with(verdict, ["", "", ""], threads)
}

const fn with(verdict: &'static str, main: [&'static str; 3], threads: [&'static str; 2]) -> Two {
    Two {
        verdict,
        main,
        threads,
    }
}

impl Two {
    fn text(&self, head: &str) -> String {
        let ([before, beside, behind], [f, g]) = (self.main, self.threads);
        format!(
            "{HEAD}{head}void *f(void *p) {{ {f} return 0; }}\nvoid *g(void *p) {{ {g} return 0; }}\n\
             int main(void) {{ pthread_t a, b; {before}\npthread_create(&a, 0, f, 0); pthread_create(&b, 0, g, 0); {beside}\n\
             pthread_join(a, 0); pthread_join(b, 0); {behind} return 0; }}\n"
        )
    }
}

/// Whether the verdict is the expected one; how often it was an answer.
fn all_as_expected(check: &str, programs: impl IntoIterator<Item = (String, &'static str)>) {
    let (mut answers, mut wrong) = (0, Vec::new());
    for (program, expected) in programs {
        let folder = Folder::new();
        folder.file("input.c", &program);
        let called = rhumb_in(folder.path(), ["check", "input.c", "--checks", check]);
        answers += usize::from(expected != "UNKNOWN");
        let verdict = called.last_line().split(' ').nth(1).unwrap_or("");
        if verdict != expected {
            wrong.push(format!(
                "{program}\n{expected} {}{}",
                called.stdout, called.stderr
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    assert!(answers > 3, "{answers} answers");
}

/// Programs that a compiler takes, too.
const RACES: &[Two] = &[
    two("UNSAFE", ["x = x + 1;", "x = x + 1;"]),
    with("SAFE", ["x = 2;", "", "x = 3;"], [LOCKED, LOCKED]),
    two("UNSAFE", [LOCKED, "x = 2;"]),
    two(
        "UNSAFE",
        [
            LOCKED,
            "pthread_mutex_lock(&n); x = 1; pthread_mutex_unlock(&n);",
        ],
    ),
    with(
        "SAFE",
        ["x = 2;", "", ""],
        ["int k = x; (void)k;", "int k = x; (void)k;"],
    ),
    with("UNSAFE", ["", "x = 4;", ""], ["int k = x; (void)k;", ""]),
    two(
        "SAFE",
        ["cells[0] = 1; s.a = 1; s.b = 1;", "cells[1] = 1; s.c = 1;"],
    ),
    // What an atomic variable says comes first does.
    two(
        "SAFE",
        ["flag = 1; count++; flag += 2;", "if (flag) count = 3;"],
    ),
    two("SAFE", ["x = 1; flag = 1;", "if (flag) x = 2;"]),
    two("SAFE", ["x = 1; flag = 1;", "while (!flag) ; x = 2;"]),
    two("UNSAFE", ["x = 1; y = 1;", "if (y) x = 2;"]),
    two("UNSAFE", ["v = 1;", "v = 2;"]),
    two(
        "SAFE",
        [
            "__atomic_store_n(&x, 1, 5);",
            "int k = __atomic_load_n(&x, 5), e = 1; __sync_fetch_and_add(&x, k); __atomic_compare_exchange_n(&x, &e, 1, 0, 5, 5);",
        ],
    ),
    two(
        "UNSAFE",
        ["__atomic_store_n(&x, 1, 5);", "int k = x; (void)k;"],
    ),
    two("SAFE", ["own = own + 1;", "own = own + 2;"]),
    with(
        "SAFE",
        ["pthread_spin_init(&spin, 0);", "", ""],
        ["pthread_spin_lock(&spin); x++; pthread_spin_unlock(&spin);"; 2],
    ),
    with(
        "SAFE",
        ["sem_init(&sem, 0, 1);", "", ""],
        ["sem_wait(&sem); x++; sem_post(&sem);"; 2],
    ),
    with(
        "UNSAFE",
        ["sem_init(&sem, 0, 2);", "", ""],
        ["sem_wait(&sem); x++; sem_post(&sem);"; 2],
    ),
    two(
        "SAFE",
        [
            "pthread_rwlock_rdlock(&rw); int k = x; (void)k; pthread_rwlock_unlock(&rw);",
            "pthread_rwlock_wrlock(&rw); x = 1; pthread_rwlock_unlock(&rw);",
        ],
    ),
    // Two readers don't exclude each other, though the one may be gone when the other one comes.
    two(
        "UNSAFE",
        ["pthread_rwlock_rdlock(&rw); x = 2; pthread_rwlock_unlock(&rw);"; 2],
    ),
    with(
        "SAFE",
        ["pthread_barrier_init(&bar, 0, 2);", "", ""],
        [
            "x = 1; pthread_barrier_wait(&bar);",
            "pthread_barrier_wait(&bar); x = 2;",
        ],
    ),
    two(
        "SAFE",
        ["pthread_once(&once, first); int k = x; (void)k;"; 2],
    ),
    two("UNSAFE", ["pthread_once(&once, first); x = 3;"; 2]),
    with(
        "UNSAFE",
        ["heap = malloc(4);", "", ""],
        ["*heap = 1;", "int k = *heap; (void)k;"],
    ),
    with(
        "UNSAFE",
        ["heap = malloc(4); *heap = 1;", "", ""],
        ["free(heap);", "int k = *heap; (void)k;"],
    ),
    two("SAFE", ["int *own = malloc(4); *own = 1; free(own);"; 2]),
    two(
        "SAFE",
        [
            "int *o = malloc(4); *o = 1; pthread_mutex_lock(&m); heap = o; pthread_mutex_unlock(&m);",
            "pthread_mutex_lock(&m); int *o = heap; pthread_mutex_unlock(&m); if (o) *o = 2;",
        ],
    ),
    two(
        "SAFE",
        ["if (pthread_mutex_trylock(&m) == 0) { x++; pthread_mutex_unlock(&m); }"; 2],
    ),
    two(
        "SAFE",
        [
            "pthread_mutex_lock(&m); while (!y) pthread_cond_wait(&cond, &m); x = 2; pthread_mutex_unlock(&m);",
            "x = 1; pthread_mutex_lock(&m); y = 1; pthread_cond_signal(&cond); pthread_mutex_unlock(&m);",
        ],
    ),
    two("UNSAFE", ["s = t;", "s.a = 2;"]),
    two("UNSAFE", ["x = 1;", "int *p2 = &x; *p2 = 2;"]),
];

#[test]
fn races_of_two_threads() {
    all_as_expected(
        "race",
        RACES.iter().map(|case| (case.text(""), case.verdict)),
    );
}

#[test]
fn races_that_inputs_decide() {
    let input = "y = __VERIFIER_nondet_int();";
    let cases = [
        two(
            "UNSAFE",
            ["cells[0] = 1;", "cells[__VERIFIER_nondet_int() & 1] = 1;"],
        ),
        two(
            "SAFE",
            [
                "int k = __VERIFIER_nondet_int(); if (k > 3 && k < 3) x = 1;",
                "x = 1;",
            ],
        ),
        with(
            "SAFE",
            [input, "", ""],
            ["if (y > 3) x = 1;", "if (y < 3) x = 2;"],
        ),
        with(
            "UNSAFE",
            [input, "", ""],
            ["if (y > 3) x = 1;", "if (y > 7) x = 2;"],
        ),
        two(
            "SAFE",
            ["__VERIFIER_atomic_begin(); x = x + 1; __VERIFIER_atomic_end();"; 2],
        ),
        two(
            "UNSAFE",
            [
                "__VERIFIER_atomic_begin(); x = x + 1; __VERIFIER_atomic_end();",
                "x = 1;",
            ],
        ),
        // Which bit-fields are one memory location is not asked.
        two("UNKNOWN", ["s.f = 1;", "s.g = 1;"]),
    ];
    let programs = cases.iter().map(|case| (case.text(VERIFIER), case.verdict));
    all_as_expected("race", programs);
}

/// A program that creates threads without an end.
fn crowd(body: &str) -> String {
    format!(
        "{HEAD}void *f(void *p) {{ {body} return 0; }}\n\
         int main(void) {{ pthread_t t; while (1) pthread_create(&t, 0, f, 0); }}\n"
    )
}

#[test]
fn races_of_any_number_of_threads() {
    let set = "pthread_mutex_lock(&m); x = 1; x = 0; pthread_mutex_unlock(&m);";
    let programs = [
        (crowd(set), "SAFE"),
        (crowd("flag = 1; if (flag) count = 0;"), "SAFE"),
        (crowd("x = 1;"), "UNSAFE"),
        (crowd(&format!("{set} int k = x; (void)k;")), "UNSAFE"),
    ];
    all_as_expected("race", programs);
}

const BOTH: &str = "pthread_mutex_lock(&m); pthread_mutex_lock(&n); pthread_mutex_unlock(&n); pthread_mutex_unlock(&m);";

#[test]
fn deadlocks() {
    let crossed = "pthread_mutex_lock(&n); pthread_mutex_lock(&m); pthread_mutex_unlock(&m); pthread_mutex_unlock(&n);";
    let cases = [
        two("SAFE", [BOTH, BOTH]),
        two("UNSAFE", [BOTH, crossed]),
        two(
            "UNSAFE",
            ["pthread_mutex_lock(&m); if (__VERIFIER_nondet_int()) return 0; pthread_mutex_unlock(&m);";
                2],
        ),
        with(
            "UNSAFE",
            ["sem_init(&sem, 0, 1);", "", ""],
            ["sem_wait(&sem);", "sem_wait(&sem); sem_post(&sem);"],
        ),
        with(
            "SAFE",
            ["sem_init(&sem, 0, 1);", "", ""],
            ["sem_wait(&sem); sem_post(&sem);"; 2],
        ),
        with(
            "UNSAFE",
            ["pthread_barrier_init(&bar, 0, 3);", "", ""],
            ["pthread_barrier_wait(&bar);"; 2],
        ),
        with(
            "SAFE",
            ["pthread_barrier_init(&bar, 0, 2);", "", ""],
            ["pthread_barrier_wait(&bar);"; 2],
        ),
        two(
            "UNSAFE",
            ["pthread_rwlock_rdlock(&rw); pthread_rwlock_wrlock(&rw);"; 2],
        ),
        // One of them can always go on.
        two(
            "SAFE",
            [
                "pthread_mutex_lock(&m); pthread_mutex_lock(&m);",
                "exit(0);",
            ],
        ),
        // Who is woken up is not followed.
        two(
            "UNKNOWN",
            [
                "pthread_mutex_lock(&m); pthread_cond_wait(&cond, &m);",
                "pthread_cond_signal(&cond);",
            ],
        ),
    ];
    let programs = cases.iter().map(|case| (case.text(VERIFIER), case.verdict));
    let lock = "pthread_mutex_lock(&m);";
    let alone = [
        (
            format!(
                "{HEAD}int main(void) {{ {lock} pthread_mutex_unlock(&m); {lock} return 0; }}\n"
            ),
            "SAFE",
        ),
        (
            format!("{HEAD}int main(void) {{ {lock} {lock} return 0; }}\n"),
            "UNSAFE",
        ),
    ];
    all_as_expected("deadlock", programs.chain(alone));
}

#[test]
fn a_race_ends_no_run_unless_somebody_asks() {
    let text = two(
        "",
        ["x = 1; y = 1;", "if (y) { x = 2; } if (x == 2) abort();"],
    )
    .text("");
    let text = text.replace("abort()", "reach_error()");
    let text = format!("extern void reach_error(void);\n{text}");
    let folder = Folder::new();
    folder.file("input.c", text);
    folder.file("race.prp", "CHECK( init(main()), LTL(G ! data-race) )\n");
    folder.file(
        "reach.prp",
        "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
    );
    let asked = |file: &str| {
        rhumb_in(
            folder.path(),
            [
                "check",
                "input.c",
                "--property",
                file,
                "--certificate",
                "c.json",
            ],
        )
    };
    let reached = asked("reach.prp");
    assert_eq!(reached.last_line(), "verdict: UNSAFE", "{}", reached.stderr);
    let raced = asked("race.prp");
    assert!(
        raced.stdout.contains("violates: no-data-race"),
        "{}",
        raced.stdout
    );
    let args = [
        "validate",
        "input.c",
        "--property",
        "race.prp",
        "--certificate",
        "c.json",
    ];
    let validated = rhumb_in(folder.path(), args);
    assert_eq!(
        validated.status, 0,
        "{}{}",
        validated.stdout, validated.stderr
    );
}

/// A sanitizer that watches real threads has nothing to say of programs without races, and sees most of the others.
#[test]
fn a_sanitizer_agrees() {
    let folder = Folder::new();
    let compile = |name: &str, text: &str| {
        let source = folder.file(&format!("{name}.c"), text);
        let output = folder.path().join(name);
        let compiler = Command::new("gcc")
            .args(["-fsanitize=thread", "-O0", "-w", "-pthread", "-o"])
            .args([&output, &source])
            .output();
        compiler
            .is_ok_and(|done| done.status.success())
            .then_some(output)
    };
    let finds = |program: &std::path::Path| {
        let output = Command::new(program)
            .output()
            .expect("a program that was compiled");
        String::from_utf8_lossy(&output.stderr).contains("ThreadSanitizer: data race")
    };
    // Where the sanitizer is not there, or can't run, it says nothing of this one either.
    let sample = two("", ["x = 1;", "x = 2;"]).text("");
    if !compile("sample", &sample).is_some_and(|program| (0..3).any(|_| finds(&program))) {
        println!("skipped: gcc's -fsanitize=thread doesn't work here");
        return;
    }
    let (mut seen, mut all) = (0, 0);
    for (number, case) in RACES.iter().enumerate() {
        let Some(program) = compile(&format!("case{number}"), &case.text("")) else {
            panic!("{} is not compiled", case.text(""));
        };
        let found = finds(&program);
        match case.verdict {
            "SAFE" => assert!(!found, "{}", case.text("")),
            _ => {
                all += 1;
                seen += usize::from(found || (0..2).any(|_| finds(&program)));
            }
        }
    }
    println!("the sanitizer sees {seen} of {all} races");
    assert!(2 * seen > all, "{seen} of {all}");
}
