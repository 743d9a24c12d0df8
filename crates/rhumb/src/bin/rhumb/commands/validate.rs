//! `rhumb validate`: checks evidence, in a process that knows nothing else.

use std::path::Path;

use rhumb_program::Checks;

use rhumb::{Evidence, NoEvidence, Validity};

use super::say;
use crate::cli::ValidateArgs;
use crate::exit::Exit;
use crate::input;
use crate::last_word::LastWord;
use crate::watchdog;

/// Checks a certificate or a witness.
pub(crate) fn run(args: &ValidateArgs) -> LastWord {
    let files = &args.evidence;
    let (kind, path) = match (&files.certificate, &files.witness) {
        (Some(path), _) => ("certificate", path),
        (None, Some(path)) => ("witness", path),
        (None, None) => return Exit::Usage.into(),
    };
    let budget = watchdog::start(args.limits.limits(), move |reason| {
        LastWord::out(format!("{kind}: undecided: {reason}\n"), Exit::Unknown)
    });
    let text = match std::fs::read(path) {
        Ok(text) => text,
        Err(error) => return refuse(path, &error.to_string()),
    };
    // A certificate says how the program is to be read; what is wrong with a witness is said after what is wrong with the program.
    let certificate = match kind {
        "certificate" => Some(read_certificate(text.clone())),
        _ => None,
    };
    let certificate = match certificate.transpose() {
        Ok(certificate) => certificate,
        Err(problem) => return refuse(path, &problem.to_string()),
    };
    let undefined = certificate
        .as_ref()
        .map_or("", Evidence::undefined_functions);
    // So it does with what was looked for.
    let asked = match &certificate {
        Some(certificate) => certificate.checks(),
        None => {
            Evidence::witness(&text).map_or_else(|_| Checks::none(), |witness| witness.checks())
        }
    };
    let checks = args.checks.checks.clone().unwrap_or(asked);
    let known = match input::known(&args.checks) {
        Ok(known) => known,
        Err(problem) => return LastWord::err(format!("error: {problem}"), Exit::BadInput),
    };
    let input = match input::load_as(&args.input, Some(&checks), &known, undefined, &budget) {
        Ok(input) => input,
        Err(exit) => return exit.into(),
    };
    let evidence = certificate.map_or_else(|| Evidence::witness(&text), Ok);
    let checked = evidence.and_then(|evidence| match args.second {
        true => rhumb::second_opinion(&input, &evidence, args.limits.memory, &budget),
        false => rhumb::validate(&input, &evidence, &budget),
    });
    let checked = match checked {
        Ok(checked) => checked,
        Err(problem) => return refuse(path, &problem.to_string()),
    };
    for note in &checked.notes {
        say(format!("note: {note}"));
    }
    let exit = exit_of(&checked.validity);
    let assumptions = match exit {
        Exit::Success => rhumb::assumptions_text(&input.program),
        _ => String::new(),
    };
    LastWord::out(format!("{assumptions}{kind}: {}\n", checked.validity), exit)
}

/// Says that evidence can't be used.
fn refuse(path: &Path, problem: &str) -> LastWord {
    let problem = format!("error: {}: {problem}", path.display());
    LastWord::err(problem, Exit::BadInput)
}

fn read_certificate(text: Vec<u8>) -> Result<Evidence, NoEvidence> {
    let text = String::from_utf8(text).map_err(NoEvidence::because)?;
    Evidence::certificate(text)
}

fn exit_of(validity: &Validity) -> Exit {
    match validity {
        Validity::Correct | Validity::Violated => Exit::Success,
        Validity::Undecided(_) => Exit::Unknown,
        Validity::Rejected(_) => Exit::Unsafe,
    }
}
