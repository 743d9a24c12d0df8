//! The last word: what a command says at its end. It is said once, whoever says it.
//!
//! A command that comes to its end says it by itself. One that has to be ended (no time left, no memory, a signal) is
//! not asked: somebody else says it for it, from what the command has left here while it worked. Both end the process
//! on the spot. Nothing is freed and no destructor runs: threads may still be at work in the solver, and to give back
//! the memory of a large program can take longer than there is time.

use std::io::Write;
use std::sync::atomic::{AtomicBool, AtomicI32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fd::BorrowedFd;

use crate::exit::Exit;

/// What is said at the end.
#[derive(Clone, Debug)]
pub(crate) struct LastWord {
    /// On standard output. The verdict is its last line.
    pub(crate) out: String,
    /// On standard error, before that.
    pub(crate) err: String,
    /// The exit status.
    pub(crate) exit: Exit,
}

impl LastWord {
    /// Text for standard output.
    pub(crate) fn out(out: impl Into<String>, exit: Exit) -> LastWord {
        LastWord {
            out: out.into(),
            err: String::new(),
            exit,
        }
    }

    /// A line for standard error.
    pub(crate) fn err(line: impl AsRef<str>, exit: Exit) -> LastWord {
        LastWord {
            out: String::new(),
            err: format!("{}\n", line.as_ref()),
            exit,
        }
    }
}

impl From<Exit> for LastWord {
    /// Everything has been said.
    fn from(exit: Exit) -> LastWord {
        LastWord::out("", exit)
    }
}

/// What a command has to say if it is ended for this reason.
type Otherwise = Box<dyn Fn(&str) -> LastWord + Send>;

/// Whether somebody is saying the last word, or has said it.
static IS_SPOKEN: AtomicBool = AtomicBool::new(false);

/// The exit status that goes with it.
static STATUS: AtomicI32 = AtomicI32::new(Exit::Unknown as i32);

/// Whoever writes to standard output has this.
static PRINTING: Mutex<()> = Mutex::new(());

/// What there is to say if the command is ended now.
static OTHERWISE: Mutex<Option<Otherwise>> = Mutex::new(None);

/// What the command is doing.
static DOING: Mutex<Option<&'static str>> = Mutex::new(None);

/// Whether a line is shown on the terminal that is to be written over.
static HAS_LINE: AtomicBool = AtomicBool::new(false);

/// How long others are waited for at the very end: a reader that doesn't read, a thread that is about to leave a word.
const PATIENCE: Duration = Duration::from_millis(250);

/// Leaves a word, for the case that the command is ended from now on. It gets the reason.
pub(crate) fn otherwise(word: impl Fn(&str) -> LastWord + Send + 'static) {
    if let Some(mut place) = patiently(&OTHERWISE) {
        *place = Some(Box::new(word));
    }
}

/// From now on the command is doing this, in words that follow a reason: `in the search`.
pub(crate) fn doing(what: &'static str) {
    if let Some(mut place) = patiently(&DOING) {
        *place = Some(what);
    }
}

/// A line that is written over and over is shown on the terminal.
pub(crate) fn has_line() {
    HAS_LINE.store(true, Ordering::Relaxed);
}

/// Clears that line, if it is there.
pub(crate) fn clear_line() {
    if HAS_LINE.swap(false, Ordering::Relaxed) {
        let _ = std::io::stderr().write_all(b"\r\x1b[K");
    }
}

/// Says the last word of a command that has come to its end.
pub(crate) fn say(word: &LastWord) -> ! {
    if IS_SPOKEN.swap(true, Ordering::SeqCst) {
        wait_for_the_end();
    }
    write_and_leave(word)
}

/// Ends the command, which has had no time to say anything. Returns if it is about to say it all the same, and waits for its reader.
pub(crate) fn cut_short(reason: &str) {
    if !IS_SPOKEN.swap(true, Ordering::SeqCst) {
        end_otherwise(reason, None);
    }
}

/// Ends the command even if its reader has not read all of it.
pub(crate) fn hurry() -> ! {
    leave(STATUS.load(Ordering::SeqCst))
}

/// Ends the command because of a bug of ours.
pub(crate) fn give_up(reason: &str) -> ! {
    if IS_SPOKEN.swap(true, Ordering::SeqCst) {
        wait_for_the_end();
    }
    end_otherwise(reason, Some(Exit::Internal))
}

fn end_otherwise(reason: &str, exit: Option<Exit>) -> ! {
    let doing = patiently(&DOING).and_then(|doing| *doing);
    let reason = match doing {
        Some(doing) => format!("{reason} {doing}"),
        None => reason.to_owned(),
    };
    let word = patiently(&OTHERWISE).and_then(|word| word.as_ref().map(|word| word(&reason)));
    let mut word = word.unwrap_or_else(|| LastWord::err(format!("error: {reason}"), Exit::Unknown));
    if let Some(exit) = exit {
        word.exit = exit;
    }
    let status = word.exit.status();
    STATUS.store(status, Ordering::SeqCst);
    // Standard output may be in the hands of a thread that waits for its reader: then it is left unsaid.
    let printing = patiently(&PRINTING);
    clear_line();
    write_in_time(rustix::stdio::stderr(), word.err.as_bytes());
    if printing.is_some() {
        write_in_time(rustix::stdio::stdout(), word.out.as_bytes());
    }
    leave(status)
}

/// Writes as long as there is somebody who reads. It does without another thread and without the locks of the library:
/// when it is called, anything may be the matter.
fn write_in_time(descriptor: BorrowedFd<'_>, text: &[u8]) {
    let patience = Timespec::try_from(PATIENCE).ok();
    // So much goes into a pipe at once if anything does.
    for part in text.chunks(512) {
        let mut ready = [PollFd::from_borrowed_fd(descriptor, PollFlags::OUT)];
        let is_ready = poll(&mut ready, patience.as_ref()) == Ok(1);
        if !is_ready || !rustix::io::write(descriptor, part).is_ok_and(|written| written > 0) {
            return;
        }
    }
}

/// Everything that a command prints goes through here, so that nothing comes after the last word, and nothing into it.
pub(crate) fn print(text: &[u8]) {
    let printing = PRINTING.lock().unwrap_or_else(PoisonError::into_inner);
    if IS_SPOKEN.load(Ordering::SeqCst) {
        drop(printing);
        wait_for_the_end();
    }
    let mut out = std::io::stdout().lock();
    // A reader that went away (`rhumb cfa … | head`) is no error.
    let _ = out.write_all(text).and_then(|()| out.flush());
}

fn write_and_leave(word: &LastWord) -> ! {
    let status = word.exit.status();
    STATUS.store(status, Ordering::SeqCst);
    let _printing = PRINTING.lock().unwrap_or_else(PoisonError::into_inner);
    let mut out = std::io::stdout().lock();
    clear_line();
    let _ = std::io::stderr().write_all(word.err.as_bytes());
    let _ = out
        .write_all(word.out.as_bytes())
        .and_then(|()| out.flush());
    leave(status)
}

/// The lock, if it comes free soon: whoever is at the end of its memory may hold it.
fn patiently<T>(place: &Mutex<T>) -> Option<MutexGuard<'_, T>> {
    let step = Duration::from_millis(5);
    let mut waited = Duration::ZERO;
    loop {
        match place.try_lock() {
            Ok(guard) => return Some(guard),
            Err(TryLockError::Poisoned(poisoned)) => return Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) if waited < PATIENCE / 2 => {
                std::thread::sleep(step);
                waited += step;
            }
            Err(TryLockError::WouldBlock) => return None,
        }
    }
}

fn wait_for_the_end() -> ! {
    loop {
        std::thread::park();
    }
}

/// Ends the process and nothing else.
fn leave(status: i32) -> ! {
    // SAFETY: ends the process; nothing that belongs to it is used afterwards.
    unsafe { libc::_exit(status) }
}
