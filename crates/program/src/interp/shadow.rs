//! Which bytes of an object hold pointers, and to what.
//!
//! The bytes of an object in memory are plain numbers. An object into which a pointer was stored also has a shadow: the provenance of every
//! pointer that lies in it whole. Overwriting any byte of a pointer removes it from the shadow.

use std::collections::BTreeMap;

use super::memory::Provenance;

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

    /// Provenance of the pointer of `unit` bytes that begins at this offset.
    pub(super) fn get(&self, offset: u64, unit: u64) -> Provenance {
        if offset.is_multiple_of(unit) {
            let group = (offset / unit) as usize;
            self.aligned.get(group).copied().unwrap_or(Provenance::NONE)
        } else {
            self.odd.get(&offset).copied().unwrap_or(Provenance::NONE)
        }
    }

    /// Says that a pointer begins at this offset. The range was cleared before.
    pub(super) fn set(&mut self, offset: u64, unit: u64, provenance: Provenance) {
        if provenance == Provenance::NONE {
            return;
        }
        if !offset.is_multiple_of(unit) {
            self.odd.insert(offset, provenance);
            return;
        }
        let group = (offset / unit) as usize;
        if group >= self.aligned.len() {
            self.aligned.resize(group + 1, Provenance::NONE);
        }
        self.aligned[group] = provenance;
    }

    /// Forgets every pointer that has a byte in the range.
    pub(super) fn clear(&mut self, offset: u64, len: u64, unit: u64) {
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
    pub(super) fn any_in(&self, offset: u64, len: u64, unit: u64) -> Option<Provenance> {
        if len == 0 {
            return None;
        }
        let (first, last) = groups(offset, len, unit);
        let end = (last + 1).min(self.aligned.len());
        let aligned = self.aligned.get(first..end).unwrap_or(&[]);
        let found = aligned.iter().copied().find(|&p| p != Provenance::NONE);
        found.or_else(|| self.odd_in(offset, len, unit).map(|(_, p)| p).next())
    }

    /// The pointers that lie in the range whole, with their distance from its start.
    pub(super) fn whole_in(&self, offset: u64, len: u64, unit: u64) -> Vec<(u64, Provenance)> {
        if len < unit {
            return Vec::new();
        }
        let (first, last) = groups(offset, len, unit);
        let end = (last + 1).min(self.aligned.len());
        let aligned = (first..end).map(|group| (group as u64 * unit, self.aligned[group]));
        aligned
            .chain(self.odd_in(offset, len, unit))
            .filter(|&(at, p)| p != Provenance::NONE && at >= offset && at + unit <= offset + len)
            .map(|(at, p)| (at - offset, p))
            .collect()
    }

    fn odd_in(&self, offset: u64, len: u64, unit: u64) -> impl Iterator<Item = (u64, Provenance)> {
        let first = (offset + 1).saturating_sub(unit);
        self.odd
            .range(first..offset + len)
            .map(|(&key, &provenance)| (key, provenance))
    }
}

/// The first and the last group that a range touches.
fn groups(offset: u64, len: u64, unit: u64) -> (usize, usize) {
    (
        (offset / unit) as usize,
        ((offset + len - 1) / unit) as usize,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn p(n: u64) -> Provenance {
        Provenance::from_raw(n)
    }

    #[test]
    fn overwriting_one_byte_kills_a_pointer() {
        for start in [8, 11] {
            let mut shadow = Shadow::default();
            shadow.set(start, 8, p(7));
            assert_eq!(shadow.get(start, 8), p(7));
            assert_eq!(shadow.any_in(start + 7, 1, 8), Some(p(7)));
            assert_eq!(shadow.any_in(start + 8, 4, 8), None);
            shadow.clear(start + 8, 8, 8);
            shadow.clear(start - 1, 1, 8);
            assert_eq!(shadow.get(start, 8), p(7), "neighbours leave it alone");
            shadow.clear(start + 7, 1, 8);
            assert_eq!(shadow.get(start, 8), Provenance::NONE);
        }
    }

    #[test]
    fn only_whole_pointers_are_copied() {
        let mut shadow = Shadow::default();
        shadow.set(0, 8, p(1));
        shadow.set(8, 8, p(2));
        shadow.set(19, 8, p(3));
        let mut found = shadow.whole_in(4, 24, 8);
        found.sort();
        assert_eq!(found, [(4, p(2)), (15, p(3))]);
    }
}
