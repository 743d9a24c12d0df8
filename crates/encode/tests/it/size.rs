//! Block formulas are linear in the size of the program, however many ways there are through it.

use std::sync::Arc;

use rhumb_cfront::SignedOverflow;
use rhumb_encode::{BlockGraph, CutPolicy, NodeKind, prepare};
use rhumb_logic::Terms;
use rhumb_program::DataModel;
use rhumb_program::passes::Goals;

use crate::{branches, support};

fn graph(text: &str) -> BlockGraph {
    let program = support::program(text, DataModel::Lp64, SignedOverflow::Undefined);
    let prepared = prepare(&program, &Goals::all_targets(&program));
    BlockGraph::build(
        &prepared.program,
        &Arc::new(Terms::new()),
        CutPolicy::LoopHeads,
    )
}

/// Number of different terms in the formula of the block that goes round the loop.
fn loop_size(graph: &BlockGraph) -> usize {
    let round = graph.edges.iter().find(|edge| {
        edge.source == edge.target && graph.nodes[edge.source].kind == NodeKind::LoopHead
    });
    let transition = &round.expect("a loop").transition;
    let updates = transition.updates.iter().map(|update| update.1);
    graph
        .terms
        .postorder(updates.chain([transition.guard]))
        .len()
}

#[test]
fn branches_in_a_row() {
    let sizes = [11, 22, 44, 200].map(|count| loop_size(&graph(&branches::program(count))));
    let per_branch = |place: usize, count: usize| sizes[place] as f64 / count as f64;
    let (small, large) = (per_branch(1, 22), per_branch(3, 200));
    assert!(large < small * 1.1, "{sizes:?}");
    assert!(large < 25.0, "{sizes:?}");
}

/// Ways out of the middle: everything jumps to one place.
#[test]
fn jumps_to_one_label() {
    let sizes = [20usize, 40, 400].map(|count| {
        let mut body = String::new();
        for number in 0..count {
            body += &format!("    if (__VERIFIER_nondet_int() == {number}) goto out;\n    x += {number};\n");
        }
        let text = format!(
            "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
             int main(void) {{\n  unsigned x = 0;\n  while (x < 5000) {{\n{body}    out: x++;\n  }}\n  if (x == 7) reach_error();\n}}"
        );
        loop_size(&graph(&text)) as f64 / count as f64
    });
    assert!(sizes[2] < sizes[0] * 1.2, "{sizes:?}");
}

/// Branches inside branches.
#[test]
fn nested_branches() {
    let sizes = [10usize, 20, 60].map(|depth| {
        let mut body = String::from("    x++;\n");
        for number in 0..depth {
            body = format!(
                "    if (__VERIFIER_nondet_int() == {number}) {{\n    y++;\n{body}    z += x;\n    }} else x += 2;\n"
            );
        }
        let text = format!(
            "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
             int main(void) {{\n  unsigned x = 0, y = 0, z = 0;\n  while (x < 5000) {{\n{body}  }}\n  if (x + y == z) reach_error();\n}}"
        );
        loop_size(&graph(&text)) as f64 / depth as f64
    });
    assert!(sizes[2] < sizes[0] * 1.3, "{sizes:?}");
}

/// The values of a loop whose branches meet again need no condition of the whole path: no guard mentions what happened before.
#[test]
fn branches_that_meet_leave_no_trace_in_the_guard() {
    let graph = graph(
        "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n\
         int main(void) {\n  unsigned x = 0, n = __VERIFIER_nondet_int();\n  while (x < n) {\n\
         if (__VERIFIER_nondet_int()) x++; else n--;\n  }\n  if (x == 7) reach_error();\n}",
    );
    let round = graph
        .edges
        .iter()
        .find(|edge| edge.source == edge.target)
        .expect("a loop");
    let guard = graph.terms.display(round.transition.guard).to_string();
    assert_eq!(
        guard,
        "(x + 1 <= n && 0 <= __VERIFIER_nondet_int? + 2147483648 && __VERIFIER_nondet_int? <= 2147483647)"
    );
    // The loop's condition excludes wrapping round.
    let updates: Vec<String> = round
        .transition
        .updates
        .iter()
        .map(|update| graph.terms.display(update.1).to_string())
        .collect();
    assert_eq!(
        updates,
        [
            "(x - (__VERIFIER_nondet_int? == 0 ? 1 : 0) + 1)",
            "(n - (__VERIFIER_nondet_int? == 0 ? 1 : 0))"
        ]
    );
}
