//! Order of evaluation. C leaves it open in which order the operands of an operator and the arguments of a call are
//! evaluated. Where two of them get into each other's way and one of them is a call, both orders are possible runs: an
//! input decides. Where a variable is changed and accessed without a call between them, behaviour is undefined.
//! Elsewhere the order doesn't matter, and is from left to right.
//!
//! Where there are threads, two operands that others can interrupt in a defined way (accesses to what is atomic, calls)
//! get into each other's way, too: others can tell which of them came first.

use std::rc::Rc;

use rhumb_program::{ExprId, ExternalEffect, InputKind, LocKind, Span, Type, UbKind};
use rustc_hash::FxHashSet;

use super::UnitLowering;
use super::footprint::{
    self, Called, Footprint, Outside, Places, Summaries, Summary, Thing, Things,
};
use super::function::FunctionLowering;
use super::functions::{Effect, plain_name};
use super::library;
use super::start::EXIT_FUNCTIONS;
use crate::hir::{self, FunctionId};
use crate::options::TargetSpec;

/// In which order two operands can be evaluated.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Order {
    /// It doesn't matter.
    Any,
    /// It matters.
    Both,
    /// To evaluate them is undefined.
    Undefined,
    /// There are more than two orders that matter, or we can't tell whether it is undefined.
    Refused(&'static str),
}

const TOO_MANY: &str = "more than two orders of evaluation";
const OF_RECORDS: &str = "an order of evaluation that matters, with records";
const OF_STATEMENTS: &str = "an order of evaluation that matters, with statements";
const OF_INITIALISERS: &str = "an order of initialisers that matters";
const MAYBE_UNDEFINED: &str = "side effects without a sequence";

/// What a thread ends with, in the text of the library.
const END_OF_THREAD: &str = "__rhumb_end";

impl UnitLowering<'_> {
    /// What functions do, as far as the order of evaluation is concerned.
    pub(super) fn make_summaries(&self) -> Summaries {
        Summaries::new(
            self.unit,
            |id| self.outside_summary(id),
            |id| self.is_target(id) || self.has_target_label(id),
        )
    }

    fn has_target_label(&self, id: FunctionId) -> bool {
        match &self.options.targets {
            TargetSpec::Label(name) => {
                let body = self.unit.functions[id].body.as_ref();
                body.is_some_and(|body| body.labels.iter().any(|label| label.name == *name))
            }
            _ => false,
        }
    }

    /// What a function without a body does.
    fn outside_summary(&self, id: FunctionId) -> Outside {
        let function = &self.unit.functions[id];
        let name = &*function.name;
        if let Some(summary) = self.dialect_summary(name) {
            return summary.into();
        }
        // Nothing comes after a target.
        if self.is_target(id) {
            return Outside::default();
        }
        if name == END_OF_THREAD {
            return self.summary_of_exit();
        }
        if self.is_own(id) {
            return self.undefined_summary(id);
        }
        let ends = Summary {
            ends: true,
            ..Summary::default()
        };
        if library::is_assert_fail(name) || matches!(plain_name(name), "abort" | "_exit" | "_Exit")
        {
            return ends.into();
        }
        if let Some(&model) = self.models.get(plain_name(name)) {
            return Outside {
                summary: Summary::default(),
                calls: vec![Called::Function(model)],
            };
        }
        let effect = self.library_effect(id);
        let is_end = matches!(
            plain_name(name),
            "exit" | "quick_exit" | "longjmp" | "siglongjmp"
        );
        if is_end || function.noreturn || effect == Some(Effect::Ends) {
            return self.summary_of_exit();
        }
        if effect.is_some() {
            let mut summary = footprint::by_prototype(self.unit, id);
            if let Some(errno) = self.errno() {
                summary.loses.add(Thing::Global(errno), 1);
            }
            // It ends the program if its first argument says so.
            summary.ends |= matches!(plain_name(name), "error" | "error_at_line");
            return summary.into();
        }
        self.undefined_summary(id)
    }

    /// What the end of a run does, or that of a thread, which may be the last one.
    fn summary_of_exit(&self) -> Outside {
        let at_exit = self.models.get(EXIT_FUNCTIONS).into_iter();
        let last = at_exit.chain(&self.unit.destructors);
        Outside {
            summary: Summary {
                ends: true,
                ..Summary::default()
            },
            calls: last.map(|&id| Called::Function(id)).collect(),
        }
    }

    /// What a function that nobody defines does.
    fn undefined_summary(&self, id: FunctionId) -> Outside {
        match self.meaning_of(id) {
            Some(ExternalEffect::Memory) => Summary {
                ends: false,
                loops: false,
                reaches: false,
                computes: false,
                ..Summary::anything()
            }
            .into(),
            _ => Outside::default(),
        }
    }
}

impl<'a> FunctionLowering<'_, 'a> {
    pub(super) fn places(&self) -> Places<'a> {
        Places {
            types: &self.unit.unit.types,
            globals: &self.unit.unit.globals,
            body: self.body,
        }
    }

    /// Whether a function does something although it is said not to, so that gcc may drop a call of it.
    pub(super) fn breaks_promise(&self, id: FunctionId) -> bool {
        let Some(summaries) = &self.unit.summaries else {
            return false;
        };
        let does_something = || {
            let summary = summaries.of(Called::Function(id));
            !summary.writes.is_empty() || summary.ends || summary.reaches
        };
        let function = &self.unit.unit.functions[id];
        function.pure && function.body.is_some() && does_something()
    }

    fn footprint(&mut self, expr: hir::ExprId) -> Rc<Footprint> {
        let places = self.places();
        places.footprint(expr, &mut self.footprints)
    }

    /// Whether two operands, of which one does something beside giving a value, get into each other's way.
    pub(super) fn order_of(&mut self, first: hir::ExprId, second: hir::ExprId) -> Order {
        if !self.unit.has_threads && !self.effects[first].any && !self.effects[second].any {
            return Order::Any;
        }
        let one = self.footprint(first);
        let other = self.footprint(second);
        match self.order_between(&one, &other) {
            Order::Both if !self.are_scalars(&[first, second]) => Order::Refused(OF_RECORDS),
            order => order,
        }
    }

    /// Whether all of these have values that fit a variable; of a place: whether what lies there has.
    fn are_scalars(&self, exprs: &[hir::ExprId]) -> bool {
        let mut exprs = exprs.iter();
        exprs.all(|&expr| self.scalar(self.body.exprs[expr].ty).is_some())
    }

    fn order_between(&mut self, one: &Footprint, other: &Footprint) -> Order {
        if self.escaped.is_none() {
            self.escaped = Some(self.places().escaped());
        }
        let (Some(escaped), Some(summaries)) = (&self.escaped, &self.unit.summaries) else {
            return Order::Any;
        };
        let question = Question {
            places: self.places(),
            escaped,
            summaries,
            has_target_label: self.unit.has_target_label(self.id),
            has_threads: self.unit.has_threads,
            asks_for_ends: self.unit.options.asks_for_ends,
            asks_for_faults: !self.unit.options.asks_for_ends
                && !self.unit.options.checks.undefined.is_empty(),
        };
        question.ask(one, other)
    }

    /// Whether giving a place its new value gets into the way of what is evaluated for that.
    pub(super) fn store_order(
        &mut self,
        place: hir::ExprId,
        operands: &[hir::ExprId],
        reads_too: bool,
    ) -> Order {
        if !operands.iter().any(|&operand| self.effects[operand].any) {
            return Order::Any;
        }
        let target = self.places().thing(place);
        if !self.is_variable(target) {
            return Order::Any;
        }
        for &operand in operands {
            let footprint = self.footprint(operand);
            let writes = if reads_too {
                &footprint.certain_writes
            } else {
                &footprint.pending
            };
            if !writes.contains(&target) {
                let may_write = footprint.writes.contains(target);
                if reads_too && may_write {
                    return Order::Refused(MAYBE_UNDEFINED);
                }
                continue;
            }
            if footprint.certain_writes.contains(&target) {
                return Order::Undefined;
            }
            return Order::Refused(MAYBE_UNDEFINED);
        }
        Order::Any
    }

    /// The order of the two sides of `op=`: what finding and reading the place does, and the right side.
    pub(super) fn update_order(&mut self, update: &hir::Update) -> Order {
        let is_busy = self.effects[update.place].any || self.effects[update.rhs].any;
        if !is_busy && !self.unit.has_threads {
            return Order::Any;
        }
        let finding = self.footprint(update.place);
        let right = self.footprint(update.rhs);
        let order = self.order_between(&finding, &right);
        if update.atomic || matches!(order, Order::Undefined | Order::Refused(_)) {
            return order;
        }
        let mut left = (*finding).clone();
        left.reads.add(self.places().thing(update.place), 1);
        match self.order_between(&left, &right) {
            // The place itself was asked about before.
            Order::Undefined | Order::Refused(MAYBE_UNDEFINED) => Order::Any,
            order => order,
        }
    }

    /// Whether a thing is a scalar with a name.
    fn is_variable(&self, thing: Thing) -> bool {
        let types = &self.unit.unit.types;
        match thing {
            Thing::Local(local) => types.scalar(self.body.locals[local].ty.ty).is_some(),
            Thing::Global(global) => {
                let global = &self.unit.unit.globals[global];
                types.scalar(global.ty.ty).is_some()
            }
            _ => false,
        }
    }

    /// Ends the run where evaluation is undefined or can't be handled. Gives whether both orders have to be tried.
    pub(super) fn settle_order(&mut self, order: Order, span: Span) -> bool {
        if !self.is_reachable() {
            return false;
        }
        match order {
            Order::Any => false,
            Order::Both => true,
            Order::Undefined => {
                self.end_in(LocKind::Ub(UbKind::Unsequenced), span);
                false
            }
            Order::Refused(what) => {
                self.unsupported(what, span);
                false
            }
        }
    }

    /// Lowers something for each of two orders; an input decides which of them a run takes. `evaluate` is told whether
    /// it is the other way round, and leaves the result where both leave it.
    pub(super) fn in_both_orders(&mut self, span: Span, mut evaluate: impl FnMut(&mut Self, bool)) {
        let decision = self.new_var(Type::Bool, span);
        self.input(decision, InputKind::Order, span);
        let decision = self.var(decision);
        let (swapped, plain, end) = (
            self.new_location(),
            self.new_location(),
            self.new_location(),
        );
        self.split(decision, swapped, plain, span);
        for (location, is_swapped) in [(plain, false), (swapped, true)] {
            self.continue_at(location);
            evaluate(self, is_swapped);
            self.jump(end, span);
        }
        self.continue_at(end);
    }

    /// Scalar expressions, each into a variable of its own, in both directions.
    pub(super) fn values_in_both_orders(
        &mut self,
        exprs: &[hir::ExprId],
        span: Span,
    ) -> Vec<ExprId> {
        let vars: Vec<_> = exprs
            .iter()
            .map(|&expr| {
                let ty = self.scalar(self.body.exprs[expr].ty);
                self.new_var(ty.unwrap_or(Type::Ptr), span)
            })
            .collect();
        self.in_both_orders(span, |lowering, is_swapped| {
            let mut pairs: Vec<_> = exprs.iter().zip(&vars).collect();
            if is_swapped {
                pairs.reverse();
            }
            for (&expr, &var) in pairs {
                lowering.value_into(expr, var);
            }
        });
        vars.into_iter().map(|var| self.var(var)).collect()
    }

    /// The order of the values of an initialiser list. No two of them overlap in time (C11 6.7.9), so what would be
    /// undefined elsewhere is only open.
    pub(super) fn order_of_initialisers(&mut self, exprs: &[hir::ExprId]) -> Order {
        match self.order_of_all(exprs) {
            Order::Undefined | Order::Refused(MAYBE_UNDEFINED) => Order::Refused(OF_INITIALISERS),
            order => order,
        }
    }

    /// The order of several operands that are all unsequenced.
    pub(super) fn order_of_all(&mut self, exprs: &[hir::ExprId]) -> Order {
        let busy = exprs.iter().filter(|&&expr| self.effects[expr].any).count();
        if busy == 0 && !self.unit.has_threads {
            return Order::Any;
        }
        // Each against all before it.
        let mut before = Footprint::default();
        let mut matters = false;
        for &expr in exprs {
            let footprint = self.footprint(expr);
            match self.order_between(&before, &footprint) {
                Order::Any => {}
                Order::Both if !matters => matters = true,
                Order::Both => return Order::Refused(TOO_MANY),
                worse => return worse,
            }
            before.include(&footprint, false);
        }
        match matters {
            false => Order::Any,
            true if !self.are_scalars(exprs) => Order::Refused(OF_RECORDS),
            true => Order::Both,
        }
    }
}

/// Whether two evaluations get into each other's way.
struct Question<'a> {
    places: Places<'a>,
    escaped: &'a FxHashSet<Thing>,
    summaries: &'a Summaries,
    /// Whether a label of this function is a target.
    has_target_label: bool,
    has_threads: bool,
    /// Whether runs without an end are asked for.
    asks_for_ends: bool,
    /// Whether undefined behaviour is.
    asks_for_faults: bool,
}

impl Question<'_> {
    fn ask(&self, one: &Footprint, other: &Footprint) -> Order {
        match self.direct(one, other) {
            Order::Any => {}
            order => return order,
        }
        if self.is_cut_off(one, other) || self.is_cut_off(other, one) {
            return Order::Refused(OF_STATEMENTS);
        }
        let (mut mine, mut theirs) = (self.ties(one, other), self.ties(other, one));
        if self.has_threads {
            let (seen, also_seen) = (self.seen_by_others(one), self.seen_by_others(other));
            if seen > 0 && also_seen > 0 {
                (mine, theirs) = (mine.max(seen), theirs.max(also_seen));
            }
        }
        match (mine, theirs) {
            (0, 0) => Order::Any,
            (1, 1) if !one.has_statements && !other.has_statements => Order::Both,
            _ => Order::Refused(TOO_MANY),
        }
    }

    /// Accesses to variables without a call between them.
    fn direct(&self, one: &Footprint, other: &Footprint) -> Order {
        let mut order = Order::Any;
        for (a, b) in [(one, other), (other, one)] {
            if a.writes.all {
                let mut touched = b.reads.iter().chain(b.writes.iter());
                let is_variable = touched.any(|(thing, _)| self.is_variable(thing));
                if b.reads.all || b.writes.all || is_variable {
                    order = Order::Refused(MAYBE_UNDEFINED);
                }
            }
            for (thing, _) in a.writes.iter() {
                if !self.is_variable(thing)
                    || !(b.reads.contains(thing) || b.writes.contains(thing))
                {
                    continue;
                }
                let is_certain = a.certain_writes.contains(&thing)
                    && (b.certain_reads.contains(&thing) || b.certain_writes.contains(&thing));
                if is_certain {
                    return Order::Undefined;
                }
                order = Order::Refused(MAYBE_UNDEFINED);
            }
        }
        order
    }

    fn is_variable(&self, thing: Thing) -> bool {
        match thing {
            Thing::Local(local) => {
                let local = &self.places.body.locals[local];
                self.places.types.scalar(local.ty.ty).is_some()
            }
            Thing::Global(global) => self.summaries.is_variable(global),
            _ => false,
        }
    }

    /// In how many places the first is tied to the second, where one of the two is a call: 2 for more than one.
    fn ties(&self, one: &Footprint, other: &Footprint) -> usize {
        let mut count = 0;
        for &(called, times) in &one.calls {
            let summary = self.summaries.of(called);
            let with_calls = other.calls.iter().any(|&(called, _)| {
                let theirs = self.summaries.of(called);
                self.calls_clash(summary, theirs)
            });
            if with_calls || self.clashes(summary, &other.reads, &other.writes) {
                count += usize::from(times);
            }
        }
        for &(called, _) in &other.calls {
            let summary = self.summaries.of(called);
            count += self.tied(&one.reads, &[&summary.writes, &summary.loses]);
            let all = [&summary.reads, &summary.writes, &summary.loses];
            count += self.tied(&one.writes, &all);
        }
        count.min(2)
    }

    /// In how many places another thread may come in between without a race: 2 for more than one.
    fn seen_by_others(&self, one: &Footprint) -> usize {
        let calls = one.calls.iter().filter(|(called, _)| {
            let summary = self.summaries.of(*called);
            let sets = [&summary.reads, &summary.writes, &summary.loses];
            sets.iter().any(|set| !set.is_empty())
        });
        let calls: usize = calls.map(|&(_, times)| usize::from(times)).sum();
        (calls + usize::from(one.atomic)).min(2)
    }

    /// How often there are things among these that one of the sets of a callee has.
    fn tied(&self, things: &Things, sets: &[&Things]) -> usize {
        if things.all {
            let is_tied = sets.iter().any(|set| !set.is_empty());
            return if is_tied { 2 } else { 0 };
        }
        let tied = things
            .iter()
            .filter(|&(thing, _)| sets.iter().any(|set| self.touches(set, thing)));
        tied.map(|(_, times)| usize::from(times)).sum()
    }

    /// Whether a call may keep another one from doing what is asked for.
    fn keeps_from(&self, one: &Summary, other: &Summary) -> bool {
        let is_missed = self.asks_for_ends && other.loops || self.asks_for_faults && other.computes;
        one.may_not_return() && other.reaches || one.ends && is_missed
    }

    fn calls_clash(&self, one: &Summary, other: &Summary) -> bool {
        let ends = self.keeps_from(one, other) || self.keeps_from(other, one);
        ends || self.clashes(one, &other.reads, &other.writes)
            || self.sets_meet(&one.reads, &other.writes)
            || self.sets_meet(&one.reads, &other.loses)
            || self.sets_meet(&one.writes, &other.loses)
    }

    /// Whether a call changes what is read or written, or reads what is written.
    fn clashes(&self, call: &Summary, reads: &Things, writes: &Things) -> bool {
        let changes = [&call.writes, &call.loses];
        changes
            .iter()
            .any(|set| self.sets_meet(set, reads) || self.sets_meet(set, writes))
            || self.sets_meet(&call.reads, writes)
    }

    /// Whether statements in one of them may keep it from coming to an end, so that it matters what the other one does before.
    fn is_cut_off(&self, one: &Footprint, other: &Footprint) -> bool {
        let summaries = || {
            other
                .calls
                .iter()
                .map(|&(called, _)| self.summaries.of(called))
        };
        let reaches =
            || other.has_label && self.has_target_label || summaries().any(|call| call.reaches);
        let does_something = || {
            !other.writes.is_empty()
                || summaries().any(|call| {
                    !call.writes.is_empty() || !call.loses.is_empty() || call.may_not_return()
                })
        };
        let mut calls = one.calls.iter();
        let ends = || {
            let mut calls = one.calls.iter();
            calls.any(|&(called, _)| self.summaries.of(called).ends)
        };
        (one.may_loop && reaches())
            || (self.asks_for_ends && other.may_loop && ends())
            || (one.may_leave && (reaches() || does_something()))
            || other.has_label
                && self.has_target_label
                && calls.any(|&(called, _)| self.summaries.of(called).may_not_return())
    }

    fn sets_meet(&self, one: &Things, other: &Things) -> bool {
        if one.all && other.all {
            return true;
        }
        let (all, some) = if other.all {
            (other, one)
        } else {
            (one, other)
        };
        some.iter().any(|(thing, _)| self.touches(all, thing))
    }

    /// Whether a set of a callee has a thing.
    fn touches(&self, set: &Things, thing: Thing) -> bool {
        let escapes = |thing: Thing| match thing {
            Thing::Global(global) => self.summaries.is_escaped(global),
            thing => self.escaped.contains(&thing),
        };
        if set.all {
            return match thing {
                Thing::Local(_) => escapes(thing),
                _ => true,
            };
        }
        set.iter()
            .any(|(member, _)| self.places.may_be_same(member, thing, &escapes))
    }
}
