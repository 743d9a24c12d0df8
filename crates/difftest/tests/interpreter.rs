//! The interpreter against gcc: what this crate is for.
#![allow(clippy::print_stdout)] // What was compared and what was skipped is said.

mod common;

use std::path::Path;

use common::gcc_or_skip;
use rhumb_difftest::campaign::{Campaign, Comparison};
use rhumb_difftest::gcc::{GccSubject, GccTasks, SignedOverflow};
use rhumb_difftest::generate::Options;
use rhumb_difftest::interpreter::{Interpreter, TaskInterpreter};
use rhumb_difftest::model::DataModel;
use rhumb_difftest::outcome::{Agreement, SettleLimits, TaskCampaign, find_tasks};

/// Random well-defined programs print the same and end the same way.
#[test]
fn generated_programs_run_as_under_gcc() {
    const SEEDS: u64 = 200;
    let Some((gcc, models)) = gcc_or_skip(SEEDS as usize) else {
        return;
    };
    let campaign = Campaign {
        first_seed: 1,
        count: SEEDS,
        options: models.iter().copied().map(Options::new).collect(),
        batch: 20,
        jobs: 2,
    };
    let reference = GccSubject::reference(&gcc);
    let summary = campaign.run(&reference, &Interpreter::default(), &mut |finding| {
        if !matches!(finding.comparison, Comparison::Same) {
            let (seed, model) = (finding.program.seed, finding.program.model);
            println!("seed {seed} {model}: {:?}", finding.comparison);
        }
    });
    println!(
        "{} the same, {} skipped",
        summary.same,
        summary.skipped_count()
    );
    assert_eq!(summary.different, []);
    // Several calls in one expression that may get in each other's way are refused by name, and so is the sum of two
    // different NaNs; nothing else is.
    for reason in summary.skipped.keys() {
        let is_open = ["of evaluation", "which of two NaNs"];
        assert!(is_open.iter().any(|it| reason.contains(it)), "{reason}");
    }
    let all = SEEDS * models.len() as u64;
    assert_eq!(summary.same + summary.skipped_count(), all);
    assert!(summary.same >= all * 3 / 4, "{} of {all}", summary.same);
}

/// Every task of the corpus ends the same way on each of 20 random input vectors.
#[test]
fn tasks_end_as_under_gcc() {
    const VECTORS: usize = 20;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/gps-paper");
    if !folder.is_dir() {
        println!("skipped: no corpus at {}", folder.display());
        return;
    }
    let Some((gcc, models)) = gcc_or_skip(VECTORS) else {
        return;
    };
    let tasks = find_tasks(&folder).expect("a corpus of task definitions");
    if !models.contains(&DataModel::Ilp32) {
        println!("skipped: the tasks are for a data model that gcc can't build here");
        return;
    }
    let campaign = TaskCampaign {
        tasks: &tasks,
        seed: 1,
        vectors: VECTORS,
        limits: SettleLimits::default(),
        jobs: 2,
    };
    let overflow = SignedOverflow::Undefined;
    let reference = GccTasks::reference(&gcc, overflow);
    let summary = campaign.run(&reference, &TaskInterpreter { overflow }, &mut |finding| {
        if !matches!(finding.agreement, Agreement::Same(_)) {
            let (name, vector) = (&finding.task.name, finding.vector);
            println!("{name} vector {vector}: {:?}", finding.agreement);
        }
    });
    println!("{summary:?}");
    assert_eq!(summary.different, 0);
    assert_eq!(summary.skipped_count(), 0);
    assert_eq!(summary.compared(), (tasks.len() * VECTORS) as u64);
    // A comparison of runs that never end, or all end at once, would show nothing.
    assert!(summary.same.len() >= 4, "{:?}", summary.same);
}
