//! Violation witnesses: the inputs of a run in their order, and the violation.
//!
//! The results of the input functions determine a run, so they are the waypoints; branches need not be named.

use rhumb_program::interp::{InputSource, KeyedInputs, Machine, Outcome, RunLimits, input_value};
use rhumb_program::{FloatType, InputKind, InputSiteId, Program, Type};

use super::Note;
use super::model::{Constraint, Segment, Waypoint, WaypointKind};
use super::place::Places;
use super::read::MAX_WRITTEN;
use rhumb_certify::counterexample::Counterexample;

/// A witness has at most that many waypoints: validators have little time, and a longer run is hardly followed by any.
pub const MAX_WAYPOINTS: usize = 10_000;

/// Bytes of a waypoint without its two names, of a file and a function, of which every character may be escaped.
const WAYPOINT: usize = 512;

/// Runs are executed that far to find out in which order inputs are read.
const MAX_STEPS: u64 = 100_000_000;

/// The waypoints of a counterexample, and what had to be left out.
pub(super) fn segments(
    places: &Places<'_>,
    counterexample: &Counterexample,
) -> Option<(Vec<Segment>, Vec<Note>)> {
    let program = places.program;
    let mut notes = Vec::new();
    let events = Events::of(program, &counterexample.inputs, most_waypoints(places));
    if events.is_cut {
        notes.push(Note::InputsCut(events.order.len()));
    }
    let mut segments = Vec::new();
    let mut unnamed = 0usize;
    for &(site, bits) in &events.order {
        match waypoint(places, site, bits) {
            Some(waypoint) => segments.push(follow(waypoint)),
            None => unnamed += 1,
        }
    }
    if unnamed > 0 {
        notes.push(Note::InputsUnnamed(unnamed));
    }
    segments.push(follow(target(places, counterexample)?));
    Some((segments, notes))
}

/// Number of waypoints with which the witness can be read again.
fn most_waypoints(places: &Places<'_>) -> usize {
    let functions = places.program.functions.iter();
    let longest = functions.map(|function| function.name.len()).max();
    let names = places.file_name().len() + longest.unwrap_or_default();
    let most = MAX_WRITTEN / (WAYPOINT + 4 * names);
    most.min(MAX_WAYPOINTS)
}

fn follow(waypoint: Waypoint) -> Segment {
    Segment {
        avoid: Vec::new(),
        follow: waypoint,
    }
}

fn target(places: &Places<'_>, counterexample: &Counterexample) -> Option<Waypoint> {
    let target = places.program.targets.get(counterexample.target)?;
    Some(Waypoint {
        kind: WaypointKind::Target,
        location: places.location(target.span.lo)?,
        constraint: None,
    })
}

/// "This call gave that value"; none for what is no call, or no value that can be written down.
fn waypoint(places: &Places<'_>, site: InputSiteId, bits: u128) -> Option<Waypoint> {
    let info = &places.program.inputs[site];
    if places.program.gives_pointer(&info.kind) {
        return None;
    }
    let value = constant(info.ty?, bits)?;
    Some(Waypoint {
        kind: WaypointKind::FunctionReturn,
        location: places.location(closing_parenthesis(places, site)?)?,
        constraint: Some(Constraint {
            value: format!("\\result == {value}"),
            format: Some("acsl_expression".to_owned()),
        }),
    })
}

/// Where the call of an input function ends.
pub(super) fn closing_parenthesis(places: &Places<'_>, site: InputSiteId) -> Option<u32> {
    let info = &places.program.inputs[site];
    let is_call = matches!(
        info.kind,
        InputKind::Nondet(_) | InputKind::UndefinedFunction(_)
    );
    let last = info.span.hi.checked_sub(1)?;
    (is_call && places.text().get(last as usize) == Some(&b')')).then_some(last)
}

/// A value as text; none for pointers, and for floats that are no numbers.
fn constant(ty: Type, bits: u128) -> Option<String> {
    match ty {
        Type::Bool => Some(u8::from(bits != 0).to_string()),
        Type::Int(int) => Some(int.display(bits)),
        Type::Float(FloatType::F32) => {
            let value = f32::from_bits(bits as u32);
            value.is_finite().then(|| format!("{value:?}"))
        }
        Type::Float(FloatType::F64) => {
            let value = f64::from_bits(bits as u64);
            value.is_finite().then(|| format!("{value:?}"))
        }
        Type::Float(_) | Type::Ptr => None,
    }
}

/// The inputs of a run in the order in which they are read.
struct Events<'a> {
    program: &'a Program,
    inputs: &'a KeyedInputs,
    order: Vec<(InputSiteId, u128)>,
    /// So many are noted.
    most: usize,
    is_cut: bool,
}

impl<'a> Events<'a> {
    fn of(program: &'a Program, inputs: &'a KeyedInputs, most: usize) -> Events<'a> {
        let mut events = Events {
            program,
            inputs,
            order: Vec::new(),
            most,
            is_cut: false,
        };
        let limits = RunLimits {
            steps: MAX_STEPS,
            ..RunLimits::default()
        };
        let run = Machine::compile(program).run(&mut events, &limits);
        events.is_cut |= !matches!(run.outcome, Outcome::Target(_));
        events
    }

    /// Whether there is a value to be given that was chosen by somebody. What is no call is left to what the program makes of it.
    fn note(&mut self, site: InputSiteId, bits: u128) {
        let is_unnamed_zero = bits == 0
            && !matches!(
                self.program.inputs[site].kind,
                InputKind::Nondet(_) | InputKind::UndefinedFunction(_)
            );
        if is_unnamed_zero {
            return;
        }
        match self.order.len() < self.most {
            true => self.order.push((site, bits)),
            false => self.is_cut = true,
        }
    }
}

impl InputSource for Events<'_> {
    fn value(&mut self, site: InputSiteId, occurrence: u64, ty: Type) -> u128 {
        let bits = input_value(ty, self.inputs.value_at(site, occurrence));
        self.note(site, bits);
        bits
    }

    fn bytes(&mut self, site: InputSiteId, occurrence: u64, out: &mut [u8]) {
        let bytes = self.inputs.bytes_at(site, occurrence);
        for (to, &from) in out.iter_mut().zip(bytes) {
            *to = from;
        }
        self.note(site, bytes.iter().any(|&byte| byte != 0).into());
    }
}
