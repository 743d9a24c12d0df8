//! Formulas about bounded integers as formulas about bit-vectors.
//!
//! Where every integer of a formula has bounds, the formula says the same about bit-vectors that are wide enough, and a
//! solver for those knows products, quotients and bits of variables well, which arithmetic solvers don't. The width of
//! each term comes from an interval around its value, so nothing wraps that would not wrap before: the translation is
//! exact.

use std::sync::Arc;

use rhumb_logic::num::{floor_div, floor_mod};
use rhumb_logic::{Assignment, Int, Linear, Node, Op, Sort, Symbol, Term, Terms, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use super::encode::Range;

/// Wider terms are not worth trying.
const MAX_WIDTH: u32 = 1 << 10;

/// An integer as bits in two's complement, wide enough for its range.
#[derive(Clone)]
struct Wide {
    term: Term,
    width: u32,
    range: Range,
}

/// What a term became.
#[derive(Clone)]
enum Image {
    Integer(Wide),
    /// A formula or a bit-vector.
    Other(Term),
}

/// Translates formulas over symbols with known ranges.
pub(super) struct Translation {
    terms: Arc<Terms>,
    ranges: FxHashMap<Symbol, Range>,
    images: FxHashMap<Term, Image>,
    /// The terms that have an image.
    seen: FxHashSet<Term>,
    /// The bit-vectors that stand for integers.
    symbols: Vec<(Symbol, Symbol)>,
    /// What has to be said of them, since their range is not all that their bits can be.
    constraints: Vec<Term>,
}

impl Translation {
    /// For no symbols yet.
    pub(super) fn new(terms: &Arc<Terms>) -> Translation {
        Translation {
            terms: terms.clone(),
            ranges: FxHashMap::default(),
            images: FxHashMap::default(),
            seen: FxHashSet::default(),
            symbols: Vec::new(),
            constraints: Vec::new(),
        }
    }

    /// Adds symbols and their ranges. Of other integers nothing can be said.
    pub(super) fn extend(&mut self, ranges: &[(Symbol, Range)]) {
        self.ranges.extend(ranges.iter().cloned());
    }

    /// The formula about bit-vectors that holds where the given one does; none if it has parts that have no bounds.
    pub(super) fn formula(&mut self, formula: Term) -> Option<Term> {
        let order = self.terms.postorder_beyond([formula], &mut self.seen);
        for (done, &term) in order.iter().enumerate() {
            let Some(image) = self.image(term) else {
                for left in &order[done..] {
                    self.seen.remove(left);
                }
                return None;
            };
            self.images.insert(term, image);
        }
        self.other(formula)
    }

    /// How many terms were translated.
    pub(super) fn len(&self) -> usize {
        self.images.len()
    }

    /// What has to be assumed of the bit-vectors that stand for integers, so far. Only grows.
    pub(super) fn constraints(&self) -> &[Term] {
        &self.constraints
    }

    /// The values of integers in a model of the bit-vectors that stand for them, along with its other values.
    pub(super) fn restore(&self, model: &Assignment) -> Assignment {
        let mut values = model.clone();
        for &(integer, vector) in &self.symbols {
            let (Some(Value::Bits(bits)), Some(range)) =
                (model.get(&vector), self.ranges.get(&integer))
            else {
                continue;
            };
            let mut value = Int::from(bits.clone());
            if let Sort::BitVec(width) = self.terms.symbol_info(vector).sort
                && range.low < Int::ZERO
                && value >= power(width - 1)
            {
                value -= power(width);
            }
            values.insert(integer, Value::Int(value));
        }
        values
    }

    fn other(&self, term: Term) -> Option<Term> {
        match self.images.get(&term)? {
            Image::Other(image) => Some(*image),
            Image::Integer(_) => None,
        }
    }

    fn integer(&self, term: Term) -> Option<&Wide> {
        match self.images.get(&term)? {
            Image::Integer(wide) => Some(wide),
            Image::Other(_) => None,
        }
    }

    /// The image of a term whose children have theirs.
    fn image(&mut self, term: Term) -> Option<Image> {
        let terms = &*self.terms.clone();
        let integer = match terms.node(term) {
            Node::Int(value) => self.constant(value)?,
            Node::Symbol(symbol) if terms.sort(term) == Sort::Int => self.symbol(*symbol)?,
            Node::Sum(sum) => self.sum(sum)?,
            Node::Product(a, b) => self.product(*a, *b)?,
            Node::Div(a, divisor) => self.division(*a, divisor)?.0,
            Node::Mod(a, divisor) => match exponent(divisor) {
                Some(width) => {
                    let low = self.low_bits(*a, width)?;
                    let term = terms.op(Op::BvZeroExtend(1), [low]);
                    self.wide(term, Range::new(0, divisor - Int::ONE), width + 1)?
                }
                None => self.division(*a, divisor)?.1,
            },
            Node::Ite(condition, then, other) if terms.sort(term) == Sort::Int => {
                self.choice(*condition, *then, *other)?
            }
            Node::Op(Op::BvToInt, args) => {
                let (bits, width) = self.bits(*args.first()?)?;
                let term = terms.op(Op::BvZeroExtend(1), [bits]);
                self.wide(term, Range::new(0, power(width) - Int::ONE), width + 1)?
            }
            Node::Op(Op::BvToIntSigned, args) => {
                let (bits, width) = self.bits(*args.first()?)?;
                let half = power(width - 1);
                self.wide(bits, Range::new(-&half, half - Int::ONE), width)?
            }
            Node::Op(Op::IntDiv | Op::IntMod, args) => {
                let (quotient, remainder) = self.general_division(*args.first()?, *args.get(1)?)?;
                match terms.node(term) {
                    Node::Op(Op::IntDiv, _) => quotient,
                    _ => remainder,
                }
            }
            _ => return self.formula_image(term).map(Image::Other),
        };
        Some(Image::Integer(integer))
    }

    /// The image of a term of another sort.
    fn formula_image(&self, term: Term) -> Option<Term> {
        let terms = &*self.terms;
        let zero = |wide: &Wide| terms.bits(wide.width, 0u8.into());
        match terms.node(term) {
            Node::AtMostZero(sum) => {
                let wide = self.sum(sum)?;
                Some(if wide.range.high <= Int::ZERO {
                    terms.bool(true)
                } else if wide.range.low > Int::ZERO {
                    terms.bool(false)
                } else {
                    terms.op(Op::BvSle, [wide.term, zero(&wide)])
                })
            }
            Node::Zero(sum) => {
                let wide = self.sum(sum)?;
                Some(terms.eq(wide.term, zero(&wide)))
            }
            Node::Divides(divisor, sum) => {
                if let Some(width) = exponent(divisor) {
                    let low = self.sum_modulo(sum, width)?;
                    return Some(terms.eq(low, terms.bits(width, 0u8.into())));
                }
                let sum = self.sum(sum)?;
                let remainder = self.divided(&sum, divisor)?.1;
                Some(terms.eq(remainder.term, zero(&remainder)))
            }
            Node::Op(Op::IntToBv(width), args) => self.low_bits(*args.first()?, *width),
            _ => {
                let mut fits = matches!(
                    terms.sort(term),
                    Sort::Bool | Sort::BitVec(_) | Sort::Float(..)
                );
                terms.for_each_child(term, |child| fits &= self.other(child).is_some());
                fits.then(|| terms.rebuild(term, |child| self.other(child).unwrap_or(child)))
            }
        }
    }

    /// A bit-vector that is no integer, and its width.
    fn bits(&self, term: Term) -> Option<(Term, u32)> {
        let image = self.other(term)?;
        match self.terms.sort(image) {
            Sort::BitVec(width) => Some((image, width)),
            _ => None,
        }
    }

    fn wide(&self, term: Term, range: Range, width: u32) -> Option<Wide> {
        (width <= MAX_WIDTH).then_some(Wide { term, width, range })
    }

    fn constant(&self, value: &Int) -> Option<Wide> {
        let range = Range::single(value.clone());
        let width = width_of(&range)?;
        self.wide(self.literal(value, width)?, range, width)
    }

    /// The number modulo 2^width.
    fn literal(&self, value: &Int, width: u32) -> Option<Term> {
        let modulus = power(width);
        let low = floor_mod(value, &modulus);
        Some(self.terms.bits(width, low.try_into().ok()?))
    }

    fn symbol(&mut self, symbol: Symbol) -> Option<Wide> {
        let range = self.ranges.get(&symbol)?.clone();
        let width = width_of(&range)?;
        let name = self.terms.symbol_info(symbol).name.clone();
        // What is never negative needs no sign in the symbol itself.
        let has_sign = range.low < Int::ZERO || width < 2;
        let own = if has_sign { width } else { width - 1 };
        let bits = self.terms.symbol(name, Sort::BitVec(own));
        self.symbols.push((symbol, bits));
        let term = self.terms.var(bits);
        let term = match has_sign {
            true => term,
            false => self.terms.op(Op::BvZeroExtend(1), [term]),
        };
        let (low, high) = (
            self.literal(&range.low, width)?,
            self.literal(&range.high, width)?,
        );
        let lowest = match has_sign {
            true => -power(width - 1),
            false => Int::ZERO,
        };
        if range.low != lowest {
            self.constraints.push(self.terms.op(Op::BvSle, [low, term]));
        }
        if range.high != power(width - 1) - Int::ONE {
            self.constraints
                .push(self.terms.op(Op::BvSle, [term, high]));
        }
        self.wide(term, range, width)
    }

    /// The low bits of an integer, or the integer with more bits in front.
    fn resized(&self, wide: &Wide, width: u32) -> Term {
        match width.cmp(&wide.width) {
            std::cmp::Ordering::Equal => wide.term,
            std::cmp::Ordering::Less => self.terms.op(Op::BvExtract(width - 1, 0), [wide.term]),
            std::cmp::Ordering::Greater => self
                .terms
                .op(Op::BvSignExtend(width - wide.width), [wide.term]),
        }
    }

    fn sum(&self, sum: &Linear) -> Option<Wide> {
        let mut range = Range::single(sum.constant.clone());
        for (term, coefficient) in &sum.parts {
            let part = &self.integer(*term)?.range;
            range = range.add(&part.mul(&Range::single(coefficient.clone())));
        }
        let width = width_of(&range)?;
        // The result fits, so what wraps on the way comes back.
        self.wide(self.sum_modulo(sum, width)?, range, width)
    }

    /// The low bits of a sum.
    fn sum_modulo(&self, sum: &Linear, width: u32) -> Option<Term> {
        let modulus = power(width);
        let mut total = self.literal(&sum.constant, width)?;
        for (term, coefficient) in &sum.parts {
            let bits = self.resized(self.integer(*term)?, width);
            let factor = floor_mod(coefficient, &modulus);
            total = if factor.is_one() {
                self.terms.op(Op::BvAdd, [total, bits])
            } else if &factor + Int::ONE == modulus {
                self.terms.op(Op::BvSub, [total, bits])
            } else {
                let factor = self.literal(&factor, width)?;
                let product = self.terms.op(Op::BvMul, [factor, bits]);
                self.terms.op(Op::BvAdd, [total, product])
            };
        }
        Some(total)
    }

    /// The low bits of an integer. Of a sum no more than these are computed.
    fn low_bits(&self, term: Term, width: u32) -> Option<Term> {
        match self.terms.node(term) {
            Node::Sum(sum) => self.sum_modulo(sum, width),
            _ => Some(self.resized(self.integer(term)?, width)),
        }
    }

    fn product(&self, a: Term, b: Term) -> Option<Wide> {
        let (a, b) = (self.integer(a)?, self.integer(b)?);
        let range = a.range.mul(&b.range);
        let width = width_of(&range)?;
        let factors = [self.resized(a, width), self.resized(b, width)];
        self.wide(self.terms.op(Op::BvMul, factors), range, width)
    }

    fn choice(&self, condition: Term, then: Term, other: Term) -> Option<Wide> {
        let condition = self.other(condition)?;
        let (then, other) = (self.integer(then)?, self.integer(other)?);
        let range = then.range.hull(&other.range);
        let width = width_of(&range)?;
        let term = self.terms.ite(
            condition,
            self.resized(then, width),
            self.resized(other, width),
        );
        self.wide(term, range, width)
    }

    /// Quotient and remainder by a positive number.
    fn division(&self, a: Term, divisor: &Int) -> Option<(Wide, Wide)> {
        self.divided(self.integer(a)?, divisor)
    }

    fn divided(&self, a: &Wide, divisor: &Int) -> Option<(Wide, Wide)> {
        let terms = &*self.terms;
        let quotients = Range::new(
            floor_div(&a.range.low, divisor),
            floor_div(&a.range.high, divisor),
        );
        let remainders = Range::new(Int::ZERO, divisor - Int::ONE);
        if let Some(shift) = exponent(divisor) {
            // The high bits are the quotient, rounded down, and the low ones the remainder.
            let width = a.width.max(shift + 1);
            let bits = self.resized(a, width);
            let high = terms.op(Op::BvExtract(width - 1, shift), [bits]);
            let low = terms.op(Op::BvExtract(shift - 1, 0), [bits]);
            let low = terms.op(Op::BvZeroExtend(1), [low]);
            return Some((
                self.wide(high, quotients, width - shift)?,
                self.wide(low, remainders, shift + 1)?,
            ));
        }
        let width =
            width_of(&a.range.hull(&Range::new(-divisor, divisor.clone())))?.checked_add(1)?;
        let bits = self.resized(a, width);
        let by = self.literal(divisor, width)?;
        let remainder = match a.range.low >= Int::ZERO {
            true => terms.op(Op::BvUrem, [bits, by]),
            false => {
                let signed = terms.op(Op::BvSrem, [bits, by]);
                let negative = terms.op(Op::BvSlt, [signed, terms.bits(width, 0u8.into())]);
                terms.ite(negative, terms.op(Op::BvAdd, [signed, by]), signed)
            }
        };
        let whole = terms.op(Op::BvSub, [bits, remainder]);
        let quotient = terms.op(Op::BvSdiv, [whole, by]);
        Some((
            self.wide(quotient, quotients, width)?,
            self.wide(remainder, remainders, width)?,
        ))
    }

    /// Quotient and remainder (from 0 on) by any number. By zero nothing is known of them; here they are 0 and the
    /// dividend, everywhere the same.
    fn general_division(&self, a: Term, b: Term) -> Option<(Wide, Wide)> {
        let terms = &*self.terms;
        let (a, b) = (self.integer(a)?, self.integer(b)?);
        let size = |range: &Range| (-&range.low).max(range.high.clone()).max(Int::ONE);
        let (size_a, size_b) = (size(&a.range), size(&b.range));
        let bound = &size_a + &size_b;
        let width = width_of(&Range::new(-&bound, bound.clone()))?;
        let zero = terms.bits(width, 0u8.into());
        let (x, y) = (self.resized(a, width), self.resized(b, width));
        let by_zero = terms.eq(y, zero);
        let signed = terms.op(Op::BvSrem, [x, y]);
        let negative = |bits: Term| terms.op(Op::BvSlt, [bits, zero]);
        let magnitude = terms.ite(negative(y), terms.op(Op::BvNeg, [y]), y);
        let moved = terms.op(Op::BvAdd, [signed, magnitude]);
        let remainder = terms.ite(negative(signed), moved, signed);
        let whole = terms.op(Op::BvSub, [x, remainder]);
        let quotient = terms.op(Op::BvSdiv, [whole, y]);
        let largest = Range::new(-&bound, bound);
        Some((
            self.wide(terms.ite(by_zero, zero, quotient), largest.clone(), width)?,
            self.wide(terms.ite(by_zero, x, remainder), largest, width)?,
        ))
    }
}

fn power(width: u32) -> Int {
    Int::ONE << width as usize
}

/// The exponent of a power of two above 1.
fn exponent(value: &Int) -> Option<u32> {
    let mut shift = 1;
    while shift < MAX_WIDTH && power(shift) < *value {
        shift += 1;
    }
    (power(shift) == *value).then_some(shift)
}

/// Number of bits in two's complement for every value of a range; none if they are too many.
fn width_of(range: &Range) -> Option<u32> {
    let mut width = 1;
    while -power(width - 1) > range.low || power(width - 1) <= range.high {
        width += 1;
        if width > MAX_WIDTH {
            return None;
        }
    }
    Some(width)
}

#[cfg(test)]
impl Translation {
    /// The values of bit-vectors that stand for integers with these values, along with the other values.
    pub(super) fn represent(&self, values: &Assignment) -> Assignment {
        let mut bits = values.clone();
        for &(integer, vector) in &self.symbols {
            if let (Some(Value::Int(value)), Sort::BitVec(width)) =
                (values.get(&integer), self.terms.symbol_info(vector).sort)
                && let Ok(low) = floor_mod(value, &power(width)).try_into()
            {
                bits.insert(vector, Value::Bits(low));
            }
        }
        bits
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;
    use rhumb_logic::eval::evaluate;

    use super::*;

    /// A term over two symbols, by a list of choices.
    fn term(terms: &Terms, symbols: [Symbol; 2], choices: &[(u8, u8, u8, i16)]) -> Term {
        let mut pool: Vec<Term> = symbols.iter().map(|&symbol| terms.var(symbol)).collect();
        for &(kind, first, second, number) in choices {
            let a = pool[first as usize % pool.len()];
            let b = pool[second as usize % pool.len()];
            let number = i32::from(number);
            let divisor = number.abs() % 40 + 2;
            pool.push(match kind % 13 {
                0 => terms.add(a, b),
                1 => terms.sub(a, b),
                2 => terms.scale(number % 9, a),
                3 => terms.mul(a, b),
                4 => terms.div(a, divisor),
                5 => terms.modulo(a, divisor),
                6 => terms.div(a, 1 << (number.unsigned_abs() % 6 + 1)),
                7 => terms.modulo(a, 1 << (number.unsigned_abs() % 6 + 1)),
                8 => terms.ite(terms.le(a, b), a, terms.int(number)),
                9 => terms.op(Op::IntDiv, [a, b]),
                10 => terms.op(Op::IntMod, [a, b]),
                11 => {
                    let bits = [a, b].map(|term| terms.op(Op::IntToBv(9), [term]));
                    terms.op(Op::BvToIntSigned, [terms.op(Op::BvXor, bits)])
                }
                _ => {
                    let bits = [a, b].map(|term| terms.op(Op::IntToBv(7), [term]));
                    terms.op(Op::BvToInt, [terms.op(Op::BvAnd, bits)])
                }
            });
        }
        pool[pool.len() - 1]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(3000))]

        /// The image of a comparison has the comparison's value, on values of the symbols' ranges.
        #[test]
        fn images_have_the_same_value(
            choices in prop::collection::vec(any::<(u8, u8, u8, i16)>(), 1..6),
            x in -20i32..=30,
            y in 0i32..=200,
            limit in any::<i16>(),
        ) {
            let terms = Arc::new(Terms::new());
            let symbols = [terms.symbol("x", Sort::Int), terms.symbol("y", Sort::Int)];
            let value = term(&terms, symbols, &choices);
            let mut translation = Translation::new(&terms);
            translation.extend(&[
                (symbols[0], Range::new(-20, 30)),
                (symbols[1], Range::new(0, 200)),
            ]);
            let values: Assignment = [(symbols[0], Value::Int(x.into())), (symbols[1], Value::Int(y.into()))]
                .into_iter()
                .collect();
            let near = evaluate(&terms, value, &values);
            let formulas = [
                terms.le(value, terms.int(i32::from(limit))),
                terms.divides(7, value),
                match near.as_ref().and_then(Value::as_int) {
                    Some(near) => terms.eq(value, terms.int(near.clone())),
                    None => terms.bool(true),
                },
            ];
            for formula in formulas {
                // Divisions by zero have no value of their own.
                let Some(expected) = evaluate(&terms, formula, &values) else { continue };
                let image = translation.formula(formula).expect("all of it is bounded");
                let bits = translation.represent(&values);
                prop_assert_eq!(evaluate(&terms, image, &bits), Some(expected));
                for &constraint in translation.constraints() {
                    prop_assert_eq!(evaluate(&terms, constraint, &bits), Some(Value::Bool(true)));
                }
                let restored = translation.restore(&bits);
                for &(integer, _) in &translation.symbols {
                    prop_assert_eq!(restored.get(&integer), values.get(&integer));
                }
            }
        }
    }

    #[test]
    fn what_has_no_bounds_has_no_image() {
        let terms = Arc::new(Terms::new());
        let (x, k) = (terms.symbol("x", Sort::Int), terms.symbol("k", Sort::Int));
        let mut translation = Translation::new(&terms);
        translation.extend(&[(x, Range::new(0, 9))]);
        let bounded = terms.le(terms.var(x), terms.int(5));
        let unbounded = terms.le(terms.var(x), terms.var(k));
        assert!(translation.formula(bounded).is_some());
        assert!(translation.formula(unbounded).is_none());
    }
}
