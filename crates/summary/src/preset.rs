//! Which of our means are used.

/// How much of what we have goes into summaries, invariants and search.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Preset {
    /// What the paper's prototype has, so that its tables can be compared.
    Paper,
    /// Everything.
    #[default]
    Full,
}
