//! The answer of a check as a page that stands alone: it asks no network for anything, and text of the program is data in it, never markup or code.

mod picture;

use std::collections::BTreeMap;

use rhumb_program::Program;
use serde_json::json;

use crate::document::Document;
use crate::originals::Originals;

/// The page for an answer.
pub fn page(program: &Program, document: &Document) -> String {
    let mut originals = Originals::default();
    let mut names: Vec<&str> = document.files.iter().map(String::as_str).collect();
    let steps = document.counterexample.iter().flat_map(|run| &run.steps);
    names.extend(document.targets.iter().map(|target| target.file.as_str()));
    names.extend(steps.map(|step| step.file.as_str()));
    names.sort_unstable();
    names.dedup();
    let sources: BTreeMap<&str, Vec<String>> = names
        .into_iter()
        .map(|name| (name, originals.lines(name).to_vec()))
        .filter(|(_, lines)| !lines.is_empty())
        .collect();
    let data = json!({"report": document, "sources": sources});
    let parts = [
        ("@STYLE@", include_str!("page.css").to_owned()),
        ("@PICTURE@", picture::of_entry(program)),
        ("@DATA@", script_data(&data.to_string())),
        ("@SCRIPT@", include_str!("page.js").to_owned()),
    ];
    // Each mark is looked for in the page alone, never in what was put in.
    let mut page = String::new();
    let mut rest = include_str!("page.html");
    for (mark, text) in &parts {
        let (before, behind) = rest.split_once(mark).unwrap_or((rest, ""));
        page.push_str(before);
        page.push_str(text);
        rest = behind;
    }
    page.push_str(rest);
    page
}

/// JSON in a page: nothing in it can end the element that it stands in.
fn script_data(json: &str) -> String {
    json.replace('&', "\\u0026")
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}

/// Text in markup.
fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_stays_text() {
        let hostile = "</script><script>alert(1)</script><!--";
        let data = script_data(&json!({ "x": hostile }).to_string());
        assert!(!data.contains('<') && !data.contains("-->"), "{data}");
        let back: serde_json::Value = serde_json::from_str(&data).expect("still JSON");
        assert_eq!(back["x"], hostile);
        assert_eq!(escape("<b a=\"&\">"), "&lt;b a=&quot;&amp;&quot;&gt;");
    }
}
