//! Allocations of which one instance is followed.

use super::super::LAST_ADDRESS;
use super::super::ghosts::Plan;
use super::super::homes::Home;
use super::super::instances::Instance;
use super::super::pointees::{HomeId, Pointees};
use super::{Step, Translator};
use crate::cfa::{Action, Cfa, Edge, LocKind};
use crate::expr::{BinOp, ExprKind, UnOp};
use crate::ids::{EdgeId, ExprId, LocId, VarId};
use crate::model::{Decl, Scope};
use crate::passes::restore::{GhostPart, Role, VarOrigin};
use crate::span::Span;
use crate::types::Type;

impl Translator<'_, '_> {
    /// Gives them their variables.
    pub(super) fn declare_instances(&mut self, plan: &Plan) {
        let chosen = self
            .homes
            .chosen()
            .filter(|(_, candidate)| candidate.many)
            .map(|(id, candidate)| (id, candidate.home));
        let many: Vec<(HomeId, Home)> = chosen.collect();
        for (id, home) in many {
            let Home::Allocated(edge) = home else {
                continue;
            };
            let (name, decl, ..) = self.describe(home);
            let pick = self.ghost_truth(
                format!("{name} is the one"),
                &decl,
                GhostPart::Pick,
                edge.raw(),
            );
            let taken = self.ghost_truth(
                format!("{name} is chosen"),
                &decl,
                GhostPart::Taken,
                edge.raw(),
            );
            self.instances.of.insert(id, Instance { pick, taken });
        }
        self.declare_late();
        let cfa = &self.source.functions[self.source.start].cfa;
        let is_read = |edge: &EdgeId| match cfa.edges.get(*edge).map(|edge| &edge.action) {
            Some(&Action::Load { ptr, .. }) => {
                let to = self.facts.eval(self.homes, ptr);
                self.homes.has_many(&to) && !to.other
            }
            _ => false,
        };
        let mut reads: Vec<EdgeId> = plan.reads.iter().copied().filter(is_read).collect();
        reads.sort_unstable();
        reads.dedup();
        if reads.is_empty() {
            return;
        }
        let decl = Decl {
            name: "".into(),
            span: Span::default(),
            visible: Span::default(),
        };
        let met = self.ghost_truth("met".to_owned(), &decl, GhostPart::Met, 0);
        self.result.vars[met].init = Some(self.result.exprs.bool(true));
        self.instances.reads = reads;
        self.instances.met = Some(met);
    }

    /// Gives their truth values to pointers that may be set late.
    fn declare_late(&mut self) {
        let cfa = &self.source.functions[self.source.start].cfa;
        let mut open: Vec<HomeId> = Vec::new();
        for edge in &cfa.edges {
            if let Action::InputBytes { ptr, .. } = edge.action {
                let to = self.facts.eval(self.homes, ptr);
                open.extend(to.objects.iter().map(|entry| entry.0));
            }
        }
        open.retain(|home| self.homes[*home].late && self.objects.contains_key(home));
        open.sort_unstable();
        open.dedup();
        for home in open {
            let object = self.objects[&home].clone();
            let (name, decl, ..) = self.describe(object.home);
            for (offset, cell) in object.cells {
                if cell.ty == Type::Ptr {
                    let number = self.instances.late.len() as u32;
                    let name = format!("{name}+{offset} is set");
                    let var = self.ghost_truth(name, &decl, GhostPart::Set, number);
                    self.instances.late.insert(cell.var, var);
                }
            }
        }
    }

    /// Notes that a pointer has been set, or that it is not any more, if that is to be known of it.
    pub(super) fn says_set(&mut self, cell: VarId, is_set: bool) -> Option<Action> {
        let &dst = self.instances.late.get(&cell)?;
        let value = self.result.exprs.bool(is_set);
        Some(Action::Assign { dst, value })
    }

    /// Before a load of pointers that may be set late: where one is not set, a target is reached. Gives where the load
    /// begins then.
    pub(super) fn test_late(&mut self, old: &Cfa, id: EdgeId, edge: &Edge) -> LocId {
        let Action::Load { ptr, access, .. } = edge.action else {
            return edge.source;
        };
        if self.instances.late.is_empty() || self.homes.has_ghost(&self.facts.eval(self.homes, ptr))
        {
            return edge.source;
        }
        let is_target = |at: &LocId| matches!(old.locations[*at].kind, LocKind::Target(_));
        let Some(target) = old.locations.indices().find(is_target) else {
            return edge.source;
        };
        let mut at = edge.source;
        for (address, cell) in self.places(ptr, access.size(self.source.data_model)).0 {
            let Some(&is_set) = self.instances.late.get(&cell.var) else {
                continue;
            };
            let is_there = self.is_at(ptr, address);
            let is_set = self.result.exprs.var(is_set, Type::Bool);
            let is_open = self.not(is_set);
            let cond = self.result.exprs.binary(BinOp::And, is_there, is_open);
            let (then, other) = (self.location(), self.location());
            for (holds, to) in [(true, then), (false, other)] {
                let action = Action::Assume { cond, holds };
                self.edge(id, at, action, to, edge.span, Role::Silent);
            }
            let what = self.forgotten(edge.span);
            let action = Action::Approximate { dst: None, what };
            self.edge(id, then, action, target, edge.span, Role::Silent);
            at = other;
        }
        at
    }

    fn ghost_truth(&mut self, name: String, decl: &Decl, part: GhostPart, number: u32) -> VarId {
        let origin = VarOrigin::Ghost(part, number);
        self.add_var(name, decl, Type::Bool, Scope::Global, origin)
    }

    /// What takes the place of an allocation of which one instance is followed.
    pub(super) fn one_of_many(&mut self, id: EdgeId, home: HomeId, dst: VarId) -> Step {
        let edge = self.source.functions[self.source.start].cfa.edges[id].clone();
        let Instance { pick, taken } = self.instances.of[&home];
        let is_taken = self.result.exprs.var(taken, Type::Bool);
        let is_free = self.not(is_taken);
        let is_picked = self.result.exprs.var(pick, Type::Bool);
        let inside = self.result.exprs.binary(BinOp::And, is_picked, is_free);
        let value = self.result.exprs.bool(true);
        let mut actions = vec![Action::Assign { dst: taken, value }];
        actions.extend(self.begin(home));
        let value = self.address(self.objects[&home].base);
        actions.push(Action::Assign { dst, value });
        let outside = match self.same(&edge.action) {
            Step::Sequence(actions) => actions,
            _ => Vec::new(),
        };
        let first = self.address(LAST_ADDRESS);
        let dst = self.result.exprs.var(dst, Type::Ptr);
        Step::Guarded {
            before: vec![self.anything(pick, edge.span)],
            inside,
            known: None,
            stages: vec![(Vec::new(), actions)],
            outside,
            elsewhere: Some(self.result.exprs.binary(BinOp::Le, first, dst)),
        }
    }

    /// Where instances are followed, comparisons with addresses are of what a pointer was moved from: they are the same
    /// for all fields.
    pub(super) fn unmoved(&self, ptr: ExprId, address: u64) -> (ExprId, u64) {
        match self.source.exprs[ptr].kind {
            ExprKind::PtrAdd(inner, by) if !self.instances.of.is_empty() => {
                match self.source.exprs.as_int_const(by) {
                    Some((int, bits)) if int.extend(bits) >= 0 => {
                        let by = int.extend(bits) as u64;
                        (address.checked_sub(by)).map_or((ptr, address), |from| (inner, from))
                    }
                    _ => (ptr, address),
                }
            }
            _ => (ptr, address),
        }
    }

    /// What a load of an instance does that is not followed.
    pub(super) fn load_another(&mut self, id: EdgeId, dst: VarId) -> Vec<Action> {
        let span = self.source.functions[self.source.start].cfa.edges[id].span;
        let mut actions = self.meets(id, false);
        actions.push(match self.again.read_before(id) {
            Some(var) => {
                let value = self.result.exprs.var(var, self.source.vars[var].ty);
                Action::Assign { dst, value }
            }
            None => self.anything(dst, span),
        });
        actions
    }

    /// Notes whether a load has read what is followed, if it is asked after this one.
    pub(super) fn meets(&mut self, id: EdgeId, is_met: bool) -> Vec<Action> {
        let is_read = self.instances.reads.contains(&id);
        let Some(dst) = self.instances.met.filter(|_| is_read) else {
            return Vec::new();
        };
        let value = self.result.exprs.bool(is_met);
        vec![Action::Assign { dst, value }]
    }

    /// Whether the pointer of an access may be to an instance that is not followed.
    pub(super) fn is_one_of_many(&self, ptr: ExprId) -> bool {
        self.may_be_another(&self.facts.eval(self.homes, ptr))
    }

    /// Whether a pointer may be to an instance that is not followed.
    pub(super) fn may_be_another(&self, to: &Pointees) -> bool {
        (to.objects.iter()).any(|entry| self.instances.of.contains_key(&entry.0))
    }

    /// A question about memory, for what is not followed: the pointer is at none of the places that are, if it may be
    /// to another instance of what is. (What may point anywhere has too many places to name.)
    pub(super) fn of_another(&mut self, question: ExprId, ptr: ExprId, to: &Pointees) -> ExprId {
        let mut conditions = vec![question];
        if to.other {
            return question;
        }
        for &(home, distance) in &to.objects {
            let is_many = self.instances.of.contains_key(&home);
            if let (true, 0, Ok(offset)) =
                (is_many, distance.stride, u64::try_from(distance.offset))
                && offset <= self.objects[&home].size
            {
                let address = self.objects[&home].base + offset;
                let is_there = self.is_at(ptr, address);
                conditions.push(self.not(is_there));
            }
        }
        self.all(conditions)
    }

    fn not(&mut self, id: ExprId) -> ExprId {
        (self.result.exprs).push(ExprKind::Unary(UnOp::Not, id), Type::Bool)
    }
}
