//! From terms to text.

use std::borrow::Cow;
use std::fmt::Write;

use rhumb_logic::session::{self, fraction, numeral};
use rhumb_logic::{Int, Linear, Node, Op, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

/// A term that has no text: with floating-point numbers, arrays or uninterpreted functions.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
#[error("a formula has a part that can't be written")]
pub struct Unwritable;

/// The name of a sort.
pub fn sort_text(terms: &Terms, sort: Sort) -> Result<String, Unwritable> {
    match sort {
        Sort::Float(..) | Sort::Array(_) => Err(Unwritable),
        sort => Ok(session::sort_text(terms, sort)),
    }
}

/// The text of a term, in which `name` gives the name of each symbol. Named relations are replaced by their definitions.
pub fn write(
    terms: &Terms,
    term: Term,
    name: impl Fn(Symbol) -> String,
) -> Result<String, Unwritable> {
    let term = terms.expand(term);
    let shared = shared(terms, term);
    let mut writer = Writer {
        terms,
        name: &name,
        shared: &shared,
        out: String::new(),
    };
    let mut levels: Vec<Vec<(usize, Term)>> = Vec::new();
    let mut numbered: Vec<(Term, Shared)> =
        shared.iter().map(|(&term, &how)| (term, how)).collect();
    numbered.sort_unstable_by_key(|(_, how)| how.number);
    for (term, Shared { number, level }) in numbered {
        if levels.len() <= level {
            levels.resize(level + 1, Vec::new());
        }
        levels[level].push((number, term));
    }
    for level in &levels {
        writer.out.push_str("(let (");
        for &(number, term) in level {
            let _ = write!(writer.out, "(?{number} ");
            writer.term(term, true)?;
            writer.out.push(')');
        }
        writer.out.push_str(") ");
    }
    writer.term(term, false)?;
    writer.out.extend(levels.iter().map(|_| ')'));
    Ok(writer.out)
}

/// How a shared term is bound: by which number, inside how many other bindings.
#[derive(Clone, Copy)]
struct Shared {
    number: usize,
    level: usize,
}

/// The terms that occur more than once and are more than a word.
fn shared(terms: &Terms, root: Term) -> FxHashMap<Term, Shared> {
    let order = terms.postorder([root]);
    let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
    for &term in &order {
        terms.for_each_child(term, |child| *uses.entry(child).or_default() += 1);
    }
    let mut shared = FxHashMap::default();
    // Number of bindings that the text of a term stands in.
    let mut depth: FxHashMap<Term, usize> = FxHashMap::default();
    for &term in &order {
        let mut below = 0;
        terms.for_each_child(term, |child| {
            below = below.max(depth.get(&child).copied().unwrap_or(0));
        });
        let is_leaf = matches!(
            terms.node(term),
            Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Bits(..) | Node::Symbol(_)
        );
        if !is_leaf && uses.get(&term).is_some_and(|&uses| uses > 1) {
            let number = shared.len();
            shared.insert(
                term,
                Shared {
                    number,
                    level: below,
                },
            );
            below += 1;
        }
        depth.insert(term, below);
    }
    shared
}

/// What is still to be written.
enum Piece {
    Text(Cow<'static, str>),
    Term(Term),
}

struct Writer<'t, F> {
    terms: &'t Terms,
    name: &'t F,
    shared: &'t FxHashMap<Term, Shared>,
    out: String,
}

impl<F: Fn(Symbol) -> String> Writer<'_, F> {
    /// Writes a term; at its definition a shared one is written out.
    fn term(&mut self, term: Term, define: bool) -> Result<(), Unwritable> {
        let mut todo = Vec::new();
        self.open(term, define, &mut todo)?;
        while let Some(piece) = todo.pop() {
            match piece {
                Piece::Text(text) => self.out.push_str(&text),
                Piece::Term(term) => self.open(term, false, &mut todo)?,
            }
        }
        Ok(())
    }

    /// Writes a word, or puts the parts of a term on the stack, the last one first.
    fn open(&mut self, term: Term, define: bool, todo: &mut Vec<Piece>) -> Result<(), Unwritable> {
        if let Some(shared) = self.shared.get(&term)
            && !define
        {
            let _ = write!(self.out, "?{}", shared.number);
            return Ok(());
        }
        let start = todo.len();
        let mut list = |head: &str, args: &[Term]| {
            todo.push(Piece::Text(Cow::Owned(format!("({head}"))));
            for &arg in args {
                todo.push(Piece::Text(Cow::Borrowed(" ")));
                todo.push(Piece::Term(arg));
            }
            todo.push(Piece::Text(Cow::Borrowed(")")));
        };
        match self.terms.node(term) {
            Node::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Node::Int(value) => self.out.push_str(&numeral(value)),
            Node::Real(value) => self.out.push_str(&fraction(value)),
            Node::Bits(width, value) => {
                let _ = write!(self.out, "(_ bv{value} {width})");
            }
            Node::Symbol(symbol) => {
                let name = (self.name)(*symbol);
                let _ = write!(self.out, "|{name}|");
            }
            Node::Not(a) => list("not", &[*a]),
            Node::And(args) => list("and", args),
            Node::Or(args) => list("or", args),
            Node::Iff(a, b) | Node::Equal(a, b) => list("=", &[*a, *b]),
            Node::Ite(a, b, c) => list("ite", &[*a, *b, *c]),
            Node::Product(a, b) => list("*", &[*a, *b]),
            Node::Div(a, divisor) => divided("div", *a, divisor, todo),
            Node::Mod(a, divisor) => divided("mod", *a, divisor, todo),
            Node::Sum(sum) => linear(sum, todo),
            Node::AtMostZero(sum) => compared("<=", sum, todo),
            Node::Zero(sum) => compared("=", sum, todo),
            Node::Divides(divisor, sum) => {
                text("(= (mod ", todo);
                linear(sum, todo);
                text(format!(" {}) 0)", numeral(divisor)), todo);
            }
            Node::Op(op, args) => list(&operator(self.terms, *op)?, args),
            Node::Apply(..) | Node::Call(..) => return Err(Unwritable),
        }
        todo[start..].reverse();
        Ok(())
    }
}

fn text(piece: impl Into<Cow<'static, str>>, todo: &mut Vec<Piece>) {
    todo.push(Piece::Text(piece.into()));
}

fn divided(head: &'static str, a: Term, divisor: &Int, todo: &mut Vec<Piece>) {
    text(format!("({head} "), todo);
    todo.push(Piece::Term(a));
    text(format!(" {})", numeral(divisor)), todo);
}

/// A sum, with the parts in their order and the constant at the end.
fn linear(sum: &Linear, todo: &mut Vec<Piece>) {
    let constant = !sum.constant.is_zero() || sum.parts.is_empty();
    let many = sum.parts.len() + usize::from(constant) > 1;
    if many {
        text("(+", todo);
    }
    for (term, coefficient) in &sum.parts {
        if many {
            text(" ", todo);
        }
        if coefficient.is_one() {
            todo.push(Piece::Term(*term));
        } else {
            text(format!("(* {} ", numeral(coefficient)), todo);
            todo.push(Piece::Term(*term));
            text(")", todo);
        }
    }
    if constant {
        text(if many { " " } else { "" }, todo);
        text(numeral(&sum.constant), todo);
    }
    if many {
        text(")", todo);
    }
}

/// A combination, compared with zero: what is positive on the left.
fn compared(operator: &'static str, sum: &Linear, todo: &mut Vec<Piece>) {
    let side = |positive: bool| {
        let sign = if positive { Int::ONE } else { Int::NEG_ONE };
        let keep = |value: &Int| (value > &Int::ZERO) == positive && !value.is_zero();
        let parts = sum.parts.iter().filter(|part| keep(&part.1));
        Linear {
            parts: parts
                .map(|(term, coefficient)| (*term, coefficient * &sign))
                .collect(),
            constant: match keep(&sum.constant) {
                true => &sum.constant * &sign,
                false => Int::ZERO,
            },
        }
    };
    text(format!("({operator} "), todo);
    linear(&side(true), todo);
    text(" ", todo);
    linear(&side(false), todo);
    text(")", todo);
}

/// What stands before the arguments of an operation, if it is one that certificates have.
fn operator(terms: &Terms, op: Op) -> Result<String, Unwritable> {
    match op {
        Op::Select
        | Op::Store
        | Op::ConstArray(_)
        | Op::FpFromBits(..)
        | Op::FpAdd
        | Op::FpSub
        | Op::FpMul
        | Op::FpDiv
        | Op::FpSqrt
        | Op::FpRound(_)
        | Op::FpNeg
        | Op::FpEq
        | Op::FpLt
        | Op::FpLe
        | Op::FpIsNan
        | Op::FpToFp(..)
        | Op::FpFromSigned(..)
        | Op::FpFromUnsigned(..)
        | Op::FpToSigned(_)
        | Op::FpToUnsigned(_) => Err(Unwritable),
        op => Ok(session::operator(terms, op)),
    }
}
