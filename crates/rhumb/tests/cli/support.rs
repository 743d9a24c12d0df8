//! Running the binary.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a call of the binary came to.
pub(crate) struct Called {
    pub(crate) status: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Called {
    /// Fails unless the status is this one and standard error has all of these texts.
    #[track_caller]
    pub(crate) fn expect(self, status: i32, texts: &[&str]) -> Called {
        assert_eq!(self.status, status, "{}{}", self.stdout, self.stderr);
        for text in texts {
            assert!(
                self.stderr.contains(text),
                "no `{text}` in:\n{}",
                self.stderr
            );
        }
        assert!(!self.stderr.contains("panicked"), "{}", self.stderr);
        self
    }

    /// The last line of standard output.
    pub(crate) fn last_line(&self) -> &str {
        self.stdout.lines().last().unwrap_or("")
    }
}

/// Calls the binary.
pub(crate) fn rhumb<S: AsRef<std::ffi::OsStr>>(args: impl IntoIterator<Item = S>) -> Called {
    rhumb_in(Path::new("."), args)
}

/// Calls the binary in a folder.
pub(crate) fn rhumb_in<S: AsRef<std::ffi::OsStr>>(
    folder: &Path,
    args: impl IntoIterator<Item = S>,
) -> Called {
    let output = Command::new(env!("CARGO_BIN_EXE_rhumb"))
        .args(args)
        .current_dir(folder)
        .stdin(Stdio::null())
        .output()
        .expect("the binary starts");
    Called {
        status: output.status.code().unwrap_or(-1),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A folder with files in it, gone when dropped.
pub(crate) struct Folder(tempfile::TempDir);

impl Folder {
    pub(crate) fn new() -> Folder {
        Folder(tempfile::tempdir().expect("a temporary folder"))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file and gives its path.
    pub(crate) fn file(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        let mut file = std::fs::File::create(&path).expect("a new file");
        file.write_all(contents.as_ref()).expect("room for a file");
        path
    }
}

/// Calls `rhumb check` on a text; the file is called `input.c`.
pub(crate) fn check(text: impl AsRef<[u8]>) -> Called {
    let folder = Folder::new();
    folder.file("input.c", text);
    rhumb_in(folder.path(), ["check", "input.c"])
}

/// The same with the question whether what must not be reached can be: where behaviour is undefined, a run ends.
pub(crate) fn check_without_checks(text: impl AsRef<[u8]>) -> Called {
    let folder = Folder::new();
    folder.file("input.c", text);
    rhumb_in(folder.path(), ["check", "input.c", "--checks", "none"])
}

/// Calls `rhumb run` on a text.
pub(crate) fn run(text: &str, more: &[&str]) -> Called {
    let folder = Folder::new();
    folder.file("input.c", text);
    let args = ["run", "input.c"].iter().chain(more);
    rhumb_in(folder.path(), args)
}
