//! The page for an answer: the answer as data, and how the search went.

use rhumb_logic::{Budget, Work};
use rhumb_report::html::{self, Extras, LoopText, Tree, TreeNode};
use rhumb_search::{Task, TreeView};
use rhumb_summary::{Oracle, OracleOptions, Preset, readable};

use crate::document::document;
use crate::input::Input;
use crate::report::Report;

/// What the summaries of loops may take: they are there for those who like to read them.
const LOOPS: Work = Work::secs(2);
/// Of larger programs nobody reads them.
const EDGES: usize = 3000;
/// Longer formulas are nothing to read.
const LINE: usize = 240;
/// So many loops are told.
const MANY: usize = 50;

/// The page. What the loops do is only told if there is something left of the budget.
pub fn page(
    input: &Input,
    report: &Report,
    times: &[(String, f64)],
    trees: &[TreeView],
    budget: &Budget,
) -> String {
    let document = document(input, report, times, true);
    let extras = Extras {
        trees: trees.iter().map(tree).collect(),
        loops: loops(input, &budget.within(LOOPS)),
    };
    html::page(&input.program, &document, &extras)
}

fn tree(view: &TreeView) -> Tree {
    let nodes = view.nodes.iter().map(|node| {
        let (file, line) = node.place.clone().unwrap_or_default();
        TreeNode {
            parent: node.parent,
            kind: node.kind,
            file,
            line,
            fate: node.fate.word(),
            label: node.label.clone(),
            more: node.clauses_left_out,
            covered_by: node.covered_by,
        }
    });
    Tree {
        nodes: nodes.collect(),
        left_out: view.left_out,
    }
}

/// What the loops of a program do in so many rounds.
fn loops(input: &Input, budget: &Budget) -> Vec<LoopText> {
    let program = &input.program;
    let edges = program
        .functions
        .iter()
        .map(|function| function.cfa.edges.len());
    if edges.sum::<usize>() > EDGES || program.schedule().is_some() || budget.is_spent() {
        return Vec::new();
    }
    let task = Task::new(program).with_preset(Preset::Full);
    let graph = &task.graph;
    if graph.nodes.is_empty() {
        return Vec::new();
    }
    let mut oracle = Oracle::new(graph, OracleOptions::default(), budget);
    let found = oracle.summaries().loops(budget);
    let told = found.into_iter().take(MANY).map(|found| {
        let terms = &graph.terms;
        let known = oracle.known(found.head).iter();
        let always: Vec<String> = known
            .map(|&conjunct| terms.display(conjunct).to_string())
            .collect();
        let place = graph.place(found.head).unwrap_or_default();
        let parts = [
            ("what always holds there", always),
            ("k rounds", readable::lines(terms, &found.iterated)),
            ("one round", readable::lines(terms, &found.iteration)),
        ];
        let parts = parts.into_iter().filter(|(_, lines)| !lines.is_empty());
        let clipped = |line: String| match line.char_indices().nth(LINE) {
            Some((end, _)) => format!("{} … ({} characters)", &line[..end], line.len()),
            None => line,
        };
        LoopText {
            line: place
                .split(':')
                .nth(1)
                .and_then(|line| line.parse().ok())
                .unwrap_or(0),
            place,
            parts: parts
                .map(|(title, lines)| (title.to_owned(), lines.into_iter().map(clipped).collect()))
                .collect(),
        }
    });
    told.collect()
}
