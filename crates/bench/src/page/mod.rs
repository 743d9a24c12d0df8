//! A measurement as a page that stands alone, in the style of the reports: how many tasks are solved in how much time,
//! engine against engine, and a table to sort, with links to the logs beside it. Names of tasks and what tools say are
//! data in it, never markup.

use std::path::Path;

use rhumb_report::html;
use serde_json::{Value, json};

use crate::compare::Reference;
use crate::outdir::{OutDir, Settings};
use crate::results::Row;

/// Writes the page of a measurement into its folder: `index.html`.
///
/// # Errors
///
/// When it can't be written.
pub fn write(
    out: &OutDir,
    settings: &Settings,
    rows: &[Row],
    references: &[Vec<Reference>],
) -> std::io::Result<()> {
    let log = |row: &Row| {
        let log = out.log(&row.engine, &row.task);
        let beside = log.strip_prefix(out.path()).unwrap_or(&log);
        log.is_file().then(|| link(beside))
    };
    let page = page(settings, rows, references, &log);
    std::fs::write(out.path().join("index.html"), page)
}

/// A path as an address: whatever means something else there is written as a number.
fn link(path: &Path) -> String {
    use std::os::unix::ffi::OsStrExt;
    let bytes = path.as_os_str().as_bytes().iter();
    bytes
        .map(|&byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'.' | b'-' | b'_' => {
                char::from(byte).to_string()
            }
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

fn page(
    settings: &Settings,
    rows: &[Row],
    references: &[Vec<Reference>],
    log: &dyn Fn(&Row) -> Option<String>,
) -> String {
    let runs = rows.iter().map(|row| {
        json!({
            "task": row.task, "suite": row.suite, "engine": row.engine, "expected": row.expected, "verdict": row.verdict,
            "status": row.status, "reason": row.reason, "cpu": row.cpu_s, "memory": row.memory_mb, "log": log(row),
        })
    });
    let others = references.iter().flatten().flat_map(|reference| {
        reference.solved().map(|(task, cpu)| {
            json!({"task": task, "engine": format!("{} (before)", reference.name), "status": "correct", "cpu": cpu})
        })
    });
    let data: Value = json!({
        "settings": settings,
        "runs": runs.collect::<Vec<_>>(),
        "others": others.collect::<Vec<_>>(),
    });
    let style = [html::STYLE, include_str!("page.css")].concat();
    html::fill(
        include_str!("page.html"),
        &[
            ("@STYLE@", &style),
            ("@DATA@", &html::script_data(&data.to_string())),
            ("@SCRIPT@", include_str!("page.js")),
        ],
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_addresses() {
        let link = link(Path::new("logs/gps/a b#c%.log"));
        assert_eq!(link, "logs/gps/a%20b%23c%25.log");
    }
}
