//! Threads one at a time: what is promised and kept proves what is true, and nothing else does.

mod common;

use std::time::Duration;

use common::program;
use rhumb_certify::file::Certificate;
use rhumb_certify::proof::{Checker, Proof};
use rhumb_certify::{Verdict, certify_safe};
use rhumb_logic::{Budget, Work};
use rhumb_program::{
    BinOp, Fact, FactSide, IntType, ObjectId, Program, Promise, Promises, SharedNumber, alone,
};
use rhumb_search::{CATALOG, Means, decide};

const HEAD: &str = "typedef unsigned long pthread_t; int pthread_create(pthread_t *, const void *, void *(*)(void *), void *);\n\
    void __VERIFIER_assume(int); void abort(void);\n\
    void __VERIFIER_atomic_take(int *l) { __VERIFIER_assume(*l == 0); *l = 1; }\n\
    void __VERIFIER_atomic_give(int *l) { __VERIFIER_assume(*l == 1); *l = 0; }\n";

/// Any number of threads that do this.
fn crowd(globals: &str, body: &str) -> Program {
    program(&format!(
        "{HEAD}{globals}\nvoid *thread(void *p) {{ {body} return 0; }}\n\
         int main(void) {{ pthread_t t; while (1) pthread_create(&t, 0, thread, 0); }}\n"
    ))
}

/// A global number, or `value` if the program doesn't use it.
fn number(program: &Program, name: &str, int: IntType) -> SharedNumber {
    let mut objects = program.objects.indices();
    let is_named = |id: &ObjectId, name: &str| &*program.objects[*id].decl.name == name;
    let found = objects.clone().find(|id| is_named(id, name));
    SharedNumber {
        object: found
            .or_else(|| objects.find(|id| is_named(id, "value")))
            .expect("a number"),
        offset: 0,
        int,
    }
}

const INT: IntType = IntType::signed(32);
const UNSIGNED: IntType = IntType::unsigned(32);

/// What is known of one thread among others that promise this.
fn verdict(program: &Program, promises: &Promises) -> &'static str {
    let thread = alone(program, promises).expect("a program of threads that share numbers");
    let budget = Budget::time(Duration::from_secs(120)).within(Work::secs(10));
    let decision = decide(&thread, &CATALOG[0], Means::default(), &budget, &mut ());
    match decision.verdict {
        Verdict::Safe(certified) => {
            // The same for the whole program, and read again from a file.
            let proof = Proof::alone(promises.clone(), certified.evidence().clone());
            let checker = Checker::new(program);
            let all = Budget::time(Duration::from_secs(120));
            let safe = certify_safe(&checker, proof, &all).expect("the same");
            let written = Certificate::of(program, &safe).expect("evidence");
            let json = written.and_then(|file| file.to_json()).expect("a file");
            let read = Certificate::from_json(json.as_bytes()).expect("the same file");
            read.check(program, &all).expect("the same proof");
            "SAFE"
        }
        Verdict::Unsafe(_) => "UNSAFE",
        Verdict::Unknown(_) => "UNKNOWN",
    }
}

const LOCKED: &str = "__VERIFIER_atomic_take(&m); BEFORE __VERIFIER_atomic_give(&m); AFTER";

fn locked(before: &str, after: &str) -> Program {
    let body = LOCKED.replace("BEFORE", before).replace("AFTER", after);
    crowd("int m; unsigned value;", &body)
}

/// While `m` is 1 only its owner changes it, and these.
fn owned(numbers: &[usize]) -> Vec<Promise> {
    let owned = |&number: &usize| Promise::Owned {
        lock: 0,
        held: 1,
        number,
    };
    numbers.iter().map(owned).collect()
}

fn about(program: &Program, promises: Vec<Promise>) -> Promises {
    Promises {
        numbers: vec![
            number(program, "m", INT),
            number(program, "value", UNSIGNED),
        ],
        promises,
    }
}

#[test]
fn what_a_lock_protects() {
    let counts =
        "if (value < 9) { unsigned v = value; value = v + 1; if (value != v + 1) reach_error(); }";
    let program = locked(counts, "");
    let with = |numbers: &[usize]| verdict(&program, &about(&program, owned(numbers)));
    assert_eq!(with(&[0, 1]), "SAFE");
    // Without a promise anything may happen.
    assert_ne!(with(&[0]), "SAFE");
    assert_ne!(with(&[]), "SAFE");
    // Somebody doesn't keep it.
    for broken in [
        locked("", counts),
        locked(counts, "value = 3;"),
        locked(counts, "__VERIFIER_atomic_give(&m);"),
        locked(counts, "m = 0;"),
        crowd("int m; unsigned value;", counts),
    ] {
        assert_eq!(verdict(&broken, &about(&broken, owned(&[0, 1]))), "UNSAFE");
    }
}

#[test]
fn what_only_grows() {
    let program = crowd(
        "int m; unsigned value;",
        "unsigned v = value; if (v < 9) __sync_bool_compare_and_swap(&value, v, v + 1); if (value < v) reach_error();",
    );
    let grows = vec![Promise::Grows {
        number: 1,
        unless: None,
    }];
    let falls = vec![Promise::Falls {
        number: 1,
        unless: None,
    }];
    assert_eq!(verdict(&program, &about(&program, grows.clone())), "SAFE");
    assert_eq!(verdict(&program, &about(&program, falls)), "UNSAFE");
    assert_ne!(verdict(&program, &about(&program, Vec::new())), "SAFE");
    // It comes round, or another one takes it back.
    for body in [
        "unsigned v = value; __sync_fetch_and_add(&value, 1); if (value < v) reach_error();",
        "unsigned v = value; if (v < 9) value = v + 1; if (value < v) reach_error();",
        "unsigned v = value; if (v < 9) __sync_bool_compare_and_swap(&value, v, v + 1); if (value < v) reach_error(); value = 0;",
    ] {
        let program = crowd("int m; unsigned value;", body);
        assert_eq!(
            verdict(&program, &about(&program, grows.clone())),
            "UNSAFE",
            "{body}"
        );
    }
    // As a signed number it is another one.
    let program = crowd(
        "int m; unsigned value;",
        "unsigned v = value; if (v < 4000000000u) __sync_bool_compare_and_swap(&value, v, v + 1000000000); if ((int)value < (int)v) reach_error();",
    );
    let mut promises = about(&program, grows);
    assert_ne!(verdict(&program, &promises), "SAFE");
    promises.numbers[1].int = INT;
    assert_eq!(verdict(&program, &promises), "UNSAFE");
}

#[test]
fn what_stays() {
    let fact = |number, op, constant| Fact {
        op,
        left: FactSide::Number(number),
        right: FactSide::Constant(constant),
    };
    let set = vec![Promise::Stays(vec![fact(1, BinOp::Ne, 0)])];
    let program = crowd(
        "int m; unsigned value;",
        "if (__VERIFIER_nondet_int()) { value = 7; if (!value) reach_error(); } else value = 8;",
    );
    assert_eq!(verdict(&program, &about(&program, set.clone())), "SAFE");
    let back = crowd(
        "int m; unsigned value;",
        "if (__VERIFIER_nondet_int()) { value = 7; if (!value) reach_error(); } else value = 0;",
    );
    assert_eq!(verdict(&back, &about(&back, set)), "UNSAFE");
    // One number grows while no flag is set.
    let flagged = |rest: &str| {
        crowd(
            "int m; unsigned value;",
            &format!(
                "unsigned v = value; if (__VERIFIER_nondet_int()) {{ if (v < 9) __sync_bool_compare_and_swap(&value, v, v + 1); }}\
                 else {{ m = 1; value = 0; {rest} }} if (value < v && !m) reach_error();"
            ),
        )
    };
    let unless = vec![
        Promise::Stays(vec![fact(0, BinOp::Ne, 0)]),
        Promise::Grows {
            number: 1,
            unless: Some(fact(0, BinOp::Ne, 0)),
        },
    ];
    let program = flagged("");
    assert_eq!(verdict(&program, &about(&program, unless.clone())), "SAFE");
    let program = flagged("m = 0;");
    assert_eq!(
        verdict(&program, &about(&program, unless.clone())),
        "UNSAFE"
    );
    // What holds behind one step must hold behind the next one.
    let alone_it_stays = Promises {
        promises: unless[1..].to_vec(),
        ..about(&program, Vec::new())
    };
    assert!(alone(&program, &alone_it_stays).is_err());
    assert!(alone(&program, &about(&program, owned(&[1]))).is_err());
}

#[test]
fn numbers_that_there_are_not() {
    let program = locked("value = 1;", "");
    let grows = vec![Promise::Grows {
        number: 1,
        unless: None,
    }];
    let good = about(&program, grows);
    assert!(alone(&program, &good).is_ok());
    let changed = |change: &dyn Fn(&mut Promises)| {
        let mut promises = good.clone();
        change(&mut promises);
        alone(&program, &promises)
    };
    assert!(changed(&|it| it.numbers[1].offset = 1).is_err());
    assert!(changed(&|it| it.numbers[1].offset = u64::MAX).is_err());
    assert!(changed(&|it| it.numbers[1].int = IntType::unsigned(64)).is_err());
    assert!(changed(&|it| it.numbers[1].int = IntType::unsigned(24)).is_err());
    assert!(changed(&|it| it.numbers.truncate(1)).is_err());
    let local = program
        .objects
        .position(|object| object.scope != rhumb_program::Scope::Global);
    let local = local.expect("the thread's number in main");
    assert!(changed(&|it| it.numbers[1].object = local).is_err());
}

#[test]
fn programs_that_share_more_than_numbers() {
    let fits = |globals: &str, body: &str| {
        let program = crowd(globals, body);
        alone(&program, &Promises::default()).map(|_| ())
    };
    assert_eq!(fits("int x;", "x = x + 1;"), Ok(()));
    assert_eq!(
        fits("int x[9];", "x[__VERIFIER_nondet_uint() % 9] = 4;"),
        Ok(())
    );
    assert_eq!(
        fits("int x;", "int own = 3, *q = &own; *q = 4; x = own;"),
        Ok(())
    );
    for (globals, body) in [
        ("int *shared;", "int own = 3; shared = &own;"),
        ("int x, *shared = &x;", "*shared = 3;"),
        ("struct { int *p; } s; int x;", "s.p = &x; *s.p = 2;"),
        (
            "unsigned long kept;",
            "int own; kept = (unsigned long)&own; *(int *)kept = 3;",
        ),
        (
            "unsigned long kept; int x;",
            "kept = (unsigned long)&x; *(int *)((char *)0 + kept) = 3;",
        ),
        (
            "unsigned long kept; int x;",
            "kept = (unsigned long)&x - 8; *(int *)((char *)8 + 0 + kept) = 3;",
        ),
        (
            "void *malloc(__typeof__(sizeof(0)));",
            "int *q = malloc(4); *q = 3;",
        ),
        ("struct { int a, b, c; } s, t;", "s = t;"),
        ("struct { int a : 3, b : 4; } s;", "s.a = 1;"),
        ("long long x;", "x = 1;"),
        (
            "void *memset(void *, int, __typeof__(sizeof(0))); int a[8];",
            "memset(a, 0, 32);",
        ),
        (
            "int *pass(int *p) { return p; } int *shared;",
            "int own; shared = pass(&own);",
        ),
        (
            "pthread_t other; void *second(void *p) { return p; }",
            "int own; pthread_create(&other, 0, second, &own);",
        ),
        ("void (*f)(void); void g(void) {}", "f = g; f();"),
    ] {
        assert!(fits(globals, body).is_err(), "{globals} {body}");
    }
    // One thread is none among others.
    let single = program("int x; int main(void) { x = 1; }");
    assert!(alone(&single, &Promises::default()).is_err());
}

/// What a thread knows when it begins is what its creator knew, as far as promises go.
#[test]
fn threads_that_are_created_late() {
    let program = |first: &str| {
        program(&format!(
            "{HEAD} int m; unsigned value; void *thread(void *p) {{ if (value < 5) reach_error(); unsigned v = value; if (v < 100) \
             __sync_bool_compare_and_swap(&value, v, v + 1); return 0; }}\n\
             int main(void) {{ pthread_t t; value = {first}; while (1) pthread_create(&t, 0, thread, 0); }}\n"
        ))
    };
    let at_least = vec![Promise::Stays(vec![Fact {
        op: BinOp::Le,
        left: FactSide::Constant(5),
        right: FactSide::Number(1),
    }])];
    let good = program("5");
    assert_eq!(verdict(&good, &about(&good, at_least.clone())), "SAFE");
    let bad = program("4");
    assert_eq!(verdict(&bad, &about(&bad, at_least)), "UNSAFE");
}
