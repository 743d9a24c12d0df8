//! The command line of the differential tests.
#![allow(clippy::print_stdout, clippy::print_stderr)] // This is the part that talks.

mod cli;

use std::process::ExitCode;

fn main() -> ExitCode {
    match cli::run() {
        Ok(code) => code,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}
