//! C expressions of witnesses: which texts may be given to the front end as a part of the program.

use super::tokens::{Kind, Token, Tokens};

/// Longer expressions are not read.
const MAX_LENGTH: usize = 1 << 18;

/// Parentheses nest that deep.
const MAX_DEPTH: usize = 100;

/// Words that parentheses may follow without being a call.
const OPERATORS: [&[u8]; 5] = [
    b"sizeof",
    b"_Alignof",
    b"__alignof__",
    b"__alignof",
    b"_Generic",
];

/// What is wrong with the text of an expression: it is none, or evaluating it would do something. (Calls through expressions are found later.)
pub(super) fn objection(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    if bytes.len() > MAX_LENGTH {
        return Some("the expression is too long".to_owned());
    }
    if text.contains("//") || text.contains("/*") {
        return Some("an expression has no comments".to_owned());
    }
    if text.contains('#') {
        return Some("`#` has no place in an expression".to_owned());
    }
    let tokens: Vec<Token> = Tokens::from(bytes, 0).collect();
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate() {
        let word = &bytes[token.start..token.end];
        match token.kind {
            Kind::Literal(b'"') => return Some("an expression has no strings here".to_owned()),
            Kind::Literal(_) => {
                let is_closed = word.len() > 2 && word.last() == Some(&b'\'');
                if !is_closed || word.contains(&b'\n') {
                    return Some("a character constant doesn't end".to_owned());
                }
            }
            Kind::Word => {
                let is_call = tokens
                    .get(index + 1)
                    .is_some_and(|next| next.kind == Kind::Punctuation(b'('));
                if is_call && !OPERATORS.contains(&word) {
                    let name = String::from_utf8_lossy(word);
                    return Some(format!("it calls `{name}`, which may have side effects"));
                }
                if word.starts_with(b"__rhumb") {
                    return Some("the name is reserved".to_owned());
                }
            }
            Kind::Punctuation(b'(' | b'[') => depth += 1,
            Kind::Punctuation(b')' | b']') => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return Some("there are more closing than opening parentheses".to_owned()),
            },
            Kind::Punctuation(byte @ (b';' | b'{' | b'}' | b'\\' | b'@' | b'`')) => {
                return Some(format!("`{}` has no place in an expression", byte as char));
            }
            _ => {}
        }
        if depth > MAX_DEPTH {
            return Some("it is nested too deeply".to_owned());
        }
    }
    if tokens.is_empty() {
        return Some("there is no expression".to_owned());
    }
    if depth > 0 {
        return Some("there are more opening than closing parentheses".to_owned());
    }
    writes(bytes).map(|operator| format!("`{operator}` is a side effect"))
}

/// The first operator that writes to something.
fn writes(text: &[u8]) -> Option<&'static str> {
    const WRITING: [&str; 13] = [
        "<<=", ">>=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "=",
    ];
    const READING: [&str; 9] = ["==", "!=", "<=", ">=", "&&", "||", "<<", ">>", "->"];
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let starts = |operator: &&&str| rest.starts_with(operator.as_bytes());
        if rest.starts_with(b"'") {
            // A character constant: closed, as was seen before.
            at += Tokens::from(text, at)
                .next()
                .map_or(1, |token| token.end - at);
        } else if let Some(operator) = WRITING.iter().take(2).find(starts) {
            return Some(operator);
        } else if let Some(operator) = READING.iter().find(starts) {
            at += operator.len();
        } else if let Some(operator) = WRITING.iter().find(starts) {
            return Some(operator);
        } else {
            at += 1;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_that_only_read_pass() {
        for text in [
            "1",
            "x == 'a' && (long long)y <= 3LL",
            "a[i] != 0 || !(p->x >= q.y)",
            "x << 3 >> 1 == -1",
            "(unsigned)(x) % 2 == 0",
            "sizeof(int) == 4",
            "x == '\\'' ? 1 : 0",
            "- -x <= y",
        ] {
            assert_eq!(objection(text), None, "{text}");
        }
    }

    #[test]
    fn the_rest_does_not() {
        for (text, why) in [
            ("x = 1", "side effect"),
            ("x++ > 0", "side effect"),
            ("(x <<= 1) != 0", "side effect"),
            ("x == (y |= 3)", "side effect"),
            ("f(x)", "calls `f`"),
            ("1) ; x = 2 ; (1", "closing"),
            ("({ 1; })", "no place"),
            ("(1", "opening"),
            ("", "no expression"),
            ("  \n", "no expression"),
            ("1 // x", "comments"),
            ("\n#define x", "#"),
            ("x == \"a\"", "strings"),
            ("x == 'a", "character constant"),
            ("\\forall x; x", "no place"),
        ] {
            let objection = objection(text).unwrap_or_default();
            assert!(objection.contains(why), "{text}: {objection}");
        }
        assert!(objection(&"(".repeat(1000)).is_some());
    }
}
