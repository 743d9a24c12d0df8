use super::*;

/// The tokens of a text, as written.
fn tokens(text: &str) -> (Vec<String>, Vec<String>) {
    let mut interner = Interner::default();
    let mut diagnostics = Diagnostics::default();
    let mut lexer = Lexer::new(text.as_bytes(), &mut interner);
    let mut found = Vec::new();
    loop {
        let token = lexer.next(&mut interner, &mut diagnostics);
        let span = token.span.lo as usize..token.span.hi as usize;
        let text = &text[span];
        found.push(match token.kind {
            TokenKind::Ident(name) => format!("name {}", interner.name(name)),
            TokenKind::Keyword(keyword) => format!("keyword {}", keyword.text()),
            TokenKind::Number => format!("number {text}"),
            TokenKind::Char => format!("char {text}"),
            TokenKind::Str => format!("str {text}"),
            TokenKind::Punct(punct) => punct.text().to_owned(),
            TokenKind::Eof => break,
        });
    }
    let messages = diagnostics.iter().map(|d| d.message.clone()).collect();
    (found, messages)
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let (found, messages) = tokens(text);
    assert_eq!(found, expected, "{text}");
    assert_eq!(messages, [""; 0], "{text}");
}

#[test]
fn punctuators_are_as_long_as_possible() {
    check("a+++++b", &["name a", "++", "++", "+", "name b"]);
    check("<<=>>=<=>=<<>>", &["<<=", ">>=", "<=", ">=", "<<", ">>"]);
    check("->-- -=-", &["->", "--", "-=", "-"]);
    check("...... ..", &["...", "...", ".", "."]);
    check("&&&&=&", &["&&", "&&", "=", "&"]);
    check("/ /= %:", &["/", "/=", "%", ":"]);
    check("<::><%%>", &["[", "]", "{", "}"]);
    check(
        "= == != ! ~ ^ ^= | |= || ? : ; , * *= % %=",
        &[
            "=", "==", "!=", "!", "~", "^", "^=", "|", "|=", "||", "?", ":", ";", ",", "*", "*=",
            "%", "%=",
        ],
    );
}

#[test]
fn words() {
    check(
        "int inta _int __inline__ inline L l",
        &[
            "keyword int",
            "name inta",
            "name _int",
            "keyword inline",
            "keyword inline",
            "name L",
            "name l",
        ],
    );
    check(
        "L\"a\" u8'a' u\"b\" U'c' u8x L \"d\"",
        &[
            "str L\"a\"",
            "char u8'a'",
            "str u\"b\"",
            "char U'c'",
            "name u8x",
            "name L",
            "str \"d\"",
        ],
    );
}

#[test]
fn numbers_take_what_looks_like_one() {
    check(
        "1 1.5e-3f 0x1p+3 .5 1..2 1e+ 1.e5 3a_b",
        &[
            "number 1",
            "number 1.5e-3f",
            "number 0x1p+3",
            "number .5",
            "number 1..2",
            "number 1e+",
            "number 1.e5",
            "number 3a_b",
        ],
    );
    check(
        "a.b 1-2",
        &["name a", ".", "name b", "number 1", "-", "number 2"],
    );
}

#[test]
fn comments_and_lines() {
    check(
        "a/**/b//c\nd /* \" ' // \n */ e",
        &["name a", "name b", "name d", "name e"],
    );
    check("a // x \\\n y\nb", &["name a", "name b"]);
    check(
        "a\\\nb c\\\n d \\  \n e",
        &["name ab", "name c", "name d", "name e"],
    );
    check("\u{feff}a", &["name a"]);
    check("a\r\n#pragma once\r\n b\x0c\x0b", &["name a", "name b"]);
    check(
        "# 1 \"f.c\" 1\na\n#line 3\nb\n#ident \"x\"\n#\nc",
        &["name a", "name b", "name c"],
    );
}

#[test]
fn errors_do_not_stop_it() {
    for (text, message) in [
        ("a @ b", "unexpected character `@`"),
        ("a \\ b", "unexpected character `\\`"),
        ("a \u{1} b", "unexpected byte 0x01"),
        ("a \u{d7} b", "unexpected character `×`"),
        (
            "a\n#if 1\n b",
            "preprocessor directive `#if` in preprocessed text",
        ),
        ("a # b", "unexpected character `#`"),
        ("a _Pragma b", "expected `(\"...\")` after `_Pragma`"),
    ] {
        let (found, messages) = tokens(text);
        assert_eq!(found, ["name a", "name b"], "{text}");
        assert_eq!(messages, [message], "{text}");
    }
    assert_eq!(tokens("a \"b\nc").0, ["name a", "str \"b", "name c"]);
    assert_eq!(tokens("a 'b").1, ["unterminated character constant"]);
    assert_eq!(tokens("a \"b\\").1, ["unterminated string literal"]);
    assert_eq!(tokens("a /* b").1, ["unterminated comment"]);
}
