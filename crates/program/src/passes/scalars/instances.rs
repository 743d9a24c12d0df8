//! One of many: an allocation that is made any number of times, of which one instance is followed.
//!
//! Right for programs whose lists, trees or tables have nodes that all satisfy the same fact: what is proved of one
//! node that was chosen arbitrarily among all that a line allocates is proved of all of them.
//!
//! At each passage of the allocation it is open whether this is the instance that is followed, until one is. That one
//! has a fixed address and is variables, like an object that is allocated once. All others stay in memory, at addresses
//! that are none of a variable's; what is read there is any value, but a pointer among it points to what any instance's
//! piece at that distance may point to: there is one set for all of them.
//!
//! A target counts only in runs in which the last of some loads, the *reads*, has read the instance that is followed,
//! or an object that is variables anyway. For each run that gets to a target there is such a choice: the instance that
//! was read last.
//!
//! Pointers in what `malloc` gives are no pointers to anything in particular until they are set, and in a list a node
//! often gets its pointer to the next one when that is made. That nobody reads one before it is set is shown along with
//! everything else: of the instance that is followed it is known which are set, and a read of one that isn't leads to a
//! target. So what is read from other instances was set, too.
//!
//! Which allocations and loads these are is said by a [`Plan`](super::Plan). No plan is a wrong one.

use std::collections::BTreeMap;

use super::pointees::HomeId;
use crate::ids::{EdgeId, VarId};

/// The allocations of which one instance is followed.
#[derive(Clone, Debug, Default)]
pub struct Instances {
    /// By what they allocate.
    pub of: BTreeMap<HomeId, Instance>,
    /// The loads after which it is asked whether what is followed was read.
    pub reads: Vec<EdgeId>,
    /// Whether the last of them has read it; true at first. None if there are no such loads.
    pub met: Option<VarId>,
    /// Pointers that may be set late: by the variable of the pointer, a truth value that says whether it was set since
    /// the memory was given without contents.
    pub late: BTreeMap<VarId, VarId>,
}

/// An allocation of which one instance is followed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Instance {
    /// Whether it is to be the one that is allocated next: anything.
    pub pick: VarId,
    /// Whether it has been chosen.
    pub taken: VarId,
}
