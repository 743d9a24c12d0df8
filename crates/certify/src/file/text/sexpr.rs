//! S-expressions.

use super::read::ReadError;

/// Texts beyond this are not read.
const MAX_BYTES: usize = 64 << 20;

/// Expressions nested deeper than this are not read.
const MAX_DEPTH: usize = 200_000;

/// An expression, by its place in the list that [`parse`] gives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Id(u32);

/// An expression: where it starts in the text, and what it is.
pub(super) struct Sexpr<'t> {
    pub(super) at: usize,
    pub(super) kind: Kind<'t>,
}

pub(super) enum Kind<'t> {
    /// A word. Bars around a quoted symbol are not part of it.
    Atom(&'t str),
    /// A quoted symbol.
    Quoted(&'t str),
    List(Vec<Id>),
}

/// The expressions of a text.
pub(super) struct Sexprs<'t> {
    nodes: Vec<Sexpr<'t>>,
    root: Id,
}

impl<'t> Sexprs<'t> {
    pub(super) fn root(&self) -> Id {
        self.root
    }

    pub(super) fn get(&self, id: Id) -> &Sexpr<'t> {
        &self.nodes[id.0 as usize]
    }
}

/// Reads the one expression that a text is.
pub(super) fn parse(text: &str) -> Result<Sexprs<'_>, ReadError> {
    let error = |at: usize, what: &str| Err(ReadError::new(at, what));
    if text.len() > MAX_BYTES {
        return error(MAX_BYTES, "the text is too long");
    }
    let bytes = text.as_bytes();
    let mut nodes: Vec<Sexpr<'_>> = Vec::new();
    let mut open: Vec<(usize, Vec<Id>)> = Vec::new();
    let mut root = None;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if root.is_some() {
            return error(at, "something follows the expression");
        }
        let start = at;
        let kind = match byte {
            b'(' => {
                if open.len() >= MAX_DEPTH {
                    return error(at, "the expression is nested too deeply");
                }
                open.push((at, Vec::new()));
                at += 1;
                continue;
            }
            b')' => {
                let Some((_, children)) = open.pop() else {
                    return error(at, "a parenthesis is closed that is not open");
                };
                at += 1;
                Kind::List(children)
            }
            b'|' => {
                let end = bytes[at + 1..].iter().position(|&byte| byte == b'|');
                let Some(length) = end else {
                    return error(at, "a quoted symbol does not end");
                };
                let name = &text[at + 1..at + 1 + length];
                at += length + 2;
                Kind::Quoted(name)
            }
            _ => {
                let rest = &bytes[at..];
                let ends = |byte: &u8| byte.is_ascii_whitespace() || b"()|".contains(byte);
                at += rest.iter().position(ends).unwrap_or(rest.len());
                Kind::Atom(&text[start..at])
            }
        };
        // A text of 2^26 bytes has fewer expressions.
        let id = Id(nodes.len() as u32);
        nodes.push(Sexpr { at: start, kind });
        match open.last_mut() {
            Some((_, children)) => children.push(id),
            None => root = Some(id),
        }
    }
    match (open.last(), root) {
        (Some(&(at, _)), _) => error(at, "a parenthesis is not closed"),
        (None, Some(root)) => Ok(Sexprs { nodes, root }),
        (None, None) => error(at, "there is no expression"),
    }
}
