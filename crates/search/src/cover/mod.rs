//! Tests for goals: for each one a run that covers it, or a certified proof that there is none.
//!
//! Random inputs come first. Then an engine looks for the goals that are left, all at once: they are the targets of a
//! program that is the same otherwise. Every run that is found counts for all goals that it covers. If the engine has
//! no answer for many goals it is asked about some of them at a time.

mod runs;
mod suite;

use std::collections::VecDeque;

use rhumb_certify::Verdict;
use rhumb_logic::{Budget, Work};
use rhumb_program::Program;
use rhumb_program::coverage::{Goal, with_targets};
use rhumb_summary::Preset;

use crate::catalog::Entry;
use crate::decide::decide_together;
use crate::decision::Observer;
use runs::{Watch, is_clean};
pub use suite::{Status, Suite, Test, Unreachable};

/// A group of goals that is left without an answer is taken apart into so many.
const PARTS: usize = 4;

/// What part of all work the first question for all goals may take, as its inverse; the groups that it is taken apart
/// into get as much together.
const SHARE: u32 = 4;

/// The least work for a question.
const AT_LEAST: Work = Work::secs(1);

/// Somebody who wants to know how it goes.
pub trait CoverObserver: Observer {
    /// Something was found, and this is what is known by now.
    fn found(&mut self, so_far: &Suite) {
        let _ = so_far;
    }
}

impl CoverObserver for () {}

/// Looks for tests and proofs until everything is known, or nothing is left to try.
pub fn cover(
    program: &Program,
    goals: &[Goal],
    engine: &Entry,
    preset: Preset,
    budget: &Budget,
    observer: &mut dyn CoverObserver,
) -> Suite {
    let mut suite = Suite::nothing(goals.len());
    let watch = Watch::new(program, goals);
    observer.phase("tests");
    watch.stumble(&mut suite);
    observer.found(&suite);
    let mut search = Search {
        program,
        goals,
        engine,
        preset,
        budget,
        watch,
        suite,
    };
    search.run(observer);
    let mut suite = search.suite;
    suite.minimise();
    suite
}

struct Search<'a> {
    program: &'a Program,
    goals: &'a [Goal],
    engine: &'a Entry,
    preset: Preset,
    budget: &'a Budget,
    watch: Watch<'a>,
    suite: Suite,
}

impl Search<'_> {
    fn run(&mut self, observer: &mut dyn CoverObserver) {
        let whole = self.budget.left().map(|left| left / SHARE);
        let mut groups = VecDeque::from([((0..self.goals.len()).collect::<Vec<_>>(), whole)]);
        while let Some((group, work)) = groups.pop_front() {
            if self.decide(&group, work, observer) {
                continue;
            }
            let open = self.open(&group);
            if open.len() < 2 || self.budget.is_over() {
                continue;
            }
            let size = open.len().div_ceil(PARTS);
            let work = work.map(|work| (work / PARTS as u32).max(AT_LEAST));
            groups.extend(open.chunks(size).map(|part| (part.to_vec(), work)));
        }
    }

    fn open(&self, group: &[usize]) -> Vec<usize> {
        let group = group.iter().copied();
        group.filter(|&goal| self.suite.is_open(goal)).collect()
    }

    /// Lets the engine look for goals of a group as long as it finds some. Says whether all of them are decided.
    fn decide(
        &mut self,
        group: &[usize],
        work: Option<Work>,
        observer: &mut dyn CoverObserver,
    ) -> bool {
        loop {
            let open = self.open(group);
            if open.is_empty() {
                return true;
            }
            if self.budget.is_over() {
                self.leave_open(&open, "out of time");
                return false;
            }
            let asked = with_targets(self.program, open.iter().map(|&goal| &self.goals[goal]));
            let budget = match work {
                Some(work) => self.budget.within(work),
                None => self.budget.clone(),
            };
            let observed: &mut dyn Observer = observer;
            let decision = decide_together(&asked, self.engine, self.preset, &budget, observed);
            match decision.verdict {
                Verdict::Unsafe(certified) => {
                    let evidence = certified.evidence();
                    let goal = open[evidence.target.index()];
                    let inputs = &evidence.inputs;
                    let test = self.watch.run(inputs);
                    // Behind the goal something else than the inputs may decide how it goes on.
                    let test = test.or_else(|| self.watch.run_to(&asked, inputs));
                    let Some(mut test) = test else {
                        self.leave_open(&[goal], "the test depends on more than its inputs");
                        return false;
                    };
                    // A run that is too long to be watched gets there all the same: that was certified.
                    if let Err(place) = test.covers.binary_search(&goal) {
                        test.covers.insert(place, goal);
                    }
                    self.suite.add(test);
                }
                Verdict::Safe(_) => {
                    let number = self.suite.proofs.len();
                    for &goal in &open {
                        self.suite.goals[goal] = Status::Unreachable(number);
                    }
                    self.suite.proofs.push(Unreachable {
                        goals: open,
                        verdict: decision.verdict,
                    });
                }
                Verdict::Unknown(reason) => {
                    self.leave_open(&open, &reason);
                    return false;
                }
            }
            observer.found(&self.suite);
        }
    }

    fn leave_open(&mut self, goals: &[usize], reason: &str) {
        for &goal in goals {
            self.suite.goals[goal] = Status::Open(reason.to_owned());
        }
    }
}

/// Whether the run of a test comes to an end that C knows: not to undefined behaviour, and not to a limit.
pub fn ends_well(test: &Test) -> bool {
    is_clean(&test.outcome)
}
