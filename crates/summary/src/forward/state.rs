//! Abstract states: an octagon for each group of variables, and a congruence for each variable.
//!
//! Both are shared between states until they change: most steps touch one group of many.

use std::sync::Arc;

use rhumb_program::{Program, VarId};

use super::congruence::Congruence;
use super::form::{Form, Range};
use super::octagon::{Literal, Octagon};
use super::packs::{PackPlace, Packs, range};

/// What is known at a location. All groups are empty together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct AbstractState {
    pub(super) octagons: Vec<Arc<Octagon>>,
    congruences: Vec<Arc<[Congruence]>>,
}

impl AbstractState {
    /// All values of the types.
    pub(super) fn top(program: &Program, packs: &Packs) -> AbstractState {
        let mut state = AbstractState {
            octagons: Vec::new(),
            congruences: Vec::new(),
        };
        for members in packs.members() {
            let mut octagon = Octagon::top(members.len());
            for (index, &var) in members.iter().enumerate() {
                limit(&mut octagon, index, program, var);
            }
            state.octagons.push(Arc::new(octagon));
            state
                .congruences
                .push(vec![Congruence::ALL; members.len()].into());
        }
        state
    }

    fn octagon(&mut self, pack: usize) -> &mut Octagon {
        Arc::make_mut(&mut self.octagons[pack])
    }

    pub(super) fn is_bottom(&self) -> bool {
        self.octagons.iter().any(|octagon| octagon.is_bottom())
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
        let octagon = &self.octagons[place.pack];
        Range {
            low: octagon.upper(literal(true)).map(|bound| -bound),
            high: octagon.upper(literal(false)),
        }
    }

    /// What is known of a variable modulo something.
    pub(super) fn congruence(&self, packs: &Packs, var: VarId) -> Congruence {
        let constant = self.bounds(packs, var).as_constant();
        match (constant, packs.place(var)) {
            (Some(value), _) => Congruence::constant(value),
            (None, Some(place)) => self.congruences[place.pack][place.index],
            (None, None) => Congruence::ALL,
        }
    }

    /// The greatest value of a form.
    pub(super) fn upper(&self, packs: &Packs, form: &Form) -> Option<i128> {
        let apart = form
            .parts
            .iter()
            .map(|&(var, coefficient)| self.bounds(packs, var).times(coefficient))
            .fold(form.rest, Range::plus)
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
            let sum = self.octagons[at.pack]
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
            .map(|&(var, coefficient)| self.bounds(packs, var).times(coefficient).low)
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
                self.octagon(at.pack)
                    .assume(literal(at.index, coefficient), left.div_euclid(size));
            }
            for (j, &(other, factor)) in form.parts.iter().enumerate().skip(i + 1) {
                let Some(to) = packs.place(other) else {
                    continue;
                };
                if to.pack != at.pack || factor.unsigned_abs() != coefficient.unsigned_abs() {
                    continue;
                }
                if let Some(left) = left(&[i, j]) {
                    self.octagon(at.pack).assume_sum(
                        literal(at.index, coefficient),
                        literal(to.index, factor),
                        left.div_euclid(size),
                    );
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
        if let ([(from, 1)], Some(by)) = (&form.parts[..], form.rest.as_constant())
            && *from == var
        {
            self.octagon(place.pack).shift(place.index, by);
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
        let octagon = Arc::make_mut(&mut self.octagons[place.pack]);
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
        self.set_congruence(place, congruence);
    }

    fn set_congruence(&mut self, place: PackPlace, congruence: Congruence) {
        let pack = &mut self.congruences[place.pack];
        if pack[place.index] != congruence {
            Arc::make_mut(pack)[place.index] = congruence;
        }
    }

    /// The variable gets any value of its type.
    pub(super) fn forget(&mut self, program: &Program, packs: &Packs, var: VarId) {
        if let Some(place) = packs.place(var) {
            let octagon = Arc::make_mut(&mut self.octagons[place.pack]);
            octagon.forget(place.index);
            limit(octagon, place.index, program, var);
            self.set_congruence(place, Congruence::ALL);
        }
    }

    pub(super) fn make_bottom(&mut self) {
        for octagon in &mut self.octagons {
            *octagon = Arc::new(Octagon::bottom(octagon.variables()));
        }
    }

    fn zip(
        &self,
        other: &AbstractState,
        octagon: impl Fn(&Octagon, &Octagon) -> Octagon,
    ) -> AbstractState {
        let join = |(ours, theirs): (&Arc<[Congruence]>, &Arc<[Congruence]>)| {
            if Arc::ptr_eq(ours, theirs) {
                return ours.clone();
            }
            let pairs = ours.iter().zip(&**theirs);
            pairs.map(|(a, b)| a.join(*b)).collect()
        };
        AbstractState {
            octagons: self
                .octagons
                .iter()
                .zip(&other.octagons)
                .map(|(a, b)| {
                    if Arc::ptr_eq(a, b) {
                        a.clone()
                    } else {
                        Arc::new(octagon(a, b))
                    }
                })
                .collect(),
            congruences: self
                .congruences
                .iter()
                .zip(&other.congruences)
                .map(join)
                .collect(),
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

    /// As [`Octagon::widen`]. Congruences have no long ascending chains.
    pub(super) fn widen(
        &self,
        newer: &AbstractState,
        thresholds: &[i128],
        ceiling: &AbstractState,
    ) -> AbstractState {
        let mut widened = self.zip(newer, Octagon::join);
        let older = self.octagons.iter().zip(&newer.octagons);
        for ((octagon, (old, new)), limit) in widened
            .octagons
            .iter_mut()
            .zip(older)
            .zip(&ceiling.octagons)
        {
            *octagon = if Arc::ptr_eq(old, new) {
                old.clone()
            } else {
                Arc::new(old.widen(new, thresholds, limit))
            };
        }
        widened
    }

    /// As [`Octagon::narrow`], for a closed state, with the congruences of the other, which is included in this one.
    pub(super) fn narrow(&self, other: &AbstractState, ceiling: &AbstractState) -> AbstractState {
        let pairs = self.octagons.iter().zip(&other.octagons);
        AbstractState {
            octagons: pairs
                .zip(&ceiling.octagons)
                .map(|((old, new), limit)| match Arc::ptr_eq(old, new) {
                    true => old.clone(),
                    false => Arc::new(old.narrow(new, limit)),
                })
                .collect(),
            congruences: other.congruences.clone(),
        }
    }

    pub(super) fn closed(&self) -> AbstractState {
        AbstractState {
            octagons: self
                .octagons
                .iter()
                .map(|octagon| match octagon.is_open() {
                    true => Arc::new(octagon.closed()),
                    false => octagon.clone(),
                })
                .collect(),
            congruences: self.congruences.clone(),
        }
    }

    /// Whether everything of the other is in this one.
    pub(super) fn includes(&self, other: &AbstractState) -> bool {
        let congruences = || {
            let pairs = self.congruences.iter().zip(&other.congruences);
            let pairs = pairs.filter(|(a, b)| !Arc::ptr_eq(a, b));
            pairs.flat_map(|(a, b)| a.iter().zip(&**b))
        };
        other.is_bottom()
            || (self
                .octagons
                .iter()
                .zip(&other.octagons)
                .all(|(a, b)| Arc::ptr_eq(a, b) || a.includes(b))
                && congruences().all(|(a, b)| a.join(*b) == *a))
    }
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
