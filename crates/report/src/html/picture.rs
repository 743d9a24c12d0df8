//! The automata of the functions as pictures: where ways part and meet, loop heads, targets. What lies between is an
//! edge. The page lays them out and draws them.

use rhumb_program::{Action, Cfa, EdgeId, Function, LocId, LocKind, Program};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

use crate::entry_function;
use crate::originals::Originals;
use crate::story::is_users_file;

/// Larger automata are no help as a picture.
const NODES: usize = 400;
/// So many functions are drawn.
const FUNCTIONS: usize = 60;
/// Labels have at most so many characters.
const LABEL: usize = 80;

/// The picture of a function.
#[derive(Serialize)]
pub(super) struct Picture {
    /// The function.
    name: String,
    /// Its file.
    file: String,
    /// Whether there were too many places, and none is drawn.
    is_too_large: bool,
    nodes: Vec<Node>,
    ways: Vec<Way>,
}

#[derive(Serialize)]
struct Node {
    line: u32,
    /// `entry`, `loop`, `target`, `end`, or nothing special.
    kind: &'static str,
}

/// Two nodes, and what is on the way.
#[derive(Serialize)]
struct Way {
    from: usize,
    to: usize,
    label: String,
    /// How the condition turns out that it begins with, if it begins with one.
    #[serde(skip_serializing_if = "Option::is_none")]
    holds: Option<bool>,
}

/// Pictures of the user's functions, the entry first.
pub(super) fn all(program: &Program) -> Vec<Picture> {
    let entry = entry_function(program);
    let own = program.functions.indices().filter(|&id| {
        let position = program.sources.position(program.functions[id].span);
        id != program.start && is_users_file(&position.file) && position.line > 0
    });
    let mut own: Vec<_> = own.collect();
    own.sort_by_key(|&id| Some(id) != entry);
    let drawn = own.into_iter().take(FUNCTIONS);
    let mut originals = Originals::default();
    drawn
        .map(|id| of(program, &program.functions[id], &mut originals))
        .collect()
}

fn of(program: &Program, function: &Function, originals: &mut Originals) -> Picture {
    let cfa = &function.cfa;
    let mut picture = Picture {
        name: function.name.to_string(),
        file: program.sources.position(function.span).file.to_string(),
        is_too_large: false,
        nodes: Vec::new(),
        ways: Vec::new(),
    };
    let incoming = incoming(program, cfa);
    let is_node = |at: LocId| {
        let location = &cfa.locations[at];
        let ways = location.outgoing.iter();
        at == cfa.entry
            || location.loop_statement.is_some()
            || ways.filter(|&&edge| is_drawn(program, cfa, edge)).count() != 1
            || incoming.get(&at).copied().unwrap_or(0) > 1
    };
    let mut order = vec![cfa.entry];
    let mut numbers = FxHashMap::from_iter([(cfa.entry, 0)]);
    let mut next = 0;
    while let Some(&at) = order.get(next) {
        if order.len() > NODES {
            picture.is_too_large = true;
            picture.ways.clear();
            return picture;
        }
        let outgoing = cfa.locations[at].outgoing.iter();
        for &edge in outgoing.filter(|&&edge| is_drawn(program, cfa, edge)) {
            let (to, label) = follow(program, cfa, edge, originals, &is_node);
            let number = *numbers.entry(to).or_insert_with(|| {
                order.push(to);
                order.len() - 1
            });
            let holds = match cfa.edges[edge].action {
                Action::Assume { holds, .. } => Some(holds),
                _ => None,
            };
            picture.ways.push(Way {
                from: next,
                to: number,
                label,
                holds,
            });
        }
        next += 1;
    }
    picture.nodes = order.iter().map(|&at| node(program, cfa, at)).collect();
    picture
}

fn node(program: &Program, cfa: &Cfa, at: LocId) -> Node {
    let location = &cfa.locations[at];
    let first = location.outgoing.first().map(|&edge| cfa.edges[edge].span);
    let span = match location.kind {
        LocKind::Target(target) => Some(program.targets[target].span),
        _ => location.loop_statement.or(first),
    };
    Node {
        line: span.map_or(0, |span| program.sources.position(span).line),
        kind: match (location.kind, location.loop_statement) {
            (LocKind::Target(_), _) => "target",
            (_, Some(_)) => "loop",
            _ if at == cfa.entry => "entry",
            _ if location.outgoing.is_empty() => "end",
            _ => "",
        },
    }
}

fn incoming(program: &Program, cfa: &Cfa) -> FxHashMap<LocId, usize> {
    let mut counts = FxHashMap::default();
    for edge in cfa
        .edges
        .indices()
        .filter(|&edge| is_drawn(program, cfa, edge))
    {
        *counts.entry(cfa.edges[edge].target).or_insert(0) += 1;
    }
    counts
}

/// Ways to undefined behaviour and to targets that are checks for it are left out: they would be most of the picture.
fn is_drawn(program: &Program, cfa: &Cfa, edge: EdgeId) -> bool {
    match cfa.locations[cfa.edges[edge].target].kind {
        LocKind::Ub(_) | LocKind::Unsupported(_) | LocKind::Pruned => false,
        LocKind::Target(target) => !program.targets[target].kind.is_check(),
        _ => true,
    }
}

/// Where a way ends that begins with an edge, and the text on it.
fn follow(
    program: &Program,
    cfa: &Cfa,
    first: EdgeId,
    originals: &mut Originals,
    is_node: &dyn Fn(LocId) -> bool,
) -> (LocId, String) {
    let mut texts: Vec<String> = Vec::new();
    let mut seen = FxHashSet::default();
    let mut edge = first;
    loop {
        let taken = &cfa.edges[edge];
        let text = String::from_utf8_lossy(program.sources.slice(taken.span)).into_owned();
        let words: Vec<&str> = text.split_whitespace().collect();
        let mut text = words.join(" ");
        // The value alone says nothing: the line does.
        if !matches!(taken.action, Action::Assume { .. }) && !text.contains(['=', '(', '+', '-']) {
            let position = program.sources.position(taken.span);
            let line = originals.line(&position.file, position.line);
            text = line.unwrap_or(&text).trim().to_owned();
        }
        if !text.is_empty() && texts.last() != Some(&text) {
            texts.push(text);
        }
        let to = taken.target;
        let outgoing = cfa.locations[to].outgoing.iter();
        let next = outgoing.copied().find(|&edge| is_drawn(program, cfa, edge));
        match next {
            Some(next) if !is_node(to) && seen.insert(to) => edge = next,
            _ => {
                let texts: Vec<&str> = texts
                    .iter()
                    .map(|text| text.trim_end_matches(';'))
                    .collect();
                let label: String = texts.join("; ").chars().take(LABEL).collect();
                return (to, label);
            }
        }
    }
}
