//! Where the values come from that a run gets from outside.
//!
//! An input event is named by its site and how often the site was passed before, so a list of inputs stays valid however the rest of
//! the run goes.

use std::collections::BTreeMap;

use crate::ids::InputSiteId;
use crate::model::{InputKind, Program};
use crate::types::{FloatType, IntType, Type};

use super::eval;

/// Gives a run its inputs.
pub trait InputSource {
    /// The value at the `occurrence`-th passage (from 0) of a site. The machine reduces it to the type: an integer wraps, a truth value
    /// is whether it is not zero, a float is taken by its bits, a pointer by its address.
    fn value(&mut self, site: InputSiteId, occurrence: u64, ty: Type) -> u128;

    /// The bytes at the `occurrence`-th passage of a site. `out` is all zero at the call.
    fn bytes(&mut self, site: InputSiteId, occurrence: u64, out: &mut [u8]);

    /// The value that a global variable has after the `occurrence`-th passage of a site of the kind
    /// [`InputKind::Outside`], where it was `now` before. A source that nobody asked for a change may leave it.
    fn change(&mut self, site: InputSiteId, occurrence: u64, ty: Type, _now: u128) -> u128 {
        self.value(site, occurrence, ty)
    }
}

/// The value of the type that an input with these bits stands for: see [`InputSource::value`].
pub fn input_value(ty: Type, bits: u128) -> u128 {
    match ty {
        Type::Bool => (bits != 0).into(),
        Type::Int(int) => int.wrap(bits),
        Type::Float(FloatType::F32) => u128::from(bits as u32),
        Type::Float(FloatType::F64) => u128::from(bits as u64),
        Type::Float(FloatType::X87) => bits & ((1 << 80) - 1),
        Type::Float(FloatType::F128) => bits,
        Type::Ptr => u128::from(bits as u64),
    }
}

/// A value that is given several times in a row.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repeated<T> {
    /// The value.
    pub value: T,
    /// How often.
    pub count: u64,
}

/// The events of one site, run-length coded.
#[derive(Clone, PartialEq, Eq, Debug)]
struct Sequence<T> {
    /// Each value with the number of the first event that is not its own any more.
    runs: Vec<(T, u64)>,
}

impl<T: PartialEq> Sequence<T> {
    fn len(&self) -> u64 {
        self.runs.last().map_or(0, |&(_, end)| end)
    }

    fn push(&mut self, value: T, count: u64) {
        let end = self.len().saturating_add(count);
        match self.runs.last_mut() {
            Some((last, last_end)) if *last == value => *last_end = end,
            _ if count > 0 => self.runs.push((value, end)),
            _ => {}
        }
    }

    fn get(&self, occurrence: u64) -> Option<&T> {
        let index = self.runs.partition_point(|&(_, end)| end <= occurrence);
        self.runs.get(index).map(|(value, _)| value)
    }

    /// The number of the first event from this one on that may have another value.
    fn end_of_run(&self, occurrence: u64) -> u64 {
        let index = self.runs.partition_point(|&(_, end)| end <= occurrence);
        self.runs.get(index).map_or(u64::MAX, |&(_, end)| end)
    }

    fn iter(&self) -> impl Iterator<Item = Repeated<&T>> {
        self.runs.iter().scan(0, |start, (value, end)| {
            let count = end - std::mem::replace(start, *end);
            Some(Repeated { value, count })
        })
    }
}

impl<T> Default for Sequence<T> {
    fn default() -> Self {
        Sequence { runs: Vec::new() }
    }
}

/// Inputs by site and occurrence, run-length coded. What is not given is zero.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct KeyedInputs {
    values: BTreeMap<InputSiteId, Sequence<u128>>,
    bytes: BTreeMap<InputSiteId, Sequence<Box<[u8]>>>,
}

impl KeyedInputs {
    /// No inputs: everything is zero.
    pub fn new() -> KeyedInputs {
        KeyedInputs::default()
    }

    /// The next `count` events of the site have this value (a bit pattern).
    pub fn push_value(&mut self, site: InputSiteId, value: u128, count: u64) {
        self.values.entry(site).or_default().push(value, count);
    }

    /// The next `count` events of the site have these bytes, and zeros behind them.
    pub fn push_bytes(&mut self, site: InputSiteId, bytes: &[u8], count: u64) {
        let used = bytes.iter().rposition(|&byte| byte != 0);
        let bytes = &bytes[..used.map_or(0, |last| last + 1)];
        self.bytes
            .entry(site)
            .or_default()
            .push(bytes.into(), count);
    }

    /// The sites with values, each with its values in order of occurrence.
    pub fn value_runs(
        &self,
    ) -> impl Iterator<Item = (InputSiteId, impl Iterator<Item = Repeated<u128>>)> {
        self.values.iter().map(|(&site, sequence)| {
            let runs = sequence.iter().map(|run| Repeated {
                value: *run.value,
                count: run.count,
            });
            (site, runs)
        })
    }

    /// The sites with bytes, each with the bytes of its events (without trailing zeros) in order of occurrence.
    pub fn byte_runs(
        &self,
    ) -> impl Iterator<Item = (InputSiteId, impl Iterator<Item = Repeated<&[u8]>>)> {
        self.bytes.iter().map(|(&site, sequence)| {
            let runs = sequence.iter().map(|run| Repeated {
                value: &**run.value,
                count: run.count,
            });
            (site, runs)
        })
    }

    /// The value of an event.
    pub fn value_at(&self, site: InputSiteId, occurrence: u64) -> u128 {
        self.values
            .get(&site)
            .and_then(|sequence| sequence.get(occurrence))
            .copied()
            .unwrap_or(0)
    }

    /// The number of the first event behind this one that may have another value than it; `u64::MAX` if none has.
    pub fn end_of_value_run(&self, site: InputSiteId, occurrence: u64) -> u64 {
        self.values
            .get(&site)
            .map_or(u64::MAX, |sequence| sequence.end_of_run(occurrence))
    }

    /// The bytes of an event, without trailing zeros.
    pub fn bytes_at(&self, site: InputSiteId, occurrence: u64) -> &[u8] {
        self.bytes
            .get(&site)
            .and_then(|sequence| sequence.get(occurrence))
            .map_or(&[], |bytes| bytes)
    }
}

impl InputSource for KeyedInputs {
    fn value(&mut self, site: InputSiteId, occurrence: u64, _: Type) -> u128 {
        self.value_at(site, occurrence)
    }

    fn bytes(&mut self, site: InputSiteId, occurrence: u64, out: &mut [u8]) {
        for (to, &from) in out.iter_mut().zip(self.bytes_at(site, occurrence)) {
            *to = from;
        }
    }
}

/// An input as a person writes it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Number {
    /// An integer. A floating-point input gets the nearest value.
    Integer(i128),
    /// A floating-point number. An integer input gets it without its fraction.
    Real(f64),
}

impl Number {
    /// The bits of the number in an input's type.
    fn bits(self, ty: Type) -> u128 {
        let (from, bits) = match self {
            Number::Integer(value) => (Type::Int(IntType::signed(128)), value as u128),
            Number::Real(value) => (Type::Float(FloatType::F64), u128::from(value.to_bits())),
        };
        match (self, ty) {
            (_, Type::Float(_)) if from != ty => eval::cast(from, ty, bits).unwrap_or(0),
            (Number::Real(value), Type::Int(_) | Type::Bool | Type::Ptr) => value as i128 as u128,
            _ => bits,
        }
    }
}

/// A flat list, given out one by one to what a person counts as inputs: calls of `__VERIFIER_nondet_*` and of undefined functions, and
/// the arguments of the entry function. After its end, and for everything else, zero.
#[derive(Clone, Debug)]
pub struct ListInputs {
    takes_from_list: Vec<bool>,
    values: std::vec::IntoIter<ListValue>,
}

#[derive(Clone, Copy, Debug)]
enum ListValue {
    Bits(u128),
    Number(Number),
}

impl ListInputs {
    /// The values in the order in which they are wanted, as bit patterns; a negative number stands for its two's complement.
    pub fn new(program: &Program, values: impl IntoIterator<Item = i128>) -> ListInputs {
        let values = values
            .into_iter()
            .map(|value| ListValue::Bits(value as u128));
        ListInputs::with_values(program, values.collect())
    }

    /// The values in the order in which they are wanted, as numbers.
    pub fn numbers(program: &Program, values: impl IntoIterator<Item = Number>) -> ListInputs {
        ListInputs::with_values(program, values.into_iter().map(ListValue::Number).collect())
    }

    fn with_values(program: &Program, values: Vec<ListValue>) -> ListInputs {
        let takes_from_list = program
            .inputs
            .iter()
            .map(|site| {
                matches!(
                    site.kind,
                    InputKind::Nondet(_)
                        | InputKind::UndefinedFunction(_)
                        | InputKind::EntryArgument(_)
                        | InputKind::Read(_)
                )
            })
            .collect();
        ListInputs {
            takes_from_list,
            values: values.into_iter(),
        }
    }
}

impl InputSource for ListInputs {
    fn value(&mut self, site: InputSiteId, _: u64, ty: Type) -> u128 {
        if self.takes_from_list.get(site.index()) != Some(&true) {
            return 0;
        }
        match self.values.next() {
            Some(ListValue::Bits(bits)) => bits,
            Some(ListValue::Number(number)) => number.bits(ty),
            None => 0,
        }
    }

    fn bytes(&mut self, _: InputSiteId, _: u64, _: &mut [u8]) {}

    fn change(&mut self, _: InputSiteId, _: u64, _: Type, now: u128) -> u128 {
        now
    }
}

/// Random inputs: small numbers, the ends of the type's range, and arbitrary bits. The value of an event depends on the seed, the site and
/// the occurrence only. Pointers are null: an address out of nothing points nowhere.
#[derive(Clone, Copy, Debug)]
pub struct RandomInputs {
    seed: u64,
}

impl RandomInputs {
    /// The inputs of this seed.
    pub fn new(seed: u64) -> RandomInputs {
        RandomInputs { seed }
    }

    fn stream(self, site: InputSiteId, occurrence: u64) -> SplitMix {
        let mut stream = SplitMix(self.seed);
        stream.0 = stream.next() ^ u64::from(site.raw());
        stream.0 = stream.next() ^ occurrence;
        stream.next();
        stream
    }
}

impl InputSource for RandomInputs {
    fn value(&mut self, site: InputSiteId, occurrence: u64, ty: Type) -> u128 {
        let mut random = self.stream(site, occurrence);
        match ty {
            Type::Bool => u128::from(random.next() & 1),
            Type::Ptr => 0,
            Type::Int(int) => {
                let small = random.next() as i128;
                match random.next() % 8 {
                    0..=2 => (small % 5) as u128,
                    3 | 4 => (small % 41 - 20) as u128,
                    5 => (small % 2001 - 1000) as u128,
                    6 => {
                        let edge = if random.next() & 1 == 0 {
                            int.max_bits()
                        } else {
                            int.min_bits()
                        };
                        edge.wrapping_add((small % 3 - 1) as u128)
                    }
                    _ => random.wide(),
                }
            }
            Type::Float(float) => {
                let small = random.next() as i128 % 41 - 20;
                let number = |value: f64| {
                    super::float::convert(FloatType::F64, float, value.to_bits().into())
                };
                match random.next() % 8 {
                    0..=2 => number(small as f64),
                    3 => number(small as f64 / 8.0),
                    4 if small % 2 == 0 => number(small as f64 * 0.1),
                    // With all its digits, of a size that programs compare with: sums of such are rounded.
                    4 | 5 => {
                        let part = random.next() as f64 / 2f64.powi(64);
                        let size = f64::from(1u32 << (random.next() % 8));
                        let sign = if random.next() & 3 == 0 { -1.0 } else { 1.0 };
                        number(sign * part * size)
                    }
                    6 => {
                        let special = [
                            0.0,
                            -0.0,
                            f64::INFINITY,
                            f64::NEG_INFINITY,
                            f64::NAN,
                            f64::from(f32::MAX),
                            1e300,
                            f64::MIN_POSITIVE,
                        ];
                        number(special[random.next() as usize % special.len()])
                    }
                    _ => random.wide(),
                }
            }
        }
    }

    fn bytes(&mut self, site: InputSiteId, occurrence: u64, out: &mut [u8]) {
        let mut random = self.stream(site, occurrence);
        for chunk in out.chunks_mut(8) {
            let bytes = random.next().to_le_bytes();
            chunk.copy_from_slice(&bytes[..chunk.len()]);
        }
    }

    fn change(&mut self, site: InputSiteId, occurrence: u64, ty: Type, now: u128) -> u128 {
        let mut random = self.stream(site, occurrence);
        match random.next() >> 63 {
            0 => now,
            _ => self.value(site, occurrence, ty),
        }
    }
}

/// Random numbers from a seed.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        rhumb_random::next(&mut self.0)
    }

    fn wide(&mut self) -> u128 {
        u128::from(self.next()) << 64 | u128::from(self.next())
    }
}

/// Writes down what another source gives, as keyed inputs.
#[derive(Clone, Debug)]
pub struct Recorder<S> {
    source: S,
    log: KeyedInputs,
}

impl<S: InputSource> Recorder<S> {
    /// Records what `source` gives. One recorder serves one run.
    pub fn new(source: S) -> Recorder<S> {
        Recorder {
            source,
            log: KeyedInputs::new(),
        }
    }

    /// What was given.
    pub fn into_inputs(self) -> KeyedInputs {
        self.log
    }
}

impl<S: InputSource> InputSource for Recorder<S> {
    fn value(&mut self, site: InputSiteId, occurrence: u64, ty: Type) -> u128 {
        let bits = input_value(ty, self.source.value(site, occurrence, ty));
        self.log.push_value(site, bits, 1);
        bits
    }

    fn bytes(&mut self, site: InputSiteId, occurrence: u64, out: &mut [u8]) {
        self.source.bytes(site, occurrence, out);
        self.log.push_bytes(site, out, 1);
    }

    fn change(&mut self, site: InputSiteId, occurrence: u64, ty: Type, now: u128) -> u128 {
        let bits = input_value(ty, self.source.change(site, occurrence, ty, now));
        self.log.push_value(site, bits, 1);
        bits
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::IntType;

    #[test]
    fn runs_are_merged_and_found() {
        let site = InputSiteId::new(3);
        let mut inputs = KeyedInputs::new();
        inputs.push_value(site, 7, 2);
        inputs.push_value(site, 7, 3);
        inputs.push_value(site, 1, 1);
        inputs.push_value(site, 9, 0);
        let found: Vec<u128> = (0..8).map(|n| inputs.value_at(site, n)).collect();
        assert_eq!(found, [7, 7, 7, 7, 7, 1, 0, 0]);
        let (_, runs) = inputs.value_runs().next().unwrap();
        let runs: Vec<_> = runs.map(|run| (run.value, run.count)).collect();
        assert_eq!(runs, [(7, 5), (1, 1)]);
        let ends: Vec<u64> = (3..7).map(|n| inputs.end_of_value_run(site, n)).collect();
        assert_eq!(ends, [5, 5, 6, u64::MAX]);
    }

    #[test]
    fn bytes_end_in_zeros() {
        let site = InputSiteId::new(0);
        let mut inputs = KeyedInputs::new();
        inputs.push_bytes(site, &[1, 2, 0, 0], 1);
        assert_eq!(inputs.bytes_at(site, 0), [1, 2]);
        let mut out = [0; 4];
        inputs.bytes(site, 0, &mut out);
        assert_eq!(out, [1, 2, 0, 0]);
    }

    #[test]
    fn random_values_depend_on_the_event_only() {
        let mut inputs = RandomInputs::new(42);
        let ty = Type::Int(IntType::INT);
        let site = InputSiteId::new(1);
        let first: Vec<u128> = (0..50).map(|n| inputs.value(site, n, ty)).collect();
        let again: Vec<u128> = (0..50).rev().map(|n| inputs.value(site, n, ty)).collect();
        assert!(first.iter().eq(again.iter().rev()));
        assert!(first.iter().any(|&value| value != first[0]));
    }

    #[test]
    fn a_recorder_repeats_the_run() {
        let ty = Type::Int(IntType::signed(8));
        let site = InputSiteId::new(0);
        let mut recorder = Recorder::new(RandomInputs::new(1));
        let given: Vec<u128> = (0..20)
            .map(|n| input_value(ty, recorder.value(site, n, ty)))
            .collect();
        let log = recorder.into_inputs();
        let replayed: Vec<u128> = (0..20).map(|n| log.value_at(site, n)).collect();
        assert_eq!(given, replayed);
    }
}
