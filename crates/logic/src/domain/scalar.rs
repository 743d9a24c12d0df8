//! The numbers that the inner loops compute with: machine words while they suffice, integers without bounds after that.
//!
//! A computation runs on `i64` first and starts again on [`Int`] when a word overflows: coefficients beyond 64 bits are rare
//! in programs, and words are about twice as fast (`cargo bench -p rhumb-logic --bench domains` has the ratio).

use std::cmp::Ordering;
use std::fmt::Debug;

use dashu_base::Signed;

use super::limits::{Budget, TooLarge};
use crate::num::{self, Int};

/// Why a computation on a kind of numbers ended early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The numbers have become too large for this kind: do it again with a larger one.
    Overflow,
    /// The limits are used up.
    TooLarge,
}

impl From<TooLarge> for Stop {
    fn from(_: TooLarge) -> Self {
        Stop::TooLarge
    }
}

/// Tries machine words, then integers without bounds.
pub(crate) fn on_the_smallest_numbers<R>(
    words: impl FnOnce(&mut Budget) -> Result<R, Stop>,
    integers: impl FnOnce(&mut Budget) -> Result<R, Stop>,
    budget: &mut Budget,
) -> Result<R, TooLarge> {
    match words(budget) {
        Err(Stop::Overflow) => integers(budget).map_err(|_| TooLarge),
        Err(Stop::TooLarge) => Err(TooLarge),
        Ok(result) => Ok(result),
    }
}

/// Entries of integer vectors.
pub(crate) trait Scalar: Clone + Debug + Ord {
    /// Holds the scalar product of two vectors.
    type Product: Clone + Debug;

    /// What it costs to combine two entries, in the unit of [`Budget`].
    const COST: usize;

    fn small(value: i8) -> Self;
    fn from_int(value: &Int) -> Result<Self, Stop>;
    fn to_int(&self) -> Int;
    fn is_zero(&self) -> bool;
    fn sign(&self) -> Ordering;
    fn product_sign(product: &Self::Product) -> Ordering;
    fn dot(a: &[Self], b: &[Self]) -> Result<Self::Product, Stop>;
    /// `|a| * x - (sign of a) * b * y`, divided by the greatest common divisor of its entries: the positive multiple of `x`
    /// plus the multiple of `y` that cancels what `x` and `y` have as products `b` and `a`.
    fn cancel(
        x: &[Self],
        b: &Self::Product,
        y: &[Self],
        a: &Self::Product,
        budget: &mut Budget,
    ) -> Result<Vec<Self>, Stop>;
    fn product_of(value: &Self) -> Self::Product;
    fn negate(row: &mut [Self]) -> Result<(), Stop>;
}

impl Scalar for Int {
    type Product = Int;

    const COST: usize = 60;

    fn small(value: i8) -> Self {
        Int::from(value)
    }

    fn from_int(value: &Int) -> Result<Self, Stop> {
        Ok(value.clone())
    }

    fn to_int(&self) -> Int {
        self.clone()
    }

    fn is_zero(&self) -> bool {
        Int::is_zero(self)
    }

    fn sign(&self) -> Ordering {
        if Int::is_zero(self) {
            Ordering::Equal
        } else if self.is_negative() {
            Ordering::Less
        } else {
            Ordering::Greater
        }
    }

    fn product_sign(product: &Int) -> Ordering {
        Scalar::sign(product)
    }

    fn dot(a: &[Int], b: &[Int]) -> Result<Int, Stop> {
        Ok(num::dot(a, b))
    }

    fn cancel(
        x: &[Int],
        b: &Int,
        y: &[Int],
        a: &Int,
        budget: &mut Budget,
    ) -> Result<Vec<Int>, Stop> {
        budget.spend(x.len() * Self::COST)?;
        let common = num::gcd(a, b);
        let (mut a, mut b) = (a.clone(), b.clone());
        if !common.is_one() && !Int::is_zero(&common) {
            a /= &common;
            b /= &common;
        }
        if a.is_negative() {
            a = -a;
            b = -b;
        }
        let mut row: Vec<Int> = x.iter().zip(y).map(|(x, y)| &a * x - &b * y).collect();
        num::make_primitive(&mut row);
        budget.check_bits(&row)?;
        Ok(row)
    }

    fn product_of(value: &Int) -> Int {
        value.clone()
    }

    fn negate(row: &mut [Int]) -> Result<(), Stop> {
        for entry in row {
            *entry = -std::mem::take(entry);
        }
        Ok(())
    }
}

impl Scalar for i64 {
    type Product = i128;

    const COST: usize = 20;

    fn small(value: i8) -> Self {
        i64::from(value)
    }

    fn from_int(value: &Int) -> Result<Self, Stop> {
        i64::try_from(value).map_err(|_| Stop::Overflow)
    }

    fn to_int(&self) -> Int {
        Int::from(*self)
    }

    fn is_zero(&self) -> bool {
        *self == 0
    }

    fn sign(&self) -> Ordering {
        self.cmp(&0)
    }

    fn product_sign(product: &i128) -> Ordering {
        product.cmp(&0)
    }

    fn dot(a: &[i64], b: &[i64]) -> Result<i128, Stop> {
        let mut sum = 0i128;
        for (&x, &y) in a.iter().zip(b) {
            sum = sum
                .checked_add(i128::from(x) * i128::from(y))
                .ok_or(Stop::Overflow)?;
        }
        Ok(sum)
    }

    fn cancel(
        x: &[i64],
        b: &i128,
        y: &[i64],
        a: &i128,
        budget: &mut Budget,
    ) -> Result<Vec<i64>, Stop> {
        budget.spend(x.len() * Self::COST)?;
        let common = wide_gcd(a.unsigned_abs(), b.unsigned_abs());
        let common = i128::try_from(common.max(1)).map_err(|_| Stop::Overflow)?;
        let (mut a, mut b) = (a / common, b / common);
        if a < 0 {
            a = a.checked_neg().ok_or(Stop::Overflow)?;
            b = b.checked_neg().ok_or(Stop::Overflow)?;
        }
        if let (Ok(a), Ok(b)) = (i32::try_from(a), i32::try_from(b))
            && let Some(row) = narrow_combination(x, b, y, a)
        {
            return Ok(row);
        }
        wide_combination(x, b, y, a)
    }

    fn product_of(value: &i64) -> i128 {
        i128::from(*value)
    }

    fn negate(row: &mut [i64]) -> Result<(), Stop> {
        for entry in row {
            *entry = entry.checked_neg().ok_or(Stop::Overflow)?;
        }
        Ok(())
    }
}

/// `a * x - b * y` without its common divisor, if everything stays within words before that is taken out.
fn narrow_combination(x: &[i64], b: i32, y: &[i64], a: i32) -> Option<Vec<i64>> {
    let mut row = Vec::with_capacity(x.len());
    for (&x, &y) in x.iter().zip(y) {
        // 32 by 64 bits: neither the products nor their difference can leave 128 bits.
        let entry = i128::from(a) * i128::from(x) - i128::from(b) * i128::from(y);
        row.push(i64::try_from(entry).ok()?);
    }
    let mut common = 0;
    for entry in &row {
        common = gcd(common, entry.unsigned_abs());
        if common == 1 {
            return Some(row);
        }
    }
    let common = i64::try_from(common.max(1)).ok()?;
    for entry in row.iter_mut().filter(|entry| **entry != 0) {
        *entry /= common;
    }
    Some(row)
}

/// The same, if everything stays within double words, and within words after the common divisor is taken out.
fn wide_combination(x: &[i64], b: i128, y: &[i64], a: i128) -> Result<Vec<i64>, Stop> {
    let mut row = Vec::with_capacity(x.len());
    let mut common = 0;
    for (&x, &y) in x.iter().zip(y) {
        let left = a.checked_mul(i128::from(x)).ok_or(Stop::Overflow)?;
        let right = b.checked_mul(i128::from(y)).ok_or(Stop::Overflow)?;
        let entry = left.checked_sub(right).ok_or(Stop::Overflow)?;
        common = wide_gcd(common, entry.unsigned_abs());
        row.push(entry);
    }
    let common = i128::try_from(common.max(1)).map_err(|_| Stop::Overflow)?;
    let narrow = |entry: &i128| i64::try_from(entry / common).map_err(|_| Stop::Overflow);
    row.iter().map(narrow).collect()
}

/// Euclid's algorithm.
fn gcd(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// Euclid's algorithm, on words as soon as both numbers fit: dividing double words is slow.
fn wide_gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        if let (Ok(a), Ok(b)) = (u64::try_from(a), u64::try_from(b)) {
            return u128::from(gcd(a, b));
        }
        (a, b) = (b, a % b);
    }
    a
}
