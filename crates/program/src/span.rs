//! Positions in source text.

use std::sync::Arc;

/// A range of bytes of the text that was parsed. [`SourceMap::position`] says where that is in the user's file.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, PartialOrd, Ord)]
pub struct Span {
    /// First byte.
    pub lo: u32,
    /// One past the last byte.
    pub hi: u32,
}

impl Span {
    /// The range `lo..hi`.
    pub fn new(lo: u32, hi: u32) -> Span {
        Span { lo, hi }
    }

    /// The least range that covers both.
    pub fn to(self, other: Span) -> Span {
        Span {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }
}

/// A position as a person says it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Position {
    /// Name of the file, as given by the user or by a line marker.
    pub file: Arc<str>,
    /// Line, from 1.
    pub line: u32,
    /// Column in bytes, from 1. After preprocessing it is the column in the preprocessed line.
    pub column: u32,
}

impl std::fmt::Display for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// From a physical line on, positions are those of `file`, counted from `line`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Marker {
    physical_line: u32,
    file: u32,
    line: u32,
}

/// Maps byte offsets of the parsed text to positions in the user's files.
#[derive(Clone, Debug)]
pub struct SourceMap {
    text: Arc<[u8]>,
    line_starts: Vec<u32>,
    files: Vec<Arc<str>>,
    markers: Vec<Marker>,
}

impl SourceMap {
    /// A map for a text that was read from `file`. Line markers are added with [`SourceMap::add_marker`].
    pub fn new(file: &str, text: Arc<[u8]>) -> SourceMap {
        let mut line_starts = vec![0];
        line_starts.extend(
            text.iter()
                .enumerate()
                .filter(|&(_, &byte)| byte == b'\n')
                .map(|(index, _)| index as u32 + 1),
        );
        SourceMap {
            text,
            line_starts,
            files: vec![Arc::from(file)],
            markers: vec![Marker {
                physical_line: 0,
                file: 0,
                line: 1,
            }],
        }
    }

    /// Records a line marker that stands on the line of byte `at`: the *next* physical line is line `line` of `file`.
    /// Markers are added from the start of the text to its end.
    pub fn add_marker(&mut self, at: u32, line: u32, file: &str) {
        let file = self.file_index(file);
        self.markers.push(Marker {
            physical_line: self.physical_line(at) + 1,
            file,
            line,
        });
    }

    /// Adds text behind the end, with positions in another file. Gives the offset of its first byte.
    pub fn append(&mut self, file: &str, line: u32, more: &[u8]) -> u32 {
        let mut text = self.text.to_vec();
        let last = text.len() as u32;
        text.push(b'\n');
        let start = text.len() as u32;
        text.extend_from_slice(more);
        self.line_starts.push(start);
        self.line_starts.extend(
            more.iter()
                .enumerate()
                .filter(|&(_, &byte)| byte == b'\n')
                .map(|(index, _)| start + index as u32 + 1),
        );
        self.text = text.into();
        self.add_marker(last, line, file);
        start
    }

    /// Adds another map behind the end, text and positions. Gives the offset of its first byte.
    pub fn join(&mut self, other: &SourceMap) -> u32 {
        let line = other.markers[0].line;
        let start = self.append(&other.files[0], line, &other.text);
        let first_line = self.physical_line(start);
        for marker in &other.markers[1..] {
            let file = other.files[marker.file as usize].clone();
            let file = self.file_index(&file);
            self.markers.push(Marker {
                physical_line: first_line + marker.physical_line,
                file,
                line: marker.line,
            });
        }
        start
    }

    /// The number of a file, which is new or known.
    fn file_index(&mut self, file: &str) -> u32 {
        let known = self.files.iter().rposition(|known| &**known == file);
        let index = known.unwrap_or_else(|| {
            self.files.push(Arc::from(file));
            self.files.len() - 1
        });
        index as u32
    }

    /// The whole text that was parsed.
    pub fn text(&self) -> &Arc<[u8]> {
        &self.text
    }

    /// The bytes of a span.
    pub fn slice(&self, span: Span) -> &[u8] {
        let end = (span.hi as usize).min(self.text.len());
        &self.text[(span.lo as usize).min(end)..end]
    }

    /// The name under which the text itself was read.
    pub fn main_file(&self) -> &Arc<str> {
        &self.files[0]
    }

    /// Line of the parsed text, from 0.
    pub fn physical_line(&self, offset: u32) -> u32 {
        self.line_starts.partition_point(|&start| start <= offset) as u32 - 1
    }

    /// The bytes of a line of the parsed text, without its line end.
    pub fn physical_line_text(&self, line: u32) -> &[u8] {
        let start = self.line_starts[line as usize] as usize;
        let end = self
            .line_starts
            .get(line as usize + 1)
            .map_or(self.text.len(), |&next| next as usize - 1);
        let bytes = &self.text[start..end.max(start)];
        bytes.strip_suffix(b"\r").unwrap_or(bytes)
    }

    /// Where the first byte of a span is in the user's files.
    pub fn position(&self, span: Span) -> Position {
        let physical = self.physical_line(span.lo);
        let marker = self.markers[self
            .markers
            .partition_point(|marker| marker.physical_line <= physical)
            - 1];
        Position {
            file: self.files[marker.file as usize].clone(),
            line: marker.line.saturating_add(physical - marker.physical_line),
            column: span.lo - self.line_starts[physical as usize] + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(map: &SourceMap, offset: u32) -> String {
        map.position(Span::new(offset, offset + 1)).to_string()
    }

    #[test]
    fn positions_follow_the_markers() {
        let text: Arc<[u8]> = Arc::from(&b"a\n# 7 \"b.h\"\nb\nc\n"[..]);
        let mut map = SourceMap::new("a.i", text);
        map.add_marker(2, 7, "b.h");
        assert_eq!(position(&map, 0), "a.i:1:1");
        assert_eq!(position(&map, 12), "b.h:7:1");
        assert_eq!(position(&map, 14), "b.h:8:1");
    }

    #[test]
    fn appended_text_has_positions_of_its_own() {
        let mut map = SourceMap::new("a.c", Arc::from(&b"int x;"[..]));
        let first = map.append("lib.c", 10, b"one\ntwo");
        let second = map.append("lib.c", 20, b"three");
        assert_eq!(position(&map, 4), "a.c:1:5");
        assert_eq!(position(&map, first), "lib.c:10:1");
        assert_eq!(position(&map, first + 5), "lib.c:11:2");
        assert_eq!(position(&map, second), "lib.c:20:1");
        assert_eq!(map.slice(Span::new(second, second + 5)), b"three");
    }

    #[test]
    fn joined_texts_keep_their_positions() {
        let mut map = SourceMap::new("a.c", Arc::from(&b"int x;\n"[..]));
        let text: Arc<[u8]> = Arc::from(&b"one\n# 7 \"b.h\"\ntwo\n# 2 \"b.c\"\nthree"[..]);
        let mut other = SourceMap::new("b.c", text);
        other.add_marker(4, 7, "b.h");
        other.add_marker(18, 2, "b.c");
        let start = map.join(&other);
        assert_eq!(position(&map, 4), "a.c:1:5");
        assert_eq!(position(&map, start), "b.c:1:1");
        assert_eq!(position(&map, start + 14), "b.h:7:1");
        assert_eq!(position(&map, start + 28), "b.c:2:1");
    }
}
