//! The subject that this crate is about: Rhumb's front end and exact interpreter.

use rhumb_cfront::{Compiled, LoadOptions, Options, compile, load_text};
use rhumb_program::Program;
use rhumb_program::interp::{Limits, ListInputs, Machine, Outcome, UnsupportedReason};

use crate::model::DataModel;
use crate::subject::{Case, End, Observation, Refusal, Subject};

/// Runs programs with Rhumb's interpreter.
#[derive(Clone, Copy, Debug)]
pub struct Interpreter {
    /// How far a run may go.
    pub limits: Limits,
}

impl Default for Interpreter {
    fn default() -> Self {
        Interpreter {
            limits: Limits {
                steps: 200_000_000,
                output: 64 << 20,
                ..Limits::default()
            },
        }
    }
}

impl From<DataModel> for rhumb_program::DataModel {
    fn from(model: DataModel) -> Self {
        match model {
            DataModel::Ilp32 => rhumb_program::DataModel::Ilp32,
            DataModel::Lp64 => rhumb_program::DataModel::Lp64,
        }
    }
}

impl Subject for Interpreter {
    fn name(&self) -> String {
        "rhumb".to_owned()
    }

    fn run(&self, case: &Case<'_>) -> Result<Observation, Refusal> {
        let program = lower(case)?;
        let machine = Machine::compile(&program);
        let mut inputs = ListInputs::new(&program, case.inputs.iter().copied());
        let run = machine.run(&mut inputs, &self.limits);
        let end = match &run.outcome {
            // What a parent process sees of a status.
            Outcome::Exit(status) => End::Exit(*status as u8),
            Outcome::Abort | Outcome::Target(_) => End::Abort,
            Outcome::Undefined(fault) => End::UndefinedBehaviour(fault.describe(&program)),
            Outcome::StepLimit | Outcome::MemoryLimit | Outcome::StackLimit => End::Limit,
            Outcome::AssumptionFailed => End::UndefinedBehaviour("a failed assumption".to_owned()),
            Outcome::Unsupported(reason) => return Err(unsupported(reason, &program)),
        };
        Ok(Observation {
            output: run.output,
            end,
        })
    }
}

/// The program of a case. A program that the front end rejects is refused with its first message.
fn lower(case: &Case<'_>) -> Result<Program, Refusal> {
    let data_model = case.model.into();
    let load_options = LoadOptions {
        data_model,
        ..LoadOptions::default()
    };
    let source = load_text("case.c", case.source.as_bytes().to_vec(), &load_options)
        .map_err(|error| Refusal(format!("not loaded: {error}")))?;
    let options = Options {
        data_model,
        ..Options::default()
    };
    let Compiled {
        program,
        diagnostics,
        sources,
    } = compile(source.map, &options);
    let program = program.ok_or_else(|| {
        let first = diagnostics
            .iter()
            .find(|diagnostic| diagnostic.severity == rhumb_cfront::Severity::Error);
        Refusal(match first {
            Some(error) => format!(
                "rejected: {} at {}",
                error.message,
                sources.position(error.span)
            ),
            None => "rejected without a message".to_owned(),
        })
    })?;
    program
        .validate()
        .map_err(|invalid| Refusal(format!("lowered to a malformed program: {invalid}")))?;
    Ok(program)
}

fn unsupported(reason: &UnsupportedReason, program: &Program) -> Refusal {
    Refusal(format!("unsupported: {}", reason.describe(program)))
}
