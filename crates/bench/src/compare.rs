//! Comparing results with earlier ones, or with those of others.
//!
//! Two formats are read: our own `results.csv`, and tables with one row per task that have, for each tool X, the
//! columns `X_status` (`true`, `false`, or why there is no answer) and `X_cpu_s`, beside `task` and `expected`: the
//! form of the GPS authors' own results.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::results::{self, Row};
use crate::verdict::Status;

/// Times below this are taken for this: what lies below is start-up and noise.
const FLOOR_S: f64 = 0.1;
/// A time counts as different from this factor on.
const NOTICEABLE: f64 = 1.2;
/// How many tasks are listed by name.
const LISTED: usize = 10;

/// Results of one tool to compare with.
#[derive(Clone, PartialEq, Debug)]
pub struct Reference {
    /// The tool.
    pub name: String,
    entries: Vec<Entry>,
}

impl Reference {
    /// The tasks that were solved, with their CPU seconds.
    pub fn solved(&self) -> impl Iterator<Item = (&str, f64)> {
        let solved = self.entries.iter().filter(|entry| entry.solved);
        solved.map(|entry| (&*entry.task, entry.cpu_s))
    }
}

#[derive(Clone, PartialEq, Debug)]
struct Entry {
    task: String,
    solved: bool,
    cpu_s: f64,
}

/// Why a file can't be compared with.
#[derive(Debug, Error)]
pub enum CompareError {
    /// It can't be read.
    #[error("{}: {}", .0.display(), .1)]
    Unreadable(PathBuf, String),
    /// It has none of the known forms.
    #[error("{}: neither results of ours nor a table with columns task, expected, X_status and X_cpu_s", .0.display())]
    Unknown(PathBuf),
}

/// Reads what is to be compared with: one reference per tool in the file.
///
/// # Errors
///
/// When the file can't be read or has an unknown form.
pub fn read(path: &Path) -> Result<Vec<Reference>, CompareError> {
    let unreadable = |message: String| CompareError::Unreadable(path.to_owned(), message);
    let bytes = fs::read(path).map_err(|error| unreadable(error.to_string()))?;
    let mut reader = csv::Reader::from_reader(bytes.as_slice());
    let headers = reader
        .headers()
        .map_err(|error| unreadable(error.to_string()))?
        .clone();
    let column = |name: &str| headers.iter().position(|header| header == name);
    if column("engine").is_some() && column("status").is_some() {
        let rows = results::parse(&bytes).map_err(|error| unreadable(error.to_string()))?;
        return Ok(of_rows(&rows));
    }
    let (Some(task), Some(expected)) = (column("task"), column("expected")) else {
        return Err(CompareError::Unknown(path.to_owned()));
    };
    let tools: Vec<(String, usize, usize)> = headers
        .iter()
        .enumerate()
        .filter_map(|(status, header)| {
            let name = header.strip_suffix("_status")?;
            Some((name.to_owned(), status, column(&format!("{name}_cpu_s"))?))
        })
        .collect();
    if tools.is_empty() {
        return Err(CompareError::Unknown(path.to_owned()));
    }
    let label = path
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned())
        .unwrap_or_default();
    let mut references: Vec<Reference> = tools
        .iter()
        .map(|(name, ..)| Reference {
            name: format!("{name} ({label})"),
            entries: Vec::new(),
        })
        .collect();
    for record in reader.records() {
        let record = record.map_err(|error| unreadable(error.to_string()))?;
        let field = |index: usize| record.get(index).unwrap_or_default();
        for (reference, (_, status, cpu)) in references.iter_mut().zip(&tools) {
            let solved = field(*status) == field(expected);
            let cpu_s = field(*cpu)
                .parse::<f64>()
                .ok()
                .filter(|seconds| seconds.is_finite())
                .unwrap_or(0.0);
            reference.entries.push(Entry {
                task: field(task).to_owned(),
                solved,
                cpu_s,
            });
        }
    }
    Ok(references)
}

/// Our own results as something to compare with.
pub fn of_rows(rows: &[Row]) -> Vec<Reference> {
    let mut by_engine: BTreeMap<&str, Vec<Entry>> = BTreeMap::new();
    for row in rows {
        let entry = Entry {
            task: row.task.clone(),
            solved: row.status == Status::Correct,
            cpu_s: row.cpu_s,
        };
        by_engine.entry(&row.engine).or_default().push(entry);
    }
    by_engine
        .into_iter()
        .map(|(name, entries)| Reference {
            name: name.to_owned(),
            entries,
        })
        .collect()
}

/// How one tool did against another on the tasks that both were given.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Comparison {
    /// Tasks that both were given.
    pub common: usize,
    /// Tasks that both solved.
    pub both: usize,
    /// Tasks that only we solved.
    pub gained: Vec<String>,
    /// Tasks that only they solved.
    pub lost: Vec<String>,
    /// Tasks that both solved and we noticeably faster, with how many times; the largest first.
    pub faster: Vec<(String, f64)>,
    /// The same where we were slower.
    pub slower: Vec<(String, f64)>,
    /// The geometric mean of their time divided by ours, on the tasks that both solved.
    pub speedup: Option<f64>,
}

impl Comparison {
    /// Compares.
    pub fn of(ours: &Reference, theirs: &Reference) -> Comparison {
        let index = Index::new(theirs);
        let mut comparison = Comparison::default();
        let mut logarithms = 0.0;
        for our in &ours.entries {
            let Some(their) = index.find(&our.task) else {
                continue;
            };
            comparison.common += 1;
            match (our.solved, their.solved) {
                (true, false) => comparison.gained.push(our.task.clone()),
                (false, true) => comparison.lost.push(our.task.clone()),
                (false, false) => {}
                (true, true) => {
                    comparison.both += 1;
                    let ratio = their.cpu_s.max(FLOOR_S) / our.cpu_s.max(FLOOR_S);
                    logarithms += ratio.ln();
                    if ratio >= NOTICEABLE {
                        comparison.faster.push((our.task.clone(), ratio));
                    } else if ratio <= 1.0 / NOTICEABLE {
                        comparison.slower.push((our.task.clone(), 1.0 / ratio));
                    }
                }
            }
        }
        comparison.speedup =
            (comparison.both > 0).then(|| (logarithms / comparison.both as f64).exp());
        for list in [&mut comparison.faster, &mut comparison.slower] {
            list.sort_by(|(_, one), (_, other)| other.total_cmp(one));
        }
        comparison
    }
}

/// Finds the task that is meant, even where paths begin differently.
struct Index<'a> {
    by_name: HashMap<&'a str, Vec<&'a Entry>>,
}

impl<'a> Index<'a> {
    fn new(reference: &'a Reference) -> Index<'a> {
        let mut by_name: HashMap<&str, Vec<&Entry>> = HashMap::new();
        for entry in &reference.entries {
            by_name
                .entry(file_name(&entry.task))
                .or_default()
                .push(entry);
        }
        Index { by_name }
    }

    /// The entry with the same path; else the one that shares the longest end of the path, if it is the only one.
    fn find(&self, task: &str) -> Option<&'a Entry> {
        let candidates = self.by_name.get(file_name(task))?;
        let shared = |entry: &Entry| {
            task.rsplit('/')
                .zip(entry.task.rsplit('/'))
                .take_while(|(one, other)| one == other)
                .count()
        };
        let best = candidates.iter().map(|entry| shared(entry)).max()?;
        let mut finest = candidates.iter().filter(|entry| shared(entry) == best);
        let found = finest.next()?;
        match finest.next() {
            None => Some(found),
            Some(_) => candidates.iter().find(|entry| entry.task == task).copied(),
        }
    }
}

fn file_name(task: &str) -> &str {
    task.rsplit('/').next().unwrap_or(task)
}

/// Compares each engine of ours with its namesake in a file, or with every tool there if it has none.
pub fn report(rows: &[Row], references: &[Reference], path: &Path) -> String {
    let mut text = format!("Against {}\n", path.display());
    for ours in of_rows(rows) {
        let namesakes: Vec<&Reference> = references
            .iter()
            .filter(|reference| reference.name == ours.name)
            .collect();
        let chosen = if namesakes.is_empty() {
            references.iter().collect()
        } else {
            namesakes
        };
        for theirs in chosen {
            describe(
                &mut text,
                &ours.name,
                &theirs.name,
                &Comparison::of(&ours, theirs),
            );
        }
    }
    text.push('\n');
    text
}

fn describe(text: &mut String, ours: &str, theirs: &str, comparison: &Comparison) {
    let Comparison {
        common,
        both,
        gained,
        lost,
        faster,
        slower,
        speedup,
    } = comparison;
    let _ = writeln!(
        text,
        "  {ours} against {theirs}, on {common} tasks: gained {}, lost {}",
        gained.len(),
        lost.len()
    );
    if let Some(speedup) = speedup {
        let (factor, word) = if *speedup >= 1.0 {
            (*speedup, "faster")
        } else {
            (1.0 / speedup, "slower")
        };
        let (better, worse) = (faster.len(), slower.len());
        let _ = writeln!(
            text,
            "    on the {both} that both solve: {factor:.2} times {word} (geometric mean), faster on {better}, slower on {worse}"
        );
    }
    list(text, "gained", gained.iter().cloned());
    list(text, "lost", lost.iter().cloned());
    list(
        text,
        "slower",
        slower
            .iter()
            .map(|(task, factor)| format!("{task} ({factor:.1} times)")),
    );
    list(
        text,
        "faster",
        faster
            .iter()
            .map(|(task, factor)| format!("{task} ({factor:.1} times)")),
    );
}

fn list(text: &mut String, title: &str, tasks: impl ExactSizeIterator<Item = String>) {
    let rest = tasks.len().saturating_sub(LISTED);
    for task in tasks.take(LISTED) {
        let _ = writeln!(text, "      {title}: {task}");
    }
    if rest > 0 {
        let _ = writeln!(text, "      {title}: and {rest} more");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::tests::row;
    use crate::verdict::Verdict;

    fn ours() -> Vec<Row> {
        vec![
            row("suite1/a.yml", "gps", Verdict::Safe, Status::Correct, 0.5),
            row("suite1/b.yml", "gps", Verdict::Safe, Status::Correct, 2.0),
            row(
                "suite1/c.yml",
                "gps",
                Verdict::Unsafe,
                Status::Timeout,
                60.0,
            ),
            row(
                "suite1/d.yml",
                "gps",
                Verdict::Unsafe,
                Status::Correct,
                0.001,
            ),
            row(
                "suite1/e.yml",
                "gps",
                Verdict::Unsafe,
                Status::Correct,
                0.001,
            ),
        ]
    }

    const TABLE: &str = "\
task,expected,gps_status,gps_cpu_s,gps_mem_mb,veriabs_status,veriabs_cpu_s
suite1/a.yml,true,true,4.0,1,TIMEOUT,600
suite1/b.yml,true,true,1.0,1,true,2.1
suite1/c.yml,false,false,3.0,1,unknown,1
suite1/d.yml,false,KILLED,70,1,true,1
suite1/e.yml,false,false,0.05,1,false,10
suite1/f.yml,false,false,0.05,1,false,10
";

    fn references(text: &str) -> Result<Vec<Reference>, CompareError> {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("reference.csv");
        fs::write(&path, text).expect("a file");
        read(&path)
    }

    #[test]
    fn gained_lost_faster_slower() {
        let references = references(TABLE).expect("a table");
        let names: Vec<&str> = references
            .iter()
            .map(|reference| reference.name.as_str())
            .collect();
        assert_eq!(names, ["gps (reference)", "veriabs (reference)"]);
        let comparison = Comparison::of(&of_rows(&ours())[0], &references[0]);
        assert_eq!((comparison.common, comparison.both), (5, 3));
        assert_eq!(comparison.gained, ["suite1/d.yml"]);
        assert_eq!(comparison.lost, ["suite1/c.yml"]);
        assert_eq!(comparison.faster, [("suite1/a.yml".to_owned(), 8.0)]);
        assert_eq!(comparison.slower, [("suite1/b.yml".to_owned(), 2.0)]);
        // 8, 1/2 and, because both lie below the floor, 1.
        assert!((comparison.speedup.expect("a mean") - 4f64.cbrt()).abs() < 1e-9);
        // A wrong answer is not a solution, and a small difference is none.
        let other = Comparison::of(&of_rows(&ours())[0], &references[1]);
        assert_eq!(
            (
                other.gained.len(),
                other.lost.len(),
                other.both,
                other.slower.len()
            ),
            (2, 0, 2, 0)
        );
    }

    #[test]
    fn our_own_results_are_compared_by_engine() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("results.csv");
        let mut recorder = results::Recorder::create(&path).expect("a file");
        for (task, engine) in [
            ("x/suite1/a.yml", "gps"),
            ("x/suite1/c.yml", "gps"),
            ("x/suite1/a.yml", "bmc"),
        ] {
            recorder
                .add(&row(task, engine, Verdict::Safe, Status::Correct, 1.0))
                .expect("a row");
        }
        let references = read(&path).expect("results");
        let text = report(&ours(), &references, &path);
        assert!(
            text.contains("gps against gps, on 2 tasks: gained 0, lost 1"),
            "{text}"
        );
        assert!(
            text.contains("2.00 times faster") && !text.contains("bmc"),
            "{text}"
        );
    }

    #[test]
    fn ambiguous_names_are_not_compared() {
        let text = "task,expected,x_status,x_cpu_s\np/a.yml,true,true,1\nq/a.yml,true,true,1\n";
        let references = references(text).expect("a table");
        let index = Index::new(&references[0]);
        assert!(index.find("r/a.yml").is_none());
        assert!(index.find("z/q/a.yml").is_some());
    }

    #[test]
    fn other_files_are_refused() {
        assert!(matches!(
            references("a,b\n1,2\n"),
            Err(CompareError::Unknown(_))
        ));
        assert!(matches!(
            references("task,expected\n1,2\n"),
            Err(CompareError::Unknown(_))
        ));
        assert!(matches!(
            read(Path::new("/no/such/file")),
            Err(CompareError::Unreadable(..))
        ));
    }
}
