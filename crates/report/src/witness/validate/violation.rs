//! Violation witnesses: the results that input functions are to have are given in their order; what the witness leaves
//! open is searched for, with the numbers that it and the program mention. The interpreter decides.

use rhumb_logic::Budget;
use rhumb_program::interp::{InputSource, KeyedInputs, Machine, Outcome, RunLimits, input_value};
use rhumb_program::{InputSiteId, TargetId, Type};

use super::follow::{Follower, Wanted, numbers, read_result};
use super::{Against, Validity, candidates, is_same_file};
use crate::witness::model::{Location, Segment, WaypointKind};
use crate::witness::place::Places;
use crate::witness::read::BadWitness;
use crate::witness::violation::closing_parenthesis;
use rhumb_certify::counterexample;
use rhumb_certify::{Verdict, certify_unsafe};

/// How often open values are tried, and how long a run may then be.
const ATTEMPTS: u64 = 3_000;
const STEPS: u64 = 200_000;

pub(super) fn validate(
    segments: &[Segment],
    against: &Against<'_>,
    places: &Places<'_>,
    budget: &Budget,
    notes: &mut Vec<String>,
) -> Result<Validity, BadWitness> {
    let steering = Steering::read(segments, against, places, notes)?;
    Ok(steering.decide(budget))
}

struct Steering<'a> {
    against: &'a Against<'a>,
    wanted: Vec<Wanted>,
    /// Numbers that other constraints mention, in their order.
    mentioned: Vec<i128>,
    /// The targets that are meant.
    targets: Vec<TargetId>,
}

/// One run that followed the witness.
struct Attempt {
    outcome: Outcome,
    inputs: KeyedInputs,
    /// Whether all wanted results were given.
    is_complete: bool,
    /// How many values were open.
    others: usize,
}

impl<'a> Steering<'a> {
    fn read(
        segments: &[Segment],
        against: &'a Against<'a>,
        places: &Places<'_>,
        notes: &mut Vec<String>,
    ) -> Result<Steering<'a>, BadWitness> {
        let mut steering = Steering {
            against,
            wanted: Vec::new(),
            mentioned: Vec::new(),
            targets: Vec::new(),
        };
        for segment in segments {
            let waypoint = &segment.follow;
            let location = &waypoint.location;
            if !is_same_file(&location.file_name, against.file_name) {
                let file = &location.file_name;
                return Err(BadWitness::new(format!(
                    "a waypoint is in another file: {file}"
                )));
            }
            if places.offsets(location).is_empty() {
                let line = location.line;
                return Err(BadWitness::new(format!(
                    "a waypoint is on line {line}, which has no text"
                )));
            }
            let text = waypoint.constraint.as_ref().map(|c| &*c.value);
            match waypoint.kind {
                WaypointKind::Target => steering.targets = targets(places, location),
                WaypointKind::FunctionReturn => {
                    let sites = sites(places, location);
                    if let (false, Some((operator, value))) =
                        (sites.is_empty(), text.and_then(read_result))
                    {
                        steering.wanted.push(Wanted {
                            sites,
                            operator,
                            value,
                        });
                    }
                }
                _ => steering
                    .mentioned
                    .extend(text.into_iter().flat_map(numbers)),
            }
        }
        if steering.targets.is_empty() {
            notes.push("there is no target at the place that the witness names".to_owned());
        }
        Ok(steering)
    }

    fn decide(&self, budget: &Budget) -> Validity {
        if self.targets.is_empty() {
            return Validity::Rejected("no target is where the violation is said to be".to_owned());
        }
        let machine = Machine::compile(self.against.program);
        let first = self.attempt(&machine, RunLimits::default().steps, &mut |_| 0);
        if self.is_violation(&machine, &first, budget) {
            return Validity::Violated;
        }
        if first.others == 0 && !matches!(first.outcome, Outcome::StepLimit) {
            let missing = if first.is_complete {
                ""
            } else {
                ", and not all results are used"
            };
            return Validity::Rejected(format!(
                "the run with the given results ends elsewhere{missing}"
            ));
        }
        self.search(&machine, budget)
    }

    /// Looks for values that the witness leaves open.
    fn search(&self, machine: &Machine<'_>, budget: &Budget) -> Validity {
        let mut pool: Vec<i128> = vec![0, 1, -1, 2];
        pool.extend(&self.mentioned);
        for constant in candidates::constants(self.against.program) {
            let constant = i128::try_from(&constant).unwrap_or_default();
            pool.extend([constant, constant.wrapping_add(1), constant.wrapping_sub(1)]);
        }
        pool.sort_unstable();
        pool.dedup();
        // Conditions often repeat what was said before.
        let mut distinct: Vec<i128> = Vec::new();
        for &number in &self.mentioned {
            if !distinct.contains(&number) {
                distinct.push(number);
            }
        }
        for attempt in 0..ATTEMPTS {
            if budget.is_spent() {
                break;
            }
            let mut random = attempt;
            let mut other = |event: usize| match attempt {
                0 => self.mentioned.get(event).copied().unwrap_or_default(),
                1 => distinct.get(event).copied().unwrap_or_default(),
                _ => pick(&pool, &mut random, attempt),
            };
            let attempt = self.attempt(machine, STEPS, &mut other);
            if self.is_violation(machine, &attempt, budget) {
                return Validity::Violated;
            }
        }
        match (self.against.search)(budget) {
            Some(inputs) if self.follows(machine, &inputs, budget) => Validity::Violated,
            _ => Validity::Undecided("no inputs were found that follow the witness".to_owned()),
        }
    }

    fn attempt(
        &self,
        machine: &Machine<'_>,
        steps: u64,
        other: &mut dyn FnMut(usize) -> i128,
    ) -> Attempt {
        let mut follower = Follower {
            wanted: &self.wanted,
            passed: 0,
            other,
            others: 0,
            given: KeyedInputs::new(),
        };
        let limits = RunLimits {
            steps,
            ..RunLimits::default()
        };
        let run = machine.run(&mut follower, &limits);
        Attempt {
            outcome: run.outcome,
            inputs: follower.given,
            is_complete: follower.passed == self.wanted.len(),
            others: follower.others,
        }
    }

    /// Whether the run is a violation as the witness tells it. A run that is too long is followed by jumps.
    fn is_violation(&self, machine: &Machine<'_>, attempt: &Attempt, budget: &Budget) -> bool {
        let may_be = match attempt.outcome {
            Outcome::Target(target) => attempt.is_complete && self.targets.contains(&target),
            Outcome::StepLimit => attempt.is_complete && attempt.others == 0,
            _ => false,
        };
        may_be && self.is_certified(machine, &attempt.inputs, budget)
    }

    fn is_certified(&self, machine: &Machine<'_>, inputs: &KeyedInputs, budget: &Budget) -> bool {
        let limits = counterexample::Budget::within(budget);
        let verdict = certify_unsafe(machine, inputs, &limits);
        matches!(verdict, Ok(Verdict::Unsafe(certified))
            if self.targets.contains(&certified.evidence().target))
    }

    /// Whether a run that was found by other means has the results that the witness asks for, in their order.
    fn follows(&self, machine: &Machine<'_>, inputs: &KeyedInputs, budget: &Budget) -> bool {
        let mut checker = Checker {
            wanted: &self.wanted,
            passed: 0,
            inputs,
        };
        machine.run(&mut checker, &RunLimits::default());
        checker.passed == self.wanted.len() && self.is_certified(machine, inputs, budget)
    }
}

/// A value of the pool; a few events in the same run have the same one.
fn pick(pool: &[i128], random: &mut u64, attempt: u64) -> i128 {
    let place = (rhumb_random::next(random) ^ attempt) as usize % pool.len().max(1);
    pool.get(place).copied().unwrap_or_default()
}

/// Gives known inputs and sees which wanted results are among them.
struct Checker<'a> {
    wanted: &'a [Wanted],
    passed: usize,
    inputs: &'a KeyedInputs,
}

impl InputSource for Checker<'_> {
    fn value(&mut self, site: InputSiteId, occurrence: u64, ty: Type) -> u128 {
        let bits = input_value(ty, self.inputs.value_at(site, occurrence));
        if let Some(next) = self.wanted.get(self.passed)
            && next.sites.contains(&site)
            && next.holds(ty, bits)
        {
            self.passed += 1;
        }
        bits
    }

    fn bytes(&mut self, site: InputSiteId, occurrence: u64, out: &mut [u8]) {
        for (to, &from) in out.iter_mut().zip(self.inputs.bytes_at(site, occurrence)) {
            *to = from;
        }
    }
}

/// The calls of input functions that a location means: the one whose closing parenthesis or beginning is there, or else those on its line.
fn sites(places: &Places<'_>, location: &Location) -> Vec<InputSiteId> {
    let program = places.program;
    let calls: Vec<(InputSiteId, u32)> = program
        .inputs
        .indices()
        .filter_map(|site| Some((site, closing_parenthesis(places, site)?)))
        .collect();
    let offsets = places.offsets(location);
    let at_column = location.column.and(offsets.first().copied());
    let exact = calls.iter().filter(|&&(site, close)| {
        at_column.is_some_and(|at| at == close || at == program.inputs[site].span.lo)
    });
    let exact: Vec<InputSiteId> = exact.map(|call| call.0).collect();
    if !exact.is_empty() {
        return exact;
    }
    let on_line = calls
        .iter()
        .filter(|call| places.line(call.1) == Some(location.line));
    on_line.map(|call| call.0).collect()
}

/// The targets that a location means: those on its line, or in the statement that begins there.
fn targets(places: &Places<'_>, location: &Location) -> Vec<TargetId> {
    let offsets = places.offsets(location);
    let targets = places.program.targets.iter_enumerated();
    let meant = targets.filter(|(_, target)| {
        let at = target.span.lo;
        places.line(at) == Some(location.line)
            || offsets
                .iter()
                .any(|&start| places.scan.is_in_statement(start as usize, at as usize))
    });
    meant.map(|(id, _)| id).collect()
}
