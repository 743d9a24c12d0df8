//! Whether the same question has the same answer every time: every program is checked several times, and what is
//! printed and written is compared byte for byte.
//!
//! A run that has no verdict is compared with nobody: how far it gets in its time is a matter of the machine. To make
//! that the only thing that is, threads can be kept busy beside the runs.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::overrun;
use crate::process::{self, End, Launch, ProcessLimits};

/// What is compared.
pub struct Comparison<'a> {
    /// The executable of ours.
    pub rhumb: &'a Path,
    /// The engine, if not the one that is used by default.
    pub engine: Option<&'a str>,
    /// C files and task definitions.
    pub programs: &'a [PathBuf],
    /// So often each of them is checked.
    pub times: usize,
    /// So many threads are busy meanwhile.
    pub busy: usize,
    /// Limits of a run.
    pub limits: &'a ProcessLimits,
    /// A folder for what is written.
    pub folder: &'a Path,
    /// Set when nobody wants the answer any more.
    pub cancel: &'a AtomicBool,
}

/// How all that compares.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Equality {
    /// Runs that had a verdict.
    pub decided: usize,
    /// Runs that had none.
    pub undecided: usize,
    /// Programs that had a verdict at least twice, so that there was something to compare.
    pub compared: usize,
    /// What differed: the program, and in what.
    pub different: Vec<(PathBuf, &'static str)>,
}

impl Equality {
    /// Whether nothing differed, and there was something to compare.
    pub fn holds(&self) -> bool {
        self.different.is_empty() && self.compared > 0
    }
}

impl fmt::Display for Equality {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let runs = self.decided + self.undecided;
        writeln!(
            f,
            "{runs} runs, {} of them without a verdict; {} programs had one at least twice, {} of them not the same",
            self.undecided,
            self.compared,
            self.different.len()
        )?;
        for (program, what) in &self.different {
            writeln!(f, "DIFFERENT {what}: {}", program.display())?;
        }
        Ok(())
    }
}

/// What a run with a verdict leaves: its output, its certificate, its witness.
type Evidence = [Option<Vec<u8>>; 3];

const PARTS: [&str; 3] = ["output", "certificate", "witness"];

/// Exit statuses of `rhumb check` that are verdicts: SAFE, UNSAFE.
const VERDICTS: [i32; 2] = [0, 10];

/// Runs all of it. `done` is told of each program that is through.
pub fn compare(of: &Comparison<'_>, mut done: impl FnMut(&Path)) -> io::Result<Equality> {
    let ends = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..of.busy {
            scope.spawn(|| {
                while !ends.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let mut equality = Equality::default();
        let mut result = Ok(());
        for program in of.programs {
            if of.cancel.load(Ordering::Relaxed) {
                break;
            }
            result = of.program(program, &mut equality);
            if result.is_err() {
                break;
            }
            done(program);
        }
        ends.store(true, Ordering::Relaxed);
        result.map(|()| equality)
    })
}

impl Comparison<'_> {
    fn program(&self, program: &Path, equality: &mut Equality) -> io::Result<()> {
        let mut first: Option<Evidence> = None;
        let mut has_two = false;
        for _ in 0..self.times {
            let Some(evidence) = self.check(program)? else {
                equality.undecided += 1;
                continue;
            };
            equality.decided += 1;
            let Some(first) = &first else {
                first = Some(evidence);
                continue;
            };
            has_two = true;
            let mut parts = PARTS.into_iter().zip(first.iter().zip(&evidence));
            if let Some((part, _)) = parts.find(|(_, (one, other))| one != other) {
                equality.different.push((program.to_owned(), part));
                break;
            }
        }
        equality.compared += usize::from(has_two);
        Ok(())
    }

    /// Checks a program once; none if it had no verdict.
    fn check(&self, program: &Path) -> io::Result<Option<Evidence>> {
        let files = ["certificate.json", "witness.yml"].map(|name| self.folder.join(name));
        for file in &files {
            match fs::remove_file(file) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        let mut args = vec!["check".into(), program.into(), "--timeout".into()];
        args.push(format!("{}ms", self.limits.cpu.as_millis()).into());
        args.extend(["--memory".into(), format!("{}B", self.limits.memory).into()]);
        if let Some(engine) = self.engine {
            args.extend(["--engine".into(), engine.into()]);
        }
        args.extend(["--certificate".into(), files[0].clone().into()]);
        args.extend(["--witness".into(), files[1].clone().into()]);
        let launch = Launch {
            program: self.rhumb.into(),
            args,
            dir: self.folder.to_owned(),
        };
        // It keeps its limits by itself; if it doesn't, it is no run with a verdict.
        let run = process::run(&launch, &overrun::enforced(self.limits), self.cancel)?;
        let End::Exited(status) = run.end else {
            return Ok(None);
        };
        if !VERDICTS.contains(&status) {
            return Ok(None);
        }
        let output = run.stdout.text().into_bytes();
        let [certificate, witness] = files.map(|file| fs::read(file).ok());
        Ok(Some([Some(output), certificate, witness]))
    }
}
