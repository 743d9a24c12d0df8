//! The walk that justifies a formula's truth in a model.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::term::{Node, Sort, Symbol, Term, Terms};
use crate::value::Assignment;

use super::Valuation;

/// More than any justification costs.
const IMPOSSIBLE: u32 = u32::MAX;

/// A literal that mentions a symbol of interest costs this much more than one that doesn't.
const INTEREST: u32 = 4;

/// A formula, prepared for the extraction of implicants in many models: its terms in order, and the part of it that is to be taken apart.
#[derive(Debug)]
pub(crate) struct Region {
    formula: Term,
    /// All terms of the formula, children first.
    order: Vec<Term>,
    /// Terms that are taken apart. Others stay whole, whatever they are.
    opened: FxHashSet<Term>,
}

impl Region {
    /// Everything is taken apart, down to the atoms.
    pub(crate) fn everything(terms: &Terms, formula: Term) -> Region {
        let formula = terms.expand(formula);
        let order = terms.postorder([formula]);
        Region {
            formula,
            opened: order.iter().copied().collect(),
            order,
        }
    }

    /// What mentions one of the symbols is taken apart; a subformula that doesn't counts as a literal.
    pub(crate) fn mentioning(terms: &Terms, formula: Term, symbols: &FxHashSet<Symbol>) -> Region {
        let formula = terms.expand(formula);
        let order = terms.postorder([formula]);
        let opened = mentioning(terms, &order, symbols);
        Region {
            formula,
            order,
            opened,
        }
    }

    /// The formula, with named relations expanded.
    pub(crate) fn formula(&self) -> Term {
        self.formula
    }

    /// The literals that make the formula true in the model; none if they can't be found.
    pub(crate) fn implicant(&self, terms: &Terms, model: &Assignment) -> Option<Vec<Term>> {
        let values = Valuation::new(terms, &[self.formula], model);
        if values.truth(self.formula) != Some(true) {
            return None;
        }
        let mut walk = Walk {
            terms,
            opened: &self.opened,
            costs: self.costs(terms, &values),
            values,
            asked: FxHashSet::default(),
            pending: vec![self.formula],
            choices: Vec::new(),
            resolved: FxHashMap::default(),
            literals: Vec::new(),
        };
        walk.asked.insert(self.formula);
        walk.run()?;
        Some(walk.literals)
    }

    /// For each term how many literals it takes, about, to justify its value.
    fn costs(&self, terms: &Terms, values: &Valuation) -> FxHashMap<Term, u32> {
        let mut costs: FxHashMap<Term, u32> = FxHashMap::default();
        costs.reserve(self.order.len());
        for &term in &self.order {
            let of = |child: &Term| costs.get(child).copied().unwrap_or(0);
            let cost = if values.value(term).is_none() {
                IMPOSSIBLE
            } else if !self.opened.contains(&term) {
                u32::from(terms.sort(term) == Sort::Bool)
            } else {
                match terms.node(term) {
                    Node::And(args) => junction(values, args, false, values.truth(term), of),
                    Node::Or(args) => junction(values, args, true, values.truth(term), of),
                    Node::Not(a) => of(a),
                    Node::Iff(a, b) => of(a).saturating_add(of(b)),
                    Node::Ite(condition, a, b) => {
                        let taken = values.truth(*condition) == Some(true);
                        of(condition).saturating_add(of(if taken { a } else { b }))
                    }
                    _ => {
                        let own = if terms.sort(term) == Sort::Bool {
                            1 + INTEREST
                        } else {
                            0
                        };
                        let mut sum: u32 = own;
                        terms.for_each_child(term, |child| sum = sum.saturating_add(of(&child)));
                        sum
                    }
                }
            };
            costs.insert(term, cost);
        }
        costs
    }
}

/// The terms that have one of the symbols below them.
pub(crate) fn mentioning(
    terms: &Terms,
    order: &[Term],
    symbols: &FxHashSet<Symbol>,
) -> FxHashSet<Term> {
    let mut found = FxHashSet::default();
    for &term in order {
        let mut inside = terms
            .as_symbol(term)
            .is_some_and(|symbol| symbols.contains(&symbol));
        terms.for_each_child(term, |child| inside |= found.contains(&child));
        if inside {
            found.insert(term);
        }
    }
    found
}

/// The cost of a junction: of one member where one decides, else of all.
fn junction(
    values: &Valuation,
    args: &[Term],
    absorbing: bool,
    value: Option<bool>,
    of: impl Fn(&Term) -> u32,
) -> u32 {
    if value == Some(absorbing) {
        let deciding = args.iter().filter(|&&arg| values.truth(arg) == value);
        deciding.map(of).min().unwrap_or(IMPOSSIBLE)
    } else {
        args.iter().map(of).fold(0, u32::saturating_add)
    }
}

struct Walk<'a> {
    terms: &'a Terms,
    opened: &'a FxHashSet<Term>,
    costs: FxHashMap<Term, u32>,
    values: Valuation,
    /// Formulas whose value is justified or will be.
    asked: FxHashSet<Term>,
    pending: Vec<Term>,
    /// Junctions of which one member decides: chosen when nothing else is left, since what was asked by then costs nothing.
    choices: Vec<Term>,
    /// Terms without `ite`, by the terms they stand for.
    resolved: FxHashMap<Term, Term>,
    literals: Vec<Term>,
}

impl Walk<'_> {
    fn run(&mut self) -> Option<()> {
        loop {
            while let Some(term) = self.pending.pop() {
                self.justify(term)?;
            }
            match self.choices.pop() {
                Some(choice) => self.decide(choice)?,
                None => return Some(()),
            }
        }
    }

    fn ask(&mut self, term: Term) {
        if self.asked.insert(term) {
            self.pending.push(term);
        }
    }

    fn justify(&mut self, term: Term) -> Option<()> {
        let terms = self.terms;
        let value = self.values.truth(term)?;
        if !self.opened.contains(&term) {
            self.take(term, value);
            return Some(());
        }
        match terms.node(term) {
            Node::Bool(_) => {}
            Node::Not(a) => self.ask(*a),
            Node::Iff(a, b) => {
                self.ask(*a);
                self.ask(*b);
            }
            Node::And(args) if value => args.iter().for_each(|&arg| self.ask(arg)),
            Node::Or(args) if !value => args.iter().for_each(|&arg| self.ask(arg)),
            Node::And(_) | Node::Or(_) => self.choices.push(term),
            _ => {
                let literal = self.resolve(term)?;
                self.take(literal, value);
            }
        }
        Some(())
    }

    fn take(&mut self, literal: Term, value: bool) {
        let literal = if value {
            literal
        } else {
            self.terms.not(literal)
        };
        if self.terms.as_bool(literal) != Some(true) {
            self.literals.push(literal);
        }
    }

    /// Chooses what decides a junction.
    fn decide(&mut self, junction: Term) -> Option<()> {
        let terms = self.terms;
        let (Node::And(args) | Node::Or(args)) = terms.node(junction) else {
            return None;
        };
        let value = self.values.truth(junction);
        let deciding = |&&arg: &&Term| self.values.truth(arg) == value;
        if args
            .iter()
            .filter(deciding)
            .any(|arg| self.asked.contains(arg))
        {
            return Some(());
        }
        // All members that stay whole are one literal together: the weakest.
        let whole = |&&arg: &&Term| !self.opened.contains(&arg);
        if args.iter().filter(whole).any(|arg| deciding(&arg)) {
            let members = args.iter().filter(whole).copied();
            let literal = if value == Some(true) {
                terms.or(members)
            } else {
                terms.and(members)
            };
            self.take(literal, value?);
            return Some(());
        }
        let cheapest = args
            .iter()
            .filter(deciding)
            .min_by_key(|arg| self.costs.get(arg).copied().unwrap_or(IMPOSSIBLE))?;
        self.ask(*cheapest);
        Some(())
    }

    /// The term with the branch that the model takes in place of each `ite`, whose condition is asked for.
    fn resolve(&mut self, root: Term) -> Option<Term> {
        let terms = self.terms;
        let mut stack = vec![(root, false)];
        while let Some((term, ready)) = stack.pop() {
            if self.resolved.contains_key(&term) {
                continue;
            }
            let whole =
                !self.opened.contains(&term) || (term != root && terms.sort(term) == Sort::Bool);
            if whole {
                self.resolved.insert(term, term);
                continue;
            }
            if let Node::Ite(condition, a, b) = terms.node(term) {
                let taken = if self.values.truth(*condition)? {
                    *a
                } else {
                    *b
                };
                self.ask(*condition);
                match self.resolved.get(&taken) {
                    Some(&done) => {
                        self.resolved.insert(term, done);
                    }
                    None => stack.extend([(term, true), (taken, false)]),
                }
            } else if ready {
                let done = &self.resolved;
                let new = terms.rebuild(term, |child| done.get(&child).copied().unwrap_or(child));
                self.resolved.insert(term, new);
            } else {
                stack.push((term, true));
                terms.for_each_child(term, |child| stack.push((child, false)));
            }
        }
        self.resolved.get(&root).copied()
    }
}
