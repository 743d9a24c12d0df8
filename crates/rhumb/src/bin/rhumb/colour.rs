//! Colours on a terminal, or where they are asked for. They are put on last, so that there is one text, with and without.

use std::io::IsTerminal;
use std::sync::OnceLock;

use clap::ValueEnum;

/// When there are colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub(crate) enum When {
    /// on a terminal, unless NO_COLOR is set
    Auto,
    /// always
    Always,
    /// never
    Never,
}

static WHEN: OnceLock<When> = OnceLock::new();

/// Says when there are colours, once.
pub(crate) fn choose(when: When) {
    let _ = WHEN.set(when);
}

fn is_wanted(is_terminal: bool) -> bool {
    match WHEN.get().copied().unwrap_or(When::Auto) {
        When::Always => true,
        When::Never => false,
        When::Auto => is_terminal && std::env::var_os("NO_COLOR").is_none(),
    }
}

/// Whether messages are in colour.
pub(crate) fn of_messages() -> bool {
    is_wanted(std::io::stderr().is_terminal())
}

const PLAIN: &str = "\x1b[0m";
const DIM: &str = "\x1b[2m";
const BOLD: &str = "\x1b[1m";
const RED: &str = "\x1b[1;31m";
const GREEN: &str = "\x1b[1;32m";
const YELLOW: &str = "\x1b[1;33m";

/// The answer of a check, in colours if they are wanted.
pub(crate) fn answer(text: String) -> String {
    match is_wanted(std::io::stdout().is_terminal()) {
        true => text.split_inclusive('\n').map(line).collect(),
        false => text,
    }
}

/// A line of an answer: verdicts by what they say, beginnings of lines, what changes in a run.
fn line(line: &str) -> String {
    let (body, end) = match line.strip_suffix('\n') {
        Some(body) => (body, "\n"),
        None => (line, ""),
    };
    // A line of the source text, and what happens there.
    let number = body.trim_start().split(' ').next().unwrap_or("");
    let is_source = body.contains(" | ") && number.parse::<u32>().is_ok();
    if is_source || body.trim_start().starts_with("// ") {
        return match body.rsplit_once("// ") {
            Some((source, remark)) => format!("{source}{DIM}//{PLAIN} {BOLD}{remark}{PLAIN}{end}"),
            None => line.to_owned(),
        };
    }
    for (word, colour) in [("UNSAFE", RED), ("SAFE", GREEN), ("UNKNOWN", YELLOW)] {
        for beginning in ["", "verdict: "] {
            if let Some(rest) = body
                .strip_prefix(beginning)
                .and_then(|rest| rest.strip_prefix(word))
            {
                return format!("{beginning}{colour}{word}{PLAIN}{rest}{end}");
            }
        }
        if let Some(before) = body.strip_suffix(&format!(": {word}")) {
            return format!("{before}: {colour}{word}{PLAIN}{end}");
        }
    }
    for beginning in [
        "why:",
        "may help:",
        "established:",
        "error:",
        "assumes:",
        "invariant:",
        "input:",
        "reached:",
        "violates:",
        "tried:",
        "next:",
    ] {
        if let Some(rest) = body.strip_prefix(beginning) {
            return format!("{BOLD}{beginning}{PLAIN}{rest}{end}");
        }
    }
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_have_colours() {
        assert_eq!(
            line("verdict: SAFE\n"),
            format!("verdict: {GREEN}SAFE{PLAIN}\n")
        );
        assert_eq!(
            line("UNSAFE: a.c:3: x"),
            format!("{RED}UNSAFE{PLAIN}: a.c:3: x")
        );
        let story = line("      3 |   x = 1;    // x = 1");
        assert!(story.ends_with(&format!("{BOLD}x = 1{PLAIN}")), "{story}");
        assert_eq!(line("2 checks: 2 hold\n"), "2 checks: 2 hold\n");
    }
}
