//! What can be seen in a C text without parsing it: which functions have bodies and where, and where declarations and statements end.

use rhumb_cfront::{PlainKind, Tokens};
use rhumb_program::Span;
use rustc_hash::FxHashMap;

/// A token.
#[derive(Clone, Copy, Debug)]
struct Token {
    kind: PlainKind,
    start: usize,
    end: usize,
    /// Number of braces open before it.
    braces: u32,
    /// Number of parentheses and brackets open before it.
    parens: u32,
}

/// A C text in tokens.
#[derive(Debug)]
pub(crate) struct Scan<'t> {
    text: &'t [u8],
    tokens: Vec<Token>,
    /// Where each word stands outside of all braces and parentheses.
    outside: FxHashMap<&'t [u8], Vec<usize>>,
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

/// What a failing assertion calls, in the libraries that we know.
pub(crate) const ASSERT_FAIL: [&str; 6] = [
    "__assert_fail",
    "__assert_perror_fail",
    "__assert",
    "__assert_rtn",
    "__assert2",
    "__assert_func",
];

impl<'t> Scan<'t> {
    pub(crate) fn new(text: &'t [u8]) -> Scan<'t> {
        let mut scan = Scan {
            text,
            tokens: Vec::new(),
            outside: FxHashMap::default(),
        };
        let (mut braces, mut parens) = (0u32, 0u32);
        for token in Tokens::new(text) {
            match token.kind {
                PlainKind::Punct("}") => braces = braces.saturating_sub(1),
                PlainKind::Punct(")" | "]") => parens = parens.saturating_sub(1),
                _ => {}
            }
            let (start, end) = (token.span.lo as usize, token.span.hi as usize);
            if token.kind == PlainKind::Word && braces == 0 && parens == 0 {
                let places = scan.outside.entry(&text[start..end]).or_default();
                places.push(scan.tokens.len());
            }
            scan.tokens.push(Token {
                kind: token.kind,
                start,
                end,
                braces,
                parens,
            });
            match token.kind {
                PlainKind::Punct("{") => braces += 1,
                PlainKind::Punct("(" | "[") => parens += 1,
                _ => {}
            }
        }
        scan
    }

    fn text_of(&self, token: &Token) -> &'t [u8] {
        &self.text[token.start..token.end]
    }

    /// Whether a token is this word or punctuator.
    fn is(&self, index: usize, what: &str) -> bool {
        self.tokens
            .get(index)
            .is_some_and(|token| match token.kind {
                PlainKind::Punct(punct) => punct == what,
                PlainKind::Word => self.text_of(token) == what.as_bytes(),
                _ => false,
            })
    }

    /// The first token that begins at a byte or behind it.
    fn first_from(&self, at: usize) -> usize {
        self.tokens.partition_point(|token| token.start < at)
    }

    /// Whether the name occurs at all.
    pub(crate) fn mentions(&self, name: &str) -> bool {
        let mut words = self
            .tokens
            .iter()
            .filter(|token| token.kind == PlainKind::Word);
        words.any(|token| self.text_of(token) == name.as_bytes())
    }

    /// Whether the text has a body for the function.
    pub(crate) fn defines(&self, name: &str) -> bool {
        self.opening_brace(name).is_some()
    }

    /// The place behind the opening brace of the function's body.
    pub(crate) fn body_of(&self, name: &str) -> Option<usize> {
        let brace = self.opening_brace(name)?;
        Some(self.tokens[brace].end)
    }

    /// The body of the function, with its braces.
    pub(crate) fn braces_of(&self, name: &str) -> Option<Span> {
        let open = self.opening_brace(name)?;
        let behind = &self.tokens[open + 1..];
        let close = behind.iter().find(|token| token.braces == 0)?;
        let is_close = close.kind == PlainKind::Punct("}");
        is_close.then(|| Span::new(self.tokens[open].start as u32, close.end as u32))
    }

    fn opening_brace(&self, name: &str) -> Option<usize> {
        let named = self.outside.get(name.as_bytes())?;
        named.iter().find_map(|&index| {
            let brace = self.end_of_declaration(index)?;
            self.is(brace, "{").then_some(brace)
        })
    }

    /// The token behind the declarator of a function and its attributes: `;`, `,` or `{`.
    fn end_of_declaration(&self, name: usize) -> Option<usize> {
        let mut index = self.behind_parentheses(name + 1)?;
        // Attributes and assembler names; the parameters of an old-style definition.
        while !(self.is(index, "{") || self.is(index, ",") || self.is(index, "=")) {
            let is_last = self.is(index, ";") && !self.old_style(name, index);
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
        const ATTRIBUTES: [&str; 5] = ["__attribute__", "__asm__", "__asm", "asm", "__attribute"];
        let Some(behind) = self.behind_parentheses(name + 1) else {
            return false;
        };
        let starts_with_attribute = ATTRIBUTES.iter().any(|word| self.is(behind, word));
        let is_word = self.tokens[behind].kind == PlainKind::Word;
        behind < semicolon && !starts_with_attribute && is_word
    }

    /// The token behind a pair of parentheses that opens at this token.
    fn behind_parentheses(&self, open: usize) -> Option<usize> {
        if !self.is(open, "(") {
            return None;
        }
        let depth = self.tokens[open].parens;
        let close = self.tokens[open + 1..]
            .iter()
            .position(|token| token.parens == depth && token.kind == PlainKind::Punct(")"))?;
        Some(open + close + 2)
    }

    /// The place before the `,` or `;` that ends the declarator whose name ends here. `None` if there is something else, an initialiser for
    /// example.
    pub(crate) fn declarator_end(&self, name_end: usize) -> Option<usize> {
        let first = self.first_from(name_end);
        let parens = self.tokens.get(first.checked_sub(1)?)?.parens;
        for token in &self.tokens[first..] {
            match token.kind {
                PlainKind::Punct("," | ";") if token.parens <= parens => return Some(token.start),
                PlainKind::Punct("=" | "{" | "}") => return None,
                // The name stands in parentheses of its own.
                PlainKind::Punct(")") if token.parens < parens => return None,
                _ => {}
            }
        }
        None
    }

    /// The place behind the `;` that ends the declaration whose name ends here. `None` if a statement can't stand there.
    pub(crate) fn statement_end(&self, name_end: usize) -> Option<usize> {
        let first = self.first_from(name_end);
        let braces = self.tokens.get(first.checked_sub(1)?)?.braces;
        let semicolon = self.tokens[first..]
            .iter()
            .find(|token| token.braces == braces && token.kind == PlainKind::Punct(";"))?;
        (semicolon.parens == 0).then_some(semicolon.end)
    }

    /// The place behind the colon of a label.
    pub(crate) fn colon_behind(&self, label: usize) -> Option<usize> {
        let mut tokens = self.tokens[self.first_from(label)..].iter();
        let colon = tokens.find(|token| token.kind == PlainKind::Punct(":"))?;
        Some(colon.end)
    }

    /// The closing parenthesis of the `for` statement that begins at a byte; none if another statement does.
    pub(crate) fn for_close(&self, at: usize) -> Option<usize> {
        let keyword = self.first_from(at);
        let behind = self.behind_parentheses(keyword + 1)?;
        self.is(keyword, "for")
            .then(|| self.tokens[behind - 1].start)
    }

    /// Where the first statement inside the loop that begins at a byte begins.
    pub(crate) fn loop_body(&self, at: usize) -> Option<usize> {
        let keyword = self.first_from(at);
        let mut first = match self.is(keyword, "do") {
            true => keyword + 1,
            false => self.behind_parentheses(keyword + 1)?,
        };
        while self.is(first, "{") {
            first += 1;
        }
        Some(self.tokens.get(first)?.start)
    }

    /// Where the first token from a byte on begins, if it begins a statement or a declaration.
    pub(crate) fn statement_from(&self, at: usize) -> Option<usize> {
        let token = self.tokens.get(self.first_from(at))?;
        (token.kind != PlainKind::Punct("}")).then_some(token.start)
    }

    /// Whether no statement ends between two places.
    pub(crate) fn is_in_statement(&self, start: usize, at: usize) -> bool {
        let behind = &self.tokens[self.first_from(start)..];
        let mut between = behind.iter().take_while(|token| token.start < at);
        let ends = |token: &Token| matches!(token.kind, PlainKind::Punct(";" | "{" | "}"));
        start <= at && !between.any(ends)
    }

    /// Functions that are declared without a result and have no body, and where. Those of the C library are left out.
    pub(crate) fn undefined_void_functions(&self) -> Vec<(&'t str, usize)> {
        let mut found: Vec<(&str, usize)> = Vec::new();
        for &index in self.outside.get(&b"void"[..]).into_iter().flatten() {
            let name = self.tokens.get(index + 1);
            let name = name.filter(|name| name.kind == PlainKind::Word && self.is(index + 2, "("));
            let name = name.and_then(|name| std::str::from_utf8(self.text_of(name)).ok());
            let Some(name) = name else {
                continue;
            };
            let is_known = LIBRARY.contains(&name)
                || ASSERT_FAIL.contains(&name)
                || matches!(
                    name,
                    "reach_error" | "__VERIFIER_error" | "__VERIFIER_assume" | "__VERIFIER_assert"
                )
                || name.starts_with("__VERIFIER_nondet_")
                || name.starts_with("__builtin_")
                || found.iter().any(|&(known, _)| known == name);
            if !is_known && !self.defines(name) && self.calls(name) {
                found.push((name, self.tokens[index].start));
            }
        }
        found
    }

    /// Whether the name occurs inside a function.
    fn calls(&self, name: &str) -> bool {
        let mut inside = self.tokens.iter().filter(|token| token.braces > 0);
        inside.any(|token| self.text_of(token) == name.as_bytes())
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

    #[test]
    fn loops_and_statements_are_found() {
        let text = b"int f(x) int x; { for (int i = 0; i < (x); i++) { x--; } do { x++; } while (x); return x; }";
        let scan = Scan::new(text);
        let whole = std::str::from_utf8(text).unwrap();
        let at = |what: &str| whole.find(what).unwrap();
        let braces = scan.braces_of("f").unwrap();
        assert_eq!(
            (braces.lo as usize, braces.hi as usize),
            (at("{ for"), whole.len())
        );
        assert_eq!(scan.for_close(at("for")), Some(at(") { x--")));
        assert_eq!(scan.for_close(at("do")), None);
        assert_eq!(scan.loop_body(at("for")), Some(at("x--")));
        assert_eq!(scan.loop_body(at("do")), Some(at("x++")));
        assert_eq!(scan.statement_from(at("{ for") + 1), Some(at("for")));
        assert_eq!(scan.statement_from(at("; }") + 1), None);
        assert!(scan.is_in_statement(at("while"), at("(x); return")));
        assert!(!scan.is_in_statement(at("while"), at("return")));
    }
}
