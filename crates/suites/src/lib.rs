//! The benchmark suites of this repository: C programs written by us, each with its expected verdict and with evidence
//! for that verdict that does not come from our engines.
//!
//! Every program is an instance of a template, so that any other size or constant can be made, too. An unsafe program comes with its *key*:
//! the inputs that reach the error. A safe one comes with small instances of the same template, whose inputs can be enumerated, and with
//! inputs that just miss the error of the program itself. The tests compile the programs with gcc and try all of that.
//!
//! No run of any program has undefined behaviour before it ends, so tools that differ on the meaning of overflow agree on every verdict.
//!
//! - [`shelf`] lists what stands in `benchmarks/`, folder by folder; [`files`] renders it.
//! - [`families`] lists the templates with a size; [`make`] makes an instance of any template.

mod catalogue;
mod evidence;
mod examples;
mod family;
mod inputs;
mod lock_and_key;
mod readme;
mod scaling;
mod source;
mod task;

pub use catalogue::{Folder, MakeError, UNREACH_CALL, families, files, make, shelf};
pub use evidence::{Domain, Domains, Evidence, SmallInstance};
pub use family::{Family, SizeError};
pub use inputs::{Inputs, InputsError};
pub use lock_and_key::ParameterError;
pub use task::{DataModel, SuiteTask, Verdict};
