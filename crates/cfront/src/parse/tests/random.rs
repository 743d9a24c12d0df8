//! Damaged sources: whatever is in a file, there is an answer.

use proptest::prelude::*;

use super::oracle::corpus;
use crate::diagnostic::Severity;
use crate::parse::check_syntax;
use crate::render::MessageRenderer;
use rhumb_program::SourceMap;

/// Texts to damage: our own, and some of the corpus if it is there.
fn sources() -> Vec<Vec<u8>> {
    let mut sources = vec![
        include_bytes!("snippets/declarations.c").to_vec(),
        include_bytes!("snippets/expressions.c").to_vec(),
        include_bytes!("snippets/statements.c").to_vec(),
    ];
    let paths = corpus();
    let step = (paths.len() / 20).max(1);
    let texts = paths
        .iter()
        .step_by(step)
        .filter_map(|path| std::fs::read(path).ok());
    sources.extend(texts.filter(|text| text.len() < 20_000));
    sources
}

/// A way to damage a text, at a place given in 2^-32 of its length.
#[derive(Clone, Debug)]
enum Damage {
    Truncate(u32),
    Delete(u32, usize),
    Insert(u32, Vec<u8>),
    Replace(u32, u8),
    Duplicate(u32, u32),
    Swap(u32, u32),
}

fn token() -> impl Strategy<Value = Vec<u8>> {
    let tokens = [
        "(",
        ")",
        "[",
        "]",
        "{",
        "}",
        ";",
        ",",
        ":",
        "?",
        "=",
        "*",
        "&&",
        "...",
        "->",
        "#",
        "\"",
        "'",
        "\\",
        "\\\n",
        "/*",
        "*/",
        "//",
        "\n",
        "\0",
        "\u{e9}",
        "int",
        "struct",
        "typedef",
        "if",
        "else",
        "case",
        "default:",
        "for (",
        "do",
        "while",
        "return",
        "goto",
        "sizeof",
        "__attribute__((",
        "asm(",
        "_Generic(",
        "({",
        "(int)",
        "(int){",
        "0x",
        "1e",
        "'a'",
        "L\"",
        "# 1 \"x\"\n",
        "#define",
        "_Pragma(",
        "__extension__",
        "_Alignas(",
        "typeof(",
        "enum {",
        "__label__",
        "<:",
        "%>",
    ];
    proptest::sample::select(tokens.to_vec()).prop_map(|token| token.as_bytes().to_vec())
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        any::<u32>().prop_map(Damage::Truncate),
        (any::<u32>(), 1..40usize).prop_map(|(at, len)| Damage::Delete(at, len)),
        (any::<u32>(), token()).prop_map(|(at, token)| Damage::Insert(at, token)),
        (any::<u32>(), any::<u8>()).prop_map(|(at, byte)| Damage::Replace(at, byte)),
        (any::<u32>(), any::<u32>()).prop_map(|(from, to)| Damage::Duplicate(from, to)),
        (any::<u32>(), any::<u32>()).prop_map(|(a, b)| Damage::Swap(a, b)),
    ]
}

fn apply(text: &mut Vec<u8>, damage: &Damage) {
    let place = |at: u32| ((u64::from(at) * text.len() as u64) >> 32) as usize;
    match damage {
        Damage::Truncate(at) => text.truncate(place(*at)),
        Damage::Delete(at, len) => {
            let start = place(*at);
            text.drain(start..(start + len).min(text.len()));
        }
        Damage::Insert(at, token) => {
            let start = place(*at);
            text.splice(start..start, token.iter().copied());
        }
        Damage::Replace(at, byte) => {
            let start = place(*at);
            if let Some(old) = text.get_mut(start) {
                *old = *byte;
            }
        }
        Damage::Duplicate(from, to) => {
            let start = place(*from);
            let piece = text[start..(start + 200).min(text.len())].to_vec();
            let to = place(*to);
            text.splice(to..to, piece);
        }
        Damage::Swap(a, b) => {
            let (a, b) = (place(*a), place(*b));
            if a < text.len() && b < text.len() {
                text.swap(a, b);
            }
        }
    }
}

/// Parses a text and renders what was said about it.
fn survive(text: &[u8]) {
    let diagnostics = check_syntax(text);
    let map = SourceMap::new("no such file.c", text.into());
    let mut renderer = MessageRenderer::new(&map, false);
    for diagnostic in diagnostics.iter() {
        assert!(diagnostic.span.lo <= diagnostic.span.hi);
        assert!(diagnostic.span.hi as usize <= text.len());
        let rendered = renderer.render(diagnostic);
        let level = match diagnostic.severity {
            Severity::Error => "error: ",
            Severity::Warning => "warning: ",
        };
        assert!(rendered.starts_with(level), "{rendered}");
    }
}

#[test]
fn damaged_sources() {
    let sources = sources();
    let strategy = (0..sources.len(), proptest::collection::vec(damage(), 1..6));
    let config = ProptestConfig {
        cases: 2000,
        failure_persistence: None,
        ..ProptestConfig::default()
    };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let result = runner.run(&strategy, |(index, damages)| {
        let mut text = sources[index].clone();
        for damage in &damages {
            apply(&mut text, damage);
        }
        survive(&text);
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
}

#[test]
fn every_prefix() {
    for source in sources().into_iter().take(3) {
        for end in 0..source.len() {
            survive(&source[..end]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn sequences_of_tokens(tokens in proptest::collection::vec(token(), 0..200)) {
        survive(&tokens.join(&b' '));
        survive(&tokens.concat());
    }

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..2000)) {
        survive(&bytes);
    }
}
