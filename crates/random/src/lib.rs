//! Pseudo-random numbers, the same ones on every machine and for ever: a run or a failing test is repeated by its seed.
//! (The crates for random numbers change their sequences from version to version, or need much more than eight lines.)

/// The next number of the sequence that a state stands for, all 64 bits of which are equally good. The state is the
/// seed to begin with. The generator is splitmix64, of Steele, Lea and Flood
/// (<https://doi.org/10.1145/2660193.2660195>).
pub fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_sequence_is_that_of_the_reference() {
        let mut state = 1_234_567;
        let first: Vec<u64> = (0..3).map(|_| super::next(&mut state)).collect();
        let expected = [
            6_457_827_717_110_365_317,
            3_203_168_211_198_807_973,
            9_817_491_932_198_370_423,
        ];
        assert_eq!(first, expected);
    }
}
