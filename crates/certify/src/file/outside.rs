//! What a certificate says of functions that nobody defines.

use rhumb_program::Program;
use serde::{Deserialize, Serialize};

/// What was said and assumed of functions that nobody defines.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OutsideEntry {
    /// In the words of the command line. Who checks the certificate has to read the program in the same way.
    #[serde(default)]
    pub(super) undefined_functions: String,
    /// Which undefined behaviour was looked for, in the words of the command line.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub(super) checks: String,
    /// What the verdict rests on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) assumes: Vec<String>,
}

impl OutsideEntry {
    pub(super) fn of(program: &Program) -> OutsideEntry {
        OutsideEntry {
            undefined_functions: program.outside.undefined_functions.clone(),
            checks: program.outside.checks.clone(),
            assumes: program.outside.assumptions(),
        }
    }

    /// Whether that is what holds for the program.
    pub(super) fn describes(&self, program: &Program) -> bool {
        let other = OutsideEntry::of(program);
        self.undefined_functions == other.undefined_functions && self.assumes == other.assumes
    }
}
