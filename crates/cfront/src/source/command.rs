//! Running a command within limits of time and output.

use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::thread;
use std::time::{Duration, Instant};

/// Limits of a run.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommandLimits {
    pub(super) time: Duration,
    pub(super) stdout: u64,
    pub(super) stderr: u64,
}

/// What a command did.
#[derive(Debug)]
pub(super) struct Outcome {
    pub(super) stdout: Vec<u8>,
    pub(super) stderr: Vec<u8>,
    pub(super) ended: Ended,
}

/// How a command ended.
#[derive(Debug)]
pub(super) enum Ended {
    ByItself(ExitStatus),
    OutOfTime,
    TooMuchOutput,
    TooManyMessages,
}

enum Stream {
    Stdout,
    Stderr,
}

/// Runs a command with `input` as its standard input. When it exceeds a limit, it is killed with all that it started.
pub(super) fn run(
    mut command: Command,
    input: Option<Vec<u8>>,
    limits: CommandLimits,
) -> io::Result<Outcome> {
    command
        .stdin(if input.is_some() {
            Stdio::piped()
        } else {
            Stdio::null()
        })
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // A compiler is several processes: in a group of their own they can be ended together.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let mut child = command.spawn()?;
    let deadline = Instant::now() + limits.time;
    if let (Some(input), Some(mut stdin)) = (input, child.stdin.take()) {
        // It may end without reading everything: then its messages say why.
        thread::spawn(move || stdin.write_all(&input));
    }
    let (sender, receiver) = mpsc::channel();
    if let Some(stdout) = child.stdout.take() {
        read_in_background(stdout, limits.stdout, Stream::Stdout, sender.clone());
    }
    if let Some(stderr) = child.stderr.take() {
        read_in_background(stderr, limits.stderr, Stream::Stderr, sender.clone());
    }
    drop(sender);

    let mut outcome = Outcome {
        stdout: Vec::new(),
        stderr: Vec::new(),
        ended: Ended::OutOfTime,
    };
    let mut exceeded = None;
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        match receiver.recv_timeout(left) {
            Ok((Stream::Stdout, bytes)) => {
                if bytes.len() as u64 > limits.stdout {
                    exceeded = exceeded.or(Some(Ended::TooMuchOutput));
                    kill(&mut child);
                }
                outcome.stdout = bytes;
            }
            Ok((Stream::Stderr, bytes)) => {
                if bytes.len() as u64 > limits.stderr {
                    exceeded = exceeded.or(Some(Ended::TooManyMessages));
                    kill(&mut child);
                }
                outcome.stderr = bytes;
            }
            Err(RecvTimeoutError::Timeout) => {
                kill(&mut child);
                child.wait()?;
                return Ok(outcome);
            }
            Err(RecvTimeoutError::Disconnected) => break,
        }
    }
    // Both streams are closed: the command is ending.
    let status = child.wait()?;
    outcome.ended = exceeded.unwrap_or(Ended::ByItself(status));
    Ok(outcome)
}

/// Reads a stream to its end, or to one byte beyond the limit, and sends what was read.
fn read_in_background(
    stream: impl Read + Send + 'static,
    limit: u64,
    name: Stream,
    sender: Sender<(Stream, Vec<u8>)>,
) {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        // What was read before an error is all there is.
        let _ = stream.take(limit + 1).read_to_end(&mut bytes);
        // Nobody listens any more if the command ran out of time.
        let _ = sender.send((name, bytes));
    });
}

/// Ends a command and what it started.
fn kill(child: &mut Child) {
    #[cfg(unix)]
    {
        let group = rustix::process::Pid::from_child(child);
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    // It may have ended by itself in the meantime.
    let _ = child.kill();
}
