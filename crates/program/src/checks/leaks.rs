//! Where memory may be lost, and where it should have been freed.
//!
//! Lost memory stays lost. So it is enough to look for it where a run ends, and at places that every run without end
//! comes to again and again: heads of loops, and the beginning of functions that call themselves.

use super::Application;
use crate::builtin::{Builtin, Leak};
use crate::cfa::{Action, AllocKind, Cfa, EndKind, LocKind};
use crate::graph::{CallGraph, Graph, LoopNest};
use crate::ids::{EdgeId, FuncId, LocId};
use crate::model::{TargetKind, Unsupported};
use crate::span::Span;

/// Lets runs that would get to a location, where a question is answered with yes, go on as if the answer were no.
pub(super) fn pass_by(cfa: &mut Cfa, yes: LocId) {
    for edge in cfa.edges.indices() {
        if cfa.edges[edge].target != yes {
            continue;
        }
        let beside = cfa.outgoing(cfa.edges[edge].source).to_vec();
        if let Some(other) = beside.into_iter().find(|&other| other != edge) {
            cfa.edges[edge].target = cfa.edges[other].target;
        }
    }
}

impl Application<'_> {
    /// Puts checks for memory that is still there.
    pub(super) fn check_leaks(&mut self) {
        let is_heap = |action: &Action| {
            matches!(
                action,
                Action::Alloc {
                    kind: AllocKind::Heap,
                    ..
                }
            )
        };
        if self.checks.leaks.is_empty() || self.edges(is_heap).is_empty() {
            return;
        }
        let calls = CallGraph::of(&self.program);
        let reachable = calls.reachable(self.program.start);
        let functions: Vec<FuncId> = (self.program.functions.indices())
            .filter(|&function| reachable[function])
            .collect();
        for function in functions {
            if self.checks.leaks.contains(&Leak::Lost) {
                self.check_cycles(function, calls.is_recursive(function));
            }
            self.check_ends(function);
        }
    }

    fn check_cycles(&mut self, function: FuncId, is_recursive: bool) {
        let body = &self.program.functions[function];
        let edges = body.cfa.edges.iter().map(|edge| (edge.source, edge.target));
        let graph = Graph::new(body.cfa.locations.len(), edges);
        let mut heads = LoopNest::of(&graph, body.cfa.entry).heads().to_vec();
        if is_recursive {
            heads.push(body.cfa.entry);
        }
        for head in heads {
            let cfa = &self.program.functions[function].cfa;
            let Some(&first) = cfa.outgoing(head).first() else {
                continue;
            };
            let span = cfa.edges[first].span;
            self.check_at(function, head, Leak::Lost, span);
        }
    }

    fn check_ends(&mut self, function: FuncId) {
        let cfa = &self.program.functions[function].cfa;
        let ends: Vec<(EdgeId, EndKind)> = (cfa.edges.iter_enumerated())
            .filter_map(|(id, edge)| match cfa.locations[edge.target].kind {
                LocKind::End(kind) if kind != EndKind::AssumptionFailed => Some((id, kind)),
                _ => None,
            })
            .collect();
        for (edge, end) in ends {
            let at = self.place_before(function, edge);
            let span = self.program.functions[function].cfa.edges[edge].span;
            if self.checks.leaks.contains(&Leak::Lost) {
                self.check_at(function, at, Leak::Lost, span);
            }
            if self.checks.leaks.contains(&Leak::Unfreed) {
                match end {
                    EndKind::Abort => {
                        let what = "whether memory has to be freed before the program is aborted";
                        self.refuse_at(function, at, Leak::Unfreed, what, span);
                    }
                    EndKind::WaitsForever => {}
                    _ => self.check_at(function, at, Leak::Unfreed, span),
                }
            }
        }
    }

    /// A location from which nothing but this edge, or what is left of it, leads on.
    fn place_before(&mut self, function: FuncId, edge: EdgeId) -> LocId {
        let cfa = &mut self.program.functions[function].cfa;
        let (source, target, span) = {
            let edge = &cfa.edges[edge];
            (edge.source, edge.target, edge.span)
        };
        if !matches!(cfa.edges[edge].action, Action::Assume { .. }) {
            return source;
        }
        let between = cfa.add_location(LocKind::Plain);
        cfa.edges[edge].target = between;
        cfa.add_edge(between, Action::Skip, target, span);
        between
    }

    /// Asks for a leak at a location, before anything else that is done there.
    fn check_at(&mut self, function: FuncId, at: LocId, leak: Leak, span: Span) {
        if self.library_keeps_memory() {
            let what = "which memory is the library's own";
            return self.refuse_at(function, at, leak, what, span);
        }
        let target = self.insert_question(function, at, Builtin::Leaks(leak), &[], span);
        self.add_target(TargetKind::Leak(leak), function, target, span);
    }

    /// Whether the program calls functions whose models keep memory that is not the program's: the arguments of `main`,
    /// the environment, what is done at the end.
    fn library_keeps_memory(&self) -> bool {
        const KEEPERS: [&str; 5] = [
            "__arguments",
            "__input_string",
            "getenv",
            "atexit",
            "on_exit",
        ];
        (self.program.functions.iter()).any(|function| {
            let name = &*function.name;
            KEEPERS.contains(&name.strip_prefix("__rhumb_model_").unwrap_or(name))
        })
    }

    /// Leaves it open whether memory counts that is there.
    fn refuse_at(&mut self, function: FuncId, at: LocId, leak: Leak, what: &str, span: Span) {
        let what = what.to_owned();
        let id = self.program.unsupported.push(Unsupported { what, span });
        let sink = self.insert_question(function, at, Builtin::Leaks(leak), &[], span);
        let cfa = &mut self.program.functions[function].cfa;
        cfa.locations[sink].kind = LocKind::Unsupported(id);
    }
}
