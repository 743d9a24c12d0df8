//! Constructors. They keep the normal forms and fold what can be folded in one step.

use dashu_int::UBig;

use crate::num::{Int, Rat, ceil_div, floor_div_mod, floor_mod, gcd};

use super::{Function, Linear, Node, Op, Relation, Sort, Symbol, Term, Terms};

impl Terms {
    /// `true` or `false`.
    pub fn bool(&self, value: bool) -> Term {
        self.intern(Node::Bool(value), Sort::Bool)
    }

    /// An integer.
    pub fn int(&self, value: impl Into<Int>) -> Term {
        self.intern(Node::Int(value.into()), Sort::Int)
    }

    /// A real number.
    pub fn real(&self, value: Rat) -> Term {
        self.intern(Node::Real(value), Sort::Real)
    }

    /// A bit-vector with the low bits of the value.
    pub fn bits(&self, width: u32, value: UBig) -> Term {
        let low = value % (UBig::ONE << width as usize);
        self.intern(Node::Bits(width, low), Sort::BitVec(width))
    }

    /// A symbol as a term.
    pub fn var(&self, symbol: Symbol) -> Term {
        self.intern(Node::Symbol(symbol), self.symbol_info(symbol).sort)
    }

    /// A new symbol as a term.
    pub fn fresh(&self, name: impl Into<Box<str>>, sort: Sort) -> Term {
        self.var(self.symbol(name, sort))
    }

    /// The truth value that a formula is, if it is one.
    pub fn as_bool(&self, term: Term) -> Option<bool> {
        match *self.node(term) {
            Node::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The integer that a term is, if it is one.
    pub fn as_int(&self, term: Term) -> Option<&Int> {
        match self.node(term) {
            Node::Int(value) => Some(value),
            _ => None,
        }
    }

    /// The symbol that a term is, if it is one.
    pub fn as_symbol(&self, term: Term) -> Option<Symbol> {
        match *self.node(term) {
            Node::Symbol(symbol) => Some(symbol),
            _ => None,
        }
    }

    /// A term of sort `Int` as a combination.
    pub fn as_linear(&self, term: Term) -> Linear {
        match self.node(term) {
            Node::Int(value) => Linear::constant(value.clone()),
            Node::Sum(sum) => sum.clone(),
            _ => Linear::single(term),
        }
    }

    /// A combination as a term.
    pub fn linear(&self, sum: &Linear) -> Term {
        match &*sum.parts {
            [] => self.int(sum.constant.clone()),
            [(term, coefficient)] if coefficient.is_one() && sum.constant.is_zero() => *term,
            _ => self.intern(Node::Sum(sum.clone()), Sort::Int),
        }
    }

    /// Sum.
    pub fn add(&self, a: Term, b: Term) -> Term {
        self.linear(&self.as_linear(a).plus(&Int::ONE, &self.as_linear(b)))
    }

    /// Difference.
    pub fn sub(&self, a: Term, b: Term) -> Term {
        self.linear(&self.as_linear(a).plus(&Int::NEG_ONE, &self.as_linear(b)))
    }

    /// Negative.
    pub fn neg(&self, a: Term) -> Term {
        self.scale(Int::NEG_ONE, a)
    }

    /// Multiple.
    pub fn scale(&self, factor: impl Into<Int>, a: Term) -> Term {
        self.linear(&self.as_linear(a).times(&factor.into()))
    }

    /// Product; linear if one of the two is a constant.
    pub fn mul(&self, a: Term, b: Term) -> Term {
        match (self.as_int(a), self.as_int(b)) {
            (Some(factor), _) => self.scale(factor.clone(), b),
            (_, Some(factor)) => self.scale(factor.clone(), a),
            _ => self.intern(Node::Product(a.min(b), a.max(b)), Sort::Int),
        }
    }

    /// Quotient by a positive integer, rounded down. (A divisor below 1 is taken as 1.)
    pub fn div(&self, a: Term, divisor: impl Into<Int>) -> Term {
        let divisor = divisor.into();
        if divisor <= Int::ONE {
            return a;
        }
        if let Node::Div(inner, first) = self.node(a) {
            return self.div(*inner, first * divisor);
        }
        // Whole multiples come out: floor((d*q + r) / d) = q + floor(r / d).
        let (whole, mut rest) = self.split(&self.as_linear(a), &divisor);
        let common = gcd(&rest.content(), &divisor);
        let mut divisor = divisor;
        if common > Int::ONE {
            // floor((g*s + c) / (g*d)) = floor((s + floor(c / g)) / d).
            rest = divided(&rest, &common, |c| floor_div_mod(c, &common).0);
            divisor /= common;
        }
        let inner = self.linear(&rest);
        let quotient = if divisor.is_one() {
            rest
        } else {
            match self.node(inner) {
                Node::Int(value) => Linear::constant(floor_div_mod(value, &divisor).0),
                // What came out or was cancelled can leave a quotient alone.
                Node::Div(..) => self.as_linear(self.div(inner, divisor)),
                Node::Mod(_, by) if *by <= divisor => Linear::default(),
                _ => Linear::single(self.intern(Node::Div(inner, divisor), Sort::Int)),
            }
        };
        self.linear(&whole.plus(&Int::ONE, &quotient))
    }

    /// Remainder, from 0 on, of the division by a positive integer. (A divisor below 1 is taken as 1.)
    pub fn modulo(&self, a: Term, divisor: impl Into<Int>) -> Term {
        let divisor = divisor.into();
        if divisor <= Int::ONE {
            return self.int(0);
        }
        let rest = self.remainder(&self.as_linear(a), &divisor);
        if rest.parts.is_empty() {
            return self.int(rest.constant);
        }
        let common = gcd(&gcd(&rest.content(), &rest.constant), &divisor);
        if common > Int::ONE {
            // (g*s) mod (g*d) = g * (s mod d).
            let inner = self.linear(&divided(&rest, &common, |c| c / &common));
            return self.scale(common.clone(), self.modulo(inner, divisor / common));
        }
        let inner = self.linear(&rest);
        match self.node(inner) {
            Node::Mod(_, by) if *by <= divisor => inner,
            _ => self.intern(Node::Mod(inner, divisor), Sort::Int),
        }
    }

    /// `whole` and `rest` with `sum = divisor * whole + rest`, all numbers of the rest from 0 on and below the divisor.
    fn split(&self, sum: &Linear, divisor: &Int) -> (Linear, Linear) {
        let (mut whole, mut rest) = (Vec::new(), Vec::new());
        for (term, coefficient) in &sum.parts {
            let (quotient, remainder) = floor_div_mod(coefficient, divisor);
            if !quotient.is_zero() {
                whole.push((*term, quotient));
            }
            if !remainder.is_zero() {
                rest.push((*term, remainder));
            }
        }
        let (quotient, remainder) = floor_div_mod(&sum.constant, divisor);
        let linear = |parts: Vec<_>, constant| Linear {
            parts: parts.into(),
            constant,
        };
        (linear(whole, quotient), linear(rest, remainder))
    }

    /// A combination that is congruent modulo the divisor and simpler: small numbers, no remainder by a multiple of the divisor.
    fn remainder(&self, sum: &Linear, divisor: &Int) -> Linear {
        let opened = sum.parts.iter().any(|(term, _)| self.opens(*term, divisor));
        if !opened {
            return self.split(sum, divisor).1;
        }
        let mut open = Linear::constant(sum.constant.clone());
        for (term, coefficient) in &sum.parts {
            let part = match self.node(*term) {
                Node::Mod(inner, _) if self.opens(*term, divisor) => self.as_linear(*inner),
                _ => Linear::single(*term),
            };
            open = open.plus(coefficient, &part);
        }
        self.remainder(&open, divisor)
    }

    /// Whether the term is a remainder by a multiple of the divisor.
    fn opens(&self, term: Term, divisor: &Int) -> bool {
        matches!(self.node(term), Node::Mod(_, by) if floor_mod(by, divisor).is_zero())
    }

    /// At most.
    pub fn le(&self, a: Term, b: Term) -> Term {
        self.at_most_zero(&self.as_linear(a).plus(&Int::NEG_ONE, &self.as_linear(b)))
    }

    /// Less.
    pub fn lt(&self, a: Term, b: Term) -> Term {
        self.not(self.le(b, a))
    }

    /// At least.
    pub fn ge(&self, a: Term, b: Term) -> Term {
        self.le(b, a)
    }

    /// Greater.
    pub fn gt(&self, a: Term, b: Term) -> Term {
        self.lt(b, a)
    }

    /// Whether a term lies between two integers, both included.
    pub fn within(&self, low: impl Into<Int>, a: Term, high: impl Into<Int>) -> Term {
        self.and([self.le(self.int(low), a), self.le(a, self.int(high))])
    }

    /// Equality of two terms of one sort.
    pub fn eq(&self, a: Term, b: Term) -> Term {
        if a == b {
            return self.bool(true);
        }
        match self.sort(a) {
            Sort::Bool => self.iff(a, b),
            Sort::Int => self.zero(&self.as_linear(a).plus(&Int::NEG_ONE, &self.as_linear(b))),
            _ => {
                let literal = |term| matches!(self.node(term), Node::Bits(..) | Node::Real(_));
                if literal(a) && literal(b) {
                    return self.bool(false);
                }
                self.intern(Node::Equal(a.min(b), a.max(b)), Sort::Bool)
            }
        }
    }

    /// Inequality of two terms of one sort.
    pub fn ne(&self, a: Term, b: Term) -> Term {
        self.not(self.eq(a, b))
    }

    /// The combination is at most zero.
    pub fn at_most_zero(&self, sum: &Linear) -> Term {
        if sum.parts.is_empty() {
            return self.bool(sum.constant <= Int::ZERO);
        }
        if let Some(statement) = self.of_indicator(sum, |value| *value <= Int::ZERO) {
            return statement;
        }
        let content = sum.content();
        let sum = divided(sum, &content, |c| ceil_div(c, &content));
        if let [(term, coefficient)] = &*sum.parts
            && let Node::Mod(inner, divisor) = self.node(*term)
        {
            // A bound on a remainder, of which 0 ..= d-1 are all the values; the ends are congruences.
            let last = divisor - Int::ONE;
            let (zero, top) = (
                || self.divides_linear(divisor, &self.as_linear(*inner)),
                || {
                    let shifted = self
                        .as_linear(*inner)
                        .plus(&Int::ONE, &Linear::constant(Int::ONE));
                    self.divides_linear(divisor, &shifted)
                },
            );
            if coefficient.is_one() {
                let bound = -&sum.constant;
                if bound < Int::ZERO {
                    return self.bool(false);
                } else if bound >= last {
                    return self.bool(true);
                } else if bound.is_zero() {
                    return zero();
                } else if bound == &last - Int::ONE {
                    return self.not(top());
                }
            } else {
                let bound = sum.constant.clone();
                if bound <= Int::ZERO {
                    return self.bool(true);
                } else if bound > last {
                    return self.bool(false);
                } else if bound == last {
                    return top();
                } else if bound.is_one() {
                    return self.not(zero());
                }
            }
        }
        self.intern(Node::AtMostZero(sum), Sort::Bool)
    }

    /// The combination is zero.
    pub fn zero(&self, sum: &Linear) -> Term {
        if sum.parts.is_empty() {
            return self.bool(sum.constant.is_zero());
        }
        if let Some(statement) = self.of_indicator(sum, Int::is_zero) {
            return statement;
        }
        let mut content = sum.content();
        if !floor_mod(&sum.constant, &content).is_zero() {
            return self.bool(false);
        }
        if sum.parts[0].1 < Int::ZERO {
            content = -content;
        }
        let sum = divided(sum, &content, |c| c / &content);
        if let [(term, _)] = &*sum.parts
            && let Node::Mod(inner, divisor) = self.node(*term)
        {
            let residue = -&sum.constant;
            if residue < Int::ZERO || residue >= *divisor {
                return self.bool(false);
            }
            let shifted = self
                .as_linear(*inner)
                .plus(&Int::ONE, &Linear::constant(sum.constant));
            return self.divides_linear(divisor, &shifted);
        }
        self.intern(Node::Zero(sum), Sort::Bool)
    }

    /// Whether a positive integer divides the term. (A divisor below 1 is taken as 1.)
    pub fn divides(&self, divisor: impl Into<Int>, a: Term) -> Term {
        self.divides_linear(&divisor.into(), &self.as_linear(a))
    }

    /// Whether the term leaves that remainder when it is divided by a positive integer.
    pub fn congruent(&self, a: Term, divisor: impl Into<Int>, remainder: impl Into<Int>) -> Term {
        let shifted = self
            .as_linear(a)
            .plus(&Int::NEG_ONE, &Linear::constant(remainder.into()));
        self.divides_linear(&divisor.into(), &shifted)
    }

    /// Whether a positive integer divides the combination. (A divisor below 1 is taken as 1.)
    pub fn divides_linear(&self, divisor: &Int, sum: &Linear) -> Term {
        if *divisor <= Int::ONE {
            return self.bool(true);
        }
        let rest = self.remainder(sum, divisor);
        let common = gcd(&rest.content(), divisor);
        if !floor_mod(&rest.constant, &common).is_zero() {
            return self.bool(false);
        }
        if common > Int::ONE {
            // With a smaller divisor more remainders can be opened.
            let rest = divided(&rest, &common, |c| c / &common);
            return self.divides_linear(&(divisor / &common), &rest);
        }
        // Of s and -s the one with the smaller coefficients.
        let opposite = self.split(&rest.times(&Int::NEG_ONE), divisor).1;
        fn numbers(sum: &Linear) -> impl Iterator<Item = &Int> {
            let coefficients = sum.parts.iter().map(|part| &part.1);
            coefficients.chain([&sum.constant])
        }
        let least = if numbers(&opposite).lt(numbers(&rest)) {
            opposite
        } else {
            rest
        };
        self.intern(Node::Divides(divisor.clone(), least), Sort::Bool)
    }

    /// An uninterpreted function, applied.
    pub fn apply(&self, function: Function, args: impl Into<Box<[Term]>>) -> Term {
        let sort = self.function_info(function).result;
        self.intern(Node::Apply(function, args.into()), sort)
    }

    /// A named relation, with a term for each parameter.
    pub fn call(&self, relation: Relation, args: impl Into<Box<[Term]>>) -> Term {
        match self.as_bool(self.relation_info(relation).body) {
            Some(value) => self.bool(value),
            None => self.intern(Node::Call(relation, args.into()), Sort::Bool),
        }
    }

    /// An operation of another theory. The caller answers for the sorts of the arguments.
    pub fn op(&self, op: Op, args: impl Into<Box<[Term]>>) -> Term {
        let args = args.into();
        let sort = self.op_sort(op, &args);
        self.intern(Node::Op(op, args), sort)
    }
}

/// Coefficients divided by a common divisor, the constant through a function of its own.
fn divided(sum: &Linear, by: &Int, constant: impl Fn(&Int) -> Int) -> Linear {
    if by.is_one() {
        return sum.clone();
    }
    Linear {
        parts: sum
            .parts
            .iter()
            .map(|(term, coefficient)| (*term, coefficient / by))
            .collect(),
        constant: constant(&sum.constant),
    }
}
