//! From a file name on the command line to a program.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rhumb_cfront::{
    Compiled, Diagnostic, LoadError, LoadOptions, MessageRenderer, Options, PropertyKind,
    TargetSpec, Task, UndefinedFunction, UndefinedFunctions, compile, load, load_property,
    load_task, render_load_error,
};
use rhumb_logic::Budget;
use rhumb_program::graph::CallGraph;
use rhumb_program::{DataModel, LocKind, Program, Span, UnsupportedId};

use crate::cli::InputArgs;
use crate::commands::say;
use crate::exit::Exit;
use crate::last_word;

/// A program, and how it came about.
pub(crate) struct Input {
    /// The C file.
    pub(crate) file: PathBuf,
    /// What the front end was told.
    pub(crate) options: Options,
    /// The property, as its file says it; none if there is no file.
    pub(crate) specification: Option<String>,
    /// The program.
    pub(crate) program: Program,
    /// The text that it was parsed from, after preprocessing.
    pub(crate) text: Arc<[u8]>,
    /// The name of a property that was asked for and that can't be checked yet.
    pub(crate) unsupported_property: Option<String>,
}

/// What is asked about a program.
#[derive(Default)]
struct Question {
    specification: Option<String>,
    entry: Option<String>,
    targets: TargetSpec,
    unsupported: Option<String>,
}

impl Input {
    /// Reads what the arguments name. Errors have been printed when this returns.
    pub(crate) fn load(args: &InputArgs, budget: &Budget) -> Result<Input, Exit> {
        Input::load_as(args, "", budget)
    }

    /// The same, with something to go by where the arguments don't say what undefined functions do.
    pub(crate) fn load_as(
        args: &InputArgs,
        undefined: &str,
        budget: &Budget,
    ) -> Result<Input, Exit> {
        read(args, undefined, budget).unwrap_or_else(|error| {
            if budget.is_spent() {
                last_word::cut_short(budget.cancel.reason().unwrap_or("out of time"));
            }
            say(render_load_error(&error, use_colour()));
            Err(Exit::BadInput)
        })
    }

    /// Prints a message about a place in the program.
    pub(crate) fn show(&self, span: Span, message: &str) {
        let mut renderer = MessageRenderer::new(&self.program.sources, use_colour());
        say(renderer.render(&Diagnostic::warning(span, message)));
    }
}

fn use_colour() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// The outer error is about a file that can't be read, the inner one has been printed.
fn read(
    args: &InputArgs,
    undefined: &str,
    budget: &Budget,
) -> Result<Result<Input, Exit>, LoadError> {
    let is_task = args
        .file
        .extension()
        .is_some_and(|extension| extension == "yml" || extension == "yaml");
    let task = if is_task {
        Some(load_task(&args.file)?)
    } else {
        None
    };
    let property = property_path(args, task.as_ref());
    let has_property = task.is_some() || property.is_some();
    let question = match property {
        Some(path) => read_property(&path)?,
        None => Question {
            targets: match &args.error_label {
                Some(label) => TargetSpec::Label(Arc::from(&**label)),
                None => TargetSpec::Default,
            },
            ..Question::default()
        },
    };
    let data_model = task
        .as_ref()
        .and_then(|task| task.data_model)
        .or(args.data_model.map(DataModel::from))
        .unwrap_or_default();
    let file = task.as_ref().map_or(&args.file, |task| &task.program);
    let mut load_options = LoadOptions {
        data_model,
        ..LoadOptions::default()
    };
    if let Some(left) = budget.time_left() {
        load_options.preprocess_time = load_options.preprocess_time.min(left);
    }
    let source = load(file, &load_options)?;
    let options = Options {
        data_model,
        entry: Arc::from(question.entry.as_deref().unwrap_or(&args.entry)),
        targets: question.targets,
        signed_overflow: args.signed_overflow.into(),
        undefined_functions: undefined_functions(args, undefined, has_property),
        ordinary: args
            .ordinary_function
            .iter()
            .map(|name| Arc::from(&**name))
            .collect(),
    };
    let text = source.map.text().clone();
    let compiled = compile(source.map, &options);
    Ok(finish(compiled, args.quiet).map(|program| Input {
        file: file.clone(),
        options: warn_unused_names(options, &program, args.quiet),
        specification: question.specification,
        program,
        text,
        unsupported_property: question.unsupported,
    }))
}

/// What undefined functions do: as the arguments say, or else as `otherwise` does. The tasks of the competition mean functions without an effect.
fn undefined_functions(
    args: &InputArgs,
    otherwise: &str,
    has_property: bool,
) -> UndefinedFunctions {
    let mut all = UndefinedFunctions::default();
    let otherwise = Some(otherwise).filter(|list| !list.is_empty());
    let otherwise = otherwise.filter(|_| args.undefined_functions.is_empty());
    let lists = args.undefined_functions.iter().map(String::as_str);
    for list in lists.chain(otherwise) {
        // The arguments were checked when they were read; of a file, what makes no sense fits no program.
        let _ = all.add(list);
    }
    if has_property {
        all.otherwise.get_or_insert(UndefinedFunction::Pure);
    }
    all
}

/// Says which exceptions are for functions that the program doesn't call, or that have a body.
fn warn_unused_names(options: Options, program: &Program, quiet: bool) -> Options {
    let named = options.undefined_functions.named.iter();
    for (name, &meaning) in named.filter(|_| !quiet) {
        let mut known = program.outside.functions.iter();
        let is_known = known.any(|external| *external.name == **name);
        if !is_known && meaning != UndefinedFunction::Refuse {
            say(format!(
                "warning: no function `{name}` without a body is used (in --undefined-functions)"
            ));
        }
    }
    options
}

/// The property file: the one that is asked for, or the task's; of several the first that says what must not be called.
fn property_path(args: &InputArgs, task: Option<&Task>) -> Option<PathBuf> {
    if args.property.is_some() {
        return args.property.clone();
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

fn read_property(path: &Path) -> Result<Question, LoadError> {
    let properties = load_property(path)?;
    let mut question = Question {
        specification: std::fs::read_to_string(path).ok(),
        ..Question::default()
    };
    for property in properties {
        question.entry.get_or_insert(property.entry);
        match property.kind {
            PropertyKind::UnreachCall(function) if question.targets == TargetSpec::Default => {
                question.targets = TargetSpec::Call(Arc::from(function));
            }
            PropertyKind::UnreachLabel(label) if question.targets == TargetSpec::Default => {
                question.targets = TargetSpec::Label(Arc::from(label));
            }
            other => {
                question.unsupported.get_or_insert(other.name().to_owned());
            }
        }
    }
    Ok(question)
}

/// Prints what the front end has to say.
fn finish(mut compiled: Compiled, quiet: bool) -> Result<Program, Exit> {
    if let Some(program) = &compiled.program {
        let reachable = reachable_unsupported(program);
        for (id, unsupported) in program.unsupported.iter_enumerated() {
            let label = if reachable.contains(&id) {
                "the verdict is UNKNOWN for that"
            } else {
                "no run gets here, so it doesn't matter"
            };
            let message = format!("unsupported: {}", unsupported.what);
            compiled
                .diagnostics
                .push(Diagnostic::warning(unsupported.span, message).with_label(label));
        }
    }
    let failed = compiled.program.is_none();
    if failed || !quiet {
        let mut renderer = MessageRenderer::new(&compiled.sources, use_colour());
        let text = renderer.render_all(&compiled.diagnostics);
        if !text.is_empty() {
            say(text.trim_end());
        }
    }
    compiled.program.ok_or(Exit::BadInput)
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
