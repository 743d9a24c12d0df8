//! GPS: a search for an error that is guided by summaries of what lies ahead.
//!
//! The paper's algorithm: a test is made from a model of the summary of all ways to an error, and run. If it reaches no
//! error, the paths that it left open go to a frontier. For each of them: either a run along it can go on to an error
//! by the summaries, and there is the next test; or the path is a dead end. Interpolants explain dead ends, label the
//! tree of all paths, and let one path stand for others; a tree without open paths is a proof.
//!
//! | module | |
//! |---|---|
//! | [`config`] | the switches |
//! | [`policy`] | what becomes of a leaf of the tree |
//! | [`test`] | concrete runs towards a goal |

mod config;
mod measure;
mod policy;
mod test;

pub use measure::TestCost;

use crate::aids::Aids;
use crate::catalog::Entry;
use crate::explorer::Explorer;
use crate::task::Task;
use config::Config;
pub(crate) use policy::Gps;

/// The whole algorithm.
pub(crate) const GPS: Entry = Entry {
    name: "gps",
    about: "search guided by summaries: tests towards the error, dead ends explained by interpolants",
    start: |task| Box::new(whole(task)),
};

/// An ablation: no interpolants.
pub(crate) const LITE: Entry = Entry {
    name: "gps-lite",
    about: "gps without interpolants: tests and dead ends alone",
    start: |task| Box::new(with(task, Config::LITE)),
};

/// An ablation: no gas.
pub(crate) const NO_GAS: Entry = Entry {
    name: "gps-nogas",
    about: "gps whose runs are not bounded by gas",
    start: |task| Box::new(with(task, Config::NO_GAS)),
};

/// An ablation: no summaries.
pub(crate) const NO_SUMMARIES: Entry = Entry {
    name: "gps-nosum",
    about: "gps without summaries and without gas",
    start: |task| Box::new(with(task, Config::NO_SUMMARIES)),
};

/// The engine `gps` itself.
pub(crate) fn whole<'t>(task: &'t Task<'t>) -> Explorer<'t, Gps<'t>> {
    with(task, Config::WHOLE)
}

fn with<'t>(task: &'t Task<'t>, config: Config) -> Explorer<'t, Gps<'t>> {
    let begin = move |task, budget: &_| Gps::begin(task, config, budget);
    Explorer::new(task, begin).with_blind_runs(Aids::of(task.preset).blind)
}
