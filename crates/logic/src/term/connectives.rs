//! Connectives and choices. Like all constructors they keep the normal forms and fold what can be folded in one step.

use crate::num::Int;

use super::{Linear, Node, Sort, Term, Terms};

/// A conjunction inside a conjunction is dissolved only up to this size: copying long ones over and over would make
/// building a chain quadratic.
const FLATTEN: usize = 8;

/// So many equalities of a conjunction are compared with each other.
const EQUALITIES: usize = 16;

/// So many parts a sum may have to which the indicator of a choice is added.
const INDICATED: usize = 24;

/// The least difference between a value and the same value wrapped round: that of the narrowest type.
const WRAPS: i64 = 256;

impl Terms {
    /// Negation. Integer inequalities turn round, what is not even is odd; everything else is wrapped.
    pub fn not(&self, term: Term) -> Term {
        match self.node(term) {
            Node::Bool(value) => self.bool(!value),
            Node::Not(inner) => *inner,
            // not (s <= 0) is s >= 1, that is 1 - s <= 0.
            Node::AtMostZero(sum) => {
                self.at_most_zero(&Linear::constant(Int::ONE).plus(&Int::NEG_ONE, sum))
            }
            Node::Divides(divisor, sum) if *divisor == Int::from(2) => {
                self.divides_linear(divisor, &sum.plus(&Int::ONE, &Linear::constant(Int::ONE)))
            }
            _ => self.intern(Node::Not(term), Sort::Bool),
        }
    }

    /// Conjunction.
    pub fn and(&self, terms: impl IntoIterator<Item = Term>) -> Term {
        self.junction(terms, true)
    }

    /// Disjunction.
    pub fn or(&self, terms: impl IntoIterator<Item = Term>) -> Term {
        self.junction(terms, false)
    }

    fn junction(&self, terms: impl IntoIterator<Item = Term>, conjunction: bool) -> Term {
        let mut members: Vec<Term> = Vec::new();
        for term in terms {
            match self.node(term) {
                Node::Bool(value) if *value == conjunction => {}
                Node::Bool(_) => return term,
                Node::And(inner) if conjunction && inner.len() <= FLATTEN => members.extend(inner),
                Node::Or(inner) if !conjunction && inner.len() <= FLATTEN => members.extend(inner),
                _ => members.push(term),
            }
        }
        members.sort_unstable();
        members.dedup();
        let contradicts = members.iter().any(|&term| match *self.node(term) {
            Node::Not(inner) => members.binary_search(&inner).is_ok(),
            _ => false,
        });
        let contradicts = contradicts || self.drop_implied(&mut members, conjunction);
        match members[..] {
            _ if contradicts => self.bool(!conjunction),
            [] => self.bool(conjunction),
            [single] => single,
            _ => {
                let members = members.into_boxed_slice();
                let node = if conjunction {
                    Node::And(members)
                } else {
                    Node::Or(members)
                };
                self.intern(node, Sort::Bool)
            }
        }
    }

    /// Uses what equalities of one combination with constants say about each other, in a conjunction: if it equals one
    /// constant, it equals no other. Drops members that say nothing new; says whether there are two that contradict
    /// each other. In a disjunction it is the same with negations.
    fn drop_implied(&self, members: &mut Vec<Term>, conjunction: bool) -> bool {
        let equality = |term: Term, is_equality: bool| match (self.node(term), is_equality) {
            (Node::Zero(sum), true) => Some(sum),
            (Node::Not(inner), false) => match self.node(*inner) {
                Node::Zero(sum) => Some(sum),
                _ => None,
            },
            _ => None,
        };
        let mut known: Vec<&Linear> = Vec::new();
        for &member in &*members {
            let Some(sum) = equality(member, conjunction) else {
                continue;
            };
            if known.iter().any(|known| known.parts == sum.parts) {
                return true;
            }
            if known.len() < EQUALITIES {
                known.push(sum);
            }
        }
        if !known.is_empty() {
            members.retain(|&member| {
                let other = equality(member, !conjunction);
                other.is_none_or(|sum| !known.iter().any(|known| known.parts == sum.parts))
            });
        }
        false
    }

    /// Implication.
    pub fn implies(&self, premise: Term, conclusion: Term) -> Term {
        self.or([self.not(premise), conclusion])
    }

    /// Equivalence.
    pub fn iff(&self, a: Term, b: Term) -> Term {
        match (self.as_bool(a), self.as_bool(b)) {
            (Some(true), _) => b,
            (Some(false), _) => self.not(b),
            (_, Some(true)) => a,
            (_, Some(false)) => self.not(a),
            _ if a == b => self.bool(true),
            _ if self.not(a) == b => self.bool(false),
            _ => self.intern(Node::Iff(a.min(b), a.max(b)), Sort::Bool),
        }
    }

    /// The second if the first holds, else the third.
    pub fn ite(&self, condition: Term, then: Term, other: Term) -> Term {
        match self.node(condition) {
            Node::Bool(true) => return then,
            Node::Bool(false) => return other,
            Node::Not(inner) => return self.ite(*inner, other, then),
            _ if then == other => return then,
            _ => {}
        }
        let [then, other] = [(then, true), (other, false)]
            .map(|(value, holds)| self.chosen_under(condition, holds, value));
        if then == other {
            return then;
        }
        let sort = self.sort(then);
        if sort == Sort::Bool {
            let negated = self.not(condition);
            return self.and([self.or([negated, then]), self.or([condition, other])]);
        }
        if sort == Sort::Int
            && let Some(sum) = self.indicated(condition, then, other)
        {
            return sum;
        }
        self.intern(Node::Ite(condition, then, other), sort)
    }

    /// A value where a condition holds, or doesn't: choices that it decides are not asked again, however deep they are in one another.
    fn chosen_under(&self, condition: Term, holds: bool, mut value: Term) -> Term {
        while let Node::Ite(inner, if_so, if_not) = *self.node(value) {
            match self.decides(condition, holds, inner) {
                Some(true) => value = if_so,
                Some(false) => value = if_not,
                None => break,
            }
        }
        value
    }

    /// Whether a condition holds where another one does, or doesn't, if that is seen at once.
    fn decides(&self, known: Term, holds: bool, condition: Term) -> Option<bool> {
        let (condition, sense) = match *self.node(condition) {
            Node::Not(inner) => (inner, false),
            _ => (condition, true),
        };
        let literals = match self.node(known) {
            Node::And(members) if holds => &**members,
            Node::Or(members) if !holds => &**members,
            _ => std::slice::from_ref(&known),
        };
        let decided = literals.iter().find_map(|&literal| {
            let (literal, holds) = match *self.node(literal) {
                Node::Not(inner) => (inner, !holds),
                _ => (literal, holds),
            };
            match (self.node(literal), self.node(condition)) {
                _ if literal == condition => Some(holds),
                (Node::Zero(one), Node::Zero(other)) if holds && one.parts == other.parts => {
                    Some(false)
                }
                _ => None,
            }
        });
        decided.map(|value| value == sense)
    }

    /// A choice between two values that differ by a constant, as a sum with the indicator of the condition, which is 1
    /// or 0: then what several variables get in the branches of one condition can cancel out without a case
    /// distinction. Not for values that wrap round: there both cases are wanted as they are. And not for long sums, of
    /// which a chain of choices would make copies.
    fn indicated(&self, condition: Term, then: Term, other: Term) -> Option<Term> {
        let base = self.as_linear(other);
        if base.parts.len() > INDICATED {
            return None;
        }
        let difference = self.as_linear(then).plus(&Int::NEG_ONE, &base);
        let Linear { parts, constant } = &difference;
        if !parts.is_empty() || *constant >= WRAPS.into() || *constant <= (-WRAPS).into() {
            return None;
        }
        let indicator = self.intern(Node::Ite(condition, self.int(1), self.int(0)), Sort::Int);
        let sum = base.plus(&difference.constant, &Linear::single(indicator));
        Some(self.linear(&sum))
    }

    /// The condition of which the term is the indicator.
    fn as_indicator(&self, term: Term) -> Option<Term> {
        let Node::Ite(condition, then, other) = self.node(term) else {
            return None;
        };
        let is = |term: Term, value: Int| self.as_int(term) == Some(&value);
        (is(*then, Int::ONE) && is(*other, Int::ZERO)).then_some(*condition)
    }

    /// A statement about a multiple of an indicator and a constant, as one about its condition.
    pub(super) fn of_indicator(&self, sum: &Linear, holds: impl Fn(&Int) -> bool) -> Option<Term> {
        let [(term, coefficient)] = &*sum.parts else {
            return None;
        };
        let condition = self.as_indicator(*term)?;
        let [if_not, if_so] = [holds(&sum.constant), holds(&(&sum.constant + coefficient))];
        Some(match (if_so, if_not) {
            (true, true) => self.bool(true),
            (true, false) => condition,
            (false, true) => self.not(condition),
            (false, false) => self.bool(false),
        })
    }
}
