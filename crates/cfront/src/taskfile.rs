//! Task definitions of SV-COMP (`.yml`, format 2.0): a program, the properties it is to be checked for, and the expected verdicts.

use std::path::{Path, PathBuf};

use rhumb_program::DataModel;
use serde::Deserialize;
use serde_saphyr::{Location, Spanned};

use crate::source::{FileMessage, LoadError, read_file};

/// Larger files are no task definitions.
const MAX_SIZE: u64 = 64 << 20;

/// A verification task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskFile {
    /// The C files, at least one; a witness that is named among them is left out.
    pub files: Vec<PathBuf>,
    /// What to check it for; may be empty.
    pub properties: Vec<TaskProperty>,
    /// The sizes of C's types, if the task says them.
    pub data_model: Option<DataModel>,
    /// What is to be said if they are not one.
    several: Option<FileMessage>,
}

impl TaskFile {
    /// The program, if it is one file.
    pub fn program(&self) -> Result<&Path, LoadError> {
        match (&self.several, &*self.files) {
            (None, [program]) => Ok(program),
            _ => Err(LoadError::Located(self.several.iter().cloned().collect())),
        }
    }
}

/// A property of a task.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TaskProperty {
    /// The property file.
    pub property_file: PathBuf,
    /// Whether the program is expected to have the property.
    pub expected_verdict: Option<bool>,
    /// Which part of the property is violated, if the verdict is `false` and the property has parts.
    pub subproperty: Option<String>,
}

/// Reads a task definition. Paths in it are relative to its directory.
pub fn load_task(path: &Path) -> Result<TaskFile, LoadError> {
    let text = read_file(path, MAX_SIZE)?;
    parse_task(path, &text)
}

/// Reads the text of a task definition that lies at `path`.
pub fn parse_task(path: &Path, text: &[u8]) -> Result<TaskFile, LoadError> {
    let reader = Reader { path, text };
    let text = std::str::from_utf8(text).map_err(|error| {
        let before = &text[..error.valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        let name = path.to_string_lossy();
        FileMessage::new(name, line as u32, 0, "a task file is UTF-8 text")
    })?;
    let raw: RawTask = serde_saphyr::from_str(text).map_err(|error| reader.yaml_error(&error))?;
    reader.task(raw)
}

/// A task definition as it is written. Entries that concern other tools are ignored.
#[derive(Deserialize)]
struct RawTask {
    format_version: Option<Spanned<Text>>,
    input_files: Option<Spanned<FileNames>>,
    #[serde(default)]
    properties: Vec<RawProperty>,
    #[serde(default)]
    options: RawOptions,
}

#[derive(Deserialize)]
struct RawProperty {
    property_file: String,
    expected_verdict: Option<bool>,
    subproperty: Option<String>,
}

#[derive(Deserialize, Default)]
struct RawOptions {
    language: Option<Spanned<String>>,
    data_model: Option<Spanned<String>>,
    /// A witness arrives among the input files.
    witness_input_file: Option<String>,
}

/// The name of a file, or a list of names, as the files of the competition have them.
#[derive(Deserialize)]
#[serde(
    untagged,
    expecting = "expected the name of a file, or a list of names"
)]
pub enum FileNames {
    /// One.
    One(String),
    /// Any number.
    Many(Vec<String>),
}

impl FileNames {
    /// As a list.
    pub fn into_list(self) -> Vec<String> {
        match self {
            FileNames::One(file) => vec![file],
            FileNames::Many(files) => files,
        }
    }
}

/// A string that people write without quotes though it looks like a number.
#[derive(Deserialize)]
#[serde(untagged, expecting = "expected a version number")]
enum Text {
    Number(f64),
    Text(String),
}

/// Knows which file it is about.
struct Reader<'a> {
    path: &'a Path,
    text: &'a [u8],
}

impl Reader<'_> {
    fn task(&self, raw: RawTask) -> Result<TaskFile, LoadError> {
        self.check_version(raw.format_version.as_ref())?;
        let Some(input_files) = raw.input_files else {
            let message = self.message(
                Location::UNKNOWN,
                "not a task definition: there is no `input_files`",
                "",
            );
            return Err(match raw.format_version {
                Some(_) => message.into(),
                None => LoadError::NotATask(message),
            });
        };
        let files_at = input_files.defined;
        let mut files = input_files.value.into_list();
        files.retain(|file| Some(file) != raw.options.witness_input_file.as_ref());
        let several = match files.len() {
            0 => return Err(self.error(files_at, "the task has no input file", "")),
            1 => None,
            count => {
                let message =
                    format!("tasks of several C files are not supported: this one has {count}");
                Some(self.message(files_at, message, "give a single file"))
            }
        };
        if let Some(language) = &raw.options.language
            && !language.value.eq_ignore_ascii_case("c")
        {
            return Err(self.error(
                language.defined,
                format!("language `{}` is not supported", language.value),
                "only C is",
            ));
        }
        let data_model = raw.options.data_model.as_ref().map(|model| {
            let parsed = model.value.parse::<DataModel>();
            let expected = "expected ILP32 or LP64";
            parsed.map_err(|message| self.error(model.defined, message, expected))
        });
        let properties = raw
            .properties
            .into_iter()
            .map(|property| TaskProperty {
                property_file: self.resolve(&property.property_file),
                expected_verdict: property.expected_verdict,
                subproperty: property.subproperty,
            })
            .collect();
        Ok(TaskFile {
            files: files.iter().map(|file| self.resolve(file)).collect(),
            properties,
            data_model: data_model.transpose()?,
            several,
        })
    }

    /// Older tasks have no version.
    fn check_version(&self, version: Option<&Spanned<Text>>) -> Result<(), LoadError> {
        let Some(version) = version else {
            return Ok(());
        };
        let number = match &version.value {
            Text::Number(number) => format!("{number:.1}"),
            Text::Text(text) => text.clone(),
        };
        match number.starts_with("1.") || number.starts_with("2.") {
            true => Ok(()),
            false => Err(self.error(
                version.defined,
                format!("unknown format version `{number}`"),
                "1.0 to 2.x are known",
            )),
        }
    }

    /// A path of the task, relative to the task's directory.
    fn resolve(&self, file: &str) -> PathBuf {
        match self.path.parent() {
            Some(directory) => directory.join(file),
            None => PathBuf::from(file),
        }
    }

    fn yaml_error(&self, error: &serde_saphyr::Error) -> LoadError {
        let location = error.location().unwrap_or(Location::UNKNOWN);
        let text = error.without_snippet().to_string();
        // The place is shown by itself.
        let message = match text.find(" at line ") {
            Some(end) => &text[..end],
            None => &text,
        };
        let first_line = message.lines().next().unwrap_or_default();
        self.error(location, format!("not a task definition: {first_line}"), "")
    }

    fn error(&self, at: Location, message: impl Into<String>, label: &str) -> LoadError {
        self.message(at, message, label).into()
    }

    fn message(&self, at: Location, message: impl Into<String>, label: &str) -> FileMessage {
        let line = u32::try_from(at.line()).unwrap_or(u32::MAX);
        FileMessage::new(
            self.path.to_string_lossy(),
            line,
            self.byte_column(line, at.column()),
            message,
        )
        .with_label(label)
    }

    /// The column in bytes of a column in characters, both from 1; 0 stays 0.
    fn byte_column(&self, line: u32, column: u64) -> u32 {
        let (Some(line), Some(index)) = (line.checked_sub(1), column.checked_sub(1)) else {
            return 0;
        };
        let mut lines = self.text.split(|&byte| byte == b'\n');
        let text = lines.nth(line as usize).unwrap_or_default();
        let mut starts = (0..text.len()).filter(|&at| text[at] & 0xc0 != 0x80);
        let offset = starts.nth(index as usize).unwrap_or(text.len());
        offset as u32 + 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<TaskFile, LoadError> {
        parse_task(Path::new("dir/task.yml"), text.as_bytes())
    }

    fn error(text: &str) -> String {
        parse(text).expect_err(text).to_string()
    }

    #[test]
    fn a_usual_task() {
        let text = "format_version: '2.0'\n\n# comment\ninput_files: 'x.c'\n\nproperties:\n  \
            - property_file: ../properties/unreach-call.prp\n    expected_verdict: false\n  \
            - property_file: ../properties/valid-memsafety.prp\n    expected_verdict: false\n    \
              subproperty: valid-deref\n  - property_file: c.prp\n\n\
            options:\n  language: C\n  data_model: ILP32\nadditional_information: {a: [1]}\n";
        let task = parse(text).expect("valid");
        assert_eq!(task.files, [Path::new("dir/x.c")]);
        assert_eq!(task.data_model, Some(DataModel::Ilp32));
        assert_eq!(task.properties.len(), 3);
        assert_eq!(
            task.properties[1],
            TaskProperty {
                property_file: "dir/../properties/valid-memsafety.prp".into(),
                expected_verdict: Some(false),
                subproperty: Some("valid-deref".to_owned()),
            }
        );
        assert_eq!(task.properties[2].expected_verdict, None);
    }

    #[test]
    fn variants() {
        let task = parse("format_version: 2.0\ninput_files: [a.i]\n").expect("valid");
        assert_eq!(task.files, [Path::new("dir/a.i")]);
        assert_eq!(task.data_model, None);
        let task = parse(
            "format_version: '2.0'\ninput_files:\n  - a.i\n  - w.yml\noptions:\n  witness_input_file: w.yml\n",
        );
        assert_eq!(task.expect("valid").files, [Path::new("dir/a.i")]);
        let task = parse("format_version: '2.0'\ninput_files: /abs/a.i\n").expect("valid");
        assert_eq!(task.files, [Path::new("/abs/a.i")]);
    }

    #[test]
    fn wrong_values() {
        assert_eq!(
            (parse("format_version: '2.0'\ninput_files: [a.c, b.c]\n").expect("a task"))
                .program()
                .expect_err("two files")
                .to_string(),
            "dir/task.yml:2:14: tasks of several C files are not supported: this one has 2"
        );
        assert_eq!(
            error("format_version: '2.0'\ninput_files: []\n"),
            "dir/task.yml:2:14: the task has no input file"
        );
        assert_eq!(
            error("format_version: '2.0'\ninput_files: a.c\noptions:\n  data_model: LLP64\n"),
            "dir/task.yml:4:15: unknown data model `LLP64`"
        );
        assert_eq!(
            error("format_version: '2.0'\ninput_files: a.c\noptions: {language: Java}\n"),
            "dir/task.yml:3:21: language `Java` is not supported"
        );
        assert_eq!(
            error("format_version: '7'\ninput_files: a.c\n"),
            "dir/task.yml:1:17: unknown format version `7`"
        );
    }

    #[test]
    fn something_else_is_told_from_a_bad_task() {
        let other = parse("jobs: {build: 1}").expect_err("no task");
        assert!(matches!(other, LoadError::NotATask(_)), "{other}");
        let bad = parse("input_files: [").expect_err("no task");
        assert!(!matches!(bad, LoadError::NotATask(_)), "{bad}");
    }

    #[test]
    fn garbage() {
        assert!(error("format_version: '2.0'\n").contains("input_files"));
        assert!(error("int main() {}").starts_with("dir/task.yml:1"));
        assert!(error("").starts_with("dir/task.yml:"));
        assert!(parse_task(Path::new("t"), b"\xff\xfe").is_err());
        assert!(parse("a: [").is_err());
        assert!(parse("format_version: '2.0'\ninput_files: a.c\nproperties: 7\n").is_err());
    }

    #[test]
    fn large_and_deep() {
        for nested in ["[", "{a: ", "- ", "&a [*a, ", "? "] {
            assert!(parse(&nested.repeat(100_000)).is_err(), "{nested}");
        }
        let comment = "# a comment line of a very long file\n".repeat(300_000);
        let task = parse(&format!(
            "{comment}format_version: '2.0'\ninput_files: a.c\n"
        ));
        assert_eq!(task.expect("valid").files, [Path::new("dir/a.c")]);
        let list = "  - x.c\n".repeat(1_250_000);
        assert!(parse(&format!("format_version: '2.0'\ninput_files:\n{list}")).is_err());
    }

    proptest::proptest! {
        #[test]
        fn any_text(text in "(format_version: '2.0'|input_files:|options:|- |[\\[\\]{}:,&*|>!?#\\n ]|[a-z]|.){0,40}") {
            let _ = parse(&text);
        }
    }
}
