//! Counterexamples in files: written, read, checked; damaged ones refused.

#![allow(missing_docs, clippy::print_stdout)]

mod support;

use rhumb_certify::counterexample::{Budget, check, compress};
use rhumb_certify::file::{CounterexampleFile, FileError, fingerprint};
use rhumb_program::DataModel;
use rhumb_program::interp::{KeyedInputs, RunLimits};
use support::generate::Generator;
use support::*;

const TEXT: &str = "extern void reach_error(void); extern int __VERIFIER_nondet_int(void); extern double __VERIFIER_nondet_double(void);
int main(void) { int n = __VERIFIER_nondet_int(); int a[2]; double d = __VERIFIER_nondet_double(); long sum = 0;
  for (int i = 0; i < n; i++) for (int j = 0; j < i; j++) sum = i - j;
  if (n > 1000 && d == 0.5 && a[1] == 7 && __VERIFIER_nondet_int() == -3) reach_error(); return 0; }";

fn written() -> (rhumb_program::Program, String) {
    let program = program(TEXT);
    let mut inputs = KeyedInputs::new();
    inputs.push_value(site(&program, 0), 1_000_000, 1);
    inputs.push_value(site(&program, 1), 0x3fe0_0000_0000_0000, 1);
    inputs.push_value(site(&program, 2), -3i128 as u128, 1);
    let array = program
        .inputs
        .iter_enumerated()
        .find(|(_, site)| site.ty.is_none());
    inputs.push_bytes(array.unwrap().0, &[0, 0, 0, 0, 7], 1);
    let found = compress(&program, &inputs, &Budget::default()).unwrap();
    let json = CounterexampleFile::new(&program, &found).to_json();
    (program, json)
}

#[test]
fn the_round_trip_is_exact() {
    let (program, json) = written();
    let file = CounterexampleFile::from_json(json.as_bytes()).unwrap();
    assert_eq!(file.to_json(), json);
    let read = file.counterexample(&program).unwrap();
    check(&program, &read, &Budget::default()).unwrap();
    assert_eq!(CounterexampleFile::new(&program, &read), file);

    let mut jumps = 0;
    for seed in 0..60 {
        let program = support::program(&Generator::program(seed));
        let Ok(found) = compress(&program, &KeyedInputs::new(), &Budget::default()) else {
            continue;
        };
        let json = CounterexampleFile::new(&program, &found).to_json();
        jumps += u32::from(json.contains("cycle"));
        let file = CounterexampleFile::from_json(json.as_bytes()).unwrap();
        assert_eq!(file.counterexample(&program).unwrap(), found);
    }
    assert!(jumps > 20, "{jumps}");
}

#[test]
fn another_program_is_refused() {
    let (program, json) = written();
    let file = CounterexampleFile::from_json(json.as_bytes()).unwrap();
    let other = support::program(&TEXT.replace("0.5", "0.25"));
    let refused = |result| matches!(result, Err(FileError::OtherProgram(_)));
    assert!(refused(file.counterexample(&other)));
    assert!(refused(
        file.counterexample(&program_in(TEXT, DataModel::Ilp32))
    ));
    // Blanks and comments are nothing.
    let same = support::program(&TEXT.replace("int a[2];", "/* an array */\n  int a[2];"));
    assert_eq!(fingerprint(&same), fingerprint(&program));
    assert!(file.counterexample(&same).is_ok());
}

#[test]
fn damaged_files_are_refused() {
    let (program, json) = written();
    let whole = json.trim_end().len();
    for end in (0..whole).step_by(7) {
        CounterexampleFile::from_json(&json.as_bytes()[..end]).unwrap_err();
    }
    // One byte changed: an error, or a counterexample that is checked as any other.
    let budget = Budget {
        limits: RunLimits {
            steps: 20_000,
            ..RunLimits::default()
        },
        ..Budget::default()
    };
    let mut accepted = 0;
    for at in (0..json.len()).step_by(3) {
        let mut bytes = json.clone().into_bytes();
        bytes[at] = b'7';
        if let Ok(file) = CounterexampleFile::from_json(&bytes)
            && let Ok(read) = file.counterexample(&program)
        {
            accepted += u32::from(check(&program, &read, &budget).is_ok());
        }
    }
    println!("{accepted} changes of a byte don't matter");

    let refused = |text: &str| CounterexampleFile::from_json(text.as_bytes()).unwrap_err();
    assert_eq!(refused("{\"version\": 2}"), FileError::Version(2));
    let deep = format!(
        "{{\"version\": 1, \"segments\": {}",
        "[{\"cycle\":".repeat(100_000)
    );
    assert!(matches!(refused(&deep), FileError::Syntax(_)));
    let nested = json.replacen(
        "\"segments\": [",
        &format!(
            "\"segments\": [{}",
            "{\"count\":\"1\",\"cycle\":[".repeat(5000)
        ),
        1,
    );
    assert!(matches!(refused(&nested), FileError::Syntax(_)));
    let large = "7".repeat(10 << 20);
    assert!(matches!(refused(&large), FileError::Syntax(_)));
    let large = json.replacen("\"count\": \"", &format!("\"count\": \"{large}"), 1);
    let file = CounterexampleFile::from_json(large.as_bytes()).unwrap();
    assert!(matches!(
        file.counterexample(&program),
        Err(FileError::Number(_))
    ));
    for (from, to) in [
        ("\"nondet\"", "\"argument\""),
        ("\"index\": 0", "\"index\": 4000000000"),
        ("\"-3\"", "\"x\""),
        ("\"-3\"", "\"0xffffffffffffffffffffffffffffffffffff\""),
    ] {
        let changed = json.replacen(from, to, 1);
        assert_ne!(changed, json, "{from}");
        let file = CounterexampleFile::from_json(changed.as_bytes()).unwrap();
        file.counterexample(&program).unwrap_err();
    }
}
