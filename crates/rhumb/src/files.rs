//! Which files a program is made of.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_cfront::{
    CompileCommand, DATABASE, LoadError, Project, TaskFile, closest, load_project, load_task,
};
use rhumb_program::DataModel;

use crate::input::{InputError, Question};

/// The files of a program, and what the place where they were named says of them.
#[derive(Default)]
pub(crate) struct Chosen {
    /// The files: those of the program first, then those that stand in for others.
    pub(crate) files: Vec<CFile>,
    /// The task definition that names them.
    pub(crate) task: Option<TaskFile>,
    /// The sizes of C's types, where the project says them.
    pub(crate) data_model: Option<DataModel>,
    /// Whether signed numbers wrap, since the project is compiled so.
    pub(crate) wraps: bool,
    /// What the user should know.
    pub(crate) notes: Vec<String>,
}

/// A file of a program.
pub(crate) struct CFile {
    pub(crate) path: PathBuf,
    /// What the preprocessor gets for this file alone.
    pub(crate) arguments: Vec<String>,
    pub(crate) is_model: bool,
}

impl CFile {
    fn plain(path: PathBuf) -> CFile {
        CFile {
            path,
            arguments: Vec::new(),
            is_model: false,
        }
    }
}

impl Chosen {
    /// What the user has named.
    pub(crate) fn of(files: &[PathBuf], question: &Question) -> Result<Chosen, InputError> {
        let mut chosen = Chosen::default();
        if let Some(project) = &question.project {
            chosen.add_project(&load_project(project)?, files)?;
        } else {
            match files {
                [file] if is_task(file) => chosen.add_task(file)?,
                [] => return Err(InputError::Files("no C file is given".to_owned())),
                _ => chosen.add_files(files)?,
            }
        }
        for model in &question.models {
            let is_model = true;
            let arguments = Vec::new();
            let path = model.clone();
            chosen.files.push(CFile {
                path,
                arguments,
                is_model,
            });
        }
        Ok(chosen)
    }

    fn add_task(&mut self, file: &Path) -> Result<(), InputError> {
        let task = load_task(file)?;
        self.files = task.files.iter().cloned().map(CFile::plain).collect();
        self.task = Some(task);
        Ok(())
    }

    fn add_files(&mut self, files: &[PathBuf]) -> Result<(), InputError> {
        for file in files {
            if file.is_dir() {
                let inside = c_files(file)?.into_iter();
                self.files.extend(inside.map(CFile::plain));
            } else if is_task(file) {
                let file = file.display();
                return Err(InputError::Files(format!(
                    "{file}: a task definition stands alone; it names its files"
                )));
            } else {
                refuse_language(file)?;
                refuse_misspelt(file)?;
                self.files.push(CFile::plain(file.clone()));
            }
        }
        for (index, file) in self.files.iter().enumerate() {
            if self.files[..index]
                .iter()
                .any(|known| is_same(&known.path, &file.path))
            {
                let file = file.path.display();
                return Err(InputError::Files(format!("{file}: is given twice")));
            }
        }
        Ok(())
    }

    /// The files of a project that were named, or all.
    fn add_project(&mut self, project: &Project, named: &[PathBuf]) -> Result<(), InputError> {
        let commands: Vec<&CompileCommand> = match named {
            [] => project.commands.iter().collect(),
            _ => named
                .iter()
                .map(|file| find(project, file))
                .collect::<Result<_, InputError>>()?,
        };
        self.data_model = commands.iter().find_map(|command| command.data_model);
        let differs = |command: &&&CompileCommand| {
            command.data_model.is_some() && command.data_model != self.data_model
        };
        if let Some(other) = commands.iter().find(differs) {
            return Err(InputError::Files(format!(
                "{}: is compiled for other sizes of types than the files before it (in {})",
                other.file.display(),
                project.path.display()
            )));
        }
        self.wraps = !commands.is_empty() && commands.iter().all(|command| command.wraps);
        for command in commands {
            if let Some(option) = command.unsupported.first() {
                return Err(InputError::Files(format!(
                    "{}: is compiled with `{option}`, which changes what the program means and can't be followed",
                    command.file.display()
                )));
            }
            self.files.push(CFile {
                path: command.file.clone(),
                arguments: command.arguments.clone(),
                is_model: false,
            });
        }
        if self.wraps {
            let text = "signed numbers wrap: the project is compiled with -fwrapv";
            self.notes.push(text.to_owned());
        }
        Ok(())
    }
}

fn find<'p>(project: &'p Project, file: &Path) -> Result<&'p CompileCommand, InputError> {
    let same = |command: &&CompileCommand| {
        command.file == file
            || matches!(
                (command.file.canonicalize(), file.canonicalize()),
                (Ok(known), Ok(asked)) if known == asked
            )
    };
    project.commands.iter().find(same).ok_or_else(|| {
        let names = project.commands.iter().take(5);
        let names: Vec<String> = names
            .map(|command| command.file.display().to_string())
            .collect();
        let more = match project.commands.len() {
            0..=5 => "",
            _ => ", ...",
        };
        InputError::Files(format!(
            "{}: is not in {}, which has {}{more}",
            file.display(),
            project.path.display(),
            names.join(", ")
        ))
    })
}

fn is_task(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| extension == "yml" || extension == "yaml")
}

/// The C files of a folder, by name.
fn c_files(folder: &Path) -> Result<Vec<PathBuf>, InputError> {
    let unreadable = |reason| LoadError::Unreadable {
        path: folder.to_owned(),
        reason,
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        if path.extension().is_some_and(|extension| extension == "c") {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        let hint = match folder.join(DATABASE).is_file() {
            true => format!("; is it a build folder? --project {}", folder.display()),
            false => String::new(),
        };
        let folder = folder.display();
        return Err(InputError::Files(format!(
            "{folder}: a directory without C files{hint}"
        )));
    }
    Ok(files)
}

/// Whether two names are names of one file.
fn is_same(one: &Path, other: &Path) -> bool {
    let plain = |path: &Path| path.canonicalize().ok();
    one == other || plain(one).is_some_and(|one| Some(one) == plain(other))
}

/// Says which file may be meant, if one is not there and another has almost its name.
fn refuse_misspelt(file: &Path) -> Result<(), InputError> {
    let name = file.file_name().and_then(|name| name.to_str());
    let (false, Some(name)) = (file.exists(), name) else {
        return Ok(());
    };
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    let entries = std::fs::read_dir(folder.unwrap_or(Path::new(".")));
    let entries = entries.into_iter().flatten().flatten();
    let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let mut names: Vec<Arc<str>> = names.map(Arc::from).collect();
    names.sort_unstable();
    match closest(name, names.iter()) {
        Some(similar) => {
            let (file, similar) = (file.display(), file.with_file_name(&*similar));
            let similar = similar.display();
            let problem = format!("{file}: no such file; did you mean {similar}?");
            Err(InputError::Files(problem))
        }
        None => Ok(()),
    }
}

/// Says at once that another language is none that we know.
fn refuse_language(file: &Path) -> Result<(), InputError> {
    let extension = file.extension().and_then(|extension| extension.to_str());
    let what = match extension {
        Some("cc" | "cpp" | "cxx" | "C" | "hpp" | "hh" | "ii") => {
            "C++, and Rhumb checks C: give a file that ends in .c"
        }
        Some("rs") => "Rust, and Rhumb checks C",
        Some("o" | "a" | "so" | "bc" | "ll") => "compiled code: give the C files",
        Some("prp") => "a property: give it with --property, and a C file",
        Some("json") => {
            "no C file: a certificate goes with `rhumb validate --certificate`, a compilation database with --project"
        }
        _ => return Ok(()),
    };
    match file.exists() {
        true => {
            let file = file.display();
            Err(InputError::Files(format!("{file}: is {what}")))
        }
        false => Ok(()),
    }
}
