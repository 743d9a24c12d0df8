//! The engine on small programs.

use std::time::Duration;

use rhumb_guarded::ase::{Check, Checks, Matching, Settings};
use rhumb_guarded::check::Verdict;
use rhumb_guarded::{Answer, Options, Program, check, parse};
use rhumb_logic::Budget;

fn program(text: &str) -> Program {
    parse(text).unwrap_or_else(|problem| panic!("{}", problem.report("test", text)))
}

fn budget() -> Budget {
    Budget::time(Duration::from_secs(60))
}

fn ask(text: &str, settings: Settings) -> Answer {
    check(&program(text), Options { settings }, &budget())
}

const MUTEX: &str = include_str!("../../../benchmarks/guarded/mutex.gcl");

fn only(check: Check) -> Settings {
    Settings {
        matching: Matching::Path,
        checks: Checks::Only(check),
    }
}

#[test]
fn the_first_example_of_the_paper_is_proved_at_once() {
    let answer = ask(MUTEX, Settings::ASE);
    assert!(
        matches!(answer.verdict, Verdict::Safe(_, Check::SafeFragment)),
        "{:?}",
        answer.verdict
    );
    assert_eq!(answer.figures.iterations, 1);
    assert_eq!(answer.figures.predicates, 2);
}

#[test]
fn exact_transitions_are_not_enough_where_something_is_anything() {
    let text = include_str!("../../../benchmarks/guarded/nondet-exact.gcl");
    for settings in [Settings::ASE, Settings::UR] {
        let answer = ask(text, settings);
        assert!(
            matches!(answer.verdict, Verdict::Unsafe(..)),
            "{:?}",
            answer.verdict
        );
    }
}

#[test]
fn each_check_proves_what_the_other_one_does_not() {
    let within_one = |text: &str, check: Check| {
        let program = program(text);
        let (claim, _) = rhumb_guarded::ase::search_within(&program, only(check), 1, &budget());
        matches!(claim, rhumb_guarded::ase::Claim::Safe(..))
    };
    assert!(within_one(MUTEX, Check::SafeFragment));
    assert!(!within_one(MUTEX, Check::InductiveInvariant));
    // With x + 1 in place of an input, and all that is known about b.
    let text = MUTEX
        .replace("x := nondet", "x := x + 1")
        .replace("never pc1", "never b < 0 || b > 2 || b = 0 && b = 1 || pc1");
    assert!(!within_one(&text, Check::SafeFragment));
    assert!(within_one(&text, Check::InductiveInvariant));
}

#[test]
fn errors_are_runs() {
    let text = include_str!("../../../benchmarks/guarded/ticket2-error-input.gcl");
    let answer = ask(text, Settings::ASE);
    let Verdict::Unsafe(run, states) = &answer.verdict else {
        panic!("{:?}", answer.verdict);
    };
    assert_eq!(answer.figures.iterations, 1);
    let told = rhumb_guarded::text::run_text(&program(text), run, states);
    assert!(told.contains("p1") && told.contains("enter2"), "{told}");
}

#[test]
fn no_first_state_is_safe_and_a_bad_one_is_not() {
    let nothing = "var x; init x < 0 && x > 0; process p { x > 0 -> x := x + 1; } always x = 7;";
    assert!(matches!(
        ask(nothing, Settings::ASE).verdict,
        Verdict::Safe(..)
    ));
    let bad = "var x = 3; always x = 7;";
    assert!(matches!(
        ask(bad, Settings::ASE).verdict,
        Verdict::Unsafe(..)
    ));
}

#[test]
fn what_was_explored_stays_explored() {
    for name in ["bakery2", "ticket2", "mesi", "rax"] {
        let path = format!(
            "{}/../../benchmarks/guarded/{name}.gcl",
            env!("CARGO_MANIFEST_DIR")
        );
        let program = program(&std::fs::read_to_string(path).expect("it is there"));
        let mut before = Vec::new();
        for rounds in 0..3 {
            let now = rhumb_guarded::ase::concrete_states(&program, rounds, &budget());
            let now = now.expect("no error, and no parameters");
            assert!(before.iter().all(|state| now.contains(state)), "{name}");
            before = now;
        }
    }
}

#[test]
fn mistakes_are_told_with_their_place() {
    let of = |text: &str| parse(text).expect_err("a mistake").report("f.gcl", text);
    let told = of("var x;\nprocess p { x > 0 -> x := y; }\nalways x > 0;");
    assert_eq!(
        told,
        "f.gcl:2:27: error: `y` is not declared\n  process p { x > 0 -> x := y; }\n                            ^"
    );
    for (text, what) in [
        ("", "`always` or `never`"),
        ("var x, x; always x > 0;", "declared twice"),
        ("var x; always x * x > 0;", "not linear"),
        ("var x; always (x > 0", "expected `)`"),
        ("var x; always x;", "expected a comparison"),
        ("control c; always c > 0;", "needs a first value"),
        (
            "var x; control c = 1; process p { x > 0 -> c := x; } always x > 0;",
            "a number only",
        ),
        (
            "var x; process p { x > 0 -> x := 1, x := 2; } always x > 0;",
            "set twice",
        ),
        (
            "var x; process p { deadlock -> skip; } always x > 0;",
            "only the property",
        ),
        ("var x; always x > 0; var y;", "nothing may follow"),
        ("var x; always x ? 0;", "means nothing"),
        ("var skip; always true;", "no name"),
    ] {
        let told = of(text);
        assert!(told.contains(what), "{text}: {told}");
    }
    let deep = format!("var x; always {}x > 0;", "(".repeat(10_000));
    assert!(of(&deep).contains("nested too deeply"));
}

#[test]
fn any_part_of_a_text_is_a_program_or_a_mistake() {
    for text in [
        MUTEX,
        include_str!("../../../benchmarks/guarded/rax.gcl"),
        include_str!("../../../benchmarks/guarded/mesi-input.gcl"),
    ] {
        for (cut, _) in text.char_indices() {
            for part in [&text[..cut], &text[cut..]] {
                if let Err(problem) = parse(part) {
                    assert!(problem.report("part.gcl", part).contains("error: "));
                }
            }
        }
    }
}
