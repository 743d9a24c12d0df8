//! Certificate files: evidence written down as versioned JSON, with all that a check in a fresh process needs.

mod certificate;
mod contracts;
mod counterexample;
mod fingerprint;
mod ghosts;
mod naming;
mod outside;
mod promises;
mod proof;
pub mod text;

pub use certificate::{BadCertificate, Certificate, Recheck};
pub use counterexample::{CounterexampleFile, FileError};
pub use fingerprint::fingerprint;
pub use proof::{ProofFile, ProofFileError};
