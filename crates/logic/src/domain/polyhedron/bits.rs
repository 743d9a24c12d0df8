//! Bit matrices: which ray saturates which inequality.

/// Rows of bits, stored one after the other so that a scan over all rows runs through memory in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct BitMatrix {
    words: Vec<u64>,
    /// Words per row.
    stride: usize,
    rows: usize,
}

const WORD: usize = u64::BITS as usize;

impl BitMatrix {
    /// No rows yet, each of which will have `columns` bits.
    pub(crate) fn new(columns: usize) -> Self {
        BitMatrix {
            words: Vec::new(),
            stride: columns.div_ceil(WORD).max(1),
            rows: 0,
        }
    }

    pub(crate) fn stride(&self) -> usize {
        self.stride
    }

    pub(crate) fn row(&self, row: usize) -> &[u64] {
        &self.words[row * self.stride..(row + 1) * self.stride]
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[u64]> {
        self.words.chunks_exact(self.stride).take(self.rows)
    }

    /// Appends a row; bits beyond the width are dropped, missing ones are zero.
    pub(crate) fn push(&mut self, row: &[u64]) {
        let taken = row.len().min(self.stride);
        self.words.extend_from_slice(&row[..taken]);
        self.words.resize(self.words.len() + self.stride - taken, 0);
        self.rows += 1;
    }

    /// Appends a row with the first `count` bits set.
    pub(crate) fn push_ones(&mut self, count: usize) {
        let full = count / WORD;
        for word in 0..self.stride {
            self.words.push(match word.cmp(&full) {
                std::cmp::Ordering::Less => u64::MAX,
                std::cmp::Ordering::Equal => (1u64 << (count % WORD)) - 1,
                std::cmp::Ordering::Greater => 0,
            });
        }
        self.rows += 1;
    }

    pub(crate) fn get(&self, row: usize, column: usize) -> bool {
        self.words[row * self.stride + column / WORD] >> (column % WORD) & 1 == 1
    }

    pub(crate) fn set(&mut self, row: usize, column: usize) {
        self.words[row * self.stride + column / WORD] |= 1 << (column % WORD);
    }

    /// The same rows with room for at least `columns` bits.
    pub(crate) fn widened(self, columns: usize) -> Self {
        if columns <= self.stride * WORD {
            return self;
        }
        let mut wide = BitMatrix::new(columns);
        for row in self.rows() {
            wide.push(row);
        }
        wide
    }

    /// The first `columns` columns as rows.
    pub(crate) fn transposed(&self, columns: usize) -> Self {
        let mut other = BitMatrix::new(self.rows);
        for column in 0..columns {
            other.push(&[]);
            for row in 0..self.rows {
                if self.get(row, column) {
                    other.set(column, row);
                }
            }
        }
        other
    }
}

/// Whether every bit of `part` is in `whole`.
pub(crate) fn is_subset(part: &[u64], whole: &[u64]) -> bool {
    part.iter()
        .zip(whole)
        .all(|(part, whole)| part & !whole == 0)
}

/// Puts the common bits into `common` and counts them.
pub(crate) fn intersect(common: &mut [u64], a: &[u64], b: &[u64]) -> usize {
    let mut count = 0;
    for ((common, a), b) in common.iter_mut().zip(a).zip(b) {
        *common = a & b;
        count += common.count_ones() as usize;
    }
    count
}

/// How many bits are set.
pub(crate) fn count(bits: &[u64]) -> usize {
    bits.iter().map(|word| word.count_ones() as usize).sum()
}
