//! The binary as its users see it: what it prints, and how it exits.

#![allow(clippy::print_stdout)] // What was skipped is said.

mod answers;
mod bad_input;
mod browser;
mod cache;
mod calls;
mod checks;
mod commands;
mod corners;
mod corpus;
mod corrected;
mod cover;
mod damaged;
mod dialects;
mod facade;
mod files;
mod findings;
mod foreign;
mod guarded;
mod library;
mod limits;
mod lowering;
mod memory;
mod mistakes;
mod mutants;
mod order;
mod others;
mod outputs;
mod outside;
mod races;
mod random;
mod readme;
mod same;
mod schema;
mod semantics;
mod suites;
mod summarize;
mod support;
mod terminal;
mod threads;
mod undefined;
mod unsupported;
mod webdriver;
mod witness;
mod workspace;
