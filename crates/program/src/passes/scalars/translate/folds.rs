//! Sums of elements that are followed: what becomes of a plan.

use super::super::folds::{FoldPlan, GhostFold};
use super::super::ghosts::Ghosts;
use super::super::pointees::HomeId;
use super::{Stage, Translator};
use crate::cfa::Action;
use crate::expr::BinOp;
use crate::ids::{EdgeId, ExprId, VarId};
use crate::model::{Decl, Scope};
use crate::passes::restore::{GhostPart, VarOrigin};
use crate::span::Span;
use crate::types::{Access, Type};

/// With so many folds before it a fold is compared: conditions have a limited depth.
const MOST_BEFORE: usize = 3;
/// The largest distance from one element to the next.
const LARGEST_STRIDE: u64 = 1 << 20;

impl Translator<'_, '_> {
    /// Variables for the folds of a plan that can be followed.
    pub(super) fn declare_folds(&mut self, plans: &[FoldPlan]) {
        let source = self.source;
        let cfa = &source.functions[source.start].cfa;
        for (number, plan) in plans.iter().enumerate() {
            let edge = cfa.edges.get(plan.site).map(|edge| &edge.action);
            let Some(&Action::Load { dst, ptr, access }) = edge else {
                continue;
            };
            let Some(home) = self.ghost_home(ptr) else {
                continue;
            };
            let is_number = matches!(plan.ty, Type::Int(int) if int.width <= 64);
            let is_right = self.homes[home].home == plan.home
                && self.has_distance(ptr)
                && is_number
                && plan.stride != 0
                && plan.stride.unsigned_abs() <= LARGEST_STRIDE
                && is_plain(access, plan.ty)
                && source.vars[dst].ty == plan.ty;
            if !is_right {
                continue;
            }
            let decl = Decl {
                name: "".into(),
                span: source.functions[source.start].span,
                visible: Span::default(),
            };
            let mut var = |what: &str, ty: Type, part: GhostPart| {
                let origin = VarOrigin::Ghost(part, number as u32);
                self.add_var(
                    format!("{what} of fold {number}"),
                    &decl,
                    ty,
                    Scope::Global,
                    origin,
                )
            };
            let place = Type::Int(Ghosts::INT);
            let first = var("first", place, GhostPart::FoldFirst);
            let next = var("next", place, GhostPart::FoldNext);
            let sum = var("sum", Type::Int(GhostFold::SUM), GhostPart::FoldSum);
            self.ghosts.folds.push(GhostFold {
                home,
                site: plan.site,
                stride: plan.stride,
                ty: plan.ty,
                first,
                next,
                sum,
            });
        }
    }

    fn place_of(&mut self, var: VarId) -> ExprId {
        self.result.exprs.var(var, Type::Int(Ghosts::INT))
    }

    fn sum_of(&mut self, fold: &GhostFold) -> ExprId {
        (self.result.exprs).var(fold.sum, Type::Int(GhostFold::SUM))
    }

    fn sum_number(&mut self, value: i128) -> ExprId {
        self.result.exprs.int(GhostFold::SUM, value)
    }

    /// The contents of an object have changed: no element is in a fold of it.
    pub(super) fn empty_folds(&mut self, home: HomeId) -> Vec<Action> {
        let folds = self.ghosts.folds.clone().into_iter();
        let folds: Vec<GhostFold> = folds.filter(|fold| fold.home == home).collect();
        folds
            .iter()
            .flat_map(|fold| self.empty_fold(fold))
            .collect()
    }

    fn empty_fold(&mut self, fold: &GhostFold) -> [Action; 3] {
        let nothing = self.sum_number(0);
        let zero = self.number(0);
        [(fold.first, zero), (fold.next, zero), (fold.sum, nothing)]
            .map(|(dst, value)| Action::Assign { dst, value })
    }

    /// What a load does to the fold whose site it is: before it, after it, and where it is not known what it reads;
    /// and what is known before.
    pub(super) fn fold_load(
        &mut self,
        id: EdgeId,
        dst: VarId,
        distance: ExprId,
    ) -> Option<FoldSteps> {
        let mut folds = self.ghosts.folds.iter();
        let fold = *folds.find(|fold| fold.site == id)?;
        let sum = self.sum_of(&fold);
        let least = self.sum_number(-GhostFold::LARGEST);
        let largest = self.sum_number(GhostFold::LARGEST);
        let above = self.result.exprs.binary(BinOp::Le, least, sum);
        let below = self.result.exprs.binary(BinOp::Le, sum, largest);
        let known = self.result.exprs.binary(BinOp::And, above, below);
        let next = self.place_of(fold.next);
        let goes_on = self.result.exprs.binary(BinOp::Eq, distance, next);
        let begin = vec![
            Action::Assign {
                dst: fold.first,
                value: distance,
            },
            Action::Assign {
                dst: fold.sum,
                value: self.sum_number(0),
            },
        ];
        let stride = self.number(fold.stride);
        let further = self.result.exprs.binary(BinOp::Add, distance, stride);
        let step = vec![Action::Assign {
            dst: fold.next,
            value: further,
        }];
        let element = self.result.exprs.var(dst, fold.ty);
        let element = (self.result.exprs).cast(Type::Int(GhostFold::SUM), element);
        let value = self.result.exprs.binary(BinOp::Add, sum, element);
        let add = vec![Action::Assign {
            dst: fold.sum,
            value,
        }];
        Some(FoldSteps {
            known,
            before: [(vec![(goes_on, Vec::new())], begin), (Vec::new(), step)],
            after: (Vec::new(), add),
            outside: self.empty_fold(&fold).to_vec(),
        })
    }

    /// That folds of the same elements have the same sum.
    pub(super) fn agreements(&mut self) -> Vec<ExprId> {
        let folds = self.ghosts.folds.clone();
        let mut all = Vec::new();
        for (count, b) in folds.iter().enumerate() {
            for a in folds[..count].iter().rev().take(MOST_BEFORE) {
                let Some(is_same) = a.is_alike(b) else {
                    continue;
                };
                let (mut first, mut next) = (self.place_of(a.first), self.place_of(a.next));
                if !is_same {
                    let stride = self.number(a.stride);
                    let before = |this: &mut Self, place: ExprId| {
                        (this.result.exprs).binary(BinOp::Sub, place, stride)
                    };
                    (first, next) = (before(self, next), before(self, first));
                }
                let (their_first, their_next) = (self.place_of(b.first), self.place_of(b.next));
                let (ours, theirs) = (self.sum_of(a), self.sum_of(b));
                let exprs = &mut self.result.exprs;
                let first = exprs.binary(BinOp::Ne, first, their_first);
                let next = exprs.binary(BinOp::Ne, next, their_next);
                let differs = exprs.binary(BinOp::Or, first, next);
                let same = exprs.binary(BinOp::Eq, ours, theirs);
                all.push(exprs.binary(BinOp::Or, differs, same));
            }
        }
        all
    }
}

/// What a load does to the fold whose site it is.
pub(super) struct FoldSteps {
    /// What holds before.
    pub(super) known: ExprId,
    pub(super) before: [Stage; 2],
    pub(super) after: Stage,
    pub(super) outside: Vec<Action>,
}

fn is_plain(access: Access, ty: Type) -> bool {
    access.bits.is_none() && access.ty == ty
}
