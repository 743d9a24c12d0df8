//! Elimination of the targets of a system.
//!
//! Equations come first: the target with the smallest coefficient is solved for, and a coefficient other than one leaves a congruence. Then
//! one target after the other, the cheapest first:
//! - bounded on one side only: far out on the other side every bound and disequality holds; congruences are merged by the Chinese remainder theorem;
//! - bounds of which one in each pair has coefficient one: every lower bound is at most every upper bound, which is exact on integers;
//! - otherwise Cooper's virtual substitution: the bound that is tightest at the point, plus the distance at which the point lies in the period of
//!   the congruences. That is an equation again.
//!
//! Each step implies the one before it, and all but the last are equivalences, so few points cover a projection. The choices are finitely many as
//! long as moduli and coefficients stay below [`ENUMERATED`]; above it a modulus becomes an equation with an unknown quotient, and a rounded
//! bound becomes a quotient: no residue is ever fixed.

use crate::num::{Int, ceil_div, ext_gcd, floor_mod, gcd, lcm};
use crate::term::Terms;

use super::literal::Literal;
use super::row::{Dim, Row};
use super::system::System;

/// Residues are fixed for moduli up to this one only.
const ENUMERATED: u32 = 64;

/// Quotients that one elimination may introduce. Beyond, residues are fixed whatever their number, so that it ends.
const QUOTIENTS: usize = 24;

/// Pairs of bounds are combined when that gives at most this many more literals than there were.
const GROWTH: usize = 4;

/// More literals than this by pairing, and a real projection forgets the target's bounds instead.
const PAIRS: usize = 256;

/// What the result has to be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shadow {
    /// Implies that values of the targets exist, and holds at the point.
    Under,
    /// Is implied by the existence of values: the projection of the real relaxation, rounded.
    Over,
}

/// The literals in which a target occurs, by kind. Bounds as `coefficient * target >= row` or `<= row`.
#[derive(Default)]
struct Occurrences {
    lower: Vec<(Int, Row)>,
    upper: Vec<(Int, Row)>,
    /// Disequalities, as the bound that holds at the point.
    lower_strict: Vec<(Int, Row)>,
    upper_strict: Vec<(Int, Row)>,
    divides: Vec<(Int, Row)>,
    /// The least common period of all congruences.
    period: Int,
    /// Whether a negated congruence is among them.
    negated: bool,
}

impl Occurrences {
    fn all_lower(&self) -> impl Iterator<Item = &(Int, Row)> {
        self.lower.iter().chain(&self.lower_strict)
    }

    fn all_upper(&self) -> impl Iterator<Item = &(Int, Row)> {
        self.upper.iter().chain(&self.upper_strict)
    }

    fn one_sided(&self) -> bool {
        self.lower.is_empty() || self.upper.is_empty()
    }

    fn without_period(&self) -> bool {
        self.period.is_one()
    }
}

/// How a target is eliminated; the order is that of preference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Way {
    Unbounded,
    Pairs,
    Point,
}

impl System {
    /// Eliminates all targets.
    pub(super) fn eliminate(&mut self, terms: &Terms, shadow: Shadow) {
        loop {
            self.tidy();
            if self.open.is_empty() {
                return;
            }
            if self.solve_equation() || self.open_modulus(shadow) {
                continue;
            }
            match self.choose(shadow) {
                Some((target, Way::Unbounded)) => self.unbounded(target, shadow),
                Some((target, Way::Pairs)) => self.pairs(target, shadow),
                Some((target, Way::Point)) => self.point(terms, target),
                None => return,
            }
        }
    }

    /// Solves one equation for one target, if there is any with a target.
    fn solve_equation(&mut self) -> bool {
        let mut best: Option<(usize, Dim, Int)> = None;
        for (place, literal) in self.open.iter().enumerate() {
            let Literal::Zero(row) = literal else {
                continue;
            };
            for (dim, coefficient) in &row.parts {
                let size = gcd(coefficient, &Int::ZERO);
                if self.is_target(*dim) && best.as_ref().is_none_or(|(_, _, least)| size < *least) {
                    best = Some((place, *dim, size));
                }
            }
        }
        let Some((place, target, _)) = best else {
            return false;
        };
        if let Literal::Zero(equation) = self.open.swap_remove(place) {
            self.substitute(target, equation);
        }
        true
    }

    /// Replaces a target by what an equation says of it, and keeps the congruence that makes it an integer.
    fn substitute(&mut self, target: Dim, equation: Row) {
        let Some(coefficient) = equation.coefficient(target) else {
            return;
        };
        let (a, equation) = if *coefficient < Int::ZERO {
            (-coefficient, equation.times(&Int::NEG_ONE))
        } else {
            (coefficient.clone(), equation.clone())
        };
        for literal in self.take_mentioning(target) {
            let c = literal.row().coefficient(target).cloned();
            let c = c.unwrap_or_default();
            let common = gcd(&a, &c);
            let (scale, factor) = (&a / &common, -(c / &common));
            let cancel = |row: &Row| row.combine(&scale, &equation, &factor);
            self.push(match &literal {
                Literal::AtMost(row) => Literal::AtMost(cancel(row)),
                Literal::Zero(row) => Literal::Zero(cancel(row)),
                Literal::NonZero(row) => Literal::NonZero(cancel(row)),
                Literal::Divides(by, row) => Literal::Divides(by * &scale, cancel(row)),
                Literal::NotDivides(by, row) => Literal::NotDivides(by * &scale, cancel(row)),
            });
        }
        if !a.is_one() {
            self.push(Literal::Divides(a, equation.without(target)));
        }
    }

    /// Replaces a congruence on targets whose period is too long to be enumerated by an equation or by bounds with a new unknown, the quotient.
    ///
    /// The coefficients of the equation are below the modulus, so solving it and coming back here is Euclid's algorithm: it ends.
    fn open_modulus(&mut self, shadow: Shadow) -> bool {
        if self.quotients >= QUOTIENTS && shadow == Shadow::Under {
            return false;
        }
        let long = |literal: &Literal| match literal {
            Literal::Divides(by, row) | Literal::NotDivides(by, row) => {
                let mut targets = row.parts.iter().filter(|part| self.is_target(part.0));
                targets.any(|part| by / gcd(by, &part.1) > Int::from(ENUMERATED))
            }
            _ => false,
        };
        let Some(place) = self.open.iter().position(long) else {
            return false;
        };
        let literal = self.open.swap_remove(place);
        if self.quotients >= QUOTIENTS {
            return true;
        }
        self.quotients += 1;
        match literal {
            Literal::Divides(by, row) => {
                let value = floor_quotient(&row.value(&self.point), &by);
                let quotient = Row::single(self.target(value));
                self.push(Literal::Zero(row.plus(&-by, &quotient)));
            }
            Literal::NotDivides(by, row) => {
                // 1 <= row - by * quotient <= by - 1
                let value = floor_quotient(&row.value(&self.point), &by);
                let quotient = Row::single(self.target(value));
                let rest = row.plus(&-&by, &quotient);
                let last = by - Int::ONE;
                self.push(Literal::AtMost(rest.clone().shifted(&-last)));
                self.push(Literal::AtMost(
                    rest.times(&Int::NEG_ONE).shifted(&Int::ONE),
                ));
            }
            other => self.push(other),
        }
        true
    }

    /// The target that is cheapest to eliminate, and how.
    fn choose(&self, shadow: Shadow) -> Option<(Dim, Way)> {
        self.open_targets()
            .into_iter()
            .map(|target| {
                let found = self.occurrences(target);
                let (lower, upper) = (found.all_lower().count(), found.all_upper().count());
                let (pairs, sum) = (lower.saturating_mul(upper), lower + upper);
                let way = if found.one_sided() {
                    Way::Unbounded
                } else if shadow == Shadow::Over
                    || (found.without_period() && pairs <= sum + GROWTH && exact_pairs(&found))
                {
                    Way::Pairs
                } else {
                    Way::Point
                };
                // A point that needs few residues, next to targets that are still open, is better taken early.
                let residues = match way {
                    Way::Point => self
                        .tightest(&found)
                        .map_or(Int::ONE, |(_, (a, _))| a * &found.period),
                    _ => Int::ONE,
                };
                (way, residues, pairs, target)
            })
            .min()
            .map(|(way, _, _, target)| (target, way))
    }

    /// Sorts the literals in which a target occurs.
    fn occurrences(&self, target: Dim) -> Occurrences {
        let mut found = Occurrences {
            period: Int::ONE,
            ..Occurrences::default()
        };
        for literal in &self.open {
            let row = literal.row();
            let Some(coefficient) = row.coefficient(target) else {
                continue;
            };
            let rest = row.without(target);
            let positive = *coefficient > Int::ZERO;
            match literal {
                // a x + r <= 0: with a > 0 an upper bound a x <= -r, else a lower one -a x >= r.
                Literal::AtMost(_) if positive => {
                    let bound = (coefficient.clone(), rest.times(&Int::NEG_ONE));
                    found.upper.push(bound);
                }
                Literal::AtMost(_) => found.lower.push((-coefficient, rest)),
                Literal::NonZero(_) => {
                    // a x != -r with a > 0 after turning round; the side on which the point lies.
                    let (a, bound) = if positive {
                        (coefficient.clone(), rest.times(&Int::NEG_ONE))
                    } else {
                        (-coefficient, rest)
                    };
                    let above = (row.value(&self.point) > Int::ZERO) == positive;
                    if above {
                        found.lower_strict.push((a, bound.shifted(&Int::ONE)));
                    } else {
                        found.upper_strict.push((a, bound.shifted(&Int::NEG_ONE)));
                    }
                }
                Literal::Divides(by, _) => {
                    found.period = lcm(&found.period, &(by / gcd(by, coefficient)));
                    found.divides.push((by.clone(), row.clone()));
                }
                Literal::NotDivides(by, _) => {
                    found.period = lcm(&found.period, &(by / gcd(by, coefficient)));
                    found.negated = true;
                }
                // Equations are solved before.
                Literal::Zero(_) => {}
            }
        }
        found
    }

    /// Eliminates a target that can be as small, or as large, as one likes.
    fn unbounded(&mut self, target: Dim, shadow: Shadow) {
        let found = self.occurrences(target);
        let taken = self.take_mentioning(target);
        if found.negated && shadow == Shadow::Under {
            // Far out, at a place with the point's residue.
            let residue = floor_mod(&self.value(target), &found.period);
            self.open.extend(taken.into_iter().filter(|literal| {
                matches!(literal, Literal::Divides(..) | Literal::NotDivides(..))
            }));
            self.fix(target, residue);
            return;
        }
        let mut congruences = found.divides.into_iter();
        let Some(mut merged) = congruences.next() else {
            return;
        };
        for next in congruences {
            merged = self.merge(target, merged, next);
        }
        // Some x has by | c x + r iff gcd(by, c) | r.
        let (by, row) = merged;
        let coefficient = row.coefficient(target).cloned().unwrap_or_default();
        let common = gcd(&by, &coefficient);
        if common > Int::ONE {
            self.push(Literal::Divides(common, row.without(target)));
        }
    }

    /// Two congruences on a target as one, and one without it: with g = p a1 d2 + q a2 d1 the greatest common divisor of a1 d2 and a2 d1,
    /// d1 | a1 x + u1 and d2 | a2 x + u2 hold iff d1 d2 | g x + p d2 u1 + q d1 u2 and g | a2 u1 - a1 u2.
    fn merge(&mut self, target: Dim, first: (Int, Row), second: (Int, Row)) -> (Int, Row) {
        let ((d1, row1), (d2, row2)) = (first, second);
        let coefficient = |row: &Row| row.coefficient(target).cloned().unwrap_or_default();
        let (a1, a2) = (coefficient(&row1), coefficient(&row2));
        let (g, p, q) = ext_gcd(&(&a1 * &d2), &(&a2 * &d1));
        let (u1, u2) = (row1.without(target), row2.without(target));
        if g > Int::ONE {
            self.push(Literal::Divides(g.clone(), u1.combine(&a2, &u2, &-&a1)));
        }
        let rest = u1.combine(&(p * &d2), &u2, &(q * &d1));
        (d1 * d2, rest.plus(&g, &Row::single(target)))
    }

    /// Every lower bound is at most every upper bound.
    fn pairs(&mut self, target: Dim, shadow: Shadow) {
        let found = self.occurrences(target);
        self.take_mentioning(target);
        let none = Vec::new();
        // The reals don't see a missing point.
        let (strict_lower, strict_upper) = match shadow {
            Shadow::Under => (&found.lower_strict, &found.upper_strict),
            Shadow::Over => (&none, &none),
        };
        let lower: Vec<&(Int, Row)> = found.lower.iter().chain(strict_lower).collect();
        let upper: Vec<&(Int, Row)> = found.upper.iter().chain(strict_upper).collect();
        if shadow == Shadow::Over && lower.len().saturating_mul(upper.len()) > PAIRS {
            return;
        }
        for (a, low) in &lower {
            for (b, high) in &upper {
                // low / a <= x <= high / b
                self.push(Literal::AtMost(low.combine(b, high, &-a)));
            }
        }
    }

    /// The bound to put a target at: whether it is a lower one, and the bound itself.
    fn tightest<'a>(&self, found: &'a Occurrences) -> Option<(bool, &'a (Int, Row))> {
        let lower = found
            .all_lower()
            .map(|bound| (ceil_div(&bound.1.value(&self.point), &bound.0), bound))
            .max_by(|(value, bound), (other, against)| {
                value.cmp(other).then_with(|| against.0.cmp(&bound.0))
            });
        let upper = found
            .all_upper()
            .map(|bound| (floor_quotient(&bound.1.value(&self.point), &bound.0), bound))
            .min_by(|(value, bound), (other, against)| {
                value.cmp(other).then_with(|| bound.0.cmp(&against.0))
            });
        match (lower, upper) {
            (Some((_, low)), Some((_, high))) => {
                let (below, above) = (found.all_lower().count(), found.all_upper().count());
                if (&low.0, below) <= (&high.0, above) {
                    Some((true, low))
                } else {
                    Some((false, high))
                }
            }
            (Some((_, low)), None) => Some((true, low)),
            (None, high) => high.map(|(_, high)| (false, high)),
        }
    }

    /// Puts a target at its tightest bound, plus what the congruences need.
    fn point(&mut self, terms: &Terms, target: Dim) {
        let found = self.occurrences(target);
        let Some((is_lower, (a, bound))) = self.tightest(&found) else {
            return self.fix(target, self.value(target));
        };
        let bound_value = bound.value(&self.point);
        // The last integer on this side, and the distance from it that has the point's residues.
        let (rounded, distance) = if is_lower {
            let rounded = ceil_div(&bound_value, a);
            let distance = floor_mod(&(self.value(target) - &rounded), &found.period);
            (rounded, distance)
        } else {
            let rounded = floor_quotient(&bound_value, a);
            let distance = -floor_mod(&(&rounded - self.value(target)), &found.period);
            (rounded, distance)
        };
        let value = &rounded + &distance;
        let equation = if *a > Int::from(ENUMERATED) && self.quotients < QUOTIENTS {
            // target = round(bound / a) + distance
            let quotient = self.rounded(terms, is_lower, a, bound, rounded);
            Row::single(target)
                .plus(&Int::NEG_ONE, &Row::single(quotient))
                .shifted(&-&distance)
        } else {
            // a * target = bound + the constant by which it differs
            let difference = a * &value - bound_value;
            bound
                .clone()
                .shifted(&difference)
                .combine(&Int::NEG_ONE, &Row::single(target), a)
        };
        self.set(target, value);
        self.substitute(target, equation);
    }

    /// A dimension for a bound divided and rounded up or down.
    fn rounded(&mut self, terms: &Terms, up: bool, a: &Int, bound: &Row, value: Int) -> Dim {
        self.quotients += 1;
        let last = a - Int::ONE;
        let numerator = if up {
            bound.clone().shifted(&last)
        } else {
            bound.clone()
        };
        if !self.has_target(&numerator) {
            let sum = terms.linear(&self.linear(terms, &numerator));
            return self.kept(terms.div(sum, a.clone()), value);
        }
        // 0 <= numerator - a * quotient <= a - 1
        let quotient = self.target(value);
        let rest = numerator.plus(&-a, &Row::single(quotient));
        self.push(Literal::AtMost(rest.times(&Int::NEG_ONE)));
        self.push(Literal::AtMost(rest.shifted(&-last)));
        quotient
    }

    /// Replaces a target by a number.
    fn fix(&mut self, target: Dim, value: Int) {
        let equation = Row::single(target).shifted(&-&value);
        self.set(target, value);
        self.substitute(target, equation);
    }

    fn value(&self, dim: Dim) -> Int {
        self.point.get(dim as usize).cloned().unwrap_or_default()
    }

    fn set(&mut self, dim: Dim, value: Int) {
        if let Some(place) = self.point.get_mut(dim as usize) {
            *place = value;
        }
    }
}

/// Whether the real shadow of the bounds is the integer one: in each pair a coefficient is one.
fn exact_pairs(found: &Occurrences) -> bool {
    found.all_lower().all(|(a, _)| a.is_one()) || found.all_upper().all(|(b, _)| b.is_one())
}

/// The quotient, rounded down.
fn floor_quotient(value: &Int, by: &Int) -> Int {
    crate::num::floor_div(value, by)
}
