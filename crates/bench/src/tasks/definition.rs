//! Task definitions of SV-COMP (format 2.0), as far as running them needs it.

use std::path::Path;

use rhumb_cfront::{LoadError, TaskProperty, load_task};
use thiserror::Error;

use super::Content;
use crate::verdict::Verdict;

/// Why a task definition can't be used.
#[derive(Debug, Error)]
pub enum DefinitionError {
    /// It can't be read, or is malformed.
    #[error("{0}")]
    Bad(LoadError),
    /// It is valid YAML about something else.
    #[error("not a task definition: no input_files")]
    SomethingElse,
    /// It has no such property.
    #[error("has no property {0}")]
    NoProperty(String),
    /// An input file is missing.
    #[error("input file {0} is missing")]
    MissingInput(String),
}

/// What the property is called in task sets that ask the same in an older spelling (of the error function's name, say).
const OLDER: &str = "-old";

/// What the task definition at `path` says about the property with this name (its file's name without extension), or
/// else about its older spelling.
///
/// # Errors
///
/// When the file is no task definition, when there is nothing about that property, or something about it can't be used.
pub fn content(path: &Path, property: &str) -> Result<Content, DefinitionError> {
    let task = load_task(path).map_err(|error| match error {
        LoadError::NotATask(_) => DefinitionError::SomethingElse,
        error => DefinitionError::Bad(error),
    })?;
    let named = |name: &str| {
        let names_it = |entry: &&TaskProperty| {
            let stem = entry.property_file.file_stem();
            stem.is_some_and(|stem| stem == name)
        };
        task.properties.iter().find(names_it)
    };
    let entry = named(property)
        .or_else(|| named(&format!("{property}{OLDER}")))
        .ok_or_else(|| DefinitionError::NoProperty(property.to_owned()))?;
    if let Some(missing) = task.files.iter().find(|file| !file.is_file()) {
        let name = missing.file_name().unwrap_or_default().to_string_lossy();
        return Err(DefinitionError::MissingInput(name.into_owned()));
    }
    let expected = entry.expected_verdict.map(|holds| match holds {
        true => Verdict::Safe,
        false => Verdict::Unsafe,
    });
    Ok(Content {
        property: entry.property_file.clone(),
        expected,
        subproperty: entry.subproperty.clone(),
        data_model: task.data_model.unwrap_or_default(),
        files: task.files,
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use rhumb_program::DataModel;

    use super::*;

    const TASK: &str = "
format_version: '2.0'
# a comment
input_files: 'x.c'
properties:
  - property_file: ../properties/termination.prp
    expected_verdict: true
  - property_file: ../properties/unreach-call.prp
    expected_verdict: false
  - property_file: ../properties/coverage-branches.prp
  - property_file: ../properties/valid-memsafety.prp
    expected_verdict: false
    subproperty: valid-free
options:
  language: C
  data_model: ILP32
";

    fn read(text: &str, property: &str) -> Result<Content, DefinitionError> {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("x.c"), "").expect("a file");
        let task = folder.path().join("x.yml");
        fs::write(&task, text).expect("a file");
        content(&task, property)
    }

    #[test]
    fn the_property_is_chosen_by_name() {
        let unreach = read(TASK, "unreach-call").expect("a task");
        assert_eq!(unreach.expected, Some(Verdict::Unsafe));
        assert_eq!(unreach.data_model, DataModel::Ilp32);
        assert!(unreach.property.ends_with("../properties/unreach-call.prp"));
        assert_eq!(
            read(TASK, "termination").expect("a task").expected,
            Some(Verdict::Safe)
        );
        assert_eq!(
            read(TASK, "coverage-branches").expect("a task").expected,
            None
        );
        let older = TASK.replace("unreach-call", "unreach-call-old");
        let older = read(&older, "unreach-call").expect("a task");
        assert!(older.property.ends_with("unreach-call-old.prp"));
        let memory = read(TASK, "valid-memsafety").expect("a task");
        assert_eq!(memory.subproperty.as_deref(), Some("valid-free"));
        assert!(matches!(
            read(TASK, "no-overflow"),
            Err(DefinitionError::NoProperty(name)) if name == "no-overflow"
        ));
    }

    #[test]
    fn lists_and_unquoted_versions_are_fine() {
        let text = "format_version: 2.0\ninput_files: [x.c]\nproperties: [{property_file: p/unreach-call.prp}]\n";
        let content = read(text, "unreach-call").expect("a task");
        assert_eq!(
            (content.files.len(), content.data_model),
            (1, DataModel::Lp64)
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert!(matches!(
            read("jobs: {build: 1}", "unreach-call"),
            Err(DefinitionError::SomethingElse)
        ));
        for (text, why) in [
            ("input_files: {".to_owned(), "not a task definition"),
            (
                "properties: 3\ninput_files: x.c".to_owned(),
                "not a task definition",
            ),
            (TASK.replace("x.c", "y.c"), "input file y.c is missing"),
            (TASK.replace("ILP32", "LP128"), "unknown data model `LP128`"),
        ] {
            let error = read(&text, "unreach-call").expect_err(&text).to_string();
            assert!(error.contains(why), "{error}");
        }
    }
}
