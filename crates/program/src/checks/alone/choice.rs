//! One thread among others, with promises to choose from: which ones others keep is open, and of each it is asked by
//! itself whether this thread keeps it.
//!
//! Nothing rests on this: it is for whoever looks for promises, and doesn't want to make a program for each.

use super::super::Application;
use super::kept::implied;
use super::make::{COUNT, Thread};
use crate::cfa::{Action, LocKind};
use crate::expr::BinOp;
use crate::ids::{ExprId, TargetId, VarId};
use crate::model::{Program, Scope};
use crate::span::Span;
use crate::types::Type;

/// A program with promises to choose from.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The program.
    pub program: Program,
    /// For each promise a truth value that runs begin with: whether others keep it.
    pub relied: Vec<VarId>,
    /// A number that runs begin with: which promise this thread is asked about.
    pub asked: VarId,
    /// Where this thread doesn't keep it.
    pub broken: TargetId,
}

impl Thread<'_> {
    /// Adds the variables, and sets them at the start.
    pub(super) fn choose(&mut self, work: &mut Application<'_>, span: Span) {
        let start = work.program.start;
        let count = self.promises.promises.len();
        let relied = (0..count).map(|_| work.add_variable(Type::Bool, Scope::Global, span));
        let relied: Vec<VarId> = relied.collect();
        let asked = work.add_variable(Type::Int(COUNT), Scope::Global, span);
        let entry = work.program.functions[start].cfa.entry;
        let outgoing = work.cut(start, entry);
        let mut at = entry;
        for &dst in relied.iter().chain([&asked]) {
            let ty = work.program.vars[dst].ty;
            let site = self.add_input(work, Some(ty), start, span);
            at = work.then(start, at, Action::Input { dst, site }, span);
        }
        // A loop that does nothing: behind it the variables are part of the state for whoever cuts programs at loops.
        let (head, again) = (at, work.add_answer(start, span));
        let site = self.add_input(work, Some(Type::Bool), start, span);
        at = work.then(start, head, Action::Input { dst: again, site }, span);
        let cond = work.variable(again);
        let cfa = &mut work.program.functions[start].cfa;
        let behind = cfa.add_location(LocKind::Plain);
        let once_more = work.branch(start, at, cond, behind, span);
        let cfa = &mut work.program.functions[start].cfa;
        cfa.add_edge(once_more, Action::Skip, head, span);
        work.join(start, outgoing, behind);
        self.chosen = Some((relied, asked));
    }

    /// What others do if they keep a promise.
    pub(super) fn if_relied_on(
        &self,
        work: &mut Application<'_>,
        promise: usize,
        kept: ExprId,
    ) -> ExprId {
        let Some((relied, _)) = &self.chosen else {
            return kept;
        };
        let is_relied_on = work.variable(relied[promise]);
        implied(work, is_relied_on, kept)
    }

    /// What has to be so where it is chosen what is asked: a promise is kept, or it is not the one.
    pub(super) fn unless_not_asked(
        &self,
        work: &mut Application<'_>,
        promise: usize,
        kept: ExprId,
    ) -> Option<ExprId> {
        let (_, asked) = self.chosen.as_ref()?;
        let asked = work.variable(*asked);
        let number = work.program.exprs.int(COUNT, promise as i128);
        let is_asked = work.program.exprs.binary(BinOp::Eq, asked, number);
        Some(implied(work, is_asked, kept))
    }
}
