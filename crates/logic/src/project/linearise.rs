//! A cube of literals as a system.
//!
//! Division and remainder by a constant become an unknown quotient between its two bounds: no residue is fixed. A
//! product with a symbol that is to go is linear once one factor has its value in the model. A symbol that other
//! theories hold on to is replaced by its value.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::cube::{Valuation, mentioning};
use crate::num::{Int, floor_div};
use crate::term::{Linear, Node, Sort, Symbol, Term, Terms};
use crate::value::{Assignment, Value};

use super::literal::Literal;
use super::row::{Dim, Row};
use super::system::System;

/// A cube whose linear literals are in a system.
#[derive(Debug)]
pub(super) struct Linearised {
    /// The literals in which a symbol occurs that is to go.
    pub(super) system: System,
    /// The others.
    pub(super) untouched: Vec<Term>,
}

/// Turns a cube without `ite` that holds in the model into a system; none if a symbol has to be replaced by its value and has none.
pub(super) fn linearise(
    terms: &Terms,
    cube: Vec<Term>,
    targets: &FxHashSet<Symbol>,
    model: &Assignment,
) -> Option<Linearised> {
    let cube = release(terms, cube, targets, model)?;
    let order = terms.postorder(cube.iter().copied());
    let mut lines = Lines {
        terms,
        values: Valuation::new(terms, &cube, model),
        touched: mentioning(terms, &order, targets),
        system: System::default(),
        dims: FxHashMap::default(),
        rows: FxHashMap::default(),
    };
    for &term in &order {
        if lines.touched.contains(&term) && terms.sort(term) == Sort::Int {
            let row = lines.row(term)?;
            lines.rows.insert(term, row);
        }
    }
    let mut untouched = Vec::new();
    for literal in cube {
        if lines.touched.contains(&literal) {
            lines.literal(literal)?;
        } else {
            untouched.push(literal);
        }
    }
    Some(Linearised {
        system: lines.system,
        untouched,
    })
}

/// Frees the cube of symbols that are to go and that linear arithmetic can't eliminate.
///
/// A literal that is a mere truth value of such a symbol is dropped; an equation of another sort that defines one is used up; what then is
/// still below an operation of another theory gets its value in the model.
fn release(
    terms: &Terms,
    mut cube: Vec<Term>,
    targets: &FxHashSet<Symbol>,
    model: &Assignment,
) -> Option<Vec<Term>> {
    loop {
        let order = terms.postorder(cube.iter().copied());
        let touched = mentioning(terms, &order, targets);
        let stuck = stuck(terms, &order, &touched);
        if stuck.is_empty() {
            return Some(cube);
        }
        let definitions = cube.iter().enumerate();
        let found = definitions
            .filter_map(|(place, &literal)| Some((place, definition(terms, literal, targets)?)))
            .next();
        let map = match found {
            Some((place, definition)) => {
                cube.swap_remove(place);
                FxHashMap::from_iter([definition])
            }
            None => {
                let values = stuck.into_iter();
                values
                    .map(|symbol| Some((symbol, constant(terms, symbol, model)?)))
                    .collect::<Option<_>>()?
            }
        };
        cube = substitute_all(terms, cube, map);
    }
}

/// The symbol that is to go, and the term that it equals, if the literal is such an equation of a sort that is not linear.
fn definition(terms: &Terms, literal: Term, targets: &FxHashSet<Symbol>) -> Option<(Symbol, Term)> {
    let Node::Equal(a, b) = terms.node(literal) else {
        return None;
    };
    [(*a, *b), (*b, *a)].into_iter().find_map(|(side, other)| {
        let symbol = terms.as_symbol(side)?;
        let defines =
            targets.contains(&symbol) && terms.symbols([other]).binary_search(&symbol).is_err();
        defines.then_some((symbol, other))
    })
}

/// The value of a symbol as a term; nothing for a value that can't be written.
pub(super) fn constant(terms: &Terms, symbol: Symbol, model: &Assignment) -> Option<Term> {
    let sort = terms.symbol_info(symbol).sort;
    let value = model.get(&symbol).cloned();
    match (value.or_else(|| Value::default_of(sort))?, sort) {
        (Value::Bool(value), _) => Some(terms.bool(value)),
        (Value::Int(value), _) => Some(terms.int(value)),
        (Value::Real(value), _) => Some(terms.real(value)),
        (Value::Bits(value), Sort::BitVec(width)) => Some(terms.bits(width, value)),
        _ => None,
    }
}

fn substitute_all(terms: &Terms, cube: Vec<Term>, map: FxHashMap<Symbol, Term>) -> Vec<Term> {
    let mut renaming = crate::term::Renaming::new(map);
    let literals = cube.into_iter();
    literals
        .map(|literal| renaming.apply(terms, literal))
        .filter(|&literal| terms.as_bool(literal) != Some(true))
        .collect()
}

/// The symbols that occur below something that linear arithmetic can't take.
fn stuck(terms: &Terms, order: &[Term], touched: &FxHashSet<Term>) -> FxHashSet<Symbol> {
    let mut below: FxHashSet<Term> = FxHashSet::default();
    let mut found = FxHashSet::default();
    for &term in order.iter().rev() {
        if !touched.contains(&term) {
            continue;
        }
        let holds_on = below.contains(&term)
            || matches!(
                terms.node(term),
                Node::Equal(..) | Node::Apply(..) | Node::Call(..) | Node::Op(..) | Node::Ite(..)
            );
        if holds_on {
            terms.for_each_child(term, |child| {
                below.insert(child);
            });
            found.extend(terms.as_symbol(term));
        }
    }
    found
}

struct Lines<'a> {
    terms: &'a Terms,
    values: Valuation,
    touched: FxHashSet<Term>,
    system: System,
    /// Dimensions of symbols, and of terms that stay whole.
    dims: FxHashMap<Term, Dim>,
    /// Rows of the terms that are touched.
    rows: FxHashMap<Term, Row>,
}

impl Lines<'_> {
    /// The row of a touched term of sort `Int` whose parts have theirs.
    fn row(&mut self, term: Term) -> Option<Row> {
        match self.terms.node(term) {
            Node::Symbol(_) => {
                let value = self.values.int(term)?.clone();
                let dim = self.system.target(value);
                self.dims.insert(term, dim);
                Some(Row::single(dim))
            }
            Node::Sum(sum) => self.sum(sum),
            Node::Div(inner, by) => {
                let numerator = self.part(*inner)?;
                Some(self.quotient(numerator, by))
            }
            Node::Mod(inner, by) => {
                let numerator = self.part(*inner)?;
                let quotient = self.quotient(numerator.clone(), by);
                Some(numerator.plus(&-by, &quotient))
            }
            Node::Product(a, b) => {
                // A factor that stays is fixed rather than one that goes: what is eliminated then is eliminated for all its values.
                let (fixed, other) = if self.touched.contains(a) {
                    (*b, *a)
                } else {
                    (*a, *b)
                };
                let value = self.values.int(fixed)?.clone();
                let (fixed, other) = (self.part(fixed)?, self.part(other)?);
                self.system.push(Literal::Zero(fixed.shifted(&-&value)));
                Some(other.times(&value))
            }
            _ => None,
        }
    }

    /// The row of any term of sort `Int`: one that is not touched is a dimension.
    fn part(&mut self, term: Term) -> Option<Row> {
        if let Some(row) = self.rows.get(&term) {
            return Some(row.clone());
        }
        if let Node::Int(value) = self.terms.node(term) {
            return Some(Row::constant(value.clone()));
        }
        if let Node::Sum(sum) = self.terms.node(term) {
            return self.sum(sum);
        }
        let dim = match self.dims.get(&term) {
            Some(&dim) => dim,
            None => {
                let dim = self.system.kept(term, self.values.int(term)?.clone());
                self.dims.insert(term, dim);
                dim
            }
        };
        Some(Row::single(dim))
    }

    fn sum(&mut self, sum: &Linear) -> Option<Row> {
        let mut total = Row::constant(sum.constant.clone());
        for (term, coefficient) in &sum.parts {
            total = total.plus(coefficient, &self.part(*term)?);
        }
        Some(total)
    }

    /// A new unknown for a row divided by a positive number and rounded down.
    fn quotient(&mut self, numerator: Row, by: &Int) -> Row {
        let quotient = floor_div(&numerator.value(&self.system.point), by);
        let quotient = Row::single(self.system.target(quotient));
        let rest = numerator.plus(&-by, &quotient);
        let last = by - Int::ONE;
        self.system.push(Literal::AtMost(rest.times(&Int::NEG_ONE)));
        self.system.push(Literal::AtMost(rest.shifted(&-last)));
        quotient
    }

    /// Adds a touched literal.
    fn literal(&mut self, literal: Term) -> Option<()> {
        let (atom, positive) = match self.terms.node(literal) {
            Node::Not(inner) => (*inner, false),
            _ => (literal, true),
        };
        let literal = match (self.terms.node(atom), positive) {
            (Node::AtMostZero(sum), true) => Literal::AtMost(self.sum(sum)?),
            (Node::Zero(sum), true) => Literal::Zero(self.sum(sum)?),
            (Node::Zero(sum), false) => Literal::NonZero(self.sum(sum)?),
            (Node::Divides(by, sum), true) => Literal::Divides(by.clone(), self.sum(sum)?),
            (Node::Divides(by, sum), false) => Literal::NotDivides(by.clone(), self.sum(sum)?),
            // A truth value that is to go: some value makes the literal true.
            (Node::Symbol(_), _) => return Some(()),
            _ => return None,
        };
        self.system.push(literal);
        Some(())
    }
}
