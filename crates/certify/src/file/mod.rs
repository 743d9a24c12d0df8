//! Certificate files: evidence written down as JSON, to be checked by a fresh process.

mod counterexample;
mod fingerprint;

pub use counterexample::{CounterexampleFile, FileError};
pub use fingerprint::fingerprint;
