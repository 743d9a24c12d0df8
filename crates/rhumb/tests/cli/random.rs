//! Random programs whose answer is known: the verdict, and its evidence in a process that knows nothing else.

use rhumb_truth::explore::ExploreLimits;
use rhumb_truth::generate::sample;

use crate::support::{Folder, rhumb_in};

const PROGRAMS: u64 = 16;

#[test]
fn evidence_of_random_programs_validates() {
    let folder = Folder::new();
    let (mut certificates, mut witnesses) = (0, 0);
    for seed in 40_000..40_000 + PROGRAMS {
        let Ok(sample) = sample(seed, ExploreLimits::default()) else {
            continue;
        };
        folder.file("program.c", &sample.text);
        let check = ["check", "program.c", "--timeout", "5s"];
        let evidence = ["--certificate", "c.json", "--witness", "w.yml"];
        let called = rhumb_in(folder.path(), check.iter().chain(&evidence));
        let right = if sample.truth.is_safe() { 0 } else { 10 };
        if called.status == 5 {
            continue;
        }
        assert_eq!(called.status, right, "seed {seed}\n{}", sample.text);
        for (option, file) in [("--certificate", "c.json"), ("--witness", "w.yml")] {
            let validate = ["validate", "program.c", option, file, "--timeout", "5s"];
            let called = rhumb_in(folder.path(), validate);
            let what = format!("seed {seed}: {}{}", called.stdout, called.stderr);
            // A witness may say less than the proof that it was made from.
            assert!(matches!(called.status, 0 | 5), "{what}");
            match option {
                "--certificate" => certificates += u32::from(called.status == 0),
                _ => witnesses += u32::from(called.status == 0),
            }
        }
    }
    println!("{certificates} certificates and {witnesses} witnesses are valid");
    assert!(certificates >= 12 && witnesses >= 6);
}
