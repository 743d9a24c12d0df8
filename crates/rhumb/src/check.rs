//! From a program to a verdict.

use std::time::Duration;

use rhumb_cfront::SignedOverflow;
use rhumb_logic::Budget;
use rhumb_search::{CATALOG, Decision, Entry, Means, Metric, Observer, decide, decide_together};
use rhumb_summary::Preset;

use crate::cache::Cache;
use crate::input::Input;
use crate::known;
use crate::report::Report;

/// How a program is checked.
#[derive(Clone)]
pub struct Options {
    /// The engine: an entry of `rhumb_search::CATALOG`.
    pub engine: &'static Entry,
    /// Which loop operators, invariants and search aids it uses.
    pub preset: Preset,
    /// By which distance to a goal engines that grow a tree are directed.
    pub metric: Metric,
    /// What it may take.
    pub budget: Budget,
}

impl Default for Options {
    /// As the command line does without options: the first engine, with all its means, for a minute.
    fn default() -> Options {
        Options {
            engine: &CATALOG[0],
            preset: Preset::default(),
            metric: Metric::default(),
            budget: Budget::time(Duration::from_secs(60)),
        }
    }
}

impl Options {
    fn means(&self) -> Means {
        Means {
            preset: self.preset,
            metric: self.metric,
        }
    }
}

/// Decides a program. The verdict is certified: SAFE after a proof was checked, UNSAFE after the error was executed.
pub fn check(input: &Input, options: &Options) -> Report {
    check_watched(input, options, &mut ())
}

/// The same for somebody who wants to know how it goes.
pub fn check_watched(input: &Input, options: &Options, observer: &mut dyn Observer) -> Report {
    report(input, options, &decision(input, options, observer))
}

/// A decision in words, with what was tried.
pub fn report(input: &Input, options: &Options, decision: &Decision) -> Report {
    let mut report = Report::of(input, decision);
    let Entry { name, about, .. } = options.engine;
    report.summary.tried(format!("{name} ({about})"));
    report
}

/// The same with results that are kept. What is found there is checked again; says whether that was enough.
pub fn check_cached(
    input: &Input,
    options: &Options,
    cache: &Cache,
    observer: &mut dyn Observer,
) -> (Report, bool) {
    observer.phase("cache");
    let known = match input.unsupported_property {
        Some(_) => None,
        None => cache.find(input, options),
    };
    if let Some(decision) = known {
        observer.decided(&decision);
        return (report(input, options, &decision), true);
    }
    let decision = decision(input, options, observer);
    cache.keep(input, options, &decision);
    (report(input, options, &decision), false)
}

/// Decides whether all runs of a program end, if that is asked: the question as it was put to the engines, which is
/// another program, and what is known of it. Otherwise the input comes back as it is.
pub fn decide_ending(
    mut input: Input,
    options: &Options,
    observer: &mut dyn Observer,
) -> (Input, Option<Decision>) {
    let Some(program) = input.unasked.take() else {
        return (input, None);
    };
    let has_overflows = input.options.signed_overflow == SignedOverflow::Undefined;
    let found = rhumb_search::decide_ending(
        &program,
        has_overflows,
        options.engine,
        options.means(),
        &options.budget,
        observer,
    );
    input.keys = known::keys(&found.program);
    input.program = found.program;
    input.options.checks = found.checks;
    (input, Some(found.decision))
}

fn decision(input: &Input, options: &Options, observer: &mut dyn Observer) -> Decision {
    match &input.unsupported_property {
        Some(property) => Decision::unknown(format!("unsupported property {property}")),
        None => {
            let Options { engine, budget, .. } = options;
            let means = options.means();
            // A property is one question, however many checks it takes.
            let asked = input.properties.iter();
            let is_one = input.specification.is_some()
                && !input.options.checks.is_empty()
                && asked.filter(|one| one.left_out.is_none()).count() <= 1;
            let decide = match is_one {
                true => decide_together::<Means>,
                false => decide::<Means>,
            };
            decide(&input.program, engine, means, budget, observer)
        }
    }
}
