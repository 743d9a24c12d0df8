//! From a program to a verdict.

use std::time::Duration;

use rhumb_certify::Verdict;
use rhumb_cfront::SignedOverflow;
use rhumb_logic::Budget;
use rhumb_logic::session::with_seed;
use rhumb_search::{CATALOG, Decision, Entry, Means, Metric, Observer, decide, decide_together};
use rhumb_summary::Preset;

use crate::cache::Cache;
use crate::document::story;
use crate::input::Input;
use crate::known;
use crate::report::Report;
use crate::rounds::{self, Bounded, Established};

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
    /// With what the random choices of solvers begin: another seed may lead to another run to an error, the same one to the same.
    pub seed: u32,
}

impl Default for Options {
    /// As the command line does without options: the first engine, with all its means, for a minute.
    fn default() -> Options {
        Options {
            engine: &CATALOG[0],
            preset: Preset::default(),
            metric: Metric::default(),
            budget: Budget::time(Duration::from_secs(60)),
            seed: 0,
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
    let (decision, established) = with_seed(options.seed, || decision(input, options, observer));
    report(input, options, &decision, established)
}

/// A decision in words, with what was tried.
fn report(
    input: &Input,
    options: &Options,
    decision: &Decision,
    established: Option<Established>,
) -> Report {
    let mut report = Report::of(input, decision);
    if let Some(story) = story(&input.program, &report.verdict) {
        report
            .summary
            .tell(rhumb_report::text::story(&story, false));
    }
    let Entry { name, about, .. } = options.engine;
    report
        .summary
        .tried(format!("{name} ({about})"), established);
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
        return (report(input, options, &decision, None), true);
    }
    let (decision, established) = with_seed(options.seed, || decision(input, options, observer));
    cache.keep(input, options, &decision);
    (report(input, options, &decision, established), false)
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
    let search = || {
        let Options { engine, budget, .. } = options;
        let means = options.means();
        rhumb_search::decide_ending(&program, has_overflows, engine, means, budget, observer)
    };
    let found = with_seed(options.seed, search);
    input.keys = known::keys(&found.program);
    input.program = found.program;
    input.options.checks = found.checks;
    (input, Some(found.decision))
}

/// What that says.
pub fn report_ending(input: &Input, options: &Options, decision: &Decision) -> Report {
    report(input, options, decision, None)
}

/// What is known; and where that is nothing, up to which bound no run goes wrong.
fn decision(
    input: &Input,
    options: &Options,
    observer: &mut dyn Observer,
) -> (Decision, Option<Established>) {
    let decision = search(input, options, observer);
    let is_asked_by_file = input.specification.is_some();
    if !matches!(decision.verdict, Verdict::Unknown(_)) || is_asked_by_file {
        return (decision, None);
    }
    // Should the time be over before the bound is known.
    observer.decided(&decision);
    observer.phase("bound");
    match rounds::look(&input.program, &decision, &options.budget) {
        Bounded::Nothing => (decision, None),
        Bounded::Established(bound) => (decision, Some(bound)),
        Bounded::Error(found) => {
            observer.decided(&found);
            (*found, None)
        }
    }
}

fn search(input: &Input, options: &Options, observer: &mut dyn Observer) -> Decision {
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
            // Who has a property file wants a verdict, and nobody reads on.
            let budget = match input.specification.is_some() {
                true => budget.clone(),
                false => rounds::all_but_a_share(budget),
            };
            decide(&input.program, engine, means, &budget, observer)
        }
    }
}
