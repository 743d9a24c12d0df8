//! The book: its options come from the command line itself, its list of pages is complete, and the example in Python works.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::support::rhumb;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// What a command says of itself.
fn help(command: &str) -> String {
    let words = command.split_whitespace().skip(1).chain(["--help"]);
    let called = rhumb(words).expect(0, &[]);
    let lines = called
        .stdout
        .lines()
        .map(|line| format!("{}\n", line.trim_end()));
    lines.collect()
}

#[test]
fn options_are_those_of_the_command_line() {
    let whole = help("rhumb");
    let (_, commands) = whole.split_once("Commands:\n").expect("commands");
    let names = commands.lines().take_while(|line| !line.is_empty());
    let names = names.filter_map(|line| line.strip_prefix("  ")?.split(' ').next());
    let names = names.filter(|name| !name.is_empty() && *name != "help");
    let mut page = format!(
        "# Options\n\nA test compares this page with what the commands say of themselves; `RHUMB_UPDATE=1` writes it anew.\n\n```text\n{whole}```\n"
    );
    for name in names {
        let command = format!("rhumb {name}");
        page.push_str(&format!(
            "\n## {command}\n\n```text\n{}```\n",
            help(&command)
        ));
    }
    let path = root().join("docs/book/src/options.md");
    if std::env::var_os("RHUMB_UPDATE").is_some() {
        std::fs::write(&path, &page).expect("room for a page");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        known == page,
        "RHUMB_UPDATE=1 writes docs/book/src/options.md anew"
    );
}

#[test]
fn every_page_is_in_the_list_and_every_link_leads_somewhere() {
    let folder = root().join("docs/book/src");
    let list = std::fs::read_to_string(folder.join("SUMMARY.md")).expect("a list of pages");
    let entries = std::fs::read_dir(&folder).expect("the book").flatten();
    for entry in entries.filter(|entry| entry.path().is_file()) {
        let name = entry.file_name().into_string().expect("a plain name");
        assert!(
            name == "SUMMARY.md" || list.contains(&format!("({name})")),
            "{name} is not in the list"
        );
        let page = std::fs::read_to_string(entry.path()).expect("a page");
        for link in page
            .split("](")
            .skip(1)
            .filter_map(|rest| rest.split(')').next())
        {
            let is_page = link.ends_with(".md") && !link.contains("://");
            assert!(!is_page || folder.join(link).exists(), "{name}: {link}");
        }
    }
}

#[test]
fn formats_are_what_their_definitions_say() {
    let done = Command::new("python3")
        .arg(root().join("tools/test_formats.py"))
        .arg(env!("CARGO_BIN_EXE_rhumb"))
        .output();
    let Ok(done) = done else {
        println!("skipped: there is no python3");
        return;
    };
    let said = String::from_utf8_lossy(&done.stdout);
    println!("{said}");
    let problems = String::from_utf8_lossy(&done.stderr);
    assert!(
        done.status.success() && said.ends_with("ok\n"),
        "{problems}"
    );
}

#[test]
fn the_picture_of_a_terminal_is_true() {
    let folder = crate::support::Folder::new();
    let out = folder.path().join("terminal.svg");
    let done = Command::new("python3")
        .arg(root().join("tools/terminal_picture.py"))
        .arg(env!("CARGO_BIN_EXE_rhumb"))
        .arg(&out)
        .args(["check", "examples/average.c"])
        .current_dir(root())
        .status();
    if done.is_err() {
        println!("skipped: there is no python3");
        return;
    }
    let new = std::fs::read_to_string(&out).expect("a picture");
    let path = root().join("docs/book/src/pictures/terminal.svg");
    if std::env::var_os("RHUMB_UPDATE").is_some() {
        std::fs::write(&path, &new).expect("room for a picture");
    }
    let known = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        known == new,
        "RHUMB_UPDATE=1 writes docs/book/src/pictures/terminal.svg anew"
    );
}

#[test]
fn the_notebook_works() {
    let done = Command::new("python3")
        .arg(root().join("tools/test_python.py"))
        .env("RHUMB", env!("CARGO_BIN_EXE_rhumb"))
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .output();
    let Ok(done) = done else {
        println!("skipped: there is no python3");
        return;
    };
    let problems = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{problems}");
}
