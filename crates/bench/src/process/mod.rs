//! One run of a foreign command: in its own session, under limits, with nothing left behind.
//!
//! Between us and the command stands a supervisor: a process without a program of its own that adopts whatever the
//! command leaves behind. Every process of a run is therefore a descendant of its supervisor, however often it forked, changed
//! its session or cleaned its environment, and the run is over when the supervisor has no child any more. Processes of two
//! concurrent runs can't be mixed up, and when we ourselves are killed, the supervisors notice and clean up.
//!
//! Linux only: `/proc`, the subreaper flag and `close_range` are used.

mod capture;
mod supervisor;
mod tree;

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

pub use capture::Captured;
use supervisor::Report;
use tree::{Sample, Tree};

/// What a run may use. Each limit counts all processes of the run together.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ProcessLimits {
    /// CPU time, user and system.
    pub cpu: Duration,
    /// Time on the clock on the wall.
    pub wall: Duration,
    /// Bytes of memory, shared pages counted once.
    pub memory: u64,
}

/// A command to run.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program: an absolute path, or a name to be looked up in `PATH`.
    pub program: OsString,
    /// Its arguments.
    pub args: Vec<OsString>,
    /// Its working directory, also given as `TMPDIR`.
    pub dir: PathBuf,
}

/// How a run ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// By itself, with an exit status.
    Exited(i32),
    /// By a signal that we did not send.
    Signalled(i32),
    /// It used up its CPU time.
    CpuLimit,
    /// It used up its wall time.
    WallLimit,
    /// It used up its memory.
    MemoryLimit,
    /// We were asked to stop.
    Interrupted,
}

/// What a run used, as the operating system counts it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Usage {
    /// CPU time of all processes.
    pub cpu: Duration,
    /// From the start to the end of the first process.
    pub wall: Duration,
    /// Peak memory in bytes.
    pub memory: u64,
}

/// A finished run.
#[derive(Debug)]
pub struct Finished {
    /// How it ended.
    pub end: End,
    /// What it used.
    pub usage: Usage,
    /// Its standard output.
    pub stdout: Captured,
    /// Its standard error.
    pub stderr: Captured,
    /// How many processes it left behind; they were killed.
    pub left_behind: u32,
}

/// Samples are at most this far apart: a process that fills memory as fast as the kernel hands out pages gets some 100 MB further.
const LONGEST_PAUSE: Duration = Duration::from_millis(50);
/// What the copy of us may still touch before it loads the program.
const TOUCHED_BEFORE_EXEC: u64 = 512 * 1024;
/// The first samples come quickly, so that short runs are seen, too.
const SHORTEST_PAUSE: Duration = Duration::from_millis(2);

/// Whether this machine has what is needed.
///
/// # Errors
///
/// When it has not.
pub fn check_support() -> io::Result<()> {
    match std::fs::read("/proc/thread-self/children") {
        Ok(_) => Ok(()),
        Err(error) => Err(io::Error::other(format!(
            "runs can't be watched over here: /proc/thread-self/children: {error} (needed: Linux with CONFIG_PROC_CHILDREN)"
        ))),
    }
}

/// Runs a command to its end, or to a limit, or until `cancel` becomes true. When this returns, no process of the run is alive.
///
/// CPU time is what the kernel has accounted to the processes when they were waited for, or the sum seen while they ran, whichever
/// is larger. Memory is the largest sum seen (shared pages counted once), or the largest peak of a single process.
///
/// # Errors
///
/// When the command can't be started, or when its supervisor was killed.
pub fn run(launch: &Launch, limits: &ProcessLimits, cancel: &AtomicBool) -> io::Result<Finished> {
    let (control_end, control) = io::pipe()?;
    let (report, report_end) = io::pipe()?;
    let mut command = Command::new(&launch.program);
    command
        .args(&launch.args)
        .current_dir(&launch.dir)
        .env("TMPDIR", &launch.dir);
    command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let supervisor =
        supervisor::Supervisor::new(control_end.as_raw_fd(), report_end.as_raw_fd(), limits);
    // SAFETY: `enter` keeps to what is allowed between fork and exec; see its module.
    unsafe { command.pre_exec(move || supervisor.enter()) };
    let mut child = command.spawn()?;
    drop((control_end, report_end));

    let stdout = child
        .stdout
        .take()
        .map(|pipe| thread::spawn(move || Captured::read(pipe)));
    let stderr = child
        .stderr
        .take()
        .map(|pipe| thread::spawn(move || Captured::read(pipe)));
    let mut watch = Watch {
        limits,
        cancel,
        control: Some(control),
        stopped: None,
        peak: Sample::default(),
        tree: Tree::new(child.id()),
    };
    let report = watch.until_report(report);
    // Its status tells nothing that the report did not; it must not stay as a zombie.
    let _ = child.wait();
    let Some(report) = report else {
        // Somebody killed the supervisor. What it watched over is no longer ours by descent, but known from the last sample. The threads
        // that read are left to themselves: should something have got away, its output would never end.
        watch.tree.kill_known();
        return Err(io::Error::other(
            "the run killed the process that watched over it",
        ));
    };
    let collect = |reader: Option<thread::JoinHandle<Captured>>| {
        reader
            .and_then(|reader| reader.join().ok())
            .unwrap_or_default()
    };
    let (stdout, stderr) = (collect(stdout), collect(stderr));
    Ok(watch.finish(&report, stdout, stderr))
}

/// The view from outside while a run is going on.
struct Watch<'a> {
    limits: &'a ProcessLimits,
    cancel: &'a AtomicBool,
    /// Closing this tells the supervisor to kill everything.
    control: Option<io::PipeWriter>,
    stopped: Option<End>,
    peak: Sample,
    tree: Tree,
}

impl Watch<'_> {
    /// Samples the run until the supervisor reports that it is over; `None` when it died without a report.
    fn until_report(&mut self, mut pipe: io::PipeReader) -> Option<Report> {
        let start = Instant::now();
        loop {
            let elapsed = start.elapsed();
            let pause = (elapsed / 20).clamp(SHORTEST_PAUSE, LONGEST_PAUSE);
            if readable(pipe.as_raw_fd(), pause) {
                let mut bytes = [0; Report::SIZE];
                return pipe
                    .read_exact(&mut bytes)
                    .ok()
                    .map(|()| Report::from_bytes(&bytes));
            }
            if self.stopped.is_some() {
                continue;
            }
            let sample = self.tree.sample(self.peak.memory);
            self.peak = self.peak.max(sample);
            self.stopped = self.reason_to_stop(start.elapsed());
            if self.stopped.is_some() {
                self.control = None;
            }
        }
    }

    fn reason_to_stop(&self, elapsed: Duration) -> Option<End> {
        if self.cancel.load(Ordering::Relaxed) {
            Some(End::Interrupted)
        } else if self.peak.memory > self.limits.memory {
            Some(End::MemoryLimit)
        } else if self.peak.cpu > self.limits.cpu {
            Some(End::CpuLimit)
        } else if elapsed > self.limits.wall {
            Some(End::WallLimit)
        } else {
            None
        }
    }

    fn finish(self, report: &Report, stdout: Captured, stderr: Captured) -> Finished {
        // A peak that is hardly above what every process starts with says nothing, unless nothing else is known.
        let told = report.largest_process > report.inherited + TOUCHED_BEFORE_EXEC
            || self.peak.memory == 0;
        let largest_process = if told { report.largest_process } else { 0 };
        let usage = Usage {
            cpu: report.cpu.max(self.peak.cpu),
            wall: report.wall,
            memory: largest_process.max(self.peak.memory),
        };
        // A run that ended by itself between two samples is judged by the same limits.
        let end = match self.stopped {
            Some(reason) => reason,
            None if usage.memory > self.limits.memory => End::MemoryLimit,
            None if usage.cpu > self.limits.cpu || report.end == End::Signalled(libc::SIGXCPU) => {
                End::CpuLimit
            }
            None if usage.wall > self.limits.wall => End::WallLimit,
            None => report.end,
        };
        Finished {
            end,
            usage,
            stdout,
            stderr,
            left_behind: report.left_behind,
        }
    }
}

/// Waits until there is something to read, or the other end is closed, or the pause is over.
fn readable(fd: RawFd, pause: Duration) -> bool {
    let mut poll = libc::pollfd {
        fd,
        events: libc::POLLIN,
        revents: 0,
    };
    let milliseconds = i32::try_from(pause.as_millis()).unwrap_or(i32::MAX);
    // SAFETY: one valid descriptor structure, and its count. An interrupted wait counts as a pause.
    unsafe { libc::poll(&raw mut poll, 1, milliseconds) > 0 }
}
