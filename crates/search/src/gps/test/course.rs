//! The values of terms in all iterations of a cycle at once.
//!
//! Where the values of the symbols are lines ([`super::line`]), so is the value of a linear term, and the truth of a comparison stays what it is up to an
//! iteration that a division gives. A conjunction that is false stays so as long as one of its members does, a conditional follows the branch of the first
//! iteration as long as its condition stays. So one walk over the graph of a formula tells what it is in the first iteration, and up to which one that
//! is right: exactly, or nothing.

use rhumb_logic::eval::evaluate;
use rhumb_logic::num::ext_gcd;
use rhumb_logic::{Assignment, Int, Linear, Node, Symbol, Term, Terms, Value};
use rustc_hash::FxHashMap;

use super::line::{FOREVER, Growing, Line, Spans};
use super::state::small;

/// The value of a term, and the last iteration up to which it is right.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Course {
    pub(super) shape: Shape,
    pub(super) until: i128,
}

/// How a value goes on.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Shape {
    /// A number on a line.
    Number(Line),
    /// The same truth value in all iterations.
    Truth(bool),
    /// The same value of another sort.
    Fixed(Value),
}

impl Course {
    fn number(line: Line) -> Course {
        Course {
            shape: Shape::Number(line),
            until: FOREVER,
        }
    }

    fn truth(value: bool, until: i128) -> Course {
        Course {
            shape: Shape::Truth(value),
            until,
        }
    }

    /// The same, right only as long as something else is, too.
    fn within(mut self, until: i128) -> Course {
        self.until = self.until.min(until);
        self
    }

    /// The truth value.
    pub(super) fn as_truth(&self) -> Option<bool> {
        match self.shape {
            Shape::Truth(value) => Some(value),
            _ => None,
        }
    }

    /// The number.
    pub(super) fn as_number(&self) -> Option<&Line> {
        match &self.shape {
            Shape::Number(line) => Some(line),
            _ => None,
        }
    }
}

/// Terms to evaluate, prepared once.
pub(super) struct Formulas {
    roots: Vec<Term>,
    /// All their terms, children first.
    order: Vec<Term>,
}

impl Formulas {
    /// Prepares terms.
    pub(super) fn new(terms: &Terms, roots: impl IntoIterator<Item = Term>) -> Formulas {
        let roots: Vec<Term> = roots.into_iter().map(|root| terms.expand(root)).collect();
        Formulas {
            order: terms.postorder(roots.iter().copied()),
            roots,
        }
    }

    /// The courses of the terms where symbols go on as given, in the order of the terms; nothing for one that is not known.
    pub(super) fn courses(
        &self,
        terms: &Terms,
        symbols: &FxHashMap<Symbol, Line>,
        spans: &Spans,
    ) -> Vec<Option<Course>> {
        let mut walk = Walk {
            terms,
            symbols,
            spans,
            done: FxHashMap::default(),
        };
        for &term in &self.order {
            if let Some(course) = walk.course(term) {
                walk.done.insert(term, course);
            }
        }
        let roots = self.roots.iter();
        roots.map(|root| walk.done.get(root).cloned()).collect()
    }
}

struct Walk<'a> {
    terms: &'a Terms,
    symbols: &'a FxHashMap<Symbol, Line>,
    spans: &'a Spans,
    done: FxHashMap<Term, Course>,
}

impl Walk<'_> {
    fn course(&self, term: Term) -> Option<Course> {
        match self.terms.node(term) {
            Node::Bool(value) => Some(Course::truth(*value, FOREVER)),
            Node::Int(value) => Some(Course::number(Line::constant(i128::try_from(value).ok()?))),
            Node::Symbol(symbol) => self.symbols.get(symbol).cloned().map(Course::number),
            Node::Not(a) => {
                let a = self.done.get(a)?;
                Some(Course::truth(!a.as_truth()?, a.until))
            }
            Node::And(args) => self.junction(args, false),
            Node::Or(args) => self.junction(args, true),
            Node::Iff(a, b) => {
                let (a, b) = (self.done.get(a)?, self.done.get(b)?);
                let same = a.as_truth()? == b.as_truth()?;
                Some(Course::truth(same, a.until.min(b.until)))
            }
            Node::Ite(condition, a, b) => {
                let condition = self.done.get(condition)?;
                let taken = if condition.as_truth()? { a } else { b };
                Some(self.done.get(taken)?.clone().within(condition.until))
            }
            Node::Sum(sum) => {
                let (line, until) = self.sum(sum)?;
                Some(Course::number(line).within(until))
            }
            Node::Product(a, b) => {
                let (a, b) = (self.done.get(a)?, self.done.get(b)?);
                let (one, two) = (a.as_number()?, b.as_number()?);
                let product = if one.is_constant() {
                    Line::default().plus(one.base, two)
                } else if two.is_constant() {
                    Line::default().plus(two.base, one)
                } else {
                    None
                };
                Some(Course::number(product?).within(a.until.min(b.until)))
            }
            Node::Div(a, divisor) => self.division(*a, divisor, false),
            Node::Mod(a, divisor) => self.division(*a, divisor, true),
            Node::AtMostZero(sum) => {
                let (line, until) = self.sum(sum)?;
                Some(self.at_most_zero(&line)?.within(until))
            }
            Node::Zero(sum) => {
                let (line, until) = self.sum(sum)?;
                Some(self.zero(&line)?.within(until))
            }
            Node::Divides(divisor, sum) => {
                let (line, until) = self.sum(sum)?;
                let divisor = i128::try_from(divisor).ok()?;
                Some(divides(divisor, &line)?.within(until))
            }
            Node::Real(_) | Node::Bits(..) | Node::Equal(..) | Node::Op(..) => self.fixed(term),
            Node::Apply(..) | Node::Call(..) => None,
        }
    }

    /// A junction is decided as long as one of the members is that decide it; else, as long as all of them are what they are.
    fn junction(&self, args: &[Term], decides: bool) -> Option<Course> {
        let mut decided: Option<i128> = None;
        let mut until = Some(FOREVER);
        for arg in args {
            let course = self.done.get(arg);
            match course.and_then(|course| Some((course.as_truth()?, course.until))) {
                Some((value, stays)) if value == decides => {
                    decided = Some(decided.map_or(stays, |known| known.max(stays)));
                }
                Some((_, stays)) => until = until.map(|until: i128| until.min(stays)),
                None => until = None,
            }
        }
        match decided {
            Some(stays) => Some(Course::truth(decides, stays)),
            None => Some(Course::truth(!decides, until?)),
        }
    }

    fn sum(&self, sum: &Linear) -> Option<(Line, i128)> {
        let mut total = Line::constant(i128::try_from(&sum.constant).ok()?);
        let mut until = FOREVER;
        for (term, coefficient) in &sum.parts {
            let part = self.done.get(term)?;
            total.add(i128::try_from(coefficient).ok()?, part.as_number()?)?;
            until = until.min(part.until);
        }
        Some((total, until))
    }

    fn at_most_zero(&self, line: &Line) -> Option<Course> {
        let (least, greatest) = self.spans.extremes(line)?;
        if greatest.base <= 0 {
            Some(Course::truth(true, greatest.stays_at_most(0)?))
        } else if least.base > 0 {
            Some(Course::truth(false, least.stays_at_least(1)?))
        } else {
            None
        }
    }

    fn zero(&self, line: &Line) -> Option<Course> {
        let (least, greatest) = self.spans.extremes(line)?;
        if least == greatest {
            return Some(crosses(least));
        }
        if greatest.base < 0 {
            Some(Course::truth(false, greatest.stays_at_most(-1)?))
        } else if least.base > 0 {
            Some(Course::truth(false, least.stays_at_least(1)?))
        } else {
            None
        }
    }

    /// A quotient or remainder: on a line for ever where the divisor divides all steps, else as long as the quotient is that of the first iteration.
    fn division(&self, a: Term, divisor: &Int, remainder: bool) -> Option<Course> {
        let divisor = i128::try_from(divisor)
            .ok()
            .filter(|&divisor| divisor > 0)?;
        let a = self.done.get(&a)?;
        let line = a.as_number()?;
        let quotient = line.base.div_euclid(divisor);
        if line.has_steps_divisible_by(divisor) {
            let result = if remainder {
                Line::constant(line.base.rem_euclid(divisor))
            } else {
                line.map(quotient, |step| step / divisor)
            };
            return Some(Course::number(result).within(a.until));
        }
        let (least, greatest) = self.spans.extremes(line)?;
        let low = quotient.checked_mul(divisor)?;
        let high = low.checked_add(divisor - 1)?;
        if least.base < low || greatest.base > high {
            return None;
        }
        let until = least.stays_at_least(low)?;
        let until = until.min(greatest.stays_at_most(high)?).min(a.until);
        let result = if remainder {
            line.plus(-1, &Line::constant(low))?
        } else {
            Line::constant(quotient)
        };
        Some(Course::number(result).within(until))
    }

    /// The value of a term of another theory, if it doesn't change.
    fn fixed(&self, term: Term) -> Option<Course> {
        let terms = self.terms;
        let mut until = FOREVER;
        let mut values = FxHashMap::default();
        let mut all = true;
        terms.for_each_child(term, |child| {
            let constant = self.done.get(&child).and_then(|course| {
                until = until.min(course.until);
                match &course.shape {
                    Shape::Number(line) => line.is_constant().then(|| terms.int(line.base)),
                    Shape::Truth(value) => Some(terms.bool(*value)),
                    Shape::Fixed(Value::Bits(bits)) => match terms.sort(child) {
                        rhumb_logic::Sort::BitVec(width) => Some(terms.bits(width, bits.clone())),
                        _ => None,
                    },
                    Shape::Fixed(Value::Real(value)) => Some(terms.real(value.clone())),
                    Shape::Fixed(_) => None,
                }
            });
            match constant {
                Some(constant) => {
                    values.insert(child, constant);
                }
                None => all = false,
            }
        });
        if !all {
            return None;
        }
        let constant = terms.rebuild(term, |child| values.get(&child).copied().unwrap_or(child));
        let shape = match evaluate(terms, constant, &Assignment::default())? {
            Value::Bool(value) => Shape::Truth(value),
            value @ Value::Int(_) => Shape::Number(Line::constant(small(&value)?)),
            other => Shape::Fixed(other),
        };
        Some(Course { shape, until })
    }
}

/// Whether a number is zero.
fn crosses(number: Growing) -> Course {
    let Growing { base, step } = number;
    if step == 0 {
        return Course::truth(base == 0, FOREVER);
    }
    if base == 0 {
        return Course::truth(true, 0);
    }
    let until = match (base.checked_rem(step), base.checked_div(step)) {
        (Some(0), Some(quotient)) if quotient < 0 => {
            // It is zero after that many iterations.
            quotient.checked_neg().map_or(FOREVER, |zero| zero - 1)
        }
        _ => FOREVER,
    };
    Course::truth(false, until)
}

/// Whether a number divides another one.
fn divides(divisor: i128, line: &Line) -> Option<Course> {
    if divisor <= 0 {
        return None;
    }
    let rest = line.base.rem_euclid(divisor);
    if line.has_steps_divisible_by(divisor) {
        return Some(Course::truth(rest == 0, FOREVER));
    }
    let only_first = Line::new(line.base, vec![line.step(0)]) == *line;
    if !only_first {
        return None;
    }
    if rest == 0 {
        return Some(Course::truth(true, 0));
    }
    // The first iteration in which it is divisible: rest + n * step = 0 modulo the divisor.
    let step = line.step(0).rem_euclid(divisor);
    let (common, inverse, _) = ext_gcd(&Int::from(step), &Int::from(divisor));
    let (common, inverse) = (
        i128::try_from(&common).ok()?,
        i128::try_from(&inverse).ok()?,
    );
    if rest % common != 0 {
        return Some(Course::truth(false, FOREVER));
    }
    let period = divisor / common;
    let first = (-(rest / common)).rem_euclid(period);
    let first = first
        .checked_mul(inverse.rem_euclid(period))?
        .rem_euclid(period);
    Some(Course::truth(false, first - 1))
}
