//! What threads do to each other: data races, and deadlocks.
//!
//! Before every access to memory stands the question whether it races with an earlier one of another thread, and who
//! waits is told whether anybody can still go on. Nothing else changes: so a race ends a run only where somebody has
//! asked for races.

use super::Application;
use crate::builtin::{Builtin, ThreadFault, ThreadOp};
use crate::cfa::{Action, AllocKind, Callee, EndKind, LocKind};
use crate::expr::ExprKind;
use crate::ids::{EdgeId, ExprId, FuncId, LocId};
use crate::model::{TargetKind, Unsupported};
use crate::types::{Access, IntType, Type};

/// What the names of functions and objects of the library begin with.
const LIBRARY: &str = "__rhumb_model_";

/// Whether an action is this one.
fn is_op(action: &Action, wanted: ThreadOp) -> bool {
    matches!(action, Action::Call { callee: Callee::Builtin(Builtin::Thread(op)), .. } if *op == wanted)
}

impl Application<'_> {
    /// Puts checks for what threads do to each other.
    pub(super) fn check_threads(&mut self) {
        if self.checks.threads.contains(&ThreadFault::Deadlock) {
            self.check_waiting();
        }
        let has_threads = self.program.schedule().is_some();
        if self.checks.threads.contains(&ThreadFault::Race) && has_threads {
            self.check_accesses();
        }
    }

    /// One thread that waits for a condition does so forever, unless it wakes up for no reason: who asks for deadlocks is told, and for all
    /// others it goes on.
    pub(super) fn settle_waits(&mut self) {
        if self.program.schedule().is_some() {
            return;
        }
        let asks = self.checks.threads.contains(&ThreadFault::Deadlock);
        for (function, edge) in self.edges(|action| is_op(action, ThreadOp::MayWait)) {
            let cfa = &mut self.program.functions[function].cfa;
            cfa.edges[edge].action = Action::Skip;
            if asks {
                let at = cfa.add_location(LocKind::Plain);
                cfa.edges[edge].target = at;
                let span = cfa.edges[edge].span;
                let kind = TargetKind::Thread(ThreadFault::Deadlock);
                self.add_target(kind, function, at, span);
            }
        }
    }

    /// Who waits is told whether anybody can go on.
    fn check_waiting(&mut self) {
        for (function, edge) in self.edges(|action| is_op(action, ThreadOp::MayWait)) {
            self.refuse_edge(
                function,
                edge,
                "whether a thread that waits for a condition is ever woken up",
            );
        }
        for (function, edge) in self.edges(|action| is_op(action, ThreadOp::Block)) {
            let span = self.program.functions[function].cfa.edges[edge].span;
            let answer = self.add_answer(function, span);
            let cfa = &mut self.program.functions[function].cfa;
            let asked = cfa.add_location(LocKind::Plain);
            let next = std::mem::replace(&mut cfa.edges[edge].target, asked);
            if let Action::Call { dst, .. } = &mut cfa.edges[edge].action {
                *dst = Some(answer);
            }
            let yes = self.branch_on(function, answer, asked, next, span);
            let kind = TargetKind::Thread(ThreadFault::Deadlock);
            self.add_target(kind, function, yes, span);
        }
        // One thread that waits does so forever.
        for function in self.program.functions.indices() {
            let cfa = &self.program.functions[function].cfa;
            let waits = cfa.edges.iter().filter(|edge| {
                cfa.locations[edge.target].kind == LocKind::End(EndKind::WaitsForever)
            });
            let places: Vec<(LocId, _)> = waits.map(|edge| (edge.target, edge.span)).collect();
            for (at, span) in places {
                let kind = TargetKind::Thread(ThreadFault::Deadlock);
                self.add_target(kind, function, at, span);
            }
        }
    }

    /// Asks before every access whether it races with another one.
    fn check_accesses(&mut self) {
        self.refuse_unseen_reads("whether what is printed is written meanwhile");
        let is_access = |action: &Action| {
            matches!(
                action,
                Action::Load { .. }
                    | Action::Store { .. }
                    | Action::Copy { .. }
                    | Action::Fill { .. }
                    | Action::InputBytes { .. }
                    | Action::Free {
                        kind: AllocKind::Heap,
                        ..
                    }
            )
        };
        for (function, edge) in self.edges(is_access) {
            let action = self.program.functions[function].cfa.edges[edge]
                .action
                .clone();
            match action {
                Action::Load { ptr, access, .. } => {
                    self.check_scalar(function, edge, ptr, access, false)
                }
                Action::Store { ptr, access, .. } => {
                    self.check_scalar(function, edge, ptr, access, true)
                }
                Action::Copy { dst, src, size } => {
                    self.check_bytes(function, edge, src, size, false);
                    self.check_bytes(function, edge, dst, size, true);
                }
                Action::Fill { dst: ptr, size, .. } | Action::InputBytes { ptr, size, .. } => {
                    self.check_bytes(function, edge, ptr, size, true);
                }
                Action::Free { ptr, .. } => {
                    // All of it.
                    let size = self
                        .program
                        .exprs
                        .int(IntType::unsigned(64), i128::from(u64::MAX));
                    self.check_bytes(function, edge, ptr, size, true);
                }
                _ => {}
            }
        }
    }

    fn check_scalar(
        &mut self,
        function: FuncId,
        edge: EdgeId,
        ptr: ExprId,
        access: Access,
        write: bool,
    ) {
        if access.bits.is_some() {
            // Which of them are one memory location depends on what lies between them.
            return self.refuse_edge(function, edge, "whether accesses to bit-fields race");
        }
        let size = access.size(self.program.data_model);
        let size = self.program.exprs.int(IntType::unsigned(64), size.into());
        self.check_bytes(function, edge, ptr, size, write);
    }

    fn check_bytes(
        &mut self,
        function: FuncId,
        edge: EdgeId,
        ptr: ExprId,
        size: ExprId,
        write: bool,
    ) {
        let (source, span) = {
            let edge = &self.program.functions[function].cfa.edges[edge];
            (edge.source, edge.span)
        };
        let size = self
            .program
            .exprs
            .cast(Type::Int(IntType::unsigned(64)), size);
        let question = Builtin::Thread(ThreadOp::Races { write });
        let yes = self.insert_question(function, source, question, &[ptr, size], span);
        if self.is_of_library(ptr) {
            let what = "what the library keeps for several threads".to_owned();
            let id = self.program.unsupported.push(Unsupported { what, span });
            self.program.functions[function].cfa.locations[yes].kind = LocKind::Unsupported(id);
        } else {
            self.add_target(TargetKind::Thread(ThreadFault::Race), function, yes, span);
        }
    }

    /// Whether an address is that of an object of the library's models, whose use says nothing of the library itself.
    fn is_of_library(&self, ptr: ExprId) -> bool {
        let exprs = &self.program.exprs;
        let mut waiting = vec![ptr];
        while let Some(next) = waiting.pop() {
            if let ExprKind::AddrOf(object) = exprs[next].kind
                && (self.program.objects[object].decl.name).starts_with(LIBRARY)
            {
                return true;
            }
            waiting.extend(exprs.children(next));
        }
        false
    }
}
