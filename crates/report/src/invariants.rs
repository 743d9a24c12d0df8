//! Invariants as people read them: bounds of one thing in one line, equations instead of two inequations, and a word where C is clumsy.

/// What holds at one place, in plain words. Each line says what one or two of the expressions say, and nothing else.
pub fn plainly(expressions: &[String]) -> Vec<String> {
    let pairs: Vec<Option<(&str, &str)>> = expressions.iter().map(|text| sides(text)).collect();
    let mut used = vec![false; expressions.len()];
    let mut lines = Vec::new();
    for (index, expression) in expressions.iter().enumerate() {
        if used[index] {
            continue;
        }
        used[index] = true;
        let Some((left, right)) = pairs[index] else {
            lines.push(with_word(expression));
            continue;
        };
        // `a <= b` and `b <= a`.
        let mirrored = find(&pairs, &used, |pair| pair == (right, left));
        if let Some(other) = mirrored {
            used[other] = true;
            // What has a name comes first.
            lines.push(match is_number(left) {
                true => format!("{right} == {left}"),
                false => format!("{left} == {right}"),
            });
            continue;
        }
        // `1 <= x` and `x <= 9`, in any order.
        let other = match (is_number(left), is_number(right)) {
            (true, false) => find(&pairs, &used, |(l, r)| l == right && is_number(r)),
            (false, true) => find(&pairs, &used, |(l, r)| r == left && is_number(l)),
            _ => None,
        };
        match other.and_then(|other| Some((other, pairs[other]?))) {
            Some((other, (l, r))) => {
                used[other] = true;
                lines.push(match is_number(left) {
                    true => format!("{left} <= {right} <= {r}"),
                    false => format!("{l} <= {left} <= {right}"),
                });
            }
            None => lines.push(expression.clone()),
        }
    }
    lines
}

fn find(
    pairs: &[Option<(&str, &str)>],
    used: &[bool],
    fits: impl Fn((&str, &str)) -> bool,
) -> Option<usize> {
    (0..pairs.len()).find(|&index| !used[index] && pairs[index].is_some_and(&fits))
}

/// The sides of a plain `a <= b`.
fn sides(text: &str) -> Option<(&str, &str)> {
    let (left, right) = text.split_once(" <= ")?;
    let is_simple = |side: &str| !side.contains(['&', '|', '?', '!', '=', '<', '>', '(']);
    (is_simple(left) && is_simple(right)).then_some((left, right))
}

fn is_number(text: &str) -> bool {
    text.parse::<i128>().is_ok()
}

/// `x % 2 == 0` has a word.
fn with_word(text: &str) -> String {
    let found = text
        .strip_suffix(" == 0")
        .and_then(|rest| rest.rsplit_once(" % "));
    match found {
        Some((what, "2")) if is_name(what) => format!("{text} ({what} is even)"),
        Some((what, number)) if is_name(what) && is_number(number) => {
            format!("{text} ({what} is a multiple of {number})")
        }
        _ => text.to_owned(),
    }
}

fn is_name(text: &str) -> bool {
    text.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_and_words() {
        let said = |all: &[&str]| {
            let all: Vec<String> = all.iter().map(|text| (*text).to_owned()).collect();
            plainly(&all)
        };
        assert_eq!(
            said(&["0 <= x", "y <= n", "x <= 12"]),
            ["0 <= x <= 12", "y <= n"]
        );
        assert_eq!(said(&["x <= 12", "-3 <= x"]), ["-3 <= x <= 12"]);
        assert_eq!(said(&["now <= i", "i <= now"]), ["now == i"]);
        assert_eq!(said(&["4 <= x", "x <= 4"]), ["x == 4"]);
        assert_eq!(said(&["x % 2 == 0"]), ["x % 2 == 0 (x is even)"]);
        assert_eq!(said(&["x % 8 == 0"]), ["x % 8 == 0 (x is a multiple of 8)"]);
        // What is no plain bound stays as it is.
        let odd = [
            "a <= b || b <= 3",
            "0 <= a",
            "f(a) <= 3",
            "(x + 1) % 2 == 0",
        ];
        assert_eq!(said(&odd), odd);
    }
}
