//! Random C programs over scalars: every integer type, wrap, casts, masks, shifts and divisions, branches, nested
//! loops, jumps and functions.

use std::fmt::Write;

use crate::support::Random;

const TYPES: [&str; 12] = [
    "char",
    "signed char",
    "unsigned char",
    "short",
    "unsigned short",
    "int",
    "int",
    "unsigned",
    "long",
    "unsigned long",
    "unsigned long long",
    "_Bool",
];

const INPUTS: [(&str, &str); 8] = [
    ("char", "char"),
    ("unsigned char", "uchar"),
    ("short", "short"),
    ("unsigned short", "ushort"),
    ("int", "int"),
    ("unsigned", "uint"),
    ("long", "long"),
    ("_Bool", "bool"),
];

/// What may occur.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    /// Operations of which linear arithmetic doesn't know much: products, divisions and bitwise operators of two variables.
    pub(crate) nonlinear: bool,
    /// Whether signed arithmetic may overflow at large: then most runs end early, unless it wraps.
    pub(crate) wild: bool,
}

/// A program of that seed.
pub(crate) fn program(seed: u64, shape: Shape) -> String {
    let mut random = Random::new(seed);
    let globals = 1 + random.below(3);
    let locals = 2 + random.below(4);
    let mut text = String::from("extern void reach_error(void);\nextern void abort(void);\n");
    for (ty, name) in INPUTS {
        let _ = writeln!(text, "extern {ty} __VERIFIER_nondet_{name}(void);");
    }
    let mut vars = Vec::new();
    for number in 0..globals {
        let ty = random.pick(&TYPES);
        let _ = writeln!(text, "{ty} g{number} = {};", random.below(40));
        vars.push(format!("g{number}"));
    }
    let mut writer = Writer {
        random,
        shape,
        vars,
        loops: 0,
        labels: 0,
        in_function: true,
    };
    // A function that is called from several places.
    let body = {
        let outer = std::mem::replace(&mut writer.vars, vec!["p".into(), "q".into(), "g0".into()]);
        let body = writer.statements(2, 2);
        let result = writer.expr(2);
        writer.vars = outer;
        format!("{body}  return {result};\n")
    };
    let (a, b, c) = (
        writer.random.pick(&TYPES),
        writer.random.pick(&TYPES),
        writer.random.pick(&TYPES),
    );
    let _ = write!(
        text,
        "{a} f({b} p, {c} q) {{\n{body}}}\nint main(void) {{\n"
    );
    writer.in_function = false;
    for number in 0..locals {
        let ty = writer.random.pick(&TYPES);
        let _ = writeln!(text, "  {ty} v{number} = {};", writer.random.below(20));
        writer.vars.push(format!("v{number}"));
    }
    let body = writer.statements(3, 5);
    text.push_str(&body);
    // Everything is live to the end.
    let sum: Vec<String> = writer
        .vars
        .iter()
        .map(|var| format!("(unsigned){var}"))
        .collect();
    let _ = writeln!(text, "  if (({}) % 3 == 1) reach_error();", sum.join(" + "));
    text.push_str("  return 0;\n}\n");
    text
}

struct Writer {
    random: Random,
    shape: Shape,
    vars: Vec<String>,
    loops: usize,
    labels: usize,
    in_function: bool,
}

impl Writer {
    fn var(&mut self) -> String {
        self.vars[self.random.below(self.vars.len())].clone()
    }

    fn constant(&mut self) -> String {
        match self.random.below(8) {
            0 => "0".into(),
            1 => "1".into(),
            2 => format!("{}u", self.random.bits() as u32),
            3 => "2147483647".into(),
            4 => format!("{}", 1u64 << self.random.below(31)),
            _ => format!("{}", self.random.below(100)),
        }
    }

    fn expr(&mut self, depth: usize) -> String {
        if depth == 0 {
            return if self.random.chance(70) {
                self.var()
            } else {
                self.constant()
            };
        }
        let a = self.expr(depth - 1);
        match self.random.below(18) {
            0 => {
                let ty = self.random.pick(&TYPES);
                format!("({ty})({a})")
            }
            1 => format!("(~{})", unsigned(&a)),
            2 => format!("(!{a})"),
            3 => {
                let b = self.expr(depth - 1);
                let op = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                format!("({a} {op} {b})")
            }
            4 => {
                let b = self.expr(depth - 1);
                let op = self.random.pick(&["&&", "||"]);
                format!("({a} {op} {b})")
            }
            5 => {
                let (b, c) = (self.expr(depth - 1), self.expr(depth - 1));
                format!("({c} ? {a} : {b})")
            }
            6 => {
                let op = self.random.pick(&["&", "|", "^"]);
                let mask = self
                    .random
                    .pick(&["1", "3", "0xf0", "0x55", "0xff00ffu", "-8", "~4"]);
                format!("({a} {op} {mask})")
            }
            7 => {
                let by = self.random.below(8);
                format!("({a} >> {by})")
            }
            8 => {
                let by = self.random.below(31);
                format!("({} << {by})", unsigned(&a))
            }
            9 => {
                let op = self.random.pick(&["/", "%"]);
                let by = self
                    .random
                    .pick(&["2", "3", "7u", "10", "-3", "-1", "4096"]);
                format!("({a} {op} {by})")
            }
            10 => {
                let by = self.random.pick(&["2", "3", "5u", "-1", "65537u"]);
                format!("({a} * {by})")
            }
            11 if self.shape.nonlinear => {
                let b = self.expr(depth - 1);
                let op = self.random.pick(&["&", "|", "^", "*", "/", "%"]);
                format!("({} {op} {b})", unsigned(&a))
            }
            12 if self.shape.nonlinear => {
                let b = self.expr(depth - 1);
                let op = self.random.pick(&["<<", ">>"]);
                format!("({} {op} ({b} & 7))", unsigned(&a))
            }
            13 if self.shape.wild => {
                let b = self.expr(depth - 1);
                let op = self.random.pick(&["+", "-", "*", "/", "%"]);
                format!("({a} {op} {b})")
            }
            _ => {
                let b = self.expr(depth - 1);
                let op = self.random.pick(&["+", "-"]);
                if self.shape.wild {
                    format!("({a} {op} {b})")
                } else {
                    format!("({} {op} {b})", unsigned(&a))
                }
            }
        }
    }

    fn assignment(&mut self) -> String {
        let var = self.var();
        match self.random.below(6) {
            0 => {
                let (_, name) = INPUTS[self.random.below(INPUTS.len())];
                format!("{var} = __VERIFIER_nondet_{name}();")
            }
            1 => {
                let step = self.random.pick(&["++", "--"]);
                format!("{var}{step};")
            }
            2 if !self.in_function => {
                let (a, b) = (self.expr(1), self.expr(1));
                format!("{var} = f({a}, {b});")
            }
            _ => {
                let value = self.expr(2);
                format!("{var} = {value};")
            }
        }
    }

    fn statements(&mut self, depth: usize, count: usize) -> String {
        let count = 1 + self.random.below(count);
        (0..count).map(|_| self.statement(depth)).collect()
    }

    fn statement(&mut self, depth: usize) -> String {
        if depth == 0 {
            return format!("  {}\n", self.assignment());
        }
        match self.random.below(12) {
            0 | 1 => {
                let (cond, a) = (self.expr(1), self.statements(depth - 1, 2));
                format!("  if ({cond}) {{\n{a}  }}\n")
            }
            2 | 3 => {
                let cond = self.expr(1);
                let (a, b) = (self.statements(depth - 1, 2), self.statements(depth - 1, 2));
                format!("  if ({cond}) {{\n{a}  }} else {{\n{b}  }}\n")
            }
            4 | 5 => {
                // A loop that ends: its counter is nobody else's.
                let counter = format!("i{}", self.loops);
                self.loops += 1;
                let (bound, cond) = (1 + self.random.below(5), self.expr(1));
                let body = self.statements(depth - 1, 3);
                let leave = self.random.pick(&["", "break", "continue"]);
                let leave = if leave.is_empty() {
                    String::new()
                } else {
                    format!("  if ({}) {leave};\n", self.expr(1))
                };
                match self.random.below(3) {
                    0 => format!(
                        "  for (unsigned {counter} = 0; {counter} < {bound}; {counter}++) {{\n{leave}{body}  }}\n"
                    ),
                    1 => format!(
                        "  {{ int {counter} = {bound}; while ({counter}-- > 0 && {cond}) {{\n{body}{leave}  }} }}\n"
                    ),
                    _ => format!(
                        "  {{ unsigned char {counter} = 0; do {{\n{body}  }} while (++{counter} < {bound}); }}\n"
                    ),
                }
            }
            6 => {
                let selector = self.expr(1);
                let mut cases = String::new();
                for case in 0..2 + self.random.below(3) {
                    let (body, end) = (
                        self.statements(depth - 1, 1),
                        self.random.pick(&["break;", ""]),
                    );
                    let _ = writeln!(cases, "  case {case}:\n{body}  {end}");
                }
                format!("  switch ({selector}) {{\n{cases}  default: ;\n  }}\n")
            }
            7 => {
                let label = format!("l{}", self.labels);
                self.labels += 1;
                let (cond, other) = (self.expr(1), self.expr(1));
                let (a, b) = (self.statements(depth - 1, 2), self.statements(depth - 1, 2));
                format!(
                    "  if ({cond}) goto {label};\n{a}  if ({other}) goto {label};\n{b}  {label}: ;\n"
                )
            }
            8 => {
                let cond = self.expr(2);
                if self.random.chance(70) {
                    format!("  if (({cond}) == 17) reach_error();\n")
                } else {
                    format!("  if (({cond}) == 23) abort();\n")
                }
            }
            _ => format!("  {}\n", self.assignment()),
        }
    }
}

/// Signed overflow is excluded by computing without sign.
fn unsigned(text: &str) -> String {
    format!("(unsigned){text}")
}
