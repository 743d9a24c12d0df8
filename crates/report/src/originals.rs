//! Lines of the user's files.

use std::path::Path;

use rustc_hash::FxHashMap;

/// The files that were asked for, read once. What can't be read has no lines.
#[derive(Default)]
pub(crate) struct Originals {
    files: FxHashMap<String, Vec<String>>,
}

/// Larger files are not shown.
const MAX_SIZE: u64 = 16 << 20;

impl Originals {
    /// All lines of a file.
    pub(crate) fn lines(&mut self, file: &str) -> &[String] {
        let lines = self.files.entry(file.to_owned());
        lines.or_insert_with(|| read(Path::new(file)).unwrap_or_default())
    }

    /// A line, from 1.
    pub(crate) fn line(&mut self, file: &str, line: u32) -> Option<&str> {
        let index = usize::try_from(line).ok()?.checked_sub(1)?;
        self.lines(file).get(index).map(String::as_str)
    }
}

fn read(path: &Path) -> Option<Vec<String>> {
    let metadata = std::fs::metadata(path).ok()?;
    if !metadata.is_file() || metadata.len() > MAX_SIZE {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    let text = String::from_utf8_lossy(&bytes);
    Some(text.lines().map(str::to_owned).collect())
}
