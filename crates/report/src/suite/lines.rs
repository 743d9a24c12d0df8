//! The source text with what is known of the goals on each line: for terminals, and as a page that stands alone.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{GoalState, Row, escape};
use crate::originals::Originals;

/// What is known of a line: the worst of its goals, where open is worse than unreachable, and that is worse than covered.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Shade {
    Covered,
    Unreachable,
    Open,
}

impl Shade {
    fn of(state: &GoalState) -> Shade {
        match state {
            GoalState::Covered(_) => Shade::Covered,
            GoalState::Unreachable => Shade::Unreachable,
            GoalState::Open(_) => Shade::Open,
        }
    }

    /// The mark in front of the line, and its colour.
    fn mark(self) -> (char, &'static str) {
        match self {
            Shade::Covered => ('+', "32"),
            Shade::Unreachable => ('x', "2"),
            Shade::Open => ('?', "33"),
        }
    }

    fn class(self) -> &'static str {
        match self {
            Shade::Covered => "covered",
            Shade::Unreachable => "unreachable",
            Shade::Open => "open",
        }
    }
}

/// The goals of each line of each file.
fn by_line(rows: &[Row]) -> BTreeMap<&str, BTreeMap<u32, Vec<&Row>>> {
    let mut files: BTreeMap<&str, BTreeMap<u32, Vec<&Row>>> = BTreeMap::new();
    for row in rows {
        let lines = files.entry(&row.file).or_default();
        lines.entry(row.line).or_default().push(row);
    }
    files
}

fn shade(rows: Option<&Vec<&Row>>) -> Option<Shade> {
    let shades = rows?.iter().map(|row| Shade::of(&row.state));
    shades.max()
}

/// The text for a terminal: `+` covered, `x` not to be covered, `?` open.
pub fn text(rows: &[Row], in_colour: bool) -> String {
    let mut originals = Originals::default();
    let mut out = String::new();
    for (file, lines) in by_line(rows) {
        let _ = writeln!(out, "{file}");
        for (index, line) in originals.lines(file).iter().enumerate() {
            let number = index as u32 + 1;
            let (mark, colour) = shade(lines.get(&number)).map_or((' ', "0"), Shade::mark);
            let plain = format!("{mark} {number:5} | {line}");
            let plain = plain.trim_end();
            let _ = match in_colour {
                true => writeln!(out, "\x1b[{colour}m{plain}\x1b[0m"),
                false => writeln!(out, "{plain}"),
            };
        }
    }
    out
}

/// The page.
pub fn page(title: &str, summary: &str, rows: &[Row]) -> String {
    let mut originals = Originals::default();
    let mut out = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>{title}</h1>\n<p>{summary}</p>\n<p class=\"legend\"><span class=\"covered\">covered</span> \
         <span class=\"unreachable\">proved unreachable</span> <span class=\"open\">open</span></p>\n",
        title = escape(title),
        summary = escape(summary),
    );
    for (file, lines) in by_line(rows) {
        let _ = write!(out, "<h2>{}</h2>\n<table>\n", escape(file));
        for (index, line) in originals.lines(file).iter().enumerate() {
            let number = index as u32 + 1;
            let here = lines.get(&number);
            let class = shade(here).map_or("", Shade::class);
            let goals: Vec<String> = here.into_iter().flatten().map(|row| said(row)).collect();
            let _ = writeln!(
                out,
                "<tr class=\"{class}\"><td>{number}</td><td><pre>{}</pre></td><td>{}</td></tr>",
                escape(line),
                goals.join("<br>")
            );
        }
        out.push_str("</table>\n");
    }
    out.push_str("</body>\n</html>\n");
    out
}

/// A goal in the margin.
fn said(row: &Row) -> String {
    let detail = match &row.state {
        GoalState::Covered(tests) => {
            let tests = tests.iter().take(3).map(|test| format!("test {test}"));
            tests.collect::<Vec<_>>().join(", ")
        }
        GoalState::Unreachable => "unreachable".to_owned(),
        GoalState::Open(reason) => format!("open: {reason}"),
    };
    let class = Shade::of(&row.state).class();
    format!(
        "<span class=\"{class}\">{}: {}</span>",
        escape(&row.what),
        escape(&detail)
    )
}

const STYLE: &str = "\
body { font: 15px/1.4 system-ui, sans-serif; margin: 2em; color: #1b1f24; background: #fff; }
table { border-collapse: collapse; width: 100%; }
td { padding: 0 .6em; vertical-align: top; font-size: 13px; }
td:first-child { text-align: right; color: #667; user-select: none; }
pre { margin: 0; font: 13px/1.5 ui-monospace, monospace; white-space: pre-wrap; }
tr.covered { background: #e3f6e5; } tr.unreachable { background: #e8eaed; } tr.open { background: #fdeccb; }
span.covered { color: #14602a; } span.unreachable { color: #565d66; } span.open { color: #8a4b00; }
.legend span { margin-right: 1em; }
@media (prefers-color-scheme: dark) {
  body { color: #e6e8eb; background: #14171a; }
  tr.covered { background: #12341c; } tr.unreachable { background: #2a2e33; } tr.open { background: #4a3206; }
  span.covered { color: #7fd893; } span.unreachable { color: #a2abb5; } span.open { color: #f0b65c; }
}
";

#[cfg(test)]
mod tests {
    use super::*;

    fn row(line: u32, state: GoalState) -> Row {
        Row {
            file: "no such file.c".to_owned(),
            line,
            column: 1,
            what: "`a < b` is true".to_owned(),
            state,
        }
    }

    #[test]
    fn the_worst_goal_of_a_line_gives_its_shade() {
        let rows = [
            row(1, GoalState::Covered(vec![1])),
            row(1, GoalState::Open(String::new())),
            row(2, GoalState::Unreachable),
        ];
        let files = by_line(&rows);
        let lines = &files["no such file.c"];
        assert_eq!(shade(lines.get(&1)), Some(Shade::Open));
        assert_eq!(shade(lines.get(&2)), Some(Shade::Unreachable));
        assert_eq!(shade(lines.get(&3)), None);
    }

    #[test]
    fn text_of_the_program_is_no_markup() {
        let said = said(&row(1, GoalState::Open("<b>".to_owned())));
        assert!(
            said.contains("`a &lt; b` is true") && said.contains("&lt;b&gt;"),
            "{said}"
        );
    }
}
