//! Many generated programs in one compilation and one process.
//!
//! Starting the compiler, the assembler and the linker costs more than a small program does, so
//! programs are compiled together: every name gets a prefix, one driver runs each program in a
//! child process of its own and frames the output.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::ExitStatus;

use super::rename::with_prefix;
use super::{Gcc, GccError, SIGNAL_ABORT, SIGNAL_FPE, SIGNAL_ILL, SIGNAL_PROF, converse, succeed};
use crate::model::DataModel;
use crate::subject::{Case, End, Observation, Refusal, Subject};

/// Generated programs take well below a millisecond; this is for broken ones.
const CPU_LIMIT_MS: u32 = 5_000;

/// gcc, with fixed options, as something that runs programs.
#[derive(Debug)]
pub struct GccSubject<'a> {
    gcc: &'a Gcc,
    options: Vec<String>,
}

impl<'a> GccSubject<'a> {
    /// The subject "gcc with these options".
    pub fn new(gcc: &'a Gcc, options: &[&str]) -> Self {
        Self {
            gcc,
            options: options.iter().map(ToString::to_string).collect(),
        }
    }

    /// Unoptimised code: the reference.
    pub fn reference(gcc: &'a Gcc) -> Self {
        Self::new(gcc, &["-O0"])
    }

    /// Code that traps undefined behaviour, and whose automatic memory starts with a pattern that
    /// shows when it is read.
    pub fn sanitized(gcc: &'a Gcc) -> Self {
        Self::new(
            gcc,
            &[
                "-O1",
                "-fsanitize=undefined,float-cast-overflow",
                // gcc defines left shifts of signed values into and beyond the sign bit.
                "-fno-sanitize=shift-base",
                "-fsanitize-undefined-trap-on-error",
                // Without it gcc simplifies some overflows away before they are checked.
                "-ftrapv",
                "-ftrivial-auto-var-init=pattern",
            ],
        )
    }

    /// Compiles and runs programs of one data model as one executable.
    fn run_together(
        &self,
        model: DataModel,
        cases: &[&Case<'_>],
    ) -> Result<Vec<Observation>, GccError> {
        let runtime = self.gcc.runtime(model)?;
        let executable = self.gcc.fresh("batch");
        let source = executable.with_extension("c");
        std::fs::write(&source, translation_unit(cases))
            .map_err(GccError::io("writing a program"))?;
        let mut linker = self.gcc.linker(model);
        linker
            .args(&self.options)
            .arg("-o")
            .arg(&executable)
            .arg(&source);
        linker.args(&runtime.batch).args(&runtime.base);
        let linked = succeed(&mut linker);
        let _ = std::fs::remove_file(&source);
        linked?;
        let observations = execute(&executable, cases);
        let _ = std::fs::remove_file(&executable);
        observations
    }

    /// Runs programs of one data model: together if possible, otherwise one by one.
    fn run_model(
        &self,
        model: DataModel,
        cases: &[&Case<'_>],
    ) -> Vec<Result<Observation, Refusal>> {
        let refuse = |error: GccError| Refusal(error.to_string());
        match self.run_together(model, cases) {
            Ok(observations) => observations.into_iter().map(Ok).collect(),
            Err(error) if cases.len() == 1 => vec![Err(refuse(error))],
            Err(_) => cases
                .iter()
                .map(|case| {
                    let mut single = self.run_together(model, &[case]).map_err(refuse)?;
                    single.pop().ok_or_else(|| Refusal("no result".to_owned()))
                })
                .collect(),
        }
    }
}

impl Subject for GccSubject<'_> {
    fn name(&self) -> String {
        format!("gcc {}", self.options.join(" "))
    }

    fn run(&self, case: &Case<'_>) -> Result<Observation, Refusal> {
        self.run_model(case.model, &[case])
            .pop()
            .unwrap_or_else(|| Err(Refusal("no result".to_owned())))
    }

    fn run_all(&self, cases: &[Case<'_>]) -> Vec<Result<Observation, Refusal>> {
        let mut results: Vec<Option<Result<Observation, Refusal>>> = vec![None; cases.len()];
        for model in DataModel::ALL {
            let (indices, selected): (Vec<usize>, Vec<&Case<'_>>) = cases
                .iter()
                .enumerate()
                .filter(|(_, case)| case.model == model)
                .unzip();
            if selected.is_empty() {
                continue;
            }
            for (index, result) in indices.into_iter().zip(self.run_model(model, &selected)) {
                results[index] = Some(result);
            }
        }
        results
            .into_iter()
            .map(|result| result.unwrap_or_else(|| Err(Refusal("no result".to_owned()))))
            .collect()
    }
}

/// All programs, and the table through which the driver finds them. A single program keeps its
/// names: it need not be one that we generated.
fn translation_unit(cases: &[&Case<'_>]) -> String {
    let mut text = String::new();
    let mut names = Vec::new();
    for (index, case) in cases.iter().enumerate() {
        let prefix = format!("p{index}_");
        if cases.len() == 1 {
            text += &format!(
                "#define main {prefix}main\n#line 1 \"program.c\"\n{}\n#undef main\n",
                case.source
            );
        } else {
            text += &with_prefix(case.source, &prefix);
        }
        names.push(format!("(int (*)(void)){prefix}main"));
    }
    text += &format!(
        "int (*const rhumb_programs[])(void) = {{{}}};\nconst unsigned rhumb_program_count = {};\n\
         const unsigned rhumb_cpu_limit = {CPU_LIMIT_MS};\n",
        names.join(", "),
        cases.len()
    );
    text
}

/// Runs the driver and takes its report apart.
fn execute(executable: &Path, cases: &[&Case<'_>]) -> Result<Vec<Observation>, GccError> {
    let mut inputs = Vec::new();
    for case in cases {
        inputs.extend((case.inputs.len() as u32).to_le_bytes());
        inputs.extend(case.inputs.iter().flat_map(|value| value.to_le_bytes()));
    }
    parse_report(&converse(executable, inputs)?, cases.len())
}

fn parse_report(mut report: &[u8], count: usize) -> Result<Vec<Observation>, GccError> {
    let broken = || GccError::Io {
        what: "reading the results",
        reason: "the driver died".to_owned(),
    };
    let mut observations = Vec::new();
    while observations.len() < count {
        let end = report
            .iter()
            .position(|byte| *byte == b'\n')
            .ok_or_else(broken)?;
        let line = std::str::from_utf8(&report[..end]).map_err(|_| broken())?;
        let (status, length) = line.split_once(' ').ok_or_else(broken)?;
        let status: i32 = status.parse().map_err(|_| broken())?;
        let length: usize = length.parse().map_err(|_| broken())?;
        let rest = &report[end + 1..];
        if rest.len() < length {
            return Err(broken());
        }
        let (output, rest) = rest.split_at(length);
        observations.push(Observation {
            output: output.to_vec(),
            end: end_of(status),
        });
        report = rest;
    }
    Ok(observations)
}

/// The meaning of a status as `waitpid` gives it.
fn end_of(status: i32) -> End {
    let status = ExitStatus::from_raw(status);
    match (status.code(), status.signal()) {
        (Some(code), _) => End::Exit(code as u8),
        (None, Some(SIGNAL_ABORT)) => End::Abort,
        (None, Some(SIGNAL_PROF)) => End::Limit,
        (None, Some(SIGNAL_ILL)) => End::UndefinedBehaviour("trapped by the sanitizer".to_owned()),
        (None, Some(SIGNAL_FPE)) => End::UndefinedBehaviour("division".to_owned()),
        (None, signal) => End::Signal(signal.unwrap_or(0)),
    }
}
