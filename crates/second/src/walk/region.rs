//! All ways from one cut point to the next.

use rustc_hash::FxHashMap;

use super::memory;
use super::rules::Rules;
use super::values::{Stretch, Values};
use crate::pool::Id;
use crate::unfold::{Bad, Next, Step, Unfolded, UnfoldedPlace, Var};

/// Regions with more stretches than this are not walked through.
const MAX_STRETCHES: usize = 4_000_000;

/// How a stretch ends.
#[derive(Clone, Copy, Debug)]
enum End {
    /// Nothing bad can be reached any more.
    Dead,
    /// At a branch.
    Fork(Id, Stretch, Stretch),
    /// In a meeting, by its n-th way.
    Into(Stretch, usize),
    /// At something that has to be looked at: a cut point, or what must not be reached.
    Goal(usize),
}

/// Why a region can't be walked through.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Lost {
    /// A cycle has no cut point.
    Cycle,
    TooLarge,
}

/// The ways of one or several regions.
#[derive(Default)]
pub(crate) struct Stretches {
    ends: FxHashMap<Stretch, End>,
    goals: usize,
}

/// Where ways come to the end of a region, with all the stretches that end there.
pub(crate) type Arrivals = Vec<(UnfoldedPlace, Vec<Stretch>)>;

/// What a region is made of.
pub(crate) struct Region<'a, 'p> {
    pub(crate) unfolded: &'a Unfolded<'p>,
    pub(crate) is_cut: &'a dyn Fn(UnfoldedPlace) -> bool,
    /// From which places something can be reached that has to be looked at.
    pub(crate) matters: &'a [bool],
    /// What calls that have contracts ask for and give.
    pub(crate) rules: Option<&'a Rules<'a>>,
}

impl Region<'_, '_> {
    /// Walks from the given places to the next cut points and to what must not be reached.
    pub(crate) fn walk(
        &self,
        values: &mut Values<'_, '_>,
        stretches: &mut Stretches,
        starts: Vec<(UnfoldedPlace, Stretch)>,
    ) -> Result<Arrivals, Lost> {
        let order = self.order(starts.iter().map(|start| start.0))?;
        let mut waiting: FxHashMap<UnfoldedPlace, Vec<Stretch>> = FxHashMap::default();
        for (place, stretch) in starts {
            waiting.entry(place).or_default().push(stretch);
        }
        let mut arrivals: Arrivals = Vec::new();
        let mut found: FxHashMap<UnfoldedPlace, usize> = FxHashMap::default();
        let mut arrive = |place: UnfoldedPlace, stretch: Stretch| {
            let index = *found.entry(place).or_insert_with(|| {
                arrivals.push((place, Vec::new()));
                arrivals.len() - 1
            });
            arrivals[index].1.push(stretch);
        };
        for place in order {
            let Some(ways) = waiting.remove(&place) else {
                continue;
            };
            let stretch = stretches.meet(values, ways);
            if stretch.0 as usize > MAX_STRETCHES {
                return Err(Lost::TooLarge);
            }
            let next = self.step(place, stretch, values, stretches);
            if next.is_none() {
                arrive(place, stretch);
            }
            for (to, stretch) in next.into_iter().flatten() {
                match self.unfolded.next(to) {
                    _ if !self.matters[to.0 as usize] => stretches.die(stretch),
                    Next::End => stretches.die(stretch),
                    Next::Bad(Bad::Target | Bad::Unsupported) => arrive(to, stretch),
                    _ if (self.is_cut)(to) => arrive(to, stretch),
                    Next::Bad(Bad::Call) => arrive(to, stretch),
                    Next::Return => stretches.die(stretch),
                    Next::Go(..) | Next::Branch { .. } | Next::Agreed(_) => {
                        waiting.entry(to).or_default().push(stretch);
                    }
                }
            }
        }
        Ok(arrivals)
    }

    /// What comes after a place, with the stretch that goes on there; none if the place itself is what must not be reached.
    fn step(
        &self,
        place: UnfoldedPlace,
        stretch: Stretch,
        values: &mut Values<'_, '_>,
        stretches: &mut Stretches,
    ) -> Option<Vec<(UnfoldedPlace, Stretch)>> {
        match self.unfolded.next(place) {
            Next::Bad(_) => None,
            Next::End | Next::Return => {
                stretches.die(stretch);
                Some(Vec::new())
            }
            Next::Agreed(agreed) => {
                let rules = self.rules?;
                let activation = self.unfolded.activation_of(place);
                let required = rules.required(agreed, activation, values, stretch);
                let (kept, broken) = (values.behind(stretch), values.behind(stretch));
                let fork = End::Fork(required, kept, broken);
                stretches.ends.insert(stretch, fork);
                let ensured = rules.ensured(agreed, activation, values, kept);
                let (on, gone) = (values.behind(kept), values.behind(kept));
                stretches.ends.insert(kept, End::Fork(ensured, on, gone));
                stretches.die(gone);
                Some(vec![(agreed.to, on), (agreed.broken, broken)])
            }
            Next::Go(step, to) => {
                match self.unfolded.memory.effects.get(&place) {
                    Some(effects) => {
                        for effect in effects {
                            memory::apply(effect, stretch, values);
                        }
                    }
                    None => take(step, stretch, values),
                }
                Some(vec![(*to, stretch)])
            }
            &Next::Branch { condition, yes, no } => {
                let activation = self.unfolded.activation_of(place);
                let condition = values.evaluate(condition, activation, stretch);
                Some(match values.pool.as_bool(condition) {
                    Some(true) => vec![(yes, stretch)],
                    Some(false) => vec![(no, stretch)],
                    None => {
                        let (a, b) = (values.behind(stretch), values.behind(stretch));
                        stretches.ends.insert(stretch, End::Fork(condition, a, b));
                        vec![(yes, a), (no, b)]
                    }
                })
            }
        }
    }

    /// The places of the region, each after those that lead to it.
    fn order(
        &self,
        starts: impl Iterator<Item = UnfoldedPlace>,
    ) -> Result<Vec<UnfoldedPlace>, Lost> {
        let inner = |place: &UnfoldedPlace| {
            self.matters[place.0 as usize]
                && !(self.is_cut)(*place)
                && matches!(
                    self.unfolded.next(*place),
                    Next::Go(..) | Next::Branch { .. } | Next::Agreed(_)
                )
        };
        let mut is_done: FxHashMap<UnfoldedPlace, bool> = FxHashMap::default();
        let mut order = Vec::new();
        let mut todo: Vec<(UnfoldedPlace, bool)> = starts.map(|start| (start, false)).collect();
        while let Some((place, done)) = todo.pop() {
            if done {
                is_done.insert(place, true);
                order.push(place);
                continue;
            }
            match is_done.get(&place) {
                Some(true) => continue,
                // Open, and met again below itself, or pushed twice before it was opened.
                Some(false) => return Err(Lost::Cycle),
                None => {}
            }
            is_done.insert(place, false);
            todo.push((place, true));
            for next in self.unfolded.successors(place).filter(inner) {
                match is_done.get(&next) {
                    Some(true) => {}
                    Some(false) => return Err(Lost::Cycle),
                    None => todo.push((next, false)),
                }
            }
        }
        order.reverse();
        Ok(order)
    }
}

/// The effect of a step.
fn take(step: &Step, stretch: Stretch, values: &mut Values<'_, '_>) {
    match step {
        Step::Nothing => {}
        Step::Assign(activation, assignments) => {
            let new: Vec<Id> = assignments
                .iter()
                .map(|&(_, value)| values.evaluate(value, *activation, stretch))
                .collect();
            for (&(var, _), value) in assignments.iter().zip(new) {
                values.set(stretch, var, value);
            }
        }
        &Step::Any(var) => {
            let value = values.any(values.unfolded.ty(var));
            values.set(stretch, var, value);
        }
        &Step::Address(var) => {
            let value = values.address();
            values.set(stretch, var, value);
        }
        Step::Call(sets, dst) => {
            let globals = sets
                .iter()
                .map(|&global| values.unfolded.global_var(global));
            let changed: Vec<Var> = globals.chain(*dst).collect();
            for var in changed {
                let value = values.any(values.unfolded.ty(var));
                values.set(stretch, var, value);
            }
        }
    }
}

impl Stretches {
    /// The stretch where several meet; if there is only one, it goes on.
    pub(crate) fn meet(&mut self, values: &mut Values<'_, '_>, ways: Vec<Stretch>) -> Stretch {
        if let [single] = ways[..] {
            return single;
        }
        let meeting = values.meeting(ways.clone());
        for (way, stretch) in ways.into_iter().enumerate() {
            self.ends.insert(stretch, End::Into(meeting, way));
        }
        meeting
    }

    fn die(&mut self, stretch: Stretch) {
        self.ends.insert(stretch, End::Dead);
    }

    /// A stretch ends at something that has to be looked at. Gives its number.
    pub(crate) fn goal(&mut self, stretch: Stretch) -> usize {
        self.ends.insert(stretch, End::Goal(self.goals));
        self.goals += 1;
        self.goals - 1
    }

    /// What it takes for something bad to be reached from a stretch: formulas, the last of which is the stretch's own flag. `bad` has for
    /// each goal what is bad about it. To be asked when no value will be asked for any more.
    pub(crate) fn conditions(
        &self,
        values: &mut Values<'_, '_>,
        from: Stretch,
        bad: &[Id],
    ) -> Vec<Id> {
        let mut formulas = Vec::new();
        let mut flags: FxHashMap<Stretch, Id> = FxHashMap::default();
        // What is behind a stretch was made after it.
        let mut order: Vec<Stretch> = self.ends.keys().copied().collect();
        order.sort_unstable();
        for stretch in order.into_iter().rev() {
            let never = values.pool.bool(false);
            let flag = |stretch: Stretch| flags.get(&stretch).copied().unwrap_or(never);
            let takes = match self.ends[&stretch] {
                End::Dead => never,
                End::Fork(condition, yes, no) => {
                    let (yes, no) = (flag(yes), flag(no));
                    let yes = values.pool.and([condition, yes]);
                    let condition = values.pool.not(condition);
                    let no = values.pool.and([condition, no]);
                    values.pool.or([yes, no])
                }
                End::Into(meeting, way) => {
                    let mut parts = values.equations(meeting, way).to_vec();
                    parts.push(flag(meeting));
                    values.pool.and(parts)
                }
                End::Goal(goal) => bad[goal],
            };
            let own = match values.pool.as_bool(takes) {
                Some(_) => takes,
                None => {
                    let own = values.pool.fresh(crate::pool::Sort::Bool);
                    let not = values.pool.not(own);
                    formulas.push(values.pool.or([not, takes]));
                    own
                }
            };
            flags.insert(stretch, own);
        }
        let first = flags.get(&from).copied();
        formulas.push(first.unwrap_or_else(|| values.pool.bool(false)));
        formulas
    }
}
