//! The oracle on random programs: no run that reaches a goal ever leaves what it says, its formulas for proofs are
//! closed under the blocks, and it says enough.

#![allow(clippy::print_stdout, reason = "rates are part of what the test shows")]

mod common;

use std::time::Duration;

use common::Random;
use common::programs::{NodeState, Seen, assignment, explore, graph_of, random_program};
use rhumb_encode::{BlockGraph, NodeKind};
use rhumb_logic::eval::evaluate;
use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::{Budget, Term, Value};
use rhumb_summary::{Oracle, OracleOptions};

fn oracle(graph: &BlockGraph, gas: bool, budget: &Budget) -> Oracle {
    let options = OracleOptions {
        gas,
        ..OracleOptions::default()
    };
    Oracle::new(graph, options, budget)
}

/// The blocks whose closure doesn't hold: `known(v) ∧ block ∧ D(u)' ∧ ¬D(v)` has a model, or may have.
fn open_blocks(graph: &BlockGraph, oracle: &mut Oracle, budget: &Budget) -> Vec<String> {
    let terms = &graph.terms;
    let reaches = oracle.proof(budget).clone();
    for goal in graph.goals() {
        assert_eq!(terms.as_bool(reaches[goal]), Some(true));
    }
    let mut open = Vec::new();
    for edge in &graph.edges {
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        session.assert(terms.and(oracle.known(edge.source).iter().copied()));
        session.assert(graph.ranges(edge.source));
        session.assert(edge.transition.before(terms, reaches[edge.target]));
        session.assert(terms.not(reaches[edge.source]));
        let patience = Budget::time(Duration::from_secs(20));
        if session.is_sat(&[], &patience) != Some(false) {
            open.push(format!("{:?} -> {:?}", edge.source, edge.target));
        }
    }
    open
}

fn holds(graph: &BlockGraph, formula: Term, place: &NodeState, gas: Option<(Term, usize)>) -> bool {
    let mut state = assignment(place);
    if let Some((gas, amount)) = gas
        && let Some(symbol) = graph.terms.as_symbol(gas)
    {
        state.insert(symbol, Value::Int(amount.into()));
    }
    evaluate(&graph.terms, formula, &state) == Some(Value::Bool(true))
}

/// That both forms hold wherever a goal was reached from.
fn assert_sound(graph: &BlockGraph, oracle: &mut Oracle, seen: &Seen, budget: &Budget, text: &str) {
    let gas = oracle.gas().map(|gas| graph.terms.var(gas.symbol));
    let reaches = oracle.proof(budget).clone();
    for (place, &distance) in &seen.to_goal {
        assert!(
            holds(graph, reaches[place.0], place, None),
            "{text}\nfor proofs, at {place:?}: {}",
            graph.terms.display(reaches[place.0])
        );
        let prune = oracle.prune(place.0, budget);
        // Whoever has a unit of gas for each block to come has enough, and more is as good.
        for amount in [distance, 10_000] {
            let gas = gas.map(|gas| (gas, amount));
            assert!(
                holds(graph, prune, place, gas),
                "{text}\nat {place:?} with gas {amount}: {}",
                graph.terms.display(prune)
            );
        }
    }
}

/// A share as a percentage.
fn percent(part: usize, whole: usize) -> usize {
    100 * part / whole.max(1)
}

fn random_programs(gas: bool, seeds: std::ops::Range<u64>) {
    let budget = Budget::time(Duration::from_secs(300));
    let (mut lost, mut excluded) = (0, 0);
    let (mut safe, mut proved, mut weakened) = (0, 0, 0);
    for seed in seeds {
        let text = random_program(&mut Random::new(seed));
        let graph = graph_of(&text);
        if graph.nodes.is_empty() || graph.goals().next().is_none() {
            continue;
        }
        let mut oracle = oracle(&graph, gas, &budget);
        let open = open_blocks(&graph, &mut oracle, &budget);
        assert!(open.is_empty(), "seed {seed}\n{text}\n{open:?}");
        let seen = explore(&graph);
        assert_sound(&graph, &mut oracle, &seen, &budget, &text);
        let reaches = oracle.proof(&budget).clone();
        weakened += usize::from(!oracle.weakened(&budget).is_empty());
        if !seen.complete {
            continue;
        }
        let is_head = |place: &&NodeState| graph.nodes[place.0].kind == NodeKind::LoopHead;
        for place in seen.places.iter().filter(is_head) {
            if !seen.to_goal.contains_key(place) {
                lost += 1;
                excluded += usize::from(!holds(&graph, reaches[place.0], place, None));
            }
        }
        if seen.to_goal.is_empty() {
            safe += 1;
            proved += usize::from(graph.terms.as_bool(reaches[graph.entry]) == Some(false));
        }
    }
    println!(
        "gas {gas}: of {lost} states at loop heads without a way to a goal {excluded} are excluded; {proved} of {safe} safe programs are proved; \
         {weakened} programs had to be weakened"
    );
    assert!(safe >= 5);
    assert!(percent(excluded, lost) >= 80);
    assert!(percent(proved, safe) >= 80);
}

#[test]
fn random_programs_without_gas() {
    random_programs(false, 0..70);
}

#[test]
fn random_programs_with_gas() {
    random_programs(true, 1_000..1_030);
}

/// A loop that is looked at again: what was excluded stays excluded, and what comes out is sound and closed. (With all
/// operators, hardly a loop of this size is left to improve; the rate is printed.)
#[test]
fn raised_loops() {
    let budget = Budget::time(Duration::from_secs(300));
    let (mut raised, mut loops) = (0, 0);
    for seed in 0..12 {
        let text = random_program(&mut Random::new(seed));
        let graph = graph_of(&text);
        if graph.nodes.is_empty() || graph.goals().next().is_none() {
            continue;
        }
        let mut oracle = oracle(&graph, seed % 2 == 0, &budget);
        let before = oracle.proof(&budget).clone();
        for (node, of) in graph.nodes.iter_enumerated() {
            if of.kind == NodeKind::LoopHead {
                loops += 1;
                raised += usize::from(oracle.raise(node, &budget));
            }
        }
        let after = oracle.proof(&budget).clone();
        for (node, (&before, &after)) in graph.nodes.indices().zip(before.iter().zip(&after)) {
            let mut session = Session::new(graph.terms.clone(), SessionOptions::default());
            session.assert(graph.terms.and(oracle.known(node).iter().copied()));
            session.assert(graph.ranges(node));
            session.assert(after);
            assert_eq!(session.entails(before, &budget), Some(true), "{text}");
        }
        assert_eq!(
            open_blocks(&graph, &mut oracle, &budget),
            Vec::<String>::new(),
            "{text}"
        );
        assert_sound(&graph, &mut oracle, &explore(&graph), &budget, &text);
    }
    println!("{raised} of {loops} loops have another summary at the next level");
    assert!(raised >= 1);
}

/// Hardly any time: coarse, sound and closed. No time: nothing is required where the graph has a way to a goal.
#[test]
fn without_time() {
    for (seed, limit) in (0..20).flat_map(|seed| [(seed, 0), (seed, 1)]) {
        let text = random_program(&mut Random::new(seed));
        let graph = graph_of(&text);
        if graph.nodes.is_empty() || graph.goals().next().is_none() {
            continue;
        }
        let budget = Budget::time(Duration::from_millis(limit));
        let mut oracle = oracle(&graph, seed % 2 == 0, &budget);
        assert_eq!(
            open_blocks(&graph, &mut oracle, &budget),
            Vec::<String>::new(),
            "{text}"
        );
        assert_sound(&graph, &mut oracle, &explore(&graph), &budget, &text);
        if limit == 0 {
            let leads = graph.graph().reaching(graph.goals());
            let reaches = oracle.proof(&budget).clone();
            for (node, &leads) in leads.iter_enumerated() {
                assert_eq!(graph.terms.as_bool(reaches[node]), Some(leads), "{text}");
            }
        }
    }
}
