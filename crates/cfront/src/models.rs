//! The library functions that are written in C: `library/models.c`, piece by piece.

use std::sync::LazyLock;

/// What the name of a library function has in front in `models.c`.
pub(crate) const PREFIX: &str = "__rhumb_model_";

/// The name under which positions in the library are shown.
pub(crate) const FILE: &str = "<library>/models.c";

/// A library function.
#[derive(Debug)]
pub(crate) struct Model {
    /// Its name, without the prefix.
    pub(crate) name: &'static str,
    /// Its text.
    pub(crate) text: &'static str,
    /// The line of `models.c` on which the text starts.
    pub(crate) line: u32,
}

/// All library functions that are written in C.
static MODELS: LazyLock<Vec<Model>> = LazyLock::new(|| split(include_str!("../library/models.c")));

/// The model of a library function.
pub(crate) fn model(name: &str) -> Option<&'static Model> {
    MODELS.iter().find(|model| model.name == name)
}

fn split(text: &'static str) -> Vec<Model> {
    let mut models = Vec::new();
    for (index, piece) in text.split("\n//: ").enumerate() {
        // What stands before the first piece is a comment.
        if let (true, Some((name, body))) = (index > 0, piece.split_once('\n')) {
            let start = body.as_ptr() as usize - text.as_ptr() as usize;
            models.push(Model {
                name,
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
        for Model { name, text, line } in MODELS.iter() {
            assert!(text.contains(&format!("{PREFIX}{name}(")), "{name}");
            assert!(*line > 1);
        }
    }
}
