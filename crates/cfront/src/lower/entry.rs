//! Where a run starts, and what to say if there is no such place.

use std::cmp::Reverse;

use rhumb_program::{SourceMap, Span};

use super::last_byte;
use crate::diagnostic::Diagnostic;
use crate::hir::{self, FunctionId, Unit};
use crate::models;
use crate::options::Options;
use crate::sema::closest;

/// The function in which a run starts. Of several files with a function of that name, which is `static` then, the first.
pub(super) fn find(unit: &Unit, options: &Options) -> Option<FunctionId> {
    let functions = unit.functions.iter_enumerated();
    let named = functions
        .filter(|(_, function)| *function.name == *options.entry && function.body.is_some());
    named
        .min_by_key(|(_, function)| !function.external)
        .map(|(id, _)| id)
}

/// Says that there is nowhere to start, and where one could.
pub(super) fn missing(unit: &Unit, sources: &SourceMap, options: &Options) -> Diagnostic {
    let message = format!("no function `{}` is defined", options.entry);
    let is_own = |function: &&hir::Function| {
        function.body.is_some() && !function.name.starts_with(models::PREFIX)
    };
    let own: Vec<&hir::Function> = unit.functions.iter().filter(is_own).collect();
    let names = own.iter().map(|function| &function.name);
    let similar = closest(&options.entry, names);
    let meant = own
        .iter()
        .find(|function| Some(&function.name) == similar.as_ref());
    let largest = || own.iter().max_by_key(|function| size(function));
    let suggested = meant.or_else(largest);
    if let Some(function) = suggested {
        let label = format!(
            "`--entry {}` would start here, with any arguments",
            function.name
        );
        return Diagnostic::error(function.span, message).with_label(label);
    }
    let declared = unit.functions.iter();
    let mut declared = declared.filter(|function| *function.name == *options.entry);
    match declared.next() {
        Some(function) => {
            Diagnostic::error(function.span, message).with_label("only declared here")
        }
        None => {
            let at = last_byte(sources);
            Diagnostic::error(Span::new(at, at + 1), message)
                .with_label("the file ends here; a run would start in that function")
        }
    }
}

/// How much there is in a function: the first of the largest ones is the one that a file is mostly about.
fn size(function: &hir::Function) -> (usize, Reverse<u32>) {
    let exprs = function.body.as_ref().map_or(0, |body| body.exprs.len());
    (exprs, Reverse(function.span.lo))
}
