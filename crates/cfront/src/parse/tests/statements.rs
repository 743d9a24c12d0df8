use super::{check_last, check_stmts, messages};
use crate::diagnostic::Severity;

#[test]
fn if_chains_are_flat() {
    check_stmts(
        "if (a) b; else if (c) d; else if (e) f; else g;",
        "(if a b c d e f else g)",
    );
    check_stmts("if (a) if (b) c; else d;", "(if a (if b c else d))");
    check_stmts(
        "if (a) { b; } else l: if (c) d;",
        "(if a {b} else <(label l) (if c d)>)",
    );
}

#[test]
fn loops() {
    check_stmts("while (a) b;", "(while a b)");
    check_stmts("do a; while (b); do { } while (0);", "(do a b) (do {} 0)");
    check_stmts("for (;;) ;", "(for - - - ;)");
    check_stmts(
        "for (i = 0, j = 1; i < j; i++) { }",
        "(for (, (= i 0) (= j 1)) (Lt i j) (post++ i) {})",
    );
    check_stmts(
        "for (int i = 0, *p; ; ) continue;",
        "(for (decl i: int = 0; p: ptr int) - - (continue))",
    );
    check_stmts(
        "for (__extension__ T x = 0; x; ) break;",
        "(for (decl x: T = 0) x - (break))",
    );
}

#[test]
fn switches_and_labels() {
    check_stmts(
        "switch (x) { case 1: case 2 ... 4: a; break; default: b; }",
        "(switch x {(case 1) (case 2 4) a (break) (default) b})",
    );
    check_stmts("switch (x) case 1: a;", "(switch x <(case 1) a>)");
    check_stmts(
        "switch (x) default: case 1: l: { a; }",
        "(switch x <(default) (case 1) (label l) {a}>)",
    );
    check_stmts("l: m: a; goto l;", "(label l) (label m) a (goto l)");
    check_stmts("l: __attribute__((unused)) a;", "(label l) a");
    // As in C23: a label before a declaration, and at the end of a block.
    check_stmts("l: int x; { m: }", "(label l) (decl x: int) {(label m)}");
    check_stmts(
        "__label__ a, b; a: goto *p; b: p = &&a;",
        "(local-labels a b) (label a) (goto* p) (label b) (= p (label a))",
    );
}

#[test]
fn other_statements() {
    check_stmts(
        ";; {} return; return a + 1;",
        "; ; {} (return) (return (Add a 1))",
    );
    check_stmts("__attribute__((fallthrough)); [[fallthrough]];", "; ;");
    check_stmts(
        "__attribute__((unused)) int x = 1; __extension__ T y;",
        "(decl x: int @unused = 1) (decl y: T)",
    );
    check_stmts(
        "_Static_assert(1, \"\"); static_assert(2);",
        "(static-assert 1 \"\") (static-assert 2)",
    );
    check_last(
        "int static_assert(int); int f(void) { static_assert(1); }",
        "(fun f: fn() int {(call static_assert 1)})",
    );
    check_stmts(
        "T (x); T *y, z; T;",
        "(decl x: T) (decl y: ptr T; z: T) (decl T)",
    );
    check_stmts("_Pragma(\"omp parallel\") a;\n#pragma omp for\nb;", "a b");
}

#[test]
fn assembler() {
    check_stmts("asm(\"nop\");", "(asm : :)");
    check_stmts(
        "__asm__ __volatile__ (\"\" ::: \"memory\");",
        "(asm empty : :)",
    );
    check_stmts(
        "asm volatile (\"add %1, %0\" : \"+r\" (x), [y] \"=m\" (*p) : \"r\" (a + b), \"0\" (c) : \"cc\", \"memory\");",
        "(asm : x (Deref p) : x (Add a b) c)",
    );
    check_stmts(
        "asm goto (\"jmp %l0\" : : : : l); l: ;",
        "(unsupported asm goto) (label l) ;",
    );
    check_stmts(
        "register int x asm(\"eax\") = 1;",
        "(decl x: register int = 1)",
    );
}

#[test]
fn nested_functions_are_marked() {
    check_stmts(
        "int g(int x) { return x + 1; } g(2);",
        "(decl g: fn(x: int) int) (unsupported nested function) (call g 2)",
    );
    check_stmts(
        "auto int g(a) int a; { { } }",
        "(decl g: fn(a, ?) int) (unsupported nested function)",
    );
}

#[test]
fn missing_declarations_are_no_syntax_errors() {
    assert_eq!(
        messages("int f(void) { return undeclared * x; }", Severity::Error),
        [""; 0]
    );
}
