//! Helps that searches have beside the algorithms that they are named after.

use rhumb_summary::Preset;

/// Which helps there are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Aids {
    /// Before everything else some runs get random inputs.
    pub(crate) blind: bool,
    /// If what proofs are made of excludes every error from the entry on, no tree is needed.
    pub(crate) shortcut: bool,
    /// Nodes cover others that are no descendants of theirs.
    pub(crate) sharing: bool,
    /// At loop heads the inductive part of all labels is looked for.
    pub(crate) induction: bool,
    /// Induction looks several steps ahead.
    pub(crate) k_induction: bool,
    /// States from which no goal is reached are blocked for all paths that come to the same node.
    pub(crate) blocking: bool,
    /// Where the root is left open, dearer analyses are run, for stronger invariants; where turns at a loop come to
    /// nothing, its summary is made again with more effort.
    pub(crate) raise: bool,
}

impl Aids {
    const ALL: Aids = Aids {
        blind: true,
        shortcut: true,
        sharing: true,
        induction: true,
        k_induction: true,
        blocking: true,
        raise: true,
    };

    const NONE: Aids = Aids {
        blind: false,
        shortcut: false,
        sharing: false,
        induction: false,
        k_induction: false,
        blocking: false,
        raise: false,
    };

    /// Those of a preset: the paper's prototype has none beside tests, dead ends and covers.
    pub(crate) const fn of(preset: Preset) -> Aids {
        match preset {
            Preset::Full => Aids::ALL,
            Preset::Paper => Aids::NONE,
        }
    }
}
