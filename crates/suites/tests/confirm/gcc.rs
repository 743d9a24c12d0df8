//! Programs, compiled by gcc and run.

use std::fs;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use rhumb_suites::{DataModel, Domains, Inputs, SuiteTask};
use tempfile::TempDir;

/// More than any run of ours needs, even on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);

/// Undefined operations trap, without a library that reports them.
const CHECKED: [&str; 4] = [
    "-std=gnu11",
    "-O1",
    "-fsanitize=undefined",
    "-fsanitize-undefined-trap-on-error",
];

/// How a run on given inputs ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Ending {
    /// The error was reached, and all inputs were read.
    Error,
    /// The error was reached before all inputs were read.
    ErrorEarly,
    /// The program asked for more inputs.
    InputsUsedUp,
    /// The program returned from `main`.
    Returned,
}

/// What an enumeration found.
#[derive(Debug)]
pub(crate) enum Enumeration {
    /// No run reached the error: how many returned, and how many wanted more inputs than allowed.
    NoError { returned: u64, cut: u64 },
    /// These inputs reach the error.
    Error(Inputs),
}

/// A way to make executables from one program and a part that feeds it with inputs.
struct Toolchain {
    options: &'static [&'static str],
    feeder: PathBuf,
}

/// A compiler that works, and a folder for what it makes.
pub(crate) struct Gcc {
    folder: TempDir,
    programs: AtomicUsize,
    enumerate: Toolchain,
    replay_lp64: Toolchain,
    /// None where 32-bit code can't be made or run.
    replay_ilp32: Option<Toolchain>,
}

impl Gcc {
    /// The compiler of this machine, if it has one.
    pub(crate) fn find() -> Option<Gcc> {
        let version = Command::new("gcc")
            .arg("--version")
            .stdout(Stdio::null())
            .status();
        if !version.is_ok_and(|status| status.success()) {
            return None;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let toolchain = |name: &str, text: &str, options: &'static [&'static str]| {
            let source = folder.path().join(format!("{name}.c"));
            fs::write(&source, text).expect("the folder is writable");
            let feeder = source.with_extension("o");
            let mut command = Command::new("gcc");
            command.args(["-std=gnu11", "-O1", "-c"]).args(options);
            compile(command.arg(source).arg("-o").arg(&feeder))?;
            Ok::<_, String>(Toolchain { options, feeder })
        };
        let replay = include_str!("replay.c");
        let bare = &[
            "-m32",
            "-ffreestanding",
            "-nostdlib",
            "-static",
            "-fno-pie",
            "-no-pie",
        ];
        let enumerate = toolchain("enumerate", include_str!("enumerate.c"), &[]);
        let replay_lp64 = toolchain("replay64", replay, &[]);
        let replay_ilp32 = toolchain("replay32", replay, bare);
        let mut gcc = Gcc {
            enumerate: enumerate.expect("the enumerator compiles"),
            replay_lp64: replay_lp64.expect("the replayer compiles"),
            replay_ilp32: replay_ilp32.ok(),
            folder,
            programs: AtomicUsize::new(0),
        };
        let probe = gcc.replayer("int main(void) { return 0; }", DataModel::Ilp32);
        let works = probe.and_then(|probe| probe.run(&Inputs::new())) == Ok(Ending::Returned);
        gcc.replay_ilp32 = gcc.replay_ilp32.filter(|_| works);
        Some(gcc)
    }

    /// Whether a task can be run under its own data model.
    ///
    /// Where the machine can't run 32-bit code, ILP32 programs are compiled for LP64. To ours that makes no difference unless they use
    /// `long`.
    pub(crate) fn can_replay(&self, task: &SuiteTask) -> bool {
        let code = task.program.lines().filter(|line| !line.starts_with("//"));
        let uses_long = |line: &str| {
            line.split(|c: char| !c.is_alphabetic())
                .any(|word| word == "long")
        };
        task.data_model == DataModel::Lp64 || self.has_32_bits() || !code.into_iter().any(uses_long)
    }

    /// Compiles a program so that it can be run on inputs.
    pub(crate) fn replayer(&self, program: &str, model: DataModel) -> Result<Replayer, String> {
        let toolchain = match (model, &self.replay_ilp32) {
            (DataModel::Ilp32, Some(toolchain)) => toolchain,
            _ => &self.replay_lp64,
        };
        Ok(Replayer {
            executable: self.build(program, toolchain, &[])?,
        })
    }

    /// Runs a program on all inputs from its domains.
    pub(crate) fn enumerate(
        &self,
        program: &str,
        domains: &Domains,
    ) -> Result<Enumeration, String> {
        let executable = self.build(program, &self.enumerate, &["-Dmain=task_main"])?;
        let mut command = Command::new(&executable);
        command
            .arg(domains.reads.to_string())
            .arg(domains.first.len().to_string());
        command.args(
            domains
                .first
                .iter()
                .chain(&domains.then)
                .map(ToString::to_string),
        );
        let (status, output) = run(&mut command, "")?;
        let wrong = || format!("the enumeration ended with {status} and printed {output:?}");
        match status.code() {
            Some(0) => {
                let (returned, cut) = output.trim().split_once(' ').ok_or_else(wrong)?;
                let number = |text: &str| text.parse().map_err(|_| wrong());
                Ok(Enumeration::NoError {
                    returned: number(returned)?,
                    cut: number(cut)?,
                })
            }
            Some(10) => Ok(Enumeration::Error(output.parse().map_err(|_| wrong())?)),
            _ => Err(wrong()),
        }
    }

    /// Whether ILP32 programs run as 32-bit code here.
    pub(crate) fn has_32_bits(&self) -> bool {
        self.replay_ilp32.is_some()
    }

    fn build(
        &self,
        program: &str,
        toolchain: &Toolchain,
        options: &[&str],
    ) -> Result<PathBuf, String> {
        let number = self.programs.fetch_add(1, Ordering::Relaxed);
        let source = self.folder.path().join(format!("{number}.c"));
        fs::write(&source, program).expect("the folder is writable");
        let executable = source.with_extension("exe");
        let mut command = Command::new("gcc");
        command.args(CHECKED).args(toolchain.options).args(options);
        compile(
            command
                .args([&source, &toolchain.feeder])
                .arg("-o")
                .arg(&executable),
        )?;
        Ok(executable)
    }
}

/// A compiled program.
pub(crate) struct Replayer {
    executable: PathBuf,
}

impl Replayer {
    /// Runs the program on inputs.
    pub(crate) fn run(&self, inputs: &Inputs) -> Result<Ending, String> {
        let executable: &Path = &self.executable;
        let (status, _) = run(&mut Command::new(executable), &inputs.to_string())?;
        match status.code() {
            Some(10) => Ok(Ending::Error),
            Some(11) => Ok(Ending::ErrorEarly),
            Some(12) => Ok(Ending::InputsUsedUp),
            Some(13) => Ok(Ending::Returned),
            _ => Err(format!("the run ended with {status}")),
        }
    }
}

fn compile(command: &mut Command) -> Result<(), String> {
    let output = command
        .output()
        .map_err(|error| format!("gcc does not start: {error}"))?;
    if output.status.success() {
        Ok(())
    } else {
        Err(format!("gcc: {}", String::from_utf8_lossy(&output.stderr)))
    }
}

/// Runs to the end, or kills.
fn run(command: &mut Command, input: &str) -> Result<(ExitStatus, String), String> {
    let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| format!("the program does not start: {error}"))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A program that ends before it reads anything closes the pipe; how it ends says whether that is right.
        let _ = stdin.write_all(input.as_bytes());
    }
    let start = Instant::now();
    // The output is one line, so it fits into the pipe and can be read at the end.
    let status = loop {
        match child.try_wait() {
            Ok(Some(status)) => break status,
            Ok(None) if start.elapsed() > PATIENCE => {
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!(
                    "the program did not end within {} s",
                    PATIENCE.as_secs()
                ));
            }
            Ok(None) => thread::sleep(Duration::from_millis(1)),
            Err(error) => return Err(format!("the program can't be waited for: {error}")),
        }
    };
    let mut output = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        stdout
            .read_to_string(&mut output)
            .map_err(|error| error.to_string())?;
    }
    Ok((status, output))
}
