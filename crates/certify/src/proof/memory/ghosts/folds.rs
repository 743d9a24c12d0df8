//! Sums of elements that are followed ([`GhostFold`]).
//!
//! What is believed: whenever an edge of the given program is done, the variable of the sum has the sum, as a
//! mathematical integer, of what is in memory at `first`, `first + stride`, and so on, before `next`, each read as an
//! integer of the fold's type; and none of that is outside of the object. So it holds of folds without elements,
//! `first = next` and sum 0, in any state. Each edge keeps that:
//!
//! - whatever may write to the object, and the beginning of its life, leaves the folds of it without elements;
//! - a load that is the site of a fold adds what it has read, if that was at `next`, or, after the fold was begun there
//!   anew, in any case. Where it has read is known, since the distance is in the range in which it is the true one;
//! - nothing else touches it.
//!
//! Elements of one fold are at different places of the object, all of them below 2^48, and of at most 64 bits: so no
//! sum is larger than [`GhostFold::LARGEST`], and a way that asks for that loses no run ([`Checker::is_sum_known`]).
//! And two folds of the same object, stride and type from the same place to the same place have the same sum, as have
//! those in opposite order from the other's last place to its first one: a way that asks for it loses no run
//! ([`Checker::agree`]).

use rhumb_program::passes::scalars::{GhostFold, Ghosts, HomeId};
use rhumb_program::{Access, Action, BinOp, EdgeId, ExprId, ExprKind, Type, VarId};
use rustc_hash::FxHashSet;

use super::super::{Checked, Checker, object_to, require};
use super::Way;

impl<'a> Checker<'a> {
    pub(super) fn folds(&self) -> &'a [GhostFold] {
        &self.scalars.ghosts.folds
    }

    /// The fold that a variable belongs to.
    pub(super) fn fold_of(&self, var: VarId) -> Option<usize> {
        let mut folds = self.folds().iter();
        folds.position(|fold| fold.vars().contains(&var))
    }

    /// Folds have variables of their own, all zero at first, and a load of their object as a site.
    pub(super) fn check_folds(&self, used: &mut FxHashSet<VarId>) -> Checked {
        let (old, new) = (self.old, self.new);
        let cfa = &old.functions[self.start()].cfa;
        for fold in self.folds() {
            let types = [Ghosts::INT, Ghosts::INT, GhostFold::SUM];
            for (var, int) in fold.vars().into_iter().zip(types) {
                let is_new = var.index() >= old.vars.len() && var.index() < new.vars.len();
                let is_own = is_new && used.insert(var);
                let is_zero = is_own
                    && new.vars[var].ty == Type::Int(int)
                    && new.vars[var].init.is_none()
                    && new.vars[var].scope == rhumb_program::Scope::Global;
                require(is_zero, || format!("{var:?} is no variable of a fold"))?;
            }
            let Some(&Action::Load { dst, ptr, access }) =
                cfa.edges.get(fold.site).map(|edge| &edge.action)
            else {
                return object_to("the site of a fold is no load");
            };
            self.ghost_distances(ptr, fold.home)?;
            let is_number = matches!(fold.ty, Type::Int(int) if int.width <= 64);
            let is_right = self.object(fold.home)?.ghost
                && is_number
                && fold.stride != 0
                && fold.stride.unsigned_abs() < 1 << 32
                && is_plain(access, fold.ty)
                && old.vars[dst].ty == fold.ty;
            require(is_right, || "a fold of something else".to_owned())?;
        }
        Ok(())
    }

    /// What a way does but for what it does to folds, and that, fold by fold, each with its number among all actions.
    pub(super) fn without_folds(&self, way: &Way<'a>) -> (Vec<&'a Action>, Vec<FoldActions<'a>>) {
        let mut rest = Vec::new();
        let mut folds = vec![Vec::new(); self.folds().len()];
        for (place, &action) in way.actions.iter().enumerate() {
            match action.defined_var().and_then(|var| self.fold_of(var)) {
                Some(fold) => folds[fold].push((place, action)),
                None => rest.push(action),
            }
        }
        (rest, folds)
    }

    /// The actions leave a fold without elements.
    fn empties(&self, fold: &GhostFold, actions: &FoldActions<'a>) -> bool {
        let sets = |var: VarId, is_right: &dyn Fn(ExprId) -> bool| {
            let is_set = |&(_, action): &(usize, &Action)| matches!(*action, Action::Assign { dst, value } if dst == var && is_right(value));
            actions.iter().any(is_set)
        };
        let is_zero = |value: ExprId| self.is_number(value, 0);
        actions.len() == 3
            && sets(fold.first, &is_zero)
            && sets(fold.next, &is_zero)
            && sets(fold.sum, &|value| self.is_sum_number(value, 0))
    }

    /// A way that may change the contents of an object leaves its folds without elements, and touches no other ones.
    pub(super) fn folds_are_emptied(&self, home: HomeId, folds: &[FoldActions<'a>]) -> Checked {
        for (fold, actions) in self.folds().iter().zip(folds) {
            let is_kept = fold.home != home && actions.is_empty();
            require(is_kept || self.empties(fold, actions), || {
                "a fold of what has changed".to_owned()
            })?;
        }
        Ok(())
    }

    /// What a load does to folds: nothing, or the step of its own one.
    pub(super) fn fold_load(
        &self,
        id: EdgeId,
        way: &Way<'a>,
        ptr: ExprId,
        dst: VarId,
        folds: &[FoldActions<'a>],
    ) -> Checked {
        let sets = |action: &&Action| action.defined_var() == Some(dst);
        let Some(read) = way.actions.iter().position(sets) else {
            return object_to("a load that reads nothing");
        };
        for (number, (fold, actions)) in self.folds().iter().zip(folds).enumerate() {
            if actions.is_empty() || self.empties(fold, actions) {
                continue;
            }
            let goes_on = way.goes_on.contains(&(number, true));
            let value = |(place, action): (usize, &Action), var: VarId, is_before: bool| {
                let is_there = (place < read) == is_before;
                match *action {
                    Action::Assign { dst, value } if dst == var && is_there => Some(value),
                    _ => None,
                }
            };
            let rest = match actions[..] {
                // Begun anew, without elements, where the load reads.
                [first, nothing, next, sum] => {
                    let first = value(first, fold.first, true);
                    let nothing = value(nothing, fold.sum, true);
                    let is_begun = first.is_some_and(|first| self.is_distance(ptr, first))
                        && nothing.is_some_and(|nothing| self.is_sum_number(nothing, 0));
                    is_begun.then_some([next, sum])
                }
                [next, sum] if goes_on => Some([next, sum]),
                _ => None,
            };
            let is_right = rest.is_some_and(|[next, sum]| {
                let next = value(next, fold.next, true);
                let sum = value(sum, fold.sum, false);
                next.is_some_and(|next| self.is_further(ptr, fold, next))
                    && sum.is_some_and(|sum| self.is_longer(fold, dst, sum))
            });
            let is_known = fold.site == id && way.is_inside == Some(true);
            require(is_right && is_known, || {
                "a fold of something else".to_owned()
            })?;
        }
        Ok(())
    }

    /// Whether a choice is whether the load that is a fold's site reads at the end of it: gives the fold.
    pub(super) fn is_at_next(&self, id: EdgeId, ptr: ExprId, cond: ExprId) -> Option<usize> {
        let exprs = &self.new.exprs;
        let ExprKind::Binary(BinOp::Eq, a, b) = exprs[cond].kind else {
            return None;
        };
        let is_next =
            |fold: &GhostFold| fold.site == id && exprs[b].kind == ExprKind::Var(fold.next);
        let fold = self.folds().iter().position(is_next)?;
        self.is_distance(ptr, a).then_some(fold)
    }

    /// Whether a condition is that a sum is in the range in which sums are: gives the fold.
    pub(super) fn is_sum_known(&self, cond: ExprId) -> Option<usize> {
        let exprs = &self.new.exprs;
        let ExprKind::Binary(BinOp::And, above, below) = exprs[cond].kind else {
            return None;
        };
        let (ExprKind::Binary(BinOp::Le, least, a), ExprKind::Binary(BinOp::Le, b, largest)) =
            (exprs[above].kind, exprs[below].kind)
        else {
            return None;
        };
        let ExprKind::Var(var) = exprs[a].kind else {
            return None;
        };
        let fold = self.fold_of(var)?;
        let is_right = self.folds()[fold].sum == var
            && exprs[b].kind == ExprKind::Var(var)
            && self.is_sum_number(least, -GhostFold::LARGEST)
            && self.is_sum_number(largest, GhostFold::LARGEST);
        is_right.then_some(fold)
    }

    /// Whether a condition is that two folds have the same sum if they are of the same elements.
    pub(super) fn agree(&self, cond: ExprId) -> bool {
        let exprs = &self.new.exprs;
        let ExprKind::Binary(BinOp::Or, differ, same) = exprs[cond].kind else {
            return false;
        };
        let (ExprKind::Binary(BinOp::Or, first, next), ExprKind::Binary(BinOp::Eq, a, b)) =
            (exprs[differ].kind, exprs[same].kind)
        else {
            return false;
        };
        let fold = |id: ExprId| {
            let mut folds = self.folds().iter();
            folds.find(|fold| exprs[id].kind == ExprKind::Var(fold.sum))
        };
        let (Some(a), Some(b)) = (fold(a), fold(b)) else {
            return false;
        };
        let is_place = |id: ExprId, var: VarId| exprs[id].kind == ExprKind::Var(var);
        // The place before one, in the order of the first fold.
        let is_before = |id: ExprId, var: VarId| {
            matches!(exprs[id].kind, ExprKind::Binary(BinOp::Sub, place, by)
                if is_place(place, var) && self.is_number(by, a.stride))
        };
        let (
            ExprKind::Binary(BinOp::Ne, a_first, b_first),
            ExprKind::Binary(BinOp::Ne, a_next, b_next),
        ) = (exprs[first].kind, exprs[next].kind)
        else {
            return false;
        };
        if (a.home, a.ty) != (b.home, b.ty)
            || !is_place(b_first, b.first)
            || !is_place(b_next, b.next)
        {
            return false;
        }
        if a.stride == b.stride {
            is_place(a_first, a.first) && is_place(a_next, a.next)
        } else {
            a.stride == -b.stride && is_before(a_first, a.next) && is_before(a_next, a.first)
        }
    }

    /// Whether an expression is the place behind the one that a pointer is to.
    fn is_further(&self, ptr: ExprId, fold: &GhostFold, id: ExprId) -> bool {
        matches!(self.new.exprs[id].kind, ExprKind::Binary(BinOp::Add, from, by)
            if self.is_distance(ptr, from) && self.is_number(by, fold.stride))
    }

    /// Whether an expression is the sum of a fold and a variable of its type.
    fn is_longer(&self, fold: &GhostFold, element: VarId, id: ExprId) -> bool {
        let exprs = &self.new.exprs;
        let ExprKind::Binary(BinOp::Add, sum, more) = exprs[id].kind else {
            return false;
        };
        let ExprKind::Cast(inner) = exprs[more].kind else {
            return false;
        };
        exprs[sum].kind == ExprKind::Var(fold.sum)
            && exprs.ty(more) == Type::Int(GhostFold::SUM)
            && exprs[inner].kind == ExprKind::Var(element)
    }

    fn is_sum_number(&self, id: ExprId, value: i128) -> bool {
        self.new.exprs.ty(id) == Type::Int(GhostFold::SUM)
            && self.new.exprs[id].kind == ExprKind::Const(GhostFold::SUM.wrap(value as u128))
    }
}

/// What a way does to a fold, each action with its number.
pub(super) type FoldActions<'a> = Vec<(usize, &'a Action)>;

fn is_plain(access: Access, ty: Type) -> bool {
    access.bits.is_none() && access.ty == ty
}
