//! A picture of the entry function: where ways part and meet, loop heads, targets. What lies between is an edge.

use rhumb_program::{Cfa, EdgeId, LocId, LocKind, Program};
use rustc_hash::FxHashMap;

use super::escape;
use crate::entry_function;

/// Larger automata are no help as a picture.
const NODES: usize = 400;
/// Distances between nodes.
const ACROSS: i64 = 110;
const DOWN: i64 = 64;
/// Labels have at most so many characters.
const LABEL: usize = 18;

/// Two nodes, and what is on the way.
struct Way {
    from: LocId,
    to: LocId,
    label: String,
}

/// The picture as SVG; a sentence if it is too large.
pub(super) fn of_entry(program: &Program) -> String {
    let Some(entry) = entry_function(program) else {
        return String::new();
    };
    let function = &program.functions[entry];
    let cfa = &function.cfa;
    let incoming = incoming(cfa);
    let is_node = |at: LocId| {
        let location = &cfa.locations[at];
        let ways = location
            .outgoing
            .iter()
            .filter(|&&edge| is_drawn(cfa, edge));
        at == cfa.entry
            || location.loop_statement.is_some()
            || ways.count() != 1
            || incoming.get(&at).copied().unwrap_or(0) > 1
    };
    let mut order = vec![cfa.entry];
    let mut layers: FxHashMap<LocId, i64> = FxHashMap::default();
    layers.insert(cfa.entry, 0);
    let mut ways: Vec<Way> = Vec::new();
    let mut next = 0;
    while let Some(&at) = order.get(next) {
        next += 1;
        if order.len() > NODES {
            return format!(
                "<p>{} has too many places to be drawn.</p>",
                escape(&function.name)
            );
        }
        for &edge in cfa.locations[at]
            .outgoing
            .iter()
            .filter(|&&edge| is_drawn(cfa, edge))
        {
            let way = follow(program, cfa, at, edge, &is_node);
            if !layers.contains_key(&way.to) {
                layers.insert(way.to, layers[&at] + 1);
                order.push(way.to);
            }
            ways.push(way);
        }
    }
    draw(program, cfa, &order, &layers, &ways)
}

fn incoming(cfa: &Cfa) -> FxHashMap<LocId, usize> {
    let mut counts = FxHashMap::default();
    for edge in cfa.edges.indices().filter(|&edge| is_drawn(cfa, edge)) {
        *counts.entry(cfa.edges[edge].target).or_insert(0) += 1;
    }
    counts
}

/// Checks for undefined behaviour are left out.
fn is_drawn(cfa: &Cfa, edge: EdgeId) -> bool {
    let kind = cfa.locations[cfa.edges[edge].target].kind;
    !matches!(
        kind,
        LocKind::Ub(_) | LocKind::Unsupported(_) | LocKind::Pruned
    )
}

fn follow(
    program: &Program,
    cfa: &Cfa,
    from: LocId,
    first: EdgeId,
    is_node: &dyn Fn(LocId) -> bool,
) -> Way {
    let mut label = String::new();
    let mut edge = first;
    loop {
        let taken = &cfa.edges[edge];
        if label.is_empty() {
            let text = String::from_utf8_lossy(program.sources.slice(taken.span)).into_owned();
            let words: Vec<&str> = text.split_whitespace().collect();
            label = words.join(" ");
        }
        let to = taken.target;
        let mut ways = cfa.locations[to]
            .outgoing
            .iter()
            .filter(|&&edge| is_drawn(cfa, edge));
        match ways.next() {
            Some(&next) if !is_node(to) => edge = next,
            _ => return Way { from, to, label },
        }
    }
}

fn draw(
    program: &Program,
    cfa: &Cfa,
    order: &[LocId],
    layers: &FxHashMap<LocId, i64>,
    ways: &[Way],
) -> String {
    let mut widths: FxHashMap<i64, i64> = FxHashMap::default();
    let mut at: FxHashMap<LocId, (i64, i64)> = FxHashMap::default();
    for location in order {
        let layer = layers[location];
        let width = widths.entry(layer).or_insert(0);
        at.insert(*location, (*width * ACROSS, layer * DOWN));
        *width += 1;
    }
    let columns = widths.values().copied().max().unwrap_or(1);
    let rows = widths.len() as i64;
    let mut svg = format!(
        "<svg viewBox=\"{} {} {} {}\" role=\"img\" aria-label=\"Automaton of the entry function\">",
        -ACROSS,
        -DOWN / 2,
        (columns + 1) * ACROSS,
        (rows + 1) * DOWN
    );
    for way in ways {
        let ((x, y), (u, v)) = (at[&way.from], at[&way.to]);
        // A way back goes around on the left.
        let bend = if v <= y { -ACROSS / 2 } else { 0 };
        let (a, b) = (x + bend, u + bend);
        svg.push_str(&format!(
            "<path class=\"edge\" d=\"M{x} {} C{a} {} {b} {} {u} {}\"/>",
            y + 8,
            y + DOWN / 2,
            v - DOWN / 2,
            v - 8
        ));
        let label: String = way.label.chars().take(LABEL).collect();
        let (middle, level) = ((x + u) / 2 + bend * 3 / 4, (y + v) / 2);
        svg.push_str(&format!(
            "<text x=\"{middle}\" y=\"{level}\"><title>{}</title>{}</text>",
            escape(&way.label),
            escape(&label)
        ));
    }
    for location in order {
        let (x, y) = at[location];
        let found = &cfa.locations[*location];
        let kind = match (found.kind, found.loop_statement) {
            (LocKind::Target(_), _) => "node bad",
            (_, Some(_)) => "node head",
            _ => "node",
        };
        let line = found.outgoing.first().map(|&edge| cfa.edges[edge].span);
        let line = line.map_or(String::new(), |span| {
            program.sources.position(span).line.to_string()
        });
        svg.push_str(&format!(
            "<circle class=\"{kind}\" cx=\"{x}\" cy=\"{y}\" r=\"8\"/><text x=\"{}\" y=\"{}\">{line}</text>",
            x + 11,
            y + 3
        ));
    }
    svg.push_str("</svg>");
    svg
}
