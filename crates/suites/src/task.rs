//! A verification task: a program, a property, an expected verdict.

use crate::{Evidence, Inputs};

/// The sizes of C types that a task assumes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DataModel {
    /// `int`, `long` and pointers have 32 bits.
    Ilp32,
    /// `int` has 32 bits, `long` and pointers have 64.
    Lp64,
}

impl DataModel {
    /// The name in task files.
    pub fn name(self) -> &'static str {
        match self {
            DataModel::Ilp32 => "ILP32",
            DataModel::Lp64 => "LP64",
        }
    }
}

/// The expected verdict with its evidence.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// No run reaches the error.
    Safe(Evidence),
    /// These inputs reach the error; the program reads all of them and no more.
    Unsafe(Inputs),
}

/// A program and what is to be found out about it: whether `reach_error` can be called.
#[derive(Clone, Debug)]
pub struct SuiteTask {
    /// The name of its files, without ending.
    pub name: String,
    /// The C text.
    pub program: String,
    /// The data model under which the verdict holds.
    pub data_model: DataModel,
    /// What a verifier should answer, and why we know.
    pub verdict: Verdict,
}

impl SuiteTask {
    /// A task for 32-bit machines whose error can't be reached.
    pub(crate) fn safe(name: &str, program: String, evidence: Evidence) -> SuiteTask {
        SuiteTask {
            name: name.to_owned(),
            program,
            data_model: DataModel::Ilp32,
            verdict: Verdict::Safe(evidence),
        }
    }

    /// A task for 32-bit machines whose error these inputs reach.
    pub(crate) fn broken(name: &str, program: String, inputs: Inputs) -> SuiteTask {
        SuiteTask {
            name: name.to_owned(),
            program,
            data_model: DataModel::Ilp32,
            verdict: Verdict::Unsafe(inputs),
        }
    }

    /// The same for another data model.
    pub(crate) fn under(self, data_model: DataModel) -> SuiteTask {
        SuiteTask { data_model, ..self }
    }

    /// Whether the error can't be reached.
    pub fn is_safe(&self) -> bool {
        matches!(self.verdict, Verdict::Safe(_))
    }

    /// The name of the task definition.
    pub fn definition_name(&self) -> String {
        format!("{}.yml", self.name)
    }

    /// The task definition (SV-COMP format 2.0). `properties` is the way from the folder of the task to that of the property files.
    pub fn definition(&self, properties: &str) -> String {
        format!(
            "format_version: '2.0'\n\
             \n\
             input_files: '{name}.c'\n\
             \n\
             properties:\n\
             \x20 - property_file: {properties}/unreach-call.prp\n\
             \x20   expected_verdict: {safe}\n\
             \n\
             options:\n\
             \x20 language: C\n\
             \x20 data_model: {model}\n",
            name = self.name,
            safe = self.is_safe(),
            model = self.data_model.name(),
        )
    }
}
