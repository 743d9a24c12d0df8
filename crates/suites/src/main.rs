//! Writes the benchmark suites.
#![allow(clippy::print_stdout, reason = "a command line tells what it did")]

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::{Parser, Subcommand};
use rhumb_suites::Verdict;

/// Writes the suites in benchmarks/, or any other instance of their families.
#[derive(Parser)]
#[command(name = "rhumb-suites", version, max_term_width = 110)]
struct Cli {
    /// The folder to write the suites to
    #[arg(long, value_name = "DIR", default_value = "benchmarks")]
    out: PathBuf,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// List the families, what their knob is and which sizes make sense
    List,
    /// Make instances of a family
    Make {
        /// The name of the family
        family: String,
        /// Sizes; words for word-machine; SEQUENCE/WORD for sequence-machine
        #[arg(required = true)]
        parameters: Vec<String>,
        /// The folder to write them to
        #[arg(long, value_name = "DIR", default_value = ".")]
        out: PathBuf,
    },
}

fn main() -> anyhow::Result<()> {
    let cli = Cli::parse();
    match cli.command {
        None => write_all(&cli.out),
        Some(Command::List) => {
            list();
            Ok(())
        }
        Some(Command::Make {
            family,
            parameters,
            out,
        }) => make(&out, &family, &parameters),
    }
}

fn write_all(out: &Path) -> anyhow::Result<()> {
    let files = rhumb_suites::files();
    for (path, text) in &files {
        write(&out.join(path), text)?;
    }
    println!("{} files in {}", files.len(), out.display());
    Ok(())
}

fn list() {
    for family in rhumb_suites::families() {
        let (low, high) = (family.sizes.start(), family.sizes.end());
        println!("{:20} {} ({low} to {high})", family.name, family.knob);
    }
    println!("{:20} a word", "word-machine");
    println!("{:20} two words, as in DOG/CAT", "sequence-machine");
}

fn make(out: &Path, family: &str, parameters: &[String]) -> anyhow::Result<()> {
    for parameter in parameters {
        let task = rhumb_suites::make(family, parameter)?;
        write(&out.join(format!("{}.c", task.name)), &task.program)?;
        // The property file comes along, so that the folder stands for itself.
        write(&out.join(task.definition_name()), &task.definition("."))?;
        write(&out.join("unreach-call.prp"), rhumb_suites::UNREACH_CALL)?;
        match &task.verdict {
            Verdict::Safe(_) => println!("{}: safe", task.name),
            Verdict::Unsafe(key) => println!("{}: unsafe with --inputs {key}", task.name),
        }
    }
    Ok(())
}

fn write(path: &Path, text: &str) -> anyhow::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("can't make {}", folder.display()))?;
    }
    fs::write(path, text).with_context(|| format!("can't write {}", path.display()))
}
