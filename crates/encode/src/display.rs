//! The block graph as text and as a picture.

use std::fmt::Write;

use rhumb_program::{Printer, Program};

use crate::cells::Content;
use crate::cut::NodeKind;
use crate::graph::{BlockEdge, BlockGraph, BlockNode, NodeId};

/// Formulas with more characters than this are cut off in a picture.
const MAX_LABEL: usize = 300;

impl BlockGraph {
    /// The graph as text: nodes with their live variables, and the blocks that begin there with guard and updates.
    pub fn display(&self) -> String {
        let printer = Printer::new(&self.program);
        let mut text = String::new();
        // Writing to a string never fails.
        let _ = self.write_text(&printer, &mut text);
        text
    }

    fn write_text(&self, printer: &Printer<'_>, out: &mut String) -> std::fmt::Result {
        for (id, node) in self.nodes.iter_enumerated() {
            let names = self.live(id).filter_map(|cell| match cell.content {
                Content::Variable(var) => Some(printer.var(var)),
                Content::Address(_) => None,
            });
            let live: Vec<&str> = names.collect();
            write!(out, "{id:?}  {}", describe(&self.program, node.kind))?;
            if let Some(line) = self.line(node) {
                write!(out, " at {line}")?;
            }
            writeln!(out, "  live: {}", live.join(", "))?;
            for &edge in &node.outgoing {
                let edge = &self.edges[edge];
                writeln!(out, "  -> {:?}{}", edge.target, remarks(edge))?;
                writeln!(
                    out,
                    "       [{}]",
                    self.terms.display(edge.transition.guard)
                )?;
                for &(symbol, value) in &edge.transition.updates {
                    let name = &self.terms.symbol_info(symbol).name;
                    writeln!(out, "       {name} := {}", self.terms.display(value))?;
                }
            }
        }
        Ok(())
    }

    /// The graph in the language of Graphviz.
    pub fn to_dot(&self) -> String {
        let mut text = String::from("digraph blocks {\n  node [shape=box, fontname=monospace];\n");
        let _ = self.write_dot(&mut text);
        text.push_str("}\n");
        text
    }

    fn write_dot(&self, out: &mut String) -> std::fmt::Result {
        for (id, node) in self.nodes.iter_enumerated() {
            let mut label = format!("{id:?}\n{}", describe(&self.program, node.kind));
            if let Some(line) = self.line(node) {
                let _ = write!(label, "\n{line}");
            }
            let style = if node.kind.is_goal() {
                ", color=red"
            } else {
                ""
            };
            writeln!(out, "  {} [label={}{style}];", id.index(), quoted(&label))?;
        }
        for edge in &self.edges {
            let mut label = format!("[{}]", self.terms.display(edge.transition.guard));
            for &(symbol, value) in &edge.transition.updates {
                let name = &self.terms.symbol_info(symbol).name;
                let _ = write!(label, "\n{name} := {}", self.terms.display(value));
            }
            if label.chars().count() > MAX_LABEL {
                label = label.chars().take(MAX_LABEL).chain(['…']).collect();
            }
            let style = if edge.exact() { "" } else { ", style=dashed" };
            let (source, target) = (edge.source.index(), edge.target.index());
            writeln!(
                out,
                "  {source} -> {target} [label={}{style}];",
                quoted(&label)
            )?;
        }
        Ok(())
    }

    /// The place of a node in the source text: file, line and column.
    pub fn place(&self, node: NodeId) -> Option<String> {
        self.line(&self.nodes[node])
    }

    fn line(&self, node: &BlockNode) -> Option<String> {
        let cfa = self.cfa();
        let marked = cfa.locations[node.location].loop_statement;
        let next = cfa
            .outgoing(node.location)
            .first()
            .map(|&edge| cfa.edges[edge].span);
        let span = match node.kind {
            NodeKind::Entry => None,
            NodeKind::Target(target) => Some(self.program.targets[target].span),
            NodeKind::Unsupported(what) => Some(self.program.unsupported[what].span),
            NodeKind::LoopHead | NodeKind::Call(_) | NodeKind::Cut => marked.or(next),
        };
        span.map(|span| self.program.sources.position(span).to_string())
    }
}

fn describe(program: &Program, kind: NodeKind) -> String {
    match kind {
        NodeKind::Entry => "entry".to_owned(),
        NodeKind::LoopHead => "loop".to_owned(),
        NodeKind::Target(target) => format!("target {target:?}"),
        NodeKind::Unsupported(what) => format!("unsupported: {}", program.unsupported[what].what),
        NodeKind::Call(_) => "call".to_owned(),
        NodeKind::Cut => "cut".to_owned(),
    }
}

/// What is special about a block.
fn remarks(edge: &BlockEdge) -> String {
    let mut remarks: Vec<&str> = edge
        .approximations
        .iter()
        .map(|(cause, _)| cause.describe())
        .collect();
    remarks.sort_unstable();
    remarks.dedup();
    if edge.nonlinear {
        remarks.push("not linear");
    }
    if remarks.is_empty() {
        return String::new();
    }
    format!("  ({})", remarks.join(", "))
}

fn quoted(text: &str) -> String {
    let escaped = text
        .replace('\\', "\\\\")
        .replace('"', "\\\"")
        .replace('\n', "\\l");
    format!("\"{escaped}\\l\"")
}
