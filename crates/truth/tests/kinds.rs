//! Programs about memory, undefined behaviour, bits and floats, whose answer is known by running them.

#![allow(missing_docs, clippy::print_stdout)]

use std::time::Duration;

use rhumb_search::{CATALOG, Entry, entry};
use rhumb_summary::Preset;
use rhumb_truth::campaign::{Campaign, EngineTally, Worth};
use rhumb_truth::explore::ExploreLimits;
use rhumb_truth::generate::Family;
use rhumb_truth::kinds::Kind;

/// The default engine on some programs of a kind; `first_seed` sets the samples of tests apart from campaigns.
fn put(kind: Kind, first_seed: u64, count: u64) -> EngineTally {
    put_to(&CATALOG[0], kind, first_seed, count)
}

/// An engine on some programs of a kind.
fn put_to(asked: &'static Entry, kind: Kind, first_seed: u64, count: u64) -> EngineTally {
    let campaign = Campaign {
        first_seed,
        count,
        family: Family::Of(kind),
        engines: vec![asked],
        preset: Preset::Full,
        time: Duration::from_secs(20),
        limits: ExploreLimits::default(),
        jobs: 2,
        changes: 0,
        until: None,
    };
    let mut wrong = String::new();
    let mut tally = campaign.run(&mut |finding| {
        for (name, _, worth) in &finding.answers {
            if let Worth::Wrong(what) = worth {
                let (seed, text) = (finding.sample.seed, &finding.sample.text);
                wrong.push_str(&format!("seed {seed}: {name} says {what}\n{text}"));
            }
        }
    });
    assert!(wrong.is_empty(), "{wrong}");
    assert_eq!(tally.broken, []);
    let engine = tally.engines.remove(asked.name).expect("it was asked");
    println!("{kind:?}: {engine:?}");
    assert!(engine.safe >= count / 8, "{engine:?}");
    assert!(engine.not_safe >= count / 8, "{engine:?}");
    engine
}

#[test]
fn memory() {
    let engine = put(Kind::Memory, 100_000, 40);
    assert_eq!(engine.rejected, [0; 0]);
    assert!(engine.decided() >= 0.9, "{engine:?}");
}

#[test]
fn checks() {
    let engine = put(Kind::Checks, 100_000, 25);
    assert!(engine.rejected.len() <= 5, "{engine:?}");
    assert!(engine.decided() >= 0.9, "{engine:?}");
    assert!(engine.decided_targets_share() >= 0.6, "{engine:?}");
}

#[test]
fn bits() {
    let engine = put(Kind::Bits, 100_000, 12);
    assert_eq!(engine.rejected, [0; 0]);
    assert!(engine.decided() >= 0.4, "{engine:?}");
}

#[test]
fn floats() {
    let engine = put(Kind::Floats, 100_000, 12);
    assert_eq!(engine.rejected, [0; 0]);
    assert!(engine.decided() >= 0.4, "{engine:?}");
}

/// Runs side by side are what programs without long loops are for: hardly any of these is left open.
#[test]
fn side_by_side() {
    let together = entry("together").expect("an engine");
    for (kind, least) in [
        (Kind::Memory, 0.95),
        (Kind::Bits, 0.95),
        (Kind::Floats, 0.75),
    ] {
        let engine = put_to(together, kind, 110_000, 60);
        assert_eq!(engine.rejected, [0; 0]);
        assert!(engine.decided() >= least, "{kind:?}: {engine:?}");
    }
}
