//! Checking of evidence, ours and other tools'.

use std::time::Duration;

use rhumb_certify::file::{Certificate, Recheck, fingerprint};
use rhumb_cfront::parse_property;
use rhumb_logic::Budget;
use rhumb_program::interp::KeyedInputs;
use rhumb_program::{Checks, Program};
use rhumb_report::witness::{self, Against, Validity, Witness};
use rhumb_search::{CATALOG, Claim, Step, Task};
use rhumb_second::{Opinion, OpinionLimits, Solver};

use crate::evidence::{self, NoEvidence};
use crate::input::Input;

/// Evidence as it was read from a file.
#[derive(Debug)]
pub enum Evidence {
    /// A certificate that `rhumb check` wrote.
    Certificate {
        /// What is in it.
        certificate: Box<Certificate>,
        /// Its text.
        text: String,
    },
    /// The entries of a witness of the competition's format.
    Witness(Vec<Witness>),
}

impl Evidence {
    /// The text of a certificate.
    pub fn certificate(text: String) -> Result<Evidence, NoEvidence> {
        let certificate = Certificate::from_json(text.as_bytes()).map_err(NoEvidence::because)?;
        let certificate = Box::new(certificate);
        Ok(Evidence::Certificate { certificate, text })
    }

    /// The text of a witness.
    pub fn witness(text: &[u8]) -> Result<Evidence, NoEvidence> {
        let entries = witness::read(text).map_err(NoEvidence::because)?;
        Ok(Evidence::Witness(entries))
    }

    /// What calls of undefined functions do, where the evidence says it: the program has to be read that way.
    pub fn undefined_functions(&self) -> &str {
        match self {
            Evidence::Certificate { certificate, .. } => certificate.undefined_functions(),
            Evidence::Witness(_) => "",
        }
    }
}

impl Evidence {
    /// Which undefined behaviour was looked for, as the evidence says it.
    pub fn checks(&self) -> Checks {
        let mut checks = Checks::none();
        match self {
            // Another list of words comes from another version; then the certificate is for another program.
            Evidence::Certificate { certificate, .. } => {
                checks = Checks::parse(certificate.checks()).unwrap_or(checks);
            }
            Evidence::Witness(entries) => {
                for entry in entries {
                    let text = entry.metadata.task.specification.as_bytes();
                    for property in parse_property("the witness", text).unwrap_or_default() {
                        checks.add(&property.kind.checks().unwrap_or_default());
                    }
                }
            }
        }
        checks
    }
}

/// What a check of evidence came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Validation {
    /// Whether it is valid.
    pub validity: Validity,
    /// What the user should know beside that.
    pub notes: Vec<String>,
}

impl From<Validity> for Validation {
    fn from(validity: Validity) -> Validation {
        Validation {
            validity,
            notes: Vec::new(),
        }
    }
}

/// Checks evidence against a program. An error is about evidence that can't be used at all.
pub fn validate(
    input: &Input,
    evidence: &Evidence,
    budget: &Budget,
) -> Result<Validation, NoEvidence> {
    match evidence {
        Evidence::Certificate { certificate, .. } => {
            let checked = certificate.check(&input.program, budget);
            let validity = match checked.map_err(NoEvidence::because)? {
                Recheck::Safe => Validity::Correct,
                Recheck::Unsafe => Validity::Violated,
                Recheck::Rejected(why) => Validity::Rejected(why),
                Recheck::Undecided(why) => Validity::Undecided(why),
            };
            Ok(validity.into())
        }
        Evidence::Witness(entries) => check_witness(input, entries, budget),
    }
}

/// The time of somebody who has set no limit.
const LONG: Duration = Duration::from_secs(365 * 24 * 3600);

/// Checks a proof by the other road, with a solver that is a process and may have so many bytes. Only whether the file
/// is a proof of this program is asked of the first reader.
pub fn second_opinion(
    input: &Input,
    evidence: &Evidence,
    memory: Option<u64>,
    budget: &Budget,
) -> Result<Validation, NoEvidence> {
    let text = match evidence {
        Evidence::Certificate { certificate, text } => match &**certificate {
            Certificate::Counterexample(_) => {
                let why = "a second opinion is for proofs; a counterexample is executed";
                return Err(NoEvidence::because(why));
            }
            Certificate::Proof(file) if file.program != fingerprint(&input.program) => {
                return Err(NoEvidence::because(
                    "the certificate is for another program",
                ));
            }
            Certificate::Proof(_) => text,
        },
        Evidence::Witness(_) => {
            return Err(NoEvidence::because("a second opinion is for certificates"));
        }
    };
    let mut solver = Solver::get().map_err(NoEvidence)?;
    if let Some(memory) = memory {
        solver = solver.with_memory(memory);
    }
    let is_stopped = || budget.is_spent();
    let limits = OpinionLimits::new(budget.time_left().unwrap_or(LONG), &is_stopped);
    let opinion = rhumb_second::check(&input.program, text, &solver, &limits);
    let validity = match opinion.map_err(NoEvidence::because)? {
        Opinion::Valid => Validity::Correct,
        Opinion::Rejected(why) => Validity::Rejected(why),
        Opinion::Undecided(why) => Validity::Undecided(why),
    };
    Ok(validity.into())
}

/// Checks all entries of a witness file; the result is about the one that matters most: a wrong one, or else an undecided one.
fn check_witness(
    input: &Input,
    entries: &[Witness],
    budget: &Budget,
) -> Result<Validation, NoEvidence> {
    let path = evidence::single_file(input, "a witness")?;
    let file = evidence::read(path).map_err(NoEvidence)?;
    let against = Against {
        program: &input.program,
        text: &input.text,
        file_name: &path.to_string_lossy(),
        file: &file,
        options: &input.options,
        search: &|budget| search(&input.program, budget),
    };
    let weight = |validity: &Validity| match validity {
        Validity::Correct | Validity::Violated => 0,
        Validity::Undecided(_) => 1,
        Validity::Rejected(_) => 2,
    };
    let mut worst: Option<Validity> = None;
    let mut notes = Vec::new();
    for entry in entries {
        let checked = witness::validate(entry, &against, budget).map_err(NoEvidence::because)?;
        notes.extend(checked.notes);
        let is_worse = |so_far: &Validity| weight(so_far) < weight(&checked.validity);
        if worst.as_ref().is_none_or(is_worse) {
            worst = Some(checked.validity);
        }
    }
    let validity = worst.ok_or_else(|| NoEvidence::because("there is no entry in it"))?;
    Ok(Validation { validity, notes })
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
