//! Projection of a part of a polyhedron that contains a given point.
//!
//! Instead of all pairs of a lower and an upper bound, only the greatest lower bound at the point takes the place of a coordinate (R. Loos,
//! V. Weispfenning, 1993). The system never grows, and over all points there are finitely many results, which cover the projection.

use std::cmp::Ordering;

use crate::domain::{Constraint, Kind};
use crate::num::{Int, dot};

/// Constraints on the first coordinates alone. A point that satisfies them can be completed to one that satisfies the
/// given ones; the given point, which does, satisfies them.
pub(super) fn eliminate(
    constraints: &[Constraint],
    wanted: usize,
    point: &[Int],
) -> Vec<Constraint> {
    let mut system = constraints.to_vec();
    let mut left: Vec<usize> = (wanted..point.len()).collect();
    // What equalities determine goes first: that loses nothing.
    left.retain(|&column| {
        let determines =
            |row: &Constraint| row.kind() == Kind::Eq && entry(row, column) != Int::ZERO;
        match system.iter().position(determines) {
            Some(place) => {
                let pivot = system.swap_remove(place);
                system = substituted(&system, &pivot, column);
                false
            }
            None => true,
        }
    });
    for column in left {
        let lower = |row: &&Constraint| entry(row, column) > Int::ZERO;
        let greatest = system
            .iter()
            .filter(lower)
            .max_by(|a, b| compare_bounds(a, b, column, point))
            .cloned();
        let has_upper = system.iter().any(|row| entry(row, column) < Int::ZERO);
        match greatest {
            Some(pivot) if has_upper => system = substituted(&system, &pivot, column),
            _ => system.retain(|row| entry(row, column).is_zero()),
        }
    }
    system
}

fn entry(row: &Constraint, column: usize) -> Int {
    row.coefficients().get(column).cloned().unwrap_or_default()
}

/// Compares the lower bounds that two constraints give for the coordinate at the point: at `p` its value minus the slack over the
/// coefficient, so the greater bound has the smaller slack.
fn compare_bounds(a: &Constraint, b: &Constraint, column: usize, point: &[Int]) -> Ordering {
    let slack = |row: &Constraint| dot(row.coefficients(), point) + row.constant();
    (slack(b) * entry(a, column)).cmp(&(slack(a) * entry(b, column)))
}

/// The constraints with the value that makes the pivot zero in place of the coordinate.
fn substituted(system: &[Constraint], pivot: &Constraint, column: usize) -> Vec<Constraint> {
    let head = entry(pivot, column);
    let (scale, sign) = if head < Int::ZERO {
        (-head, Int::NEG_ONE)
    } else {
        (head, Int::ONE)
    };
    let replace = |row: &Constraint| {
        let factor = entry(row, column) * &sign;
        if factor.is_zero() {
            return row.clone();
        }
        let pairs = row.coefficients().iter().zip(pivot.coefficients());
        let coefficients = pairs.map(|(a, b)| a * &scale - b * &factor).collect();
        let constant = row.constant() * &scale - pivot.constant() * &factor;
        Constraint::new(row.kind(), coefficients, constant)
    };
    let rows = system.iter().map(replace);
    rows.filter(|row| row.is_trivial() != Some(true)).collect()
}
