//! The pseudo-random numbers behind every generated program.
//!
//! The generator must print the same program for the same seed for as long as the project
//! lives, so the algorithm is fixed here (xoshiro256** seeded by splitmix64) instead of being
//! taken from a library that is free to change its streams.

/// A deterministic random number generator: the same seed gives the same numbers for ever.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    /// A generator whose whole future is determined by `seed`.
    pub fn new(seed: u64) -> Self {
        let mut mix = seed;
        let mut next = || {
            mix = mix.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = mix;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            z ^ (z >> 31)
        };
        Self {
            state: [next(), next(), next(), next()],
        }
    }

    /// 64 uniformly distributed bits.
    pub fn bits(&mut self) -> u64 {
        let s = &mut self.state;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// A number in `0..bound`; 0 when `bound` is 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        // The bias of multiply-and-shift is below 2^-32 for the tiny bounds used here.
        ((u128::from(self.bits()) * u128::from(bound)) >> 64) as u64
    }

    /// An index in `0..len`; 0 when `len` is 0.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u64) as usize
    }

    /// A number in `low..=high` (`low` when the range is empty).
    pub fn between(&mut self, low: i128, high: i128) -> i128 {
        if high <= low {
            return low;
        }
        let span = high.wrapping_sub(low) as u128;
        let wide = (u128::from(self.bits()) << 64) | u128::from(self.bits());
        let offset = if span == u128::MAX {
            wide
        } else {
            wide % (span + 1)
        };
        low.wrapping_add(offset as i128)
    }

    /// True `percent` times out of a hundred.
    pub fn percent(&mut self, percent: u32) -> bool {
        self.below(100) < u64::from(percent)
    }

    /// One element of a slice that is not empty.
    ///
    /// # Panics
    /// When `items` is empty: a mistake in the generator, never in its input.
    pub fn pick<'a, T>(&mut self, items: &'a [T]) -> &'a T {
        &items[self.index(items.len())]
    }

    /// One of `choices`, each as likely as its weight says; `None` when all weights are 0.
    pub fn weighted<T: Copy>(&mut self, choices: &[(u32, T)]) -> Option<T> {
        let total: u64 = choices.iter().map(|(weight, _)| u64::from(*weight)).sum();
        if total == 0 {
            return None;
        }
        let mut left = self.below(total);
        for (weight, item) in choices {
            match left.checked_sub(u64::from(*weight)) {
                Some(rest) => left = rest,
                None => return Some(*item),
            }
        }
        None
    }

    /// A generator for an independent part of the same run, named by `stream`.
    pub fn fork(&mut self, stream: u64) -> Self {
        Self::new(self.bits() ^ stream.wrapping_mul(0xd134_2543_de82_ef95))
    }
}

#[cfg(test)]
mod tests {
    use super::Rng;

    #[test]
    fn the_stream_of_a_seed_never_changes() {
        let mut rng = Rng::new(1);
        let first: Vec<u64> = (0..3).map(|_| rng.bits()).collect();
        assert_eq!(
            first,
            [
                0xb3f2_af6d_0fc7_10c5,
                0x853b_5596_4736_4cea,
                0x92f8_9756_082a_4514
            ]
        );
    }

    #[test]
    fn ranges_are_kept_and_filled() {
        let mut rng = Rng::new(7);
        let mut seen = [false; 5];
        for _ in 0..200 {
            seen[(rng.between(-2, 2) + 2) as usize] = true;
        }
        assert_eq!(seen, [true; 5]);
        assert_eq!(rng.between(3, 3), 3);
        assert_eq!(rng.weighted::<u8>(&[(0, 1)]), None);
    }
}
