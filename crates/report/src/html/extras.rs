//! What a page shows beside the answer: how the search went.

use serde::Serialize;

/// What is known beside the answer.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Extras {
    /// Reachability trees, one for each search.
    pub trees: Vec<Tree>,
    /// What loops do.
    pub loops: Vec<LoopText>,
}

/// A reachability tree.
#[derive(Clone, Debug, Serialize)]
pub struct Tree {
    /// The nodes; parents come before children.
    pub nodes: Vec<TreeNode>,
    /// How many more there were.
    pub left_out: usize,
}

/// The end of a path.
#[derive(Clone, Debug, Serialize)]
pub struct TreeNode {
    /// The number of its parent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
    /// What the place is.
    pub kind: &'static str,
    /// The file, if the place has one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub file: String,
    /// The line; 0 if the place has none.
    pub line: u32,
    /// What has become of it.
    pub fate: &'static str,
    /// What holds there.
    pub label: Vec<String>,
    /// How much more that is.
    pub more: usize,
    /// The number of the node that stands for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub covered_by: Option<usize>,
}

/// What a loop does, in formulas.
#[derive(Clone, Debug, Serialize)]
pub struct LoopText {
    /// Where it is.
    pub place: String,
    /// Its line.
    pub line: u32,
    /// Headings, each with lines.
    pub parts: Vec<(String, Vec<String>)>,
}
