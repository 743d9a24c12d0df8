//! The same program, the same options: the same verdict and the same evidence, byte for byte, beside threads that are busy.

use std::path::Path;

use crate::support::{Folder, rhumb, rhumb_in};

/// Two phases that hang together: neither induction nor summaries alone settle it at once, and what they find first
/// depends on how much they may do.
const PHASES: &str = r#"
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = __VERIFIER_nondet_int(), step = __VERIFIER_nondet_int();
  if (n < 0 || n > 100000 || step < 1 || step > 3) return 0;
  int up = 0, down = n, turns = 0;
  while (down > 0) {
    if (__VERIFIER_nondet_int()) { up += step; } else { up++; turns++; }
    down--;
  }
  while (up > 0 && turns > 0) { up--; turns--; }
  if (up < 0 || turns < 0 || turns > n) reach_error();
  return 0;
}
"#;

/// Many inputs in a row, all of which the evidence tells.
const MANY_INPUTS: &str = r#"
extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
int main(void) {
  int sum = 0, turns = 0;
  for (;;) {
    int x = __VERIFIER_nondet_int();
    if (x < 0 || x > 9) break;
    sum += x;
    turns++;
  }
  if (sum == 1234 && turns == 300) reach_error();
  return 0;
}
"#;

#[test]
fn evidence_does_not_depend_on_what_else_the_machine_does() {
    let folder = Folder::new();
    folder.file("phases.c", PHASES);
    folder.file("many-inputs.c", MANY_INPUTS);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let shipped = ["even", "lock", "average"].map(|name| root.join(format!("examples/{name}.c")));
    let own = ["phases.c", "many-inputs.c"].map(|name| folder.path().join(name));
    let mut args: Vec<String> = ["bench", "--same", "2", "--busy", "2", "--quiet"]
        .map(str::to_owned)
        .into();
    let programs = shipped.iter().chain(&own);
    args.extend(programs.map(|path| path.to_string_lossy().into_owned()));
    let called = rhumb(args).expect(0, &[]);
    let told = "10 runs, 0 of them without a verdict; 5 programs had one at least twice, 0 of them not the same";
    assert!(called.stdout.contains(told), "{}", called.stdout);
}

#[test]
fn a_long_witness_of_ours_is_read_and_holds() {
    let folder = Folder::new();
    folder.file(
        "many-inputs.c",
        MANY_INPUTS.replace("1234", "90000").replace("300", "12000"),
    );
    let file = folder.path().join("many-inputs.c");
    let file = file.to_string_lossy();
    let witness = folder.path().join("w.yml");
    let witness = witness.to_string_lossy();
    rhumb(["check", &file, "--witness", &witness]).expect(10, &["only its first 10000 inputs"]);
    rhumb(["validate", &file, "--witness", &witness]).expect(0, &[]);
}

#[test]
fn a_seed_gives_the_same_answer_every_time_and_none_another_verdict() {
    let folder = Folder::new();
    folder.file("phases.c", PHASES);
    folder.file("many-inputs.c", MANY_INPUTS);
    for name in ["phases.c", "many-inputs.c"] {
        let checked = |seed: &str, out: &str| {
            let args = [
                "check",
                name,
                "--seed",
                seed,
                "--certificate",
                out,
                "--quiet",
            ];
            let called = rhumb_in(folder.path(), args);
            let certificate = std::fs::read(folder.path().join(out)).expect("evidence");
            (called.status, called.stdout, certificate)
        };
        let (first, again) = (checked("5", "first.json"), checked("5", "again.json"));
        assert_eq!(first, again, "{name}");
        assert_eq!(checked("0", "zero.json").0, first.0, "{name}");
    }
}
