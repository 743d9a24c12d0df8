//! Programs compiled by gcc, for both data models.

#![allow(
    clippy::print_stdout,
    reason = "what a program said is shown with the test that failed"
)]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use rhumb_program::DataModel;
use tempfile::TempDir;

const OPTIONS_32: [&str; 8] = [
    "-m32",
    "-msse2",
    "-mfpmath=sse",
    "-ffreestanding",
    "-fno-pie",
    "-fno-stack-protector",
    "-fno-builtin",
    "-fno-tree-loop-distribute-patterns",
];

/// For a machine without a 32-bit C library: that of the differential tests.
fn library_32() -> &'static [PathBuf] {
    static OBJECTS: OnceLock<(TempDir, Vec<PathBuf>)> = OnceLock::new();
    let (_, objects) = OBJECTS.get_or_init(|| {
        let folder = tempfile::tempdir().unwrap();
        let rest = folder.path().join("rest.c");
        let text = "int fflush(void *file) { return 0; }\nint rt_write(int, const void *, unsigned long);\n\
                    long write(int file, const void *bytes, unsigned long count) { return rt_write(file, bytes, count); }\n";
        std::fs::write(&rest, text).unwrap();
        let runtime = Path::new(env!("CARGO_MANIFEST_DIR")).join("../difftest/runtime");
        let sources = [rest, runtime.join("freestanding32.c"), runtime.join("arithmetic32.c")];
        let objects = sources.iter().map(|source| {
            let object = folder.path().join(source.file_name().unwrap()).with_extension("o");
            let mut gcc = Command::new("gcc");
            gcc.args(OPTIONS_32).args(["-w", "-O1", "-c", "-o"]);
            let output = gcc.arg(&object).arg(source).output().expect("gcc");
            assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
            object
        });
        let objects = objects.collect();
        (folder, objects)
    });
    objects
}

/// Compiles files into a program and gives its exit status.
pub(crate) fn status(folder: &Path, model: DataModel, files: &[(&str, &[u8])]) -> Option<i32> {
    let mut gcc = Command::new("gcc");
    gcc.args(["-w", "-O1", "-o"]).arg(folder.join("a.out"));
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::write(&path, text).unwrap();
        gcc.arg(path);
    }
    if model == DataModel::Ilp32 {
        gcc.args(OPTIONS_32)
            .args([
                "-nostdlib",
                "-static",
                "-no-pie",
                "-Wl,--allow-multiple-definition",
            ])
            .args(library_32());
    } else {
        gcc.arg("-lm");
    }
    let output = gcc.output().expect("gcc");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let run = Command::new(folder.join("a.out"))
        .output()
        .expect("our program");
    println!("{}", String::from_utf8_lossy(&run.stderr).trim());
    run.status.code()
}

/// Whether the machine runs 32-bit programs at all.
pub(crate) fn runs_32_bit(folder: &Path) -> bool {
    let (source, program) = (folder.join("try.c"), folder.join("try"));
    let text = "void _start(void) { __asm__(\"int $0x80\" : : \"a\"(1), \"b\"(7)); for (;;) ; }";
    std::fs::write(&source, text).unwrap();
    let mut gcc = Command::new("gcc");
    gcc.args(["-m32", "-nostdlib", "-static", "-fno-pie", "-no-pie", "-o"]);
    let compiled = gcc.arg(&program).arg(&source).output();
    compiled.is_ok_and(|output| output.status.success())
        && Command::new(&program)
            .status()
            .is_ok_and(|status| status.code() == Some(7))
}
