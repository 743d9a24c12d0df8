//! A certificate of either kind.

use rhumb_logic::Budget;
use rhumb_program::Program;
use serde::Deserialize;
use serde::de::IgnoredAny;

use super::outside::OutsideEntry;
use super::{CounterexampleFile, FileError, ProofFile, ProofFileError};
use crate::counterexample::{self, Reason};
use crate::proof::{self, Lost, Rejected};
use crate::verdict::Verdict;

/// The evidence for a verdict, written down.
#[derive(Clone, Debug)]
pub enum Certificate {
    /// For SAFE.
    Proof(ProofFile),
    /// For UNSAFE.
    Counterexample(CounterexampleFile),
}

/// What a check of a certificate came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Recheck {
    /// The proof holds: no target is reached.
    Safe,
    /// The counterexample is right: a target is reached.
    Unsafe,
    /// The evidence is wrong, for this reason.
    Rejected(String),
    /// The budget was too small to tell.
    Undecided(String),
}

/// A file that is no certificate of the program.
#[derive(Debug, thiserror::Error)]
pub enum BadCertificate {
    /// It is no JSON, or has not the parts that a certificate has.
    #[error("not a certificate: {0}")]
    Syntax(String),
    /// It rests on other assumptions.
    #[error("the certificate rests on other assumptions than the program is read with")]
    Assumptions,
    /// It is no proof of the program.
    #[error(transparent)]
    Proof(#[from] ProofFileError),
    /// It is no counterexample of the program.
    #[error(transparent)]
    Counterexample(#[from] FileError),
}

/// A look at which kind of file it is.
#[derive(Deserialize)]
struct Peek {
    argument: Option<IgnoredAny>,
    segments: Option<IgnoredAny>,
}

impl Certificate {
    /// The evidence of a verdict; none for UNKNOWN.
    pub fn of(program: &Program, verdict: &Verdict) -> Option<Result<Certificate, BadCertificate>> {
        match verdict {
            Verdict::Safe(certified) => {
                let file = ProofFile::new(program, certified.evidence());
                Some(file.map(Certificate::Proof).map_err(BadCertificate::from))
            }
            Verdict::Unsafe(certified) => {
                let file = CounterexampleFile::new(program, certified.evidence());
                Some(Ok(Certificate::Counterexample(file)))
            }
            Verdict::Unknown(_) => None,
        }
    }

    /// The text of the file.
    pub fn to_json(&self) -> Result<String, BadCertificate> {
        match self {
            Certificate::Proof(file) => Ok(file.to_json()?),
            Certificate::Counterexample(file) => Ok(file.to_json()),
        }
    }

    /// Reads the text of a file.
    pub fn from_json(text: &[u8]) -> Result<Certificate, BadCertificate> {
        let syntax = |error: String| BadCertificate::Syntax(error);
        let peek: Peek = serde_json::from_slice(text).map_err(|error| syntax(error.to_string()))?;
        match (peek.argument, peek.segments) {
            (Some(_), None) => {
                let text = std::str::from_utf8(text).map_err(|error| syntax(error.to_string()))?;
                Ok(Certificate::Proof(ProofFile::from_json(text)?))
            }
            (None, Some(_)) => Ok(Certificate::Counterexample(CounterexampleFile::from_json(
                text,
            )?)),
            _ => Err(syntax("neither a proof nor a counterexample".to_owned())),
        }
    }

    fn outside(&self) -> &OutsideEntry {
        match self {
            Certificate::Proof(file) => &file.outside,
            Certificate::Counterexample(file) => &file.outside,
        }
    }

    /// What was said of functions that nobody defines, in the words of the command line; empty if nothing was.
    pub fn undefined_functions(&self) -> &str {
        &self.outside().undefined_functions
    }

    /// Which undefined behaviour was looked for, in the words of the command line; empty for none.
    pub fn checks(&self) -> &str {
        &self.outside().checks
    }

    /// Checks the evidence against a program. The program has to be read with the same assumptions.
    pub fn check(&self, program: &Program, budget: &Budget) -> Result<Recheck, BadCertificate> {
        if !self.outside().describes(program) {
            return Err(BadCertificate::Assumptions);
        }
        match self {
            Certificate::Proof(file) => {
                let proof = file.proof(program)?;
                Ok(match proof::check(program, &proof, budget) {
                    Ok(_) => Recheck::Safe,
                    Err(rejected @ (Rejected::Undecided { .. } | Rejected::Lost(Lost::Budget))) => {
                        Recheck::Undecided(rejected.to_string())
                    }
                    Err(rejected) => Recheck::Rejected(rejected.to_string()),
                })
            }
            Certificate::Counterexample(file) => {
                let counterexample = file.counterexample(program)?;
                let budget = counterexample::Budget::within(budget);
                Ok(
                    match counterexample::check(program, &counterexample, &budget) {
                        Ok(_) => Recheck::Unsafe,
                        Err(rejected) if matches!(rejected.reason, Reason::Budget(_)) => {
                            Recheck::Undecided(rejected.to_string())
                        }
                        Err(rejected) => Recheck::Rejected(rejected.to_string()),
                    },
                )
            }
        }
    }
}
