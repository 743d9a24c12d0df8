//! The files that come with a verdict: certificate, witness and harness.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use rhumb::{Input, Verdict};

use crate::cli::CheckArgs;
use crate::commands::say;

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
        && let Some(certificate) = rhumb::certificate(input, verdict)
    {
        match certificate {
            Ok(text) => save(path, text.as_bytes())?,
            Err(error) => warn("no certificate", error),
        }
    }
    if let Some(path) = &args.witness {
        write_witness(path, input, verdict)?;
    }
    if args.harness.is_none() && args.standalone.is_none() {
        return Ok(());
    }
    let made = match rhumb::harness(input, verdict) {
        Some(Ok(made)) => made,
        Some(Err(error)) => {
            warn("no harness", error);
            return Ok(());
        }
        None => return Ok(()),
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
    let made = rhumb::witness(input, verdict).map_err(|error| error.to_string())?;
    let Some((witness, notes)) = made else {
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
