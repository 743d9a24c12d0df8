//! C expressions of witnesses: which texts may be given to the front end as a part of the program.

use rhumb_cfront::{PlainKind, PlainToken, Tokens};

/// Longer expressions are not read.
const MAX_LENGTH: usize = 1 << 18;

/// Parentheses nest that deep.
const MAX_DEPTH: usize = 100;

/// Words that parentheses may follow without being a call.
const OPERATORS: [&str; 5] = ["sizeof", "_Alignof", "__alignof__", "__alignof", "_Generic"];

/// Operators that write to something.
const WRITING: [&str; 13] = [
    "<<=", ">>=", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "=",
];

/// What is wrong with the text of an expression: it is none, or evaluating it would do something. (Calls through
/// expressions are found later.)
pub(super) fn objection(text: &str) -> Option<String> {
    if text.len() > MAX_LENGTH {
        return Some("the expression is too long".to_owned());
    }
    if text.contains("//") || text.contains("/*") {
        return Some("an expression has no comments".to_owned());
    }
    let mut reader = Tokens::new(text.as_bytes());
    let tokens: Vec<PlainToken> = reader.by_ref().collect();
    if let Some(between) = passed_over(text, &tokens) {
        return Some(format!("`{between}` has no place in an expression"));
    }
    if let Some(error) = reader.error() {
        return Some(error.message.clone());
    }
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate() {
        let place = token.span.lo as usize..token.span.hi as usize;
        let word = text.get(place).unwrap_or_default();
        if token.kind != PlainKind::Char && word.contains('\\') {
            return Some("`\\` has no place in an expression".to_owned());
        }
        match token.kind {
            PlainKind::Str => return Some("an expression has no strings here".to_owned()),
            PlainKind::Word => {
                let next = tokens.get(index + 1);
                let is_call = next.is_some_and(|next| next.kind == PlainKind::Punct("("));
                if is_call && !OPERATORS.contains(&word) {
                    return Some(format!("it calls `{word}`, which may have side effects"));
                }
                if word.starts_with("__rhumb") {
                    return Some("the name is reserved".to_owned());
                }
            }
            PlainKind::Punct("(" | "[") => depth += 1,
            PlainKind::Punct(")" | "]") => match depth.checked_sub(1) {
                Some(less) => depth = less,
                None => return Some("there are more closing than opening parentheses".to_owned()),
            },
            PlainKind::Punct(punct @ (";" | "{" | "}")) => {
                return Some(format!("`{punct}` has no place in an expression"));
            }
            PlainKind::Punct(punct) if WRITING.contains(&punct) => {
                return Some(format!("`{punct}` is a side effect"));
            }
            PlainKind::Punct(_) | PlainKind::Number | PlainKind::Char => {}
        }
        if depth > MAX_DEPTH {
            return Some("it is nested too deeply".to_owned());
        }
    }
    if tokens.is_empty() {
        return Some("there is no expression".to_owned());
    }
    match depth {
        0 => None,
        _ => Some("there are more opening than closing parentheses".to_owned()),
    }
}

/// What stands between tokens and is not blank. The front end passes over it, but it may change what is made of the program: a pragma.
fn passed_over<'t>(text: &'t str, tokens: &[PlainToken]) -> Option<&'t str> {
    let starts = tokens.iter().map(|token| token.span.lo as usize);
    let ends = tokens.iter().map(|token| token.span.hi as usize);
    let gaps = std::iter::once(0)
        .chain(ends)
        .zip(starts.chain([text.len()]));
    let mut between = gaps.map(|(end, start)| text.get(end..start).unwrap_or(text).trim());
    between.find(|between| !between.is_empty())
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
            ("_Pragma(\"pack(1)\") x", "no place"),
            ("x <% y %>", "no place"),
            ("x == '\\'", "character constant"),
            ("x \\\n== y", "no place"),
            ("__rhumb_value_0", "reserved"),
        ] {
            let objection = objection(text).unwrap_or_default();
            assert!(objection.contains(why), "{text}: {objection}");
        }
        assert!(objection(&"(".repeat(1000)).is_some());
    }
}
