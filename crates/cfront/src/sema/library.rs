//! The prototypes of library functions that gcc knows without a declaration.

use std::sync::Arc;

use rhumb_program::Span;

use super::Sema;
use super::linkage::FunctionState;
use super::scope::{Binding, Linked};
use crate::ast::Quals;
use crate::ctypes::{CType, FloatKind, FunctionType, IntKind, QualType, TypeId};
use crate::hir::{Function, FunctionId};
use crate::intern::Symbol;

/// Names and types, one letter each: first the result, then the parameters.
/// `v` void, `i` int, `u` unsigned, `l` long, `L` long long, `z` size_t, `w` unsigned long, `d` double, `f` float, `D` long double,
/// `p` void *, `P` const void *, `s` char *, `S` const char *, `T` char **, `j` int *, `e` double *, `a` va_list,
/// `c` comparison function, `h` void (*)(void), `.` variadic.
const PROTOTYPES: &[(&str, &str)] = &[
    ("_Exit", "vi"),
    ("__assert_fail", "vSSuS"),
    ("_exit", "vi"),
    ("abort", "v"),
    ("abs", "ii"),
    ("atexit", "ih"),
    ("atof", "dS"),
    ("atoi", "iS"),
    ("atol", "lS"),
    ("atoll", "LS"),
    ("bsearch", "pPPzzc"),
    ("bzero", "vpz"),
    ("calloc", "pzz"),
    ("exit", "vi"),
    ("fclose", "ip"),
    ("feof", "ip"),
    ("ferror", "ip"),
    ("fflush", "ip"),
    ("fgetc", "ip"),
    ("fgets", "ssip"),
    ("fopen", "pSS"),
    ("fprintf", "ipS."),
    ("fputc", "iip"),
    ("fputs", "iSp"),
    ("fread", "zpzzp"),
    ("free", "vp"),
    ("fscanf", "ipS."),
    ("fwrite", "zPzzp"),
    ("getchar", "i"),
    ("getenv", "sS"),
    ("index", "sSi"),
    ("isalnum", "ii"),
    ("isalpha", "ii"),
    ("isascii", "ii"),
    ("isblank", "ii"),
    ("iscntrl", "ii"),
    ("isdigit", "ii"),
    ("isgraph", "ii"),
    ("islower", "ii"),
    ("isprint", "ii"),
    ("ispunct", "ii"),
    ("isspace", "ii"),
    ("isupper", "ii"),
    ("isxdigit", "ii"),
    ("labs", "ll"),
    ("llabs", "LL"),
    ("malloc", "pz"),
    ("memchr", "pPiz"),
    ("memcmp", "iPPz"),
    ("memcpy", "ppPz"),
    ("memmove", "ppPz"),
    ("mempcpy", "ppPz"),
    ("memset", "ppiz"),
    ("perror", "vS"),
    ("printf", "iS."),
    ("putchar", "ii"),
    ("puts", "iS"),
    ("qsort", "vpzzc"),
    ("rand", "i"),
    ("random", "l"),
    ("realloc", "ppz"),
    ("rindex", "sSi"),
    ("scanf", "iS."),
    ("snprintf", "iszS."),
    ("sprintf", "isS."),
    ("srand", "vu"),
    ("sscanf", "iSS."),
    ("stpcpy", "ssS"),
    ("stpncpy", "ssSz"),
    ("strcasecmp", "iSS"),
    ("strcat", "ssS"),
    ("strchr", "sSi"),
    ("strcmp", "iSS"),
    ("strcpy", "ssS"),
    ("strcspn", "zSS"),
    ("strdup", "sS"),
    ("strlen", "zS"),
    ("strncasecmp", "iSSz"),
    ("strncat", "ssSz"),
    ("strncmp", "iSSz"),
    ("strncpy", "ssSz"),
    ("strndup", "sSz"),
    ("strpbrk", "sSS"),
    ("strrchr", "sSi"),
    ("strspn", "zSS"),
    ("strstr", "sSS"),
    ("strtod", "dST"),
    ("strtok", "ssS"),
    ("strtol", "lSTi"),
    ("strtoll", "LSTi"),
    ("strtoul", "wSTi"),
    ("system", "iS"),
    ("toascii", "ii"),
    ("tolower", "ii"),
    ("toupper", "ii"),
    ("vfprintf", "ipSa"),
    ("vprintf", "iSa"),
    ("vsnprintf", "iszSa"),
    ("vsprintf", "isSa"),
];

/// Mathematical functions of one argument, each for `double`, `float` (suffix `f`) and `long double` (suffix `l`).
const MATH: &[&str] = &[
    "acos",
    "acosh",
    "asin",
    "asinh",
    "atan",
    "atanh",
    "cbrt",
    "ceil",
    "cos",
    "cosh",
    "erf",
    "erfc",
    "exp",
    "exp2",
    "expm1",
    "fabs",
    "floor",
    "lgamma",
    "log",
    "log10",
    "log1p",
    "log2",
    "logb",
    "nearbyint",
    "rint",
    "round",
    "sin",
    "sinh",
    "sqrt",
    "tan",
    "tanh",
    "tgamma",
    "trunc",
];

/// The same, of two arguments.
const MATH2: &[&str] = &[
    "atan2",
    "copysign",
    "drem",
    "fdim",
    "fmax",
    "fmin",
    "fmod",
    "hypot",
    "nextafter",
    "pow",
    "remainder",
];

/// The same, with an integer result or an integer or pointer as the second argument: letters as above, `x` the floating type.
const MATH_MIXED: &[(&str, &str)] = &[
    ("frexp", "xxj"),
    ("ilogb", "ix"),
    ("ldexp", "xxi"),
    ("llrint", "Lx"),
    ("llround", "Lx"),
    ("lrint", "lx"),
    ("lround", "lx"),
    ("scalbln", "xxl"),
    ("scalbn", "xxi"),
    ("fma", "xxxx"),
];

/// Functions of the library that don't return.
const NORETURN: &[&str] = &["_Exit", "__assert_fail", "_exit", "abort", "exit"];

impl Sema<'_> {
    /// The library function of that name, declared with its standard type if the program hasn't declared it.
    pub(super) fn library_function(&mut self, name: &str, span: Span) -> Option<FunctionId> {
        let symbol = self.names.intern(name);
        match self.unit.linked.get(&symbol) {
            Some(Linked::Function(function)) => return Some(*function),
            Some(Linked::Global(_)) => return None,
            None => {}
        }
        let ty = self.library_type(name)?;
        let function = self.declare_function(symbol, ty, span);
        self.unit.functions[function].noreturn = NORETURN.contains(&name);
        Some(function)
    }

    /// A function that gcc treats as its own, with a type that takes anything and gives an `int`.
    pub(super) fn generic_builtin(&mut self, name: &str, span: Span) -> FunctionId {
        let int = self.unit.types.basic.int;
        self.function_of_type(name, int, span)
    }

    /// A function of the front end's own with a result of this type.
    pub(super) fn function_of_type(&mut self, name: &str, ty: TypeId, span: Span) -> FunctionId {
        let symbol = self.names.intern(name);
        if let Some(&Linked::Function(function)) = self.unit.linked.get(&symbol) {
            return function;
        }
        let ty = self.unspecified_function(ty);
        self.declare_function(symbol, ty, span)
    }

    /// `result f()`.
    fn unspecified_function(&mut self, result: TypeId) -> TypeId {
        self.unit.types.intern(CType::Function(FunctionType {
            result,
            params: Vec::new(),
            variadic: false,
            unspecified: true,
        }))
    }

    /// Declares a function that is called without a declaration.
    pub(super) fn implicit_function(&mut self, name: Symbol, span: Span) {
        let text = self.names.name(name).clone();
        self.warn(span, format!("implicit declaration of function `{text}`"));
        let function = match self.unit.linked.get(&name) {
            Some(Linked::Function(function)) => *function,
            Some(Linked::Global(_)) => {
                self.error(span, format!("`{text}` is not a function"));
                return;
            }
            None => match self.library_function(&text, span) {
                Some(function) => function,
                None => {
                    let int = self.unit.types.basic.int;
                    let ty = self.unspecified_function(int);
                    self.declare_function(name, ty, span)
                }
            },
        };
        let names = &mut self.unit.scopes.ordinary;
        names.declare(name, Binding::Function(function), span);
    }

    fn declare_function(&mut self, symbol: Symbol, ty: TypeId, span: Span) -> FunctionId {
        let name: Arc<str> = self.names.name(symbol).clone();
        let function = self.unit.functions.push(Function::declared(name, ty, span));
        self.unit.function_states.push(FunctionState::implicit());
        self.unit.linked.insert(symbol, Linked::Function(function));
        function
    }

    fn library_type(&mut self, name: &str) -> Option<TypeId> {
        if let Ok(index) = PROTOTYPES.binary_search_by_key(&name, |&(name, _)| name) {
            return Some(self.prototype_type(PROTOTYPES[index].1, FloatKind::Double));
        }
        let (letters, kind) = math_letters(name)?;
        Some(self.prototype_type(letters, kind))
    }

    fn prototype_type(&mut self, letters: &str, float: FloatKind) -> TypeId {
        let variadic = letters.ends_with('.');
        let mut types: Vec<TypeId> = letters
            .chars()
            .filter(|&letter| letter != '.')
            .map(|letter| self.letter_type(letter, float))
            .collect();
        let result = types.remove(0);
        self.unit.types.intern(CType::Function(FunctionType {
            result,
            params: types,
            variadic,
            unspecified: false,
        }))
    }

    fn letter_type(&mut self, letter: char, float: FloatKind) -> TypeId {
        let quals = Quals {
            is_const: true,
            ..Quals::default()
        };
        let types = &mut self.unit.types;
        let basic = types.basic;
        let constant = |ty| QualType { ty, quals };
        match letter {
            'v' => basic.void,
            'i' => basic.int,
            'u' => basic.uint,
            'l' => basic.long,
            'w' => types.int(IntKind::ULong),
            'L' => types.int(IntKind::LongLong),
            'z' => basic.size,
            'd' => basic.double,
            'f' => types.float(FloatKind::Float),
            'D' => types.float(FloatKind::LongDouble),
            'x' => types.float(float),
            'p' => basic.void_ptr,
            'P' => types.pointer_to(constant(basic.void)),
            's' => types.pointer_to(QualType::plain(basic.char)),
            'S' => types.pointer_to(constant(basic.char)),
            'T' => {
                let string = types.pointer_to(QualType::plain(basic.char));
                types.pointer_to(QualType::plain(string))
            }
            'j' => types.pointer_to(QualType::plain(basic.int)),
            'e' => types.pointer_to(QualType::plain(basic.double)),
            'a' => self.adjusted(QualType::plain(basic.va_list)).ty,
            'c' => {
                let pointer = types.pointer_to(constant(basic.void));
                self.pointer_to_function(basic.int, vec![pointer, pointer])
            }
            'h' => self.pointer_to_function(basic.void, Vec::new()),
            _ => basic.error,
        }
    }

    fn pointer_to_function(&mut self, result: TypeId, params: Vec<TypeId>) -> TypeId {
        let function = self.unit.types.intern(CType::Function(FunctionType {
            result,
            params,
            variadic: false,
            unspecified: false,
        }));
        self.unit.types.pointer_to(QualType::plain(function))
    }
}

/// Whether the C library has a function of that name.
pub(super) fn is_library_name(name: &str) -> bool {
    PROTOTYPES
        .binary_search_by_key(&name, |&(name, _)| name)
        .is_ok()
        || math_letters(name).is_some()
}

/// The type letters of a mathematical function, and the floating type that its suffix says.
fn math_letters(name: &str) -> Option<(&'static str, FloatKind)> {
    let letters = |name: &str| {
        if MATH.contains(&name) {
            return Some("xx");
        }
        if MATH2.contains(&name) {
            return Some("xxx");
        }
        let mixed = MATH_MIXED.iter().find(|(known, _)| *known == name);
        mixed.map(|&(_, letters)| letters)
    };
    let variants = [
        (Some(name), FloatKind::Double),
        (name.strip_suffix('f'), FloatKind::Float),
        (name.strip_suffix('l'), FloatKind::LongDouble),
    ];
    variants
        .into_iter()
        .find_map(|(base, kind)| letters(base?).map(|letters| (letters, kind)))
}
