//! Outcomes.
use crate::rng::Rng;

/// A random input value.
pub fn random_input(rng: &mut Rng) -> i128 {
    rng.between(-100, 100)
}
