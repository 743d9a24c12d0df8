//! Functions and objects that no file defines.

use std::path::Path;
use std::process::Command;

use crate::support::{Called, Folder, rhumb_in};

const BUMP: &str = "#include <assert.h>
extern void bump(void);
int counter;
int main(void) { bump(); assert(counter == 0); return 0; }
";

fn check_in(folder: &Folder, text: &str, more: &[&str]) -> Called {
    folder.file("input.c", text);
    let args = ["check", "input.c"].iter().chain(more);
    rhumb_in(folder.path(), args)
}

fn check(text: &str, more: &[&str]) -> Called {
    check_in(&Folder::new(), text, more)
}

/// Fails unless the verdict is this one, with these lines before it.
#[track_caller]
fn verdict(called: &Called, verdict: &str, lines: &[&str]) {
    let all = format!("{}{}", called.stdout, called.stderr);
    assert_eq!(called.last_line(), format!("verdict: {verdict}"), "{all}");
    // Long lines go on in the next one.
    let said = called.stdout.replace("\n  ", " ");
    for line in lines {
        assert!(
            said.lines().any(|found| found == *line),
            "no `{line}` in:\n{all}"
        );
    }
    if lines.is_empty() {
        assert!(!called.stdout.contains("assumes:"), "{all}");
    }
}

/// Compiles the program with a harness, in one file and in two, and fails unless both reach the error.
#[track_caller]
fn reached_by_gcc(folder: &Path, level: &str) {
    for files in [&["input.c", "harness.c"][..], &["alone.c"]] {
        let mut gcc = Command::new("gcc");
        gcc.args(["-w", level, "-o", "program"]).args(files);
        let compiled = gcc.current_dir(folder).output().expect("gcc");
        assert!(
            compiled.status.success(),
            "{}",
            String::from_utf8_lossy(&compiled.stderr)
        );
        let run = Command::new(folder.join("program"))
            .output()
            .expect("the program");
        assert_eq!(run.status.code(), Some(10), "{files:?} {level}");
    }
}

#[test]
fn an_undefined_function_may_change_what_others_see() {
    let folder = Folder::new();
    let files = [
        "--harness",
        "harness.c",
        "--standalone",
        "alone.c",
        "--certificate",
        "c.json",
    ];
    let called = check_in(&folder, BUMP, &files);
    verdict(
        &called,
        "UNSAFE",
        &["input: `counter` after bump() at input.c:4 = 1"],
    );
    assert!(
        called
            .stderr
            .contains("what other files can reach may change"),
        "{}",
        called.stderr
    );
    reached_by_gcc(folder.path(), "-O0");
    reached_by_gcc(folder.path(), "-O2");
    rhumb_in(
        folder.path(),
        ["validate", "input.c", "--certificate", "c.json"],
    )
    .expect(0, &[]);
}

#[test]
fn the_caller_may_say_that_it_does_not() {
    let assumed = ["assumes: bump() changes nothing"];
    for list in [
        "pure",
        "bump=pure",
        "memory,bump=pure",
        "refuse, bump = pure",
    ] {
        verdict(
            &check(BUMP, &["--undefined-functions", list]),
            "SAFE",
            &assumed,
        );
    }
    let twice = [
        "--undefined-functions",
        "refuse",
        "--undefined-functions",
        "bump=pure",
    ];
    verdict(&check(BUMP, &twice), "SAFE", &assumed);
    for list in ["refuse", "pure,bump=refuse"] {
        let called = check(BUMP, &["--undefined-functions", list]);
        verdict(
            &called,
            "UNKNOWN (unsupported `bump`, which has no body, input.c:4)",
            &[],
        );
    }
    let called = check(BUMP, &["--undefined-functions", "pure,bmup=memory"]);
    called.expect(0, &["no function `bmup` without a body is used"]);
    for list in ["", "some", "=pure", "bump=", "pure,"] {
        assert_eq!(
            check(BUMP, &["--undefined-functions", list]).status,
            1,
            "{list}"
        );
    }
}

#[test]
fn tasks_of_the_competition_mean_functions_without_effect() {
    let folder = Folder::new();
    folder.file(
        "p.prp",
        "CHECK( init(main()), LTL(G ! call(reach_error())) )\n",
    );
    let text = "extern void bump(void); extern void reach_error(void); int counter;
int main(void) { bump(); if (counter) reach_error(); return 0; }";
    verdict(&check_in(&folder, text, &[]), "UNSAFE", &[]);
    let assumed = ["assumes: bump() changes nothing"];
    verdict(
        &check_in(&folder, text, &["--property", "p.prp"]),
        "SAFE",
        &assumed,
    );
    let both = ["--property", "p.prp", "--undefined-functions", "memory"];
    verdict(&check_in(&folder, text, &both), "UNSAFE", &[]);
    folder.file(
        "t.yml",
        "format_version: '2.0'\ninput_files: input.c\nproperties:\n  - property_file: p.prp\n    expected_verdict: true\n",
    );
    verdict(
        &rhumb_in(folder.path(), ["check", "t.yml"]),
        "SAFE",
        &assumed,
    );
}

#[test]
fn certificates_say_what_was_assumed() {
    let folder = Folder::new();
    let made = [
        "--undefined-functions",
        "bump=pure",
        "--certificate",
        "c.json",
    ];
    verdict(
        &check_in(&folder, BUMP, &made),
        "SAFE",
        &["assumes: bump() changes nothing"],
    );
    let validate = |more: &[&str]| {
        let args = ["validate", "input.c", "--certificate", "c.json"];
        rhumb_in(folder.path(), args.iter().chain(more))
    };
    let called = validate(&[]);
    assert_eq!(
        called.stdout,
        "assumes: bump() changes nothing\ncertificate: valid: SAFE\n"
    );
    validate(&["--undefined-functions", "memory"]).expect(2, &["other assumptions"]);
    // Who takes the assumption out has a proof of another program.
    let text = std::fs::read_to_string(folder.path().join("c.json")).expect("a certificate");
    for (from, to) in [
        ("memory,bump=pure", "memory"),
        ("memory,bump=pure", "nonsense"),
        ("bump() changes nothing", "all is well"),
    ] {
        let changed = text.replace(from, to);
        assert_ne!(changed, text);
        folder.file("c.json", changed);
        assert_eq!(validate(&[]).status, 2, "{from} {to}");
    }
}

#[test]
fn what_others_can_not_reach_stays() {
    let safe = |text: &str, lines: &[&str]| verdict(&check(text, &[]), "SAFE", lines);
    // A static variable, a local and a constant; the call's own result is stored after what it changes.
    safe(
        "extern int step(int); extern void reach_error(void); static int own = 1; const int fixed = 2; int seen;
int main(void) { int local = 3; seen = step(local); int first = seen; if (own != 1 || local != 3 || fixed != 2 || first != seen) reach_error(); return 0; }",
        &[],
    );
    // What its declaration promises.
    safe(
        "extern int size(void) __attribute__((pure)); extern int sum(int, int) __attribute__((__const__)); extern void reach_error(void); int n;
int main(void) { n = 4; size(); sum(n, 1); if (n != 4) reach_error(); return 0; }",
        &[],
    );
    // A function that may be called back is assumed not to be.
    safe(
        "extern void step(void); extern void reach_error(void); static int own; void set(void) { own = 1; }
int main(void) { step(); if (own) reach_error(); return 0; }",
        &["assumes: functions without a body call no function of the program"],
    );
    let pointer = "extern int *find(void); extern void reach_error(void); int n;
int main(void) { int *p = find(); if (p) *p = 5; n = 1; p = find(); if (p) *p = 5; if (n != 1 && p) return 0; return 0; }";
    safe(
        pointer,
        &[
            "assumes: pointers from outside point to no variable whose address the program never takes",
        ],
    );
}

#[test]
fn every_call_may_change_it_again() {
    let text = "extern void step(void); extern void reach_error(void); int n;
int main(void) { int i; for (i = 0; i < 3; i++) { n = i; step(); if (n != i && i == 2) reach_error(); } return 0; }";
    verdict(&check(text, &[]), "UNSAFE", &[]);
    let through_pointer = "extern void step(void); extern void reach_error(void); int n;
int main(void) { void (*f)(void) = step; n = 7; f(); if (n != 7) reach_error(); return 0; }";
    verdict(&check(through_pointer, &[]), "UNSAFE", &[]);
}

#[test]
fn memory_changes_in_compiled_code_too() {
    let folder = Folder::new();
    let files = ["--harness", "harness.c", "--standalone", "alone.c"];
    for text in [
        "extern void fill(int *, int); extern void reach_error(void);
int main(void) { int a[4] = {0}; fill(a, 4); if (a[2] != 0) reach_error(); return 0; }",
        "extern void step(void); extern void reach_error(void); struct { char c; int *p; int n; } box; int table[70000];
int main(void) { step(); if (box.n != 0 && box.p == 0 && table[3] != 0) reach_error(); return 0; }",
        "extern void give(int *, long); extern void use(void); extern void reach_error(void); static int s; static struct { char c; int n; } t;
extern void give_all(int, void *);
int main(void) { int x; give(&x, 3); give(&s, 4); give_all(1, &t); s = 0; t.n = 0; use(); if (s != 0 && t.n != 0) reach_error(); return 0; }",
        "struct node { int key; struct node *next; }; extern struct node *first(void); extern struct node *last; extern void reach_error(void);
int main(void) { struct node *p = first(); if (p && p->key != 0 && last && last->key != 0) reach_error(); return 0; }",
        "extern int sizes[]; extern struct opaque thing; struct opaque *const at = &thing; extern void reach_error(void);
int main(void) { if (at == &thing && sizes[5] != 0) reach_error(); return 0; }",
    ] {
        let called = check_in(&folder, text, &files);
        assert_eq!(called.last_line(), "verdict: UNSAFE", "{text}\n{}{}", called.stdout, called.stderr);
        reached_by_gcc(folder.path(), "-O0");
    }
}

#[test]
fn objects_of_other_files_are_inputs() {
    let module =
        "struct module { char name[56]; struct module *next; void (*exit)(void); int refs; };
extern struct module this_module; extern void reach_error(void);
static struct module *owner = &this_module;
int main(void) { int n = 0; if (owner->refs > 3) n++; if (n > 1) reach_error(); return 0; }";
    let called = check(module, &[]).expect(
        0,
        &[
            "`this_module` is not defined in this file",
            "taken as an input",
        ],
    );
    verdict(&called, "SAFE", &[]);
    let weak = "extern int maybe __attribute__((weak)); int main(void) { return &maybe != 0; }";
    let called = check(weak, &[]).expect(5, &[]);
    assert!(
        called
            .last_line()
            .contains("`maybe`, which is weak and may not exist"),
        "{}",
        called.stdout
    );
}

#[test]
fn a_run_by_hand_changes_nothing_that_was_not_asked_for() {
    let text = "extern int step(void); int n;
int main(void) { n = 6; step(); return n; }";
    crate::support::run(text, &["--inputs", "3"]).expect(0, &["outcome: exit 6"]);
}

#[test]
fn many_globals_and_many_calls() {
    let globals: String = (0..150).map(|i| format!("int g{i};\n")).collect();
    let calls: String = (0..150)
        .map(|i| format!("g{i} = 1; log_{}();\n", i % 5))
        .collect();
    let declared: String = (0..5)
        .map(|i| format!("extern void log_{i}(void);\n"))
        .collect();
    let text = format!(
        "extern void reach_error(void);\n{declared}{globals}int main(void) {{ int n = 2;\n{calls}if (n != 2) reach_error(); return 0; }}\n"
    );
    verdict(&check(&text, &[]), "SAFE", &[]);
    // Each of the five functions has the inputs once.
    let folder = Folder::new();
    folder.file("input.c", &text);
    let called = rhumb_in(folder.path(), ["cfa", "input.c", "-q"]).expect(0, &[]);
    assert!(
        called.stdout.lines().count() < 4_000,
        "{}",
        called.stdout.lines().count()
    );
}
