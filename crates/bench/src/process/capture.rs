//! The output of a run: its beginning and its end, however much lies between.

use std::collections::VecDeque;
use std::io::{ErrorKind, Read};

/// Bytes kept of the beginning, and again of the end.
const KEPT: usize = 256 * 1024;

/// One output stream of a run.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    total: u64,
}

impl Captured {
    /// Reads a stream to its end, so that its writer never has to wait for us, and keeps the beginning and the end.
    pub fn read(mut stream: impl Read) -> Captured {
        let mut captured = Captured::default();
        let mut chunk = vec![0; 64 * 1024];
        loop {
            match stream.read(&mut chunk) {
                Ok(0) => return captured,
                Ok(length) => captured.push(&chunk[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                // What came before the error is still worth something.
                Err(_) => return captured,
            }
        }
    }

    fn push(&mut self, bytes: &[u8]) {
        self.total += bytes.len() as u64;
        let (first, rest) = bytes.split_at(bytes.len().min(KEPT - self.head.len()));
        self.head.extend_from_slice(first);
        let excess = (self.tail.len() + rest.len()).saturating_sub(KEPT);
        if excess >= self.tail.len() {
            self.tail.clear();
            self.tail.extend(&rest[rest.len().saturating_sub(KEPT)..]);
        } else {
            self.tail.drain(..excess);
            self.tail.extend(rest);
        }
    }

    /// How many bytes there were in all.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// How many bytes between beginning and end were dropped.
    pub fn dropped(&self) -> u64 {
        self.total - (self.head.len() + self.tail.len()) as u64
    }

    /// The text that was kept; a line in brackets stands for what was dropped. Lines that are not whole are not in it.
    pub fn text(&self) -> String {
        let tail: Vec<u8> = self.tail.iter().copied().collect();
        if self.dropped() == 0 {
            let all = [self.head.as_slice(), &tail].concat();
            return String::from_utf8_lossy(&all).into_owned();
        }
        let head_end = self
            .head
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        let tail_start = tail
            .iter()
            .position(|&byte| byte == b'\n')
            .map_or(tail.len(), |at| at + 1);
        let dropped = self.dropped() + (self.head.len() - head_end + tail_start) as u64;
        let (head, tail) = (
            String::from_utf8_lossy(&self.head[..head_end]),
            String::from_utf8_lossy(&tail[tail_start..]),
        );
        format!("{head}[{dropped} bytes left out]\n{tail}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_output_is_kept_whole() {
        let captured = Captured::read("one\ntwo".as_bytes());
        assert_eq!(captured.text(), "one\ntwo");
        assert_eq!((captured.total(), captured.dropped()), (7, 0));
    }

    #[test]
    fn of_long_output_the_whole_lines_at_both_ends_are_kept() {
        let lines: String = (0..200_000).map(|n| format!("line {n}\n")).collect();
        let captured = Captured::read(lines.as_bytes());
        let text = captured.text();
        assert!(text.starts_with("line 0\nline 1\n"));
        assert!(text.ends_with("line 199998\nline 199999\n"));
        assert!(text.len() < 2 * KEPT + 100);
        assert!(
            text.lines()
                .all(|line| line.starts_with("line ") || line.ends_with(" bytes left out]"))
        );
        assert_eq!(captured.total(), lines.len() as u64);
    }

    #[test]
    fn a_line_of_the_middle_is_never_taken_for_a_whole_one() {
        let mut bytes = vec![b'x'; 3 * KEPT];
        bytes.extend_from_slice(b"verdict: SAFE");
        let text = Captured::read(bytes.as_slice()).text();
        assert_eq!(text, format!("[{} bytes left out]\n", bytes.len()));
    }
}
