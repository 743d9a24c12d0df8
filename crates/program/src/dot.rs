//! A program as a picture: the Graphviz form of its automata.

use std::fmt::Write;

use crate::cfa::LocKind;
use crate::ids::{FuncId, LocId};
use crate::model::Program;
use crate::print::Printer;

/// What a picture shows.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct DotOptions {
    /// Undefined behaviour: the locations, and the edges that lead to them. Most pictures are easier to read without.
    pub undefined_behaviour: bool,
}

impl Program {
    /// The program in the language of Graphviz: one cluster for each function, loop heads with a double border, targets red. What can't be
    /// reached inside a function is left out.
    pub fn to_dot(&self, options: DotOptions) -> String {
        let printer = Printer::new(self);
        let mut text = String::from(
            "digraph program {\n  node [shape=box, style=\"rounded,filled\", fillcolor=white, fontname=monospace, fontsize=10];\n  \
             edge [fontname=monospace, fontsize=9];\n",
        );
        for function in self.functions.indices() {
            write_function(&mut text, self, &printer, function, options);
        }
        text.push_str("}\n");
        text
    }
}

fn write_function(
    text: &mut String,
    program: &Program,
    printer: &Printer<'_>,
    id: FuncId,
    options: DotOptions,
) {
    let function = &program.functions[id];
    let cfa = &function.cfa;
    if cfa.edges.is_empty() && cfa.locations[cfa.entry].kind == LocKind::Pruned {
        return;
    }
    let reachable = cfa.reachable();
    let loops = cfa.loops();
    let shown = |at: LocId| {
        let undefined = matches!(cfa.locations[at].kind, LocKind::Ub(_));
        reachable[at] && (options.undefined_behaviour || !undefined)
    };
    let node = |at: LocId| format!("f{}_l{}", id.index(), at.index());
    let name = escape(&function.name);
    let _ = writeln!(
        text,
        "  subgraph cluster_{} {{\n    label=\"{name}\";",
        id.index()
    );
    for (at, location) in cfa.locations.iter_enumerated() {
        if !shown(at) {
            continue;
        }
        let mut lines = vec![format!("{at:?}")];
        lines.extend(printer.location_notes(function, at, loops.is_head(at)));
        let label: Vec<String> = lines.iter().map(|line| escape(line)).collect();
        let mut attributes = format!("label=\"{}\"", label.join("\\n"));
        if loops.is_head(at) {
            attributes += ", peripheries=2";
        }
        if let Some(color) = color(location.kind) {
            let _ = write!(attributes, ", fillcolor={color}");
        }
        let _ = writeln!(text, "    {} [{attributes}];", node(at));
    }
    for edge in cfa.edges.iter() {
        if shown(edge.source) && shown(edge.target) {
            let _ = writeln!(
                text,
                "    {} -> {} [label=\"{}\", tooltip=\"{}\"];",
                node(edge.source),
                node(edge.target),
                escape(&printer.action(&edge.action)),
                escape(&printer.position(edge.span))
            );
        }
    }
    text.push_str("  }\n");
}

fn color(kind: LocKind) -> Option<&'static str> {
    match kind {
        LocKind::Plain => None,
        LocKind::Exit | LocKind::End(_) => Some("lightblue"),
        LocKind::Target(_) => Some("red"),
        LocKind::Ub(_) | LocKind::Pruned => Some("lightgrey"),
        LocKind::Unsupported(_) => Some("orange"),
    }
}

/// Text for between the quotes of a label.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                escaped.push('\\');
                escaped.push(c);
            }
            '\n' => escaped.push_str("\\n"),
            c if c.is_control() => escaped.push(char::REPLACEMENT_CHARACTER),
            c => escaped.push(c),
        }
    }
    escaped
}
