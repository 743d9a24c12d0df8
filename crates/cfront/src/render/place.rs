//! A place in a line that is shown.

use std::ops::Range;

/// Lines longer than this are cut around the place that matters.
const MAX_LINE: usize = 1000;
/// What is left of a line that is cut: this much before the place, and as much after its start.
const CONTEXT: usize = 300;
const ELLIPSIS: &str = "...";

/// A place in a line of a file, with the text of the line.
#[derive(Debug)]
pub(super) struct CaretPlace {
    pub(super) file: String,
    pub(super) line: u32,
    /// The line of the parsed text, from 0; the same as `line` where there is none.
    pub(super) physical: u32,
    /// The line, or what is left of it.
    pub(super) text: String,
    /// The place, in bytes of `text`.
    pub(super) range: Range<usize>,
    /// Characters of the line that were left out before `text`, minus those of the ellipsis.
    cut: usize,
}

impl CaretPlace {
    /// The place at `range` (in bytes) of a line.
    pub(super) fn new(file: &str, line: u32, bytes: &[u8], range: Range<usize>) -> CaretPlace {
        let start = range.start.min(bytes.len());
        let end = range.end.clamp(start, bytes.len());
        let (from, to) = if bytes.len() <= MAX_LINE {
            (0, bytes.len())
        } else {
            let from = char_start(bytes, start.saturating_sub(CONTEXT));
            (from, char_start(bytes, (start + CONTEXT).min(bytes.len())))
        };
        let end = end.min(to);
        // Invalid bytes grow when they are replaced, so the parts are converted one by one.
        let left_out = String::from_utf8_lossy(&bytes[..from]);
        let mut text = if from > 0 {
            ELLIPSIS.to_owned()
        } else {
            String::new()
        };
        let cut = left_out.chars().count().saturating_sub(text.len());
        text.push_str(&String::from_utf8_lossy(&bytes[from..start]));
        let shown_start = text.len();
        text.push_str(&String::from_utf8_lossy(&bytes[start..end]));
        let shown_end = text.len();
        text.push_str(&String::from_utf8_lossy(&bytes[end..to]));
        if to < bytes.len() {
            text.push_str(ELLIPSIS);
        }
        CaretPlace {
            file: file.to_owned(),
            line,
            physical: line,
            text,
            range: shown_start..shown_end,
            cut,
        }
    }

    /// Says which line of the parsed text it is.
    pub(super) fn with_physical(mut self, physical: u32) -> CaretPlace {
        self.physical = physical;
        self
    }

    /// Whether the line is not shown from its start.
    pub(super) fn is_cut(&self) -> bool {
        self.cut > 0
    }

    /// Puts the real column into a rendered message, where the line was cut and counted from there.
    pub(super) fn correct_column(&self, rendered: String) -> String {
        if !self.is_cut() {
            return rendered;
        }
        let column = self.text[..self.range.start].chars().count() + 1;
        let prefix = format!("{}:{}:", self.file, self.line);
        rendered.replacen(
            &format!("{prefix}{column}"),
            &format!("{prefix}{}", column + self.cut),
            1,
        )
    }
}

/// The start of the character that the byte at `pos` belongs to.
fn char_start(bytes: &[u8], mut pos: usize) -> usize {
    while pos > 0 && bytes.get(pos).is_some_and(|byte| byte & 0xc0 == 0x80) {
        pos -= 1;
    }
    pos
}

/// Finds in `original` what stands at `range` of `parsed`, the same line after preprocessing: its first and last token, each as the same
/// occurrence of its text. If it isn't there (it came out of a macro), the place is the whole line.
pub(super) fn locate(original: &[u8], parsed: &[u8], range: Range<usize>) -> Range<usize> {
    let found = if range.is_empty() {
        // A place between tokens: behind the one before it.
        last_token(parsed, range.start)
            .and_then(|token| same_token(original, parsed, token))
            .map(|token| token.end..token.end)
    } else {
        let first = token_from(parsed, range.start);
        let last = last_token(parsed, range.end).unwrap_or_else(|| first.clone());
        same_token(original, parsed, first)
            .zip(same_token(original, parsed, last))
            .map(|(first, last)| first.start..last.end)
            .filter(|range| range.start < range.end)
    };
    found.unwrap_or_else(|| content(original))
}

/// The token at a column (from 1) of a line; the whole line if the column is 0.
pub(super) fn token_at(line: &[u8], column: u32) -> Range<usize> {
    match (column as usize).checked_sub(1) {
        Some(start) if start < line.len() => token_from(line, start),
        Some(_) => line.len()..line.len(),
        None => content(line),
    }
}

/// A line without the blanks around it.
fn content(line: &[u8]) -> Range<usize> {
    let start = line.len() - line.trim_ascii_start().len();
    let end = line.trim_ascii_end().len();
    start.min(end)..end
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

/// The word that starts at `start`, or the single character there.
fn token_from(line: &[u8], start: usize) -> Range<usize> {
    let words = line[start..].iter().take_while(|byte| is_word(**byte));
    let len = words.count().max(1);
    start..(start + len).min(line.len())
}

/// The last word or character before `end`.
fn last_token(line: &[u8], end: usize) -> Option<Range<usize>> {
    let end = line[..end.min(line.len())].trim_ascii_end().len();
    let word = line[..end].iter().rev().take_while(|byte| is_word(**byte));
    match word.count() {
        0 if end == 0 => None,
        0 => Some(end - 1..end),
        len => Some(end - len..end),
    }
}

/// The token of `original` that is the same occurrence of the same text as a token of `parsed`.
fn same_token(original: &[u8], parsed: &[u8], token: Range<usize>) -> Option<Range<usize>> {
    let text = &parsed[token.clone()];
    let index = occurrences(parsed, text)
        .take_while(|&start| start < token.start)
        .count();
    let start = occurrences(original, text).nth(index)?;
    Some(start..start + text.len())
}

/// Where a token occurs in a line, but not as a part of a longer word.
fn occurrences<'a>(line: &'a [u8], token: &'a [u8]) -> impl Iterator<Item = usize> + 'a {
    let is_bounded = move |start: usize| {
        let end = start + token.len();
        let joins_left = start > 0 && is_word(token[0]) && is_word(line[start - 1]);
        let joins_right = end < line.len() && is_word(token[token.len() - 1]) && is_word(line[end]);
        !joins_left && !joins_right
    };
    let last = if token.is_empty() {
        0
    } else {
        (line.len() + 1).saturating_sub(token.len())
    };
    (0..last).filter(move |&start| line[start..].starts_with(token) && is_bounded(start))
}
