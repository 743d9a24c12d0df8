//! The committed suites are what the generator makes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use rhumb_suites::{MakeError, Verdict};

fn benchmarks() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benchmarks")
}

/// All files below a folder, as paths below it with slashes.
fn files_below(root: &Path, folder: &str, found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(root.join(folder)).expect("the folder can be read") {
        let entry = entry.expect("the folder can be read");
        let name = entry
            .file_name()
            .into_string()
            .expect("our file names are UTF-8");
        let path = format!("{folder}/{name}");
        if entry.path().is_dir() {
            files_below(root, &path, found);
        } else {
            found.insert(path);
        }
    }
}

#[test]
fn the_committed_files_are_the_generated_ones() {
    const ADVICE: &str = "run `cargo run -p rhumb-suites` at the root of the repository";
    let generated = rhumb_suites::files();
    for (path, text) in &generated {
        let committed = fs::read_to_string(benchmarks().join(path)).unwrap_or_default();
        assert!(
            committed == *text,
            "benchmarks/{path} is not what the generator makes: {ADVICE}"
        );
    }
    let mut present = BTreeSet::new();
    for folder in ["examples", "lock-and-key", "scaling", "properties"] {
        files_below(&benchmarks(), folder, &mut present);
    }
    let strangers: Vec<&String> = present
        .iter()
        .filter(|path| !generated.contains_key(*path))
        .collect();
    assert!(
        strangers.is_empty(),
        "not made by the generator: {strangers:?}"
    );
}

#[test]
fn the_suites_stay_modest() {
    let files = rhumb_suites::files();
    assert!(files.len() < 350, "{} files", files.len());
    let bytes: usize = files.values().map(String::len).sum();
    assert!(bytes < 1_000_000, "{bytes} bytes");
}

#[test]
fn names_are_unique_and_tell_the_verdict_of_a_scaling_family() {
    let mut names = BTreeSet::new();
    for folder in rhumb_suites::shelf() {
        for task in &folder.tasks {
            assert!(
                names.insert(task.name.clone()),
                "{} stands twice on the shelf",
                task.name
            );
            if folder.path.starts_with("scaling/") {
                assert_eq!(
                    folder.path.ends_with("-safe"),
                    task.is_safe(),
                    "{}",
                    task.name
                );
            }
        }
    }
}

#[test]
fn sizes_grow_geometrically() {
    for family in rhumb_suites::families() {
        let ratios: Vec<f64> = family
            .shipped
            .windows(2)
            .map(|pair| pair[1] as f64 / pair[0] as f64)
            .collect();
        for ratio in &ratios {
            let steady = (ratio / ratios[0]).ln().abs() < 0.1;
            assert!(steady && *ratio > 1.9, "{}: {ratios:?}", family.name);
        }
        assert!(
            family
                .shipped
                .iter()
                .all(|size| family.sizes.contains(size)),
            "{}",
            family.name
        );
    }
}

#[test]
fn texts_are_toml_strings_as_they_are() {
    for family in rhumb_suites::families() {
        for text in [
            family.name,
            family.description,
            family.knob,
            family.stands_for,
        ] {
            assert!(!text.contains(['"', '\\', '\n']), "{text}");
        }
    }
}

#[test]
fn keys_survive_their_text_form() {
    for task in rhumb_suites::shelf()
        .into_iter()
        .flat_map(|folder| folder.tasks)
    {
        if let Verdict::Unsafe(key) = task.verdict {
            assert_eq!(key.to_string().parse(), Ok(key), "{}", task.name);
        }
    }
}

#[test]
fn wrong_parameters_are_refused() {
    let refused = |family, parameter| {
        rhumb_suites::make(family, parameter)
            .expect_err("the parameter is wrong")
            .to_string()
    };
    assert_eq!(
        refused("lese", "0"),
        "lese: the size must lie between 1 and 1000000000, not 0"
    );
    assert_eq!(
        refused("lese", "ten"),
        "lese: the size must be a number, not `ten`"
    );
    assert_eq!(refused("cheese", "10"), "there is no family `cheese`");
    assert_eq!(
        refused("word-machine", ""),
        "a word needs at least one letter"
    );
    assert_eq!(
        refused("word-machine", "über"),
        "`über` has characters that are not printable ASCII"
    );
    assert_eq!(
        refused("sequence-machine", "DOG"),
        "`DOG` is not of the form SEQUENCE/WORD"
    );
    let made = rhumb_suites::make("nesting-unsafe", "21");
    assert!(matches!(made, Err(MakeError::Size(_))));
}
