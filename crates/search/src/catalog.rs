//! The engines by name.

use crate::bmc::Bmc;
use crate::cra::Cra;
use crate::engine::Engine;
use crate::gps::{self, Inductive};
use crate::portfolio::Portfolio;
use crate::task::Task;

/// An engine that can be asked for.
pub struct Entry {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Sets it to work.
    pub start: for<'t> fn(&'t Task<'t>) -> Box<dyn Engine + 't>,
}

/// All engines, the default first.
pub const CATALOG: &[Entry] = &[
    gps::entry::<0>(),
    gps::entry::<1>(),
    gps::entry::<2>(),
    gps::entry::<3>(),
    gps::entry::<4>(),
    Entry {
        name: "bmc",
        about: "bounded model checking: unrolls the program step by step; SAFE only where all loops end",
        start: |task| Box::new(Bmc::new(task)),
    },
    Entry {
        name: "cra",
        about: "summaries alone: SAFE where loop summaries exclude every error",
        start: |task| Box::new(Cra::new(task)),
    },
    Entry {
        name: "induction",
        about: "invariants alone: SAFE where simple facts, perhaps under a condition, are kept by every step",
        start: |task| Box::new(Inductive::new(task)),
    },
    Entry {
        name: "portfolio",
        about: "gps, then bmc with what is left of the time",
        start: |task| Box::new(Portfolio::new(task)),
    },
];

/// The engine of that name.
pub fn entry(name: &str) -> Option<&'static Entry> {
    CATALOG.iter().find(|entry| entry.name == name)
}
