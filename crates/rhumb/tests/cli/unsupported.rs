//! Valid C that we don't handle: UNKNOWN with the line if it can be reached, a warning if not.

use crate::support::check;

#[track_caller]
fn unsupported(text: &str, what: &str, line: u32) {
    let called = check(text).expect(5, &[&format!("input.c:{line}:"), what, "^"]);
    assert!(
        called
            .last_line()
            .starts_with("verdict: UNKNOWN (unsupported ")
            && called.last_line().contains(what)
            && called.last_line().ends_with(&format!(", input.c:{line})")),
        "{}",
        called.stdout
    );
}

#[test]
fn named_with_its_line() {
    unsupported(
        "int main(void) {\n  __asm__(\"nop; nop\");\n  return 0;\n}\n",
        "assembly",
        2,
    );
    unsupported(
        "int main(void) {\n  _Complex double z = 1;\n  return 0;\n}\n",
        "_Complex",
        2,
    );
    unsupported(
        "#include <setjmp.h>\njmp_buf b;\nint main(void) {\n  return setjmp(b);\n}\n",
        "setjmp",
        4,
    );
    unsupported(
        "#include <pthread.h>\nvoid *f(void *p) { return p; }\nint main(void) {\n  pthread_t t;\n  pthread_create(&t, 0, f, 0);\n  return pthread_cancel(t);\n}\n",
        "pthread_cancel",
        6,
    );
    unsupported(
        "int main(void) {\n  int twice(int x) { return 2 * x; }\n  return twice(0);\n}\n",
        "nested function",
        2,
    );
}

#[test]
fn only_a_warning_where_no_run_gets() {
    let called = check("void unused(void) { __asm__(\"nop\"); }\nint main(void) { return 0; }\n")
        .expect(0, &["warning", "input.c:1:", "assembly"]);
    assert_eq!(called.last_line(), "verdict: SAFE");
}

#[test]
fn other_properties() {
    let folder = crate::support::Folder::new();
    folder.file("a.c", "int main(void) { return 0; }\n");
    folder.file("p.prp", "CHECK( init(main()), LTL(G F end) )\n");
    let called = crate::support::rhumb_in(folder.path(), ["check", "a.c", "--property", "p.prp"])
        .expect(5, &[]);
    assert_eq!(
        called.last_line(),
        "verdict: UNKNOWN (unsupported property G F end)"
    );
}
