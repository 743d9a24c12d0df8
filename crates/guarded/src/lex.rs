//! Text to words.

use crate::parse::Problem;

/// A word of the language.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Word {
    /// A name or a keyword.
    Name(String),
    /// Digits.
    Number(String),
    /// An operator or a punctuation mark.
    Sign(&'static str),
    /// The text ends.
    End,
}

/// A word, and where it begins.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub(crate) word: Word,
    pub(crate) line: usize,
    pub(crate) column: usize,
}

/// Longer ones first.
const SIGNS: &[&str] = &[
    "->", ":=", "<=", ">=", "==", "!=", "&&", "||", "<", ">", "=", "!", "+", "-", "*", "(", ")",
    "{", "}", ",", ";", ":",
];

/// The words of a text, with an end behind them. What follows `//` or `#` on a line is left out.
pub(crate) fn words(text: &str) -> Result<Vec<Placed>, Problem> {
    let mut words = Vec::new();
    let (mut lines, mut width) = (0, 0);
    for (number, line) in text.lines().enumerate() {
        (lines, width) = (number + 1, line.chars().count());
        let mut rest = line;
        let mut column = 1;
        while let Some(first) = rest.chars().next() {
            let (length, word) = if first.is_whitespace() {
                (first.len_utf8(), None)
            } else if first == '#' || rest.starts_with("//") {
                break;
            } else if first.is_ascii_digit() {
                let length = length_of(rest, |letter| letter.is_ascii_digit());
                (length, Some(Word::Number(rest[..length].to_owned())))
            } else if first.is_alphabetic() || first == '_' {
                let length = length_of(rest, |letter| letter.is_alphanumeric() || letter == '_');
                (length, Some(Word::Name(rest[..length].to_owned())))
            } else if let Some(&sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                (sign.len(), Some(Word::Sign(sign)))
            } else {
                return Err(Problem {
                    line: lines,
                    column,
                    what: format!("'{}' means nothing here", first.escape_debug()),
                });
            };
            if let Some(word) = word {
                words.push(Placed {
                    word,
                    line: lines,
                    column,
                });
            }
            column += rest[..length].chars().count();
            rest = &rest[length..];
        }
    }
    words.push(Placed {
        word: Word::End,
        line: lines.max(1),
        column: width + 1,
    });
    Ok(words)
}

fn length_of(text: &str, belongs: impl Fn(char) -> bool) -> usize {
    text.find(|letter| !belongs(letter)).unwrap_or(text.len())
}
