//! What the operating system says about this process.

use std::path::PathBuf;
use std::time::Duration;

/// Bytes of memory that the process really has at this moment; nothing where the system doesn't tell.
pub fn resident_bytes() -> Option<u64> {
    // Pages, in all and resident. Another file says it in kilobytes, and takes ten times as long.
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * rustix::param::page_size() as u64)
}

/// A thread of this process.
pub(crate) struct Thread(PathBuf);

impl Thread {
    /// The one that asks; nothing where the system doesn't tell.
    pub(crate) fn this() -> Option<Thread> {
        let path = std::fs::read_link("/proc/thread-self").ok()?;
        Some(Thread(PathBuf::from("/proc").join(path)))
    }

    /// Time that it has had on a processor.
    pub(crate) fn processor_time(&self) -> Option<Duration> {
        let text = std::fs::read_to_string(self.0.join("schedstat")).ok()?;
        let nanoseconds = text.split_whitespace().next()?.parse().ok()?;
        Some(Duration::from_nanos(nanoseconds))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_goes_by_while_a_thread_works() {
        let Some(thread) = Thread::this() else {
            return;
        };
        let before = thread.processor_time().unwrap_or_default();
        let mut sum = 0u64;
        while thread.processor_time().is_some_and(|now| now <= before) {
            sum = sum.wrapping_mul(31).wrapping_add(7);
            std::hint::black_box(sum);
        }
    }
}
