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

/// Says at once what would go wrong at the end: a file that can't be written, or that is one of those that are read.
pub(crate) fn check(args: &CheckArgs, input: &Input) -> Result<(), String> {
    let mut outputs: Vec<(&str, &Path)> = Vec::new();
    for (option, path) in [
        ("--certificate", &args.certificate),
        ("--witness", &args.witness),
        ("--harness", &args.harness),
        ("--standalone", &args.standalone),
    ] {
        outputs.extend(path.as_deref().map(|path| (option, path)));
    }
    let page = args
        .report
        .as_deref()
        .map(|folder| folder.join("index.html"));
    if let Some(folder) = &args.report {
        std::fs::create_dir_all(folder).map_err(|error| {
            format!("{}: can't be made: {error} (in --report)", folder.display())
        })?;
        outputs.extend(page.as_deref().map(|page| ("--report", page)));
    }
    let read = input.files.iter().map(PathBuf::as_path);
    let read: Vec<&Path> = read.chain(args.input.property.as_deref()).collect();
    for (index, &(option, path)) in outputs.iter().enumerate() {
        let shown = path.display();
        if read.iter().any(|input| is_same(input, path)) {
            return Err(format!(
                "{shown}: is read by this command; {option} would write over it"
            ));
        }
        let mut others = outputs[..index].iter();
        if let Some((other, _)) = others.find(|(_, other)| is_same(other, path)) {
            return Err(format!("{shown}: is named by {other} and by {option}"));
        }
        try_to_write(path).map_err(|error| {
            let hint = match path.parent() {
                Some(folder) if !folder.as_os_str().is_empty() && !folder.exists() => {
                    format!(" (there is no folder {})", folder.display())
                }
                _ => String::new(),
            };
            format!("{shown}: can't be written: {error}{hint} (in {option})")
        })?;
    }
    Ok(())
}

/// Whether two names are names of one file, which need not be there yet.
fn is_same(one: &Path, other: &Path) -> bool {
    let plain = |path: &Path| {
        let folder = path
            .parent()
            .filter(|folder| !folder.as_os_str().is_empty());
        let folder = folder.unwrap_or(Path::new(".")).canonicalize();
        let beside = || Some(folder.ok()?.join(path.file_name()?));
        path.canonicalize().ok().or_else(beside)
    };
    one == other || plain(one).is_some_and(|one| Some(one) == plain(other))
}

/// Opens a file as if to write, and leaves everything as it was.
fn try_to_write(path: &Path) -> std::io::Result<()> {
    let is_new = !path.exists();
    let mut options = std::fs::OpenOptions::new();
    let opened = options.write(true).create(true).truncate(false).open(path);
    opened?;
    if is_new {
        std::fs::remove_file(path)?;
    }
    Ok(())
}

/// Writes what was asked for, as far as the verdict has it. What can't be made is said; the verdict stands all the
/// same. An error is about a file that can't be written.
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
        match input.only_file() {
            Some(_) => save(path, &made.standalone())?,
            None => warn("not one file", "the program has several: use --harness"),
        }
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

/// Writes a page into a folder, which is made if it is not there.
pub(crate) fn write_page(folder: &Path, page: &str) -> Result<(), String> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    save(&folder.join("index.html"), page.as_bytes())
}

/// How many of the things that a witness doesn't say are listed.
const NOTES: usize = 5;

fn write_witness(path: &Path, input: &Input, verdict: &Verdict) -> Result<(), String> {
    let made = match rhumb::witness(input, verdict) {
        Ok(made) => made,
        Err(error) => {
            warn("no witness", error);
            return Ok(());
        }
    };
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
