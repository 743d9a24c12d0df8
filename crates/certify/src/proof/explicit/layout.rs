//! What is followed, and what may be forgotten where.

use rhumb_program::graph::Graph;
use rhumb_program::{Action, ExprId, IndexVec, LocId, LocKind, VarId};
use rustc_hash::FxHashSet;

use super::eval::bounds_of;
use super::state::Bounds;
use crate::proof::subject::Subject;

/// What an exploration looks at; all of it in terms of the inlined program. Whatever it is, nothing is missed: what is
/// not looked at may be anything.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct View {
    /// The variables whose values are followed.
    pub followed: Vec<VarId>,
    /// The branches where both ways are taken without looking.
    pub unseen: FxHashSet<LocId>,
}

/// A view of a program, worked out.
pub(super) struct Layout {
    slots: IndexVec<VarId, Option<u32>>,
    /// The bounds of the slots' types.
    pub(super) types: Vec<Bounds>,
    pub(super) unseen: IndexVec<LocId, bool>,
    /// Where executions are cut: the heads of loops.
    pub(super) cuts: FxHashSet<LocId>,
    /// Whether anything that must not be reached can be reached, as far as the graph says.
    pub(super) matters: IndexVec<LocId, bool>,
    /// Whether several edges lead to a location.
    pub(super) is_join: IndexVec<LocId, bool>,
    /// Numbers of locations: between cuts, each comes after those that lead to it.
    pub(super) rank: IndexVec<LocId, u32>,
    live: Vec<u64>,
    words: usize,
}

impl Layout {
    pub(super) fn new(subject: &Subject<'_>, view: &View) -> Layout {
        let (program, cfa) = (&subject.program, subject.cfa());
        let mut slots: IndexVec<VarId, Option<u32>> =
            IndexVec::from_vec(vec![None; program.vars.len()]);
        let mut types = Vec::new();
        for &var in &view.followed {
            if let Some(info) = program.vars.get(var)
                && let Some(bounds) = bounds_of(program, info.ty)
                && slots[var].is_none()
            {
                slots[var] = Some(types.len() as u32);
                types.push(bounds);
            }
        }
        let locations = cfa.locations.indices();
        let cuts = subject.start().cuts(&FxHashSet::default());
        let incoming = cfa.incoming();
        let words = types.len().div_ceil(64);
        let mut layout = Layout {
            slots,
            types,
            unseen: locations
                .clone()
                .map(|at| view.unseen.contains(&at))
                .collect(),
            matters: subject.start().matters(&FxHashSet::default()),
            is_join: locations.map(|at| incoming[at].len() > 1).collect(),
            rank: rank(subject, &cuts),
            cuts,
            live: vec![0; words * cfa.locations.len()],
            words,
        };
        layout.find_live(subject);
        layout
    }

    /// Number of slots.
    pub(super) fn len(&self) -> usize {
        self.types.len()
    }

    /// The slot of a variable that is followed.
    pub(super) fn slot(&self, var: VarId) -> Option<usize> {
        self.slots[var].map(|slot| slot as usize)
    }

    /// Whether the value of a slot may still be looked at.
    fn is_live(&self, at: LocId, slot: usize) -> bool {
        self.live[at.index() * self.words + slot / 64] >> (slot % 64) & 1 == 1
    }

    /// The slots whose values nobody looks at any more.
    pub(super) fn dead(&self, at: LocId) -> impl Iterator<Item = usize> + '_ {
        let live = &self.live[at.index() * self.words..(at.index() + 1) * self.words];
        let words = live.iter().zip((0..).step_by(64));
        let slots = words.flat_map(|(&word, first)| {
            let mut dead = !word;
            std::iter::from_fn(move || {
                let bit = (dead != 0).then(|| dead.trailing_zeros() as usize)?;
                dead &= dead - 1;
                Some(first + bit)
            })
        });
        slots.take_while(|&slot| slot < self.len())
    }

    /// Finds out what may be looked at after each location. To forget more would be as right, and less useful.
    fn find_live(&mut self, subject: &Subject<'_>) {
        let (program, cfa) = (&subject.program, subject.cfa());
        let incoming = cfa.incoming();
        let mut is_waiting = IndexVec::from_vec(vec![false; cfa.locations.len()]);
        let mut waiting: Vec<LocId> = cfa.locations.indices().collect();
        waiting.sort_unstable_by_key(|&at| self.rank[at]);
        for &at in &waiting {
            is_waiting[at] = true;
        }
        let mut row = vec![0; self.words];
        while let Some(at) = waiting.pop() {
            is_waiting[at] = false;
            if !self.matters[at] {
                continue;
            }
            row.fill(0);
            for &edge in cfa.outgoing(at) {
                let edge = &cfa.edges[edge];
                if !self.matters[edge.target] {
                    continue;
                }
                let start = edge.target.index() * self.words;
                let mut after = self.live[start..start + self.words].to_vec();
                let defined = edge.action.defined_var().and_then(|var| self.slot(var));
                let is_wanted = defined.is_some_and(|slot| self.is_live(edge.target, slot));
                if let Some(slot) = defined {
                    after[slot / 64] &= !(1 << (slot % 64));
                }
                let mut reads = |expr: ExprId| {
                    program.exprs.for_each_var(expr, &mut |var| {
                        if let Some(slot) = self.slot(var) {
                            after[slot / 64] |= 1 << (slot % 64);
                        }
                    });
                };
                match edge.action {
                    Action::Assign { value, .. } if is_wanted => reads(value),
                    Action::Assume { cond, .. } if !self.unseen[at] && !is_check(subject, at) => {
                        reads(cond);
                    }
                    _ => {}
                }
                row.iter_mut()
                    .zip(after)
                    .for_each(|(all, more)| *all |= more);
            }
            let own = &mut self.live[at.index() * self.words..(at.index() + 1) * self.words];
            if own != row {
                own.copy_from_slice(&row);
                for &edge in &incoming[at] {
                    let source = cfa.edges[edge].source;
                    if !std::mem::replace(&mut is_waiting[source], true) {
                        waiting.push(source);
                    }
                }
            }
        }
    }
}

/// Whether a branch only checks that what follows is defined. Who forgets what it looks at goes on in any case.
fn is_check(subject: &Subject<'_>, at: LocId) -> bool {
    let cfa = subject.cfa();
    let ends_badly = |edge: &rhumb_program::EdgeId| {
        let target = cfa.edges[*edge].target;
        matches!(cfa.locations[target].kind, LocKind::Ub(_))
    };
    cfa.outgoing(at).iter().any(ends_badly)
}

fn rank(subject: &Subject<'_>, cuts: &FxHashSet<LocId>) -> IndexVec<LocId, u32> {
    let cfa = subject.cfa();
    let root = cfa.locations.next_idx();
    let mut starts: Vec<LocId> = cuts.iter().copied().collect();
    starts.sort_unstable();
    starts.push(cfa.entry);
    let starts = starts.iter().map(|&start| (root, start));
    let inner = cfa.edges.iter().map(|edge| (edge.source, edge.target));
    let inner = inner.filter(|(_, target)| !cuts.contains(target));
    let graph = Graph::new(cfa.locations.len() + 1, starts.chain(inner));
    let mut rank = IndexVec::from_vec(vec![u32::MAX; cfa.locations.len()]);
    for (at, place) in graph.reverse_postorder(root).into_iter().zip(0..) {
        if at != root {
            rank[at] = place;
        }
    }
    rank
}
