//! Suites in the format of the competition on testing (version 1.1): `metadata.xml`, and a file for each test.

use std::fmt::Write;

use rhumb_program::{DataModel, Program};

use super::escape;
use super::inputs::Given;
use crate::witness::{About, file_hash, utc};

/// What a suite says of itself.
#[derive(Clone, Debug)]
pub struct SuiteAbout<'a> {
    /// What a witness says, too; its specification is what the tests are for.
    pub task: About<'a>,
    /// The function in which a run starts.
    pub entry: &'a str,
    /// Sizes of C's types.
    pub data_model: DataModel,
}

fn head(name: &str, kind: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"no\"?>\n\
         <!DOCTYPE {name} PUBLIC \"+//IDN sosy-lab.org//DTD test-format {kind} 1.1//EN\" \
         \"https://sosy-lab.org/test-format/{kind}-1.1.dtd\">\n"
    )
}

/// `metadata.xml`.
pub fn metadata(about: &SuiteAbout<'_>) -> String {
    let architecture = match about.data_model {
        DataModel::Ilp32 => "32bit",
        DataModel::Lp64 => "64bit",
    };
    let task = &about.task;
    let producer = format!("Rhumb {}", task.version);
    let (hash, time) = (file_hash(task.file), utc(task.time));
    let elements = [
        ("sourcecodelang", "C"),
        ("producer", &producer),
        ("specification", task.specification),
        ("programfile", task.file_name),
        ("programhash", &hash),
        ("entryfunction", about.entry),
        ("architecture", architecture),
        ("creationtime", &time),
    ];
    let mut text = head("test-metadata", "test-metadata");
    text.push_str("<test-metadata>\n");
    for (name, value) in elements {
        let value = escape(value);
        let _ = writeln!(text, "  <{name}>{value}</{name}>");
    }
    text.push_str("</test-metadata>\n");
    text
}

/// A test.
pub fn test_case(program: &Program, inputs: &[Given]) -> String {
    let mut text = head("testcase", "testcase");
    text.push_str("<testcase>\n");
    for given in inputs {
        let value = escape(&given.value());
        let what = program.inputs[given.site].kind.describe();
        let variable = escape(what.trim_end_matches("()"));
        let _ = match given.type_name(program) {
            Some(ty) => writeln!(
                text,
                "  <input variable=\"{variable}\" type=\"{}\">{value}</input>",
                escape(&ty)
            ),
            None => writeln!(text, "  <input variable=\"{variable}\">{value}</input>"),
        };
    }
    text.push_str("</testcase>\n");
    text
}
