//! The answer of a check as a page that stands alone: it asks no network for anything, and text of the program is data
//! in it, never markup or code.

mod extras;
mod picture;

use std::collections::BTreeMap;

use rhumb_program::Program;
use serde_json::json;

pub use extras::{Extras, LoopText, Tree, TreeNode};

use crate::document::Document;
use crate::originals::Originals;
use crate::text::plain_expression;

/// What all of our pages look like.
pub const STYLE: &str = include_str!("style.css");

/// The page for an answer.
pub fn page(program: &Program, document: &Document, extras: &Extras) -> String {
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
    let invariants = document.invariants.iter().map(|found| {
        let text = plain_expression(&found.expression);
        json!({"file": found.file, "line": found.line, "text": text})
    });
    let data = json!({
        "report": document,
        "sources": sources,
        "invariants": invariants.collect::<Vec<_>>(),
        "functions": picture::all(program),
        "extras": extras,
    });
    let style = [STYLE, include_str!("page.css")].concat();
    let script = [
        include_str!("draw.js"),
        include_str!("pictures.js"),
        include_str!("page.js"),
    ];
    fill(
        include_str!("page.html"),
        &[
            ("@STYLE@", &style),
            ("@DATA@", &script_data(&data.to_string())),
            ("@SCRIPT@", &script.concat()),
        ],
    )
}

/// Puts texts where their marks stand, in this order. Each mark is looked for in the page alone, never in what was put in.
pub fn fill(page: &str, parts: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = page;
    for (mark, text) in parts {
        let (before, behind) = rest.split_once(mark).unwrap_or((rest, ""));
        filled.push_str(before);
        filled.push_str(text);
        rest = behind;
    }
    filled.push_str(rest);
    filled
}

/// JSON in a page: nothing in it can end the element that it stands in.
pub fn script_data(json: &str) -> String {
    json.replace('&', "\\u0026")
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
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
        let filled = fill("a @X@ b @Y@ c", &[("@X@", "@Y@"), ("@Y@", "2")]);
        assert_eq!(filled, "a @Y@ b 2 c");
    }
}
