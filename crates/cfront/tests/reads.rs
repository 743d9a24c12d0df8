//! What is read from memory a second time, and what is not.

use rhumb_cfront::{LoadOptions, Options, compile, load_text};
use rhumb_program::Action;

/// Loads of a function whose body this is, with two pointers to integers and one to a record.
fn loads(body: &str) -> usize {
    let text = format!(
        "extern void other(void);
         struct node {{ int value; unsigned low : 5; struct node *next; }};
         int main(void) {{
           struct node first = {{ 1, 2, 0 }}, *n = &first;
           int a[4] = {{ 1, 2, 3, 4 }}, *p = a, *q = a + 1, x = 0, y = 0;
           {body}
           return x + y + (p == q) + (n == 0);
         }}"
    );
    let source = load_text("main.c", text.into_bytes(), &LoadOptions::default()).expect("loads");
    let compiled = compile(source.map, &Options::default());
    let diagnostics = compiled.diagnostics;
    let program = compiled.program;
    let program = program.unwrap_or_else(|| panic!("{diagnostics:?} in {body}"));
    let main = program.functions.iter().find(|it| &*it.name == "main");
    let edges = main.expect("it is there").cfa.edges.iter();
    edges
        .filter(|edge| matches!(edge.action, Action::Load { .. }))
        .count()
}

#[test]
fn what_nobody_has_changed_is_read_once() {
    assert_eq!(loads("x = *p; y = *p;"), 1);
    assert_eq!(loads("if (*p > 0 && *p < 9) x = *p;"), 1);
    assert_eq!(loads("x = p[1]; y = p[1];"), 1);
    assert_eq!(loads("x = n->value; y = n->value;"), 1);
    // By the name of a copy.
    assert_eq!(loads("x = *p; y = *p++;"), 1);
    assert_eq!(loads("x = *p; q = p; y = *q;"), 1);
    // What was written.
    assert_eq!(loads("*p = x; y = *p;"), 0);
    assert_eq!(loads("*p = 7; y = *p;"), 0);
    // On both ways, in a loop.
    assert_eq!(loads("x = *p; if (x) y = 1; else y = 2; y += *p;"), 1);
    assert_eq!(loads("x = *p; while (y < *p) y++;"), 1);
}

#[test]
fn what_may_have_changed_is_read_again() {
    assert_eq!(loads("x = *p; p++; y = *p;"), 2);
    assert_eq!(loads("x = *p; *q = 3; y = *p;"), 2);
    assert_eq!(loads("x = *p; other(); y = *p;"), 2);
    assert_eq!(loads("x = *p; y = *q;"), 2);
    assert_eq!(loads("if (x) y = *p; y += *p;"), 2);
    assert_eq!(loads("while (y < *p) { *q = y; y++; }"), 1);
    assert_eq!(loads("x = *p; while (y < *p) { *q = y; y++; }"), 2);
    assert_eq!(loads("n = n->next; n = n->next;"), 2);
    // Not all bits of what was written are there.
    assert_eq!(loads("n->low = x; y = n->low;"), 1);
    // The variable that had it has another value.
    assert_eq!(loads("x = *p; x++; y = *p; y++; x += *p;"), 3);
    assert_eq!(loads("x = *(char *) p; y = *p;"), 2);
}
