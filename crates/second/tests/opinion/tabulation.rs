//! Proofs by tabulation: functions are walked through again, and the proof is not believed for another program.

use rhumb_certify::proof::{Following, Proof};
use rhumb_program::{Program, VarId};
use rhumb_second::{Opinion, OpinionLimits, check};
use rhumb_truth::kinds::{Kind, sample};

use crate::support::{certificate, lower, opinion, samples, solver};

/// Locks by functions, one of which calls itself; a counter of references; memory that nobody follows. `{}` is how often it is unlocked.
const PROGRAMS: &[(&str, &str, &str)] = &[
    (
        "int locked; int *where; int table[10];
         void lock(void) { if (locked) reach_error(); locked = 1; }
         void unlock(void) { if (!locked) reach_error(); locked = 0; }
         void work(int n) { lock(); if (n > 0) table[n] = *where; unlock(); if (n > 1) work(n - 1); {} }
         int main(void) { where = table; while (__VERIFIER_nondet_int()) work(__VERIFIER_nondet_int()); return 0; }",
        "",
        "unlock();",
    ),
    // Two numbers from outside, compared in one function and in another.
    (
        "int low, high;
         int smaller(int a, int b) { return a < b; }
         int main(void) { low = __VERIFIER_nondet_int(); high = __VERIFIER_nondet_int();
             if (!(low < high)) return 0;
             int state = 0;
             while (1) { if (state == 0) state = 1; else state = 0;
                 if (high {} low) reach_error(); if (state > 1) reach_error(); } }",
        "<=",
        ">=",
    ),
    // A call through a pointer.
    (
        "int mode; void on(void) { mode = 1; } void off(void) { mode = 0; } void (*action)(void);
         int main(void) { action = on; if (__VERIFIER_nondet_int()) action = off; action();
             if (mode {} 1) reach_error(); return 0; }",
        ">",
        "==",
    ),
];

fn followed(program: &Program) -> Following {
    let vars = program.vars.iter_enumerated();
    let vars: Vec<VarId> = vars.map(|(var, _)| var).collect();
    Following::exactly(vars)
}

#[test]
fn functions_are_walked_through_again() {
    let Some(solver) = solver() else { return };
    for (text, right, wrong) in PROGRAMS {
        let safe = lower(&text.replace("{}", right));
        let claim = certificate(&safe, &Proof::tabulation(followed(&safe)));
        assert_eq!(opinion(&safe, &claim, &solver), Opinion::Valid, "{text}");
        let broken = lower(&text.replace("{}", wrong));
        let claim = certificate(&broken, &Proof::tabulation(followed(&broken)));
        let short = || OpinionLimits::new(std::time::Duration::from_secs(3), &|| false);
        let of_broken = check(&broken, &claim, &solver, &short());
        assert_ne!(of_broken, Ok(Opinion::Valid), "{text}");
        // Following nothing proves nothing.
        let claim = certificate(&safe, &Proof::tabulation(Following::exactly(Vec::new())));
        let of_nothing = check(&safe, &claim, &solver, &short());
        assert!(!matches!(of_nothing, Ok(Opinion::Rejected(_))), "{text}");
    }
}

#[test]
fn a_short_run_to_an_error_is_found() {
    let Some(solver) = solver() else { return };
    let (text, _, wrong) = PROGRAMS[2];
    let broken = lower(&text.replace("{}", wrong));
    let claim = certificate(&broken, &Proof::tabulation(followed(&broken)));
    let of_broken = opinion(&broken, &claim, &solver);
    assert!(matches!(of_broken, Opinion::Rejected(_)), "{of_broken:?}");
}

#[test]
fn no_error_is_missed_by_a_tabulation() {
    let Some(solver) = solver() else { return };
    let (mut valid, mut not_safe) = (0, 0);
    for (kind, seed) in (0..samples(30)).flat_map(|seed| [(Kind::Bits, seed), (Kind::Memory, seed)])
    {
        let Ok(sample) = sample(kind, seed) else {
            continue;
        };
        let program = kind.lower(&sample.text).expect("it is a program");
        let claim = certificate(&program, &Proof::tabulation(followed(&program)));
        let limits = OpinionLimits::new(std::time::Duration::from_secs(2), &|| false);
        let said = check(&program, &claim, &solver, &limits).expect("it is a proof");
        match sample.truth.is_safe() {
            true if sample.truth.is_sampled => {}
            true => assert!(
                !matches!(said, Opinion::Rejected(_)),
                "{said:?}, {kind:?} {seed}"
            ),
            false => assert_ne!(said, Opinion::Valid, "{kind:?} {seed}"),
        }
        valid += usize::from(said == Opinion::Valid);
        not_safe += usize::from(!sample.truth.is_safe());
    }
    println!("{valid} accepted, {not_safe} not safe");
    assert!(valid >= 5 && not_safe >= 5, "{valid} {not_safe}");
}
