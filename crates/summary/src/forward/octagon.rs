//! Octagons: conjunctions of `±x ± y <= c` and `±x <= c` over integers.
//!
//! A matrix of bounds as in Miné, "The octagon abstract domain" (HOSC 2006): variable `k` has two nodes, `2k` for `x`
//! and `2k + 1` for `-x`; entry `(i, j)` bounds `v_j - v_i`. The matrix is kept tightly closed (shortest paths, even
//! bounds on `2x`, and what two of those say together), so that bounds can be read off, and inclusion and join go entry
//! by entry.

use rhumb_logic::Work;

/// No bound.
const NONE: i128 = i128::MAX;

/// Bounds beyond this are dropped: types of up to 64 bits never need them, and sums of three can't overflow.
const LIMIT: i128 = 1 << 100;

/// A set of integer points.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Octagon {
    /// Number of nodes: twice the number of variables.
    nodes: usize,
    /// Row by row. For the empty set, which `bottom` says it is, anything.
    bounds: Vec<i128>,
    bottom: bool,
    /// Whether it comes from a widening, and is not closed.
    is_open: bool,
}

/// A term `x` or `-x`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Literal {
    pub(super) variable: usize,
    pub(super) negative: bool,
}

impl Literal {
    fn node(self) -> usize {
        2 * self.variable + usize::from(self.negative)
    }
}

/// Bounds that are looked at while a unit of work is done elsewhere.
const BOUNDS_PER_UNIT: usize = 256;

/// Counts the work of looking at so many bounds.
fn count(bounds: usize) {
    Work::units(1 + (bounds / BOUNDS_PER_UNIT) as u64).count();
}

fn plus(a: i128, b: i128) -> i128 {
    if a == NONE || b == NONE {
        NONE
    } else {
        // Both are within the limit.
        cut(a + b)
    }
}

/// A bound that is kept: a large one says nothing, a very negative one is weakened to the limit.
fn cut(bound: i128) -> i128 {
    if bound > LIMIT {
        NONE
    } else {
        bound.max(-LIMIT)
    }
}

impl Octagon {
    /// All points.
    pub(super) fn top(variables: usize) -> Octagon {
        let nodes = 2 * variables;
        let mut bounds = vec![NONE; nodes * nodes];
        for node in 0..nodes {
            bounds[node * nodes + node] = 0;
        }
        Octagon {
            nodes,
            bounds,
            bottom: false,
            is_open: false,
        }
    }

    pub(super) fn is_bottom(&self) -> bool {
        self.bottom
    }

    fn at(&self, i: usize, j: usize) -> i128 {
        self.bounds[i * self.nodes + j]
    }

    fn set(&mut self, i: usize, j: usize, bound: i128) {
        self.bounds[i * self.nodes + j] = bound;
    }

    /// The greatest value of a term, if there is one.
    pub(super) fn upper(&self, term: Literal) -> Option<i128> {
        // v_n - v_(n^1) is twice the term.
        let bound = self.at(term.node() ^ 1, term.node());
        (bound != NONE).then(|| bound.div_euclid(2))
    }

    /// The greatest value of the sum of terms of two different variables, if there is one.
    pub(super) fn upper_sum(&self, a: Literal, b: Literal) -> Option<i128> {
        let bound = self.at(b.node() ^ 1, a.node());
        (bound != NONE).then_some(bound)
    }

    /// Adds `term <= bound`.
    pub(super) fn assume(&mut self, term: Literal, bound: i128) {
        self.add(term.node() ^ 1, term.node(), bound.saturating_mul(2));
    }

    /// Adds `a + b <= bound`, for different variables.
    pub(super) fn assume_sum(&mut self, a: Literal, b: Literal, bound: i128) {
        self.add(b.node() ^ 1, a.node(), bound);
    }

    /// Adds `v_b - v_a <= bound` and closes again, which takes one pass over the matrix.
    fn add(&mut self, a: usize, b: usize, bound: i128) {
        let bound = cut(bound);
        if self.bottom || bound == NONE || self.at(a, b) <= bound {
            return;
        }
        let n = self.nodes;
        // The edge and its mirror; a path uses either, both, or none.
        let (c, d) = (b ^ 1, a ^ 1);
        count(n * n);
        let both = plus(plus(bound, self.at(b, c)), bound);
        let back = plus(plus(bound, self.at(d, a)), bound);
        let before = self.bounds.clone();
        let old = |i: usize, j: usize| before[i * n + j];
        for i in 0..n {
            let (to_a, to_c) = (old(i, a), old(i, c));
            if to_a == NONE && to_c == NONE {
                continue;
            }
            let to_b = plus(to_a, bound).min(plus(to_c, back));
            let to_d = plus(to_c, bound).min(plus(to_a, both));
            for j in 0..n {
                let through = plus(to_b, old(b, j)).min(plus(to_d, old(d, j)));
                if through < self.at(i, j) {
                    self.set(i, j, through);
                }
            }
        }
        self.tighten();
    }

    /// From shortest paths to the tight closure: bounds on `2x` become even, and pairs of them bound sums.
    fn tighten(&mut self) {
        let n = self.nodes;
        for i in 0..n {
            let bound = self.at(i, i ^ 1);
            if bound != NONE {
                self.set(i, i ^ 1, bound - bound.rem_euclid(2));
            }
        }
        for i in 0..n {
            let half = self.at(i, i ^ 1);
            if half == NONE {
                continue;
            }
            for j in 0..n {
                let other = self.at(j ^ 1, j);
                if other != NONE {
                    let sum = half / 2 + other / 2;
                    if sum < self.at(i, j) {
                        self.set(i, j, sum);
                    }
                }
            }
        }
        if (0..n).any(|i| self.at(i, i) < 0) {
            self.bottom = true;
        }
    }

    /// Shortest paths from scratch, for a matrix that is not closed.
    fn close(&mut self) {
        let n = self.nodes;
        count(n * n * n);
        for k in 0..n {
            for i in 0..n {
                let first = self.at(i, k);
                if first == NONE {
                    continue;
                }
                for j in 0..n {
                    let through = plus(first, self.at(k, j));
                    if through < self.at(i, j) {
                        self.set(i, j, through);
                    }
                }
            }
        }
        self.tighten();
    }

    /// Nothing is known about the variable any more.
    pub(super) fn forget(&mut self, variable: usize) {
        let n = self.nodes;
        for node in [2 * variable, 2 * variable + 1] {
            for other in 0..n {
                self.set(node, other, NONE);
                self.set(other, node, NONE);
            }
            self.set(node, node, 0);
        }
    }

    /// The variable grows by a constant.
    pub(super) fn shift(&mut self, variable: usize, by: i128) {
        let n = self.nodes;
        let (plus_node, minus_node) = (2 * variable, 2 * variable + 1);
        let moved = |node: usize| match node {
            _ if node == plus_node => by,
            _ if node == minus_node => -by,
            _ => 0,
        };
        for i in 0..n {
            for j in 0..n {
                let bound = self.at(i, j);
                if bound != NONE {
                    self.set(i, j, cut(bound + moved(j) - moved(i)));
                }
            }
        }
    }

    /// The least octagon that has the points of both.
    pub(super) fn join(&self, other: &Octagon) -> Octagon {
        if self.bottom {
            return other.clone();
        }
        if other.bottom {
            return self.clone();
        }
        let mut joined = self.clone();
        for (bound, &theirs) in joined.bounds.iter_mut().zip(&other.bounds) {
            *bound = (*bound).max(theirs);
        }
        joined
    }

    /// Whether every point of the other is in this one.
    pub(super) fn includes(&self, other: &Octagon) -> bool {
        other.bottom || (!self.bottom && self.bounds.iter().zip(&other.bounds).all(|(a, b)| a >= b))
    }

    /// Bounds that grow go to the next threshold, at last to what the ceiling says, which includes both. `self` is the
    /// older one. The result is deliberately not closed before the next join, or bounds that were given up would come
    /// back.
    pub(super) fn widen(&self, newer: &Octagon, thresholds: &[i128], ceiling: &Octagon) -> Octagon {
        if self.bottom {
            return newer.clone();
        }
        if newer.bottom {
            return self.clone();
        }
        let n = self.nodes;
        let mut widened = self.clone();
        for i in 0..n {
            for j in 0..n {
                let (old, new) = (self.at(i, j), newer.at(i, j));
                if new <= old {
                    continue;
                }
                widened.is_open = true;
                let unary = i == j ^ 1;
                let next = thresholds
                    .iter()
                    .map(|&threshold| if unary { 2 * threshold } else { threshold })
                    .find(|&threshold| threshold >= new);
                let most = ceiling.at(i, j);
                widened.set(i, j, next.map_or(most, |next| next.min(most)));
            }
        }
        widened
    }

    /// Bounds that are no better than the ceiling's are taken from the other.
    pub(super) fn narrow(&self, other: &Octagon, ceiling: &Octagon) -> Octagon {
        if self.bottom || other.bottom {
            return other.clone();
        }
        let mut narrowed = self.clone();
        let pairs = other.bounds.iter().zip(&ceiling.bounds);
        for (bound, (&theirs, &most)) in narrowed.bounds.iter_mut().zip(pairs) {
            if *bound >= most {
                *bound = theirs;
            }
        }
        narrowed.close();
        narrowed.is_open = false;
        narrowed
    }

    /// Whether it has to be closed before anything else is done with it.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// The same set, closed; for a widened one.
    pub(super) fn closed(&self) -> Octagon {
        let mut closed = self.clone();
        if !closed.bottom {
            closed.close();
        }
        closed.is_open = false;
        closed
    }

    /// The constraints that the bounds on single variables don't imply: `a + b <= bound`, for pairs of variables, each once.
    pub(super) fn relations(&self) -> impl Iterator<Item = (Literal, Literal, i128)> {
        let literal = |node: usize| Literal {
            variable: node / 2,
            negative: node % 2 == 1,
        };
        (0..self.nodes).flat_map(move |i| {
            (0..self.nodes).filter_map(move |j| {
                // v_j - v_i: the terms are v_j and the opposite of v_i.
                let (a, b) = (literal(j), literal(i ^ 1));
                let bound = self.at(i, j);
                if a.variable <= b.variable || bound == NONE {
                    return None;
                }
                let apart = match (self.upper(a), self.upper(b)) {
                    (Some(x), Some(y)) => x + y,
                    _ => NONE,
                };
                (bound < apart).then_some((a, b, bound))
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(variable: usize, negative: bool) -> Literal {
        Literal { variable, negative }
    }

    struct Random(u64);

    impl Random {
        fn below(&mut self, bound: u64) -> u64 {
            (rhumb_random::next(&mut self.0) >> 33) % bound
        }
    }

    const SIZE: i128 = 4;

    fn points() -> impl Iterator<Item = [i128; 3]> {
        let range = -SIZE..=SIZE;
        range.clone().flat_map(move |x| {
            let inner = -SIZE..=SIZE;
            inner.flat_map(move |y| (-SIZE..=SIZE).map(move |z| [x, y, z]))
        })
    }

    /// A random constraint: two literals (the same one twice for a bound on one variable) and the bound.
    fn constraint(random: &mut Random) -> (Literal, Option<Literal>, i128) {
        let first = literal(random.below(3) as usize, random.below(2) == 0);
        let second = literal(random.below(3) as usize, random.below(2) == 0);
        let bound = random.below(9) as i128 - 5;
        (
            first,
            (second.variable != first.variable).then_some(second),
            bound,
        )
    }

    fn value(point: &[i128; 3], term: Literal) -> i128 {
        let value = point[term.variable];
        if term.negative { -value } else { value }
    }

    fn random_octagon(random: &mut Random) -> (Octagon, Vec<[i128; 3]>) {
        let mut octagon = Octagon::top(3);
        let mut inside: Vec<[i128; 3]> = points().collect();
        for variable in 0..3 {
            octagon.assume(literal(variable, false), SIZE);
            octagon.assume(literal(variable, true), SIZE);
        }
        for _ in 0..random.below(6) {
            let (a, b, bound) = constraint(random);
            match b {
                Some(b) => octagon.assume_sum(a, b, bound),
                None => octagon.assume(a, bound),
            }
            inside.retain(|point| value(point, a) + b.map_or(0, |b| value(point, b)) <= bound);
        }
        (octagon, inside)
    }

    /// The tight closure has the exact bounds of the integer points, and an octagon is empty iff it has none.
    #[test]
    fn bounds_are_exact() {
        let mut random = Random(7);
        let (mut empty, mut full) = (0, 0);
        for _ in 0..1500 {
            let (octagon, inside) = random_octagon(&mut random);
            assert_eq!(octagon.is_bottom(), inside.is_empty());
            assert_eq!(octagon.closed().is_bottom(), inside.is_empty());
            if inside.is_empty() {
                empty += 1;
                continue;
            }
            full += 1;
            assert_eq!(octagon.closed(), octagon);
            for a in 0..6 {
                let a = literal(a / 2, a % 2 == 1);
                assert_eq!(octagon.upper(a), inside.iter().map(|p| value(p, a)).max());
                for b in 0..6 {
                    let b = literal(b / 2, b % 2 == 1);
                    if a.variable != b.variable {
                        let greatest = inside.iter().map(|p| value(p, a) + value(p, b)).max();
                        assert_eq!(octagon.upper_sum(a, b), greatest);
                    }
                }
            }
        }
        assert!(empty > 200 && full > 500, "{empty} {full}");
    }

    /// Join, widening, forgetting and shifting against the points.
    #[test]
    fn operations_keep_the_points() {
        let mut random = Random(11);
        let contains = |octagon: &Octagon, point: &[i128; 3]| {
            let mut single = Octagon::top(3);
            for (variable, &at) in point.iter().enumerate() {
                single.assume(literal(variable, false), at);
                single.assume(literal(variable, true), -at);
            }
            octagon.closed().includes(&single)
        };
        for _ in 0..150 {
            let (a, in_a) = random_octagon(&mut random);
            let (b, in_b) = random_octagon(&mut random);
            let join = a.join(&b);
            let widened = a.widen(&a.join(&b), &[-2, 0, 1, 3], &Octagon::top(3));
            for point in points() {
                let (here, there) = (in_a.contains(&point), in_b.contains(&point));
                assert_eq!(contains(&a, &point), here);
                assert!(!(here || there) || contains(&join, &point));
                assert!(!(here || there) || contains(&widened, &point));
            }
            assert!(join.includes(&a) && join.includes(&b));
            assert_eq!(
                a.includes(&b),
                b.is_bottom() || in_b.iter().all(|p| contains(&a, p))
            );
            let (mut shifted, mut forgotten) = (a.clone(), a.clone());
            shifted.shift(1, 5);
            forgotten.forget(2);
            for point in &in_a {
                assert!(contains(&shifted, &[point[0], point[1] + 5, point[2]]));
                assert!(contains(&forgotten, &[point[0], point[1], 99]));
            }
            assert_eq!(shifted.closed(), shifted);
            assert_eq!(forgotten.closed(), forgotten);
        }
    }
}
