//! `rhumb validate`: checks evidence, in a process that knows nothing else.

use rhumb_certify::file::{Certificate, Recheck};
use rhumb_logic::Budget;

use super::{print, say};
use crate::cli::ValidateArgs;
use crate::exit::Exit;
use crate::input::Input;

/// Checks a certificate.
pub(crate) fn run(args: &ValidateArgs) -> Exit {
    let input = match Input::load(&args.input) {
        Ok(input) => input,
        Err(exit) => return exit,
    };
    let complain = |problem: String| {
        say(format!("error: {}: {problem}", args.certificate.display()));
        Exit::BadInput
    };
    let text = match std::fs::read(&args.certificate) {
        Ok(text) => text,
        Err(error) => return complain(error.to_string()),
    };
    let budget = Budget::time(args.timeout);
    let checked = Certificate::from_json(&text)
        .and_then(|certificate| certificate.check(&input.program, &budget));
    let (line, exit) = match checked {
        Err(error) => return complain(error.to_string()),
        Ok(Recheck::Safe) => ("valid: SAFE".to_owned(), Exit::Success),
        Ok(Recheck::Unsafe) => ("valid: UNSAFE".to_owned(), Exit::Success),
        Ok(Recheck::Rejected(why)) => (format!("rejected: {why}"), Exit::Unsafe),
        Ok(Recheck::Undecided(why)) => (format!("undecided: {why}"), Exit::Unknown),
    };
    print(format!("certificate: {line}\n"));
    exit
}
