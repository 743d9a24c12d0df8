//! The engines by name.

use rhumb_summary::Preset;

use crate::alone::Alone;
use crate::annotate;
use crate::bmc::Bmc;
use crate::bounds::bounds_first;
use crate::cra::Cra;
use crate::depth_first;
use crate::elements::Nothing;
use crate::engine::Engine;
use crate::execute::Execute;
use crate::explicit::Explicit;
use crate::gps;
use crate::horn::{ContractsFirst, Horn};
use crate::impact;
use crate::induction::Inductive;
use crate::plans;
use crate::predicate;
use crate::shapes::Shapes;
use crate::tabulate::Tabulate;
use crate::task::Task;

/// An engine that can be asked for.
#[derive(Clone, Copy)]
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
    Entry {
        start: guided,
        ..gps::GPS
    },
    gps::LITE,
    gps::NO_GAS,
    gps::NO_SUMMARIES,
    impact::IMPACT,
    depth_first::IMPACT_DFS,
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
        name: "horn",
        about: "Horn clauses: contracts of functions, recursive ones too, and invariants, from Z3's engine for them",
        start: |task| Box::new(Horn::new(task)),
    },
    predicate::PREDICATE,
    predicate::CARTESIAN,
    predicate::FINE,
    predicate::INTERP[0],
    predicate::INTERP[1],
    predicate::INTERP[2],
    predicate::INTERP[3],
    predicate::INTERP[4],
    predicate::INTERP[5],
    annotate::LAZY_ANNOTATION,
    annotate::WEAKEST,
    annotate::NEAREST,
    annotate::WITHOUT_LEARNING,
    Entry {
        name: "execute",
        about: "symbolic execution: follows all runs, through memory and recursion; SAFE only where all of them end",
        start: |task| Box::new(Execute::new(task)),
    },
    Entry {
        name: "together",
        about: "symbolic execution of all runs side by side, as one where they meet, bit by bit; SAFE only where all of them end",
        start: |task| Box::new(Execute::together(task)),
    },
    Entry {
        name: "explicit",
        about: "explicit states, one by one, inputs as symbols: for state machines and protocols",
        start: |task| Box::new(Explicit::new(task)),
    },
    Entry {
        name: "elements",
        about: "proofs about all elements of arrays: invariants, and gps, of a program in which some elements are followed",
        start: |task| plans::elements_first(task, None).unwrap_or_else(|_| Box::new(Nothing)),
    },
    Entry {
        name: "shapes",
        about: "all that lists in memory can look like, of any length: for accesses, frees and leaks",
        start: |task| Box::new(Shapes::new(task)),
    },
    Entry {
        name: "tabulate",
        about: "explicit states, function by function, of the variables that matter: for large programs",
        start: |task| Box::new(Tabulate::new(task)),
    },
    Entry {
        name: "values",
        about: "explicit states of the variables that matter, calls inlined and objects as variables: for state machines in records",
        start: |task| Box::new(Tabulate::of_values(task)),
    },
    Entry {
        name: "alone",
        about: "threads one at a time: what each of them keeps, whatever the others do; for any number of threads (of one thread: gps)",
        start: |task| match task.lowered.schedule() {
            Some(_) => Box::new(Alone::new(task)),
            None => guided(task),
        },
    },
    Entry {
        name: "portfolio",
        about: "gps, then bmc with what is left of the time",
        start: plans::portfolio,
    },
];

/// The guided search, with explicit states and contracts unless it is to be that of the paper.
fn guided<'t>(task: &'t Task<'t>) -> Box<dyn Engine + 't> {
    match task.preset {
        Preset::Full => plans::large_first(task, formulas),
        Preset::Paper => Box::new(gps::whole(task)),
    }
}

/// The engines that think in formulas, with those that help them out.
fn formulas<'t>(task: &'t Task<'t>) -> Box<dyn Engine + 't> {
    let numbers = plans::states_and_formulas(task);
    let inner = match plans::elements_first(task, Some(numbers)) {
        Ok(inner) => inner,
        Err(Some(numbers)) => numbers,
        Err(None) => Box::new(Nothing),
    };
    let inner = ContractsFirst::start(task, inner);
    let inner = bounds_first(task, inner);
    let inner = plans::equations_first(task, plans::with_execution(task, inner));
    plans::shapes_first(task, inner)
}

/// The engine of that name.
pub fn entry(name: &str) -> Option<&'static Entry> {
    CATALOG.iter().find(|entry| entry.name == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_engine_is_found_by_its_name() {
        for known in CATALOG {
            let found = entry(known.name).map(|entry| entry.about);
            assert_eq!(found, Some(known.about), "two engines {}", known.name);
        }
        assert_eq!(CATALOG[0].name, "gps");
    }
}
