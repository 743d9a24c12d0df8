//! Byte-level helpers that the lexer and the scan for directives share.

/// Length of a line splice (backslash, possibly blanks, line end) at `pos`; 0 if there is none.
#[inline]
pub(crate) fn splice_len(text: &[u8], pos: usize) -> usize {
    if text.get(pos) != Some(&b'\\') {
        return 0;
    }
    let mut end = pos + 1;
    while let Some(b' ' | b'\t' | b'\r') = text.get(end) {
        end += 1;
    }
    if text.get(end) == Some(&b'\n') {
        end + 1 - pos
    } else {
        0
    }
}

/// The byte at `pos` after any line splices, with its position. At the end of the text the byte is 0.
#[inline]
pub(crate) fn byte_at(text: &[u8], mut pos: usize) -> (u8, usize) {
    loop {
        match text.get(pos) {
            None => return (0, pos),
            Some(b'\\') => match splice_len(text, pos) {
                0 => return (b'\\', pos),
                len => pos += len,
            },
            Some(&byte) => return (byte, pos),
        }
    }
}

/// The end of a `//` comment whose text starts at `pos`: the position of the line end.
pub(crate) fn line_comment_end(text: &[u8], mut pos: usize) -> usize {
    while let Some(&byte) = text.get(pos) {
        match byte {
            b'\n' => break,
            b'\\' => pos += splice_len(text, pos).max(1),
            _ => pos += 1,
        }
    }
    pos
}

/// The end of a block comment whose text starts at `pos`, one past the closing slash.
pub(crate) fn block_comment_end(text: &[u8], mut pos: usize) -> Option<usize> {
    while let Some(&byte) = text.get(pos) {
        pos += 1;
        if byte == b'*' {
            let (next, at) = byte_at(text, pos);
            if next == b'/' {
                return Some(at + 1);
            }
        }
    }
    None
}

/// The end of a literal that was opened with `quote` before `pos`, one past the closing quote; `Err` with the position of the line end
/// where it isn't closed.
pub(crate) fn literal_end(text: &[u8], mut pos: usize, quote: u8) -> Result<usize, usize> {
    while let Some(&byte) = text.get(pos) {
        match byte {
            b'\n' => return Err(pos),
            b'\\' => match splice_len(text, pos) {
                // An escaped character, whatever it is. A line end would have been a splice.
                0 => pos += 2,
                len => pos += len,
            },
            _ if byte == quote => return Ok(pos + 1),
            _ => pos += 1,
        }
    }
    Err(text.len())
}

/// The text of a token without its line splices.
pub(crate) fn without_splices(bytes: &[u8]) -> String {
    let mut text = Vec::with_capacity(bytes.len());
    let mut pos = 0;
    while pos < bytes.len() {
        let (byte, at) = byte_at(bytes, pos);
        if at < bytes.len() {
            text.push(byte);
        }
        pos = at + 1;
    }
    String::from_utf8_lossy(&text).into_owned()
}
