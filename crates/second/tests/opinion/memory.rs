//! Proofs about memory: cells of objects, and elements chosen by an index; random programs, of which nothing wrong is accepted.

use rhumb_search::CATALOG;
use rhumb_second::{Opinion, OpinionLimits, check};
use rhumb_truth::kinds::{Kind, sample};

use crate::support::{lower, opinion, proved, samples, solver};

/// Programs, with the engine that proves them and what its proof has; `{}` makes the assertion hold or not.
const PROGRAMS: &[(&str, &str, &str, &str, &str)] = &[
    // A variable behind a pointer, and one beside it.
    (
        "void flip(int *p) { *p = 1 - *p; }
         int main(void) { int x = 0, y = 0; int *p = &x; unsigned n = __VERIFIER_nondet_uint();
             while (n > 0) { flip(p); if (x + y > {}) reach_error(); n--; } return 0; }",
        "1",
        "0",
        "gps",
        "\"cell\"",
    ),
    // A record on the heap, with a pointer in it.
    (
        "extern void *malloc(unsigned long); struct s { int *where; int count; };
         int main(void) { int x = 0; struct s *s = malloc(sizeof *s); s->where = &x; s->count = 0;
             while (__VERIFIER_nondet_int()) { if (s->count < 7) { s->count++; *s->where = s->count; } }
             if (x > {}) reach_error(); return 0; }",
        "7",
        "6",
        "gps",
        "\"cell\"",
    ),
    // All elements of an array.
    (
        "int a[1000];
         int main(void) { for (int i = 0; i < 1000; i++) a[i] = {};
             for (int x = 0; x < 1000; x++) if (a[x] != 42) reach_error(); return 0; }",
        "42",
        "i == 999 ? 41 : 42",
        "elements",
        "\"ghosts\"",
    ),
    // Of two arrays; in the broken one the last element is left out.
    (
        "int main(void) { int a[500], b[500];
             for (int i = 0; i < 500; i++) a[i] = __VERIFIER_nondet_int();
             for (int i = 0; i < {}; i++) b[i] = a[i];
             for (int x = 0; x < 500; x++) if (a[x] != b[x]) reach_error(); return 0; }",
        "500",
        "499",
        "elements",
        "\"ghosts\"",
    ),
];

#[test]
fn cells_and_elements_are_followed_again() {
    let Some(solver) = solver() else { return };
    let mut followed = 0;
    for (text, right, wrong, engine, what) in PROGRAMS {
        let engine = CATALOG.iter().position(|entry| entry.name == *engine);
        let engine = engine.expect("there is such an engine");
        let safe = lower(&text.replace("{}", right));
        let Some(proof) = proved(&safe, engine) else {
            println!("no proof: {text}");
            continue;
        };
        followed += usize::from(proof.contains(what));
        assert_eq!(opinion(&safe, &proof, &solver), Opinion::Valid, "{text}");
        let broken = lower(&text.replace("{}", wrong));
        let limits = OpinionLimits::new(std::time::Duration::from_secs(10), &|| false);
        let of_another = check(&broken, &proof, &solver, &limits);
        assert_ne!(of_another, Ok(Opinion::Valid), "{text}");
    }
    assert!(followed >= 3, "{followed}");
}

/// The proof that says nothing, and names a part of an object so that memory is looked at.
const NOTHING: &str = "{\"version\": 1, \"program\": \"\", \"variables\": [{\"name\": \"c\", \"cell\": {\"of\": {\"object\": 0}}}],
    \"argument\": {\"invariants\": {\"points\": []}}}";

#[test]
fn nothing_is_no_proof_of_an_unsafe_program_with_memory() {
    let Some(solver) = solver() else { return };
    let (mut valid, mut not_safe) = (0, 0);
    for seed in 0..samples(60) {
        let Ok(sample) = sample(Kind::Memory, seed) else {
            continue;
        };
        let limits = OpinionLimits::new(std::time::Duration::from_secs(5), &|| false);
        let program = Kind::Memory.lower(&sample.text).expect("it is a program");
        let said = check(&program, NOTHING, &solver, &limits);
        let said = said.expect("it is a proof");
        match sample.truth.is_safe() {
            // Where not all inputs were tried, it may not be.
            true if sample.truth.is_sampled => {}
            true => assert!(
                !matches!(said, Opinion::Rejected(_)),
                "{said:?}, seed {seed}"
            ),
            false => assert_ne!(said, Opinion::Valid, "seed {seed}"),
        }
        valid += usize::from(said == Opinion::Valid);
        not_safe += usize::from(!sample.truth.is_safe());
    }
    println!("{valid} accepted, {not_safe} not safe");
    assert!(valid >= 5 && not_safe >= 5, "{valid} {not_safe}");
}
