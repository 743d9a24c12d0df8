//! Certificate files: evidence written down as versioned JSON, with all that a check in a fresh process needs.

mod counterexample;
mod fingerprint;
mod proof;
pub mod text;

pub use counterexample::{CounterexampleFile, FileError};
pub use fingerprint::fingerprint;
pub use proof::{ProofFile, ProofFileError};
