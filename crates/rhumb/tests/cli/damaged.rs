//! Damaged sources: an error or a program that can be run, never a panic.

use rhumb_cfront::{LoadOptions, Options, compile, load_text};
use rhumb_program::interp::{Machine, RandomInputs, RunLimits};

/// Real sources: our examples and suites.
fn sources() -> Vec<String> {
    let shelf = rhumb_suites::shelf().into_iter();
    let mut texts: Vec<String> = shelf
        .flat_map(|folder| folder.tasks)
        .map(|task| task.program)
        .collect();
    texts.push(
        include_str!("../../../../examples/queue.c")
            .replace("#include <assert.h>", "void assert(int);"),
    );
    texts
}

#[test]
fn damaged_sources_are_refused_or_run() {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = move |below: usize| {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as usize % below.max(1)
    };
    let sources = sources();
    let (mut refused, mut ran) = (0, 0);
    for round in 0..1500 {
        let mut text = sources[round % sources.len()].clone().into_bytes();
        for _ in 0..=next(3) {
            let (at, to) = (next(text.len()), next(text.len()));
            match next(5) {
                0 => text.truncate(at),
                1 => drop(text.remove(at)),
                2 => text.insert(at, b"(){}[];,*&0x\"'#\\\0\xff"[next(18)]),
                3 => text.swap(at, to),
                _ => {
                    let end = (at + next(12)).min(text.len());
                    let to = to.min(text.len().saturating_sub(12));
                    text.copy_within(at..end, to);
                }
            }
            if text.is_empty() {
                break;
            }
        }
        let Ok(source) = load_text("damaged.i", text, &LoadOptions::default()) else {
            refused += 1;
            continue;
        };
        let Some(program) = compile(source.map, &Options::default()).program else {
            refused += 1;
            continue;
        };
        assert_eq!(
            program.validate().map_err(|invalid| invalid.to_string()),
            Ok(())
        );
        let limits = RunLimits {
            steps: 10_000,
            ..RunLimits::default()
        };
        Machine::compile(&program).run(&mut RandomInputs::new(round as u64), &limits);
        ran += 1;
    }
    println!("{refused} refused, {ran} ran");
    assert!(refused >= 300 && ran >= 100, "{refused} refused, {ran} ran");
}
