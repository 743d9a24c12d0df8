//! How a tool says its answer: rules in a small TOML file.
//!
//! ```toml
//! name = "CBMC"
//! source = "where these facts come from"
//! command = "cbmc --{bits} {file}"      # optional: what `--tool cbmc` alone runs
//! validate = "tool {file} {certificate}" # optional: how `--recheck` checks a saved certificate (exit status 0: it holds)
//! second = "other {file} {certificate}"  # optional: how `--second` checks it by another road
//!
//! [[rule]]
//! answer = "unsafe"                     # safe, unsafe, unknown, timeout, memory or error
//! line = '^VERIFICATION FAILED$'        # a regular expression that some line matches; or `last_line`, for the last non-empty one
//! stream = "stdout"                     # optional: only there; otherwise in both
//! exit = [10]                           # optional: one of these exit statuses, and no signal
//! reason = "..."                        # optional: words for the results; otherwise the group named `reason`, if there is one
//! ```
//!
//! The first rule that fits decides. If none fits, the run is an error.

use regex::Regex;
use serde::Deserialize;
use thiserror::Error;

use super::template::{Template, TemplateError};
use crate::process::{End, Finished};
use crate::verdict::Verdict;

/// What a tool said.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// A definite answer.
    Verdict(Verdict),
    /// It doesn't know, for this reason.
    Unknown(String),
    /// It says that it ran out of time.
    Timeout(String),
    /// It says that it ran out of memory.
    OutOfMemory(String),
    /// It failed.
    Error(String),
}

/// What a run printed, and how it ended: all that an answer is read from.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Output {
    /// How it ended.
    pub end: End,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl Output {
    /// The output of a finished run.
    pub fn of(run: &Finished) -> Output {
        Output {
            end: run.end,
            stdout: run.stdout.text(),
            stderr: run.stderr.text(),
        }
    }
}

/// The rules of one tool.
#[derive(Clone, Debug)]
pub struct Patterns {
    /// The command of a tool that was named without one.
    pub command: Option<Template>,
    /// How a certificate is checked.
    pub validate: Option<Template>,
    /// How it is checked by another road.
    pub second: Option<Template>,
    rules: Vec<Rule>,
}

#[derive(Clone, Debug)]
struct Rule {
    answer: Kind,
    condition: Option<Condition>,
    stream: Option<Stream>,
    exit: Option<Vec<i32>>,
    reason: Option<String>,
}

#[derive(Clone, Debug)]
enum Condition {
    AnyLine(Regex),
    LastLine(Regex),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPatterns {
    #[serde(rename = "name")]
    _name: String,
    #[serde(rename = "source")]
    _source: Option<String>,
    command: Option<String>,
    validate: Option<String>,
    second: Option<String>,
    #[serde(rename = "rule")]
    rules: Vec<RawRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    answer: Kind,
    line: Option<String>,
    last_line: Option<String>,
    stream: Option<Stream>,
    exit: Option<Vec<i32>>,
    reason: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Safe,
    Unsafe,
    Unknown,
    Timeout,
    Memory,
    Error,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Stream {
    Stdout,
    Stderr,
}

/// What is wrong with a pattern file.
#[derive(Debug, Error)]
pub enum PatternError {
    /// Not valid TOML, or not these fields.
    #[error("{0}")]
    Toml(String),
    /// A regular expression is wrong.
    #[error("{0}")]
    Regex(#[from] regex::Error),
    /// A command is wrong.
    #[error("{0}")]
    Template(#[from] TemplateError),
    /// A rule that would always or never fit.
    #[error("rule {0}: give `line` or `last_line` (not both), or `exit`")]
    Condition(usize),
}

impl Patterns {
    /// Reads a pattern file.
    ///
    /// # Errors
    ///
    /// When it is not one.
    pub fn parse(text: &str) -> Result<Patterns, PatternError> {
        let raw: RawPatterns =
            toml::from_str(text).map_err(|error| PatternError::Toml(error.message().to_owned()))?;
        let template = |text: Option<String>| text.as_deref().map(Template::parse).transpose();
        let mut rules = Vec::new();
        for (index, rule) in raw.rules.into_iter().enumerate() {
            let condition = match (rule.line, rule.last_line) {
                (Some(pattern), None) => Some(Condition::AnyLine(Regex::new(&pattern)?)),
                (None, Some(pattern)) => Some(Condition::LastLine(Regex::new(&pattern)?)),
                (None, None) if rule.exit.is_some() => None,
                _ => return Err(PatternError::Condition(index + 1)),
            };
            rules.push(Rule {
                answer: rule.answer,
                condition,
                stream: rule.stream,
                exit: rule.exit,
                reason: rule.reason,
            });
        }
        Ok(Patterns {
            command: template(raw.command)?,
            validate: template(raw.validate)?,
            second: template(raw.second)?,
            rules,
        })
    }

    /// What the tool said.
    pub fn answer(&self, output: &Output) -> Answer {
        for rule in &self.rules {
            if let Some(reason) = rule.fits(output) {
                return match rule.answer {
                    Kind::Safe => Answer::Verdict(Verdict::Safe),
                    Kind::Unsafe => Answer::Verdict(Verdict::Unsafe),
                    Kind::Unknown => Answer::Unknown(reason),
                    Kind::Timeout => Answer::Timeout(reason),
                    Kind::Memory => Answer::OutOfMemory(reason),
                    Kind::Error => Answer::Error(if reason.is_empty() {
                        no_answer(output)
                    } else {
                        reason
                    }),
                };
            }
        }
        Answer::Error(no_answer(output))
    }
}

impl Rule {
    /// The reason, possibly empty, when the rule fits.
    fn fits(&self, output: &Output) -> Option<String> {
        if let Some(statuses) = &self.exit {
            match output.end {
                End::Exited(status) if statuses.contains(&status) => {}
                _ => return None,
            }
        }
        let found = match &self.condition {
            None => None,
            Some(condition) => Some(self.texts(output).find_map(|text| condition.find(text))?),
        };
        Some(self.reason.clone().or(found).unwrap_or_default())
    }

    fn texts<'a>(&self, output: &'a Output) -> impl Iterator<Item = &'a str> {
        let stdout = (self.stream != Some(Stream::Stderr)).then_some(output.stdout.as_str());
        let stderr = (self.stream != Some(Stream::Stdout)).then_some(output.stderr.as_str());
        stdout.into_iter().chain(stderr)
    }
}

impl Condition {
    /// The text of the group `reason`, if a line fits.
    fn find(&self, text: &str) -> Option<String> {
        let reason = |regex: &Regex, line: &str| {
            let captures = regex.captures(line)?;
            Some(
                captures
                    .name("reason")
                    .map(|group| group.as_str().to_owned())
                    .unwrap_or_default(),
            )
        };
        match self {
            Condition::AnyLine(regex) => {
                text.lines().find_map(|line| reason(regex, line.trim_end()))
            }
            Condition::LastLine(regex) => reason(regex, last_line(text)?),
        }
    }
}

fn last_line(text: &str) -> Option<&str> {
    text.lines()
        .map(str::trim_end)
        .rfind(|line| !line.is_empty())
}

/// How a run without an answer ended, with its last words.
fn no_answer(output: &Output) -> String {
    let how = match output.end {
        End::Exited(status) => format!("exit status {status}"),
        End::Signalled(signal) => format!("killed by {}", signal_name(signal)),
        End::CpuLimit | End::WallLimit | End::MemoryLimit | End::Interrupted => {
            "stopped".to_owned()
        }
    };
    let words = last_line(&output.stderr).or_else(|| last_line(&output.stdout));
    match words {
        Some(words) => format!("no verdict, {how}: {words}"),
        None => format!("no verdict, {how}, no output"),
    }
}

fn signal_name(signal: i32) -> String {
    let name = match signal {
        libc::SIGABRT => "SIGABRT",
        libc::SIGBUS => "SIGBUS",
        libc::SIGFPE => "SIGFPE",
        libc::SIGILL => "SIGILL",
        libc::SIGINT => "SIGINT",
        libc::SIGKILL => "SIGKILL",
        libc::SIGPIPE => "SIGPIPE",
        libc::SIGSEGV => "SIGSEGV",
        libc::SIGTERM => "SIGTERM",
        _ => return format!("signal {signal}"),
    };
    name.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: &str = "
name = 'X'
[[rule]]
answer = 'safe'
last_line = '^yes$'
stream = 'stdout'
exit = [0]
[[rule]]
answer = 'unknown'
line = '^no idea: (?<reason>.*)$'
[[rule]]
answer = 'error'
exit = [7]
reason = 'refused'
";

    fn answer(end: End, stdout: &str, stderr: &str) -> Answer {
        let output = Output {
            end,
            stdout: stdout.into(),
            stderr: stderr.into(),
        };
        Patterns::parse(RULES).expect("patterns").answer(&output)
    }

    #[test]
    fn the_first_rule_that_fits_decides() {
        assert_eq!(
            answer(End::Exited(0), "x\nyes\n\n", ""),
            Answer::Verdict(Verdict::Safe)
        );
        assert_eq!(
            answer(End::Exited(0), "", "no idea: loops\n"),
            Answer::Unknown("loops".into())
        );
        assert_eq!(
            answer(End::Exited(7), "yes", ""),
            Answer::Error("refused".into())
        );
    }

    #[test]
    fn without_a_rule_the_run_is_an_error() {
        let error = |end, stdout, stderr| match answer(end, stdout, stderr) {
            Answer::Error(reason) => reason,
            other => panic!("{other:?}"),
        };
        assert_eq!(
            error(End::Exited(3), "yes\nx", ""),
            "no verdict, exit status 3: x"
        );
        assert_eq!(
            error(End::Signalled(libc::SIGSEGV), "yes", "oops\n"),
            "no verdict, killed by SIGSEGV: oops"
        );
        assert_eq!(
            error(End::Exited(0), "", "yes"),
            "no verdict, exit status 0: yes"
        );
        assert_eq!(
            error(End::Exited(0), "", ""),
            "no verdict, exit status 0, no output"
        );
    }

    #[test]
    fn mistakes_are_found_when_the_file_is_read() {
        let broken = |text: &str| Patterns::parse(text).is_err();
        assert!(broken("name = 'X'"));
        assert!(broken("name = 'X'\n[[rule]]\nanswer = 'maybe'\nexit = [0]"));
        assert!(broken("name = 'X'\n[[rule]]\nanswer = 'safe'"));
        assert!(broken(
            "name = 'X'\n[[rule]]\nanswer = 'safe'\nline = 'a'\nlast_line = 'b'"
        ));
        assert!(broken("name = 'X'\n[[rule]]\nanswer = 'safe'\nline = '('"));
        assert!(broken(
            "name = 'X'\ncommand = '{x}'\n[[rule]]\nanswer = 'safe'\nline = 'a'"
        ));
        assert!(broken(
            "name = 'X'\nverdikt = 1\n[[rule]]\nanswer = 'safe'\nline = 'a'"
        ));
    }
}
