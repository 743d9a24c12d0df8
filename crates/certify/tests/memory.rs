//! Objects as variables: what the pass makes is accepted and behaves as the program did; what is wrong in it is rejected.

mod memory {
    pub(crate) mod generate;
    pub(crate) mod wrong;
}

use rhumb_certify::proof::memory::check;
use rhumb_cfront::{Options, compile_text};
use rhumb_program::interp::{InputSource, KeyedInputs, Machine, Outcome, RunLimits};
use rhumb_program::passes::inline;
use rhumb_program::passes::scalars::{self, Scalars};
use rhumb_program::{InputSiteId, Program, Type, VarId};

const PRELUDE: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); \
    extern void *malloc(unsigned long); extern void free(void *); ";

pub(crate) fn lower(text: &str) -> Program {
    let text = format!("{PRELUDE}{text}");
    compile_text("test.c", &text, &Options::default()).expect(&text)
}

/// The inlined program, and the one with variables for objects.
pub(crate) fn both(text: &str) -> (Program, Scalars) {
    let inlined = inline::run(&lower(text), 1_000_000).passed.program;
    let scalars = scalars::run(&inlined);
    (inlined, scalars)
}

/// Numbers that depend on nothing but the seed, the site and the occurrence.
#[derive(Clone)]
struct Numbers(u64);

impl InputSource for Numbers {
    fn value(&mut self, site: InputSiteId, occurrence: u64, _: Type) -> u128 {
        let mut x = self.0 ^ (site.index() as u64) << 32 ^ occurrence.wrapping_mul(0x9e37_79b9);
        for _ in 0..3 {
            x ^= x >> 12;
            x ^= x << 25;
            x ^= x >> 27;
            x = x.wrapping_mul(0x2545_f491_4f6c_dd1d);
        }
        match x % 4 {
            0 => u128::from(x >> 20),
            _ => u128::from(x >> 40 & 7),
        }
    }

    fn bytes(&mut self, site: InputSiteId, occurrence: u64, out: &mut [u8]) {
        for (index, byte) in out.iter_mut().enumerate() {
            *byte = self.value(site, occurrence.wrapping_add(index as u64 * 77), Type::Bool) as u8;
        }
    }
}

fn limits() -> RunLimits {
    RunLimits {
        steps: 20_000,
        ..RunLimits::default()
    }
}

/// Both programs end the same way on the same inputs. Bytes are drawn for the new program as parts, and put together for the given one.
fn agree(text: &str, given: &Program, scalars: &Scalars, seed: u64) {
    let new = &scalars.passed.program;
    new.validate()
        .unwrap_or_else(|invalid| panic!("{invalid}\n{text}"));
    let (old_machine, new_machine) = (Machine::compile(given), Machine::compile(new));
    let mut inputs = KeyedInputs::new();
    let mut numbers = Numbers(seed);
    for (site, info) in new.inputs.iter_enumerated() {
        if let Some(ty) = info.ty {
            for occurrence in 0..40 {
                inputs.push_value(site, numbers.value(site, occurrence, ty), 1);
            }
        }
    }
    let lowered = scalars::assemble(&scalars.pieces, given.data_model, inputs.clone());
    let old = old_machine.run(&mut lowered.clone(), &limits());
    let new = new_machine.run(&mut inputs, &limits());
    // Where the new program has other inputs than 40 events of each site, or a run is long, nothing can be said.
    match (&old.outcome, &new.outcome) {
        (Outcome::StepLimit, _) | (_, Outcome::StepLimit) => {}
        (a, b) => assert_eq!(
            std::mem::discriminant(a),
            std::mem::discriminant(b),
            "seed {seed}: {a:?}, {b:?}\n{text}"
        ),
    }
}

const PROGRAMS: [&str; 13] = [
    "int main(void) { int a[2]; a[0] = 1; a[1] = 2; if (a[0] + a[1] != 3) reach_error(); }",
    "void set(int *r, int v) { *r = v; } int main(void) { int x, y; set(&x, 1); set(&y, 2); if (x == y) reach_error(); }",
    "struct p { int x; int y; }; struct p mk(int x) { struct p r = { x, x + 1 }; return r; } \
      int main(void) { struct p a = mk(3); struct p b = a; if (b.y != 4) reach_error(); }",
    "int main(void) { int a[5]; int i = __VERIFIER_nondet_int(); if (i < 0 || i > 4) return 0; \
      for (int k = 0; k < 5; k++) a[k] = k; if (a[i] != i) reach_error(); }",
    "int main(void) { int *p = malloc(8); p[0] = 1; p[1] = 2; if (p[0] + p[1] != 3) reach_error(); free(p); p = 0; }",
    "struct node { int v; struct node *next; }; int main(void) { struct node b = { 2, 0 }, a = { 1, &b }; \
      int s = 0; for (struct node *p = &a; p; p = p->next) s += p->v; if (s != 3) reach_error(); }",
    "int g[3] = { 1, 2, 3 }; int *q = &g[1]; int main(void) { *q = 5; if (g[1] != 5 || q[1] != 3) reach_error(); }",
    "int main(void) { int x = 1, y = 2; int *p = __VERIFIER_nondet_int() ? &x : &y; *p = 7; if (x != 7 && y != 7) reach_error(); }",
    "struct s { char c; short h; long l; }; int main(void) { struct s v; v.c = 1; v.h = 2; v.l = 3; \
      if (v.c + v.h + v.l != 6) reach_error(); }",
    "union u { int i; unsigned w; }; int main(void) { union u v; v.i = -1; if (v.w != 0xffffffffu) reach_error(); }",
    "int main(void) { int m[3][3]; int s = 0; for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) m[i][j] = i + j; \
      for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) s += m[i][j]; if (s != 18) reach_error(); }",
    "int main(void) { for (int i = 0; i < 3; i++) { int b[2] = { i, 0 }; if (b[0] != i) reach_error(); } }",
    // A pointer that is declared before it has a value.
    "struct in { int n; }; struct out { struct in *in; int k; }; int main(void) { struct out *o; o = malloc(sizeof(struct out)); \
      o->in = malloc(sizeof(struct in)); o->in->n = 1; o->k = 2; if (o->in->n + o->k != 3) reach_error(); }",
];

#[test]
fn what_the_pass_makes_is_accepted() {
    for text in PROGRAMS {
        let (given, scalars) = both(text);
        assert!(!scalars.objects.is_empty(), "{text}");
        assert!(scalars.refused.is_empty(), "{:?}\n{text}", scalars.refused);
        check(&given, &scalars).unwrap_or_else(|objection| panic!("{objection}\n{text}"));
        for seed in 0..20 {
            agree(text, &given, &scalars, seed);
        }
    }
}

/// A pointer without a value may point to other memory, unless nobody looks at it before it has one.
#[test]
fn pointers_without_a_value_point_anywhere() {
    let read = [
        "int main(void) { int x = 1; int *p; if (__VERIFIER_nondet_int()) p = &x; *p = 2; if (x > 2) reach_error(); }",
        "int main(void) { int x = 1; int *p; while (__VERIFIER_nondet_int()) { if (x == 5) *p = 2; x = x + 1; } p = &x; *p = 3; if (x != 3) reach_error(); }",
        "int main(void) { int x = 1; int *p; int *q = p; p = &x; q = __VERIFIER_nondet_int() ? p : q; *q = 3; if (x > 3) reach_error(); }",
        "int f(int *p) { return p != 0; } int main(void) { int x = 1; int *p; if (f(p)) x = 2; p = &x; *p = 3; if (x != 3) reach_error(); }",
    ];
    for text in read {
        let (given, scalars) = both(text);
        check(&given, &scalars).unwrap_or_else(|objection| panic!("{objection}\n{text}"));
        let is_both =
            |var: &VarId| scalars.pointees[*var].other && scalars.pointees[*var].is_tainted();
        let mut wrong = scalars.clone();
        let vars: Vec<VarId> = scalars.pointees.indices().filter(is_both).collect();
        assert!(!vars.is_empty(), "{text}");
        for var in vars {
            wrong.pointees[var].other = false;
            assert!(check(&given, &wrong).is_err(), "accepted: {var:?}\n{text}");
            wrong.pointees[var].other = true;
        }
    }
    let unread = [
        "int main(void) { int x = 1; int *p; if (__VERIFIER_nondet_int()) p = &x; else p = 0; if (p) *p = 2; if (x > 2) reach_error(); }",
        "int main(void) { int x = 1; for (int i = 0; i < 3; i++) { int *p; p = &x; *p = i; } if (x != 2) reach_error(); }",
    ];
    for text in unread {
        let (given, scalars) = both(text);
        check(&given, &scalars).unwrap_or_else(|objection| panic!("{objection}\n{text}"));
        let mut all = scalars.pointees.iter();
        assert!(all.all(|to| !(to.other && to.is_tainted())), "{text}");
    }
}

/// What is used in a way that variables can't follow stays in memory.
#[test]
fn what_escapes_stays_in_memory() {
    let programs = [
        "extern void other(int *); int main(void) { int x = 1; other(&x); if (x != 1) reach_error(); }",
        "int main(void) { int x; unsigned long n = (unsigned long)&x; if (n == 77) reach_error(); }",
        "int main(void) { int a[100]; int i = __VERIFIER_nondet_int(); if (i < 0 || i >= 100) return 0; a[i] = 1; if (a[0] > 2) reach_error(); }",
        "union u { int i; char c[4]; }; int main(void) { union u v; v.i = 1; if (v.c[0] != 1) reach_error(); }",
        "int f(int n, int *p) { if (n > 0) return f(n - 1, p); return *p; } int main(void) { int x = 3; if (f(2, &x) != 3) reach_error(); }",
    ];
    for text in programs {
        let (given, scalars) = both(text);
        assert!(!scalars.refused.is_empty(), "{text}");
        if scalars.objects.is_empty() {
            continue;
        }
        check(&given, &scalars).unwrap_or_else(|objection| panic!("{objection}\n{text}"));
    }
}

#[test]
fn random_programs_behave_the_same() {
    let mut promoted = 0;
    for seed in 0..400 {
        let text = memory::generate::program(seed);
        let (given, scalars) = both(&text);
        promoted += usize::from(!scalars.objects.is_empty());
        check(&given, &scalars).unwrap_or_else(|objection| panic!("{objection}\n{text}"));
        for inputs in 0..5 {
            agree(&text, &given, &scalars, seed * 100 + inputs);
        }
    }
    assert!(promoted > 350, "{promoted}");
}

/// Every change to what an edge of an object became, to an object's table, or to a fact that something rests on is noticed.
#[test]
fn wrong_translations_are_rejected() {
    let mut mutants = 0;
    for text in PROGRAMS {
        let (given, scalars) = both(text);
        for (what, wrong) in memory::wrong::all(&given, &scalars) {
            mutants += 1;
            assert!(check(&given, &wrong).is_err(), "accepted: {what}\n{text}");
        }
    }
    assert!(mutants > 200, "{mutants}");
}
