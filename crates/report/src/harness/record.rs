//! The inputs of a run in the order in which compiled code asks for them.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_program::interp::{InputSource, KeyedInputs, Machine, Run, input_value};
use rhumb_program::{InputKind, InputSiteId, Part, Program, Type};

use super::CannotHarness;
use rhumb_certify::counterexample::Budget;

/// Who asks for values.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Stream {
    /// A function, wherever it is called.
    Function(Arc<str>),
    /// What a function changes (none: what the program finds when it starts), by its parts; whether bytes are asked for, or a number.
    Part(Option<Arc<str>>, Part, bool),
    /// One site: what is no call.
    Site(InputSiteId),
}

impl Stream {
    fn of(program: &Program, site: InputSiteId) -> Stream {
        let input = &program.inputs[site];
        match &input.kind {
            InputKind::Outside { function, part } => {
                Stream::Part(function.clone(), part.clone(), input.ty.is_none())
            }
            InputKind::Nondet(name) | InputKind::UndefinedFunction(name) => {
                Stream::Function(name.clone())
            }
            _ => Stream::Site(site),
        }
    }
}

/// Values in order, run-length coded.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Values {
    /// The type; `None` for bytes.
    pub(super) ty: Option<Type>,
    pub(super) scalars: Vec<(u128, u64)>,
    pub(super) bytes: Vec<(Vec<u8>, u64)>,
}

impl Values {
    fn push_scalar(&mut self, value: u128, count: u64) {
        match self.scalars.last_mut() {
            Some((last, times)) if *last == value => *times += count,
            _ => self.scalars.push((value, count)),
        }
    }

    fn push_bytes(&mut self, value: &[u8]) {
        match self.bytes.last_mut() {
            Some((last, times)) if last == value => *times += 1,
            _ => self.bytes.push((value.to_vec(), 1)),
        }
    }
}

/// All values of a run.
#[derive(Clone, Debug)]
pub(super) struct Record {
    pub(super) streams: BTreeMap<Stream, Values>,
    /// Whether every value that is asked for is there; otherwise zeros follow, and it is not known how many.
    pub(super) complete: bool,
}

impl Record {
    /// Adds the functions that this run doesn't ask for a value: they have to be there all the same.
    pub(super) fn add_unread(&mut self, program: &Program) {
        for (site, info) in program.inputs.iter_enumerated() {
            if let stream @ (Stream::Function(_) | Stream::Part(..)) = Stream::of(program, site) {
                self.streams.entry(stream).or_insert_with(|| Values {
                    ty: info.ty,
                    ..Values::default()
                });
            }
        }
    }

    /// Runs the program and writes the values down.
    pub(super) fn of(
        machine: &Machine<'_>,
        inputs: &KeyedInputs,
        budget: &Budget,
    ) -> (Run, Record) {
        let mut recorder = Recorder {
            program: machine.program(),
            inputs,
            streams: BTreeMap::new(),
        };
        let run = machine.run(&mut recorder, &budget.limits);
        let record = Record {
            streams: recorder.streams,
            complete: true,
        };
        (run, record)
    }

    /// The values of a run that is too long: possible if every function is called from one place.
    pub(super) fn by_site(
        program: &Program,
        inputs: &KeyedInputs,
    ) -> Result<Record, CannotHarness> {
        let mut streams = BTreeMap::new();
        for (id, site) in program.inputs.iter_enumerated() {
            let values = Values {
                ty: site.ty,
                ..Values::default()
            };
            let stream = Stream::of(program, id);
            if let (Some(_), Stream::Function(name) | Stream::Part(Some(name), ..)) =
                (streams.insert(stream.clone(), values), &stream)
            {
                return Err(CannotHarness::TooLong(name.to_string()));
            }
        }
        for (id, _) in inputs.byte_runs() {
            if let Some(InputKind::Outside {
                function: Some(name),
                ..
            }) = program.inputs.get(id).map(|site| &site.kind)
            {
                return Err(CannotHarness::TooLong(name.to_string()));
            }
        }
        for (id, runs) in inputs.value_runs() {
            let Some(ty) = program.inputs.get(id).and_then(|site| site.ty) else {
                continue;
            };
            if let Some(values) = streams.get_mut(&Stream::of(program, id)) {
                for run in runs {
                    values.push_scalar(input_value(ty, run.value), run.count);
                }
            }
        }
        Ok(Record {
            streams,
            complete: false,
        })
    }
}

struct Recorder<'a> {
    program: &'a Program,
    inputs: &'a KeyedInputs,
    streams: BTreeMap<Stream, Values>,
}

impl Recorder<'_> {
    fn values(&mut self, site: InputSiteId, ty: Option<Type>) -> &mut Values {
        let stream = Stream::of(self.program, site);
        let values = self.streams.entry(stream).or_default();
        values.ty = ty;
        values
    }
}

impl InputSource for Recorder<'_> {
    fn value(&mut self, site: InputSiteId, occurrence: u64, ty: Type) -> u128 {
        let bits = input_value(ty, self.inputs.value_at(site, occurrence));
        self.values(site, Some(ty)).push_scalar(bits, 1);
        bits
    }

    fn bytes(&mut self, site: InputSiteId, occurrence: u64, out: &mut [u8]) {
        let inputs = self.inputs;
        for (to, &from) in out.iter_mut().zip(inputs.bytes_at(site, occurrence)) {
            *to = from;
        }
        self.values(site, None).push_bytes(out);
    }
}
