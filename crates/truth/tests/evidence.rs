//! Evidence: what an engine gives holds when it is read again, and not for a program of which the opposite is true.

#![allow(missing_docs, clippy::print_stdout)]

use std::time::Duration;

use rhumb_truth::evidence::Attack;

#[test]
fn evidence_holds_again_and_for_no_other_program() {
    let tally = Attack {
        first_seed: 20_000,
        of_each: 10,
        mutants: 40,
        time: Duration::from_secs(30),
        jobs: 2,
    }
    .run();
    println!("{tally:?}");
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    assert!(tally.unsafe_mutants >= 30 && tally.safe_mutants >= 30 && tally.same >= 20);
}
