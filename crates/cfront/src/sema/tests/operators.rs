//! Random expressions over variables: their types must be those of gcc.

use std::fmt::Write;

use rhumb_program::DataModel;

use super::random::{Random, seeds};
use super::{MODELS, analyse, gcc};
use crate::ctypes::{CType, IntKind};

const PRELUDE: &str = "
enum small { A, B = 7 }; enum minus { M = -3, N }; enum wide { W = 0x123456789abc };
struct bits { unsigned a:3; int b:5; unsigned c:32; long long d:40; unsigned long long e:33; _Bool f:1; enum small g:4;
  int h:32; unsigned short i:16; long long j:64; unsigned char k:8; long l:20; };
struct s { int x; const char *name; int list[4]; struct { short deep; const int fixed; }; struct bits bits; struct s *next; };
char c; signed char sc; unsigned char uc; short h; unsigned short uh; int i; unsigned u; long l; unsigned long ul;
long long ll; unsigned long long ull; float f; double d; long double ld; _Bool b; enum small e; enum minus em; enum wide ew;
const int ci; volatile short vh; int *ip; const int *cip; volatile int *vip; char *cp; void *vp; const void *cvp; int **ipp;
int array[3]; const int carray[3]; int matrix[2][3]; int (*row)[3]; int function(int); int (*pointer)(int); double (*dfun)();
struct s s; const struct s cs; struct s *sp; struct bits bits; struct bits *bp; struct s *(*make)(void);
";

const INTEGERS: &[&str] = &[
    "c",
    "sc",
    "uc",
    "h",
    "uh",
    "i",
    "u",
    "l",
    "ul",
    "ll",
    "ull",
    "b",
    "e",
    "em",
    "ew",
    "ci",
    "vh",
    "1",
    "2u",
    "3l",
    "4ull",
    "'x'",
    "A",
    "W",
    "s.x",
    "sp->deep",
    "cs.fixed",
    "bits.a",
    "bits.b",
    "bits.c",
    "bits.d",
    "bits.e",
    "bits.f",
    "bits.g",
    "bits.h",
    "bits.i",
    "bits.j",
    "bits.k",
    "bits.l",
    "bp->d",
    "cs.bits.e",
    "array[1]",
    "matrix[1][2]",
    "function(1)",
    "pointer(2)",
    "(*pointer)(3)",
    "(**function)(4)",
    "*ip",
    "(sizeof i)",
    "(ip - array)",
    "*cp",
    "s.list[2]",
    "make()->x",
    "sp->next->x",
    "2[array]",
    "\"text\"[1]",
    "(*row)[1]",
];
const FLOATS: &[&str] = &["f", "d", "ld", "1.0", "2.0f", "3.0l", "dfun()"];
const POINTERS: &[&str] = &[
    "ip",
    "cip",
    "vip",
    "vp",
    "cvp",
    "array",
    "carray",
    "&i",
    "&ci",
    "matrix[1]",
    "&matrix[1][2]",
    "s.list",
    "cs.list",
    "*ipp",
    "(void *)0",
    "0",
    "(const void *)0",
    "&sp->x",
    "&cs.fixed",
    "*row",
    "(int *)0",
    "&*ip",
    "&array[1]",
    "*&ip",
];

struct Generator {
    random: Random,
}

impl Generator {
    fn number(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.one_in(6) {
            let list = if self.random.one_in(4) {
                FLOATS
            } else {
                INTEGERS
            };
            return self.random.pick(list).to_string();
        }
        let depth = depth - 1;
        match self.random.below(9) {
            0 => format!(
                "{}({})",
                self.random.pick(&["-", "+", "!"]),
                self.number(depth)
            ),
            1 => {
                let (a, b) = (self.number(depth), self.number(depth));
                let op = self
                    .random
                    .pick(&["+", "-", "*", "/", "<", "==", "&&", "||", ","]);
                format!("({a} {op} {b})")
            }
            2 => {
                let (cond, a, b) = (self.number(depth), self.number(depth), self.number(depth));
                format!("({cond} ? {a} : {b})")
            }
            3 => {
                let (a, b) = (self.number(depth), self.number(depth));
                format!("({a} ?: {b})")
            }
            4 => {
                let place = self.random.pick(&[
                    "c", "h", "i", "ull", "f", "b", "bits.a", "bits.d", "bits.k", "sp->x", "*ip",
                ]);
                let value = self.number(depth);
                match self.random.below(4) {
                    0 => format!("({place} = {value})"),
                    1 => format!("({place} += {value})"),
                    2 => format!("({place}++)"),
                    _ => format!("(--{place})"),
                }
            }
            5 => {
                let ty = self.random.pick(&[
                    "char",
                    "unsigned short",
                    "int",
                    "unsigned long",
                    "_Bool",
                    "float",
                    "enum small",
                    "long long",
                ]);
                format!("(({ty}){})", self.number(depth))
            }
            _ => self.integer(depth),
        }
    }

    fn integer(&mut self, depth: u32) -> String {
        if depth == 0 {
            return self.random.pick(INTEGERS).to_string();
        }
        let depth = depth - 1;
        match self.random.below(4) {
            0 => format!("~({})", self.integer(depth)),
            1 => {
                let (a, b) = (self.integer(depth), self.integer(depth));
                let op = self.random.pick(&["<<", ">>", "&", "|", "^", "%"]);
                format!("({a} {op} {b})")
            }
            2 => {
                let (a, b) = (self.pointer(depth), self.pointer(depth));
                format!("({a} == {b})")
            }
            _ => {
                let (a, b) = (self.integer(depth), self.integer(depth));
                let op = self.random.pick(&["+", "-", "*"]);
                format!("({a} {op} {b})")
            }
        }
    }

    fn pointer(&mut self, depth: u32) -> String {
        if depth == 0 || self.random.one_in(3) {
            return self.random.pick(POINTERS).to_string();
        }
        let (cond, a, b) = (
            self.integer(0),
            self.pointer(depth - 1),
            self.pointer(depth - 1),
        );
        match self.random.below(4) {
            0 | 1 => format!("({cond} ? {a} : {b})"),
            2 => format!("({cond}, {a})"),
            _ => format!("(({a}) + {cond})"),
        }
    }
}

fn check_batch(seed: u64, model: DataModel, count: usize) {
    let mut generator = Generator {
        random: Random(seed),
    };
    let exprs: Vec<String> = (0..count)
        .map(|_| {
            if generator.random.one_in(4) {
                generator.pointer(3)
            } else {
                generator.number(3)
            }
        })
        .collect();
    let mut text = PRELUDE.to_string();
    for (index, expr) in exprs.iter().enumerate() {
        writeln!(text, "__typeof__(0, {expr}) t{index};").expect("a string grows");
    }
    let result = analyse(text.as_bytes(), model);
    // `0 + integer` is in the grammar of pointers above and is no error either.
    if let Some(error) = result.errors().first() {
        let line = error
            .split(':')
            .next()
            .and_then(|line| line.parse::<usize>().ok());
        let line = line
            .and_then(|line| text.lines().nth(line - 1))
            .unwrap_or("");
        panic!("seed {seed}, {model}: {error}\n{line}");
    }
    let types = &result.unit.types;
    let mut asserts = PRELUDE.to_string();
    for (index, expr) in exprs.iter().enumerate() {
        let name = format!("t{index}");
        let found = result
            .unit
            .globals
            .iter()
            .find(|global| *global.name == *name);
        let ty = found.expect("the test defines it").ty.ty;
        if types.unsupported(ty).is_some() {
            continue;
        }
        let shown = types.display(ty, &result.names);
        let size = types.size_of(ty).unwrap_or(0);
        writeln!(
            asserts,
            "_Static_assert(sizeof(0, {expr}) == {size}, \"size\");"
        )
        .expect("a string grows");
        if matches!(types.get(ty), CType::Int(IntKind::Field { .. })) {
            // gcc has no name for this type: it is none of those that have one.
            writeln!(asserts, "_Static_assert(_Generic({expr}, int: 0, unsigned: 0, long: 0, unsigned long: 0, long long: 0, unsigned long long: 0, default: 1), \"no name\");")
        } else {
            writeln!(asserts, "_Static_assert(_Generic({expr}, {shown}: 1, default: 0), \"{shown}\");")
        }
        .expect("a string grows");
    }
    if let Err(message) = gcc::check(&asserts, model) {
        let lines: Vec<&str> = message
            .lines()
            .filter(|line| line.contains("error"))
            .collect();
        let wrong = lines
            .iter()
            .filter_map(|line| line.split(':').nth(1)?.parse::<usize>().ok());
        let texts: Vec<&str> = wrong
            .filter_map(|line| asserts.lines().nth(line - 1))
            .collect();
        panic!(
            "seed {seed}, {model}: gcc finds other types\n{}\n{}",
            lines.join("\n"),
            texts.join("\n")
        );
    }
}

#[test]
fn random_expressions_have_the_types_that_gcc_gives_them() {
    if !gcc::is_available() {
        return;
    }
    for model in MODELS {
        for seed in seeds(10) {
            check_batch(seed, model, 150);
        }
    }
}
