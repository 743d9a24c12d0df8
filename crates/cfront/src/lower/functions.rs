//! What is known of the functions of the C and POSIX libraries: `library/functions.txt`. A function with such a name and no body is never
//! taken as an input: it is modelled, its result is approximated, or it is refused.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

/// What a library function can do beside giving a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effect {
    /// Nothing that the model follows.
    Result,
    /// It writes through pointers that it is given.
    Writes,
    /// It ends the program with its first argument.
    Ends,
    /// Something that the model can't follow.
    Refused(&'static str),
}

impl Effect {
    /// The effect for which a word of the list stands.
    fn from_word(word: &str) -> Option<Effect> {
        Some(match word {
            "result" => Effect::Result,
            "writes" => Effect::Writes,
            "ends" => Effect::Ends,
            "hidden" => Effect::Refused("writes to memory behind its arguments"),
            "later" => Effect::Refused("keeps a pointer for later"),
            "calls" => Effect::Refused("calls functions of the program"),
            "processes" => Effect::Refused("does something to the whole process"),
            "signals" => Effect::Refused("has to do with signals"),
            "jumps" => Effect::Refused("jumps out of functions"),
            "mapping" => Effect::Refused("maps memory"),
            "rounding" => Effect::Refused("changes the floating-point environment"),
            "locale" => Effect::Refused("changes the locale"),
            _ => return None,
        })
    }
}

/// Prefixes of functions that start or coordinate threads.
pub(crate) const THREADS: &[&str] = &["pthread_", "thrd_", "mtx_", "cnd_", "sem_"];

/// Functions that write to a stream what a format says, and where the format is among their arguments. With `%n` they write to memory.
pub(crate) const FORMATS: &[(&str, usize)] = &[
    ("dprintf", 1),
    ("error", 2),
    ("error_at_line", 4),
    ("fprintf", 1),
    ("printf", 0),
    ("syslog", 1),
    ("vdprintf", 1),
    ("vfprintf", 1),
    ("vprintf", 0),
    ("vwarn", 0),
    ("vwarnx", 0),
    ("warn", 0),
    ("warnx", 0),
];

/// Variables of the library that its functions change, or that stand for something outside of the program. A program
/// that declares one of them without defining it means the library's.
pub(crate) const VARIABLES: &[&str] = &[
    "__environ",
    "__progname",
    "__progname_full",
    "_environ",
    "argp_err_exit_status",
    "daylight",
    "environ",
    "error_message_count",
    "error_one_per_line",
    "error_print_progname",
    "getdate_err",
    "h_errno",
    "program_invocation_name",
    "program_invocation_short_name",
    "signgam",
    "sys_errlist",
    "sys_nerr",
    "sys_siglist",
    "timezone",
    "tzname",
    "__daylight",
    "__signgam",
    "__timezone",
    "__tzname",
    "_sys_errlist",
    "_sys_nerr",
];

/// Variables of the library that only `getopt` and its kin change, with their first values. Those functions are refused
/// where the program doesn't define them itself, so what the program sees of these variables is what it stores in them.
const OPTIONS: &[(&str, u128)] = &[
    ("optarg", 0),
    ("opterr", 1),
    ("optind", 1),
    ("optopt", b'?' as u128),
];

/// The first value of a variable of the library that only functions change which are refused.
pub(crate) fn option_variable(name: &str) -> Option<u128> {
    let found = OPTIONS.iter().find(|(option, _)| *option == name);
    found.map(|&(_, first)| first)
}

/// What the name of a mathematical function ends in for other types than `double`.
const FLOAT_SUFFIXES: &[&str] = &["f", "l", "f32", "f32x", "f64", "f64x", "f128"];

/// What stands before the names by which glibc's headers call newer versions of a function.
const VERSIONS: &[&str] = &["__builtin_", "__isoc99_", "__isoc23_"];

/// A function of the list.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Listed {
    /// Its name.
    pub(crate) name: &'static str,
    /// The header that declares it.
    pub(crate) header: &'static str,
    /// What it can do.
    pub(crate) effect: Effect,
}

impl Listed {
    /// Whether there are variants of it for other floating types.
    pub(crate) fn is_mathematical(&self) -> bool {
        matches!(self.header, "math.h" | "complex.h")
    }
}

/// The whole list, by header.
pub(crate) static LIST: LazyLock<Vec<Listed>> =
    LazyLock::new(|| read(include_str!("../../library/functions.txt")));

/// The list by name.
static BY_NAME: LazyLock<FxHashMap<&'static str, Listed>> =
    LazyLock::new(|| LIST.iter().map(|listed| (listed.name, *listed)).collect());

/// Reads a list: comments, lines that name a header, and lines with an effect and the names of functions.
fn read(text: &'static str) -> Vec<Listed> {
    let mut list = Vec::new();
    let mut header = "";
    let mut effect = Effect::Result;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(name) = line.strip_suffix(':') {
            header = name;
            continue;
        }
        for word in line.split_whitespace() {
            match word.strip_suffix(':').and_then(Effect::from_word) {
                Some(named) => effect = named,
                None => list.push(Listed {
                    name: word,
                    header,
                    effect,
                }),
            }
        }
    }
    list
}

/// The name of the function that a name stands for: without the marks of compilers and headers.
pub(crate) fn plain_name(name: &str) -> &str {
    let mut prefixes = VERSIONS.iter();
    prefixes
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(name)
}

/// What a function of that name can do, if it belongs to the C or POSIX library.
pub(crate) fn effect(name: &str) -> Option<Effect> {
    let plain = plain_name(name);
    if THREADS.iter().any(|prefix| plain.starts_with(prefix)) {
        return Some(Effect::Refused("has to do with threads"));
    }
    if let Some(listed) = BY_NAME.get(plain) {
        return Some(listed.effect);
    }
    let variant = FLOAT_SUFFIXES.iter().find_map(|suffix| {
        let listed = BY_NAME.get(plain.strip_suffix(suffix)?)?;
        listed.is_mathematical().then_some(listed.effect)
    });
    if variant.is_some() {
        return variant;
    }
    // Functions with checks, as `_FORTIFY_SOURCE` calls them, have more arguments.
    let checked = plain
        .strip_prefix("__")
        .and_then(|rest| rest.strip_suffix("_chk"));
    match checked {
        Some(base) => Some(match BY_NAME.get(base).map(|listed| listed.effect) {
            Some(Effect::Refused(why)) => Effect::Refused(why),
            _ => Effect::Writes,
        }),
        None => name.starts_with("__builtin_").then_some(Effect::Writes),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_known_by_their_names() {
        for name in [
            "printf",
            "ffs",
            "stpncpy",
            "_setjmp",
            "__sigsetjmp",
            "mempcpy",
            "err",
            "__memcpy_chk",
            "__isoc99_scanf",
        ] {
            assert!(effect(name).is_some(), "{name}");
        }
        for name in ["my_function", "", "stdio.h:", "math.h", "sinff", "modff32y"] {
            assert!(effect(name).is_none(), "{name}");
        }
    }

    #[test]
    fn math_functions_are_known_with_their_suffixes() {
        for name in [
            "sin",
            "sinf",
            "sinl",
            "sinf128",
            "csqrtl",
            "modf",
            "ceil",
            "__builtin_sin",
        ] {
            assert!(effect(name).is_some(), "{name}");
        }
    }

    #[test]
    fn the_list_is_well_formed() {
        let mut seen = rustc_hash::FxHashSet::default();
        for listed in LIST.iter() {
            assert!(!listed.name.contains(':'), "{}", listed.name);
            assert!(!listed.header.is_empty(), "{}", listed.name);
            assert!(seen.insert(listed.name), "{} twice", listed.name);
        }
        assert!(LIST.len() > 1000);
    }

    #[test]
    fn what_a_function_can_do() {
        assert_eq!(effect("strerror"), Some(Effect::Result));
        assert_eq!(effect("frexpf"), Some(Effect::Writes));
        assert_eq!(effect("errx"), Some(Effect::Ends));
        for name in [
            "fork",
            "syscall",
            "setlocale",
            "__longjmp_chk",
            "pthread_create",
        ] {
            assert!(matches!(effect(name), Some(Effect::Refused(_))), "{name}");
        }
    }
}
