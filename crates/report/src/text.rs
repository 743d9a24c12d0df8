//! Answers as text for a terminal.

use crate::originals::Originals;
use crate::story::{Decision, Line, Step, Story, lines};

/// How wide lines are.
const WIDTH: usize = 80;
/// Where values begin, if the source line leaves room.
const COLUMN: usize = 46;
/// Blanks before a source line.
const INDENT: usize = 12;
/// More lines than this are cut in the middle.
const LINES: usize = 60;
/// What the mark at a decision says.
const LEGEND: &str = "* turned alone, this decision would have kept the run from the error";

/// The run on the source text: a line for each step, with what changes there.
pub fn story(story: &Story, in_full: bool) -> String {
    let lines = lines(story, in_full);
    let mut originals = Originals::default();
    let several = lines.iter().any(|line| match (line, lines.first()) {
        (Line::Step(step), Some(Line::Step(first))) => step.place.file != first.place.file,
        _ => false,
    });
    let mut printer = Printer {
        originals: &mut originals,
        several,
        has_marks: false,
        file: String::new(),
        text: String::new(),
    };
    let cut = !in_full && lines.len() > LINES;
    let before = LINES / 3;
    let behind = lines.len().saturating_sub(LINES - before);
    for (index, line) in lines.iter().enumerate() {
        if cut && index == before {
            let left_out = behind - before;
            printer.note(&format!("... {left_out} more lines (--full-trace)"));
        }
        if !cut || index < before || index >= behind {
            printer.line(line);
        }
    }
    if !story.is_complete {
        printer.note("... and so on: the run is too long to be told");
    }
    if printer.has_marks {
        printer.note(LEGEND);
    }
    printer.text
}

struct Printer<'o> {
    originals: &'o mut Originals,
    several: bool,
    /// Whether a decision that mattered is among the lines.
    has_marks: bool,
    file: String,
    text: String,
}

impl Printer<'_> {
    fn note(&mut self, note: &str) {
        self.text.push_str(&format!("          {note}\n"));
    }

    fn line(&mut self, line: &Line<'_>) {
        match line {
            Line::Step(step) => self.step(step),
            Line::Folded {
                place,
                depth,
                first,
                last,
                changes,
            } => {
                let changes: Vec<String> = changes
                    .iter()
                    .map(|(name, from, to)| match from == to {
                        true => format!("{name} = {from}"),
                        false => format!("{name} = {from} ... {to}"),
                    })
                    .collect();
                let indent = "  ".repeat(*depth);
                let rounds = match first == last {
                    true => format!("round {}", thousands(*first)),
                    false => format!("rounds {} to {}", thousands(*first), thousands(*last)),
                };
                self.note(&format!(
                    "{indent}... {rounds} of the loop on line {}",
                    place.line
                ));
                for line in wrap(&changes, WIDTH - COLUMN - 3) {
                    self.remark(&line);
                }
            }
        }
    }

    fn step(&mut self, step: &Step) {
        if self.several && self.file != *step.place.file {
            self.file = step.place.file.to_string();
            self.text.push_str(&format!("  {}:\n", self.file));
        }
        let source = self.originals.line(&step.place.file, step.place.line);
        let source = source.unwrap_or("").trim_end().replace('\t', "    ");
        // As it is indented, as far as there is room; what a call does, by one more.
        let deep = source.len() - source.trim_start_matches(' ').len();
        let source = &source[deep.saturating_sub(INDENT)..];
        let indent = "  ".repeat(step.depth.min(10));
        let left = format!(
            "{:>7} | {indent}{}",
            step.place.line,
            clip(source, WIDTH - 12)
        );
        self.has_marks |= step.decisions.iter().any(has_mark);
        let mut right = wrap(&remark_parts(step, true), WIDTH - COLUMN - 3).into_iter();
        // Beside the source line, if that leaves room.
        let beside = match left.chars().count() < COLUMN {
            true => right.next(),
            false => None,
        };
        match beside {
            Some(first) => self.text.push_str(&format!("{left:<COLUMN$}// {first}\n")),
            None => self.text.push_str(&format!("{}\n", left.trim_end())),
        }
        for line in right {
            self.remark(&line);
        }
    }

    fn remark(&mut self, remark: &str) {
        self.text.push_str(&format!("{:COLUMN$}// {remark}\n", ""));
    }
}

/// A line of the user's file without the blanks around it, if it is there and is not long.
pub fn source_line(file: &str, line: u32) -> Option<String> {
    let mut originals = Originals::default();
    let text = originals.line(file, line)?.trim();
    (!text.is_empty()).then(|| clip(text, WIDTH))
}

/// Parts in lines that are no wider than this, if that is possible.
fn wrap(parts: &[String], width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for part in parts {
        match lines.last_mut() {
            Some(line) if line.chars().count() + part.chars().count() + 2 <= width => {
                line.push_str(", ");
                line.push_str(part);
            }
            _ => lines.push(part.clone()),
        }
    }
    lines
}

/// A sentence in lines that are no wider than a terminal, if its words allow it; all but the first are indented.
pub fn hanging(sentence: &str) -> String {
    let mut text = String::new();
    let mut width = 0;
    for word in sentence.split(' ') {
        let length = word.chars().count();
        if width > 0 && width + 1 + length > WIDTH {
            text.push_str("\n  ");
            width = 2;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        text.push_str(word);
        width += length;
    }
    text.push('\n');
    text
}

/// What happens at a step, in a few words.
pub fn remarks(step: &Step) -> String {
    remark_parts(step, false).join(", ")
}

fn has_mark(decision: &Decision) -> bool {
    decision.mattered == Some(true)
}

fn remark_parts(step: &Step, is_marked: bool) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    let outcome = |one: &Decision| match is_marked && has_mark(one) {
        true => format!("{}*", one.holds),
        false => one.holds.to_string(),
    };
    match &step.decisions[..] {
        [] => {}
        [one] => parts.push(outcome(one)),
        several => {
            let all = several
                .iter()
                .map(|one| format!("{}: {}", clip(&one.text, 24), outcome(one)));
            parts.extend(all);
        }
    }
    parts.extend(step.changes.iter().map(|change| {
        let input = if change.is_input { " (input)" } else { "" };
        match change.name == "input" && change.is_input {
            true => format!("input {}", change.value),
            false => format!("{} = {}{input}", change.name, change.value),
        }
    }));
    parts.extend(step.calls.iter().cloned());
    parts
}

/// A C expression as people read it: numbers are numbers, so that conversions to wider types say nothing.
pub fn plain_expression(expression: &str) -> String {
    let mut plain = expression.to_owned();
    for cast in ["(long long)", "(unsigned long long)", "(__int128)"] {
        plain = plain.replace(cast, "");
    }
    // `((x)) % 2` and `(x) <= n` have lost what the parentheses were for.
    let mut text = String::new();
    let bytes = plain.as_bytes();
    let mut index = 0;
    while index < bytes.len() {
        let word = bytes[index..]
            .iter()
            .take_while(|byte| byte.is_ascii_alphanumeric() || **byte == b'_')
            .count();
        if word > 0 {
            let name = &plain[index..index + word];
            let number = name.starts_with(|c: char| c.is_ascii_digit());
            text.push_str(if number {
                name.trim_end_matches(['L', 'U'])
            } else {
                name
            });
            index += word;
            let is_alone = text.len() > name.len()
                && bytes.get(index) == Some(&b')')
                && text[..text.len() - name.len()].ends_with('(')
                && !text[..text.len() - name.len() - 1]
                    .ends_with(|c: char| c.is_alphanumeric() || c == '_');
            if is_alone && !number {
                text.remove(text.len() - name.len() - 1);
                index += 1;
            }
            continue;
        }
        let Some(c) = plain[index..].chars().next() else {
            break;
        };
        text.push(c);
        index += c.len_utf8();
    }
    text
}

/// At most so many characters.
pub fn clip(text: &str, width: usize) -> String {
    match text.char_indices().nth(width) {
        Some(_) => text.chars().take(width - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

/// `12,345`.
fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_for_people() {
        for (exact, plain) in [
            ("((long long)x) % 2 == 0", "x % 2 == 0"),
            (
                "(long long)x <= (long long)n + 4294967294LL",
                "x <= n + 4294967294",
            ),
            (
                "(x == 0 || (long long)y < 3LL) && f(x)",
                "(x == 0 || y < 3) && f(x)",
            ),
        ] {
            assert_eq!(plain_expression(exact), plain);
        }
    }

    #[test]
    fn sentences_are_broken_between_words() {
        assert_eq!(hanging("a short one"), "a short one\n");
        let long = hanging(&["word"; 30].join(" "));
        assert!(long.lines().all(|line| line.len() <= WIDTH), "{long}");
        assert_eq!(
            long.lines()
                .skip(1)
                .filter(|line| line.starts_with("  word"))
                .count(),
            1
        );
    }

    #[test]
    fn numbers_and_clips() {
        assert_eq!(thousands(1_234_567), "1,234,567");
        assert_eq!(thousands(12), "12");
        assert_eq!(clip("abcdef", 4), "abc…");
        assert_eq!(clip("abcd", 4), "abcd");
    }
}
