//! GPS: a search for an error that is guided by summaries of what lies ahead.
#![allow(dead_code, reason = "parts are put together by the engine")]

mod config;
mod decode;
mod facts;
mod induction;
mod test;
mod trace;
mod tree;

pub(crate) use induction::Inductive;
