//! Jumps that would be right if integers were unbounded, or if a path could be taken for granted: refused, each for its reason.

#![allow(missing_docs, clippy::print_stdout)]

mod support;

use rhumb_certify::counterexample::{
    Budget, Counterexample, Reason, Segment, check, compress, replay,
};
use rhumb_program::interp::{Machine, RunLimits};
use rhumb_program::{InputSiteId, Program};
use support::*;

/// A loop whose jump is right for `small` iterations and not for `large` ones.
struct Trap {
    name: &'static str,
    before: &'static str,
    body: &'static str,
    /// What the loop would lead to if nothing happened on the way.
    error: &'static str,
    small: u64,
    large: u64,
}

const TRAPS: [Trap; 14] = [
    Trap {
        name: "unsigned wrap-around",
        before: "unsigned x = 4294960000u;",
        body: "x += 10;",
        error: "x == 4294960000ll + 10ll * n",
        small: 100,
        large: 5000,
    },
    Trap {
        name: "unsigned wrap-around downwards",
        before: "unsigned x = 1000; unsigned y;",
        body: "x -= 3; y = x;",
        error: "y == 1000ll - 3ll * n",
        small: 100,
        large: 5000,
    },
    Trap {
        name: "narrowing cast",
        before: "int x = 0;",
        body: "x = (short)(x + 9);",
        error: "x == 9ll * n",
        small: 100,
        large: 5000,
    },
    Trap {
        name: "char sum",
        before: "signed char x = -100;",
        body: "x += 1;",
        error: "x == -100ll + n",
        small: 100,
        large: 1000,
    },
    Trap {
        name: "unsigned char sum",
        before: "unsigned char x = 0;",
        body: "x++;",
        error: "x == n",
        small: 100,
        large: 1000,
    },
    Trap {
        name: "unsigned comparison with -1",
        before: "int x = 300; int low = 0;",
        body: "x--; if (x == -1u) low = 1;",
        error: "!low",
        small: 100,
        large: 1000,
    },
    Trap {
        name: "unsigned comparison of a number that becomes negative",
        before: "int x = 300; int in = 0;",
        body: "if (x < 1000u) in++; x--;",
        error: "in == n",
        small: 100,
        large: 1000,
    },
    Trap {
        name: "remainder of negatives",
        before: "int x = 401; int odd = 0;",
        body: "x -= 2; if (x % 2 == 1) odd++;",
        error: "odd == n",
        small: 100,
        large: 1000,
    },
    Trap {
        name: "an inequality that is hit once",
        before: "int x = 0; int hit = 0;",
        body: "if (x == 777) hit = 1; x += 7;",
        error: "!hit",
        small: 50,
        large: 1000,
    },
    Trap {
        name: "a signed type's limit passed on the way",
        before: "int x = 2147000000; int y = 0;",
        body: "y = x + 1000; x += 100;",
        error: "1",
        small: 100,
        large: 100_000,
    },
    Trap {
        name: "a shift that begins to matter",
        before: "unsigned x = 0; unsigned y = 0;",
        body: "y += x >> 8; x++;",
        error: "y == 0",
        small: 100,
        large: 1000,
    },
    Trap {
        name: "a mask",
        before: "unsigned x = 0; unsigned y = 0;",
        body: "y = x & 127; x++;",
        error: "y == n - 1",
        small: 100,
        large: 1000,
    },
    Trap {
        name: "a quotient",
        before: "int x = -100; int y = 0;",
        body: "y += x / 128; x++;",
        error: "y == 0",
        small: 100,
        large: 1000,
    },
    Trap {
        name: "a product",
        before: "int x = 0; int y = 1;",
        body: "x = x + y; y = y + (x > 200);",
        error: "x == n",
        small: 100,
        large: 1000,
    },
];

fn build(trap: &Trap) -> Program {
    let Trap {
        before,
        body,
        error,
        ..
    } = trap;
    program(&format!(
        "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {{
  unsigned n = __VERIFIER_nondet_uint(), i = 0;
  {before}
  for (i = 0; i < n; i++) {{ {body} }}
  if ({error}) reach_error();
  return 0;
}}"
    ))
}

/// The counterexample for the small number, changed into what it would be for the large one.
fn stretched(program: &Program, trap: &Trap) -> Counterexample {
    let budget = Budget::default();
    let mut found = compress(program, &inputs(program, &[trap.small.into()]), &budget)
        .unwrap_or_else(|why| panic!("{}: {why}", trap.name));
    let jump = found.segments.iter_mut().find_map(|segment| match segment {
        Segment::Jump(jump) => Some(jump),
        Segment::Steps(_) => None,
    });
    let jump = jump.unwrap_or_else(|| panic!("{}: no jump", trap.name));
    jump.count.first += trap.large - trap.small;
    found.inputs = inputs(program, &[trap.large.into()]);
    found
}

#[test]
fn traps_are_refused() {
    for trap in &TRAPS {
        let program = build(trap);
        let small = inputs(&program, &[trap.small.into()]);
        let found = compress(&program, &small, &Budget::default()).unwrap();
        check(&program, &found, &Budget::default())
            .unwrap_or_else(|why| panic!("{}: {why}", trap.name));

        // What is wrong is rejected, whether or not there is time to execute it.
        let wrong = stretched(&program, trap);
        assert!(replay(&program, &wrong.inputs, &Budget::default()).is_err());
        let why = check(&program, &wrong, &Budget::default())
            .expect_err(trap.name)
            .reason;
        assert!(!matches!(why, Reason::Budget(_)), "{}: {why}", trap.name);
        let short = Budget {
            limits: RunLimits {
                steps: 3 * trap.large,
                ..RunLimits::default()
            },
            ..Budget::default()
        };
        let why = check(&program, &wrong, &short).expect_err(trap.name);
        println!("{}: {why}", trap.name);
        assert!(why.place.is_some(), "{}: {why}", trap.name);
    }
}

#[test]
fn a_jump_that_can_not_be_proved_is_executed() {
    // Memory makes the jump unprovable; the run is right all the same.
    let program = program(
        "extern void reach_error(void); extern unsigned __VERIFIER_nondet_uint(void);
int a[4];
int main(void) {
  unsigned n = __VERIFIER_nondet_uint(), i;
  for (i = 0; i < n; i++) { a[i % 4]++; }
  if (a[0] == 250 && a[3] == 250) reach_error();
  return 0;
}",
    );
    let inputs = inputs(&program, &[1000]);
    let budget = Budget::default();
    let found = compress(&program, &inputs, &budget).unwrap();
    let [Segment::Steps(all)] = found.segments[..] else {
        panic!("memory is not jumped over: {:?}", found.segments);
    };
    let more = replay(&program, &support::inputs(&program, &[1004]), &budget);
    assert!(more.is_err(), "with more iterations nothing is reached");
    let steps = |n| {
        let machine = Machine::compile(&program);
        let mut inputs = support::inputs(&program, &[n]);
        machine.run(&mut inputs, &RunLimits::default()).steps
    };
    let per_iteration = steps(2001) - steps(2000);
    let before = (1..40).find(|before| {
        // Somewhere a jump of this length begins at the head.
        let claim = claim(&found, *before, per_iteration, all);
        check(&program, &claim, &budget).is_ok()
    });
    let claim = claim(&found, before.expect("a start"), per_iteration, all);
    let checked = check(&program, &claim, &budget).unwrap();
    assert_eq!(checked.proved_jumps, 0);
    assert_eq!(checked.executed, all);
    let short = Budget {
        limits: RunLimits {
            steps: all / 2,
            ..RunLimits::default()
        },
        ..Budget::default()
    };
    let why = check(&program, &claim, &short).unwrap_err();
    assert!(matches!(why.reason, Reason::Jump { .. }), "{why}");
    assert!(why.to_string().contains("test.c:5"), "{why}");
}

fn claim(found: &Counterexample, before: u64, each: u64, all: u64) -> Counterexample {
    use rhumb_certify::counterexample::{Count, Jump};
    Counterexample {
        segments: vec![
            Segment::Steps(before),
            Segment::Jump(Jump {
                cycle: vec![Segment::Steps(each)],
                count: Count::constant(900u32),
            }),
            Segment::Steps(all - before - 900 * each),
        ],
        ..found.clone()
    }
}

#[test]
fn caveats_and_wrong_ends_are_refused() {
    let approximate = program(
        "extern void reach_error(void); extern double cosh(double); extern long strtol(const char *, char **, int);
int main(void) { int x; if ((long)&x % 64 == 0 || (long)&x % 64 != 0) reach_error(); return 0; }",
    );
    let why = compress(&approximate, &Default::default(), &Budget::default()).unwrap_err();
    assert!(matches!(why.reason, Reason::Caveat(_)), "{why}");
    let why = replay(&approximate, &Default::default(), &Budget::default()).unwrap_err();
    assert!(matches!(why.reason, Reason::Caveat(_)), "{why}");

    let endless = program(
        "extern void reach_error(void); int main(void) { unsigned char x = 0; for (;;) x = 5; reach_error(); }",
    );
    let why = compress(&endless, &Default::default(), &Budget::default()).unwrap_err();
    assert!(why.to_string().contains("never leaves a loop"), "{why}");

    let undefined = program(
        "extern void reach_error(void); extern int __VERIFIER_nondet_int(void);
int main(void) { int x = __VERIFIER_nondet_int(); x = 7 / x; reach_error(); }",
    );
    let site: InputSiteId = site(&undefined, 0);
    let mut inputs = rhumb_program::interp::KeyedInputs::new();
    inputs.push_value(site, 1, 1);
    let budget = Budget::default();
    let mut found = compress(&undefined, &inputs, &budget).unwrap();
    check(&undefined, &found, &budget).unwrap();
    found.inputs = Default::default();
    let why = check(&undefined, &found, &budget).unwrap_err();
    assert!(why.to_string().contains("undefined behaviour"), "{why}");
}
