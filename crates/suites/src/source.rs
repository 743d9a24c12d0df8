//! C text from templates.

use std::collections::BTreeSet;
use std::fmt::Display;

/// The widest line of a comment.
const COMMENT_WIDTH: usize = 100;

/// Input functions and what they return.
const INPUT_FUNCTIONS: [(&str, &str); 8] = [
    ("__VERIFIER_nondet_char", "char"),
    ("__VERIFIER_nondet_int", "int"),
    ("__VERIFIER_nondet_long", "long"),
    ("__VERIFIER_nondet_short", "short"),
    ("__VERIFIER_nondet_uchar", "unsigned char"),
    ("__VERIFIER_nondet_uint", "unsigned int"),
    ("__VERIFIER_nondet_ulong", "unsigned long"),
    ("__VERIFIER_nondet_ushort", "unsigned short"),
];

/// Puts values in the place of `$name` in a template.
///
/// Templates are constants of this crate, so a name without value and a value without place are mistakes in it: they panic.
pub(crate) fn fill(template: &str, values: &[(&str, &dyn Display)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut used = BTreeSet::new();
    let mut pieces = template.split('$');
    text.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        let end = piece
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(piece.len());
        let (name, rest) = piece.split_at(end);
        match values.iter().find(|(known, _)| *known == name) {
            Some((known, value)) => {
                used.insert(*known);
                text.push_str(&value.to_string());
            }
            None => panic!("the template has no value for ${name}"),
        }
        text.push_str(rest);
    }
    assert_eq!(
        used.len(),
        values.len(),
        "every value has a place in the template"
    );
    text
}

/// A whole program: a comment that says what it does and why the verdict is what it is, the declarations, and `body`.
pub(crate) fn program(name: &str, what: &str, why: &str, body: &str) -> String {
    let mut text = String::new();
    comment(&mut text, what);
    comment(&mut text, why);
    text.push_str(
        "extern void __assert_fail(const char *, const char *, unsigned int, const char *) __attribute__((__noreturn__));\n",
    );
    for (function, result) in INPUT_FUNCTIONS {
        if body.contains(&format!("{function}(")) {
            text.push_str(&format!("extern {result} {function}(void);\n"));
        }
    }
    text.push_str(&format!(
        "\nvoid reach_error(void) {{ __assert_fail(\"0\", \"{name}.c\", 1, \"reach_error\"); }}\n\n"
    ));
    text.push_str(body.trim_start_matches('\n'));
    text
}

/// Appends a text as line comments.
fn comment(text: &mut String, words: &str) {
    let mut line = String::from("//");
    for word in words.split_whitespace() {
        if line.len() + 1 + word.len() > COMMENT_WIDTH {
            text.push_str(&line);
            text.push('\n');
            line = String::from("//");
        }
        line.push(' ');
        line.push_str(word);
    }
    text.push_str(&line);
    text.push('\n');
}

/// A character constant, or its number if it would need an escape.
pub(crate) fn character(code: u8) -> String {
    match code {
        b'\'' | b'\\' => code.to_string(),
        b' '..=b'~' => format!("'{}'", char::from(code)),
        _ => code.to_string(),
    }
}

/// An integer constant of type `int`, or of type `unsigned int` if it is too large for that.
pub(crate) fn literal(value: u64) -> String {
    if value > i32::MAX as u64 {
        format!("{value}u")
    } else {
        value.to_string()
    }
}

/// Lines made for each number of a range.
pub(crate) fn lines(range: impl IntoIterator<Item = u64>, line: impl Fn(u64) -> String) -> String {
    let made: Vec<String> = range.into_iter().map(line).collect();
    made.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fill_takes_the_longest_name() {
        assert_eq!(
            fill("$n + $nn;$n", &[("n", &1), ("nn", &"two")]),
            "1 + two;1"
        );
    }

    #[test]
    fn a_program_declares_what_it_reads() {
        let text = program(
            "p",
            "What.",
            "Why.",
            "\nint main(void) { return __VERIFIER_nondet_uint() > 3; }\n",
        );
        assert!(text.starts_with("// What.\n// Why.\n"));
        assert!(text.contains("extern unsigned int __VERIFIER_nondet_uint(void);"));
        assert!(!text.contains("nondet_int("));
    }

    #[test]
    fn characters_need_no_escape() {
        assert_eq!(
            [b'a', b'\'', b'\\', 0, b'~'].map(character),
            ["'a'", "39", "92", "0", "'~'"]
        );
    }
}
