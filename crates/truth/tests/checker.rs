//! The checker of proofs accepts what is true and rejects what is false, on programs whose states are known by enumeration.

#![allow(missing_docs, clippy::print_stdout)]

use std::time::Duration;

use rhumb_truth::checker::{Campaign, Kind, Tally};

fn put(kind: Kind, count: u64) -> Tally {
    let tally = Campaign {
        kind,
        first_seed: 1,
        count,
        time: Duration::from_secs(60),
        jobs: 2,
    }
    .run();
    println!(
        "{kind:?}: {} safe, {} unsafe, {} proofs accepted, {} rejected, {} programs too large",
        tally.safe, tally.not_safe, tally.accepted, tally.rejected, tally.too_large
    );
    assert!(tally.wrong.is_empty(), "{}", tally.wrong.join("\n"));
    // Both sides are tried often enough.
    assert!(tally.safe >= count / 4, "{}", tally.safe);
    assert!(tally.not_safe >= count / 4, "{}", tally.not_safe);
    tally
}

/// Without loops nothing has to be known: the empty proof is accepted if and only if the program is safe, where calls
/// that stay in place change all that they may.
#[test]
fn the_empty_proof_of_a_program_without_loops() {
    put(Kind::LoopFree, 600);
}

/// All reachable states are a proof, if and only if the program is safe; without one of them they are none.
#[test]
fn the_reachable_states_of_a_program_with_loops() {
    let tally = put(Kind::Loops, 200);
    assert!(tally.rejected >= 300, "{}", tally.rejected);
}
