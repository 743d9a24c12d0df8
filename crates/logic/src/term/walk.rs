//! Traversals. Each visits every node of the graph once and keeps its own stack, so neither a large tree nor a deep one hurts.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::num::Int;
use crate::work::Work;

use super::{Linear, Node, Relation, Symbol, Term, Terms};

/// Nodes whose visit takes about as long as a unit of work.
const NODES_PER_UNIT: u64 = 16;

impl Terms {
    /// Calls `visit` on the direct children of a term, in a fixed order.
    pub fn for_each_child(&self, term: Term, mut visit: impl FnMut(Term)) {
        match self.node(term) {
            Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Bits(..) | Node::Symbol(_) => {}
            Node::Not(a) | Node::Div(a, _) | Node::Mod(a, _) => visit(*a),
            Node::Iff(a, b) | Node::Product(a, b) | Node::Equal(a, b) => {
                visit(*a);
                visit(*b);
            }
            Node::Ite(a, b, c) => {
                visit(*a);
                visit(*b);
                visit(*c);
            }
            Node::And(args)
            | Node::Or(args)
            | Node::Apply(_, args)
            | Node::Call(_, args)
            | Node::Op(_, args) => args.iter().copied().for_each(visit),
            Node::Sum(sum) | Node::AtMostZero(sum) | Node::Zero(sum) | Node::Divides(_, sum) => {
                sum.parts.iter().for_each(|part| visit(part.0))
            }
        }
    }

    /// All terms below the roots, themselves included, each once and after its children.
    pub fn postorder(&self, roots: impl IntoIterator<Item = Term>) -> Vec<Term> {
        self.postorder_beyond(roots, &mut FxHashSet::default())
    }

    /// As [`Terms::postorder`], leaving out what is in `seen` and all that lies below it; what is listed is added to it.
    pub fn postorder_beyond(
        &self,
        roots: impl IntoIterator<Item = Term>,
        seen: &mut FxHashSet<Term>,
    ) -> Vec<Term> {
        let mut order = Vec::new();
        self.visit_new(roots, seen, &mut order);
        Work::units(1 + order.len() as u64 / NODES_PER_UNIT).count();
        order
    }

    /// As [`Terms::postorder`], leaving out what is in `seen` and all that lies below it; what is visited is added to both.
    fn visit_new(
        &self,
        roots: impl IntoIterator<Item = Term>,
        seen: &mut FxHashSet<Term>,
        order: &mut Vec<Term>,
    ) {
        // A term is on the stack twice: first to push its children, then to be put after them.
        let mut stack: Vec<(Term, bool)> = Vec::new();
        for root in roots {
            stack.push((root, false));
            while let Some((term, done)) = stack.pop() {
                if done {
                    order.push(term);
                } else if seen.insert(term) {
                    stack.push((term, true));
                    self.for_each_child(term, |child| {
                        if !seen.contains(&child) {
                            stack.push((child, false));
                        }
                    });
                }
            }
        }
    }

    /// Number of different terms below a term, itself included.
    pub fn size(&self, term: Term) -> usize {
        self.postorder([term]).len()
    }

    /// The symbols of some terms, sorted, each once.
    pub fn symbols(&self, roots: impl IntoIterator<Item = Term>) -> Vec<Symbol> {
        let mut symbols: Vec<Symbol> = self
            .postorder(roots)
            .into_iter()
            .filter_map(|term| self.as_symbol(term))
            .collect();
        symbols.sort_unstable();
        symbols
    }

    /// The term with other children: `map` gives the new one for each.
    pub fn rebuild(&self, term: Term, map: impl Fn(Term) -> Term) -> Term {
        let all = |args: &[Term]| args.iter().map(|&arg| map(arg)).collect::<Box<[Term]>>();
        let sum = |sum: &Linear| {
            let parts = sum.parts.iter();
            let parts = parts.map(|(part, factor)| (factor, self.as_linear(map(*part))));
            Linear::combine(sum.constant.clone(), parts)
        };
        match self.node(term) {
            Node::Bool(_) | Node::Int(_) | Node::Real(_) | Node::Bits(..) | Node::Symbol(_) => term,
            Node::Not(a) => self.not(map(*a)),
            Node::And(args) => self.and(args.iter().map(|&arg| map(arg))),
            Node::Or(args) => self.or(args.iter().map(|&arg| map(arg))),
            Node::Iff(a, b) => self.iff(map(*a), map(*b)),
            Node::Ite(a, b, c) => self.ite(map(*a), map(*b), map(*c)),
            Node::Sum(parts) => self.linear(&sum(parts)),
            Node::Product(a, b) => self.mul(map(*a), map(*b)),
            Node::Div(a, divisor) => self.div(map(*a), divisor.clone()),
            Node::Mod(a, divisor) => self.modulo(map(*a), divisor.clone()),
            Node::AtMostZero(parts) => self.at_most_zero(&sum(parts)),
            Node::Zero(parts) => self.zero(&sum(parts)),
            Node::Divides(divisor, parts) => self.divides_linear(divisor, &sum(parts)),
            Node::Equal(a, b) => self.eq(map(*a), map(*b)),
            Node::Apply(function, args) => self.apply(*function, all(args)),
            Node::Call(relation, args) => self.call(*relation, all(args)),
            Node::Op(op, args) => self.op(*op, all(args)),
        }
    }

    /// The term with other terms in place of symbols. To rename several terms in one way use a [`Renaming`].
    pub fn substitute(&self, term: Term, map: &FxHashMap<Symbol, Term>) -> Term {
        Renaming::new(map.clone()).apply(self, term)
    }

    /// The term with every named relation replaced by its body, also inside bodies. The body of a relation is expanded
    /// once, however often it is named.
    pub fn expand(&self, term: Term) -> Term {
        let mut bodies: FxHashMap<Relation, Term> = FxHashMap::default();
        let mut found: Vec<Relation> = self.named(term);
        while let Some(relation) = found.pop() {
            let body = self.relation_info(relation).body;
            if bodies.insert(relation, body).is_none() {
                found.extend(self.named(body));
            }
        }
        if bodies.is_empty() {
            return term;
        }
        let mut relations: Vec<Relation> = bodies.keys().copied().collect();
        // A body names only relations that were there before: in this order each body needs expanded ones only.
        relations.sort_unstable();
        for relation in relations {
            let body = self.expand_by(bodies[&relation], &bodies);
            bodies.insert(relation, body);
        }
        self.expand_by(term, &bodies)
    }

    /// The relations that a term names, each once for every different call.
    fn named(&self, term: Term) -> Vec<Relation> {
        let order = self.postorder([term]).into_iter();
        order
            .filter_map(|at| match self.node(at) {
                Node::Call(relation, _) => Some(*relation),
                _ => None,
            })
            .collect()
    }

    /// The term with these bodies in place of the relations.
    fn expand_by(&self, term: Term, bodies: &FxHashMap<Relation, Term>) -> Term {
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        for at in self.postorder([term]) {
            let mut new = self.rebuild(at, |child| done[&child]);
            if let Node::Call(relation, args) = self.node(new) {
                let params = self.relation_info(*relation).params.iter().copied();
                let map = params.zip(args.iter().copied()).collect();
                new = self.substitute(bodies[relation], &map);
            }
            done.insert(at, new);
        }
        done[&term]
    }

    /// The parts of a conjunction, also of conjunctions and negated disjunctions inside, each once; the formula itself
    /// if it is not a conjunction, nothing for `true`.
    pub fn conjuncts(&self, formula: Term) -> Vec<Term> {
        self.members(formula, true)
    }

    /// The parts of a disjunction, also of disjunctions and negated conjunctions inside, each once; the formula itself
    /// if it is not a disjunction, nothing for `false`.
    pub fn disjuncts(&self, formula: Term) -> Vec<Term> {
        self.members(formula, false)
    }

    fn members(&self, formula: Term, conjunction: bool) -> Vec<Term> {
        let mut parts = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![formula];
        while let Some(at) = stack.pop() {
            let negated = match self.node(at) {
                Node::Not(inner) => Some(self.node(*inner)),
                _ => None,
            };
            match (self.node(at), negated, conjunction) {
                (Node::Bool(unit), ..) if *unit == conjunction => {}
                (Node::And(args), _, true) | (Node::Or(args), _, false) => {
                    stack.extend(args.iter().rev().filter(|&&arg| seen.insert(arg)));
                }
                (_, Some(Node::Or(args)), true) | (_, Some(Node::And(args)), false) => {
                    let args = args.iter().rev().map(|&arg| self.not(arg));
                    stack.extend(args.filter(|&arg| seen.insert(arg)));
                }
                _ => parts.push(at),
            }
        }
        parts
    }

    /// The combination with the parts that are symbols of the given set, and the rest with the constant.
    pub fn split_linear(
        &self,
        sum: &Linear,
        mut belongs: impl FnMut(Symbol) -> bool,
    ) -> (Vec<(Symbol, Int)>, Linear) {
        let (mut inside, mut outside) = (Vec::new(), Vec::new());
        for (term, coefficient) in &sum.parts {
            match self.as_symbol(*term) {
                Some(symbol) if belongs(symbol) => inside.push((symbol, coefficient.clone())),
                _ => outside.push((*term, coefficient.clone())),
            }
        }
        let rest = Linear {
            parts: outside.into(),
            constant: sum.constant.clone(),
        };
        (inside, rest)
    }
}

/// A substitution that remembers what it has done: terms that share parts are renamed at the cost of what is new in them.
#[derive(Clone, Debug, Default)]
pub struct Renaming {
    map: FxHashMap<Symbol, Term>,
    done: FxHashMap<Term, Term>,
}

impl Renaming {
    /// Terms in place of symbols. A symbol that is not in the map stays.
    pub fn new(map: FxHashMap<Symbol, Term>) -> Renaming {
        Renaming {
            map,
            done: FxHashMap::default(),
        }
    }

    /// The term with its symbols replaced.
    pub fn apply(&mut self, terms: &Terms, term: Term) -> Term {
        if let Some(&known) = self.done.get(&term) {
            return known;
        }
        let mut stack: Vec<(Term, bool)> = vec![(term, false)];
        while let Some((at, ready)) = stack.pop() {
            if self.done.contains_key(&at) {
                continue;
            }
            if ready {
                let new = match terms.as_symbol(at) {
                    Some(symbol) => self.map.get(&symbol).copied().unwrap_or(at),
                    None => terms.rebuild(at, |child| self.done[&child]),
                };
                self.done.insert(at, new);
            } else {
                stack.push((at, true));
                terms.for_each_child(at, |child| {
                    if !self.done.contains_key(&child) {
                        stack.push((child, false));
                    }
                });
            }
        }
        self.done[&term]
    }
}
