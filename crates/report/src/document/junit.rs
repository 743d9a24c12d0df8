//! Results as the tests of a suite, for those who show the results of tests.

use super::{Document, Word};

/// A test for each target; of a program without any, one for the program.
pub fn junit(document: &Document) -> String {
    let program = document.files.join(" ");
    let mut cases = String::new();
    let (mut failures, mut skipped, mut tests) = (0, 0, 0);
    let mut add = |name: &str, verdict: Word, message: &str| {
        tests += 1;
        cases.push_str(&format!(
            "    <testcase classname=\"{}\" name=\"{}\"",
            escape(&program),
            escape(name)
        ));
        match verdict {
            Word::Safe => cases.push_str("/>\n"),
            Word::Unsafe => {
                failures += 1;
                let message = escape(message);
                cases.push_str(&format!(
                    ">\n      <failure message=\"{message}\">{message}</failure>\n    </testcase>\n"
                ));
            }
            Word::Unknown => {
                skipped += 1;
                let message = escape(message);
                cases.push_str(&format!(
                    ">\n      <skipped message=\"{message}\"/>\n    </testcase>\n"
                ));
            }
        }
    };
    for (index, target) in document.targets.iter().enumerate() {
        let name = format!("{}:{}, {}", target.file, target.line, target.kind);
        let message = document.message(target) + &document.inputs_text(index);
        add(&name, target.verdict, &message);
    }
    if document.targets.is_empty() {
        let reason = document.reason.as_deref().unwrap_or("");
        add(&program, document.verdict, reason);
    }
    let time: f64 = document.times.iter().map(|time| time.seconds).sum();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <testsuites>\n  <testsuite name=\"rhumb\" tests=\"{tests}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\" time=\"{time:.3}\">\n\
         {cases}  </testsuite>\n</testsuites>\n"
    )
}

/// Text in XML 1.0, which has no place for most control characters.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => escaped.push('\u{fffd}'),
            c => escaped.push(c),
        }
    }
    escaped
}
