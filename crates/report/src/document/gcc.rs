//! Messages as gcc writes them, which editors know how to read: a line for each target that is not safe, and below it the run to it.

use super::{Document, Step, Word};

/// More steps than this are no help in a list.
const STEPS: usize = 500;

/// `FILE:LINE:COLUMN: error: ...`, and `note: ...` for the lines of the run on which something happens.
pub fn gcc(document: &Document) -> String {
    let mut text = String::new();
    for (index, target) in document.targets.iter().enumerate() {
        let level = match target.verdict {
            Word::Safe => continue,
            Word::Unsafe => "error",
            Word::Unknown => "warning",
        };
        let place = place(&target.file, target.line, target.column);
        let message = document.message(target) + &document.inputs_text(index);
        text.push_str(&format!("{place}: {level}: {}\n", one_line(&message)));
        let run = document.counterexample.as_ref();
        if let Some(run) = run.filter(|run| run.target == index) {
            let told = run.steps.iter().filter(|step| !step.remarks.is_empty());
            text.extend(told.take(STEPS).map(note));
        }
    }
    let reason = document.reason.as_deref();
    if document.targets.is_empty()
        && let (Some(reason), Some(file)) = (reason, document.files.first())
    {
        let place = place(file, 1, 1);
        text.push_str(&format!(
            "{place}: warning: not decided: {}\n",
            one_line(reason)
        ));
    }
    text.push_str(&format!("verdict: {}\n", document.verdict.text()));
    text
}

/// What happens at a step; a star for a decision that mattered.
fn note(step: &Step) -> String {
    let mattered = step.decisions.iter().any(|one| one.mattered == Some(true));
    let mark = if mattered { " *" } else { "" };
    let place = place(&step.file, step.line, 1);
    // Several are told with their texts anyway.
    let said = match &step.decisions[..] {
        [one] => format!("{}: {}", one.text, step.remarks),
        _ => step.remarks.clone(),
    };
    format!("{place}: note: {}{mark}\n", one_line(&said))
}

fn place(file: &str, line: u32, column: u32) -> String {
    format!("{}:{}:{}", one_line(file), line.max(1), column.max(1))
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}
