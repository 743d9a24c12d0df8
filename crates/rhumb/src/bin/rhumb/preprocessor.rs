//! What the preprocessor is told: a compiler's options, in the order in which they stand on the command line.

use std::path::PathBuf;

use clap::builder::PathBufValueParser;
use clap::error::Error;
use clap::{Arg, ArgAction, ArgMatches, Args, Command, FromArgMatches};

/// Arguments for the preprocessor.
pub(crate) struct PreprocessorArgs {
    /// As it takes them.
    pub(crate) words: Vec<String>,
}

/// Name, and what the preprocessor knows it by.
const OPTIONS: [(&str, &[&str]); 5] = [
    ("include-dir", &["-I"]),
    ("define", &["-D"]),
    ("undefine", &["-U"]),
    ("include", &["-include"]),
    ("std", &["-std="]),
];

const REST: &str = "preprocessor-arguments";

impl Args for PreprocessorArgs {
    fn augment_args(command: Command) -> Command {
        let option = |name: &'static str, value: &'static str, help: &'static str| {
            Arg::new(name)
                .value_name(value)
                .help(help)
                .help_heading("Preprocessor")
                .action(ArgAction::Append)
        };
        let path = PathBufValueParser::new();
        command
            .arg(
                option("include-dir", "DIR", "Look for included files here first")
                    .short('I')
                    .value_parser(path),
            )
            .arg(option("define", "MACRO", "Define a macro: NAME, or NAME=VALUE").short('D'))
            .arg(option("undefine", "NAME", "Undefine a macro").short('U'))
            .arg(
                option(
                    "include",
                    "FILE.h",
                    "Read a file before each file (also: -include)",
                )
                .long("include")
                .value_parser(path),
            )
            .arg(
                option(
                    "std",
                    "VERSION",
                    "The version of C: c99, gnu11, ... (also: -std=)",
                )
                .long("std"),
            )
            .arg(
                option(REST, "ARGS", "Everything behind -- is for the preprocessor")
                    .last(true)
                    .num_args(0..)
                    .allow_hyphen_values(true),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        PreprocessorArgs::augment_args(command)
    }
}

impl FromArgMatches for PreprocessorArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<PreprocessorArgs, Error> {
        let mut found: Vec<(usize, Vec<String>)> = Vec::new();
        for (name, words) in OPTIONS {
            let indices = matches.indices_of(name).into_iter().flatten();
            for (index, value) in indices.zip(values(matches, name)) {
                let mut all: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
                match name {
                    "include" => all.push(value),
                    _ => all.iter_mut().for_each(|word| word.push_str(&value)),
                }
                found.push((index, all));
            }
        }
        found.sort();
        let mut words: Vec<String> = found.into_iter().flat_map(|(_, words)| words).collect();
        words.extend(values(matches, REST));
        Ok(PreprocessorArgs { words })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = PreprocessorArgs::from_arg_matches(matches)?;
        Ok(())
    }
}

fn values(matches: &ArgMatches, name: &str) -> Vec<String> {
    let path = |path: &PathBuf| path.to_string_lossy().into_owned();
    match matches.try_get_many::<PathBuf>(name) {
        Ok(paths) => paths.into_iter().flatten().map(path).collect(),
        Err(_) => matches
            .get_many::<String>(name)
            .into_iter()
            .flatten()
            .cloned()
            .collect(),
    }
}
