//! Families with a size knob, each as a safe and an unsafe one: how does the time of a verifier grow with the knob?
//!
//! A safe family and its unsafe twin share a template. So the enumeration of a small safe instance is checked against the twin of the same
//! size, in which the same inputs must reach the error.

mod bound;
mod branches;
mod nesting;
mod sequence;
mod states;
mod unsigned;
mod variables;

use crate::{Domains, Evidence, Family, Inputs};

/// Which of the twins.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Twin {
    Safe,
    Unsafe,
}

/// Evidence from the twins of a small size, each made by `small`.
fn twins(small: impl Fn(Twin) -> String, domains: Domains, near_misses: Vec<Inputs>) -> Evidence {
    Evidence {
        small: small(Twin::Safe),
        flipped: small(Twin::Unsafe),
        domains,
        near_misses,
    }
}

/// All families of the suite.
pub(crate) fn families() -> Vec<Family> {
    vec![
        bound::safe(),
        bound::unsafe_(),
        nesting::safe(),
        nesting::unsafe_(),
        sequence::safe(),
        sequence::unsafe_(),
        branches::safe(),
        branches::unsafe_(),
        states::safe(),
        states::unsafe_(),
        variables::safe(),
        variables::unsafe_(),
        unsigned::safe(),
        unsigned::unsafe_(),
    ]
}
