//! A Z3 library of the user's own choice.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::pin::OLDEST_SUPPORTED;
use crate::{Library, Result, dotted, loaded};

/// Names a folder that holds the Z3 library to be used instead of the pinned one. It is the variable of `z3-sys`, so the
/// two can never disagree.
pub(crate) const FOLDER_VARIABLE: &str = "Z3_LIBRARY_PATH_OVERRIDE";

/// The way out when the pinned library can't be had.
pub(crate) const HINT: &str =
    "set Z3_LIBRARY_PATH_OVERRIDE to the folder of a libz3 that is already there (5.3.2 or newer)";

/// Links the libraries of `theirs` into `folder`, which cargo puts on the library path since it is in the target folder.
pub(crate) fn provide(theirs: &Path, folder: PathBuf) -> Result<Library> {
    let fail = |what: &str| format!("{FOLDER_VARIABLE}={}: {what}", theirs.display());
    if !theirs.is_absolute() {
        return Err(fail("must be an absolute path"));
    }
    let entries = fs::read_dir(theirs).map_err(|error| fail(&error.to_string()))?;
    let libraries: Vec<PathBuf> = entries
        .filter_map(|entry| entry.ok().map(|entry| entry.path()))
        .filter(|path| path.file_name().is_some_and(is_z3))
        .collect();
    let linked = libraries
        .iter()
        .find(|path| {
            matches!(
                path.extension().and_then(OsStr::to_str),
                Some("so" | "dylib")
            )
        })
        .ok_or_else(|| fail("there is no libz3.so in this folder"))?;
    let version = loaded::version(linked).map_err(|message| fail(&message))?;
    if version < OLDEST_SUPPORTED {
        return Err(fail(&format!(
            "this is Z3 {}; {} or newer is needed",
            dotted(version),
            dotted(OLDEST_SUPPORTED)
        )));
    }
    println!("cargo::rerun-if-changed={}", linked.display());

    let gather = || {
        // Nothing of an earlier build must stay.
        if folder.exists() {
            fs::remove_dir_all(&folder)?;
        }
        fs::create_dir_all(&folder)?;
        libraries.iter().try_for_each(|path| {
            let name = path.file_name().unwrap_or_default();
            symlink(path, folder.join(name))
        })
    };
    gather().map_err(|error| format!("cannot prepare {}: {error}", folder.display()))?;
    Ok(Library {
        folder,
        fallback: Some(theirs.to_owned()),
        version,
    })
}

/// `libz3.so`, `libz3.so.5.3`, `libz3.dylib`, `libz3.5.3.dylib`; not the static library.
fn is_z3(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.strip_prefix("libz3.")
        .is_some_and(|rest| rest.starts_with("so") || rest.ends_with("dylib"))
}
