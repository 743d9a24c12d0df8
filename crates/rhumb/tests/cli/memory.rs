//! Programs that use memory like variables: each right, and with a planted bug that inputs confirm.

use std::path::Path;
use std::process::Command;

use crate::support::{Folder, rhumb_in};

const PRELUDE: &str = "extern int __VERIFIER_nondet_int(void); extern void reach_error(void);
extern void *malloc(unsigned long); extern void free(void *);
";

/// What is the same in both, with `@` for what differs: first right, then wrong.
const PROGRAMS: [(&str, &str, &str, &str); 7] = [
    (
        "out-parameters",
        "struct range { int low, high; };
        static void order(int a, int b, struct range *to) { if (a < b) { to->low = a; to->high = b; } else { to->low = b; to->high = @; } }
        int main(void) { struct range r; order(__VERIFIER_nondet_int(), __VERIFIER_nondet_int(), &r); if (r.low > r.high) reach_error(); }",
        "a",
        "b - (b > -9)",
    ),
    (
        "tagged union",
        "struct value { int tag; union { int number; unsigned bits; } as; };
        static int get(struct value *v) { return v->tag == 0 ? v->as.number : -1; }
        int main(void) { int n = __VERIFIER_nondet_int(); struct value v; v.tag = @; v.as.number = n; if (get(&v) != n) reach_error(); }",
        "0",
        "n == 17",
    ),
    (
        "ring buffer",
        "int main(void) { int ring[4]; unsigned head = 0, tail = 0; int first = __VERIFIER_nondet_int();
        ring[tail % 4] = first; tail++; ring[tail % 4] = 2; tail++; ring[tail % 4] = 3; tail++; ring[tail % 4] = 4; tail++;
        ring[(tail + @) % 4] = 9;
        if (ring[(head + 1) % 4] != 2) reach_error(); }",
        "0",
        "1",
    ),
    (
        "matrix",
        "int main(void) { int m[2][2]; int s = 0; int x = __VERIFIER_nondet_int(); if (x < 0 || x > 100) return 0;
        for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) m[i][j] = x + i + j;
        for (int i = 0; i < 2; i++) for (int j = 0; j < 2; j++) s += m[i][j];
        if (s != 4 * x + @) reach_error(); }",
        "4",
        "4 + (x == 50)",
    ),
    (
        "stack of two from the heap",
        "struct node { int value; struct node *next; };
        int main(void) { struct node *top = 0; struct node *a = malloc(sizeof *a); a->value = 1; a->next = top; top = a;
        struct node *b = malloc(sizeof *b); b->value = __VERIFIER_nondet_int(); b->next = top; top = b;
        if (top->next->value != 1) reach_error(); top = top->next; free(b);
        if (top->next != @) reach_error(); free(a); }",
        "0",
        "top",
    ),
    (
        "list on the stack",
        "struct node { int value; struct node *next; };
        int main(void) { struct node c = { 3, 0 }, b = { 2, &c }, a = { 1, &b }; int s = 0;
        b.next = __VERIFIER_nondet_int() ? &c : @;
        for (struct node *p = &a; p; p = p->next) s += p->value;
        if (s != 6) reach_error(); }",
        "b.next",
        "0",
    ),
    (
        "a choice of two",
        "static void set(int *to, int value) { *to = value; }
        int main(void) { int x = 1, y = 2; int *p = __VERIFIER_nondet_int() > 0 ? &x : &y; set(p, 7);
        if (x + y != (p == @ ? 9 : 8)) reach_error(); }",
        "&x",
        "&y",
    ),
];

#[test]
fn programs_with_objects_are_decided() {
    let folder = Folder::new();
    for (name, text, right, wrong) in PROGRAMS {
        for (part, verdict) in [(right, "SAFE"), (wrong, "UNSAFE")] {
            folder.file("input.c", format!("{PRELUDE}{}", text.replace('@', part)));
            let args = ["check", "input.c", "--certificate", "c.json"];
            let called = rhumb_in(folder.path(), args);
            let all = format!("{name}: {}{}", called.stdout, called.stderr);
            assert_eq!(called.last_line(), format!("verdict: {verdict}"), "{all}");
            let args = ["validate", "input.c", "--certificate", "c.json"];
            let validated = rhumb_in(folder.path(), args);
            let all = format!("{name}: {}{}", validated.stdout, validated.stderr);
            assert!(validated.last_line().contains(verdict), "{all}");
        }
    }
}

/// The examples about memory: right as they are, and wrong with their planted bug, for which compiled code fails on the
/// inputs that were found.
#[test]
fn examples_about_memory_are_decided() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/memory");
    let files = std::fs::read_dir(&examples).expect("there are examples");
    let mut files: Vec<_> = files.map(|file| file.expect("a file").path()).collect();
    files.sort();
    assert_eq!(files.len(), 12);
    let folder = Folder::new();
    for file in &files {
        let file = file.to_str().expect("a name");
        let right = rhumb_in(folder.path(), ["check", file]);
        assert_eq!(right.last_line(), "verdict: SAFE", "{file}");
        let args = ["check", file, "-D", "BUG", "--harness", "h.c"];
        let wrong = rhumb_in(folder.path(), args);
        assert_eq!(wrong.last_line(), "verdict: UNSAFE", "{file}");
        let compiled = Command::new("gcc")
            .args(["-w", "-D", "BUG", file, "h.c", "-o", "program"])
            .current_dir(folder.path())
            .status();
        assert!(compiled.expect("gcc runs").success(), "{file}");
        let run = Command::new(folder.path().join("program")).status();
        assert_eq!(run.expect("it runs").code(), Some(10), "{file}");
    }
}

/// What pointers may point to: two lists are two regions, and none has the other's pointers.
#[test]
fn regions_say_what_points_where() {
    let folder = Folder::new();
    let text = "struct node { int h; struct node *next; };
        int main(void) { struct node *a = 0, *b = 0;
        while (__VERIFIER_nondet_int()) {
        struct node *x = malloc(sizeof *x); x->h = 1; x->next = a; a = x;
        struct node *y = malloc(sizeof *y); y->h = 2; y->next = b; b = y; } }";
    folder.file("input.c", format!("{PRELUDE}{text}"));
    let called = rhumb_in(folder.path(), ["cfa", "input.c", "--regions"]);
    let all = called.stdout;
    let (first, second) = (all.find("at line 6: "), all.find("at line 7: "));
    let (Some(first), Some(second)) = (first, second) else {
        panic!("{all}");
    };
    let (first, second) = (&all[first..second], &all[second..]);
    for (region, own, other, line) in [(first, "x", "y", 6), (second, "y", "x", 7)] {
        assert!(region.contains("is allocated any number of times"), "{all}");
        let mut lines = region.lines();
        let pointers = lines
            .find(|line| line.contains("pointers to it"))
            .expect("pointers");
        assert!(pointers.contains(own) && !pointers.contains(other), "{all}");
        let next = format!("it points to: what is allocated at line {line}");
        assert!(region.contains(&next), "{all}");
    }
}

/// What stays unknown says which object it is, and why.
#[test]
fn unknown_memory_is_explained() {
    let folder = Folder::new();
    let text = "int main(void) { int cells[1000]; int i = __VERIFIER_nondet_int(), j = __VERIFIER_nondet_int();
        if (i < 0 || i >= 1000 || j < 0 || j >= 1000) return 0;
        cells[i] = 3; cells[j] = 4;
        if (cells[i] < 3) reach_error(); }";
    folder.file("input.c", format!("{PRELUDE}{text}"));
    let called = rhumb_in(folder.path(), ["check", "input.c", "--engine", "bmc"]);
    let line = called.last_line();
    assert!(
        line.contains("`cells` has too many elements for an unknown index"),
        "{line}"
    );
}

/// A pointer without a value may point anywhere: nothing behind its use counts as impossible.
#[test]
fn pointers_without_a_value_exclude_nothing() {
    let folder = Folder::new();
    let uses = [
        "int *p; if (*p == 3) reach_error();",
        "struct { int *p; int x; } s; s.x = 1; if (*s.p == 3) reach_error();",
        "int **p = malloc(sizeof *p); if (**p == 3) reach_error();",
    ];
    for text in uses {
        let text = format!("{PRELUDE}int main(void) {{ {text} }}");
        folder.file("input.c", &text);
        let called = rhumb_in(folder.path(), ["check", "input.c", "--engine", "bmc"]);
        assert_ne!(called.last_line(), "verdict: SAFE", "{text}");
    }
}

/// The end of an object may be the start of another: no engine takes a comparison of them for decided.
#[test]
fn where_objects_lie_is_open() {
    for condition in ["p + 1 == q", "q + 1 == p", "p + 1 != q", "p < q", "q < p"] {
        let text = format!(
            "{PRELUDE}int main(void) {{ int a = 1, b = 2; int *p = &a, *q = &b; if ({condition}) reach_error(); return *p + *q; }}\n"
        );
        let folder = Folder::new();
        folder.file("input.c", text);
        for engine in ["gps", "gps-lite", "bmc", "explicit", "execute"] {
            let check = ["check", "input.c", "--engine", engine, "--timeout", "20s"];
            let called = rhumb_in(folder.path(), check);
            assert!(
                called.last_line().starts_with("verdict: UNKNOWN"),
                "{condition}, {engine}: {}",
                called.last_line()
            );
        }
    }
}

/// Different objects that are alive have different addresses.
#[test]
fn objects_are_told_apart() {
    let text = format!(
        "{PRELUDE}int main(void) {{ int a = 1, b = 2; int *p = __VERIFIER_nondet_int() ? &a : &b; *p = 3;
         if (p == &a ? a != 3 : p != &b || b != 3) reach_error(); return 0; }}\n"
    );
    let folder = Folder::new();
    folder.file("input.c", text);
    for engine in ["gps", "gps-lite", "bmc", "execute"] {
        let check = ["check", "input.c", "--engine", engine, "--timeout", "20s"];
        let called = rhumb_in(folder.path(), check);
        assert_eq!(called.last_line(), "verdict: SAFE", "{engine}");
    }
}
