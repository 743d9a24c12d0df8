//! Whether tools keep the limits that they are told: the worst runs, with limits that are enforced far behind those.

use std::fmt;
use std::time::Duration;

use crate::process::ProcessLimits;
use crate::results::Row;
use crate::text_table::TextTable;
use crate::verdict::Status;

/// A run may take that much longer than it was told.
const SECONDS: f64 = 1.0;

/// A run may take that many times the memory that it was told.
const FACTOR: f64 = 1.1;

/// How many of the worst are listed.
const LISTED: usize = 5;

/// Limits under which a run that goes beyond those that it was told is seen to do so.
pub fn enforced(told: &ProcessLimits) -> ProcessLimits {
    let time = told.cpu * 4 + Duration::from_secs(30);
    ProcessLimits {
        cpu: time * 2,
        wall: time,
        memory: told.memory.saturating_mul(3),
    }
}

/// How far runs went.
#[derive(Clone, Debug)]
pub struct Worst {
    seconds: f64,
    megabytes: f64,
    runs: usize,
    /// The longest runs.
    longest: Vec<Row>,
    /// Those with the highest peaks of memory.
    largest: Vec<Row>,
    /// Those that went beyond a limit.
    over: Vec<Row>,
    /// Those that ended without a verdict.
    silent: Vec<Row>,
}

impl Worst {
    /// Looks for the worst.
    pub fn of(rows: &[Row], told: &ProcessLimits) -> Worst {
        let (seconds, megabytes) = (told.cpu.as_secs_f64(), told.memory as f64 / 1e6);
        let is_over =
            |row: &Row| row.wall_s > seconds + SECONDS || row.memory_mb > megabytes * FACTOR;
        let those =
            |which: &dyn Fn(&Row) -> bool| rows.iter().filter(|row| which(row)).cloned().collect();
        Worst {
            seconds,
            megabytes,
            runs: rows.len(),
            longest: worst_by(rows, |row| row.wall_s),
            largest: worst_by(rows, |row| row.memory_mb),
            over: those(&is_over),
            silent: those(&|row: &Row| row.status == Status::Error),
        }
    }

    /// Whether all runs kept their limits and ended with a verdict.
    pub fn is_kept(&self) -> bool {
        self.over.is_empty() && self.silent.is_empty()
    }
}

fn worst_by(rows: &[Row], figure: impl Fn(&Row) -> f64) -> Vec<Row> {
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| figure(b).total_cmp(&figure(a)));
    rows.truncate(LISTED);
    rows
}

impl fmt::Display for Worst {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "Limits: {} s and {} MB; of {} runs {} went beyond {} s or {:.0} MB, {} ended without a verdict",
            self.seconds,
            self.megabytes,
            self.runs,
            self.over.len(),
            self.seconds + SECONDS,
            self.megabytes * FACTOR,
            self.silent.len()
        )?;
        let lists = [
            ("the longest", &self.longest),
            ("the largest", &self.largest),
            ("beyond", &self.over),
            ("no verdict", &self.silent),
        ];
        let mut table = TextTable::default();
        for title in ["worst", "task", "engine"] {
            table.left(title);
        }
        for title in ["wall s", "max MB"] {
            table.right("", title);
        }
        table.left("status");
        for (title, rows) in lists.into_iter().filter(|(_, rows)| !rows.is_empty()) {
            for row in rows {
                table.row(vec![
                    title.to_owned(),
                    row.task.clone(),
                    row.engine.clone(),
                    format!("{:.2}", row.wall_s),
                    format!("{:.0}", row.memory_mb),
                    row.status.to_string(),
                ]);
            }
            table.rule();
        }
        writeln!(f, "{table}")
    }
}
