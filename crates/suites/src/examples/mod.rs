//! The running examples of the GPS paper (EX-1, EX-2, EX-3 and figure 9) and variants: other constants, types and bounds, and for most of
//! them a twin with the other verdict that differs in one constant.

mod ex1;
mod ex2;
mod ex3;
mod figure9;

use crate::SuiteTask;

/// What each group of examples does, for the README.
pub(crate) const GROUPS: [(&str, &str, &str); 4] = [
    (
        "ex1",
        "A loop that an input bounds raises a counter; the error waits behind a large or an exact value of it.",
        "parsers and servers that fail only on long enough requests",
    ),
    (
        "ex2",
        "A loop adds up its own falling counter; the error asks for one value of the sum.",
        "sums without a linear closed form, where the first few rounds decide",
    ),
    (
        "ex3",
        "One loop multiplies, the next one subtracts; divisibility decides whether the last value can occur.",
        "exponential growth and modular invariants",
    ),
    (
        "fig9",
        "A machine that takes one word letter by letter and another one at once, in an endless loop.",
        "protocol and input automata without an end",
    ),
];

/// All examples.
pub(crate) fn tasks() -> Vec<SuiteTask> {
    [ex1::tasks(), ex2::tasks(), ex3::tasks(), figure9::tasks()].concat()
}
