//! What a pointer may point to: objects, each at one distance from its start or at distances in equal steps.

use crate::expr::{BinOp, ExprKind, Exprs};
use crate::ids::ExprId;
use crate::types::{DataModel, Type};

index_vec::define_index_type! {
    /// An object that may become variables.
    pub struct HomeId = u32;
    DEBUG_FORMAT = "h{}";
}

/// How many distances within one object are told apart before they become steps.
const MAX_OFFSETS: usize = 8;

/// A distance in bytes, modulo the size of an address: `offset` plus any multiple of `stride`.
///
/// A stride that divides the size of an address survives every wrap. Any other one holds only while the distance, as an
/// integer that doesn't wrap, has at most `bits` bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Distance {
    /// The distance, or one of them: sign-extended from the width of a pointer; less than the stride and not negative if there is one.
    pub offset: i64,
    /// What may be added any number of times; 0 for nothing.
    pub stride: u64,
    /// A bound for the number of bits of the distance; it counts where the stride is no power of two.
    pub bits: u16,
}

impl Distance {
    /// This one.
    pub fn exact(offset: i64) -> Distance {
        Distance {
            offset,
            stride: 0,
            bits: 0,
        }
    }

    /// Any multiple of a number, as an integer of so many bits.
    fn steps(stride: u64, bits: u16, width: u16) -> Distance {
        Distance {
            offset: 0,
            stride,
            bits,
        }
        .normal(width)
    }

    /// The number of bits that bound it.
    fn bound(self) -> u16 {
        match self.stride {
            0 => 65 - self.offset.unsigned_abs().leading_zeros() as u16,
            _ => self.bits,
        }
    }

    /// The same, or a little more, in the form that is described above.
    fn normal(mut self, width: u16) -> Distance {
        if self.stride == 0 {
            let spare = 64 - u32::from(width);
            self.offset = self.offset << spare >> spare;
            self.bits = 0;
            return self;
        }
        self.bits = self.bits.min(width);
        if !self.stride.is_power_of_two() && self.bits + 2 > width {
            self.stride = 1 << self.stride.trailing_zeros();
        }
        let stride = i64::try_from(self.stride).unwrap_or(1);
        self.stride = stride as u64;
        self.offset = self.offset.rem_euclid(stride);
        self
    }

    /// The sum of two.
    pub fn plus(self, other: Distance, width: u16) -> Distance {
        Distance {
            offset: self.offset.wrapping_add(other.offset),
            stride: gcd(self.stride, other.stride),
            bits: self.bound().max(other.bound()) + 1,
        }
        .normal(width)
    }

    /// A multiple.
    fn times(self, factor: i64, width: u16) -> Distance {
        let magnitude = factor.unsigned_abs();
        let bits = self.bound() + 65 - magnitude.leading_zeros() as u16;
        let Some(stride) = self.stride.checked_mul(magnitude) else {
            return Distance::steps(1, bits, width);
        };
        Distance {
            offset: self.offset.wrapping_mul(factor),
            stride,
            bits,
        }
        .normal(width)
    }

    /// The product of two: `(a + sx)(b + ty)` is `ab` plus multiples of `at`, `bs` and `st`.
    fn product(self, other: Distance, width: u16) -> Distance {
        let bits = self.bound() + other.bound();
        let multiple = |offset: i64, stride: u64| offset.unsigned_abs().checked_mul(stride);
        let exact = || {
            let offset = self.offset.checked_mul(other.offset)?;
            let left = multiple(self.offset, other.stride)?;
            let right = multiple(other.offset, self.stride)?;
            let both = self.stride.checked_mul(other.stride)?;
            Some(Distance {
                offset,
                stride: gcd(gcd(left, right), both),
                bits,
            })
        };
        let product = exact().unwrap_or(Distance::steps(1, bits, width));
        product.normal(width)
    }

    /// The least that has both, for distances of up to the given number of bits each.
    fn join(self, other: Distance, width: u16) -> Distance {
        let apart = self.offset.abs_diff(other.offset);
        Distance {
            offset: self.offset,
            stride: gcd(gcd(self.stride, other.stride), apart),
            bits: self.bound().max(other.bound()),
        }
        .normal(width)
    }

    /// Whether every distance of the other is one of these.
    pub fn covers(self, other: Distance) -> bool {
        if self.stride == 0 {
            return self == other;
        }
        other.stride.is_multiple_of(self.stride)
            && self
                .offset
                .abs_diff(other.offset)
                .is_multiple_of(self.stride)
            && (self.stride.is_power_of_two() || other.bound() <= self.bits)
    }

    /// The distances at which an access of `size` bytes is inside an object of `whole` bytes: how many, and which.
    pub fn places(self, size: u64, whole: u64) -> (u64, impl Iterator<Item = u64>) {
        let last = whole.checked_sub(size);
        let first = u64::try_from(self.offset).ok();
        let (count, first) = match (first, last) {
            (Some(first), Some(last)) if first <= last => match self.stride {
                0 => (1, first),
                stride => ((last - first) / stride + 1, first),
            },
            _ => (0, 0),
        };
        let stride = self.stride;
        (count, (0..count).map(move |index| first + index * stride))
    }
}

pub(super) fn gcd(a: u64, b: u64) -> u64 {
    let (mut a, mut b) = (a, b);
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

/// The distances that an integer expression as wide as a pointer stands for. Recursive on its depth, which the model limits.
pub fn distance(exprs: &Exprs, model: DataModel, id: ExprId) -> Distance {
    let width = model.pointer_width();
    let Type::Int(int) = exprs.ty(id) else {
        return Distance::steps(1, width, width);
    };
    if let Some((int, bits)) = exprs.as_int_const(id) {
        let value = int.extend(bits);
        return Distance::exact(value as i64).normal(width);
    }
    if int.width < width {
        return Distance::steps(1, int.width, width);
    }
    let anything = Distance::steps(1, int.width, width);
    if int.width > width {
        return anything;
    }
    let constant = |id: ExprId| exprs.as_int_const(id).map(|(int, bits)| int.extend(bits));
    match exprs[id].kind {
        ExprKind::Cast(arg) => match exprs.ty(arg) {
            Type::Int(from) if from.width <= width => distance(exprs, model, arg),
            _ => anything,
        },
        ExprKind::Binary(BinOp::Add, a, b) => {
            distance(exprs, model, a).plus(distance(exprs, model, b), width)
        }
        ExprKind::Binary(BinOp::Sub, a, b) => {
            let negated = distance(exprs, model, b).times(-1, width);
            distance(exprs, model, a).plus(negated, width)
        }
        ExprKind::Binary(BinOp::Mul, a, b) => match (constant(a), constant(b)) {
            (_, Some(factor)) => distance(exprs, model, a).times(factor as i64, width),
            (Some(factor), _) => distance(exprs, model, b).times(factor as i64, width),
            _ => distance(exprs, model, a).product(distance(exprs, model, b), width),
        },
        _ => anything,
    }
}

/// What a pointer may point to.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Pointees {
    /// Objects that may become variables, and where in them; in order, no entry covered by another. A pointer may also be null, or no
    /// pointer to anything.
    pub objects: Vec<(HomeId, Distance)>,
    /// Whether it may point to anything else.
    pub other: bool,
}

impl Pointees {
    /// To anything that is no variable.
    pub fn other() -> Pointees {
        Pointees {
            objects: Vec::new(),
            other: true,
        }
    }

    /// To the start of an object.
    pub fn start_of(home: HomeId) -> Pointees {
        Pointees {
            objects: vec![(home, Distance::exact(0))],
            other: false,
        }
    }

    /// Whether it may point to an object that may become variables.
    pub fn is_tainted(&self) -> bool {
        !self.objects.is_empty()
    }

    /// Whether it may point to more than one object that may become variables.
    pub fn is_of_several(&self) -> bool {
        let mut homes = self.objects.iter().map(|entry| entry.0);
        let first = homes.next();
        homes.any(|home| Some(home) != first)
    }

    /// Whether everything that the other may point to is among this.
    pub fn covers(&self, other: &Pointees) -> bool {
        let covers = |&(home, distance): &(HomeId, Distance)| {
            let mut mine = self.objects.iter().filter(|entry| entry.0 == home);
            mine.any(|entry| entry.1.covers(distance))
        };
        (self.other || !other.other) && other.objects.iter().all(covers)
    }

    /// All of them moved.
    pub fn moved(&self, by: Distance, width: u16) -> Pointees {
        let mut moved = Pointees {
            objects: Vec::with_capacity(self.objects.len()),
            other: self.other,
        };
        for &(home, distance) in &self.objects {
            moved.insert(home, distance.plus(by, width), width);
        }
        moved
    }

    /// Adds what another pointer may point to; gives whether that is new.
    pub(super) fn add(&mut self, more: &Pointees, width: u16) -> bool {
        let mut changed = more.other && !self.other;
        self.other |= more.other;
        for &(home, distance) in &more.objects {
            changed |= self.insert(home, distance, width);
        }
        changed
    }

    fn insert(&mut self, home: HomeId, distance: Distance, width: u16) -> bool {
        let mut mine = self.objects.iter().filter(|entry| entry.0 == home);
        if mine.any(|entry| entry.1.covers(distance)) {
            return false;
        }
        let covered = |entry: &(HomeId, Distance)| entry.0 == home && distance.covers(entry.1);
        self.objects.retain(|entry| !covered(entry));
        let place = self
            .objects
            .partition_point(|entry| *entry < (home, distance));
        self.objects.insert(place, (home, distance));
        let count = self.objects.iter().filter(|entry| entry.0 == home).count();
        if count > MAX_OFFSETS {
            let all: Vec<Distance> = (self.objects.iter())
                .filter(|entry| entry.0 == home)
                .map(|entry| entry.1)
                .collect();
            let one = all.iter().fold(all[0], |one, &more| one.join(more, width));
            self.objects.retain(|entry| entry.0 != home);
            let place = self.objects.partition_point(|entry| *entry < (home, one));
            self.objects.insert(place, (home, one));
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All distances of a few bits, as integers.
    fn all(distance: Distance) -> Vec<i64> {
        match i64::try_from(distance.stride) {
            Ok(0) | Err(_) => vec![distance.offset],
            Ok(stride) => (-3..=3)
                .map(|times| distance.offset + times * stride)
                .collect(),
        }
    }

    #[test]
    fn products_have_all_products() {
        let mut some = vec![Distance::exact(0), Distance::exact(7), Distance::exact(-4)];
        for stride in [1, 2, 3, 4, 6, 8, 12] {
            for offset in 0..stride {
                let base = Distance::exact(offset as i64);
                some.push(base.plus(Distance::steps(stride, 8, 32), 32));
            }
        }
        for &a in &some {
            for &b in &some {
                let product = a.product(b, 32);
                for (x, y) in all(a)
                    .into_iter()
                    .flat_map(|x| all(b).into_iter().map(move |y| (x, y)))
                {
                    let is_one = match product.stride {
                        0 => x * y == product.offset,
                        stride => (x * y - product.offset).rem_euclid(stride as i64) == 0,
                    };
                    assert!(is_one, "{x} * {y} is none of {product:?}");
                }
            }
        }
    }

    #[test]
    fn products_that_wrap_keep_powers_of_two_only() {
        let threes = Distance::steps(12, 20, 32);
        assert_eq!(threes.product(Distance::steps(1, 20, 32), 32).stride, 4);
        assert_eq!(threes.product(Distance::steps(1, 6, 32), 32).stride, 12);
        let large = Distance::steps(1 << 40, 60, 64);
        assert_eq!(large.product(large, 64).stride, 1);
    }
}
