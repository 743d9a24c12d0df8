//! Tokens, and the table of keywords.

use rhumb_program::Span;

use crate::intern::{Interner, Symbol};

/// A token: what it is and where it stands. The text of literals is read from the source when it is needed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TokenKind {
    Ident(Symbol),
    Keyword(Keyword),
    /// A preprocessing number: not yet known to be a valid constant.
    Number,
    /// A character constant, prefix included.
    Char,
    /// One string literal, prefix included.
    Str,
    Punct(Punct),
    Eof,
}

impl From<Keyword> for TokenKind {
    fn from(keyword: Keyword) -> TokenKind {
        TokenKind::Keyword(keyword)
    }
}

impl From<Punct> for TokenKind {
    fn from(punct: Punct) -> TokenKind {
        TokenKind::Punct(punct)
    }
}

macro_rules! puncts {
    ($($name:ident $text:literal,)*) => {
        /// A punctuator.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Punct { $($name,)* }

        impl Punct {
            /// How it is written.
            pub(crate) fn text(self) -> &'static str {
                match self { $(Punct::$name => $text,)* }
            }
        }
    };
}

puncts! {
    LParen "(", RParen ")", LBracket "[", RBracket "]", LBrace "{", RBrace "}",
    Dot ".", Ellipsis "...", Arrow "->", PlusPlus "++", MinusMinus "--",
    Amp "&", Star "*", Plus "+", Minus "-", Tilde "~", Bang "!",
    Slash "/", Percent "%", Shl "<<", Shr ">>", Lt "<", Gt ">", Le "<=", Ge ">=", EqEq "==", Ne "!=",
    Caret "^", Pipe "|", AmpAmp "&&", PipePipe "||", Question "?", Colon ":", Semi ";", Comma ",",
    Assign "=", StarAssign "*=", SlashAssign "/=", PercentAssign "%=", PlusAssign "+=", MinusAssign "-=",
    ShlAssign "<<=", ShrAssign ">>=", AmpAssign "&=", CaretAssign "^=", PipeAssign "|=",
}

macro_rules! keywords {
    ($($name:ident $($text:literal)+,)*) => {
        /// A keyword; different spellings of the same thing (`inline`, `__inline__`) are one.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        pub(crate) enum Keyword { $($name,)* }

        const SPELLINGS: &[(Keyword, &str)] = &[$($((Keyword::$name, $text),)+)*];

        impl Keyword {
            /// The first of its spellings.
            pub(crate) fn text(self) -> &'static str {
                match self { $(Keyword::$name => keywords!(@first $($text)+),)* }
            }
        }
    };
    (@first $first:literal $($rest:literal)*) => { $first };
}

keywords! {
    // Storage classes and function specifiers.
    Auto "auto", Extern "extern", Register "register", Static "static", Typedef "typedef",
    ThreadLocal "_Thread_local" "__thread", Inline "inline" "__inline" "__inline__", Noreturn "_Noreturn",
    // Qualifiers.
    Const "const" "__const" "__const__", Volatile "volatile" "__volatile" "__volatile__",
    Restrict "restrict" "__restrict" "__restrict__", Atomic "_Atomic",
    // Types.
    Void "void", Char "char", Short "short", Int "int", Long "long", Float "float", Double "double",
    Signed "signed" "__signed" "__signed__", Unsigned "unsigned", Bool "_Bool", Complex "_Complex" "__complex" "__complex__",
    Imaginary "_Imaginary", Int128 "__int128", BitInt "_BitInt", Decimal32 "_Decimal32", Decimal64 "_Decimal64",
    Decimal128 "_Decimal128", Struct "struct", Union "union", Enum "enum", Typeof "typeof" "__typeof" "__typeof__",
    AutoType "__auto_type",
    // Other parts of declarations.
    Alignas "_Alignas", Attribute "__attribute__" "__attribute", Asm "asm" "__asm" "__asm__",
    Extension "__extension__", StaticAssert "_Static_assert", LocalLabel "__label__", Pragma "_Pragma",
    // Statements.
    Break "break", Case "case", Continue "continue", Default "default", Do "do", Else "else", For "for", Goto "goto",
    If "if", Return "return", Switch "switch", While "while",
    // Expressions.
    Sizeof "sizeof", Alignof "_Alignof", GnuAlignof "__alignof__" "__alignof", Generic "_Generic",
    FunctionName "__func__" "__FUNCTION__" "__PRETTY_FUNCTION__", Real "__real__" "__real", Imag "__imag__" "__imag",
    Offsetof "__builtin_offsetof", VaArg "__builtin_va_arg", TypesCompatible "__builtin_types_compatible_p",
    ChooseExpr "__builtin_choose_expr", ConvertVector "__builtin_convertvector",
    HasAttribute "__builtin_has_attribute",
}

/// Which symbols are keywords.
#[derive(Debug)]
pub(crate) struct KeywordTable {
    by_symbol: Vec<Option<Keyword>>,
}

impl KeywordTable {
    /// Interns all keywords.
    pub(crate) fn new(interner: &mut Interner) -> KeywordTable {
        let mut by_symbol = Vec::new();
        for &(keyword, text) in SPELLINGS {
            let index = interner.intern(text).index();
            if by_symbol.len() <= index {
                by_symbol.resize(index + 1, None);
            }
            by_symbol[index] = Some(keyword);
        }
        KeywordTable { by_symbol }
    }

    /// The token for a name: a keyword or an identifier.
    #[inline]
    pub(crate) fn classify(&self, symbol: Symbol) -> TokenKind {
        match self.by_symbol.get(symbol.index()) {
            Some(&Some(keyword)) => TokenKind::Keyword(keyword),
            _ => TokenKind::Ident(symbol),
        }
    }
}
