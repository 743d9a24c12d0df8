//! Intervals and boxes.

use rhumb_logic::domain::LinearForm;
use rhumb_logic::domain::interval::{Interval, IntervalBox};
use rhumb_logic::num::Int;

use crate::support::{Random, all_hold, grid, ints, rats};

fn random_interval(random: &mut Random) -> Interval {
    let bound = |random: &mut Random| random.chance(75).then(|| Int::from(random.between(-6, 6)));
    Interval::new(bound(random), bound(random))
}

fn random_box(random: &mut Random, dimensions: usize) -> IntervalBox {
    IntervalBox::new((0..dimensions).map(|_| random_interval(random)).collect())
}

#[test]
fn operations_are_those_of_sets() {
    let (mut empty, mut included) = (0, 0);
    const CASES: usize = 5000;
    for case in 0..CASES {
        let mut random = Random::new(40_000_000 + case as u64);
        let (a, b) = (random_interval(&mut random), random_interval(&mut random));
        empty += usize::from(a.is_empty());
        included += usize::from(a.includes(&b) && !b.is_empty());
        let (join, meet) = (a.join(&b), a.meet(&b));
        let factor = Int::from(random.between(-3, 3));
        let mut all_of_b = true;
        for value in -9..=9 {
            let value = Int::from(value);
            let (in_a, in_b) = (a.contains(&value), b.contains(&value));
            all_of_b &= in_a || !in_b;
            assert_eq!(meet.contains(&value), in_a && in_b);
            assert!(join.contains(&value) || !(in_a || in_b));
            if in_a {
                assert!(a.times(&factor).contains(&(&value * &factor)));
                for other in (-9..=9).map(Int::from).filter(|other| b.contains(other)) {
                    assert!(a.add(&b).contains(&(&value + other)));
                }
            }
        }
        // Bounds are within 6, so the window shows everything.
        assert_eq!(a.includes(&b), all_of_b);
        for (of_join, of_a, of_b) in [
            (join.lower(), a.lower(), b.lower()),
            (join.upper(), a.upper(), b.upper()),
        ] {
            if let Some(bound) = of_join {
                assert!(Some(bound) == of_a || Some(bound) == of_b, "not least");
            }
        }
    }
    assert!(
        empty > CASES / 8 && included > CASES / 8,
        "{empty} empty, {included} included"
    );
}

#[test]
fn widening_ends_and_narrowing_stays_above() {
    let mut stopped = 0;
    for case in 0..3000 {
        let mut random = Random::new(41_000_000 + case);
        let mut thresholds: Vec<Int> = (0..random.index(4))
            .map(|_| Int::from(random.between(-9, 9)))
            .collect();
        thresholds.sort();
        let mut current = random_interval(&mut random);
        let mut changes = 0;
        for _ in 0..12 {
            let next = random_interval(&mut random);
            let widened = current.widen(&next, &thresholds);
            assert!(widened.includes(&current) && widened.includes(&next));
            let jumped = widened
                .upper()
                .filter(|upper| current.upper() != Some(upper));
            if let (false, Some(upper)) = (current.is_empty(), jumped) {
                assert!(thresholds.contains(upper));
                stopped += 1;
            }
            changes += usize::from(widened != current);
            current = widened;
        }
        assert!(changes <= 1 + 2 * (thresholds.len() + 1));
        let next = random_interval(&mut random);
        let narrowed = current.narrow(&next);
        assert!(narrowed.includes(&current.meet(&next)) && current.includes(&narrowed));
        assert_eq!(narrowed.narrow(&next).narrow(&next), narrowed.narrow(&next));
    }
    assert!(stopped > 200, "{stopped} stopped at a threshold");
}

#[test]
fn boxes_refine_to_what_the_constraint_allows() {
    let (mut moved, mut emptied) = (0, 0);
    for case in 0..2000 {
        let mut random = Random::new(42_000_000 + case);
        let dimensions = random.index(4);
        let before = random_box(&mut random, dimensions);
        let constraint = random.constraint(dimensions);
        let mut after = before.clone();
        let changed = after.refine(&constraint);
        assert_eq!(changed, before != after);
        assert!(before.includes(&after));
        moved += usize::from(changed && !after.is_empty());
        emptied += usize::from(changed && after.is_empty());
        for point in grid(dimensions, 4) {
            if before.contains(&point) && constraint.holds_at(&rats(&point)) {
                assert!(after.contains(&point));
                assert!(
                    after
                        .values(&constraint.form())
                        .upper()
                        .is_none_or(|upper| *upper >= Int::ZERO)
                );
            }
            assert_eq!(
                after.contains(&point),
                all_hold(&after.constraints(), &rats(&point))
            );
            assert_eq!(
                after.contains(&point),
                after.contains_rational(&rats(&point))
            );
        }
    }
    assert!(
        moved > 300 && emptied > 50,
        "{moved} moved, {emptied} emptied"
    );
}

#[test]
fn box_operations_are_those_of_sets() {
    let mut proper = 0;
    for case in 0..2000 {
        let mut random = Random::new(43_000_000 + case);
        let dimensions = random.index(3);
        let (a, b) = (
            random_box(&mut random, dimensions),
            random_box(&mut random, dimensions),
        );
        let (join, meet, widened) = (a.join(&b), a.meet(&b), a.widen(&b, &ints(&[-7, 7])));
        proper += usize::from(!a.is_empty() && !b.is_empty());
        assert!(widened.includes(&join) && join.includes(&a) && join.includes(&b));
        let narrowed = widened.narrow(&a);
        assert!(widened.includes(&narrowed) && narrowed.includes(&widened.meet(&a)));
        for point in grid(dimensions, 7) {
            assert_eq!(
                meet.contains(&point),
                a.contains(&point) && b.contains(&point)
            );
            assert!(join.contains(&point) || !a.contains(&point) && !b.contains(&point));
        }
        let form = random.form(dimensions);
        let values = a.values(&form);
        for point in grid(dimensions, 7).iter().filter(|point| a.contains(point)) {
            let value = LinearForm::value(&form, &rats(point));
            assert!(values.contains(value.numerator()));
        }
    }
    assert!(proper > 500, "{proper} proper");
}
