//! Harnesses, compiled by gcc and run: they reach the error for real.

#![allow(missing_docs, clippy::print_stdout)]

mod gcc;
#[path = "../../certify/tests/support/mod.rs"]
mod support;

use std::collections::{BTreeMap, VecDeque};
use std::path::Path;

use gcc::{runs_32_bit, status};
use rhumb_certify::counterexample::{Budget, check, compress};
use rhumb_program::interp::{InputSource, KeyedInputs, Machine, Recorder};
use rhumb_program::{DataModel, InputKind, InputSiteId, Program, Type};
use rhumb_report::harness::{self, CannotHarness, Harness};
use support::*;

/// Inputs by the name of the function or variable, in order.
#[derive(Clone)]
struct ByName<'a> {
    program: &'a Program,
    values: BTreeMap<&'a str, VecDeque<u128>>,
}

impl ByName<'_> {
    fn next(&mut self, site: InputSiteId) -> u128 {
        let name = match &self.program.inputs[site].kind {
            InputKind::Nondet(name)
            | InputKind::UndefinedFunction(name)
            | InputKind::EntryArgument(name)
            | InputKind::Uninitialised(name) => name.to_string(),
            kind @ InputKind::Outside { .. } => kind.describe(),
            InputKind::MissingReturn
            | InputKind::Order
            | InputKind::Schedule
            | InputKind::Others
            | InputKind::Remember
            | InputKind::Read(_) => return 0,
        };
        let values = self.values.get_mut(&*name);
        values.and_then(VecDeque::pop_front).unwrap_or(0)
    }
}

impl InputSource for ByName<'_> {
    fn value(&mut self, site: InputSiteId, _: u64, _: Type) -> u128 {
        self.next(site)
    }

    fn bytes(&mut self, site: InputSiteId, _: u64, out: &mut [u8]) {
        for (to, from) in out.iter_mut().zip(self.next(site).to_le_bytes()) {
            *to = from;
        }
    }
}

fn recorded(program: &Program, values: &[(&str, &[i128])]) -> KeyedInputs {
    let values = values.iter().map(|&(name, values)| {
        let values = values.iter().map(|&value| value as u128);
        (name, values.collect())
    });
    let mut recorder = Recorder::new(ByName {
        program,
        values: values.collect(),
    });
    Machine::compile(program).run(&mut recorder, &Budget::default().limits);
    recorder.into_inputs()
}

fn made(program: &Program, inputs: &KeyedInputs) -> Result<Harness, CannotHarness> {
    let budget = Budget::default();
    let found = compress(program, inputs, &budget).unwrap_or_else(|why| panic!("{why}"));
    check(program, &found, &budget).unwrap_or_else(|why| panic!("{why}"));
    harness::write(program, program.sources.text(), &found, &budget)
}

struct Case {
    name: &'static str,
    text: &'static str,
    inputs: &'static [(&'static str, &'static [i128])],
    patched: bool,
}

const CASES: &[Case] = &[
    Case {
        name: "a function that the run doesn't call",
        text: "extern int __VERIFIER_nondet_int(void); extern _Bool __VERIFIER_nondet_bool(void); extern void reach_error(void);
int main(void) { if (__VERIFIER_nondet_int() == 5) reach_error(); return __VERIFIER_nondet_bool(); }",
        inputs: &[("__VERIFIER_nondet_int", &[5])],
        patched: false,
    },
    Case {
        name: "one function, called from two places in turn",
        text: "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { int sum = 0; for (int i = 0; i < 3; i++) { sum = 10 * sum + __VERIFIER_nondet_int(); sum = 10 * sum + __VERIFIER_nondet_int(); }
  if (sum == 123456) reach_error(); return 0; }",
        inputs: &[("__VERIFIER_nondet_int", &[1, 2, 3, 4, 5, 6])],
        patched: false,
    },
    Case {
        name: "an error function with a failing assertion",
        text: "#include <assert.h>\nextern int __VERIFIER_nondet_int(void); void reach_error(void) { assert(0); }
int main(void) { if (__VERIFIER_nondet_int() == -7) reach_error(); return 0; }",
        inputs: &[("__VERIFIER_nondet_int", &[-7])],
        patched: false,
    },
    Case {
        name: "an error function that aborts",
        text: "extern int __VERIFIER_nondet_int(void); extern void abort(void); void reach_error(void) { abort(); }
int main(void) { if (__VERIFIER_nondet_int() == -7) reach_error(); return 0; }",
        inputs: &[("__VERIFIER_nondet_int", &[-7])],
        patched: false,
    },
    Case {
        name: "an error function that does nothing",
        text: "extern int __VERIFIER_nondet_int(void);\nstatic void reach_error(void) { }
int main(void) { if (__VERIFIER_nondet_int() == -7) reach_error(); return 0; }",
        inputs: &[("__VERIFIER_nondet_int", &[-7])],
        patched: true,
    },
    Case {
        name: "an assertion",
        text: "#include <assert.h>\nextern unsigned char __VERIFIER_nondet_uchar(void);
int main(void) { unsigned char c = __VERIFIER_nondet_uchar(); assert(c != 200); return 0; }",
        inputs: &[("__VERIFIER_nondet_uchar", &[200])],
        patched: false,
    },
    Case {
        name: "assumptions and assertions of verifiers",
        text: "extern int __VERIFIER_nondet_int(void); extern void __VERIFIER_assume(int); extern void __VERIFIER_assert(int);
int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 5); __VERIFIER_assert(x != 9); return 0; }",
        inputs: &[("__VERIFIER_nondet_int", &[9])],
        patched: false,
    },
    Case {
        name: "every type",
        text: "extern _Bool __VERIFIER_nondet_bool(void); extern char __VERIFIER_nondet_char(void); extern short __VERIFIER_nondet_short(void);
extern unsigned short __VERIFIER_nondet_ushort(void); extern long __VERIFIER_nondet_long(void); extern unsigned long long __VERIFIER_nondet_ulonglong(void);
extern float __VERIFIER_nondet_float(void); extern double __VERIFIER_nondet_double(void); extern void reach_error(void);
int main(void) { _Bool b = __VERIFIER_nondet_bool(); char c = __VERIFIER_nondet_char(); short s = __VERIFIER_nondet_short();
  unsigned short us = __VERIFIER_nondet_ushort(); long l = __VERIFIER_nondet_long(); unsigned long long ull = __VERIFIER_nondet_ulonglong();
  float f = __VERIFIER_nondet_float(); double d = __VERIFIER_nondet_double();
  if (b && c == -3 && s == -300 && us == 65535 && l == -70000 && ull == 0xfedcba9876543210ull && f == 1.5f && d == -2.25) reach_error(); return 0; }",
        inputs: &[
            ("__VERIFIER_nondet_bool", &[1]),
            ("__VERIFIER_nondet_char", &[-3]),
            ("__VERIFIER_nondet_short", &[-300]),
            ("__VERIFIER_nondet_ushort", &[65535]),
            ("__VERIFIER_nondet_long", &[-70000]),
            ("__VERIFIER_nondet_ulonglong", &[0xfedc_ba98_7654_3210]),
            ("__VERIFIER_nondet_float", &[0x3fc0_0000]),
            ("__VERIFIER_nondet_double", &[0xc002_0000_0000_0000]),
        ],
        patched: false,
    },
    Case {
        name: "functions without a body",
        text: "extern int get(int *where); extern void note(const char *); extern void reach_error(void);
int main(void) { int y = 3; note(\"begin\"); if (get(&y) == 77 && y == 3) reach_error(); return 0; }",
        inputs: &[("get", &[77])],
        patched: false,
    },
    Case {
        name: "variables that a call changes",
        text: "extern int step(void); extern void reach_error(void);
int counter = 3; unsigned char small; long long large; double ratio; _Bool done; static int own = 4; const int fixed = 5;
int main(void) { counter = step(); if (counter == 9 && large == -1) { step();
  if (counter == -7 && small == 200 && large == 1099511627776ll && ratio == 2.5 && done && own == 4 && fixed == 5) reach_error(); } return 0; }",
        inputs: &[
            ("step", &[9, 0]),
            ("`counter` after step()", &[1, -7]),
            ("`small` after step()", &[0, 200]),
            ("`large` after step()", &[-1, 1 << 40]),
            ("`ratio` after step()", &[0, 0x4004_0000_0000_0000]),
            ("`done` after step()", &[0, 1]),
        ],
        patched: false,
    },
    Case {
        name: "memory that a call changes",
        text: "extern void touch(double weight, int *where, const int *look, void *all, _Bool yes); extern void reach_error(void);
int table[3] = {1, 2, 3}; struct { short a; char *name; short b; } mixed;
static int hidden[2];
int main(void) { int x = 1, y = 2; char *name = \"n\"; mixed.name = name;
  touch(.5, 0, &y, hidden, 1); touch(.5, &x, &y, hidden, 1);
  if (x == 70000 && y == 2 && table[2] == 258 && table[0] == 0 && mixed.b == 5 && mixed.name == name && hidden[1] == 6) reach_error(); return 0; }",
        inputs: &[
            ("what argument 2 of touch() points to, from byte 0 on after touch()", &[0, 1, 70000]),
            ("what argument 4 of touch() points to, from byte 0 on after touch()", &[0, 1, 0x0000_0006_0000_0000]),
            ("`table` from byte 0 on after touch()", &[0, 0, 1, 258 << 64]),
            ("`mixed` from byte 16 on after touch()", &[1, 5, 0, 0]),
            ("`mixed` from byte 8 on after touch()", &[1, 5, 0, 0]),
        ],
        patched: false,
    },
    Case {
        name: "pointers from outside",
        text: "struct node { int key; struct node *next; }; extern struct node *find(int key); extern struct node *head; extern int sizes[]; extern void reach_error(void);
struct node *mine;
int main(void) { struct node own = {1, 0}; mine = &own;
  if (!head || head->key != 8 || sizes[2] != 6) return 0;
  struct node *a = find(1), *b = find(2);
  if (!a && b && b->key == 42 && !b->next && mine != &own && mine->key == 7 && !head) reach_error(); return 0; }",
        inputs: &[
            ("find", &[0, 1]),
            ("what the result points to after find()", &[42]),
            ("`head` from outside", &[1, 8]),
            ("`head` after find()", &[0, 1]),
            ("`mine` after find()", &[0, 2, 7]),
            ("`sizes` from byte 0 on from outside", &[0, 6 << 64]),
        ],
        patched: false,
    },
    Case {
        name: "uninitialised locals that don't matter",
        text: "extern void reach_error(void);
int main(void) { int i, sum = 0; int a[4]; for (i = 0; i < 4; i++) a[i] = i; for (i = 0; i < 4; i++) sum += a[i]; if (sum == 6) reach_error(); return 0; }",
        inputs: &[],
        patched: false,
    },
    Case {
        name: "uninitialised locals that matter",
        text: "extern void reach_error(void);
static int f(void) { int x, *unused, y __attribute__((unused)); return x; }
int main(void) { unsigned char a[3]; struct { short x, y; } s;
  if (f() == 5 && f() == -6 && a[0] == 1 && a[2] == 3 && s.y == 258) reach_error(); return 0; }",
        inputs: &[("x", &[5, -6]), ("a", &[0x03_02_01]), ("s", &[0x0102_0000])],
        patched: true,
    },
    Case {
        name: "the arguments of main",
        text: "extern void reach_error(void);\nint main(int argc, char **argv) { if (argc == 1234) reach_error(); return 0; }",
        inputs: &[("argc", &[1234])],
        patched: true,
    },
    Case {
        name: "objects of other files",
        text: "extern int outside; extern short table[2]; extern void reach_error(void);
int main(void) { if (outside == -5 && table[1] == 7) reach_error(); return 0; }",
        inputs: &[("outside", &[-5]), ("table", &[0x0007_0000])],
        patched: false,
    },
    Case {
        name: "many inputs",
        text: "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { int n = 0, last = 0; while (n < 1000000) { last = __VERIFIER_nondet_int(); if (last != 3) break; n++; }
  if (n == 5000 && last == 4) reach_error(); return 0; }",
        inputs: &[("__VERIFIER_nondet_int", &[])],
        patched: false,
    },
    Case {
        name: "a loop of millions of steps",
        text: "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) { int n = __VERIFIER_nondet_int(); long sum = 0; for (int i = 0; i < n; i++) sum += i & 1;
  if (sum == 5000000) reach_error(); return 10; }",
        inputs: &[("__VERIFIER_nondet_int", &[10_000_000])],
        patched: false,
    },
];

fn inputs_of(case: &Case, program: &Program) -> KeyedInputs {
    if case.name != "many inputs" {
        return recorded(program, case.inputs);
    }
    let mut inputs = KeyedInputs::new();
    inputs.push_value(site(program, 0), 3, 5000);
    inputs.push_value(site(program, 0), 4, 1);
    inputs
}

#[test]
fn compiled_harnesses_reach_the_error() {
    let folder = tempfile::tempdir().unwrap();
    for model in [DataModel::Lp64, DataModel::Ilp32] {
        if model == DataModel::Ilp32 && !runs_32_bit(folder.path()) {
            println!("skipped: 32-bit programs don't run here");
            continue;
        }
        for case in CASES {
            let program = program_in(case.text, model);
            let inputs = inputs_of(case, &program);
            let harness =
                made(&program, &inputs).unwrap_or_else(|why| panic!("{}: {why}", case.name));
            assert_eq!(harness.patched.is_some(), case.patched, "{}", case.name);
            if model == DataModel::Lp64 {
                let text = harness.patched.as_deref();
                let text = text.unwrap_or(case.text.as_bytes());
                let two = [("p.c", text), ("h.c", harness.harness_c.as_bytes())];
                let status = status(folder.path(), model, &two);
                assert_eq!(status, Some(10), "{}\n{}", case.name, harness.harness_c);
            }
            let alone = harness.standalone();
            let status = status(folder.path(), model, &[("alone.c", &alone)]);
            assert_eq!(status, Some(10), "{} alone ({model})", case.name);
        }
    }
}

#[test]
fn the_examples_with_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/lock.c");
    let text = std::fs::read_to_string(path).unwrap();
    let program = program(&text);
    let key: &[i128] = &[9, 9, 9, 9, 1, 9, 0, 0];
    let inputs = recorded(&program, &[("__VERIFIER_nondet_int", key)]);
    let harness = made(&program, &inputs).unwrap();
    let files = [
        ("p.c", text.as_bytes()),
        ("h.c", harness.harness_c.as_bytes()),
    ];
    assert_eq!(status(folder.path(), DataModel::Lp64, &files), Some(10));
}

#[test]
fn wrong_inputs_are_told_apart() {
    // The harness of one program with another: the error is reached too early, or not at all.
    let folder = tempfile::tempdir().unwrap();
    let text = |bound: i32, key: i32| {
        format!(
            "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
int main(void) {{ int x = 0; for (int i = 0; i < {bound}; i++) x += __VERIFIER_nondet_int(); if (x == {key}) reach_error(); return 10; }}"
        )
    };
    let program = program(&text(3, 6));
    let inputs = recorded(&program, &[("__VERIFIER_nondet_int", &[1, 2, 3])]);
    let harness = made(&program, &inputs).unwrap();
    for (bound, key, expected) in [(3, 6, 10), (2, 3, 11), (2, 4, 1)] {
        let other = text(bound, key);
        let files = [
            ("p.c", other.as_bytes()),
            ("h.c", harness.harness_c.as_bytes()),
        ];
        assert_eq!(
            status(folder.path(), DataModel::Lp64, &files),
            Some(expected)
        );
    }
}

#[test]
fn what_can_not_be_given_is_named() {
    let program = program(
        "extern void reach_error(void);
static int f(int a) { if (a) return 1; }
int main(void) { if (f(0) == 5) reach_error(); return 0; }",
    );
    let missing = program.inputs.iter_enumerated();
    let mut missing = missing.filter(|(_, site)| site.kind == InputKind::MissingReturn);
    let mut inputs = KeyedInputs::new();
    inputs.push_value(missing.next().unwrap().0, 5, 1);
    let why = made(&program, &inputs).unwrap_err();
    assert!(matches!(why, CannotHarness::Value { .. }), "{why}");
    assert!(why.to_string().contains("test.c:2"), "{why}");
}
