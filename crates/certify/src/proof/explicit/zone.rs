//! What is known of values that are not known: bounds of their differences, and differences that they don't have.

/// A symbol: some integer. Symbol 0 is the number zero.
pub(in crate::proof) type Sym = u16;

/// The number zero.
pub(in crate::proof) const ZERO: Sym = 0;

/// Something to be asked of two symbols.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::proof) struct Atom {
    pub(in crate::proof) left: Sym,
    pub(in crate::proof) right: Sym,
    pub(in crate::proof) kind: AtomKind,
    pub(in crate::proof) bound: i128,
}

/// How the difference of the symbols compares with the bound.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::proof) enum AtomKind {
    AtMost,
    Equal,
}

/// A set of values for symbols: those whose differences have these bounds, and are not any of some numbers. Bounds are closed: no sum of
/// bounds along other symbols is less than the bound between two. Every symbol has bounds of its own, so all bounds are finite.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(in crate::proof) struct Zone {
    /// Number of symbols, with zero.
    len: usize,
    /// `upper[i * len + j]`: what symbol `i` minus symbol `j` is at most.
    upper: Vec<i128>,
    /// `(i, j, c)` with `i > j`: symbol `i` minus symbol `j` is not `c`. Sorted, and none that follows from bounds.
    apart: Vec<(Sym, Sym, i128)>,
}

impl Zone {
    /// Of no symbol but zero.
    pub(in crate::proof) fn new() -> Zone {
        Zone {
            len: 1,
            upper: vec![0],
            apart: Vec::new(),
        }
    }

    /// Number of symbols, with zero.
    pub(in crate::proof) fn len(&self) -> usize {
        self.len
    }

    /// What the difference of two symbols is at most.
    pub(in crate::proof) fn upper(&self, left: Sym, right: Sym) -> i128 {
        self.upper[left as usize * self.len + right as usize]
    }

    /// The number that a symbol is, if there is only one.
    pub(in crate::proof) fn fixed(&self, symbol: Sym) -> Option<i128> {
        self.difference(symbol, ZERO)
    }

    /// The difference of two symbols, if it is always the same.
    pub(in crate::proof) fn difference(&self, left: Sym, right: Sym) -> Option<i128> {
        let most = self.upper(left, right);
        (most == -self.upper(right, left)).then_some(most)
    }

    #[cfg(test)]
    /// The numbers that the difference of two symbols is known not to be.
    pub(in crate::proof) fn apart(&self) -> &[(Sym, Sym, i128)] {
        &self.apart
    }

    /// Whether something holds of the two symbols for all values, or for none; none if it depends.
    pub(in crate::proof) fn decide(&self, atom: Atom) -> Option<bool> {
        let Atom {
            left, right, bound, ..
        } = atom;
        let (least, most) = (-self.upper(right, left), self.upper(left, right));
        match atom.kind {
            AtomKind::AtMost if most <= bound => Some(true),
            AtomKind::AtMost if least > bound => Some(false),
            AtomKind::AtMost => None,
            AtomKind::Equal if least > bound || most < bound => Some(false),
            AtomKind::Equal if least == most => Some(true),
            AtomKind::Equal if self.are_apart(left, right, bound) => Some(false),
            AtomKind::Equal => None,
        }
    }

    fn are_apart(&self, left: Sym, right: Sym, by: i128) -> bool {
        self.apart
            .binary_search(&ordered((left, right, by)))
            .is_ok()
    }

    /// A new symbol between two numbers.
    pub(in crate::proof) fn add(&mut self, least: i128, most: i128) -> Sym {
        let (old, len) = (self.len, self.len + 1);
        let mut upper = vec![0; len * len];
        for i in 0..old {
            upper[i * len..i * len + old].copy_from_slice(&self.upper[i * old..(i + 1) * old]);
            // By way of zero.
            upper[i * len + old] = self.upper[i * old] - least;
            upper[old * len + i] = most + self.upper[i];
        }
        self.len = len;
        self.upper = upper;
        old as Sym
    }

    /// Takes symbols of another zone along, of which nothing else is known. Says what is to be added to the number of
    /// one, if it is not zero.
    pub(in crate::proof) fn append(&mut self, other: &Zone) -> Sym {
        let more = self.len - 1;
        let len = self.len + other.len - 1;
        let mut upper = Vec::with_capacity(len * len);
        for i in 0..len {
            for j in 0..len {
                upper.push(match (i < self.len, j < self.len) {
                    (true, true) => self.upper[i * self.len + j],
                    (false, false) => other.upper[(i - more) * other.len + j - more],
                    // By way of zero.
                    (true, false) => self.upper[i * self.len] + other.upper[j - more],
                    (false, true) => other.upper[(i - more) * other.len] + self.upper[j],
                });
            }
        }
        let renamed = |symbol: Sym| match symbol {
            ZERO => ZERO,
            symbol => symbol + more as Sym,
        };
        let apart = other.apart.iter();
        let apart = apart.map(|&(left, right, by)| (renamed(left), renamed(right), by));
        self.apart.extend(apart);
        self.apart.sort_unstable();
        self.len = len;
        self.upper = upper;
        more as Sym
    }

    /// Keeps the values for which something holds, or doesn't. Says whether there may be any.
    pub(in crate::proof) fn learn(&mut self, atom: Atom, holds: bool) -> bool {
        let Atom {
            left, right, bound, ..
        } = atom;
        let is_possible = match (atom.kind, holds) {
            (AtomKind::AtMost, true) => self.limit(left, right, bound),
            (AtomKind::AtMost, false) => self.limit(right, left, -bound - 1),
            (AtomKind::Equal, true) => {
                self.limit(left, right, bound) && self.limit(right, left, -bound)
            }
            (AtomKind::Equal, false) => {
                self.apart.push(ordered((left, right, bound)));
                true
            }
        };
        is_possible && self.settle()
    }

    /// Bounds a difference. Says whether the bounds allow any values.
    fn limit(&mut self, left: Sym, right: Sym, bound: i128) -> bool {
        let (left, right, len) = (left as usize, right as usize, self.len);
        if self.upper[left * len + right] <= bound {
            return true;
        }
        if self.upper[right * len + left] + bound < 0 {
            return false;
        }
        for i in 0..len {
            let first = self.upper[i * len + left] + bound;
            for j in 0..len {
                let way = first + self.upper[right * len + j];
                let upper = &mut self.upper[i * len + j];
                *upper = way.min(*upper);
            }
        }
        true
    }

    /// Lets what is not equal move the bounds, until nothing changes. Says whether there may be any values.
    fn settle(&mut self) -> bool {
        loop {
            let mut moved = false;
            for place in 0..self.apart.len() {
                let (left, right, by) = self.apart[place];
                if self.upper(left, right) == by {
                    moved = true;
                    if !self.limit(left, right, by - 1) {
                        return false;
                    }
                }
                if self.upper(right, left) == -by {
                    moved = true;
                    if !self.limit(right, left, -by - 1) {
                        return false;
                    }
                }
            }
            if !moved {
                break;
            }
        }
        self.tidy();
        true
    }

    fn tidy(&mut self) {
        let mut apart = std::mem::take(&mut self.apart);
        apart.retain(|&(left, right, by)| {
            by <= self.upper(left, right) && -by <= self.upper(right, left)
        });
        apart.sort_unstable();
        apart.dedup();
        self.apart = apart;
    }

    /// The same of other symbols: for each new one (zero is always the first) the old one that it is, and what is added to that.
    pub(in crate::proof) fn renamed(&self, kept: &[(Sym, i128)]) -> Zone {
        let len = kept.len();
        let mut upper = Vec::with_capacity(len * len);
        for &(left, more) in kept {
            for &(right, less) in kept {
                upper.push(self.upper(left, right) + more - less);
            }
        }
        let mut zone = Zone {
            len,
            upper,
            apart: Vec::new(),
        };
        // A symbol that is not kept may always be at some distance from one that is.
        let image = |old: Sym| {
            let mut kept = kept.iter().zip(0..);
            kept.find_map(|(&(symbol, more), new)| {
                Some((new, self.difference(old, symbol)? - more))
            })
        };
        for &(left, right, by) in &self.apart {
            if let (Some((left, more)), Some((right, less))) = (image(left), image(right))
                && left != right
            {
                zone.apart.push(ordered((left, right, by - more + less)));
            }
        }
        zone.tidy();
        zone
    }

    /// Whether all values of the other zone, which is about the same symbols, are values of this one.
    pub(in crate::proof) fn contains(&self, other: &Zone) -> bool {
        let follows = |&(left, right, bound): &(Sym, Sym, i128)| {
            let kind = AtomKind::Equal;
            other.decide(Atom {
                left,
                right,
                kind,
                bound,
            }) == Some(false)
        };
        self.len == other.len
            && (self.upper.iter().zip(&other.upper)).all(|(own, others)| own >= others)
            && self.apart.iter().all(follows)
    }

    /// Whether a symbol has exactly these bounds and nothing relates it to another.
    pub(in crate::proof) fn is_free(&self, symbol: Sym, least: i128, most: i128) -> bool {
        let (own_most, own_least) = (self.upper(symbol, ZERO), -self.upper(ZERO, symbol));
        let is_apart = |&(left, right, _): &(Sym, Sym, i128)| left == symbol || right == symbol;
        (own_least, own_most) == (least, most)
            && !self.apart.iter().any(is_apart)
            && (1..self.len as Sym).all(|other| {
                other == symbol
                    || (self.upper(symbol, other) == most + self.upper(ZERO, other)
                        && self.upper(other, symbol) == self.upper(other, ZERO) - least)
            })
    }

    /// Some values of all symbols, near zero where that is possible.
    pub(in crate::proof) fn model(&self) -> Option<Vec<i128>> {
        let mut rest = self.clone();
        let mut values = vec![0];
        for symbol in 1..self.len as Sym {
            let (least, most) = (-rest.upper(ZERO, symbol), rest.upper(symbol, ZERO));
            let mut around = (0..=self.apart.len() as i128)
                .flat_map(|step| [step, -step])
                .map(|step| 0.clamp(least, most) + step)
                .filter(|value| (least..=most).contains(value));
            let (value, zone) = around.find_map(|value| {
                let mut zone = rest.clone();
                let atom = Atom {
                    left: symbol,
                    right: ZERO,
                    kind: AtomKind::Equal,
                    bound: value,
                };
                zone.learn(atom, true).then_some((value, zone))
            })?;
            values.push(value);
            rest = zone;
        }
        Some(values)
    }
}

fn ordered((left, right, by): (Sym, Sym, i128)) -> (Sym, Sym, i128) {
    match left > right {
        true => (left, right, by),
        false => (right, left, -by),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Symbols in the tests are between these numbers.
    const RANGE: std::ops::RangeInclusive<i128> = -3..=3;

    fn holds(atom: Atom, values: &[i128]) -> bool {
        let difference = values[atom.left as usize] - values[atom.right as usize];
        match atom.kind {
            AtomKind::AtMost => difference <= atom.bound,
            AtomKind::Equal => difference == atom.bound,
        }
    }

    fn all_values() -> impl Iterator<Item = [i128; 4]> {
        RANGE.flat_map(|a| RANGE.flat_map(move |b| RANGE.map(move |c| [0, a, b, c])))
    }

    fn atom() -> impl Strategy<Value = (Atom, bool)> {
        (0..4u16, 1..4u16, any::<bool>(), -5..=5i128, any::<bool>()).prop_map(
            |(left, step, equal, bound, holds)| {
                let kind = match equal {
                    true => AtomKind::Equal,
                    false => AtomKind::AtMost,
                };
                let right = (left + step) % 4;
                let atom = Atom {
                    left,
                    right,
                    kind,
                    bound,
                };
                (atom, holds)
            },
        )
    }

    proptest! {
        /// Nothing is lost, what is decided is true of all values, and a model is one of them.
        #[test]
        fn a_zone_is_what_was_learned(learned in prop::collection::vec(atom(), 0..6), (question, _) in atom()) {
            let mut zone = Zone::new();
            for _ in 0..3 {
                zone.add(*RANGE.start(), *RANGE.end());
            }
            let possible = learned.iter().all(|&(atom, holds)| zone.learn(atom, holds));
            let values: Vec<[i128; 4]> = all_values()
                .filter(|values| learned.iter().all(|&(atom, wanted)| holds(atom, values) == wanted))
                .collect();
            prop_assert!(possible || values.is_empty());
            if possible {
                if let Some(answer) = zone.decide(question) {
                    prop_assert!(values.iter().all(|values| holds(question, values) == answer));
                }
                for (left, right) in [(1, 2), (2, 3), (3, 0)] {
                    let most = zone.upper(left, right);
                    let difference = |values: &[i128; 4]| values[left as usize] - values[right as usize];
                    prop_assert!(values.iter().all(|values| difference(values) <= most));
                }
                if let Some(model) = zone.model() {
                    prop_assert!(learned.iter().all(|&(atom, wanted)| holds(atom, &model) == wanted));
                }
                // Two of the symbols, one of them moved.
                let renamed = zone.renamed(&[(ZERO, 0), (2, 1), (1, 0)]);
                let mut all = values.iter().map(|values| [0, values[2] + 1, values[1]]);
                prop_assert!(all.all(|values| allows(&renamed, &values)));
            }
        }

        #[test]
        fn a_zone_contains_another_only_if_it_has_its_values(
            first in prop::collection::vec(atom(), 0..4),
            second in prop::collection::vec(atom(), 0..4),
        ) {
            let zone = |learned: &[(Atom, bool)]| {
                let mut zone = Zone::new();
                for _ in 0..3 {
                    zone.add(*RANGE.start(), *RANGE.end());
                }
                learned.iter().all(|&(atom, holds)| zone.learn(atom, holds)).then_some(zone)
            };
            let both: Vec<_> = first.iter().chain(&second).copied().collect();
            if let (Some(first), Some(both)) = (zone(&first), zone(&both)) {
                prop_assert!(first.contains(&first) && both.contains(&both));
                if both.contains(&first) {
                    prop_assert!(all_values().all(|values| !allows(&first, &values) || allows(&both, &values)));
                }
            }
        }
    }

    fn allows(zone: &Zone, values: &[i128]) -> bool {
        let symbols = 0..zone.len() as Sym;
        let mut pairs = symbols
            .clone()
            .flat_map(|i| symbols.clone().map(move |j| (i, j)));
        let difference = |i: Sym, j: Sym| values[i as usize] - values[j as usize];
        pairs.all(|(i, j)| difference(i, j) <= zone.upper(i, j))
            && zone
                .apart()
                .iter()
                .all(|&(i, j, by)| difference(i, j) != by)
    }
}
