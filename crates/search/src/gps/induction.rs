//! The inductive part of candidates.
