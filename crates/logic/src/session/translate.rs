//! From terms to terms of Z3. Every term is translated once per session.

use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;
use z3_sys::*;

use crate::num::Int;
use crate::term::{Function, Linear, Node, Sort, Symbol, Term, Terms};

use super::z3::{Ast, Context, Decl, Refused, SortRef};

/// So many terms are translated between two looks at the stop flag.
const STRIDE: u32 = 256;

/// Why a translation ended without a result.
#[derive(Debug, thiserror::Error)]
pub(super) enum Trouble {
    /// Somebody set the stop flag. What was translated so far is kept.
    #[error("stopped")]
    Stopped,
    /// Z3 didn't take it: a term with arguments of wrong sorts, or no memory.
    #[error(transparent)]
    Refused(#[from] Refused),
}

/// Translates, and remembers what it has translated.
pub(super) struct Translator<'z> {
    context: &'z Context,
    terms: &'z Terms,
    done: FxHashMap<Term, Ast<'z>>,
    symbols: FxHashMap<Symbol, Decl<'z>>,
    names: FxHashMap<Decl<'z>, Symbol>,
    functions: FxHashMap<Function, Decl<'z>>,
    sorts: FxHashMap<Sort, SortRef<'z>>,
    /// Next number to name something by.
    next: u32,
}

impl<'z> Translator<'z> {
    pub(super) fn new(context: &'z Context, terms: &'z Terms) -> Translator<'z> {
        Translator {
            context,
            terms,
            done: FxHashMap::default(),
            symbols: FxHashMap::default(),
            names: FxHashMap::default(),
            functions: FxHashMap::default(),
            sorts: FxHashMap::default(),
            next: 0,
        }
    }

    pub(super) fn context(&self) -> &'z Context {
        self.context
    }

    pub(super) fn terms(&self) -> &'z Terms {
        self.terms
    }

    /// The constant that stands for a symbol, if the symbol was translated.
    pub(super) fn constant(&self, symbol: Symbol) -> Option<Decl<'z>> {
        self.symbols.get(&symbol).copied()
    }

    /// The symbol that a constant stands for.
    pub(super) fn symbol_of(&self, constant: Decl<'z>) -> Option<Symbol> {
        self.names.get(&constant).copied()
    }

    /// A new constant of sort `Bool` that stands for no symbol.
    pub(super) fn fresh_literal(&mut self) -> Result<Ast<'z>, Refused> {
        let sort = self.sort(Sort::Bool)?;
        let number = self.number();
        let constant = self.context.function(number, &[], sort)?;
        self.context.apply(constant, &[])
    }

    /// A new relation without arguments, and its application.
    pub(super) fn fresh_relation(&mut self) -> Result<(Decl<'z>, Ast<'z>), Refused> {
        let sort = self.sort(Sort::Bool)?;
        let number = self.number();
        let relation = self.context.function(number, &[], sort)?;
        Ok((relation, self.context.apply(relation, &[])?))
    }

    /// Translates a term. Setting `stop` ends it soon.
    pub(super) fn term(&mut self, root: Term, stop: &AtomicBool) -> Result<Ast<'z>, Trouble> {
        if let Some(&known) = self.done.get(&root) {
            return Ok(known);
        }
        let terms = self.terms;
        // A term is on the stack twice: first to push what it needs, then to be made.
        let mut stack = vec![(root, false)];
        let mut steps = 0u32;
        while let Some((term, ready)) = stack.pop() {
            if self.done.contains_key(&term) {
                continue;
            }
            if ready {
                let ast = self.make(term)?;
                self.done.insert(term, ast);
                continue;
            }
            steps = steps.wrapping_add(1);
            if steps.is_multiple_of(STRIDE) && stop.load(Ordering::Relaxed) {
                return Err(Trouble::Stopped);
            }
            stack.push((term, true));
            let mut need = |child| {
                if !self.done.contains_key(&child) {
                    stack.push((child, false));
                }
            };
            if let Node::Call(relation, _) = terms.node(term) {
                let info = terms.relation_info(*relation);
                need(info.body);
                info.params.iter().for_each(|&param| need(terms.var(param)));
            }
            terms.for_each_child(term, need);
        }
        Ok(self.get(root)?)
    }

    /// A term that was translated before.
    fn get(&self, term: Term) -> Result<Ast<'z>, Refused> {
        let known = self.done.get(&term).copied();
        known.ok_or_else(|| Refused("a term comes before its parts".into()))
    }

    fn all(&self, terms: &[Term]) -> Result<Vec<Ast<'z>>, Refused> {
        terms.iter().map(|&term| self.get(term)).collect()
    }

    /// Translates a term whose parts are translated.
    fn make(&mut self, term: Term) -> Result<Ast<'z>, Refused> {
        let (context, terms) = (self.context, self.terms);
        match terms.node(term) {
            Node::Bool(true) => context.nullary(Z3_mk_true),
            Node::Bool(false) => context.nullary(Z3_mk_false),
            Node::Int(value) => self.int(value),
            Node::Real(value) => {
                let sort = self.sort(Sort::Real)?;
                context.fraction(value, sort)
            }
            Node::Bits(width, value) => {
                let sort = self.sort(Sort::BitVec(*width))?;
                context.numeral(&Int::from(value.clone()), sort)
            }
            Node::Symbol(symbol) => {
                let sort = self.sort(terms.sort(term))?;
                let number = self.number();
                let constant = context.function(number, &[], sort)?;
                self.symbols.insert(*symbol, constant);
                self.names.insert(constant, *symbol);
                context.apply(constant, &[])
            }
            Node::Not(a) => context.unary(Z3_mk_not, self.get(*a)?),
            Node::And(args) => context.nary(Z3_mk_and, &self.all(args)?),
            Node::Or(args) => context.nary(Z3_mk_or, &self.all(args)?),
            Node::Iff(a, b) | Node::Equal(a, b) => {
                context.binary(Z3_mk_eq, self.get(*a)?, self.get(*b)?)
            }
            Node::Ite(a, b, c) => {
                context.ternary(Z3_mk_ite, [self.get(*a)?, self.get(*b)?, self.get(*c)?])
            }
            Node::Sum(sum) => self.sum(sum),
            Node::Product(a, b) => context.nary(Z3_mk_mul, &[self.get(*a)?, self.get(*b)?]),
            Node::Div(a, divisor) => {
                let divisor = self.int(divisor)?;
                context.binary(Z3_mk_div, self.get(*a)?, divisor)
            }
            Node::Mod(a, divisor) => {
                let divisor = self.int(divisor)?;
                context.binary(Z3_mk_mod, self.get(*a)?, divisor)
            }
            Node::AtMostZero(sum) => self.compare(Z3_mk_le, sum),
            Node::Zero(sum) => self.compare(Z3_mk_eq, sum),
            Node::Divides(divisor, sum) => {
                let (sum, divisor) = (self.sum(sum)?, self.int(divisor)?);
                let rest = context.binary(Z3_mk_mod, sum, divisor)?;
                context.binary(Z3_mk_eq, rest, self.int(&Int::ZERO)?)
            }
            Node::Apply(function, args) => {
                let declared = self.function(*function)?;
                context.apply(declared, &self.all(args)?)
            }
            Node::Call(relation, args) => {
                let info = terms.relation_info(*relation);
                let params: Vec<Term> = info.params.iter().map(|&p| terms.var(p)).collect();
                let body = self.get(info.body)?;
                context.substitute(body, &self.all(&params)?, &self.all(args)?)
            }
            Node::Op(op, args) => {
                let args = self.all(args)?;
                self.op(*op, &args)
            }
        }
    }

    fn int(&mut self, value: &Int) -> Result<Ast<'z>, Refused> {
        let sort = self.sort(Sort::Int)?;
        self.context.numeral(value, sort)
    }

    /// The parts of a combination, without its constant.
    fn parts(&mut self, sum: &Linear) -> Result<Vec<Ast<'z>>, Refused> {
        let mut parts = Vec::with_capacity(sum.parts.len() + 1);
        for (term, coefficient) in &sum.parts {
            let term = self.get(*term)?;
            parts.push(if coefficient.is_one() {
                term
            } else {
                let coefficient = self.int(coefficient)?;
                self.context.nary(Z3_mk_mul, &[coefficient, term])?
            });
        }
        Ok(parts)
    }

    fn add(&mut self, parts: &[Ast<'z>]) -> Result<Ast<'z>, Refused> {
        match parts {
            [] => self.int(&Int::ZERO),
            [single] => Ok(*single),
            _ => self.context.nary(Z3_mk_add, parts),
        }
    }

    fn sum(&mut self, sum: &Linear) -> Result<Ast<'z>, Refused> {
        let mut parts = self.parts(sum)?;
        if !sum.constant.is_zero() {
            parts.push(self.int(&sum.constant)?);
        }
        self.add(&parts)
    }

    /// Compares a combination with zero: the parts on the left, the constant on the right.
    fn compare(
        &mut self,
        relation: unsafe extern "C" fn(Z3_context, Z3_ast, Z3_ast) -> Option<Z3_ast>,
        sum: &Linear,
    ) -> Result<Ast<'z>, Refused> {
        let parts = self.parts(sum)?;
        let (left, right) = (self.add(&parts)?, self.int(&-&sum.constant)?);
        self.context.binary(relation, left, right)
    }

    /// The function, as Z3 has it.
    pub(super) fn function(&mut self, function: Function) -> Result<Decl<'z>, Refused> {
        if let Some(&known) = self.functions.get(&function) {
            return Ok(known);
        }
        let info = self.terms.function_info(function);
        let params: Result<Vec<_>, _> = info.params.iter().map(|&sort| self.sort(sort)).collect();
        let (params, result) = (params?, self.sort(info.result)?);
        let number = self.number();
        let declared = self.context.function(number, &params, result)?;
        self.functions.insert(function, declared);
        Ok(declared)
    }

    /// The sort, as Z3 has it.
    pub(super) fn sort(&mut self, sort: Sort) -> Result<SortRef<'z>, Refused> {
        if let Some(&known) = self.sorts.get(&sort) {
            return Ok(known);
        }
        let context = self.context;
        let made = match sort {
            Sort::Bool => context.bool_sort(),
            Sort::Int => context.int_sort(),
            Sort::Real => context.real_sort(),
            Sort::BitVec(width) => context.bits_sort(width),
            Sort::Float(exponent, significand) => context.float_sort(exponent, significand),
            Sort::Array(array) => {
                // The sorts of indices and elements were made before: this ends.
                let (index, element) = self.terms.array_sorts(array);
                let (index, element) = (self.sort(index)?, self.sort(element)?);
                context.array_sort(index, element)
            }
        }?;
        self.sorts.insert(sort, made);
        Ok(made)
    }

    fn number(&mut self) -> u32 {
        self.next += 1;
        self.next
    }
}
