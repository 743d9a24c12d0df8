//! Terms as text for people: infix, with the names of symbols. (The SMT-LIB text of a query comes from the session that asks it.)

use std::fmt::{self, Write};

use dashu_base::{Abs, Signed};

use super::{Linear, Node, Term, Terms};

/// Below this depth a term is shown as an ellipsis, since the tree may be exponentially larger than the graph.
const DEPTH: u32 = 40;

impl Terms {
    /// The term as text. Deep terms are cut off with an ellipsis.
    pub fn display(&self, term: Term) -> impl fmt::Display + '_ {
        Shown { terms: self, term }
    }
}

struct Shown<'t> {
    terms: &'t Terms,
    term: Term,
}

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The text of a graph can be much larger than the graph: an overall limit keeps it readable.
        let mut printer = Printer {
            terms: self.terms,
            out: f,
            left: 10_000,
        };
        printer.term(self.term, DEPTH)
    }
}

struct Printer<'t, 'f, 'g> {
    terms: &'t Terms,
    out: &'f mut fmt::Formatter<'g>,
    left: u32,
}

impl Printer<'_, '_, '_> {
    fn term(&mut self, term: Term, depth: u32) -> fmt::Result {
        let Some(depth) = depth.checked_sub(1).filter(|_| self.left > 0) else {
            return self.out.write_char('…');
        };
        self.left -= 1;
        let terms = self.terms;
        match terms.node(term) {
            Node::Bool(value) => write!(self.out, "{value}"),
            Node::Int(value) => write!(self.out, "{value}"),
            Node::Real(value) => write!(self.out, "{value}"),
            Node::Bits(width, value) => write!(self.out, "{value}:{width}"),
            Node::Symbol(symbol) => self.out.write_str(&terms.symbol_info(*symbol).name),
            Node::Not(inner) => match terms.node(*inner) {
                Node::Zero(sum) => self.comparison(sum, "!=", depth),
                Node::Divides(divisor, sum) => {
                    write!(self.out, "{divisor} ∤ ")?;
                    self.sum(sum, depth)
                }
                _ => {
                    self.out.write_char('!')?;
                    self.term(*inner, depth)
                }
            },
            Node::And(args) => self.list("(", args, " && ", ")", depth),
            Node::Or(args) => self.list("(", args, " || ", ")", depth),
            Node::Iff(a, b) => self.list("(", &[*a, *b], " <=> ", ")", depth),
            Node::Equal(a, b) => self.list("(", &[*a, *b], " == ", ")", depth),
            Node::Product(a, b) => self.list("(", &[*a, *b], " * ", ")", depth),
            Node::Ite(a, b, c) => {
                self.out.write_char('(')?;
                self.term(*a, depth)?;
                self.list(" ? ", &[*b, *c], " : ", ")", depth)
            }
            Node::Sum(sum) => {
                self.out.write_char('(')?;
                self.sum(sum, depth)?;
                self.out.write_char(')')
            }
            Node::Div(a, divisor) => {
                self.list("floor(", &[*a], "", "", depth)?;
                write!(self.out, " / {divisor})")
            }
            Node::Mod(a, divisor) => {
                self.list("(", &[*a], "", "", depth)?;
                write!(self.out, " mod {divisor})")
            }
            Node::AtMostZero(sum) => self.comparison(sum, "<=", depth),
            Node::Zero(sum) => self.comparison(sum, "==", depth),
            Node::Divides(divisor, sum) => {
                write!(self.out, "{divisor} | ")?;
                self.sum(sum, depth)
            }
            Node::Apply(function, args) => {
                self.out.write_str(&terms.function_info(*function).name)?;
                self.list("(", args, ", ", ")", depth)
            }
            Node::Call(relation, args) => {
                self.out.write_str(&terms.relation_info(*relation).name)?;
                self.list("(", args, ", ", ")", depth)
            }
            Node::Op(op, args) => {
                write!(self.out, "{op:?}")?;
                self.list("(", args, ", ", ")", depth)
            }
        }
    }

    fn list(
        &mut self,
        open: &str,
        args: &[Term],
        between: &str,
        close: &str,
        depth: u32,
    ) -> fmt::Result {
        self.out.write_str(open)?;
        for (index, &arg) in args.iter().enumerate() {
            if index > 0 {
                self.out.write_str(between)?;
            }
            self.term(arg, depth)?;
        }
        self.out.write_str(close)
    }

    /// `x + 2*y <= 7`: positive parts on the left, negative ones on the right.
    fn comparison(&mut self, sum: &Linear, operator: &str, depth: u32) -> fmt::Result {
        let side = |positive: bool| Linear {
            parts: sum
                .parts
                .iter()
                .filter(|part| part.1.is_positive() == positive)
                .map(|(term, coefficient)| (*term, coefficient.abs()))
                .collect(),
            constant: if sum.constant.is_positive() == positive {
                (&sum.constant).abs()
            } else {
                crate::num::Int::ZERO
            },
        };
        self.sum(&side(true), depth)?;
        write!(self.out, " {operator} ")?;
        self.sum(&side(false), depth)
    }

    fn sum(&mut self, sum: &Linear, depth: u32) -> fmt::Result {
        for (index, (term, coefficient)) in sum.parts.iter().enumerate() {
            let sign = match (coefficient.is_negative(), index) {
                (true, 0) => "-",
                (true, _) => " - ",
                (false, 0) => "",
                (false, _) => " + ",
            };
            self.out.write_str(sign)?;
            let size = coefficient.abs();
            if !size.is_one() {
                write!(self.out, "{size}*")?;
            }
            self.term(*term, depth)?;
        }
        match (sum.parts.is_empty(), sum.constant.is_zero()) {
            (true, _) => write!(self.out, "{}", sum.constant),
            (false, true) => Ok(()),
            (false, false) if sum.constant.is_negative() => {
                write!(self.out, " - {}", (&sum.constant).abs())
            }
            (false, false) => write!(self.out, " + {}", sum.constant),
        }
    }
}
