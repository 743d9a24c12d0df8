//! A tree as people look at it.

use std::collections::VecDeque;

use rhumb_encode::{NodeId, NodeKind};
use rustc_hash::FxHashMap;

use super::{Art, Status, TreeId};
use crate::view::{Fate, TreeNode, TreeView};

/// Larger trees are shown in part: nobody looks at more.
const NODES: usize = 1500;
/// So many clauses of a label are shown,
const CLAUSES: usize = 12;
/// of so many characters each.
const CLAUSE: usize = 160;

impl Art<'_> {
    /// The tree, level by level, as far as it can be looked at.
    pub(crate) fn view(&self) -> TreeView {
        let tree = &self.tree;
        let mut numbers: FxHashMap<TreeId, usize> = FxHashMap::default();
        let mut waiting = VecDeque::from([(tree.root(), None)]);
        let mut shown: Vec<(TreeId, Option<usize>)> = Vec::new();
        while let Some((id, parent)) = waiting.pop_front() {
            if shown.len() == NODES {
                break;
            }
            let number = shown.len();
            numbers.insert(id, number);
            shown.push((id, parent));
            waiting.extend(tree.children(id).map(|child| (child, Some(number))));
        }
        let nodes = shown.iter().map(|&(id, parent)| {
            let covered_by = tree.covered_by(id);
            let (kind, place) = self.site(tree.at(id));
            let (label, clauses_left_out) = self.shown_label(id);
            TreeNode {
                parent,
                kind,
                place,
                fate: match (covered_by, tree.status(id)) {
                    (Some(_), _) => Fate::Covered,
                    (None, Status::Open | Status::Removed) => Fate::Open,
                    (None, Status::Expanded) => Fate::Expanded,
                    (None, Status::Pruned(_)) => Fate::DeadEnd,
                    (None, Status::Stuck) => Fate::Stuck,
                },
                label,
                clauses_left_out,
                covered_by: covered_by.and_then(|by| numbers.get(&by).copied()),
            }
        });
        let nodes: Vec<TreeNode> = nodes.collect();
        TreeView {
            left_out: tree.ids().count().saturating_sub(nodes.len()),
            nodes,
        }
    }

    /// What holds at a node, a clause each, and how many more there are.
    fn shown_label(&self, id: TreeId) -> (Vec<String>, usize) {
        let terms = &self.space.graph.terms;
        let clauses = self.tree.label(id).clauses();
        let shown = clauses.iter().take(CLAUSES).map(|&clause| {
            let text = terms.display(clause).to_string();
            match text.char_indices().nth(CLAUSE) {
                Some((end, _)) => format!("{}…", &text[..end]),
                None => text,
            }
        });
        let left_out = clauses.len().saturating_sub(CLAUSES);
        (shown.collect(), left_out)
    }

    /// What a node of the graph is, and its line.
    fn site(&self, node: NodeId) -> (&'static str, Option<(String, u32)>) {
        let kind = match self.space.graph.nodes[node].kind {
            NodeKind::Entry => "entry",
            NodeKind::LoopHead => "loop",
            NodeKind::Target(_) => "target",
            NodeKind::Unsupported(_) => "unsupported",
            NodeKind::Call(_) => "call",
            NodeKind::Cut => "code",
        };
        let span = match kind {
            "entry" => None,
            _ => self.span(node),
        };
        let position = span.map(|span| self.task.lowered.sources.position(span));
        let place = position.map(|position| (position.file.to_string(), position.line));
        (kind, place)
    }
}
