//! How time grows with size.
//!
//! For each shape f of growth, `a + b·f(n)` with a, b ≥ 0 is fitted to the CPU times of the tasks that were solved; a
//! is the start-up, which every tool has. Errors are taken relative to the time, so that a fit explains small sizes as
//! well as large ones. The shape with the smallest error gives the growth its name; of shapes that can't be told apart
//! the slowest one does, and *constant* where it explains the times within their noise.

use std::collections::BTreeMap;
use std::fmt::{self, Write};

use crate::results::Row;
use crate::text_table::TextTable;
use crate::verdict::Status;

/// Shapes of growth, from slow to fast.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Growth {
    /// The size does not matter.
    Constant,
    /// Like the logarithm of the size.
    Logarithmic,
    /// Like a power of the size.
    Power(f64),
    /// By this factor each time the size grows by one.
    Exponential(f64),
    /// It grows, but too few sizes take noticeably longer than the smallest one to tell how.
    Unclear,
}

impl fmt::Display for Growth {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Growth::Constant => f.write_str("constant"),
            Growth::Logarithmic => f.write_str("logarithmic"),
            Growth::Power(1.0) => f.write_str("linear"),
            Growth::Power(2.0) => f.write_str("quadratic"),
            Growth::Power(3.0) => f.write_str("cubic"),
            Growth::Power(power) => write!(f, "like n^{power:.1}"),
            Growth::Exponential(_) => f.write_str("exponential"),
            Growth::Unclear => f.write_str("grows, unclear how"),
        }
    }
}

/// A fitted growth.
#[derive(Clone, PartialEq, Debug)]
pub struct Fit {
    /// Its shape.
    pub growth: Growth,
    /// Seconds at any size.
    pub start: f64,
    /// Seconds that are added at the largest size.
    pub added: f64,
    /// The typical relative error.
    pub error: f64,
}

/// Fewer different sizes tell nothing.
pub const FEWEST_SIZES: usize = 3;
/// Fewer can show that nothing grows, but not how something does.
const FEWEST_SIZES_TO_NAME: usize = 4;
/// Powers and exponentials both pass through any two times.
const FEWEST_RISING: usize = 3;
/// Differences of CPU time up to this are noise: timer ticks, caches, page faults.
const NOISE_S: f64 = 0.02;
/// Relative differences up to this are noise, too.
const NOISE: f64 = 0.12;
/// An error that is larger by no more than this factor does not speak against a shape.
const NOT_WORSE: f64 = 1.2;

/// Fits the growth of times (seconds) over sizes; `None` when there are too few sizes.
pub fn fit(points: &[(f64, f64)]) -> Option<Fit> {
    let mut points: Vec<(f64, f64)> = points
        .iter()
        .copied()
        .filter(|(size, time)| size.is_finite() && time.is_finite() && *time >= 0.0)
        .collect();
    points.sort_by(|(one, _), (other, _)| one.total_cmp(other));
    let mut sizes: Vec<f64> = points.iter().map(|(size, _)| *size).collect();
    sizes.dedup();
    if sizes.len() < FEWEST_SIZES {
        return None;
    }
    let constant = Candidate {
        growth: Growth::Constant,
        shape: vec![0.0; points.len()],
    }
    .fit(&points);
    let grows: Vec<Fit> = candidates(&sizes, &points)
        .map(|candidate| candidate.fit(&points))
        .collect();
    let smallest = grows.iter().map(|fit| fit.error).min_by(f64::total_cmp)?;
    // The candidates come from slow to fast. What can't be told apart is given the name of the slowest.
    let best = grows
        .into_iter()
        .find(|fit| fit.error <= smallest * NOT_WORSE + NOISE / 10.0)?;
    let flat = constant.error <= NOISE || best.added <= NOISE_S || best.added <= NOISE * best.start;
    if flat {
        return Some(constant);
    }
    let rises = |(_, time): &&(f64, f64)| *time > best.start + NOISE_S.max(NOISE * best.start);
    let mut rising: Vec<f64> = points.iter().filter(rises).map(|(size, _)| *size).collect();
    rising.dedup();
    if rising.len() < FEWEST_RISING || sizes.len() < FEWEST_SIZES_TO_NAME {
        return Some(Fit {
            growth: Growth::Unclear,
            ..best
        });
    }
    // A power that lies between the named shapes must earn its name: two free exponents always fit better than one.
    match free_power(&points) {
        Some(power) if best.error > NOISE && power.error < best.error / 2.0 => Some(power),
        _ => Some(best),
    }
}

/// A shape with its values at the points, scaled to 1 at the largest size.
struct Candidate {
    growth: Growth,
    shape: Vec<f64>,
}

impl Candidate {
    /// Least squares of relative errors, with both coefficients at least 0.
    fn fit(&self, points: &[(f64, f64)]) -> Fit {
        let (mut w, mut wf, mut wff, mut wt, mut wft) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for (&(_, time), &f) in points.iter().zip(&self.shape) {
            let weight = (time + NOISE_S).powi(-2);
            w += weight;
            wf += weight * f;
            wff += weight * f * f;
            wt += weight * time;
            wft += weight * f * time;
        }
        let determinant = w * wff - wf * wf;
        let both = (determinant > 1e-12 * w * wff).then(|| {
            (
                (wff * wt - wf * wft) / determinant,
                (w * wft - wf * wt) / determinant,
            )
        });
        let (start, added) = match both {
            Some((start, added)) if start >= 0.0 && added >= 0.0 => (start, added),
            Some((start, _)) if start < 0.0 && wff > 0.0 => (0.0, (wft / wff).max(0.0)),
            _ => (wt / w, 0.0),
        };
        let squares: f64 = points
            .iter()
            .zip(&self.shape)
            .map(|(&(_, time), &f)| ((start + added * f - time) / (time + NOISE_S)).powi(2))
            .sum();
        Fit {
            growth: self.growth,
            start,
            added,
            error: (squares / points.len() as f64).sqrt(),
        }
    }
}

/// The shapes that have names.
fn candidates<'a>(
    sizes: &'a [f64],
    points: &'a [(f64, f64)],
) -> impl Iterator<Item = Candidate> + 'a {
    let powers = [1.0, 2.0, 3.0]
        .into_iter()
        .filter_map(|power| power_shape(points, power));
    logarithm_shape(points)
        .into_iter()
        .chain(powers)
        .chain(exponential_shapes(sizes, points))
}

fn largest(points: &[(f64, f64)]) -> f64 {
    points.last().map_or(0.0, |(size, _)| *size)
}

/// Powers and logarithms need positive sizes.
fn smallest_is_positive(points: &[(f64, f64)]) -> bool {
    points.first().is_some_and(|(size, _)| *size > 0.0)
}

fn power_shape(points: &[(f64, f64)], power: f64) -> Option<Candidate> {
    let top = largest(points);
    let positive = points.first().is_some_and(|(size, _)| *size >= 0.0) && top > 0.0;
    positive.then(|| Candidate {
        growth: Growth::Power(power),
        shape: points
            .iter()
            .map(|(size, _)| (size / top).powf(power))
            .collect(),
    })
}

fn logarithm_shape(points: &[(f64, f64)]) -> Option<Candidate> {
    let top = largest(points);
    let spread = points.first().is_some_and(|(size, _)| top / size >= 4.0);
    (smallest_is_positive(points) && spread && top > 1.0).then(|| {
        let shape = points
            .iter()
            .map(|(size, _)| (size.ln() / top.ln()).max(0.0))
            .collect();
        Candidate {
            growth: Growth::Logarithmic,
            shape,
        }
    })
}

/// Exponentials that grow by a factor between 1.5 and 10^9 over the range of sizes.
fn exponential_shapes<'a>(
    sizes: &'a [f64],
    points: &'a [(f64, f64)],
) -> impl Iterator<Item = Candidate> + 'a {
    let top = largest(points);
    let range = top - sizes.first().copied().unwrap_or_default();
    let steps = 200;
    (0..=steps).filter(move |_| range > 0.0).map(move |step| {
        let exponent = 0.4 * (20.7 / 0.4_f64).powf(f64::from(step) / f64::from(steps)) / range;
        let shape = points
            .iter()
            .map(|(size, _)| (exponent * (size - top)).exp())
            .collect();
        Candidate {
            growth: Growth::Exponential(exponent.exp()),
            shape,
        }
    })
}

/// The best power of any exponent.
fn free_power(points: &[(f64, f64)]) -> Option<Fit> {
    let powers = (3..=60).map(|tenths| f64::from(tenths) / 10.0);
    let fits = powers
        .filter_map(|power| power_shape(points, power))
        .map(|candidate| candidate.fit(points));
    fits.min_by(|one, other| one.error.total_cmp(&other.error))
}

/// How time grows in each family, for each engine.
pub fn report(rows: &[Row]) -> String {
    let mut families: BTreeMap<(&str, &str), Vec<(f64, &Row)>> = BTreeMap::new();
    for row in rows {
        if let Some(size) = row.size {
            families
                .entry((&row.family, &row.engine))
                .or_default()
                .push((size, row));
        }
    }
    if families.is_empty() {
        return "Growth of time: no task belongs to a family (a folder with a family.toml)\n\n"
            .to_owned();
    }
    let mut table = TextTable::default();
    for title in ["family", "engine"] {
        table.left(title);
    }
    for title in ["solved", "sizes"] {
        table.right("", title);
    }
    for title in ["CPU time grows", "as", "error", "first without an answer"] {
        table.left(title);
    }
    for ((family, engine), mut members) in families {
        members.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let solved: Vec<&(f64, &Row)> = members
            .iter()
            .filter(|(_, row)| row.status == Status::Correct)
            .collect();
        let points: Vec<(f64, f64)> = solved
            .iter()
            .map(|(size, row)| (*size, row.cpu_s))
            .collect();
        let sizes = match (solved.first(), solved.last()) {
            (Some((low, _)), Some((high, _))) => format!("{low} to {high}"),
            _ => "-".to_owned(),
        };
        let failed = members
            .iter()
            .find(|(_, row)| row.status != Status::Correct);
        let failed = failed
            .map(|(size, row)| format!("{size} ({})", row.status))
            .unwrap_or_default();
        let [growth, formula, error] = match fit(&points) {
            Some(fit) => [
                fit.growth.to_string(),
                fit.formula(largest(&points)),
                format!("{:.0} %", fit.error * 100.0),
            ],
            None => [
                "?".to_owned(),
                format!("needs {FEWEST_SIZES} sizes that are solved"),
                String::new(),
            ],
        };
        table.row(vec![
            family.into(),
            engine.into(),
            format!("{}/{}", solved.len(), members.len()),
            sizes,
            growth,
            formula,
            error,
            failed,
        ]);
    }
    let mut text = String::from("Growth of time\n");
    let _ = writeln!(text, "{table}");
    text
}

impl Fit {
    /// The formula in words that a person can check.
    fn formula(&self, largest: f64) -> String {
        let Fit { start, added, .. } = *self;
        match self.growth {
            Growth::Constant => format!("{start:.3} s"),
            Growth::Logarithmic => format!("{start:.3} s + {:.2e} s · ln n", added / largest.ln()),
            Growth::Power(1.0) => format!("{start:.3} s + {:.2e} s · n", added / largest),
            Growth::Power(power) => format!(
                "{start:.3} s + {:.2e} s · n^{power}",
                added / largest.powf(power)
            ),
            Growth::Unclear => format!("{start:.3} s to {:.3} s", start + added),
            Growth::Exponential(base) => {
                format!("{start:.3} s + {added:.3} s · {base:.4}^(n - {largest})")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Deterministic noise: relative up to 8 %, absolute up to 5 ms.
    fn noisy(seed: usize, sizes: &[f64], time: impl Fn(f64) -> f64) -> Vec<(f64, f64)> {
        let noise =
            |index: usize| (((index + 1000 * seed) as f64 * 12.9898).sin() * 43758.5453).fract();
        let point = |(index, &n): (usize, &f64)| {
            (
                n,
                time(n) * (1.0 + 0.08 * noise(index)) + 0.005 * noise(index + 100).abs(),
            )
        };
        sizes.iter().enumerate().map(point).collect()
    }

    /// The name that is given whatever the noise.
    fn name(sizes: &[f64], time: impl Fn(f64) -> f64 + Copy) -> String {
        let names: Vec<String> = (0..50)
            .map(|seed| {
                fit(&noisy(seed, sizes, time))
                    .expect("enough sizes")
                    .growth
                    .to_string()
            })
            .collect();
        let mut different = names.clone();
        different.dedup();
        if different.len() == 1 {
            different.remove(0)
        } else {
            format!("{names:?}")
        }
    }

    const STEPS: [f64; 8] = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0];
    const DOUBLING: [f64; 7] = [10.0, 20.0, 40.0, 80.0, 160.0, 320.0, 640.0];
    const DECADES: [f64; 6] = [10.0, 1e2, 1e3, 1e4, 1e6, 1e9];

    #[test]
    fn each_growth_is_named() {
        for sizes in [&STEPS[..], &DOUBLING] {
            let top = sizes[sizes.len() - 1];
            assert_eq!(name(sizes, |_| 0.13), "constant");
            assert_eq!(name(sizes, |_| 12.0), "constant");
            for start in [0.0, 0.05, 0.3] {
                assert_eq!(
                    name(sizes, |n| start + 20.0 * (n / top)),
                    "linear",
                    "{sizes:?} {start}"
                );
                assert_eq!(
                    name(sizes, |n| start + 20.0 * (n / top).powi(2)),
                    "quadratic",
                    "{sizes:?} {start}"
                );
            }
        }
        for sizes in [&STEPS[..], &[5.0, 10.0, 15.0, 20.0, 25.0, 30.0]] {
            assert_eq!(
                name(sizes, |n| 0.1
                    + 0.02 * 2f64.powf(n * 10.0 / sizes[sizes.len() - 1])),
                "exponential",
                "{sizes:?}"
            );
        }
        assert_eq!(name(&DOUBLING, |n| 0.1 + 1e-6 * n.powi(3)), "cubic");
        assert_eq!(name(&DECADES, |n| 0.02 + 0.1 * n.ln()), "logarithmic");
    }

    #[test]
    fn the_factor_of_an_exponential_is_found() {
        match fit(&noisy(1, &STEPS, |n| 0.01 + 0.002 * 3f64.powf(n)))
            .expect("enough sizes")
            .growth
        {
            Growth::Exponential(factor) => assert!((2.7..3.3).contains(&factor), "{factor}"),
            other => panic!("{other}"),
        }
    }

    #[test]
    fn a_power_between_the_names_is_told() {
        let points: Vec<(f64, f64)> = DOUBLING.iter().map(|&n| (n, 0.001 * n.powf(1.5))).collect();
        assert_eq!(
            fit(&points).expect("enough sizes").growth.to_string(),
            "like n^1.5"
        );
    }

    #[test]
    fn what_one_or_two_sizes_show_is_not_named() {
        assert_eq!(name(&DECADES, |_| 0.13), "constant");
        assert_eq!(
            name(&DECADES, |n| 0.3 + 20.0 * (n / 1e9)),
            "grows, unclear how"
        );
        assert_eq!(name(&DECADES[..4], |n| 0.02 + 0.001 * n), "linear");
    }

    #[test]
    fn start_up_and_noise_are_not_growth() {
        assert_eq!(name(&DOUBLING, |n| 0.004 + 0.00001 * n), "constant");
        let points: Vec<(f64, f64)> = DOUBLING.iter().map(|&n| (n, 0.0)).collect();
        assert_eq!(fit(&points).expect("enough sizes").growth, Growth::Constant);
    }

    #[test]
    fn too_little_is_not_fitted() {
        assert_eq!(fit(&[]), None);
        assert_eq!(fit(&[(1.0, 1.0), (2.0, 2.0), (2.0, 3.1)]), None);
        assert_eq!(fit(&[(1.0, 1.0), (2.0, f64::NAN), (4.0, 4.0)]), None);
        let three = |times: [f64; 3]| {
            let points: Vec<(f64, f64)> = [1.0, 10.0, 100.0].into_iter().zip(times).collect();
            fit(&points).expect("enough sizes").growth
        };
        assert_eq!(three([0.13, 0.12, 0.13]), Growth::Constant);
        assert_eq!(three([0.1, 1.0, 10.0]), Growth::Unclear);
    }

    #[test]
    fn odd_sizes_do_no_harm() {
        let points: Vec<(f64, f64)> = [-3.0, 0.0, 1.0, 2.0]
            .iter()
            .map(|&n| (n, 1.0 + n * n))
            .collect();
        assert!(fit(&points).is_some());
        let zero: Vec<(f64, f64)> = [0.0, 1.0, 2.0, 3.0, 4.0]
            .iter()
            .map(|&n| (n, 0.1 + n))
            .collect();
        assert_eq!(fit(&zero).expect("enough sizes").growth, Growth::Power(1.0));
    }
}
