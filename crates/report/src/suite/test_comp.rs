//! Suites in the format of the competition on testing (version 1.1): `metadata.xml`, and a file for each test.

use std::fmt::Write;
use std::time::SystemTime;

use rhumb_program::{DataModel, Program};

use super::escape;
use super::inputs::Given;
use crate::witness::{file_hash, utc};

/// What a suite says of itself.
#[derive(Clone, Debug)]
pub struct SuiteAbout<'a> {
    /// The C file, as the user named it.
    pub file_name: &'a str,
    /// The bytes of that file.
    pub file: &'a [u8],
    /// What the tests are for, in the words of a property file.
    pub specification: &'a str,
    /// The function in which a run starts.
    pub entry: &'a str,
    /// Sizes of C's types.
    pub data_model: DataModel,
    /// Version of the tool.
    pub version: &'a str,
    /// The time that the suite bears.
    pub time: SystemTime,
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
    let producer = format!("Rhumb {}", about.version);
    let (hash, time) = (file_hash(about.file), utc(about.time));
    let elements = [
        ("sourcecodelang", "C"),
        ("producer", &producer),
        ("specification", about.specification),
        ("programfile", about.file_name),
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
