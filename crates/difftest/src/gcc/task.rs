//! Verification tasks, compiled with definitions for everything they leave undefined.
//!
//! The target function is often defined in the task itself, sometimes static, sometimes only
//! declared. It is recognised when it is *entered*: the task is compiled with
//! `-finstrument-functions` and the hook compares addresses. So the task's text stays as it is and
//! neither renaming nor overriding of symbols can go wrong. Only a static target needs help: its
//! symbol is made global in the object file, so that the hook can see the address.

use std::collections::BTreeSet;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus};

use super::declarations::Declarations;
use super::{Gcc, GccError, succeed};
use crate::outcome::{GccTask, OpenTask, Outcome, TaskRun, TaskSubject, UbClass};
use crate::subject::Refusal;

/// The processor time for a run of `step_limit` blocks, far above what they need. It ends what the
/// count of blocks does not see: a loop that is a single jump to itself has no block to count.
fn cpu_limit_ms(step_limit: u64) -> u32 {
    u32::try_from(step_limit / 10_000)
        .unwrap_or(u32::MAX)
        .saturating_add(300)
        .min(600_000)
}

/// What overflow of signed arithmetic does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignedOverflow {
    /// It ends the run, like other undefined behaviour.
    Undefined,
    /// It wraps.
    Wraps,
}

/// gcc as something that runs verification tasks.
#[derive(Debug)]
pub struct GccTasks<'a> {
    gcc: &'a Gcc,
    options: Vec<String>,
    signed_overflow: SignedOverflow,
}

/// A compiled task.
#[derive(Debug)]
struct CompiledTask {
    executable: PathBuf,
}

impl Drop for CompiledTask {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.executable);
    }
}

impl<'a> GccTasks<'a> {
    /// gcc with additional options (an optimisation level, usually).
    pub fn new(gcc: &'a Gcc, signed_overflow: SignedOverflow, options: &[&str]) -> Self {
        Self {
            gcc,
            options: options.iter().map(ToString::to_string).collect(),
            signed_overflow,
        }
    }

    /// Unoptimised code: the reference.
    pub fn reference(gcc: &'a Gcc, signed_overflow: SignedOverflow) -> Self {
        Self::new(gcc, signed_overflow, &["-O0"])
    }

    fn sanitizers(&self) -> Vec<&'static str> {
        // No alignment, no pointer overflow, no object size: those are not part of the semantics
        // that is being tested. gcc defines all left shifts by less than the width.
        let mut options = vec![
            "-fsanitize=integer-divide-by-zero,shift-exponent,float-cast-overflow,bounds,null,vla-bound",
            "-fsanitize-undefined-trap-on-error",
        ];
        match self.signed_overflow {
            // -ftrapv keeps gcc from simplifying an overflow away before it is checked.
            SignedOverflow::Undefined => {
                options.extend(["-fsanitize=signed-integer-overflow", "-ftrapv"]);
            }
            SignedOverflow::Wraps => options.push("-fwrapv"),
        }
        options
    }

    fn build(&self, task: &GccTask) -> Result<CompiledTask, GccError> {
        let executable = self.gcc.fresh("task");
        let files = TaskFiles::new(&executable);
        let built = self
            .compile(task, &files)
            .and_then(|()| self.link(task, &files, &executable))
            .map(|()| CompiledTask { executable });
        files.remove();
        built
    }

    /// Compiles the task itself, with everything that the driver wants to know built in.
    fn compile(&self, task: &GccTask, files: &TaskFiles) -> Result<(), GccError> {
        let is_preprocessed = task
            .file
            .extension()
            .is_some_and(|extension| extension == "i");
        let mut compiler = self.gcc.command(task.model);
        compiler
            .args(&self.options)
            .args(self.sanitizers())
            .args([
                "-finstrument-functions",
                "-fsanitize-coverage=trace-pc",
                "-ftrivial-auto-var-init=zero",
            ])
            .arg("-aux-info")
            .arg(&files.declarations)
            .args(self.gcc.include_options()?)
            .args([
                "-x",
                if is_preprocessed { "cpp-output" } else { "c" },
                "-c",
                "-o",
            ])
            .arg(&files.object)
            .arg(&task.file);
        succeed(&mut compiler).map(|_| ())
    }

    /// Links the task with its driver and with definitions of what it lacks.
    fn link(&self, task: &GccTask, files: &TaskFiles, executable: &Path) -> Result<(), GccError> {
        let declarations = std::fs::read_to_string(&files.declarations)
            .map_err(GccError::io("reading declarations"))
            .map(|text| Declarations::parse(&text))?;
        let symbols = Symbols::of(&files.object)?;
        for target in task
            .targets
            .iter()
            .filter(|target| symbols.local.contains(*target))
        {
            let mut objcopy = Command::new("objcopy");
            succeed(
                objcopy
                    .arg(format!("--globalize-symbol={target}"))
                    .arg(&files.object),
            )?;
        }
        let runtime = self.gcc.runtime(task.model)?;
        let mut missing = BTreeSet::new();
        // The linker knows best what is missing; the second attempt has definitions for it.
        loop {
            let stubs = stubs(task, &declarations, &missing, &symbols)?;
            std::fs::write(&files.stubs, stubs).map_err(GccError::io("writing a program"))?;
            let mut linker = self.gcc.linker(task.model);
            linker
                .args(["-O0", "-Wl,--wrap=main", "-I"])
                .arg(self.gcc.folder())
                .arg("-o")
                .arg(executable);
            linker
                .arg(&files.object)
                .arg(&files.stubs)
                .args(&runtime.task)
                .args(&runtime.base);
            let found = missing_names(&mut linker)?;
            if found.is_empty() {
                return Ok(());
            }
            if found.is_subset(&missing) {
                let names: Vec<String> = found.into_iter().collect();
                return Err(GccError::Refused(format!(
                    "undefined: {}",
                    names.join(", ")
                )));
            }
            missing.extend(found);
        }
    }
}

impl TaskSubject for GccTasks<'_> {
    fn name(&self) -> String {
        format!("gcc {}", self.options.join(" "))
    }

    fn open<'a>(&'a self, task: &'a GccTask) -> Result<Box<dyn OpenTask + 'a>, Refusal> {
        match self.build(task) {
            Ok(compiled) => Ok(Box::new(compiled)),
            Err(error) => Err(Refusal(error.to_string())),
        }
    }
}

impl OpenTask for CompiledTask {
    fn run(&self, vectors: &[Vec<i128>], step_limit: u64) -> Result<Vec<TaskRun>, Refusal> {
        let mut orders = Vec::new();
        orders.extend(step_limit.to_le_bytes());
        orders.extend(cpu_limit_ms(step_limit).to_le_bytes());
        for vector in vectors {
            orders.extend((vector.len() as u32).to_le_bytes());
            orders.extend(vector.iter().flat_map(|value| value.to_le_bytes()));
        }
        let report = super::converse(&self.executable, orders)
            .map_err(|error| Refusal(error.to_string()))?;
        let report = String::from_utf8_lossy(&report);
        let runs: Option<Vec<TaskRun>> = report.lines().map(parse_run).collect();
        match runs {
            Some(runs) if runs.len() == vectors.len() => Ok(runs),
            _ => Err(Refusal("the driver of the task died".to_owned())),
        }
    }
}

/// One line of the driver's report.
fn parse_run(line: &str) -> Option<TaskRun> {
    let mut words = line.split(' ');
    let outcome: u32 = words.next()?.parse().ok()?;
    let status = ExitStatus::from_raw(words.next()?.parse().ok()?);
    let steps = words.next()?.parse().ok()?;
    let outcome = match (outcome, status.code(), status.signal()) {
        (1, ..) => Outcome::TargetReached,
        (2, ..) => Outcome::AssumptionFailed,
        (3, ..) => Outcome::StepLimit,
        (_, Some(code), _) => Outcome::Exit(code as u8),
        (_, _, Some(super::SIGNAL_ABORT)) => Outcome::Abort,
        (_, _, Some(super::SIGNAL_PROF)) => Outcome::StepLimit,
        (_, _, Some(super::SIGNAL_ILL | super::SIGNAL_FPE)) => {
            Outcome::UndefinedBehaviour(UbClass::Unknown)
        }
        (_, _, signal) => Outcome::Crash(signal.unwrap_or(0)),
    };
    Some(TaskRun { outcome, steps })
}

/// The files of one task on their way to an executable.
struct TaskFiles {
    object: PathBuf,
    declarations: PathBuf,
    stubs: PathBuf,
}

impl TaskFiles {
    fn new(stem: &Path) -> Self {
        Self {
            object: stem.with_extension("o"),
            declarations: stem.with_extension("declarations"),
            stubs: stem.with_extension("stubs.c"),
        }
    }

    fn remove(&self) {
        for file in [&self.object, &self.declarations, &self.stubs] {
            let _ = std::fs::remove_file(file);
        }
    }
}

/// The symbol table of an object file, as far as it matters.
#[derive(Debug, Default)]
struct Symbols {
    undefined: BTreeSet<String>,
    local: BTreeSet<String>,
}

impl Symbols {
    /// Reads the symbols of an object file.
    fn of(object: &Path) -> Result<Self, GccError> {
        let output = succeed(Command::new("nm").arg("--format=posix").arg(object))?;
        let mut symbols = Self::default();
        for line in String::from_utf8_lossy(&output.stdout).lines() {
            let mut words = line.split(' ');
            match (words.next(), words.next()) {
                (Some(name), Some("U" | "w")) => symbols.undefined.insert(name.to_owned()),
                (Some(name), Some("t")) => symbols.local.insert(name.to_owned()),
                _ => false,
            };
        }
        Ok(symbols)
    }
}

/// Definitions of what the task leaves undefined: the target, input functions, assumptions, and
/// functions or objects that neither the task nor the library has.
fn stubs(
    task: &GccTask,
    declarations: &Declarations,
    missing: &BTreeSet<String>,
    symbols: &Symbols,
) -> Result<String, GccError> {
    let mut text = String::from("#include \"task.h\"\n");
    for target in &task.targets {
        if symbols.undefined.contains(target) {
            text += &format!("void {target}(void) {{ rhumb_target_reached(); }}\n");
        } else {
            // Weak: a static function that nothing calls is not in the object at all.
            text += &format!("extern void {target}(void) __attribute__((weak));\n");
        }
    }
    text += &format!(
        "void (*const rhumb_targets[])(void) = {{{}}};\n",
        task.targets.join(", ")
    );
    text += &format!(
        "const unsigned rhumb_target_count = {};\n",
        task.targets.len()
    );
    let own = symbols
        .undefined
        .iter()
        .filter(|name| name.starts_with("__VERIFIER_"));
    let needed: BTreeSet<&String> = own
        .chain(missing)
        .filter(|name| !task.targets.contains(name))
        .collect();
    for name in needed {
        text += &stub(name, declarations)?;
    }
    Ok(text)
}

fn stub(name: &str, declarations: &Declarations) -> Result<String, GccError> {
    let refuse = |what: &str| {
        Err(GccError::Refused(format!(
            "no definition for {name}: {what}"
        )))
    };
    if name == "__VERIFIER_error" {
        // Without a body it is the error whatever the property names.
        return Ok(format!("void {name}(void) {{ rhumb_target_reached(); }}\n"));
    }
    let Some(declaration) = declarations.of(name) else {
        // Not a function: an object that some other file would define starts as zeros.
        return Ok(format!("char {name}[4096] __attribute__((aligned(16)));\n"));
    };
    if name == "__VERIFIER_assume" {
        let parameter = declaration.first_parameter.as_deref().unwrap_or("int");
        return Ok(format!(
            "void {name}({parameter} holds) {{ rhumb_assume(holds != 0); }}\n"
        ));
    }
    let result = declaration.result.as_str();
    let value = match result {
        "void" => return Ok(format!("void {name}(void) {{ }}\n")),
        "_Bool" => "rhumb_next_bool()".to_owned(),
        "float" => "rhumb_next_float()".to_owned(),
        "double" => "rhumb_next_double()".to_owned(),
        _ if result.ends_with('*') => "(void *)(unsigned long)rhumb_next_bits()".to_owned(),
        _ if declaration.is_integer() => format!("({result})rhumb_next_bits()"),
        _ => return refuse(&format!("it returns {result}")),
    };
    let result = if result.ends_with('*') {
        "void *"
    } else {
        result
    };
    Ok(format!("{result} {name}(void) {{ return {value}; }}\n"))
}

/// Links; gives the names that are missing, nothing when it worked.
fn missing_names(linker: &mut Command) -> Result<BTreeSet<String>, GccError> {
    let output = linker
        .output()
        .map_err(GccError::io("starting the linker"))?;
    if output.status.success() {
        return Ok(BTreeSet::new());
    }
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    let missing: BTreeSet<String> = complaints
        .lines()
        .filter_map(|line| line.split_once("undefined reference to `"))
        .filter_map(|(_, rest)| rest.split('\'').next().map(ToOwned::to_owned))
        .collect();
    if missing.is_empty() {
        return Err(GccError::Refused(
            complaints.lines().last().unwrap_or("no message").to_owned(),
        ));
    }
    Ok(missing)
}
