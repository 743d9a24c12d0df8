//! Annotations that GitHub shows beside the lines of a change.

use super::{Document, Word};

/// A line for each target that is not safe, in the words of a workflow command.
pub fn github(document: &Document) -> String {
    let mut text = String::new();
    for (index, target) in document.targets.iter().enumerate() {
        let level = match target.verdict {
            Word::Safe => continue,
            Word::Unsafe => "error",
            Word::Unknown => "warning",
        };
        text.push_str(&format!(
            "::{level} file={},line={},col={},title=rhumb: {}::{}{}\n",
            property(&target.file),
            target.line,
            target.column,
            target.verdict.text(),
            data(&document.message(target)),
            data(&document.inputs_text(index)),
        ));
    }
    let reason = document.reason.as_deref();
    if document.targets.is_empty() && document.verdict == Word::Unknown {
        let file = document.files.first().map_or("", String::as_str);
        let reason = reason.unwrap_or("no reason");
        text.push_str(&format!(
            "::warning file={},title=rhumb: UNKNOWN::{}\n",
            property(file),
            data(reason)
        ));
    }
    text.push_str(&format!("verdict: {}\n", document.verdict.text()));
    text
}

/// Text of a message.
fn data(text: &str) -> String {
    text.replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

/// The value of a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
