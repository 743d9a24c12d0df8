//! Candidates: what may hold at a node, and what is left of it when a state shows that it doesn't.
//!
//! A candidate begins as strong as it can be and is weakened as little as possible for each state that contradicts it,
//! until nothing is left. The chains are short: a formula is dropped, a lattice of points grows at most as often as it
//! has dimensions and divisors, a bound is raised a few times. So the greatest inductive part of formulas and the least
//! inductive lattice and bounds are found by one and the same loop.

use rhumb_logic::domain::Kind;
use rhumb_logic::domain::lattice::Lattice;
use rhumb_logic::num::Int;
use rhumb_logic::term::{Linear, Node};
use rhumb_logic::{Assignment, Term, Terms, Value, eval};

/// So often a bound follows the states, before and after it went through its thresholds.
const RAISES: u32 = 3;

/// Congruences modulo more than this are not kept as facts of their own: they say in which of many points one is, and
/// no next step keeps that.
const LARGEST_MODULUS: i64 = 64;

/// What may hold at a node.
#[derive(Clone, Debug)]
pub(crate) struct Candidate {
    /// Where it may hold: it says nothing of states that don't satisfy this.
    premise: Term,
    shape: Shape,
    /// What it says at present, each part for itself.
    clauses: Vec<Term>,
}

#[derive(Clone, Debug)]
enum Shape {
    /// A formula.
    Formula,
    /// The values of variables, and of products of variables, lie in a lattice.
    Points {
        dimensions: Vec<Term>,
        lattice: Lattice,
    },
    /// A combination is at most the bound; none as long as no state is known.
    Bound {
        form: Linear,
        bound: Option<Int>,
        /// Bounds to come to rest at, ascending.
        thresholds: Vec<Int>,
        raises: u32,
    },
}

impl Candidate {
    /// A formula: it holds, or it is dropped.
    pub(crate) fn formula(terms: &Terms, formula: Term) -> Candidate {
        Candidate {
            premise: terms.bool(true),
            shape: Shape::Formula,
            clauses: vec![formula],
        }
    }

    /// Equations and congruences between variables, or products of variables, in the states that satisfy the premise.
    /// At first: that there is no such state.
    pub(crate) fn points(terms: &Terms, premise: Term, dimensions: Vec<Term>) -> Candidate {
        let lattice = Lattice::empty(dimensions.len());
        Candidate {
            premise,
            shape: Shape::Points {
                dimensions,
                lattice,
            },
            clauses: vec![terms.not(premise)],
        }
    }

    /// An upper bound of a combination (without its constant), in the states that satisfy the premise. At first: that
    /// there is no such state.
    pub(crate) fn bound(
        terms: &Terms,
        premise: Term,
        form: &Linear,
        mut thresholds: Vec<Int>,
    ) -> Candidate {
        thresholds.sort_unstable();
        thresholds.dedup();
        let form = Linear {
            parts: form.parts.clone(),
            constant: Int::ZERO,
        };
        Candidate {
            premise,
            shape: Shape::Bound {
                form,
                bound: None,
                thresholds,
                raises: 0,
            },
            clauses: vec![terms.not(premise)],
        }
    }

    /// What it says at present.
    pub(crate) fn clauses(&self) -> &[Term] {
        &self.clauses
    }

    /// The formula that it is, if it is one that was not dropped.
    pub(super) fn as_formula(&self) -> Option<Term> {
        let is_formula = matches!(self.shape, Shape::Formula);
        (self.clauses.first().copied()).filter(|_| is_formula)
    }

    /// Takes a state into account that was reached. It raises bounds as often as it has to.
    pub(super) fn witness(&mut self, terms: &Terms, state: &Assignment) {
        let before = match &self.shape {
            Shape::Bound { raises, .. } => *raises,
            _ => 0,
        };
        self.admit(terms, state);
        if let Shape::Bound { raises, .. } = &mut self.shape {
            *raises = before;
        }
    }

    /// Takes a state into account that may be reached. Says whether anything changed.
    pub(super) fn admit(&mut self, terms: &Terms, state: &Assignment) -> bool {
        let before = self.clauses.len();
        let values = eval::evaluate_all(terms, &self.clauses, state);
        let fails: Vec<bool> = values
            .iter()
            .map(|value| matches!(value, Some(Value::Bool(false))))
            .collect();
        if !fails.contains(&true) {
            return false;
        }
        match &mut self.shape {
            Shape::Formula => {
                let mut fails = fails.into_iter();
                self.clauses.retain(|_| fails.next() != Some(true));
                return self.clauses.len() != before;
            }
            Shape::Points {
                dimensions,
                lattice,
            } => {
                let values = dimensions.iter().map(|&it| value_of(terms, it, state));
                match values.collect::<Option<Vec<Int>>>() {
                    Some(point) => {
                        lattice.add_point(&point);
                    }
                    None => *lattice = Lattice::universe(dimensions.len()),
                }
            }
            Shape::Bound {
                form,
                bound,
                thresholds,
                raises,
            } => {
                let value = eval::evaluate(terms, terms.linear(form), state);
                let Some(Value::Int(value)) = value else {
                    self.clauses.clear();
                    return true;
                };
                *raises += 1;
                let next = thresholds.iter().find(|&threshold| *threshold >= value);
                *bound = match next {
                    Some(next) if *raises > RAISES => Some(next.clone()),
                    None if *raises > 2 * RAISES + thresholds.len() as u32 => {
                        self.clauses.clear();
                        return true;
                    }
                    _ => Some(value),
                };
            }
        }
        self.rewrite(terms);
        true
    }

    /// Drops a clause that can't be shown. Says whether it was there.
    pub(super) fn give_up(&mut self, clause: Term) -> bool {
        let before = self.clauses.len();
        self.clauses.retain(|&other| other != clause);
        self.clauses.len() != before
    }

    /// The clauses of the shape as it is.
    fn rewrite(&mut self, terms: &Terms) {
        let facts: Vec<Term> = match &self.shape {
            Shape::Formula => return,
            Shape::Bound { form, bound, .. } => {
                let Some(bound) = bound else { return };
                let sum = Linear {
                    parts: form.parts.clone(),
                    constant: -bound,
                };
                vec![terms.at_most_zero(&sum)]
            }
            Shape::Points {
                dimensions,
                lattice,
            } => lattice_facts(terms, dimensions, lattice),
        };
        let clauses = facts
            .into_iter()
            .map(|fact| terms.implies(self.premise, fact));
        self.clauses = clauses
            .filter(|&clause| terms.as_bool(clause) != Some(true))
            .collect();
    }
}

/// The value of a variable, or of a product of such, in a state; of what the state doesn't know it is 0.
fn value_of(terms: &Terms, term: Term, state: &Assignment) -> Option<Int> {
    match terms.node(term) {
        Node::Product(a, b) => Some(value_of(terms, *a, state)? * value_of(terms, *b, state)?),
        _ => match state.get(&terms.as_symbol(term)?) {
            Some(value) => value.as_int().cloned(),
            None => Some(Int::ZERO),
        },
    }
}

/// What a lattice says of variables and products.
fn lattice_facts(terms: &Terms, dimensions: &[Term], lattice: &Lattice) -> Vec<Term> {
    let sum = |coefficients: &[Int], constant: Int| {
        let parts = coefficients.iter().zip(dimensions);
        let parts = parts.filter(|(coefficient, _)| !coefficient.is_zero());
        let parts = parts.map(|(coefficient, &part)| (coefficient, terms.as_linear(part)));
        Linear::combine(constant, parts)
    };
    let (congruences, equations) = lattice.constraints();
    let mut facts = Vec::new();
    for equation in &equations {
        let sum = sum(equation.coefficients(), equation.constant().clone());
        facts.push(match equation.kind() {
            Kind::Eq => terms.zero(&sum),
            Kind::Ge => terms.at_most_zero(&sum.times(&Int::NEG_ONE)),
        });
    }
    // Of products, few states are known for many dimensions: congruences would be those of the states.
    let is_product = |&part: &Term| matches!(terms.node(part), Node::Product(..));
    if dimensions.iter().any(is_product) {
        return facts;
    }
    for congruence in &congruences {
        if congruence.modulus <= Int::from(LARGEST_MODULUS) {
            let sum = sum(&congruence.coefficients, -&congruence.residue);
            facts.push(terms.divides_linear(&congruence.modulus, &sum));
        }
    }
    facts
}
