//! `rhumb validate`: checks evidence, in a process that knows nothing else.

use std::path::Path;

use rhumb_certify::file::{Certificate, Recheck, fingerprint};
use rhumb_logic::Budget;
use rhumb_program::Program;
use rhumb_program::interp::KeyedInputs;
use rhumb_report::witness::{self, Against, Validity};
use rhumb_search::{CATALOG, Claim, Step, Task};
use rhumb_second::{Limits, Opinion, Solver};

use super::check::assumptions_text;
use super::say;
use crate::cli::ValidateArgs;
use crate::evidence;
use crate::exit::Exit;
use crate::input::Input;
use crate::last_word::{self, LastWord};
use crate::watchdog;

/// Checks a certificate or a witness.
pub(crate) fn run(args: &ValidateArgs) -> LastWord {
    let budget = watchdog::start(args.limits.limits());
    let evidence = &args.evidence;
    let kind = match evidence.certificate {
        Some(_) => "certificate",
        None => "witness",
    };
    last_word::otherwise(move |reason| {
        LastWord::out(format!("{kind}: undecided: {reason}\n"), Exit::Unknown)
    });
    let Some(path) = evidence.certificate.as_ref().or(evidence.witness.as_ref()) else {
        return Exit::Usage.into();
    };
    // A certificate says how the program is to be read.
    let certificate = match evidence.certificate.as_deref().map(read_certificate) {
        Some(Err(problem)) => return refuse(path, &problem),
        Some(Ok(certificate)) => Some(certificate),
        None => None,
    };
    let undefined = certificate
        .as_ref()
        .map_or("", |(certificate, _)| certificate.undefined_functions());
    let input = match Input::load_as(&args.input, undefined, &budget) {
        Ok(input) => input,
        Err(exit) => return exit.into(),
    };
    let checked = match &certificate {
        Some((certificate, text)) if args.second => {
            second_opinion(certificate, text, &input, args, &budget)
        }
        Some((certificate, _)) => check_certificate(certificate, &input, &budget),
        None => check_witness(path, &input, &budget),
    };
    match checked {
        Ok((line, exit @ Exit::Success)) => {
            let assumptions = assumptions_text(&input.program);
            LastWord::out(format!("{assumptions}{line}\n"), exit)
        }
        Ok((line, exit)) => LastWord::out(format!("{line}\n"), exit),
        Err(problem) => refuse(path, &problem),
    }
}

/// Says that evidence can't be used.
fn refuse(path: &Path, problem: &str) -> LastWord {
    let problem = format!("error: {}: {problem}", path.display());
    LastWord::err(problem, Exit::BadInput)
}

/// A certificate, and its text.
fn read_certificate(path: &Path) -> Result<(Certificate, String), String> {
    let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
    let certificate = Certificate::from_json(text.as_bytes()).map_err(|error| error.to_string())?;
    Ok((certificate, text))
}

fn check_certificate(
    certificate: &Certificate,
    input: &Input,
    budget: &Budget,
) -> Result<(String, Exit), String> {
    let checked = certificate.check(&input.program, budget);
    let (line, exit) = match checked.map_err(|error| error.to_string())? {
        Recheck::Safe => ("valid: SAFE".to_owned(), Exit::Success),
        Recheck::Unsafe => ("valid: UNSAFE".to_owned(), Exit::Success),
        Recheck::Rejected(why) => (format!("rejected: {why}"), Exit::Unsafe),
        Recheck::Undecided(why) => (format!("undecided: {why}"), Exit::Unknown),
    };
    Ok((format!("certificate: {line}"), exit))
}

/// Checks a proof by the other road. Only whether the file is a proof of this program is asked of the first reader.
fn second_opinion(
    certificate: &Certificate,
    text: &str,
    input: &Input,
    args: &ValidateArgs,
    budget: &Budget,
) -> Result<(String, Exit), String> {
    match certificate {
        Certificate::Counterexample(_) => {
            return Err("a second opinion is for proofs; a counterexample is executed".to_owned());
        }
        Certificate::Proof(file) if file.program != fingerprint(&input.program) => {
            return Err("the certificate is for another program".to_owned());
        }
        Certificate::Proof(_) => {}
    }
    let mut solver = Solver::get()?;
    if let Some(memory) = args.limits.memory {
        solver = solver.with_memory(memory);
    }
    let is_stopped = || budget.is_spent();
    let limits = Limits::new(args.limits.timeout, &is_stopped);
    let opinion = rhumb_second::check(&input.program, text, &solver, &limits);
    let (line, exit) = match opinion.map_err(|error| error.to_string())? {
        Opinion::Valid => ("valid: SAFE".to_owned(), Exit::Success),
        Opinion::Rejected(why) => (format!("rejected: {why}"), Exit::Unsafe),
        Opinion::Undecided(why) => (format!("undecided: {why}"), Exit::Unknown),
    };
    Ok((format!("certificate: {line}"), exit))
}

/// Checks all entries of a witness file; the last line is about the one that matters most: a wrong one, or an undecided one.
fn check_witness(path: &Path, input: &Input, budget: &Budget) -> Result<(String, Exit), String> {
    let text = std::fs::read(path).map_err(|error| error.to_string())?;
    let entries = witness::read(&text).map_err(|error| error.to_string())?;
    let file = evidence::read(&input.file)?;
    let against = Against {
        program: &input.program,
        text: &input.text,
        file_name: &input.file.to_string_lossy(),
        file: &file,
        options: &input.options,
        search: &|budget| search(&input.program, budget),
    };
    let mut result: Option<Validity> = None;
    for entry in &entries {
        let checked = witness::validate(entry, &against, budget);
        let checked = checked.map_err(|error| error.to_string())?;
        for note in &checked.notes {
            say(format!("note: {note}"));
        }
        let weight = |validity: &Validity| exit_of(validity) as u8;
        if result
            .as_ref()
            .is_none_or(|so_far| weight(so_far) < weight(&checked.validity))
        {
            result = Some(checked.validity);
        }
    }
    let validity = result.ok_or("there is no entry in it")?;
    Ok((format!("witness: {validity}"), exit_of(&validity)))
}

fn exit_of(validity: &Validity) -> Exit {
    match validity {
        Validity::Correct | Validity::Violated => Exit::Success,
        Validity::Undecided(_) => Exit::Unknown,
        Validity::Rejected(_) => Exit::Unsafe,
    }
}

/// Inputs that reach an error, as the default engine finds them.
fn search(program: &Program, budget: &Budget) -> Option<KeyedInputs> {
    let task = Task::new(program);
    let mut engine = (CATALOG.first()?.start)(&task);
    loop {
        match engine.step(budget) {
            Step::Done(Claim::Unsafe { inputs, .. }) => return Some(inputs),
            Step::Done(_) => return None,
            _ if budget.is_spent() => return None,
            _ => {}
        }
    }
}
