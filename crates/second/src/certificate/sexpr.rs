//! S-expressions, flat.

/// Expressions nested deeper than this are not read.
const MAX_DEPTH: usize = 100_000;

/// A token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Token<'t> {
    Open,
    Close,
    Word(&'t str),
    /// A name between bars.
    Quoted(&'t str),
}

/// An expression.
#[derive(Clone, Debug)]
pub(super) enum Tree<'t> {
    Word(&'t str),
    Quoted(&'t str),
    /// The expressions of a list, by their places.
    List(Vec<usize>),
}

/// Reads one expression. Parts come before what they are part of, so the last one is the whole.
pub(super) fn parse(text: &str) -> Result<Vec<Tree<'_>>, String> {
    let mut trees: Vec<Tree<'_>> = Vec::new();
    let mut open: Vec<Vec<usize>> = Vec::new();
    let mut rest = text;
    let mut done = false;
    while let Some((token, after)) = next(rest)? {
        rest = after;
        if done {
            return Err("something follows the expression".to_owned());
        }
        let tree = match token {
            Token::Open if open.len() >= MAX_DEPTH => return Err("it is too deep".to_owned()),
            Token::Open => {
                open.push(Vec::new());
                continue;
            }
            Token::Close => Tree::List(open.pop().ok_or("a parenthesis too many")?),
            Token::Word(word) => Tree::Word(word),
            Token::Quoted(word) => Tree::Quoted(word),
        };
        let place = trees.len();
        trees.push(tree);
        match open.last_mut() {
            Some(list) => list.push(place),
            None => done = true,
        }
    }
    match done {
        true => Ok(trees),
        false => Err("it ends too early".to_owned()),
    }
}

fn next(text: &str) -> Result<Option<(Token<'_>, &str)>, String> {
    let text = text.trim_start();
    let Some(first) = text.chars().next() else {
        return Ok(None);
    };
    Ok(Some(match first {
        '(' => (Token::Open, &text[1..]),
        ')' => (Token::Close, &text[1..]),
        '|' => {
            let end = text[1..].find('|').ok_or("a bar without an end")?;
            (Token::Quoted(&text[1..=end]), &text[end + 2..])
        }
        _ => {
            let ends = |c: char| c.is_whitespace() || matches!(c, '(' | ')' | '|');
            let end = text.find(ends).unwrap_or(text.len());
            (Token::Word(&text[..end]), &text[end..])
        }
    }))
}
