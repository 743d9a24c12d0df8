//! The proof checker on programs of our own.

#![allow(missing_docs)]

mod support;
mod written;
