//! Ourselves as a tool under test: `rhumb check TASK.yml`, run as a process like any other.
//!
//! An executable may be older or newer than this library, so it is asked what it can do: only options that its help mentions are given to
//! it. What is read from it: the verdict (`tools/rhumb.toml`) and the `stat:` lines (see [`Statistics`](crate::tool::Statistics)).

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use thiserror::Error;

use crate::process::{self, End, Launch, ProcessLimits};
use crate::tool::{PatternError, Template, TemplateError, Tool, patterns_for};

/// An executable of ours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rhumb {
    executable: PathBuf,
    version: String,
    check_help: String,
    validate_help: String,
    help: String,
}

/// Why it can't be used.
#[derive(Debug, Error)]
pub enum OwnError {
    /// It can't be run.
    #[error("{}: {}", .0.display(), .1)]
    Run(PathBuf, String),
    /// It has no engines to choose from.
    #[error("{}: `check` has no option --engine yet; leave it out", .0.display())]
    NoEngines(PathBuf),
    /// It has no presets to choose from.
    #[error("{}: `check` has no option --preset; leave it out", .0.display())]
    NoPresets(PathBuf),
    /// The command can't be built.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// The shipped patterns are broken.
    #[error(transparent)]
    Patterns(#[from] PatternError),
}

/// What may stand behind the name of an engine and is no preset.
const METRICS: [&str; 5] = ["st", "bb", "lh", "lf", "none"];

/// The options of `check` that are used when they exist, and what they get.
const OPTIONS: [(&str, &str); 3] = [
    ("--property", "{property}"),
    ("--memory", "{memory_mb}MB"),
    ("--stats", ""),
];

impl Rhumb {
    /// Asks an executable what it can do.
    ///
    /// # Errors
    ///
    /// When it can't be run, or has no command `check`.
    pub fn probe(executable: &Path) -> Result<Rhumb, OwnError> {
        let version = ask(executable, &["--version"])?;
        let help = ask(executable, &["--help"])?;
        if !mentions(&help, "check") {
            return Err(OwnError::Run(
                executable.to_owned(),
                "its help knows no command `check`; is this rhumb?".to_owned(),
            ));
        }
        let check_help = ask(executable, &["check", "--help"])?;
        let validate_help = ask(executable, &["validate", "--help"]).unwrap_or_default();
        Ok(Rhumb {
            executable: executable.to_owned(),
            version: version.trim().to_owned(),
            check_help,
            validate_help,
            help,
        })
    }

    /// The tool that one of its engines is, or the one that it uses by default. `gps:paper` is the engine with that
    /// preset, `predicate:bb` directed by that metric.
    ///
    /// # Errors
    ///
    /// When an engine is named and there is no choice.
    pub fn tool(
        &self,
        engine: Option<&str>,
        confirm: bool,
        certify: bool,
    ) -> Result<Tool, OwnError> {
        let mut words = vec!["check {task}".to_owned()];
        let has = |option: &str| mentions(&self.check_help, option);
        if let Some(engine) = engine {
            if !has("--engine") {
                return Err(OwnError::NoEngines(self.executable.clone()));
            }
            let (name, preset) = match engine.split_once(':') {
                Some((name, preset)) => (name, Some(preset)),
                None => (engine, None),
            };
            words.push(format!("--engine {name}"));
            if let Some(metric) = preset.filter(|word| METRICS.contains(word)) {
                words.push(format!("--metric {metric}"));
            } else if let Some(preset) = preset {
                if !has("--preset") {
                    return Err(OwnError::NoPresets(self.executable.clone()));
                }
                words.push(format!("--preset {preset}"));
            }
        }
        let evidence = [
            ("--standalone", "{harness}", confirm),
            ("--certificate", "{certificate}", certify),
        ];
        let evidence = evidence
            .iter()
            .filter(|(.., wanted)| *wanted)
            .map(|(option, value, _)| (*option, *value));
        // An older one knows only one clock.
        let times: &[(&str, &str)] = match has("--cpu-timeout") {
            true => &[
                ("--cpu-timeout", "{timeout_s}s"),
                ("--timeout", "{wall_s}s"),
            ],
            false => &[("--timeout", "{timeout_s}s")],
        };
        let options = OPTIONS.into_iter().chain(times.iter().copied());
        for (option, value) in options.chain(evidence) {
            if has(option) {
                words.push(format!("{option} {value}"));
            }
        }
        let mut patterns = patterns_for("rhumb")
            .unwrap_or(Err(PatternError::Toml("no patterns for rhumb".into())))?;
        let validates = mentions(&self.help, "validate");
        let command = |words: &str| Template::with_program(&self.executable, words);
        let validate = || command("validate {task} --certificate {certificate}");
        patterns.validate = validates.then(validate).transpose()?;
        let second = || {
            command("validate {task} --certificate {certificate} --second --timeout {timeout_s}s")
        };
        let has_second = mentions(&self.validate_help, "--second");
        patterns.second = has_second.then(second).transpose()?;
        Ok(Tool {
            name: engine.unwrap_or("rhumb").to_owned(),
            command: Template::with_program(&self.executable, &words.join(" "))?,
            patterns,
            version: Some(self.version.clone()),
        })
    }
}

/// Whether a help text has this word.
fn mentions(help: &str, word: &str) -> bool {
    help.split(|c: char| !(c.is_alphanumeric() || c == '-'))
        .any(|found| found == word)
}

fn ask(executable: &Path, arguments: &[&str]) -> Result<String, OwnError> {
    let failed = |message: String| OwnError::Run(executable.to_owned(), message);
    let folder = tempfile::tempdir().map_err(|error| failed(error.to_string()))?;
    let launch = Launch {
        program: executable.into(),
        args: arguments.iter().map(Into::into).collect(),
        dir: folder.path().to_owned(),
    };
    let limits = ProcessLimits {
        cpu: Duration::from_secs(10),
        wall: Duration::from_secs(30),
        memory: 2_000_000_000,
    };
    let run = process::run(&launch, &limits, &AtomicBool::new(false))
        .map_err(|error| failed(error.to_string()))?;
    match run.end {
        End::Exited(0) => Ok(run.stdout.text()),
        _ => Err(failed(format!("`{}` failed", arguments.join(" ")))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rhumb(check_help: &str, help: &str) -> Rhumb {
        Rhumb {
            executable: "/bin/rhumb".into(),
            version: "1".into(),
            check_help: check_help.into(),
            validate_help: match help.contains("validate") {
                true => "--certificate --second".into(),
                false => String::new(),
            },
            help: help.into(),
        }
    }

    #[test]
    fn only_options_that_exist_are_used() {
        let plain = rhumb("Usage: rhumb check <FILE>\n  --data-model", "check run");
        let tool = plain.tool(None, true, true).expect("a tool");
        assert_eq!(
            (tool.name.as_str(), tool.command.to_string().as_str()),
            ("rhumb", "/bin/rhumb check {task}")
        );
        assert!(tool.patterns.validate.is_none() && tool.patterns.second.is_none());
        assert!(matches!(
            plain.tool(Some("gps"), false, false),
            Err(OwnError::NoEngines(_))
        ));

        let full = rhumb(
            "--engine <NAME> --property <F> --timeout <T>, --memory=<M> [--stats] --certificate --standalone",
            "check\n  validate  x",
        );
        let tool = full.tool(Some("gps"), true, true).expect("a tool");
        let expected = "/bin/rhumb check {task} --engine gps --property {property} --memory {memory_mb}MB --stats  \
                        --timeout {timeout_s}s --standalone {harness} --certificate {certificate}";
        assert_eq!(tool.command.to_string(), expected);
        assert!(tool.patterns.validate.is_some());
        let second = tool.patterns.second.expect("a second opinion").to_string();
        assert!(second.contains("--second"), "{second}");
        assert!(
            !full
                .tool(None, false, false)
                .expect("a tool")
                .command
                .to_string()
                .contains("--standalone")
        );
        let both = rhumb("--timeout <T> --cpu-timeout <T>", "check");
        let tool = both.tool(None, false, false).expect("a tool");
        let expected = "/bin/rhumb check {task} --cpu-timeout {timeout_s}s --timeout {wall_s}s";
        assert_eq!(tool.command.to_string(), expected);
    }
}
