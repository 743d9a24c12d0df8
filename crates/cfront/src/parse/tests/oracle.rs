//! lang-c, another parser of C, as an oracle: what it accepts, we accept.

use std::path::{Path, PathBuf};

use super::parse;
use crate::source::{LoadOptions, load};
use rhumb_program::DataModel;

/// Snippets that both parsers know.
const SNIPPETS: &[&str] = &[
    include_str!("snippets/declarations.c"),
    include_str!("snippets/expressions.c"),
    include_str!("snippets/statements.c"),
];

/// Whether lang-c accepts a text.
fn oracle_accepts(text: &str) -> Result<(), String> {
    let config = lang_c::driver::Config::with_gcc();
    lang_c::driver::parse_preprocessed(&config, text.to_owned())
        .map(|_| ())
        .map_err(|error| error.to_string())
}

/// Whether lang-c accepts a file. It knows no comments, so gcc's preprocessor takes them out.
fn oracle_accepts_file(path: &Path) -> Result<(), String> {
    let config = lang_c::driver::Config::with_gcc();
    lang_c::driver::parse(&config, path)
        .map(|_| ())
        .map_err(|error| error.to_string())
}

/// What is wrong with a text, as we see it.
fn our_errors(text: &[u8]) -> Vec<String> {
    let (_, diagnostics) = parse(text);
    diagnostics
        .iter()
        .map(|diagnostic| format!("{diagnostic:?}"))
        .collect()
}

#[test]
fn both_accept_the_snippets() {
    for snippet in SNIPPETS {
        assert_eq!(our_errors(snippet.as_bytes()), [""; 0]);
        assert_eq!(oracle_accepts(snippet), Ok(()));
    }
}

#[test]
fn both_refuse_broken_snippets() {
    for text in [
        "int x",
        "int f( {}",
        "int x = ;",
        "void f(void) { if }",
        "int f(void) { return 1 }",
        "void f(void) { x + ; }",
        "int a[;",
        "}",
        "int x = (1;",
        "void f(void) { case: ; }",
        "void f(void) { a b; }",
        "void f(void) { else; }",
        "int x = 'a;",
        "char *s = \"a;",
        "int x = 1 2;",
    ] {
        assert!(!our_errors(text.as_bytes()).is_empty(), "{text}");
        assert!(oracle_accepts(text).is_err(), "{text}");
    }
}

/// All files under a directory with one of these extensions.
fn files(directory: &Path, extensions: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![directory.to_owned()];
    while let Some(directory) = open.pop() {
        let Ok(entries) = std::fs::read_dir(&directory) else {
            continue;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let extension = path.extension().and_then(|extension| extension.to_str());
            if path.is_dir() {
                open.push(path);
            } else if extension.is_some_and(|extension| extensions.contains(&extension)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// The tasks of the GPS paper that lie beside the repository, if they are there: the other parser knows no more C than these need.
pub(super) fn corpus() -> Vec<PathBuf> {
    let root = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../../shared/corpus/gps-paper"
    );
    files(Path::new(root), &["c", "i"])
}

#[test]
fn both_accept_the_corpus() {
    let corpus = corpus();
    if corpus.is_empty() {
        eprintln!("skipped: no corpus beside the repository");
        return;
    }
    let options = LoadOptions {
        data_model: DataModel::Ilp32,
        ..LoadOptions::default()
    };
    let mut refused = Vec::new();
    for path in &corpus {
        let source = load(path, &options).expect("a readable file");
        let errors = our_errors(source.map.text());
        let oracle = oracle_accepts_file(path);
        if !errors.is_empty() || oracle.is_err() {
            refused.push((path, errors, oracle));
        }
    }
    assert!(
        refused.is_empty(),
        "{} of {}: {refused:?}",
        refused.len(),
        corpus.len()
    );
}
