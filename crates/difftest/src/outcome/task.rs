//! SV-COMP task definition files.

use std::path::{Path, PathBuf};

use rhumb_cfront::{LoadError, load_task};
use thiserror::Error;

use crate::model::DataModel;

/// A C file, its data model, and the functions that must not be called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GccTask {
    /// The name in reports: the definition file.
    pub name: String,
    /// The C file, preprocessed or not.
    pub file: PathBuf,
    /// Sizes of the basic types.
    pub model: DataModel,
    /// The functions whose call is the target.
    pub targets: Vec<String>,
}

/// Why a task definition can not be used.
#[derive(Debug, Error)]
pub enum TaskError {
    /// The file or folder can not be read.
    #[error("{path}: {error}")]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// The system's explanation.
        error: std::io::Error,
    },
    /// The file is not a task definition.
    #[error("{0}")]
    Malformed(#[from] LoadError),
}

impl GccTask {
    /// Reads a task definition; the target is `reach_error`.
    ///
    /// # Errors
    /// When the file can not be read, or is not a definition of a task with one C file.
    pub fn read(path: &Path) -> Result<Self, TaskError> {
        let task = load_task(path)?;
        let file = task.program()?.to_owned();
        Ok(Self {
            name: path.display().to_string(),
            file,
            model: task.data_model.unwrap_or_default().into(),
            targets: vec!["reach_error".to_owned()],
        })
    }
}

/// All task definitions below a folder, in the order of their names. Files without a C program in
/// them (`.yml` can be anything) are left out.
///
/// # Errors
/// When a folder or a definition can not be read.
pub fn find_tasks(folder: &Path) -> Result<Vec<GccTask>, TaskError> {
    let mut paths = Vec::new();
    collect(folder, &mut paths)?;
    paths.sort();
    paths.iter().map(|path| GccTask::read(path)).collect()
}

fn collect(folder: &Path, paths: &mut Vec<PathBuf>) -> Result<(), TaskError> {
    let unreadable = |error| TaskError::Unreadable {
        path: folder.to_owned(),
        error,
    };
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.is_dir() {
            collect(&path, paths)?;
        } else if path.extension().is_some_and(|extension| extension == "yml") {
            paths.push(path);
        }
    }
    Ok(())
}
