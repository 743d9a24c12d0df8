//! Changed programs, through the whole of `rhumb check`: a verdict or a refusal, in time.

use std::time::{Duration, Instant};

use rhumb_difftest::rng::Rng;
use rhumb_search::CATALOG;
use rhumb_truth::mutate::{Change, mutate};

use crate::support::{Folder, rhumb_in};

const MUTANTS: usize = 100;

/// The time that is asked for, and what a busy machine may add to it.
const TIME: &str = "500ms";
const AT_MOST: Duration = Duration::from_secs(15);

#[test]
fn mutants_get_an_answer() {
    let tasks = rhumb_suites::shelf().into_iter().flat_map(|f| f.tasks);
    let texts: Vec<String> = tasks.map(|task| task.program).collect();
    let folder = Folder::new();
    let mut rng = Rng::new(7);
    let (mut verdicts, mut refused, mut unknown) = (0, 0, 0);
    for number in 0..MUTANTS {
        let mut text = rng.pick(&texts).clone();
        for _ in 0..1 + rng.index(3) {
            text = mutate(&text, Change::Token, &mut rng).unwrap_or(text);
        }
        folder.file("mutant.c", &text);
        let engine = CATALOG[number % CATALOG.len()].name;
        let begin = Instant::now();
        let called = rhumb_in(
            folder.path(),
            [
                "check",
                "mutant.c",
                "--engine",
                engine,
                "--timeout",
                TIME,
                "--checks",
                "none",
            ],
        );
        let what = format!("{engine}\n{}\n{text}", called.stderr);
        assert!(!called.stderr.contains("panicked"), "{what}");
        assert!(begin.elapsed() < AT_MOST, "{:?} {what}", begin.elapsed());
        match called.status {
            0 | 10 => verdicts += 1,
            2 => refused += 1,
            5 => unknown += 1,
            status => panic!("exit status {status}: {what}"),
        }
    }
    println!("{verdicts} verdicts, {unknown} unknown, {refused} refused");
    assert!(verdicts >= 10 && refused >= 10);
}
