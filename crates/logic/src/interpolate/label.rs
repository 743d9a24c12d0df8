//! Labels: what is known at a place, as a set of clauses.

use crate::num::{Int, floor_mod};
use crate::term::{Linear, Node, Term, Terms};

/// A conjunction of clauses, none of which another one subsumes.
///
/// A clause is a disjunction, as a term; its literals are its members, whatever they are. The empty label is `true`.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub struct Label {
    /// Sorted.
    clauses: Vec<Term>,
}

impl Label {
    /// The label that says nothing.
    pub fn top() -> Label {
        Label::default()
    }

    /// The clauses of a formula.
    pub fn of(terms: &Terms, formula: Term) -> Label {
        let mut label = Label::top();
        label.insert(terms, formula);
        label
    }

    /// The clauses, sorted.
    pub fn clauses(&self) -> &[Term] {
        &self.clauses
    }

    /// Whether it says nothing.
    pub fn is_top(&self) -> bool {
        self.clauses.is_empty()
    }

    /// Whether it is known to exclude every state.
    pub fn is_bottom(&self, terms: &Terms) -> bool {
        self.clauses.contains(&terms.bool(false))
    }

    /// The label as a formula.
    pub fn formula(&self, terms: &Terms) -> Term {
        terms.and(self.clauses.iter().copied())
    }

    /// Adds what a formula says. Clauses that others subsume are left out. Returns whether anything changed.
    pub fn insert(&mut self, terms: &Terms, formula: Term) -> bool {
        let mut changed = false;
        for clause in terms.conjuncts(formula) {
            let literals = terms.disjuncts(clause);
            if self.subsumes(terms, clause) {
                continue;
            }
            self.clauses
                .retain(|&old| !subsumes(terms, &literals, &terms.disjuncts(old)));
            if let Err(place) = self.clauses.binary_search(&clause) {
                self.clauses.insert(place, clause);
            }
            changed = true;
        }
        changed
    }

    /// Adds what another label says. Returns whether anything changed.
    pub fn meet(&mut self, terms: &Terms, other: &Label) -> bool {
        let mut changed = false;
        for &clause in &other.clauses {
            changed |= self.insert(terms, clause);
        }
        changed
    }

    /// Whether a clause follows from a single one of this label by its literals alone.
    pub fn subsumes(&self, terms: &Terms, clause: Term) -> bool {
        if self.clauses.binary_search(&clause).is_ok() {
            return true;
        }
        let literals = terms.disjuncts(clause);
        let mut clauses = self.clauses.iter();
        clauses.any(|&known| subsumes(terms, &terms.disjuncts(known), &literals))
    }
}

/// Whether each literal of the first clause implies one of the second, as far as can be seen from pairs of atoms.
fn subsumes(terms: &Terms, first: &[Term], second: &[Term]) -> bool {
    first
        .iter()
        .all(|&literal| second.iter().any(|&other| implies(terms, literal, other)))
}

/// Whether a literal implies another one that is about the same combination.
fn implies(terms: &Terms, premise: Term, conclusion: Term) -> bool {
    if premise == conclusion {
        return true;
    }
    // Let s be the combination without its constant.
    match (terms.node(premise), terms.node(conclusion)) {
        // s <= -p to s <= -q.
        (Node::AtMostZero(p), Node::AtMostZero(q)) => {
            p.parts == q.parts && q.constant <= p.constant
        }
        // s = -p to s <= -q, or -s <= -q.
        (Node::Zero(p), Node::AtMostZero(q)) => {
            (p.parts == q.parts && q.constant <= p.constant)
                || (opposite(p, q) && &p.constant + &q.constant <= Int::ZERO)
        }
        (Node::Divides(by, p), Node::Divides(of, _)) => {
            floor_mod(by, of).is_zero() && terms.divides_linear(of, p) == conclusion
        }
        (premise, Node::Not(inner)) => match (premise, terms.node(*inner)) {
            // s <= -p to s != -q, or -s != -q.
            (Node::AtMostZero(p), Node::Zero(q)) => {
                (p.parts == q.parts && q.constant < p.constant)
                    || (opposite(p, q) && &p.constant + &q.constant > Int::ZERO)
            }
            (Node::Zero(p), Node::Zero(q)) => p.parts == q.parts && p.constant != q.constant,
            _ => false,
        },
        _ => false,
    }
}

fn opposite(p: &Linear, q: &Linear) -> bool {
    p.parts.len() == q.parts.len()
        && p.parts
            .iter()
            .zip(&q.parts)
            .all(|(a, b)| a.0 == b.0 && (&a.1 + &b.1).is_zero())
}
