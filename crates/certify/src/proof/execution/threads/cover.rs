//! Which states of a crowd are part of others, and what they forget.
//!
//! The state of a crowd says of each way to stand how many threads may stand so: none, at most one, or any number. One
//! that allows more has all the runs of one that allows less, so a state is left out if one was seen that is the same
//! but for allowing more. States that allow much go on first: they leave out most.
//!
//! Compared like that are only *free* threads: nobody else has their symbols, and no condition speaks of these and of
//! others' symbols. Everything else has to be equal. What the conditions of a free thread say must be possible, or its
//! state would have no runs at all and stand for nothing: only a state with a known model stands for smaller ones.
//!
//! Conditions that speak of a symbol that the state doesn't have any more are forgotten, which only adds runs; and with
//! them what was found out by them, so that nothing is known of a state that its name doesn't say.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_logic::{Symbol, Term};
use rustc_hash::FxHashMap;

use super::crowd::{contained, mentioned, own_objects, term_of};
use super::key::{Key, Sight};
use super::{AllSchedules, Path};

/// The state of a crowd, written down.
#[derive(PartialEq, Eq)]
pub(super) struct Standing {
    /// Everything but the free threads.
    rest: Key,
    /// How free threads stand, each with whether there may be many.
    free: BTreeMap<u64, bool>,
    /// Whether there are values for which its conditions hold.
    is_possible: bool,
}

impl Standing {
    /// Whether it has all runs of another one.
    fn covers(&self, other: &Standing) -> bool {
        let allows =
            |(name, many): (&u64, &bool)| self.free.get(name).is_some_and(|own| own >= many);
        let is_same = || self.free == other.free;
        self.rest == other.rest && (is_same() || self.is_possible && other.free.iter().all(allows))
    }

    /// How much it allows.
    fn weight(&self) -> u32 {
        let threads = self.free.values().map(|&many| 1 + u32::from(many));
        threads.sum()
    }
}

/// Who has a symbol.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// One thread, by its number.
    Thread(usize),
    /// Others, or several.
    Common,
}

impl AllSchedules<'_> {
    /// A state that may be new. All of its threads are gathered.
    pub(super) fn add_crowd(&mut self, mut path: Path) {
        let owners = self.owners(&path);
        self.forget(&mut path, |symbol| owners.contains_key(symbol));
        let standing = Arc::new(self.standing(&path, &owners));
        let seen = self.crowds.entry(standing.rest.clone()).or_default();
        if seen.iter().any(|other| other.covers(&standing)) {
            return;
        }
        seen.retain(|other| !standing.covers(other));
        seen.push(standing.clone());
        self.words += standing.rest.len() + 4 * standing.free.len();
        self.extent.paths += 1;
        let level = u32::MAX - standing.weight();
        path.standing = Some(standing);
        self.pending.entry(level).or_default().push(path);
    }

    /// Whether a state that was added later has all runs of this one.
    pub(super) fn is_part_of_another(&self, path: &Path) -> bool {
        let Some(standing) = &path.standing else {
            return false;
        };
        let mut seen = self.crowds.get(&standing.rest).into_iter().flatten();
        seen.any(|other| !Arc::ptr_eq(other, standing) && other.covers(standing))
    }

    /// Who has the symbols of a state.
    fn owners(&self, path: &Path) -> FxHashMap<Symbol, Owner> {
        let terms = &self.machine.terms;
        let state = &path.state;
        let mut common: Vec<Term> = Vec::new();
        let variables = state
            .frames
            .iter()
            .flat_map(|frame| frame.variables.values());
        common.extend(variables.chain(state.globals.values()).filter_map(term_of));
        let mut is_common = vec![true; state.instances.len()];
        let mut owners: FxHashMap<Symbol, Owner> = FxHashMap::default();
        for (number, thread) in state.threads.iter().enumerate().skip(1) {
            own_objects(thread).for_each(|object| is_common[object as usize] = false);
            for symbol in terms.symbols(mentioned(state, thread)) {
                let owner = owners.entry(symbol).or_insert(Owner::Thread(number));
                if *owner != Owner::Thread(number) {
                    *owner = Owner::Common;
                }
            }
        }
        for (instance, is_common) in state.instances.iter().zip(is_common) {
            if is_common && instance.is_alive {
                common.extend(contained(instance));
            }
        }
        for symbol in terms.symbols(common) {
            owners.insert(symbol, Owner::Common);
        }
        owners
    }

    /// Forgets what speaks of other symbols than these.
    fn forget(&self, path: &mut Path, is_known: impl Fn(&Symbol) -> bool) {
        let terms = &self.machine.terms;
        let is_known = |condition: &Term| terms.symbols([*condition]).iter().all(&is_known);
        let conditions = path.conditions.iter().copied().filter(is_known).collect();
        path.conditions = Arc::new(conditions);
        path.state.pinned = Arc::default();
        path.state.fitting = Arc::default();
    }

    fn standing(&mut self, path: &Path, owners: &FxHashMap<Symbol, Owner>) -> Standing {
        let terms = self.machine.terms.clone();
        let mut is_free = vec![true; path.state.threads.len()];
        is_free[0] = false;
        let owners_of = |condition: Term| -> Vec<Owner> {
            let symbols = terms.symbols([condition]);
            let known = symbols.iter().filter_map(|symbol| owners.get(symbol));
            known.copied().collect()
        };
        let mut bind = |owners: &[Owner]| {
            for owner in owners {
                if let Owner::Thread(number) = owner {
                    is_free[*number] = false;
                }
            }
        };
        for &condition in path.conditions.iter() {
            let owners = owners_of(condition);
            if owners.iter().any(|&owner| owner != owners[0]) {
                bind(&owners);
            }
        }
        for (number, thread) in path.state.threads.iter().enumerate().skip(1) {
            let symbols = terms.symbols(mentioned(&path.state, thread));
            if symbols.iter().any(|symbol| owners[symbol] == Owner::Common) {
                bind(&[Owner::Thread(number)]);
            }
        }
        let mut free: BTreeMap<u64, bool> = BTreeMap::new();
        let mut rest = path.state.clone();
        rest.threads = Vec::new();
        for (thread, is_free) in path.state.threads.iter().zip(&mut is_free) {
            let frames = &thread.frames;
            let name = is_free.then(|| {
                let conditions = &path.conditions;
                (self.keys).alone(&terms, &path.state, frames, conditions, &self.globals)
            });
            match name {
                Some(name) if !free.contains_key(&name) => {
                    free.insert(name, thread.is_many);
                }
                _ => {
                    *is_free = false;
                    rest.threads.push(thread.clone());
                }
            }
        }
        let is_of_free = |owner: &Owner| matches!(owner, Owner::Thread(number) if is_free[*number]);
        let others = path.conditions.iter().copied();
        let others = others.filter(|&condition| !owners_of(condition).iter().any(is_of_free));
        let rest = Path {
            state: rest,
            conditions: Arc::new(others.collect()),
            is_exact: false,
            ..path.clone()
        };
        let sight = Sight {
            ahead: None,
            are_alike: false,
        };
        let rest = self.keys.key(&terms, &rest, &self.globals, sight);
        let is_possible = path.model.is_some();
        Standing {
            rest,
            free,
            is_possible,
        }
    }
}
