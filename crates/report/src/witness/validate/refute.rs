//! Looking for a run on which an invariant doesn't hold.

use rhumb_logic::{Assignment, Int, Symbol, Term, Terms, Value, eval};
use rhumb_program::interp::{Machine, Observer, RandomInputs, RunLimits, View};
use rhumb_program::passes::LocRef;
use rhumb_program::{EdgeId, Program, Type, VarId};
use rustc_hash::FxHashMap;

/// How many runs are looked at, how long they are, and how many states in each of them for each claim.
const RUNS: u64 = 8;
const STEPS: u64 = 200_000;
const STATES: usize = 1_000;

/// A formula that is to hold at a location of the program as lowered, in every activation.
pub(super) struct Claim {
    pub(super) at: LocRef,
    pub(super) formula: Term,
    pub(super) variables: Vec<(Symbol, VarId)>,
}

/// The first claim that a run shows to be wrong, and the values of its variables there.
pub(super) fn refute(
    program: &Program,
    terms: &Terms,
    claims: &[Claim],
) -> Option<(usize, String)> {
    let mut places: FxHashMap<LocRef, Vec<usize>> = FxHashMap::default();
    for (index, claim) in claims.iter().enumerate() {
        places.entry(claim.at).or_default().push(index);
    }
    let machine = Machine::compile(program);
    let limits = RunLimits {
        steps: STEPS,
        ..RunLimits::default()
    };
    for seed in 0..RUNS {
        let mut watcher = Watcher {
            program,
            terms,
            claims,
            places: &places,
            left: vec![STATES; claims.len()],
            found: None,
        };
        let run = machine.trace(&mut RandomInputs::new(seed), &limits, &mut watcher);
        // A run that rests on something that C leaves open shows nothing.
        if watcher.found.is_some() && run.is_definite() {
            return watcher.found;
        }
    }
    None
}

struct Watcher<'a> {
    program: &'a Program,
    terms: &'a Terms,
    claims: &'a [Claim],
    /// The claims at each location.
    places: &'a FxHashMap<LocRef, Vec<usize>>,
    /// How many states are still looked at, for each claim.
    left: Vec<usize>,
    found: Option<(usize, String)>,
}

impl Observer for Watcher<'_> {
    fn edge(&mut self, edge: EdgeId, state: &View<'_>) {
        if self.found.is_some() {
            return;
        }
        let function = state.function();
        let location = self.program.functions[function].cfa.edges[edge].source;
        let here = LocRef { function, location };
        for &index in self.places.get(&here).into_iter().flatten() {
            if self.left[index] == 0 {
                continue;
            }
            let claim = &self.claims[index];
            self.left[index] -= 1;
            let Some(values) = self.values(claim, state) else {
                continue;
            };
            let truth = eval::evaluate(self.terms, claim.formula, &values);
            if truth == Some(Value::Bool(false)) {
                self.found = Some((index, self.shown(claim, &values)));
                return;
            }
        }
    }
}

impl Watcher<'_> {
    fn values(&self, claim: &Claim, state: &View<'_>) -> Option<Assignment> {
        let values = claim.variables.iter().map(|&(symbol, var)| {
            let bits = state.value(var)?;
            let value = match self.program.vars[var].ty {
                Type::Int(int) if int.signed => Int::from(int.extend(bits)),
                _ => Int::from(bits),
            };
            Some((symbol, Value::Int(value)))
        });
        values.collect()
    }

    fn shown(&self, claim: &Claim, values: &Assignment) -> String {
        let values = claim.variables.iter().filter_map(|(symbol, var)| {
            let value = values.get(symbol)?.as_int()?;
            Some(format!("{} = {value}", self.program.vars[*var].decl.name))
        });
        values.collect::<Vec<_>>().join(", ")
    }
}
