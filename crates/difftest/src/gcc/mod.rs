//! gcc as the reference: finding it, its options for both data models, and the runtime that
//! compiled programs are linked with.
//!
//! LP64 programs use the C library of the machine. ILP32 programs are compiled freestanding and
//! linked with a small library of our own, because a plain machine has neither a 32-bit C library
//! nor a 32-bit libgcc.

mod batch;
mod declarations;
mod rename;
mod runtime;
mod task;

use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use tempfile::TempDir;
use thiserror::Error;

use crate::model::DataModel;

pub use batch::GccSubject;
pub use task::{GccTasks, SignedOverflow};

/// The processor time is used up.
const SIGNAL_PROF: i32 = 27;
const SIGNAL_ABORT: i32 = 6;
/// What the traps of `-fsanitize-undefined-trap-on-error` raise.
const SIGNAL_ILL: i32 = 4;
/// An integer division that the processor refuses.
const SIGNAL_FPE: i32 = 8;

/// Why gcc can not be used, or not for this.
#[derive(Clone, Debug, Error)]
pub enum GccError {
    /// There is no such command, or it does not work.
    #[error("gcc is not usable: {0}")]
    Missing(String),
    /// The compiler or linker refused its input.
    #[error("gcc refused the program: {0}")]
    Refused(String),
    /// Compiled programs can not be run here (a kernel without 32-bit programs, for example).
    #[error("programs for {model} do not run on this machine: {reason}")]
    NotRunnable {
        /// The data model concerned.
        model: DataModel,
        /// What was tried and what happened.
        reason: String,
    },
    /// Reading or writing a file or pipe failed.
    #[error("{what}: {reason}")]
    Io {
        /// What was being done.
        what: &'static str,
        /// The system's explanation.
        reason: String,
    },
}

impl GccError {
    fn io(what: &'static str) -> impl Fn(std::io::Error) -> Self {
        move |error| Self::Io {
            what,
            reason: error.to_string(),
        }
    }
}

/// A working gcc with a folder for its files, which is removed in the end.
#[derive(Debug)]
pub struct Gcc {
    command: OsString,
    folder: TempDir,
    runtimes: [OnceLock<Result<Runtime, GccError>>; 2],
    includes: OnceLock<Result<Vec<OsString>, GccError>>,
    next: AtomicU64,
}

/// The parts that programs of one data model are linked with.
#[derive(Clone, Debug)]
struct Runtime {
    /// The machine, the C library where there is none, and the input values.
    base: Vec<PathBuf>,
    /// `main` of a batch of generated programs, and the input functions.
    batch: Vec<PathBuf>,
    /// `main` of a verification task that is run on many input vectors.
    task: Vec<PathBuf>,
}

impl Gcc {
    /// Finds gcc: the command in the variable `RHUMB_GCC`, or `gcc`.
    ///
    /// # Errors
    /// When it can not be started or there is no place for temporary files.
    pub fn find() -> Result<Self, GccError> {
        let command = std::env::var_os("RHUMB_GCC").unwrap_or_else(|| "gcc".into());
        let version = Command::new(&command)
            .arg("--version")
            .stderr(Stdio::null())
            .output();
        match version {
            Ok(output) if output.status.success() => {}
            Ok(output) => return Err(GccError::Missing(format!("--version: {}", output.status))),
            Err(error) => return Err(GccError::Missing(error.to_string())),
        }
        let folder =
            TempDir::with_prefix("rhumb-difftest").map_err(GccError::io("temporary folder"))?;
        runtime::write_sources(folder.path())?;
        Ok(Self {
            command,
            folder,
            runtimes: [OnceLock::new(), OnceLock::new()],
            includes: OnceLock::new(),
            next: AtomicU64::new(0),
        })
    }

    /// Whether programs of this data model can be compiled, linked and run.
    ///
    /// # Errors
    /// What stands in the way.
    pub fn check(&self, model: DataModel) -> Result<(), GccError> {
        self.runtime(model).map(|_| ())
    }

    /// The folder for this object's files.
    fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// A name in the folder that is used for nothing else.
    fn fresh(&self, stem: &str) -> PathBuf {
        self.folder().join(format!(
            "{stem}-{}",
            self.next.fetch_add(1, Ordering::Relaxed)
        ))
    }

    /// The runtime of a data model; built, and tried once, when it is first asked for.
    fn runtime(&self, model: DataModel) -> Result<&Runtime, GccError> {
        let slot = &self.runtimes[usize::from(model == DataModel::Lp64)];
        slot.get_or_init(|| self.build_runtime(model))
            .as_ref()
            .map_err(Clone::clone)
    }

    /// Where the headers are: those for 32 bits are the ones for 64.
    fn include_options(&self) -> Result<&[OsString], GccError> {
        let find = || {
            let multiarch = succeed(Command::new(&self.command).arg("-print-multiarch"))?;
            let multiarch = String::from_utf8_lossy(&multiarch.stdout).trim().to_owned();
            let mut options = vec!["-idirafter".into(), self.folder().join("include").into()];
            if !multiarch.is_empty() {
                options.extend([
                    "-idirafter".into(),
                    format!("/usr/include/{multiarch}").into(),
                ]);
            }
            Ok(options)
        };
        self.includes
            .get_or_init(find)
            .as_deref()
            .map_err(Clone::clone)
    }

    /// Starts a gcc command line with the options that every compilation of this model needs.
    fn command(&self, model: DataModel) -> Command {
        let mut command = Command::new(&self.command);
        command
            .args(model_options(model))
            .args(["-w", "-fno-pie", "-ffp-contract=off", "-pipe"]);
        command.env("LC_ALL", "C");
        command
    }

    /// Starts a gcc command line that links an executable.
    fn linker(&self, model: DataModel) -> Command {
        let mut command = self.command(model);
        command.arg("-no-pie");
        if model == DataModel::Ilp32 {
            command.args(["-nostdlib", "-static"]);
        }
        command
    }
}

/// Options that say what the machine is.
fn model_options(model: DataModel) -> &'static [&'static str] {
    match model {
        // Excess precision of the x87 would show: all arithmetic is done by SSE.
        DataModel::Ilp32 => &["-m32", "-msse2", "-mfpmath=sse", "-fno-stack-protector"],
        DataModel::Lp64 => &["-m64"],
    }
}

/// Runs a compiler or linker; its first complaint becomes the error.
fn succeed(command: &mut Command) -> Result<Output, GccError> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(GccError::io("starting gcc"))?;
    if output.status.success() {
        return Ok(output);
    }
    let complaints = String::from_utf8_lossy(&output.stderr);
    let first = complaints
        .lines()
        .find(|line| line.contains("error") || line.contains("undefined"))
        .or_else(|| complaints.lines().next())
        .unwrap_or("no message");
    Err(GccError::Refused(first.to_owned()))
}

/// Starts a program, feeds it, and gives what it wrote to standard output.
fn converse(executable: &Path, input: Vec<u8>) -> Result<Vec<u8>, GccError> {
    let mut child = Command::new(executable)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .map_err(GccError::io("starting a compiled program"))?;
    let pipe = child.stdin.take();
    // Both directions at once: neither side waits for the other to read.
    let output = std::thread::scope(|scope| {
        if let Some(mut pipe) = pipe {
            // A program that does not read on has said what it had to say.
            scope.spawn(move || drop(pipe.write_all(&input)));
        }
        child.wait_with_output()
    });
    output
        .map(|output| output.stdout)
        .map_err(GccError::io("running a compiled program"))
}
