//! The part of the arena in which the local objects of activations lie, one activation above the other.

use super::{Memory, OutOfMemory};

const SEGMENT: u64 = 1 << 16;

/// A stack made of segments of the arena, so that it and the heap can both grow.
#[derive(Debug, Default)]
pub(in crate::interp) struct Stack {
    segments: Vec<(u64, u64)>,
    mark: Mark,
}

/// How far the stack is filled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(in crate::interp) struct Mark {
    /// Index of the segment in use.
    segment: u32,
    /// First free address in it.
    top: u64,
}

impl Stack {
    /// How far the stack is filled now.
    pub(in crate::interp) fn mark(&self) -> Mark {
        self.mark
    }

    /// Takes back all that was handed out since.
    pub(in crate::interp) fn reset(&mut self, mark: Mark) {
        self.mark = mark;
    }

    /// Address of room for `size` bytes.
    #[inline]
    pub(in crate::interp) fn push(
        &mut self,
        memory: &mut Memory,
        size: u64,
        align: u64,
    ) -> Result<u64, OutOfMemory> {
        if let Some(&(start, end)) = self.segments.get(self.mark.segment as usize) {
            // The mark of a stack on which nothing was yet is in no segment.
            let base = self.mark.top.max(start).next_multiple_of(align);
            if base <= end && size <= end - base {
                self.mark.top = base + size;
                return Ok(base);
            }
        }
        self.push_segment(memory, size, align)
    }

    #[cold]
    fn push_segment(
        &mut self,
        memory: &mut Memory,
        size: u64,
        align: u64,
    ) -> Result<u64, OutOfMemory> {
        let next = if self.segments.is_empty() {
            0
        } else {
            self.mark.segment as usize + 1
        };
        let fits = |&(start, end): &(u64, u64)| {
            let base = start.next_multiple_of(align);
            base <= end && size <= end - base
        };
        if !self.segments.get(next).is_some_and(fits) {
            for (start, end) in self.segments.drain(next..) {
                memory.release(start, end - start);
            }
            let wanted = size.saturating_add(align).max(SEGMENT << next.min(10));
            let start = memory.obtain(wanted, 16)?;
            self.segments.push((start, start + wanted));
        }
        let base = self.segments[next].0.next_multiple_of(align);
        self.mark = Mark {
            segment: next as u32,
            top: base + size,
        };
        Ok(base)
    }
}
