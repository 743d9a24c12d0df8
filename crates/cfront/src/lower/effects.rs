//! What evaluating an expression changes, so that only values which would get lost are kept in a variable of their own.

use index_vec::IndexVec;
use rhumb_program::{ExprId as ModelExprId, Scope, Span, VarId};

use super::Home;
use super::function::FunctionLowering;
use crate::hir::{Body, ExprId, ExprKind, LocalId};

/// What evaluating an expression changes. (Memory is not among it: what was read from there is in a variable.)
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Effects {
    /// Whether it does anything at all beside giving a value.
    pub(super) any: bool,
    /// Locals that it may assign to.
    locals: Locals,
    /// Whether it may assign to globals.
    globals: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Locals {
    #[default]
    None,
    One(LocalId),
    Many,
}

impl Effects {
    /// Anything may change.
    const ALL: Effects = Effects {
        any: true,
        locals: Locals::Many,
        globals: true,
    };

    /// Something is done that no variable sees.
    const HIDDEN: Effects = Effects {
        any: true,
        locals: Locals::None,
        globals: false,
    };

    /// The effects of both.
    pub(super) fn and(self, other: Effects) -> Effects {
        Effects {
            any: self.any || other.any,
            locals: match (self.locals, other.locals) {
                (Locals::None, locals) | (locals, Locals::None) => locals,
                (Locals::One(a), Locals::One(b)) if a == b => self.locals,
                _ => Locals::Many,
            },
            globals: self.globals || other.globals,
        }
    }
}

/// The effects of every expression of a body.
pub(super) fn effects(body: &Body) -> IndexVec<ExprId, Effects> {
    let mut effects: IndexVec<ExprId, Effects> = IndexVec::with_capacity(body.exprs.len());
    for expr in &body.exprs {
        let mut all = match &expr.kind {
            ExprKind::Assign { place, .. } => assignment(body, *place),
            ExprKind::Update(update) => assignment(body, update.place),
            ExprKind::CompoundLiteral { local, .. } => Effects {
                locals: Locals::One(*local),
                ..Effects::HIDDEN
            },
            ExprKind::Call { .. } => Effects {
                globals: true,
                ..Effects::HIDDEN
            },
            ExprKind::Intrinsic(..) | ExprKind::Unsupported(_) => Effects::HIDDEN,
            ExprKind::StmtExpr { .. } => Effects::ALL,
            _ => Effects::default(),
        };
        expr.for_each_operand(&mut |operand| {
            // Operands stand before their operator in the arena; one that doesn't could do anything.
            all = all.and(effects.get(operand).copied().unwrap_or(Effects::ALL));
        });
        effects.push(all);
    }
    effects
}

fn assignment(body: &Body, place: ExprId) -> Effects {
    match body.exprs[place].kind {
        ExprKind::Local(local) => Effects {
            locals: Locals::One(local),
            ..Effects::HIDDEN
        },
        ExprKind::Global(_) => Effects {
            globals: true,
            ..Effects::HIDDEN
        },
        _ => Effects::HIDDEN,
    }
}

impl FunctionLowering<'_, '_> {
    /// A value that stays what it is while something with these effects is evaluated.
    pub(super) fn protect(
        &mut self,
        value: ModelExprId,
        effects: Effects,
        span: Span,
    ) -> ModelExprId {
        if self.may_change(value, effects) {
            self.capture(value, span)
        } else {
            value
        }
    }

    /// A value that stays what it is when a variable is set.
    pub(super) fn protect_from(
        &mut self,
        value: ModelExprId,
        var: VarId,
        span: Span,
    ) -> ModelExprId {
        let mut is_read = false;
        let exprs = &self.unit.program.exprs;
        exprs.for_each_var(value, &mut |read| is_read |= read == var);
        if is_read {
            self.name(value, span)
        } else {
            value
        }
    }

    fn may_change(&self, value: ModelExprId, effects: Effects) -> bool {
        let program = &self.unit.program;
        let mut may_change = false;
        program.exprs.for_each_var(value, &mut |var| {
            may_change |= match (program.vars[var].scope, effects.locals) {
                (Scope::Global, _) => effects.globals,
                (Scope::Local(_), Locals::None) => false,
                (Scope::Local(_), Locals::One(local)) => {
                    matches!(self.homes[local], Some(Home::Var(assigned)) if assigned == var)
                }
                (Scope::Local(_), Locals::Many) => !self.unit.temporaries[var],
            };
        });
        may_change
    }
}
