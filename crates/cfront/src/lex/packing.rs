//! `#pragma pack`: the greatest alignment that members of records may have.

/// What a `#pragma pack` says. Alignments are in bytes; `None` is no limit.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Pack {
    /// `pack(n)`, `pack()`.
    Set(Option<u64>),
    /// `pack(push)`, with a name and a new limit where they are given.
    Push {
        name: Option<String>,
        limit: Option<Option<u64>>,
    },
    /// `pack(pop)`, back to the `push` of that name where one is given.
    Pop { name: Option<String> },
}

/// A word of the arguments.
enum Argument {
    Name(String),
    Limit(Option<u64>),
}

impl Pack {
    /// Reads what stands behind `pack`. `None` for what gcc warns about and ignores.
    pub(super) fn read(text: &str) -> Option<Pack> {
        let inner = text.trim().strip_prefix('(')?;
        let (inner, _) = inner.split_once(')')?;
        if inner.trim().is_empty() {
            return Some(Pack::Set(None));
        }
        let mut words = inner.split(',').map(str::trim);
        let first = words.next()?;
        let rest: Vec<Argument> = words.map(argument).collect::<Option<_>>()?;
        match (first, rest.as_slice()) {
            ("push", []) => Some(Pack::Push {
                name: None,
                limit: None,
            }),
            ("push", [Argument::Limit(limit)]) => Some(Pack::Push {
                name: None,
                limit: Some(*limit),
            }),
            ("push", [Argument::Name(name)]) => Some(Pack::Push {
                name: Some(name.clone()),
                limit: None,
            }),
            (
                "push",
                [Argument::Name(name), Argument::Limit(limit)]
                | [Argument::Limit(limit), Argument::Name(name)],
            ) => Some(Pack::Push {
                name: Some(name.clone()),
                limit: Some(*limit),
            }),
            ("pop", []) => Some(Pack::Pop { name: None }),
            ("pop", [Argument::Name(name)]) => Some(Pack::Pop {
                name: Some(name.clone()),
            }),
            (limit, []) => match argument(limit)? {
                Argument::Limit(limit) => Some(Pack::Set(limit)),
                Argument::Name(_) => None,
            },
            _ => None,
        }
    }
}

fn argument(word: &str) -> Option<Argument> {
    if word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') {
        return Some(Argument::Name(word.to_owned()));
    }
    match word.parse().ok()? {
        0 => Some(Argument::Limit(None)),
        limit @ (1 | 2 | 4 | 8 | 16) => Some(Argument::Limit(Some(limit))),
        _ => None,
    }
}

/// The limit that is in force, those that were pushed, and layouts that we don't handle.
#[derive(Debug, Default)]
pub(crate) struct Packing {
    limit: Option<u64>,
    foreign: Vec<&'static str>,
    stack: Vec<(Option<String>, Option<u64>)>,
}

impl Packing {
    /// The greatest alignment of members, in bytes.
    pub(crate) fn limit(&self) -> Option<u64> {
        self.limit
    }

    /// The attributes that every record has by a pragma.
    pub(crate) fn foreign(&self) -> &[&'static str] {
        &self.foreign
    }

    pub(super) fn set_foreign(&mut self, attribute: &'static str, on: bool) {
        self.foreign.retain(|&known| known != attribute);
        if on {
            self.foreign.push(attribute);
        }
    }

    pub(super) fn apply(&mut self, pack: Pack) {
        match pack {
            Pack::Set(limit) => self.limit = limit,
            Pack::Push { name, limit } => {
                self.stack.push((name, self.limit));
                self.limit = limit.unwrap_or(self.limit);
            }
            Pack::Pop { name } => {
                let depth = match name {
                    None => self.stack.len().checked_sub(1),
                    Some(_) => self.stack.iter().rposition(|(pushed, _)| *pushed == name),
                };
                // Without a matching `push` it does nothing.
                if let Some(depth) = depth {
                    self.limit = self.stack[depth].1;
                    self.stack.truncate(depth);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The limits that are in force after each of the pragmas.
    fn limits(pragmas: &[&str]) -> Vec<u64> {
        let mut packing = Packing::default();
        pragmas
            .iter()
            .map(|text| {
                if let Some(pack) = Pack::read(text) {
                    packing.apply(pack);
                }
                packing.limit().unwrap_or(0)
            })
            .collect()
    }

    #[test]
    fn set_and_reset() {
        assert_eq!(
            limits(&["(1)", "()", " ( 8 ) ", "(0)", "(16)"]),
            [1, 0, 8, 0, 16]
        );
    }

    #[test]
    fn push_and_pop() {
        assert_eq!(
            limits(&[
                "(2)",
                "(push)",
                "(4)",
                "(push, 1)",
                "(pop)",
                "(pop)",
                "(pop)"
            ]),
            [2, 2, 4, 1, 4, 2, 2]
        );
    }

    #[test]
    fn names() {
        let pragmas = [
            "(push, a, 1)",
            "(push, 2, b)",
            "(push, c)",
            "(4)",
            "(pop, b)",
            "(pop, b)",
            "(pop, a)",
        ];
        assert_eq!(limits(&pragmas), [1, 2, 2, 4, 1, 1, 0]);
    }

    #[test]
    fn what_is_ignored() {
        for text in [
            "",
            "1",
            "(3)",
            "(1",
            "(push, 3)",
            "(pop, 1, 2)",
            "(name)",
            "(1, 2)",
            "(-1)",
        ] {
            assert_eq!(Pack::read(text), None, "{text}");
        }
    }
}
