//! The values of terms in all iterations of a cycle at once.
//!
//! Where the values of the symbols are lines ([`super::line`]), so is the value of a linear term, and the truth of a
//! comparison stays what it is up to an iteration that a division gives. A conjunction that is false stays so as long
//! as one of its members does, a conditional follows the branch of the first iteration as long as its condition stays.
//! So one walk over the graph of a formula tells what it is in the first iteration, and up to which one that is right:
//! exactly, or nothing.

use rhumb_logic::eval::evaluate;
use rhumb_logic::num::ext_gcd;
use rhumb_logic::{Assignment, Int, Linear, Node, Sort, Symbol, Term, Terms, Value};
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
    fn number(line: Line, until: i128) -> Course {
        Course {
            shape: Shape::Number(line),
            until,
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

/// A term by its index in the order of evaluation.
type TermIndex = usize;

/// What a term is made of.
enum Item {
    /// Always the same.
    Constant(Course),
    /// A symbol, by its place among those whose lines are given.
    Symbol(usize),
    Not(TermIndex),
    /// A conjunction or disjunction, with the truth value of a member that decides it.
    Junction(Box<[TermIndex]>, bool),
    Iff(TermIndex, TermIndex),
    Ite(TermIndex, TermIndex, TermIndex),
    Sum(Combination),
    Product(TermIndex, TermIndex),
    Div(TermIndex, i128),
    Mod(TermIndex, i128),
    AtMostZero(Combination),
    Zero(Combination),
    Divides(i128, Combination),
    /// A term of another theory, with its operands.
    Other(Term, Box<[(Term, TermIndex)]>),
    /// What has no value here.
    Unknown,
}

/// A linear combination of numbers.
struct Combination {
    constant: i128,
    parts: Box<[(i128, TermIndex)]>,
}

/// Terms to evaluate, prepared once.
pub(super) struct Formulas {
    roots: Vec<TermIndex>,
    /// All their terms, operands first.
    items: Vec<Item>,
}

impl Formulas {
    /// Prepares terms over some symbols.
    pub(super) fn new(
        terms: &Terms,
        symbols: &[Symbol],
        roots: impl IntoIterator<Item = Term>,
    ) -> Formulas {
        let roots: Vec<Term> = roots.into_iter().map(|root| terms.expand(root)).collect();
        let order = terms.postorder(roots.iter().copied());
        let places: FxHashMap<Term, TermIndex> = order.iter().copied().zip(0..).collect();
        let symbols: FxHashMap<Symbol, usize> = symbols.iter().copied().zip(0..).collect();
        let item = |&term: &Term| item(terms, &symbols, &places, term).unwrap_or(Item::Unknown);
        Formulas {
            roots: roots.iter().map(|root| places[root]).collect(),
            items: order.iter().map(item).collect(),
        }
    }

    /// The courses of the terms where the symbols go on as given, in the order of the terms; nothing for one that is not known.
    pub(super) fn courses<'a>(
        &'a self,
        terms: &Terms,
        symbols: &[Line],
        spans: &Spans,
    ) -> impl Iterator<Item = Option<Course>> + 'a {
        let mut walk = Walk {
            terms,
            symbols,
            spans,
            done: Vec::with_capacity(self.items.len()),
        };
        for item in &self.items {
            let course = walk.course(item);
            walk.done.push(course);
        }
        let done = walk.done;
        self.roots.iter().map(move |&root| done[root].clone())
    }
}

/// Prepares a term; nothing if a number doesn't fit, or if it can't be evaluated at all.
fn item(
    terms: &Terms,
    symbols: &FxHashMap<Symbol, usize>,
    places: &FxHashMap<Term, TermIndex>,
    term: Term,
) -> Option<Item> {
    let number = |value: &Int| i128::try_from(value).ok();
    let divisor = |value: &Int| number(value).filter(|&divisor| divisor > 0);
    let place = |term: &Term| places[term];
    let combination = |sum: &Linear| {
        let parts = sum.parts.iter();
        Some(Combination {
            constant: number(&sum.constant)?,
            parts: parts
                .map(|(term, coefficient)| Some((number(coefficient)?, place(term))))
                .collect::<Option<_>>()?,
        })
    };
    let members = |args: &[Term]| args.iter().map(place).collect();
    Some(match terms.node(term) {
        Node::Bool(value) => Item::Constant(Course::truth(*value, FOREVER)),
        Node::Int(value) => Item::Constant(Course::number(Line::constant(number(value)?), FOREVER)),
        Node::Symbol(symbol) => Item::Symbol(*symbols.get(symbol)?),
        Node::Not(a) => Item::Not(place(a)),
        Node::And(args) => Item::Junction(members(args), false),
        Node::Or(args) => Item::Junction(members(args), true),
        Node::Iff(a, b) => Item::Iff(place(a), place(b)),
        Node::Ite(condition, a, b) => Item::Ite(place(condition), place(a), place(b)),
        Node::Sum(sum) => Item::Sum(combination(sum)?),
        Node::Product(a, b) => Item::Product(place(a), place(b)),
        Node::Div(a, by) => Item::Div(place(a), divisor(by)?),
        Node::Mod(a, by) => Item::Mod(place(a), divisor(by)?),
        Node::AtMostZero(sum) => Item::AtMostZero(combination(sum)?),
        Node::Zero(sum) => Item::Zero(combination(sum)?),
        Node::Divides(by, sum) => Item::Divides(divisor(by)?, combination(sum)?),
        Node::Real(_) | Node::Bits(..) | Node::Equal(..) | Node::Op(..) => {
            let mut operands = Vec::new();
            terms.for_each_child(term, |child| operands.push((child, place(&child))));
            Item::Other(term, operands.into())
        }
        Node::Apply(..) | Node::Call(..) => Item::Unknown,
    })
}

struct Walk<'a> {
    terms: &'a Terms,
    symbols: &'a [Line],
    spans: &'a Spans,
    done: Vec<Option<Course>>,
}

impl Walk<'_> {
    fn get(&self, place: TermIndex) -> Option<&Course> {
        self.done.get(place)?.as_ref()
    }

    fn course(&self, item: &Item) -> Option<Course> {
        match item {
            Item::Constant(course) => Some(course.clone()),
            Item::Symbol(place) => {
                let line = self.symbols.get(*place)?;
                Some(Course::number(line.clone(), FOREVER))
            }
            Item::Not(a) => {
                let a = self.get(*a)?;
                Some(Course::truth(!a.as_truth()?, a.until))
            }
            Item::Junction(args, decides) => self.junction(args, *decides),
            Item::Iff(a, b) => {
                let (a, b) = (self.get(*a)?, self.get(*b)?);
                let same = a.as_truth()? == b.as_truth()?;
                Some(Course::truth(same, a.until.min(b.until)))
            }
            Item::Ite(condition, a, b) => {
                let condition = self.get(*condition)?;
                let taken = if condition.as_truth()? { a } else { b };
                Some(self.get(*taken)?.clone().within(condition.until))
            }
            Item::Sum(sum) => {
                let (line, until) = self.sum(sum)?;
                Some(Course::number(line, until))
            }
            Item::Product(a, b) => {
                let (a, b) = (self.get(*a)?, self.get(*b)?);
                let (one, two) = (a.as_number()?, b.as_number()?);
                let product = if one.is_constant() {
                    Line::default().plus(one.base, two)
                } else if two.is_constant() {
                    Line::default().plus(two.base, one)
                } else {
                    None
                };
                Some(Course::number(product?, a.until.min(b.until)))
            }
            Item::Div(a, divisor) => self.division(*a, *divisor, false),
            Item::Mod(a, divisor) => self.division(*a, *divisor, true),
            Item::AtMostZero(sum) => {
                let (line, until) = self.sum(sum)?;
                Some(self.at_most_zero(&line)?.within(until))
            }
            Item::Zero(sum) => {
                let (line, until) = self.sum(sum)?;
                Some(self.zero(&line)?.within(until))
            }
            Item::Divides(divisor, sum) => {
                let (line, until) = self.sum(sum)?;
                Some(divides(*divisor, &line)?.within(until))
            }
            Item::Other(term, operands) => self.other(*term, operands),
            Item::Unknown => None,
        }
    }

    /// A junction is decided as long as one of the members is that decide it; else, as long as all of them are what they are.
    fn junction(&self, args: &[TermIndex], decides: bool) -> Option<Course> {
        let mut decided: Option<i128> = None;
        let mut until = Some(FOREVER);
        for &arg in args {
            let known = self.get(arg).and_then(|course| {
                let value = course.as_truth()?;
                Some((value, course.until))
            });
            match known {
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

    fn sum(&self, sum: &Combination) -> Option<(Line, i128)> {
        let mut total = Line::constant(sum.constant);
        let mut until = FOREVER;
        for &(coefficient, place) in &sum.parts {
            let part = self.get(place)?;
            total.add(coefficient, part.as_number()?)?;
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

    /// A quotient or remainder: on a line for ever where the divisor divides all steps, else as long as the quotient is
    /// that of the first iteration.
    fn division(&self, a: TermIndex, divisor: i128, remainder: bool) -> Option<Course> {
        let a = self.get(a)?;
        let line = a.as_number()?;
        if line.has_steps_divisible_by(divisor) {
            let result = if remainder {
                Line::constant(line.base.rem_euclid(divisor))
            } else {
                line.divided(divisor)
            };
            return Some(Course::number(result, a.until));
        }
        let (least, greatest) = self.spans.extremes(line)?;
        let quotient = line.base.div_euclid(divisor);
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
        Some(Course::number(result, until))
    }

    /// The value of a term of another theory, if its operands don't change.
    fn other(&self, term: Term, operands: &[(Term, TermIndex)]) -> Option<Course> {
        let terms = self.terms;
        let mut until = FOREVER;
        let mut values: FxHashMap<Term, Term> = FxHashMap::default();
        for &(operand, place) in operands {
            let course = self.get(place)?;
            until = until.min(course.until);
            let constant = match &course.shape {
                Shape::Number(line) if line.is_constant() => terms.int(line.base),
                Shape::Truth(value) => terms.bool(*value),
                Shape::Fixed(Value::Real(value)) => terms.real(value.clone()),
                Shape::Fixed(Value::Bits(bits)) => match terms.sort(operand) {
                    Sort::BitVec(width) => terms.bits(width, bits.clone()),
                    _ => return None,
                },
                Shape::Number(_) | Shape::Fixed(_) => return None,
            };
            values.insert(operand, constant);
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
    let rest = line.base.rem_euclid(divisor);
    if line.has_steps_divisible_by(divisor) {
        return Some(Course::truth(rest == 0, FOREVER));
    }
    if !line.is_simple() {
        return None;
    }
    if rest == 0 {
        return Some(Course::truth(true, 0));
    }
    // The first iteration in which it is divisible: rest + n * step = 0 modulo the divisor.
    let step = line.step(0).rem_euclid(divisor);
    let (common, inverse, _) = ext_gcd(&Int::from(step), &Int::from(divisor));
    let common = i128::try_from(&common).ok()?;
    let inverse = i128::try_from(&inverse).ok()?;
    if rest % common != 0 {
        return Some(Course::truth(false, FOREVER));
    }
    let period = divisor / common;
    let first = (-(rest / common)).rem_euclid(period);
    let first = first.checked_mul(inverse.rem_euclid(period))?;
    Some(Course::truth(false, first.rem_euclid(period) - 1))
}
