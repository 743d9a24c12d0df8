//! Measures as something to be reached: rounds that they don't count.
//!
//! Why nothing reached means that every run ends. Say that a run has no end. If its calls nest ever deeper, there is a
//! chain of calls that don't return, and from some call on all of them are calls by functions that call one another:
//! each is counted by the measure of their entries, which can't fall for ever. Otherwise one activation goes on for
//! ever, with none below it that does: it goes along edges of its function's automaton without end. Of the loops that
//! hold all that it passes again and again take the innermost one: it passes the head again and again ([`LoopNest`](crate::graph::LoopNest):
//! without the head the rest falls apart into the loops inside), and never leaves that loop in between. Each of these
//! rounds is counted by the loop's measure, which can't fall for ever either. Threads are refused.
//!
//! A loop or a function without a measure is something that the model can't express, so there is no verdict where a run
//! gets to it.

use super::super::Application;
use super::super::leaks::pass_by;
use super::{Endless, Measure, MeasuredPlace, Sum, Term};
use crate::cfa::{Action, LocKind, UbKind};
use crate::expr::{BinOp, ExprKind};
use crate::graph::CallGraph;
use crate::ids::{EdgeId, ExprId, FuncId, LocId, VarId};
use crate::model::{InputKind, Scope, TargetKind, Unsupported};
use crate::span::Span;
use crate::types::{Access, IntType, Type};

/// More numbers or variables than this make expressions too deep.
const MOST: usize = 12;

/// Where a pointer goes.
#[derive(Clone, Copy)]
enum Direction {
    /// To higher addresses.
    Up,
    /// To lower ones.
    Down,
}

/// What is kept of an entry for the calls that the function makes.
struct Calls {
    /// Whether the call that is made is one by a function that calls itself.
    is_own: VarId,
    /// What the caller was measured by, as global variables, for the next entry.
    handed: Vec<VarId>,
}

impl Application<'_> {
    /// Puts a check wherever a loop is gone through again, or a function calls itself.
    pub(in super::super) fn check_measures(&mut self, measures: &[Measure]) {
        if self.program.schedule().is_some() {
            return self.refuse_start("whether threads end");
        }
        self.check_waiting_forever();
        self.assume_that_others_end();
        let calls = CallGraph::of(&self.program);
        let called = calls.reachable(self.program.start);
        let functions = self.program.functions.indices();
        let functions: Vec<FuncId> = functions.filter(|&function| called[function]).collect();
        let is_recursive = |&function: &FuncId| calls.is_recursive(function);
        let recursive: Vec<FuncId> = functions.iter().copied().filter(is_recursive).collect();
        // Liveness and loops are those of the program as it is.
        for &function in &functions {
            self.count_rounds(function, measures);
        }
        if !recursive.is_empty() {
            self.count_calls(&functions, &recursive, &calls, measures);
        }
    }

    /// Says what is assumed of functions whose bodies nobody has seen.
    pub(super) fn assume_that_others_end(&mut self) {
        let mut inputs = self.program.inputs.iter();
        let is_of_others = |kind: &InputKind| matches!(kind, InputKind::UndefinedFunction(_));
        if inputs.any(|input| is_of_others(&input.kind)) {
            self.assume("calls of functions without a body come to an end");
        }
    }

    /// Puts checks at all ways back to the heads of loops.
    fn count_rounds(&mut self, function: FuncId, measures: &[Measure]) {
        let ways_back = self.ways_back(function);
        let plans: Vec<(LocId, Option<Vec<Sum>>)> = ways_back
            .iter()
            .enumerate()
            .map(|(number, &(head, _))| {
                let place = MeasuredPlace::Loop(number);
                let is_known = |var| self.is_live(function, head, var);
                (head, self.measured(function, place, measures, is_known))
            })
            .collect();
        for ((head, sums), (_, back)) in plans.into_iter().zip(ways_back) {
            let cfa = &self.program.functions[function].cfa;
            let Some(&first) = cfa.outgoing(head).first() else {
                continue;
            };
            let span = cfa.edges[first].span;
            let Some(sums) = sums else {
                self.refuse_location(function, head, "whether this loop ends", span);
                continue;
            };
            let outgoing = self.cut(function, head);
            let (kept, last) = self.take(function, head, &sums, span);
            self.join(function, outgoing, last);
            let counted = self.counted_before(function, head, &kept, &sums, span);
            for edge in back {
                self.program.functions[function].cfa.edges[edge].target = counted;
            }
        }
    }

    /// Puts checks at the entries of functions that call themselves.
    fn count_calls(
        &mut self,
        functions: &[FuncId],
        recursive: &[FuncId],
        calls: &CallGraph,
        measures: &[Measure],
    ) {
        let most = measures.iter().map(|measure| measure.parts.len()).max();
        let integer = Type::Int(IntType::signed(128));
        let own = Calls {
            is_own: self.add_variable(Type::Bool, Scope::Global, Span::default()),
            handed: (0..most.unwrap_or(0).min(MOST))
                .map(|_| self.add_variable(integer, Scope::Global, Span::default()))
                .collect(),
        };
        // What each of them is measured by, for the calls that it makes.
        let mut kept: Vec<(FuncId, Vec<VarId>)> = Vec::new();
        for &function in recursive {
            let span = self.program.functions[function].span;
            let params = self.program.functions[function].params.clone();
            let is_known =
                |var: VarId| params.contains(&var) || self.program.vars[var].scope == Scope::Global;
            let sums = self.measured(function, MeasuredPlace::Entry, measures, is_known);
            // Those of functions that call one another are of one length.
            let others = measures.iter().filter(|measure| {
                measure.place == MeasuredPlace::Entry
                    && calls.components().of(measure.function) == calls.components().of(function)
            });
            let is_alike = |sums: &Vec<Sum>| {
                let mut lengths = others.map(|measure| measure.parts.len());
                lengths.all(|length| length == sums.len())
            };
            let entry = self.program.functions[function].cfa.entry;
            let Some(sums) = sums.filter(is_alike) else {
                self.refuse_location(function, entry, "whether this recursion ends", span);
                continue;
            };
            // Before the body: compare if the caller is one of them, and keep what is handed on.
            let cfa = &mut self.program.functions[function].cfa;
            let [start, compared] = [(); 2].map(|()| cfa.add_location(LocKind::Plain));
            cfa.entry = start;
            let counted = self.counted_before(function, compared, &own.handed, &sums, span);
            let is_own = self.program.exprs.var(own.is_own, Type::Bool);
            let cfa = &mut self.program.functions[function].cfa;
            for (holds, to) in [(true, counted), (false, compared)] {
                let cond = is_own;
                cfa.add_edge(start, Action::Assume { cond, holds }, to, span);
            }
            let (mine, last) = self.take(function, compared, &sums, span);
            let cfa = &mut self.program.functions[function].cfa;
            cfa.add_edge(last, Action::Skip, entry, span);
            kept.push((function, mine));
        }
        for &function in functions {
            let mine = kept.iter().find(|(other, _)| *other == function);
            let mine = mine.map(|(_, mine)| mine.clone());
            self.hand_on(function, mine, &own, calls);
        }
    }

    /// Before every call that may be one of a function that calls itself: whether the caller is one of those with it,
    /// and what that is measured by.
    fn hand_on(
        &mut self,
        function: FuncId,
        mine: Option<Vec<VarId>>,
        own: &Calls,
        graph: &CallGraph,
    ) {
        let component = |function: FuncId| graph.components().of(function);
        let all = self.program.functions[function].cfa.edges.iter_enumerated();
        let mut found: Vec<(EdgeId, bool)> = Vec::new();
        for (id, edge) in all {
            let callees = graph.callees_of(&self.program, &edge.action);
            if !callees.is_empty() {
                let mut callees = callees.iter();
                let is_own = callees.any(|&callee| component(callee) == component(function));
                found.push((id, is_own && graph.is_recursive(function)));
            }
        }
        for (edge, is_own) in found {
            let mut actions = Vec::new();
            let value = self.program.exprs.bool(is_own);
            actions.push((own.is_own, value));
            if let (true, Some(mine)) = (is_own, &mine) {
                for (&handed, &var) in own.handed.iter().zip(mine) {
                    let ty = self.program.vars[var].ty;
                    let value = self.program.exprs.var(var, ty);
                    let value = self.program.exprs.cast(self.program.vars[handed].ty, value);
                    actions.push((handed, value));
                }
            }
            let cfa = &mut self.program.functions[function].cfa;
            let (source, span) = (cfa.edges[edge].source, cfa.edges[edge].span);
            let before = cfa.add_location(LocKind::Plain);
            cfa.edges[edge].source = before;
            cfa.locations[before].outgoing.push(edge);
            cfa.locations[source].outgoing.clear();
            let mut at = source;
            let count = actions.len();
            for (number, (dst, value)) in actions.into_iter().enumerate() {
                let next = match number + 1 == count {
                    true => before,
                    false => cfa.add_location(LocKind::Plain),
                };
                cfa.add_edge(at, Action::Assign { dst, value }, next, span);
                at = next;
            }
        }
    }

    /// The sums that somebody measures a place by, if they can be taken there.
    fn measured(
        &self,
        function: FuncId,
        place: MeasuredPlace,
        measures: &[Measure],
        is_known: impl Fn(VarId) -> bool,
    ) -> Option<Vec<Sum>> {
        let mut measures = measures.iter();
        let measure = measures.find(|it| it.function == function && it.place == place)?;
        let is_own = |scope: Scope| scope == Scope::Global || scope == Scope::Local(function);
        let is_good = |var: VarId, is_of_type: &dyn Fn(Type) -> bool| {
            let known = self.program.vars.get(var);
            known.is_some_and(|known| is_own(known.scope) && is_of_type(known.ty)) && is_known(var)
        };
        let is_integer = |ty: Type| matches!(ty, Type::Int(int) if int.width <= 64);
        let is_term = |term: Term| match term {
            Term::Var(var) => is_good(var, &is_integer),
            Term::At(var, _) => is_good(var, &|ty| ty == Type::Ptr),
            Term::In(object, _) => {
                let known = self.program.objects.get(object);
                known.is_some_and(|known| is_own(known.scope))
            }
        };
        // Entries are compared as numbers of one width.
        let is_loop = matches!(place, MeasuredPlace::Loop(_));
        let is_sum = |sum: &Sum| match self.direction(sum) {
            Some((pointer, _)) => is_loop && is_good(pointer, &|ty| ty == Type::Ptr),
            None => sum.parts.len() <= MOST && sum.parts.iter().all(|&(_, term)| is_term(term)),
        };
        let is_measure = measure.parts.len() <= MOST && measure.parts.iter().all(is_sum);
        is_measure.then(|| measure.parts.clone())
    }

    /// Takes the values of sums at a location without edges: gives variables with them, and the location behind.
    fn take(
        &mut self,
        function: FuncId,
        at: LocId,
        sums: &[Sum],
        span: Span,
    ) -> (Vec<VarId>, LocId) {
        let mut last = at;
        let mut values = Vec::new();
        for sum in sums {
            if let Some((pointer, _)) = self.direction(sum) {
                let value = self.program.exprs.var(pointer, Type::Ptr);
                let dst = self.add_variable(Type::Ptr, Scope::Local(function), span);
                last = self.then(function, last, Action::Assign { dst, value }, span);
                values.push(dst);
                continue;
            }
            let widths = sum.parts.iter().map(|&(_, term)| self.width(term));
            let is_wide = widths.max().unwrap_or(0) > 32;
            // Where a sum doesn't fit, because its factors are large, it is another number, which is as good.
            let ty = IntType::signed(if is_wide { 128 } else { 64 });
            let mut whole = self.program.exprs.int(ty, i128::from(sum.constant));
            for &(factor, term) in &sum.parts {
                let value = self.term(function, &mut last, term, true, span);
                let exprs = &mut self.program.exprs;
                let value = exprs.cast(Type::Int(ty), value);
                let factor = exprs.int(ty, i128::from(factor));
                let part = exprs.binary(BinOp::Mul, value, factor);
                whole = exprs.binary(BinOp::Add, part, whole);
            }
            let dst = self.add_variable(Type::Int(ty), Scope::Local(function), span);
            last = self.then(function, last, Action::Assign { dst, value: whole }, span);
            values.push(dst);
        }
        (values, last)
    }

    /// The value of a term; what has to be done for it is done behind a location without edges, which moves. Where
    /// nothing can be read is a target, or the value is 0.
    pub(super) fn term(
        &mut self,
        function: FuncId,
        last: &mut LocId,
        term: Term,
        is_asked: bool,
        span: Span,
    ) -> ExprId {
        let (ptr, int) = match term {
            Term::Var(var) => return self.program.exprs.var(var, self.program.vars[var].ty),
            Term::At(var, int) => (self.program.exprs.var(var, Type::Ptr), int),
            Term::In(object, int) => (self.program.exprs.addr_of(object), int),
        };
        let dst = self.add_variable(Type::Int(int), Scope::Local(function), span);
        let zero = self.program.exprs.int(int, 0);
        let size_type = self.program.data_model.size_type();
        let size = self.program.exprs.int(size_type, i128::from(int.width / 8));
        let readable = ExprKind::AccessOk {
            ptr,
            size,
            write: false,
        };
        let cond = self.program.exprs.push(readable, Type::Bool);
        *last = self.then(function, *last, Action::Assign { dst, value: zero }, span);
        let cfa = &mut self.program.functions[function].cfa;
        let [read, behind] = [(); 2].map(|()| cfa.add_location(LocKind::Plain));
        let otherwise = match is_asked {
            true => cfa.add_location(LocKind::Plain),
            false => behind,
        };
        for (holds, to) in [(true, read), (false, otherwise)] {
            cfa.add_edge(*last, Action::Assume { cond, holds }, to, span);
        }
        let access = Access::whole(Type::Int(int));
        cfa.add_edge(read, Action::Load { dst, ptr, access }, behind, span);
        if is_asked {
            let kind = TargetKind::Undefined(UbKind::BadRead);
            self.add_target(kind, function, otherwise, span);
        }
        *last = behind;
        self.program.exprs.var(dst, Type::Int(int))
    }

    /// The pointer that a sum is about, if it is about one alone, and where that goes if the sum falls.
    fn direction(&self, sum: &Sum) -> Option<(VarId, Direction)> {
        let &[(factor, Term::Var(var))] = &sum.parts[..] else {
            return None;
        };
        let direction = match factor {
            1 => Direction::Down,
            -1 => Direction::Up,
            _ => return None,
        };
        let is_pointer = self.program.vars.get(var)?.ty == Type::Ptr;
        is_pointer.then_some((var, direction))
    }

    fn width(&self, term: Term) -> u16 {
        match term {
            Term::Var(var) => match self.program.vars[var].ty {
                Type::Int(int) => int.width,
                _ => 0,
            },
            Term::At(_, int) | Term::In(_, int) => int.width,
        }
    }

    /// A location from which one gets to another one if numbers have fallen, and else to a target.
    fn counted_before(
        &mut self,
        function: FuncId,
        next: LocId,
        before: &[VarId],
        now: &[Sum],
        span: Span,
    ) -> LocId {
        let at = self.program.functions[function]
            .cfa
            .add_location(LocKind::Plain);
        let (new, last) = self.take(function, at, now, span);
        let cond = self.falls(now, before, &new);
        let cfa = &mut self.program.functions[function].cfa;
        let otherwise = cfa.add_location(LocKind::Plain);
        for (holds, to) in [(true, next), (false, otherwise)] {
            cfa.add_edge(last, Action::Assume { cond, holds }, to, span);
        }
        let kind = TargetKind::Endless(Endless::Uncounted);
        self.add_target(kind, function, otherwise, span);
        at
    }

    /// Whether the first number that doesn't stay what it was falls: see [`Measure`].
    fn falls(&mut self, sums: &[Sum], before: &[VarId], now: &[VarId]) -> ExprId {
        let mut falls = self.program.exprs.bool(false);
        for (sum, (&before, &now)) in sums.iter().zip(before.iter().zip(now)).rev() {
            let direction = self.direction(sum);
            let ty = self.program.vars[before].ty;
            let own = self.program.vars[now].ty;
            let exprs = &mut self.program.exprs;
            let old = exprs.var(before, ty);
            let new = exprs.var(now, own);
            let new = exprs.cast(ty, new);
            let (low, high) = match direction {
                Some((_, Direction::Up)) => (old, new),
                Some((_, Direction::Down)) | None => (new, old),
            };
            let counts = exprs.binary(BinOp::Lt, low, high);
            let stays = exprs.binary(BinOp::Le, low, high);
            let later = exprs.binary(BinOp::And, stays, falls);
            falls = exprs.binary(BinOp::Or, counts, later);
        }
        falls
    }
}

impl Application<'_> {
    /// Lets runs go on where a signed result doesn't fit, with one that has come round.
    pub(in super::super) fn wrap_overflows(&mut self) {
        for function in &mut self.program.functions {
            let locations = function.cfa.locations.iter_enumerated();
            let overflow = LocKind::Ub(UbKind::SignedOverflow);
            let sinks = locations.filter(|(_, location)| location.kind == overflow);
            for sink in sinks.map(|(at, _)| at).collect::<Vec<LocId>>() {
                pass_by(&mut function.cfa, sink);
            }
        }
    }

    /// Lets a run that gets to a location come to something that the model can't express.
    fn refuse_location(&mut self, function: FuncId, at: LocId, what: &str, span: Span) {
        let what = what.to_owned();
        let id = self.program.unsupported.push(Unsupported { what, span });
        let cfa = &mut self.program.functions[function].cfa;
        let sink = cfa.add_location(LocKind::Unsupported(id));
        for edge in cfa.outgoing(at).to_vec() {
            let edge = &mut cfa.edges[edge];
            edge.target = sink;
            // Not even what is done there: it might never come to an end.
            if !matches!(edge.action, Action::Assume { .. }) {
                edge.action = Action::Skip;
            }
        }
    }
}
