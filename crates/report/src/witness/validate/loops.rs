//! From the locations of a witness to places of the program.
//!
//! Tools differ in how they name a loop: by the keyword, by the line alone, or by the first statement inside. The first
//! reading that makes sense is taken.

use rhumb_program::Span;

use super::is_same_file;
use crate::witness::correctness::Loops;
use crate::witness::hook::Hook;
use crate::witness::model::{Invariant, InvariantKind};
use crate::witness::place::Places;
use crate::witness::read::BadWitness;

/// Where an invariant belongs.
pub(super) enum WitnessPlace {
    /// To the head of a loop.
    Loop(Span),
    /// Before the statement that begins at this byte.
    Statement(u32),
}

/// Finds the place of an invariant.
pub(super) fn place_of(
    invariant: &Invariant,
    places: &Places<'_>,
    loops: &Loops,
    file_name: &str,
) -> Result<WitnessPlace, BadWitness> {
    let location = &invariant.location;
    let bad = |what: &str| {
        BadWitness::new(format!(
            "the invariant `{}`: {what}",
            shortened(&invariant.value)
        ))
    };
    if !is_same_file(&location.file_name, file_name) {
        return Err(bad(&format!("`{}` is another file", location.file_name)));
    }
    let offsets = places.offsets(location);
    let Some((&first, _)) = offsets.split_first() else {
        return Err(bad(&format!("line {} has no text", location.line)));
    };
    match invariant.kind {
        InvariantKind::Location => Ok(WitnessPlace::Statement(places.statement(first, location))),
        InvariantKind::Loop => find_loop(location.line, &offsets, places, loops)
            .map(WitnessPlace::Loop)
            .ok_or_else(|| bad(&format!("there is no loop on line {}", location.line))),
    }
}

fn find_loop(line: u32, offsets: &[u32], places: &Places<'_>, loops: &Loops) -> Option<Span> {
    let spans = || loops.keys().map(|&(lo, hi)| Span::new(lo, hi));
    let exact = spans().find(|span| offsets.first() == Some(&span.lo));
    exact
        .or_else(|| spans().find(|span| places.line(span.lo) == Some(line)))
        .or_else(|| {
            let begins_here = |span: &Span| {
                let body = places.scan.loop_body(span.lo as usize)?;
                places.line(u32::try_from(body).ok()?)
            };
            // The innermost one begins last.
            spans().rfind(|span| begins_here(span) == Some(line))
        })
}

/// The expression where it is to be understood.
pub(super) fn hook<'a>(text: &'a str, place: &WitnessPlace, places: &Places<'_>) -> Hook<'a> {
    match *place {
        WitnessPlace::Statement(open) => Hook {
            text,
            open,
            close: None,
        },
        // The variables of a `for` are in scope in its body.
        WitnessPlace::Loop(span) => Hook {
            text,
            open: (places.scan.for_close(span.lo as usize))
                .map_or(span.lo, |close| close as u32 + 1),
            close: Some(span.hi),
        },
    }
}

/// A text for messages.
pub(super) fn shortened(text: &str) -> String {
    const LENGTH: usize = 100;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(LENGTH) {
        Some((end, _)) => format!("{}...", &line[..end]),
        None => line.to_owned(),
    }
}
