//! Expressions and conditions.

use super::types::TYPES;
use super::{Generator, Variable};

#[derive(Clone, Copy)]
enum Kind {
    Plus,
    Minus,
    Constant,
    Variable,
    Sum,
    Difference,
    Multiple,
    Remainder,
    Quotient,
    Mask,
    ShiftRight,
    ShiftLeft,
    Cast,
    Negated,
    Complement,
    Choice,
    Truth,
    Product,
    Call,
}

impl Generator {
    fn name(&mut self) -> String {
        match self.vars.is_empty() {
            true => "1".to_owned(),
            false => self.rng.pick(&self.vars).name.clone(),
        }
    }

    /// A variable that may be assigned to.
    pub(super) fn free(&mut self) -> Option<Variable> {
        let free: Vec<&Variable> = self.vars.iter().filter(|v| v.is_free).collect();
        match free.is_empty() {
            true => None,
            false => Some((*self.rng.pick(&free)).clone()),
        }
    }

    pub(super) fn constant(&mut self) -> i128 {
        match self.rng.index(8) {
            0..=3 => self.rng.between(0, 4),
            4 | 5 => self.rng.between(-4, 12),
            6 => self.rng.between(10, 40),
            _ => *self.rng.pick(&[-1, 100, 127, 128, 255, 256, 1000]),
        }
    }

    /// A value of some type.
    pub(super) fn value(&mut self, depth: usize) -> String {
        use Kind::*;
        let kinds = [
            (14, Plus),
            (6, Minus),
            (8, Constant),
            (6, Variable),
            (6, Sum),
            (5, Difference),
            (4, Multiple),
            (5, Remainder),
            (2, Quotient),
            (2, Mask),
            (1, ShiftRight),
            (1, ShiftLeft),
            (3, Cast),
            (2, Negated),
            (1, Complement),
            (2, Choice),
            (2, Truth),
            (1, Product),
            (4, Call),
        ];
        let (a, b) = (self.name(), self.name());
        let small = self.rng.between(1, 5);
        match self.choose(&kinds, Plus) {
            Plus => format!("{a} + {small}"),
            Minus => format!("{a} - {small}"),
            Constant => self.constant().to_string(),
            Variable => a,
            Sum => format!("{a} + {b}"),
            Difference => format!("{a} - {b}"),
            Multiple => format!("{small} * {a}"),
            Remainder => format!("{a} % {}", small + 1),
            Quotient => format!("{a} / {}", self.rng.pick(&[2, 3, -2, 10])),
            Mask => format!("({a} & {})", self.rng.pick(&[1, 3, 7, 15, 6])),
            ShiftRight => format!("({a} >> {})", self.rng.between(1, 3)),
            ShiftLeft => format!("({a} << {})", self.rng.between(1, 3)),
            Cast => format!("({}){a}", self.rng.pick(&TYPES).name),
            Negated => format!("-{a}"),
            Complement => format!("~{a}"),
            Choice if depth > 0 => {
                let condition = self.condition(0);
                format!("({condition} ? {a} : {b})")
            }
            Truth => format!("({a} < {b})"),
            Product => format!("{a} * {b}"),
            Call if depth > 1 && !self.helpers.is_empty() => self.call(),
            Choice | Call => format!("{a} + 1"),
        }
    }

    /// A call of one of the functions.
    pub(super) fn call(&mut self) -> String {
        let helper = self.rng.pick(&self.helpers).clone();
        let args: Vec<String> = (0..helper.params).map(|_| self.value(0)).collect();
        format!("{}({})", helper.name, args.join(", "))
    }

    /// Something that can be true or false.
    pub(super) fn condition(&mut self, depth: usize) -> String {
        let (a, b, c) = (self.name(), self.name(), self.constant());
        let operator = *self.rng.pick(&["<", "<=", ">", ">=", "==", "!="]);
        match self.rng.index(11) {
            0..=3 => format!("{a} {operator} {c}"),
            4 => format!("{a} {operator} {b}"),
            5 => {
                let modulus = self.rng.between(2, 5);
                let rest = self.rng.between(0, modulus - 1);
                format!("{a} % {modulus} == {rest}")
            }
            6 => format!("{a} + {b} {operator} {c}"),
            7 => format!("{a} - {b} {operator} {c}"),
            8 if depth > 0 => {
                let (left, right) = (self.condition(0), self.condition(0));
                let both = *self.rng.pick(&["&&", "||"]);
                format!("({left} {both} {right})")
            }
            9 => {
                let suffix = *self.rng.pick(&["int", "uchar", "bool"]);
                format!("__VERIFIER_nondet_{suffix}()")
            }
            10 if depth > 0 => format!("!({})", self.condition(0)),
            _ => format!("{a} != {c}"),
        }
    }
}
