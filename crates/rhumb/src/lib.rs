//! A software model checker for C: SAFE with a proof, UNSAFE with an input that breaks the program, or UNKNOWN with a reason.
//!
//! ```
//! use rhumb::{Input, Options, Verdict};
//!
//! let text = "extern void reach_error(void);
//!             int main(void) { int x = 0; while (x < 1000) x += 2; if (x % 2) reach_error(); }";
//! let input = Input::from_text("even.c", text)?;
//! let report = rhumb::check(&input, &Options::default());
//! assert!(matches!(report.verdict, Verdict::Safe(_)), "{report}");
//! # Ok::<(), rhumb::InputError>(())
//! ```
//!
//! An [`Input`] is a program and the question about it; [`check`] answers it, [`certificate`], [`witness`] and
//! [`harness`] write the evidence down, and [`validate`] checks evidence. Nothing here prints, and nothing limits
//! memory: that is for the command line.

mod cache;
mod check;
mod cover;
mod document;
mod ending_text;
mod evidence;
pub mod explain;
mod faults;
mod files;
mod input;
pub mod inputs_text;
mod known;
mod page;
mod properties;
mod report;
mod rounds;
mod targets_text;
mod validate;

pub use cache::Cache;
pub use check::{Options, check, check_cached, check_watched, decide_ending, report_ending};
pub use cover::{Coverage, cover};
pub use document::{document, invariants, story, unknown};
pub use evidence::{NoEvidence, certificate, harness, witness};
pub use input::{Input, InputError, Question};
pub use known::Known;
pub use page::page;
pub use properties::{AskedProperty, PropertyReport};
pub use report::{Conclusion, Report, Summary, TargetReport, assumptions_text};
pub use rhumb_certify::Verdict;
pub use rhumb_report::document::{Document, gcc, github, junit, sarif};
pub use rhumb_report::text::story as story_text;
pub use rhumb_report::witness::Validity;
pub use rhumb_search::{Observer, Outcome, TreeView};
pub use rounds::Established;
pub use validate::{Evidence, Validation, second_opinion, validate};
