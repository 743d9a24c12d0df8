//! Words as integers between the bounds of their type. What leaves them is wrapped: by a case distinction where it can
//! be off by few periods, by a remainder otherwise. Bits are digits of a sum.

use dashu_int::IBig;
use rhumb_program::{ArithOp, BinOp, IntType, UnOp};
use rustc_hash::FxHashMap;

use super::script::{Script, list};
use super::{Question, Unsuited};
use crate::pool::{Id, Node, Pool, Sort, number};

/// Wraps by more periods than this become a remainder.
const PERIODS: u32 = 2;

/// Masks with more runs of ones than this are done digit by digit.
const RUNS: usize = 3;

/// A value: its text, and for a word the numbers that it can be.
#[derive(Clone)]
struct Value {
    text: String,
    low: IBig,
    high: IBig,
}

impl Value {
    fn bare(text: String) -> Value {
        Value {
            text,
            low: IBig::ZERO,
            high: IBig::ZERO,
        }
    }

    fn constant(value: IBig) -> Value {
        Value {
            text: numeral(&value),
            low: value.clone(),
            high: value,
        }
    }

    fn as_constant(&self) -> Option<&IBig> {
        (self.low == self.high).then_some(&self.low)
    }
}

fn numeral(value: &IBig) -> String {
    match *value < IBig::ZERO {
        true => format!("(- {})", -value),
        false => value.to_string(),
    }
}

fn power(bits: usize) -> IBig {
    IBig::ONE << bits
}

fn bounds(ty: IntType) -> (IBig, IBig) {
    (number(ty, ty.min_bits()), number(ty, ty.max_bits()))
}

pub(super) fn question(pool: &Pool, formulas: &[Id]) -> Result<Question, Unsuited> {
    let mut writer = Writer {
        pool,
        script: Script::default(),
        values: FxHashMap::default(),
        is_linear: true,
        digits: FxHashMap::default(),
    };
    for id in pool.postorder(formulas) {
        let value = writer.node(id)?;
        writer.values.insert(id, value);
    }
    for &formula in formulas {
        let text = writer.value(formula).text;
        writer.script.assert(&text);
    }
    let logic = match writer.is_linear {
        true => "QF_LIA",
        false => "QF_NIA",
    };
    Ok(writer.script.finish(logic))
}

struct Writer<'p> {
    pool: &'p Pool,
    script: Script,
    values: FxHashMap<Id, Value>,
    is_linear: bool,
    /// The binary digits of words that somebody has asked for, the lowest first.
    digits: FxHashMap<Id, Vec<String>>,
}

impl Writer<'_> {
    fn value(&self, id: Id) -> Value {
        let known = self.values.get(&id).cloned();
        known.unwrap_or_else(|| Value::bare("false".to_owned()))
    }

    fn truth(&mut self, term: &str) -> Value {
        Value::bare(self.script.define("Bool", term))
    }

    /// A named number between two bounds.
    fn number(&mut self, term: &str, low: IBig, high: IBig) -> Value {
        match low == high {
            true => Value::constant(low),
            false => Value {
                text: self.script.define("Int", term),
                low,
                high,
            },
        }
    }

    /// Some number between two bounds.
    fn unknown(&mut self, low: IBig, high: IBig) -> Value {
        let text = self.script.declare("Int");
        let within = within(&text, &low, &high);
        self.script.assert(&within);
        Value { text, low, high }
    }

    fn node(&mut self, id: Id) -> Result<Value, Unsuited> {
        let pool = self.pool;
        Ok(match *pool.node(id) {
            Node::Symbol(_, sort) => {
                let value = match sort {
                    Sort::Bool => Value::bare(self.script.declare("Bool")),
                    Sort::Int => Value::bare(self.script.declare("Int")),
                    Sort::Word(ty) => {
                        let (low, high) = bounds(ty);
                        self.unknown(low, high)
                    }
                };
                self.script.known_as(id, &value.text);
                value
            }
            Node::Bool(value) => Value::bare(value.to_string()),
            Node::Not(a) => {
                let term = list("not", [self.value(a).text]);
                self.truth(&term)
            }
            Node::And(ref parts) => {
                let term = list("and", parts.iter().map(|&part| self.value(part).text));
                self.truth(&term)
            }
            Node::Or(ref parts) => {
                let term = list("or", parts.iter().map(|&part| self.value(part).text));
                self.truth(&term)
            }
            Node::Same(a, b) => {
                let term = list("=", [self.value(a).text, self.value(b).text]);
                self.truth(&term)
            }
            Node::Ite(condition, then, other) => {
                let (a, b) = (self.value(then), self.value(other));
                let term = list("ite", [&self.value(condition).text, &a.text, &b.text]);
                match pool.sort(id) {
                    Sort::Bool => self.truth(&term),
                    Sort::Int => Value::bare(self.script.define("Int", &term)),
                    Sort::Word(_) => {
                        let (low, high) = (a.low.min(b.low), a.high.max(b.high));
                        Value {
                            text: self.script.define("Int", &term),
                            low,
                            high,
                        }
                    }
                }
            }
            Node::Const(ty, bits) => Value::constant(number(ty, bits)),
            Node::Unary(op, a) => {
                let ty = pool.word_type(a);
                let a = self.value(a);
                match op {
                    UnOp::Neg => {
                        let term = list("-", [&a.text]);
                        let exact = self.number(&term, -&a.high, -&a.low);
                        self.wrapped(exact, ty)
                    }
                    UnOp::BitNot | UnOp::Not => {
                        let top = match ty.signed {
                            true => IBig::NEG_ONE,
                            false => number(ty, ty.max_bits()),
                        };
                        let term = list("-", [&numeral(&top), &a.text]);
                        self.number(&term, &top - &a.high, &top - &a.low)
                    }
                }
            }
            Node::Binary(op, a, b) => self.binary(op, a, b)?,
            Node::Less { or_equal, lhs, rhs } => {
                let operator = match or_equal {
                    true => "<=",
                    false => "<",
                };
                let term = list(operator, [self.value(lhs).text, self.value(rhs).text]);
                self.truth(&term)
            }
            Node::Cast(a, to) => {
                let a = self.value(a);
                self.wrapped(a, to)
            }
            Node::Overflows(op, a, b) => {
                let term = self.overflows(op, a, b);
                self.truth(&term)
            }
            Node::Int(ref value) => Value::constant(value.clone()),
            Node::Value(a) => self.value(a),
            Node::Sum(ref parts) => {
                let term = list("+", parts.iter().map(|&part| self.value(part).text));
                Value::bare(self.script.define("Int", &term))
            }
            Node::Product(a, b) => {
                if pool.as_int(a).is_none() {
                    self.is_linear = false;
                }
                let term = list("*", [self.value(a).text, self.value(b).text]);
                Value::bare(self.script.define("Int", &term))
            }
            Node::Div(a, b) => self.divided("div", a, b),
            Node::Mod(a, b) => self.divided("mod", a, b),
            Node::AtMost(a, b) => {
                let term = list("<=", [self.value(a).text, self.value(b).text]);
                self.truth(&term)
            }
            Node::Reduced(a, ty) => {
                let modulus = numeral(&power(usize::from(ty.width)));
                let term = list("mod", [self.value(a).text, modulus]);
                let (low, high) = bounds(ty);
                self.number(&term, low, high)
            }
        })
    }

    /// Quotient or remainder of integers without bounds.
    fn divided(&mut self, operator: &str, a: Id, b: Id) -> Value {
        if self.pool.as_int(b).is_none_or(|by| *by == IBig::ZERO) {
            self.is_linear = false;
        }
        let term = list(operator, [self.value(a).text, self.value(b).text]);
        Value::bare(self.script.define("Int", &term))
    }

    /// A number reduced to a type.
    fn wrapped(&mut self, value: Value, ty: IntType) -> Value {
        let (low, high) = bounds(ty);
        if low <= value.low && value.high <= high {
            return value;
        }
        let period = power(usize::from(ty.width));
        if let Some(constant) = value.as_constant() {
            let mut rest = (constant - &low) % &period;
            if rest < IBig::ZERO {
                rest += &period;
            }
            return Value::constant(rest + low);
        }
        let up = periods(&value.high, &high, &period);
        let down = periods(&-&value.low, &-&low, &period);
        let text = &value.text;
        let term = match (up, down) {
            (Some(up), Some(down)) => {
                let mut term = text.clone();
                for step in 1..=up {
                    let offset = &period * IBig::from(step);
                    let limit = numeral(&(&high + &offset - &period));
                    let moved = list("-", [text, &numeral(&offset)]);
                    term = list("ite", [list(">", [text, &limit]), moved, term]);
                }
                for step in 1..=down {
                    let offset = &period * IBig::from(step);
                    let limit = numeral(&(&low - &offset + &period));
                    let moved = list("+", [text, &numeral(&offset)]);
                    term = list("ite", [list("<", [text, &limit]), moved, term]);
                }
                term
            }
            _ => {
                let shifted = list("-", [text, &numeral(&low)]);
                let rest = list("mod", [shifted, numeral(&period)]);
                let reduced = list("+", [rest, numeral(&low)]);
                // What needs no wrap is said without one.
                let fits = within(text, &low, &high);
                list("ite", [&fits, text, &reduced])
            }
        };
        self.number(&term, low, high)
    }

    fn binary(&mut self, op: BinOp, a: Id, b: Id) -> Result<Value, Unsuited> {
        let ty = self.pool.word_type(a);
        let (x, y) = (self.value(a), self.value(b));
        Ok(match op {
            BinOp::Add | BinOp::Sub | BinOp::Mul => {
                let exact = self.exact(op, &x, &y);
                self.wrapped(exact, ty)
            }
            BinOp::Div => {
                let (quotient, _) = self.division(&x, &y);
                self.wrapped(quotient, ty)
            }
            BinOp::Rem => self.division(&x, &y).1,
            BinOp::And | BinOp::Or | BinOp::Xor => self.bitwise(op, ty, (a, &x), (b, &y)),
            BinOp::Shl | BinOp::Shr => self.shift(op, ty, &x, &y),
            BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le => {
                return Err(Unsuited("a comparison is no word"));
            }
        })
    }

    /// Sum, difference or product, not wrapped.
    fn exact(&mut self, op: BinOp, x: &Value, y: &Value) -> Value {
        let (operator, low, high) = match op {
            BinOp::Add => ("+", &x.low + &y.low, &x.high + &y.high),
            BinOp::Sub => ("-", &x.low - &y.high, &x.high - &y.low),
            _ => {
                if x.as_constant().is_none() && y.as_constant().is_none() {
                    self.is_linear = false;
                }
                let corners = [
                    &x.low * &y.low,
                    &x.low * &y.high,
                    &x.high * &y.low,
                    &x.high * &y.high,
                ];
                let low = corners.iter().min().cloned().unwrap_or_default();
                let high = corners.iter().max().cloned().unwrap_or_default();
                ("*", low, high)
            }
        };
        let term = list(operator, [&x.text, &y.text]);
        self.number(&term, low, high)
    }

    /// Quotient towards zero, and remainder. By zero both may be anything: no run goes past that.
    fn division(&mut self, x: &Value, y: &Value) -> (Value, Value) {
        let size = (-&x.low).max(x.high.clone()).max(IBig::ZERO);
        let low = match x.low < IBig::ZERO {
            true => -&size,
            false => IBig::ZERO,
        };
        if let Some(by) = y.as_constant()
            && *by != IBig::ZERO
        {
            let divisor = numeral(&by.max(&-by).clone());
            let of = |text: &str| list("div", [text, &divisor]);
            let minus = |text: String| list("-", [text]);
            let quotient = match x.low < IBig::ZERO {
                false => of(&x.text),
                true => {
                    let positive = list(">=", [&*x.text, "0"]);
                    let mirrored = minus(of(&minus(x.text.clone())));
                    list("ite", [positive, of(&x.text), mirrored])
                }
            };
            let quotient = match *by < IBig::ZERO {
                true => minus(quotient),
                false => quotient,
            };
            let quotient = self.number(&quotient, -&size, size.clone());
            let back = list("*", [&numeral(by), &quotient.text]);
            let remainder = list("-", [&x.text, &back]);
            let remainder = self.number(&remainder, low, size);
            return (quotient, remainder);
        }
        self.is_linear = false;
        let quotient = self.unknown(-&size, size.clone());
        let remainder = self.unknown(low, size);
        let product = list("*", [&y.text, &quotient.text]);
        let sum = list("+", [product, remainder.text.clone()]);
        let exact = list("=", [&x.text, &sum]);
        let absolute = |text: &str| {
            let positive = list(">=", [text, "0"]);
            list("ite", [&*positive, text, &list("-", [text])])
        };
        let smaller = list("<", [absolute(&remainder.text), absolute(&y.text)]);
        let sign = |operator: &str| {
            let both = [
                list(operator, [&*x.text, "0"]),
                list(operator, [&*remainder.text, "0"]),
            ];
            list("and", both)
        };
        let signs = list("or", [sign(">="), sign("<=")]);
        let by_zero = list("=", [&*y.text, "0"]);
        let meaning = list("and", [exact, smaller, signs]);
        self.script.assert(&list("or", [by_zero, meaning]));
        (quotient, remainder)
    }

    fn bitwise(&mut self, op: BinOp, ty: IntType, a: (Id, &Value), b: (Id, &Value)) -> Value {
        for ((_, x), (_, mask)) in [(a, b), (b, a)] {
            if let Some(mask) = mask.as_constant()
                && let Some(common) = masked(x, mask)
            {
                // The sum counts the common bits twice.
                let term = match op {
                    BinOp::And => common,
                    BinOp::Or => list("-", [list("+", [&x.text, &numeral(mask)]), common]),
                    _ => {
                        let twice = list("*", ["2", &*common]);
                        list("-", [list("+", [&x.text, &numeral(mask)]), twice])
                    }
                };
                let (low, high) = bounds(ty);
                return self.number(&term, low, high);
            }
        }
        let (x, y) = (self.digits(a.0, ty), self.digits(b.0, ty));
        let pairs = x.into_iter().zip(y);
        let operator = match op {
            BinOp::And => "and",
            BinOp::Or => "or",
            _ => "xor",
        };
        let digits: Vec<String> = pairs.map(|(x, y)| list(operator, [x, y])).collect();
        let (low, high) = bounds(ty);
        self.number(&sum_of_digits(&digits, ty), low, high)
    }

    /// The binary digits of a word, the lowest first.
    fn digits(&mut self, id: Id, ty: IntType) -> Vec<String> {
        if let Some(known) = self.digits.get(&id) {
            return known.clone();
        }
        let value = self.value(id);
        let digits: Vec<String> = match value.as_constant() {
            Some(constant) => {
                let digit = |place: usize| {
                    let bit = (constant >> place) & IBig::ONE;
                    (bit == IBig::ONE).to_string()
                };
                (0..usize::from(ty.width)).map(digit).collect()
            }
            None => {
                let digits = (0..ty.width).map(|_| self.script.declare("Bool"));
                let digits: Vec<String> = digits.collect();
                let sum = sum_of_digits(&digits, ty);
                self.script.assert(&list("=", [&value.text, &sum]));
                digits
            }
        };
        self.digits.insert(id, digits.clone());
        digits
    }

    /// A shift. An amount out of range shifts everything out.
    fn shift(&mut self, op: BinOp, ty: IntType, x: &Value, y: &Value) -> Value {
        let width = usize::from(ty.width);
        let mut cases: Vec<(usize, Value)> = Vec::new();
        for amount in 0..width {
            let place = IBig::from(amount);
            if place < y.low || place > y.high {
                continue;
            }
            let factor = power(amount);
            let value = match op {
                BinOp::Shl => {
                    let exact = self.exact(BinOp::Mul, x, &Value::constant(factor));
                    self.wrapped(exact, ty)
                }
                _ => {
                    let (low, high) = (&x.low >> amount, &x.high >> amount);
                    let term = list("div", [&x.text, &numeral(&factor)]);
                    self.number(&term, low, high)
                }
            };
            cases.push((amount, value));
        }
        let mut rest = match (op, x.low < IBig::ZERO) {
            (BinOp::Shr, true) => {
                let negative = list("<", [&*x.text, "0"]);
                let term = list("ite", [&*negative, "(- 1)", "0"]);
                self.number(&term, IBig::NEG_ONE, IBig::ZERO)
            }
            _ => Value::constant(IBig::ZERO),
        };
        let is_total = y.low >= IBig::ZERO && y.high < IBig::from(width);
        if is_total && let Some((_, last)) = cases.pop() {
            rest = last;
        }
        for (amount, value) in cases.into_iter().rev() {
            let is_it = list("=", [&y.text, &amount.to_string()]);
            let term = list("ite", [&is_it, &value.text, &rest.text]);
            let (low, high) = (value.low.min(rest.low), value.high.max(rest.high));
            rest = self.number(&term, low, high);
        }
        rest
    }

    /// That the exact result is not a value of the type of the first operand.
    fn overflows(&mut self, op: ArithOp, a: Id, b: Id) -> String {
        let ty = self.pool.word_type(a);
        let (low, high) = bounds(ty);
        let (x, y) = (self.value(a), self.value(b));
        let op = match op {
            ArithOp::Add => BinOp::Add,
            ArithOp::Sub => BinOp::Sub,
            ArithOp::Mul => BinOp::Mul,
            ArithOp::Div => {
                if !ty.signed {
                    return "false".to_owned();
                }
                let least = list("=", [&x.text, &numeral(&low)]);
                let minus = list("=", [&*y.text, "(- 1)"]);
                return list("and", [least, minus]);
            }
            ArithOp::Shl => {
                // Out of range every number but zero overflows.
                let mut term = list("not", [list("=", [&*x.text, "0"])]);
                for amount in (0..usize::from(ty.width)).rev() {
                    let limit = numeral(&(&high >> amount));
                    let is_it = list("=", [&y.text, &amount.to_string()]);
                    let above = list(">", [&x.text, &limit]);
                    term = self
                        .script
                        .define("Bool", &list("ite", [is_it, above, term]));
                }
                return list("or", [list("<", [&*x.text, "0"]), term]);
            }
        };
        let exact = self.exact(op, &x, &y);
        let below = list("<", [&exact.text, &numeral(&low)]);
        let above = list(">", [&exact.text, &numeral(&high)]);
        list("or", [below, above])
    }
}

fn within(text: &str, low: &IBig, high: &IBig) -> String {
    let above = list("<=", [&*numeral(low), text]);
    let below = list("<=", [text, &*numeral(high)]);
    list("and", [above, below])
}

/// How many periods a number can lie above a limit; none if they are too many.
fn periods(value: &IBig, limit: &IBig, period: &IBig) -> Option<u32> {
    (0..=PERIODS).find(|&count| *value <= limit + period * IBig::from(count))
}

/// The number with these digits; in a signed type the last one counts below zero.
fn sum_of_digits(digits: &[String], ty: IntType) -> String {
    let last = digits.len() - 1;
    let parts = digits.iter().enumerate().map(|(place, digit)| {
        let weight = match ty.signed && place == last {
            true => -power(place),
            false => power(place),
        };
        list("ite", [&**digit, &numeral(&weight), "0"])
    });
    list("+", parts.chain(["0".to_owned()]))
}

/// The bits that a word has in common with a mask; none if the mask has too many runs of ones.
fn masked(value: &Value, mask: &IBig) -> Option<String> {
    // In two's complement without end a negative mask has ones without end.
    let mut rest = mask.clone();
    let mut place = 0;
    let mut pieces = vec!["0".to_owned()];
    while rest != IBig::ZERO {
        while (&rest & IBig::ONE) == IBig::ZERO {
            rest >>= 1usize;
            place += 1;
        }
        let shifted = list("div", [&value.text, &numeral(&power(place))]);
        if rest == IBig::NEG_ONE {
            pieces.push(list("*", [numeral(&power(place)), shifted]));
            break;
        }
        let mut length = 0;
        while (&rest & IBig::ONE) == IBig::ONE {
            rest >>= 1usize;
            length += 1;
        }
        let piece = list("mod", [shifted, numeral(&power(length))]);
        pieces.push(list("*", [numeral(&power(place)), piece]));
        place += length;
        if pieces.len() > RUNS + 1 {
            return None;
        }
    }
    Some(list("+", pieces))
}
