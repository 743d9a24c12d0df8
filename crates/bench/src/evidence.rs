//! Looking at the evidence that a run has left: does the harness reach the error, does the certificate hold?
//!
//! A harness is one C file that compiles and links alone (it may include the program by its path). When it is run without arguments, exit
//! status 10 means that the error was reached; anything else means that it was not.
//!
//! A certificate is given to the tool's `validate` command in a fresh process: exit status 0 means that it holds, 10
//! that it does not, 5 that this could not be decided.

use std::ffi::OsString;
use std::path::Path;
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::process::{self, End, Finished, Launch, ProcessLimits};
use crate::tool::{Template, Values};
use rhumb_program::DataModel;

/// A harness whose run takes longer is not waited for.
const SHORT_ENOUGH: Duration = Duration::from_secs(10);
/// What a harness may use.
const HARNESS_MEMORY: u64 = 2_000_000_000;
/// Exit status of a harness that has reached the error.
const REACHED: i32 = 10;

/// Who says that the error was reached.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Witness {
    /// The harness itself, by its exit status.
    Harness,
    /// gcc's sanitizers: the error is undefined behaviour, or memory that is lost.
    Sanitizers,
}

impl Witness {
    /// For errors of this property.
    pub(crate) fn of(property: &str) -> Witness {
        match property.starts_with("unreach-call") {
            true => Witness::Harness,
            false => Witness::Sanitizers,
        }
    }
}

/// Compiles and runs the harness of an UNSAFE. The result is a field of the table.
pub(crate) fn confirm(
    harness: &Path,
    data_model: DataModel,
    witness: Witness,
    folder: &Path,
    cancel: &AtomicBool,
) -> String {
    if !harness.is_file() {
        return "not available: no harness".to_owned();
    }
    let program = folder.join("harness");
    let is_alone = data_model == DataModel::Ilp32 && !links_32_bit();
    let mut arguments = match witness {
        Witness::Harness => compiler_arguments(harness, data_model, &program),
        Witness::Sanitizers => sanitizer_arguments(harness, data_model, &program, is_alone),
    };
    if is_alone {
        match library_32(folder) {
            Ok(more) => arguments.extend(more),
            Err(error) => return format!("not available: {error}"),
        }
    } else {
        arguments.push("-lm".into());
    }
    let limits = ProcessLimits {
        cpu: Duration::from_secs(60),
        wall: Duration::from_secs(120),
        memory: 4_000_000_000,
    };
    let compile = Launch {
        program: "gcc".into(),
        args: arguments,
        dir: folder.to_owned(),
    };
    match process::run(&compile, &limits, cancel) {
        Err(error) => return format!("not available: gcc: {error}"),
        Ok(run) if run.end == End::Exited(0) => {}
        Ok(run) => return format!("no: does not compile: {}", last_words(&run)),
    }
    let limits = ProcessLimits {
        cpu: SHORT_ENOUGH,
        wall: SHORT_ENOUGH,
        memory: HARNESS_MEMORY,
    };
    let launch = Launch {
        program: program.into(),
        args: Vec::new(),
        dir: folder.to_owned(),
    };
    match process::run(&launch, &limits, cancel) {
        Err(error) => format!("not available: {error}"),
        Ok(run) if witness == Witness::Sanitizers => sanitized(&run),
        Ok(run) => match run.end {
            End::Exited(REACHED) => "yes".to_owned(),
            End::Exited(status) => format!("no: exit status {status}"),
            End::Signalled(signal) => format!("no: signal {signal}"),
            End::CpuLimit | End::WallLimit => "too long".to_owned(),
            End::MemoryLimit => "no: out of memory".to_owned(),
            End::Interrupted => "interrupted".to_owned(),
        },
    }
}

/// Checks a saved certificate in a fresh process. The result is a field of the table.
pub(crate) fn recheck(
    validate: Option<&Template>,
    values: &Values<'_>,
    folder: &Path,
    limits: &ProcessLimits,
    cancel: &AtomicBool,
) -> String {
    if !values.certificate.is_file() {
        return "not available: no certificate".to_owned();
    }
    let Some(validate) = validate else {
        return "not available: no way to validate".to_owned();
    };
    let (program, args) = validate.fill(values);
    match process::run(
        &Launch {
            program,
            args,
            dir: folder.to_owned(),
        },
        limits,
        cancel,
    ) {
        Err(error) => format!("not available: {error}"),
        Ok(run) => match run.end {
            End::Exited(0) => "valid".to_owned(),
            End::Exited(10) => format!("rejected: {}", answer(&run)),
            End::Exited(5) => format!("undecided: {}", answer(&run)),
            End::Exited(status) => format!("error: exit status {status}: {}", last_words(&run)),
            End::Signalled(signal) => format!("error: signal {signal}"),
            End::CpuLimit | End::WallLimit => "undecided: timeout".to_owned(),
            End::MemoryLimit => "undecided: out of memory".to_owned(),
            End::Interrupted => "interrupted".to_owned(),
        },
    }
}

fn compiler_arguments(source: &Path, data_model: DataModel, program: &Path) -> Vec<OsString> {
    let mut arguments: Vec<OsString> = ["-std=gnu11", "-O1", "-w", "-fwrapv", "-ffp-contract=off"]
        .iter()
        .map(OsString::from)
        .collect();
    if data_model == DataModel::Ilp32 {
        arguments.extend(
            ["-m32", "-msse2", "-mfpmath=sse"]
                .iter()
                .map(OsString::from),
        );
    }
    arguments.extend([source.into(), "-o".into(), program.into()]);
    arguments
}

/// With sanitizers; their library is not there for programs that have only our own, so that a trap is all that such a program can do.
fn sanitizer_arguments(
    source: &Path,
    data_model: DataModel,
    program: &Path,
    is_alone: bool,
) -> Vec<OsString> {
    let mut options = vec!["-std=gnu11", "-O0", "-g", "-w"];
    match is_alone {
        true => options.extend([
            "-fsanitize=undefined,float-cast-overflow",
            "-fsanitize-undefined-trap-on-error",
        ]),
        false => options.extend([
            "-fsanitize=address,undefined,float-cast-overflow",
            "-fno-sanitize-recover=all",
        ]),
    }
    if data_model == DataModel::Ilp32 {
        options.extend(["-m32", "-msse2", "-mfpmath=sse"]);
    }
    let mut arguments: Vec<OsString> = options.iter().map(OsString::from).collect();
    arguments.extend([source.into(), "-o".into(), program.into()]);
    arguments
}

/// What a run with sanitizers tells. They don't see everything: memory that is lost is looked for when the program ends
/// by itself, and only what ASan knows the bounds of has any.
fn sanitized(run: &Finished) -> String {
    let text = run.stderr.text();
    let told = text
        .lines()
        .find(|line| line.contains("runtime error: ") || line.contains("Sanitizer: "));
    let told = told.map(|line| {
        let from = line.find("runtime error: ").or(line.find("ERROR: "));
        line[from.unwrap_or(0)..].to_owned()
    });
    match (told, run.end) {
        (Some(told), _) => format!("yes: {told}"),
        // What a trap is to the kernel, and accesses where nothing is.
        (None, End::Signalled(signal @ (4 | 5 | 7 | 8 | 11))) => format!("yes: signal {signal}"),
        (None, End::CpuLimit | End::WallLimit) => "too long".to_owned(),
        (None, End::Interrupted) => "interrupted".to_owned(),
        (None, _) => "not seen by sanitizers".to_owned(),
    }
}

/// The little C library of the differential tests, for machines that have no 32-bit one: files, by name and text.
const LIBRARY_32: [(&str, &str); 4] = [
    (
        "platform.h",
        include_str!("../../difftest/runtime/platform.h"),
    ),
    (
        "freestanding32.c",
        include_str!("../../difftest/runtime/freestanding32.c"),
    ),
    (
        "arithmetic32.c",
        include_str!("../../difftest/runtime/arithmetic32.c"),
    ),
    (
        "output32.c",
        "int rt_write(int, const void *, unsigned long);\n\
         int fflush(void *file) { return 0; }\n\
         long write(int file, const void *bytes, unsigned long count) { return rt_write(file, bytes, count); }\n",
    ),
];

/// Further arguments that compile and link a program with our own library instead of the machine's.
fn library_32(folder: &Path) -> std::io::Result<Vec<OsString>> {
    let library = folder.join("library32");
    std::fs::create_dir_all(&library)?;
    let options = [
        "-ffreestanding",
        "-fno-pie",
        "-fno-stack-protector",
        "-fno-builtin",
        "-fno-tree-loop-distribute-patterns",
        "-nostdlib",
        "-static",
        "-no-pie",
        "-Wl,--allow-multiple-definition",
    ];
    let mut arguments: Vec<OsString> = options.iter().map(OsString::from).collect();
    for (name, text) in LIBRARY_32 {
        let file = library.join(name);
        std::fs::write(&file, text)?;
        if name.ends_with(".c") {
            arguments.push(file.into());
        }
    }
    Ok(arguments)
}

/// Whether 32-bit programs can be made here; on many machines their C library is not installed.
fn links_32_bit() -> bool {
    static LINKS: OnceLock<bool> = OnceLock::new();
    *LINKS.get_or_init(|| {
        let Ok(folder) = tempfile::tempdir() else {
            return false;
        };
        let source = folder.path().join("empty.c");
        if std::fs::write(&source, "int main(void) { return 0; }\n").is_err() {
            return false;
        }
        let arguments = compiler_arguments(&source, DataModel::Ilp32, &folder.path().join("empty"));
        let compile = Launch {
            program: "gcc".into(),
            args: arguments,
            dir: folder.path().to_owned(),
        };
        let limits = ProcessLimits {
            cpu: Duration::from_secs(20),
            wall: Duration::from_secs(60),
            memory: 2_000_000_000,
        };
        process::run(&compile, &limits, &AtomicBool::new(false))
            .is_ok_and(|run| run.end == End::Exited(0))
    })
}

/// The last line of an answer; warnings are no part of it.
fn answer(run: &Finished) -> String {
    last_line(&run.stdout.text()).unwrap_or_else(|| last_words(run))
}

/// What somebody said last who failed.
fn last_words(run: &Finished) -> String {
    let last = last_line(&run.stderr.text()).or_else(|| last_line(&run.stdout.text()));
    last.unwrap_or_default()
}

fn last_line(text: &str) -> Option<String> {
    let line = text.lines().rfind(|line| !line.trim().is_empty());
    line.map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confirmed(text: &str) -> String {
        let folder = tempfile::tempdir().expect("a folder");
        let harness = folder.path().join("harness.c");
        std::fs::write(&harness, text).expect("it is written");
        let cancel = AtomicBool::new(false);
        let (model, witness) = (DataModel::Lp64, Witness::of("no-overflow"));
        confirm(&harness, model, witness, folder.path(), &cancel)
    }

    #[test]
    fn sanitizers_see_what_is_undefined_and_nothing_else() {
        let sum = |a: &str| {
            let text =
                format!("int main(void) {{ volatile int a = {a}; int b = a + 1; return b == 0; }}");
            confirmed(&text)
        };
        let told = sum("0x7fffffff");
        assert!(
            told.starts_with("yes: runtime error: signed integer overflow"),
            "{told}"
        );
        assert_eq!(sum("1"), "not seen by sanitizers");
        let told = confirmed("int main(void) { int a[2] = {0}; volatile int i = 2; return a[i]; }");
        assert!(told.starts_with("yes: "), "{told}");
    }

    #[test]
    fn errors_that_are_calls_are_told_by_the_harness() {
        assert_eq!(Witness::of("unreach-call"), Witness::Harness);
        assert_eq!(Witness::of("valid-memsafety"), Witness::Sanitizers);
    }
}
