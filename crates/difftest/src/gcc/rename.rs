//! Giving the names of a program a prefix, so that several programs fit in one translation unit.

/// Words that keep their meaning: keywords and the functions that the runtime defines.
const KEPT: [&str; 52] = [
    "abort", "auto", "break", "case", "char", "const", "continue", "default", "do", "double",
    "else", "enum", "exit", "extern", "float", "for", "goto", "if", "inline", "int", "long",
    "memcmp", "memcpy", "memmove", "memset", "printf", "putchar", "puts", "register", "restrict",
    "return", "short", "signed", "sizeof", "static", "strcmp", "strlen", "struct", "switch",
    "typedef", "typeof", "union", "unsigned", "void", "volatile", "while", "malloc", "free",
    "calloc", "asm", "strcpy", "strchr",
];

/// `source` with `prefix` in front of every identifier that is its own. Reserved names (with an
/// underscore in front) are not its own.
pub(super) fn with_prefix(source: &str, prefix: &str) -> String {
    let mut text = String::with_capacity(source.len() * 5 / 4);
    let mut rest = source;
    while let Some(first) = rest.chars().next() {
        let length = token_length(rest, first);
        let (token, after) = rest.split_at(length);
        let is_own = first.is_ascii_alphabetic() && !KEPT.contains(&token);
        if is_own {
            text.push_str(prefix);
        }
        text.push_str(token);
        rest = after;
    }
    text
}

/// The length of the identifier, number, string or single character at the head of `text`.
fn token_length(text: &str, first: char) -> usize {
    match first {
        '"' | '\'' => quoted_length(text, first),
        '0'..='9' => text
            .char_indices()
            .find(|(at, c)| {
                let exponent_sign = matches!(c, '+' | '-')
                    && text[..*at].ends_with(['e', 'E', 'p', 'P'])
                    && !is_hex_digit_e(text, *at);
                !(c.is_ascii_alphanumeric() || matches!(c, '.' | '_') || exponent_sign)
            })
            .map_or(text.len(), |(at, _)| at),
        c if c.is_ascii_alphabetic() || c == '_' => text
            .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
            .unwrap_or(text.len()),
        c => c.len_utf8(),
    }
}

/// Whether the letter before `at` is a digit of a hexadecimal number: `0xe + 1` is not an exponent
/// for our purposes, since nothing depends on where such a number ends.
fn is_hex_digit_e(text: &str, at: usize) -> bool {
    text.starts_with("0x") && text[..at].ends_with(['e', 'E'])
}

fn quoted_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::with_prefix;

    #[test]
    fn only_own_names_change() {
        let source =
            "int g = 0x1p-3f + 1.e+5; struct S s = {.a = 'a'}; printf(\"%d g\\\"g\", __x + g);";
        assert_eq!(
            with_prefix(source, "p_"),
            "int p_g = 0x1p-3f + 1.e+5; struct p_S p_s = {.p_a = 'a'}; printf(\"%d g\\\"g\", __x + p_g);"
        );
    }
}
