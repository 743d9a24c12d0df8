//! The library functions that are written in C: `library/models.c`, piece by piece.

use std::sync::LazyLock;

/// What the name of a library function has in front in `models.c`.
pub(crate) const PREFIX: &str = "__rhumb_model_";

/// The name under which positions in the library are shown.
pub(crate) const FILE: &str = "<library>/models.c";

/// A piece of the library: a function, or several that belong together.
#[derive(Debug)]
pub(crate) struct Model {
    /// The names of the functions in it, without the prefix; those that programs know come first.
    pub(crate) names: Vec<&'static str>,
    /// Its text.
    pub(crate) text: &'static str,
    /// The line of `models.c` on which the text starts.
    pub(crate) line: u32,
}

/// All library functions that are written in C.
static MODELS: LazyLock<Vec<Model>> = LazyLock::new(|| split(include_str!("../library/models.c")));

/// The model of a library function.
pub(crate) fn model(name: &str) -> Option<&'static Model> {
    MODELS.iter().find(|model| model.names.contains(&name))
}

/// The names of all of them that programs know.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    let names = MODELS.iter().flat_map(|model| model.names.iter().copied());
    names.filter(|name| !name.starts_with("__"))
}

/// Whether what a library function gives depends on what comes from outside of the program.
pub(crate) fn reads_input(name: &str) -> bool {
    mentions(name, "__rhumb_input_")
}

/// Whether a library function gives, or writes, something that is not known.
pub(crate) fn is_partly_unknown(name: &str) -> bool {
    mentions(name, "__rhumb_unknown_")
}

/// Whether the text of a library function, or of one that it uses, has this in it.
fn mentions(name: &str, text: &str) -> bool {
    let mut waiting: Vec<&Model> = model(name).into_iter().collect();
    let mut seen: Vec<u32> = Vec::new();
    while let Some(piece) = waiting.pop() {
        if seen.contains(&piece.line) {
            continue;
        }
        seen.push(piece.line);
        if piece.text.contains(text) {
            return true;
        }
        let used = piece.text.split(PREFIX).skip(1);
        waiting.extend(used.filter_map(|rest| {
            let end = rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            model(&rest[..end.unwrap_or(rest.len())])
        }));
    }
    false
}

fn split(text: &'static str) -> Vec<Model> {
    let mut models = Vec::new();
    for (index, piece) in text.split("\n//: ").enumerate() {
        // What stands before the first piece is a comment.
        if let (true, Some((names, body))) = (index > 0, piece.split_once('\n')) {
            let start = body.as_ptr() as usize - text.as_ptr() as usize;
            models.push(Model {
                names: names.split_whitespace().collect(),
                text: body,
                line: text[..start].matches('\n').count() as u32 + 1,
            });
        }
    }
    models
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_piece_defines_the_function_that_it_is_named_after() {
        assert!(MODELS.len() > 20);
        for Model { names, text, line } in MODELS.iter() {
            for name in names {
                assert!(text.contains(&format!("{PREFIX}{name}(")), "{name}");
            }
            assert!(*line > 1);
        }
    }

    #[test]
    fn pieces_say_where_their_values_come_from() {
        for name in ["getchar", "fgets", "scanf", "getenv"] {
            assert!(reads_input(name), "{name}");
        }
        for name in ["rand", "time", "fgetc", "snprintf"] {
            assert!(is_partly_unknown(name), "{name}");
        }
        for name in ["strlen", "qsort", "strtol"] {
            assert!(!reads_input(name) && !is_partly_unknown(name), "{name}");
        }
    }
}
