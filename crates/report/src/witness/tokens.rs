//! As much of C's tokens as it takes to find places in a text and to take an expression for harmless.

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// A name or keyword.
    Word,
    /// A number.
    Number,
    /// A character constant or string, with its quote.
    Literal(u8),
    /// A single punctuation character.
    Punctuation(u8),
}

/// A token and where it is.
#[derive(Clone, Copy, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The tokens of a text from a byte on; comments and preprocessing lines are left out.
pub(super) struct Tokens<'t> {
    text: &'t [u8],
    at: usize,
}

impl<'t> Tokens<'t> {
    pub(super) fn from(text: &'t [u8], at: usize) -> Tokens<'t> {
        Tokens { text, at }
    }

    fn is_line_start(&self) -> bool {
        let before = &self.text[..self.at.min(self.text.len())];
        let last = before
            .iter()
            .rev()
            .find(|&&byte| byte == b'\n' || !byte.is_ascii_whitespace());
        last.is_none_or(|&byte| byte == b'\n')
    }

    fn skip(&mut self) {
        while let Some(rest) = self.text.get(self.at..) {
            let to_line_end = || {
                let end = rest.iter().position(|&byte| byte == b'\n');
                end.unwrap_or(rest.len())
            };
            match rest {
                [byte, ..] if byte.is_ascii_whitespace() => self.at += 1,
                [b'/', b'/', ..] => self.at += to_line_end(),
                [b'#', ..] if self.is_line_start() => self.at += to_line_end(),
                [b'/', b'*', inner @ ..] => {
                    let end = inner.windows(2).position(|pair| pair == b"*/");
                    self.at += end.map_or(rest.len(), |end| end + 4);
                }
                _ => return,
            }
        }
    }
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        self.skip();
        let rest = self.text.get(self.at..)?;
        let &first = rest.first()?;
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(*byte, b'_' | b'$');
        let word = || rest.iter().take_while(|byte| is_word(byte)).count();
        let (kind, length) = match first {
            b'"' | b'\'' => (Kind::Literal(first), literal_length(rest)),
            b'0'..=b'9' => (Kind::Number, word()),
            _ if is_word(&first) => (Kind::Word, word()),
            _ => (Kind::Punctuation(first), 1),
        };
        let start = self.at;
        self.at += length;
        Some(Token {
            kind,
            start,
            end: self.at,
        })
    }
}

fn literal_length(rest: &[u8]) -> usize {
    let quote = rest.first();
    let mut escaped = false;
    let end = rest.iter().skip(1).position(|byte| {
        let ends = !escaped && (Some(byte) == quote || *byte == b'\n');
        escaped = !escaped && *byte == b'\\';
        ends
    });
    end.map_or(rest.len(), |end| end + 2)
}

/// The parentheses of a `for` statement.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Header {
    /// The closing one.
    pub(super) close: usize,
}

/// The header of the `for` statement that begins at a byte; none if another statement does.
pub(super) fn for_header(text: &[u8], at: usize) -> Option<Header> {
    let mut tokens = Tokens::from(text, at);
    let keyword = tokens.next()?;
    if text.get(keyword.start..keyword.end)? != b"for" {
        return None;
    }
    let mut depth = 0usize;
    for token in tokens {
        match token.kind {
            Kind::Punctuation(b'(') => depth += 1,
            Kind::Punctuation(b')') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(Header { close: token.start });
                }
            }
            _ => {}
        }
    }
    None
}

/// A block in braces outside of all functions, and the names before parentheses in front of it, of which one may be a function's.
pub(super) struct Body {
    pub(super) names: Vec<(usize, usize)>,
    pub(super) open: usize,
    pub(super) close: usize,
}

/// All blocks outside of functions: bodies of functions, and of records and initialisers, which have no names here that are functions'.
pub(super) fn bodies(text: &[u8]) -> Vec<Body> {
    let mut found = Vec::new();
    let (mut braces, mut parens, mut open) = (0usize, 0usize, 0);
    let mut names = Vec::new();
    let mut last_word = None;
    for token in Tokens::from(text, 0) {
        let word = last_word.take();
        match token.kind {
            Kind::Punctuation(b'{') => {
                if braces == 0 {
                    open = token.start;
                }
                braces += 1;
            }
            Kind::Punctuation(b'}') => {
                braces = braces.saturating_sub(1);
                if braces == 0 {
                    parens = 0;
                    found.push(Body {
                        names: std::mem::take(&mut names),
                        open,
                        close: token.start,
                    });
                }
            }
            _ if braces > 0 => {}
            Kind::Punctuation(b'(') => {
                if parens == 0 {
                    names.extend(word);
                }
                parens += 1;
            }
            Kind::Punctuation(b')') => parens = parens.saturating_sub(1),
            Kind::Punctuation(b';') if parens == 0 => names.clear(),
            Kind::Word => last_word = Some((token.start, token.end)),
            _ => {}
        }
    }
    found
}

/// Where the first token from a byte on begins, if it begins a statement or a declaration.
pub(super) fn next_token(text: &[u8], at: usize) -> Option<usize> {
    let token = Tokens::from(text, at).next()?;
    (token.kind != Kind::Punctuation(b'}')).then_some(token.start)
}
