//! Which branches are decisions of the user.

use rhumb_program::{Action, EdgeId, FuncId, LocId, LocKind, Program};

use super::place;

/// Conditions are told in so many characters.
const MAX_TEXT: usize = 60;

/// The two ways that go on from a branch of the text; none for anything else, and for checks that the front end has put in.
pub(super) fn ways(program: &Program, function: FuncId, location: LocId) -> Option<[EdgeId; 2]> {
    let cfa = &program.functions[function].cfa;
    let &[holds, fails] = &cfa.locations[location].outgoing[..] else {
        return None;
    };
    let is_check = [holds, fails]
        .map(|edge| cfa.locations[cfa.edges[edge].target].kind)
        .into_iter()
        .any(|kind| {
            matches!(kind, LocKind::Unsupported(_) | LocKind::End(_))
                || program.undefined_at(kind).is_some()
        });
    let is_branch = matches!(cfa.edges[holds].action, Action::Assume { .. });
    let is_told = function != program.start && place(program, cfa.edges[holds].span).is_some();
    (is_branch && is_told && !is_check).then_some([holds, fails])
}

/// The text of a condition, if it is short.
pub(super) fn text(program: &Program, function: FuncId, edge: EdgeId) -> Option<String> {
    let span = program.functions[function].cfa.edges[edge].span;
    let text = std::str::from_utf8(program.sources.slice(span)).ok()?;
    let words: Vec<&str> = text.split_whitespace().collect();
    // `case 3:` is told without its colon.
    let text = words.join(" ").trim_end_matches([' ', ':']).to_owned();
    (text.chars().count() <= MAX_TEXT).then_some(text)
}
