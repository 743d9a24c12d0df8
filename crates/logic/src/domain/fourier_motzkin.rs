//! Projection of a conjunction of constraints.
//!
//! Equalities are used up by substitution first, and constraints that share no coordinate, not even through others, are
//! treated apart: conjunctions from programs are sparse. What is left is projected by its generators if these are few
//! ([`Polyhedron::forget`]), else by Fourier-Motzkin elimination, which is better where a polyhedron has many more vertices
//! than facets, as a hypercube has.
//!
//! Fourier-Motzkin elimination replaces the constraints on a coordinate by all pairs of a lower and an upper bound. Most of
//! those are redundant, and two things keep their number down:
//!
//! - *Histories* (S. N. Chernikov, 1963; D. A. Kohler, 1967): a constraint remembers from which original ones it was combined.
//!   After k coordinates it is redundant if these are more than k + 1, or if they include all those of another one.
//! - Linear programming, when the system has doubled nevertheless. What it drops must not be counted on by histories,
//!   so these start anew.

use dashu_base::Signed;

use super::limits::{Budget, DomainLimits, TooLarge};
use super::polyhedron::Polyhedron;
use super::scalar::Scalar;
use super::simplex::irredundant_within;
use super::{Constraint, Kind};
use crate::num::{Int, is_smaller, make_primitive};

/// Below this size the search for redundant constraints costs more than it saves.
const SMALL: usize = 16;

/// What the way by generators may cost before the other one is tried: some milliseconds.
const FEW_GENERATORS: DomainLimits = DomainLimits {
    rows: 500,
    work: 5_000_000,
    bits: 4_096,
};

/// The constraints, none redundant, that hold at `x` iff some rational values for the given coordinates of `x` make all the
/// given constraints hold. The dimension stays the same: the coefficients of the eliminated coordinates are zero.
///
/// If there is no solution, the answer is [`Constraint::never`] alone.
///
/// # Panics
/// If the constraints are not all of one dimension, or lack a dimension that is to go.
pub fn eliminate(
    constraints: &[Constraint],
    dimensions: &[usize],
    limits: &DomainLimits,
) -> Result<Vec<Constraint>, TooLarge> {
    let few_generators = DomainLimits {
        rows: limits.rows.min(FEW_GENERATORS.rows),
        work: limits.work.min(FEW_GENERATORS.work),
        bits: limits.bits.min(FEW_GENERATORS.bits),
    };
    each_part(constraints, dimensions, |part, gone| {
        by_generators(part, gone, &few_generators)
            .or_else(|TooLarge| combine_bounds(part, gone, limits))
            .or_else(|TooLarge| by_generators(part, gone, limits))
    })
}

fn by_generators(
    constraints: &[Constraint],
    dimensions: &[usize],
    limits: &DomainLimits,
) -> Result<Vec<Constraint>, TooLarge> {
    let all = constraints.first().map_or(0, Constraint::dimensions);
    Polyhedron::from_constraints(all, constraints.iter().cloned())
        .forget(dimensions, limits)?
        .constraints(limits)
}

/// [`eliminate`] without generators: by Fourier-Motzkin elimination alone.
///
/// # Panics
/// If the constraints are not all of one dimension, or lack a dimension that is to go.
pub fn eliminate_by_bounds(
    constraints: &[Constraint],
    dimensions: &[usize],
    limits: &DomainLimits,
) -> Result<Vec<Constraint>, TooLarge> {
    each_part(constraints, dimensions, |part, gone| {
        combine_bounds(part, gone, limits)
    })
}

/// Substitutes what equalities determine and projects each connected part of the rest by itself, on its own coordinates.
fn each_part(
    constraints: &[Constraint],
    dimensions: &[usize],
    project: impl Fn(&[Constraint], &[usize]) -> Result<Vec<Constraint>, TooLarge>,
) -> Result<Vec<Constraint>, TooLarge> {
    let Some(first) = constraints.first() else {
        return Ok(Vec::new());
    };
    let all = first.dimensions();
    let mut system = System::new(all, constraints);
    let mut gone = vec![false; all];
    for &dimension in dimensions {
        assert!(dimension < all, "no such dimension");
        gone[dimension] = true;
        system.substitute(dimension);
    }
    let rest = system.into_constraints();
    if rest
        .iter()
        .any(|constraint| constraint.is_trivial() == Some(false))
    {
        return Ok(vec![Constraint::never(all)]);
    }
    let mut result = Vec::new();
    for (coordinates, part) in connected_parts(all, rest) {
        let local = |constraint: &Constraint| {
            let coefficients = coordinates
                .iter()
                .map(|&index| &constraint.coefficients()[index]);
            Constraint::new(
                constraint.kind(),
                coefficients.cloned().collect(),
                constraint.constant().clone(),
            )
        };
        let local_part: Vec<Constraint> = part.iter().map(local).collect();
        let local_gone: Vec<usize> = (0..coordinates.len())
            .filter(|&index| gone[coordinates[index]])
            .collect();
        for constraint in project(&local_part, &local_gone)? {
            if constraint.is_trivial() == Some(false) {
                return Ok(vec![Constraint::never(all)]);
            }
            let mut coefficients = vec![Int::ZERO; all];
            for (&index, coefficient) in coordinates.iter().zip(constraint.coefficients()) {
                coefficients[index] = coefficient.clone();
            }
            result.push(Constraint::new(
                constraint.kind(),
                coefficients,
                constraint.constant().clone(),
            ));
        }
    }
    Ok(result)
}

/// The constraints grouped by the coordinates that occur, so that no coordinate occurs in two groups. Constraints without
/// coordinates are left out.
fn connected_parts(
    dimensions: usize,
    constraints: Vec<Constraint>,
) -> Vec<(Vec<usize>, Vec<Constraint>)> {
    let mut parts: Vec<(Vec<usize>, Vec<Constraint>)> = Vec::new();
    for constraint in constraints {
        let occurring: Vec<usize> = (0..dimensions)
            .filter(|&dimension| !constraint.coefficients()[dimension].is_zero())
            .collect();
        if occurring.is_empty() {
            continue;
        }
        let mut joined = (occurring, vec![constraint]);
        for part in std::mem::take(&mut parts) {
            if part.0.iter().any(|dimension| joined.0.contains(dimension)) {
                joined.0.extend(part.0);
                joined.1.extend(part.1);
            } else {
                parts.push(part);
            }
        }
        joined.0.sort_unstable();
        joined.0.dedup();
        parts.push(joined);
    }
    parts
}

fn combine_bounds(
    constraints: &[Constraint],
    dimensions: &[usize],
    limits: &DomainLimits,
) -> Result<Vec<Constraint>, TooLarge> {
    let Some(first) = constraints.first() else {
        return Ok(Vec::new());
    };
    let mut budget = Budget::new(limits);
    let mut system = System::new(first.dimensions(), constraints);
    let mut left = dimensions.to_vec();
    while let Some(position) = system.cheapest(&left) {
        let dimension = left.swap_remove(position);
        system.combine(dimension, &mut budget)?;
        system.shrink(&mut budget)?;
    }
    irredundant_within(&system.into_constraints(), &mut budget)
}

/// A constraint on its way, with the originals it was combined from.
struct Row {
    kind: Kind,
    /// The coefficients, then the constant.
    entries: Vec<Int>,
    history: Vec<u64>,
}

struct System {
    dimensions: usize,
    rows: Vec<Row>,
    /// How many dimensions were combined away since the histories began.
    steps: usize,
    /// How many rows there were when the histories began.
    size: usize,
}

impl System {
    fn new(dimensions: usize, constraints: &[Constraint]) -> Self {
        let words = constraints.len().div_ceil(64);
        let row = |(index, constraint): (usize, &Constraint)| {
            assert_eq!(constraint.dimensions(), dimensions, "dimensions differ");
            let mut entries = constraint.coefficients().to_vec();
            entries.push(constraint.constant().clone());
            let mut history = vec![0; words];
            history[index / 64] |= 1 << (index % 64);
            Row {
                kind: constraint.kind(),
                entries,
                history,
            }
        };
        System {
            dimensions,
            rows: constraints.iter().enumerate().map(row).collect(),
            steps: 0,
            size: constraints.len(),
        }
    }

    fn into_constraints(self) -> Vec<Constraint> {
        let to_constraint = |row: Row| {
            let mut coefficients = row.entries;
            let constant = coefficients.pop().unwrap_or_default();
            Constraint::new(row.kind, coefficients, constant)
        };
        self.rows.into_iter().map(to_constraint).collect()
    }

    /// Solves an equality for the dimension, if there is one with it, and puts the solution everywhere.
    fn substitute(&mut self, dimension: usize) {
        let equalities = self
            .rows
            .iter()
            .enumerate()
            .filter(|(_, row)| row.kind == Kind::Eq && !row.entries[dimension].is_zero());
        // The smallest coefficient keeps the others small.
        let best = equalities.reduce(|best, next| {
            let smaller = is_smaller(&next.1.entries[dimension], &best.1.entries[dimension]);
            if smaller { next } else { best }
        });
        let Some((index, _)) = best else {
            return;
        };
        let solved = self.rows.swap_remove(index);
        for row in &mut self.rows {
            if !row.entries[dimension].is_zero() {
                row.entries = cancelled(&row.entries, &solved.entries, dimension);
            }
        }
    }

    /// The position in `candidates` of the dimension whose elimination adds the fewest rows.
    fn cheapest(&self, candidates: &[usize]) -> Option<usize> {
        (0..candidates.len()).min_by_key(|&position| {
            let (lower, upper) = self.bounds(candidates[position]);
            let (lower, upper) = (lower.len() as i128, upper.len() as i128);
            lower * upper - lower - upper
        })
    }

    /// The rows that bound the dimension from below and from above.
    fn bounds(&self, dimension: usize) -> (Vec<usize>, Vec<usize>) {
        let mut bounds = (Vec::new(), Vec::new());
        for (index, row) in self.rows.iter().enumerate() {
            let entry = &row.entries[dimension];
            if entry.is_positive() {
                bounds.0.push(index);
            } else if entry.is_negative() {
                bounds.1.push(index);
            }
        }
        bounds
    }

    /// Replaces the rows with the dimension, all of them inequalities, by their combinations without it.
    fn combine(&mut self, dimension: usize, budget: &mut Budget) -> Result<(), TooLarge> {
        let (lower, upper) = self.bounds(dimension);
        if lower.is_empty() && upper.is_empty() {
            return Ok(());
        }
        self.steps += 1;
        let mut born = Vec::new();
        for &low in &lower {
            for &high in &upper {
                let (low, high) = (&self.rows[low], &self.rows[high]);
                budget.spend(low.history.len())?;
                let history: Vec<u64> = low
                    .history
                    .iter()
                    .zip(&high.history)
                    .map(|(a, b)| a | b)
                    .collect();
                if members(&history) > self.steps + 1 {
                    continue;
                }
                budget.spend(low.entries.len() * Int::COST)?;
                let entries = cancelled(&low.entries, &high.entries, dimension);
                budget.check_bits(&entries)?;
                born.push(Row {
                    kind: Kind::Ge,
                    entries,
                    history,
                });
                budget.check_rows(self.rows.len() + born.len())?;
            }
        }
        self.rows.retain(|row| row.entries[dimension].is_zero());
        self.rows.append(&mut born);
        self.drop_dependent(budget)
    }

    /// Drops every row whose history includes that of another one.
    fn drop_dependent(&mut self, budget: &mut Budget) -> Result<(), TooLarge> {
        let mut order: Vec<(usize, Row)> = self
            .rows
            .drain(..)
            .map(|row| (members(&row.history), row))
            .collect();
        order.sort_by_key(|(size, _)| *size);
        for (_, row) in order {
            budget.spend(self.rows.len() * row.history.len())?;
            // Equalities came unchanged from the start and are not part of the argument.
            let dependent = row.kind == Kind::Ge
                && self
                    .rows
                    .iter()
                    .any(|other| other.kind == Kind::Ge && includes(&row.history, &other.history));
            if !dependent {
                self.rows.push(row);
            }
        }
        Ok(())
    }

    /// Removes redundant rows by linear programming once the system has doubled.
    fn shrink(&mut self, budget: &mut Budget) -> Result<(), TooLarge> {
        if self.rows.len() <= SMALL.max(2 * self.size) {
            return Ok(());
        }
        let rows = std::mem::replace(self, System::new(self.dimensions, &[]));
        let kept = irredundant_within(&rows.into_constraints(), budget)?;
        *self = System::new(self.dimensions, &kept);
        Ok(())
    }
}

/// A positive multiple of `row` plus the multiple of `other` that has no entry for the dimension. For two inequalities the
/// signs of the two entries differ, so that the second multiple is positive too.
fn cancelled(row: &[Int], other: &[Int], dimension: usize) -> Vec<Int> {
    let (own, theirs) = (&row[dimension], &other[dimension]);
    let (factor, counter) = if theirs.is_negative() {
        (-theirs, own.clone())
    } else {
        (theirs.clone(), -own)
    };
    let mut entries: Vec<Int> = row
        .iter()
        .zip(other)
        .map(|(x, y)| &factor * x + &counter * y)
        .collect();
    make_primitive(&mut entries);
    entries
}

fn members(set: &[u64]) -> usize {
    set.iter().map(|word| word.count_ones() as usize).sum()
}

fn includes(whole: &[u64], part: &[u64]) -> bool {
    whole
        .iter()
        .zip(part)
        .all(|(whole, part)| part & !whole == 0)
}
