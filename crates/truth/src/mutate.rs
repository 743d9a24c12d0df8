//! Small changes of a text: another number, another operator, a token gone or said twice.

use rhumb_difftest::rng::Rng;

/// Numbers that programs stumble over.
const NUMBERS: [&str; 12] = [
    "0",
    "1",
    "-1",
    "2",
    "7",
    "127",
    "128",
    "255",
    "65536",
    "2147483647",
    "4294967295u",
    "9223372036854775807",
];

/// Operators that can stand for each other.
const OPERATORS: [&[&str]; 4] = [
    &["<", "<=", ">", ">=", "==", "!="],
    &["+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>"],
    &["+=", "-=", "*=", "=", "%="],
    &["&&", "||"],
];

/// How wild a change may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Change {
    /// One number or operator for another: the program keeps its shape.
    Value,
    /// Any token.
    Token,
}

/// The text with one token changed. `None` if there is nothing to change.
pub fn mutate(text: &str, change: Change, rng: &mut Rng) -> Option<String> {
    let tokens = tokens(text);
    let can_change: Vec<usize> = match change {
        Change::Token => (0..tokens.len()).collect(),
        Change::Value => (0..tokens.len())
            .filter(|&index| is_number(tokens[index]) || family(tokens[index]).is_some())
            .collect(),
    };
    if can_change.is_empty() {
        return None;
    }
    let at = *rng.pick(&can_change);
    let token = tokens[at];
    let new = match change {
        Change::Token if rng.percent(25) => String::new(),
        Change::Token if rng.percent(25) => format!("{token} {token}"),
        Change::Token if rng.percent(40) => (*rng.pick(&tokens)).to_owned(),
        _ => replacement(token, rng),
    };
    let start = token.as_ptr() as usize - text.as_ptr() as usize;
    let (before, after) = (&text[..start], &text[start + token.len()..]);
    Some(format!("{before}{new}{after}"))
}

fn is_number(token: &str) -> bool {
    token.starts_with(|c: char| c.is_ascii_digit())
}

fn family(token: &str) -> Option<&'static [&'static str]> {
    OPERATORS.into_iter().find(|family| family.contains(&token))
}

/// Something else of the same kind.
fn replacement(token: &str, rng: &mut Rng) -> String {
    if let Some(family) = family(token) {
        return (*rng.pick(family)).to_owned();
    }
    match token.parse::<i64>() {
        Ok(number) if rng.percent(70) => number
            .saturating_add(*rng.pick(&[-2, -1, 1, 2, 5]))
            .max(0)
            .to_string(),
        Ok(_) => (*rng.pick(&NUMBERS)).to_owned(),
        Err(_) => token.to_owned(),
    }
}

/// The tokens of a text, roughly: names, numbers, operators and other characters.
fn tokens(text: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = if word(first) {
            rest.find(|c| !word(c)).unwrap_or(rest.len())
        } else {
            let operators = OPERATORS.iter().flat_map(|family| family.iter());
            let found = operators.filter(|operator| rest.starts_with(**operator));
            let longest = found.map(|operator| operator.len()).max();
            longest.unwrap_or(first.len_utf8())
        };
        let (token, after) = rest.split_at(length);
        if !first.is_whitespace() {
            tokens.push(token);
        }
        rest = after;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn changes_change_something_and_keep_the_rest() {
        let text = "int x = 5;\nwhile (x <= 10) {\n  x += 1;\n}\n";
        assert_eq!(tokens("a<=10;"), ["a", "<=", "10", ";"]);
        let mut rng = Rng::new(3);
        let mut changed = 0;
        for _ in 0..100 {
            for change in [Change::Value, Change::Token] {
                let new = mutate(text, change, &mut rng).expect("there is something to change");
                changed += u32::from(new != text);
            }
            let new = mutate(text, Change::Value, &mut rng).expect("there are numbers");
            assert!(new.starts_with("int x") && new.ends_with("}\n"), "{new}");
        }
        assert!(changed > 150, "{changed}");
        assert_eq!(mutate("a;", Change::Value, &mut rng), None);
    }
}
