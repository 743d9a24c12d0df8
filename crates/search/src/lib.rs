//! The engines: each searches for a run that reaches a target, or for a reason why there is none.
//!
//! An [`Engine`] works on a [`Task`] in steps and ends with a [`Claim`]. A claim is not a verdict: that is what
//! `rhumb-certify` makes of it, after it has checked the evidence.

mod aids;
mod alone;
mod annotate;
mod art;
mod bmc;
mod bounds;
mod catalog;
mod claim;
mod constants;
pub mod cover;
mod cra;
mod decide;
mod decision;
mod depth_first;
mod distance;
mod elements;
mod ending;
mod engine;
mod execute;
mod explicit;
mod explorer;
mod facts;
mod frontier;
mod gps;
mod guide;
mod horn;
mod impact;
mod induction;
mod learn;
mod plans;
mod predicate;
mod proof;
mod runs;
mod shapes;
mod simpler;
mod sliced;
mod tabulate;
mod task;
mod threads;
mod turns;
mod view;

pub use catalog::{CATALOG, Entry, entry};
pub use claim::{Claim, Reason};
pub use decide::{decide, decide_together};
pub use decision::{Decision, Observer, Outcome};
pub use distance::Metric;
pub use ending::{EndingDecision, decide_ending};
pub use engine::{Engine, Figures, Progress, Step};
#[doc(hidden)]
pub use gps::TestCost;
pub use task::{Means, Task};
pub use view::{Fate, TreeNode, TreeView};
