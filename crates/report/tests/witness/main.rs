//! Witnesses: written from proofs and counterexamples, read, and checked.

mod bad;
mod correctness;
#[path = "../../../certify/tests/proof/support.rs"]
#[allow(dead_code, reason = "shared with the tests of proofs")]
mod proofs;
mod schema;
#[path = "../../../certify/tests/proof/second.rs"]
mod second;
mod support;
mod violation;
