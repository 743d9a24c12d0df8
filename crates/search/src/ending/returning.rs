//! Runs that come back to where they were, on inputs that say little.
//!
//! Right for programs that react for ever: rounds that get the same inputs soon do the same again, from some round on
//! that nobody knows. So each run remembers its state later than the one before, and it takes no search to see whether
//! that comes back. Where few inputs get to a loop at all, those of a run that was found go before.

use rhumb_program::interp::{InputSource, KeyedInputs, Machine, RandomInputs, RunLimits};
use rhumb_program::{IndexVec, InputKind, InputSiteId, Program, TargetId, Type};
use rustc_hash::FxHashMap;

use crate::runs::errors;

/// Ways to give inputs that are tried.
const WAYS: u64 = 24;
/// At which passages of the heads of loops the state is remembered.
const REMEMBERED: [u64; 16] = [1, 2, 3, 4, 5, 6, 8, 11, 16, 25, 40, 70, 120, 250, 500, 1000];
const STEPS: u64 = 100_000;
const ALL_STEPS: u64 = 8_000_000;
const MEMORY: u64 = 1 << 24;

/// A run to a state that it has been in, of a program that asks for those; behind the inputs that are known.
pub(super) fn returning(
    machine: &Machine<'_>,
    known: &KeyedInputs,
) -> Option<(TargetId, KeyedInputs)> {
    let asks = asks(machine.program());
    let limits = RunLimits {
        steps: STEPS,
        memory: MEMORY,
        ..RunLimits::default()
    };
    let tried = (0..WAYS).flat_map(|way| {
        let asks = &asks;
        REMEMBERED.iter().map(move |&remembered| Steady {
            asks,
            known: known.clone(),
            way,
            random: RandomInputs::new(way),
            given: FxHashMap::default(),
            until_remembered: remembered,
        })
    });
    errors(machine, tried, limits, ALL_STEPS).next()
}

/// Which inputs ask whether to remember.
fn asks(program: &Program) -> IndexVec<InputSiteId, bool> {
    let sites = program.inputs.iter();
    let asks = sites.map(|site| matches!(site.kind, InputKind::Remember));
    asks.collect()
}

/// Inputs that stay the same behind those that are known: all 0, all 1, or something else for each site.
struct Steady<'a> {
    asks: &'a IndexVec<InputSiteId, bool>,
    known: KeyedInputs,
    way: u64,
    random: RandomInputs,
    given: FxHashMap<InputSiteId, u128>,
    until_remembered: u64,
}

impl InputSource for Steady<'_> {
    fn value(&mut self, site: InputSiteId, occurrence: u64, ty: Type) -> u128 {
        if self.asks[site] {
            self.until_remembered = self.until_remembered.saturating_sub(1);
            return u128::from(self.until_remembered == 0);
        }
        if self.known.end_of_value_run(site, occurrence) < u64::MAX {
            return self.known.value_at(site, occurrence);
        }
        match self.way {
            0 => 0,
            1 => 1,
            _ => {
                *(self.given.entry(site)).or_insert_with(|| self.random.value(site, occurrence, ty))
            }
        }
    }

    fn bytes(&mut self, site: InputSiteId, occurrence: u64, out: &mut [u8]) {
        if self.way > 1 {
            self.random.bytes(site, occurrence, out);
        }
    }
}
