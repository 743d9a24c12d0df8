//! A reachability tree as people look at it: places, labels, covers and dead ends, without anything of the search.

/// A reachability tree, or the part of it that is near the root.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct TreeView {
    /// The nodes; parents come before children.
    pub nodes: Vec<TreeNode>,
    /// How many more there were.
    pub left_out: usize,
}

/// A node of a tree: the end of a path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeNode {
    /// Its parent; none for the root.
    pub parent: Option<usize>,
    /// What the place is: `entry`, `loop`, `target`.
    pub kind: &'static str,
    /// Where that is, if the text has a place for it.
    pub place: Option<(String, u32)>,
    /// What has become of it.
    pub fate: Fate,
    /// What holds there, a clause each; nothing is known if there is none.
    pub label: Vec<String>,
    /// How many more clauses there were.
    pub clauses_left_out: usize,
    /// The node that stands for it.
    pub covered_by: Option<usize>,
}

/// What has become of a node.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    /// Its turn has not come.
    Open,
    /// It has children.
    Expanded,
    /// No error can be reached from there.
    DeadEnd,
    /// It could not be decided.
    Stuck,
    /// Another one stands for it.
    Covered,
}

impl Fate {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Fate::Open => "open",
            Fate::Expanded => "expanded",
            Fate::DeadEnd => "dead end",
            Fate::Stuck => "stuck",
            Fate::Covered => "covered",
        }
    }
}
