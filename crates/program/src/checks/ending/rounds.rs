//! A number of rounds as something to be reached: more of them than anybody has seen.
//!
//! Why nothing reached means that every run ends: a run without an end goes through the heads of loops, or calls
//! functions by themselves, without end ([`super::measures`] says why). All of these are counted together, and none is
//! left when so many were counted. That is shown by whoever follows all runs to their ends, whatever their loops are
//! made of: floating point, bits, states in memory.

use super::super::Application;
use super::Endless;
use crate::cfa::{Action, LocKind};
use crate::expr::BinOp;
use crate::graph::CallGraph;
use crate::ids::{EdgeId, FuncId, LocId, VarId};
use crate::model::{Scope, TargetKind};
use crate::span::Span;
use crate::types::{IntType, Type};

const COUNT: IntType = IntType::unsigned(64);

impl Application<'_> {
    /// Counts rounds of loops and calls of functions by themselves, and puts a check before the one that is too many.
    pub(in super::super) fn check_rounds(&mut self, most: u64) {
        if self.program.schedule().is_some() {
            return self.refuse_start("whether threads end");
        }
        self.check_waiting_forever();
        self.assume_that_others_end();
        let calls = CallGraph::of(&self.program);
        let called = calls.reachable(self.program.start);
        let count = self.add_variable(Type::Int(COUNT), Scope::Global, Span::default());
        for function in self.program.functions.indices() {
            if !called[function] {
                continue;
            }
            for (head, back) in self.ways_back(function) {
                let span = match self.program.functions[function].cfa.outgoing(head).first() {
                    Some(&first) => self.program.functions[function].cfa.edges[first].span,
                    None => continue,
                };
                let counted = self.counted(function, head, count, most, span);
                for edge in back {
                    self.program.functions[function].cfa.edges[edge].target = counted;
                }
            }
            if calls.is_recursive(function) {
                let (entry, span) = {
                    let function = &self.program.functions[function];
                    (function.cfa.entry, function.span)
                };
                let counted = self.counted(function, entry, count, most, span);
                self.program.functions[function].cfa.entry = counted;
            }
        }
    }

    /// The heads of a function's loops, with the edges that go back to them from inside.
    pub(super) fn ways_back(&self, function: FuncId) -> Vec<(LocId, Vec<EdgeId>)> {
        let cfa = &self.program.functions[function].cfa;
        let nest = cfa.loops();
        let back = |head: LocId| {
            let all = cfa.edges.iter_enumerated();
            let back = all.filter(|(_, it)| it.target == head && nest.is_in(it.source, head));
            back.map(|(edge, _)| edge).collect()
        };
        let heads = nest.heads().iter();
        heads.map(|&head| (head, back(head))).collect()
    }

    /// A location from which one gets to another one, and is counted.
    fn counted(
        &mut self,
        function: FuncId,
        next: LocId,
        count: VarId,
        most: u64,
        span: Span,
    ) -> LocId {
        let exprs = &mut self.program.exprs;
        let (number, one) = (exprs.var(count, Type::Int(COUNT)), exprs.int(COUNT, 1));
        let most = exprs.int(COUNT, most.into());
        let is_fine = exprs.binary(BinOp::Lt, number, most);
        let value = exprs.binary(BinOp::Add, number, one);
        let cfa = &mut self.program.functions[function].cfa;
        let [at, counts, too_many] = [(); 3].map(|()| cfa.add_location(LocKind::Plain));
        for (holds, to) in [(true, counts), (false, too_many)] {
            let cond = is_fine;
            cfa.add_edge(at, Action::Assume { cond, holds }, to, span);
        }
        cfa.add_edge(counts, Action::Assign { dst: count, value }, next, span);
        let kind = TargetKind::Endless(Endless::Uncounted);
        self.add_target(kind, function, too_many, span);
        at
    }
}
