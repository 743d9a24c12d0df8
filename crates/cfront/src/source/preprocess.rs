//! Running the preprocessor of the system's C compiler.

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use rhumb_program::DataModel;
use tempfile::TempDir;

use super::command::{self, CommandLimits, Ended, Outcome};
use super::{FileMessage, LoadError, LoadOptions};
use crate::diagnostic::Diagnostics;

/// Compilers to try when none was asked for.
const COMPILERS: [&str; 3] = ["cc", "gcc", "clang"];
/// Messages beyond this size are not read: a file that includes itself may yield millions.
const MAX_MESSAGES: u64 = 1 << 20;

/// What `cc -E` makes of a file; of `text` if there is no path.
pub(super) fn preprocess(
    name: &str,
    text: Vec<u8>,
    path: Option<&Path>,
    options: &LoadOptions,
) -> Result<Vec<u8>, LoadError> {
    let failed = |detail: String| LoadError::CompilerFailed {
        file: name.to_owned(),
        detail,
    };
    let mut tried = Vec::new();
    for compiler in compilers(options) {
        // Keeps the directory until the compiler has ended.
        let mut scratch = None;
        let mut command = compiler.command();
        command
            .env("LC_ALL", "C")
            .args(["-E", "-std=gnu11", "-x", "c"])
            .arg("-D__RHUMB__")
            // The functions of ctype.h rather than macros that look into tables of the C library.
            .arg("-D__NO_CTYPE");
        model_arguments(&compiler, &mut command, &mut scratch, options.data_model)
            .map_err(|error| failed(error.to_string()))?;
        let header = own_header().map_err(|error| failed(error.to_string()))?;
        command.arg("-idirafter").arg(header.path());
        command.args(&options.arguments);
        let input = match path {
            Some(path) => {
                command.arg(not_an_option(path));
                None
            }
            None => {
                command.arg("-");
                Some(with_name(name, &text))
            }
        };
        let limits = CommandLimits {
            time: options.preprocess_time,
            stdout: options.preprocess_size.min(super::MAX_TEXT),
            stderr: MAX_MESSAGES,
        };
        match command::run(command, input, limits) {
            Ok(mut outcome) => {
                let path = header.path().to_string_lossy();
                outcome.stdout = replace(&outcome.stdout, path.as_bytes(), b"<rhumb>");
                return result(name, outcome, options);
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => tried.push(compiler.name()),
            Err(error) => {
                return Err(failed(format!("can't run `{}`: {error}", compiler.name())));
            }
        }
    }
    Err(LoadError::NoCompiler {
        file: name.to_owned(),
        tried,
    })
}

/// A compiler command, with arguments of its own.
struct Compiler {
    program: OsString,
    args: Vec<String>,
}

impl Compiler {
    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args);
        command
    }

    fn name(&self) -> String {
        self.program.to_string_lossy().into_owned()
    }
}

/// The compilers to try: the one that was asked for, or that `CC` names, or else those that systems have.
fn compilers(options: &LoadOptions) -> Vec<Compiler> {
    let from_environment = || std::env::var("CC").unwrap_or_default();
    let asked_for = options.compiler.clone().unwrap_or_else(from_environment);
    let mut words = asked_for.split_whitespace().map(str::to_owned);
    let compiler = |program: &str, args| Compiler {
        program: program.into(),
        args,
    };
    match words.next() {
        Some(program) => vec![compiler(&program, words.collect())],
        None => COMPILERS
            .iter()
            .map(|program| compiler(program, Vec::new()))
            .collect(),
    }
}

/// Adds what makes the preprocessor speak for a data model.
fn model_arguments(
    compiler: &Compiler,
    command: &mut Command,
    scratch: &mut Option<TempDir>,
    model: DataModel,
) -> io::Result<()> {
    match model {
        DataModel::Lp64 => {
            // Elsewhere 64 bits are all there is, and the option is not known.
            if cfg!(any(target_arch = "x86", target_arch = "x86_64")) {
                command.arg("-m64");
            }
        }
        DataModel::Ilp32 => {
            // With SSE, so that `FLT_EVAL_METHOD` says what the model does.
            command.args(["-m32", "-msse2", "-mfpmath=sse"]);
            // Where only the 64-bit C library is installed, its headers serve both models, but they lie in a directory that is
            // not searched for 32 bits, and include one file that is not there.
            let dir = tempfile::tempdir()?;
            std::fs::create_dir(dir.path().join("gnu"))?;
            std::fs::write(dir.path().join("gnu").join("stubs-32.h"), "")?;
            if let Some(headers) = multiarch_headers(compiler) {
                command.arg("-idirafter").arg(headers);
            }
            command.arg("-idirafter").arg(dir.path());
            *scratch = Some(dir);
        }
    }
    Ok(())
}

/// A directory with our own header in it.
fn own_header() -> io::Result<TempDir> {
    let dir = tempfile::tempdir()?;
    let text = include_str!("../../../../include/rhumb.h");
    std::fs::write(dir.path().join("rhumb.h"), text)?;
    Ok(dir)
}

/// The text with every `from` replaced.
fn replace(text: &[u8], from: &[u8], to: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.windows(from.len()).position(|piece| piece == from) {
        replaced.extend_from_slice(&rest[..at]);
        replaced.extend_from_slice(to);
        rest = &rest[at + from.len()..];
    }
    replaced.extend_from_slice(rest);
    replaced
}

/// The directory of the headers that belong to the compiler's own architecture, on systems that have such a directory.
fn multiarch_headers(compiler: &Compiler) -> Option<PathBuf> {
    let mut command = compiler.command();
    command.arg("-print-multiarch");
    let limits = CommandLimits {
        time: Duration::from_secs(10),
        stdout: 4096,
        stderr: 4096,
    };
    let outcome = command::run(command, None, limits).ok()?;
    let name = String::from_utf8(outcome.stdout).ok()?;
    let name = name.trim();
    if name.is_empty() {
        return None;
    }
    let dir = Path::new("/usr/include").join(name);
    dir.is_dir().then_some(dir)
}

/// A path that can't be taken for an option.
fn not_an_option(path: &Path) -> PathBuf {
    if path.to_string_lossy().starts_with('-') {
        Path::new(".").join(path)
    } else {
        path.to_owned()
    }
}

/// The text with a line marker in front that says how it is called.
fn with_name(name: &str, text: &[u8]) -> Vec<u8> {
    let escaped = name.replace('\\', "\\\\").replace('"', "\\\"");
    let mut marked = format!("# 1 \"{}\"\n", escaped.replace('\n', " ")).into_bytes();
    marked.extend_from_slice(text);
    marked
}

/// The text, or what the compiler had against the file.
fn result(name: &str, outcome: Outcome, options: &LoadOptions) -> Result<Vec<u8>, LoadError> {
    let stderr = String::from_utf8_lossy(&outcome.stderr);
    if let Ended::ByItself(status) = &outcome.ended
        && status.success()
    {
        return Ok(outcome.stdout);
    }
    let messages = located_errors(&stderr);
    if !messages.is_empty() {
        return Err(LoadError::Located(messages));
    }
    let detail = match outcome.ended {
        Ended::ByItself(status) => match stderr.lines().find(|line| line.contains("error")) {
            Some(line) => line.trim().to_owned(),
            None => format!("the compiler ended with {status}"),
        },
        Ended::OutOfTime => format!("no end after {:?}", options.preprocess_time),
        Ended::TooMuchOutput => {
            format!("more than {} bytes of text", options.preprocess_size)
        }
        Ended::TooManyMessages => format!("more than {MAX_MESSAGES} bytes of messages"),
    };
    Err(LoadError::CompilerFailed {
        file: name.to_owned(),
        detail,
    })
}

/// The errors with a place among a compiler's messages (`file:line:column: error: text`), without repetitions.
fn located_errors(stderr: &str) -> Vec<FileMessage> {
    let mut errors = Vec::new();
    for line in stderr.lines() {
        let Some(error) = located_error(line) else {
            continue;
        };
        if !errors.contains(&error) {
            errors.push(error);
        }
        if errors.len() == Diagnostics::MAX_ERRORS {
            break;
        }
    }
    errors
}

fn located_error(line: &str) -> Option<FileMessage> {
    let (place, message) = [": fatal error: ", ": error: "]
        .iter()
        .filter_map(|separator| line.split_once(separator))
        .min_by_key(|(place, _)| place.len())?;
    let (rest, last) = place.rsplit_once(':')?;
    let last: u32 = last.parse().ok()?;
    // Some messages have no column.
    let (file, line, column) = match rest.rsplit_once(':') {
        Some((file, number)) if !file.is_empty() => match number.parse() {
            Ok(number) => (file, number, last),
            Err(_) => (rest, last, 0),
        },
        _ => (rest, last, 0),
    };
    if message.starts_with("#include nested") {
        return Some(
            FileMessage::new(file, line, 0, "`#include` nested too deeply")
                .with_label("does this file include itself?"),
        );
    }
    let found = FileMessage::new(file, line, column, message);
    Some(match message.ends_with(": No such file or directory") {
        true => found.with_label("not found: say with -I in which folder it is"),
        false => found,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_messages() {
        let stderr = "In file included from a.c:1:\n\
            b.h:1:2: error: #error \"bad things\"\n    1 | #error \"bad things\"\n\
            b.h:1:2: error: #error \"bad things\"\n\
            C:\\x.c:7: error: unterminated #if\n\
            a.c:3:5: warning: extra tokens\n\
            a.c:2:10: fatal error: nothere.h: No such file or directory\n\
            compilation terminated.\n";
        assert_eq!(
            located_errors(stderr),
            [
                FileMessage::new("b.h", 1, 2, "#error \"bad things\""),
                FileMessage::new("C:\\x.c", 7, 0, "unterminated #if"),
                FileMessage::new("a.c", 2, 10, "nothere.h: No such file or directory")
                    .with_label("not found: say with -I in which folder it is"),
            ]
        );
    }
}
