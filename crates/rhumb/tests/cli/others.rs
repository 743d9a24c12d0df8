//! Pointers that come from outside as numbers: null, or to objects of others.

use std::process::Command;

use crate::support::{Folder, rhumb_in};

const HEAD: &str = "extern void reach_error(void);
extern void *__VERIFIER_nondet_pointer(void);
extern void *malloc(unsigned long);
struct node { struct node *next; int key; int *count; };
extern struct node first;
int own;
";

/// The verdict on a program with this body of `main`, and the status of the compiled program where it is UNSAFE.
fn checked(body: &str) -> (String, Option<i32>) {
    let folder = Folder::new();
    let text = format!("{HEAD}int main(void) {{ {body} return 0; }}\n");
    folder.file("input.c", &text);
    let args = [
        "check",
        "input.c",
        "--engine",
        "tabulate",
        "--checks",
        "none",
        "--undefined-functions",
        "pure",
        "--harness",
        "harness.c",
    ];
    let called = rhumb_in(folder.path(), args);
    let verdict = called.last_line().to_owned();
    if !verdict.ends_with("UNSAFE") {
        return (verdict, None);
    }
    let patched = folder.path().join("harness.patched.c");
    let program = match patched.exists() {
        true => "harness.patched.c",
        false => "input.c",
    };
    let mut gcc = Command::new("gcc");
    gcc.args(["-w", "-o", "program", program, "harness.c"]);
    let compiled = gcc.current_dir(folder.path()).output().expect("gcc");
    let message = String::from_utf8_lossy(&compiled.stderr);
    assert!(compiled.status.success(), "{message}");
    let run = Command::new(folder.path().join("program")).output();
    (verdict, run.expect("the program").status.code())
}

#[test]
fn runs_through_objects_of_others_are_confirmed_by_gcc() {
    let bodies = [
        "if (first.next->next->key == 17) reach_error();",
        "struct node *p = __VERIFIER_nondet_pointer(); if (p && *p->count == 5 && p->next == 0) reach_error();",
        "struct node *p; p->key = 3; if (p->key == 3) reach_error();",
        // A member's address leads to what it is a member of.
        "int *k = __VERIFIER_nondet_pointer(); struct node *p = (struct node *)((char *)k - 8); if (p->key == 4 && *k == 4) reach_error();",
        // Two pointers to one object, and to two.
        "if (first.next == first.next->next && first.next) reach_error();",
        "if (first.next != first.next->next && first.next->next->key == first.next->key + 1) reach_error();",
        // The address is an input as well.
        "if ((unsigned long)first.next > 4096 && first.next->key == 1) reach_error();",
        // No object of the program lies in the first or the last page.
        "int *p = &own; if ((unsigned long)p < 18446744073709547521ul && (unsigned long)p > 2012) reach_error();",
        "if ((unsigned long)first.next >= 18446744073709547521ul) reach_error();",
    ];
    for body in bodies {
        let (verdict, status) = checked(body);
        assert_eq!(verdict, "verdict: UNSAFE", "{body}");
        assert_eq!(status, Some(10), "{body}");
    }
}

#[test]
fn what_no_run_does_is_not_unsafe() {
    let bodies = [
        "if (first.next == 0 && first.next->key == 1) reach_error();",
        "int k = first.next->key; if (first.next->key != k) reach_error();",
        "struct node *p = first.next; p->key = 3; if (first.next->key != 3) reach_error();",
        // Memory of others is none of the program's.
        "own = 1; *first.count = 2; if (own == 2) reach_error();",
        "if (first.count == &own) reach_error();",
        "int *p = &own; if ((unsigned long)p >= 18446744073709547521ul) reach_error();",
        "int *p = &own; if ((unsigned long)p <= 2012) reach_error();",
        // It is not known where the program's own objects lie.
        "int *p = &own; if ((unsigned long)p > 70000) reach_error();",
        "int *p = &own; if ((unsigned long)p == (unsigned long)first.next) reach_error();",
    ];
    let mut safe = 0;
    for body in bodies {
        let (verdict, _) = checked(body);
        assert_ne!(verdict, "verdict: UNSAFE", "{body}");
        safe += usize::from(verdict == "verdict: SAFE");
    }
    println!("{safe} of {} were shown to be safe", bodies.len());
}
