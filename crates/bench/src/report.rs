//! Tables from results.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::paper::{Paper, PaperTable};
use crate::results::Row;
use crate::text_table::TextTable;
use crate::verdict::{Status, Verdict};

/// What some runs of one engine sum up to.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Summary {
    /// How many runs.
    pub tasks: usize,
    /// How many ended in which way.
    pub counts: BTreeMap<Status, usize>,
    /// Correct answers SAFE, of how many.
    pub safe: (usize, usize),
    /// Correct answers UNSAFE, of how many.
    pub unsafe_: (usize, usize),
    /// CPU seconds of all runs.
    pub cpu_s: f64,
    /// The largest peak of memory.
    pub memory_mb: f64,
}

impl Summary {
    /// Sums up.
    pub fn of<'a>(rows: impl Iterator<Item = &'a Row>) -> Summary {
        let mut summary = Summary::default();
        for row in rows {
            summary.tasks += 1;
            *summary.counts.entry(row.status).or_default() += 1;
            let correct = usize::from(row.status == Status::Correct);
            match row.expected {
                Some(Verdict::Safe) => {
                    summary.safe = (summary.safe.0 + correct, summary.safe.1 + 1)
                }
                Some(Verdict::Unsafe) => {
                    summary.unsafe_ = (summary.unsafe_.0 + correct, summary.unsafe_.1 + 1)
                }
                None => {}
            }
            summary.cpu_s += row.cpu_s;
            summary.memory_mb = summary.memory_mb.max(row.memory_mb);
        }
        summary
    }

    /// How many ended in this way.
    pub fn count(&self, status: Status) -> usize {
        self.counts.get(&status).copied().unwrap_or_default()
    }
}

/// Everything there is to say about results, the most important first: wrong answers, then evidence that failed, then the tables.
pub fn full(rows: &[Row]) -> String {
    let mut text = wrong(rows);
    text += &failed_evidence(rows);
    text += &by_suite(rows);
    if let Some(paper) = Paper::load() {
        text += &beside_paper(rows, &paper);
    }
    text += &reasons(rows);
    text
}

/// The wrong answers, if there are any.
pub fn wrong(rows: &[Row]) -> String {
    let mut text = String::new();
    let wrong: Vec<&Row> = rows
        .iter()
        .filter(|row| row.status == Status::Wrong)
        .collect();
    if !wrong.is_empty() {
        let _ = writeln!(text, "WRONG VERDICTS: {}", wrong.len());
        for row in wrong {
            let (Some(verdict), Some(expected)) = (row.verdict, row.expected) else {
                continue;
            };
            let _ = writeln!(
                text,
                "  {}: {} says {verdict}, expected {expected}",
                row.task, row.engine
            );
        }
        text.push('\n');
    }
    text
}

/// Answers whose own evidence speaks against them.
pub fn failed_evidence(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows {
        if row.confirmed.starts_with("no:") {
            let _ = writeln!(
                text,
                "  {}: {} is not confirmed: {}",
                row.task, row.engine, row.confirmed
            );
        }
        if row.rechecked.starts_with("rejected") {
            let _ = writeln!(
                text,
                "  {}: the certificate of {} is {}",
                row.task, row.engine, row.rechecked
            );
        }
        if row.second.starts_with("rejected") {
            let _ = writeln!(
                text,
                "  {}: the second opinion on the proof of {}: {}",
                row.task, row.engine, row.second
            );
        }
    }
    if text.is_empty() {
        text
    } else {
        format!("EVIDENCE THAT DOES NOT HOLD\n{text}\n")
    }
}

/// One line per suite and engine, and the sums.
pub fn by_suite(rows: &[Row]) -> String {
    let suites = distinct(rows, |row| &row.suite);
    let engines = distinct(rows, |row| &row.engine);
    let unjudged = rows.iter().any(|row| row.status == Status::Unjudged);
    let mut table = TextTable::default();
    table.left("suite");
    table.left("engine");
    let mut titles = vec![
        "tasks", "correct", "wrong", "safe", "unsafe", "unknown", "timeout", "memory", "error",
    ];
    if unjudged {
        titles.push("unjudged");
    }
    titles.extend(["CPU s", "max MB"]);
    for title in titles {
        table.right("", title);
    }
    let mut add = |suite: &str, engine: &str, summary: &Summary| {
        let count = |status| summary.count(status).to_string();
        let of = |(correct, all): (usize, usize)| {
            if all == 0 {
                "-".to_owned()
            } else {
                format!("{correct}/{all}")
            }
        };
        let mut cells = vec![
            suite.to_owned(),
            engine.to_owned(),
            summary.tasks.to_string(),
            count(Status::Correct),
            count(Status::Wrong),
        ];
        cells.extend([of(summary.safe), of(summary.unsafe_)]);
        cells.extend(
            [
                Status::Unknown,
                Status::Timeout,
                Status::OutOfMemory,
                Status::Error,
            ]
            .map(count),
        );
        if unjudged {
            cells.push(count(Status::Unjudged));
        }
        cells.extend([
            format!("{:.1}", summary.cpu_s),
            format!("{:.0}", summary.memory_mb),
        ]);
        table.row(cells);
    };
    for suite in &suites {
        for engine in &engines {
            let summary = Summary::of(
                rows.iter()
                    .filter(|row| row.suite == **suite && row.engine == **engine),
            );
            if summary.tasks > 0 {
                add(suite, engine, &summary);
            }
        }
    }
    if suites.len() > 1 {
        for engine in &engines {
            add(
                "total",
                engine,
                &Summary::of(rows.iter().filter(|row| row.engine == **engine)),
            );
        }
    }
    format!("{table}\n")
}

/// The paper's tables with our columns in front, if any of its suites was run.
pub fn beside_paper(rows: &[Row], paper: &Paper) -> String {
    let ours: Vec<&Row> = rows
        .iter()
        .filter(|row| paper.has_suite(&row.suite))
        .collect();
    if ours.is_empty() {
        return String::new();
    }
    let mut text = String::new();
    for table in &paper.tables {
        let _ = writeln!(
            text,
            "Table {}: {}\n{}",
            table.number,
            table.title,
            paper_table(&ours, paper, table)
        );
    }
    let _ = writeln!(text, "Columns marked * are from: {}.", paper.source);
    let _ = writeln!(
        text,
        "Failures are time / memory / unknown, and for ours / error.\n"
    );
    text
}

fn paper_table(rows: &[&Row], paper: &Paper, table: &PaperTable) -> TextTable {
    let engines = distinct(rows.iter().copied(), |row| &row.engine);
    let mut text = TextTable::default();
    text.left("");
    text.right("", "tasks");
    for engine in &engines {
        for title in ["correct", "wrong", "CPU s"] {
            text.right(engine, title);
        }
    }
    for tool in &table.tools {
        for title in ["correct", "CPU s"] {
            text.right(&format!("{tool}*"), title);
        }
    }
    let of_engine = |engine: &str| {
        rows.iter()
            .copied()
            .filter(move |row| row.engine == engine)
            .collect::<Vec<_>>()
    };
    for line in &paper.rows {
        let counted = |engine: &str| {
            Summary::of(of_engine(engine).into_iter().filter(|row| line.counts(row)))
        };
        let summaries: Vec<Summary> = engines.iter().map(|engine| counted(engine)).collect();
        let tasks = summaries
            .iter()
            .map(|summary| summary.tasks)
            .max()
            .unwrap_or_default();
        if tasks == 0 {
            continue;
        }
        if line.suites == "suite" {
            text.rule();
        }
        // Where we have not run what the paper has run, both numbers are said.
        let tasks = if tasks == line.tasks {
            tasks.to_string()
        } else {
            format!("{tasks} (*{})", line.tasks)
        };
        let mut cells = vec![line.label.clone(), tasks];
        for summary in &summaries {
            cells.extend([
                summary.count(Status::Correct).to_string(),
                summary.count(Status::Wrong).to_string(),
                format!("{:.1}", summary.cpu_s),
            ]);
        }
        for tool in &table.tools {
            match line.results.get(tool) {
                Some((correct, seconds)) => {
                    cells.extend([correct.to_string(), format!("{seconds:.1}")])
                }
                None => cells.extend([String::new(), String::new()]),
            }
        }
        text.row(cells);
    }
    let mut failures = vec!["Failures".to_owned(), String::new()];
    for engine in &engines {
        let summary = Summary::of(of_engine(engine).into_iter());
        let counts = [
            Status::Timeout,
            Status::OutOfMemory,
            Status::Unknown,
            Status::Error,
        ]
        .map(|status| summary.count(status).to_string());
        failures.extend([String::new(), String::new(), counts.join("/")]);
    }
    for tool in &table.tools {
        let counts = paper
            .failures
            .get(tool)
            .map(|(time, memory, unknown)| format!("{time}/{memory}/{unknown}"));
        failures.extend([String::new(), counts.unwrap_or_default()]);
    }
    text.row(failures);
    text
}

/// Why there were no answers: the most frequent reasons of each engine.
pub fn reasons(rows: &[Row]) -> String {
    const SHOWN: usize = 5;
    let mut text = String::new();
    for engine in distinct(rows, |row| &row.engine) {
        let mut reasons: BTreeMap<String, usize> = BTreeMap::new();
        let open = rows
            .iter()
            .filter(|row| row.engine == **engine && row.verdict.is_none());
        for row in open {
            *reasons
                .entry(format!("{}: {}", row.status, row.reason))
                .or_default() += 1;
        }
        let mut reasons: Vec<(String, usize)> = reasons.into_iter().collect();
        reasons.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        if reasons.is_empty() {
            continue;
        }
        let _ = writeln!(text, "Without an answer, {engine}:");
        for (reason, count) in reasons.iter().take(SHOWN) {
            let _ = writeln!(text, "  {count:>5}  {reason}");
        }
        let rest: usize = reasons.iter().skip(SHOWN).map(|(_, count)| count).sum();
        if rest > 0 {
            let _ = writeln!(text, "  {rest:>5}  for other reasons");
        }
        text.push('\n');
    }
    text
}

/// The values of a field, in the order in which they are first seen.
fn distinct<'a>(
    rows: impl IntoIterator<Item = &'a Row>,
    field: impl Fn(&'a Row) -> &'a String,
) -> Vec<&'a String> {
    let mut seen = Vec::new();
    for row in rows {
        let value = field(row);
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::row;

    fn rows() -> Vec<Row> {
        let mut open = row("suite1-x/c.yml", "gps", Verdict::Safe, Status::Unknown, 0.5);
        open.reason = "no engine".into();
        vec![
            row("suite1-x/a.yml", "gps", Verdict::Safe, Status::Correct, 1.0),
            row("suite1-x/b.yml", "gps", Verdict::Unsafe, Status::Wrong, 2.0),
            open,
            row(
                "suite2-y/d.yml",
                "gps",
                Verdict::Safe,
                Status::Timeout,
                60.0,
            ),
        ]
    }

    #[test]
    fn wrong_answers_come_first() {
        let text = full(&rows());
        assert!(
            text.starts_with(
                "WRONG VERDICTS: 1\n  suite1-x/b.yml: gps says SAFE, expected UNSAFE\n"
            ),
            "{text}"
        );
        assert!(!full(&rows()[..1]).contains("WRONG"));
    }

    #[test]
    fn the_table_counts_per_suite_and_in_all() {
        let expected = "\
suite     engine  tasks  correct  wrong  safe  unsafe  unknown  timeout  memory  error  CPU s  max MB
";
        let text = by_suite(&rows());
        assert_eq!(
            text.lines().next().map(str::trim_end),
            expected.lines().next()
        );
        let cells: Vec<Vec<&str>> = text
            .lines()
            .skip(2)
            .map(|line| line.split_whitespace().collect())
            .collect();
        assert_eq!(
            cells[0],
            [
                "suite1-x", "gps", "3", "1", "1", "1/2", "0/1", "1", "0", "0", "0", "3.5", "10"
            ]
        );
        assert_eq!(
            cells[1],
            [
                "suite2-y", "gps", "1", "0", "0", "0/1", "-", "0", "1", "0", "0", "60.0", "10"
            ]
        );
        assert_eq!(
            cells[2],
            [
                "total", "gps", "4", "1", "1", "1/3", "0/1", "1", "1", "0", "0", "63.5", "10"
            ]
        );
    }

    #[test]
    fn the_paper_stands_beside_ours_on_its_suites_only() {
        let paper = Paper::load().expect("the figures");
        let text = beside_paper(&rows(), &paper);
        let line = |start: &str| {
            text.lines()
                .find(|line| line.starts_with(start))
                .unwrap_or_default()
                .replace('|', " ")
        };
        let cells = |start: &str| {
            line(start)
                .split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        };
        assert_eq!(
            cells("Suite #1")[3..11],
            ["3", "(*230)", "1", "1", "3.5", "214", "7389.1", "200"]
        );
        assert!(
            text.contains("Table 2")
                && text.contains("Table 3")
                && text.contains("IMPACT*")
                && text.contains("VeriAbs*")
        );
        assert!(!text.contains("Suite #3"));
        assert!(cells("Failures").starts_with(&[
            "Failures".into(),
            "1/0/1/0".into(),
            "8/9/0".into()
        ]));
        assert_eq!(
            beside_paper(
                &[row(
                    "examples/a.yml",
                    "gps",
                    Verdict::Safe,
                    Status::Correct,
                    1.0
                )],
                &paper
            ),
            ""
        );
    }

    #[test]
    fn evidence_that_fails_is_named() {
        let mut bad = row("s/a.yml", "gps", Verdict::Unsafe, Status::Correct, 1.0);
        bad.confirmed = "no: exit status 0".into();
        bad.rechecked = "rejected: not inductive".into();
        bad.second = "rejected: it is not true".into();
        let text = failed_evidence(&[bad]);
        assert!(
            text.contains("s/a.yml: gps is not confirmed: no: exit status 0")
                && text.contains("rejected: not inductive")
                && text.contains("second opinion on the proof of gps: rejected: it is not true"),
            "{text}"
        );
        assert_eq!(failed_evidence(&rows()), "");
    }

    #[test]
    fn reasons_are_counted() {
        assert_eq!(
            reasons(&rows()),
            "Without an answer, gps:\n      1  timeout: \n      1  unknown: no engine\n\n"
        );
    }
}
