//! Evidence for verdicts: replay of counterexamples, checking of proofs, certificates.
//!
//! [`Verdict`] is the door: `Safe` and `Unsafe` can only be made by [`certify_safe`] and [`certify_unsafe`], which
//! check the evidence first.

pub mod counterexample;
pub mod file;
pub mod proof;
mod verdict;

pub use verdict::parts::{Asked, CertifiedPart, certify_part, certify_parts};
pub use verdict::{Certified, NotAccepted, Verdict, certify_safe, certify_unsafe};
