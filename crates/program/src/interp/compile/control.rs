//! Control flow: blocks, branches, checks, sinks.

use super::action::Flow;
use super::expr::keeps_register;
use super::{FunctionCompiler, UNPLACED};
use crate::cfa::{Action, LocKind};
use crate::expr::{BinOp, ExprKind, UnOp};
use crate::ids::{EdgeId, ExprId, LocId};
use crate::interp::code::{Entry, Explain, Sink};
use crate::interp::instr::{Instr, words};
use crate::types::Type;

/// A way out of a block, taken rarely.
pub(super) struct Exit {
    /// The branch that takes it, or the checked operation.
    pub(super) branch: u32,
    /// Whether that is a checked operation.
    pub(super) checked: bool,
    /// The edge that it stands for; `None` if execution stops before any.
    pub(super) edge: Option<EdgeId>,
    /// Where it leads.
    pub(super) target: LocId,
    /// Number of edges of the block up to and with this one, and later the number of those that are not executed.
    pub(super) edges: u32,
}

/// The two edges of a branch.
#[derive(Clone, Copy)]
struct Branch {
    cond: ExprId,
    /// Taken if the condition holds.
    yes: EdgeId,
    no: EdgeId,
}

impl FunctionCompiler<'_> {
    /// Emits the whole function.
    pub(super) fn function(&mut self) {
        let first_call = self.code.calls.len();
        let entry = self.pc();
        let mut waiting = Vec::new();
        let mut next = Some(self.cfa.entry);
        while let Some(location) = next.or_else(|| waiting.pop()) {
            next = None;
            if self.location_pc[location.index()] == UNPLACED {
                next = self.block(location, &mut waiting);
            }
        }
        self.emit_exits();
        for (branch, location) in std::mem::take(&mut self.unresolved) {
            self.set_target(branch, self.location_pc[location.index()]);
        }
        // Only now is it known how many registers an activation needs.
        let advance = self.words_needed;
        for call in &mut self.code.calls[first_call..] {
            call.advance = advance;
        }
        let activation = &self.layout.functions[self.id];
        self.code.functions.push(Entry {
            pc: entry,
            words: advance,
            param_words: activation.param_words,
            scope: activation.scope,
        });
    }

    /// Emits a block. Gives the location whose block must follow, if there is one.
    fn block(&mut self, start: LocId, waiting: &mut Vec<LocId>) -> Option<LocId> {
        self.begin_block(start);
        let mut location = start;
        loop {
            let place = &self.cfa.locations[location];
            match (place.kind, &*place.outgoing) {
                (LocKind::Exit, _) => {
                    self.leave_function(None);
                    return self.end_block(None);
                }
                (LocKind::Plain, &[edge]) => {
                    if let Action::Assume { cond, holds } = self.cfa.edges[edge].action {
                        self.assumption(edge, cond, holds);
                    } else {
                        self.begin_edge(edge);
                        let flow = if self.substitute(edge) {
                            Flow::Unchanged
                        } else {
                            self.action(edge)
                        };
                        if flow != Flow::Unchanged {
                            self.forget();
                        }
                        match flow {
                            Flow::Unchanged | Flow::On => {}
                            Flow::Back => return self.after_call(self.cfa.edges[edge].target),
                            Flow::Never => return self.end_block(None),
                        }
                    }
                    location = self.cfa.edges[edge].target;
                }
                (LocKind::Plain, &[first, second]) => {
                    match self.branching(location, first, second, waiting) {
                        Ok(on) => location = on,
                        Err(follower) => return follower,
                    }
                }
                _ => {
                    self.emit_sink(Sink {
                        location,
                        explain: Explain::Nothing,
                    });
                    return self.end_block(None);
                }
            }
            if self.fast() {
                if self.begins_block(location) && !self.is_simple_branch(location) {
                    return self.jump(location);
                }
            } else if self.location_pc[location.index()] != UNPLACED {
                return self.jump(location);
            } else {
                // In traced code every location can be jumped to.
                self.mark_location(location);
            }
        }
    }

    /// Whether control comes to the location in more than one way. (To sinks, too, but their code is short.)
    fn begins_block(&self, location: LocId) -> bool {
        self.cfa.locations[location].kind == LocKind::Plain
            && (self.incoming[location.index()] > 1
                || self.location_pc[location.index()] != UNPLACED)
    }

    fn begin_block(&mut self, location: LocId) {
        self.block_start = self.pc();
        self.block_exits = self.exits.len();
        self.edges_done = 0;
        self.forget();
        self.mark_location(location);
    }

    fn mark_location(&mut self, location: LocId) {
        let pc = self.pc();
        self.location_pc[location.index()] = pc;
        self.code.blocks.push((pc, self.id, location));
    }

    /// Closes the books of a block: what it costs, and what is not executed if it is left early.
    fn end_block(&mut self, follower: Option<LocId>) -> Option<LocId> {
        if self.fast() {
            let total = self.edges_done;
            let start = self.block_start as usize;
            for site in &mut self.code.sites[start..] {
                site.pending = total - site.pending;
            }
            for exit in &mut self.exits[self.block_exits..] {
                exit.edges = total - exit.edges;
            }
            if let Some(charge) = self.code.charges.get_mut(start) {
                *charge = total;
            }
        } else {
            let start = self.block_start as usize;
            for site in &mut self.code.sites[start..] {
                site.pending = 0;
            }
        }
        follower
    }

    /// Ends the block with a jump. A location without code gets it right behind.
    fn jump(&mut self, location: LocId) -> Option<LocId> {
        let pc = self.emit(Instr::Jump { target: UNPLACED });
        self.set_target_location(pc, location);
        let placed = self.location_pc[location.index()] != UNPLACED;
        self.end_block((!placed).then_some(location))
    }

    /// Ends the block behind a call: execution comes back to the next instruction.
    fn after_call(&mut self, location: LocId) -> Option<LocId> {
        if self.location_pc[location.index()] != UNPLACED {
            return self.jump(location);
        }
        self.end_block(Some(location))
    }

    fn set_target_location(&mut self, branch: u32, location: LocId) {
        match self.location_pc[location.index()] {
            UNPLACED => self.unresolved.push((branch, location)),
            pc => self.set_target(branch, pc),
        }
    }

    fn set_target(&mut self, branch: u32, pc: u32) {
        if let Some(target) = self.code.instrs[branch as usize].target_mut() {
            *target = pc;
        }
    }

    /// Sets where a way out of a block leads: a branch's target, or a checked operation's exit.
    fn set_exit(&mut self, exit: &Exit, pc: u32) {
        if exit.checked {
            self.code.sites[exit.branch as usize].exit = pc;
        } else {
            self.set_target(exit.branch, pc);
        }
    }

    /// Makes one instruction of a branch and the increment right before it, if they are the end of a common loop. Gives the branch.
    fn fuse_count(&mut self, branch: u32) -> u32 {
        let increment = branch.wrapping_sub(1);
        if branch <= self.block_start {
            return branch;
        }
        let fused = match (
            self.code.instrs[increment as usize],
            self.code.instrs[branch as usize],
        ) {
            (
                Instr::AddCheckI32 { dst, a, b },
                Instr::IfLtSigned {
                    a: counter,
                    b: limit,
                    target,
                }
                | Instr::IfLeSigned {
                    a: counter,
                    b: limit,
                    target,
                },
            ) if dst == a && a == counter && limit != counter => {
                let step = self.pool.constant_in(b).map(|step| step as i64);
                let Some(step) = step.and_then(|step| i16::try_from(step).ok()) else {
                    return branch;
                };
                match self.code.instrs[branch as usize] {
                    Instr::IfLtSigned { .. } => Instr::CountLtI32 {
                        a,
                        limit,
                        target,
                        step,
                    },
                    _ => Instr::CountLeI32 {
                        a,
                        limit,
                        target,
                        step,
                    },
                }
            }
            _ => return branch,
        };
        self.code.instrs.pop();
        self.code.charges.pop();
        self.code.sites.pop();
        self.code.instrs[increment as usize] = fused;
        increment
    }

    pub(super) fn begin_edge(&mut self, edge: EdgeId) {
        self.edge = edge;
        self.edges_done += 1;
        if self.fast() {
            self.forget_observing();
        } else {
            self.forget();
            self.emit(Instr::Edge { edge });
        }
    }

    /// A condition without an alternative: the run ends where it doesn't hold.
    fn assumption(&mut self, edge: EdgeId, cond: ExprId, holds: bool) {
        self.edge = edge;
        let branch = self.branch_if(cond, !holds);
        self.exits.push(Exit {
            branch,
            checked: false,
            edge: None,
            target: self.cfa.edges[edge].source,
            edges: self.edges_done,
        });
        self.begin_edge(edge);
    }

    /// A location with two edges. Gives the location to go on at in this block, or the end of the block.
    fn branching(
        &mut self,
        location: LocId,
        first: EdgeId,
        second: EdgeId,
        waiting: &mut Vec<LocId>,
    ) -> Result<LocId, Option<LocId>> {
        let Some(branch) = self.branch_at(location, first, second) else {
            // Not an automaton of the documented shape: the run ends here, and says so.
            self.emit_sink(Sink {
                location,
                explain: Explain::Nothing,
            });
            return Err(self.end_block(None));
        };
        self.edge = first;
        if let ExprKind::Const(bits) = self.kind(branch.cond) {
            let edge = if bits != 0 { branch.yes } else { branch.no };
            self.begin_edge(edge);
            return Ok(self.cfa.edges[edge].target);
        }
        let (yes, no) = (branch.yes, branch.no);
        if self.leads_to_sink(yes) {
            Ok(self.checked(branch.cond, true, yes, no))
        } else if self.leads_to_sink(no) {
            Ok(self.checked(branch.cond, false, no, yes))
        } else if !self.fast() {
            waiting.push(self.cfa.edges[no].target);
            Ok(self.checked(branch.cond, false, no, yes))
        } else {
            Err(self.two_way(branch, waiting))
        }
    }

    fn branch_at(&self, location: LocId, first: EdgeId, second: EdgeId) -> Option<Branch> {
        debug_assert_eq!(self.cfa.edges[first].source, location);
        match (
            &self.cfa.edges[first].action,
            &self.cfa.edges[second].action,
        ) {
            (
                &Action::Assume { cond, holds },
                &Action::Assume {
                    cond: other,
                    holds: other_holds,
                },
            ) if self.canon.of(cond) == self.canon.of(other) && holds != other_holds => {
                let (yes, no) = if holds {
                    (first, second)
                } else {
                    (second, first)
                };
                Some(Branch { cond, yes, no })
            }
            _ => None,
        }
    }

    pub(super) fn leads_to_sink(&self, edge: EdgeId) -> bool {
        let target = self.cfa.edges[edge].target;
        !matches!(
            self.cfa.locations[target].kind,
            LocKind::Plain | LocKind::Exit
        )
    }

    /// A branch that ends the block.
    fn two_way(&mut self, branch: Branch, waiting: &mut Vec<LocId>) -> Option<LocId> {
        let target = |edge: EdgeId| self.cfa.edges[edge].target;
        let (yes, no) = (target(branch.yes), target(branch.no));
        let placed = |location: LocId| self.location_pc[location.index()] != UNPLACED;
        let (yes_placed, no_placed) = (placed(yes), placed(no));
        let (sense, jump_to, follower) = if yes_placed {
            (true, yes, no)
        } else {
            (false, no, yes)
        };
        let pc = self.branch_if(branch.cond, sense);
        let pc = self.fuse_count(pc);
        // Whichever edge is taken, it is one.
        self.edges_done += 1;
        self.set_target_location(pc, jump_to);
        if !yes_placed && !no_placed {
            waiting.push(no);
        }
        if yes_placed && no_placed {
            return self.jump(follower);
        }
        self.end_block(Some(follower))
    }

    /// Whether the location is a branch that is one instruction, which may as well stand at the end of every block that leads to it.
    fn is_simple_branch(&self, location: LocId) -> bool {
        let &[first, second] = self.cfa.outgoing(location) else {
            return false;
        };
        match self.branch_at(location, first, second) {
            Some(branch) => {
                !self.leads_to_sink(first)
                    && !self.leads_to_sink(second)
                    && self.is_simple_condition(branch.cond)
            }
            None => false,
        }
    }

    fn is_simple_condition(&self, cond: ExprId) -> bool {
        match self.kind(cond) {
            ExprKind::Var(_) => self.has_register(cond),
            ExprKind::Unary(UnOp::Not, arg) => self.is_simple_condition(arg),
            ExprKind::Binary(BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le, a, b) => {
                is_word_integer(self.ty(a)) && self.has_register(a) && self.has_register(b)
            }
            _ => false,
        }
    }

    fn has_register(&self, id: ExprId) -> bool {
        match self.kind(id) {
            ExprKind::Const(_) => true,
            ExprKind::Var(var) => !self.substituted.contains_key(&var),
            ExprKind::Cast(arg) => {
                keeps_register(self.ty(arg), self.ty(id)) && self.has_register(arg)
            }
            _ => false,
        }
    }

    /// Emits a branch that is taken if the condition is `sense`. Its target is set later.
    pub(super) fn branch_if(&mut self, cond: ExprId, sense: bool) -> u32 {
        let target = UNPLACED;
        let cond = self.resolve(cond);
        match self.kind(cond) {
            ExprKind::Unary(UnOp::Not, arg) => return self.branch_if(arg, !sense),
            ExprKind::Binary(op @ (BinOp::Eq | BinOp::Ne), a, b) => {
                // A truth value that was made an integer, compared with zero.
                if let (ExprKind::Cast(arg), ExprKind::Const(0)) = (self.kind(a), self.kind(b))
                    && self.ty(arg) == Type::Bool
                {
                    return self.branch_if(arg, sense == (op == BinOp::Ne));
                }
                if is_word_integer(self.ty(a)) {
                    let (a, b) = self.operands(op, a, b);
                    return self.emit(if sense == (op == BinOp::Eq) {
                        Instr::IfEq { a, b, target }
                    } else {
                        Instr::IfNe { a, b, target }
                    });
                }
            }
            ExprKind::Binary(op @ (BinOp::Lt | BinOp::Le), a, b) if is_word_integer(self.ty(a)) => {
                let signed = matches!(self.ty(a), Type::Int(int) if int.signed);
                let (mut a, mut b) = self.operands(op, a, b);
                let mut less = op == BinOp::Lt;
                if !sense {
                    // not (a < b) is b <= a, and the other way round.
                    std::mem::swap(&mut a, &mut b);
                    less = !less;
                }
                return self.emit(match (less, signed) {
                    (true, true) => Instr::IfLtSigned { a, b, target },
                    (true, false) => Instr::IfLtUnsigned { a, b, target },
                    (false, true) => Instr::IfLeSigned { a, b, target },
                    (false, false) => Instr::IfLeUnsigned { a, b, target },
                });
            }
            _ => {}
        }
        let a = self.value(cond);
        self.emit(if sense {
            Instr::IfTrue { a, target }
        } else {
            Instr::IfFalse { a, target }
        })
    }

    /// The code of the ways out, behind all blocks.
    fn emit_exits(&mut self) {
        for exit in std::mem::take(&mut self.exits) {
            let start = self.pc();
            self.forget();
            self.edges_done = if self.fast() { exit.edges } else { 0 };
            self.edge = exit
                .edge
                .unwrap_or(self.code.sites[exit.branch as usize].edge);
            self.set_exit(&exit, start);
            if let (Some(edge), false) = (exit.edge, self.fast()) {
                self.emit(Instr::Edge { edge });
            }
            let kind = self.cfa.locations[exit.target].kind;
            if exit.edge.is_none() || !matches!(kind, LocKind::Plain | LocKind::Exit) {
                let explain = match (self.program.undefined_at(kind), exit.edge) {
                    (Some(_), Some(edge)) => self.explain(edge),
                    _ => Explain::Nothing,
                };
                self.emit_sink(Sink {
                    location: exit.target,
                    explain,
                });
            } else {
                let pc = self.emit(Instr::Jump { target: UNPLACED });
                self.set_target_location(pc, exit.target);
            }
        }
    }

    /// Computes once more what the condition on this edge was about.
    fn explain(&mut self, edge: EdgeId) -> Explain {
        let Action::Assume { cond, .. } = self.cfa.edges[edge].action else {
            return Explain::Nothing;
        };
        self.explain_condition(cond)
    }

    fn explain_condition(&mut self, cond: ExprId) -> Explain {
        match self.kind(cond) {
            ExprKind::Unary(UnOp::Not, arg) => self.explain_condition(arg),
            ExprKind::Binary(BinOp::And | BinOp::Or, a, b) => match self.explain_condition(a) {
                Explain::Nothing => self.explain_condition(b),
                explain => explain,
            },
            ExprKind::Binary(BinOp::Eq | BinOp::Ne | BinOp::Lt | BinOp::Le, a, b) => {
                let varying = |id: ExprId| !matches!(self.kind(id), ExprKind::Const(_));
                let compared = if varying(a) { a } else { b };
                // The amount as the program has it, not as the check widens it.
                let mut inner = compared;
                while let ExprKind::Cast(arg) = self.kind(inner) {
                    inner = arg;
                }
                Explain::Compared(self.operand(inner))
            }
            ExprKind::Overflows(op, a, b) => Explain::Overflow {
                op,
                a: self.operand(a),
                b: self.operand(b),
            },
            ExprKind::AccessOk { ptr, size, write } => Explain::Access {
                ptr: self.value(ptr),
                size: self.value(size),
                write,
            },
            ExprKind::FreeOk(ptr) => Explain::Free {
                ptr: self.value(ptr),
            },
            ExprKind::CastOverflows(to, arg) => Explain::FloatToInt {
                a: self.operand(arg),
                to,
            },
            _ => Explain::Nothing,
        }
    }
}

fn is_word_integer(ty: Type) -> bool {
    matches!(ty, Type::Bool | Type::Int(_)) && words(ty) == 1
}
