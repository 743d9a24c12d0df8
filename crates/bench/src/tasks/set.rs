//! Sets of tasks: a task definition, a folder, a glob, or an SV-COMP `.set` file.
//!
//! A task's name (its *id*) is the path from its suite's folder on, so that results can be compared across machines. The suite is the first
//! folder on the way called `suite` and a digit, as in the collection of the GPS paper. Otherwise it is, for a task found below a
//! folder, the folder one level below the one that was named (or that one itself); for a line of a `.set` file, that file; else the
//! folder around the task.

use std::collections::HashSet;
use std::fs;
use std::path::{Component, Path, PathBuf};

use thiserror::Error;

use super::family::Family;
use super::{BenchTask, DefinitionError, Size, content};

/// What was found.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Discovery {
    /// The tasks, each once.
    pub tasks: Vec<BenchTask>,
    /// What was passed over and why, in words.
    pub notes: Vec<String>,
}

/// A set that can't be used at all.
#[derive(Debug, Error)]
pub enum SetError {
    /// Nothing is there under this name.
    #[error("{0}: no such file, folder or glob")]
    Nothing(String),
    /// A pattern is not a valid glob.
    #[error("{pattern}: {message}")]
    Glob {
        /// The pattern.
        pattern: String,
        /// What is wrong.
        message: String,
    },
    /// A file or folder can't be read.
    #[error("{0}: {1}")]
    Unreadable(PathBuf, std::io::Error),
    /// The description of a family is wrong.
    #[error("{0}")]
    Family(String),
}

/// Finds all tasks of the sets that have the given property.
///
/// # Errors
///
/// When a set can't be used at all. A task that can't be used is in the result, with the reason.
pub fn discover(sets: &[String], property: &str) -> Result<Discovery, SetError> {
    let mut finder = Finder {
        property,
        found: Discovery::default(),
        seen: HashSet::new(),
        ids: HashSet::new(),
        without_property: 0,
        something_else: 0,
    };
    for set in sets {
        finder.add_set(set)?;
    }
    let Finder {
        mut found,
        without_property,
        something_else,
        ..
    } = finder;
    for (count, what) in [
        (without_property, format!("without the property {property}")),
        (something_else, "that are no task definitions".into()),
    ] {
        if count > 0 {
            found
                .notes
                .push(format!("passed over: {count} files {what}"));
        }
    }
    Ok(found)
}

struct Finder<'a> {
    property: &'a str,
    found: Discovery,
    seen: HashSet<PathBuf>,
    ids: HashSet<String>,
    without_property: usize,
    something_else: usize,
}

/// How a task was found; it decides its suite.
#[derive(Clone, Copy)]
enum Origin<'a> {
    Named,
    Folder(&'a Path),
    SetFile(&'a Path),
}

impl Finder<'_> {
    fn add_set(&mut self, set: &str) -> Result<(), SetError> {
        let path = Path::new(set);
        if path.is_dir() {
            let path = absolute(path)?;
            return self.add_folder(&path, &path, &mut HashSet::new());
        }
        if path.is_file() {
            if path.extension().is_some_and(|extension| extension == "set") {
                return self.add_set_file(path);
            }
            return self.add_file(path, Origin::Named);
        }
        let matches = expand(set)?;
        if matches.is_empty() {
            return Err(SetError::Nothing(set.to_owned()));
        }
        for path in matches {
            self.add_set(&path.to_string_lossy())?;
        }
        Ok(())
    }

    /// All task definitions below a folder. Links are followed; `visited` keeps a loop of them from being followed for ever.
    fn add_folder(
        &mut self,
        folder: &Path,
        root: &Path,
        visited: &mut HashSet<PathBuf>,
    ) -> Result<(), SetError> {
        let unreadable = |error| SetError::Unreadable(folder.to_owned(), error);
        if !visited.insert(fs::canonicalize(folder).map_err(unreadable)?) {
            return Ok(());
        }
        if let Some(family) = Family::of_folder(folder) {
            let family = family.map_err(SetError::Family)?;
            let missing = family.members(folder).filter(|(task, _)| !task.is_file());
            self.found.notes.extend(
                missing.map(|(task, _)| format!("{}: missing from its family", task.display())),
            );
        }
        let mut entries = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            entries.push(entry.map_err(unreadable)?.path());
        }
        entries.sort();
        for path in entries {
            if path.is_dir() {
                self.add_folder(&path, root, visited)?;
            } else if path.extension().is_some_and(|extension| extension == "yml") {
                self.add_file(&path, Origin::Folder(root))?;
            }
        }
        Ok(())
    }

    fn add_set_file(&mut self, path: &Path) -> Result<(), SetError> {
        let path = absolute(path)?;
        let text =
            fs::read_to_string(&path).map_err(|error| SetError::Unreadable(path.clone(), error))?;
        let folder = path.parent().unwrap_or(Path::new(""));
        for line in text
            .lines()
            .map(str::trim)
            .filter(|line| !line.is_empty() && !line.starts_with('#'))
        {
            let pattern = format!(
                "{}/{line}",
                glob::Pattern::escape(&folder.to_string_lossy())
            );
            let matches = expand(&pattern)?;
            if matches.is_empty() {
                self.found
                    .notes
                    .push(format!("{}: nothing matches {line}", path.display()));
            }
            for task in matches.iter().filter(|task| task.is_file()) {
                self.add_file(task, Origin::SetFile(&path))?;
            }
        }
        Ok(())
    }

    fn add_file(&mut self, path: &Path, origin: Origin<'_>) -> Result<(), SetError> {
        let path = absolute(path)?;
        if !self
            .seen
            .insert(fs::canonicalize(&path).unwrap_or_else(|_| path.clone()))
        {
            return Ok(());
        }
        let folder = path.parent().unwrap_or(Path::new(""));
        let content = content(&path, self.property);
        match (&content, origin) {
            (Err(DefinitionError::NoProperty(_)), Origin::Folder(_) | Origin::SetFile(_)) => {
                self.without_property += 1;
                return Ok(());
            }
            (Err(DefinitionError::SomethingElse), Origin::Folder(_)) => {
                self.something_else += 1;
                return Ok(());
            }
            _ => {}
        }
        let (suite, id) = self.name(&path, origin);
        let size = size(&path, folder)?;
        self.found.tasks.push(BenchTask {
            id,
            suite,
            size,
            content: content.map_err(|error| error.to_string()),
            path,
        });
        Ok(())
    }
}

impl Finder<'_> {
    /// The suite, and an id that no other task has: when two collections use the same names, more of the path is taken.
    fn name(&mut self, path: &Path, origin: Origin<'_>) -> (String, String) {
        let (parts, suite, start) = place(path, origin);
        let candidates = (0..=start).rev().map(|start| parts[start..].join("/"));
        let id = candidates
            .into_iter()
            .find(|id| !self.ids.contains(id))
            .unwrap_or_else(|| path.to_string_lossy().into_owned());
        self.ids.insert(id.clone());
        (suite, id)
    }
}

/// Where the task stands in the family that its folder is, if it is one.
fn size(path: &Path, folder: &Path) -> Result<Option<Size>, SetError> {
    let Some(family) = Family::of_folder(folder) else {
        return Ok(None);
    };
    let family = family.map_err(SetError::Family)?;
    let instance = family
        .members(folder)
        .find(|(member, _)| member == path)
        .map(|(_, instance)| instance.size);
    Ok(instance.map(|size| Size {
        family: family.name(folder),
        size,
    }))
}

/// The parts of a path, the suite, and the part with which the id begins.
fn place(path: &Path, origin: Origin<'_>) -> (Vec<String>, String, usize) {
    let parts: Vec<String> = path.components().filter_map(normal).collect();
    let is_suite = |part: &String| {
        part.strip_prefix("suite")
            .is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
    };
    let folders = parts.len().saturating_sub(1);
    let depth = |folder: &Path| folder.components().filter_map(normal).count();
    let numbered = parts[..folders].iter().position(is_suite);
    let start = numbered.unwrap_or_else(|| match origin {
        Origin::Named => folders.saturating_sub(1),
        Origin::Folder(root) => depth(root).min(folders.saturating_sub(1)),
        Origin::SetFile(file) => depth(file).saturating_sub(1).min(folders),
    });
    let suite = match origin {
        Origin::SetFile(file) if numbered.is_none() => file
            .file_stem()
            .map(|stem| stem.to_string_lossy().into_owned()),
        _ => parts.get(start).filter(|_| start < folders).cloned(),
    };
    (parts, suite.unwrap_or_else(|| "tasks".to_owned()), start)
}

fn normal(component: Component<'_>) -> Option<String> {
    match component {
        Component::Normal(part) => Some(part.to_string_lossy().into_owned()),
        _ => None,
    }
}

/// An absolute path without `.` and `..`, as far as that can be told from the text alone or from the file system.
fn absolute(path: &Path) -> Result<PathBuf, SetError> {
    let unreadable = |error| SetError::Unreadable(path.to_owned(), error);
    let full = std::path::absolute(path).map_err(unreadable)?;
    if full
        .components()
        .any(|component| component == Component::ParentDir)
    {
        fs::canonicalize(&full).map_err(unreadable)
    } else {
        Ok(full)
    }
}

fn expand(pattern: &str) -> Result<Vec<PathBuf>, SetError> {
    let bad = |error: glob::PatternError| SetError::Glob {
        pattern: pattern.to_owned(),
        message: error.msg.to_owned(),
    };
    let mut paths = Vec::new();
    for path in glob::glob(pattern).map_err(bad)? {
        paths.push(
            path.map_err(|error| SetError::Unreadable(error.path().to_owned(), error.into()))?,
        );
    }
    paths.sort();
    Ok(paths)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TASK: &str = "format_version: '2.0'\ninput_files: 'x.c'\nproperties: [{property_file: unreach-call.prp, expected_verdict: true}]\n";

    fn corpus(files: &[(&str, &str)]) -> tempfile::TempDir {
        let root = tempfile::tempdir().expect("a folder");
        for (name, text) in files {
            let path = root.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(&path, text).expect("a file");
            fs::write(path.with_file_name("x.c"), "").expect("a file");
        }
        root
    }

    fn ids(root: &Path, sets: &[&str]) -> Vec<(String, String)> {
        let sets: Vec<String> = sets
            .iter()
            .map(|set| root.join(set).to_string_lossy().into_owned())
            .collect();
        let found = discover(&sets, "unreach-call").expect("sets");
        found
            .tasks
            .into_iter()
            .map(|task| (task.suite, task.id))
            .collect()
    }

    fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
        expected
            .iter()
            .map(|(suite, id)| ((*suite).to_owned(), (*id).to_owned()))
            .collect()
    }

    #[test]
    fn suites_and_ids_do_not_depend_on_where_the_collection_lies() {
        let root = corpus(&[
            ("c/suite1-x/loops/a.yml", TASK),
            ("c/suite3b-y/b.yml", TASK),
        ]);
        let expected = pairs(&[
            ("suite1-x", "suite1-x/loops/a.yml"),
            ("suite3b-y", "suite3b-y/b.yml"),
        ]);
        assert_eq!(ids(root.path(), &["c"]), expected);
        assert_eq!(
            ids(root.path(), &["c/suite1-x/loops", "c/suite3b-y/b.yml"]),
            expected
        );
        assert_eq!(ids(root.path(), &["c/*/*.yml"]), expected[1..]);
    }

    #[test]
    fn other_folders_are_suites_by_their_place() {
        let root = corpus(&[
            ("b/examples/e.yml", TASK),
            ("b/scaling/loops/l.yml", TASK),
            ("b/top.yml", TASK),
        ]);
        let expected = pairs(&[
            ("examples", "examples/e.yml"),
            ("scaling", "scaling/loops/l.yml"),
            ("b", "b/top.yml"),
        ]);
        assert_eq!(ids(root.path(), &["b"]), expected);
        assert_eq!(ids(root.path(), &["b/examples"]), expected[..1]);
        assert_eq!(ids(root.path(), &["b/examples/e.yml"]), expected[..1]);
    }

    #[test]
    fn set_files_name_globs_relative_to_themselves() {
        let root = corpus(&[
            ("c/loops/a.yml", TASK),
            ("c/loops/b.yml", TASK),
            ("c/heap/h.yml", TASK),
        ]);
        fs::write(
            root.path().join("c/Loops.set"),
            "# comment\nloops/*.yml\n\nnone/*.yml\n",
        )
        .expect("a file");
        let set = root
            .path()
            .join("c/Loops.set")
            .to_string_lossy()
            .into_owned();
        let found = discover(&[set], "unreach-call").expect("a set");
        let names: Vec<(&str, &str)> = found
            .tasks
            .iter()
            .map(|task| (task.suite.as_str(), task.id.as_str()))
            .collect();
        assert_eq!(names, [("Loops", "loops/a.yml"), ("Loops", "loops/b.yml")]);
        assert_eq!(found.notes.len(), 1);
    }

    #[test]
    fn a_task_is_counted_once_and_other_yaml_not_at_all() {
        let root = corpus(&[
            ("c/a.yml", TASK),
            ("c/ci.yml", "jobs: {}"),
            ("c/bad.yml", "input_files: ["),
            ("c/t.yml", &TASK.replace("unreach", "x")),
        ]);
        let all = root.path().join("c").to_string_lossy().into_owned();
        let found = discover(&[all.clone(), all], "unreach-call").expect("a set");
        let names: Vec<(&str, bool)> = found
            .tasks
            .iter()
            .map(|task| (task.id.as_str(), task.content.is_ok()))
            .collect();
        assert_eq!(names, [("c/a.yml", true), ("c/bad.yml", false)]);
        assert_eq!(found.notes.len(), 2);
    }

    #[test]
    fn members_of_a_family_have_a_size() {
        let root = corpus(&[("s/f/a.yml", TASK), ("s/f/b.yml", TASK)]);
        fs::write(
            root.path().join("s/f/family.toml"),
            "[[instance]]\ntask = 'b.yml'\nsize = 20\n[[instance]]\ntask = 'c.yml'\nsize = 30\n",
        )
        .expect("a file");
        let found = discover(
            &[root.path().join("s").to_string_lossy().into_owned()],
            "unreach-call",
        )
        .expect("a set");
        assert_eq!(found.notes.len(), 1);
        let sizes: Vec<Option<Size>> = found.tasks.into_iter().map(|task| task.size).collect();
        assert_eq!(
            sizes,
            [
                None,
                Some(Size {
                    family: "f".into(),
                    size: 20.0
                })
            ]
        );
    }

    #[test]
    fn tasks_with_the_same_name_get_different_ids() {
        let root = corpus(&[("old/suite1/a.yml", TASK), ("new/suite1/a.yml", TASK)]);
        let expected = pairs(&[("suite1", "suite1/a.yml"), ("suite1", "new/suite1/a.yml")]);
        assert_eq!(ids(root.path(), &["old", "new"]), expected);
    }

    #[test]
    fn a_set_that_is_not_there_is_an_error() {
        assert!(matches!(
            discover(&["no/such/*.yml".into()], "unreach-call"),
            Err(SetError::Nothing(_))
        ));
        assert!(matches!(
            discover(&["a[".into()], "unreach-call"),
            Err(SetError::Glob { .. })
        ));
    }
}
