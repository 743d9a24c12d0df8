//! The examples by which the paper explains the algorithm: the answers, and the roads to them.

mod common;

use common::{Answer, ENGINES, program, search};
use rhumb_certify::proof::Proof;
use rhumb_logic::session::{Session, SessionOptions};
use rhumb_logic::{Budget, Symbol, Term, Terms};
use rhumb_summary::Preset;

/// Counts the lines of a request of any length; only long ones do harm.
const EX_1: &str = "
int main(void) {
  int length = __VERIFIER_nondet_int();
  int at = 0, lines = 0;
  while (at < length) { lines++; at++; }
  if (lines >= 1000) reach_error();
  return 0;
}";

/// Sums of n, n - 1, ..., 1 are 0, 1, 3, 6 and so on.
const EX_2: &str = "
int main(void) {
  int n = __VERIFIER_nondet_int();
  int sum = 0;
  while (n > 0) { sum = sum + n; n = n - 1; }
  if (sum == 2) reach_error();
  return 0;
}";

/// Doubles, then takes away twos: an even number stays even.
const EX_3: &str = "
int main(void) {
  int n = __VERIFIER_nondet_int();
  int m = __VERIFIER_nondet_int();
  int x = 2;
  while (n > 0) { x = 2 * x; n = n - 1; }
  while (m > 0) { x = x - 2; m = m - 1; }
  if (x == 1) reach_error();
  return 0;
}";

/// Wants the letters D, O, G one after the other, then C, A, T at once.
const FIGURE_9: &str = "
int main(void) {
  int state = 0;
  while (1) {
    int c = __VERIFIER_nondet_int();
    int s0 = __VERIFIER_nondet_int();
    int s1 = __VERIFIER_nondet_int();
    int s2 = __VERIFIER_nondet_int();
    if (c == 'D' && state == 0) state = 1;
    if (c == 'O' && state == 1) state = 2;
    if (c == 'G' && state == 2) state = 3;
    if (state == 3 && s0 == 'C' && s1 == 'A' && s2 == 'T') reach_error();
  }
}";

const SECONDS: u64 = 30;

#[test]
fn a_model_of_the_summary_is_the_error() {
    let program = program(EX_1);
    for preset in [Preset::Full, Preset::Paper] {
        for engine in ["gps", "gps-lite", "gps-nogas"] {
            let found = search(&program, engine, preset, SECONDS);
            assert!(matches!(found.answer, Answer::Unsafe(_)), "{engine}");
            // One test, and no tree but its root.
            assert_eq!((found.count("tests"), found.count("tree")), (1, 1));
        }
    }
}

#[test]
fn dead_ends_alone_prove() {
    let program = program(EX_2);
    for engine in ["gps", "gps-lite"] {
        let found = search(&program, engine, Preset::Full, SECONDS);
        assert_eq!(found.answer.word(), "SAFE", "{engine}");
        // The summaries of the paper leave one test to be made, whose surroundings are dead ends.
        let found = search(&program, engine, Preset::Paper, SECONDS);
        assert_eq!(found.answer.word(), "SAFE", "{engine}");
        assert_eq!(found.count("tests"), 1);
        assert!((1..=4).contains(&found.count("dead-ends")));
        assert_eq!(found.count("covers"), 0);
    }
}

#[test]
fn labels_become_an_invariant() {
    let program = program(EX_3);
    for preset in [Preset::Paper, Preset::Full] {
        let found = search(&program, "gps", preset, SECONDS);
        let Answer::Safe(proof) = &found.answer else {
            panic!("{preset:?}: {:?}", found.answer);
        };
        let even_and_positive =
            |terms: &Terms, x: Term| terms.and([terms.divides(2, x), terms.ge(x, terms.int(1))]);
        assert!(implies_somewhere(proof, "x", even_and_positive));
        if preset == Preset::Paper {
            assert!(found.count("tests") >= 1 && found.count("dead-ends") >= 2);
            assert!(found.count("covers") >= 1);
        }
    }
    // Dead ends without labels say nothing about the next iteration: at least one for every doubling that an int has room for.
    let found = search(&program, "gps-lite", Preset::Paper, 10);
    assert_ne!(found.answer.word(), "UNSAFE");
    assert!(found.count("dead-ends") >= 30 && found.count("covers") == 0);
}

/// Whether at some point the formulas of a proof imply something about a variable.
fn implies_somewhere(proof: &Proof, name: &str, claim: impl Fn(&Terms, Term) -> Term) -> bool {
    let terms = &proof.terms;
    let is_named = |symbol: &&Symbol| {
        let full = &terms.symbol_info(**symbol).name;
        full.split('.').next() == Some(name)
    };
    let symbols = proof.variables.keys().filter(is_named);
    let claims: Vec<Term> = symbols
        .map(|&symbol| claim(terms, terms.var(symbol)))
        .collect();
    let invariants = proof.as_invariants().expect("a proof by invariants");
    invariants.at.values().any(|formulas| {
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        for formula in formulas {
            session.assert(formula.matrix);
        }
        let mut claims = claims.iter();
        claims.any(|&claim| session.entails(claim, &Budget::unlimited()) == Some(true))
    })
}

#[test]
fn gas_makes_progress() {
    let program = program(FIGURE_9);
    for preset in [Preset::Full, Preset::Paper] {
        let found = search(&program, "gps", preset, SECONDS);
        assert_eq!(found.answer.word(), "UNSAFE");
        assert_eq!(found.count("tests"), 1);
    }
}

/// Five nested loops, 2^160 iterations: more than tests can count, so they do without gas.
#[test]
fn runs_may_be_longer_than_numbers() {
    let names = ["a", "b", "c", "d", "e"];
    let loops = names.map(|name| format!("for ({name} = 0; {name} < 4294967294u; {name}++)"));
    let last = names.map(|name| format!("{name} == 4294967293u"));
    let text = format!(
        "int main(void) {{ unsigned {}; {} if ({}) reach_error(); return 0; }}",
        names.join(", "),
        loops.join(" "),
        last.join(" && ")
    );
    let found = search(&program(&text), "gps", Preset::Full, SECONDS);
    assert_eq!(found.answer.word(), "UNSAFE");
    assert!(found.count("jumps") > 0 && found.count("steps") < 10_000);
}

/// Without summaries there is still the tree: interpolants that are found again and again cover. Where they depend on
/// the depth of the path (EX-3), induction helps.
#[test]
fn the_tree_proves_by_itself() {
    let found = search(&program(EX_2), "impact", Preset::Paper, SECONDS);
    assert_eq!(found.answer.word(), "SAFE");
    assert!(found.count("covers") > 0);
    for text in [EX_2, EX_3] {
        let found = search(&program(text), "gps-nosum", Preset::Full, SECONDS);
        assert_eq!(found.answer.word(), "SAFE");
    }
}

/// Whatever an engine can't do, it doesn't say the opposite.
#[test]
fn no_engine_is_wrong() {
    let examples = [
        (EX_1, "UNSAFE"),
        (EX_2, "SAFE"),
        (EX_3, "SAFE"),
        (FIGURE_9, "UNSAFE"),
    ];
    for (text, expected) in examples {
        let program = program(text);
        for engine in ENGINES {
            let word = search(&program, engine, Preset::Full, 3).answer.word();
            assert!(word == expected || word == "UNKNOWN", "{engine}: {word}");
        }
    }
}
