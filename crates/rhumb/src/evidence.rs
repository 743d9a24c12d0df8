//! The files that come with a verdict: certificate, witness and harness.

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rhumb_certify::Verdict;
use rhumb_certify::counterexample::Budget;
use rhumb_certify::file::Certificate;
use rhumb_program::TargetKind;
use rhumb_report::harness;
use rhumb_report::witness::{self, About};

use crate::cli::CheckArgs;
use crate::commands::say;
use crate::input::Input;

/// Whether any of them is asked for.
pub(crate) fn is_wanted(args: &CheckArgs) -> bool {
    let files = [
        &args.certificate,
        &args.witness,
        &args.harness,
        &args.standalone,
    ];
    files.into_iter().any(Option::is_some)
}

/// Writes what was asked for, as far as the verdict has it. What can't be made is said; the verdict stands all the same. An error is about a file
/// that can't be written.
pub(crate) fn write(args: &CheckArgs, input: &Input, verdict: &Verdict) -> Result<(), String> {
    if let Some(path) = &args.certificate
        && let Some(certificate) = Certificate::of(&input.program, verdict)
    {
        match certificate.and_then(|certificate| certificate.to_json()) {
            Ok(text) => save(path, text.as_bytes())?,
            Err(error) => warn("no certificate", error),
        }
    }
    if let Some(path) = &args.witness {
        write_witness(path, input, verdict)?;
    }
    let Verdict::Unsafe(certified) = verdict else {
        return Ok(());
    };
    if args.harness.is_none() && args.standalone.is_none() {
        return Ok(());
    }
    let made = harness::write(
        &input.program,
        &input.text,
        certified.evidence(),
        &Budget::default(),
    );
    let made = match made {
        Ok(made) => made,
        Err(error) => {
            warn("no harness", error);
            return Ok(());
        }
    };
    if let Some(path) = &args.standalone {
        save(path, &made.standalone())?;
    }
    if let Some(path) = &args.harness {
        save(path, made.harness_c.as_bytes())?;
        if let Some(patched) = &made.patched {
            let beside = patched_path(path);
            save(&beside, patched)?;
            say(format!(
                "note: some inputs are no calls; compile {} instead of the program",
                beside.display()
            ));
        }
    }
    Ok(())
}

/// How many of the things that a witness doesn't say are listed.
const NOTES: usize = 5;

fn write_witness(path: &Path, input: &Input, verdict: &Verdict) -> Result<(), String> {
    let file = read(&input.file)?;
    let about = About {
        file_name: &input.file.to_string_lossy(),
        file: &file,
        specification: &specification(input),
        version: env!("CARGO_PKG_VERSION"),
        time: time_of(&input.file),
    };
    let Some((witness, notes)) = witness::write(&input.program, verdict, &about) else {
        if !matches!(verdict, Verdict::Unknown(_)) {
            warn("no witness", "the error is in another file");
        }
        return Ok(());
    };
    save(path, witness.to_string().as_bytes())?;
    for note in notes.iter().take(NOTES) {
        say(format!("note: {note}"));
    }
    if let more @ 1.. = notes.len().saturating_sub(NOTES) {
        say(format!("note: and {more} more of this kind"));
    }
    Ok(())
}

/// The property in the words of a property file: that of the file, or what is checked without one.
fn specification(input: &Input) -> String {
    if let Some(specification) = &input.specification {
        return specification.trim().to_owned();
    }
    let mut kinds = input.program.targets.iter().map(|target| &target.kind);
    let called = kinds.find_map(|kind| match kind {
        TargetKind::Call(function) => Some(&**function),
        TargetKind::Assertion | TargetKind::Label(_) => None,
    });
    let (entry, called) = (&input.options.entry, called.unwrap_or("reach_error"));
    format!("CHECK( init({entry}()), LTL(G ! call({called}())) )")
}

/// The time that a witness bears: what `SOURCE_DATE_EPOCH` says, else that of the program. So a witness can be made again, byte by byte.
fn time_of(file: &Path) -> SystemTime {
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

/// `out.c` becomes `out.patched.c`.
fn patched_path(harness: &Path) -> PathBuf {
    harness.with_extension("patched.c")
}

fn save(path: &Path, text: &[u8]) -> Result<(), String> {
    std::fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
}

fn warn(what: &str, why: impl Display) {
    say(format!("warning: {what}: {why}"));
}
