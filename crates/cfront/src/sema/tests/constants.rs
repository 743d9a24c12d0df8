//! Random constant expressions: their types and values must be those of gcc.

use std::fmt::Write;

use rhumb_program::DataModel;

use super::random::{Random, seeds};
use super::{MODELS, analyse, bytes_of, gcc};
use crate::ctypes::CType;

const PRELUDE: &str = "enum small { A, B = 7 }; enum minus { M = -3, N }; enum wide { W = 0x123456789abc, X = 1 };\n\
    struct s { char c; long l; short t[5]; } object;\n";
const INTEGERS: &[&str] = &[
    "0",
    "1",
    "2",
    "7",
    "255",
    "256",
    "32767",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "0x7fffffff",
    "0x80000000",
    "0xffffffff",
    "0x7fffffffffffffff",
    "0x8000000000000000",
    "0xffffffffffffffff",
    "037777777777",
    "1u",
    "3000000000u",
    "5l",
    "6ul",
    "7ll",
    "8ull",
    "'a'",
    "'\\377'",
    "'\\n'",
    "L'x'",
    "u'y'",
    "U'z'",
    "A",
    "B",
    "M",
    "N",
    "W",
    "X",
    "sizeof(int)",
    "sizeof object.t",
    "sizeof(struct s)",
    "_Alignof(short)",
    "__builtin_offsetof(struct s, t[2])",
    "sizeof(1 + 1ll)",
    "__builtin_popcount(77)",
    "__builtin_bswap32(0x12345678)",
    "__builtin_clz(99)",
    "__builtin_ffsll(64)",
    "__builtin_constant_p(3)",
    "__builtin_types_compatible_p(int, long)",
    "_Generic(1u, unsigned: 3, default: 4)",
    "(enum small)5",
    "(enum minus)-9",
    "__builtin_choose_expr(1, 2, 3.5)",
    "sizeof \"hello\"",
];
const FLOATS: &[&str] = &[
    "0.0",
    "1.0",
    "1.5f",
    "0.1",
    "0.1f",
    "0.1l",
    "1e10",
    "1e-3f",
    "3.141592653589793238462643383279",
    "0x1.8p3",
    "0x1p-20f",
    "123456789.0f",
    "1e300",
    "4.9e-324",
    "1.17549435e-38f",
    "2.5l",
];
const INTEGER_TYPES: &[&str] = &[
    "_Bool",
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "long long",
    "unsigned long long",
    "enum small",
    "enum minus",
    "enum wide",
];
const FLOAT_TYPES: &[&str] = &["float", "double", "long double"];

struct Generator {
    random: Random,
    model: DataModel,
}

impl Generator {
    /// An expression, and whether it is floating. Floats stay small enough not to overflow where they are added up.
    fn expr(&mut self, depth: u32) -> (String, bool) {
        if depth == 0 || self.random.one_in(8) {
            return if self.random.one_in(5) {
                (self.random.pick(FLOATS).to_string(), true)
            } else {
                (self.random.pick(INTEGERS).to_string(), false)
            };
        }
        let depth = depth - 1;
        match self.random.below(12) {
            0..=3 => self.cast(depth),
            4 => {
                let (arg, floating) = self.expr(depth);
                let op = self.random.pick(if floating {
                    &["-", "+"]
                } else {
                    &["-", "+", "~"]
                });
                (format!("{op}({arg})"), floating)
            }
            5 => {
                let (arg, _) = self.expr(depth);
                (format!("!({arg})"), false)
            }
            6 => {
                let (a, _) = self.expr(depth);
                let (b, _) = self.expr(depth);
                let op = self
                    .random
                    .pick(&["<", ">", "<=", ">=", "==", "!=", "&&", "||"]);
                (format!("(({a}) {op} ({b}))"), false)
            }
            7 => {
                let (cond, _) = self.expr(depth);
                let (a, x) = self.expr(depth);
                let (b, y) = self.expr(depth);
                (format!("(({cond}) ? ({a}) : ({b}))"), x || y)
            }
            8 => {
                let a = self.integer(depth);
                let op = self.random.pick(&["<<", ">>"]);
                (format!("(({a}) {op} {})", self.random.below(32)), false)
            }
            9 => {
                let (a, x) = self.expr(depth);
                let (op, b) = match self.random.below(3) {
                    0 if !x => ("%", "13"),
                    1 => ("/", "1.75"),
                    _ => ("/", "-7"),
                };
                (format!("(({a}) {op} {b})"), x || b.contains('.'))
            }
            10 => {
                let (a, b) = (self.integer(depth), self.integer(depth));
                let op = self.random.pick(&["&", "|", "^"]);
                (format!("(({a}) {op} ({b}))"), false)
            }
            _ => {
                let (a, x) = self.expr(depth);
                let (b, y) = self.expr(depth);
                let op = self.random.pick(&["+", "-", "*"]);
                (format!("(({a}) {op} ({b}))"), x || y)
            }
        }
    }

    fn integer(&mut self, depth: u32) -> String {
        loop {
            let (text, floating) = self.expr(depth);
            if !floating {
                return text;
            }
        }
    }

    fn cast(&mut self, depth: u32) -> (String, bool) {
        let (arg, floating) = self.expr(depth);
        if floating || self.random.one_in(5) {
            let ty = self.random.pick(FLOAT_TYPES);
            return (format!("({ty})({arg})"), true);
        }
        let ty = if self.model == DataModel::Lp64 && self.random.one_in(12) {
            self.random.pick(&["__int128", "unsigned __int128"])
        } else {
            self.random.pick(INTEGER_TYPES)
        };
        (format!("({ty})({arg})"), false)
    }
}

fn check_batch(seed: u64, model: DataModel, count: usize) {
    let mut generator = Generator {
        random: Random(seed),
        model,
    };
    let exprs: Vec<String> = (0..count).map(|_| generator.expr(4).0).collect();
    let mut text = PRELUDE.to_string();
    text.push_str("struct all {\n");
    for (index, expr) in exprs.iter().enumerate() {
        writeln!(text, "__typeof__({expr}) m{index};").expect("a string grows");
    }
    text.push_str("int end; } all = {\n");
    for expr in &exprs {
        writeln!(text, "{expr},").expect("a string grows");
    }
    text.push_str("1 };\n");
    let result = analyse(text.as_bytes(), model);
    assert_eq!(result.errors(), Vec::<String>::new(), "seed {seed}\n{text}");

    let types = &result.unit.types;
    let found = result
        .unit
        .globals
        .iter()
        .find(|global| &*global.name == "all");
    let all = found.expect("the test defines it").ty.ty;
    let CType::Record(all) = types.get(all) else {
        panic!("the test defines a struct");
    };
    let layout = types.records[*all]
        .layout
        .as_ref()
        .expect("the struct is complete");
    let mut asserts = PRELUDE.to_string();
    for (expr, field) in exprs.iter().zip(&layout.fields) {
        let ty = types.display(field.ty.ty, &result.names);
        writeln!(
            asserts,
            "_Static_assert(_Generic({expr}, {ty}: 1, default: 0), \"{ty}\");"
        )
        .expect("a string grows");
    }
    if let Err(message) = gcc::check(&asserts, model) {
        panic!("seed {seed}, {model}: gcc finds other types\n{message}");
    }
    let ours = bytes_of(&result.unit, "all");
    let theirs = gcc::data_section(&text, model)
        .unwrap_or_else(|message| panic!("seed {seed}, {model}: {message}"));
    for (index, field) in layout.fields.iter().enumerate() {
        let size = match types.get(field.ty.ty) {
            // The rest of a `long double` is padding.
            CType::Float(crate::ctypes::FloatKind::LongDouble) => 10,
            _ => types.size_of(field.ty.ty).unwrap_or(0) as usize,
        };
        let range = field.offset as usize..field.offset as usize + size;
        assert_eq!(
            ours.get(range.clone()),
            theirs.get(range),
            "seed {seed}, {model}: the value of {}",
            exprs.get(index).map_or("end", String::as_str)
        );
    }
}

#[test]
fn random_constants_have_the_types_and_values_that_gcc_gives_them() {
    if !gcc::is_available() {
        return;
    }
    for model in MODELS {
        for seed in seeds(10) {
            check_batch(seed, model, 100);
        }
    }
}

/// Initialisers that are no constant expressions by the letter of C, and that gcc folds.
const FOLDED: &[&str] = &[
    "1 << 40",
    "-8 >> 40",
    "8u >> 40",
    "1e10",
    "-1e10",
    "(unsigned)-1.5",
    "(int)(0.0 / 0.0)",
    "(signed char)300.7",
    "(unsigned char)300.7",
    "&x == &y",
    "&x != &y",
    "&x == &x",
    "&x && 1",
    "!&x",
    "f != 0",
    "table[1]",
    "record.b",
    "text[1]",
    "\"abc\"[1]",
    "__builtin_strlen(\"hello\" + 1)",
    "__builtin_abs(-7)",
    "__builtin_fabs(-2.0) > 1",
    "number + 1",
    "real * 2",
    "0 && 1 / 0",
    "1 || x",
    "1 ? 2 : x",
    "sizeof(int[sizeof(long)])",
    "(long)&table[1] - (long)table",
    "2147483647 + 1",
    "-2147483647 - 2",
    "(_Bool)0.1",
    "1 ?: x",
];

#[test]
fn what_gcc_folds_is_folded() {
    if !gcc::is_available() {
        return;
    }
    let mut text = "int x, y; int f(void); const int number = 41; const double real = 1.25; const int table[3] = { 1, 2 };\n\
        const struct { char a; int b, c; } record = { 1, 2 }; const char text[4] = \"ab\";\nint all[] = {\n"
        .to_string();
    for expr in FOLDED {
        writeln!(text, "{expr},").expect("a string grows");
    }
    text.push_str("1 };\n");
    for model in MODELS {
        let result = analyse(text.as_bytes(), model);
        assert_eq!(result.errors(), Vec::<String>::new());
        let ours = bytes_of(&result.unit, "all");
        let theirs = gcc::data_section(&text, model).expect("gcc folds all of it");
        for (index, expr) in FOLDED.iter().enumerate() {
            let range = index * 4..index * 4 + 4;
            assert_eq!(
                ours[range.clone()],
                theirs[range],
                "{model}: the value of {expr}"
            );
        }
    }
}
