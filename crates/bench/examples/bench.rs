//! `rhumb bench` alone, for trying it out: `cargo run -p rhumb-bench --example bench -- SET... --tool NAME=COMMAND`.

use std::process::ExitCode;

use clap::Parser;
use rhumb_bench::cli::{BenchArgs, run};

/// What the real command line has behind `rhumb bench`.
#[derive(Parser)]
#[command(max_term_width = 110)]
struct Cli {
    #[command(flatten)]
    args: BenchArgs,
}

fn main() -> ExitCode {
    ExitCode::from(run(&Cli::parse().args).code())
}
