//! Compilation databases (`compile_commands.json`): which files a project has, and with which options each is compiled.

use std::path::{Component, Path, PathBuf};

use rhumb_program::DataModel;
use serde::Deserialize;

use crate::source::{FileMessage, LoadError, read_file};

/// Larger files are no compilation databases.
const MAX_SIZE: u64 = 256 << 20;

/// The name of the file in a build folder.
pub const DATABASE: &str = "compile_commands.json";

/// What a build system says about a project.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Project {
    /// The database.
    pub path: PathBuf,
    /// How each C file is compiled, in the order of the database, each file once.
    pub commands: Vec<CompileCommand>,
}

/// How a file is compiled.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CompileCommand {
    /// The file.
    pub file: PathBuf,
    /// What the preprocessor has to know.
    pub arguments: Vec<String>,
    /// The sizes of C's types, where an option says them.
    pub data_model: Option<DataModel>,
    /// Whether signed numbers wrap.
    pub wraps: bool,
    /// Options that change what the program means in a way that is not followed.
    pub unsupported: Vec<String>,
}

#[derive(Deserialize)]
struct RawCommand {
    directory: PathBuf,
    file: PathBuf,
    arguments: Option<Vec<String>>,
    command: Option<String>,
}

/// Reads the database of a build folder, or the database itself.
pub fn load_project(path: &Path) -> Result<Project, LoadError> {
    let path = match path.is_dir() {
        true => path.join(DATABASE),
        false => path.to_owned(),
    };
    let text = read_file(&path, MAX_SIZE)?;
    parse_project(&path, &text)
}

fn parse_project(path: &Path, text: &[u8]) -> Result<Project, LoadError> {
    let name = path.to_string_lossy();
    let raw: Vec<RawCommand> = serde_json::from_slice(text).map_err(|error| {
        let message = format!("not a compilation database: {}", plain(&error));
        let (line, column) = (error.line() as u32, error.column() as u32);
        LoadError::from(FileMessage::new(&*name, line, column, message))
    })?;
    let mut commands: Vec<CompileCommand> = Vec::new();
    let here = path.parent().unwrap_or(Path::new(""));
    for entry in raw {
        // The folder is absolute, or meant from where the database lies.
        let folder = here.join(&entry.directory);
        let file = tidy(&folder.join(&entry.file));
        if !is_c(&file) || commands.iter().any(|known| known.file == file) {
            continue;
        }
        let words = match (entry.arguments, entry.command) {
            (Some(words), _) => words,
            (None, Some(line)) => shlex::split(&line).unwrap_or_default(),
            (None, None) => Vec::new(),
        };
        let mut command = CompileCommand::of(&words, &folder);
        command.file = file;
        commands.push(command);
    }
    if commands.is_empty() {
        let message = "the compilation database has no C file";
        return Err(FileMessage::new(&*name, 0, 0, message).into());
    }
    let path = path.to_owned();
    Ok(Project { path, commands })
}

/// What is wrong, without the place, which is said elsewhere.
fn plain(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// Other languages have their own ends of names; a database has them all.
fn is_c(file: &Path) -> bool {
    file.extension()
        .is_some_and(|extension| extension == "c" || extension == "i")
}

/// Options that the preprocessor takes with the word behind them, which is a path.
const WITH_PATH: &[&str] = &[
    "-I",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-include",
    "-imacros",
    "-isysroot",
    "--sysroot",
];

/// Options that change what a program means, beside those that are followed.
const MEANING: &[&str] = &[
    "-funsigned-char",
    "-funsigned-bitfields",
    "-fshort-enums",
    "-fshort-wchar",
    "-fpack-struct",
    "-mms-bitfields",
    "-fshort-double",
    "-ffast-math",
    "-Ofast",
    "-frounding-math",
];

impl CompileCommand {
    /// What matters of a compiler's command line that is run in a folder.
    fn of(words: &[String], folder: &Path) -> CompileCommand {
        let mut command = CompileCommand::default();
        let path = |text: &str| {
            let path = tidy(&folder.join(text));
            path.to_string_lossy().into_owned()
        };
        let mut words = words.iter().skip(1);
        while let Some(word) = words.next() {
            let joined = WITH_PATH.iter().find(|option| word.starts_with(**option));
            if let Some(option) = joined {
                let rest = word[option.len()..].trim_start_matches('=');
                let value = match rest.is_empty() {
                    true => words.next().map_or("", String::as_str),
                    false => rest,
                };
                command.arguments.push((*option).to_owned());
                command.arguments.push(path(value));
                continue;
            }
            match word.as_str() {
                "-D" | "-U" => {
                    let name = words.next().map_or("", String::as_str);
                    command.arguments.push(format!("{word}{name}"));
                }
                "-m32" => command.data_model = Some(DataModel::Ilp32),
                "-m64" => command.data_model = Some(DataModel::Lp64),
                "-fwrapv" => command.wraps = true,
                "-o" | "-MF" | "-MT" | "-MQ" | "-x" => {
                    words.next();
                }
                _ if MEANING.iter().any(|option| word.starts_with(option)) => {
                    command.unsupported.push(word.clone());
                }
                _ if is_for_the_preprocessor(word) => command.arguments.push(word.clone()),
                _ => {}
            }
        }
        command
    }
}

fn is_for_the_preprocessor(word: &str) -> bool {
    ["-D", "-U", "-std=", "-Wp,"]
        .iter()
        .any(|option| word.starts_with(option))
        || matches!(
            word,
            "-ansi" | "-pthread" | "-nostdinc" | "-undef" | "-trigraphs"
        )
}

/// The path from here, if it lies below; without `.` and `..` where that is possible.
fn tidy(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir
                if matches!(plain.components().next_back(), Some(Component::Normal(_))) =>
            {
                plain.pop();
            }
            part => plain.push(part),
        }
    }
    let here = std::env::current_dir().ok();
    match here.and_then(|here| plain.strip_prefix(here).ok().map(Path::to_owned)) {
        Some(below) if !below.as_os_str().is_empty() => below,
        _ => plain,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Project, LoadError> {
        parse_project(Path::new("/p/build/compile_commands.json"), text.as_bytes())
    }

    #[test]
    fn both_forms_of_commands() {
        let project = parse(
            r#"[{"directory": "/p/build", "file": "../src/a.c",
                 "command": "cc -Iinc -I ../x -DA='\"q r\"' -D B=2 -UC -O2 -Wall -std=c99 -c ../src/a.c -o a.o"},
                {"directory": "/p", "file": "src/b.c",
                 "arguments": ["cc", "-m32", "-fwrapv", "-isystem", "sys", "-include", "c.h", "-funsigned-char", "-MF", "x.d"]},
                {"directory": "/p", "file": "src/b.c", "arguments": ["cc", "-DTWICE"]},
                {"directory": "/p", "file": "src/c.cpp", "command": "c++ c.cpp"}]"#,
        )
        .expect("a database");
        let [a, b] = &project.commands[..] else {
            panic!("two C files: {project:?}");
        };
        assert_eq!(a.file, Path::new("/p/src/a.c"));
        let expected = [
            "-I",
            "/p/build/inc",
            "-I",
            "/p/x",
            "-DA=\"q r\"",
            "-DB=2",
            "-UC",
            "-std=c99",
        ];
        assert_eq!(a.arguments, expected);
        assert_eq!((a.data_model, a.wraps), (None, false));
        assert_eq!(b.file, Path::new("/p/src/b.c"));
        assert_eq!(b.arguments, ["-isystem", "/p/sys", "-include", "/p/c.h"]);
        assert_eq!((b.data_model, b.wraps), (Some(DataModel::Ilp32), true));
        assert_eq!(b.unsupported, ["-funsigned-char"]);
    }

    #[test]
    fn what_is_no_database() {
        for (text, expected) in [
            (
                "{}",
                "not a compilation database: invalid type: map, expected a sequence",
            ),
            ("[", "not a compilation database: EOF while parsing a list"),
            ("[]", "the compilation database has no C file"),
            (r#"[{"file": "a.c"}]"#, "missing field `directory`"),
        ] {
            let error = parse(text).expect_err(text).to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
