//! What the processes of a run use right now, read from `/proc`.

use std::fs;
use std::sync::OnceLock;
use std::time::Duration;

/// What a run has used so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Sample {
    /// CPU time of the living processes and of those that they have waited for.
    pub(super) cpu: Duration,
    /// Resident bytes of the living processes together.
    pub(super) memory: u64,
}

impl Sample {
    /// The larger of both, in each respect.
    pub(super) fn max(self, other: Sample) -> Sample {
        Sample {
            cpu: self.cpu.max(other.cpu),
            memory: self.memory.max(other.memory),
        }
    }
}

/// The processes below a supervisor.
#[derive(Debug)]
pub(super) struct Tree {
    supervisor: u32,
    /// The members at the last sample.
    known: Vec<Member>,
}

/// A process; the start time tells it from a later one with the same number.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Member {
    pid: u32,
    started: u64,
}

/// The fields of `/proc/PID/stat` that matter here.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Stat {
    /// User and system time of the process itself, in clock ticks.
    own_ticks: u64,
    /// The same for the descendants that were waited for.
    waited_ticks: u64,
    started: u64,
    resident_pages: u64,
}

impl Tree {
    pub(super) fn new(supervisor: u32) -> Tree {
        Tree {
            supervisor,
            known: Vec::new(),
        }
    }

    /// Looks at all processes of the run.
    ///
    /// Shared pages are found by a costly walk through the page tables, so it is made only when the plain sum of the resident pages,
    /// which is never smaller, exceeds the peak seen so far.
    pub(super) fn sample(&mut self, peak: u64) -> Sample {
        self.known.clear();
        let mut ticks = 0;
        let mut resident = 0;
        let mut waiting = vec![self.supervisor];
        while let Some(pid) = waiting.pop() {
            let Some(stat) = Stat::read(pid) else {
                continue;
            };
            ticks += stat.waited_ticks;
            if pid != self.supervisor {
                ticks += stat.own_ticks;
                resident += stat.resident_pages * page_bytes();
                self.known.push(Member {
                    pid,
                    started: stat.started,
                });
            }
            push_children(pid, &mut waiting);
        }
        if self.known.len() > 1 && resident > peak {
            resident = self
                .known
                .iter()
                .map(|member| proportional_bytes(member.pid))
                .sum::<Option<u64>>()
                .unwrap_or(resident);
        }
        let cpu = Duration::from_secs_f64(ticks as f64 / ticks_per_second());
        Sample {
            cpu,
            memory: resident,
        }
    }

    /// Kills the members of the last sample, as far as they are still the same processes, and what descends from them by now.
    pub(super) fn kill_known(&self) {
        let same = |member: &&Member| {
            Stat::read(member.pid).is_some_and(|stat| stat.started == member.started)
        };
        let mut waiting: Vec<u32> = self
            .known
            .iter()
            .filter(same)
            .map(|member| member.pid)
            .collect();
        while let Some(pid) = waiting.pop() {
            push_children(pid, &mut waiting);
            // SAFETY: a plain system call. It fits: the kernel's process numbers are below 2^22.
            unsafe { libc::kill(pid as libc::pid_t, libc::SIGKILL) };
        }
    }
}

impl Stat {
    fn read(pid: u32) -> Option<Stat> {
        Stat::parse(&fs::read_to_string(format!("/proc/{pid}/stat")).ok()?)
    }

    /// The second field is the program's name in parentheses and may itself contain spaces and parentheses.
    fn parse(line: &str) -> Option<Stat> {
        let (_, rest) = line.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
        // The numbering of proc(5) starts at 1, and the first two fields are gone.
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        Some(Stat {
            own_ticks: number(14)? + number(15)?,
            waited_ticks: number(16)? + number(17)?,
            started: number(22)?,
            resident_pages: number(24)?,
        })
    }
}

/// Children are listed per thread, by the thread that forked them.
fn push_children(pid: u32, to: &mut Vec<u32>) {
    let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
        return;
    };
    for thread in threads.flatten() {
        let Ok(children) = fs::read_to_string(thread.path().join("children")) else {
            continue;
        };
        to.extend(
            children
                .split_ascii_whitespace()
                .filter_map(|child| child.parse::<u32>().ok()),
        );
    }
}

/// Resident bytes where each page counts by the share that the process has in it. A process that is gone has none.
fn proportional_bytes(pid: u32) -> Option<u64> {
    let Ok(text) = fs::read_to_string(format!("/proc/{pid}/smaps_rollup")) else {
        return Some(0);
    };
    if text.is_empty() {
        return Some(0);
    }
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

fn ticks_per_second() -> f64 {
    static TICKS: OnceLock<f64> = OnceLock::new();
    // SAFETY: a plain query.
    *TICKS.get_or_init(|| unsafe { libc::sysconf(libc::_SC_CLK_TCK) }.max(1) as f64)
}

fn page_bytes() -> u64 {
    static BYTES: OnceLock<u64> = OnceLock::new();
    // SAFETY: a plain query.
    *BYTES.get_or_init(|| unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_with_spaces_and_parentheses_do_not_shift_the_fields() {
        let line = "77 (a (b) c) S 1 77 77 0 -1 4194304 99 0 0 0 3 4 5 6 20 0 1 0 290386 3133440 358 18446744073709551615 1 2";
        let stat = Stat::parse(line);
        assert_eq!(
            stat,
            Some(Stat {
                own_ticks: 7,
                waited_ticks: 11,
                started: 290_386,
                resident_pages: 358
            })
        );
        assert_eq!(Stat::parse("77 (cut off"), None);
        assert_eq!(Stat::parse("77 (cut) S 1 2"), None);
    }

    #[test]
    fn our_own_process_is_seen() {
        let stat = Stat::read(std::process::id()).expect("our own entry");
        assert!(stat.resident_pages > 0);
        assert!(proportional_bytes(std::process::id()).is_some_and(|bytes| bytes > 0));
    }
}
