//! Names of the C and POSIX libraries. A function with such a name and no body is never taken as an input: its result is approximated,
//! or it is refused.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// Prefixes of functions that start or coordinate threads.
pub(super) const THREADS: &[&str] = &["pthread_", "thrd_", "mtx_", "cnd_", "sem_"];

/// Functions that write to a stream and to nothing that the program reads.
pub(super) const OUTPUT_ONLY: &[&str] = &[
    "fclose", "fflush", "fputc", "fputs", "fwrite", "perror", "putc", "putchar", "puts", "write",
];

/// Functions that write to a stream what a format says, and where the format is among their arguments. With `%n` they write to memory.
pub(super) const FORMATS: &[(&str, usize)] =
    &[("dprintf", 1), ("fprintf", 1), ("printf", 0), ("syslog", 1)];

/// Functions that write to no memory of the program and yet do more than to give a result: what comes after the call may not happen, or
/// happen twice.
pub(super) const NOT_ONLY_A_RESULT: &[&str] = &[
    "_longjmp",
    "alarm",
    "execl",
    "execle",
    "execlp",
    "execv",
    "execve",
    "execvp",
    "fork",
    "kill",
    "killpg",
    "longjmp",
    "pause",
    "raise",
    "siglongjmp",
    "vfork",
];

/// What the name of a mathematical function ends in for other types than `double`.
const FLOAT_SUFFIXES: &[&str] = &["f", "l", "f32", "f32x", "f64", "f64x", "f128"];

/// The functions by name: all, and those with variants for other floating types.
struct Names {
    all: FxHashSet<&'static str>,
    mathematical: FxHashSet<&'static str>,
}

static NAMES: LazyLock<Names> = LazyLock::new(|| read(include_str!("../../library/names.txt")));

/// Reads a list: comments, lines that name a header, and lines with the names of its functions.
fn read(text: &'static str) -> Names {
    let mut names = Names {
        all: FxHashSet::default(),
        mathematical: FxHashSet::default(),
    };
    let mut header = "";
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        match line.strip_suffix(':') {
            Some(name) => header = name,
            None if matches!(header, "math.h" | "complex.h") => {
                names.mathematical.extend(line.split_whitespace());
            }
            None => names.all.extend(line.split_whitespace()),
        }
    }
    names.all.extend(&names.mathematical);
    names
}

/// Whether a function belongs to the C or POSIX library.
pub(super) fn is_library_name(name: &str) -> bool {
    let bare = name.strip_prefix("__builtin_").unwrap_or(name);
    let is_variant = |suffix: &&str| {
        bare.strip_suffix(*suffix)
            .is_some_and(|base| NAMES.mathematical.contains(base))
    };
    NAMES.all.contains(bare)
        || FLOAT_SUFFIXES.iter().any(is_variant)
        || name.starts_with("__builtin_")
        || bare.starts_with("__") && bare.ends_with("_chk")
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
        ] {
            assert!(is_library_name(name), "{name}");
        }
        for name in ["my_function", "", "stdio.h:", "math.h", "sinff", "modff32y"] {
            assert!(!is_library_name(name), "{name}");
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
            assert!(is_library_name(name), "{name}");
        }
    }
}
