//! Which accesses are still to memory, to which objects, and why those are no variables: for people.

use rustc_hash::FxHashMap;

use super::homes::{Home, Homes, Refusal};
use super::pointees::{HomeId, Pointees};
use super::points_to;
use crate::cfa::Action;
use crate::expr::ExprKind;
use crate::ids::ExprId;
use crate::model::Program;
use crate::span::Span;

/// Objects beyond these are not named.
const MAX_NAMED: usize = 2;

/// Accesses of the start function that stay accesses, by their place in the text.
#[derive(Clone, Debug, Default)]
pub struct Explanations {
    reasons: FxHashMap<Span, String>,
}

impl Explanations {
    /// Of a program that was inlined, and of what the pass refused in it.
    pub fn of(program: &Program, refused: &[(Home, Refusal, Span)]) -> Explanations {
        let refused: FxHashMap<Home, (Refusal, Span)> = (refused.iter())
            .map(|&(home, refusal, span)| (home, (refusal, span)))
            .collect();
        // As if nothing had been refused: where everything may point.
        let homes = Homes::unrefused(program);
        let facts = points_to::fixpoint(program, &homes);
        let mut explanations = Explanations::default();
        for edge in &program.functions[program.start].cfa.edges {
            let mut note = |ptr: ExprId| {
                let to = facts.eval(&homes, ptr);
                if let Some(reason) = reason(program, &homes, &refused, &to) {
                    explanations.reasons.entry(edge.span).or_insert(reason);
                }
            };
            match edge.action {
                Action::Load { ptr, .. } => note(ptr),
                Action::Copy { src, .. } => note(src),
                Action::Assume { cond, .. } => asked(program, cond).into_iter().for_each(note),
                _ => {}
            }
        }
        explanations
    }

    /// Why what is read at a place of the text is not known.
    pub fn reason(&self, span: Span) -> Option<&str> {
        self.reasons.get(&span).map(|reason| &**reason)
    }
}

/// The pointers that a condition asks about.
fn asked(program: &Program, id: ExprId) -> Vec<ExprId> {
    match program.exprs[id].kind {
        ExprKind::AccessOk { ptr, .. } | ExprKind::FreeOk(ptr) => vec![ptr],
        _ => {
            let children = program.exprs.children(id);
            children.flat_map(|child| asked(program, child)).collect()
        }
    }
}

/// What a pointer may point to that stays in memory, and why.
fn reason(
    program: &Program,
    homes: &Homes,
    refused: &FxHashMap<Home, (Refusal, Span)>,
    to: &Pointees,
) -> Option<String> {
    let mut objects: Vec<HomeId> = to.objects.iter().map(|entry| entry.0).collect();
    objects.dedup();
    let mut reasons: Vec<String> = (objects.iter())
        .filter_map(|&id| {
            let home = homes[id].home;
            let (refusal, span) = refused.get(&home)?;
            let line = program.sources.position(*span).line;
            let name = name(program, home);
            Some(format!("{name} {} (line {line})", refusal.describe()))
        })
        .collect();
    if reasons.is_empty() && to.other {
        reasons.push("it may be memory that others made".to_owned());
    }
    reasons.truncate(MAX_NAMED);
    (!reasons.is_empty()).then(|| reasons.join("; "))
}

/// What people call an object.
pub(super) fn name(program: &Program, home: Home) -> String {
    let line = |span: Span| program.sources.position(span).line;
    match home {
        Home::Declared(id) => {
            let decl = &program.objects[id].decl;
            match decl.name.is_empty() {
                true => format!("an object of line {}", line(decl.span)),
                false => format!("`{}`", decl.name),
            }
        }
        Home::Allocated(edge) => {
            let edge = &program.functions[program.start].cfa.edges[edge];
            format!("what is allocated at line {}", line(edge.span))
        }
    }
}
