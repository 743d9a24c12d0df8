//! Elimination of the targets of a system.
//!
//! Equations come first: the target with the smallest coefficient is solved for, and a coefficient other than one leaves a congruence. Then
//! one target after the other, the cheapest way first:
//! - *unbounded*: on one side there is no bound, and far out there every bound and disequality holds; congruences are merged by the
//!   Chinese remainder theorem;
//! - *pairs*: every lower bound is at most every upper bound; exact if one coefficient of each pair is one;
//! - *rounded*: the target is put at the bound that is tightest at the point, divided and rounded, which is a quotient of terms that stay;
//! - *shadow*: pairs again, with as much room between the bounds as guarantees an integer, if the point has that room;
//! - *residue*: Cooper's virtual substitution, the tightest bound with the residue of the point: an equation again.
//!
//! Before the last three, congruences become equations with an unknown quotient. Each step implies the one before it,
//! and only the choice of a bound, of the room and of a residue is less than an equivalence; these choices are finitely
//! many, so finitely many points cover a projection. A residue is only fixed where other targets share the bound and
//! its coefficient is at most [`ENUMERATED`].

use crate::num::{Int, ceil_div, ext_gcd, floor_div, floor_mod, gcd, lcm};
use crate::term::Terms;

use super::literal::Literal;
use super::row::{Dim, Row};
use super::system::System;

/// Residues are fixed for coefficients up to this one only.
const ENUMERATED: u32 = 64;

/// Quotients that one elimination may introduce. Beyond, residues are fixed whatever their number, so that it ends.
const QUOTIENTS: usize = 48;

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

    /// Whether the real shadow of the bounds is the integer one: in each pair a coefficient is one.
    fn exact(&self) -> bool {
        self.all_lower().all(|(a, _)| a.is_one()) || self.all_upper().all(|(b, _)| b.is_one())
    }

    /// Whether between all bounds there is room enough at a point for an integer, whatever the residues.
    fn roomy(&self, point: &[Int]) -> bool {
        self.all_lower().all(|(a, low)| {
            self.all_upper()
                .all(|(b, high)| a * high.value(point) - b * low.value(point) >= room(a, b))
        })
    }
}

/// How far apart `b * low` and `a * high` must be so that an integer lies between `low / a` and `high / b` for sure.
fn room(a: &Int, b: &Int) -> Int {
    (a - Int::ONE) * (b - Int::ONE)
}

/// How a target is eliminated; the order is that of preference.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Way {
    Unbounded,
    Pairs,
    Rounded,
    Shadow,
    Residue,
}

/// A bound on which a target is put.
struct Choice<'a> {
    lower: bool,
    coefficient: &'a Int,
    bound: &'a Row,
    /// Whether the quotient of the bound is a term that stays.
    closed: bool,
    /// The number of bounds on that side.
    rivals: usize,
}

impl System {
    /// Eliminates all targets.
    pub(super) fn eliminate(&mut self, terms: &Terms, shadow: Shadow) {
        loop {
            self.tidy();
            if self.open.is_empty() {
                return;
            }
            if self.solve_equation() {
                continue;
            }
            match self.choose(shadow) {
                Some((target, Way::Unbounded)) => self.unbounded(target, shadow),
                Some((target, Way::Pairs | Way::Shadow)) => self.pairs(target, shadow),
                // The next rounds see the quotients instead.
                Some(_) if self.open_modulus() => {}
                Some((target, Way::Rounded | Way::Residue)) => self.point(terms, target),
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

    /// Replaces a congruence on targets by an equation or by bounds with a new unknown, the quotient; false if there is none.
    ///
    /// The coefficients of the equation are below the modulus, so solving it and coming back here is Euclid's algorithm: it ends.
    fn open_modulus(&mut self) -> bool {
        let congruence =
            |literal: &Literal| matches!(literal, Literal::Divides(..) | Literal::NotDivides(..));
        let Some(place) = self.open.iter().position(congruence) else {
            return false;
        };
        if self.quotients >= QUOTIENTS {
            return false;
        }
        self.quotients += 1;
        let literal = self.open.swap_remove(place);
        match literal {
            Literal::Divides(by, row) => {
                let value = floor_div(&row.value(&self.point), &by);
                let quotient = Row::single(self.target(value));
                self.push(Literal::Zero(row.plus(&-by, &quotient)));
            }
            // What is not even is odd.
            Literal::NotDivides(by, row) if by == Int::from(2) => {
                self.push(Literal::Divides(by, row.shifted(&Int::ONE)));
            }
            Literal::NotDivides(by, row) => {
                // 1 <= row - by * quotient <= by - 1
                let value = floor_div(&row.value(&self.point), &by);
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
                let (way, cost) = self.way(&found, shadow);
                (way, cost, target)
            })
            .min()
            .map(|(way, _, target)| (target, way))
    }

    /// How a target with these occurrences is eliminated best, and a measure of how many results that may have, or how large they are.
    fn way(&self, found: &Occurrences, shadow: Shadow) -> (Way, Int) {
        let (lower, upper) = (found.all_lower().count(), found.all_upper().count());
        let pairs = lower.saturating_mul(upper);
        if found.one_sided() {
            return (Way::Unbounded, Int::from(pairs));
        }
        if shadow == Shadow::Over {
            return (Way::Pairs, Int::from(pairs));
        }
        let few = found.without_period() && pairs <= lower + upper + GROWTH;
        if few && found.exact() {
            return (Way::Pairs, Int::from(pairs));
        }
        let Some(choice) = self.tightest(found) else {
            return (Way::Residue, Int::ZERO);
        };
        if choice.closed && choice.rivals == 1 {
            return (Way::Rounded, Int::from(pairs));
        }
        if few && found.roomy(&self.point) {
            return (Way::Shadow, Int::from(pairs));
        }
        if choice.closed {
            return (Way::Rounded, Int::from(choice.rivals));
        }
        let residues = choice.coefficient * &found.period * Int::from(choice.rivals);
        (Way::Residue, residues)
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

    /// Every lower bound is at most every upper bound, with room for an integer.
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
                let room = match shadow {
                    Shadow::Under => room(a, b),
                    Shadow::Over => Int::ZERO,
                };
                // low / a <= x <= high / b
                let gap = low.combine(b, high, &-a);
                self.push(Literal::AtMost(gap.shifted(&room)));
            }
        }
    }

    /// The bound to put a target at: the one that is tightest at the point, on the side that leaves fewer possibilities.
    fn tightest<'a>(&self, found: &'a Occurrences) -> Option<Choice<'a>> {
        let lower = found
            .all_lower()
            .max_by_key(|(a, low)| (ceil_div(&low.value(&self.point), a), -a));
        let upper = found
            .all_upper()
            .min_by_key(|(b, high)| (floor_div(&high.value(&self.point), b), b.clone()));
        let choice = |lower: bool, bound: &'a (Int, Row), rivals: usize| Choice {
            lower,
            coefficient: &bound.0,
            bound: &bound.1,
            closed: !self.has_target(&bound.1),
            rivals,
        };
        let below = lower.map(|bound| choice(true, bound, found.all_lower().count()));
        let above = upper.map(|bound| choice(false, bound, found.all_upper().count()));
        let residues = |choice: &Choice<'_>| {
            let each = if choice.closed {
                &Int::ONE
            } else {
                choice.coefficient
            };
            each * Int::from(choice.rivals)
        };
        match (below, above) {
            (Some(below), Some(above)) if residues(&above) < residues(&below) => Some(above),
            (below, above) => below.or(above),
        }
    }

    /// Puts a target at its tightest bound, plus what congruences that are left need.
    fn point(&mut self, terms: &Terms, target: Dim) {
        let found = self.occurrences(target);
        let Some(choice) = self.tightest(&found) else {
            return self.fix(target, self.value(target));
        };
        let (a, bound) = (choice.coefficient, choice.bound);
        let bound_value = bound.value(&self.point);
        // The last integer on this side, and the distance from it that has the point's residues.
        let (rounded, distance) = if choice.lower {
            let rounded = ceil_div(&bound_value, a);
            let distance = floor_mod(&(self.value(target) - &rounded), &found.period);
            (rounded, distance)
        } else {
            let rounded = floor_div(&bound_value, a);
            let distance = -floor_mod(&(&rounded - self.value(target)), &found.period);
            (rounded, distance)
        };
        let value = &rounded + &distance;
        let dear = *a > Int::from(ENUMERATED) && self.quotients < QUOTIENTS;
        let equation = if (choice.closed && !a.is_one()) || dear {
            // target = round(bound / a) + distance
            let quotient = self.rounded(terms, choice.lower, a, bound, rounded);
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
