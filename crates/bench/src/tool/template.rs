//! Command lines with gaps to fill in.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use thiserror::Error;

use rhumb_program::DataModel;

/// A command line, split into words, with placeholders.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Template {
    text: String,
    words: Vec<Word>,
}

type Word = Vec<Piece>;

#[derive(Clone, PartialEq, Eq, Debug)]
enum Piece {
    Text(String),
    Gap(Gap),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Gap {
    File,
    Property,
    Task,
    DataModel,
    Bits,
    Timeout,
    WallTime,
    Memory,
    Harness,
    Certificate,
}

/// Placeholders: what stands between the braces, and what it means.
const GAPS: [(&str, Gap, &str); 10] = [
    (
        "file",
        Gap::File,
        "the C file (all of them, where it is a word of its own)",
    ),
    ("property", Gap::Property, "the property file"),
    ("task", Gap::Task, "the task definition"),
    ("data_model", Gap::DataModel, "ILP32 or LP64"),
    ("bits", Gap::Bits, "32 or 64"),
    ("timeout_s", Gap::Timeout, "the CPU limit in seconds"),
    ("wall_s", Gap::WallTime, "the limit on wall time in seconds"),
    ("memory_mb", Gap::Memory, "the memory limit in megabytes"),
    ("harness", Gap::Harness, "where to write a test harness"),
    (
        "certificate",
        Gap::Certificate,
        "where to write a certificate, or where it was written",
    ),
];

/// What is filled in.
#[derive(Clone, Debug)]
pub struct Values<'a> {
    /// The C files.
    pub files: &'a [PathBuf],
    /// The property file.
    pub property: &'a Path,
    /// The task definition.
    pub task: &'a Path,
    /// Sizes of types.
    pub data_model: DataModel,
    /// The CPU limit in whole seconds.
    pub timeout_s: u64,
    /// The limit on wall time in whole seconds.
    pub wall_s: u64,
    /// The memory limit in whole megabytes.
    pub memory_mb: u64,
    /// Where a harness is to be written.
    pub harness: &'a Path,
    /// Where a certificate is to be written, or was.
    pub certificate: &'a Path,
}

/// What is wrong with a template.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TemplateError {
    /// No words.
    #[error("the command is empty")]
    Empty,
    /// A quote without its partner.
    #[error("a quote is not closed in: {0}")]
    Quote(String),
    /// Braces around something unknown.
    #[error("unknown placeholder {{{name}}}; there are {known} (write {{{{ and }}}} for braces)")]
    Unknown {
        /// What stands between the braces.
        name: String,
        /// What may stand there.
        known: String,
    },
    /// A brace without its partner.
    #[error("a brace has no partner in: {0}")]
    Brace(String),
}

impl Template {
    /// Splits a command line into words, as a shell does it with blanks and quotes, and finds the placeholders.
    ///
    /// # Errors
    ///
    /// When it is empty, quotes or braces don't match, or a placeholder is unknown.
    pub fn parse(text: &str) -> Result<Template, TemplateError> {
        let words = split(text)?;
        if words.is_empty() {
            return Err(TemplateError::Empty);
        }
        let words = words
            .iter()
            .map(|word| pieces(word))
            .collect::<Result<_, _>>()?;
        Ok(Template {
            text: text.to_owned(),
            words,
        })
    }

    /// A template of literal words followed by words with placeholders: for programs of our own choice, whose path is nobody's template.
    ///
    /// # Errors
    ///
    /// As for [`Template::parse`].
    pub fn with_program(program: &Path, rest: &str) -> Result<Template, TemplateError> {
        let mut template = Template {
            text: format!("{} {rest}", program.display()),
            words: Vec::new(),
        };
        template
            .words
            .push(vec![Piece::Text(program.to_string_lossy().into_owned())]);
        for word in split(rest)? {
            template.words.push(pieces(&word)?);
        }
        Ok(template)
    }

    /// Fills in: the program and its arguments.
    ///
    /// A program that is a relative path with a slash is looked for from the current folder, since runs take place elsewhere.
    pub fn fill(&self, values: &Values<'_>) -> (OsString, Vec<OsString>) {
        let mut all = Vec::new();
        for word in &self.words {
            match word.as_slice() {
                [Piece::Gap(Gap::File)] => all.extend(
                    values
                        .files
                        .iter()
                        .map(|file| file.clone().into_os_string()),
                ),
                pieces => {
                    let mut filled = OsString::new();
                    for piece in pieces {
                        match piece {
                            Piece::Text(text) => filled.push(text),
                            Piece::Gap(gap) => filled.push(values.get(*gap)),
                        }
                    }
                    all.push(filled);
                }
            }
        }
        if all.is_empty() {
            return (OsString::new(), all);
        }
        let program = all.remove(0);
        (absolute_program(program), all)
    }

    /// Whether the program is there, as far as that can be told before the gaps are filled.
    pub fn program_exists(&self) -> bool {
        let Some([Piece::Text(program)]) = self.words.first().map(Vec::as_slice) else {
            return true;
        };
        let program = absolute_program(program.into());
        if Path::new(&program).is_absolute() {
            return is_executable(Path::new(&program));
        }
        let folders = std::env::var_os("PATH").unwrap_or_default();
        std::env::split_paths(&folders).any(|folder| is_executable(&folder.join(&program)))
    }
}

impl fmt::Display for Template {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl Values<'_> {
    fn get(&self, gap: Gap) -> OsString {
        match gap {
            Gap::File => self
                .files
                .first()
                .map(|file| file.as_os_str())
                .unwrap_or(OsStr::new(""))
                .to_owned(),
            Gap::Property => self.property.into(),
            Gap::Task => self.task.into(),
            Gap::DataModel => self.data_model.to_string().into(),
            Gap::Bits => self.data_model.pointer_width().to_string().into(),
            Gap::Timeout => self.timeout_s.to_string().into(),
            Gap::WallTime => self.wall_s.to_string().into(),
            Gap::Memory => self.memory_mb.to_string().into(),
            Gap::Harness => self.harness.into(),
            Gap::Certificate => self.certificate.into(),
        }
    }
}

/// A relative path with a slash begins at the current folder; a name without one is left for `PATH`.
fn absolute_program(program: OsString) -> OsString {
    let relative = program.to_string_lossy().contains('/') && Path::new(&program).is_relative();
    if relative {
        std::path::absolute(&program).map_or(program, PathBuf::into_os_string)
    } else {
        program
    }
}

fn is_executable(path: &Path) -> bool {
    fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// Splits at blanks outside quotes. A backslash takes the next character as it is, except within single quotes.
fn split(text: &str) -> Result<Vec<String>, TemplateError> {
    shlex::split(text).ok_or_else(|| TemplateError::Quote(text.to_owned()))
}

fn pieces(word: &str) -> Result<Word, TemplateError> {
    let mut pieces = Vec::new();
    let mut text = String::new();
    let mut rest = word;
    while let Some(at) = rest.find(['{', '}']) {
        text.push_str(&rest[..at]);
        let (brace, after) = rest[at..].split_at(1);
        if let Some(after) = after.strip_prefix(brace) {
            text.push_str(brace);
            rest = after;
            continue;
        }
        let (name, after) = match (brace, after.split_once('}')) {
            ("{", Some(split)) => split,
            _ => return Err(TemplateError::Brace(word.to_owned())),
        };
        let gap = GAPS
            .iter()
            .find(|(known, ..)| *known == name)
            .map(|(_, gap, _)| *gap)
            .ok_or_else(|| unknown(name))?;
        if !text.is_empty() {
            pieces.push(Piece::Text(std::mem::take(&mut text)));
        }
        pieces.push(Piece::Gap(gap));
        rest = after;
    }
    text.push_str(rest);
    if !text.is_empty() || pieces.is_empty() {
        pieces.push(Piece::Text(text));
    }
    Ok(pieces)
}

fn unknown(name: &str) -> TemplateError {
    let known: Vec<String> = GAPS
        .iter()
        .map(|(known, _, meaning)| format!("{{{known}}} {meaning}"))
        .collect();
    TemplateError::Unknown {
        name: name.to_owned(),
        known: known.join(", "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(template: &str) -> Result<Vec<String>, TemplateError> {
        let files = [PathBuf::from("/c/a b.c"), PathBuf::from("/c/d.c")];
        let values = Values {
            files: &files,
            property: Path::new("/p.prp"),
            task: Path::new("/c/t.yml"),
            data_model: DataModel::Ilp32,
            timeout_s: 60,
            wall_s: 73,
            memory_mb: 4000,
            harness: Path::new("/h.c"),
            certificate: Path::new("/c.json"),
        };
        let (program, arguments) = Template::parse(template)?.fill(&values);
        Ok(std::iter::once(program)
            .chain(arguments)
            .map(|word| word.to_string_lossy().into_owned())
            .collect())
    }

    #[test]
    fn words_and_gaps() {
        let words = fill(
            "cbmc --{bits} --property-file={property} '{timeout_s} s' \"x\\\"y\" {{z}} {data_model} {file}",
        );
        assert_eq!(
            words.expect("a command"),
            [
                "cbmc",
                "--32",
                "--property-file=/p.prp",
                "60 s",
                "x\"y",
                "{z}",
                "ILP32",
                "/c/a b.c",
                "/c/d.c"
            ]
        );
        assert_eq!(
            fill("t --input={file} ''").expect("a command"),
            ["t", "--input=/c/a b.c", ""]
        );
    }

    #[test]
    fn relative_programs_are_found_from_here() {
        let words = fill("bin/tool {task}").expect("a command");
        assert!(Path::new(&words[0]).is_absolute() && words[0].ends_with("bin/tool"));
        assert_eq!(
            fill("tool {memory_mb}").expect("a command"),
            ["tool", "4000"]
        );
    }

    #[test]
    fn programs_are_looked_for() {
        let exists = |text: &str| Template::parse(text).expect("a command").program_exists();
        assert!(exists("sh -c true") && exists("/bin/sh") && exists("{file}"));
        assert!(
            !exists("no-such-program-anywhere") && !exists("./no-such-program") && !exists("/proc")
        );
    }

    #[test]
    fn mistakes_are_named() {
        assert_eq!(fill("  "), Err(TemplateError::Empty));
        assert!(matches!(fill("a 'b"), Err(TemplateError::Quote(_))));
        assert!(matches!(fill("a {b}"), Err(TemplateError::Unknown { name, .. }) if name == "b"));
        assert!(matches!(fill("a {file"), Err(TemplateError::Brace(_))));
        assert!(matches!(fill("a file}"), Err(TemplateError::Brace(_))));
    }
}
