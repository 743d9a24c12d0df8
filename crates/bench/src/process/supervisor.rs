//! The process between us and the command.
//!
//! `Command::spawn` forks; in the child, before the program is loaded, [`Supervisor::enter`] forks once more. The inner process goes on to
//! become the command. The outer one stays what it is, a copy of us that runs only the loop below, as *subreaper*: any descendant whose
//! parent dies becomes its child. When the command ends, or the control pipe is closed (on purpose, or because we died), it kills its
//! children until there are none left, reports, and exits.
//!
//! **Everything here runs between fork and exec of a process with many threads.** So: no allocation, no locks, no panics, nothing but
//! system calls.

use std::io;
use std::mem::MaybeUninit;
use std::os::fd::RawFd;
use std::ptr;
use std::time::Duration;

use super::{End, ProcessLimits};

/// What the forked child needs to know. Plain numbers, copied by the fork.
#[derive(Clone, Copy)]
pub(super) struct Supervisor {
    control: RawFd,
    report: RawFd,
    cpu_seconds: u64,
}

/// What the supervisor says when no process of the run is left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Report {
    /// How the command's first process ended.
    pub(super) end: End,
    /// CPU time of everything that was waited for.
    pub(super) cpu: Duration,
    /// From the fork to the end of the first process.
    pub(super) wall: Duration,
    /// Peak resident bytes of the largest process. Not below `inherited`: the kernel counts what a process was before it loaded its
    /// program, and that was a copy of us.
    pub(super) largest_process: u64,
    /// Resident bytes of that copy.
    pub(super) inherited: u64,
    /// Processes that were alive after the first one had ended by itself.
    pub(super) left_behind: u32,
}

impl Report {
    const WORDS: usize = 6;
    pub(super) const SIZE: usize = Self::WORDS * 8;

    pub(super) fn from_bytes(bytes: &[u8; Self::SIZE]) -> Report {
        let mut words = [0; Self::WORDS];
        for (word, chunk) in words.iter_mut().zip(bytes.chunks_exact(8)) {
            let mut raw = [0; 8];
            raw.copy_from_slice(chunk);
            *word = u64::from_ne_bytes(raw);
        }
        let [status, cpu, wall, largest_process, inherited, left_behind] = words;
        let status = status as i32;
        let end = if libc::WIFSIGNALED(status) {
            End::Signalled(libc::WTERMSIG(status))
        } else {
            End::Exited(libc::WEXITSTATUS(status))
        };
        Report {
            end,
            cpu: Duration::from_micros(cpu),
            wall: Duration::from_nanos(wall),
            largest_process,
            inherited,
            left_behind: left_behind as u32,
        }
    }
}

/// CPU seconds that a single process gets beyond the limit of its run before the kernel stops it: a backstop, should we not.
const CPU_BACKSTOP: u64 = 5;

impl Supervisor {
    /// `control` is the reading end of the pipe whose closing means "kill", `report` the writing end of the one for the report.
    pub(super) fn new(control: RawFd, report: RawFd, limits: &ProcessLimits) -> Supervisor {
        Supervisor {
            control,
            report,
            cpu_seconds: limits.cpu.as_secs() + 1,
        }
    }

    /// Called in the child of a fork. Returns in the process that is to become the command, and only there.
    pub(super) fn enter(&self) -> io::Result<()> {
        // SAFETY: system calls on values of our own.
        unsafe {
            // Away from the terminal's process group: its Ctrl-C is for us, and we decide what it means for the run.
            libc::setsid();
            check(libc::prctl(libc::PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0))?;
            // Nothing but SIGKILL reaches the supervisor; that children ended it reads from a descriptor.
            let mut all = MaybeUninit::uninit();
            let mut before = MaybeUninit::uninit();
            libc::sigfillset(all.as_mut_ptr());
            check(libc::sigprocmask(
                libc::SIG_SETMASK,
                all.as_ptr(),
                before.as_mut_ptr(),
            ))?;
            let start = monotonic_nanoseconds();
            let inherited = peak_bytes(libc::RUSAGE_SELF);
            match libc::fork() {
                -1 => Err(io::Error::last_os_error()),
                0 => {
                    check(libc::sigprocmask(
                        libc::SIG_SETMASK,
                        before.as_ptr(),
                        ptr::null_mut(),
                    ))?;
                    self.become_command()
                }
                command => Watcher {
                    command,
                    start,
                    inherited,
                    status: None,
                    wall: 0,
                    left_behind: 0,
                }
                .watch(self.control, self.report),
            }
        }
    }

    /// Last touches in the process that is about to load the program.
    unsafe fn become_command(&self) -> io::Result<()> {
        // SAFETY: system calls on values of our own.
        unsafe {
            libc::setsid();
            let seconds = self.cpu_seconds.saturating_add(CPU_BACKSTOP);
            set_limit(
                libc::RLIMIT_CPU,
                seconds,
                seconds.saturating_add(CPU_BACKSTOP),
            )?;
            // Tools that crash are expected here; their memory images are not.
            set_limit(libc::RLIMIT_CORE, 0, 0)?;
            // Should the machine run out of memory, the kernel is to take the run and not us. No limit on the address space: virtual
            // machines of languages reserve far more than they use, and a refused allocation ends in as many ways as there are tools.
            let file = libc::open(
                c"/proc/self/oom_score_adj".as_ptr(),
                libc::O_WRONLY | libc::O_CLOEXEC,
            );
            if file >= 0 {
                libc::write(file, c"1000".as_ptr().cast(), 4);
                libc::close(file);
            }
        }
        Ok(())
    }
}

/// The state of the supervising loop.
struct Watcher {
    command: libc::pid_t,
    start: u64,
    inherited: u64,
    /// The command's wait status, once it has ended.
    status: Option<i32>,
    wall: u64,
    left_behind: u32,
}

impl Watcher {
    /// Watches until no descendant is left, reports, and ends this process.
    unsafe fn watch(mut self, control: RawFd, report: RawFd) -> ! {
        // SAFETY: system calls on values of our own; this process has one thread and shares no memory.
        unsafe {
            // Also standard output and error, so that they close when the command's do, and the pipe on which `spawn` waits.
            close_all_but(control, report);
            let mut child_ended = MaybeUninit::uninit();
            libc::sigemptyset(child_ended.as_mut_ptr());
            libc::sigaddset(child_ended.as_mut_ptr(), libc::SIGCHLD);
            let signals = libc::signalfd(
                -1,
                child_ended.as_ptr(),
                libc::SFD_NONBLOCK | libc::SFD_CLOEXEC,
            );
            let mut told_to_kill = false;
            while self.reap() {
                let killing = told_to_kill || self.status.is_some();
                if killing {
                    self.kill_children();
                }
                let mut polls = [
                    libc::pollfd {
                        fd: signals,
                        events: libc::POLLIN,
                        revents: 0,
                    },
                    // A negative descriptor is passed over: a closed pipe stays readable and has been noticed.
                    libc::pollfd {
                        fd: if killing { -1 } else { control },
                        events: libc::POLLIN,
                        revents: 0,
                    },
                ];
                libc::poll(
                    polls.as_mut_ptr(),
                    2,
                    if killing || signals < 0 { 5 } else { -1 },
                );
                told_to_kill |= polls[1].revents != 0;
                let mut drained = [0u8; 512];
                libc::read(signals, drained.as_mut_ptr().cast(), drained.len());
            }
            self.send(report);
            libc::_exit(0)
        }
    }

    /// Waits for every child that has ended; false when there is no child left.
    unsafe fn reap(&mut self) -> bool {
        loop {
            let mut status = 0;
            // SAFETY: the status is ours.
            match unsafe { libc::waitpid(-1, &raw mut status, libc::WNOHANG) } {
                -1 => return false,
                0 => return true,
                pid if pid == self.command => {
                    self.status = Some(status);
                    self.wall = monotonic_nanoseconds().saturating_sub(self.start);
                }
                _ if self.status.is_some_and(|status| libc::WIFEXITED(status)) => {
                    self.left_behind += 1
                }
                _ => {}
            }
        }
    }

    /// Kills all children. Grandchildren become children, and their turn comes next time.
    unsafe fn kill_children(&self) {
        // SAFETY: system calls on values of our own; the pids are those of our own children, which nobody but us can reap.
        unsafe {
            if self.status.is_none() {
                libc::kill(-self.command, libc::SIGKILL);
            }
            let file = libc::open(
                c"/proc/thread-self/children".as_ptr(),
                libc::O_RDONLY | libc::O_CLOEXEC,
            );
            if file < 0 {
                return;
            }
            let mut pid: libc::pid_t = 0;
            let mut buffer = [0u8; 4096];
            loop {
                let length = libc::read(file, buffer.as_mut_ptr().cast(), buffer.len());
                if length <= 0 {
                    break;
                }
                for &byte in buffer.iter().take(length as usize) {
                    if byte.is_ascii_digit() {
                        pid = pid
                            .wrapping_mul(10)
                            .wrapping_add(libc::pid_t::from(byte - b'0'));
                    } else if pid > 0 {
                        libc::kill(pid, libc::SIGKILL);
                        pid = 0;
                    }
                }
            }
            if pid > 0 {
                libc::kill(pid, libc::SIGKILL);
            }
            libc::close(file);
        }
    }

    unsafe fn send(&self, report: RawFd) {
        let used = used(libc::RUSAGE_CHILDREN);
        let microseconds = |time: libc::timeval| {
            (time.tv_sec as u64)
                .wrapping_mul(1_000_000)
                .wrapping_add(time.tv_usec as u64)
        };
        let words = [
            self.status.unwrap_or(0) as u64,
            microseconds(used.ru_utime).wrapping_add(microseconds(used.ru_stime)),
            self.wall,
            peak_bytes(libc::RUSAGE_CHILDREN),
            self.inherited,
            u64::from(self.left_behind),
        ];
        // SAFETY: the buffer is as long as we say. Less than a pipe takes in one piece, so it can't be written in part.
        unsafe { libc::write(report, words.as_ptr().cast(), size_of_val(&words)) };
    }
}

fn used(who: libc::c_int) -> libc::rusage {
    let mut used = MaybeUninit::<libc::rusage>::zeroed();
    // SAFETY: `used` is ours, and all zeros is a valid value of it.
    unsafe {
        libc::getrusage(who, used.as_mut_ptr());
        used.assume_init()
    }
}

fn peak_bytes(who: libc::c_int) -> u64 {
    (used(who).ru_maxrss as u64).wrapping_mul(1024)
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 {
        Err(io::Error::last_os_error())
    } else {
        Ok(())
    }
}

unsafe fn set_limit(resource: libc::__rlimit_resource_t, soft: u64, hard: u64) -> io::Result<()> {
    let mut current = libc::rlimit {
        rlim_cur: 0,
        rlim_max: 0,
    };
    // SAFETY: the structures are ours.
    unsafe {
        check(libc::getrlimit(resource, &raw mut current))?;
        // What is already limited more strictly can't be raised.
        let wanted = libc::rlimit {
            rlim_cur: soft.min(current.rlim_max),
            rlim_max: hard.min(current.rlim_max),
        };
        check(libc::setrlimit(resource, &raw const wanted))
    }
}

fn monotonic_nanoseconds() -> u64 {
    let mut now = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: the structure is ours.
    unsafe { libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut now) };
    (now.tv_sec as u64)
        .wrapping_mul(1_000_000_000)
        .wrapping_add(now.tv_nsec as u64)
}

unsafe fn close_all_but(one: RawFd, other: RawFd) {
    let (low, high) = (one.min(other) as u32, one.max(other) as u32);
    // SAFETY: closing descriptors of a process that runs nothing but the loop above.
    unsafe {
        if low > 0 {
            close_range(0, low - 1);
        }
        if high > low + 1 {
            close_range(low + 1, high - 1);
        }
        close_range(high + 1, u32::MAX);
    }
}

/// Closes the descriptors from `first` to `last`; one by one where the kernel is older than 5.9.
unsafe fn close_range(first: u32, last: u32) {
    // SAFETY: as above.
    unsafe {
        if libc::syscall(libc::SYS_close_range, first, last, 0) != 0 {
            let mut limit = libc::rlimit {
                rlim_cur: 0,
                rlim_max: 0,
            };
            libc::getrlimit(libc::RLIMIT_NOFILE, &raw mut limit);
            let end = u64::from(last).min(limit.rlim_cur);
            for descriptor in u64::from(first)..=end {
                libc::close(descriptor as libc::c_int);
            }
        }
    }
}
