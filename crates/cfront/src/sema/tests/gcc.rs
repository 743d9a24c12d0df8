//! gcc as the judge.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use rhumb_program::DataModel;

/// Whether gcc can compile for both data models here. A test that needs it says so when it is skipped.
pub(super) fn is_available() -> bool {
    static AVAILABLE: OnceLock<bool> = OnceLock::new();
    *AVAILABLE.get_or_init(|| {
        let found = super::MODELS
            .iter()
            .all(|&model| check("int x;", model).is_ok());
        if !found {
            eprintln!("skipped: there is no gcc that takes -m32 and -m64");
        }
        found
    })
}

fn gcc(model: DataModel) -> Command {
    let mut command = Command::new("gcc");
    command.args(["-std=gnu11", "-w", "-msse2", "-mfpmath=sse", "-x", "c"]);
    command.arg(match model {
        DataModel::Ilp32 => "-m32",
        DataModel::Lp64 => "-m64",
    });
    command
}

fn run(mut command: Command, text: &str) -> Result<(), String> {
    let spawned = command
        .arg("-")
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = spawned.map_err(|error| error.to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        stdin
            .write_all(text.as_bytes())
            .map_err(|error| error.to_string())?;
    }
    let output = child
        .wait_with_output()
        .map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// Whether gcc accepts a text; its messages otherwise.
pub(super) fn check(text: &str, model: DataModel) -> Result<(), String> {
    let mut command = gcc(model);
    command.arg("-fsyntax-only");
    run(command, text)
}

/// The bytes of the data section that gcc makes of a text.
pub(super) fn data_section(text: &str, model: DataModel) -> Result<Vec<u8>, String> {
    let folder = tempfile::tempdir().map_err(|error| error.to_string())?;
    let (object, bytes) = (folder.path().join("o.o"), folder.path().join("o.bin"));
    let mut command = gcc(model);
    command.arg("-c").arg("-o").arg(&object);
    run(command, text)?;
    let status = Command::new("objcopy")
        .args(["-O", "binary", "--only-section=.data"])
        .args([&object, &bytes])
        .status();
    match status {
        Ok(status) if status.success() => std::fs::read(&bytes).map_err(|error| error.to_string()),
        other => Err(format!("objcopy: {other:?}")),
    }
}
