//! The command line of Rhumb.
//!
//! Only this crate prints. Results go to standard output, diagnostics and progress to standard error.

mod allocator;
mod cli;
mod colour;
mod commands;
mod exit;
mod files;
mod input;
mod last_word;
mod log;
mod preprocessor;
mod settings;
mod signals;
mod statistics;
mod watchdog;
mod words;

use std::process::ExitCode;
use std::sync::LazyLock;

use clap::Parser;
use clap::error::{ContextKind, ErrorKind};

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
    let words = match words::of(std::env::args_os()) {
        Ok(words) => words,
        Err(problem) => {
            commands::say(format!("error: {problem}"));
            return Exit::Usage.into();
        }
    };
    match Cli::try_parse_from(words.words) {
        Ok(cli) => {
            if let Some(file) = words.settings.filter(|_| !cli.is_quiet()) {
                commands::say(format!("note: with the settings of {}", file.display()));
            }
            colour::choose(cli.color);
            log::start(cli.is_verbose());
            guarded(cli)
        }
        Err(error) => {
            let asked_for = matches!(
                error.kind(),
                ErrorKind::DisplayHelp | ErrorKind::DisplayVersion
            );
            // Nothing is left to do if even the message can't be written.
            let _ = error.print();
            if let Some(file) = forgot_command(&error) {
                commands::say(format!("\nto check a program: rhumb check {file}"));
            }
            if asked_for {
                Exit::Success.into()
            } else {
                Exit::Usage.into()
            }
        }
    }
}

/// The file that stands where a command should.
fn forgot_command(error: &clap::Error) -> Option<String> {
    let word = error.get(ContextKind::InvalidSubcommand)?.to_string();
    let is_file =
        word.ends_with(".c") || word.ends_with(".gcl") || std::path::Path::new(&word).exists();
    is_file.then_some(word)
}

/// No input should make us panic; if one does, the exit status says whose fault it is.
fn guarded(cli: Cli) -> ExitCode {
    std::panic::catch_unwind(|| dispatch(cli)).unwrap_or_else(|_| {
        commands::say(
            "error: this is a bug in rhumb; please report it with the input that shows it",
        );
        last_word::give_up("internal error")
    })
}

fn dispatch(cli: Cli) -> ExitCode {
    // A command does one thing after the other.
    rhumb_logic::session::reuse_contexts();
    let word = match cli.command {
        Command::Check(args) => commands::check::run(&args),
        Command::Cover(args) => commands::cover::run(&args),
        Command::Validate(args) => commands::validate::run(&args),
        Command::Run(args) => commands::run::run(&args),
        Command::Cfa(args) => commands::cfa::run(&args),
        Command::Summarize(args) => commands::summarize::run(&args),
        Command::Guarded(args) => commands::guarded::table(&args),
        Command::Engines => commands::engines::run().into(),
        Command::Completions { shell } => commands::manual::completions(shell),
        Command::Man { folder } => commands::manual::man(&folder),
        // It runs processes and has limits for each; signals it handles by itself.
        Command::Bench(args) => return ExitCode::from(rhumb_bench::cli::run(&args).code()),
    };
    last_word::say(&word)
}
