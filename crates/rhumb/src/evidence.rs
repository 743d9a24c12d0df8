//! Evidence written down.

use std::fmt;
use std::path::Path;
use std::time::{Duration, SystemTime};

use rhumb_certify::Verdict;
use rhumb_certify::counterexample::Budget;
use rhumb_certify::file::Certificate;
use rhumb_program::TargetKind;
use rhumb_report::harness::{self, Harness};
use rhumb_report::witness::{self, About, Note, Witness};

use crate::faults;
use crate::input::Input;

/// Why there is no evidence of a kind, in words.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct NoEvidence(pub(crate) String);

impl NoEvidence {
    /// With this reason.
    pub fn because(why: impl fmt::Display) -> NoEvidence {
        NoEvidence(why.to_string())
    }
}

/// The certificate of a verdict about a program; none for UNKNOWN.
pub fn certificate(input: &Input, verdict: &Verdict) -> Option<Result<String, NoEvidence>> {
    let certificate = Certificate::of(&input.program, verdict)?;
    let text = certificate.and_then(|certificate| certificate.to_json());
    Some(text.map_err(NoEvidence::because))
}

/// The witness of a verdict about a program, and what it doesn't say; none for UNKNOWN, and if the error lies in another file.
pub fn witness(
    input: &Input,
    verdict: &Verdict,
) -> Result<Option<(Witness, Vec<Note>)>, NoEvidence> {
    if input.program.schedule().is_some() {
        let why = "witnesses of format 2.0 have no words for threads";
        return Err(NoEvidence::because(why));
    }
    if input.options.checks.ending.is_some() {
        let why = "witnesses of format 2.0 have no words for why runs end or don't";
        return Err(NoEvidence::because(why));
    }
    let path = single_file(input, "a witness")?;
    let file = read(path).map_err(NoEvidence)?;
    let about = About {
        file_name: &path.to_string_lossy(),
        file: &file,
        specification: &specification(input, verdict),
        version: env!("CARGO_PKG_VERSION"),
        time: time_of(path),
    };
    Ok(witness::write(&input.program, verdict, &about))
}

/// C code that makes the compiled program reach the error; none for other verdicts than UNSAFE.
pub fn harness(input: &Input, verdict: &Verdict) -> Option<Result<Harness, NoEvidence>> {
    let Verdict::Unsafe(certified) = verdict else {
        return None;
    };
    let (program, evidence) = (&input.program, certified.evidence());
    let made = harness::write(program, &input.text, evidence, &Budget::default());
    let made = made.map_err(NoEvidence::because);
    // The changed program would be one text for all of its files.
    let made = made.and_then(|made| match made.patched {
        Some(_) => single_file(input, "a changed copy of the program").map(|_| made),
        None => Ok(made),
    });
    Some(made)
}

/// The file that something is about which can be about one file only.
pub(crate) fn single_file<'i>(input: &'i Input, what: &str) -> Result<&'i Path, NoEvidence> {
    let several = || {
        NoEvidence(format!(
            "{what} is about one file, and the program has more"
        ))
    };
    input.only_file().ok_or_else(several)
}

/// The property in the words of a property file: that of the file, or, without one, the one that is violated; else that
/// nothing is called which must not be.
fn specification(input: &Input, verdict: &Verdict) -> String {
    if let Some(specification) = &input.specification {
        return specification.trim().to_owned();
    }
    if let Verdict::Unsafe(certified) = verdict
        && let target = &input.program.targets[certified.evidence().target]
        && let Some(property) = faults::property_of(&target.kind)
    {
        let formula = match property {
            "no-overflow" => "! overflow",
            other => other,
        };
        return format!("CHECK( init({}()), LTL(G {formula}) )", input.options.entry);
    }
    let mut kinds = input.program.targets.iter().map(|target| &target.kind);
    let called = kinds.find_map(|kind| match kind {
        TargetKind::Call(function) => Some(&**function),
        _ => None,
    });
    let (entry, called) = (&input.options.entry, called.unwrap_or("reach_error"));
    format!("CHECK( init({entry}()), LTL(G ! call({called}())) )")
}

/// The time that a witness bears: what `SOURCE_DATE_EPOCH` says, else that of the program. So a witness can be made again, byte by byte.
pub(crate) fn time_of(file: &Path) -> SystemTime {
    let fixed = std::env::var("SOURCE_DATE_EPOCH").ok();
    let fixed = fixed.and_then(|seconds| seconds.parse().ok());
    let time = fixed.and_then(|s| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(s)));
    let changed = || std::fs::metadata(file).ok()?.modified().ok();
    time.or_else(changed).unwrap_or(SystemTime::UNIX_EPOCH)
}

/// The bytes of a file.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}
