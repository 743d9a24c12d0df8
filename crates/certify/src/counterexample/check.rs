//! The check of a counterexample.

use std::sync::Arc;

use dashu_int::{IBig, UBig};
use rhumb_program::interp::{
    Execution, KeyedInputs, Machine, Observer, Outcome, Position, Progress, Run, RunLimits, View,
};
use rhumb_program::{EdgeId, Program, TargetId};

use super::budget::Budget;
use super::cycle::{Cycle, CyclePlace, Item, Limit, Obstacle, Repeated};
use super::reject::{Reason, Rejected};
use super::snapshot::{Scopes, Snapshot};
use super::{Count, Counterexample, Jump, Segment};

/// More jumps inside each other are refused.
const MAX_NESTING: usize = 32;

/// A cycle with more edges than this (inner cycles counted once) is executed, not proved.
const MAX_CYCLE: u64 = 1 << 20;

/// So many steps are executed between two looks at the clock.
const STRIDE: u64 = 1 << 24;

/// A counterexample that was found to be right.
#[derive(Clone, PartialEq, Debug)]
pub struct Checked {
    /// What is reached.
    pub target: TargetId,
    /// Number of steps of the run, jumps included; `None` if it takes too long to tell.
    pub steps: Option<UBig>,
    /// Number of steps that were executed.
    pub executed: u64,
    /// Number of jumps that were proved.
    pub proved_jumps: u64,
    /// The end of the run: where the target is, and the calls under way.
    pub run: Run,
}

/// Executes the program on the inputs, step by step, and accepts if it reaches a target without a caveat.
pub fn replay(
    program: &Program,
    inputs: &KeyedInputs,
    budget: &Budget,
) -> Result<Checked, Rejected> {
    let run = execute(&Machine::compile(program), inputs, budget);
    let Outcome::Target(target) = run.outcome else {
        return Err(Rejected::by_end(program, &run));
    };
    no_caveats(program, &run)?;
    Ok(Checked {
        target,
        steps: Some(run.steps.into()),
        executed: run.steps,
        proved_jumps: 0,
        run,
    })
}

/// Runs the program; if there is a clock to look at, piece by piece.
pub(super) fn execute(machine: &Machine<'_>, inputs: &KeyedInputs, budget: &Budget) -> Run {
    let mut inputs = inputs.clone();
    if budget.time.deadline.is_none() {
        return machine.run(&mut inputs, &budget.limits);
    }
    // Fast code can't be stopped: a short run first, then, if that is not enough, one that can.
    let short = RunLimits {
        steps: budget.limits.steps.min(4 * STRIDE),
        ..budget.limits
    };
    let run = machine.run(&mut inputs, &short);
    if run.outcome != Outcome::StepLimit || short.steps == budget.limits.steps {
        return run;
    }
    let mut execution = machine.start(&budget.limits);
    loop {
        let stride = if budget.is_over() { 0 } else { STRIDE };
        match execution.advance(&mut inputs, stride) {
            Progress::Ended(run) => return run,
            Progress::Paused if stride == 0 => return run,
            Progress::Paused => {}
        }
    }
}

fn no_caveats(program: &Program, run: &Run) -> Result<(), Rejected> {
    match run.caveats.first() {
        Some(caveat) => Err(Rejected::new(Reason::Caveat(caveat.describe(program)))),
        None => Ok(()),
    }
}

/// Follows the counterexample and accepts it if it is right. The documentation of the [module](super) says what that means.
pub fn check(
    program: &Program,
    counterexample: &Counterexample,
    budget: &Budget,
) -> Result<Checked, Rejected> {
    check_on(&Machine::compile(program), counterexample, budget)
}

/// The same for a program that is compiled already.
pub(crate) fn check_on(
    machine: &Machine<'_>,
    counterexample: &Counterexample,
    budget: &Budget,
) -> Result<Checked, Rejected> {
    let program = machine.program();
    if program.targets.get(counterexample.target).is_none() {
        let reason = Reason::Malformed("there is no such target in the program");
        return Err(Rejected::new(reason));
    }
    let mut follower = Follower {
        program,
        scopes: Scopes::new(program),
        execution: machine.start(&budget.limits),
        inputs: counterexample.inputs.clone(),
        budget,
        operations: budget.operations,
        target: counterexample.target,
        iterations: Vec::new(),
        proved_jumps: 0,
        end: None,
    };
    follower.segments(&counterexample.segments, &mut Path::Ignored)?;
    let executed = follower.execution.steps();
    let proved_jumps = follower.proved_jumps;
    let Some(run) = follower.end else {
        return Err(Rejected::new(Reason::GoesOn));
    };
    no_caveats(program, &run)?;
    Ok(Checked {
        target: counterexample.target,
        steps: counterexample.steps(),
        executed,
        proved_jumps,
        run,
    })
}

/// Follows the segments.
struct Follower<'m, 'p, 'b> {
    program: &'p Program,
    scopes: Scopes,
    execution: Execution<'m, 'p>,
    inputs: KeyedInputs,
    budget: &'b Budget,
    /// Operations left for proofs.
    operations: u64,
    target: TargetId,
    /// The iterations of the jumps that are under way, the innermost last.
    iterations: Vec<IBig>,
    proved_jumps: u64,
    /// The run, when it has reached the target.
    end: Option<Run>,
}

/// The path taken, if somebody wants to know it.
enum Path {
    /// Nobody does.
    Ignored,
    /// So far.
    Recorded(Vec<Item>),
    /// It is too long, or a part of it could not be proved.
    Lost,
}

impl Path {
    fn len(&self) -> usize {
        match self {
            Path::Recorded(items) => items.len(),
            Path::Ignored | Path::Lost => 0,
        }
    }
}

impl Observer for Path {
    fn edge(&mut self, edge: EdgeId, state: &View<'_>) {
        if let Path::Recorded(items) = self {
            items.push(Item::Edge(state.function(), edge));
        }
    }
}

impl Follower<'_, '_, '_> {
    fn segments(&mut self, segments: &[Segment], path: &mut Path) -> Result<(), Rejected> {
        for segment in segments {
            match segment {
                &Segment::Steps(steps) => self.steps(steps, path)?,
                Segment::Jump(jump) => self.jump(jump, path)?,
            }
        }
        Ok(())
    }

    fn steps(&mut self, steps: u64, path: &mut Path) -> Result<(), Rejected> {
        if steps.saturating_add(path.len() as u64) > MAX_CYCLE && matches!(path, Path::Recorded(_))
        {
            *path = Path::Lost;
        }
        let mut left = steps;
        while left > 0 {
            if self.end.is_some() {
                return Err(Rejected::new(Reason::EndsEarly));
            }
            if self.budget.is_over() {
                return Err(Rejected::new(Reason::Budget("time")));
            }
            let before = self.execution.steps();
            let piece = left.min(STRIDE);
            let progress = match path {
                Path::Recorded(_) => self.execution.observe(&mut self.inputs, piece, path),
                _ => self.execution.advance(&mut self.inputs, piece),
            };
            left -= self.execution.steps() - before;
            if let Progress::Ended(run) = progress {
                if run.outcome != Outcome::Target(self.target) {
                    return Err(Rejected::by_end(self.program, &run));
                }
                if left > 0 || !self.iterations.is_empty() {
                    return Err(Rejected::new(Reason::EndsEarly));
                }
                self.end = Some(run);
            }
        }
        Ok(())
    }

    fn jump(&mut self, jump: &Jump, path: &mut Path) -> Result<(), Rejected> {
        if self.program.schedule().is_some() {
            let reason = Reason::Malformed("a jump in a program with threads");
            return Err(Rejected::new(reason));
        }
        if self.iterations.len() >= MAX_NESTING {
            return Err(Rejected::new(Reason::Malformed("too many nested jumps")));
        }
        if self.end.is_some() {
            return Err(Rejected::new(Reason::EndsEarly));
        }
        if jump.count.growth.len() > self.iterations.len() {
            return Err(Rejected::new(Reason::Malformed(
                "a count grows with a jump that is not there",
            )));
        }
        let count = jump.count.at(&self.iterations);
        if count < IBig::ONE {
            return Err(Rejected::new(Reason::Malformed(
                "a jump is taken less than once",
            )));
        }
        let start = self.place();
        let depth = self.execution.depth();
        let before = Snapshot::take(&self.execution, &self.scopes);
        // The first iteration shows the path and what it adds.
        let mut body = Path::Recorded(Vec::new());
        self.iterations.push(IBig::ZERO);
        self.segments(&jump.cycle, &mut body)?;
        let repeated = match body {
            Path::Recorded(body) if self.place() == start && self.execution.depth() == depth => {
                let after = Snapshot::take(&self.execution, &self.scopes);
                Some(Repeated {
                    effect: before.effect_until(&after, self.program, &self.scopes),
                    body,
                    // As it is now: what grows with iterations outside the recorded path has grown already.
                    count: Count {
                        first: UBig::try_from(count.clone()).unwrap_or_default(),
                        growth: jump.count.growth.clone(),
                    },
                })
            }
            _ => None,
        };
        let limit = match &repeated {
            Some(repeated) => {
                // The proof begins in the state before the first iteration, which is known to be right.
                let cycle = Cycle {
                    place: start,
                    body: &repeated.body,
                    effect: &repeated.effect,
                };
                let first = before.as_start(&self.scopes);
                cycle.limit(self.program, &first, &self.inputs, &mut self.operations)
            }
            None => Limit {
                count: Some(IBig::ZERO),
                obstacle: None,
                period: None,
            },
        };
        match repeated {
            Some(repeated) if limit.allows(&count) => {
                self.iterations.pop();
                let arrived = before.restore_plus(
                    &mut self.execution,
                    self.program,
                    &self.scopes,
                    &repeated.effect,
                    &count,
                );
                if !arrived {
                    return Err(self.refused(&count, &limit));
                }
                self.proved_jumps += 1;
                if let Path::Recorded(items) = path {
                    items.push(Item::Jump(Arc::new(repeated)));
                }
            }
            _ => {
                *path = match path {
                    Path::Ignored => Path::Ignored,
                    _ => Path::Lost,
                };
                self.rest(jump, &count, &limit)?;
                self.iterations.pop();
            }
        }
        Ok(())
    }

    /// Executes the iterations of a jump from the second on.
    fn rest(&mut self, jump: &Jump, count: &IBig, limit: &Limit) -> Result<(), Rejected> {
        loop {
            let Some(done) = self.iterations.last_mut() else {
                return Ok(());
            };
            *done += IBig::ONE;
            if *done >= *count {
                return Ok(());
            }
            let before = self.execution.steps();
            if let Err(rejected) = self.segments(&jump.cycle, &mut Path::Ignored) {
                return Err(match rejected.reason {
                    Reason::Budget(_) => self.refused(count, limit),
                    _ => rejected,
                });
            }
            if self.execution.steps() == before {
                return Err(self.refused(count, limit));
            }
        }
    }

    fn place(&self) -> CyclePlace {
        let (function, location) = self.execution.position();
        CyclePlace { function, location }
    }

    fn refused(&self, count: &IBig, limit: &Limit) -> Rejected {
        let (obstacle, edge) = match limit.obstacle {
            Some((obstacle, function, edge)) => (obstacle, Some((function, edge))),
            None => (Obstacle::NotClosed, None),
        };
        let reason = Reason::Jump {
            count: count.to_string(),
            obstacle: obstacle.to_string(),
        };
        match edge {
            Some((function, edge)) => Rejected::at_edge(reason, self.program, function, edge),
            None => {
                let CyclePlace { function, location } = self.place();
                let position = Position {
                    function,
                    location,
                    edge: None,
                };
                Rejected::at_position(reason, self.program, position)
            }
        }
    }
}
