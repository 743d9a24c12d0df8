//! "Did you mean …?"

use std::sync::Arc;

use super::Sema;
use crate::ctypes::RecordId;

/// At most so many names are looked at.
const MAX_CANDIDATES: usize = 20_000;

impl Sema<'_> {
    /// A name in scope that looks like the given one.
    pub(super) fn similar_name(&self, text: &str) -> Option<Arc<str>> {
        let entries = self.unit.scopes.ordinary.iter().take(MAX_CANDIDATES);
        let names = entries.map(|entry| self.names.name(entry.symbol));
        closest(text, names.filter(|name| !name.starts_with("__")))
    }

    /// A member that looks like the given name.
    pub(super) fn similar_member(&self, record: RecordId, text: &str) -> Option<Arc<str>> {
        let layout = self.unit.types.records[record].layout.as_ref()?;
        let names = layout.fields.iter().filter_map(|field| field.name);
        closest(text, names.map(|name| self.names.name(name)))
    }
}

/// The name that looks most like the given one, if any does.
pub fn closest<'a>(text: &str, names: impl Iterator<Item = &'a Arc<str>>) -> Option<Arc<str>> {
    // One slip in three letters is a typo; more is another word.
    let mut best = text.len() / 3 + 1;
    let mut result = None;
    for name in names {
        if &**name == text || name.len().abs_diff(text.len()) >= best {
            continue;
        }
        let distance = edit_distance(text, name);
        if distance < best {
            best = distance;
            result = Some(name.clone());
        }
    }
    result
}

/// Number of insertions, deletions, replacements and swaps of neighbours between two names.
fn edit_distance(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, &x) in a.iter().enumerate() {
        let mut row = vec![i + 1];
        for (j, &y) in b.iter().enumerate() {
            let mut cost = (last[j] + usize::from(x != y))
                .min(last[j + 1] + 1)
                .min(row[j] + 1);
            if i > 0 && j > 0 && x == b[j - 1] && a[i - 1] == y {
                cost = cost.min(before_last[j - 1] + 1);
            }
            row.push(cost);
        }
        before_last = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}
