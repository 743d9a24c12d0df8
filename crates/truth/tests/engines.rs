//! Every engine, on programs whose answer is known: right, or it says that it doesn't know; and it doesn't say that often.

#![allow(missing_docs, clippy::print_stdout)]

use std::time::Duration;

use rhumb_search::{CATALOG, Entry, entry};
use rhumb_summary::Preset;
use rhumb_truth::campaign::{Campaign, Tally, Worth};
use rhumb_truth::explore::ExploreLimits;
use rhumb_truth::generate::Family;

fn put(
    family: Family,
    (first_seed, count): (u64, u64),
    engines: Vec<&'static Entry>,
    seconds: u64,
) -> Tally {
    let campaign = Campaign {
        first_seed,
        count,
        family,
        engines,
        preset: Preset::Full,
        time: Duration::from_secs(seconds),
        limits: ExploreLimits::default(),
        jobs: 2,
        changes: 0,
        until: None,
    };
    let mut wrong = String::new();
    let tally = campaign.run(&mut |finding| {
        for (name, _, worth) in &finding.answers {
            if let Worth::Wrong(what) | Worth::Rejected(what) = worth {
                let (seed, text) = (finding.sample.seed, &finding.sample.text);
                wrong.push_str(&format!("seed {seed}: {name} says {what}\n{text}"));
            }
        }
    });
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(tally.broken, []);
    for (name, engine) in &tally.engines {
        let time = engine.time.as_secs_f64();
        println!(
            "{name}: {}/{} proved, {}/{} refuted, {time:.1} s",
            engine.proved, engine.safe, engine.refuted, engine.not_safe
        );
    }
    tally
}

/// The share that the default engine decides at least.
const DECIDED: f64 = 0.95;

/// The engine that is used when nobody asks for another.
#[test]
fn the_default_engine_decides_almost_everything() {
    let tally = put(Family::Loops, (1, 200), vec![&CATALOG[0]], 15);
    let engine = &tally.engines[CATALOG[0].name];
    println!("{:?}", engine.unknown);
    assert!(engine.safe >= 60 && engine.not_safe >= 30, "{engine:?}");
    assert!(engine.decided() >= DECIDED, "{engine:?}");
}

#[test]
fn no_other_engine_is_wrong() {
    // These programs have no arrays, of which `elements` could follow any.
    let others = CATALOG
        .iter()
        .skip(1)
        .filter(|entry| entry.name != "elements");
    let tally = put(Family::Loops, (5000, 25), others.collect(), 3);
    let cra = &tally.engines["cra"];
    assert!(cra.proved_share() >= 0.5, "{cra:?}");
    for (name, engine) in &tally.engines {
        assert!(engine.proved + engine.refuted >= 3, "{name}: {engine:?}");
    }
}

/// Functions that call themselves or each other: contracts, or runs that are followed.
#[test]
fn recursion_is_decided_almost_always() {
    let engines = vec![&CATALOG[0], entry("horn").expect("an engine")];
    let tally = put(Family::Recursion, (1, 60), engines, 10);
    for (name, engine) in &tally.engines {
        println!("{name}: {:?}", engine.unknown);
        assert!(engine.safe >= 15 && engine.not_safe >= 8, "{engine:?}");
        assert!(engine.decided() >= 0.9, "{name}: {engine:?}");
    }
}
