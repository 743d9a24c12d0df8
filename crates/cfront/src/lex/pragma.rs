//! What pragmas say. gcc passes over those that it doesn't know; so do we, and say so by name.

use super::packing::Pack;

/// A pragma, by what it changes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Pragma {
    /// `pack`: records are laid out otherwise from here on.
    Pack(Pack),
    /// `scalar_storage_order`, `ms_struct`: records are laid out in a way that we don't handle, or no longer so.
    Layout {
        /// The attribute that says the same of one record.
        attribute: &'static str,
        on: bool,
    },
    /// One that concerns the whole program.
    Unit(UnitPragma),
    /// Nothing that a program can observe.
    Harmless,
    /// One that gcc doesn't know either: its first word.
    Unknown(String),
}

/// A pragma that concerns the whole program.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum UnitPragma {
    /// `weak name`, and with a target `weak name = target`.
    Weak {
        name: String,
        target: Option<String>,
    },
    /// `redefine_extname old new`: the linker knows `old` under another name.
    Rename { old: String, new: String },
    /// `GCC optimize`, `GCC target`: the words in quotes.
    Compile {
        attribute: &'static str,
        options: Vec<String>,
    },
}

/// Pragmas that change nothing, or only what the compiler says; the preprocessor has done its own by now. What belongs to OpenMP and its
/// like is not for gcc unless it is asked for, and what belongs to other compilers and tools is not for gcc at all.
const HARMLESS: &[&str] = &[
    "STDC",
    "acc",
    "alloc_text",
    "auto_inline",
    "bss_seg",
    "check_stack",
    "clang",
    "code_seg",
    "comment",
    "component",
    "conform",
    "const_seg",
    "data_seg",
    "deprecated",
    "endregion",
    "function",
    "hdrstop",
    "ident",
    "inline",
    "inline_depth",
    "intrinsic",
    "ivdep",
    "mark",
    "merger",
    "message",
    "nounroll",
    "omp",
    "once",
    "pop_macro",
    "push_macro",
    "region",
    "setlocale",
    "unroll",
    "warning",
];

/// Pragmas of the name space `GCC` that change nothing.
const GCC_HARMLESS: &[&str] = &[
    "dependency",
    "diagnostic",
    "error",
    "ivdep",
    "pch_preprocess",
    "poison",
    "pop_options",
    "push_options",
    "reset_options",
    "system_header",
    "unroll",
    "visibility",
    "warning",
];

/// Reads what stands behind `#pragma` or in the string of `_Pragma`.
pub(super) fn read(text: &str) -> Pragma {
    let text = text.trim_start();
    if let Some(pack) = text.strip_prefix("pack").and_then(Pack::read) {
        return Pragma::Pack(pack);
    }
    let mut words = text.split_whitespace();
    let first = words.next().unwrap_or_default();
    let known = match name(first) {
        "" => Some(Pragma::Harmless),
        "pack" => Some(Pragma::Harmless),
        "weak" => weak(text["weak".len()..].trim()),
        "redefine_extname" => match (words.next(), words.next()) {
            (Some(old), Some(new)) => Some(Pragma::Unit(UnitPragma::Rename {
                old: old.to_owned(),
                new: new.to_owned(),
            })),
            _ => None,
        },
        "scalar_storage_order" => Some(Pragma::Layout {
            attribute: "scalar_storage_order",
            on: words.next() == Some("big-endian"),
        }),
        "ms_struct" => Some(Pragma::Layout {
            attribute: "ms_struct",
            on: words.next() == Some("on"),
        }),
        "GCC" => gcc(words.next().unwrap_or_default(), text),
        word if HARMLESS.contains(&word) => Some(Pragma::Harmless),
        _ => None,
    };
    known.unwrap_or_else(|| Pragma::Unknown(name(first).to_owned()))
}

/// A word without what stands behind a name (`warning(push)`).
fn name(word: &str) -> &str {
    let end = word.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    &word[..end.unwrap_or(word.len())]
}

fn weak(rest: &str) -> Option<Pragma> {
    let (first, target) = match rest.split_once('=') {
        Some((first, target)) => (first.trim(), Some(target.trim().to_owned())),
        None => (rest, None),
    };
    let is_name = !first.is_empty() && name(first) == first;
    is_name.then(|| {
        Pragma::Unit(UnitPragma::Weak {
            name: first.to_owned(),
            target,
        })
    })
}

fn gcc(word: &str, text: &str) -> Option<Pragma> {
    let attribute = match name(word) {
        "optimize" => "optimize",
        "target" => "target",
        word => return GCC_HARMLESS.contains(&word).then_some(Pragma::Harmless),
    };
    // What stands in quotes; `_Pragma` has them with a backslash.
    let options = text
        .split('"')
        .skip(1)
        .step_by(2)
        .map(|option| option.trim_end_matches('\\').to_owned())
        .collect();
    Some(Pragma::Unit(UnitPragma::Compile { attribute, options }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_they_change() {
        let weak = |name: &str, target: Option<&str>| {
            Pragma::Unit(UnitPragma::Weak {
                name: name.to_owned(),
                target: target.map(str::to_owned),
            })
        };
        let rename = UnitPragma::Rename {
            old: "a".to_owned(),
            new: "b".to_owned(),
        };
        let compile = |attribute, options: &[&str]| {
            let options = options.iter().map(|option| option.to_string()).collect();
            Pragma::Unit(UnitPragma::Compile { attribute, options })
        };
        assert_eq!(read(" weak f"), weak("f", None));
        assert_eq!(read("weak f=g "), weak("f", Some("g")));
        assert_eq!(read(" redefine_extname  a b"), Pragma::Unit(rename));
        assert_eq!(
            read("GCC optimize (\"O2\", \"wrapv\")"),
            compile("optimize", &["O2", "wrapv"])
        );
        assert_eq!(read("GCC target(\\\"fma\\\")"), compile("target", &["fma"]));
        assert_eq!(
            read("scalar_storage_order big-endian"),
            Pragma::Layout {
                attribute: "scalar_storage_order",
                on: true
            }
        );
        assert_eq!(read("pack(2)"), Pragma::Pack(Pack::Set(Some(2))));
    }

    #[test]
    fn what_changes_nothing_and_what_is_not_known() {
        for text in [
            "",
            "pack(3)",
            "once",
            "GCC diagnostic push",
            "STDC FP_CONTRACT ON",
            "warning(push)",
        ] {
            assert_eq!(read(text), Pragma::Harmless, "{text}");
        }
        for (text, word) in [
            ("foo bar", "foo"),
            ("packed(1)", "packed"),
            ("GCC frobnicate", "GCC"),
            ("weak", "weak"),
            ("redefine_extname a", "redefine_extname"),
        ] {
            assert_eq!(read(text), Pragma::Unknown(word.to_owned()), "{text}");
        }
    }
}
