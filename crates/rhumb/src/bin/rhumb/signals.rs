//! Signals that ask the process to end.
//!
//! They are blocked in all threads and fetched by one. So it doesn't matter that the solver sets handlers of its own
//! while it works: a blocked signal gets to none of them.

use std::mem::MaybeUninit;
use std::time::Duration;

/// Ctrl-C, the wish of another process, the end of the terminal.
const SIGNALS: [i32; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

/// Those of them that are listened to. The end of the terminal doesn't matter to a process that was told so (`nohup`).
pub(crate) struct Signals(libc::sigset_t);

impl Signals {
    /// Blocks them in this thread and in those that it starts from now on.
    pub(crate) fn block() -> Signals {
        // SAFETY: system calls on values of our own; a set is initialised before it is read.
        unsafe {
            let (mut all, mut heard) = (MaybeUninit::uninit(), MaybeUninit::uninit());
            libc::sigemptyset(all.as_mut_ptr());
            libc::sigemptyset(heard.as_mut_ptr());
            for signal in SIGNALS {
                libc::sigaddset(all.as_mut_ptr(), signal);
                let mut action = MaybeUninit::<libc::sigaction>::zeroed();
                let known = libc::sigaction(signal, std::ptr::null(), action.as_mut_ptr()) == 0;
                let is_ignored = known && action.assume_init().sa_sigaction == libc::SIG_IGN;
                // A shell that runs a script lets commands in the background ignore Ctrl-C; but who sends it to us means us.
                if !is_ignored || signal != libc::SIGHUP {
                    libc::sigaddset(heard.as_mut_ptr(), signal);
                }
            }
            libc::pthread_sigmask(libc::SIG_BLOCK, all.as_ptr(), std::ptr::null_mut());
            Signals(heard.assume_init())
        }
    }

    /// Waits for one of them, that long. Says whether one came.
    pub(crate) fn wait(&self, pause: Duration) -> bool {
        let pause = libc::timespec {
            tv_sec: pause.as_secs().try_into().unwrap_or(libc::time_t::MAX),
            tv_nsec: pause.subsec_nanos().into(),
        };
        // SAFETY: a set and a length of time of our own; nothing is asked about the signal.
        unsafe { libc::sigtimedwait(&raw const self.0, std::ptr::null_mut(), &raw const pause) > 0 }
    }
}
