//! Linear programming for conjunctions of constraints: satisfiability, entailment, redundancy.
//!
//! The general simplex method: every constraint is a variable that is a linear form of the coordinates and has a bound.
//! An assignment of the free variables is repaired, pivot by pivot (Bland's rule, so it ends), until all bounds hold
//! or one is seen to contradict the others. Polynomial in practice where a double description would be exponential.
//!
//! B. Dutertre, L. de Moura: A fast linear-arithmetic solver for DPLL(T), CAV 2006.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use super::limits::{Budget, DomainLimits, TooLarge};
use super::scalar::{Scalar, Stop, on_the_smallest_numbers};
use super::{Constraint, Kind};
use crate::num::{Int, divide_exact, gcd_of};

/// Whether some rational point satisfies all the constraints.
///
/// # Panics
/// If the constraints are not all of one dimension.
pub fn is_satisfiable(constraints: &[Constraint], limits: &DomainLimits) -> Result<bool, TooLarge> {
    fn decide<T: Scalar>(system: &[Constraint], budget: &mut Budget) -> Result<bool, Stop> {
        Program::<T>::new(system)?.has_point(budget)
    }
    on_the_smallest_numbers(
        |budget| decide::<i64>(constraints, budget),
        |budget| decide::<Int>(constraints, budget),
        &mut Budget::new(limits),
    )
}

/// Whether every rational point that satisfies the constraints satisfies the conclusion too.
///
/// # Panics
/// If the constraints and the conclusion are not all of one dimension.
pub fn entails(
    constraints: &[Constraint],
    conclusion: &Constraint,
    limits: &DomainLimits,
) -> Result<bool, TooLarge> {
    let mut all = constraints.to_vec();
    all.push(conclusion.clone());
    on_the_smallest_numbers(
        |budget| last_follows::<i64>(&all, budget),
        |budget| last_follows::<Int>(&all, budget),
        &mut Budget::new(limits),
    )
}

/// Whether the last constraint follows from the others.
fn last_follows<T: Scalar>(system: &[Constraint], budget: &mut Budget) -> Result<bool, Stop> {
    let Some((conclusion, constraints)) = system.split_last() else {
        return Ok(true);
    };
    let last = constraints.len();
    let mut program = Program::<T>::new(system)?;
    program.set_bounds(last, Bounds::FREE);
    if !program.has_point(budget)? {
        return Ok(true);
    }
    program.set_bounds(last, Bounds::BELOW);
    if program.solve(budget)? {
        return Ok(false);
    }
    program.set_bounds(last, Bounds::ABOVE);
    Ok(conclusion.kind() == Kind::Ge || !program.solve(budget)?)
}

/// The same set of points by some of the constraints, none of which follows from the others; equalities are all kept.
/// [`Constraint::never`] alone if there is no point.
///
/// # Panics
/// If the constraints are not all of one dimension.
pub fn irredundant(
    constraints: &[Constraint],
    limits: &DomainLimits,
) -> Result<Vec<Constraint>, TooLarge> {
    irredundant_within(constraints, &mut Budget::new(limits))
}

pub(crate) fn irredundant_within(
    constraints: &[Constraint],
    budget: &mut Budget,
) -> Result<Vec<Constraint>, TooLarge> {
    let Some(dimensions) = constraints.first().map(Constraint::dimensions) else {
        return Ok(Vec::new());
    };
    if constraints
        .iter()
        .any(|constraint| constraint.is_trivial() == Some(false))
    {
        return Ok(vec![Constraint::never(dimensions)]);
    }
    let candidates = tightest_of_each_direction(constraints);
    budget.check_rows(candidates.len())?;
    let needed = on_the_smallest_numbers(
        |budget| needed::<i64>(&candidates, budget),
        |budget| needed::<Int>(&candidates, budget),
        budget,
    )?;
    Ok(match needed {
        None => vec![Constraint::never(dimensions)],
        Some(needed) => {
            let chosen = candidates
                .into_iter()
                .zip(needed)
                .filter(|(_, needed)| *needed);
            chosen.map(|(constraint, _)| constraint).collect()
        }
    })
}

/// For each constraint whether it is an equality, or does not follow from the needed ones before it and all after it; `None`
/// if they have no common point.
fn needed<T: Scalar>(
    constraints: &[Constraint],
    budget: &mut Budget,
) -> Result<Option<Vec<bool>>, Stop> {
    let mut program = Program::<T>::new(constraints)?;
    if !program.has_point(budget)? {
        return Ok(None);
    }
    let mut answers = Vec::with_capacity(constraints.len());
    for (index, constraint) in constraints.iter().enumerate() {
        let mut is_needed = constraint.kind() == Kind::Eq;
        if !is_needed {
            program.set_bounds(index, Bounds::BELOW);
            is_needed = program.solve(budget)?;
            program.set_bounds(
                index,
                if is_needed {
                    Bounds::of(Kind::Ge)
                } else {
                    Bounds::FREE
                },
            );
        }
        answers.push(is_needed);
    }
    Ok(Some(answers))
}

/// Drops what a parallel constraint makes superfluous: cheap, and in projections most of what is redundant.
fn tightest_of_each_direction(constraints: &[Constraint]) -> Vec<Constraint> {
    let mut chosen: Vec<Constraint> = Vec::new();
    let mut by_direction: BTreeMap<Vec<Int>, usize> = BTreeMap::new();
    for constraint in constraints {
        if constraint.is_trivial().is_some() {
            continue;
        }
        let next = chosen.len();
        let slot = match constraint.kind() {
            Kind::Eq => next,
            Kind::Ge => {
                let mut direction = constraint.coefficients().to_vec();
                divide_exact(&mut direction, &gcd_of(constraint.coefficients()));
                *by_direction.entry(direction).or_insert(next)
            }
        };
        match chosen.get_mut(slot) {
            None => chosen.push(constraint.clone()),
            Some(old) => {
                if constraint.compare_parallel(old) == Some(Ordering::Less) {
                    *old = constraint.clone();
                }
            }
        }
    }
    chosen
}

/// The bounds of a variable: -1, 0 and 1 are all that is needed.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    lower: Option<i8>,
    upper: Option<i8>,
}

impl Bounds {
    const FREE: Bounds = Bounds {
        lower: None,
        upper: None,
    };
    const BELOW: Bounds = Bounds {
        lower: None,
        upper: Some(-1),
    };
    const ABOVE: Bounds = Bounds {
        lower: Some(1),
        upper: None,
    };

    fn of(kind: Kind) -> Self {
        Bounds {
            lower: Some(0),
            upper: (kind == Kind::Eq).then_some(0),
        }
    }
}

/// The constraints in homogeneous form `a.x + c*t`, `t >= 0`. Then "is below zero somewhere" is the closed condition "is at
/// most -1", for points (t > 0) and directions (t = 0) alike.
///
/// Variables are `t`, the coordinates that occur, and one per constraint, in this order. Those that are not basic always have
/// one of the values -1, 0 and 1, since a variable leaves the basis at a bound; the values of the others follow.
struct Program<T> {
    /// The number of the first constraint.
    first: usize,
    bounds: Vec<Bounds>,
    /// Which variable each column stands for.
    columns: Vec<usize>,
    /// The values of the columns, with a place in front for the bound to compare with.
    at: Vec<T>,
    /// Which variable each row stands for.
    basic: Vec<usize>,
    /// `denominator, entries`: the denominator, which is positive, times the variable is the sum of the entries times the
    /// variables of the columns.
    rows: Vec<Vec<T>>,
}

impl<T: Scalar> Program<T> {
    fn new(constraints: &[Constraint]) -> Result<Self, Stop> {
        let dimensions = constraints.first().map_or(0, Constraint::dimensions);
        let occurring: Vec<usize> = (0..dimensions)
            .filter(|&dimension| {
                let occurs = |constraint: &Constraint| {
                    assert_eq!(constraint.dimensions(), dimensions, "dimensions differ");
                    !constraint.coefficients()[dimension].is_zero()
                };
                constraints.iter().any(occurs)
            })
            .collect();
        let first = occurring.len() + 1;
        let row = |constraint: &Constraint| -> Result<Vec<T>, Stop> {
            let coefficients = occurring
                .iter()
                .map(|&index| &constraint.coefficients()[index]);
            let entries = std::iter::once(constraint.constant()).chain(coefficients);
            std::iter::once(Ok(T::small(1)))
                .chain(entries.map(T::from_int))
                .collect()
        };
        let mut bounds = vec![Bounds::FREE; first];
        bounds[0] = Bounds::of(Kind::Ge);
        bounds.extend(
            constraints
                .iter()
                .map(|constraint| Bounds::of(constraint.kind())),
        );
        Ok(Program {
            first,
            bounds,
            columns: (0..first).collect(),
            at: vec![T::small(0); first + 1],
            basic: (first..first + constraints.len()).collect(),
            rows: constraints.iter().map(row).collect::<Result<_, _>>()?,
        })
    }

    fn set_bounds(&mut self, constraint: usize, bounds: Bounds) {
        self.bounds[self.first + constraint] = bounds;
    }

    /// Whether the constraints have a common point.
    fn has_point(&mut self, budget: &mut Budget) -> Result<bool, Stop> {
        self.bounds[0] = Bounds::ABOVE;
        let found = self.solve(budget)?;
        self.bounds[0] = Bounds::of(Kind::Ge);
        Ok(found)
    }

    /// Moves the values within all bounds, or says that there are no such values.
    fn solve(&mut self, budget: &mut Budget) -> Result<bool, Stop> {
        for (variable, value) in self.columns.iter().zip(&mut self.at[1..]) {
            let bounds = self.bounds[*variable];
            if let Some(lower) = bounds.lower.map(T::small).filter(|lower| &*value < lower) {
                *value = lower;
            } else if let Some(upper) = bounds.upper.map(T::small).filter(|upper| &*value > upper) {
                *value = upper;
            }
        }
        loop {
            budget.spend(self.rows.len() * self.columns.len())?;
            let Some((row, bound, upwards)) = self.violated()? else {
                return Ok(true);
            };
            let Some(column) = self.helpful(row, upwards) else {
                return Ok(false);
            };
            self.pivot(row, column, budget)?;
            self.at[column + 1] = T::small(bound);
        }
    }

    /// The row of the violated variable with the least number (Bland's rule), the bound, and whether it must grow.
    fn violated(&mut self) -> Result<Option<(usize, i8, bool)>, Stop> {
        let mut found: Option<(usize, i8, bool)> = None;
        for (row, entries) in self.rows.iter().enumerate() {
            let variable = self.basic[row];
            if found.is_some_and(|(other, ..)| self.basic[other] < variable) {
                continue;
            }
            let bounds = self.bounds[variable];
            let sides = [
                (bounds.lower, Ordering::Less),
                (bounds.upper, Ordering::Greater),
            ];
            for (bound, wrong) in sides {
                let Some(bound) = bound else { continue };
                self.at[0] = T::small(-bound);
                if T::product_sign(&T::dot(entries, &self.at)?) == wrong {
                    found = Some((row, bound, wrong == Ordering::Less));
                }
            }
        }
        Ok(found)
    }

    /// The column of the first variable that can move so that the variable of the row moves as wanted.
    fn helpful(&self, row: usize, upwards: bool) -> Option<usize> {
        let entries = &self.rows[row][1..];
        let can_help = |column: &usize| {
            let (bounds, value) = (self.bounds[self.columns[*column]], &self.at[column + 1]);
            match (entries[*column].sign(), upwards) {
                (Ordering::Equal, _) => false,
                (Ordering::Greater, true) | (Ordering::Less, false) => {
                    bounds.upper.is_none_or(|upper| *value < T::small(upper))
                }
                _ => bounds.lower.is_none_or(|lower| *value > T::small(lower)),
            }
        };
        (0..entries.len())
            .filter(can_help)
            .min_by_key(|&column| self.columns[column])
    }

    /// Exchanges the basic variable of a row with the variable of a column.
    fn pivot(&mut self, index: usize, column: usize, budget: &mut Budget) -> Result<(), Stop> {
        let place = column + 1;
        // d*b = e*x + rest is used as 0*y = e*x + rest - d*b to take x out of the other rows; its own solution is
        // e*x = d*b - rest.
        let mut solved = std::mem::take(&mut self.rows[index]);
        let mut denominator = std::mem::replace(&mut solved[0], T::small(0));
        let slope = T::product_of(&solved[place]);
        T::negate(std::slice::from_mut(&mut denominator))?;
        solved.push(denominator);
        for row in self.rows.iter_mut().filter(|row| !row.is_empty()) {
            if row[place].is_zero() {
                continue;
            }
            let own = T::product_of(&row[place]);
            row.push(T::small(0));
            *row = T::cancel(row, &own, &solved, &slope, budget)?;
            row.swap_remove(place);
        }
        let coefficient = std::mem::replace(&mut solved[place], T::small(0));
        let positive = coefficient.sign() == Ordering::Greater;
        solved[0] = coefficient;
        if positive {
            T::negate(&mut solved[1..])?;
        } else {
            T::negate(&mut solved[..1])?;
        }
        solved.swap_remove(place);
        self.rows[index] = solved;
        std::mem::swap(&mut self.basic[index], &mut self.columns[column]);
        Ok(())
    }
}
