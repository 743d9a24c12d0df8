//! From text to terms.

use rhumb_logic::{Int, Linear, Node, Op, Sort, Symbol, Term, Terms};
use rustc_hash::FxHashMap;

use super::sexpr::{Id, Kind, Sexprs, parse};

/// Numbers with more bits than this are not computed with.
const MAX_BITS: usize = 1 << 16;

/// Sums that together have more parts than this are not read.
const MAX_WORK: usize = 1 << 26;

/// Bit-vectors wider than this are not read.
const MAX_WIDTH: u32 = 1 << 12;

/// Why a text is not a term.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("at byte {at}: {what}")]
pub struct ReadError {
    /// Where in the text.
    pub at: usize,
    /// What is wrong.
    pub what: String,
}

impl ReadError {
    pub(super) fn new(at: usize, what: impl Into<String>) -> ReadError {
        ReadError {
            at,
            what: what.into(),
        }
    }
}

/// The symbols that a text may name.
pub type Names = FxHashMap<String, Symbol>;

/// The term that a text is.
pub fn read(terms: &Terms, text: &str, names: &Names) -> Result<Term, ReadError> {
    let sexprs = parse(text)?;
    let mut reader = Reader {
        terms,
        names,
        sexprs: &sexprs,
        bound: FxHashMap::default(),
        values: Vec::new(),
        work: 0,
    };
    let mut todo = vec![ReadStep::Eval(sexprs.root())];
    while let Some(task) = todo.pop() {
        reader.step(task, &mut todo)?;
    }
    match reader.values[..] {
        [term] => Ok(term),
        _ => Err(ReadError::new(0, "there is no term")),
    }
}

/// What is still to be done.
enum ReadStep {
    /// Put the value of an expression on the stack.
    Eval(Id),
    /// Replace the last values by the operator of this list, applied to them.
    Apply(Id, usize),
    /// Bind the last values to the names of this `let`.
    Bind(Id, usize),
    /// Leave this `let`.
    Unbind(Id),
}

struct Reader<'s, 't> {
    terms: &'s Terms,
    names: &'s Names,
    sexprs: &'s Sexprs<'t>,
    /// The values of names bound by `let`, the innermost last.
    bound: FxHashMap<&'t str, Vec<Term>>,
    values: Vec<Term>,
    /// Parts of sums so far.
    work: usize,
}

impl<'t> Reader<'_, 't> {
    fn error<T>(&self, id: Id, what: impl Into<String>) -> Result<T, ReadError> {
        Err(ReadError::new(self.sexprs.get(id).at, what))
    }

    fn list(&self, id: Id) -> &[Id] {
        match &self.sexprs.get(id).kind {
            Kind::List(children) => children,
            Kind::Atom(_) | Kind::Quoted(_) => &[],
        }
    }

    fn word(&self, id: Id) -> Option<&'t str> {
        match self.sexprs.get(id).kind {
            Kind::Atom(word) => Some(word),
            Kind::Quoted(_) | Kind::List(_) => None,
        }
    }

    fn step(&mut self, task: ReadStep, todo: &mut Vec<ReadStep>) -> Result<(), ReadError> {
        match task {
            ReadStep::Eval(id) => self.eval(id, todo),
            ReadStep::Apply(id, count) => {
                let args = self.values.split_off(self.values.len() - count);
                let term = self.apply(id, &args)?;
                self.measure(id, term)?;
                self.values.push(term);
                Ok(())
            }
            ReadStep::Bind(id, count) => {
                let values = self.values.split_off(self.values.len() - count);
                for (name, value) in self.bindings(id)?.into_iter().zip(values) {
                    self.bound.entry(name.0).or_default().push(value);
                }
                Ok(())
            }
            ReadStep::Unbind(id) => {
                for (name, _) in self.bindings(id)? {
                    if let Some(values) = self.bound.get_mut(name) {
                        values.pop();
                    }
                }
                Ok(())
            }
        }
    }

    /// The names and expressions of a `let`.
    fn bindings(&self, id: Id) -> Result<Vec<(&'t str, Id)>, ReadError> {
        let [_, bindings, _] = *self.list(id) else {
            return self.error(id, "`let` needs bindings and a body");
        };
        let binding = |&binding: &Id| match *self.list(binding) {
            [name, value] => match self.word(name) {
                Some(word) => Ok((word, value)),
                None => self.error(name, "a name is expected"),
            },
            _ => self.error(binding, "a name and its value are expected"),
        };
        self.list(bindings).iter().map(binding).collect()
    }

    fn eval(&mut self, id: Id, todo: &mut Vec<ReadStep>) -> Result<(), ReadError> {
        match &self.sexprs.get(id).kind {
            Kind::Atom(word) => {
                let term = self.atom(id, word)?;
                self.values.push(term);
            }
            Kind::Quoted(name) => {
                let term = self.symbol(id, name)?;
                self.values.push(term);
            }
            Kind::List(children) => {
                let Some(&head) = children.first() else {
                    return self.error(id, "an empty list is no term");
                };
                match self.word(head) {
                    Some("let") => {
                        let bindings = self.bindings(id)?;
                        todo.push(ReadStep::Unbind(id));
                        todo.push(ReadStep::Eval(children[2]));
                        todo.push(ReadStep::Bind(id, bindings.len()));
                        todo.extend(
                            bindings
                                .iter()
                                .rev()
                                .map(|&(_, value)| ReadStep::Eval(value)),
                        );
                    }
                    Some("_") => {
                        let term = self.literal(id, children)?;
                        self.values.push(term);
                    }
                    _ => {
                        todo.push(ReadStep::Apply(id, children.len() - 1));
                        todo.extend(
                            children[1..]
                                .iter()
                                .rev()
                                .map(|&child| ReadStep::Eval(child)),
                        );
                    }
                }
            }
        }
        Ok(())
    }

    fn symbol(&self, id: Id, name: &str) -> Result<Term, ReadError> {
        match self.names.get(name) {
            Some(&symbol) => Ok(self.terms.var(symbol)),
            None => self.error(id, format!("unknown variable `{}`", shortened(name))),
        }
    }

    fn atom(&self, id: Id, word: &str) -> Result<Term, ReadError> {
        if let Some(&term) = self.bound.get(word).and_then(|values| values.last()) {
            return Ok(term);
        }
        match word {
            "true" => return Ok(self.terms.bool(true)),
            "false" => return Ok(self.terms.bool(false)),
            _ => {}
        }
        if word.starts_with(|first: char| first.is_ascii_digit()) {
            return match word.strip_suffix(".0") {
                Some(whole) => {
                    let value = self.numeral(id, whole)?;
                    Ok(self.terms.real(rhumb_logic::Rat::from(value)))
                }
                None => Ok(self.terms.int(self.numeral(id, word)?)),
            };
        }
        self.symbol(id, word)
    }

    fn numeral(&self, id: Id, digits: &str) -> Result<Int, ReadError> {
        // Four bits for a digit are more than enough.
        if digits.len() > MAX_BITS / 4 {
            return self.error(id, "the number is too large");
        }
        let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        match is_number.then(|| digits.parse::<Int>()) {
            Some(Ok(value)) => Ok(value),
            _ => self.error(id, format!("`{}` is no number", shortened(digits))),
        }
    }

    fn index(&self, id: Id) -> Result<u32, ReadError> {
        match self.word(id).and_then(|word| word.parse::<u32>().ok()) {
            Some(index) if index <= MAX_WIDTH => Ok(index),
            _ => self.error(id, "a small number is expected"),
        }
    }

    /// `(_ bv5 32)`.
    fn literal(&self, id: Id, children: &[Id]) -> Result<Term, ReadError> {
        let [_, value, width] = *children else {
            return self.error(id, "a bit-vector literal is expected");
        };
        let width = match self.index(width)? {
            0 => return self.error(width, "a bit-vector has at least one bit"),
            width => width,
        };
        let Some(digits) = self.word(value).and_then(|word| word.strip_prefix("bv")) else {
            return self.error(value, "a bit-vector literal is expected");
        };
        let value = self.numeral(value, digits)?;
        let modulus = Int::ONE << width as usize;
        match (value % modulus).try_into() {
            Ok(bits) => Ok(self.terms.bits(width, bits)),
            Err(_) => self.error(id, "a bit-vector literal is not negative"),
        }
    }

    /// Refuses what has grown beyond measure.
    fn measure(&mut self, id: Id, term: Term) -> Result<(), ReadError> {
        let large = is_large;
        let sum_is_large =
            |sum: &Linear| large(&sum.constant) || sum.parts.iter().any(|part| large(&part.1));
        let too_large = match self.terms.node(term) {
            Node::Int(value) => large(value),
            Node::Real(value) => {
                large(value.numerator()) || large(&Int::from(value.denominator().clone()))
            }
            Node::Div(_, by) | Node::Mod(_, by) => large(by),
            Node::Sum(sum) | Node::AtMostZero(sum) | Node::Zero(sum) => {
                self.work += sum.parts.len();
                sum_is_large(sum)
            }
            Node::Divides(by, sum) => {
                self.work += sum.parts.len();
                large(by) || sum_is_large(sum)
            }
            _ => false,
        };
        if too_large {
            return self.error(id, "a number is too large");
        }
        if self.work > MAX_WORK {
            return self.error(id, "the formula is too large");
        }
        Ok(())
    }

    fn apply(&self, id: Id, args: &[Term]) -> Result<Term, ReadError> {
        let head = self.list(id)[0];
        let indexed = self.list(head);
        let term = match self.word(head) {
            Some(word) => self
                .simple(word, args)
                .or_else(|| self.bit_vectors(word, args)),
            None => match indexed {
                [mark, name, rest @ ..] if self.word(*mark) == Some("_") => {
                    let indices = rest.iter().map(|&index| self.index(index));
                    let indices = indices.collect::<Result<Vec<u32>, ReadError>>()?;
                    self.indexed(self.word(*name).unwrap_or_default(), &indices, args)
                }
                _ => None,
            },
        };
        match term {
            Some(term) => Ok(term),
            None => {
                let what = self.word(head).unwrap_or("this operator");
                let what = shortened(what);
                self.error(
                    id,
                    format!("`{what}` is not known, or its arguments have other sorts"),
                )
            }
        }
    }

    fn all(&self, args: &[Term], sort: Sort) -> bool {
        !args.is_empty() && args.iter().all(|&arg| self.terms.sort(arg) == sort)
    }

    /// Operators on truth values and numbers.
    fn simple(&self, word: &str, args: &[Term]) -> Option<Term> {
        let terms = self.terms;
        let bools = self.all(args, Sort::Bool);
        let ints = self.all(args, Sort::Int);
        let reals = self.all(args, Sort::Real);
        let real = |op: Op| {
            let apply = |a: Term, b: &Term| terms.op(op, [a, *b]);
            Some(args[1..].iter().fold(args[0], apply))
        };
        match (word, args) {
            ("not", &[a]) if bools => Some(terms.not(a)),
            ("and", _) if bools => Some(terms.and(args.iter().copied())),
            ("or", _) if bools => Some(terms.or(args.iter().copied())),
            ("=>", &[a, b]) if bools => Some(terms.implies(a, b)),
            ("xor", &[a, b]) if bools => Some(terms.not(terms.iff(a, b))),
            ("ite", &[condition, then, other]) => {
                let fits =
                    terms.sort(condition) == Sort::Bool && terms.sort(then) == terms.sort(other);
                fits.then(|| terms.ite(condition, then, other))
            }
            ("=", &[a, b]) => (terms.sort(a) == terms.sort(b)).then(|| terms.eq(a, b)),
            ("distinct", &[a, b]) => (terms.sort(a) == terms.sort(b)).then(|| terms.ne(a, b)),
            ("+", _) if ints => {
                let zero = Linear::default();
                let one = Int::ONE;
                let sum = args
                    .iter()
                    .fold(zero, |sum, &arg| sum.plus(&one, &terms.as_linear(arg)));
                Some(terms.linear(&sum))
            }
            ("-", &[a]) if ints => Some(terms.neg(a)),
            ("-", &[first, ref rest @ ..]) if ints => {
                Some(rest.iter().fold(first, |sum, &arg| terms.sub(sum, arg)))
            }
            ("*", &[a, b]) if ints => Some(terms.mul(a, b)),
            ("div", &[a, b]) if ints => Some(match terms.as_int(b) {
                Some(divisor) if *divisor > Int::ZERO => terms.div(a, divisor.clone()),
                _ => terms.op(Op::IntDiv, [a, b]),
            }),
            ("mod", &[a, b]) if ints => Some(match terms.as_int(b) {
                Some(divisor) if *divisor > Int::ZERO => terms.modulo(a, divisor.clone()),
                _ => terms.op(Op::IntMod, [a, b]),
            }),
            ("<=", &[a, b]) if ints => Some(terms.le(a, b)),
            ("<", &[a, b]) if ints => Some(terms.lt(a, b)),
            (">=", &[a, b]) if ints => Some(terms.ge(a, b)),
            (">", &[a, b]) if ints => Some(terms.gt(a, b)),
            ("to_real", &[a]) if ints => Some(terms.op(Op::ToReal, [a])),
            ("to_int", &[a]) if reals => Some(terms.op(Op::Floor, [a])),
            ("+", _) if reals => real(Op::RealAdd),
            ("*", _) if reals => real(Op::RealMul),
            ("<=", &[a, b]) if reals => Some(terms.op(Op::RealLe, [a, b])),
            ("-", &[a]) if reals => match terms.node(a) {
                Node::Real(value) => Some(terms.real(-value)),
                _ => None,
            },
            ("/", &[a, b]) if reals => match (terms.node(a), terms.node(b)) {
                (Node::Real(a), Node::Real(b)) if !b.is_zero() => Some(terms.real(a / b)),
                _ => None,
            },
            _ => None,
        }
    }

    fn bit_vectors(&self, word: &str, args: &[Term]) -> Option<Term> {
        let width = |arg: &Term| match self.terms.sort(*arg) {
            Sort::BitVec(width) => Some(width),
            _ => None,
        };
        let first = width(args.first()?)?;
        let op = match word {
            "bv2nat" | "ubv_to_int" => Op::BvToInt,
            "sbv_to_int" => Op::BvToIntSigned,
            "bvneg" => Op::BvNeg,
            "bvnot" => Op::BvNot,
            "bvadd" => Op::BvAdd,
            "bvsub" => Op::BvSub,
            "bvmul" => Op::BvMul,
            "bvudiv" => Op::BvUdiv,
            "bvurem" => Op::BvUrem,
            "bvsdiv" => Op::BvSdiv,
            "bvsrem" => Op::BvSrem,
            "bvand" => Op::BvAnd,
            "bvor" => Op::BvOr,
            "bvxor" => Op::BvXor,
            "bvshl" => Op::BvShl,
            "bvlshr" => Op::BvLshr,
            "bvashr" => Op::BvAshr,
            "bvult" => Op::BvUlt,
            "bvule" => Op::BvUle,
            "bvslt" => Op::BvSlt,
            "bvsle" => Op::BvSle,
            "concat" => {
                let second = width(args.get(1)?)?;
                let fits = args.len() == 2 && first.checked_add(second)? <= MAX_WIDTH;
                return fits.then(|| self.terms.op(Op::BvConcat, args));
            }
            _ => return None,
        };
        let count = match op {
            Op::BvToInt | Op::BvToIntSigned | Op::BvNeg | Op::BvNot => 1,
            _ => 2,
        };
        let fits = args.len() == count && args.iter().all(|arg| width(arg) == Some(first));
        fits.then(|| self.terms.op(op, args))
    }

    fn indexed(&self, word: &str, indices: &[u32], args: &[Term]) -> Option<Term> {
        let &[arg] = args else { return None };
        let sort = self.terms.sort(arg);
        let op = match (word, indices, sort) {
            ("int2bv" | "int_to_bv", &[width], Sort::Int) if width > 0 => Op::IntToBv(width),
            ("extract", &[high, low], Sort::BitVec(width)) if low <= high && high < width => {
                Op::BvExtract(high, low)
            }
            ("zero_extend", &[by], Sort::BitVec(width)) if width + by <= MAX_WIDTH => {
                Op::BvZeroExtend(by)
            }
            ("sign_extend", &[by], Sort::BitVec(width)) if width + by <= MAX_WIDTH => {
                Op::BvSignExtend(by)
            }
            _ => return None,
        };
        Some(self.terms.op(op, [arg]))
    }
}

/// The sort with a name that [`sort_text`](super::sort_text) gives.
pub fn sort_of(text: &str) -> Option<Sort> {
    match text {
        "Int" => Some(Sort::Int),
        "Bool" => Some(Sort::Bool),
        "Real" => Some(Sort::Real),
        _ => {
            let width = text.strip_prefix("(_ BitVec ")?.strip_suffix(')')?;
            let width = width
                .parse()
                .ok()
                .filter(|width| (1..=MAX_WIDTH).contains(width));
            width.map(Sort::BitVec)
        }
    }
}

/// Whether a number has more bits than we compute with.
fn is_large(value: &Int) -> bool {
    let limit = Int::ONE << MAX_BITS;
    value > &limit || *value < -limit
}

/// The start of a word that may be very long.
fn shortened(word: &str) -> &str {
    match word.char_indices().nth(60) {
        Some((end, _)) => &word[..end],
        None => word,
    }
}
