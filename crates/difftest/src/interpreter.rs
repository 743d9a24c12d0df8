//! The subject that this crate is about: Rhumb's front end and exact interpreter.

use rhumb_cfront::{
    Compiled, LoadError, LoadOptions, Options, Source, TargetSpec, UndefinedFunction,
    UndefinedFunctions, compile, load, load_text,
};
use rhumb_program::interp::{
    InputSource, ListInputs, Machine, Outcome, Run, RunLimits, UnsupportedReason,
};
use rhumb_program::{InputKind, InputSiteId, Program, Type, UbKind};

use crate::gcc::SignedOverflow;
use crate::model::DataModel;
use crate::outcome::{self, GccTask, OpenTask, TaskRun, TaskSubject, UbClass};
use crate::subject::{Case, End, Observation, Refusal, Subject};

/// Runs programs with Rhumb's interpreter.
#[derive(Clone, Copy, Debug)]
pub struct Interpreter {
    /// How far a run may go.
    pub limits: RunLimits,
}

impl Default for Interpreter {
    fn default() -> Self {
        Interpreter {
            limits: RunLimits {
                steps: 200_000_000,
                output: 64 << 20,
                ..RunLimits::default()
            },
        }
    }
}

impl From<rhumb_program::DataModel> for DataModel {
    fn from(model: rhumb_program::DataModel) -> DataModel {
        match model {
            rhumb_program::DataModel::Ilp32 => DataModel::Ilp32,
            rhumb_program::DataModel::Lp64 => DataModel::Lp64,
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
            Outcome::Deadlock => End::UndefinedBehaviour("a deadlock".to_owned()),
            Outcome::AssumptionFailed => End::UndefinedBehaviour("a failed assumption".to_owned()),
            Outcome::Unsupported(reason) => return Err(unsupported(reason, &program)),
        };
        Ok(Observation {
            output: run.output,
            end,
        })
    }
}

/// The program of a case.
fn lower(case: &Case<'_>) -> Result<Program, Refusal> {
    let options = Options {
        data_model: case.model.into(),
        ..Options::default()
    };
    let load_options = load_options(case.model);
    let source = load_text("case.c", case.source.as_bytes().to_vec(), &load_options);
    finish(source, &options)
}

fn load_options(model: DataModel) -> LoadOptions {
    LoadOptions {
        data_model: model.into(),
        ..LoadOptions::default()
    }
}

/// A program that the front end rejects is refused with its first message.
fn finish(source: Result<Source, LoadError>, options: &Options) -> Result<Program, Refusal> {
    let source = source.map_err(|error| Refusal(format!("not loaded: {error}")))?;
    let Compiled {
        program,
        diagnostics,
        sources,
        ..
    } = compile(source.map, options);
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

/// Runs verification tasks with Rhumb's interpreter.
#[derive(Clone, Copy, Debug)]
pub struct TaskInterpreter {
    /// What signed overflow means.
    pub overflow: SignedOverflow,
}

impl TaskSubject for TaskInterpreter {
    fn name(&self) -> String {
        "rhumb".to_owned()
    }

    fn open<'a>(&'a self, task: &'a GccTask) -> Result<Box<dyn OpenTask + 'a>, Refusal> {
        let [target] = &task.targets[..] else {
            return Err(Refusal(format!("{} target functions", task.targets.len())));
        };
        let options = Options {
            data_model: task.model.into(),
            targets: TargetSpec::Call(target.as_str().into()),
            signed_overflow: match self.overflow {
                SignedOverflow::Undefined => rhumb_cfront::SignedOverflow::Undefined,
                SignedOverflow::Wraps => rhumb_cfront::SignedOverflow::Wrap,
            },
            undefined_functions: UndefinedFunctions::all(UndefinedFunction::Pure),
            ..Options::default()
        };
        let source = load(&task.file, &load_options(task.model));
        Ok(Box::new(LoweredTask(finish(source, &options)?)))
    }
}

/// A task as Rhumb sees it.
struct LoweredTask(Program);

impl OpenTask for LoweredTask {
    fn run(&self, vectors: &[Vec<i128>], step_limit: u64) -> Result<Vec<TaskRun>, Refusal> {
        let machine = Machine::compile(&self.0);
        let limits = RunLimits {
            steps: step_limit,
            ..RunLimits::default()
        };
        vectors
            .iter()
            .map(|vector| {
                let mut inputs = CallInputs {
                    program: &self.0,
                    values: vector.iter(),
                };
                let run = machine.run(&mut inputs, &limits);
                let outcome = task_outcome(&run, &self.0)?;
                Ok(TaskRun {
                    outcome,
                    steps: run.steps,
                })
            })
            .collect()
    }
}

fn task_outcome(run: &Run, program: &Program) -> Result<outcome::Outcome, Refusal> {
    Ok(match &run.outcome {
        Outcome::Target(_) => outcome::Outcome::TargetReached,
        Outcome::Exit(status) => outcome::Outcome::Exit(*status as u8),
        Outcome::Abort => outcome::Outcome::Abort,
        Outcome::AssumptionFailed => outcome::Outcome::AssumptionFailed,
        Outcome::Undefined(fault) => outcome::Outcome::UndefinedBehaviour(match fault.kind {
            UbKind::SignedOverflow
            | UbKind::DivisionByZero
            | UbKind::BadShift
            | UbKind::BadShifted
            | UbKind::FloatToInt => UbClass::Arithmetic,
            UbKind::BadRead | UbKind::BadWrite | UbKind::BadFree | UbKind::BadCall => {
                UbClass::Memory
            }
            UbKind::BadArraySize | UbKind::Unreachable | UbKind::Unsequenced | UbKind::BadBool => {
                UbClass::Unknown
            }
        }),
        Outcome::StepLimit => outcome::Outcome::StepLimit,
        Outcome::MemoryLimit | Outcome::StackLimit => {
            return Err(Refusal("memory or stack limit".to_owned()));
        }
        Outcome::Deadlock => return Err(Refusal("threads".to_owned())),
        Outcome::Unsupported(reason) => return Err(unsupported(reason, program)),
    })
}

/// Values for the calls of input functions, in order; everything else is 0.
struct CallInputs<'a> {
    program: &'a Program,
    values: std::slice::Iter<'a, i128>,
}

impl InputSource for CallInputs<'_> {
    fn value(&mut self, site: InputSiteId, _: u64, _: Type) -> u128 {
        match self.program.inputs[site].kind {
            InputKind::Nondet(_) | InputKind::UndefinedFunction(_) => {
                self.values.next().map_or(0, |&value| value as u128)
            }
            _ => 0,
        }
    }

    fn bytes(&mut self, _: InputSiteId, _: u64, _: &mut [u8]) {}
}
