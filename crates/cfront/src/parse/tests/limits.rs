//! Deep, long and endless input.

use super::messages;
use crate::diagnostic::Severity;
use crate::parse::{MAX_DEPTH, check_syntax};

const MANY: usize = 100_000;

/// Checks that a text is refused because it nests too deeply, and at once.
#[track_caller]
fn check_too_deep(text: &str) {
    let found = messages(text, Severity::Error);
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].ends_with("nested too deeply"), "{found:?}");
}

/// Checks that a text is accepted.
#[track_caller]
fn check_accepted(text: &str) {
    let diagnostics = check_syntax(text.as_bytes());
    let errors: Vec<_> = diagnostics.iter().collect();
    assert!(!diagnostics.has_errors(), "{errors:?}");
}

#[test]
fn deep_nesting_is_refused() {
    for (before, open) in [
        ("int x = ", "("),
        ("int x = ", "-"),
        ("int x = ", "- -"),
        ("int x = ", "!~*&"),
        ("int x = ", "++"),
        ("int x = ", "(int)"),
        ("int x = ", "sizeof "),
        ("int x = ", "sizeof("),
        ("int x = ", "a ? b : "),
        ("int x = ", "a ? "),
        ("int x = ", "a ?: "),
        ("int x = ", "a = "),
        ("int x = ", "a["),
        ("int x = ", "f("),
        ("int x = ", "f(1, "),
        ("int x = ", "({ "),
        ("int x = ", "(int){"),
        ("int x = ", "__extension__ (__extension__ "),
        ("int x = ", "_Generic("),
        ("int x = ", "__builtin_choose_expr("),
        ("int x = ", "__builtin_va_arg("),
        ("int x = ", "__builtin_offsetof(struct S, a["),
        ("int x[] = ", "{"),
        ("int x[] = ", "{[0] = "),
        ("int x[] = {[", "a["),
        ("int ", "("),
        ("int ", "(*"),
        ("int f", "(int g"),
        ("int f(int ", "("),
        ("int x", "[sizeof(int"),
        ("", "struct { "),
        ("", "typeof("),
        ("", "_Atomic("),
        ("", "_Alignas(struct { "),
        ("", "enum { A = sizeof("),
        ("int x __attribute__((aligned", "("),
        ("void f(void) ", "{"),
        ("void f(void) { ", "if (1) "),
        ("void f(void) { ", "if (1) ; else l: "),
        ("void f(void) { ", "while (1) "),
        ("void f(void) { ", "do "),
        ("void f(void) { ", "for (;;) "),
        ("void f(void) { ", "switch (1) "),
        ("void f(void) { ", "while (({ "),
        ("void f(void) { case ", "("),
        ("void f(void) { ", "else "),
    ] {
        let text = format!("{before}{}", open.repeat(MANY));
        let found = messages(&text, Severity::Error);
        let deep = found
            .iter()
            .any(|message| message.ends_with("nested too deeply"));
        // An `else` that matches nothing is reported before.
        assert!(
            deep || (open == "else " && found.len() == 20),
            "{before}{open}: {found:?}"
        );
    }
    check_too_deep(&format!(
        "int x = {}1{};",
        "(".repeat(MANY),
        ")".repeat(MANY)
    ));
    check_too_deep(&format!(
        "void f(void) {}{}",
        "{".repeat(MANY),
        "}".repeat(MANY)
    ));
}

#[test]
fn nesting_within_the_limit_is_accepted() {
    let depth = MAX_DEPTH as usize - 10;
    for (before, open, middle, close, after) in [
        ("int x = ", "(", "1", ")", ";"),
        ("int x = ", "-", "1", "", ";"),
        ("int x = ", "a ? b : ", "1", "", ";"),
        ("int x = ", "(int) ", "1", "", ";"),
        ("int x[] = ", "{", "1", "}", ";"),
        ("int ", "(", "x", ")", ";"),
        ("void f(void) ", "{", "", "}", ""),
        ("void f(void) {", "if (1) ", ";", "", "}"),
        ("", "struct { ", "int x;", "} x; ", ""),
    ] {
        let text = format!(
            "{before}{}{middle}{}{after}",
            open.repeat(depth),
            close.repeat(depth)
        );
        // Also on a thread with little stack of its own.
        let thread = std::thread::Builder::new().stack_size(256 * 1024);
        let handle = thread
            .spawn(move || check_accepted(&text))
            .expect("a thread");
        assert!(handle.join().is_ok(), "{before}{open}");
    }
}

#[test]
fn long_chains_do_not_nest() {
    for (before, piece, after) in [
        ("int x = 0", " + 1", ";"),
        ("int x = 0", " * 2 + 3 << 1 && 4", ";"),
        ("int x = (0", ", 1", ");"),
        ("int x = f", "(1)[2].a->b", ";"),
        ("int x = x", "++", ";"),
        ("int x", ", *y = 0", ";"),
        ("int x[] = {0", ", {1}", "};"),
        ("char *s = \"\"", " \"abc\"", ";"),
        ("int ", "*", "x;"),
        ("int x", "[1]", ";"),
        ("void f(void) { if (1) ;", " else if (2) ;", "}"),
        ("void f(void) { switch (1) {", " case 1:", " ; } }"),
        ("void f(void) { switch (1)", " case 1:", " ; }"),
        ("void f(void) {", " l:", " ; }"),
        ("void f(void) {", " ;", "}"),
        ("", "int x; ", ""),
        ("", "; ", ""),
        ("", "__extension__ ", "int x;"),
        ("", "const ", "int x;"),
        ("int x ", "__attribute__((unused)) ", ";"),
        ("int f(int a", ", int b", ");"),
        ("struct S {", " int a : 1;", " };"),
        ("enum E { Z", ", A = 1", " };"),
        ("int x; ", "_Pragma(\"a\") ", ""),
        ("int x; /*", " /* ", "*/"),
        ("int x", "\\\n", ";"),
        ("", "#pragma x\n", "int x;"),
    ] {
        let text = format!("{before}{}{after}", piece.repeat(MANY));
        check_accepted(&text);
    }
}

#[test]
fn pathological_tokens() {
    for piece in [
        "_Pragma ",
        "\\",
        "'",
        "\"",
        "#",
        "/*",
        "..",
        "@",
        "\0",
        "\u{feff}",
        "#line x\n",
        "0x",
    ] {
        let text = piece.repeat(MANY);
        check_syntax(text.as_bytes());
    }
    check_accepted(&format!("int {};", "x".repeat(1_000_000)));
    check_accepted(&format!("int x = {}1;", "0".repeat(1_000_000)));
    check_accepted(&format!("char s[] = \"{}\";", "x".repeat(1_000_000)));
}
