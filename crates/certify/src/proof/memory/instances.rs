//! Allocations of which one instance is followed ([`rhumb_program::passes::scalars::Instances`]).
//!
//! What is believed, beside what [`super`] says: choose, for each of these allocations, one of its passages in a run of
//! the given program, or none. Then the new program has a run, with the same values, in which the object of that
//! passage is the variables, as if it were the only one; every other object of the allocation is where it was, and its
//! address is no variable's. For that, each edge
//! - allocates the object that is followed where the new program's own choice says so, which is open at each passage,
//!   and only if it is the first ([`Checker::one_of_many`]);
//! - gives a load from another one any value, and does nothing for a store to it ([`PointedTo::Another`]);
//! - keeps, for each piece, one set of what it may point to in all instances: what is stored to any of them is in it,
//!   and what is loaded from any of them is taken to be in it. All instances have the same pieces.
//!
//! In particular:
//! - An allocation that is passed again after the chosen instance leaves that alone: it is taken, so the new one stays
//!   in memory, at an address behind all that variables have ([`Checker::is_another`]).
//! - What is allocated is zero, in both programs; what `malloc` does beside that is an input of bytes. It gives the
//!   variables any values, and does nothing for another instance, whose values are open anyway. Pointers among them are
//!   in their set only when they are set: see [`super::late`].
//! - `free` of the chosen instance ends it; of another one it changes nothing that is known. An access to what has
//!   ended has no successor in the given program, so a stale pointer needs no care. What `realloc` copies is not followed:
//!   copies from or to one of many are rejected.
//! - Two instances are two objects: what depends on their order or on their distance is not followed, and equality only
//!   where both pointers are inside and no instance can have ended, so that their addresses differ, as they do here.
//! - What was stored or loaded just before, at the same place, is known of another instance, too ([`super::Again`]).
//! - Where bad accesses are targets, a question about one of many stays open ([`super::exact`]).
//!
//! One instance is enough for all: for a run that gets to a target look at the last read that it passes. If there is
//! none, it is "met" from the start. If that read an object that is no instance of these allocations, it is met,
//! whatever is chosen. Otherwise choose the instance that it read. Then the new program's run has met it there, no
//! later step changes that, and it goes through the gate before the target ([`Checker::arrives`]).

use rhumb_program::passes::scalars::{Home, HomeId, Instance, LAST_ADDRESS, Pointees, Promoted};
use rhumb_program::{
    Action, AllocKind, BinOp, EdgeId, ExprId, ExprKind, LocId, Scope, Type, UnOp, VarId,
};
use rustc_hash::FxHashSet;

use super::edges::{Case, PointedTo};
use super::{Checked, Checker, object_to, parts, require};

impl Checker<'_> {
    /// Whether an object is one of many.
    pub(super) fn is_many(&self, home: HomeId) -> bool {
        self.scalars.instances.of.contains_key(&home)
    }

    /// Whether a pointer may be to one of many.
    pub(super) fn may_be_many(&self, to: &Pointees) -> bool {
        to.objects.iter().any(|entry| self.is_many(entry.0))
    }

    /// Whether a variable says which instance is followed, or whether it was met.
    pub(super) fn is_of_instances(&self, var: VarId) -> bool {
        let instances = &self.scalars.instances;
        let mut all = instances.of.values();
        instances.met == Some(var)
            || all.any(|one| one.pick == var || one.taken == var)
            || self.late_of(var).is_some()
    }

    /// They have variables of their own, none is chosen at first, and at first it is as if one had been met.
    pub(super) fn check_instances(&self, used: &mut FxHashSet<VarId>) -> Checked {
        let (old, new) = (self.old, self.new);
        let mut own = |var: VarId| {
            let is_new = var.index() >= old.vars.len() && var.index() < new.vars.len();
            let is_own = is_new && used.insert(var);
            let is_truth =
                is_own && new.vars[var].ty == Type::Bool && new.vars[var].scope == Scope::Global;
            require(is_truth, || format!("{var:?} is no variable of its own"))
        };
        let instances = &self.scalars.instances;
        for (&home, one) in &instances.of {
            own(one.pick)?;
            own(one.taken)?;
            let object = self.object(home)?;
            let is_right = !object.ghost
                && self.is_allocated(object, AllocKind::Heap)
                && new.vars[one.taken].init.is_none();
            require(is_right, || format!("{:?} is not one of many", object.home))?;
        }
        for (&cell, &is_set) in &instances.late {
            own(is_set)?;
            let has = |object: &&Promoted| {
                let mut cells = object.cells.values();
                cells.any(|own| own.var == cell && own.ty == Type::Ptr)
            };
            let object = self.scalars.objects.values().find(has);
            let is_right = object
                .is_some_and(|object| !object.ghost && self.is_allocated(object, AllocKind::Heap));
            require(is_right, || {
                format!("{cell:?} is no pointer that is set late")
            })?;
        }
        if let Some(met) = instances.met {
            own(met)?;
            let first = new.vars[met].init.map(|init| new.exprs[init].kind);
            require(first == Some(ExprKind::Const(1)), || {
                "it is not met at first".to_owned()
            })?;
        }
        Ok(())
    }

    /// An allocation that may be that of the instance that is followed.
    pub(super) fn one_of_many(
        &self,
        at: LocId,
        action: &Action,
        target: LocId,
        home: HomeId,
    ) -> Checked {
        let cfa = &self.new.functions[self.start()].cfa;
        let wrong = || "an allocation is no choice".to_owned();
        let &Action::Alloc { dst, .. } = action else {
            return object_to(wrong());
        };
        let Instance { pick, taken } = self.scalars.instances.of[&home];
        require(!self.scalars.ghosts.distances.contains_key(&dst), wrong)?;
        self.flows(&Pointees::start_of(home), dst, "allocation")?;
        let &[edge] = cfa.outgoing(at) else {
            return object_to(wrong());
        };
        let edge = &cfa.edges[edge];
        let is_open =
            matches!(edge.action, Action::Approximate { dst: Some(var), .. } if var == pick);
        require(is_open, wrong)?;
        let &[first, second] = cfa.outgoing(self.fresh(edge.target)?) else {
            return object_to(wrong());
        };
        let (cond, [first, second]) = self.choice([first, second])?;
        require(self.is_first(cond, pick, taken), wrong)?;
        let followed = self.chain(self.fresh(first)?, target)?;
        let (own, rest): (Vec<&Action>, Vec<&Action>) =
            (followed.into_iter()).partition(|action| action.defined_var() == Some(taken));
        let is_taken = matches!(own[..], [&Action::Assign { value, .. }]
            if self.new.exprs[value].kind == ExprKind::Const(1));
        require(is_taken, || "another one can be chosen".to_owned())?;
        let rest = self
            .without_set(&rest, |cell| self.is_cell_of(home, cell))?
            .0;
        self.begins(home, &rest, Some(dst))?;
        self.is_another(action, dst, self.fresh(second)?, target)
    }

    /// An allocation of another instance, which lies where all memory is.
    fn is_another(&self, action: &Action, dst: VarId, from: LocId, target: LocId) -> Checked {
        let cfa = &self.new.functions[self.start()].cfa;
        let wrong = || "an allocation is another one".to_owned();
        let &[edge] = cfa.outgoing(from) else {
            return object_to(wrong());
        };
        let edge = &cfa.edges[edge];
        self.unchanged(action, &[&edge.action])?;
        let &[first, second] = cfa.outgoing(self.fresh(edge.target)?) else {
            return object_to(wrong());
        };
        let (first, second) = (&cfa.edges[first], &cfa.edges[second]);
        let Action::Assume { cond, holds: true } = first.action else {
            return object_to(wrong());
        };
        let is_known = match self.new.exprs[cond].kind {
            ExprKind::Binary(BinOp::Le, a, b) => {
                self.new.exprs[a].kind == ExprKind::Const(LAST_ADDRESS.into())
                    && self.new.exprs[b].kind == ExprKind::Var(dst)
            }
            _ => false,
        };
        require(is_known && self.arrives(first.target, target), wrong)?;
        self.is_sink(second.target)
    }

    /// Whether a condition is that this one is picked, and that none has been chosen.
    fn is_first(&self, cond: ExprId, pick: VarId, taken: VarId) -> bool {
        let exprs = &self.new.exprs;
        let ExprKind::Binary(BinOp::And, a, b) = exprs[cond].kind else {
            return false;
        };
        exprs[a].kind == ExprKind::Var(pick)
            && matches!(exprs[b].kind, ExprKind::Unary(UnOp::Not, inner)
                if exprs[inner].kind == ExprKind::Var(taken))
    }

    /// What a way does beside noting whether what is followed was met. It is met unless the load is from another
    /// instance.
    pub(super) fn without_met<'b>(
        &self,
        id: EdgeId,
        cases: &[Case],
        actions: &[&'b Action],
    ) -> Checked<Vec<&'b Action>> {
        let instances = &self.scalars.instances;
        let is_read = instances.reads.contains(&id);
        let Some(met) = instances.met.filter(|_| is_read) else {
            return Ok(actions.to_vec());
        };
        let (own, rest): (Vec<&Action>, Vec<&Action>) =
            (actions.iter()).partition(|action| action.defined_var() == Some(met));
        let wrong = || "a read is met by something else".to_owned();
        let &[Action::Assign { value, .. }] = &own[..] else {
            return object_to(wrong());
        };
        let is_another = |case: &Case| matches!(case[..], [PointedTo::Another(..)]);
        let is_right = match self.new.exprs[*value].kind {
            ExprKind::Const(1) => true,
            ExprKind::Const(0) => cases.iter().all(is_another),
            _ => false,
        };
        require(is_right, wrong)?;
        Ok(rest)
    }

    /// Whether a part of a condition holds for every instance that is not followed for which the question has the
    /// answer yes: it asks it, and at most that the pointer is none of the addresses of variables.
    pub(super) fn is_of_another(
        &self,
        option: ExprId,
        ptr: ExprId,
        is_question: impl Fn(ExprId) -> bool,
    ) -> bool {
        let is_elsewhere = |atom: ExprId| match self.new.exprs[atom].kind {
            ExprKind::Unary(UnOp::Not, inner) => match self.new.exprs[inner].kind {
                ExprKind::Binary(BinOp::Eq, a, b) => {
                    (self.compared(ptr, a, b)).is_some_and(|address| self.is_own_address(address))
                }
                _ => false,
            },
            _ => false,
        };
        let mut atoms = parts(self.new, option, BinOp::And).into_iter();
        atoms.all(|atom| is_question(atom) || is_elsewhere(atom))
    }

    /// Whether an expression is the address of something in an object that has become variables, or of its end. What
    /// stays in memory lies elsewhere.
    pub(super) fn is_own_address(&self, address: u64) -> bool {
        address < LAST_ADDRESS
            && self
                .scalars
                .objects
                .values()
                .any(|object| object.base <= address && address - object.base <= object.size)
    }

    /// The address that a pointer is compared with, where an expression of the new program is compared with a constant:
    /// the expression is the pointer, or what it was moved from by a constant.
    pub(super) fn compared(&self, ptr: ExprId, a: ExprId, b: ExprId) -> Option<u64> {
        let ExprKind::Const(address) = self.new.exprs[b].kind else {
            return None;
        };
        let address = u64::try_from(address).ok()?;
        if self.image(ptr, a).is_ok() {
            return Some(address);
        }
        let ExprKind::PtrAdd(from, by) = self.old.exprs[ptr].kind else {
            return None;
        };
        self.image(from, a).ok()?;
        let by = self.constant(by)?;
        address
            .checked_add(by)
            .filter(|&moved| moved < LAST_ADDRESS)
    }

    /// The instance that an edge may allocate, if it is one of many.
    pub(super) fn allocates_many(&self, id: EdgeId) -> Option<HomeId> {
        let home = *self.allocated.get(&id)?;
        let object = self.scalars.objects.get(&home)?;
        (self.is_many(home) && object.home == Home::Allocated(id)).then_some(home)
    }
}
