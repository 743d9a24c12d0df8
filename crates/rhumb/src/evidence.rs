//! The files that come with a verdict: certificate and harness.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use rhumb_certify::counterexample::Budget;
use rhumb_certify::file::Certificate;
use rhumb_certify::{Verdict, harness};

use crate::cli::CheckArgs;
use crate::commands::say;
use crate::input::Input;

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
