//! The library functions that are modelled, against the C library: what a program prints about them is the same.
#![allow(clippy::print_stdout)] // What was skipped is said.

mod common;

use common::gcc_or_skip;
use rhumb_difftest::gcc::GccSubject;
use rhumb_difftest::interpreter::Interpreter;
use rhumb_difftest::model::DataModel;
use rhumb_difftest::subject::{Case, Subject};

#[track_caller]
fn same_as_gcc(source: &str) {
    // The runtime of the other data model has no C library.
    let model = DataModel::Lp64;
    let Some((gcc, models)) = gcc_or_skip(1) else {
        return;
    };
    if !models.contains(&model) {
        println!("skipped 1 comparison: gcc can't build for {model} here");
        return;
    }
    let case = Case {
        source,
        model,
        inputs: &[],
    };
    let expected = GccSubject::new(&gcc, &["-O0", "-Wl,--no-as-needed", "-lm"])
        .run(&case)
        .expect("gcc runs it");
    let observed = Interpreter::default().run(&case).expect("we run it");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (expected_text, observed_text) = (text(&expected.output), text(&observed.output));
    for (number, (a, b)) in expected_text.lines().zip(observed_text.lines()).enumerate() {
        assert_eq!(a, b, "line {}", number + 1);
    }
    assert!(expected_text.lines().count() > 100);
    assert_eq!(observed, expected);
}

#[test]
fn strings() {
    same_as_gcc(include_str!("library/strings.c"));
}

#[test]
fn formats() {
    same_as_gcc(include_str!("library/formats.c"));
}

#[test]
fn rounding() {
    same_as_gcc(include_str!("library/rounding.c"));
}
