//! What is known of two symbols together: bounds of their differences, and differences that they don't have.
//!
//! Bounds are closed: what follows from two of them is there, too. So symbols can be left out without losing what is known of the others.

use std::collections::{BTreeMap, BTreeSet};

/// Where there are more bounds than this, further ones are left out.
const MAX_BOUNDS: usize = 200;

#[derive(Clone, PartialEq, Eq, Hash, Debug, Default)]
pub(super) struct Order {
    /// The first minus the second is at most this.
    bounds: BTreeMap<(u16, u16), i128>,
    /// The first minus the second is not this; the first is the smaller symbol.
    apart: BTreeSet<(u16, u16, i128)>,
}

impl Order {
    pub(super) fn is_empty(&self) -> bool {
        self.bounds.is_empty() && self.apart.is_empty()
    }

    pub(super) fn bound(&self, a: u16, b: u16) -> Option<i128> {
        self.bounds.get(&(a, b)).copied()
    }

    pub(super) fn bounds(&self) -> impl Iterator<Item = (u16, u16, i128)> + '_ {
        self.bounds.iter().map(|(&(a, b), &bound)| (a, b, bound))
    }

    pub(super) fn apart(&self) -> impl Iterator<Item = (u16, u16, i128)> + '_ {
        self.apart.iter().copied()
    }

    pub(super) fn is_apart(&self, a: u16, b: u16, difference: i128) -> bool {
        self.apart.contains(&apart(a, b, difference))
    }

    /// Says that `a - b` is at most a number. False if it can't be.
    #[must_use]
    pub(super) fn add(&mut self, a: u16, b: u16, bound: i128) -> bool {
        let mut todo = vec![(a, b, bound)];
        while let Some((a, b, mut bound)) = todo.pop() {
            while self.is_apart(a, b, bound) {
                bound -= 1;
            }
            if self.bound(a, b).is_some_and(|known| known <= bound) {
                continue;
            }
            if self.bound(b, a).is_some_and(|back| back + bound < 0) {
                return false;
            }
            if self.bounds.len() >= MAX_BOUNDS && self.bound(a, b).is_none() {
                continue;
            }
            self.bounds.insert((a, b), bound);
            for (&(x, y), &other) in &self.bounds {
                if y == a && x != b {
                    todo.push((x, b, other + bound));
                }
                if x == b && y != a {
                    todo.push((a, y, bound + other));
                }
            }
        }
        true
    }

    /// Says that `a - b` is not a number. False if it is.
    #[must_use]
    pub(super) fn separate(&mut self, a: u16, b: u16, difference: i128) -> bool {
        if self.apart.len() < MAX_BOUNDS {
            self.apart.insert(apart(a, b, difference));
        }
        let below = self.bound(a, b) == Some(difference);
        let above = self.bound(b, a) == Some(-difference);
        (!below || self.add(a, b, difference - 1)) && (!above || self.add(b, a, -difference - 1))
    }

    /// The same with `symbol` replaced by `other + more`. None if that can't be.
    pub(super) fn replaced(&self, symbol: u16, other: u16, more: i128) -> Option<Order> {
        let of = |a: u16| match a == symbol {
            true => (other, more),
            false => (a, 0),
        };
        let mut order = Order::default();
        for (a, b, difference) in self.apart() {
            let ((a, x), (b, y)) = (of(a), of(b));
            let difference = difference - x + y;
            let is_fine = match a == b {
                true => difference != 0,
                false => order.separate(a, b, difference),
            };
            is_fine.then_some(())?;
        }
        for (a, b, bound) in self.bounds() {
            let ((a, x), (b, y)) = (of(a), of(b));
            let bound = bound - x + y;
            let is_fine = match a == b {
                true => bound >= 0,
                false => order.add(a, b, bound),
            };
            is_fine.then_some(())?;
        }
        Some(order)
    }
}

fn apart(a: u16, b: u16, difference: i128) -> (u16, u16, i128) {
    match a < b {
        true => (a, b, difference),
        false => (b, a, -difference),
    }
}
