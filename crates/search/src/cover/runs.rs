//! Runs of tests, watched: which goals they cover.

use std::cell::Cell;

use index_vec::IndexVec;
use rhumb_program::coverage::Goal;
use rhumb_program::interp::{
    InputSource, KeyedInputs, Machine, Observer, Outcome, RandomInputs, Recorder, RunLimits, View,
};
use rhumb_program::{EdgeId, FuncId, InputSiteId, Program, Type};

use super::suite::{Suite, Test};

/// Steps of one test.
const STEPS: u64 = 2_000_000;
/// Random tests, the short ones first, steps that each may take, and steps of all together: about a second.
const RUNS: u64 = 400;
const RANDOM_STEPS: [u64; 2] = [2_000, 50_000];
const ALL_STEPS: u64 = 4_000_000;
const MEMORY: u64 = 1 << 26;

/// The goals that each edge covers.
type GoalsOfEdges = IndexVec<FuncId, IndexVec<EdgeId, Vec<usize>>>;

/// Watches runs of a program, with an eye on goals.
pub(super) struct Watch<'p> {
    machine: Machine<'p>,
    goals: GoalsOfEdges,
    number: usize,
}

impl<'p> Watch<'p> {
    pub(super) fn new(program: &'p Program, goals: &[Goal]) -> Watch<'p> {
        let functions = program.functions.iter();
        let none = functions.map(|function| vec![Vec::new(); function.cfa.edges.len()].into());
        let mut of_edge: GoalsOfEdges = none.collect();
        for (number, goal) in goals.iter().enumerate() {
            for &edge in &goal.edges {
                of_edge[goal.function][edge].push(number);
            }
        }
        Watch {
            machine: Machine::compile(program),
            goals: of_edge,
            number: goals.len(),
        }
    }

    /// What a run on these inputs covers. None if something else than the inputs decides it.
    pub(super) fn run(&self, inputs: &KeyedInputs) -> Option<Test> {
        let followed = self.follow(&self.machine, inputs.clone(), STEPS);
        followed.map(|(test, _)| test)
    }

    /// The same up to the first target of a program that is the same otherwise.
    pub(super) fn run_to(&self, targets: &Program, inputs: &KeyedInputs) -> Option<Test> {
        let machine = Machine::compile(targets);
        let followed = self.follow(&machine, inputs.clone(), STEPS);
        followed.map(|(test, _)| test)
    }

    fn follow(
        &self,
        machine: &Machine<'_>,
        inputs: impl InputSource,
        steps: u64,
    ) -> Option<(Test, u64)> {
        let limits = RunLimits {
            steps,
            memory: MEMORY,
            ..RunLimits::default()
        };
        let read = Cell::new(0);
        let mut seen = Seen {
            goals: &self.goals,
            covered: vec![false; self.number],
            read: &read,
            needs: 0,
        };
        let mut recorder = Recorder::new(Counting {
            source: inputs,
            read: &read,
        });
        let run = machine.trace(&mut recorder, &limits, &mut seen);
        let covered = seen.covered.iter().enumerate();
        let covers = covered.filter_map(|(goal, &is_covered)| is_covered.then_some(goal));
        let test = Test {
            inputs: recorder.into_inputs(),
            covers: covers.collect(),
            outcome: run.outcome.clone(),
            needs: seen.needs,
        };
        run.is_definite().then_some((test, run.steps))
    }

    /// Tests with no inputs but zeros and with random ones, as long as there are goals left. Those that end in
    /// something that is no behaviour of the program (undefined, not supported, not ended) are not wanted.
    ///
    /// Right for the parts of a program that many inputs get to, which are most.
    pub(super) fn stumble(&self, suite: &mut Suite) {
        if let Some(test) = self.run(&KeyedInputs::new())
            && is_clean(&test.outcome)
        {
            suite.add(test);
        }
        let mut steps = 0;
        for seed in 0..RUNS {
            let most = RANDOM_STEPS[usize::from(seed >= RUNS / 2)];
            if steps >= ALL_STEPS || suite.count()[2] == 0 {
                break;
            }
            let Some((test, taken)) = self.follow(&self.machine, RandomInputs::new(seed), most)
            else {
                continue;
            };
            steps += taken;
            if is_clean(&test.outcome) {
                suite.add(test);
            }
        }
    }
}

/// Whether a run comes to an end that C knows.
pub(super) fn is_clean(outcome: &Outcome) -> bool {
    matches!(
        outcome,
        Outcome::Exit(_) | Outcome::Abort | Outcome::AssumptionFailed
    )
}

struct Seen<'w> {
    goals: &'w GoalsOfEdges,
    covered: Vec<bool>,
    read: &'w Cell<u64>,
    /// How many inputs had been read when the last goal was covered.
    needs: u64,
}

/// Counts the inputs that are read.
struct Counting<'w, S> {
    source: S,
    read: &'w Cell<u64>,
}

impl<S: InputSource> InputSource for Counting<'_, S> {
    fn value(&mut self, site: InputSiteId, occurrence: u64, ty: Type) -> u128 {
        self.read.set(self.read.get() + 1);
        self.source.value(site, occurrence, ty)
    }

    fn bytes(&mut self, site: InputSiteId, occurrence: u64, out: &mut [u8]) {
        self.read.set(self.read.get() + 1);
        self.source.bytes(site, occurrence, out);
    }
}

impl Observer for Seen<'_> {
    fn edge(&mut self, edge: EdgeId, state: &View<'_>) {
        for &goal in &self.goals[state.function()][edge] {
            if !std::mem::replace(&mut self.covered[goal], true) {
                self.needs = self.read.get();
            }
        }
    }
}
