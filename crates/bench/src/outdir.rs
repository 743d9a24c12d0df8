//! The folder of a measurement: its settings, its results, its logs. We write nowhere else, and never over what is not ours.
//!
//! ```text
//! run.json     the settings; it marks the folder as ours
//! results.csv  one row per run
//! logs/        what each run printed (beginning and end), by engine and task
//! evidence/    harnesses and certificates, with --confirm, --recheck and --second
//! ```

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::results::{Recorder, ResultsError, Row};

/// What must be the same for two results to stand in one table.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Settings {
    /// The version of this format.
    pub rhumb_bench: u32,
    /// The property.
    pub property: String,
    /// CPU seconds per run.
    pub timeout_s: f64,
    /// Wall seconds per run.
    pub wall_s: f64,
    /// Bytes per run.
    pub memory: u64,
    /// Whether counterexamples are confirmed.
    pub confirm: bool,
    /// Whether certificates are rechecked.
    pub recheck: bool,
    /// Whether proofs get a second opinion; not in folders that are older.
    #[serde(default)]
    pub second: bool,
    /// The engines and tools.
    pub tools: Vec<ToolSettings>,
}

/// An engine or tool as the settings have it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ToolSettings {
    /// What it is called.
    pub name: String,
    /// How it is called.
    pub command: String,
    /// Its version, where it was asked.
    pub version: Option<String>,
}

/// Why a folder can't be used.
#[derive(Debug, Error)]
pub enum OutDirError {
    /// Something is there, and it is not ours.
    #[error("{} is not empty and holds no results of ours; name another folder with --out", .0.display())]
    Foreign(PathBuf),
    /// There are results already.
    #[error("{} holds results already; go on with --resume, or name another folder with --out", .0.display())]
    Occupied(PathBuf),
    /// There is nothing to go on with.
    #[error("{}: no results to go on with", .0.display())]
    NothingToResume(PathBuf),
    /// The settings differ.
    #[error("{}: can't go on, other settings: {}", .path.display(), .what)]
    Differs {
        /// The folder.
        path: PathBuf,
        /// What differs.
        what: String,
    },
    /// A file can't be read or written.
    #[error("{}: {}", .0.display(), .1)]
    Io(PathBuf, io::Error),
    /// The results can't be read or written.
    #[error(transparent)]
    Results(#[from] ResultsError),
}

/// A folder that is ours.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OutDir {
    path: PathBuf,
}

const SETTINGS: &str = "run.json";
const RESULTS: &str = "results.csv";
/// Where measurements go when no folder was named: `run-1`, `run-2` and so on in this one.
const DEFAULT: &str = "bench-results";

impl OutDir {
    /// The folder to use when none was named: the next free number, or the last one used when going on.
    pub fn default_path(resume: bool) -> PathBuf {
        let numbered = |n: u32| Path::new(DEFAULT).join(format!("run-{n}"));
        let free = (1..).find(|&n| !numbered(n).exists()).unwrap_or(u32::MAX);
        numbered(if resume {
            free.saturating_sub(1).max(1)
        } else {
            free
        })
    }

    /// Begins a measurement in a folder that is not there yet, or is empty.
    ///
    /// # Errors
    ///
    /// When something is in the folder, or it can't be written.
    pub fn create(path: &Path, settings: &Settings) -> Result<(OutDir, Recorder), OutDirError> {
        let failed = |error| OutDirError::Io(path.to_owned(), error);
        match fs::read_dir(path).map(|mut entries| entries.next().is_none()) {
            Ok(true) => {}
            Ok(false) if read_settings(path).is_some() => {
                return Err(OutDirError::Occupied(path.to_owned()));
            }
            Ok(false) => return Err(OutDirError::Foreign(path.to_owned())),
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir_all(path).map_err(failed)?
            }
            Err(error) => return Err(failed(error)),
        }
        let text = serde_json::to_string_pretty(settings).map_err(|error| failed(error.into()))?;
        fs::write(path.join(SETTINGS), text + "\n").map_err(failed)?;
        let recorder = Recorder::create(&path.join(RESULTS))?;
        Ok((
            OutDir {
                path: path.to_owned(),
            },
            recorder,
        ))
    }

    /// Goes on with a measurement that has the same settings; gives the rows that it has.
    ///
    /// # Errors
    ///
    /// When there is none, its settings differ, or it can't be read or written.
    pub fn resume(
        path: &Path,
        settings: &Settings,
    ) -> Result<(OutDir, Recorder, Vec<Row>), OutDirError> {
        let earlier =
            read_settings(path).ok_or_else(|| OutDirError::NothingToResume(path.to_owned()))?;
        if let Some(what) = difference(&earlier, settings) {
            return Err(OutDirError::Differs {
                path: path.to_owned(),
                what,
            });
        }
        let results = path.join(RESULTS);
        // Interrupted before there was a first row.
        if !results.exists() {
            return Ok((
                OutDir {
                    path: path.to_owned(),
                },
                Recorder::create(&results)?,
                Vec::new(),
            ));
        }
        let (recorder, rows) = Recorder::resume(&results)?;
        Ok((
            OutDir {
                path: path.to_owned(),
            },
            recorder,
            rows,
        ))
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The results file.
    pub fn results(&self) -> PathBuf {
        self.path.join(RESULTS)
    }

    /// Where the log of a run goes.
    pub fn log(&self, engine: &str, task: &str) -> PathBuf {
        self.path
            .join("logs")
            .join(engine)
            .join(format!("{task}.log"))
    }

    /// Where evidence of a run goes, as an absolute path, since runs take place elsewhere.
    ///
    /// # Errors
    ///
    /// When the folder can't be made.
    pub fn evidence(&self, engine: &str, task: &str) -> io::Result<Evidence> {
        let folder = std::path::absolute(self.path.join("evidence").join(engine))?;
        let harness = folder.join(format!("{task}.harness.c"));
        let certificate = folder.join(format!("{task}.certificate.json"));
        if let Some(parent) = harness.parent() {
            fs::create_dir_all(parent)?;
        }
        Ok(Evidence {
            harness,
            certificate,
        })
    }
}

/// Where evidence of a run goes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Evidence {
    /// The test harness of an UNSAFE.
    pub harness: PathBuf,
    /// The certificate.
    pub certificate: PathBuf,
}

fn read_settings(path: &Path) -> Option<Settings> {
    serde_json::from_str(&fs::read_to_string(path.join(SETTINGS)).ok()?).ok()
}

/// The first setting that is not the same, in words.
fn difference(earlier: &Settings, now: &Settings) -> Option<String> {
    let fields = |settings: &Settings| -> Option<serde_json::Map<String, serde_json::Value>> {
        match serde_json::to_value(settings) {
            Ok(serde_json::Value::Object(fields)) => Some(fields),
            _ => None,
        }
    };
    let (earlier, now) = (fields(earlier)?, fields(now)?);
    let (name, value) = now
        .iter()
        .find(|(name, value)| earlier.get(*name) != Some(*value))?;
    Some(format!(
        "{name} was {}, now {value}",
        earlier.get(name).unwrap_or(&serde_json::Value::Null)
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings() -> Settings {
        let tool = ToolSettings {
            name: "gps".into(),
            command: "rhumb check".into(),
            version: None,
        };
        Settings {
            rhumb_bench: 1,
            property: "unreach-call".into(),
            timeout_s: 60.0,
            wall_s: 73.0,
            memory: 4_000_000_000,
            confirm: false,
            recheck: false,
            second: false,
            tools: vec![tool],
        }
    }

    #[test]
    fn foreign_folders_are_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("thesis.tex"), "years of work").expect("a file");
        assert!(matches!(
            OutDir::create(folder.path(), &settings()),
            Err(OutDirError::Foreign(_))
        ));
        assert!(matches!(
            OutDir::resume(folder.path(), &settings()),
            Err(OutDirError::NothingToResume(_))
        ));
        // A file of the same name is not enough to be ours.
        fs::write(folder.path().join("run.json"), "{}").expect("a file");
        assert!(matches!(
            OutDir::create(folder.path(), &settings()),
            Err(OutDirError::Foreign(_))
        ));
        assert_eq!(fs::read_dir(folder.path()).expect("the folder").count(), 2);
    }

    #[test]
    fn results_are_gone_on_with_and_not_written_over() {
        let parent = tempfile::tempdir().expect("a folder");
        let path = parent.path().join("new/folder");
        OutDir::create(&path, &settings()).expect("a new folder");
        assert!(matches!(
            OutDir::create(&path, &settings()),
            Err(OutDirError::Occupied(_))
        ));
        assert!(OutDir::resume(&path, &settings()).is_ok());
        let mut other = settings();
        other.timeout_s = 900.0;
        let error = OutDir::resume(&path, &other)
            .map(|_| ())
            .expect_err("other settings");
        assert!(
            error.to_string().contains("timeout_s was 60.0, now 900.0"),
            "{error}"
        );
    }
}
