//! Damaged programs: the analysis never panics, and what it accepts keeps its promises.

use super::random::{Random, seeds};
use super::validate::broken_promises;
use super::{MODELS, analyse};

const TEXTS: [&str; 2] = [include_str!("features.c"), include_str!("oddities.c")];

/// Pieces of C that often matter to the analysis.
const SPICE: &[&str] = &[
    "0",
    "1",
    "-1",
    "1.5",
    "\"s\"",
    "'c'",
    "*",
    "&",
    "[",
    "]",
    "(",
    ")",
    "{",
    "}",
    ",",
    ";",
    "=",
    "int",
    "void",
    "struct",
    "char",
    "double",
    "const",
    "static",
    "extern",
    "typedef",
    "sizeof",
    "_Bool",
    "enum",
    "union",
    "->",
    ".",
    "?",
    ":",
    "++",
    "<<",
    "%",
    "!",
    "unsigned",
    "long",
    "__builtin_offsetof",
    "__typeof__",
    "({",
    "})",
    "[3]",
    "[n]",
    ":3",
    "...",
    "case",
    "default",
    "return",
    "goto",
    "break",
    "_Complex",
    "__int128",
    "__attribute__((packed))",
    "__attribute__((vector_size(16)))",
    "register",
    "volatile",
];

/// Cuts a text at word boundaries.
fn words(text: &str) -> Vec<&str> {
    let mut list = Vec::new();
    let mut start = 0;
    let bytes = text.as_bytes();
    for end in 1..=bytes.len() {
        let is_word = |at: usize| bytes[at].is_ascii_alphanumeric() || bytes[at] == b'_';
        if end == bytes.len() || !is_word(end - 1) || !is_word(end) {
            list.push(&text[start..end]);
            start = end;
        }
    }
    list
}

fn damaged(text: &str, random: &mut Random) -> String {
    let mut list = words(text);
    // Most of the text is dropped now and then, so that an early mistake doesn't hide the later ones.
    if random.one_in(3) {
        let from = random.below(list.len() as u64) as usize;
        let to = (from + random.below(400) as usize).min(list.len());
        list = list[from..to].to_vec();
    }
    for _ in 0..1 + random.below(4) {
        if list.is_empty() {
            break;
        }
        let at = random.below(list.len() as u64) as usize;
        match random.below(4) {
            0 => {
                list.remove(at);
            }
            1 => list[at] = random.pick(SPICE),
            2 => list.insert(at, random.pick(SPICE)),
            _ => {
                let other = random.below(list.len() as u64) as usize;
                list.swap(at, other);
            }
        }
    }
    list.concat()
}

#[test]
fn damaged_programs_are_refused_or_analysed() {
    for seed in seeds(400) {
        let mut random = Random(seed);
        let text = damaged(random.pick(&TEXTS), &mut random);
        for model in MODELS {
            let result = analyse(text.as_bytes(), model);
            if !result.diags.has_errors() {
                assert_eq!(
                    broken_promises(&result),
                    Vec::<String>::new(),
                    "seed {seed}, {model}\n{text}"
                );
            }
        }
    }
}
