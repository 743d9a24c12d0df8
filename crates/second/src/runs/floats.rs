//! Floating point that depends on inputs.
//!
//! Comparisons, signs and classes are circuits over the bits. The result of an operation is a symbol with a definition:
//! the solver may choose any value for it, which takes nothing away, and marks the path. Where the solver finds a way,
//! ranges are asked: a box of ranges for the inputs, halved until in every part some condition of the path fails.
//! Rounding to nearest is monotonous, so the ends of a range, rounded by the interpreter's own arithmetic, are the ends
//! of the range of the results.

use rhumb_program::interp::eval;
use rhumb_program::{BinOp, Builtin, ClassifyFn, FloatType, IntType, MathFn, Type};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Runs;
use super::state::{Halt, Value};
use crate::decide::OpinionLimits;
use crate::pool::{Id, Node, Pool, Sort};

/// Boxes that are looked at for one question.
const MAX_BOXES: usize = 6_000;

/// What a symbol is the result of.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Definition {
    Binary(BinOp, FloatType, Id, Id),
    Cast(FloatType, FloatType, Id),
    Negated(FloatType, Id),
    Absolute(FloatType, Id),
    Root(FloatType, Id),
}

/// A comparison: `less` (or equal), or equal.
#[derive(Clone, Copy, Debug)]
struct Comparison {
    op: BinOp,
    ty: FloatType,
    a: Id,
    b: Id,
}

#[derive(Default)]
pub(super) struct Floats {
    definitions: FxHashMap<Id, Definition>,
    symbols: FxHashMap<Definition, Id>,
    comparisons: FxHashMap<Id, Comparison>,
}

/// A range without NaN, by the bits of its ends.
type Range = (u128, u128);
type Boxed = FxHashMap<Id, Range>;

fn width(ty: FloatType) -> Option<IntType> {
    match ty {
        FloatType::F32 => Some(IntType::unsigned(32)),
        FloatType::F64 => Some(IntType::unsigned(64)),
        FloatType::X87 | FloatType::F128 => None,
    }
}

fn infinity(ty: FloatType) -> u128 {
    match ty {
        FloatType::F32 => 0x7f80_0000,
        _ => 0x7ff0_0000_0000_0000,
    }
}

impl Runs<'_> {
    fn float_word(&self, ty: FloatType) -> Result<IntType, Halt> {
        width(ty).ok_or_else(|| Halt::undecided("long doubles depend on inputs"))
    }

    fn magnitude(&mut self, word: IntType, a: Id) -> Id {
        let mask = self.pool.word(word, word.mask() >> 1);
        self.pool.binary(BinOp::And, a, mask)
    }

    pub(super) fn is_nan(&mut self, ty: FloatType, a: Id) -> Result<Id, Halt> {
        let word = self.float_word(ty)?;
        let magnitude = self.magnitude(word, a);
        let infinity = self.pool.word(word, infinity(ty));
        Ok(self.pool.less(false, infinity, magnitude))
    }

    /// A number whose order is that of floats, both zeros being one.
    fn rank(&mut self, ty: FloatType, a: Id) -> Result<Id, Halt> {
        let word = self.float_word(ty)?;
        let signed = IntType::signed(word.width);
        let magnitude = self.magnitude(word, a);
        let magnitude = self.pool.cast(magnitude, signed);
        let zero = self.pool.word(signed, 0);
        let negative = self.pool.binary(BinOp::Sub, zero, magnitude);
        let bits = self.pool.cast(a, signed);
        let is_negative = self.pool.less(false, bits, zero);
        Ok(self.pool.ite(is_negative, negative, magnitude))
    }

    /// Compares, as IEEE 754 does.
    pub(super) fn compare_floats(
        &mut self,
        op: BinOp,
        ty: FloatType,
        a: Id,
        b: Id,
    ) -> Result<Id, Halt> {
        let (first, second) = (self.rank(ty, a)?, self.rank(ty, b)?);
        let holds = match op {
            BinOp::Lt => self.pool.less(false, first, second),
            BinOp::Le => self.pool.less(true, first, second),
            _ => self.pool.same(first, second),
        };
        let nans = [self.is_nan(ty, a)?, self.is_nan(ty, b)?];
        let nan = self.pool.or(nans);
        let ordered = self.pool.not(nan);
        let result = self.pool.and([ordered, holds]);
        let equal = if op == BinOp::Ne { BinOp::Eq } else { op };
        let comparison = Comparison {
            op: equal,
            ty,
            a,
            b,
        };
        self.floats.comparisons.insert(result, comparison);
        Ok(match op {
            BinOp::Ne => self.pool.not(result),
            _ => result,
        })
    }

    /// The result of an operation: the same symbol wherever it is made of the same.
    pub(super) fn defined(&mut self, ty: FloatType, definition: Definition) -> Result<Value, Halt> {
        let word = self.float_word(ty)?;
        if let Some(&known) = self.floats.symbols.get(&definition) {
            return Ok(Value::Scalar(known));
        }
        let exact = match definition {
            Definition::Negated(_, a) => {
                let sign = self.pool.word(word, 1 << (word.width - 1));
                Some(self.pool.binary(BinOp::Xor, a, sign))
            }
            Definition::Absolute(_, a) => Some(self.magnitude(word, a)),
            Definition::Binary(..) | Definition::Cast(..) | Definition::Root(..) => None,
        };
        let symbol = exact.unwrap_or_else(|| self.pool.fresh(Sort::Word(word)));
        self.floats.symbols.insert(definition, symbol);
        self.floats.definitions.insert(symbol, definition);
        Ok(Value::Scalar(symbol))
    }

    /// A function of one float.
    pub(super) fn float_function(&mut self, builtin: Builtin, a: Id) -> Result<Value, Halt> {
        match builtin {
            Builtin::Math(MathFn::Fabs, ty) => self.defined(ty, Definition::Absolute(ty, a)),
            Builtin::Math(MathFn::Sqrt, ty) => self.defined(ty, Definition::Root(ty, a)),
            Builtin::Classify(question, ty) => self.classify(question, ty, a),
            _ => Err(Halt::undecided("a function of floats depends on inputs")),
        }
    }

    /// What kind of number a float is.
    fn classify(&mut self, question: ClassifyFn, ty: FloatType, a: Id) -> Result<Value, Halt> {
        let word = self.float_word(ty)?;
        let least_normal = match ty {
            FloatType::F32 => 1 << 23,
            _ => 1 << 52,
        };
        let magnitude = self.magnitude(word, a);
        let (zero, infinity) = (self.pool.word(word, 0), self.pool.word(word, infinity(ty)));
        let normal = self.pool.word(word, least_normal);
        let sign = self.pool.word(word, word.mask() >> 1);
        let is_negative = self.pool.less(false, sign, a);
        let is_finite = self.pool.less(false, magnitude, infinity);
        let is_large = self.pool.less(true, normal, magnitude);
        let is_zero = self.pool.same(magnitude, zero);
        let is_infinite = self.pool.same(magnitude, infinity);
        let is_nan = self.is_nan(ty, a)?;
        let mut number = |value: i128| self.pool.word(IntType::INT, value as u128);
        let numbers: Vec<Id> = (-1..5).map(&mut number).collect();
        let of = |value: usize| numbers[value + 1];
        // The first that holds.
        let cases: Vec<(Id, Id)> = match question {
            ClassifyFn::IsNan => vec![(is_nan, of(1))],
            ClassifyFn::IsInf => {
                let is_least = self.pool.and([is_infinite, is_negative]);
                vec![(is_least, numbers[0]), (is_infinite, of(1))]
            }
            ClassifyFn::IsFinite => vec![(is_finite, of(1))],
            ClassifyFn::IsNormal => vec![(self.pool.and([is_finite, is_large]), of(1))],
            ClassifyFn::SignBit => vec![(is_negative, of(1))],
            ClassifyFn::FpClassify => {
                let is_small = self.pool.not(is_large);
                vec![
                    (is_nan, of(0)),
                    (is_infinite, of(1)),
                    (is_zero, of(2)),
                    (is_small, of(3)),
                    (is_finite, of(4)),
                ]
            }
        };
        let mut result = of(0);
        for (holds, value) in cases.into_iter().rev() {
            result = self.pool.ite(holds, value, result);
        }
        Ok(Value::Scalar(result))
    }
}

impl Floats {
    /// Whether something that is defined is behind a condition: then what the solver chooses for it need not be what it is.
    pub(super) fn speaks_of(&self, pool: &Pool, condition: Id) -> bool {
        if self.definitions.is_empty() {
            return false;
        }
        let mut parts = pool.postorder(&[condition]).into_iter();
        parts.any(|part| {
            self.definitions.contains_key(&part) || self.comparisons.contains_key(&part)
        })
    }

    /// Whether a symbol is the result of an operation that the solver doesn't know.
    pub(super) fn is_loose(&self) -> bool {
        let mut definitions = self.definitions.values();
        definitions.any(|it| !matches!(it, Definition::Negated(..) | Definition::Absolute(..)))
    }

    /// Whether conditions can't hold together, as far as ranges tell.
    pub(super) fn refute(
        &self,
        pool: &Pool,
        path: &[Id],
        condition: Id,
        limits: &OpinionLimits<'_>,
    ) -> bool {
        if !self.is_loose() {
            return false;
        }
        let mut literals = Vec::new();
        for &formula in path.iter().chain([&condition]) {
            self.literals(pool, formula, true, &mut literals);
        }
        if !self.speaks_of(pool, condition) {
            return false;
        }
        let Some(first) = self.first(pool, &literals) else {
            return false;
        };
        let mut todo = vec![first];
        let mut count = 0;
        while let Some(part) = todo.pop() {
            count += 1;
            if count > MAX_BOXES || (count % 64 == 0 && limits.is_over()) {
                return false;
            }
            let mut known = FxHashMap::default();
            let fails = |&(comparison, holds): &(Comparison, bool)| {
                self.decided(pool, comparison, &part, &mut known) == Some(!holds)
            };
            if literals.iter().any(fails) {
                continue;
            }
            match halves(&part, &self.types(&literals)) {
                Some(both) => todo.extend(both),
                None => return false,
            }
        }
        true
    }

    /// The comparisons that a formula says, or denies.
    fn literals(&self, pool: &Pool, formula: Id, holds: bool, found: &mut Vec<(Comparison, bool)>) {
        if let Some(&comparison) = self.comparisons.get(&formula) {
            found.push((comparison, holds));
            return;
        }
        match pool.node(formula) {
            Node::Not(inner) => self.literals(pool, *inner, !holds, found),
            Node::And(parts) if holds => {
                parts
                    .iter()
                    .for_each(|&part| self.literals(pool, part, true, found));
            }
            Node::Or(parts) if !holds => {
                parts
                    .iter()
                    .for_each(|&part| self.literals(pool, part, false, found));
            }
            _ => {}
        }
    }

    /// The ranges of the symbols that conditions bound on both sides; none if there is none, or they are empty.
    fn first(&self, pool: &Pool, literals: &[(Comparison, bool)]) -> Option<Boxed> {
        let mut ranges: FxHashMap<Id, (FloatType, Option<u128>, Option<u128>)> =
            FxHashMap::default();
        for &(comparison, holds) in literals {
            let Comparison { op, ty, a, b } = comparison;
            if !holds {
                continue;
            }
            for (symbol, other, is_left) in [(a, b, true), (b, a, false)] {
                let (Node::Symbol(..), Node::Const(_, bits)) =
                    (pool.node(symbol), pool.node(other))
                else {
                    continue;
                };
                if self.definitions.contains_key(&symbol) {
                    continue;
                }
                let entry = ranges.entry(symbol).or_insert((ty, None, None));
                let (below, above) = match op {
                    BinOp::Eq => (true, true),
                    _ => (!is_left, is_left),
                };
                if below && entry.1.is_none_or(|known| less(ty, known, *bits)) {
                    entry.1 = Some(*bits);
                }
                if above && entry.2.is_none_or(|known| less(ty, *bits, known)) {
                    entry.2 = Some(*bits);
                }
            }
        }
        let ranges = ranges.into_iter();
        let ranges = ranges.filter_map(|(id, (ty, least, most))| {
            let (least, most) = (least?, most?);
            (is_finite(ty, least) && is_finite(ty, most)).then_some((id, (least, most)))
        });
        let ranges: Boxed = ranges.collect();
        (!ranges.is_empty()).then_some(ranges)
    }

    fn types(&self, literals: &[(Comparison, bool)]) -> FxHashMap<Id, FloatType> {
        let mut types = FxHashMap::default();
        for (comparison, _) in literals {
            types.insert(comparison.a, comparison.ty);
            types.insert(comparison.b, comparison.ty);
        }
        types
    }

    /// Whether a comparison holds in a box; none if it depends.
    fn decided(
        &self,
        pool: &Pool,
        comparison: Comparison,
        part: &Boxed,
        known: &mut FxHashMap<Id, Option<Range>>,
    ) -> Option<bool> {
        let Comparison { op, ty, a, b } = comparison;
        let (a, b) = (
            self.range(pool, a, part, known, &mut FxHashSet::default())?,
            self.range(pool, b, part, known, &mut FxHashSet::default())?,
        );
        if [a.0, a.1, b.0, b.1].into_iter().any(|end| is_nan(ty, end)) {
            return None;
        }
        match op {
            BinOp::Lt if less(ty, a.1, b.0) => Some(true),
            BinOp::Lt if !less(ty, a.0, b.1) => Some(false),
            BinOp::Le if !less(ty, b.0, a.1) => Some(true),
            BinOp::Le if less(ty, b.1, a.0) => Some(false),
            BinOp::Eq if less(ty, a.1, b.0) || less(ty, b.1, a.0) => Some(false),
            _ => None,
        }
    }

    /// The range of a value in a box, without NaN; none if it may be NaN or is not known.
    fn range(
        &self,
        pool: &Pool,
        id: Id,
        part: &Boxed,
        known: &mut FxHashMap<Id, Option<Range>>,
        open: &mut FxHashSet<Id>,
    ) -> Option<Range> {
        if let Some(range) = known.get(&id) {
            return *range;
        }
        if let Some(range) = part.get(&id) {
            return Some(*range);
        }
        if let (Node::Const(_, bits), None) = (pool.node(id), self.definitions.get(&id)) {
            // Its type is that of whoever asks; a NaN is no end of a range.
            return Some((*bits, *bits));
        }
        if !open.insert(id) {
            return None;
        }
        let mut of = |id: Id, ty: FloatType| {
            let range = self.range(pool, id, part, known, open)?;
            (is_finite(ty, range.0) && is_finite(ty, range.1)).then_some(range)
        };
        let range = match *self.definitions.get(&id)? {
            Definition::Negated(ty, a) => {
                let (least, most) = of(a, ty)?;
                Some((negated(ty, most)?, negated(ty, least)?))
            }
            Definition::Absolute(ty, a) => {
                let (least, most) = of(a, ty)?;
                match (less(ty, least, 0), less(ty, 0, most)) {
                    (false, _) => Some((least, most)),
                    (_, false) => Some((negated(ty, most)?, negated(ty, least)?)),
                    _ => {
                        let other = negated(ty, least)?;
                        Some((0, if less(ty, most, other) { other } else { most }))
                    }
                }
            }
            Definition::Root(ty, a) => {
                let (least, most) = of(a, ty)?;
                let root = |bits: u128| eval::library(Builtin::Math(MathFn::Sqrt, ty), &[bits]);
                match less(ty, least, 0) {
                    true => None,
                    false => root(least).zip(root(most)),
                }
            }
            Definition::Cast(from, to, a) => {
                let (least, most) = of(a, from)?;
                let cast = |bits: u128| eval::cast(Type::Float(from), Type::Float(to), bits).ok();
                cast(least).zip(cast(most))
            }
            Definition::Binary(op, ty, a, b) => {
                let (x, y) = (of(a, ty)?, of(b, ty)?);
                operation(op, ty, x, y)
            }
        };
        known.insert(id, range);
        range
    }
}

/// The range of the results of an operation on finite numbers.
fn operation(op: BinOp, ty: FloatType, x: Range, y: Range) -> Option<Range> {
    let apply = |a: u128, b: u128| {
        let float = Type::Float(ty);
        eval::binary(op, float, a, float, b).ok()
    };
    let ends = match op {
        BinOp::Add => [
            apply(x.0, y.0)?,
            apply(x.1, y.1)?,
            apply(x.0, y.0)?,
            apply(x.1, y.1)?,
        ],
        BinOp::Sub => [
            apply(x.0, y.1)?,
            apply(x.1, y.0)?,
            apply(x.0, y.1)?,
            apply(x.1, y.0)?,
        ],
        BinOp::Div if !less(ty, 0, y.0) && !less(ty, y.1, 0) => return None,
        BinOp::Mul | BinOp::Div => [
            apply(x.0, y.0)?,
            apply(x.0, y.1)?,
            apply(x.1, y.0)?,
            apply(x.1, y.1)?,
        ],
        _ => return None,
    };
    if !ends.iter().all(|&end| is_finite(ty, end)) {
        return None;
    }
    let (mut least, mut most) = (ends[0], ends[0]);
    for end in ends {
        if less(ty, end, least) {
            least = end;
        }
        if less(ty, most, end) {
            most = end;
        }
    }
    Some((least, most))
}

fn is_finite(ty: FloatType, bits: u128) -> bool {
    eval::is_finite(ty, bits)
}

fn is_nan(ty: FloatType, bits: u128) -> bool {
    let float = Type::Float(ty);
    eval::binary(BinOp::Eq, float, bits, float, bits) != Ok(1)
}

fn less(ty: FloatType, a: u128, b: u128) -> bool {
    let float = Type::Float(ty);
    eval::binary(BinOp::Lt, float, a, float, b) == Ok(1)
}

fn negated(ty: FloatType, bits: u128) -> Option<u128> {
    eval::unary(rhumb_program::UnOp::Neg, Type::Float(ty), bits).ok()
}

/// The two halves of a box, along its longest side; none if no side can be halved.
fn halves(part: &Boxed, types: &FxHashMap<Id, FloatType>) -> Option<[Boxed; 2]> {
    let length = |id: &Id, range: &Range| -> Option<(f64, u128)> {
        let ty = *types.get(id)?;
        let number = |bits: u128| match ty {
            FloatType::F32 => f64::from(f32::from_bits(bits as u32)),
            _ => f64::from_bits(bits as u64),
        };
        let (least, most) = (number(range.0), number(range.1));
        let middle = least / 2.0 + most / 2.0;
        let bits = match ty {
            FloatType::F32 => u128::from((middle as f32).to_bits()),
            _ => u128::from(middle.to_bits()),
        };
        let is_inside = less(ty, range.0, bits) && less(ty, bits, range.1);
        is_inside.then_some((most - least, bits))
    };
    let mut best: Option<(f64, Id, u128)> = None;
    let mut ids: Vec<&Id> = part.keys().collect();
    ids.sort_unstable();
    for id in ids {
        if let Some((long, middle)) = length(id, &part[id])
            && best.is_none_or(|(most, ..)| long > most)
        {
            best = Some((long, *id, middle));
        }
    }
    let (_, id, middle) = best?;
    let (mut low, mut high) = (part.clone(), part.clone());
    low.insert(id, (part[&id].0, middle));
    high.insert(id, (middle, part[&id].1));
    Some([low, high])
}
