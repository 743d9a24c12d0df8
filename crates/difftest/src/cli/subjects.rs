//! The subjects that can be named on the command line.

use clap::ValueEnum;
use rhumb_difftest::gcc::{Gcc, GccSubject, GccTasks, SignedOverflow};
use rhumb_difftest::interpreter::{Interpreter, TaskInterpreter};
use rhumb_difftest::outcome::TaskSubject;
use rhumb_difftest::subject::Subject;

const UNSIGNED_CHAR: [&str; 2] = ["-O0", "-funsigned-char"];

/// What is compared with `gcc -O0`.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum SubjectName {
    /// Rhumb's front end and exact interpreter.
    Rhumb,
    /// gcc with optimisation: a difference is a program that is not well-defined (or a bug of gcc).
    #[value(name = "gcc-O2")]
    GccO2,
    /// gcc with traps for undefined behaviour and memory that starts with a pattern.
    #[value(name = "gcc-sanitized")]
    GccSanitized,
    /// gcc for a machine on which plain char is unsigned: differs on purpose, to see that
    /// differences are found, kept and reduced.
    #[value(name = "gcc-unsigned-char")]
    GccUnsignedChar,
}

impl SubjectName {
    pub(crate) fn open(self, gcc: &Gcc) -> Box<dyn Subject + '_> {
        match self {
            Self::Rhumb => Box::new(Interpreter::default()),
            Self::GccO2 => Box::new(GccSubject::new(gcc, &["-O2"])),
            Self::GccSanitized => Box::new(GccSubject::sanitized(gcc)),
            Self::GccUnsignedChar => Box::new(GccSubject::new(gcc, &UNSIGNED_CHAR)),
        }
    }

    pub(crate) fn open_tasks(
        self,
        gcc: &Gcc,
        overflow: SignedOverflow,
    ) -> Box<dyn TaskSubject + '_> {
        match self {
            Self::Rhumb => Box::new(TaskInterpreter { overflow }),
            Self::GccO2 => Box::new(GccTasks::new(gcc, overflow, &["-O2"])),
            // Tasks are compiled with the sanitizer in any case.
            Self::GccSanitized => Box::new(GccTasks::reference(gcc, overflow)),
            Self::GccUnsignedChar => Box::new(GccTasks::new(gcc, overflow, &UNSIGNED_CHAR)),
        }
    }
}
