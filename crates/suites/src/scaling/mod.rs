//! Families with a size knob, each as a safe and an unsafe one: how does the time of a verifier grow with the knob?
//!
//! A safe family and its unsafe twin share a template. So the enumeration of a small safe instance is checked against the twin of the same
//! size, in which the same inputs must reach the error.

mod bound;
mod branches;
mod nesting;
mod rounds;
mod sequence;
mod states;
mod unsigned;
mod variables;

use crate::{Domains, Evidence, Family, Inputs, SmallInstance};

/// Which of the twins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Twin {
    Safe,
    Unsafe,
}

/// Evidence from the twins of small sizes, each made by `small`.
fn twins(
    sizes: [u64; 3],
    small: impl Fn(u64, Twin) -> String,
    domains: Domains,
    near_misses: Vec<Inputs>,
) -> Evidence {
    let pair = |size| SmallInstance {
        safe: small(size, Twin::Safe),
        flipped: small(size, Twin::Unsafe),
    };
    Evidence {
        small: sizes.map(pair).into(),
        domains,
        near_misses,
    }
}

/// All families of the suite.
pub(crate) fn families() -> Vec<Family> {
    vec![
        bound::safe_family(),
        bound::unsafe_family(),
        rounds::safe_family(),
        rounds::unsafe_family(),
        nesting::safe_family(),
        nesting::unsafe_family(),
        sequence::safe_family(),
        sequence::unsafe_family(),
        branches::safe_family(),
        branches::unsafe_family(),
        states::safe_family(),
        states::unsafe_family(),
        variables::safe_family(),
        variables::unsafe_family(),
        unsigned::safe_family(),
        unsigned::unsafe_family(),
    ]
}
