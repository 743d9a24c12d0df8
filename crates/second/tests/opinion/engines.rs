//! Proofs of engines: accepted for their program, rejected for one of which the opposite is true.

use rhumb_certify::file::{Certificate, fingerprint};
use rhumb_difftest::rng::Rng;
use rhumb_second::Opinion;
use rhumb_truth::explore::{ExploreLimits, explore};
use rhumb_truth::generate::sample;
use rhumb_truth::lower;
use rhumb_truth::mutate::{Change, mutate};

use crate::support::{opinion, proved, solver};

const PROGRAMS: u64 = 24;
const MUTANTS: usize = 40;

#[test]
fn proofs_hold_for_their_program_and_for_no_unsafe_one() {
    let Some(solver) = solver() else { return };
    let limits = ExploreLimits {
        states: 1_000,
        steps: 20_000,
    };
    let (mut valid, mut undecided, mut rejected, mut right) = (0, 0, 0, 0);
    for seed in 31_000..31_000 + PROGRAMS {
        let Ok(sample) = sample(seed, limits) else {
            continue;
        };
        let program = lower(&sample.text).expect("a program");
        let Some(text) = proved(&program, 0) else {
            continue;
        };
        match opinion(&program, &text, &solver) {
            Opinion::Valid => valid += 1,
            Opinion::Undecided(_) => undecided += 1,
            Opinion::Rejected(why) => panic!("seed {seed}: {why}\n{}", sample.text),
        }
        let mut rng = Rng::new(seed);
        for _ in 0..MUTANTS {
            let mutant = mutate(&sample.text, Change::Value, &mut rng);
            let Some(changed) = mutant.and_then(|mutant| lower(&mutant).ok()) else {
                continue;
            };
            let Ok(truth) = explore(&changed, &[], limits) else {
                continue;
            };
            if truth.is_safe() {
                continue;
            }
            // A certificate is for one program, by its fingerprint; this crate doesn't look at that.
            let limits =
                rhumb_second::OpinionLimits::new(std::time::Duration::from_secs(20), &|| false);
            match rhumb_second::check(&changed, &text, &solver, &limits) {
                Ok(Opinion::Valid) => panic!("seed {seed}: accepted for an unsafe program"),
                Ok(Opinion::Rejected(_)) => rejected += 1,
                // The shape is another one, or it takes too long.
                Ok(Opinion::Undecided(_)) | Err(_) => right += 1,
            }
        }
        assert_eq!(
            Certificate::from_json(text.as_bytes())
                .map(|made| match made {
                    Certificate::Proof(file) => file.program,
                    Certificate::Counterexample(_) => String::new(),
                })
                .expect("a certificate"),
            fingerprint(&program)
        );
    }
    println!(
        "{valid} valid, {undecided} undecided; for unsafe mutants {rejected} rejected, {right} refused"
    );
    assert!(
        valid >= 8 && undecided <= 1 && rejected >= 15,
        "{valid} {undecided} {rejected}"
    );
}
