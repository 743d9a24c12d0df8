//! Actions and expressions of a function, over the variables and objects of a copy of it.

use super::{Inliner, Instance};
use crate::cfa::{Action, Callee};
use crate::expr::ExprKind;
use crate::graph::Called;
use crate::ids::{ExprId, ObjectId, VarId};
use crate::model::Scope;

impl Inliner<'_> {
    pub(super) fn copy_action(&mut self, instance: &mut Instance, action: &Action) -> Action {
        let mut action = action.clone();
        action.for_each_expr_mut(|expr| *expr = self.copy_expr(instance, *expr));
        match &mut action {
            Action::Assign { dst, .. }
            | Action::Input { dst, .. }
            | Action::Load { dst, .. }
            | Action::Alloc { dst, .. } => *dst = self.copied_var(instance, *dst),
            Action::Approximate { dst, .. } | Action::Call { dst, .. } => {
                *dst = dst.map(|dst| self.copied_var(instance, dst));
            }
            Action::Enter(object) | Action::Leave(object) => {
                *object = self.copied_object(instance, *object);
            }
            Action::Return { value } => {
                if let Some(result) = instance.result {
                    return match (result, *value) {
                        (Some(dst), Some(value)) => Action::Assign { dst, value },
                        _ => Action::Skip,
                    };
                }
            }
            _ => {}
        }
        // What is called is known now, whatever it was called through.
        if let Some(Called::Function(callee)) = self.result.callee(&action)
            && self.result.accepts(&self.result.exprs, callee, &action)
            && let Action::Call { callee: place, .. } = &mut action
        {
            *place = Callee::Function(callee);
        }
        action
    }

    pub(super) fn copied_var(&self, instance: &Instance, var: VarId) -> VarId {
        match instance.base {
            Some((base, _)) if self.source.vars[var].scope != Scope::Global => {
                base + self.var_slots[var] as usize
            }
            _ => var,
        }
    }

    pub(super) fn copied_object(&self, instance: &Instance, object: ObjectId) -> ObjectId {
        match instance.base {
            Some((_, base)) if self.source.objects[object].scope != Scope::Global => {
                base + self.object_slots[object] as usize
            }
            _ => object,
        }
    }

    /// An expression over the copy's variables. Recursive on its depth, which the model limits.
    pub(super) fn copy_expr(&mut self, instance: &mut Instance, id: ExprId) -> ExprId {
        if instance.base.is_none() || !self.local[id] {
            return id;
        }
        if let Some(&known) = instance.exprs.get(&id) {
            return known;
        }
        let expr = self.source.exprs[id].clone();
        let kind = match expr.kind {
            ExprKind::Var(var) => ExprKind::Var(self.copied_var(instance, var)),
            ExprKind::AddrOf(object) => ExprKind::AddrOf(self.copied_object(instance, object)),
            kind => kind.map_children(|child| self.copy_expr(instance, child)),
        };
        let new = self.result.exprs.push(kind, expr.ty);
        instance.exprs.insert(id, new);
        new
    }
}
