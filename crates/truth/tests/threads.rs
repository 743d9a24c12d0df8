//! Programs with threads, against all interleavings of a machine that has nothing in common with ours; and that machine
//! against real threads.

use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use rhumb_certify::Verdict;
use rhumb_program::Program;
use rhumb_search::entry;
use rhumb_summary::Preset;
use rhumb_truth::ask::{Said, ask};
use rhumb_truth::lower;
use rhumb_truth::threads::enumerate::enumerate;
use rhumb_truth::threads::generate;

fn lowered(source: String) -> Arc<Program> {
    Arc::new(lower(&source).expect("it is valid"))
}

#[test]
fn verdicts_are_those_of_all_interleavings() {
    let engine = entry("gps").expect("there is one");
    let (mut tried, mut decided, mut failing) = (0, 0, 0);
    for seed in 0..200 {
        let program = generate(seed);
        let Some(truth) = enumerate(&program, 100_000) else {
            continue;
        };
        tried += 1;
        failing += u32::from(truth.fails);
        let source = program.source(false);
        let answer = ask(
            &lowered(source.clone()),
            engine,
            Preset::Full,
            Duration::from_secs(60),
        );
        assert!(
            answer.rejected.is_empty(),
            "seed {seed}: {:?}\n{source}",
            answer.rejected
        );
        let Said::Decision(decision) = answer.said else {
            panic!("seed {seed}: {:?}\n{source}", answer.said);
        };
        match decision.verdict {
            Verdict::Safe(_) => assert!(!truth.fails, "seed {seed} is not safe:\n{source}"),
            Verdict::Unsafe(_) => assert!(truth.fails, "seed {seed} is safe:\n{source}"),
            Verdict::Unknown(_) => continue,
        }
        decided += 1;
    }
    assert!(
        tried >= 150,
        "{tried} programs of a size that can be enumerated"
    );
    assert!(
        failing >= 30 && failing <= tried - 30,
        "{failing} of {tried} fail"
    );
    assert!(10 * decided >= 9 * tried, "{decided} of {tried} decided");
}

#[test]
fn what_real_threads_do_is_among_all_interleavings() {
    let folder = std::env::temp_dir().join(format!("rhumb-threads-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let (mut tried, mut varied) = (0, 0);
    for seed in 1000.. {
        let Some(program) = generate(seed).for_machines() else {
            continue;
        };
        let Some(truth) = enumerate(&program, 100_000) else {
            continue;
        };
        // Inputs are 0 there, and anything here.
        let ends: Vec<i32> = (truth.ends.iter())
            .map(|[a, b, c]| (a & 3 | (b & 3) << 2 | (c & 3) << 4) as i32)
            .collect();
        let (text, binary) = (folder.join("case.c"), folder.join("case"));
        std::fs::write(&text, program.source(true)).expect("a file");
        let mut gcc = Command::new("gcc");
        gcc.args(["-pthread", "-O1", "-DNDEBUG", "-w", "-o"])
            .arg(&binary)
            .arg(&text);
        assert!(gcc.status().expect("gcc is there").success(), "seed {seed}");
        for _ in 0..10 {
            let status = Command::new(&binary).status().expect("it runs").code();
            let found = ends.iter().any(|&end| Some(end) == status);
            let source = program.source(true);
            assert!(
                found,
                "seed {seed}: {status:?} is none of {ends:?}\n{source}"
            );
        }
        tried += 1;
        varied += u32::from(ends.len() > 1);
        if tried == 40 {
            break;
        }
    }
    let _ = std::fs::remove_dir_all(&folder);
    assert!(varied >= 10, "{varied} programs end in more than one way");
}
