//! The switches of the search, and the engines that are settings of them.

use rhumb_summary::Preset;

/// What the search uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Config {
    /// Summaries of what lies ahead guide tests and prune.
    pub(crate) summaries: bool,
    /// Runs are bounded by gas.
    pub(crate) gas: bool,
    /// Concrete tests are run.
    pub(crate) tests: bool,
    /// Dead ends are explained by labels, and labels cover.
    pub(crate) labels: bool,
    /// Repeated cycles of a test are jumped over.
    pub(crate) jumps: bool,
    /// Which operators and invariants the summaries have.
    pub(crate) preset: Preset,
}

impl Config {
    /// The whole algorithm, with everything we have.
    pub(crate) const GPS: Config = Config {
        summaries: true,
        gas: true,
        tests: true,
        labels: true,
        jumps: true,
        preset: Preset::Full,
    };
}
