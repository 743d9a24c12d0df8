//! Task definitions of SV-COMP (format 2.0), as far as running them needs it.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde::de::IgnoredAny;
use thiserror::Error;

use super::{Content, DataModel};
use crate::verdict::Verdict;

/// A task definition as it stands in its file. Fields that we don't need are passed over.
#[derive(Clone, Debug, Deserialize)]
pub struct Definition {
    /// Written with and without quotes; that it is there says that this is a task definition.
    format_version: Option<IgnoredAny>,
    input_files: Option<OneOrMany>,
    #[serde(default)]
    properties: Vec<Property>,
    #[serde(default)]
    options: Options,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
enum OneOrMany {
    One(String),
    Many(Vec<String>),
}

#[derive(Clone, Debug, Deserialize)]
struct Property {
    property_file: PathBuf,
    expected_verdict: Option<bool>,
}

#[derive(Clone, Debug, Default, Deserialize)]
struct Options {
    data_model: Option<String>,
}

/// Why a task definition can't be used.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum DefinitionError {
    /// The file can't be read.
    #[error("can't be read: {0}")]
    Unreadable(String),
    /// It is not valid YAML, or fields have the wrong type.
    #[error("not a task definition: {0}")]
    Malformed(String),
    /// It is valid YAML about something else.
    #[error("not a task definition: no input_files")]
    SomethingElse,
    /// It has no such property.
    #[error("has no property {0}")]
    NoProperty(String),
    /// The data model has an unknown name.
    #[error("unknown data model {0}")]
    DataModel(String),
    /// An input file is missing.
    #[error("input file {0} is missing")]
    MissingInput(String),
}

impl Definition {
    /// Reads a task definition.
    ///
    /// # Errors
    ///
    /// When the file can't be read or is not a task definition.
    pub fn read(path: &Path) -> Result<Definition, DefinitionError> {
        let text = fs::read_to_string(path)
            .map_err(|error| DefinitionError::Unreadable(error.to_string()))?;
        Definition::parse(&text)
    }

    fn parse(text: &str) -> Result<Definition, DefinitionError> {
        let definition: Definition = serde_saphyr::from_str(text).map_err(|error| {
            let message = error.to_string();
            DefinitionError::Malformed(message.lines().next().unwrap_or_default().to_owned())
        })?;
        if definition.input_files.is_none() && definition.format_version.is_none() {
            return Err(DefinitionError::SomethingElse);
        }
        Ok(definition)
    }

    /// What the definition, which stands in `folder`, says about the property with this name (its file's name without extension).
    ///
    /// # Errors
    ///
    /// When there is nothing about that property, or something about it can't be used.
    pub fn content(&self, folder: &Path, property: &str) -> Result<Content, DefinitionError> {
        let names_it = |entry: &&Property| {
            entry
                .property_file
                .file_stem()
                .is_some_and(|stem| stem == property)
        };
        let entry = self
            .properties
            .iter()
            .find(names_it)
            .ok_or_else(|| DefinitionError::NoProperty(property.to_owned()))?;
        let names = match &self.input_files {
            None => return Err(DefinitionError::SomethingElse),
            Some(OneOrMany::One(name)) => std::slice::from_ref(name),
            Some(OneOrMany::Many(names)) => names.as_slice(),
        };
        if names.is_empty() {
            return Err(DefinitionError::SomethingElse);
        }
        let files: Vec<PathBuf> = names.iter().map(|name| folder.join(name)).collect();
        if let Some(missing) = files.iter().position(|file| !file.is_file()) {
            return Err(DefinitionError::MissingInput(names[missing].clone()));
        }
        let data_model = match self.options.data_model.as_deref() {
            None => DataModel::default(),
            Some("ILP32") => DataModel::Ilp32,
            Some("LP64") => DataModel::Lp64,
            Some(other) => return Err(DefinitionError::DataModel(other.to_owned())),
        };
        let expected = entry.expected_verdict.map(|holds| {
            if holds {
                Verdict::Safe
            } else {
                Verdict::Unsafe
            }
        });
        Ok(Content {
            files,
            property: folder.join(&entry.property_file),
            expected,
            data_model,
        })
    }
}

#[cfg(test)]
mod tests {
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
options:
  language: C
  data_model: ILP32
";

    fn content(text: &str, property: &str) -> Result<Content, DefinitionError> {
        let folder = tempfile::tempdir().expect("a folder");
        fs::write(folder.path().join("x.c"), "").expect("a file");
        Definition::parse(text)?.content(folder.path(), property)
    }

    #[test]
    fn the_property_is_chosen_by_name() {
        let unreach = content(TASK, "unreach-call").expect("a task");
        assert_eq!(unreach.expected, Some(Verdict::Unsafe));
        assert_eq!(unreach.data_model, DataModel::Ilp32);
        assert!(unreach.property.ends_with("../properties/unreach-call.prp"));
        assert_eq!(
            content(TASK, "termination").expect("a task").expected,
            Some(Verdict::Safe)
        );
        assert_eq!(
            content(TASK, "coverage-branches").expect("a task").expected,
            None
        );
        assert_eq!(
            content(TASK, "no-overflow"),
            Err(DefinitionError::NoProperty("no-overflow".into()))
        );
    }

    #[test]
    fn lists_and_unquoted_versions_are_fine() {
        let text = "format_version: 2.0\ninput_files: [x.c]\nproperties: [{property_file: p/unreach-call.prp}]\n";
        let content = content(text, "unreach-call").expect("a task");
        assert_eq!(
            (content.files.len(), content.data_model),
            (1, DataModel::Lp64)
        );
    }

    #[test]
    fn what_is_wrong_is_said() {
        assert_eq!(
            content("jobs: {build: 1}", "unreach-call"),
            Err(DefinitionError::SomethingElse)
        );
        assert!(matches!(
            content("input_files: {", "unreach-call"),
            Err(DefinitionError::Malformed(_))
        ));
        assert!(matches!(
            content("properties: 3\ninput_files: x.c", "unreach-call"),
            Err(DefinitionError::Malformed(_))
        ));
        let missing = TASK.replace("x.c", "y.c");
        assert_eq!(
            content(&missing, "unreach-call"),
            Err(DefinitionError::MissingInput("y.c".into()))
        );
        let odd = TASK.replace("ILP32", "LP128");
        assert_eq!(
            content(&odd, "unreach-call"),
            Err(DefinitionError::DataModel("LP128".into()))
        );
    }
}
