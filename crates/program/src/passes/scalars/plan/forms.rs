//! Places as linear functions of variables.

use std::collections::BTreeMap;

use index_vec::IndexVec;

use crate::cfa::Action;
use crate::expr::{BinOp, ExprKind, UnOp};
use crate::ids::{ExprId, VarId};
use crate::model::{Program, Scope};
use crate::types::Type;

/// No variable is looked through more often than this.
const DEPTH: u32 = 12;

/// A sum of multiples of variables and a constant, as if nothing wrapped round.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(super) struct Form {
    parts: BTreeMap<VarId, i64>,
    constant: i64,
}

impl Form {
    fn constant(constant: i64) -> Form {
        Form {
            parts: BTreeMap::new(),
            constant,
        }
    }

    fn plus(mut self, other: &Form, factor: i64) -> Option<Form> {
        self.constant = (self.constant).checked_add(other.constant.checked_mul(factor)?)?;
        for (&var, &part) in &other.parts {
            let sum = self.parts.entry(var).or_insert(0);
            *sum = sum.checked_add(part.checked_mul(factor)?)?;
        }
        self.parts.retain(|_, part| *part != 0);
        Some(self)
    }

    fn times(&self, factor: i64) -> Option<Form> {
        Form::default().plus(self, factor)
    }

    /// By how much it grows, given by how much variables do.
    pub(super) fn step(&self, increment: impl Fn(VarId) -> Option<i64>) -> Option<i64> {
        let parts = self.parts.iter();
        let mut steps = parts.map(|(&var, part)| increment(var)?.checked_mul(*part));
        steps.try_fold(0i64, |sum, step| sum.checked_add(step?))
    }

    /// Numbers `n`, `d` and `c` so that the other is `n / d` times this plus `c`.
    pub(super) fn ratio(&self, other: &Form) -> Option<(i64, i64, i64)> {
        let (var, den) = self.parts.iter().next()?;
        let num = other.parts.get(var)?;
        if self.parts.len() != other.parts.len() {
            return None;
        }
        for (var, part) in &self.parts {
            let theirs = other.parts.get(var)?;
            if part.checked_mul(*num)? != theirs.checked_mul(*den)? {
                return None;
            }
        }
        let common = self.constant.checked_mul(*num)?;
        let (num, den) = if *den < 0 { (-num, -den) } else { (*num, *den) };
        let common = if self.parts.values().next().is_some_and(|&den| den < 0) {
            -common
        } else {
            common
        };
        (common % den == 0).then_some(())?;
        Some((num, den, other.constant.checked_sub(common / den)?))
    }
}

/// Forms of pointers: a variable that is set in one place only is what it is set to.
pub(super) struct Forms<'p> {
    program: &'p Program,
    /// The only value of a variable; an allocation has none and counts as the start of its object.
    only: IndexVec<VarId, Value>,
}

#[derive(Clone, Copy)]
enum Value {
    None,
    Start,
    Expr(ExprId),
    Several,
}

impl<'p> Forms<'p> {
    pub(super) fn of(program: &'p Program) -> Forms<'p> {
        let mut only: IndexVec<VarId, Value> = (program.vars.iter())
            .map(|var| match var.scope {
                Scope::Local(_) => Value::None,
                Scope::Global => Value::Several,
            })
            .collect();
        for function in &program.functions {
            for edge in &function.cfa.edges {
                let Some(var) = edge.action.defined_var() else {
                    continue;
                };
                // Null is in no object: whoever accesses something has another value.
                if let Action::Assign { value, .. } = edge.action
                    && program.exprs.ty(value) == Type::Ptr
                    && matches!(program.exprs[value].kind, ExprKind::Const(0))
                {
                    continue;
                }
                only[var] = match (only[var], &edge.action) {
                    (Value::None, Action::Assign { value, .. }) => Value::Expr(*value),
                    (Value::None, Action::Alloc { .. }) => Value::Start,
                    _ => Value::Several,
                };
            }
        }
        Forms { program, only }
    }

    /// The distance of a pointer from the start of its object.
    pub(super) fn of_pointer(&self, ptr: ExprId) -> Option<Form> {
        self.form(ptr, DEPTH)
    }

    fn form(&self, id: ExprId, depth: u32) -> Option<Form> {
        let exprs = &self.program.exprs;
        let depth = depth.checked_sub(1)?;
        match exprs[id].kind {
            ExprKind::Const(bits) => match exprs.ty(id) {
                Type::Int(int) => Some(Form::constant(i64::try_from(int.extend(bits)).ok()?)),
                _ => None,
            },
            ExprKind::AddrOf(_) => Some(Form::default()),
            ExprKind::Var(var) => match self.only[var] {
                Value::Start => Some(Form::default()),
                Value::Expr(value) if exprs.ty(value) == exprs.ty(id) => {
                    self.form(value, depth).or_else(|| Some(self.variable(var)))
                }
                _ => Some(self.variable(var)),
            },
            ExprKind::Cast(arg) if matches!(exprs.ty(arg), Type::Int(_)) => self.form(arg, depth),
            ExprKind::PtrAdd(a, b) => self.form(a, depth)?.plus(&self.form(b, depth)?, 1),
            ExprKind::Unary(UnOp::Neg, a) => self.form(a, depth)?.times(-1),
            ExprKind::Binary(op, a, b) => {
                let (left, right) = (self.form(a, depth)?, self.form(b, depth)?);
                match op {
                    BinOp::Add => left.plus(&right, 1),
                    BinOp::Sub => left.plus(&right, -1),
                    BinOp::Mul if right.parts.is_empty() => left.times(right.constant),
                    BinOp::Mul if left.parts.is_empty() => right.times(left.constant),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    fn variable(&self, var: VarId) -> Form {
        Form {
            parts: BTreeMap::from([(var, 1)]),
            constant: 0,
        }
    }
}
