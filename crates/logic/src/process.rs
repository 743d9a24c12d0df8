//! What the operating system says about this process.

/// Bytes of memory that the process really has at this moment; nothing where the system doesn't tell.
pub fn resident_bytes() -> Option<u64> {
    // Pages, in all and resident. Another file says it in kilobytes, and takes ten times as long.
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    // SAFETY: asks for a constant of the system.
    let size = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    Some(pages * u64::try_from(size).ok()?)
}
