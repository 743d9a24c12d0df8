//! `docs/library.md`: every library function that we know, and what we make of a call.

use std::collections::BTreeMap;
use std::fmt::Write;

use crate::lower::functions::{Effect, LIST, Listed, THREADS, VARIABLES};
use crate::lower::is_built_in;
use crate::lower::open::{Openness, openness};
use crate::models;

const INTRODUCTION: &str = "\
# The library

What Rhumb makes of a call of a library function that the program does not define itself. This page is written from the code:
`UPDATE=1 cargo test -p rhumb-cfront --test library_table` makes it again, and a test compares the two.

- **built in**: exact, done by the front end or the interpreter.
- **in C**: exact, written in `crates/cfront/library/models.c`; *the sign* or *zero or not*: C leaves open which number of that kind the result is. Where a
  program can see more of it than that, the result is approximated.
- **input**: in C, and what it reads comes from outside of the program and can be anything: an input like those of `__VERIFIER_nondet_*`. What is in files other than standard
  input is not known.
- **in C, partly unknown**: some of what it gives or writes is not known. A proof holds whatever it is; no UNSAFE rests on it.
- **unknown result**: the result can be anything, and the call does nothing that the model follows. A proof holds whatever the result is; no UNSAFE rests on it.
- **unknown result, or refused**: as before, if the call passes no pointer through which it could write; otherwise it is refused.
- **refused**: reaching the call gives UNKNOWN, with the name of the function and the reason.

The functions of `math.h` and `complex.h` stand for their variants with the suffixes of floating types, too. After a call whose result is unknown `errno`
is unknown. In a program that reads the environment or standard input, functions that change it are refused. A function that is declared in a header of the system and is not in this list is refused.
";

/// The page.
pub fn library_table() -> String {
    let mut page = INTRODUCTION.to_owned();
    let mut header = "";
    let mut groups: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for listed in LIST.iter() {
        if listed.header != header {
            write_header(&mut page, header, &groups);
            groups.clear();
            header = listed.header;
        }
        groups
            .entry(treatment(listed))
            .or_default()
            .push(listed.name);
    }
    write_header(&mut page, header, &groups);
    let quoted = |names: &[&str], star: &str| {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}{star}`")).collect();
        names.join(", ")
    };
    let is_thread = |name: &&str| THREADS.iter().any(|prefix| name.starts_with(prefix));
    let mut known: Vec<&str> = models::names().filter(is_thread).collect();
    known.sort_unstable();
    let known = quoted(&known, "");
    let threads = quoted(THREADS, "*");
    let variables = quoted(VARIABLES, "");
    let _ = write!(
        page,
        "\n## Threads\n\n- in C: {known}\n- others are refused, they have to do with threads: {threads}\n\
         \n## Variables\n\nThe library changes them, so using one that the program does not define is refused: {variables}\n\
         \nOnly `getopt` and its kin change `optarg`, `opterr`, `optind` and `optopt`. Where the program doesn't define those functions itself calls of them \
         are refused, so these variables have the library's first values (no pointer, 1, 1, `'?'`), and then what the program stores in them.\n"
    );
    page
}

/// What we make of a call.
fn treatment(listed: &Listed) -> String {
    let name = listed.name;
    let open = match openness(name) {
        Some(Openness::Sign) => ", the sign",
        Some(_) => ", zero or not",
        None => "",
    };
    if is_built_in(name) {
        return format!("built in{open}");
    }
    if models::reads_input(name) {
        return "input".to_owned();
    }
    if models::is_partly_unknown(name) {
        return "in C, partly unknown".to_owned();
    }
    if models::model(name).is_some() {
        return format!("in C{open}");
    }
    match listed.effect {
        Effect::Result => "unknown result".to_owned(),
        Effect::Writes => "unknown result, or refused".to_owned(),
        Effect::Ends => "built in".to_owned(),
        Effect::Refused(why) => format!("refused, {why}"),
    }
}

fn write_header(page: &mut String, header: &str, groups: &BTreeMap<String, Vec<&str>>) {
    if groups.is_empty() {
        return;
    }
    let title = if header == "others" {
        "Others".to_owned()
    } else {
        format!("`{header}`")
    };
    let _ = write!(page, "\n## {title}\n\n");
    for (treatment, names) in groups {
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let _ = writeln!(page, "- {treatment}: {}", names.join(", "));
    }
}
