//! What a user can do about an UNKNOWN.

/// What a reason looks like, and what helps.
const ADVICE: &[(&str, &str)] = &[
    ("out of time", "give it more time: --timeout 10min"),
    (
        "gave up ",
        "more time won't help: try another engine, --engine",
    ),
    ("out of memory", "give it more memory: --memory 8GB"),
    (
        "approximated argument",
        "a pointer argument of the entry function may point anywhere: write a main() that calls it with objects of its own",
    ),
    (
        "inline assembly",
        "say in C what the assembly does: a function in a file given with --model",
    ),
    (
        "declares with another type",
        "include one header in all files that declare it",
    ),
    (
        "unsupported property",
        "ask about calls: a property file with G ! call(f()), or none",
    ),
    (
        "approximated ",
        "say in C what that does: a function in a file given with --model",
    ),
    (
        "unsupported ",
        "put what can't be handled into a function, and say what it does in a file given with --model",
    ),
    (
        "may not end",
        "bound the loop, or try another engine: --engine execute",
    ),
    (
        "the summaries don't exclude",
        "try another engine: --engine gps",
    ),
];

/// What may help if nothing is known for this reason.
pub fn advice(reason: &str) -> Option<&'static str> {
    let found = ADVICE.iter().find(|(part, _)| reason.contains(part));
    found.map(|(_, advice)| *advice)
}
