//! Linear programming for conjunctions of constraints: satisfiability, entailment, redundancy.
//!
//! The general simplex method: every constraint is a variable that is a linear form of the coordinates and has a bound.
//! An assignment of the free variables is repaired, pivot by pivot (Bland's rule, so it ends), until all bounds hold
//! or one is seen to contradict the others. Polynomial in practice where a double description would be exponential.
//!
//! B. Dutertre, L. de Moura: A fast linear-arithmetic solver for DPLL(T), CAV 2006.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use dashu_base::Signed;

use super::limits::{Budget, Limits, TooLarge};
use super::{Constraint, Kind};
use crate::num::{Int, Rat, divide_exact, gcd_of, ratio};

/// Whether some rational point satisfies all the constraints.
pub fn is_satisfiable(constraints: &[Constraint], limits: &Limits) -> Result<bool, TooLarge> {
    let mut budget = Budget::new(limits);
    Program::new(constraints).has_point(&mut budget)
}

/// Whether every rational point that satisfies the constraints satisfies the conclusion too.
///
/// # Panics
/// If the conclusion is of another dimension.
pub fn entails(
    constraints: &[Constraint],
    conclusion: &Constraint,
    limits: &Limits,
) -> Result<bool, TooLarge> {
    let mut budget = Budget::new(limits);
    let mut all = constraints.to_vec();
    all.push(conclusion.clone());
    let last = constraints.len();
    let mut program = Program::new(&all);
    program.set_bounds(last, Bounds::FREE);
    if !program.has_point(&mut budget)? {
        return Ok(true);
    }
    let below = program.allows(last, Bounds::at_most(-1), &mut budget)?;
    let above =
        conclusion.kind() == Kind::Eq && program.allows(last, Bounds::at_least(1), &mut budget)?;
    Ok(!below && !above)
}

/// The same set of points by some of the constraints, none of which follows from the others; equalities are all kept.
/// [`Constraint::never`] alone if there is no point.
pub fn irredundant(
    constraints: &[Constraint],
    limits: &Limits,
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
    let mut program = Program::new(&candidates);
    if !program.has_point(budget)? {
        return Ok(vec![Constraint::never(dimensions)]);
    }
    let mut kept = Vec::new();
    for (index, constraint) in candidates.into_iter().enumerate() {
        let needed =
            constraint.kind() == Kind::Eq || program.allows(index, Bounds::at_most(-1), budget)?;
        if needed {
            program.set_bounds(index, Bounds::of(constraint.kind()));
            kept.push(constraint);
        } else {
            program.set_bounds(index, Bounds::FREE);
        }
    }
    Ok(kept)
}

/// Drops what a parallel constraint makes superfluous: cheap, and in projections most of what is redundant.
fn tightest_of_each_direction(constraints: &[Constraint]) -> Vec<Constraint> {
    let mut chosen: Vec<Constraint> = Vec::new();
    let mut by_direction: BTreeMap<(Kind, Vec<Int>), usize> = BTreeMap::new();
    for constraint in constraints {
        if constraint.is_trivial().is_some() {
            continue;
        }
        let mut direction = constraint.coefficients().to_vec();
        divide_exact(&mut direction, &gcd_of(constraint.coefficients()));
        let next = chosen.len();
        let slot = match constraint.kind() {
            Kind::Ge => *by_direction.entry((Kind::Ge, direction)).or_insert(next),
            Kind::Eq => next,
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

#[derive(Clone, Debug)]
struct Bounds {
    lower: Option<Rat>,
    upper: Option<Rat>,
}

impl Bounds {
    const FREE: Bounds = Bounds {
        lower: None,
        upper: None,
    };

    fn at_most(value: i8) -> Self {
        Bounds {
            lower: None,
            upper: Some(Rat::from(value)),
        }
    }

    fn at_least(value: i8) -> Self {
        Bounds {
            lower: Some(Rat::from(value)),
            upper: None,
        }
    }

    fn of(kind: Kind) -> Self {
        Bounds {
            lower: Some(Rat::ZERO),
            upper: (kind == Kind::Eq).then_some(Rat::ZERO),
        }
    }

    /// How far a value has to move to be within bounds.
    fn correction(&self, value: &Rat) -> Option<Rat> {
        match (&self.lower, &self.upper) {
            (Some(lower), _) if value < lower => Some(lower - value),
            (_, Some(upper)) if value > upper => Some(upper - value),
            _ => None,
        }
    }

    /// Whether a value may grow (or fall, for a negative direction).
    fn has_room(&self, value: &Rat, upwards: bool) -> bool {
        if upwards {
            self.upper.as_ref().is_none_or(|upper| value < upper)
        } else {
            self.lower.as_ref().is_none_or(|lower| value > lower)
        }
    }
}

/// The constraints in homogeneous form `a.x + c*t`, `t >= 0`. Then "is below zero somewhere" is the closed condition "is at
/// most -1", for points (t > 0) and directions (t = 0) alike.
///
/// Variables are `t`, the coordinates, and one per constraint, in this order.
struct Program {
    width: usize,
    bounds: Vec<Bounds>,
    values: Vec<Rat>,
    /// `denominator * variable[basic] = sum of entries[j] * variable[columns[j]]`
    rows: Vec<TableauRow>,
    columns: Vec<usize>,
}

struct TableauRow {
    basic: usize,
    denominator: Int,
    entries: Vec<Int>,
}

impl Program {
    fn new(constraints: &[Constraint]) -> Self {
        let width = constraints.first().map_or(0, Constraint::dimensions) + 1;
        let mut bounds = vec![Bounds::FREE; width];
        bounds[0] = Bounds::at_least(0);
        bounds.extend(
            constraints
                .iter()
                .map(|constraint| Bounds::of(constraint.kind())),
        );
        let row = |(index, constraint): (usize, &Constraint)| {
            assert_eq!(constraint.dimensions() + 1, width, "dimensions differ");
            TableauRow {
                basic: width + index,
                denominator: Int::ONE,
                entries: constraint.to_row(),
            }
        };
        Program {
            width,
            values: vec![Rat::ZERO; bounds.len()],
            bounds,
            rows: constraints.iter().enumerate().map(row).collect(),
            columns: (0..width).collect(),
        }
    }

    fn set_bounds(&mut self, constraint: usize, bounds: Bounds) {
        self.bounds[self.width + constraint] = bounds;
    }

    /// Whether the constraints have a common point.
    fn has_point(&mut self, budget: &mut Budget) -> Result<bool, TooLarge> {
        self.bounds[0] = Bounds::at_least(1);
        let found = self.solve(budget)?;
        self.bounds[0] = Bounds::at_least(0);
        Ok(found)
    }

    /// Whether the form of one constraint can be within other bounds than its own while all other constraints hold. The new
    /// bounds stay.
    fn allows(
        &mut self,
        constraint: usize,
        bounds: Bounds,
        budget: &mut Budget,
    ) -> Result<bool, TooLarge> {
        self.set_bounds(constraint, bounds);
        self.solve(budget)
    }

    /// Moves the values within all bounds, or says that there are no such values.
    fn solve(&mut self, budget: &mut Budget) -> Result<bool, TooLarge> {
        for column in 0..self.columns.len() {
            let variable = self.columns[column];
            if let Some(step) = self.bounds[variable].correction(&self.values[variable]) {
                self.shift(column, &step);
            }
        }
        loop {
            budget.spend(self.rows.len() * self.width)?;
            // Bland: the violated variable with the least number, and the first that can help.
            let violated = self
                .rows
                .iter()
                .enumerate()
                .filter_map(|(index, row)| {
                    let step = self.bounds[row.basic].correction(&self.values[row.basic])?;
                    Some((row.basic, index, step))
                })
                .min_by_key(|(variable, _, _)| *variable);
            let Some((_, index, step)) = violated else {
                return Ok(true);
            };
            let row = &self.rows[index];
            let helpful = (0..self.columns.len())
                .filter(|&column| {
                    let entry = &row.entries[column];
                    let variable = self.columns[column];
                    let upwards = entry.is_positive() == step.is_positive();
                    !entry.is_zero()
                        && self.bounds[variable].has_room(&self.values[variable], upwards)
                })
                .min_by_key(|&column| self.columns[column]);
            let Some(column) = helpful else {
                return Ok(false);
            };
            let move_by = step * ratio(row.denominator.clone(), row.entries[column].clone());
            self.shift(column, &move_by);
            self.pivot(index, column, budget)?;
        }
    }

    /// Moves a variable that is not basic, and with it the basic ones.
    fn shift(&mut self, column: usize, step: &Rat) {
        self.values[self.columns[column]] += step;
        for row in &self.rows {
            let entry = &row.entries[column];
            if !entry.is_zero() {
                let slope = ratio(entry.clone(), row.denominator.clone());
                self.values[row.basic] += slope * step;
            }
        }
    }

    /// Exchanges the basic variable of a row with the one of a column.
    fn pivot(&mut self, index: usize, column: usize, budget: &mut Budget) -> Result<(), TooLarge> {
        let mut row = self.rows.swap_remove(index);
        let leaving = row.basic;
        // d*b = e*x + rest  becomes  e*x = d*b - rest
        let mut denominator = row.entries[column].clone();
        for entry in &mut row.entries {
            *entry = -std::mem::take(entry);
        }
        row.entries[column] = row.denominator.clone();
        if denominator.is_negative() {
            denominator = -denominator;
            row.entries
                .iter_mut()
                .for_each(|entry| *entry = -std::mem::take(entry));
        }
        row.denominator = denominator;
        row.basic = self.columns[column];
        row.normalise();
        self.columns[column] = leaving;
        budget.spend(self.rows.len() * self.width)?;
        for other in &mut self.rows {
            let factor = std::mem::take(&mut other.entries[column]);
            if factor.is_zero() {
                continue;
            }
            for (entry, substitute) in other.entries.iter_mut().zip(&row.entries) {
                *entry = &*entry * &row.denominator + &factor * substitute;
            }
            other.denominator *= &row.denominator;
            other.normalise();
            budget.check_bits(&other.entries)?;
        }
        self.rows.push(row);
        Ok(())
    }
}

impl TableauRow {
    fn normalise(&mut self) {
        let common = gcd_of(std::iter::once(&self.denominator).chain(&self.entries));
        divide_exact(&mut self.entries, &common);
        self.denominator /= &common;
    }
}
