//! Evidence as text, for people and for other tools: harnesses, and witnesses of the competition's format, which are also read and validated.
//!
//! Nothing here has to be trusted: what is written tells of evidence that `certify` has accepted, and validation of a witness ends in the checks
//! of `certify`.

pub mod harness;
pub mod witness;
