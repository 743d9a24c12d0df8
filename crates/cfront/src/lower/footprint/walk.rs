//! Footprints of the expressions of one body, made when they are asked for.

use std::rc::Rc;

use super::{Called, Footprint, MAX_CALLS, Places, Thing};
use crate::hir::{Block, ExprId, ExprKind, Intrinsic, Stmt, StmtKind};

/// Variables beyond this number are not certain to be touched.
const MAX_CERTAIN: usize = 16;

impl Footprint {
    /// Adds what another expression does, in the same evaluation. Conditional: it may not happen.
    pub(in crate::lower) fn include(&mut self, other: &Footprint, is_conditional: bool) {
        self.reads.add_all(&other.reads);
        self.writes.add_all(&other.writes);
        if !is_conditional {
            extend(&mut self.certain_reads, &other.certain_reads);
            extend(&mut self.certain_writes, &other.certain_writes);
        }
        for &(called, times) in &other.calls {
            self.call(called, times);
        }
        self.atomic = (self.atomic + other.atomic).min(2);
        self.has_statements |= other.has_statements;
        self.has_label |= other.has_label;
        self.may_loop |= other.may_loop;
        self.may_leave |= other.may_leave;
    }

    fn call(&mut self, called: Called, times: u8) {
        let mut calls = self.calls.iter_mut();
        if let Some((_, known)) = calls.find(|(known, _)| *known == called) {
            *known = known.saturating_add(times).min(2);
        } else if self.calls.len() < MAX_CALLS {
            self.calls.push((called, times));
        } else {
            self.calls = vec![(Called::Any, 2)];
        }
    }

    /// A thing is read; certainly all of it, if that is by its name.
    fn read(&mut self, thing: Thing, is_name: bool) {
        self.reads.add(thing, 1);
        if is_name {
            extend(&mut self.certain_reads, &[thing]);
        }
    }

    fn write(&mut self, thing: Thing, is_name: bool) {
        self.writes.add(thing, 1);
        extend(&mut self.pending, &[thing]);
        if is_name {
            extend(&mut self.certain_writes, &[thing]);
        }
    }
}

fn extend(list: &mut Vec<Thing>, more: &[Thing]) {
    for &thing in more {
        if list.len() < MAX_CERTAIN && !list.contains(&thing) {
            list.push(thing);
        }
    }
}

impl Places<'_> {
    /// What evaluating an expression does; of a place: what finding it does.
    pub(in crate::lower) fn footprint(
        &self,
        id: ExprId,
        known: &mut rustc_hash::FxHashMap<ExprId, Rc<Footprint>>,
    ) -> Rc<Footprint> {
        if let Some(footprint) = known.get(&id) {
            return footprint.clone();
        }
        let (red_zone, step) = (super::super::expr::RED_ZONE, super::super::expr::STACK_STEP);
        let footprint = stacker::maybe_grow(red_zone, step, || self.compute(id, known));
        let footprint = Rc::new(footprint);
        known.insert(id, footprint.clone());
        footprint
    }

    fn compute(
        &self,
        id: ExprId,
        known: &mut rustc_hash::FxHashMap<ExprId, Rc<Footprint>>,
    ) -> Footprint {
        let expr = self.expr(id);
        let mut own = Footprint::default();
        // Operands whose effects are over before the value is there.
        let mut complete = false;
        match &expr.kind {
            &ExprKind::LogAnd(lhs, rhs) | &ExprKind::LogOr(lhs, rhs) => {
                own.include(&self.footprint(lhs, known), false);
                let rhs = self.footprint(rhs, known);
                own.include(&rhs, true);
                own.pending = rhs.pending.clone();
                return own;
            }
            &ExprKind::Cond(cond, first, second) => {
                own.include(&self.footprint(cond, known), false);
                for branch in [first, second] {
                    let branch = self.footprint(branch, known);
                    own.include(&branch, true);
                    extend(&mut own.pending, &branch.pending);
                }
                return own;
            }
            &ExprKind::Comma(first, second) => {
                own.include(&self.footprint(first, known), false);
                let second = self.footprint(second, known);
                own.include(&second, false);
                own.pending = second.pending.clone();
                return own;
            }
            ExprKind::StmtExpr { block, result } => {
                own.has_statements = true;
                self.block(block, &mut own, known);
                if let Some(result) = result {
                    own.include(&self.footprint(*result, known), true);
                }
                return own;
            }
            _ => {}
        }
        let mut operands = Vec::new();
        expr.for_each_operand(&mut |operand| operands.push(operand));
        if let ExprKind::Call { callee, .. } = &expr.kind {
            complete = true;
            own.call(Called::of(*callee), 1);
        }
        for operand in operands {
            let operand = self.footprint(operand, known);
            own.include(&operand, false);
            if !complete {
                extend(&mut own.pending, &operand.pending);
            }
        }
        let accessed = match &expr.kind {
            ExprKind::Load(place) | ExprKind::Assign { place, .. } => Some(*place),
            ExprKind::Update(update) => Some(update.place),
            _ => None,
        };
        if accessed.is_some_and(|place| self.is_atomic(place)) {
            own.atomic = (own.atomic + 1).min(2);
        }
        match &expr.kind {
            ExprKind::Load(place) => own.read(self.thing(*place), self.is_name(*place)),
            ExprKind::Assign { place, .. } => {
                own.write(self.thing(*place), self.is_name(*place));
            }
            // As if a function did it.
            ExprKind::Update(update) if update.atomic => {
                own.reads.add(self.thing(update.place), 1);
                own.writes.add(self.thing(update.place), 1);
            }
            ExprKind::Update(update) => {
                let is_name = self.is_name(update.place);
                own.read(self.thing(update.place), is_name);
                own.write(self.thing(update.place), is_name);
            }
            ExprKind::CompoundLiteral { local, .. } => own.write(Thing::Local(*local), true),
            ExprKind::Intrinsic(Intrinsic::CheckedArith(..), args) if args.len() > 2 => {
                own.writes.add(Thing::Memory, 1);
            }
            ExprKind::Intrinsic(
                Intrinsic::VaArg | Intrinsic::VaCopy | Intrinsic::VaStart | Intrinsic::Trap,
                _,
            ) => {
                own.reads.add(Thing::Memory, 1);
                own.writes.add(Thing::Memory, 1);
            }
            _ => {}
        }
        own
    }

    fn is_name(&self, place: ExprId) -> bool {
        let kind = &self.expr(place).kind;
        matches!(kind, ExprKind::Local(_) | ExprKind::Global(_))
    }

    /// Whether a statement may go on for ever: a loop, or a jump back.
    fn is_loop(&self, stmt: &Stmt) -> bool {
        match &stmt.kind {
            StmtKind::While { .. } | StmtKind::For { .. } | StmtKind::GotoComputed { .. } => true,
            StmtKind::DoWhile { cond, .. } => !matches!(self.expr(*cond).kind, ExprKind::Const(0)),
            StmtKind::Goto(label) => self.body.labels[*label].span.lo <= stmt.span.lo,
            _ => false,
        }
    }

    /// Whether the statements of a block, those in expressions left out, may go on for ever.
    pub(super) fn has_loop(&self, block: &Block) -> bool {
        let mut found = false;
        let mut ignored = Vec::new();
        each_stmt(block, &mut ignored, |stmt, _| found |= self.is_loop(stmt));
        found
    }

    /// Adds what the statements of a block may do.
    fn block(
        &self,
        block: &Block,
        own: &mut Footprint,
        known: &mut rustc_hash::FxHashMap<ExprId, Rc<Footprint>>,
    ) {
        let mut exprs = Vec::new();
        each_stmt(block, &mut exprs, |stmt, around| {
            own.may_loop |= self.is_loop(stmt);
            match stmt.kind {
                StmtKind::Label(_) => own.has_label = true,
                StmtKind::Goto(_) | StmtKind::GotoComputed { .. } | StmtKind::Return(_) => {
                    own.may_leave = true;
                }
                StmtKind::Break => own.may_leave |= !around.takes_break,
                StmtKind::Continue => own.may_leave |= !around.takes_continue,
                _ => {}
            }
        });
        for expr in exprs {
            own.include(&self.footprint(expr, known), true);
        }
    }
}

/// What stands around a statement of a block, in that block.
#[derive(Clone, Copy, Default)]
struct Around {
    takes_break: bool,
    takes_continue: bool,
}

impl Around {
    const LOOP: Around = Around {
        takes_break: true,
        takes_continue: true,
    };
}

/// Visits the statements of a block and collects their expressions.
fn each_stmt(block: &Block, exprs: &mut Vec<ExprId>, mut visit: impl FnMut(&Stmt, Around)) {
    let stmts = block.stmts.iter();
    let mut work: Vec<(&Stmt, Around)> = stmts.map(|stmt| (stmt, Around::default())).collect();
    while let Some((stmt, around)) = work.pop() {
        visit(stmt, around);
        let mut also = |stmt| work.push((stmt, around));
        match &stmt.kind {
            StmtKind::Expr(expr) | StmtKind::GotoComputed { target: expr, .. } => exprs.push(*expr),
            StmtKind::Declare { init, .. } => init.for_each_expr(&mut |expr| exprs.push(expr)),
            StmtKind::Block(block) => block.stmts.iter().for_each(also),
            StmtKind::Sequence(stmts) => stmts.iter().for_each(also),
            StmtKind::If { arms, otherwise } => {
                exprs.extend(arms.iter().map(|(cond, _)| *cond));
                let arms = arms.iter().map(|(_, stmt)| stmt);
                arms.chain(otherwise.as_deref()).for_each(also);
            }
            StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
                exprs.push(*cond);
                work.push((body, Around::LOOP));
            }
            StmtKind::For(each) => {
                each.init.iter().for_each(&mut also);
                exprs.extend(each.cond.iter().chain(&each.step));
                work.push((&each.body, Around::LOOP));
            }
            StmtKind::Switch { value, body } => {
                exprs.push(*value);
                let takes_break = true;
                work.push((
                    body,
                    Around {
                        takes_break,
                        ..around
                    },
                ));
            }
            StmtKind::Return(value) => exprs.extend(value),
            StmtKind::Case { .. }
            | StmtKind::Default
            | StmtKind::Label(_)
            | StmtKind::Goto(_)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Unsupported(_) => {}
        }
    }
}
