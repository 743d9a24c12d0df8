//! Names for the large terms of queries.
//!
//! The dimensions of a hull can be as large as the formula: the values after a long body are conditionals on all of its
//! branches. The solver prepares every query as a whole, so such a term gets a name, with a definition that is asserted
//! once, and queries are about the name.

use rustc_hash::FxHashMap;

use crate::term::{Node, Sort, Term};

use super::Abstraction;

impl Abstraction {
    /// The formula with names in place of the conditionals, quotients and remainders that its atoms compare.
    pub(super) fn named(&mut self, formula: Term) -> Term {
        let terms = self.terms.clone();
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        let mut stack = vec![(formula, false)];
        while let Some((term, is_prepared)) = stack.pop() {
            if done.contains_key(&term) {
                continue;
            }
            match terms.node(term) {
                Node::AtMostZero(sum) | Node::Zero(sum) | Node::Divides(_, sum) => {
                    let parts = sum.parts.iter();
                    let names: FxHashMap<Term, Term> =
                        parts.map(|&(part, _)| (part, self.name_of(part))).collect();
                    let named =
                        terms.rebuild(term, |part| names.get(&part).copied().unwrap_or(part));
                    done.insert(term, named);
                }
                Node::Not(_) | Node::And(_) | Node::Or(_) | Node::Iff(..) | Node::Ite(..)
                    if !is_prepared && terms.sort(term) == Sort::Bool =>
                {
                    stack.push((term, true));
                    terms.for_each_child(term, |child| stack.push((child, false)));
                }
                _ if is_prepared => {
                    let named =
                        terms.rebuild(term, |child| done.get(&child).copied().unwrap_or(child));
                    done.insert(term, named);
                }
                _ => {
                    done.insert(term, term);
                }
            }
        }
        done.get(&formula).copied().unwrap_or(formula)
    }

    /// The name of a number, or itself if it needs none.
    fn name_of(&mut self, part: Term) -> Term {
        if !matches!(
            self.terms.node(part),
            Node::Ite(..) | Node::Div(..) | Node::Mod(..)
        ) || self.terms.sort(part) != Sort::Int
        {
            return part;
        }
        let known = self.levels.iter().find_map(|level| level.names.get(&part));
        if let Some(&name) = known {
            return self.terms.var(name);
        }
        let symbol = self.terms.symbol("hull.part", Sort::Int);
        let name = self.terms.var(symbol);
        self.session.assert(self.terms.eq(name, part));
        if let Some(level) = self.levels.last_mut() {
            level.names.insert(part, symbol);
        }
        name
    }
}
