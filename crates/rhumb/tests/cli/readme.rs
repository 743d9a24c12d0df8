//! The commands of the README and of the book do what the pages say.
//!
//! In a block ```` ```console ````, what follows a line `$ rhumb …` is its output. In a block ```` ```sh ````, each
//! line `rhumb …` is a command that has to work.

use std::path::{Path, PathBuf};

use crate::support::{Called, Folder, rhumb_in};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A folder in which commands of the pages can be run: the examples are there.
fn folder() -> Folder {
    let folder = Folder::new();
    for name in [
        "examples",
        "benchmarks/examples",
        "benchmarks/guarded",
        "benchmarks/properties",
        "docs",
    ] {
        copy(&root().join(name), &folder.path().join(name));
    }
    folder
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).expect("a folder");
    for entry in std::fs::read_dir(from).expect("a folder of ours") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        match entry.path().is_dir() {
            true => copy(&entry.path(), &target),
            false => {
                std::fs::copy(entry.path(), target).expect("a file");
            }
        }
    }
}

fn call(folder: &Folder, command: &str) -> Called {
    let command = command.split(" | ").next().unwrap_or(command);
    let words = command.split_whitespace().skip(1);
    rhumb_in(folder.path(), words)
}

/// The blocks of a page that begin with this mark, as lines.
fn blocks<'p>(page: &'p str, mark: &str) -> Vec<Vec<&'p str>> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if line.trim() == mark {
            blocks.push(
                lines
                    .by_ref()
                    .take_while(|line| line.trim() != "```")
                    .collect(),
            );
        }
    }
    blocks
}

/// The pages with commands, apart from the one that another test writes.
fn pages() -> Vec<PathBuf> {
    let mut pages = vec![root().join("README.md")];
    let book = root().join("docs/book/src");
    if let Ok(entries) = std::fs::read_dir(book) {
        pages.extend(
            entries
                .flatten()
                .map(|entry| entry.path())
                .filter(|path| path.is_file()),
        );
    }
    pages.sort();
    pages
}

#[test]
fn outputs_are_as_the_pages_show_them() {
    for path in pages() {
        let page = std::fs::read_to_string(&path).expect("a page");
        let folder = folder();
        let mut new = page.clone();
        for block in blocks(&page, "```console") {
            let mut command = None;
            let mut shown: Vec<&str> = Vec::new();
            for line in block.iter().chain(&["$ "]) {
                let Some(next) = line.strip_prefix("$ ") else {
                    shown.push(line);
                    continue;
                };
                if let Some(command) = command
                    .replace(next)
                    .filter(|next| next.starts_with("rhumb "))
                {
                    let called = call(&folder, command);
                    let said = called.stderr.clone() + &called.stdout;
                    let said: Vec<&str> = said.lines().map(str::trim_end).collect();
                    if said != shown && std::env::var_os("RHUMB_UPDATE").is_some() {
                        let lines =
                            |all: &[&str]| all.iter().map(|line| format!("{line}\n")).collect();
                        let (before, now): (String, String) = (lines(&shown), lines(&said));
                        let head = format!("$ {command}\n");
                        new = new.replacen(&(head.clone() + &before), &(head + &now), 1);
                    } else {
                        assert_eq!(
                            said,
                            shown,
                            "{}: {command}: RHUMB_UPDATE=1 writes it anew",
                            path.display()
                        );
                    }
                }
                shown.clear();
            }
        }
        if new != page {
            std::fs::write(&path, new).expect("room for a page");
        }
    }
}

#[test]
fn commands_work() {
    let pages = pages().into_iter();
    let pages: Vec<String> = pages
        .map(|path| std::fs::read_to_string(path).expect("a page"))
        .collect();
    let folder = folder();
    let mut count = 0;
    let blocks: Vec<&str> = pages
        .iter()
        .flat_map(|page| blocks(page, "```sh").concat())
        .collect();
    for line in blocks {
        let (command, remark) = line.split_once('#').unwrap_or((line, ""));
        if !command.starts_with("rhumb ") {
            continue;
        }
        if remark.contains("fetches") {
            println!("skipped, since it fetches something: {command}");
            continue;
        }
        count += 1;
        let called = call(&folder, command.trim());
        let said = format!("{command}: {}{}", called.stdout, called.stderr);
        // UNSAFE is an answer, too; UNKNOWN is one where the page says so.
        let is_fine =
            matches!(called.status, 0 | 10) || (called.status == 5 && remark.contains("UNKNOWN"));
        assert!(is_fine, "exit status {}: {said}", called.status);
        if remark.contains("undefined behaviour is named") {
            assert!(said.contains("signed overflow"), "{said}");
        }
    }
    assert!(count > 20, "{count}");
}
