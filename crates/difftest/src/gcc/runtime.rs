//! Building the runtime objects once per process.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::{Gcc, GccError, Runtime, succeed};
use crate::model::DataModel;

/// The C sources of the runtime.
const SOURCES: [(&str, &str); 11] = [
    ("platform.h", include_str!("../../runtime/platform.h")),
    ("inputs.h", include_str!("../../runtime/inputs.h")),
    ("hosted.c", include_str!("../../runtime/hosted.c")),
    (
        "freestanding32.c",
        include_str!("../../runtime/freestanding32.c"),
    ),
    (
        "arithmetic32.c",
        include_str!("../../runtime/arithmetic32.c"),
    ),
    ("inputs.c", include_str!("../../runtime/inputs.c")),
    ("nondet.c", include_str!("../../runtime/nondet.c")),
    ("overflow.c", include_str!("../../runtime/overflow.c")),
    ("batch.c", include_str!("../../runtime/batch.c")),
    ("task.c", include_str!("../../runtime/task.c")),
    ("task.h", include_str!("../../runtime/task.h")),
];

/// Writes the sources where the compiler finds them.
pub(super) fn write_sources(folder: &Path) -> Result<(), GccError> {
    for (name, text) in SOURCES {
        std::fs::write(folder.join(name), text).map_err(GccError::io("writing the runtime"))?;
    }
    // The headers of the 64-bit C library include this one when they are used with -m32.
    let stubs = folder.join("include").join("gnu");
    std::fs::create_dir_all(&stubs).map_err(GccError::io("writing the runtime"))?;
    std::fs::write(stubs.join("stubs-32.h"), "").map_err(GccError::io("writing the runtime"))
}

impl Gcc {
    /// Compiles the runtime of a data model and tries it.
    pub(super) fn build_runtime(&self, model: DataModel) -> Result<Runtime, GccError> {
        let base: &[&str] = match model {
            DataModel::Ilp32 => &["freestanding32", "arithmetic32", "overflow", "inputs"],
            DataModel::Lp64 => &["hosted", "overflow", "inputs"],
        };
        let runtime = Runtime {
            base: self.objects(model, base)?,
            batch: self.objects(model, &["batch", "nondet"])?,
            task: self.objects(model, &["task"])?,
        };
        self.try_out(model, &runtime)?;
        Ok(runtime)
    }

    fn objects(&self, model: DataModel, names: &[&str]) -> Result<Vec<PathBuf>, GccError> {
        names.iter().map(|name| self.object(model, name)).collect()
    }

    fn object(&self, model: DataModel, name: &str) -> Result<PathBuf, GccError> {
        let object = self.folder().join(format!("{name}-{model}.o"));
        let mut command = self.command(model);
        if model == DataModel::Ilp32 {
            command.arg("-ffreestanding");
        }
        // The loops of memcpy and memset must not become calls of themselves.
        command.args([
            "-O2",
            "-fno-builtin",
            "-fno-tree-loop-distribute-patterns",
            "-c",
            "-o",
        ]);
        command
            .arg(&object)
            .arg(self.folder().join(format!("{name}.c")));
        succeed(&mut command)?;
        Ok(object)
    }

    /// Runs a program that prints what only this data model gives.
    fn try_out(&self, model: DataModel, runtime: &Runtime) -> Result<(), GccError> {
        let source = self.folder().join(format!("try-{model}.c"));
        let executable = self.folder().join(format!("try-{model}"));
        let text = "int printf(const char *, ...);\n\
                    int main(void) { printf(\"%d\\n\", (int)sizeof(long)); return 0; }\n";
        std::fs::write(&source, text).map_err(GccError::io("writing a program"))?;
        let mut linker = self.linker(model);
        linker
            .arg(&source)
            .args(&runtime.base)
            .arg("-o")
            .arg(&executable);
        succeed(&mut linker)?;
        let output = Command::new(&executable)
            .output()
            .map_err(|error| GccError::NotRunnable {
                model,
                reason: error.to_string(),
            })?;
        let expected = format!("{}\n", model.word_bits() / 8);
        if output.status.success() && output.stdout == expected.as_bytes() {
            return Ok(());
        }
        Err(GccError::NotRunnable {
            model,
            reason: format!("a first program ended with {}", output.status),
        })
    }
}
