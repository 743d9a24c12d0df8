//! The workspace itself: every dependency is used, comes from the registry, and has a licence that we can live with; no
//! source file is too long.
//!
//! `cargo machete` and `cargo deny` say more: `.ci/run` builds the first, and asks the second where it is installed, since to build it
//! takes longer than all our tests. What must hold everywhere is here.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// What `deny.toml` allows, too.
const LICENCES: [&str; 12] = [
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSL-1.0",
    "CC0-1.0",
    "ISC",
    "MPL-2.0",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// The engine that is an example for contributors has fewer: what engines share is shared.
const MAX_EXAMPLE: usize = 150;

/// A source file with more lines is cut by topic.
const MAX_LINES: usize = 600;

fn root() -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    root.canonicalize().expect("the workspace")
}

/// All source files below a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked", "--offline"])
        .args(["--filter-platform", "x86_64-unknown-linux-gnu"])
        .current_dir(root())
        .output()
        .expect("cargo");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    serde_json::from_slice(&output.stdout).expect("what cargo says is JSON")
}

fn list<'v>(value: &'v Value, name: &str) -> &'v [Value] {
    value[name].as_array().map_or(&[], |list| list)
}

/// The text of a package, and of the files elsewhere that it takes in.
fn text_of(folder: &Path) -> String {
    let mut files = Vec::new();
    sources(folder, &mut files);
    let mut text = String::new();
    for file in files {
        let own = std::fs::read_to_string(&file).expect("a source file");
        for path in own.split("#[path = \"").skip(1) {
            let path = path.split('"').next().unwrap_or_default();
            let other = file.parent().unwrap_or(folder).join(path);
            text.push_str(&std::fs::read_to_string(other).unwrap_or_default());
        }
        text.push_str(&own);
    }
    text
}

#[test]
fn every_dependency_is_used() {
    let metadata = metadata();
    let mut unused = Vec::new();
    let members = list(&metadata, "packages").iter();
    for package in members.filter(|package| package["source"].is_null()) {
        let manifest = Path::new(package["manifest_path"].as_str().expect("a path"));
        let text = text_of(manifest.parent().expect("a folder"));
        for dependency in list(package, "dependencies") {
            let name = dependency["name"].as_str().unwrap_or_default();
            let word = name.replace('-', "_");
            let ways = [
                format!("{word}::"),
                format!("use {word}"),
                format!("{word}!"),
            ];
            if !ways.iter().any(|way| text.contains(&**way)) {
                unused.push(format!("{}: {name}", package["name"]));
            }
        }
    }
    assert!(unused.is_empty(), "unused dependencies: {unused:#?}");
}

#[test]
fn dependencies_come_from_the_registry_under_known_licences() {
    let mut wrong = Vec::new();
    let metadata = metadata();
    for package in list(&metadata, "packages") {
        let name = &package["name"];
        match package["source"].as_str() {
            Some(source) if !source.starts_with("registry+") => {
                wrong.push(format!("{name} comes from {source}"));
            }
            _ => {}
        }
        let licence = package["license"].as_str().unwrap_or("none");
        if !is_allowed(licence) {
            wrong.push(format!("{name} has the licence {licence}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Whether we may choose a licence out of an expression.
fn is_allowed(expression: &str) -> bool {
    let expression = expression.trim();
    let parts = |separator: &str| -> Vec<String> {
        let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
        for (at, character) in expression.char_indices() {
            match character {
                '(' => depth += 1,
                ')' => depth -= 1,
                _ if depth == 0 && at >= start && expression[at..].starts_with(separator) => {
                    parts.push(expression[start..at].to_owned());
                    start = at + separator.len();
                }
                _ => {}
            }
        }
        parts.push(expression[start..].to_owned());
        parts
    };
    let (either, all) = (parts(" OR "), parts(" AND "));
    let old = parts("/");
    if either.len() > 1 {
        either.iter().any(|part| is_allowed(part))
    } else if all.len() > 1 {
        all.iter().all(|part| is_allowed(part))
    } else if old.len() > 1 {
        old.iter().any(|part| is_allowed(part))
    } else if let Some(inner) = expression.strip_prefix('(') {
        is_allowed(inner.strip_suffix(')').unwrap_or(inner))
    } else {
        LICENCES.contains(&expression)
    }
}

#[test]
fn licence_expressions_are_understood() {
    for fine in [
        "MIT",
        "MIT/Apache-2.0",
        "GPL-3.0 OR MIT",
        "(MIT OR GPL-3.0) AND Unicode-3.0",
    ] {
        assert!(is_allowed(fine), "{fine}");
    }
    for bad in [
        "GPL-3.0",
        "MIT AND GPL-3.0",
        "(MIT OR Zlib) AND SSPL-1.0",
        "none",
        "",
    ] {
        assert!(!is_allowed(bad), "{bad}");
    }
}

#[test]
fn no_source_file_is_too_long() {
    let mut files = Vec::new();
    sources(&root().join("crates"), &mut files);
    assert!(files.len() > 500, "{}", files.len());
    let too_long = files.iter().filter_map(|file| {
        let lines = std::fs::read_to_string(file).ok()?.lines().count();
        (lines > MAX_LINES).then(|| format!("{}: {lines} lines", file.display()))
    });
    let too_long: Vec<String> = too_long.collect();
    assert!(too_long.is_empty(), "{too_long:#?}");
}

#[test]
fn the_engine_that_is_an_example_stays_small() {
    let file = root().join("crates/search/src/depth_first.rs");
    let text = std::fs::read_to_string(file).expect("a source file");
    let lines = text.lines().count();
    assert!((1..MAX_EXAMPLE).contains(&lines), "{lines} lines");
}
