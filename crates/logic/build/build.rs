//! Provides the Z3 library, so that building Rhumb needs no Z3 installed.
//!
//! The library is the prebuilt one of the Python package `z3-solver`, pinned by hash ([`pin`]), fetched once with pip
//! ([`wheel`]) and copied under this crate's build folder. Who wants another one names its folder in
//! `Z3_LIBRARY_PATH_OVERRIDE` ([`own`]).
//!
//! How executables find it when they run: cargo itself puts the folder on the library path of everything that it runs
//! (`cargo run`, `cargo test`, `cargo bench`, doctests), because the folder lies inside the target folder. For
//! executables that are started by hand, a run path is linked in: here for the tests of this crate, and in the build
//! script of a crate with a binary, which receives it as `DEP_RHUMB_Z3_RUNPATH`.

mod loaded;
mod own;
mod pin;
mod python;
mod wheel;

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

use pin::Version;

/// An error is a text for the person who builds; it says what to do.
type Result<T> = std::result::Result<T, String>;

/// A folder with a Z3 library, ready to be linked.
struct Library {
    /// Inside the target folder; holds the name that the linker looks for and the name that the loader looks for.
    folder: PathBuf,
    /// Where the loader can look too, should the target folder be gone.
    fallback: Option<PathBuf>,
    version: Version,
}

fn main() {
    println!("cargo::rerun-if-changed=build");
    println!("cargo::rerun-if-env-changed={}", own::FOLDER_VARIABLE);
    println!("cargo::rerun-if-env-changed={NO_PKG_CONFIG}");

    if let Err(message) = provide().and_then(|library| announce(&library)) {
        for line in message.lines() {
            println!("cargo::error={line}");
        }
    }
}

fn provide() -> Result<Library> {
    refuse_other_library()?;
    let out =
        PathBuf::from(env::var_os("OUT_DIR").ok_or("OUT_DIR is not set: run this through cargo")?);
    match env::var_os(own::FOLDER_VARIABLE) {
        Some(theirs) => own::provide(Path::new(&theirs), out.join("own")),
        None => wheel::provide(out.join("pinned")),
    }
}

/// Tells cargo, and through it the crates above, how to link the library and where it will be.
fn announce(library: &Library) -> Result<()> {
    let folder = text(&library.folder)?;
    // Beside the executable comes first, so that the two can be moved together.
    let mut runpath = format!("$ORIGIN:$ORIGIN/../lib:{folder}");
    if let Some(fallback) = &library.fallback {
        runpath.push(':');
        runpath.push_str(text(fallback)?);
    }
    println!("cargo::rustc-link-search=native={folder}");
    println!("cargo::metadata=runpath={runpath}");
    // Not `-Wl,-rpath,…`: a folder may have a comma in its name.
    for argument in ["-Xlinker", "-rpath", "-Xlinker", &runpath] {
        println!("cargo::rustc-link-arg={argument}");
    }
    println!(
        "cargo::rustc-env=RHUMB_Z3_VERSION={}",
        dotted(library.version)
    );
    Ok(())
}

const NO_PKG_CONFIG: &str = "Z3_NO_PKG_CONFIG";

/// `z3-sys` prefers the library that pkg-config names to ours, whatever its age. The settings of this repository switch
/// that off, but cargo reads them only when it is started inside the repository.
fn refuse_other_library() -> Result<()> {
    if env::var_os(NO_PKG_CONFIG).is_some() {
        return Ok(());
    }
    let pkg_config = env::var_os("PKG_CONFIG").unwrap_or_else(|| "pkg-config".into());
    let known = Command::new(pkg_config).args(["--exists", "z3"]).output();
    if known.is_ok_and(|answer| answer.status.success()) {
        return Err(format!(
            "pkg-config knows a system-wide Z3, and it would be linked instead of the pinned one.\n\
             Start cargo inside the repository (its .cargo/config.toml prevents that), or set {NO_PKG_CONFIG}=1."
        ));
    }
    Ok(())
}

/// Cargo is spoken to in text.
fn text(path: &Path) -> Result<&str> {
    path.to_str()
        .ok_or_else(|| format!("the folder {} has a name that is not UTF-8", path.display()))
}

fn dotted(version: Version) -> String {
    version.map(|number| number.to_string()).join(".")
}
