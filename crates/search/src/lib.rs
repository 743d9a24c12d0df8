//! The engines: each searches for a run that reaches a target, or for a reason why there is none.
//!
//! An [`Engine`] works on a [`Task`] in steps and ends with a [`Claim`]. A claim is not a verdict: that is what `rhumb-certify` makes of it,
//! after it has checked the evidence.

mod bmc;
mod catalog;
mod claim;
mod cra;
mod decide;
mod engine;
mod gps;
mod portfolio;
mod proof;
mod replay;
mod task;

pub use catalog::{CATALOG, Entry, entry};
pub use claim::{Claim, Reason};
pub use decide::{Decision, Observer, Outcome, decide};
pub use engine::{Engine, Progress, Step};
#[doc(hidden)]
pub use gps::TestCost;
pub use task::Task;
