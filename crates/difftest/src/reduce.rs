//! Making a failing program smaller, line by line.
//!
//! Generated programs have one statement per line and brackets at line ends, so removing lines and
//! blocks goes far. What must stay true is the caller's affair: a smaller program that no longer
//! compiles, or is no longer well-defined, is simply not interesting.

/// The smallest program found by removing lines that is still interesting.
pub fn reduce(source: &str, interesting: &mut dyn FnMut(&str) -> bool) -> String {
    let mut lines: Vec<String> = source.lines().map(ToOwned::to_owned).collect();
    loop {
        let before = lines.len();
        remove_blocks(&mut lines, interesting);
        remove_chunks(&mut lines, interesting);
        unwrap_blocks(&mut lines, interesting);
        if lines.len() == before {
            return text_of(&lines);
        }
    }
}

fn text_of(lines: &[String]) -> String {
    lines
        .iter()
        .fold(String::new(), |text, line| text + line + "\n")
}

/// The index of the line that closes the block opened at `open`.
fn closing_line(lines: &[String], open: usize) -> Option<usize> {
    let mut depth = 0_i64;
    for (index, line) in lines.iter().enumerate().skip(open) {
        for byte in line.bytes() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth -= 1,
                _ => {}
            }
        }
        if depth <= 0 && index > open {
            return Some(index);
        }
    }
    None
}

fn opens_block(line: &str) -> bool {
    line.ends_with('{')
}

/// Removes whole blocks, outermost first.
fn remove_blocks(lines: &mut Vec<String>, interesting: &mut dyn FnMut(&str) -> bool) {
    let mut index = 0;
    while index < lines.len() {
        if opens_block(&lines[index])
            && let Some(close) = closing_line(lines, index)
        {
            // The head of a function stands on a line of its own.
            let starts = [
                index.checked_sub(1).filter(|_| lines[index].trim() == "{"),
                Some(index),
            ];
            let removed = starts.into_iter().flatten().find_map(|start| {
                let smaller = without(lines, start..close + 1);
                interesting(&text_of(&smaller)).then_some((start, smaller))
            });
            if let Some((start, smaller)) = removed {
                *lines = smaller;
                index = start;
                continue;
            }
        }
        index += 1;
    }
}

/// Removes runs of lines, long ones first.
fn remove_chunks(lines: &mut Vec<String>, interesting: &mut dyn FnMut(&str) -> bool) {
    let mut size = (lines.len() / 2).max(1);
    loop {
        let mut start = 0;
        while start < lines.len() {
            let end = lines.len().min(start + size);
            let smaller = without(lines, start..end);
            if interesting(&text_of(&smaller)) {
                *lines = smaller;
            } else {
                start = end;
            }
        }
        if size == 1 {
            return;
        }
        size /= 2;
    }
}

/// Replaces blocks by what is in them.
fn unwrap_blocks(lines: &mut Vec<String>, interesting: &mut dyn FnMut(&str) -> bool) {
    let mut index = 0;
    while index < lines.len() {
        if opens_block(&lines[index])
            && let Some(close) = closing_line(lines, index)
        {
            let mut smaller = without(lines, close..close + 1);
            smaller.remove(index);
            if interesting(&text_of(&smaller)) {
                *lines = smaller;
                continue;
            }
        }
        index += 1;
    }
}

fn without(lines: &[String], range: std::ops::Range<usize>) -> Vec<String> {
    lines[..range.start]
        .iter()
        .chain(&lines[range.end..])
        .cloned()
        .collect()
}

#[cfg(test)]
mod tests {
    use super::reduce;

    #[test]
    fn keeps_what_is_needed_and_nothing_else() {
        let source = "int f(void)\n{\n    a;\n}\nint main(void)\n{\n    if (x) {\n        b;\n        c;\n    }\n    d;\n}\n";
        let balanced = |text: &str| text.matches('{').count() == text.matches('}').count();
        let mut interesting =
            |text: &str| balanced(text) && text.contains("main(void)\n{") && text.contains("c;");
        assert_eq!(
            reduce(source, &mut interesting),
            "int main(void)\n{\n        c;\n}\n"
        );
    }
}
