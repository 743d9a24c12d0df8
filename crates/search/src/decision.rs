//! What is known of a program, and who wants to hear of it.

use index_vec::IndexVec;
use rhumb_certify::{NotAccepted, Verdict};
use rhumb_program::TargetId;

use crate::engine::Progress;
use crate::view::TreeView;

/// What is known about a program and each of its targets.
#[derive(Clone, Debug)]
pub struct Decision {
    /// About the program: UNSAFE if a target can be reached, with the evidence for the first that was found; SAFE if none can.
    pub verdict: Verdict,
    /// About each target.
    pub targets: IndexVec<TargetId, Outcome>,
    /// For each target that can be reached the verdict UNSAFE with a run to it, in the order in which they were found.
    pub errors: Vec<Verdict>,
}

impl Decision {
    /// Nothing is known, for this reason.
    pub fn unknown(reason: String) -> Decision {
        Decision {
            verdict: Verdict::Unknown(reason),
            targets: IndexVec::new(),
            errors: Vec::new(),
        }
    }
}

/// What is known about a target. A run ends at the first target that it gets to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// No run reaches it.
    Safe,
    /// A run reaches it.
    Unsafe,
    /// Nothing is known, for this reason.
    Unknown(String),
}

/// Somebody who wants to know what is going on.
pub trait Observer {
    /// A phase begins: `encode`, `search`, `certify`.
    fn phase(&mut self, name: &'static str) {
        let _ = name;
    }

    /// An engine is at work, and this is where it stands.
    fn progress(&mut self, progress: &Progress) {
        let _ = progress;
    }

    /// An engine has ended, having done this.
    fn ended(&mut self, progress: &Progress) {
        let _ = progress;
    }

    /// Whether somebody wants to look at trees.
    fn wants_trees(&self) -> bool {
        false
    }

    /// An engine has ended, having grown this tree.
    fn tree(&mut self, tree: TreeView) {
        let _ = tree;
    }

    /// Evidence was checked, and was accepted or not.
    fn checked(&mut self, outcome: Result<(), &NotAccepted>) {
        let _ = outcome;
    }

    /// Something was certified, and this is what is known by now. It stands, whatever comes of the targets that are still open.
    fn decided(&mut self, so_far: &Decision) {
        let _ = so_far;
    }
}

/// An observer that doesn't look.
impl Observer for () {}
