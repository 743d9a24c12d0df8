//! A copy of the program's text with something added.

/// What is added to a text.
#[derive(Clone, Debug, Default)]
pub(super) struct Patch {
    declarations: Vec<String>,
    insertions: Vec<(usize, String)>,
}

impl Patch {
    /// Declares something before everything else.
    pub(super) fn declare(&mut self, declaration: &str) {
        self.declarations.push(declaration.to_owned());
    }

    /// Adds text before the byte at this offset.
    pub(super) fn insert(&mut self, at: usize, text: &str) {
        self.insertions.push((at, text.to_owned()));
    }

    /// The text with all that; `None` if there is nothing to add. Lines keep their numbers.
    pub(super) fn apply(mut self, text: &[u8]) -> Option<Vec<u8>> {
        if self.insertions.is_empty() {
            return None;
        }
        self.insertions.sort_by_key(|&(at, _)| at);
        let mut patched = Vec::with_capacity(text.len() + 1024);
        for declaration in &self.declarations {
            patched.extend_from_slice(declaration.as_bytes());
            patched.push(b' ');
        }
        if text.starts_with(b"#") {
            // A line marker, which says what the number of the next line is.
            patched.push(b'\n');
        }
        let mut done = 0;
        for (at, insertion) in &self.insertions {
            let at = (*at).clamp(done, text.len());
            patched.extend_from_slice(&text[done..at]);
            patched.extend_from_slice(insertion.as_bytes());
            done = at;
        }
        patched.extend_from_slice(&text[done..]);
        Some(patched)
    }
}
