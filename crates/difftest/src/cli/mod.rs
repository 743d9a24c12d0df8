//! Commands: generated programs, and verification tasks on random inputs.

mod generated;
mod subjects;
mod tasks;

use std::process::ExitCode;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Compares Rhumb's interpreter with gcc.
#[derive(Debug, Parser)]
#[command(version)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Generate random well-defined programs and compare their runs.
    Generate(generated::Generate),
    /// Print the program of a seed.
    Show(generated::Show),
    /// Run verification tasks on random inputs and compare how they end.
    Tasks(tasks::Tasks),
    /// List the names of all language features that programs can contain.
    Features,
}

pub(crate) fn run() -> Result<ExitCode> {
    match Arguments::parse().command {
        Command::Generate(command) => command.run(),
        Command::Show(command) => command.run(),
        Command::Tasks(command) => command.run(),
        Command::Features => {
            generated::list_features();
            Ok(ExitCode::SUCCESS)
        }
    }
}
