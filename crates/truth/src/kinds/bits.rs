//! Programs about bits: shifts, masks, complements and casts of integers of all widths, and bit-fields.
//!
//! Some take inputs of a few values only, and are tried on all of them; in the others inputs have all values of their
//! types. Among what is looked at in the end are laws that hold of all numbers, and some that almost do.

use super::Text;
use crate::generate::Draft;
use crate::runs::NARROW_TEXT;
use rhumb_difftest::rng::Rng;

/// A type, the word for it in the names of input functions, its width, and whether it is signed.
type IntType = (&'static str, &'static str, u32, bool);

const TYPES: [IntType; 9] = [
    ("unsigned char", "uchar", 8, false),
    ("signed char", "char", 8, true),
    ("unsigned short", "ushort", 16, false),
    ("short", "short", 16, true),
    ("unsigned int", "uint", 32, false),
    ("int", "int", 32, true),
    ("unsigned long long", "ulonglong", 64, false),
    ("long long", "longlong", 64, true),
    ("unsigned long", "ulong", 64, false),
];

struct Bits {
    out: Text,
    /// Variables with their types.
    vars: Vec<(String, IntType)>,
    /// Whether inputs have few values.
    is_narrow: bool,
}

/// A draft.
pub(super) fn draft(rng: Rng) -> Draft {
    let mut bits = Bits {
        out: Text::new(rng),
        vars: Vec::new(),
        is_narrow: false,
    };
    bits.is_narrow = bits.out.rng.percent(50);
    bits.out.open("int main(void) {");
    for _ in 0..1 + bits.out.rng.index(2) {
        bits.input();
    }
    for _ in 0..1 + bits.out.rng.index(3) {
        bits.local();
    }
    if bits.out.rng.percent(30) {
        bits.fields();
    }
    for _ in 0..bits.out.rng.index(5) {
        bits.statement();
    }
    let mut vars = Vec::new();
    for _ in 0..2 {
        let (name, result) = (bits.out.fresh("r"), bits.result());
        bits.out.line(format!("int {name} = {result};"));
        vars.push(name);
    }
    bits.out.look(&vars);
    bits.out.line("return 0;");
    bits.out.close();
    let mut head = "extern void abort(void);\nextern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n".to_owned();
    for (ty, word, ..) in TYPES {
        if bits.out.lines.contains(&format!("nondet_{word}(")) && word != "int" {
            head.push_str(&format!("extern {ty} __VERIFIER_nondet_{word}(void);\n"));
        }
    }
    if bits.out.lines.contains("struct fields") {
        head.push_str("struct fields { unsigned a : 3; int b : 5; unsigned long long c : 37; _Bool d : 1; signed char e : 4; };\n");
    }
    head.push_str(NARROW_TEXT);
    head.push('\n');
    bits.out.draft(&head, vars)
}

impl Bits {
    fn input(&mut self) {
        let name = self.out.fresh("x");
        let any = *self.out.rng.pick(&TYPES);
        let value = match self.is_narrow {
            true if any.2 == 8 => format!("__VERIFIER_nondet_{}()", any.1),
            true => "in(-6, 12)".to_owned(),
            false => format!("__VERIFIER_nondet_{}()", any.1),
        };
        self.out.line(format!("{} {name} = {value};", any.0));
        self.vars.push((name, any));
    }

    fn local(&mut self) {
        let (name, ty) = (self.out.fresh("y"), *self.out.rng.pick(&TYPES));
        let value = self.value(2);
        self.out.line(format!("{} {name} = {value};", ty.0));
        self.vars.push((name, ty));
    }

    fn fields(&mut self) {
        let (name, ty) = (self.out.fresh("f"), TYPES[5]);
        let (a, b, c) = (self.value(1), self.value(1), self.value(1));
        self.out.line(format!("struct fields {name} = {{0}};"));
        self.out.line(format!("{name}.a = {a};"));
        self.out.line(format!("{name}.b = {b};"));
        self.out.line(format!("{name}.c = {c};"));
        self.out.line(format!("{name}.d = {name}.a;"));
        self.out.line(format!("{name}.e = {name}.b ^ {name}.a;"));
        for (field, signed) in [("a", false), ("b", true), ("e", true)] {
            self.vars
                .push((format!("{name}.{field}"), (ty.0, ty.1, 5, signed)));
        }
        // A field that an `int` doesn't hold.
        let (wide, ty) = (self.out.fresh("y"), TYPES[6]);
        let shift = self.out.rng.index(37);
        self.out.line(format!(
            "{} {wide} = (unsigned long long){name}.c << {shift};",
            ty.0
        ));
        self.vars.push((wide, ty));
    }

    fn var(&mut self) -> (String, IntType) {
        self.out.rng.pick(&self.vars).clone()
    }

    fn constant(&mut self) -> String {
        match self.out.rng.index(5) {
            0 => self.out.rng.index(16).to_string(),
            1 => format!("{}u", (1_u64 << self.out.rng.index(32)) - 1),
            2 => format!("0x{:x}u", self.out.rng.bits() as u32),
            3 => format!("0x{:x}ull", self.out.rng.bits() >> self.out.rng.index(60)),
            _ => format!("1u << {}", self.out.rng.index(32)),
        }
    }

    /// How far to shift something of a width.
    fn amount(&mut self, width: u32) -> String {
        // What is narrower than an `int` is one before it is shifted.
        let width = width.max(32);
        match self.out.rng.index(5) {
            0 | 1 => self.out.rng.index(width as usize).to_string(),
            2 => {
                let (var, _) = self.var();
                format!("({var} & {})", width - 1)
            }
            3 => {
                let (var, _) = self.var();
                format!("({var} & 7)")
            }
            _ => self.var().0,
        }
    }

    /// A number of some type.
    fn value(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.out.rng.percent(70) {
                true => self.var().0,
                false => format!("({})", self.constant()),
            };
        }
        let (a, b) = (self.value(depth - 1), self.value(depth - 1));
        let (var, ty) = self.var();
        match self.out.rng.index(16) {
            0 | 1 => format!("({a} & {b})"),
            2 => format!("({a} | {b})"),
            3 => format!("({a} ^ {b})"),
            4 => format!("(~{a})"),
            5..=7 => {
                let (amount, operator) = (self.amount(ty.2), ["<<", ">>"][self.out.rng.index(2)]);
                format!("({var} {operator} {amount})")
            }
            8 => {
                let (amount, operator) = (self.amount(32), ["<<", ">>"][self.out.rng.index(2)]);
                format!("((unsigned)({a}) {operator} {amount})")
            }
            9 | 10 => {
                let to = self.out.rng.pick(&TYPES).0;
                format!("(({to}){a})")
            }
            11 => format!("((unsigned)({a}) + {b})"),
            12 => format!("({a} - (unsigned long long)({b}))"),
            13 => format!("((unsigned)({a}) * (unsigned)({b}))"),
            14 => format!("(({a}) / {})", 1 + self.out.rng.index(9)),
            _ => format!("({a} > {b} ? {a} : {b})"),
        }
    }

    fn statement(&mut self) {
        let (var, ty) = self.var();
        let value = self.value(1);
        match self.out.rng.index(8) {
            0 => {
                let amount = self.amount(ty.2);
                let operator = ["<<", ">>"][self.out.rng.index(2)];
                self.out.line(format!("{var} {operator}= {amount};"));
            }
            1 | 2 => {
                let operator = ["&", "|", "^"][self.out.rng.index(3)];
                self.out.line(format!("{var} {operator}= {value};"));
            }
            3 => {
                // Bits are counted, or turned around.
                let (copy, count) = (self.out.fresh("u"), self.out.fresh("y"));
                let round = match self.out.rng.percent(50) {
                    true => format!("{count} += {copy} & 1"),
                    false => format!("{count} = ({count} << 1) | ({copy} & 1)"),
                };
                self.out.line(format!("unsigned char {copy} = {value};"));
                self.out.line(format!("unsigned int {count} = 0;"));
                self.out
                    .line(format!("for (; {copy}; {copy} >>= 1) {round};"));
                self.vars.push((count, TYPES[4]));
            }
            4 => {
                let condition = self.value(1);
                self.out
                    .line(format!("if ({condition} & 4) {var} = {value};"));
            }
            5 => {
                // A rotation.
                let (amount, rest) = (1 + self.out.rng.index(31), self.value(0));
                self.out.line(format!(
                    "{var} = ((unsigned)({rest}) << {amount}) | ((unsigned)({rest}) >> {});",
                    32 - amount
                ));
            }
            _ => self.out.line(format!("{var} = {value};")),
        }
    }

    /// Something that has few values.
    fn result(&mut self) -> String {
        let value = self.value(1);
        match self.out.rng.index(5) {
            0 => format!("({value}) & {}", (1 << (1 + self.out.rng.index(16))) - 1),
            1 => format!("(signed char)({value})"),
            2 => format!("({value}) % {}u % 1000u", 2 + self.out.rng.index(40)),
            _ => self.law(),
        }
    }

    /// Whether a law holds of two numbers, or almost that law.
    fn law(&mut self) -> String {
        let cast =
            ["(unsigned)", "(unsigned long long)", "(unsigned short)"][self.out.rng.index(3)];
        let x = format!("({cast}{})", self.value(0));
        let y = format!("({cast}{})", self.value(0));
        let k = 1 + self.out.rng.index(15);
        // How far the law is from a true one.
        let off = usize::from(self.out.rng.percent(25));
        let j = k + off;
        let power = 1_u64 << k;
        match self.out.rng.index(14) {
            0 => format!("{x} + {y} == ({x} ^ {y}) + {} * ({x} & {y})", 2 + off),
            1 => format!("({x} | {y}) == {x} + {y} - ({x} & {y}) + {off}"),
            2 => format!("~{x} == -{x} - {}", 1 + off),
            3 => format!("({x} ^ {y}) == ({x} | {y}) - ({x} & {y}) + {off}"),
            4 => format!("{x} >> {j} == {x} / {power}"),
            5 => format!("({x} & {}) == {x} % {power}", (1_u64 << j) - 1),
            6 => format!("{x} << {j} == {x} * {power}"),
            7 => format!("(unsigned)({x} << {k}) >> {j} == ((unsigned){x} & (4294967295u >> {k}))"),
            8 => format!(
                "(signed char){x} == (int)((({x} & 255) ^ {}) - 128)",
                128 >> off
            ),
            9 => format!("(({x} ^ {y}) ^ {y}) == {x} + {off}"),
            10 => format!("({x} & (unsigned long long)-{x}) <= {x} - {off}"),
            11 => format!("(({x} & {y}) | ({x} & ~{y})) == {x} + {off}"),
            12 => format!(
                "((short){x} >> {k}) == ((short){x} < 0 ? ~(~(short){x} >> {j}) : (short){x} >> {k})"
            ),
            _ => format!("({x} << {y} % 8 >> {y} % 8 & 255) == ({x} & {})", 255 - off),
        }
    }
}
