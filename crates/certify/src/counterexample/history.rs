//! The path of a run so far: the recent part edge by edge, the rest as segments.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use dashu_int::{IBig, UBig};
use rhumb_program::{EdgeId, FuncId};
use rustc_hash::FxHasher;

use super::cycle::{Item, Repeated};
use super::{Count, Jump, Segment};

/// A cycle is looked for in so many items at least.
pub(super) const WINDOW: usize = 1 << 14;

/// A path. Positions in it count items from its start.
#[derive(Debug, Default)]
pub(super) struct History {
    /// The older part.
    segments: Vec<Segment>,
    /// Number of items in that.
    forgotten: usize,
    /// The younger part.
    recent: Vec<Item>,
}

impl History {
    pub(super) fn push_edge(&mut self, function: FuncId, edge: EdgeId) {
        self.push(Item::Edge(function, edge));
    }

    pub(super) fn push(&mut self, item: Item) {
        if self.recent.len() >= 2 * WINDOW {
            for item in self.recent.drain(..WINDOW) {
                push_segment(&mut self.segments, &item);
            }
            self.forgotten += WINDOW;
        }
        self.recent.push(item);
    }

    /// The position behind the last item.
    pub(super) fn end(&self) -> usize {
        self.forgotten + self.recent.len()
    }

    /// The items between two positions, if they are still known.
    pub(super) fn between(&self, from: usize, to: usize) -> Option<&[Item]> {
        let from = from.checked_sub(self.forgotten)?;
        let to = to.checked_sub(self.forgotten)?;
        self.recent.get(from..to)
    }

    /// The whole path.
    pub(super) fn into_segments(self) -> Vec<Segment> {
        let mut segments = self.segments;
        for item in &self.recent {
            push_segment(&mut segments, item);
        }
        segments
    }
}

fn push_segment(segments: &mut Vec<Segment>, item: &Item) {
    match item {
        Item::Edge(..) => match segments.last_mut() {
            Some(Segment::Steps(steps)) => *steps += 1,
            _ => segments.push(Segment::Steps(1)),
        },
        Item::Jump(jump) => {
            let mut cycle = Vec::new();
            for item in &jump.body {
                push_segment(&mut cycle, item);
            }
            segments.push(Segment::Jump(Jump {
                cycle,
                count: jump.count.clone(),
            }));
        }
    }
}

/// Number of steps of a path if every count in it is as in the first iteration; capped.
pub(super) fn steps(items: &[Item]) -> u64 {
    let each = items.iter().map(|item| match item {
        Item::Edge(..) => 1,
        Item::Jump(jump) => {
            let count = u64::try_from(&jump.count.first).unwrap_or(u64::MAX);
            steps(&jump.body).saturating_mul(count)
        }
    });
    each.fold(0, u64::saturating_add)
}

/// A number that is equal for paths that differ in nothing but how often cycles are taken.
pub(super) fn shape(items: &[Item]) -> u64 {
    let mut hasher = FxHasher::default();
    for item in items {
        match item {
            Item::Edge(function, edge) => (0, function, edge).hash(&mut hasher),
            Item::Jump(jump) => (1, shape(&jump.body), &jump.effect.vars).hash(&mut hasher),
        }
    }
    hasher.finish()
}

/// What two paths that come one after the other, and differ in nothing but counts, lead to if each count grows on as it did from the one to
/// the other: the path that comes next, with counts that depend on how often it is taken. `None` if they differ otherwise or a count would
/// be less than one.
pub(super) fn extrapolate(first: &[Item], second: &[Item]) -> Option<Vec<Item>> {
    extrapolate_at(first, second, 0)
}

fn extrapolate_at(first: &[Item], second: &[Item], level: usize) -> Option<Vec<Item>> {
    if first.len() != second.len() {
        return None;
    }
    let pairs = first.iter().zip(second);
    pairs
        .map(|pair| match pair {
            (Item::Jump(a), Item::Jump(b)) if a.effect == b.effect => {
                let body = extrapolate_at(&a.body, &b.body, level + 1)?;
                let growth = IBig::from(b.count.first.clone()) - IBig::from(a.count.first.clone());
                let count = grown(&a.count, &b.count, growth, level)?;
                Some(Item::Jump(Arc::new(Repeated {
                    body,
                    effect: a.effect.clone(),
                    count,
                })))
            }
            (a @ Item::Edge(..), b) if a == b => Some(a.clone()),
            _ => None,
        })
        .collect()
}

fn grown(a: &Count, b: &Count, growth: IBig, level: usize) -> Option<Count> {
    // What it grows by with the levels between must not change.
    let inner = |count: &Count| -> Vec<IBig> {
        let known = count.growth.iter().take(level).cloned();
        known
            .chain(std::iter::repeat(IBig::ZERO))
            .take(level)
            .collect()
    };
    let mut all = inner(a);
    if all != inner(b) {
        return None;
    }
    let next = IBig::from(b.first.clone()) + &growth;
    all.push(growth);
    while all.last().is_some_and(IBig::is_zero) {
        all.pop();
    }
    Some(Count {
        first: UBig::try_from(next).ok().filter(|next| !next.is_zero())?,
        growth: all,
    })
}
