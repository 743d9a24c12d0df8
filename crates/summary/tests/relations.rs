//! Relations at loop heads: inductive, and more than octagons can say.

use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_cfront::{Options, compile};
use rhumb_encode::{BlockGraph, CutPolicy, NodeId, prepare};
use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::{Budget, Term, Terms};
use rhumb_program::SourceMap;
use rhumb_program::passes::Goals;
use rhumb_summary::forward;

fn graph(body: &str) -> BlockGraph {
    let text = format!(
        "extern int __VERIFIER_nondet_int(void); extern void reach_error(void); extern void __VERIFIER_assume(int);\n\
         int main(void) {{ {body} return 0; }}"
    );
    let source = SourceMap::new("test.c", Arc::from(text.as_bytes()));
    let compiled = compile(source, &Options::default());
    let program = compiled.program.expect("a valid program");
    let prepared = prepare(&program, &Goals::all_targets(&program));
    let terms = Arc::new(Terms::new());
    BlockGraph::build(&prepared.program, &terms, CutPolicy::LoopHeads)
}

type Analysis =
    fn(&BlockGraph, &IndexVec<NodeId, Vec<Term>>, &Budget) -> IndexVec<NodeId, Vec<Term>>;

type Known = fn(&BlockGraph, &Budget) -> IndexVec<NodeId, Vec<Term>>;

/// Whether the relations are inductive together with what was known before, and whether they exclude every goal.
fn check(graph: &BlockGraph, analysis: Analysis, known: Known) -> (bool, bool) {
    let (terms, budget) = (&graph.terms, Budget::unlimited());
    let known = known(graph, &budget);
    let found = analysis(graph, &known, &budget);
    let at = |node: NodeId| -> Term {
        let all = known[node].iter().chain(&found[node]).copied();
        terms.and(all.chain([graph.ranges(node)]))
    };
    let mut session = Session::new(terms.clone(), SessionOptions::default());
    let (mut inductive, mut safe) = (true, true);
    for block in &graph.edges {
        let before = terms.and([at(block.source), block.transition.guard]);
        if graph.nodes[block.target].kind.is_goal() {
            safe &= session.is_sat(&[before], &budget) == Some(false);
            continue;
        }
        for &conjunct in &found[block.target] {
            let after = block.transition.substitution().apply(terms, conjunct);
            inductive &= session.is_sat(&[before, terms.not(after)], &budget) == Some(false);
        }
    }
    (inductive, safe)
}

/// Programs that are safe because of inequalities between several variables, or with coefficients.
const INEQUALITIES: &[&str] = &[
    "int i = 0, j = 0, k = 0; while (__VERIFIER_nondet_int()) { if (k > 1000) break; i += 2; j++; k += 2; if (__VERIFIER_nondet_int()) k++; } \
     if (i != 2 * j) reach_error();",
    "int x = 1, y = 0; while (y < 1000 && __VERIFIER_nondet_int()) { x = x + y; y = y + 1; } if (x < y) reach_error();",
    "int n = __VERIFIER_nondet_int(), a = 0, b = 0, i = 0; if (n > 10000 || n < 0) return 0; \
     while (i < n) { if (__VERIFIER_nondet_int()) { a++; b += 2; } else { a += 2; b++; } i++; } if (a + b != 3 * n) reach_error();",
    "int i = 0, j = 0; while (i < 1000) { i++; j += 3; if (__VERIFIER_nondet_int()) j--; } if (j > 3 * i || j < 2 * i) reach_error();",
    "int x = 0, y = 50; while (x < 100) { if (x >= 50) y++; x++; } if (y > 100) reach_error();",
];

/// Programs that are safe because of equalities, or congruences of sums.
const EQUALITIES: &[&str] = &[
    "int a = 0, b = 0, c = 0, d = 0, sum = 0; while (__VERIFIER_nondet_int()) { int bit = __VERIFIER_nondet_int() != 0; sum = sum + bit - d; d = c; c = b; b = a; a = bit; } \
     if (sum != a + b + c + d) reach_error();",
    "int x = 0, y = 0; while (x < 1000) { if (__VERIFIER_nondet_int()) { x += 3; y += 1; } else { x += 1; y += 1; } } if ((x + y) % 2 != 0) reach_error();",
    "int x = 0, y = 0, z = 0; while (x < 1000) { x++; if (__VERIFIER_nondet_int()) { y += 2; z += 6; } else { y += 1; z += 3; } } if (z != 3 * y) reach_error();",
    "int up = 0, down = 0, i; for (i = 0; i < 500; i++) { if (__VERIFIER_nondet_int()) up++; else down++; if (__VERIFIER_nondet_int()) up++; else down++; } \
     if (up + down != 2 * i) reach_error();",
];

fn rate(programs: &[&str], analysis: Analysis, known: Known) -> usize {
    let mut safe = 0;
    for body in programs {
        let graph = graph(body);
        let (inductive, excludes) = check(&graph, analysis, known);
        assert!(inductive, "{body}");
        safe += usize::from(excludes);
    }
    safe
}

#[test]
fn relations_are_inductive_and_strong_enough() {
    let nothing: Analysis = |graph, _, _| graph.nodes.iter().map(|_| Vec::new()).collect();
    for (name, programs, analysis, at_least) in [
        ("polyhedra", INEQUALITIES, forward::polyhedra as Analysis, 4),
        ("equalities", EQUALITIES, forward::equalities, 4),
    ] {
        let known = forward::at_nodes;
        let without = rate(programs, nothing, known);
        let with = rate(programs, analysis, known);
        println!(
            "{name}: {with} of {} programs, without them {without}",
            programs.len()
        );
        assert!(with >= at_least && with > without, "{name}");
    }
}

/// Signs and equalities take nothing for granted, so they are inductive by themselves.
#[test]
fn signs_and_equalities_are_inductive() {
    let nothing: Known = |graph, _| graph.nodes.iter().map(|_| Vec::new()).collect();
    let analysis: Analysis = |graph, _, budget| forward::signs_and_equalities(graph, budget);
    let signs = [
        "int x = 1; while (__VERIFIER_nondet_int()) { if (x < 1000) x = x + 1; } if (x <= 0) reach_error();",
        "int x = 0, y = 0; while (__VERIFIER_nondet_int()) { if (x > -1000) { x--; y -= 2; } } if (x > 0 || y != 2 * x) reach_error();",
    ];
    assert_eq!(rate(&signs, analysis, nothing), signs.len());
    assert!(rate(EQUALITIES, analysis, nothing) >= 3);
}

/// Without time there is no result, and nothing breaks.
#[test]
fn without_time_nothing_is_known() {
    let graph = graph(INEQUALITIES[0]);
    let budget = Budget::time(std::time::Duration::ZERO);
    let known = forward::at_nodes(&graph, &budget);
    let found = forward::polyhedra(&graph, &known, &budget);
    assert!(found.iter().all(Vec::is_empty));
}
