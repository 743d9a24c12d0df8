//! The switches of the algorithm, and the engines that are settings of them.

/// What the search uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Config {
    /// Summaries of what lies ahead guide tests and prune.
    pub(crate) summaries: bool,
    /// Runs are bounded by gas.
    pub(crate) gas: bool,
    /// Dead ends are explained by labels, and labels cover.
    pub(crate) labels: bool,
    /// Repeated cycles of a test are jumped over. The paper's prototype has edges that stand for any number of
    /// iterations of a loop that adds constants, so its tests don't walk through these one by one; ours jump.
    pub(crate) jumps: bool,
}

impl Config {
    /// The whole algorithm.
    pub(crate) const WHOLE: Config = Config {
        summaries: true,
        gas: true,
        labels: true,
        jumps: true,
    };

    /// Without interpolants.
    pub(crate) const LITE: Config = Config {
        labels: false,
        ..Config::WHOLE
    };

    /// Without a bound on runs.
    pub(crate) const NO_GAS: Config = Config {
        gas: false,
        ..Config::WHOLE
    };

    /// Without summaries, which gas would be for.
    pub(crate) const NO_SUMMARIES: Config = Config {
        summaries: false,
        gas: false,
        ..Config::WHOLE
    };
}
