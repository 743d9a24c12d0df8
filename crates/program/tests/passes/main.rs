//! Passes against the program they were given: random programs are run before and after, on the same inputs.

mod exec;
mod generate;
mod properties;
