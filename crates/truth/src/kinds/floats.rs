//! Programs about floating point, tried on corner values.

use super::Text;
use crate::generate::Draft;
use crate::runs::NARROW_TEXT;
use rhumb_difftest::rng::Rng;
use rhumb_program::{FloatType, Type};

/// The bits of a number that floats stumble over, or of some other one.
pub fn corner(ty: Type, rng: &mut Rng) -> u128 {
    let number: f64 = match rng.index(12) {
        0 => 0.0,
        1 => f64::INFINITY,
        2 => f64::NAN,
        3 => 0.1,
        4 => 1e300,
        5 => f64::MIN_POSITIVE / 8.0,
        6 => 16_777_217.0,
        7 => 2_147_483_648.0 - rng.between(0, 2) as f64,
        8 => 1.0 + rng.between(0, 3) as f64 * f64::EPSILON,
        9 => rng.between(0, 100) as f64 / 8.0,
        _ => f64::from_bits(rng.bits()),
    };
    let number = if rng.percent(40) { -number } else { number };
    match ty {
        Type::Float(FloatType::F32) => u128::from((number as f32).to_bits()),
        _ => u128::from(number.to_bits()),
    }
}

struct Floats {
    out: Text,
    vars: Vec<String>,
    ints: Vec<String>,
}

/// A draft.
pub(super) fn draft(rng: Rng) -> Draft {
    let mut floats = Floats {
        out: Text::new(rng),
        vars: Vec::new(),
        ints: Vec::new(),
    };
    floats.out.open("int main(void) {");
    for _ in 0..1 + floats.out.rng.index(2) {
        floats.input();
    }
    for _ in 0..1 + floats.out.rng.index(3) {
        let (name, ty, value) = (floats.out.fresh("y"), floats.ty(), floats.value(2));
        floats.out.line(format!("{ty} {name} = {value};"));
        floats.vars.push(name);
    }
    if floats.out.rng.percent(30) {
        let (var, value, condition) = (floats.var(), floats.value(1), floats.condition());
        floats
            .out
            .line(format!("if ({condition}) {var} = {value};"));
    }
    let mut vars = Vec::new();
    for _ in 0..3 {
        let (name, value) = (floats.out.fresh("r"), floats.result());
        floats.out.line(format!("int {name} = {value};"));
        vars.push(name);
    }
    floats.out.look(&vars);
    floats.out.line("return 0;");
    floats.out.close();
    let head = format!(
        "extern void abort(void);\nextern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\nextern float __VERIFIER_nondet_float(void);\n\
         extern double __VERIFIER_nondet_double(void);\nextern double fabs(double);\nextern float fabsf(float);\n{NARROW_TEXT}\n"
    );
    floats.out.draft(&head, vars)
}

impl Floats {
    fn ty(&mut self) -> &'static str {
        ["float", "double"][self.out.rng.index(2)]
    }

    fn input(&mut self) {
        let (name, ty) = (self.out.fresh("x"), self.ty());
        match self.out.rng.index(4) {
            0 => {
                let whole = self.out.fresh("i");
                self.out.line(format!("int {whole} = in(-6, 12);"));
                self.out.line(format!("{ty} {name} = {whole};"));
                self.ints.push(whole);
            }
            1 => self
                .out
                .line(format!("{ty} {name} = __VERIFIER_nondet_{ty}();")),
            _ => {
                let low = self.out.rng.between(-4, 4);
                let high = low + self.out.rng.between(1, 8);
                self.out
                    .line(format!("{ty} {name} = __VERIFIER_nondet_{ty}();"));
                self.out.line(format!(
                    "if (!({name} >= {low} && {name} <= {high})) abort();"
                ));
            }
        }
        self.vars.push(name);
    }

    fn var(&mut self) -> String {
        self.out.rng.pick(&self.vars).clone()
    }

    fn constant(&mut self) -> String {
        let constants = [
            "0.0",
            "1.0",
            "0.5f",
            "0.1",
            "0.1f",
            "2",
            "1e10f",
            "1e-40f",
            "16777216.0f",
            "3",
        ];
        (*self.out.rng.pick(&constants)).to_owned()
    }

    fn value(&mut self, depth: usize) -> String {
        if depth == 0 {
            return match self.out.rng.percent(70) {
                true => self.var(),
                false => self.constant(),
            };
        }
        let (a, b) = (self.value(depth - 1), self.value(0));
        match self.out.rng.index(10) {
            0..=2 => format!("({a} + {b})"),
            3 => format!("({a} - {b})"),
            4 => format!("({a} * {b})"),
            5 => format!("({a} / {b})"),
            6 => format!("(-{a})"),
            7 => format!("fabs({a})"),
            8 => format!("(float)({a})"),
            _ => format!("({} ? {a} : {b})", self.condition()),
        }
    }

    fn condition(&mut self) -> String {
        let (a, b) = (self.value(0), self.value(0));
        let operators = ["<", "<=", ">", ">=", "==", "!="];
        format!("{a} {} {b}", self.out.rng.pick(&operators))
    }

    fn result(&mut self) -> String {
        let a = self.value(1);
        match self.out.rng.index(4) {
            0 => format!("{a} > -1000 && {a} < 1000 ? (int)({a}) : 7777"),
            1 => format!("{a} == {a}"),
            _ => self.condition(),
        }
    }
}
