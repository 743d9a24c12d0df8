//! The shape of block graphs: where they are cut, what becomes of calls and of what is not supported, and how they start.

use std::sync::Arc;

use rhumb_cfront::SignedOverflow;
use rhumb_encode::{
    BlockEdge, BlockGraph, BlockKind, Cause, Content, CutPolicy, DecodeError, NodeId, NodeKind,
    prepare,
};
use rhumb_logic::{Assignment, Terms, Value};
use rhumb_program::DataModel;
use rhumb_program::passes::Goals;

use crate::generate::{self, Shape};
use crate::support;

const HEAD: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_int(void);\n";

fn graph(text: &str, policy: CutPolicy) -> BlockGraph {
    let text = format!("{HEAD}{text}");
    let program = support::program(&text, DataModel::Lp64, SignedOverflow::Undefined);
    let prepared = prepare(&program, &Goals::all_targets(&program));
    BlockGraph::build(&prepared.program, &Arc::new(Terms::new()), policy)
}

#[test]
fn a_loop_with_two_entries_is_cut() {
    let graph = graph(
        "int main(void) { int x = 0; if (__VERIFIER_nondet_int()) goto middle;\n\
         again: x++; if (x > 9) goto out;\n\
         middle: x += 2; if (__VERIFIER_nondet_int()) goto again;\n\
         out: if (x == 7) reach_error(); return 0; }",
        CutPolicy::LoopHeads,
    );
    let heads = graph
        .nodes
        .iter()
        .filter(|node| node.kind == NodeKind::LoopHead);
    assert_eq!(heads.count(), 1);
    // From the head back to itself, and from the entry both round the head and past it.
    assert!(graph.edges.iter().any(|edge| edge.source == edge.target));
    assert!(graph.edges.iter().all(|edge| edge.exact()));
}

#[test]
fn bounded_blocks_are_bounded() {
    let shape = Shape {
        nonlinear: false,
        wild: true,
    };
    for seed in 0..40 {
        let text = generate::program(seed, shape);
        let program = support::program(&text, DataModel::Lp64, SignedOverflow::Undefined);
        let prepared = prepare(&program, &Goals::all_targets(&program));
        let terms = Arc::new(Terms::new());
        let graph = BlockGraph::build(&prepared.program, &terms, CutPolicy::Bounded(5));
        for edge in graph.edges.indices() {
            let fragment = graph.fragment(edge);
            assert!(!fragment.is_empty());
            let cfa = graph.cfa();
            let mut inside: Vec<_> = fragment
                .iter()
                .map(|&step| cfa.edges[step].source)
                .collect();
            inside.sort_unstable();
            inside.dedup();
            // The source and what lies between.
            assert!(inside.len() <= 6, "{inside:?}");
        }
    }
}

#[test]
fn cutting_everywhere_gives_one_block_for_an_edge() {
    let graph = graph(
        "int main(void) { unsigned x = __VERIFIER_nondet_int(); while (x > 3) x -= 3; if (x == 2) reach_error(); }",
        CutPolicy::Everywhere,
    );
    for edge in graph.edges.indices() {
        // Two sides of a branch may lead to one place.
        assert!(graph.fragment(edge).len() <= 2);
    }
}

#[test]
fn globals_start_with_their_values() {
    let graph = graph(
        "int a = 5; unsigned b; int main(void) { while (__VERIFIER_nondet_int()) { a++; b += a; } if (a == b) reach_error(); }",
        CutPolicy::LoopHeads,
    );
    let [first] = graph.nodes[graph.entry].outgoing[..] else {
        panic!("one block from the entry");
    };
    let values: Vec<String> = graph.edges[first]
        .transition
        .updates
        .iter()
        .map(|update| graph.terms.display(update.1).to_string())
        .collect();
    assert_eq!(values, ["5", "0"]);
}

#[test]
fn a_recursive_call_that_may_fail_is_a_goal() {
    let graph = graph(
        "int g; int f(int n) { if (n == 3) reach_error(); g++; return n <= 0 ? 0 : f(n - 1) + 1; }\n\
         int main(void) { g = 1; int r = f(__VERIFIER_nondet_int()); if (g == 1 && r) reach_error(); }",
        CutPolicy::LoopHeads,
    );
    let calls: Vec<_> = graph
        .goals()
        .filter(|&node| matches!(graph.nodes[node].kind, NodeKind::Call(_)))
        .collect();
    assert!(!calls.is_empty());
    // What comes after it knows nothing about the global variable.
    for call in calls {
        for &edge in &graph.nodes[call].outgoing {
            let edge = &graph.edges[edge];
            assert!(
                edge.approximations
                    .iter()
                    .any(|(cause, _)| *cause == Cause::Call)
            );
        }
    }
}

#[test]
fn a_recursive_call_without_targets_is_approximated() {
    let graph = graph(
        "int f(int n) { return n <= 0 ? 0 : f(n - 1) + 1; }\n\
         int main(void) { int r = f(__VERIFIER_nondet_int()); if (r == 7) reach_error(); }",
        CutPolicy::LoopHeads,
    );
    assert!(
        graph
            .nodes
            .iter()
            .all(|node| !matches!(node.kind, NodeKind::Call(_)))
    );
    assert!(graph.edges.iter().any(|edge| !edge.exact()));
}

#[test]
fn null_is_told_from_addresses() {
    // An address that is used as a number stays one that nobody knows.
    let graph = graph(
        "int x; int main(void) { unsigned long n = (unsigned long)&x; int *p = 0; while (__VERIFIER_nondet_int()) p = &x; if (p == 0) reach_error(); }",
        CutPolicy::LoopHeads,
    );
    let round = graph
        .edges
        .iter()
        .find(|edge| edge.source == edge.target)
        .expect("a loop");
    let [(_, value)] = round.transition.updates[..] else {
        panic!("the pointer is set");
    };
    assert_eq!(graph.terms.display(value).to_string(), "&x");
    assert!(
        graph
            .terms
            .display(graph.ranges(round.source))
            .to_string()
            .contains("1 <= &x")
    );
}

#[test]
fn text_and_picture() {
    let graph = graph(
        "int main(void) { int x = 0; while (x < 5) x += 2; if (x == 5) reach_error(); }",
        CutPolicy::LoopHeads,
    );
    let text = graph.display();
    assert!(text.contains("x := (x + 2)"), "{text}");
    assert!(text.contains("live: x"), "{text}");
    let picture = graph.to_dot();
    assert!(
        picture.starts_with("digraph") && picture.contains("color=red"),
        "{picture}"
    );
}

/// A function by itself: whoever calls it may give it anything, and globals may have any value by then.
#[test]
fn a_function_that_is_not_the_start() {
    let text = format!(
        "{HEAD}int limit = 5; void helper(int given) {{ if (given > limit) reach_error(); }}
         int main(void) {{ helper(1); return 0; }}"
    );
    let program = support::program(&text, DataModel::Lp64, SignedOverflow::Undefined);
    let program = Arc::new(program);
    let functions = program.functions.iter_enumerated();
    let mut named = functions.filter(|(_, function)| &*function.name == "helper");
    let (helper, _) = named.next().expect("the function");
    let terms = Arc::new(Terms::new());
    let graph = BlockGraph::of_function(&program, helper, &terms, CutPolicy::LoopHeads);
    assert_eq!(graph.function, helper);
    let goal = graph.goals().next().expect("the error is in it");
    assert_eq!(graph.edges.len(), 1);
    let block = graph.edges.iter().next().expect("the way to it");
    assert_eq!((block.source, block.target), (graph.entry, goal));
    // What it takes depends on the argument and on the global, whatever the latter was at first.
    let live = graph.live(graph.entry).map(|cell| cell.symbol);
    let mut live: Vec<_> = live.collect();
    live.sort_unstable();
    assert_eq!(live.len(), 2);
    assert_eq!(terms.symbols([block.transition.guard]), live);
    // In the whole program it is five, and the argument is one.
    let whole = prepare(&program, &Goals::all_targets(&program));
    let whole = BlockGraph::build(&whole.program, &terms, CutPolicy::LoopHeads);
    assert_eq!(whole.function, whole.program.start);
    assert_eq!(whole.goals().count(), 0);
}

/// A value of the wrong sort is no zero.
#[test]
fn a_value_of_another_sort_is_not_decoded() {
    let graph = graph(
        "int main(void) { int x = __VERIFIER_nondet_int();
         while (__VERIFIER_nondet_int()) { x += 1; if (x == 3) reach_error(); }
         return 0; }",
        CutPolicy::LoopHeads,
    );
    let is_loop = |node: NodeId| graph.nodes[node].kind == NodeKind::LoopHead;
    let mut edges = graph.edges.iter_enumerated();
    let (edge, block) = edges
        .find(|(_, edge)| is_loop(edge.source) && is_loop(edge.target))
        .expect("a way round");
    let cell = graph.live(block.source).next().expect("x is live");
    assert!(matches!(cell.content, Content::Variable(_)) && cell.is_number());
    let state = |value| Assignment::from_iter([(cell.symbol, value)]);
    let inputs = block.transition.inputs.iter();
    let inputs: Assignment = inputs.map(|&input| (input, Value::Int(1.into()))).collect();
    let decoded = graph.decode(edge, &state(Value::Int(7.into())), &inputs);
    let post = decoded.expect("a path").post;
    assert_eq!(post.get(&cell.symbol), Some(&Value::Int(8.into())));
    for value in [
        Value::Bool(true),
        Value::Real(7.into()),
        Value::Bits(7u32.into()),
    ] {
        let decoded = graph.decode(edge, &state(value), &inputs);
        assert_eq!(decoded.err(), Some(DecodeError::Sort(cell.symbol)));
    }
}

/// The graph of a function of a program that was inlined and not simplified, with its calls as edges.
fn with_calls(text: &str, function: &str) -> BlockGraph {
    let text = format!("{HEAD}{text}");
    let program = support::program(&text, DataModel::Lp64, SignedOverflow::Undefined);
    let inlined = prepare(&program, &Goals::all_targets(&program)).inlined;
    let function = match function {
        "" => inlined.start,
        name => inlined.function_named(name).expect("a function"),
    };
    let terms = Arc::new(Terms::new());
    BlockGraph::of_function(&inlined, function, &terms, CutPolicy::Calls)
}

#[test]
fn calls_that_stay_are_edges_of_their_own() {
    let text = "int g, h; int f(int n) { h = n; if (n <= 0) { g = 1; return 0; } int r = f(n - 1); return r + g; }\n\
        int main(void) { if (f(__VERIFIER_nondet_int()) == 3) reach_error(); return 0; }";
    let graph = with_calls(text, "f");
    let calls = graph.edges.iter().filter_map(|edge| match &edge.kind {
        BlockKind::Call {
            callee, arguments, ..
        } => Some((edge, *callee, arguments)),
        BlockKind::Formula => None,
    });
    let calls: Vec<_> = calls.collect();
    let [(edge, callee, arguments)] = &calls[..] else {
        panic!("{calls:?}");
    };
    assert_eq!(*callee, graph.function);
    assert_eq!(arguments.len(), 1);
    // Whoever doesn't know what the call does takes it for anything.
    let open = edge
        .unknowns
        .iter()
        .filter(|open| open.cause == Cause::Call);
    assert_eq!(open.count(), 3, "the result, g and h");
    assert!(!edge.exact());
    // Two returns, each with its value; what is global is live there, whether or not the function itself reads it again.
    let returns = graph.nodes.iter().filter_map(|node| {
        let returned = node.returned.as_ref()?;
        Some((node, returned.value))
    });
    let returns: Vec<_> = returns.collect();
    assert_eq!(returns.len(), 2);
    for (node, value) in returns {
        assert!(value.is_some());
        let live = node.live.iter().map(|&cell| graph.state[cell].content);
        let names = live.filter_map(|content| match content {
            Content::Variable(var) => Some(&*graph.program.vars[var].decl.name),
            Content::Address(_) => None,
        });
        let names: Vec<&str> = names.collect();
        assert!(names.contains(&"g") && names.contains(&"h"), "{names:?}");
    }
    // The start has the globals of what it calls, and returns nothing to anybody.
    let start = with_calls(text, "");
    assert!(start.nodes.iter().all(|node| node.returned.is_none()));
    // To everybody else calls are what they were.
    let plain = self::graph(text, CutPolicy::LoopHeads);
    let is_formula = |edge: &BlockEdge| matches!(edge.kind, BlockKind::Formula);
    assert!(plain.edges.iter().all(is_formula));
}
