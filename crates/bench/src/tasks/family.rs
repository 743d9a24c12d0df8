//! Families: folders of tasks that differ in one size.
//!
//! A folder is a family when it has a `family.toml`:
//!
//! ```toml
//! name = "loop-bound"            # optional; the folder's name otherwise
//! knob = "iterations of the loop" # optional
//!
//! [[instance]]
//! task = "bound-10.yml"
//! size = 10
//! ```

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

/// The file that makes a folder a family.
pub(super) const FILE: &str = "family.toml";

/// A family as its file has it.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(super) struct Family {
    name: Option<String>,
    #[serde(default, rename = "instance")]
    instances: Vec<Instance>,
}

/// A member of a family.
#[derive(Clone, PartialEq, Debug, Deserialize)]
pub(super) struct Instance {
    task: PathBuf,
    /// Any number; written with or without a fraction.
    pub(super) size: f64,
}

impl Family {
    /// Reads the family that a folder is, if it is one.
    pub(super) fn of_folder(folder: &Path) -> Option<Result<Family, String>> {
        let path = folder.join(FILE);
        if !path.is_file() {
            return None;
        }
        let family = fs::read_to_string(&path)
            .map_err(|error| error.to_string())
            .and_then(|text| Family::parse(&text));
        Some(family.map_err(|message| format!("{}: {message}", path.display())))
    }

    fn parse(text: &str) -> Result<Family, String> {
        let family: Family = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        match family
            .instances
            .iter()
            .find(|instance| !instance.size.is_finite())
        {
            Some(instance) => Err(format!(
                "the size of {} is not a finite number",
                instance.task.display()
            )),
            None => Ok(family),
        }
    }

    /// The name, given the folder that the family is.
    pub(super) fn name(&self, folder: &Path) -> String {
        let of_folder = || {
            folder
                .file_name()
                .map(|name| name.to_string_lossy().into_owned())
                .unwrap_or_default()
        };
        self.name.clone().unwrap_or_else(of_folder)
    }

    /// The members with the path of their task definitions.
    pub(super) fn members<'a>(
        &'a self,
        folder: &'a Path,
    ) -> impl Iterator<Item = (PathBuf, &'a Instance)> {
        self.instances
            .iter()
            .map(move |instance| (folder.join(&instance.task), instance))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_may_be_whole_or_not() {
        let family = Family::parse(
            "[[instance]]\ntask = 'a.yml'\nsize = 10\n[[instance]]\ntask = 'b.yml'\nsize = 1.5e9",
        )
        .expect("a family");
        assert_eq!(family.name(Path::new("x/loop-bound")), "loop-bound");
        let sizes: Vec<f64> = family
            .members(Path::new("x"))
            .map(|(_, instance)| instance.size)
            .collect();
        assert_eq!(sizes, [10.0, 1.5e9]);
        assert!(Family::parse("[[instance]]\ntask = 'a.yml'\nsize = inf").is_err());
        assert!(Family::parse("[[instance]]\ntask = 'a.yml'").is_err());
    }
}
