//! Intervals of integers, and boxes: one interval per dimension.

use dashu_base::Signed;

use rhumb_interval::Interval as Ends;

use super::{Constraint, Kind, LinearForm};
use crate::num::{Int, Rat, ceil_div, floor_div};

/// The integers between two bounds, either of which may be missing; or none at all, for which there is no bound to tell. Widening and
/// narrowing make a domain of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Interval(Option<Ends<Option<Int>>>);

impl Interval {
    /// No integer.
    pub const EMPTY: Interval = Interval(None);

    /// All integers.
    pub const ALL: Interval = Interval(Some(Ends::ALL));

    /// The integers from `lower` to `upper`, both included; `None` is no bound.
    pub fn new(lower: Option<Int>, upper: Option<Int>) -> Self {
        Self::of(Ends {
            low: lower,
            high: upper,
        })
    }

    fn of(ends: Ends<Option<Int>>) -> Self {
        Interval((!ends.is_crossed()).then_some(ends))
    }

    /// One integer.
    pub fn point(value: Int) -> Self {
        Interval(Some(Ends::constant(value)))
    }

    /// Whether there is no integer in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_none()
    }

    /// The least integer, if there is one.
    pub fn lower(&self) -> Option<&Int> {
        self.0.as_ref()?.low.as_ref()
    }

    /// The greatest integer, if there is one.
    pub fn upper(&self) -> Option<&Int> {
        self.0.as_ref()?.high.as_ref()
    }

    /// The only integer in it, if there is exactly one.
    pub fn as_point(&self) -> Option<&Int> {
        self.0.as_ref()?.as_constant()
    }

    /// Whether the integer is in it.
    pub fn contains(&self, value: &Int) -> bool {
        self.0.as_ref().is_some_and(|ends| ends.contains(value))
    }

    /// Whether every integer of `other` is in it.
    pub fn includes(&self, other: &Interval) -> bool {
        other.is_empty() || self.join(other) == *self
    }

    /// The smallest interval around both.
    pub fn join(&self, other: &Interval) -> Interval {
        match (&self.0, &other.0) {
            (None, _) => other.clone(),
            (_, None) => self.clone(),
            (Some(a), Some(b)) => Interval(Some(a.join(b))),
        }
    }

    /// The integers in both.
    pub fn meet(&self, other: &Interval) -> Interval {
        match (&self.0, &other.0) {
            (Some(a), Some(b)) => Self::of(a.meet(b)),
            _ => Self::EMPTY,
        }
    }

    /// Contains both; a bound of `self` that `next` breaks jumps to the next threshold, or goes. `thresholds` are in
    /// ascending order.
    pub fn widen(&self, next: &Interval, thresholds: &[Int]) -> Interval {
        if self.is_empty() {
            return next.clone();
        }
        let joined = self.join(next);
        let lower = joined.lower().and_then(|lower| {
            if self.lower() == Some(lower) {
                return Some(lower);
            }
            let below = thresholds.partition_point(|threshold| threshold <= lower);
            below.checked_sub(1).and_then(|index| thresholds.get(index))
        });
        let upper = joined.upper().and_then(|upper| {
            if self.upper() == Some(upper) {
                return Some(upper);
            }
            thresholds.get(thresholds.partition_point(|threshold| threshold < upper))
        });
        Interval::new(lower.cloned(), upper.cloned())
    }

    /// The part of a widened interval that `next` allows, where only missing bounds are taken over: this ends every
    /// descending chain.
    pub fn narrow(&self, next: &Interval) -> Interval {
        let next = self.meet(next);
        if next.is_empty() {
            return next;
        }
        Interval::new(
            self.lower().or(next.lower()).cloned(),
            self.upper().or(next.upper()).cloned(),
        )
    }

    /// All sums.
    pub fn add(&self, other: &Interval) -> Interval {
        Interval(
            self.0
                .as_ref()
                .zip(other.0.as_ref())
                .map(|(a, b)| a.plus(b)),
        )
    }

    /// The smallest interval around all multiples.
    pub fn times(&self, factor: &Int) -> Interval {
        Interval(self.0.as_ref().map(|ends| ends.times(factor)))
    }
}

/// One interval per dimension. If one of them is empty, all are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct IntervalBox {
    sides: Vec<Interval>,
    is_empty: bool,
}

impl IntervalBox {
    /// The box with these sides.
    pub fn new(sides: Vec<Interval>) -> Self {
        let is_empty = sides.iter().any(Interval::is_empty);
        let sides = if is_empty {
            vec![Interval::EMPTY; sides.len()]
        } else {
            sides
        };
        IntervalBox { sides, is_empty }
    }

    /// All points.
    pub fn universe(dimensions: usize) -> Self {
        Self::new(vec![Interval::ALL; dimensions])
    }

    /// No point.
    pub fn empty(dimensions: usize) -> Self {
        IntervalBox {
            sides: vec![Interval::EMPTY; dimensions],
            is_empty: true,
        }
    }

    /// The sides, one per dimension.
    pub fn sides(&self) -> &[Interval] {
        &self.sides
    }

    /// Whether there is no point in it.
    pub fn is_empty(&self) -> bool {
        self.is_empty
    }

    /// Whether the point is in it.
    ///
    /// # Panics
    /// If the point is of another dimension.
    pub fn contains(&self, point: &[Int]) -> bool {
        assert_eq!(self.sides.len(), point.len(), "dimensions differ");
        !self.is_empty
            && self
                .sides
                .iter()
                .zip(point)
                .all(|(side, coordinate)| side.contains(coordinate))
    }

    /// Whether every point of `other` is in it.
    ///
    /// # Panics
    /// If the other box is of another dimension.
    pub fn includes(&self, other: &IntervalBox) -> bool {
        assert_eq!(self.sides.len(), other.sides.len(), "dimensions differ");
        other.is_empty
            || !self.is_empty
                && self
                    .sides
                    .iter()
                    .zip(&other.sides)
                    .all(|(ours, theirs)| ours.includes(theirs))
    }

    /// The smallest box around both.
    ///
    /// # Panics
    /// If the other box is of another dimension.
    pub fn join(&self, other: &IntervalBox) -> IntervalBox {
        match (self.is_empty, other.is_empty) {
            (true, _) => other.clone(),
            (_, true) => self.clone(),
            _ => self.combined(other, Interval::join),
        }
    }

    /// The points in both.
    ///
    /// # Panics
    /// If the other box is of another dimension.
    pub fn meet(&self, other: &IntervalBox) -> IntervalBox {
        if self.is_empty {
            return self.clone();
        }
        self.combined(other, Interval::meet)
    }

    /// [`Interval::widen`] on every side.
    ///
    /// # Panics
    /// If the other box is of another dimension.
    pub fn widen(&self, next: &IntervalBox, thresholds: &[Int]) -> IntervalBox {
        match (self.is_empty, next.is_empty) {
            (true, _) => next.clone(),
            (_, true) => self.clone(),
            _ => self.combined(next, |ours, theirs| ours.widen(theirs, thresholds)),
        }
    }

    /// [`Interval::narrow`] on every side.
    ///
    /// # Panics
    /// If the other box is of another dimension.
    pub fn narrow(&self, next: &IntervalBox) -> IntervalBox {
        self.combined(next, Interval::narrow)
    }

    fn combined(
        &self,
        other: &IntervalBox,
        operation: impl Fn(&Interval, &Interval) -> Interval,
    ) -> IntervalBox {
        assert_eq!(self.sides.len(), other.sides.len(), "dimensions differ");
        let sides = self.sides.iter().zip(&other.sides);
        Self::new(
            sides
                .map(|(ours, theirs)| operation(ours, theirs))
                .collect(),
        )
    }

    /// The smallest interval around the values of the form.
    ///
    /// # Panics
    /// If the form is of another dimension.
    pub fn values(&self, form: &LinearForm) -> Interval {
        assert_eq!(
            self.sides.len(),
            form.coefficients.len(),
            "dimensions differ"
        );
        if self.is_empty {
            return Interval::EMPTY;
        }
        let constant = Interval::point(form.constant.clone());
        let terms = self.sides.iter().zip(&form.coefficients);
        terms.fold(constant, |sum, (side, factor)| sum.add(&side.times(factor)))
    }

    /// Moves bounds inwards as far as the constraint alone allows, for integer points; says whether something moved.
    ///
    /// # Panics
    /// If the constraint is of another dimension.
    pub fn refine(&mut self, constraint: &Constraint) -> bool {
        let before = self.clone();
        let form = constraint.form();
        self.refine_at_least(&form);
        if constraint.kind() == Kind::Eq {
            self.refine_at_least(&LinearForm::new(
                form.coefficients.iter().map(|entry| -entry).collect(),
                -form.constant,
            ));
        }
        *self != before
    }

    /// `form >= 0`: each term is at least minus the greatest value of the rest.
    fn refine_at_least(&mut self, form: &LinearForm) {
        if self.values(form).upper().is_some_and(Signed::is_negative) || self.is_empty {
            *self = Self::empty(self.sides.len());
            return;
        }
        // With one side unbounded only that one gains, with two none does: so the bounds are summed once.
        let mut unbounded = None;
        let mut greatest = form.constant.clone();
        for (dimension, factor) in form.coefficients.iter().enumerate() {
            if factor.is_zero() {
                continue;
            }
            match (self.sides[dimension].times(factor).upper(), unbounded) {
                (Some(upper), _) => greatest += upper,
                (None, None) => unbounded = Some(dimension),
                (None, Some(_)) => return,
            }
        }
        for (dimension, factor) in form.coefficients.iter().enumerate() {
            if factor.is_zero() || unbounded.is_some_and(|only| only != dimension) {
                continue;
            }
            let own = self.sides[dimension].times(factor);
            let rest = match (unbounded, own.upper()) {
                (None, Some(upper)) => &greatest - upper,
                _ => greatest.clone(),
            };
            let bound = if factor.is_negative() {
                Interval::new(None, Some(floor_div(&-rest, factor)))
            } else {
                Interval::new(Some(ceil_div(&-rest, factor)), None)
            };
            self.sides[dimension] = self.sides[dimension].meet(&bound);
        }
        if self.sides.iter().any(Interval::is_empty) {
            *self = Self::empty(self.sides.len());
        }
    }

    /// The box as constraints: equalities for sides of one point.
    pub fn constraints(&self) -> Vec<Constraint> {
        let dimensions = self.sides.len();
        if self.is_empty {
            return vec![Constraint::never(dimensions)];
        }
        let mut constraints = Vec::new();
        for (dimension, side) in self.sides.iter().enumerate() {
            let mut coefficients = LinearForm::coordinate(dimensions, dimension).coefficients;
            if let Some(value) = side.as_point() {
                constraints.push(Constraint::new(Kind::Eq, coefficients, -value));
                continue;
            }
            if let Some(lower) = side.lower() {
                constraints.push(Constraint::new(Kind::Ge, coefficients.clone(), -lower));
            }
            if let Some(upper) = side.upper() {
                coefficients[dimension] = Int::NEG_ONE;
                constraints.push(Constraint::new(Kind::Ge, coefficients, upper.clone()));
            }
        }
        constraints
    }

    /// Whether the rational point lies between the bounds.
    ///
    /// # Panics
    /// If the point is of another dimension.
    pub fn contains_rational(&self, point: &[Rat]) -> bool {
        assert_eq!(self.sides.len(), point.len(), "dimensions differ");
        !self.is_empty
            && self.sides.iter().zip(point).all(|(side, value)| {
                let above = side
                    .lower()
                    .is_none_or(|lower| Rat::from(lower.clone()) <= *value);
                above
                    && side
                        .upper()
                        .is_none_or(|upper| *value <= Rat::from(upper.clone()))
            })
    }
}
