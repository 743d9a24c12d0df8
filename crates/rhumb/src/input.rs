//! From a file to a program and a question about it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_cfront::{
    Compiled, Diagnostic, Diagnostics, LoadError, LoadOptions, Options, SignedOverflow, SourceFile,
    TargetSpec, TaskFile, UndefinedFunction, UndefinedFunctions, compile_files, load, load_text,
};
use rhumb_logic::Budget;
use rhumb_program::coverage::Wanted;
use rhumb_program::graph::CallGraph;
use rhumb_program::{
    Checks, DataModel, Ending, LocKind, Program, SourceMap, UbKind, UnsupportedId,
};

use crate::files::Chosen;
use crate::known::{self, Known};
use crate::properties::{self, Asked, AskedProperty};

/// A program, and how it came about.
#[derive(Debug)]
pub struct Input {
    /// The C files: those of the program, and then those that stand in for others.
    pub files: Vec<PathBuf>,
    /// What the front end was told.
    pub options: Options,
    /// The property, as its file says it; of several properties one behind the other; none if there is no file.
    pub specification: Option<String>,
    /// The properties of a task that names several, if none of them was asked for alone.
    pub properties: Vec<AskedProperty>,
    /// The program.
    pub program: Program,
    /// Where whether all runs end is asked: the program without any question.
    pub unasked: Option<Program>,
    /// The text that it was parsed from, after preprocessing; of several files one behind the other.
    pub text: Arc<[u8]>,
    /// A key for each target, which stays the same when lines move.
    pub keys: Vec<String>,
    /// The name of a property that was asked for and that can't be checked yet.
    pub unsupported_property: Option<String>,
    /// What a property file wants tests for.
    pub goals: Option<Wanted>,
    /// What the front end has to say.
    pub warnings: Diagnostics,
    /// What else is to be said, about files and options.
    pub notes: Vec<String>,
}

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// A file can't be read, or is not what it should be.
    #[error("{0}")]
    Load(#[from] LoadError),
    /// The files that were named can't be a program together.
    #[error("{0}")]
    Files(String),
    /// The text is not valid C.
    #[error("{}", first_message(.messages))]
    NotC {
        /// What is wrong with it.
        messages: Diagnostics,
        /// Where that is.
        sources: Arc<SourceMap>,
    },
}

fn first_message(messages: &Diagnostics) -> &str {
    let mut messages = messages.iter();
    messages.next().map_or("no C", |message| &message.message)
}

/// What is to be known about a program beside its file. A task definition's or a property file's own settings win.
#[derive(Clone, Debug)]
pub struct Question {
    /// The property file; it says which calls must not be reached. If there is none, all properties of a task are asked for.
    pub property: Option<PathBuf>,
    /// The label that must not be reached, instead of calls and assertions, where there is no property file.
    pub error_label: Option<String>,
    /// Whether tests for parts of the text are wanted, and nothing must not be reached; no property file is read then.
    pub goals: bool,
    /// Which undefined behaviour must not be reached either, where there is no property file. If nothing is said that
    /// is [`Checks::usual`], and nothing for tasks and where a label is asked for.
    pub checks: Option<Checks>,
    /// Findings that are known and not asked for any more, where there is no property or task file; remarks in the text name others.
    pub known: Vec<Known>,
    /// Functions without a body that are nothing special, although their names look like those of another tool's assertions or assumptions.
    pub ordinary_functions: Vec<String>,
    /// Sizes of C's types.
    pub data_model: Option<DataModel>,
    /// The function in which a run starts.
    pub entry: String,
    /// What signed overflow means.
    pub signed_overflow: SignedOverflow,
    /// What calls of functions that no file defines may do. The tasks of the competition mean functions without an
    /// effect, if nothing is said here, and so do tests.
    pub undefined_functions: UndefinedFunctions,
    /// Further arguments for the preprocessor.
    pub preprocessor: Vec<String>,
    /// The build folder of the project that the files belong to, or its `compile_commands.json`.
    pub project: Option<PathBuf>,
    /// Files whose definitions stand in for those of the program: stubs.
    pub models: Vec<PathBuf>,
}

impl Default for Question {
    fn default() -> Question {
        Question {
            property: None,
            error_label: None,
            goals: false,
            checks: None,
            known: Vec::new(),
            ordinary_functions: Vec::new(),
            data_model: None,
            entry: "main".to_owned(),
            signed_overflow: SignedOverflow::default(),
            undefined_functions: UndefinedFunctions::default(),
            preprocessor: Vec::new(),
            project: None,
            models: Vec::new(),
        }
    }
}

impl Input {
    /// Reads C files, which are linked, preprocessed files (`.i`), or a task definition (`.yml`). A folder stands for
    /// the C files in it, and a project for its files if none is named. Of the budget, the preprocessor gets the time
    /// that is left.
    pub fn read(
        files: &[PathBuf],
        question: &Question,
        budget: &Budget,
    ) -> Result<Input, InputError> {
        let chosen = Chosen::of(files, question)?;
        let asked = asked(question, chosen.task.as_ref())?;
        let task_model = chosen.task.as_ref().and_then(|task| task.data_model);
        let data_model = task_model
            .or(question.data_model)
            .or(chosen.data_model)
            .unwrap_or_default();
        let mut sources = Vec::with_capacity(chosen.files.len());
        for file in &chosen.files {
            let mut options = LoadOptions {
                data_model,
                arguments: file.arguments.clone(),
                ..LoadOptions::default()
            };
            options.arguments.extend_from_slice(&question.preprocessor);
            if let Some(left) = budget.time_left() {
                options.preprocess_time = options.preprocess_time.min(left);
            }
            sources.push(SourceFile {
                map: load(&file.path, &options)?.map,
                is_model: file.is_model,
            });
        }
        let mut question = question.clone();
        if chosen.wraps {
            question.signed_overflow = SignedOverflow::Wrap;
        }
        let is_task = chosen.task.is_some();
        let paths = chosen.files.into_iter().map(|file| file.path).collect();
        let mut input = Input::build(paths, sources, data_model, &question, asked, is_task)?;
        input.notes = chosen.notes;
        Ok(input)
    }

    /// A program that is there as text, with the usual question.
    pub fn from_text(name: &str, text: &str) -> Result<Input, InputError> {
        Input::from_text_as(name, text, &Question::default())
    }

    /// The same with another question.
    pub fn from_text_as(name: &str, text: &str, question: &Question) -> Result<Input, InputError> {
        let options = LoadOptions {
            data_model: question.data_model.unwrap_or_default(),
            arguments: question.preprocessor.clone(),
            ..LoadOptions::default()
        };
        let asked = asked(question, None)?;
        let source = load_text(name, text.as_bytes().to_vec(), &options)?;
        let (files, sources) = (vec![PathBuf::from(name)], vec![source.map.into()]);
        Input::build(files, sources, options.data_model, question, asked, false)
    }

    fn build(
        files: Vec<PathBuf>,
        sources: Vec<SourceFile>,
        data_model: DataModel,
        question: &Question,
        asked: Asked,
        is_task: bool,
    ) -> Result<Input, InputError> {
        let mut undefined_functions = question.undefined_functions.clone();
        if is_task || asked.specification.is_some() || question.goals {
            let otherwise = &mut undefined_functions.otherwise;
            otherwise.get_or_insert(UndefinedFunction::Pure);
        }
        let mut checks = asked.checks;
        if question.checks.is_none() && question.signed_overflow == SignedOverflow::Wrap {
            checks.undefined.remove(&UbKind::SignedOverflow);
        }
        let asks_for_ending = checks.ending == Some(Ending::Asked);
        if asks_for_ending {
            checks = Checks {
                ending: checks.ending,
                ..Checks::none()
            };
        }
        let ordinary = question.ordinary_functions.iter();
        let mut options = Options {
            data_model,
            entry: Arc::from(asked.entry.as_deref().unwrap_or(&question.entry)),
            targets: asked.targets,
            // Who asks for overflow doesn't take it for arithmetic.
            signed_overflow: match checks.undefined.contains(&UbKind::SignedOverflow) {
                true => SignedOverflow::Undefined,
                false => question.signed_overflow,
            },
            // A certificate says what was asked in the end.
            asks_for_ends: checks.ending.is_some(),
            checks,
            undefined_functions,
            ordinary: ordinary.map(|name| Arc::from(&**name)).collect(),
        };
        let ending = Checks {
            ending: options.checks.ending.take_if(|_| asks_for_ending),
            ..Checks::none()
        };
        let Compiled {
            program,
            mut diagnostics,
            sources,
            text,
        } = compile_files(sources, &options);
        let Some(program) = program else {
            return Err(InputError::NotC {
                messages: diagnostics,
                sources,
            });
        };
        warn_of_unsupported(&program, &mut diagnostics);
        let unasked = asks_for_ending.then(|| program.clone());
        let program = match asks_for_ending {
            true => ending.apply(program),
            false => program,
        };
        options.checks.add(&ending);
        let is_plain = !is_task && asked.specification.is_none() && !question.goals;
        let (program, keys) = match is_plain {
            true => known::without(program, &question.known),
            false => {
                let keys = known::keys(&program);
                (program, keys)
            }
        };
        Ok(Input {
            files,
            options,
            specification: asked.specification,
            properties: asked.properties,
            program,
            unasked,
            text,
            keys,
            unsupported_property: asked.unsupported,
            goals: asked.goals,
            warnings: diagnostics,
            notes: Vec::new(),
        })
    }

    /// The only file; none if there are several.
    pub fn only_file(&self) -> Option<&Path> {
        match &*self.files {
            [file] => Some(file),
            _ => None,
        }
    }

    /// Functions that were said to do something and that the program doesn't call, or that have a body.
    pub fn unused_names(&self) -> impl Iterator<Item = &str> {
        let named = self.options.undefined_functions.named.iter();
        let unused = named.filter(|(name, meaning)| {
            let mut known = self.program.outside.functions.iter();
            **meaning != UndefinedFunction::Refuse
                && !known.any(|external| *external.name == ***name)
        });
        unused.map(|(name, _)| &**name)
    }
}

fn asked(question: &Question, task: Option<&TaskFile>) -> Result<Asked, LoadError> {
    if question.goals {
        let no_file = Asked {
            targets: TargetSpec::Goals,
            ..Asked::default()
        };
        let file = question.property.as_deref();
        return file.map_or(Ok(no_file), properties::read_goals);
    }
    if let Some(checks) = &question.checks
        && checks.ending.is_some()
    {
        // That is a question by itself; evidence says in which words it was put.
        let of_file = question.property.as_deref().map(properties::read);
        return Ok(Asked {
            targets: TargetSpec::Nothing,
            checks: checks.clone(),
            ..of_file.transpose()?.unwrap_or_default()
        });
    }
    if let Some(path) = &question.property {
        return properties::read(path);
    }
    if let Some(task) = task
        && let Some(asked) = properties::of_task(&task.properties)?
    {
        return Ok(asked);
    }
    let label = question.error_label.as_deref();
    let usual = match task.is_none() && label.is_none() {
        true => Checks::usual(),
        false => Checks::none(),
    };
    Ok(Asked {
        targets: label.map_or(TargetSpec::Default, |label| TargetSpec::Label(label.into())),
        checks: question.checks.clone().unwrap_or(usual),
        ..Asked::default()
    })
}

/// Says what the model can't express, and whether that matters.
fn warn_of_unsupported(program: &Program, warnings: &mut Diagnostics) {
    let reachable = reachable_unsupported(program);
    for (id, unsupported) in program.unsupported.iter_enumerated() {
        // What lies in the library is not the user's business; where it matters, the verdict says so.
        let file = program.sources.position(unsupported.span).file;
        if !rhumb_report::story::is_users_file(&file) {
            continue;
        }
        let label = match reachable.contains(&id) {
            true => "nothing is known of runs that get here",
            false => "no run gets here, so it doesn't matter",
        };
        let message = format!("unsupported: {}", unsupported.what);
        warnings.push(Diagnostic::warning(unsupported.span, message).with_label(label));
    }
}

/// What the model can't express in functions that can be called, in the order of their ids. Lowering leaves no
/// unreachable location in a function.
fn reachable_unsupported(program: &Program) -> Vec<UnsupportedId> {
    if program.unsupported.is_empty() {
        return Vec::new();
    }
    let called = CallGraph::of(program).reachable(program.start);
    let mut found: Vec<UnsupportedId> = program
        .functions
        .iter_enumerated()
        .filter(|&(id, _)| called[id])
        .flat_map(|(_, function)| &function.cfa.locations)
        .filter_map(|location| match location.kind {
            LocKind::Unsupported(id) => Some(id),
            _ => None,
        })
        .collect();
    found.sort_unstable();
    found
}
