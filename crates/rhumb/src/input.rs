//! From a file to a program and a question about it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_cfront::{
    Compiled, Diagnostic, Diagnostics, LoadError, LoadOptions, Options, PropertyKind,
    SignedOverflow, Source, TargetSpec, Task, UndefinedFunction, UndefinedFunctions, compile, load,
    load_property, load_task, load_text,
};
use rhumb_logic::Budget;
use rhumb_program::graph::CallGraph;
use rhumb_program::{DataModel, LocKind, Program, SourceMap, UnsupportedId};

/// A program, and how it came about.
#[derive(Debug)]
pub struct Input {
    /// The C file.
    pub file: PathBuf,
    /// What the front end was told.
    pub options: Options,
    /// The property, as its file says it; none if there is no file.
    pub specification: Option<String>,
    /// The program.
    pub program: Program,
    /// The text that it was parsed from, after preprocessing.
    pub text: Arc<[u8]>,
    /// The name of a property that was asked for and that can't be checked yet.
    pub unsupported_property: Option<String>,
    /// What the front end has to say.
    pub warnings: Diagnostics,
}

/// Why there is no program.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// A file can't be read, or is not what it should be.
    #[error("{0}")]
    Load(#[from] LoadError),
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
    /// The property file; it says which calls must not be reached.
    pub property: Option<PathBuf>,
    /// The label that must not be reached, instead of calls and assertions, where there is no property file.
    pub error_label: Option<String>,
    /// Functions without a body that are nothing special, although their names look like those of another tool's assertions or assumptions.
    pub ordinary_functions: Vec<String>,
    /// Sizes of C's types.
    pub data_model: DataModel,
    /// The function in which a run starts.
    pub entry: String,
    /// What signed overflow means.
    pub signed_overflow: SignedOverflow,
    /// What calls of functions that no file defines may do. The tasks of the competition mean functions without an effect, if nothing is said here.
    pub undefined_functions: UndefinedFunctions,
}

impl Default for Question {
    fn default() -> Question {
        Question {
            property: None,
            error_label: None,
            ordinary_functions: Vec::new(),
            data_model: DataModel::default(),
            entry: "main".to_owned(),
            signed_overflow: SignedOverflow::default(),
            undefined_functions: UndefinedFunctions::default(),
        }
    }
}

/// What a property file says.
#[derive(Default)]
struct Asked {
    specification: Option<String>,
    entry: Option<String>,
    targets: TargetSpec,
    unsupported: Option<String>,
}

impl Input {
    /// Reads a C file, a preprocessed file (`.i`) or a task definition (`.yml`). Of the budget, the preprocessor gets the time that is left.
    pub fn read(file: &Path, question: &Question, budget: &Budget) -> Result<Input, InputError> {
        let is_task = file
            .extension()
            .is_some_and(|extension| extension == "yml" || extension == "yaml");
        let task = match is_task {
            true => Some(load_task(file)?),
            false => None,
        };
        let program = match &task {
            Some(task) => task.program()?,
            None => file,
        };
        let data_model = task.as_ref().and_then(|task| task.data_model);
        let mut options = LoadOptions {
            data_model: data_model.unwrap_or(question.data_model),
            ..LoadOptions::default()
        };
        if let Some(left) = budget.time_left() {
            options.preprocess_time = options.preprocess_time.min(left);
        }
        let asked = asked(question, task.as_ref())?;
        let source = load(program, &options)?;
        Input::build(
            program,
            source,
            options.data_model,
            question,
            asked,
            is_task,
        )
    }

    /// A program that is there as text, with the usual question.
    pub fn from_text(name: &str, text: &str) -> Result<Input, InputError> {
        Input::from_text_as(name, text, &Question::default())
    }

    /// The same with another question.
    pub fn from_text_as(name: &str, text: &str, question: &Question) -> Result<Input, InputError> {
        let options = LoadOptions {
            data_model: question.data_model,
            ..LoadOptions::default()
        };
        let asked = asked(question, None)?;
        let source = load_text(name, text.as_bytes().to_vec(), &options)?;
        let (file, model) = (Path::new(name), options.data_model);
        Input::build(file, source, model, question, asked, false)
    }

    fn build(
        file: &Path,
        source: Source,
        data_model: DataModel,
        question: &Question,
        asked: Asked,
        is_task: bool,
    ) -> Result<Input, InputError> {
        let mut undefined_functions = question.undefined_functions.clone();
        if is_task || asked.specification.is_some() {
            let otherwise = &mut undefined_functions.otherwise;
            otherwise.get_or_insert(UndefinedFunction::Pure);
        }
        let ordinary = question.ordinary_functions.iter();
        let options = Options {
            data_model,
            entry: Arc::from(asked.entry.as_deref().unwrap_or(&question.entry)),
            targets: asked.targets,
            signed_overflow: question.signed_overflow,
            undefined_functions,
            ordinary: ordinary.map(|name| Arc::from(&**name)).collect(),
        };
        let text = source.map.text().clone();
        let Compiled {
            program,
            mut diagnostics,
            sources,
        } = compile(source.map, &options);
        let Some(program) = program else {
            return Err(InputError::NotC {
                messages: diagnostics,
                sources,
            });
        };
        warn_of_unsupported(&program, &mut diagnostics);
        Ok(Input {
            file: file.to_owned(),
            options,
            specification: asked.specification,
            program,
            text,
            unsupported_property: asked.unsupported,
            warnings: diagnostics,
        })
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

fn asked(question: &Question, task: Option<&Task>) -> Result<Asked, LoadError> {
    if let Some(path) = property_path(question, task) {
        return read_property(&path);
    }
    let label = question.error_label.as_deref();
    Ok(Asked {
        targets: label.map_or(TargetSpec::Default, |label| TargetSpec::Label(label.into())),
        ..Asked::default()
    })
}

/// The property file: the one that is asked for, or the task's; of several the first that says what must not be called.
fn property_path(question: &Question, task: Option<&Task>) -> Option<PathBuf> {
    if question.property.is_some() {
        return question.property.clone();
    }
    let properties = &task?.properties;
    let asks_for_calls = |kind: &PropertyKind| {
        matches!(
            kind,
            PropertyKind::UnreachCall(_) | PropertyKind::UnreachLabel(_)
        )
    };
    let file_asks_for_calls = |path: &Path| {
        load_property(path).is_ok_and(|properties| {
            properties
                .iter()
                .any(|property| asks_for_calls(&property.kind))
        })
    };
    properties
        .iter()
        .find(|property| file_asks_for_calls(&property.property_file))
        .or(properties.first())
        .map(|property| property.property_file.clone())
}

fn read_property(path: &Path) -> Result<Asked, LoadError> {
    let properties = load_property(path)?;
    let mut asked = Asked {
        specification: std::fs::read_to_string(path).ok(),
        ..Asked::default()
    };
    for property in properties {
        asked.entry.get_or_insert(property.entry);
        match property.kind {
            PropertyKind::UnreachCall(function) if asked.targets == TargetSpec::Default => {
                asked.targets = TargetSpec::Call(Arc::from(function));
            }
            PropertyKind::UnreachLabel(label) if asked.targets == TargetSpec::Default => {
                asked.targets = TargetSpec::Label(Arc::from(label));
            }
            other => {
                asked.unsupported.get_or_insert(other.name().to_owned());
            }
        }
    }
    Ok(asked)
}

/// Says what the model can't express, and whether that matters.
fn warn_of_unsupported(program: &Program, warnings: &mut Diagnostics) {
    let reachable = reachable_unsupported(program);
    for (id, unsupported) in program.unsupported.iter_enumerated() {
        let label = match reachable.contains(&id) {
            true => "the verdict is UNKNOWN for that",
            false => "no run gets here, so it doesn't matter",
        };
        let message = format!("unsupported: {}", unsupported.what);
        warnings.push(Diagnostic::warning(unsupported.span, message).with_label(label));
    }
}

/// What the model can't express in functions that can be called, in the order of their ids. Lowering leaves no unreachable location in a function.
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
