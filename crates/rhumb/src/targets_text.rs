//! What is known of each target, as text for people.

use std::collections::{BTreeMap, BTreeSet};

use rhumb_search::Outcome;

use crate::report::TargetReport;

/// How many targets are named that nothing is known of, for one reason.
const NAMED: usize = 10;
/// How many inputs of a run are told beside a target; the story of the first run tells all.
const INPUTS: usize = 6;

/// A line for each target that the text names, and for each check that doesn't hold; then how many checks there are.
/// Checks of one kind on one line are one: the worst that is known of them.
pub(crate) fn text(targets: &[TargetReport], why: &dyn Fn(&str) -> String) -> String {
    let (checks, others): (Vec<&TargetReport>, Vec<&TargetReport>) =
        targets.iter().partition(|target| target.is_check);
    let mut text = String::new();
    // One target has the verdict of the program.
    if targets.len() > 1 {
        let named = |target: &TargetReport| {
            format!("target {}:{}, {}", target.file, target.line, target.what)
        };
        text.push_str(&lines(&others, &named, why, true));
    }
    let checks = worst(&checks);
    let files: BTreeSet<&str> = checks
        .iter()
        .filter_map(|check| match (&check.called_at, &check.library) {
            (Some(place), _) => Some(&*place.file),
            (None, None) => Some(&*check.file),
            (None, Some(_)) => None,
        })
        .collect();
    let named = |check: &TargetReport| {
        // Its lines are not the user's; the one of the call is.
        let within = match check.library.as_deref() {
            None => String::new(),
            Some("") => "in the library".to_owned(),
            Some(function) => format!("in {function}()"),
        };
        let what = &check.what;
        let (file, line) = match &check.called_at {
            Some(place) => (&*place.file, place.line),
            None if check.library.is_some() => return format!("{within}: {what}"),
            None => (&*check.file, check.line),
        };
        let within = match within.is_empty() {
            true => within,
            false => format!(" {within}"),
        };
        match files.len() {
            0 | 1 => format!("line {line}: {what}{within}"),
            _ => format!("{file}:{line}: {what}{within}"),
        }
    };
    text.push_str(&lines(&checks, &named, why, false));
    text + &counts(&checks)
}

/// Of how many targets and checks it is known that no run gets there, and how many there are, as they are listed.
pub(crate) fn established(targets: &[TargetReport]) -> (usize, usize) {
    let (checks, others): (Vec<&TargetReport>, Vec<&TargetReport>) =
        targets.iter().partition(|target| target.is_check);
    let all = worst(&checks).into_iter().chain(others);
    let all: Vec<&TargetReport> = all.collect();
    let safe = all.iter().filter(|target| target.outcome == Outcome::Safe);
    (safe.count(), all.len())
}

/// Of the checks of one kind on one line, or in one function of the library, the worst one, by line.
fn worst<'t>(checks: &[&'t TargetReport]) -> Vec<&'t TargetReport> {
    let mut places: BTreeMap<(&str, u32, &str, &str), &TargetReport> = BTreeMap::new();
    for check in checks {
        let place = match &check.library {
            Some(function) => (&*check.file, 0, &**function, &*check.what),
            None => (&*check.file, check.line, "", &*check.what),
        };
        let known = places.entry(place).or_insert(check);
        if badness(&known.outcome) < badness(&check.outcome) {
            *known = check;
        }
    }
    let mut worst: Vec<&TargetReport> = places.into_values().collect();
    // Files in the order in which the program has them.
    let order: Vec<&str> = checks.iter().map(|check| &*check.file).collect();
    worst.sort_by_key(|check| order.iter().position(|file| **file == check.file));
    worst
}

fn badness(outcome: &Outcome) -> u8 {
    match outcome {
        Outcome::Safe => 0,
        Outcome::Unknown(_) => 1,
        Outcome::Unsafe => 2,
    }
}

/// A line for each, with the inputs of those that can be reached. Where nothing is known of many for one reason, one
/// line is for all of them.
fn lines(
    targets: &[&TargetReport],
    named: &dyn Fn(&TargetReport) -> String,
    why: &dyn Fn(&str) -> String,
    with_safe: bool,
) -> String {
    let mut text = String::new();
    let mut unknown: Vec<(String, Vec<&TargetReport>)> = Vec::new();
    let mut uncalled = 0;
    for target in targets {
        let name = named(target);
        match &target.outcome {
            Outcome::Safe if with_safe && !target.is_called => uncalled += 1,
            Outcome::Safe if with_safe => text.push_str(&format!("{name}: SAFE\n")),
            Outcome::Safe => {}
            Outcome::Unsafe => {
                text.push_str(&format!("{name}: UNSAFE\n"));
                if !target.is_told {
                    text.push_str(&run(target));
                }
            }
            Outcome::Unknown(reason) => {
                let reason = why(reason);
                match unknown.iter_mut().find(|known| known.0 == reason) {
                    Some((_, group)) => group.push(target),
                    None => unknown.push((reason, vec![target])),
                }
            }
        }
    }
    // That nobody gets there is no merit of what is asked there.
    match uncalled {
        0 => {}
        1 => text.push_str("1 target in a function that nothing calls: can't be reached\n"),
        _ => text.push_str(&format!(
            "{uncalled} targets in functions that nothing calls: can't be reached\n"
        )),
    }
    for (reason, group) in unknown {
        match &group[..] {
            [only] => text.push_str(&format!("{}: UNKNOWN ({reason})\n", named(only))),
            _ => {
                for target in group.iter().take(NAMED) {
                    text.push_str(&format!("{}: UNKNOWN\n", named(target)));
                }
                if let more @ 1.. = group.len().saturating_sub(NAMED) {
                    text.push_str(&format!("... and {more} more: UNKNOWN\n"));
                }
                text.push_str(&format!("unknown for these {}: {reason}\n", group.len()));
            }
        }
    }
    text
}

/// What goes wrong in the run that reaches a target, and its inputs.
fn run(target: &TargetReport) -> String {
    let error = target
        .error
        .iter()
        .map(|error| format!("  error: {error}\n"));
    let lines = target.inputs.iter().take(INPUTS);
    let lines = lines.map(|line| format!("  {line}\n"));
    let mut text: String = error.chain(lines).collect();
    if let more @ 1.. = target.inputs.len().saturating_sub(INPUTS) {
        text.push_str(&format!("  and {more} more inputs\n"));
    }
    text
}

/// How many checks there are of each sort.
fn counts(checks: &[&TargetReport]) -> String {
    let count = |badness_wanted: u8| {
        let such = checks.iter();
        such.filter(|check| badness(&check.outcome) == badness_wanted)
            .count()
    };
    let plural = |count: usize, one: &str, many: &str| match count {
        1 => format!("1 {one}"),
        _ => format!("{count} {many}"),
    };
    let (hold, unknown, fail) = (count(0), count(1), count(2));
    let mut parts = Vec::new();
    if hold > 0 {
        parts.push(plural(hold, "holds", "hold"));
    }
    if fail > 0 {
        parts.push(plural(fail, "fails", "fail"));
    }
    if unknown > 0 {
        parts.push(format!("{unknown} unknown"));
    }
    match checks.is_empty() {
        true => String::new(),
        false => {
            let all = plural(checks.len(), "check", "checks");
            format!("{all}: {}\n", parts.join(", "))
        }
    }
}
