//! The binary as its users see it: what it prints, and how it exits.

mod bad_input;
mod commands;
mod corpus;
mod lowering;
mod support;
mod undefined;
mod unsupported;
