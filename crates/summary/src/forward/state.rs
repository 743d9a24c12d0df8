//! Abstract states: an octagon for each group of variables, and a congruence for each variable.
//!
//! Both are shared between states until they change, and so are lists of them: most steps touch one group of many.

use std::sync::Arc;

use rhumb_program::{Program, VarId};

use super::congruence::Congruence;
use super::form::{Form, Range};
use super::octagon::{Literal, Octagon};
use super::packs::{PackPlace, Packs, range};
use super::pieces::Pieces;

/// What is known at a location. All groups are empty together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct AbstractState {
    octagons: Pieces<Arc<Octagon>>,
    congruences: Pieces<Arc<[Congruence]>>,
    /// Whether there is no state. Some group is empty then, or a condition had no group to tell.
    is_nothing: bool,
}

impl AbstractState {
    /// All values of the types.
    pub(super) fn top(program: &Program, packs: &Packs) -> AbstractState {
        let octagons = packs.members().iter().map(|members| {
            let mut octagon = Octagon::top(members.len());
            for (index, &var) in members.iter().enumerate() {
                limit(&mut octagon, index, program, var);
            }
            Arc::new(octagon)
        });
        let congruences = packs.members().iter();
        AbstractState {
            octagons: octagons.collect(),
            congruences: congruences
                .map(|members| vec![Congruence::ALL; members.len()].into())
                .collect(),
            is_nothing: false,
        }
    }

    /// The octagon of a group.
    pub(super) fn octagon(&self, pack: usize) -> &Octagon {
        self.octagons.get(pack)
    }

    /// Changes the octagon of a group.
    fn change(&mut self, pack: usize, change: impl FnOnce(&mut Octagon)) {
        let octagon = Arc::make_mut(self.octagons.get_mut(pack));
        change(octagon);
        self.is_nothing |= octagon.is_bottom();
    }

    pub(super) fn is_bottom(&self) -> bool {
        self.is_nothing
    }

    /// Bounds of a variable.
    pub(super) fn bounds(&self, packs: &Packs, var: VarId) -> Range {
        let Some(place) = packs.place(var) else {
            return Range::ALL;
        };
        let literal = |negative| Literal {
            variable: place.index,
            negative,
        };
        let octagon = self.octagon(place.pack);
        Range {
            low: octagon.upper(literal(true)).map(|bound| -bound),
            high: octagon.upper(literal(false)),
        }
    }

    /// What is known of a variable modulo something.
    pub(super) fn congruence(&self, packs: &Packs, var: VarId) -> Congruence {
        let constant = self.bounds(packs, var).as_constant().copied();
        match (constant, packs.place(var)) {
            (Some(value), _) => Congruence::constant(value),
            (None, Some(place)) => self.congruences.get(place.pack)[place.index],
            (None, None) => Congruence::ALL,
        }
    }

    /// The greatest value of a form.
    pub(super) fn upper(&self, packs: &Packs, form: &Form) -> Option<i128> {
        let apart = form
            .parts
            .iter()
            .map(|&(var, coefficient)| self.bounds(packs, var).times(&coefficient))
            .fold(form.rest, |sum, range| sum.plus(&range))
            .high;
        // Two terms of one group with opposite or equal coefficients: what the octagon knows of them together.
        let [(x, a), (y, b)] = form.parts[..] else {
            return apart;
        };
        let together = (|| {
            let (at, other) = (packs.place(x)?, packs.place(y)?);
            if at.pack != other.pack || a.unsigned_abs() != b.unsigned_abs() {
                return None;
            }
            let literal = |variable, coefficient: i128| Literal {
                variable,
                negative: coefficient < 0,
            };
            let sum = self
                .octagon(at.pack)
                .upper_sum(literal(at.index, a), literal(other.index, b))?
                .checked_mul(a.checked_abs()?)?;
            sum.checked_add(form.rest.high?)
        })();
        match (apart, together) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        }
    }

    /// The values of a form.
    pub(super) fn range(&self, packs: &Packs, form: &Form) -> Range {
        Range {
            low: form
                .times(-1)
                .and_then(|negated| self.upper(packs, &negated))
                .and_then(i128::checked_neg),
            high: self.upper(packs, form),
        }
    }

    /// Only the points where the form can be at most zero.
    pub(super) fn assume_at_most_zero(&mut self, packs: &Packs, form: &Form) {
        let Some(low) = form.rest.low else {
            return;
        };
        if form.parts.is_empty() {
            if low > 0 {
                self.make_bottom();
            }
            return;
        }
        // sum <= -low; each part, and each pair, gets what the least values of the others leave.
        let Some(bound) = low.checked_neg() else {
            return;
        };
        let least: Vec<Option<i128>> = form
            .parts
            .iter()
            .map(|&(var, coefficient)| self.bounds(packs, var).times(&coefficient).low)
            .collect();
        let left = |except: &[usize]| {
            let mut left = bound;
            for (index, low) in least.iter().enumerate() {
                if !except.contains(&index) {
                    left = left.checked_sub((*low)?)?;
                }
            }
            Some(left)
        };
        let literal = |variable, coefficient: i128| Literal {
            variable,
            negative: coefficient < 0,
        };
        for (i, &(var, coefficient)) in form.parts.iter().enumerate() {
            let Some(at) = packs.place(var) else { continue };
            let size = coefficient.unsigned_abs().min(i128::MAX as u128) as i128;
            if let Some(left) = left(&[i]) {
                self.change(at.pack, |octagon| {
                    octagon.assume(literal(at.index, coefficient), left.div_euclid(size));
                });
            }
            for (j, &(other, factor)) in form.parts.iter().enumerate().skip(i + 1) {
                let Some(to) = packs.place(other) else {
                    continue;
                };
                if to.pack != at.pack || factor.unsigned_abs() != coefficient.unsigned_abs() {
                    continue;
                }
                if let Some(left) = left(&[i, j]) {
                    let (one, other) = (literal(at.index, coefficient), literal(to.index, factor));
                    self.change(at.pack, |octagon| {
                        octagon.assume_sum(one, other, left.div_euclid(size));
                    });
                }
            }
        }
    }

    /// The variable gets the value of a form that lies in its type.
    pub(super) fn assign(
        &mut self,
        program: &Program,
        packs: &Packs,
        var: VarId,
        form: &Form,
        congruence: Congruence,
    ) {
        let Some(place) = packs.place(var) else {
            return;
        };
        if let ([(from, 1)], Some(&by)) = (&form.parts[..], form.rest.as_constant())
            && *from == var
        {
            self.change(place.pack, |octagon| octagon.shift(place.index, by));
            self.set_congruence(place, congruence);
            return;
        }
        // x = form: with each variable of the form, x - y and x + y are forms over the state before.
        let values = self.range(packs, form);
        let mut related = Vec::new();
        for &(other, _) in &form.parts {
            let Some(to) = packs.place(other) else {
                continue;
            };
            if other == var || to.pack != place.pack {
                continue;
            }
            let other = Form::variable(other);
            let (difference, sum) = (form.minus(&other), form.plus(&other));
            let range =
                |form: Option<Form>| form.map_or(Range::ALL, |form| self.range(packs, &form));
            related.push((to.index, range(difference), range(sum)));
        }
        self.change(place.pack, |octagon| {
            octagon.forget(place.index);
            limit(octagon, place.index, program, var);
            let literal = |variable, negative| Literal { variable, negative };
            let own = |negative| literal(place.index, negative);
            if let Some(high) = values.high {
                octagon.assume(own(false), high);
            }
            if let Some(low) = values.low {
                octagon.assume(own(true), -low);
            }
            for (index, difference, sum) in related {
                for (range, negative) in [(difference, true), (sum, false)] {
                    if let Some(high) = range.high {
                        octagon.assume_sum(own(false), literal(index, negative), high);
                    }
                    if let Some(low) = range.low {
                        octagon.assume_sum(own(true), literal(index, !negative), -low);
                    }
                }
            }
        });
        self.set_congruence(place, congruence);
    }

    fn set_congruence(&mut self, place: PackPlace, congruence: Congruence) {
        if self.congruences.get(place.pack)[place.index] != congruence {
            Arc::make_mut(self.congruences.get_mut(place.pack))[place.index] = congruence;
        }
    }

    /// The variable gets any value of its type.
    pub(super) fn forget(&mut self, program: &Program, packs: &Packs, var: VarId) {
        if let Some(place) = packs.place(var) {
            self.change(place.pack, |octagon| {
                octagon.forget(place.index);
                limit(octagon, place.index, program, var);
            });
            self.set_congruence(place, Congruence::ALL);
        }
    }

    pub(super) fn make_bottom(&mut self) {
        self.is_nothing = true;
    }

    fn zip(
        &self,
        other: &AbstractState,
        octagon: impl Fn(&Octagon, &Octagon) -> Octagon,
    ) -> AbstractState {
        let octagon = |a: &Arc<Octagon>, b: &Arc<Octagon>| match Arc::ptr_eq(a, b) {
            true => a.clone(),
            false => Arc::new(octagon(a, b)),
        };
        AbstractState {
            octagons: self.octagons.zip_with(&other.octagons, octagon),
            congruences: self
                .congruences
                .zip_with(&other.congruences, join_congruences),
            is_nothing: false,
        }
    }

    pub(super) fn join(&self, other: &AbstractState) -> AbstractState {
        if self.is_bottom() {
            return other.clone();
        }
        if other.is_bottom() {
            return self.clone();
        }
        self.zip(other, Octagon::join)
    }

    /// The same, if the states differ in these groups only.
    pub(super) fn join_groups(&self, other: &AbstractState, groups: &[usize]) -> AbstractState {
        if self.is_bottom() {
            return other.clone();
        }
        let mut joined = self.clone();
        if other.is_bottom() {
            return joined;
        }
        for &group in groups {
            let (ours, theirs) = (self.octagons.get(group), other.octagons.get(group));
            if !Arc::ptr_eq(ours, theirs) {
                *joined.octagons.get_mut(group) = Arc::new(ours.join(theirs));
            }
            let (ours, theirs) = (self.congruences.get(group), other.congruences.get(group));
            if !Arc::ptr_eq(ours, theirs) {
                *joined.congruences.get_mut(group) = join_congruences(ours, theirs);
            }
        }
        joined
    }

    /// As [`Octagon::widen`]. Congruences have no long ascending chains.
    pub(super) fn widen(
        &self,
        newer: &AbstractState,
        thresholds: &[i128],
        ceiling: &AbstractState,
    ) -> AbstractState {
        let mut widened = self.zip(newer, Octagon::join);
        for group in 0..self.octagons.len() {
            let (old, new) = (self.octagons.get(group), newer.octagons.get(group));
            if !Arc::ptr_eq(old, new) {
                let limit = ceiling.octagons.get(group);
                *widened.octagons.get_mut(group) = Arc::new(old.widen(new, thresholds, limit));
            }
        }
        widened
    }

    /// As [`Octagon::narrow`], for a closed state, with the congruences of the other, which is included in this one. If
    /// groups are given, the others are as they are in the other state.
    pub(super) fn narrow(
        &self,
        other: &AbstractState,
        ceiling: &AbstractState,
        groups: Option<&[usize]>,
    ) -> AbstractState {
        let mut narrowed = other.clone();
        let mut narrow = |group: usize| {
            let (old, new) = (self.octagons.get(group), other.octagons.get(group));
            let octagon = match Arc::ptr_eq(old, new) {
                true => old.clone(),
                false => Arc::new(old.narrow(new, ceiling.octagons.get(group))),
            };
            narrowed.is_nothing |= octagon.is_bottom();
            *narrowed.octagons.get_mut(group) = octagon;
        };
        match groups {
            Some(groups) => groups.iter().for_each(|&group| narrow(group)),
            None => (0..self.octagons.len()).for_each(narrow),
        }
        narrowed
    }

    pub(super) fn closed(&self) -> AbstractState {
        let mut closed = self.clone();
        for group in 0..self.octagons.len() {
            let octagon = self.octagons.get(group);
            if octagon.is_open() {
                closed.change(group, |octagon| *octagon = octagon.closed());
            }
        }
        closed
    }

    /// Whether everything of the other is in this one.
    pub(super) fn includes(&self, other: &AbstractState) -> bool {
        let includes = |a: &Arc<Octagon>, b: &Arc<Octagon>| Arc::ptr_eq(a, b) || a.includes(b);
        let divides = |a: &Arc<[Congruence]>, b: &Arc<[Congruence]>| {
            Arc::ptr_eq(a, b) || a.iter().zip(&**b).all(|(a, b)| a.join(*b) == *a)
        };
        other.is_bottom()
            || (!self.is_bottom()
                && self.octagons.all_different(&other.octagons, includes)
                && (self.congruences).all_different(&other.congruences, divides))
    }
}

/// What is known of the variables of a group modulo something in either of two states.
fn join_congruences(ours: &Arc<[Congruence]>, theirs: &Arc<[Congruence]>) -> Arc<[Congruence]> {
    if Arc::ptr_eq(ours, theirs) {
        return ours.clone();
    }
    let pairs = ours.iter().zip(&**theirs);
    pairs.map(|(a, b)| a.join(*b)).collect()
}

/// The variable has a value of its type.
fn limit(octagon: &mut Octagon, index: usize, program: &Program, var: VarId) {
    if let Some((low, high)) = range(program.vars[var].ty) {
        let literal = |negative| Literal {
            variable: index,
            negative,
        };
        octagon.assume(literal(false), high);
        octagon.assume(literal(true), -low);
    }
}
