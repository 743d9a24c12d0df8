//! Evidence: what an engine gives holds when it is read again, and not for a program of which the opposite is true.

#![allow(missing_docs, clippy::print_stdout)]

use std::time::Duration;

use rhumb_certify::counterexample::Budget as RunBudget;
use rhumb_certify::file::{Certificate, Recheck};
use rhumb_certify::{Verdict, counterexample, proof};
use rhumb_difftest::rng::Rng;
use rhumb_logic::Budget;
use rhumb_search::{CATALOG, decide};
use rhumb_summary::Preset;
use rhumb_truth::explore::{Limits, explore};
use rhumb_truth::generate::sample;
use rhumb_truth::lower;
use rhumb_truth::mutate::{Change, mutate};

const PROGRAMS: u64 = 30;
const MUTANTS: u64 = 40;

/// Mutants, of a hundred, of which the same is true, that are looked at.
const SAME: u32 = 10;

fn time() -> Budget {
    Budget::time(Duration::from_secs(5))
}

#[test]
fn evidence_holds_again_and_for_no_other_program() {
    let limits = Limits {
        states: 1_000,
        steps: 20_000,
    };
    let (mut proofs, mut runs) = (0, 0);
    let (mut unsafe_mutants, mut safe_mutants, mut accepted) = (0, 0, 0);
    for seed in 20_000..20_000 + PROGRAMS {
        let Ok(sample) = sample(seed, limits) else {
            continue;
        };
        let program = lower(&sample.text).unwrap();
        let verdict = decide(&program, &CATALOG[0], Preset::Full, &time(), &mut ()).verdict;
        let Some(certificate) = Certificate::of(&program, &verdict) else {
            continue;
        };
        let text = certificate.and_then(|made| made.to_json()).unwrap();
        let again = Certificate::from_json(text.as_bytes()).unwrap();
        // From the text alone, against a program that is lowered anew.
        let checked = again.check(&lower(&sample.text).unwrap(), &time()).unwrap();
        let expected = match verdict {
            Verdict::Safe(_) => Recheck::Safe,
            _ => Recheck::Unsafe,
        };
        if matches!(checked, Recheck::Undecided(_)) {
            continue;
        }
        assert_eq!(checked, expected, "seed {seed}\n{}", sample.text);
        match expected {
            Recheck::Safe => proofs += 1,
            _ => runs += 1,
        }

        let mut rng = Rng::new(seed);
        for _ in 0..MUTANTS {
            let Some(mutant) = mutate(&sample.text, Change::Value, &mut rng) else {
                continue;
            };
            let Ok(changed) = lower(&mutant) else {
                continue;
            };
            let Ok(truth) = explore(&changed, &[], limits) else {
                continue;
            };
            let opposite = truth.is_safe() != matches!(verdict, Verdict::Safe(_));
            if !opposite && !rng.percent(SAME) {
                continue;
            }
            // The evidence itself, not its file: that is for one program only, by its fingerprint.
            let holds = match &verdict {
                Verdict::Safe(found) => proof::check(&changed, found.evidence(), &time()).is_ok(),
                Verdict::Unsafe(found) => {
                    counterexample::check(&changed, found.evidence(), &RunBudget::default()).is_ok()
                }
                Verdict::Unknown(_) => continue,
            };
            assert!(!(holds && opposite), "seed {seed}\n{mutant}");
            accepted += u32::from(holds);
            match (opposite, truth.is_safe()) {
                (true, false) => unsafe_mutants += 1,
                (true, true) => safe_mutants += 1,
                _ => {}
            }
        }
    }
    println!(
        "{proofs} proofs and {runs} counterexamples hold again; proofs are rejected for {unsafe_mutants} unsafe mutants, \
         counterexamples for {safe_mutants} safe ones; {accepted} other mutants have the same evidence"
    );
    assert!(proofs >= 10 && runs >= 6, "{proofs} {runs}");
    assert!(unsafe_mutants >= 30 && safe_mutants >= 30 && accepted >= 20);
}
