//! The book: its options come from the command line itself, its list of pages is complete, an editor does what it says, and the example
//! in Python works.

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

/// What links of a page lead to, pictures among them; what stands in blocks of code is none.
fn links(page: &str) -> Vec<(String, String)> {
    let prose = page.split("```").step_by(2);
    let links = prose.flat_map(|part| {
        part.split('[').skip(1).filter_map(|rest| {
            let (text, behind) = rest.split_once("](")?;
            let (to, _) = behind.split_once(')')?;
            Some((text.to_owned(), to.to_owned()))
        })
    });
    links.collect()
}

#[test]
fn the_list_and_the_pages_agree() {
    let folder = root().join("docs/book/src");
    let list = std::fs::read_to_string(folder.join("SUMMARY.md")).expect("a list of pages");
    let listed = links(&list);
    for (title, name) in &listed {
        let times = listed.iter().filter(|(_, other)| other == name).count();
        assert_eq!(times, 1, "{name} is listed more than once");
        let page = std::fs::read_to_string(folder.join(name)).unwrap_or_default();
        let heading = page.lines().next().unwrap_or_default();
        assert!(
            heading
                .strip_prefix("# ")
                .is_some_and(|heading| !heading.is_empty()),
            "{name}, {title}: the page is not there, or begins with no heading: {heading:?}"
        );
    }
    let entries = std::fs::read_dir(&folder).expect("the book").flatten();
    for entry in entries.filter(|entry| entry.path().is_file()) {
        let name = entry.file_name().into_string().expect("a plain name");
        let is_listed = listed.iter().any(|(_, other)| *other == name);
        assert!(
            name == "SUMMARY.md" || is_listed,
            "{name} is not in the list"
        );
        let page = std::fs::read_to_string(entry.path()).expect("a page");
        for (_, link) in links(&page) {
            let file = link.split('#').next().unwrap_or_default();
            let is_elsewhere = link.contains("://") || file.is_empty();
            assert!(is_elsewhere || folder.join(file).exists(), "{name}: {link}");
        }
    }
    // A picture that no page shows is left over.
    let pages = std::fs::read_dir(&folder).expect("the book").flatten();
    let mut text = std::fs::read_to_string(root().join("README.md")).expect("a page");
    for page in pages.filter(|page| page.path().is_file()) {
        text += &std::fs::read_to_string(page.path()).expect("a page");
    }
    for picture in std::fs::read_dir(folder.join("pictures"))
        .expect("pictures")
        .flatten()
    {
        let name = picture.file_name().into_string().expect("a plain name");
        assert!(
            text.contains(&format!("pictures/{name})")),
            "{name} is shown nowhere"
        );
    }
}

#[test]
fn an_editor_understands_the_messages() {
    let done = Command::new("python3")
        .arg(root().join("tools/editor_picture.py"))
        .arg(env!("CARGO_BIN_EXE_rhumb"))
        .arg("--list")
        .output();
    let has_vim = Command::new("vim").arg("--version").output().is_ok();
    let (Ok(done), true) = (done, has_vim) else {
        println!("skipped: there is no python3, or no vim");
        return;
    };
    let said = String::from_utf8_lossy(&done.stdout);
    let lines: Vec<&str> = said.lines().map(str::trim).collect();
    let problems = String::from_utf8_lossy(&done.stderr);
    let begins = |line: &str, with: &str| line.starts_with(with);
    assert!(
        lines.first().is_some_and(|line| begins(line, "6 ")
            && line.contains("signed overflow: 2 + 2147483646 doesn't fit int")),
        "{said}{problems}"
    );
    assert!(
        lines
            .iter()
            .any(|line| begins(line, "11 ") && line.ends_with("a <= b: true *")),
        "{said}{problems}"
    );
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
