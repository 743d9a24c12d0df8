//! Certificate files: versioned JSON with all that a check in a fresh process needs.

mod fingerprint;
mod proof;
pub mod text;

pub use fingerprint::fingerprint;
pub use proof::{ProofFile, ProofFileError};
