//! Proofs by exploration: walked through again, and not believed for another program.

use rhumb_search::CATALOG;
use rhumb_second::{Opinion, OpinionLimits, check};

use crate::support::{lower, opinion, proved, solver};

/// A lock that is taken and released by inputs; `{}` is when it is released.
const LOCK: &str = "int main(void) {
    int locked = 0, mode = 0;
    while (1) {
        int command = __VERIFIER_nondet_int();
        if (command == 1) { if (mode == 0) { locked = locked + 1; mode = 1; } }
        else if (command == 2) { if (mode == {}) { locked = locked - 1; mode = 0; } }
        if (locked > 1 || locked < 0) reach_error();
    }
}";

#[test]
fn a_state_machine_is_walked_through_again() {
    let Some(solver) = solver() else { return };
    let explicit = CATALOG.iter().position(|entry| entry.name == "explicit");
    let explicit = explicit.expect("there is such an engine");
    let safe = lower(&LOCK.replace("{}", "1"));
    let proof = proved(&safe, explicit).expect("it is safe");
    assert!(proof.contains("exploration"), "{proof}");
    assert_eq!(opinion(&safe, &proof, &solver), Opinion::Valid);
    // The same proof, of a program in which what is free can be released.
    let broken = lower(&LOCK.replace("{}", "0"));
    let limits = OpinionLimits::new(std::time::Duration::from_secs(3), &|| false);
    let of_another = check(&broken, &proof, &solver, &limits);
    assert_ne!(of_another, Ok(Opinion::Valid));
}
