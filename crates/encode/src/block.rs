//! Block formulas: what the ways through a loop-free region do, in a size that is linear in the region.
//!
//! The places of a region are visited in topological order. Each has a *gate*: the condition under which a run that is
//! at its immediate dominator gets to it. So a place is reached from the start iff all gates on its way up the
//! dominator tree hold, and two branches that come together again without loss have the gate *true*: what follows
//! doesn't depend on them.
//!
//! At a join, the ways into it, followed up the dominator tree to the join's immediate dominator, form a tree. At a branch of this tree a
//! variable with different values on the two sides becomes a choice on the branch's own condition, and not on the whole condition of the
//! path, since a value at a join only has to be right for runs that get there (gated single assignment; Tu and Padua, PLDI 1995).

use index_vec::IndexVec;
use rhumb_logic::Term;
use rhumb_program::{Action, ArithOp, Callee, Cfa, EdgeId, ExprId, ExprKind, Type, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::expr::Encoder;
use crate::liveness::Liveness;
use crate::region::RegionPlace;
use crate::unknown::{Cause, Origin};
use crate::values::Interval;
use crate::values::type_range;

/// The formulas of one region.
pub(crate) struct Blocks<'a, 'e> {
    encoder: &'e mut Encoder<'a>,
    cfa: &'e Cfa,
    live: &'e Liveness,
    gates: IndexVec<RegionPlace, Term>,
    reach: IndexVec<RegionPlace, Term>,
    /// What is set on entering a place.
    sets: IndexVec<RegionPlace, Vec<(VarId, Term)>>,
    effects: FxHashMap<EdgeId, Effect>,
    /// Steps that are not exact without any value being open: places and causes.
    pub(crate) marks: Vec<(RegionPlace, EdgeId, Cause)>,
}

/// What an edge does.
#[derive(Clone)]
struct Effect {
    /// When it can be taken.
    literal: Term,
    /// For an assumption: the outcome.
    side: Option<bool>,
    /// What it sets.
    sets: Vec<(VarId, Term)>,
    /// An operation of which it makes sure that it doesn't overflow.
    fits: Option<(ArithOp, Term, Term)>,
}

/// A way from a place of the tree towards the join.
struct Arm {
    /// Where it leads next; the join itself comes after all others.
    next: Option<RegionPlace>,
    /// The outcome of the place's own branch that it stands for, if it is one side of it.
    side: Option<bool>,
    /// When it is taken.
    gate: Term,
    /// When a run that takes it gets to the join.
    arrives: Term,
    /// Values at the join of what changes on it.
    values: FxHashMap<VarId, Term>,
}

impl<'a, 'e> Blocks<'a, 'e> {
    /// Encodes the whole region.
    pub(crate) fn of(
        encoder: &'e mut Encoder<'a>,
        cfa: &'e Cfa,
        live: &'e Liveness,
    ) -> Blocks<'a, 'e> {
        let mut blocks = Blocks {
            encoder,
            cfa,
            live,
            gates: IndexVec::new(),
            reach: IndexVec::new(),
            sets: IndexVec::new(),
            effects: FxHashMap::default(),
            marks: Vec::new(),
        };
        for place in blocks.encoder.region.places() {
            blocks.enter(place);
            blocks.leave(place);
        }
        blocks
    }

    /// The condition under which a run from the start gets to a place.
    pub(crate) fn reach(&self, place: RegionPlace) -> Term {
        self.reach[place]
    }

    /// The value of a variable at a place.
    pub(crate) fn value(&mut self, place: RegionPlace, var: VarId) -> Term {
        self.encoder.var_at(place, var)
    }

    /// The gate of a place, what is set on entering it, and what is known from then on.
    fn enter(&mut self, place: RegionPlace) {
        let terms = self.encoder.terms;
        let region = self.encoder.region;
        let mut fits = None;
        let (gate, sets) = match region.incoming[place][..] {
            [] => (terms.bool(true), Vec::new()),
            [(_, edge)] => {
                let effect = &self.effects[&edge];
                fits = effect.fits;
                (effect.literal, effect.sets.clone())
            }
            _ => self.join(place),
        };
        let above = region.dominators.immediate(place);
        let reach = match above {
            Some(above) => terms.and([self.reach[above], gate]),
            None => gate,
        };
        for &(var, value) in &sets {
            self.encoder.environment.define(place, var, value);
        }
        let model = self.encoder.program.data_model;
        let (facts, mut known) = self.encoder.known();
        facts.assume(&mut known, place, gate);
        if let Some((op, a, b)) = fits {
            facts.fits(place, op, a, b);
        }
        for &(var, value) in &sets {
            let range = type_range(self.encoder.program.vars[var].ty, model);
            let (facts, mut known) = self.encoder.known();
            facts.learn(&mut known, place, value, &range);
        }
        self.gates.push(gate);
        self.reach.push(reach);
        self.sets.push(sets);
    }

    /// What the edges out of a place do.
    fn leave(&mut self, place: RegionPlace) {
        let region = self.encoder.region;
        if region.ends.binary_search(&place).is_ok() {
            return;
        }
        let cfa = self.cfa;
        for &edge in cfa.outgoing(region.locations[place]) {
            let step = &cfa.edges[edge];
            self.encoder.go_to(place, step.span);
            let effect = match step.action {
                Action::Assume { cond, holds } => self.assumption(cond, holds),
                _ => Effect {
                    literal: self.encoder.terms.bool(true),
                    side: None,
                    sets: self.sets_of(place, edge, &step.action),
                    fits: None,
                },
            };
            self.effects.insert(edge, effect);
        }
    }

    /// What it is to go on only if a condition has an outcome.
    fn assumption(&mut self, cond: ExprId, holds: bool) -> Effect {
        let encoder = &mut *self.encoder;
        let condition = encoder.condition(cond);
        let fits = match encoder.program.exprs[cond].kind {
            ExprKind::Overflows(op, a, b) if !holds => {
                Some((op, encoder.value(a), encoder.value(b)))
            }
            _ => None,
        };
        Effect {
            literal: if holds {
                condition
            } else {
                encoder.terms.not(condition)
            },
            side: Some(holds),
            sets: Vec::new(),
            fits,
        }
    }

    /// The variables that an action sets, and their values.
    fn sets_of(&mut self, place: RegionPlace, edge: EdgeId, action: &Action) -> Vec<(VarId, Term)> {
        let encoder = &mut *self.encoder;
        let program = encoder.program;
        let whole = |var: VarId| type_range(program.vars[var].ty, program.data_model);
        let result = |encoder: &mut Encoder<'_>, dst: VarId, cause: Cause| {
            (
                dst,
                encoder.unknown(Origin::Result(edge), cause, whole(dst)),
            )
        };
        match *action {
            Action::Assign { dst, value } => vec![(dst, encoder.value(value))],
            Action::Input { dst, site } => vec![result(encoder, dst, Cause::Input(site))],
            Action::Approximate { dst, what } => {
                let cause = Cause::Model(what);
                self.marks.push((place, edge, cause));
                dst.into_iter()
                    .map(|dst| result(encoder, dst, cause))
                    .collect()
            }
            Action::Load { dst, .. } => vec![result(encoder, dst, Cause::Memory)],
            Action::Alloc { dst, .. } => {
                let pointers = type_range(Type::Ptr, program.data_model);
                let range = Interval::new(1, pointers.high);
                vec![(
                    dst,
                    encoder.unknown(Origin::Result(edge), Cause::Memory, range),
                )]
            }
            Action::Call {
                dst,
                callee: Callee::Builtin(_),
                ..
            } => dst
                .into_iter()
                .map(|dst| result(encoder, dst, Cause::Call))
                .collect(),
            Action::Call { dst, .. } => {
                self.marks.push((place, edge, Cause::Call));
                let changed = encoder.calls.set_by(program, action).iter();
                let mut sets: Vec<(VarId, Term)> = changed
                    .map(|&var| {
                        let origin = Origin::Global(edge, var);
                        (var, encoder.unknown(origin, Cause::Call, whole(var)))
                    })
                    .collect();
                sets.extend(dst.map(|dst| result(encoder, dst, Cause::Call)));
                sets
            }
            Action::Skip
            | Action::Assume { .. }
            | Action::InputBytes { .. }
            | Action::Store { .. }
            | Action::Copy { .. }
            | Action::Fill { .. }
            | Action::Enter(_)
            | Action::Leave(_)
            | Action::Free { .. }
            | Action::Return { .. }
            | Action::Exit { .. } => Vec::new(),
        }
    }

    /// The gate of a join, and the values of what the ways to it set differently.
    fn join(&mut self, join: RegionPlace) -> (Term, Vec<(VarId, Term)>) {
        let region = self.encoder.region;
        let terms = self.encoder.terms;
        let root = region
            .dominators
            .immediate(join)
            .unwrap_or(RegionPlace::from_usize(0));
        let location = region.locations[join];
        // The tree: from every way in up to the root.
        let mut arms: FxHashMap<RegionPlace, Vec<Arm>> = FxHashMap::default();
        let mut tree: FxHashSet<RegionPlace> = FxHashSet::default();
        for &(source, edge) in &region.incoming[join] {
            let effect = &self.effects[&edge];
            let live = effect
                .sets
                .iter()
                .filter(|(var, _)| self.live.is_live(location, *var));
            arms.entry(source).or_default().push(Arm {
                next: None,
                side: effect.side,
                gate: effect.literal,
                arrives: terms.bool(true),
                values: live.copied().collect(),
            });
            let mut at = source;
            while at != root && tree.insert(at) {
                match region.dominators.immediate(at) {
                    Some(above) => at = above,
                    None => break,
                }
            }
        }
        let mut order: Vec<RegionPlace> = tree.into_iter().collect();
        order.sort_unstable_by(|a, b| b.cmp(a));
        // From the join up: each place of the tree becomes an arm of the one above.
        for place in order {
            let (arrives, mut values) = self.merge(place, arms.remove(&place).unwrap_or_default());
            for &(var, value) in &self.sets[place] {
                if self.live.is_live(location, var) {
                    values.entry(var).or_insert(value);
                }
            }
            let side = match region.incoming[place][..] {
                [(_, edge)] => self.effects[&edge].side,
                _ => None,
            };
            let above = region.dominators.immediate(place).unwrap_or(root);
            arms.entry(above).or_default().push(Arm {
                next: Some(place),
                side,
                gate: self.gates[place],
                arrives,
                values,
            });
        }
        let (gate, values) = self.merge(root, arms.remove(&root).unwrap_or_default());
        let mut changed: Vec<(VarId, Term)> = values.into_iter().collect();
        changed.sort_unstable();
        changed.retain(|&(var, value)| self.encoder.var_at(root, var) != value);
        (gate, changed)
    }

    /// When a run at a place of the tree gets to the join, and with which values.
    fn merge(&mut self, place: RegionPlace, mut arms: Vec<Arm>) -> (Term, FxHashMap<VarId, Term>) {
        let terms = self.encoder.terms;
        // A run can pass several places below this one; the last of them decides. So later ones are asked for first,
        // and first of all an edge into the join.
        arms.sort_by_key(|arm| match (arm.next, arm.side) {
            (None, side) => (1, RegionPlace::from_usize(0), side),
            (Some(next), side) => (0, next, side),
        });
        let complementary = match &arms[..] {
            [a, b] => a.side.is_some() && b.side.is_some() && a.side != b.side,
            _ => false,
        };
        let mut arms = arms.into_iter();
        let Some(first) = arms.next() else {
            return (terms.bool(false), FxHashMap::default());
        };
        let mut arrives = if complementary {
            first.arrives
        } else {
            terms.and([first.gate, first.arrives])
        };
        let mut values = first.values;
        for mut arm in arms {
            arrives = terms.ite(arm.gate, arm.arrives, arrives);
            for (&var, value) in &mut values {
                let new = match arm.values.remove(&var) {
                    Some(new) => new,
                    None => self.encoder.var_at(place, var),
                };
                *value = terms.ite(arm.gate, new, *value);
            }
            for (var, new) in arm.values {
                let old = self.encoder.var_at(place, var);
                values.insert(var, terms.ite(arm.gate, new, old));
            }
        }
        (arrives, values)
    }
}
