//! An UNKNOWN in users' words: what was tried, what stopped it, and what may help.

/// What there is to say about a reason.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Words {
    /// What stopped it, as a sentence; empty if the reason says it itself.
    pub stopped: String,
    /// What may help, a sentence each, the best first.
    pub may_help: Vec<String>,
}

/// What a reason looks like, what it means, and what helps.
struct Case {
    part: &'static str,
    means: &'static str,
    helps: &'static [&'static str],
}

const TIME: &[&str] = &[
    "give it more time: --timeout 10min",
    "another way to search: --engine predicate, --engine bmc, ...",
    "a smaller question: --entry FUNCTION, or --checks LIST",
];

const MODEL: &[&str] = &["say in C what that does: a function in a file given with --model"];

/// The first that fits counts.
const CASES: &[Case] = &[
    Case {
        part: "before it was looked for",
        means: "other questions about this program took all of the time",
        helps: TIME,
    },
    Case {
        part: "out of time in the front end",
        means: "the program was not read to its end",
        helps: &["give it more time: --timeout 10min"],
    },
    Case {
        part: "out of time",
        means: "the time was over before all ways to an error were excluded",
        helps: TIME,
    },
    Case {
        part: "interrupted",
        means: "somebody stopped it",
        helps: &[],
    },
    Case {
        part: "out of memory",
        means: "the memory was used up before all ways to an error were excluded",
        helps: &[
            "give it more memory: --memory 8GB",
            "a smaller question: --entry FUNCTION, or --checks LIST",
        ],
    },
    Case {
        part: "gave up ",
        means: "nothing is left to try this way; more time won't help",
        helps: &["another way to search: --engine predicate, --engine bmc, ..."],
    },
    Case {
        part: "approximated argument",
        means: "a pointer that comes from outside may point anywhere",
        helps: &["write a main() that calls the function with objects of its own"],
    },
    Case {
        part: "inline assembly",
        means: "a run may get to assembly, which says nothing about C",
        helps: &["say in C what it does: a function in a file given with --model"],
    },
    Case {
        part: "declares with another type",
        means: "two files disagree about what a name is",
        helps: &["include one header in all files that declare it"],
    },
    Case {
        part: "unsupported property",
        means: "this property can't be checked yet",
        helps: &["a property file with G ! call(f()), or none"],
    },
    Case {
        part: "approximated memory",
        means: "what lies in memory there is not followed: lists, computed places",
        helps: &[
            "bound the loop that builds it, and follow all runs: --engine execute",
            "a smaller question: --entry FUNCTION, or --checks LIST",
        ],
    },
    Case {
        part: "approximated ",
        means: "a way to an error depends on something that is known only in part",
        helps: MODEL,
    },
    Case {
        part: "unsupported ",
        means: "a run may get to something that can't be followed",
        helps: &["put it into a function, and say what that does in a --model file"],
    },
    Case {
        part: "may not end",
        means: "no run that was followed reaches an error, but not all of them end",
        helps: &["bound the loop, or try another engine: --engine execute"],
    },
    Case {
        part: "the summaries don't exclude",
        means: "what is known of the loops leaves an error possible",
        helps: &["try the default engine: --engine gps"],
    },
    Case {
        part: "a question was not decided",
        means: "the solver gave no answer to a question about numbers",
        helps: &["another way to search: --engine bmc, --engine execute, ..."],
    },
];

/// What there is to say about a reason for not knowing.
pub fn words(reason: &str) -> Words {
    let Some(case) = CASES.iter().find(|case| reason.contains(case.part)) else {
        return Words::default();
    };
    Words {
        stopped: case.means.to_owned(),
        may_help: case.helps.iter().map(|help| (*help).to_owned()).collect(),
    }
}

/// The same as lines: what stopped it, what else is to be said, and what may help.
pub fn text(reason: &str, between: &str) -> String {
    let words = words(reason);
    let mut text = String::new();
    if !words.stopped.is_empty() {
        text.push_str(&format!("why: {}\n", words.stopped));
    }
    text.push_str(between);
    for help in &words.may_help {
        text.push_str(&format!("may help: {help}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_case_that_fits_counts() {
        let said = words("unsupported inline assembly, a.c:3");
        assert!(said.stopped.contains("assembly"));
        assert_eq!(said.may_help.len(), 1);
        assert!(
            words("gave up in the search: 3 nodes")
                .stopped
                .contains("more time won't help")
        );
        assert_eq!(words("something else"), Words::default());
        for (index, case) in CASES.iter().enumerate() {
            let first = CASES
                .iter()
                .position(|other| case.part.contains(other.part));
            assert_eq!(first, Some(index), "`{}` is never the case", case.part);
        }
    }
}
