//! Idioms about numbers: long computations, and values at the edges of rounding.

use super::Generator;
use super::types::IntTy;
use crate::feature::Feature;
use crate::model::{FloatKind, IntKind, Interval};

impl Generator {
    /// A long loop of wrapping arithmetic.
    pub(crate) fn checksum(&mut self) {
        self.mark(Feature::LongLoop);
        self.mark(Feature::For);
        let kind = *self.rng.pick(&[
            IntKind::UInt,
            IntKind::ULLong,
            IntKind::UShort,
            IntKind::UChar,
        ]);
        let spelling = self.kind_spelling(kind);
        let start = self.plain_value(&IntTy::full(kind, self.model));
        let rounds = self.rng.between(50, 600);
        let factor = self.rng.below(1 << 16) | 1;
        let shift = self.rng.between(1, 7);
        self.line(format!("{spelling} state = {start};"));
        self.line("int odd = 0;");
        self.line(format!("for (int i = 0; i < {rounds}; i++) {{"));
        self.indent += 1;
        self.line(format!("state = state * {factor}u + i;"));
        self.line(format!("state ^= state >> {shift};"));
        self.line("if (state & 1)");
        self.line("    odd++;");
        self.line("else if (state % 3 == 0)");
        self.line("    continue;");
        self.line(format!("state -= (signed char)(state >> {});", shift + 1));
        self.indent -= 1;
        self.line("}");
        self.work += self.repeat * u64::try_from(rounds).unwrap_or(0) * 4;
        self.show("state", kind);
        self.show("odd", IntKind::Int);
    }

    /// A sum of many floating terms: every rounding shows in the end.
    pub(crate) fn series(&mut self) {
        let Some(kind) = self.float_kind() else {
            return self.line(";");
        };
        self.mark(Feature::LongLoop);
        let name = if kind == FloatKind::Float {
            "float"
        } else {
            "double"
        };
        let rounds = self.rng.between(20, 400);
        let term = *self.rng.pick(&[
            "1 / (1 + {}i)",
            "({}i * {}i - 3) / 7",
            "sum / 3 - i",
            "(i % 2 ? -1 : 1) / ({}i * 2 + 1)",
            "sum * (1 - sum / 1000)",
        ]);
        let term = term.replace("{}", &format!("({name})"));
        self.line(format!("{name} sum = {}.5;", self.model.word_bits()));
        self.line(format!("for (int i = 0; i < {rounds}; i++)"));
        self.line(format!("    sum += {term};"));
        self.work += self.repeat * u64::try_from(rounds).unwrap_or(0) * 3;
        self.print_float("sum", kind);
    }

    /// Conversions and operations whose exact results lie between, or beyond, floating values.
    pub(crate) fn rounding(&mut self) {
        let Some(kind) = self.float_kind() else {
            return self.line(";");
        };
        self.mark(Feature::Rounding);
        self.mark(Feature::IntFloatConversion);
        let name = if kind == FloatKind::Float {
            "float"
        } else {
            "double"
        };
        match self.rng.below(4) {
            0 => {
                // Integers around the precision of either format.
                let bits = self.rng.between(22, 63);
                let offset = self.rng.between(-3, 3);
                let value = (1_i128 << bits) + offset;
                let (suffix, kind_of) = if value > i128::from(i64::MAX) {
                    ("ULL", "unsigned long long")
                } else {
                    ("LL", "long long")
                };
                self.line(format!("{kind_of} whole = {value}{suffix};"));
                self.line(format!("{name} near = whole;"));
                self.print_float("near", kind);
                self.print_float("-(float)whole", FloatKind::Float);
                self.print_float("(float)(double)whole", FloatKind::Float);
            }
            1 => {
                let limit = self.plain_value(&IntTy::full(IntKind::ULLong, self.model));
                self.line(format!("unsigned long long whole = {limit};"));
                self.print_float(&format!("({name})whole"), kind);
                self.print_float(&format!("({name})(long long)whole"), kind);
                self.print_float(&format!("({name})(unsigned)whole"), kind);
                self.print_float(&format!("({name})(int)whole"), kind);
            }
            2 => {
                // Down through the subnormal numbers to zero, or up to infinity.
                let (factor, rounds) = if self.rng.percent(50) {
                    ("0.37", 1200)
                } else {
                    ("2.9", 800)
                };
                let rounds = self.rng.between(20, rounds);
                self.line(format!("{name} x = 3;"));
                self.line(format!("for (int i = 0; i < {rounds}; i++)"));
                self.line(format!("    x *= ({name}){factor};"));
                self.work += self.repeat * u64::try_from(rounds).unwrap_or(0) * 2;
                self.print_float("x", kind);
                self.print_float("x - x", kind);
                self.show("x == 0 || x > 1e30", IntKind::Int);
                self.show("!(x - x == 0)", IntKind::Int);
            }
            _ => {
                let value = self.plain_value(&IntTy::ranged(
                    IntKind::Int,
                    Interval::new(-100_000, 100_000),
                ));
                let divisor = self.rng.between(3, 999);
                self.line(format!("{name} x = {value};"));
                self.line(format!("x /= {divisor};"));
                self.print_float("x", kind);
                self.show("(int)x", IntKind::Int);
                self.show("(signed char)(x / 2000)", IntKind::SChar);
                self.show("(long long)(x * 1e6)", IntKind::LLong);
                self.print_float("(float)x + 0.1", FloatKind::Double);
            }
        }
    }

    /// The 80-bit format: more precision than `double`, shown by rounding back to it.
    pub(crate) fn long_double(&mut self) {
        self.mark(Feature::LongDouble);
        let value = self.plain_value(&IntTy::full(IntKind::ULLong, self.model));
        let divisor = self.rng.between(3, 99);
        self.line(format!("unsigned long long whole = {value};"));
        self.line("long double wide = whole;");
        self.show(
            "wide == whole && (unsigned long long)wide == whole",
            IntKind::Int,
        );
        self.line(format!("wide = wide / {divisor} + 0.1L;"));
        self.print_float("wide", FloatKind::Double);
        self.print_float("wide * wide - (double)wide * wide", FloatKind::Double);
        self.print_float("(float)wide", FloatKind::Float);
        self.show("(long long)(wide / 4)", IntKind::LLong);
        self.show("wide < (double)wide", IntKind::Int);
        self.show("sizeof wide", self.model.size_kind());
        self.line("struct { char c; long double x; char d; } padded = {1, -wide, 2};");
        self.show("sizeof padded", self.model.size_kind());
        self.print_float("padded.x", FloatKind::Double);
    }
}
