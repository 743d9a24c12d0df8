//! What can be seen in a C text without understanding it: which functions are defined, and where declarations end.

/// A token.
#[derive(Clone, Copy, Debug)]
struct Token {
    start: usize,
    end: usize,
    /// Number of braces open before it.
    braces: u32,
    /// Number of parentheses and brackets open before it.
    parens: u32,
}

/// A C text in tokens: names, numbers, literals and single punctuators; comments and lines with `#` are left out.
#[derive(Debug)]
pub(super) struct Scan<'t> {
    text: &'t [u8],
    tokens: Vec<Token>,
}

/// Functions without a result that the C library has, so that no program means its own by them.
const LIBRARY: [&str; 22] = [
    "abort",
    "exit",
    "_exit",
    "_Exit",
    "quick_exit",
    "free",
    "perror",
    "srand",
    "srandom",
    "qsort",
    "bzero",
    "bcopy",
    "rewind",
    "setbuf",
    "clearerr",
    "longjmp",
    "closelog",
    "openlog",
    "syslog",
    "pthread_exit",
    "warn",
    "err",
];

impl<'t> Scan<'t> {
    pub(super) fn new(text: &'t [u8]) -> Scan<'t> {
        let mut scan = Scan {
            text,
            tokens: Vec::new(),
        };
        scan.tokenise();
        scan
    }

    fn tokenise(&mut self) {
        let text = self.text;
        let (mut at, mut braces, mut parens) = (0, 0u32, 0u32);
        let mut line_start = true;
        while let Some(&byte) = text.get(at) {
            let rest = &text[at..];
            let is_directive = line_start && byte == b'#';
            line_start = byte == b'\n' || (line_start && byte.is_ascii_whitespace());
            if byte.is_ascii_whitespace() {
                at += 1;
                continue;
            }
            if is_directive || rest.starts_with(b"//") {
                at += rest.iter().position(|&b| b == b'\n').unwrap_or(rest.len());
                continue;
            }
            if rest.starts_with(b"/*") {
                let end = rest.windows(2).skip(2).position(|pair| pair == b"*/");
                at += end.map_or(rest.len(), |end| end + 4);
                continue;
            }
            let length = token_length(rest);
            match byte {
                b'}' => braces = braces.saturating_sub(1),
                b')' | b']' => parens = parens.saturating_sub(1),
                _ => {}
            }
            self.tokens.push(Token {
                start: at,
                end: at + length,
                braces,
                parens,
            });
            match byte {
                b'{' => braces += 1,
                b'(' | b'[' => parens += 1,
                _ => {}
            }
            at += length;
        }
    }

    fn text_of(&self, token: &Token) -> &'t [u8] {
        &self.text[token.start..token.end]
    }

    fn is(&self, index: usize, what: &[u8]) -> bool {
        (self.tokens.get(index)).is_some_and(|token| self.text_of(token) == what)
    }

    /// Whether the name occurs at all.
    pub(super) fn mentions(&self, name: &str) -> bool {
        let mut tokens = self.tokens.iter();
        tokens.any(|token| self.text_of(token) == name.as_bytes())
    }

    /// Whether the text has a body for the function.
    pub(super) fn defines(&self, name: &str) -> bool {
        self.body_of(name).is_some()
    }

    /// The place behind the opening brace of the function's body.
    pub(super) fn body_of(&self, name: &str) -> Option<usize> {
        let tokens = self.tokens.iter().enumerate();
        let mut named = tokens.filter(|(_, token)| {
            token.braces == 0 && token.parens == 0 && self.text_of(token) == name.as_bytes()
        });
        named.find_map(|(index, _)| {
            let brace = self.end_of_declaration(index)?;
            self.is(brace, b"{").then(|| self.tokens[brace].end)
        })
    }

    /// The token behind the declarator of a function and its attributes: `;`, `,` or `{`.
    fn end_of_declaration(&self, name: usize) -> Option<usize> {
        let mut index = self.behind_parentheses(name + 1)?;
        // Attributes and assembler names; the parameters of an old-style definition.
        while !(self.is(index, b"{") || self.is(index, b",") || self.is(index, b"=")) {
            let is_last = self.is(index, b";") && !self.old_style(name, index);
            if is_last {
                return Some(index);
            }
            index += 1;
            self.tokens.get(index)?;
        }
        Some(index)
    }

    /// Whether there are declarations of parameters between the parentheses and this semicolon: then a body follows.
    fn old_style(&self, name: usize, semicolon: usize) -> bool {
        let Some(behind) = self.behind_parentheses(name + 1) else {
            return false;
        };
        let starts_with_attribute = |index: usize| {
            [
                &b"__attribute__"[..],
                b"__asm__",
                b"__asm",
                b"asm",
                b"__attribute",
            ]
            .iter()
            .any(|&word| self.is(index, word))
        };
        behind < semicolon && !starts_with_attribute(behind) && {
            let first = self.text_of(&self.tokens[behind]);
            first.first().is_some_and(u8::is_ascii_alphabetic)
        }
    }

    /// The token behind a pair of parentheses that opens at this token.
    fn behind_parentheses(&self, open: usize) -> Option<usize> {
        if !self.is(open, b"(") {
            return None;
        }
        let depth = self.tokens[open].parens;
        let close = self.tokens[open + 1..]
            .iter()
            .position(|token| token.parens == depth && self.text_of(token) == b")")?;
        Some(open + close + 2)
    }

    /// The place before the `,` or `;` that ends the declarator whose name ends here. `None` if there is something else, an initialiser for
    /// example.
    pub(super) fn declarator_end(&self, name_end: usize) -> Option<usize> {
        let first = self.tokens.partition_point(|token| token.start < name_end);
        let parens = self.tokens.get(first.checked_sub(1)?)?.parens;
        for token in &self.tokens[first..] {
            match self.text_of(token) {
                b"," | b";" if token.parens <= parens => return Some(token.start),
                b"=" | b"{" | b"}" => return None,
                // The name stands in parentheses of its own.
                b")" if token.parens < parens => return None,
                _ => {}
            }
        }
        None
    }

    /// The place behind the `;` that ends the declaration whose name ends here. `None` if a statement can't stand there.
    pub(super) fn statement_end(&self, name_end: usize) -> Option<usize> {
        let first = self.tokens.partition_point(|token| token.start < name_end);
        let braces = self.tokens.get(first.checked_sub(1)?)?.braces;
        let semicolon = self.tokens[first..]
            .iter()
            .find(|token| token.braces == braces && self.text_of(token) == b";")?;
        (semicolon.parens == 0).then_some(semicolon.end)
    }

    /// The place behind the colon of a label.
    pub(super) fn colon_behind(&self, label: usize) -> Option<usize> {
        let mut tokens = self.tokens.iter();
        let colon = tokens.find(|token| token.start >= label && self.text_of(token) == b":")?;
        Some(colon.start + 1)
    }

    /// Functions that are declared without a result and have no body, and where. Those of the C library are left out.
    pub(super) fn undefined_void_functions(&self) -> Vec<(&'t str, usize)> {
        let mut found: Vec<(&str, usize)> = Vec::new();
        for (index, token) in self.tokens.iter().enumerate() {
            let is_void = token.braces == 0 && token.parens == 0 && self.text_of(token) == b"void";
            if !is_void || !self.is(index + 2, b"(") {
                continue;
            }
            let Ok(name) = std::str::from_utf8(self.text_of(&self.tokens[index + 1])) else {
                continue;
            };
            let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
            let is_known = LIBRARY.contains(&name)
                || super::ASSERT_FAIL.contains(&name)
                || matches!(
                    name,
                    "reach_error" | "__VERIFIER_error" | "__VERIFIER_assume" | "__VERIFIER_assert"
                )
                || name.starts_with("__VERIFIER_nondet_")
                || name.starts_with("__builtin_")
                || found.iter().any(|&(known, _)| known == name);
            if is_name && !is_known && !self.defines(name) && self.calls(name) {
                found.push((name, token.start));
            }
        }
        found
    }

    /// Whether the name occurs inside a function.
    fn calls(&self, name: &str) -> bool {
        let mut tokens = self.tokens.iter();
        tokens.any(|token| token.braces > 0 && self.text_of(token) == name.as_bytes())
    }
}

fn token_length(rest: &[u8]) -> usize {
    let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'$';
    match rest.first() {
        Some(&quote @ (b'"' | b'\'')) => {
            let mut escaped = false;
            let end = rest[1..].iter().position(|&byte| {
                let ends = !escaped && (byte == quote || byte == b'\n');
                escaped = !escaped && byte == b'\\';
                ends
            });
            end.map_or(rest.len(), |end| end + 2)
        }
        Some(byte) if is_word(byte) => rest
            .iter()
            .position(|byte| !is_word(byte))
            .unwrap_or(rest.len()),
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_told_from_declarations() {
        let text = b"extern void a(int); void b(void) __attribute__((noreturn));\n\
            int c(x, y) int x; int y; { a(x); }\nstatic void d(int (*f)(void)) { char *s = \"void e(void) {\"; a(3); } // void g() {\n\
            void h(void) __asm__(\"h2\"); int main(void) { b(); h(); void (*p)(void); return 0; }\n";
        let scan = Scan::new(text);
        let defined = |name: &str| scan.defines(name);
        assert!(defined("c") && defined("d") && defined("main"));
        assert!(!defined("a") && !defined("b") && !defined("h") && !defined("e") && !defined("g"));
        assert!(scan.mentions("h") && !scan.mentions("e") && !scan.mentions("g"));
        let names: Vec<&str> = scan
            .undefined_void_functions()
            .iter()
            .map(|f| f.0)
            .collect();
        assert_eq!(names, ["a", "b", "h"]);
    }

    #[test]
    fn declarations_end_where_they_end() {
        let text = b"int main(void) { int x, y = 3, a[3]; for (int i, j = 0; ; ) ; unsigned z __attribute__((unused)); int *(*f)(int); }";
        let scan = Scan::new(text);
        let name_end = |name: &str| {
            let whole = std::str::from_utf8(text).unwrap();
            whole.find(name).unwrap() + name.len()
        };
        let rest = |at: usize| std::str::from_utf8(&text[at..]).unwrap();
        assert!(rest(scan.declarator_end(name_end("int x")).unwrap()).starts_with(", y"));
        assert_eq!(
            scan.declarator_end(name_end("3, a") - 3),
            Some(name_end("y = 3"))
        );
        assert!(rest(scan.declarator_end(name_end("int i")).unwrap()).starts_with(", j"));
        assert!(rest(scan.declarator_end(name_end("unsigned z")).unwrap()).starts_with("; int *"));
        assert_eq!(scan.declarator_end(name_end("(*f")), None);
        assert!(rest(scan.statement_end(name_end("3, a")).unwrap()).starts_with(" for"));
        assert_eq!(scan.statement_end(name_end("int i")), None);
    }

    #[test]
    fn damaged_text_does_no_harm() {
        for text in [
            "/* ",
            "\"",
            "'\\",
            "f(",
            "void f",
            ")",
            "}}",
            "void f(",
            "# x",
            "void f() ;;",
            "f()",
        ] {
            let scan = Scan::new(text.as_bytes());
            assert!(!scan.defines("f"));
            scan.undefined_void_functions();
            scan.declarator_end(0);
            scan.statement_end(text.len());
        }
    }
}
