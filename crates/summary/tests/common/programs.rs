//! Small random programs, and what can be reached in them by trying everything.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each test uses a part of these helpers"
)]

use std::collections::{HashMap, VecDeque};
use std::fmt::Write;
use std::sync::Arc;

use rhumb_cfront::{Options, compile};
use rhumb_encode::{BlockGraph, CutPolicy, NodeId, prepare};
use rhumb_logic::num::Int;
use rhumb_logic::transition::Outcome;
use rhumb_logic::{Assignment, Symbol, Terms, Value};
use rhumb_program::SourceMap;
use rhumb_program::passes::Goals;

use super::Random;

const HEADER: &str = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n";

/// Inputs are tried from the first to the last of these; programs use them only from 0 to 3.
const INPUTS: [i64; 2] = [-1, 4];

/// So many states are looked at.
const STATES: usize = 3_000;

/// The block graph of a program text.
pub fn graph_of(text: &str) -> BlockGraph {
    let text = format!("{HEADER}{text}");
    let sources = SourceMap::new("random.c", Arc::from(text.as_bytes()));
    let program = compile(sources, &Options::default()).program;
    let program = program.expect("a valid program");
    let prepared = prepare(&program, &Goals::all_targets(&program));
    let terms = Arc::new(Terms::new());
    BlockGraph::build(&prepared.program, &terms, CutPolicy::LoopHeads)
}

/// A program over three numbers, one of them unsigned and wrapping at eight, with loops that may be nested.
pub fn random_program(random: &mut Random) -> String {
    let mut text = String::from("int main(void) {\n");
    let (x, y) = (random.range(0, 2), random.range(0, 4));
    writeln!(text, "int x = {x}, y = {y}, n = __VERIFIER_nondet_int();").expect("text");
    text.push_str("unsigned u = 0;\nif (n < 0 || n > 3) return 0;\n");
    let loops = random.range(1, 2);
    for _ in 0..loops {
        looping(&mut text, random, 1);
    }
    let (left, right) = (operand(random), operand(random));
    let by = random.range(-3, 3);
    let relation = ["<", "<=", "!=", "=="][index(random, 4)];
    writeln!(
        text,
        "if ({left} {relation} {right} + ({by})) reach_error();\n}}"
    )
    .expect("text");
    text
}

fn index(random: &mut Random, len: usize) -> usize {
    let last = i64::try_from(len).expect("a small number") - 1;
    usize::try_from(random.range(0, last)).expect("an index")
}

fn variable(random: &mut Random) -> &'static str {
    ["x", "y"][index(random, 2)]
}

fn operand(random: &mut Random) -> String {
    match random.range(0, 6) {
        0..=3 => variable(random).to_owned(),
        4 => "(int)u".to_owned(),
        5 => "n".to_owned(),
        _ => random.range(-1, 6).to_string(),
    }
}

fn condition(random: &mut Random) -> String {
    let (left, right) = (operand(random), operand(random));
    match random.range(0, 5) {
        0 | 1 => format!("{left} < {right}"),
        2 | 3 => format!("{left} >= {right}"),
        4 => format!("{left} % 2 == 0"),
        _ => "__VERIFIER_nondet_int() > 0".to_owned(),
    }
}

fn looping(text: &mut String, random: &mut Random, depth: usize) {
    let counter = variable(random);
    let bound = match random.range(0, 2) {
        0 => "n".to_owned(),
        _ => random.range(2, 9).to_string(),
    };
    let relation = if random.range(0, 3) == 0 { "!=" } else { "<" };
    writeln!(text, "while ({counter} {relation} {bound}) {{").expect("text");
    if depth > 0 && random.range(0, 3) == 0 {
        looping(text, random, depth - 1);
    }
    for _ in 0..random.range(0, 2) {
        statement(text, random);
    }
    writeln!(text, "{counter} = {counter} + {};\n}}", random.range(1, 2)).expect("text");
}

fn statement(text: &mut String, random: &mut Random) {
    let change = |random: &mut Random| match random.range(0, 6) {
        0..=2 => format!("{} += {};", variable(random), random.range(-1, 3)),
        3 => format!("{} = {};", variable(random), random.range(-1, 5)),
        4 => format!("{} = {};", variable(random), operand(random)),
        _ => format!("u = (u + {}) % 8;", random.range(1, 5)),
    };
    if random.flip() {
        let condition = condition(random);
        let (one, two) = (change(random), change(random));
        writeln!(text, "if ({condition}) {{ {one} }} else {{ {two} }}").expect("text");
    } else {
        let change = change(random);
        writeln!(text, "{change}").expect("text");
    }
}

/// A node with the values of the variables that are live there.
pub type NodeState = (NodeId, Vec<(Symbol, Int)>);

/// What was seen of a program's runs.
pub struct Seen {
    /// All places that a run came to.
    pub places: Vec<NodeState>,
    /// From these places a goal is reached, by at most so many blocks.
    pub to_goal: HashMap<NodeState, usize>,
    /// Whether that is all there is.
    pub complete: bool,
}

/// Runs a program in every way, as far as that goes.
pub fn explore(graph: &BlockGraph) -> Seen {
    let live = |node: NodeId, state: &Assignment| -> NodeState {
        let symbols = graph.live(node).map(|cell| cell.symbol);
        let value = |symbol: Symbol| {
            let value = state.get(&symbol).and_then(Value::as_int).cloned();
            (symbol, value.unwrap_or(Int::ZERO))
        };
        (node, symbols.map(value).collect())
    };
    let mut before: HashMap<NodeState, Vec<NodeState>> = HashMap::new();
    let mut queue = VecDeque::from([live(graph.entry, &Assignment::default())]);
    before.insert(queue[0].clone(), Vec::new());
    let mut complete = true;
    while let Some(place) = queue.pop_front() {
        let state: Assignment = assignment(&place);
        for &edge in &graph.nodes[place.0].outgoing {
            let edge = &graph.edges[edge];
            let inputs = &edge.transition.inputs;
            complete &= inputs.len() <= 2;
            for values in choices(inputs) {
                match edge.transition.apply(&graph.terms, &state, &values) {
                    Outcome::To(after) => {
                        let next = live(edge.target, &after);
                        let seen = before.len();
                        let known = before.entry(next.clone()).or_default();
                        if known.is_empty() && next.0 != graph.entry {
                            if seen > STATES {
                                complete = false;
                            } else {
                                queue.push_back(next.clone());
                            }
                        }
                        known.push(place.clone());
                    }
                    Outcome::Blocked => {}
                    Outcome::Unknown => complete = false,
                }
            }
        }
    }
    let mut to_goal: HashMap<NodeState, usize> = HashMap::new();
    let goals = before
        .keys()
        .filter(|place| graph.nodes[place.0].kind.is_goal());
    let mut queue: VecDeque<NodeState> = goals.cloned().collect();
    to_goal.extend(queue.iter().map(|place| (place.clone(), 0)));
    while let Some(place) = queue.pop_front() {
        let distance = to_goal[&place];
        for earlier in &before[&place] {
            if !to_goal.contains_key(earlier) {
                to_goal.insert(earlier.clone(), distance + 1);
                queue.push_back(earlier.clone());
            }
        }
    }
    Seen {
        places: before.into_keys().collect(),
        to_goal,
        complete,
    }
}

/// The state at a place.
pub fn assignment(place: &NodeState) -> Assignment {
    let values = place.1.iter();
    values
        .map(|(symbol, value)| (*symbol, Value::Int(value.clone())))
        .collect()
}

/// Values for at most two inputs; further ones are zero.
fn choices(inputs: &[Symbol]) -> Vec<Assignment> {
    let mut all = vec![Assignment::default()];
    for &input in inputs.iter().take(2) {
        let extended = all.iter().flat_map(|values| {
            (INPUTS[0]..=INPUTS[1]).map(move |value| {
                let mut values = values.clone();
                values.insert(input, Value::Int(Int::from(value)));
                values
            })
        });
        all = extended.collect();
    }
    all
}
