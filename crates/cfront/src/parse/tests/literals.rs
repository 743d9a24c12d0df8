use super::{check_expr, check_stmts, messages, parse};
use crate::diagnostic::Severity;

#[test]
fn numbers() {
    check_expr(
        "0x1F + 017 - 0b11u * 10llU / 1L",
        "(Sub (Add 31 15) (Div (Mul 3u 10ull) 1l))",
    );
    check_expr("1.5 + 2.f + 0x1p3L", "(Add (Add 1.5:None 2.:F) 0x1p3:L)");
    check_expr("18446744073709551616", "18446744073709551616");
    check_expr(
        "1i + 2.0j",
        "(Add (unsupported imaginary constant) (unsupported imaginary constant))",
    );
    check_expr("1\\\n2 + .\\\n5", "(Add 12 .5:None)");
    // A preprocessing number is longer than one thinks.
    assert_eq!(
        messages("int x = 0xe+1;", Severity::Error),
        ["1:9: invalid suffix `+1` on integer constant"]
    );
    assert_eq!(
        messages("int x = 08, y = 1.2.3;", Severity::Error),
        [
            "1:9: invalid digit `8` in octal constant",
            "1:17: invalid suffix `.3` on floating constant",
        ]
    );
}

#[test]
fn characters() {
    for (text, value) in [
        ("'a'", "'97"),
        (r"'\n'", "'10"),
        (r"'\0'", "'0"),
        (r"'\377'", "'-1"),
        (r"'\xff'", "'-1"),
        (r"'\x7f'", "'127"),
        (r"'\''", "'39"),
        ("'\"'", "'34"),
        (r"'\e'", "'27"),
        (r"'\?'", "'63"),
        ("'ab'", "'24930"),
        ("'abcd'", "'1633837924"),
        (r"'\377\377\377\377'", "'-1"),
        (r"'\0\377'", "'255"),
        // Two bytes of UTF-8.
        ("'é'", "'50089"),
        ("L'é'", "Wide'233"),
        (r"L'\xffffffff'", "Wide'-1"),
        ("u'é'", "Utf16'233"),
        ("U'😀'", "Utf32'128512"),
        (r"u'\xffff'", "Utf16'65535"),
        (r"u'\u00e9'", "Utf16'233"),
        ("u8'a'", "'97"),
        ("'a\\\nb'", "'24930"),
    ] {
        check_expr(text, value);
    }
    let warnings = |text: &str| messages(&format!("int x = {text};"), Severity::Warning);
    assert_eq!(
        warnings("'abcde'"),
        ["1:9: character constant too long for its type"]
    );
    assert_eq!(
        warnings(r"'\x100'"),
        ["1:10: escape sequence is out of range for its type"]
    );
    assert_eq!(warnings(r"'\q'"), [r"1:10: unknown escape sequence `\q`"]);
    let errors = |text: &str| messages(&format!("int x = {text};"), Severity::Error);
    assert_eq!(errors("''"), ["1:9: empty character constant"]);
    assert_eq!(
        errors(r"'\x'"),
        [r"1:10: `\x` needs at least one hexadecimal digit"]
    );
    assert_eq!(
        errors(r"'\u12'"),
        ["1:10: invalid universal character name"]
    );
    assert_eq!(
        errors(r"'\ud800'"),
        ["1:10: invalid universal character name"]
    );
    assert_eq!(errors(r"'\u0041'").len(), 1);
}

#[test]
fn the_last_characters_count() {
    for (text, value) in [
        ("'abcde'", "'1650680933"),
        ("L'ab'", "Wide'98"),
        ("u'😀'", "Utf16'56832"),
        (r"'\777'", "'-1"),
        (r"'\x100'", "'0"),
    ] {
        let (found, diagnostics) = parse(format!("int x = {text};").as_bytes());
        assert_eq!(found, [format!("(decl x: int = {value})")]);
        assert_eq!(diagnostics.iter().count(), 1, "{text}");
    }
}

#[test]
fn strings() {
    check_expr(r#""a" "b\n" "\x41" "c""#, r#""ab<a>Ac""#);
    check_expr(r#""\x4" "1""#, r#""<4>1""#);
    check_expr(r#""\1234""#, r#""S4""#);
    check_expr("\"a\\\nb\"", r#""ab""#);
    check_expr("\"é\\u00e9\"", r#""<c3><a9><c3><a9>""#);
    check_expr("L\"é\" \"ü\"", "Wide\"<e9><fc>\"");
    check_expr("\"a\" u\"😀\"", "Utf16\"a<d83d><de00>\"");
    check_expr("U\"😀\" U\"\"", "Utf32\"<1f600>\"");
    check_expr("u8\"a\" \"b\"", r#""ab""#);
    check_expr(r#""//" "/*""#, r#""///*""#);
    assert_eq!(
        messages("char *s = L\"a\" u\"b\";", Severity::Error),
        ["1:16: adjacent string literals with different prefixes"]
    );
}

#[test]
fn bytes_that_are_no_utf8() {
    let (found, diagnostics) =
        parse(b"char *s = \"\xff\xfe\"; /* \xff */ // \xfe\nint x = '\xe9';");
    assert!(!diagnostics.has_errors());
    assert_eq!(
        found,
        ["(decl s: ptr char = \"<ff><fe>\")", "(decl x: int = '-23)"]
    );
    let (found, diagnostics) = parse(b"int \xff\xfe\x80 x;\n\x01\x02 int y; int w = L'\xff';");
    let messages: Vec<_> = diagnostics
        .iter()
        .map(|d| (d.span.lo, d.message.as_str()))
        .collect();
    assert_eq!(
        messages,
        [
            (4, "unexpected byte 0xff"),
            (11, "unexpected byte 0x01"),
            (31, "invalid UTF-8 in a wide literal"),
        ]
    );
    assert_eq!(
        found,
        ["(decl x: int)", "(decl y: int)", "(decl w: int = Wide'255)"]
    );
}

#[test]
fn names() {
    check_stmts(
        "int $a, _b1, été, \\u00e9t\\u00e9, a\\\nb;",
        "(decl $a: int; _b1: int; été: int; été: int; ab: int)",
    );
}

#[test]
fn digraphs_and_splices() {
    check_stmts(
        "<% int a<:2:>; a<:0:> +\\\n= 1; %>",
        "{(decl a: array[2] int) (Add= (index a 0) 1)}",
    );
    check_stmts(
        "int x; /\\\n/ comment \\\n still\nx = 1 /\\\n* no *\\\n/ + 2;",
        "(decl x: int) (= x (Add 1 2))",
    );
    check_stmts("ret\\\nurn 1;", "(return 1)");
}
