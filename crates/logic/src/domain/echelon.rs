//! Gaussian elimination on integer rows, without fractions.

use std::cmp::Ordering;

use super::limits::Budget;
use super::scalar::{Scalar, Stop};

/// Independent rows in reduced echelon form: row `i` has a positive entry in column `pivots[i]`, where all others are zero.
/// The form is the same for every basis of the same space.
#[derive(Clone, Debug)]
pub(crate) struct Echelon<T> {
    pub(crate) rows: Vec<Vec<T>>,
    pub(crate) pivots: Vec<usize>,
}

impl<T: Scalar> Echelon<T> {
    /// The echelon form of the space that the rows span. Pivots are sought in the order of `columns`, which must name
    /// every column.
    pub(crate) fn new(
        rows: Vec<Vec<T>>,
        columns: impl Iterator<Item = usize>,
        budget: &mut Budget,
    ) -> Result<Self, Stop> {
        let mut pending = rows;
        let mut done: Vec<Vec<T>> = Vec::new();
        let mut pivots = Vec::new();
        for column in columns {
            let Some(found) = pending.iter().position(|row| !row[column].is_zero()) else {
                continue;
            };
            let mut pivot = pending.swap_remove(found);
            if pivot[column].sign() == Ordering::Less {
                T::negate(&mut pivot)?;
            }
            for row in done.iter_mut().chain(&mut pending) {
                clear(row, column, &pivot, budget)?;
            }
            done.push(pivot);
            pivots.push(column);
        }
        Ok(Echelon { rows: done, pivots })
    }

    /// The positive multiple of `row` plus an element of the space that is zero in all pivot columns: the canonical
    /// representative of the row modulo the space.
    pub(crate) fn reduce(&self, row: &mut Vec<T>, budget: &mut Budget) -> Result<(), Stop> {
        for (pivot, &column) in self.rows.iter().zip(&self.pivots) {
            clear(row, column, pivot, budget)?;
        }
        Ok(())
    }
}

/// Makes `row[column]` zero by means of `pivot`.
fn clear<T: Scalar>(
    row: &mut Vec<T>,
    column: usize,
    pivot: &[T],
    budget: &mut Budget,
) -> Result<(), Stop> {
    if row[column].is_zero() {
        return Ok(());
    }
    *row = T::cancel(
        row,
        &T::product_of(&row[column]),
        pivot,
        &T::product_of(&pivot[column]),
        budget,
    )?;
    Ok(())
}
