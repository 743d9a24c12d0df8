//! From the arguments of a command to a program, with all that is to be said about it.

use rhumb::{Input, InputError, Known, Question};
use rhumb_cfront::{Diagnostic, MessageRenderer, UndefinedFunctions, render_load_error};
use rhumb_logic::Budget;
use rhumb_program::{Checks, DataModel, Span};

use crate::cli::{ChecksArgs, InputArgs};
use crate::colour;
use crate::commands::say;
use crate::exit::Exit;
use crate::last_word;

/// Reads what the arguments name. Errors have been printed when this returns.
pub(crate) fn load(args: &InputArgs, budget: &Budget) -> Result<Input, Exit> {
    load_as(args, Some(&Checks::none()), &[], "", budget)
}

/// The same with these checks, or the usual ones, and with something to go by where the arguments don't say what undefined functions do.
pub(crate) fn load_as(
    args: &InputArgs,
    checks: Option<&Checks>,
    known: &[Known],
    undefined: &str,
    budget: &Budget,
) -> Result<Input, Exit> {
    let question = Question {
        known: known.to_vec(),
        ..question(args, checks, undefined)
    };
    read(args, &question, budget)
}

/// The findings that the arguments say are known.
pub(crate) fn known(args: &ChecksArgs) -> Result<Vec<Known>, String> {
    let mut known = match &args.baseline {
        Some(path) => Known::read(path)?,
        None => Vec::new(),
    };
    for line in &args.known {
        known.extend(Known::list(line));
    }
    Ok(known)
}

/// The same for those who want tests for parts of the text.
pub(crate) fn load_for_tests(args: &InputArgs, budget: &Budget) -> Result<Input, Exit> {
    let question = Question {
        goals: true,
        ..question(args, Some(&Checks::none()), "")
    };
    read(args, &question, budget)
}

fn read(args: &InputArgs, question: &Question, budget: &Budget) -> Result<Input, Exit> {
    match Input::read(&args.files, question, budget) {
        Ok(input) => {
            if !args.quiet {
                warn(&input);
            }
            Ok(input)
        }
        Err(InputError::NotC { messages, sources }) => {
            say(MessageRenderer::new(&sources, colour::of_messages())
                .render_all(&messages)
                .trim_end());
            Err(Exit::BadInput)
        }
        Err(error @ InputError::Files(_)) => {
            say(format!("error: {error}"));
            Err(Exit::BadInput)
        }
        Err(InputError::Load(error)) => {
            if budget.is_spent() {
                last_word::cut_short(budget.cancel.reason().unwrap_or("out of time"));
            }
            say(render_load_error(&error, colour::of_messages()));
            Err(Exit::BadInput)
        }
    }
}

/// Prints a message about a place in the program.
pub(crate) fn show(input: &Input, span: Span, message: &str) {
    let mut renderer = MessageRenderer::new(&input.program.sources, colour::of_messages());
    say(renderer.render(&Diagnostic::warning(span, message)));
}

fn warn(input: &Input) {
    for note in &input.notes {
        say(format!("note: {note}"));
    }
    let mut renderer = MessageRenderer::new(&input.program.sources, colour::of_messages());
    let text = renderer.render_all(&input.warnings);
    if !text.is_empty() {
        say(text.trim_end());
    }
    for name in input.unused_names() {
        say(format!(
            "warning: no function `{name}` without a body is used (in --undefined-functions)"
        ));
    }
}

fn question(args: &InputArgs, checks: Option<&Checks>, undefined: &str) -> Question {
    let mut undefined_functions = UndefinedFunctions::default();
    let otherwise = Some(undefined).filter(|list| !list.is_empty());
    let otherwise = otherwise.filter(|_| args.undefined_functions.is_empty());
    let lists = args.undefined_functions.iter().map(String::as_str);
    for list in lists.chain(otherwise) {
        // The arguments were checked when they were read; of a file, what makes no sense fits no program.
        let _ = undefined_functions.add(list);
    }
    Question {
        property: args.property.clone(),
        error_label: args.error_label.clone(),
        goals: false,
        checks: checks.cloned(),
        known: Vec::new(),
        ordinary_functions: args.ordinary_function.clone(),
        data_model: args.data_model.map(DataModel::from),
        entry: args.entry.clone(),
        signed_overflow: args.signed_overflow.into(),
        undefined_functions,
        preprocessor: args.preprocessor.words.clone(),
        project: args.project.clone(),
        models: args.model.clone(),
    }
}
