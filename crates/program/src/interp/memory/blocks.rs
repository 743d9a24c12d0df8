//! Which parts of the arena are in use: blocks of rounded sizes, reused when they are given back.

/// Every block begins at a multiple of this.
const UNIT: u64 = 16;
/// Up to this capacity there is a class of blocks for every multiple of the unit; above, four for every power of two.
const FINE: u64 = 1024;

/// The free blocks, and where unused space begins.
#[derive(Debug)]
pub(super) struct Blocks {
    end: u64,
    free: Vec<Vec<u64>>,
}

impl Blocks {
    /// Blocks from this address on.
    pub(super) fn new(start: u64) -> Blocks {
        Blocks {
            end: start.next_multiple_of(UNIT),
            free: Vec::new(),
        }
    }

    /// One past the last address that was ever handed out.
    pub(super) fn end(&self) -> u64 {
        self.end
    }

    /// Address of a block for `size` bytes and at least one more, a multiple of `align` (a power of two).
    pub(super) fn take(&mut self, size: u64, align: u64) -> u64 {
        let (class, capacity) = class(size);
        if align <= UNIT
            && let Some(address) = self.free.get_mut(class).and_then(Vec::pop)
        {
            return address;
        }
        let address = self.end.next_multiple_of(align.max(UNIT));
        self.end = address + capacity;
        address
    }

    /// Gives back a block for that many bytes.
    pub(super) fn give_back(&mut self, address: u64, size: u64) {
        let (class, _) = class(size);
        if class >= self.free.len() {
            self.free.resize_with(class + 1, Vec::new);
        }
        self.free[class].push(address);
    }
}

/// The class of a block for `size` bytes and one more, and its capacity.
fn class(size: u64) -> (usize, u64) {
    let wanted = (size + 1).next_multiple_of(UNIT);
    if wanted <= FINE {
        return ((wanted / UNIT) as usize, wanted);
    }
    // wanted lies in (2^log, 2^(log+1)], which is cut in four.
    let log = (wanted - 1).ilog2();
    let quarter = 1u64 << (log - 2);
    let steps = (wanted - (1 << log)).div_ceil(quarter);
    let class = (FINE / UNIT) as usize + 4 * (log - FINE.ilog2()) as usize + steps as usize;
    (class, (1 << log) + steps * quarter)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_grow_with_capacity() {
        let mut last = (0, 0);
        for size in (0..5000).chain(
            (13..40).flat_map(|log| [(1 << log) - 2, (1 << log) - 1, 1 << log, 3 << (log - 1)]),
        ) {
            let (index, capacity) = class(size);
            assert!(capacity > size, "room for {size} bytes and a gap");
            assert!(capacity <= (size + 1).next_multiple_of(UNIT) * 5 / 4 + UNIT);
            assert!(
                index >= last.0 && (index == last.0) == (capacity == last.1),
                "{size}"
            );
            last = (index, capacity);
        }
    }

    #[test]
    fn blocks_are_reused_and_aligned() {
        let mut blocks = Blocks::new(1000);
        let first = blocks.take(10, 1);
        let second = blocks.take(10, 4096);
        assert_eq!(first % UNIT, 0);
        assert_eq!(second % 4096, 0);
        blocks.give_back(first, 10);
        assert_eq!(blocks.take(12, 8), first);
    }
}
