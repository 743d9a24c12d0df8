//! Formulas over a program's variables as C expressions.
//!
//! A formula of a proof is about mathematical integers; a C expression has types. Every comparison is written in the
//! narrowest of `int`, `long long` and `__int128` in which, by the ranges of the variables' types, no intermediate
//! result can overflow; variables are cast to it. C's quotient and remainder round towards zero, those of formulas
//! down: where the dividend may be negative, the difference is written out. So an expression has no undefined behaviour
//! in any state of the program and says exactly what the formula says. What can't be written so is left to the caller,
//! with the reason.

use rhumb_logic::{Int, Linear, Node, Symbol, Term, Terms};
use rhumb_program::{IntType, Type};

/// An expression is given up when it takes more than that many nodes.
const MAX_NODES: usize = 4_000;

/// And when the text of an integer gets longer than that: a quotient has its dividend twice.
const MAX_LENGTH: usize = 1 << 14;

/// Formulas may be that deep.
const MAX_DEPTH: usize = 200;

/// Why a formula is not written as C.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unprintable {
    /// A variable can't be named at this place.
    #[error("`{0}` is not in scope")]
    OutOfScope(String),
    /// A variable is no integer.
    #[error("`{0}` is no integer")]
    NoInteger(String),
    /// No type of C is wide enough for a result.
    #[error("a result may be too large for every type")]
    TooWide,
    /// The expression gets too large.
    #[error("the expression gets too large")]
    TooLarge,
    /// It has an operation that C expressions don't have, or a quantifier.
    #[error("it has an operation or a quantifier that C doesn't have")]
    NoOperator,
}

/// A variable as C sees it.
pub(super) struct CVariable {
    pub(super) name: String,
    pub(super) ty: Type,
}

/// Writes formulas.
pub(super) struct Printer<'a> {
    pub(super) terms: &'a Terms,
    /// The variable that a symbol stands for, if it can be named.
    pub(super) variable: &'a dyn Fn(Symbol) -> Result<CVariable, Unprintable>,
}

/// The types in which comparisons are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Width {
    Int,
    LongLong,
    Int128,
}

impl Width {
    const ALL: [Width; 3] = [Width::Int, Width::LongLong, Width::Int128];

    fn bits(self) -> usize {
        match self {
            Width::Int => 32,
            Width::LongLong => 64,
            Width::Int128 => 128,
        }
    }

    fn cast(self) -> &'static str {
        match self {
            Width::Int => "",
            Width::LongLong => "(long long)",
            Width::Int128 => "(__int128)",
        }
    }

    fn holds(self, (low, high): &(Int, Int)) -> bool {
        let limit = Int::ONE << (self.bits() - 1);
        *low >= -limit.clone() && *high < limit
    }
}

/// An integer expression and the range of its values.
struct Number {
    text: String,
    range: (Int, Int),
}

/// One expression under way.
struct Writing<'a, 'p> {
    printer: &'p Printer<'a>,
    left: usize,
    depth: usize,
}

impl Printer<'_> {
    /// The formula as a C expression of value 0 or 1.
    pub(super) fn formula(&self, formula: Term) -> Result<String, Unprintable> {
        let mut writing = Writing {
            printer: self,
            left: MAX_NODES,
            depth: 0,
        };
        writing.formula(self.terms.expand(formula))
    }
}

impl Writing<'_, '_> {
    fn terms(&self) -> &Terms {
        self.printer.terms
    }

    fn enter(&mut self) -> Result<(), Unprintable> {
        self.left = self.left.checked_sub(1).ok_or(Unprintable::TooLarge)?;
        self.depth += 1;
        match self.depth > MAX_DEPTH {
            true => Err(Unprintable::TooLarge),
            false => Ok(()),
        }
    }

    fn formula(&mut self, formula: Term) -> Result<String, Unprintable> {
        self.enter()?;
        let printer = self.printer;
        let text = match printer.terms.node(formula) {
            Node::Bool(value) => u8::from(*value).to_string(),
            Node::Not(inner) => format!("!({})", self.formula(*inner)?),
            Node::And(parts) => self.joined(parts, " && ")?,
            Node::Or(parts) => self.joined(parts, " || ")?,
            Node::Iff(a, b) => format!("({}) == ({})", self.formula(*a)?, self.formula(*b)?),
            Node::AtMostZero(sum) => {
                // x + 1 <= y is x < y, which needs no wider type.
                let (sum, operator) = match sum.constant == Int::ONE {
                    true => (without_constant(sum), "<"),
                    false => (sum.clone(), "<="),
                };
                self.in_some_width(|writing, width| writing.comparison(&sum, operator, width))?
            }
            Node::Zero(sum) => {
                self.in_some_width(|writing, width| writing.comparison(sum, "==", width))?
            }
            Node::Divides(divisor, sum) => self.in_some_width(|writing, width| {
                let sum = writing.sum(sum, width)?;
                let divisor = constant(divisor, width)?;
                Ok(format!("({}) % {divisor} == 0", sum.text))
            })?,
            _ => return Err(Unprintable::NoOperator),
        };
        self.depth -= 1;
        Ok(text)
    }

    fn joined(&mut self, parts: &[Term], operator: &str) -> Result<String, Unprintable> {
        let mut texts = Vec::with_capacity(parts.len());
        for &part in parts {
            let text = self.formula(part)?;
            let is_simple = !matches!(
                self.terms().node(part),
                Node::Iff(..) | Node::Or(_) | Node::And(_)
            );
            texts.push(match is_simple {
                true => text,
                false => format!("({text})"),
            });
        }
        Ok(texts.join(operator))
    }

    /// The first width that is wide enough.
    fn in_some_width(
        &mut self,
        mut write: impl FnMut(&mut Self, Width) -> Result<String, Unprintable>,
    ) -> Result<String, Unprintable> {
        let depth = self.depth;
        for width in Width::ALL {
            self.depth = depth;
            match write(self, width) {
                Err(Unprintable::TooWide) => {}
                done => return done,
            }
        }
        Err(Unprintable::TooWide)
    }

    /// The sum compared with zero; what is subtracted stands on the right.
    fn comparison(
        &mut self,
        sum: &Linear,
        operator: &str,
        width: Width,
    ) -> Result<String, Unprintable> {
        let zero = Int::ZERO;
        let (plus, minus): (Vec<_>, Vec<_>) =
            sum.parts.iter().cloned().partition(|part| part.1 > zero);
        let minus = minus.into_iter().map(|(term, factor)| (term, -factor));
        let (left, right) = match sum.constant > zero {
            true => (sum.constant.clone(), zero),
            false => (zero, -sum.constant.clone()),
        };
        let left = self.sum(&linear(plus, left), width)?;
        let right = self.sum(&linear(minus.collect(), right), width)?;
        Ok(format!("{} {operator} {}", left.text, right.text))
    }

    /// A sum, from left to right; every result on the way fits.
    fn sum(&mut self, sum: &Linear, width: Width) -> Result<Number, Unprintable> {
        let mut all: Option<Number> = None;
        let first_positive = sum.parts.iter().position(|part| part.1 > Int::ZERO);
        let (before, from) = sum.parts.split_at(first_positive.unwrap_or(0));
        for (term, factor) in from.iter().chain(before) {
            let number = self.integer(*term, width)?;
            let magnitude = match *factor < Int::ZERO {
                true => -factor.clone(),
                false => factor.clone(),
            };
            let product = match magnitude == Int::ONE {
                true => number,
                false => {
                    let factor = constant(&magnitude, width)?;
                    let text = format!("{factor} * {}", number.text);
                    let range = (number.range.0 * &magnitude, number.range.1 * &magnitude);
                    fits(text, range, width)?
                }
            };
            all = Some(match (all, *factor < Int::ZERO) {
                (None, false) => product,
                (None, true) => fits(
                    format!("-{}", in_parentheses(&product.text)),
                    (-product.range.1, -product.range.0),
                    width,
                )?,
                (Some(all), false) => fits(
                    format!("{} + {}", all.text, product.text),
                    (all.range.0 + product.range.0, all.range.1 + product.range.1),
                    width,
                )?,
                (Some(all), true) => fits(
                    format!("{} - {}", all.text, product.text),
                    (all.range.0 - product.range.1, all.range.1 - product.range.0),
                    width,
                )?,
            });
        }
        let constant_range = (sum.constant.clone(), sum.constant.clone());
        let Some(all) = all else {
            return fits(constant(&sum.constant, width)?, constant_range, width);
        };
        if sum.constant == Int::ZERO {
            return Ok(all);
        }
        let text = match sum.constant < Int::ZERO {
            true => format!(
                "{} - {}",
                all.text,
                constant(&-sum.constant.clone(), width)?
            ),
            false => format!("{} + {}", all.text, constant(&sum.constant, width)?),
        };
        let range = (all.range.0 + &sum.constant, all.range.1 + &sum.constant);
        fits(text, range, width)
    }

    /// A term that can stand in a sum or a product.
    fn integer(&mut self, term: Term, width: Width) -> Result<Number, Unprintable> {
        self.enter()?;
        let printer = self.printer;
        let number = match printer.terms.node(term) {
            Node::Int(value) => fits(
                constant(value, width)?,
                (value.clone(), value.clone()),
                width,
            )?,
            Node::Symbol(symbol) => leaf((printer.variable)(*symbol)?, width)?,
            Node::Sum(sum) => wrapped(self.sum(sum, width)?),
            Node::Product(a, b) => {
                let (a, b) = (self.integer(*a, width)?, self.integer(*b, width)?);
                let corners = [
                    &a.range.0 * &b.range.0,
                    &a.range.0 * &b.range.1,
                    &a.range.1 * &b.range.0,
                    &a.range.1 * &b.range.1,
                ];
                let low = corners.iter().min().cloned().unwrap_or_default();
                let high = corners.iter().max().cloned().unwrap_or_default();
                wrapped(fits(
                    format!("{} * {}", a.text, b.text),
                    (low, high),
                    width,
                )?)
            }
            Node::Ite(condition, then, other) => {
                let condition = self.formula(*condition)?;
                let (then, other) = (self.integer(*then, width)?, self.integer(*other, width)?);
                let low = then.range.0.min(other.range.0);
                let high = then.range.1.max(other.range.1);
                Number {
                    text: format!("({condition} ? {} : {})", then.text, other.text),
                    range: (low, high),
                }
            }
            Node::Div(inner, divisor) => quotient(self.integer(*inner, width)?, divisor, width)?,
            Node::Mod(inner, divisor) => remainder(self.integer(*inner, width)?, divisor, width)?,
            _ => return Err(Unprintable::NoOperator),
        };
        self.depth -= 1;
        match number.text.len() > MAX_LENGTH {
            true => Err(Unprintable::TooLarge),
            false => Ok(number),
        }
    }
}

/// The quotient, rounded down.
fn quotient(inner: Number, divisor: &Int, width: Width) -> Result<Number, Unprintable> {
    let by = constant(divisor, width)?;
    let (low, high) = inner.range;
    let range = (
        rhumb_logic::num::floor_div(&low, divisor),
        rhumb_logic::num::floor_div(&high, divisor),
    );
    let term = inner.text;
    if low >= Int::ZERO {
        return Ok(Number {
            text: format!("({term} / {by})"),
            range,
        });
    }
    // -ceil(-t / d), with the sum that rounds up in range.
    let rounding = divisor - Int::ONE;
    fits(String::new(), (-high, rounding.clone() - low), width)?;
    let rounding = constant(&rounding, width)?;
    Ok(Number {
        text: format!("({term} >= 0 ? {term} / {by} : -((-{term} + {rounding}) / {by}))"),
        range,
    })
}

/// The remainder, from 0 on.
fn remainder(inner: Number, divisor: &Int, width: Width) -> Result<Number, Unprintable> {
    let by = constant(divisor, width)?;
    let term = inner.text;
    let text = match inner.range.0 >= Int::ZERO {
        true => format!("({term} % {by})"),
        false => {
            fits(
                String::new(),
                (-divisor.clone(), divisor * Int::from(2)),
                width,
            )?;
            format!("(({term} % {by} + {by}) % {by})")
        }
    };
    Ok(Number {
        text,
        range: (Int::ZERO, divisor - Int::ONE),
    })
}

/// Whether an inequality holds whatever values of their types the variables have: it says nothing.
pub(super) fn is_matter_of_types(
    terms: &Terms,
    formula: Term,
    type_of: impl Fn(Symbol) -> Option<Type>,
) -> bool {
    let Node::AtMostZero(sum) = terms.node(formula) else {
        return false;
    };
    let greatest = sum.parts.iter().map(|(term, factor)| {
        let (low, high) = range_of(type_of(terms.as_symbol(*term)?)?)?;
        Some(if *factor > Int::ZERO { high } else { low } * factor)
    });
    let greatest = greatest.sum::<Option<Int>>();
    greatest.is_some_and(|greatest| greatest + &sum.constant <= Int::ZERO)
}

/// The values of a type, if they are integers.
fn range_of(ty: Type) -> Option<(Int, Int)> {
    match ty {
        Type::Bool => Some((Int::ZERO, Int::ONE)),
        Type::Int(int) => Some(int_range(int)),
        Type::Float(_) | Type::Ptr => None,
    }
}

fn leaf(variable: CVariable, width: Width) -> Result<Number, Unprintable> {
    let Some(range) = range_of(variable.ty) else {
        return Err(Unprintable::NoInteger(variable.name));
    };
    // Without a cast it is promoted to `int`, which holds every value or is too narrow anyway.
    fits(format!("{}{}", width.cast(), variable.name), range, width)
}

fn int_range(int: IntType) -> (Int, Int) {
    match int.signed {
        true => (
            Int::from(int.extend(int.min_bits())),
            Int::from(int.extend(int.max_bits())),
        ),
        false => (Int::ZERO, Int::from(int.max_bits())),
    }
}

fn fits(text: String, range: (Int, Int), width: Width) -> Result<Number, Unprintable> {
    match width.holds(&range) {
        true => Ok(Number { text, range }),
        false => Err(Unprintable::TooWide),
    }
}

fn wrapped(number: Number) -> Number {
    Number {
        text: in_parentheses(&number.text),
        range: number.range,
    }
}

fn in_parentheses(text: &str) -> String {
    format!("({text})")
}

fn linear(parts: Vec<(Term, Int)>, constant: Int) -> Linear {
    Linear {
        parts: parts.into(),
        constant,
    }
}

fn without_constant(sum: &Linear) -> Linear {
    linear(sum.parts.to_vec(), Int::ZERO)
}

/// A constant that can stand in a product.
fn constant(value: &Int, width: Width) -> Result<String, Unprintable> {
    if !width.holds(&(value.clone(), value.clone())) {
        return Err(Unprintable::TooWide);
    }
    if let Ok(value) = i32::try_from(value) {
        return Ok(match value {
            i32::MIN => "(-2147483647 - 1)".to_owned(),
            0.. => value.to_string(),
            _ => format!("({value})"),
        });
    }
    if let Ok(value) = i64::try_from(value) {
        return Ok(match value {
            i64::MIN => "(-9223372036854775807LL - 1)".to_owned(),
            0.. => format!("{value}LL"),
            _ => format!("({value}LL)"),
        });
    }
    // There are no constants of type `__int128`.
    let unit = Int::ONE << 62;
    let high = rhumb_logic::num::floor_div(value, &unit);
    let low = value - &high * &unit;
    let high = i64::try_from(&high).map_err(|_| Unprintable::TooWide)?;
    Ok(format!("((__int128){high}LL * {unit}LL + {low}LL)"))
}

#[cfg(test)]
mod tests;
