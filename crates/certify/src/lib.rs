//! Evidence for verdicts: replay of counterexamples, checking of proofs, certificates and witnesses.

pub mod counterexample;
pub mod proof;
