//! Messages, as they are shown.

use super::{messages, parse};
use crate::diagnostic::Severity;
use crate::render::MessageRenderer;
use rhumb_program::SourceMap;

/// Checks the rendered messages of a text.
#[track_caller]
fn check_rendered(text: &str, expected: &str) {
    let (_, diagnostics) = parse(text.as_bytes());
    let map = SourceMap::new("t.c", text.as_bytes().into());
    let rendered = MessageRenderer::new(&map, false).render_all(&diagnostics);
    assert_eq!(
        rendered.trim_end(),
        expected.trim_matches('\n'),
        "{rendered}"
    );
}

/// Checks the errors of a text.
#[track_caller]
fn check_errors(text: &str, expected: &[&str]) {
    assert_eq!(messages(text, Severity::Error), expected, "{text}");
}

#[test]
fn a_forgotten_semicolon() {
    check_rendered(
        "int f(int x) {\n    x = 1\n    return x;\n}\n",
        "
error: expected `;` after this expression, found `return`
 --> t.c:2:10
  |
2 |     x = 1
  |          ^ expected `;` here",
    );
}

#[test]
fn an_unmatched_parenthesis() {
    check_rendered(
        "int x = (1 + 2;\n",
        "
error: expected `)`, found `;`
 --> t.c:1:15
  |
1 | int x = (1 + 2;
  |         -     ^ expected `)`
  |         |
  |         to match this `(`",
    );
}

#[test]
fn an_unclosed_block() {
    check_rendered(
        "int f(void) {\n    if (1) {\n        return 1;\n}\n",
        "
error: expected `}`, found end of file
 --> t.c:4:2
  |
1 | int f(void) {
  |             - to close this block
...
4 | }
  |  ^ expected `}`",
    );
}

#[test]
fn an_unterminated_comment() {
    check_rendered(
        "int x;\n/* never\n   closed\n",
        "
error: unterminated comment
 --> t.c:2:1
  |
2 | /* never
  | ^^ this comment has no end",
    );
}

#[test]
fn an_unknown_type() {
    check_rendered(
        "uint32_t x;\n",
        "
error: unknown type name `uint32_t`
 --> t.c:1:1
  |
1 | uint32_t x;
  | ^^^^^^^^ declared in <stdint.h>",
    );
}

#[test]
fn several_errors_in_one_file() {
    check_errors(
        "int f(void) { int x = ; return 1 }\n\
         struct S { int a int b; };\n\
         int g(int) { while (x y) { z = 1 +; } }\n\
         int h = 3 4;\n\
         int ok(void) { return 0; }\n",
        &[
            "1:23: expected an expression, found `;`",
            "1:33: expected `;` after this expression, found `}`",
            "2:17: expected `;` after this member, found `int`",
            "3:23: expected `)`, found `y`",
            "3:35: expected an expression, found `;`",
            "4:10: expected `;` after this declaration, found `4`",
        ],
    );
}

#[test]
fn declarations() {
    check_errors(
        "struct { int a; }\nint x;",
        &["1:18: expected `;` after this struct declaration, found `int`"],
    );
    check_errors(
        "union U { int a; } enum E { A } x;",
        &["1:19: expected `;` after this union declaration, found `enum`"],
    );
    check_errors("int int x;", &["1:5: invalid combination of type keywords"]);
    check_errors(
        "unsigned float x;",
        &["1:1: invalid combination of type keywords"],
    );
    check_errors(
        "long long long x;",
        &["1:11: invalid combination of type keywords"],
    );
    check_errors(
        "int struct S x;",
        &["1:5: more than one type in a declaration"],
    );
    check_errors(
        "static extern int x;",
        &["1:8: more than one storage class in a declaration"],
    );
    check_errors(
        "struct S { static int x; };",
        &["1:12: storage class `static` is not allowed here"],
    );
    check_errors(
        "struct;",
        &["1:7: expected a tag or `{` after `struct`, found `;`"],
    );
    check_errors(
        "enum E { 1 };",
        &["1:10: expected the name of an enumerator, found `1`"],
    );
    check_errors("int 5;", &["1:5: expected a name, found `5`"]);
    check_errors("int f(int x, ;", &["1:14: expected a parameter, found `;`"]);
    check_errors(
        "int f(foo x) { return 1; }",
        &["1:7: unknown type name `foo`"],
    );
    check_errors(
        "int x {",
        &["1:7: expected `;` after this declaration, found `{`"],
    );
    check_errors("}\nint x;", &["1:1: unexpected `}`"]);
    check_errors("5;", &["1:1: expected a declaration, found `5`"]);
    check_errors("int a[3;", &["1:8: expected `]`, found `;`"]);
    check_errors("int a[] = { 1, 2;", &["1:17: expected `}`, found `;`"]);
    check_errors(
        "struct S s = { .+ = 1 };",
        &["1:17: expected the name of a member after `.`, found `+`"],
    );
    check_errors(
        "int x = {.a 1};",
        &["1:13: expected `=` after a designator, found `1`"],
    );
    check_errors(
        "int f(void)\nint g(void);",
        &["1:12: expected `;` after this declaration, found `int`"],
    );
    check_errors(
        "_Static_assert(1, 2);",
        &["1:19: expected a string literal, found `2`"],
    );
}

#[test]
fn the_last_member_without_a_semicolon() {
    let text = "struct S { int a };";
    check_errors(text, &[]);
    assert_eq!(
        messages(text, Severity::Warning),
        ["1:17: no `;` after the last member"]
    );
}

#[test]
fn statements() {
    let check = |body: &str, expected: &[&str]| {
        let text = format!("typedef int T; void f(void) {{\n{body}\n}}\nint after;");
        assert_eq!(messages(&text, Severity::Error), expected, "{body}");
        assert_eq!(
            parse(text.as_bytes()).0.last().map(String::as_str),
            Some("(decl after: int)"),
            "{body}"
        );
    };
    check("if x > 1 { }", &["2:4: expected `(` after `if`, found `x`"]);
    check("else a;", &["2:1: `else` without a matching `if`"]);
    check(
        "do a; b;",
        &["2:7: expected `while` after the body of `do`, found `b`"],
    );
    check(
        "goto 1;",
        &["2:6: expected the name of a label after `goto`, found `1`"],
    );
    check(
        "case 1 a;",
        &["2:8: expected `:` after this label, found `a`"],
    );
    check(
        "if (a) int x = 1;",
        &["2:8: a declaration can't stand here without a block"],
    );
    check("foo bar;", &["2:1: unknown type name `foo`"]);
    check(
        "x = T + 1;",
        &["2:5: expected an expression, found the type `T`"],
    );
    check(
        "for (i = 0, i < 1, i++) { a; }",
        &["2:23: expected `;` after the first part of `for`, found `)`"],
    );
    check(
        "for (;; { a; }",
        &["2:9: expected an expression, found `{`"],
    );
    check(
        "a = b c;",
        &["2:6: expected `;` after this expression, found `c`"],
    );
    check("f(1, 2;", &["2:7: expected `)`, found `;`"]);
    check("a[1;", &["2:4: expected `]`, found `;`"]);
    check(
        "a.1;",
        &["2:2: expected `;` after this expression, found `.1`"],
    );
    check(
        "a->;",
        &["2:4: expected the name of a member after `->`, found `;`"],
    );
    check("a ? b;", &["2:6: expected `:`, found `;`"]);
    check(");", &["2:1: expected a statement, found `)`"]);
    check("return", &["2:7: expected `;` after `return`, found `}`"]);
    check(
        "char *s = \"abc\n; x;",
        &["2:11: unterminated string literal"],
    );
    check("c = 'a\n; x;", &["2:5: unterminated character constant"]);
    check(
        "a = 1 @ 2;",
        &[
            "2:7: unexpected character `@`",
            "2:6: expected `;` after this expression, found `2`",
        ],
    );
    check(
        "a + 1 # b;",
        &[
            "2:7: unexpected character `#`",
            "2:6: expected `;` after this expression, found `b`",
        ],
    );
    check(
        "#define X\na;",
        &["2:1: preprocessor directive `#define` in preprocessed text"],
    );
    check(
        "\u{201c}a\u{201d};",
        &[
            "2:1: unexpected character `\u{201c}`",
            "2:5: unexpected character `\u{201d}`",
        ],
    );
    check("asm(1);", &["2:5: expected a string literal, found `1`"]);
}

#[test]
fn at_most_twenty_errors() {
    let text = "int x = ;\n".repeat(1000);
    assert_eq!(messages(&text, Severity::Error).len(), 20);
    let text = format!("void f(void) {{ {} }}", "x = ;\n".repeat(1000));
    assert_eq!(messages(&text, Severity::Error).len(), 20);
}

#[test]
fn the_end_of_the_file() {
    check_errors("int", &["1:4: expected a name, found end of file"]);
    check_errors(
        "int x",
        &["1:6: expected `;` after this declaration, found end of file"],
    );
    check_errors(
        "int x =\n",
        &["1:8: expected an expression, found end of file"],
    );
    check_errors(
        "int f(\n\n",
        &["1:7: expected a parameter, found end of file"],
    );
    check_errors("struct S {", &["1:11: expected `}`, found end of file"]);
}
