//! Which bytes of an object hold pointers, and to what.
//!
//! The bytes of an object in memory are plain numbers. An object into which a pointer was stored also has a shadow: the provenance of every
//! pointer that lies in it whole. Overwriting any byte of a pointer removes it from the shadow.

use std::collections::BTreeMap;

use super::Provenance;

/// The size of a pointer, 4 or 8 bytes, in a form that makes division cheap.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::interp) struct Unit {
    shift: u32,
}

impl Unit {
    /// Pointers of `size` bytes, a power of two.
    pub(super) const fn new(size: u64) -> Unit {
        Unit {
            shift: size.trailing_zeros(),
        }
    }

    /// Number of bytes.
    #[inline(always)]
    pub(in crate::interp) const fn size(self) -> u64 {
        1 << self.shift
    }

    /// The group of so many bytes that an offset lies in.
    #[inline(always)]
    const fn group(self, offset: u64) -> usize {
        (offset >> self.shift) as usize
    }

    /// Whether a group begins at this offset.
    #[inline(always)]
    const fn is_aligned(self, offset: u64) -> bool {
        offset & (self.size() - 1) == 0
    }
}

/// The pointers in one object.
#[derive(Clone, Debug, Default)]
pub(super) struct Shadow {
    /// Provenance of the pointer in the n-th group of pointer-size bytes, if a pointer fills it. As long as the last such pointer asks for.
    aligned: Vec<Provenance>,
    /// Provenance of the pointers that lie across two groups, by offset.
    odd: BTreeMap<u64, Provenance>,
}

impl Shadow {
    /// Number of bytes that it takes.
    pub(super) fn footprint(&self) -> u64 {
        (self.aligned.len() * size_of::<Provenance>() + self.odd.len() * 48) as u64
    }

    /// Provenance of the pointer that begins at this offset.
    pub(super) fn get(&self, offset: u64, unit: Unit) -> Provenance {
        if unit.is_aligned(offset) {
            let group = unit.group(offset);
            self.aligned.get(group).copied().unwrap_or(Provenance::NONE)
        } else {
            self.odd.get(&offset).copied().unwrap_or(Provenance::NONE)
        }
    }

    /// Says that a pointer begins at this offset. The range was cleared before.
    pub(super) fn set(&mut self, offset: u64, unit: Unit, provenance: Provenance) {
        if provenance == Provenance::NONE {
            return;
        }
        if !unit.is_aligned(offset) {
            self.odd.insert(offset, provenance);
            return;
        }
        let group = unit.group(offset);
        if group >= self.aligned.len() {
            self.aligned.resize(group + 1, Provenance::NONE);
        }
        self.aligned[group] = provenance;
    }

    /// Forgets every pointer that has a byte in the range.
    pub(super) fn clear(&mut self, offset: u64, len: u64, unit: Unit) {
        if len == 0 {
            return;
        }
        let (first, last) = groups(offset, len, unit);
        let end = (last + 1).min(self.aligned.len());
        if first < end {
            self.aligned[first..end].fill(Provenance::NONE);
        }
        if !self.odd.is_empty() {
            let keys: Vec<u64> = self.odd_in(offset, len, unit).map(|(key, _)| key).collect();
            for key in keys {
                self.odd.remove(&key);
            }
        }
    }

    /// A pointer that has a byte in the range.
    pub(super) fn any_in(&self, offset: u64, len: u64, unit: Unit) -> Option<Provenance> {
        if len == 0 {
            return None;
        }
        let (first, last) = groups(offset, len, unit);
        let end = (last + 1).min(self.aligned.len());
        let aligned = self.aligned.get(first..end).unwrap_or(&[]);
        let found = aligned.iter().copied().find(|&p| p != Provenance::NONE);
        if found.is_none() && !self.odd.is_empty() {
            return self.odd_in(offset, len, unit).map(|(_, p)| p).next();
        }
        found
    }

    /// The pointers that lie in the range whole, with their distance from its start.
    pub(super) fn whole_in(&self, offset: u64, len: u64, unit: Unit) -> Vec<(u64, Provenance)> {
        if len < unit.size() {
            return Vec::new();
        }
        let (first, last) = groups(offset, len, unit);
        let end = (last + 1).min(self.aligned.len());
        let aligned = (first..end).map(|group| (group as u64 * unit.size(), self.aligned[group]));
        aligned
            .chain(self.odd_in(offset, len, unit))
            .filter(|&(at, p)| {
                p != Provenance::NONE && at >= offset && at + unit.size() <= offset + len
            })
            .map(|(at, p)| (at - offset, p))
            .collect()
    }

    fn odd_in(&self, offset: u64, len: u64, unit: Unit) -> impl Iterator<Item = (u64, Provenance)> {
        let first = (offset + 1).saturating_sub(unit.size());
        self.odd
            .range(first..offset + len)
            .map(|(&key, &provenance)| (key, provenance))
    }
}

/// The first and the last group that a range touches.
fn groups(offset: u64, len: u64, unit: Unit) -> (usize, usize) {
    (unit.group(offset), unit.group(offset + len - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: Unit = Unit::new(8);

    fn p(n: u64) -> Provenance {
        Provenance::from_raw(n)
    }

    #[test]
    fn overwriting_one_byte_kills_a_pointer() {
        for start in [8, 11] {
            let mut shadow = Shadow::default();
            shadow.set(start, UNIT, p(7));
            assert_eq!(shadow.get(start, UNIT), p(7));
            assert_eq!(shadow.any_in(start + 7, 1, UNIT), Some(p(7)));
            assert_eq!(shadow.any_in(start + 8, 4, UNIT), None);
            shadow.clear(start + 8, 8, UNIT);
            shadow.clear(start - 1, 1, UNIT);
            assert_eq!(shadow.get(start, UNIT), p(7), "neighbours leave it alone");
            shadow.clear(start + 7, 1, UNIT);
            assert_eq!(shadow.get(start, UNIT), Provenance::NONE);
        }
    }

    #[test]
    fn only_whole_pointers_are_copied() {
        let mut shadow = Shadow::default();
        shadow.set(0, UNIT, p(1));
        shadow.set(8, UNIT, p(2));
        shadow.set(19, UNIT, p(3));
        let mut found = shadow.whole_in(4, 24, UNIT);
        found.sort();
        assert_eq!(found, [(4, p(2)), (15, p(3))]);
    }
}
