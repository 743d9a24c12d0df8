//! What the GPS paper reports on the tasks of its suites, to stand beside what we measure.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::results::Row;
use crate::verdict::Verdict;

const DATA: &str = include_str!("../data/gps-paper.toml");

/// The figures of the paper.
#[derive(Clone, Debug, Deserialize)]
pub struct Paper {
    /// Where they come from.
    pub source: String,
    /// Which tools stand in which table.
    #[serde(rename = "table")]
    pub tables: Vec<PaperTable>,
    /// The rows, the same in every table.
    #[serde(rename = "row")]
    pub rows: Vec<PaperRow>,
    /// By tool: how many tasks ran out of time, out of memory, or ended as unknown.
    pub failures: BTreeMap<String, (u32, u32, u32)>,
}

/// A table of the paper.
#[derive(Clone, Debug, Deserialize)]
pub struct PaperTable {
    /// Its number.
    pub number: u32,
    /// What it is about.
    pub title: String,
    /// Its tools.
    pub tools: Vec<String>,
}

/// A row of both tables.
#[derive(Clone, Debug, Deserialize)]
pub struct PaperRow {
    /// Its label.
    pub label: String,
    /// The beginning of the names of the suites in it.
    pub suites: String,
    /// Only tasks with this answer.
    pub expected: Option<Verdict>,
    /// How many tasks the paper has in it.
    pub tasks: usize,
    /// By tool: correct answers, and CPU seconds.
    pub results: BTreeMap<String, (u32, f64)>,
}

impl Paper {
    /// The figures, unless the file that holds them is broken, which a test excludes.
    pub fn load() -> Option<Paper> {
        toml::from_str(DATA).ok()
    }

    /// Whether a suite is one of the paper's.
    pub fn has_suite(&self, suite: &str) -> bool {
        self.rows
            .iter()
            .any(|row| row.suites != "suite" && begins(suite, &row.suites))
    }
}

impl PaperRow {
    /// Whether a result is counted in this row.
    pub fn counts(&self, row: &Row) -> bool {
        begins(&row.suite, &self.suites)
            && self
                .expected
                .is_none_or(|expected| row.expected == Some(expected))
    }
}

/// `suite1` begins `suite1-svcomp`, but not `suite10`.
fn begins(suite: &str, start: &str) -> bool {
    let digits = |rest: &str| {
        rest.starts_with(|c: char| c.is_ascii_digit())
            && start.ends_with(|c: char| c.is_ascii_digit())
    };
    suite.strip_prefix(start).is_some_and(|rest| !digits(rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_figures_add_up() {
        let paper = Paper::load().expect("the figures");
        let row = |label: &str| {
            paper
                .rows
                .iter()
                .find(|row| row.label.trim() == label)
                .expect("a row")
        };
        let tools: Vec<&String> = paper.failures.keys().collect();
        assert_eq!(tools.len(), 9);
        let sums = [
            ("Suite #1 (SV-COMP)", vec!["safe", "unsafe"]),
            (
                "Suite #3 (Lock & Key)",
                vec!["not parametrizable", "parametrizable", "state machines"],
            ),
            (
                "Total",
                vec![
                    "Suite #1 (SV-COMP)",
                    "Suite #2 (safe examples)",
                    "Suite #3 (Lock & Key)",
                ],
            ),
        ];
        for (sum, parts) in sums {
            let parts: Vec<&PaperRow> = parts.into_iter().map(row).collect();
            assert_eq!(
                row(sum).tasks,
                parts.iter().map(|part| part.tasks).sum::<usize>()
            );
            for tool in &tools {
                let (correct, seconds) = row(sum).results[*tool];
                assert_eq!(
                    correct,
                    parts.iter().map(|part| part.results[*tool].0).sum::<u32>(),
                    "{sum} {tool}"
                );
                // The paper rounds each figure.
                let total: f64 = parts.iter().map(|part| part.results[*tool].1).sum();
                assert!(
                    (seconds - total).abs() < 0.35,
                    "{sum} {tool}: {seconds} {total}"
                );
            }
        }
        let listed: Vec<&String> = paper.tables.iter().flat_map(|table| &table.tools).collect();
        assert!(listed.iter().all(|tool| paper.failures.contains_key(*tool)));
    }

    #[test]
    fn suites_are_known_by_the_beginning_of_their_names() {
        let paper = Paper::load().expect("the figures");
        assert!(
            [
                "suite1-svcomp",
                "suite2-safe-examples",
                "suite3c-lock-and-key-statemachines"
            ]
            .iter()
            .all(|suite| paper.has_suite(suite))
        );
        assert!(
            ["suite10-x", "suite4", "examples", "suite"]
                .iter()
                .all(|suite| !paper.has_suite(suite))
        );
    }
}
