//! Results: one row per run, in a CSV file that grows while the runs go on.

use std::fs::{File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::verdict::{Status, Verdict};

/// One run. The fields are the columns of the CSV file, in this order.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Row {
    /// The task's id.
    pub task: String,
    /// The suite it is counted in.
    pub suite: String,
    /// The engine or tool.
    pub engine: String,
    /// The property.
    pub property: String,
    /// The right answer, where it is known.
    pub expected: Option<Verdict>,
    /// The answer, if it was a definite one.
    pub verdict: Option<Verdict>,
    /// What became of the run.
    pub status: Status,
    /// Why there is no answer.
    pub reason: String,
    /// CPU seconds of all processes.
    pub cpu_s: f64,
    /// Wall seconds.
    pub wall_s: f64,
    /// Peak memory in megabytes (10^6 bytes).
    pub memory_mb: f64,
    /// Seconds by phase, as the tool tells them.
    pub phases: String,
    /// What the tool says about its certificate.
    pub certificate: String,
    /// What `--confirm` found.
    pub confirmed: String,
    /// What `--recheck` found.
    pub rechecked: String,
    /// What `--second` found; not in files that are older.
    #[serde(default)]
    pub second: String,
    /// The family of a scaling task.
    pub family: String,
    /// Its size.
    pub size: Option<f64>,
}

impl Row {
    /// What makes a run the same run.
    pub fn key(&self) -> Key {
        Key {
            task: self.task.clone(),
            engine: self.engine.clone(),
        }
    }
}

/// A task and the engine or tool that it is given to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Key {
    /// The task's id.
    pub task: String,
    /// The engine or tool.
    pub engine: String,
}

/// Text on one line and of bounded length, so that every row of the file is one line.
pub fn one_line(text: &str) -> String {
    const LONGEST: usize = 200;
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    if line.chars().count() > LONGEST {
        line = line.chars().take(LONGEST - 1).chain(['…']).collect();
    }
    line.retain(|c| !c.is_control());
    line
}

/// A results file that can't be read.
#[derive(Debug, Error)]
pub enum ResultsError {
    /// The file can't be read or written.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, io::Error),
    /// A row is not one of ours.
    #[error("{}: {}", .0.display(), .1)]
    Csv(PathBuf, csv::Error),
}

/// The file to which rows are added.
#[derive(Debug)]
pub struct Recorder {
    path: PathBuf,
    writer: csv::Writer<BufWriter<File>>,
}

impl Recorder {
    /// Starts a new file, which must not exist yet.
    ///
    /// # Errors
    ///
    /// When it can't be created.
    pub fn create(path: &Path) -> Result<Recorder, ResultsError> {
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        let file = file.map_err(|error| ResultsError::Io(path.to_owned(), error))?;
        Ok(Recorder {
            path: path.to_owned(),
            writer: csv::Writer::from_writer(BufWriter::new(file)),
        })
    }

    /// Goes on with a file: gives the rows that it has, and cuts off a last line that was not written to its end.
    ///
    /// # Errors
    ///
    /// When it can't be read or changed, or is not one of ours.
    pub fn resume(path: &Path) -> Result<(Recorder, Vec<Row>), ResultsError> {
        let failed = |error| ResultsError::Io(path.to_owned(), error);
        let bytes = std::fs::read(path).map_err(failed)?;
        let whole = bytes
            .iter()
            .rposition(|&byte| byte == b'\n')
            .map_or(0, |at| at + 1);
        let rows =
            parse(&bytes[..whole]).map_err(|error| ResultsError::Csv(path.to_owned(), error))?;
        let file = OpenOptions::new().append(true).open(path).map_err(failed)?;
        file.set_len(whole as u64).map_err(failed)?;
        let writer = csv::WriterBuilder::new()
            .has_headers(whole == 0)
            .from_writer(BufWriter::new(file));
        Ok((
            Recorder {
                path: path.to_owned(),
                writer,
            },
            rows,
        ))
    }

    /// Adds a row and hands it to the operating system.
    ///
    /// # Errors
    ///
    /// When it can't be written.
    pub fn add(&mut self, row: &Row) -> Result<(), ResultsError> {
        self.writer
            .serialize(row)
            .map_err(|error| ResultsError::Csv(self.path.clone(), error))?;
        self.writer
            .flush()
            .map_err(|error| ResultsError::Io(self.path.clone(), error))
    }
}

/// Reads rows of ours.
///
/// # Errors
///
/// When a row is not one of ours.
pub fn parse(bytes: &[u8]) -> Result<Vec<Row>, csv::Error> {
    csv::Reader::from_reader(bytes).deserialize().collect()
}

/// Writes a text file next to the results, if the folder can be made.
pub(crate) fn write_beside(
    path: &Path,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder)?;
    }
    let mut file = BufWriter::new(File::create(path)?);
    write(&mut file)?;
    file.flush()
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A row for tests of what is made from rows.
    pub(crate) fn row(
        task: &str,
        engine: &str,
        expected: Verdict,
        status: Status,
        cpu_s: f64,
    ) -> Row {
        let opposite = if expected == Verdict::Safe {
            Verdict::Unsafe
        } else {
            Verdict::Safe
        };
        let verdict = match status {
            Status::Correct => Some(expected),
            Status::Wrong => Some(opposite),
            _ => None,
        };
        Row {
            task: task.into(),
            suite: task.split('/').next().unwrap_or_default().into(),
            engine: engine.into(),
            property: "unreach-call".into(),
            expected: Some(expected),
            verdict,
            status,
            reason: String::new(),
            cpu_s,
            wall_s: cpu_s,
            memory_mb: 10.0,
            phases: String::new(),
            certificate: String::new(),
            confirmed: String::new(),
            rechecked: String::new(),
            second: String::new(),
            family: String::new(),
            size: None,
        }
    }

    #[test]
    fn rows_come_back_as_they_were_written() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("r.csv");
        let mut odd = row(
            "s/a,b \"c\".yml",
            "gps",
            Verdict::Safe,
            Status::Wrong,
            0.123_456,
        );
        odd.reason = "x, \"y\"".into();
        odd.size = Some(1e9);
        let plain = row("s/d.yml", "gps", Verdict::Unsafe, Status::OutOfMemory, 60.0);
        let mut recorder = Recorder::create(&path).expect("a file");
        recorder.add(&odd).expect("a row");
        drop(recorder);
        let (mut recorder, rows) = Recorder::resume(&path).expect("a file");
        assert_eq!(rows, [odd.clone()]);
        recorder.add(&plain).expect("a row");
        assert_eq!(Recorder::resume(&path).expect("a file").1, [odd, plain]);
        assert!(Recorder::create(&path).is_err());
    }

    #[test]
    fn a_torn_last_line_is_dropped_wherever_it_is_torn() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("r.csv");
        let rows: Vec<Row> = (0..3)
            .map(|n| {
                row(
                    &format!("s/{n}.yml"),
                    "e",
                    Verdict::Safe,
                    Status::Correct,
                    1.0,
                )
            })
            .collect();
        let mut recorder = Recorder::create(&path).expect("a file");
        for row in &rows {
            recorder.add(row).expect("a row");
        }
        let whole = std::fs::read(&path).expect("the file");
        for length in 0..whole.len() {
            std::fs::write(&path, &whole[..length]).expect("the file");
            let (mut recorder, kept) = Recorder::resume(&path).expect("a file");
            assert_eq!(kept, rows[..kept.len()], "{length}");
            for row in &rows[kept.len()..] {
                recorder.add(row).expect("a row");
            }
            assert_eq!(std::fs::read(&path).expect("the file"), whole, "{length}");
        }
    }

    #[test]
    fn foreign_files_are_refused() {
        assert!(parse(b"a,b\n1,2\n").is_err());
    }

    #[test]
    fn reasons_fit_on_a_line() {
        assert_eq!(one_line(" a\n b\tc\u{7} "), "a b c");
        assert_eq!(one_line(&"x".repeat(1000)).chars().count(), 200);
    }
}
