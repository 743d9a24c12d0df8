//! The page about the library says what the code does.

use std::path::Path;

#[test]
fn the_page_about_the_library_is_current() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/library.md");
    let made = rhumb_cfront::library_table();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &made).expect("the page can be written");
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        committed == made,
        "docs/library.md is not what the code says: UPDATE=1 cargo test -p rhumb-cfront --test library_table"
    );
}

#[test]
fn every_function_stands_in_one_line() {
    let made = rhumb_cfront::library_table();
    for (name, treatment) in [
        ("strlen", "in C"),
        ("strcmp", "in C, the sign"),
        ("isalpha", "in C, zero or not"),
        ("malloc", "built in"),
        ("fork", "refused, does something to the whole process"),
        ("strerror", "unknown result"),
        ("stat", "unknown result, or refused"),
    ] {
        let quoted = format!("`{name}`");
        let lines: Vec<&str> = made
            .lines()
            .filter(|line| line.starts_with("- ") && line.split([' ', ',']).any(|w| w == quoted))
            .collect();
        assert_eq!(lines.len(), 1, "{name}: {lines:?}");
        assert!(
            lines[0].starts_with(&format!("- {treatment}: ")),
            "{name}: {}",
            lines[0]
        );
    }
}
