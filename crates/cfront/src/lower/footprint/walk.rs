//! Footprints of the expressions of one body, made when they are asked for.

use std::rc::Rc;

use super::{Called, Footprint, MAX_CALLS, Places, Thing};
use crate::hir::{Block, Callee, ExprId, ExprKind, Intrinsic, Stmt, StmtKind};

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
        self.more_calls |= other.more_calls;
        for &call in &other.calls {
            self.call(call);
        }
        self.has_statements |= other.has_statements;
    }

    fn call(&mut self, called: Called) {
        if self.calls.len() < MAX_CALLS {
            self.calls.push(called);
        } else {
            self.more_calls = true;
        }
    }

    fn read(&mut self, thing: Thing) {
        self.reads.add(thing, 1);
        extend(&mut self.certain_reads, &[thing]);
    }

    fn write(&mut self, thing: Thing) {
        self.writes.add(thing, 1);
        extend(&mut self.certain_writes, &[thing]);
        extend(&mut self.pending, &[thing]);
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
            own.call(match callee {
                Callee::Function(id) => Called::Function(*id),
                Callee::Pointer(_) => Called::Any,
            });
        }
        for operand in operands {
            let operand = self.footprint(operand, known);
            own.include(&operand, false);
            if !complete {
                extend(&mut own.pending, &operand.pending);
            }
        }
        match &expr.kind {
            ExprKind::Load(place) => own.read(self.thing(*place)),
            ExprKind::Assign { place, .. } => own.write(self.thing(*place)),
            ExprKind::Update(update) => {
                own.read(self.thing(update.place));
                own.write(self.thing(update.place));
            }
            ExprKind::CompoundLiteral { local, .. } => own.write(Thing::Local(*local)),
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

    /// Adds what the statements of a block may do.
    fn block(
        &self,
        block: &Block,
        own: &mut Footprint,
        known: &mut rustc_hash::FxHashMap<ExprId, Rc<Footprint>>,
    ) {
        let mut exprs = Vec::new();
        let mut work: Vec<&Stmt> = block.stmts.iter().collect();
        while let Some(stmt) = work.pop() {
            match &stmt.kind {
                StmtKind::Expr(expr) | StmtKind::GotoComputed { target: expr, .. } => {
                    exprs.push(*expr);
                }
                StmtKind::Declare { init, .. } => init.for_each_expr(&mut |expr| exprs.push(expr)),
                StmtKind::Block(block) => work.extend(&block.stmts),
                StmtKind::Sequence(stmts) => work.extend(stmts),
                StmtKind::If { arms, otherwise } => {
                    exprs.extend(arms.iter().map(|(cond, _)| *cond));
                    work.extend(arms.iter().map(|(_, stmt)| stmt));
                    work.extend(otherwise.iter().map(|stmt| &**stmt));
                }
                StmtKind::While { cond, body } | StmtKind::DoWhile { body, cond } => {
                    exprs.push(*cond);
                    work.push(body);
                }
                StmtKind::For {
                    init,
                    cond,
                    step,
                    body,
                } => {
                    work.extend(init);
                    exprs.extend(cond.iter().chain(step));
                    work.push(body);
                }
                StmtKind::Switch { value, body } => {
                    exprs.push(*value);
                    work.push(body);
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
        for expr in exprs {
            own.include(&self.footprint(expr, known), true);
        }
    }
}
