//! The command line of Rhumb.
//!
//! Only this crate prints. Results go to standard output, diagnostics and progress to standard error.

mod cli;
mod commands;
mod exit;
mod input;

use std::process::ExitCode;
use std::sync::LazyLock;

use clap::Parser;
use clap::error::ErrorKind;

use cli::{Cli, Command};
use exit::Exit;

/// The version of Rhumb and of the solver that it has loaded.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    format!(
        "{} (Z3 {})",
        env!("CARGO_PKG_VERSION"),
        rhumb_logic::z3_version()
    )
});

fn main() -> ExitCode {
    match Cli::try_parse() {
        Ok(cli) => dispatch(cli),
        Err(error) => {
            let asked_for = matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            );
            // Nothing is left to do if even the message can't be written.
            let _ = error.print();
            if asked_for {
                Exit::Success.into()
            } else {
                Exit::Usage.into()
            }
        }
    }
}

fn dispatch(cli: Cli) -> ExitCode {
    match cli.command {
        Command::Check(args) => commands::check::run(&args).into(),
        Command::Run(args) => commands::run::run(&args).into(),
        Command::Cfa(args) => commands::cfa::run(&args).into(),
        Command::Engines => commands::engines::run().into(),
        Command::Bench(args) => ExitCode::from(rhumb_bench::cli::run(&args).code()),
    }
}
