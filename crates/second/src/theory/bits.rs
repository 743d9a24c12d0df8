//! Words as bit-vectors of their own width. The integers of formulas are bit-vectors, too, in two's complement and wide
//! enough for every value that they can have.

use dashu_int::IBig;
use rhumb_program::{ArithOp, BinOp, IntType, UnOp};
use rustc_hash::FxHashMap;

use super::script::{Script, list};
use super::{Question, Unsuited};
use crate::pool::{Id, Node, Pool, Sort, number};

/// Integers that need more bits than this are left to the other theory.
const MAX_WIDTH: usize = 512;

/// A value: its text, and the values that it can have if it is an integer.
#[derive(Clone)]
struct Value {
    text: String,
    range: Option<Range>,
}

#[derive(Clone)]
struct Range {
    low: IBig,
    high: IBig,
}

impl Range {
    /// Number of bits that all of its numbers need.
    fn width(&self) -> usize {
        let bits = |value: &IBig| {
            let size = match *value < IBig::ZERO {
                true => -value - IBig::ONE,
                false => value.clone(),
            };
            // `size` in binary, and a sign.
            let mut bits = 1;
            let mut rest = size;
            while rest > IBig::ZERO {
                rest >>= 1usize;
                bits += 1;
            }
            bits
        };
        bits(&self.low).max(bits(&self.high))
    }

    fn hull(&self, other: &Range) -> Range {
        Range {
            low: (&self.low).min(&other.low).clone(),
            high: (&self.high).max(&other.high).clone(),
        }
    }
}

pub(super) fn question(pool: &Pool, formulas: &[Id]) -> Result<Question, Unsuited> {
    let mut writer = Writer {
        pool,
        script: Script::default(),
        values: FxHashMap::default(),
    };
    for id in pool.postorder(formulas) {
        let value = writer.node(id)?;
        writer.values.insert(id, value);
    }
    for &formula in formulas {
        let text = writer.text(formula).to_owned();
        writer.script.assert(&text);
    }
    Ok(writer.script.finish("QF_BV"))
}

struct Writer<'p> {
    pool: &'p Pool,
    script: Script,
    values: FxHashMap<Id, Value>,
}

/// The name of a sort of bit-vectors.
fn sort_of(width: usize) -> String {
    format!("(_ BitVec {width})")
}

/// A constant of so many bits: the number modulo a power of two.
fn constant(value: &IBig, width: usize) -> String {
    let modulus = IBig::ONE << width;
    let mut reduced = value % &modulus;
    if reduced < IBig::ZERO {
        reduced += modulus;
    }
    format!("(_ bv{reduced} {width})")
}

fn extended(text: &str, by: usize, signed: bool) -> String {
    match (by, signed) {
        (0, _) => text.to_owned(),
        (_, true) => format!("((_ sign_extend {by}) {text})"),
        (_, false) => format!("((_ zero_extend {by}) {text})"),
    }
}

/// The low bits.
fn cut(text: &str, from: usize, to: usize) -> String {
    match from == to {
        true => text.to_owned(),
        false => format!("((_ extract {} 0) {text})", to - 1),
    }
}

impl Writer<'_> {
    fn text(&self, id: Id) -> &str {
        self.values.get(&id).map_or("", |value| &value.text)
    }

    fn truth(&mut self, term: &str) -> Value {
        Value {
            text: self.script.define("Bool", term),
            range: None,
        }
    }

    fn word(&mut self, ty: IntType, term: &str) -> Value {
        let sort = sort_of(usize::from(ty.width));
        Value {
            text: self.script.define(&sort, term),
            range: None,
        }
    }

    fn int(&mut self, range: Range, term: &str) -> Result<Value, Unsuited> {
        let width = range.width();
        if width > MAX_WIDTH {
            return Err(Unsuited("an integer is too large for bits"));
        }
        Ok(Value {
            text: self.script.define(&sort_of(width), term),
            range: Some(range),
        })
    }

    fn range(&self, id: Id) -> Range {
        let known = self.values.get(&id).and_then(|value| value.range.clone());
        known.unwrap_or(Range {
            low: IBig::ZERO,
            high: IBig::ZERO,
        })
    }

    /// An integer, with so many bits.
    fn widened(&self, id: Id, width: usize) -> String {
        let own = self.range(id).width();
        extended(self.text(id), width - own, true)
    }

    fn node(&mut self, id: Id) -> Result<Value, Unsuited> {
        let pool = self.pool;
        Ok(match *pool.node(id) {
            Node::Symbol(_, sort) => {
                let text = match sort {
                    Sort::Bool => self.script.declare("Bool"),
                    Sort::Word(ty) => self.script.declare(&sort_of(usize::from(ty.width))),
                    Sort::Int => return Err(Unsuited("an integer has no bounds")),
                };
                self.script.known_as(id, &text);
                Value { text, range: None }
            }
            Node::Bool(value) => Value {
                text: value.to_string(),
                range: None,
            },
            Node::Not(a) => {
                let term = list("not", [self.text(a)]);
                self.truth(&term)
            }
            Node::And(ref parts) => {
                let term = list("and", parts.iter().map(|&part| self.text(part)));
                self.truth(&term)
            }
            Node::Or(ref parts) => {
                let term = list("or", parts.iter().map(|&part| self.text(part)));
                self.truth(&term)
            }
            Node::Same(a, b) => {
                let [a, b] = self.level(a, b);
                let term = list("=", [a, b]);
                self.truth(&term)
            }
            Node::Ite(condition, then, other) => {
                let [a, b] = self.level(then, other);
                let term = list("ite", [self.text(condition), &a, &b]);
                match pool.sort(id) {
                    Sort::Bool => self.truth(&term),
                    Sort::Word(ty) => self.word(ty, &term),
                    Sort::Int => {
                        let range = self.range(then).hull(&self.range(other));
                        self.int(range, &term)?
                    }
                }
            }
            Node::Const(ty, bits) => Value {
                text: constant(&IBig::from(bits), usize::from(ty.width)),
                range: None,
            },
            Node::Unary(op, a) => {
                let operator = match op {
                    UnOp::Neg => "bvneg",
                    UnOp::BitNot | UnOp::Not => "bvnot",
                };
                let term = list(operator, [self.text(a)]);
                self.word(pool.word_type(a), &term)
            }
            Node::Binary(op, a, b) => {
                let term = self.binary(op, a, b)?;
                self.word(pool.word_type(a), &term)
            }
            Node::Less { or_equal, lhs, rhs } => {
                let operator = match (pool.word_type(lhs).signed, or_equal) {
                    (true, true) => "bvsle",
                    (true, false) => "bvslt",
                    (false, true) => "bvule",
                    (false, false) => "bvult",
                };
                let term = list(operator, [self.text(lhs), self.text(rhs)]);
                self.truth(&term)
            }
            Node::Cast(a, to) => {
                let from = pool.word_type(a);
                let (old, new) = (usize::from(from.width), usize::from(to.width));
                let term = match new > old {
                    true => extended(self.text(a), new - old, from.signed),
                    false => cut(self.text(a), old, new),
                };
                self.word(to, &term)
            }
            Node::Overflows(op, a, b) => {
                let term = self.overflows(op, a, b)?;
                self.truth(&term)
            }
            Node::Int(ref value) => {
                let range = Range {
                    low: value.clone(),
                    high: value.clone(),
                };
                let width = range.width();
                if width > MAX_WIDTH {
                    return Err(Unsuited("an integer is too large for bits"));
                }
                Value {
                    text: constant(value, width),
                    range: Some(range),
                }
            }
            Node::Value(a) => {
                let ty = pool.word_type(a);
                let range = Range {
                    low: number(ty, ty.min_bits()),
                    high: number(ty, ty.max_bits()),
                };
                let by = range.width() - usize::from(ty.width);
                let term = extended(self.text(a), by, ty.signed);
                self.int(range, &term)?
            }
            Node::Sum(ref parts) => {
                let mut range = Range {
                    low: IBig::ZERO,
                    high: IBig::ZERO,
                };
                for &part in parts {
                    let own = self.range(part);
                    range.low += own.low;
                    range.high += own.high;
                }
                // A part may need more bits than the sum.
                let widths = parts.iter().map(|&part| self.range(part).width());
                let width = widths.fold(range.width(), usize::max);
                let parts = parts.iter().map(|&part| self.widened(part, width));
                let sum = list("bvadd", parts);
                let term = cut(&sum, width, range.width());
                self.int(range, &term)?
            }
            Node::Product(a, b) => {
                let (x, y) = (self.range(a), self.range(b));
                let corners = [
                    &x.low * &y.low,
                    &x.low * &y.high,
                    &x.high * &y.low,
                    &x.high * &y.high,
                ];
                let [first, ref rest @ ..] = corners;
                let mut range = Range {
                    low: first.clone(),
                    high: first,
                };
                for corner in rest {
                    range.low = range.low.min(corner.clone());
                    range.high = range.high.max(corner.clone());
                }
                let width = range.width().max(x.width()).max(y.width());
                let product = list("bvmul", [self.widened(a, width), self.widened(b, width)]);
                let term = cut(&product, width, range.width());
                self.int(range, &term)?
            }
            Node::Div(a, b) => self.divided(a, b, true)?,
            Node::Mod(a, b) => self.divided(a, b, false)?,
            Node::AtMost(a, b) => {
                let [a, b] = self.level(a, b);
                let term = list("bvsle", [a, b]);
                self.truth(&term)
            }
            Node::Reduced(a, ty) => {
                let (old, new) = (self.range(a).width(), usize::from(ty.width));
                let term = match new > old {
                    true => extended(self.text(a), new - old, true),
                    false => cut(self.text(a), old, new),
                };
                self.word(ty, &term)
            }
        })
    }

    /// Two values of one sort with as many bits.
    fn level(&self, a: Id, b: Id) -> [String; 2] {
        match self.pool.sort(a) {
            Sort::Int => {
                let width = self.range(a).width().max(self.range(b).width());
                [self.widened(a, width), self.widened(b, width)]
            }
            Sort::Bool | Sort::Word(_) => [self.text(a).to_owned(), self.text(b).to_owned()],
        }
    }

    /// Quotient or remainder by a constant; the remainder is not negative.
    fn divided(&mut self, a: Id, b: Id, quotient: bool) -> Result<Value, Unsuited> {
        let by = match self.pool.as_int(b) {
            Some(by) if *by != IBig::ZERO => by.clone(),
            _ => {
                return Err(Unsuited(
                    "a formula divides by something else than a constant",
                ));
            }
        };
        let size = (&by).max(&-&by).clone();
        let own = self.range(a);
        let places = own.width().max(2) - 1;
        if by > IBig::ZERO
            && let Some(place) = (0..places).find(|&place| IBig::ONE << place == by)
        {
            return self.split(a, place, quotient);
        }
        let single = Range {
            low: size.clone(),
            high: size.clone(),
        };
        // Room for the number, for the divisor, and for their difference.
        let width = own.width().max(single.width()) + 1;
        let (a, divisor) = (self.widened(a, width), constant(&size, width));
        // The sign of this remainder is that of the divisor.
        let remainder = list("bvsmod", [&*a, &*divisor]);
        let remainder = self.script.define(&sort_of(width), &remainder);
        if !quotient {
            let range = Range {
                low: IBig::ZERO,
                high: size - IBig::ONE,
            };
            let term = cut(&remainder, width, range.width());
            return self.int(range, &term);
        }
        let multiple = list("bvsub", [&*a, &*remainder]);
        let mut term = list("bvsdiv", [&*multiple, &*divisor]);
        if by < IBig::ZERO {
            term = list("bvneg", [term]);
        }
        let largest = (-&own.low).max(own.high.clone()).max(IBig::ZERO) + IBig::ONE;
        let range = Range {
            low: -&largest,
            high: largest,
        };
        let term = match range.width() > width {
            true => extended(&term, range.width() - width, true),
            false => cut(&term, width, range.width()),
        };
        self.int(range, &term)
    }

    /// Quotient or remainder by a power of two: the high or the low bits.
    fn split(&mut self, a: Id, place: usize, quotient: bool) -> Result<Value, Unsuited> {
        let own = self.range(a);
        let width = own.width();
        if quotient {
            let range = Range {
                low: own.low >> place,
                high: own.high >> place,
            };
            let high = format!("((_ extract {} {place}) {})", width - 1, self.text(a));
            let term = cut(&high, width - place, range.width());
            return self.int(range, &term);
        }
        let range = Range {
            low: IBig::ZERO,
            high: (IBig::ONE << place) - IBig::ONE,
        };
        let term = match place {
            0 => constant(&IBig::ZERO, 1),
            _ => extended(&cut(self.text(a), width, place), 1, false),
        };
        self.int(range, &term)
    }

    fn binary(&self, op: BinOp, a: Id, b: Id) -> Result<String, Unsuited> {
        let ty = self.pool.word_type(a);
        let operator = match (op, ty.signed) {
            (BinOp::Add, _) => "bvadd",
            (BinOp::Sub, _) => "bvsub",
            (BinOp::Mul, _) => "bvmul",
            (BinOp::Div, true) => "bvsdiv",
            (BinOp::Div, false) => "bvudiv",
            (BinOp::Rem, true) => "bvsrem",
            (BinOp::Rem, false) => "bvurem",
            (BinOp::And, _) => "bvand",
            (BinOp::Or, _) => "bvor",
            (BinOp::Xor, _) => "bvxor",
            (BinOp::Shl, _) => "bvshl",
            (BinOp::Shr, true) => "bvashr",
            (BinOp::Shr, false) => "bvlshr",
            (BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le, _) => {
                return Err(Unsuited("a comparison is no word"));
            }
        };
        let second = match op {
            BinOp::Shl | BinOp::Shr => self.amount(ty, b),
            _ => self.text(b).to_owned(),
        };
        Ok(list(operator, [self.text(a), &second]))
    }

    /// The amount of a shift as a word of the type that is shifted. One that doesn't fit is out of range, and no run goes past that.
    fn amount(&self, ty: IntType, b: Id) -> String {
        let own = self.pool.word_type(b);
        let (old, new) = (usize::from(own.width), usize::from(ty.width));
        match new > old {
            true => extended(self.text(b), new - old, own.signed),
            false => cut(self.text(b), old, new),
        }
    }

    /// That the exact result, computed with enough bits, is not a value of the type.
    fn overflows(&mut self, op: ArithOp, a: Id, b: Id) -> Result<String, Unsuited> {
        let ty = self.pool.word_type(a);
        let width = usize::from(ty.width);
        let wide =
            |writer: &Self, id: Id, wide: usize| extended(writer.text(id), wide - width, ty.signed);
        let (operator, more) = match op {
            ArithOp::Add => ("bvadd", 1),
            ArithOp::Sub => ("bvsub", 1),
            ArithOp::Mul => ("bvmul", self.room(a, b, width)),
            ArithOp::Div => {
                if !ty.signed {
                    return Ok("false".to_owned());
                }
                let least = constant(&IBig::from(ty.min_bits()), width);
                let minus = constant(&IBig::NEG_ONE, width);
                let first = list("=", [self.text(a), &least]);
                let second = list("=", [self.text(b), &minus]);
                return Ok(list("and", [first, second]));
            }
            ArithOp::Shl => return Ok(self.shift_overflows(ty, a, b)),
        };
        // One bit more than the sizes ask for: the difference of unsigned numbers has a sign.
        let total = width + more + 1;
        let (x, y) = (wide(self, a, total), wide(self, b, total));
        let exact = self.script.define(&sort_of(total), &list(operator, [x, y]));
        let low = constant(&number(ty, ty.min_bits()), total);
        let high = constant(&number(ty, ty.max_bits()), total);
        let below = list("bvslt", [&*exact, &*low]);
        let above = list("bvslt", [&*high, &*exact]);
        Ok(list("or", [below, above]))
    }

    /// Number of bits that a product may need beyond its first operand.
    fn room(&self, a: Id, b: Id, width: usize) -> usize {
        let size = |id: Id| match *self.pool.node(id) {
            Node::Const(ty, bits) => {
                let value = number(ty, bits);
                let range = Range {
                    low: value.clone(),
                    high: value,
                };
                range.width()
            }
            _ => width,
        };
        size(a).min(size(b))
    }

    /// That `a` is negative, or `a << b` has more bits than the type.
    fn shift_overflows(&self, ty: IntType, a: Id, b: Id) -> String {
        let width = usize::from(ty.width);
        let zero = constant(&IBig::ZERO, width);
        let text = self.text(a);
        let negative = match ty.signed {
            true => list("bvslt", [text, &zero]),
            false => "false".to_owned(),
        };
        let own = self.pool.word_type(b);
        let amount = self.text(b);
        let limit = constant(&IBig::from(ty.width), usize::from(own.width));
        // An amount of few bits is never out of range; a negative one, taken as unsigned, always is.
        let in_range = match IBig::ONE << usize::from(own.width) > IBig::from(ty.width) {
            true => list("bvult", [amount, &limit]),
            false => "true".to_owned(),
        };
        let greatest = constant(&IBig::from(ty.max_bits()), width);
        let fits = list("bvlshr", [&greatest, &self.amount(ty, b)]);
        let too_large = list("bvult", [&*fits, text]);
        let not_zero = list("not", [list("=", [text, &zero])]);
        let overflows = list("ite", [in_range, too_large, not_zero]);
        list("or", [negative, overflows])
    }
}
