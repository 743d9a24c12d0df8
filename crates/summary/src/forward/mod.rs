//! Forward invariants.
mod octagon;
