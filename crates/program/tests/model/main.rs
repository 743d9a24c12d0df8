//! The program model: rules, text, and passes. Random programs are run before and after passes, on the same inputs.

mod calls;
mod cases;
mod effects;
mod exec;
mod generate;
mod interpreter;
mod large;
mod properties;
mod rules;
mod sketch;
mod text;
