//! Formulas as SMT-LIB 2 text, for other solvers and for looking into a query.
//!
//! Shared terms are defined once (`define-fun`), so the text is linear in the graph. Named relations are replaced by their bodies.

use std::fmt::Write as _;

use dashu_base::{Abs, Signed};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::num::{Int, Rat};
use crate::term::{Function, Linear, Node, Op, Rounding, Sort, Symbol, Term, Terms};

/// A term that is used once stands where it is used, unless its text gets longer than this.
const INLINE: usize = 200;

/// A script that asks whether all of the formulas can hold.
///
/// ```
/// # use rhumb_logic::{Sort, Terms, session::smtlib};
/// let terms = Terms::new();
/// let x = terms.fresh("x", Sort::Int);
/// let script = smtlib(&terms, &[terms.lt(x, terms.int(3))]);
/// assert!(script.contains("(assert (<= x!1 2))"));
/// assert!(script.ends_with("(check-sat)\n"));
/// ```
pub fn smtlib(terms: &Terms, formulas: &[Term]) -> String {
    let mut out = String::from("(set-logic ALL)\n");
    let mut writer = Writer::default();
    for formula in writer.define(terms, formulas, &mut out) {
        line(&mut out, format_args!("(assert {formula})"));
    }
    out.push_str("(check-sat)\n");
    out
}

/// Writes terms, and remembers what it has declared and defined. A script forgets declarations when a level is closed, and so does this.
#[derive(Default)]
pub(super) struct Writer {
    symbols: FxHashMap<Symbol, String>,
    functions: FxHashMap<Function, String>,
    /// Names of terms that were defined.
    defined: FxHashMap<Term, String>,
    /// Everything that has a name now, in the order in which it got it.
    trail: Vec<Named>,
    /// Length of the trail when each of the open levels was opened.
    levels: Vec<usize>,
    next: u32,
}

enum Named {
    Symbol(Symbol),
    Function(Function),
    Term(Term),
}

impl Writer {
    /// Appends all declarations and definitions that some terms need. Returns a text for each.
    pub(super) fn define(
        &mut self,
        terms: &Terms,
        roots: &[Term],
        out: &mut String,
    ) -> Vec<String> {
        let roots: Vec<Term> = roots.iter().map(|&root| terms.expand(root)).collect();
        let order = self.undefined(terms, &roots);
        let mut uses: FxHashMap<Term, u32> = FxHashMap::default();
        for &term in &order {
            terms.for_each_child(term, |child| *uses.entry(child).or_default() += 1);
        }
        let mut texts: FxHashMap<Term, String> = FxHashMap::default();
        for term in order {
            let text = self.text(terms, term, &texts, out);
            let is_short = text.len() < INLINE && uses.get(&term).is_none_or(|&uses| uses == 1);
            let is_leaf = {
                let mut leaf = true;
                terms.for_each_child(term, |_| leaf = false);
                leaf
            };
            if is_leaf || is_short {
                texts.insert(term, text);
            } else {
                let name = self.name("t");
                let sort = sort_text(terms, terms.sort(term));
                line(out, format_args!("(define-fun {name} () {sort} {text})"));
                self.defined.insert(term, name);
                self.trail.push(Named::Term(term));
            }
        }
        let text = |term| self.known(&texts, term).to_owned();
        roots.into_iter().map(text).collect()
    }

    /// The terms below some others that have no name yet, each once and after its parts.
    fn undefined(&self, terms: &Terms, roots: &[Term]) -> Vec<Term> {
        let (mut order, mut seen) = (Vec::new(), FxHashSet::default());
        let mut stack: Vec<(Term, bool)> = roots.iter().map(|&root| (root, false)).collect();
        while let Some((term, ready)) = stack.pop() {
            if ready {
                order.push(term);
            } else if !self.defined.contains_key(&term) && seen.insert(term) {
                stack.push((term, true));
                terms.for_each_child(term, |child| stack.push((child, false)));
            }
        }
        order
    }

    /// A level is opened.
    pub(super) fn push(&mut self) {
        self.levels.push(self.trail.len());
    }

    /// The last level is closed.
    pub(super) fn pop(&mut self) {
        let start = self.levels.pop().unwrap_or_default();
        for named in self.trail.drain(start..) {
            match named {
                Named::Symbol(symbol) => self.symbols.remove(&symbol),
                Named::Function(function) => self.functions.remove(&function),
                Named::Term(term) => self.defined.remove(&term),
            };
        }
    }

    /// A new name that begins with a given one.
    pub(super) fn name(&mut self, name: &str) -> String {
        self.next += 1;
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        };
        let start = if name.starts_with(|c: char| c.is_ascii_alphabetic()) {
            ""
        } else {
            "s"
        };
        let name: String = name.chars().map(plain).collect();
        format!("{start}{name}!{}", self.next)
    }

    fn known<'a>(&'a self, texts: &'a FxHashMap<Term, String>, term: Term) -> &'a str {
        let known = self.defined.get(&term).or_else(|| texts.get(&term));
        known.map_or("", String::as_str)
    }

    /// The text of a term whose parts have one.
    fn text(
        &mut self,
        terms: &Terms,
        term: Term,
        texts: &FxHashMap<Term, String>,
        out: &mut String,
    ) -> String {
        match terms.node(term) {
            Node::Bool(value) => value.to_string(),
            Node::Int(value) => numeral(value),
            Node::Real(value) => fraction(value),
            Node::Bits(width, value) => format!("(_ bv{value} {width})"),
            Node::Symbol(symbol) => self.symbol(terms, *symbol, out),
            Node::Not(a) => format!("(not {})", self.known(texts, *a)),
            Node::And(args) => self.list("and", args, texts),
            Node::Or(args) => self.list("or", args, texts),
            Node::Iff(a, b) | Node::Equal(a, b) => self.list("=", &[*a, *b], texts),
            Node::Ite(a, b, c) => self.list("ite", &[*a, *b, *c], texts),
            Node::Sum(parts) => self.sum(parts, true, texts),
            Node::Product(a, b) => self.list("*", &[*a, *b], texts),
            Node::Div(a, divisor) => format!("(div {} {divisor})", self.known(texts, *a)),
            Node::Mod(a, divisor) => format!("(mod {} {divisor})", self.known(texts, *a)),
            Node::AtMostZero(parts) => self.comparison("<=", parts, texts),
            Node::Zero(parts) => self.comparison("=", parts, texts),
            Node::Divides(divisor, parts) => {
                format!("(= (mod {} {divisor}) 0)", self.sum(parts, true, texts))
            }
            Node::Apply(function, args) => {
                let name = self.function(terms, *function, out);
                if args.is_empty() {
                    name
                } else {
                    self.list(&name, args, texts)
                }
            }
            // Expanded before.
            Node::Call(..) => "false".into(),
            // In words that every solver knows.
            Node::Op(Op::BvToIntSigned, args) => {
                match (&**args, args.first().map(|&arg| terms.sort(arg))) {
                    (&[arg], Some(Sort::BitVec(width))) => {
                        let (arg, size) = (self.known(texts, arg), Int::ONE << width as usize);
                        format!(
                            "(ite (bvslt {arg} (_ bv0 {width})) (- (bv2nat {arg}) {size}) (bv2nat {arg}))"
                        )
                    }
                    _ => self.list("sbv_to_int", args, texts),
                }
            }
            Node::Op(op, args) => self.list(&operator(terms, *op), args, texts),
        }
    }

    fn list(&self, head: &str, args: &[Term], texts: &FxHashMap<Term, String>) -> String {
        let mut text = format!("({head}");
        for &arg in args {
            text.push(' ');
            text.push_str(self.known(texts, arg));
        }
        text.push(')');
        text
    }

    fn sum(&self, sum: &Linear, with_constant: bool, texts: &FxHashMap<Term, String>) -> String {
        let parts = sum.parts.iter().map(|(term, coefficient)| {
            let term = self.known(texts, *term);
            if coefficient.is_one() {
                term.to_owned()
            } else {
                format!("(* {} {term})", numeral(coefficient))
            }
        });
        let constant = (with_constant && !sum.constant.is_zero()).then(|| numeral(&sum.constant));
        let all: Vec<String> = parts.chain(constant).collect();
        match &all[..] {
            [] => "0".into(),
            [single] => single.clone(),
            _ => format!("(+ {})", all.join(" ")),
        }
    }

    fn comparison(&self, relation: &str, sum: &Linear, texts: &FxHashMap<Term, String>) -> String {
        let left = self.sum(sum, false, texts);
        format!("({relation} {left} {})", numeral(&-&sum.constant))
    }

    fn symbol(&mut self, terms: &Terms, symbol: Symbol, out: &mut String) -> String {
        if let Some(known) = self.symbols.get(&symbol) {
            return known.clone();
        }
        let info = terms.symbol_info(symbol);
        let name = self.name(&info.name);
        line(
            out,
            format_args!("(declare-fun {name} () {})", sort_text(terms, info.sort)),
        );
        self.symbols.insert(symbol, name.clone());
        self.trail.push(Named::Symbol(symbol));
        name
    }

    fn function(&mut self, terms: &Terms, function: Function, out: &mut String) -> String {
        if let Some(known) = self.functions.get(&function) {
            return known.clone();
        }
        let info = terms.function_info(function);
        let name = self.name(&info.name);
        let params: Vec<String> = info
            .params
            .iter()
            .map(|&param| sort_text(terms, param))
            .collect();
        let (params, result) = (params.join(" "), sort_text(terms, info.result));
        line(
            out,
            format_args!("(declare-fun {name} ({params}) {result})"),
        );
        self.functions.insert(function, name.clone());
        self.trail.push(Named::Function(function));
        name
    }
}

/// Appends a line.
pub(super) fn line(out: &mut String, text: std::fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    writeln!(out, "{text}").ok();
}

/// A number.
pub fn numeral(value: &Int) -> String {
    if value.is_negative() {
        format!("(- {})", value.abs())
    } else {
        value.to_string()
    }
}

/// A fraction.
pub fn fraction(value: &Rat) -> String {
    let numerator = value.numerator();
    let size = format!("(/ {}.0 {}.0)", numerator.abs(), value.denominator());
    if numerator.is_negative() {
        format!("(- {size})")
    } else {
        size
    }
}

/// The name of a sort.
pub fn sort_text(terms: &Terms, of: Sort) -> String {
    match of {
        Sort::Bool => "Bool".into(),
        Sort::Int => "Int".into(),
        Sort::Real => "Real".into(),
        Sort::BitVec(width) => format!("(_ BitVec {width})"),
        Sort::Float(exponent, significand) => {
            format!("(_ FloatingPoint {exponent} {significand})")
        }
        Sort::Array(array) => {
            let (index, element) = terms.array_sorts(array);
            format!(
                "(Array {} {})",
                sort_text(terms, index),
                sort_text(terms, element)
            )
        }
    }
}

/// What stands before the arguments of an operation.
pub fn operator(terms: &Terms, op: Op) -> String {
    let plain = match op {
        Op::IntDiv => "div",
        Op::IntMod => "mod",
        Op::ToReal => "to_real",
        Op::Floor => "to_int",
        Op::RealAdd => "+",
        Op::RealMul => "*",
        Op::RealLe => "<=",
        Op::BvToInt => "bv2nat",
        Op::BvToIntSigned => "sbv_to_int",
        Op::BvNeg => "bvneg",
        Op::BvNot => "bvnot",
        Op::BvAdd => "bvadd",
        Op::BvSub => "bvsub",
        Op::BvMul => "bvmul",
        Op::BvUdiv => "bvudiv",
        Op::BvUrem => "bvurem",
        Op::BvSdiv => "bvsdiv",
        Op::BvSrem => "bvsrem",
        Op::BvAnd => "bvand",
        Op::BvOr => "bvor",
        Op::BvXor => "bvxor",
        Op::BvShl => "bvshl",
        Op::BvLshr => "bvlshr",
        Op::BvAshr => "bvashr",
        Op::BvUlt => "bvult",
        Op::BvUle => "bvule",
        Op::BvSlt => "bvslt",
        Op::BvSle => "bvsle",
        Op::BvConcat => "concat",
        Op::Select => "select",
        Op::Store => "store",
        Op::FpAdd => "fp.add RNE",
        Op::FpSub => "fp.sub RNE",
        Op::FpMul => "fp.mul RNE",
        Op::FpDiv => "fp.div RNE",
        Op::FpSqrt => "fp.sqrt RNE",
        Op::FpRound(Rounding::NearestEven) => "fp.roundToIntegral RNE",
        Op::FpRound(Rounding::NearestAway) => "fp.roundToIntegral RNA",
        Op::FpRound(Rounding::Up) => "fp.roundToIntegral RTP",
        Op::FpRound(Rounding::Down) => "fp.roundToIntegral RTN",
        Op::FpRound(Rounding::TowardsZero) => "fp.roundToIntegral RTZ",
        Op::FpNeg => "fp.neg",
        Op::FpEq => "fp.eq",
        Op::FpLt => "fp.lt",
        Op::FpLe => "fp.leq",
        Op::FpIsNan => "fp.isNaN",
        Op::IntToBv(width) => return format!("(_ int2bv {width})"),
        Op::BvExtract(high, low) => return format!("(_ extract {high} {low})"),
        Op::BvZeroExtend(by) => return format!("(_ zero_extend {by})"),
        Op::BvSignExtend(by) => return format!("(_ sign_extend {by})"),
        Op::ConstArray(array) => {
            return format!("(as const {})", sort_text(terms, Sort::Array(array)));
        }
        Op::FpFromBits(exponent, significand) => {
            return format!("(_ to_fp {exponent} {significand})");
        }
        Op::FpToFp(exponent, significand) | Op::FpFromSigned(exponent, significand) => {
            return format!("(_ to_fp {exponent} {significand}) RNE");
        }
        Op::FpFromUnsigned(exponent, significand) => {
            return format!("(_ to_fp_unsigned {exponent} {significand}) RNE");
        }
        Op::FpToSigned(width) => return format!("(_ fp.to_sbv {width}) RTZ"),
        Op::FpToUnsigned(width) => return format!("(_ fp.to_ubv {width}) RTZ"),
    };
    plain.into()
}
