//! The generator: every feature occurs, seeds are reproducible, programs are well-defined.
#![allow(clippy::print_stdout)] // What was skipped is said.

mod common;

use std::collections::BTreeMap;

use common::gcc_or_skip;
use rhumb_difftest::campaign::{Campaign, Comparison};
use rhumb_difftest::feature::{Feature, FeatureSet};
use rhumb_difftest::gcc::GccSubject;
use rhumb_difftest::generate::{Options, generate};
use rhumb_difftest::model::DataModel;

#[test]
fn a_seed_gives_the_same_program_again() {
    for model in DataModel::ALL {
        let options = Options::new(model);
        let (first, second) = (generate(42, &options), generate(42, &options));
        assert_eq!(first.source, second.source);
        assert_eq!(first.inputs, second.inputs);
        assert_ne!(first.source, generate(43, &options).source);
    }
}

#[test]
fn every_feature_occurs() {
    const PROGRAMS: u64 = 300;
    const AT_LEAST: u64 = 12;
    let mut options = Options::new(DataModel::Lp64);
    options.features = FeatureSet::all();
    let mut counts: BTreeMap<Feature, u64> = BTreeMap::new();
    for seed in 0..PROGRAMS {
        for feature in generate(seed, &options).features.iter() {
            *counts.entry(feature).or_default() += 1;
        }
    }
    let rare: Vec<(Feature, u64)> = Feature::ALL
        .iter()
        .map(|feature| (*feature, counts.get(feature).copied().unwrap_or(0)))
        .filter(|(_, count)| *count < AT_LEAST)
        .collect();
    println!("programs of {PROGRAMS} with each feature: {counts:?}");
    assert_eq!(rare, [], "in fewer than {AT_LEAST} of {PROGRAMS} programs");
}

#[test]
fn a_feature_that_is_left_out_does_not_occur() {
    let mut found = Vec::new();
    for without in Feature::ALL.iter().filter(|feature| !feature.is_basic()) {
        let mut options = Options::new(DataModel::Lp64);
        options.features = FeatureSet::all();
        options.features.remove(*without);
        let occurs = (0..30).any(|seed| generate(seed, &options).features.contains(*without));
        if occurs {
            found.push(*without);
        }
    }
    assert_eq!(found, []);
}

/// A subject with one wrong idea of C is found out.
#[test]
fn a_wrong_subject_is_noticed() {
    const SEEDS: u64 = 30;
    let Some((gcc, models)) = gcc_or_skip(SEEDS as usize) else {
        return;
    };
    let options = models.into_iter().map(Options::new).collect();
    let campaign = Campaign {
        first_seed: 1,
        count: SEEDS,
        options,
        batch: 10,
        jobs: 2,
    };
    let reference = GccSubject::reference(&gcc);
    let wrong = GccSubject::new(&gcc, &["-O0", "-funsigned-char"]);
    let summary = campaign.run(&reference, &wrong, &mut |_| {});
    assert!(
        summary.different.len() >= 5,
        "noticed in {} programs only",
        summary.different.len()
    );
}

/// Programs that compilers agree on whatever they optimise, and that no sanitizer objects to.
#[test]
fn programs_are_well_defined() {
    const SEEDS: u64 = 40;
    let Some((gcc, models)) = gcc_or_skip(2 * SEEDS as usize) else {
        return;
    };
    let options = models.into_iter().map(Options::new).collect();
    let campaign = Campaign {
        first_seed: 700_000,
        count: SEEDS,
        options,
        batch: 10,
        jobs: 2,
    };
    let reference = GccSubject::reference(&gcc);
    for subject in [GccSubject::new(&gcc, &["-O2"]), GccSubject::sanitized(&gcc)] {
        let summary = campaign.run(&reference, &subject, &mut |finding| {
            if !matches!(finding.comparison, Comparison::Same) {
                println!(
                    "seed {} {}: {:?}",
                    finding.program.seed, finding.program.model, finding.comparison
                );
            }
        });
        assert_eq!(summary.different, []);
        assert_eq!(summary.skipped_count(), 0);
    }
}
