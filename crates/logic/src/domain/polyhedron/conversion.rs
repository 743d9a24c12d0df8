//! The double description method: Chernikova's algorithm with Le Verge's improvements.
//!
//! A constraint is added to a cone given by lines and extreme rays. If some line leaves its boundary, that line turns into a
//! ray and everything else is moved along it onto the boundary. Otherwise the rays on the wrong side go, and a new ray
//! arises on the boundary between each *adjacent* pair of a good and a bad ray. Two extreme rays are adjacent iff no
//! third one saturates all the inequalities that both saturate; the saturation matrix makes this a scan over bit sets.
//!
//! H. Le Verge: A note on Chernikova's algorithm, 1992. K. Fukuda, A. Prodon: Double description method revisited, 1996.

use std::cmp::Ordering;

use super::bits::{self, BitMatrix};
use super::cone::{Cone, Side};
use crate::domain::Kind;
use crate::domain::echelon::Echelon;
use crate::domain::limits::{Budget, DomainLimits, TooLarge};
use crate::domain::scalar::{Scalar, Stop, on_the_smallest_numbers};
use crate::num::Int;

/// A constraint or generator to add: an equality or line, or an inequality or ray.
#[derive(Clone, Debug)]
pub(crate) struct Addition {
    pub(crate) kind: Kind,
    pub(crate) row: Vec<Int>,
}

impl Cone {
    /// The part of the cone where the constraints hold; `None` if it contains no point, that is, no ray whose first
    /// coordinate is positive.
    pub(crate) fn with_constraints(
        &self,
        additions: &[Addition],
        limits: &DomainLimits,
    ) -> Result<Option<Cone>, TooLarge> {
        on_the_smallest_numbers(
            |budget| extend::<i64>(self, additions, true, budget),
            |budget| extend::<Int>(self, additions, true, budget),
            &mut Budget::new(limits),
        )
    }

    /// The smallest cone that contains this one and the generators.
    pub(crate) fn with_generators(
        &self,
        additions: &[Addition],
        limits: &DomainLimits,
    ) -> Result<Cone, TooLarge> {
        let dual = self.clone().dual();
        let extended = on_the_smallest_numbers(
            |budget| extend::<i64>(&dual, additions, false, budget),
            |budget| extend::<Int>(&dual, additions, false, budget),
            &mut Budget::new(limits),
        )?;
        Ok(extended.unwrap_or(dual).dual())
    }
}

fn extend<T: Scalar>(
    cone: &Cone,
    additions: &[Addition],
    needs_point: bool,
    budget: &mut Budget,
) -> Result<Option<Cone>, Stop> {
    let mut description = Description::<T>::new(cone, additions.len())?;
    for addition in sorted(additions) {
        let row = convert(&addition.row)?;
        let changed = match addition.kind {
            Kind::Eq => description.insert_equality(row, budget)?,
            Kind::Ge => description.insert_inequality(row, budget)?,
        };
        if needs_point && changed && !description.has_point() {
            return Ok(None);
        }
    }
    description.finish(budget).map(Some)
}

/// Equalities first, since each makes the rest smaller, and inequalities in lexicographic order, which keeps the
/// intermediate cones small in practice.
fn sorted(additions: &[Addition]) -> Vec<&Addition> {
    let mut order: Vec<&Addition> = additions.iter().collect();
    order.sort_by(|a, b| {
        let coefficients = || a.row.get(1..).cmp(&b.row.get(1..));
        let constants = || a.row.first().cmp(&b.row.first());
        a.kind
            .cmp(&b.kind)
            .then_with(coefficients)
            .then_with(constants)
    });
    order
}

fn convert<T: Scalar>(row: &[Int]) -> Result<Vec<T>, Stop> {
    row.iter().map(T::from_int).collect()
}

fn convert_all<T: Scalar>(rows: &[Vec<Int>]) -> Result<Vec<Vec<T>>, Stop> {
    rows.iter().map(|row| convert(row)).collect()
}

/// A cone in the middle of a conversion. Rays and lines are exact and minimal at any time; the constraints are those that
/// changed the cone when they came, so some may have become redundant.
struct Description<T> {
    equalities: Vec<Vec<T>>,
    inequalities: Vec<Vec<T>>,
    lines: Vec<Vec<T>>,
    rays: Vec<Vec<T>>,
    /// Bit (i, j): ray i saturates inequality j.
    saturation: BitMatrix,
}

impl<T: Scalar> Description<T> {
    fn new(cone: &Cone, additions: usize) -> Result<Self, Stop> {
        let columns = cone.constraints.extreme.len() + additions;
        Ok(Description {
            equalities: convert_all(&cone.constraints.linear)?,
            inequalities: convert_all(&cone.constraints.extreme)?,
            lines: convert_all(&cone.generators.linear)?,
            rays: convert_all(&cone.generators.extreme)?,
            saturation: cone.saturation.clone().widened(columns),
        })
    }

    /// Whether some ray stands for a point.
    fn has_point(&self) -> bool {
        self.rays.iter().any(|ray| {
            ray.first()
                .is_some_and(|first| first.sign() == Ordering::Greater)
        })
    }

    /// Adds `row.y = 0`; says whether that changed anything.
    fn insert_equality(&mut self, row: Vec<T>, budget: &mut Budget) -> Result<bool, Stop> {
        if self.cut_line(&row, budget)?.is_none() {
            let sides = self.split(&row, budget)?;
            if sides.above.is_empty() && sides.below.is_empty() {
                return Ok(false);
            }
            self.cut(&sides, None, budget)?;
        }
        self.equalities.push(row);
        Ok(true)
    }

    /// Adds `row.y >= 0`; says whether that changed anything.
    fn insert_inequality(&mut self, row: Vec<T>, budget: &mut Budget) -> Result<bool, Stop> {
        let column = self.inequalities.len();
        if let Some(line) = self.cut_line(&row, budget)? {
            for ray in 0..self.rays.len() {
                self.saturation.set(ray, column);
            }
            self.rays.push(line);
            self.saturation.push_ones(column);
        } else {
            let sides = self.split(&row, budget)?;
            if sides.below.is_empty() {
                return Ok(false);
            }
            self.cut(&sides, Some(column), budget)?;
        }
        self.inequalities.push(row);
        budget.check_rows(self.rays.len())?;
        Ok(true)
    }

    /// If a line leaves the hyperplane `row.y = 0`: takes it out, pointing to the positive side, and moves everything else
    /// along it into the hyperplane.
    fn cut_line(&mut self, row: &[T], budget: &mut Budget) -> Result<Option<Vec<T>>, Stop> {
        budget.spend(self.lines.len() * row.len())?;
        let mut found = None;
        for (index, line) in self.lines.iter().enumerate() {
            let product = T::dot(row, line)?;
            if T::product_sign(&product) != Ordering::Equal {
                found = Some((index, product));
                break;
            }
        }
        let Some((index, product)) = found else {
            return Ok(None);
        };
        let mut line = self.lines.swap_remove(index);
        budget.spend(self.rays.len() * row.len())?;
        for other in self.lines.iter_mut().chain(&mut self.rays) {
            let rest = T::dot(row, other)?;
            if T::product_sign(&rest) != Ordering::Equal {
                *other = T::cancel(other, &rest, &line, &product, budget)?;
            }
        }
        if T::product_sign(&product) == Ordering::Less {
            T::negate(&mut line)?;
        }
        Ok(Some(line))
    }

    /// On which side of the hyperplane each ray lies.
    fn split(&self, row: &[T], budget: &mut Budget) -> Result<Sides<T>, Stop> {
        budget.spend(self.rays.len() * row.len())?;
        let mut sides = Sides {
            above: Vec::new(),
            on: Vec::new(),
            below: Vec::new(),
        };
        for (index, ray) in self.rays.iter().enumerate() {
            let product = T::dot(row, ray)?;
            match T::product_sign(&product) {
                Ordering::Greater => sides.above.push((index, product)),
                Ordering::Equal => sides.on.push(index),
                Ordering::Less => sides.below.push((index, product)),
            }
        }
        Ok(sides)
    }

    /// Cuts along a hyperplane that contains all lines: at the boundary of the new inequality with number `column`, or,
    /// without a number, down to the hyperplane itself.
    fn cut(
        &mut self,
        sides: &Sides<T>,
        column: Option<usize>,
        budget: &mut Budget,
    ) -> Result<(), Stop> {
        let mut born = self.between(sides, budget)?;
        let mut rays = std::mem::take(&mut self.rays);
        let mut saturation = BitMatrix::new(self.saturation.stride() * u64::BITS as usize);
        for &index in &sides.on {
            saturation.push(self.saturation.row(index));
            self.rays.push(std::mem::take(&mut rays[index]));
        }
        for (row, common) in born.rays.drain(..).zip(born.saturation.rows()) {
            saturation.push(common);
            self.rays.push(row);
        }
        if let Some(column) = column {
            for ray in 0..self.rays.len() {
                saturation.set(ray, column);
            }
            for (index, _) in &sides.above {
                saturation.push(self.saturation.row(*index));
                self.rays.push(std::mem::take(&mut rays[*index]));
            }
        }
        self.saturation = saturation;
        budget.check_rows(self.rays.len())?;
        Ok(())
    }

    /// The rays in which the two-dimensional faces between the two sides meet the hyperplane.
    fn between(&self, sides: &Sides<T>, budget: &mut Budget) -> Result<Born<T>, Stop> {
        let stride = self.saturation.stride();
        let width = self.rays.first().map_or(0, Vec::len);
        // A face of dimension 2 (modulo the lines) lies on at least this many boundaries.
        let needed = width.saturating_sub(self.lines.len() + self.equalities.len() + 2);
        let mut common = vec![0; stride];
        let mut born = Born {
            rays: Vec::new(),
            saturation: BitMatrix::new(stride * u64::BITS as usize),
        };
        for (good, good_product) in &sides.above {
            budget.spend(sides.below.len() * stride)?;
            let good_bits = self.saturation.row(*good);
            for (bad, bad_product) in &sides.below {
                let shared = bits::intersect(&mut common, good_bits, self.saturation.row(*bad));
                if shared < needed {
                    continue;
                }
                budget.spend(self.rays.len() * stride)?;
                let mut saturating_all = 0;
                let adjacent = self.saturation.rows().all(|ray| {
                    saturating_all += usize::from(bits::is_subset(&common, ray));
                    saturating_all <= 2
                });
                if adjacent {
                    born.rays.push(T::cancel(
                        &self.rays[*bad],
                        bad_product,
                        &self.rays[*good],
                        good_product,
                        budget,
                    )?);
                    born.saturation.push(&common);
                    budget.check_rows(sides.on.len() + born.rays.len())?;
                }
            }
        }
        Ok(born)
    }

    /// Drops the redundant constraints and brings both sides into their canonical form.
    fn finish(self, budget: &mut Budget) -> Result<Cone, Stop> {
        let by_inequality = self.saturation.transposed(self.inequalities.len());
        let ray_count = self.rays.len();
        let mut equalities = self.equalities;
        let mut facets: Vec<usize> = Vec::new();
        budget.spend(self.inequalities.len().saturating_mul(ray_count))?;
        for (index, bits) in by_inequality.rows().enumerate() {
            if bits::count(bits) == ray_count {
                equalities.push(self.inequalities[index].clone());
                continue;
            }
            // A facet is a proper face that no other proper face contains; of several inequalities for one facet the
            // first is as good as any.
            budget.spend(self.inequalities.len() * by_inequality.stride())?;
            let contained = by_inequality.rows().enumerate().any(|(other, other_bits)| {
                other != index
                    && bits::is_subset(bits, other_bits)
                    && bits::count(other_bits) != ray_count
                    && (other < index || !bits::is_subset(other_bits, bits))
            });
            if !contained {
                facets.push(index);
            }
        }
        let inequalities = facets
            .iter()
            .map(|&facet| self.inequalities[facet].clone())
            .collect();
        let (constraints, constraint_order) = canonical(equalities, inequalities, budget)?;
        let (generators, generator_order) = canonical(self.lines, self.rays, budget)?;
        let mut saturation = BitMatrix::new(constraint_order.len());
        for (row, &ray) in generator_order.iter().enumerate() {
            saturation.push(&[]);
            for (column, &position) in constraint_order.iter().enumerate() {
                if self.saturation.get(ray, facets[position]) {
                    saturation.set(row, column);
                }
            }
        }
        Ok(Cone {
            constraints,
            generators,
            saturation,
        })
    }
}

struct Sides<T: Scalar> {
    above: Vec<(usize, T::Product)>,
    on: Vec<usize>,
    below: Vec<(usize, T::Product)>,
}

struct Born<T> {
    rays: Vec<Vec<T>>,
    saturation: BitMatrix,
}

/// The canonical form of one side, and where each of its extreme rows was before.
fn canonical<T: Scalar>(
    linear: Vec<Vec<T>>,
    extreme: Vec<Vec<T>>,
    budget: &mut Budget,
) -> Result<(Side, Vec<usize>), Stop> {
    let width = linear.first().or(extreme.first()).map_or(0, Vec::len);
    // The homogenising column comes last: a constant is never expressed by coordinates.
    let columns = (1..width).chain((width > 0).then_some(0));
    let linear = Echelon::new(linear, columns, budget)?;
    let mut reduced: Vec<(usize, Vec<T>)> = extreme.into_iter().enumerate().collect();
    for (_, row) in &mut reduced {
        linear.reduce(row, budget)?;
    }
    reduced.sort_by(|a, b| a.1.get(1..).cmp(&b.1.get(1..)).then_with(|| a.1.cmp(&b.1)));
    let to_ints = |row: &Vec<T>| row.iter().map(T::to_int).collect();
    Ok((
        Side {
            linear: linear.rows.iter().map(to_ints).collect(),
            extreme: reduced.iter().map(|(_, row)| to_ints(row)).collect(),
        },
        reduced.into_iter().map(|(index, _)| index).collect(),
    ))
}
