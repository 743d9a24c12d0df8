//! Proofs by exploration: all states that can be reached, as far as some variables tell, are finitely many, and none is at an error.
//!
//! The proof says which variables to follow, and at which branches both ways are to be taken. States are those of
//! [`states`](crate::states): numbers, or symbols with ranges, and bounds of their differences. Where the walk comes to an error
//! that may be its own fault: then it has no opinion. No solver is asked.

use rhumb_program::{ExprId, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::certificate::View;
use crate::check::Opinion;
use crate::decide::OpinionLimits;
use crate::states::{Eval, Facts, KnownState, Range, Shape, Slots, Value, covers};
use crate::unfold::{Activation, Next, Step, Unfolded, UnfoldedPlace, Var};

/// More states than this are not looked at.
const MAX_STATES: usize = 3_000_000;

/// More words of liveness than this are not made.
const MAX_WORDS: usize = 40_000_000;

/// Steps between two looks at the clock.
const STRIDE: u32 = 4096;

/// Walks through all states, and looks whether something bad is among them.
pub(crate) fn check(
    view: &View,
    unfolded: &Unfolded<'_>,
    limits: &OpinionLimits<'_>,
) -> Result<(), Opinion> {
    let undecided = |why: &str| Err(Opinion::Undecided(why.to_owned()));
    let Some(walk) = Walk::new(view, unfolded) else {
        return undecided("the program is too large to be explored here");
    };
    let mut seen: FxHashMap<(UnfoldedPlace, Shape), Vec<Facts>> = FxHashMap::default();
    let mut todo = vec![(unfolded.start(), walk.first())];
    let (mut steps, mut states) = (0_u32, 0_usize);
    while let Some((place, mut state)) = todo.pop() {
        steps = steps.wrapping_add(1);
        if steps.is_multiple_of(STRIDE) && limits.is_over() {
            return undecided("out of time");
        }
        if walk.is_join[place.0 as usize] {
            walk.forget_dead(place, &mut state);
            let (shape, facts) = state.normal(&walk.types);
            state = KnownState::of(&shape, &facts);
            let known = seen.entry((place, shape)).or_default();
            if known.iter().any(|large| covers(large, &facts)) {
                continue;
            }
            known.push(facts);
            states += 1;
            if states > MAX_STATES {
                return undecided("there are too many states to be explored here");
            }
        }
        match unfolded.next(place) {
            Next::End | Next::Return => {}
            // Explorations have no contracts.
            Next::Agreed(_) => return undecided("a call has a contract"),
            Next::Bad(_) => {
                let at = unfolded.describe(place);
                return Err(Opinion::Undecided(format!(
                    "as far as a plain exploration tells, {at} can be reached"
                )));
            }
            Next::Go(step, to) => {
                let after = walk.take(step, state).into_iter();
                todo.extend(after.map(|state| (*to, state)));
            }
            &Next::Branch { yes, no, .. } if walk.unseen.contains(&place) => {
                todo.push((no, state.clone()));
                todo.push((yes, state));
            }
            &Next::Branch { condition, yes, no } => {
                let eval = walk.eval(unfolded.activation_of(place));
                let outcomes = eval.outcomes(state, condition).into_iter().rev();
                todo.extend(outcomes.map(|(state, holds)| match holds {
                    true => (yes, state),
                    false => (no, state),
                }));
            }
        }
    }
    Ok(())
}

struct Walk<'a, 'p> {
    unfolded: &'a Unfolded<'p>,
    slots: FxHashMap<Var, usize>,
    /// The ranges of their types.
    types: Vec<Option<Range>>,
    unseen: FxHashSet<UnfoldedPlace>,
    /// Places that several others lead to, where states are compared.
    is_join: Vec<bool>,
    /// The slots that may still be looked at, by place: so many words each.
    live: Vec<u64>,
    words: usize,
}

impl<'a, 'p> Walk<'a, 'p> {
    /// A walk that follows what a view says; none if there is too much of it.
    fn new(view: &View, unfolded: &'a Unfolded<'p>) -> Option<Walk<'a, 'p>> {
        let mut slots = FxHashMap::default();
        let mut types = Vec::new();
        for (calls, var) in &view.followed {
            if let Some(var) = unfolded.named_var(calls, *var)
                && let Some(range) = Range::of(unfolded.program, unfolded.ty(var))
                && !slots.contains_key(&var)
            {
                slots.insert(var, types.len());
                types.push(Some(range));
            }
        }
        let unseen = view.unseen.iter();
        let unseen = unseen.filter_map(|at| unfolded.named_place(&at.calls, at.location));
        let places = unfolded.places().count();
        let words = slots.len().div_ceil(64);
        if places.checked_mul(words)? > MAX_WORDS {
            return None;
        }
        let mut walk = Walk {
            unfolded,
            slots,
            types,
            unseen: unseen.collect(),
            is_join: vec![false; places],
            live: vec![0; places * words],
            words,
        };
        walk.find_live();
        Some(walk)
    }

    /// Finds the places where ways meet, and what may be looked at after each place.
    fn find_live(&mut self) {
        let unfolded = self.unfolded;
        let mut before: Vec<Vec<UnfoldedPlace>> = vec![Vec::new(); self.is_join.len()];
        for place in unfolded.places() {
            for next in unfolded.successors(place) {
                before[next.0 as usize].push(place);
            }
        }
        for (is_join, before) in self.is_join.iter_mut().zip(&before) {
            *is_join = before.len() > 1;
        }
        let mut todo: Vec<UnfoldedPlace> = unfolded.places().collect();
        let mut is_waiting = vec![true; todo.len()];
        let mut row = vec![0; self.words];
        while let Some(place) = todo.pop() {
            is_waiting[place.0 as usize] = false;
            row.fill(0);
            for next in unfolded.successors(place) {
                let next = self.words * next.0 as usize;
                let after = &self.live[next..next + self.words];
                row.iter_mut()
                    .zip(after)
                    .for_each(|(all, more)| *all |= more);
            }
            self.before(place, &mut row);
            let at = self.words * place.0 as usize;
            let own = &mut self.live[at..at + self.words];
            if own != row {
                own.copy_from_slice(&row);
                for &other in &before[place.0 as usize] {
                    if !std::mem::replace(&mut is_waiting[other.0 as usize], true) {
                        todo.push(other);
                    }
                }
            }
        }
    }

    /// From what may be looked at after a place to what may be before.
    fn before(&self, place: UnfoldedPlace, row: &mut [u64]) {
        let mut clear = |var: &Var| {
            let slot = self.slots.get(var).copied()?;
            let was = row[slot / 64] >> (slot % 64) & 1 == 1;
            row[slot / 64] &= !(1 << (slot % 64));
            was.then_some(())
        };
        let mut read: Vec<(Activation, ExprId)> = Vec::new();
        match self.unfolded.next(place) {
            Next::End
            | Next::Return
            | Next::Agreed(_)
            | Next::Bad(_)
            | Next::Go(Step::Nothing, _) => {}
            Next::Branch { .. } if self.unseen.contains(&place) => {}
            &Next::Branch { condition, .. } => {
                read.push((self.unfolded.activation_of(place), condition));
            }
            Next::Go(Step::Assign(activation, assignments), _) => {
                for (var, value) in assignments {
                    if clear(var).is_some() {
                        read.push((*activation, *value));
                    }
                }
            }
            Next::Go(Step::Any(var) | Step::Address(var), _) => _ = clear(var),
            Next::Go(Step::Call(sets, dst), _) => {
                for &global in sets.iter() {
                    clear(&self.unfolded.global_var(global));
                }
                _ = dst.as_ref().and_then(clear);
            }
        }
        for (activation, expr) in read {
            self.unfolded.program.exprs.for_each_var(expr, &mut |var| {
                if let Some(&slot) = self.slots.get(&self.unfolded.var(activation, var)) {
                    row[slot / 64] |= 1 << (slot % 64);
                }
            });
        }
    }

    fn forget_dead(&self, place: UnfoldedPlace, state: &mut KnownState) {
        let at = self.words * place.0 as usize;
        let live = &self.live[at..at + self.words];
        for slot in 0..self.types.len() {
            if live[slot / 64] >> (slot % 64) & 1 == 0 {
                state.set(slot, Value::Any);
            }
        }
    }

    fn eval(&self, activation: Activation) -> Eval<'p, Seats<'_, 'p>> {
        let slots = Seats {
            walk: self,
            activation,
        };
        Eval {
            program: self.unfolded.program,
            slots,
        }
    }

    /// The state before the first step: global variables have their values.
    fn first(&self) -> KnownState {
        let mut state = KnownState::new(self.types.len());
        let eval = Eval {
            program: self.unfolded.program,
            slots: Nothing,
        };
        for (&var, &slot) in &self.slots {
            let Some(global) = self.unfolded.global(var) else {
                continue;
            };
            let value = match self.unfolded.program.vars[global].init {
                None => Value::Number(0),
                Some(init) => match eval.values(state.clone(), init).pop() {
                    Some((after, value)) => {
                        state = after;
                        value
                    }
                    None => Value::Any,
                },
            };
            state.set(slot, value);
        }
        state
    }

    fn set(&self, var: Var, value: Value, state: &mut KnownState) {
        if let Some(&slot) = self.slots.get(&var) {
            state.set(slot, value);
        }
    }

    /// The states behind a step.
    fn take(&self, step: &Step, mut state: KnownState) -> Vec<KnownState> {
        match step {
            Step::Nothing => {}
            Step::Assign(activation, assignments) => {
                let followed = assignments.iter();
                let followed = followed.filter(|(var, _)| self.slots.contains_key(var));
                let followed: Vec<(Var, ExprId)> = followed.copied().collect();
                let eval = self.eval(*activation);
                // All values are found before one is set.
                let mut cases = vec![(state, Vec::new())];
                for &(var, value) in &followed {
                    let mut next = Vec::new();
                    for (state, found) in cases {
                        for (state, value) in eval.values(state, value) {
                            let mut found: Vec<(Var, Value)> = found.clone();
                            found.push((var, value));
                            next.push((state, found));
                        }
                    }
                    cases = next;
                }
                let cases = cases.into_iter();
                let set = |(mut state, found): (KnownState, Vec<(Var, Value)>)| {
                    for (var, value) in found {
                        self.set(var, value, &mut state);
                    }
                    state
                };
                return cases.map(set).collect();
            }
            &Step::Any(var) => self.set(var, Value::Any, &mut state),
            &Step::Address(var) => {
                let value = match self
                    .slots
                    .get(&var)
                    .and_then(|&slot| self.types[slot].clone())
                {
                    Some(all) => state.symbol(Range::new(1, all.most)),
                    None => Value::Any,
                };
                self.set(var, value, &mut state);
            }
            Step::Call(sets, dst) => {
                for &global in sets.iter() {
                    self.set(self.unfolded.global_var(global), Value::Any, &mut state);
                }
                if let Some(dst) = dst {
                    self.set(*dst, Value::Any, &mut state);
                }
            }
        }
        vec![state]
    }
}

/// Variables as an activation sees them.
struct Seats<'a, 'p> {
    walk: &'a Walk<'a, 'p>,
    activation: Activation,
}

impl Slots for Seats<'_, '_> {
    fn slot(&self, var: VarId) -> Option<usize> {
        let var = self.walk.unfolded.var(self.activation, var);
        self.walk.slots.get(&var).copied()
    }
}

/// First values have no variables.
struct Nothing;

impl Slots for Nothing {
    fn slot(&self, _: VarId) -> Option<usize> {
        None
    }
}
