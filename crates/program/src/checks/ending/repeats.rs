//! A state that comes back, as something to be reached.
//!
//! At the head of a loop a run may remember where it is and what all variables have, once, as an input says. If it gets
//! to the same head again, in the same activation, with the same values and with memory that nobody has touched since,
//! then what it did in between it can do again, on the same inputs, for ever.
//!
//! The same at the entry of a function that calls itself: an activation that hasn't returned, and one below it with the
//! same arguments. What the upper one did until then the lower one can do, and so on.
//!
//! Memory counts as touched by everything that writes, but for numbers that are written where one was remembered: a few
//! places that a loop writes to (`cells.rs`), and what was there, are compared as variables are.
//!
//! What is compared: the variables of the function that somebody may read before they are set, and all global ones that
//! are set anywhere. Those of the callers nobody can change meanwhile, and those of callees are gone. Pointers are the
//! same if their addresses are, since no object has begun or ended; floats if they are equal and not zero, which has
//! two signs. What a run is not told apart by: how often inputs were asked for, what was written to a terminal.

use super::super::Application;
use super::Endless;
use super::cells::{Cell, CellPlace, Plan, written_number};
use crate::builtin::Builtin;
use crate::cfa::{Action, Callee, EndKind, LocKind};
use crate::expr::BinOp;
use crate::graph::CallGraph;
use crate::ids::{EdgeId, ExprId, FuncId, InputSiteId, LocId, VarId};
use crate::model::{InputKind, InputSite, Scope, TargetKind};
use crate::span::Span;
use crate::types::{IntType, Type};

/// What is compared and remembered at a place.
#[derive(Clone, Copy)]
struct Watched<'a> {
    /// Variables, with what they had.
    kept: &'a [(VarId, VarId)],
    /// Where the numbers in memory are.
    places: &'a [CellPlace],
    /// What else is to be known then.
    and: &'a [(VarId, ExprId)],
}

/// The type of numbers of places.
const NUMBER: IntType = IntType::unsigned(32);

/// What is known of a run beside its state.
struct Memory {
    /// Whether something was remembered.
    has_kept: VarId,
    /// Whether memory was touched since.
    is_changed: Option<VarId>,
    /// Numbers in memory that may be written, if they become again what they were.
    cells: Vec<Cell>,
    /// Global variables, with what they had.
    globals: Vec<(VarId, VarId)>,
    /// The function whose activation was remembered at its entry, by its number plus 1, until that returns.
    entered: VarId,
}

impl Application<'_> {
    /// Puts a check at the heads of all loops.
    pub(in super::super) fn check_repeats(&mut self) {
        if self.program.schedule().is_some() {
            return self.refuse_start("whether threads end");
        }
        self.check_waiting_forever();
        let calls = CallGraph::of(&self.program);
        let called = calls.reachable(self.program.start);
        let functions = self.program.functions.indices();
        let functions: Vec<FuncId> = functions.filter(|&function| called[function]).collect();
        let set = |application: &Self, function: FuncId| -> Vec<VarId> {
            let edges = application.program.functions[function].cfa.edges.iter();
            edges.filter_map(|edge| edge.action.defined_var()).collect()
        };
        let mut globals: Vec<VarId> = functions.iter().flat_map(|&it| set(self, it)).collect();
        globals.retain(|&var| self.program.vars[var].scope == Scope::Global);
        globals.sort_unstable();
        globals.dedup();
        let changes: Vec<(FuncId, EdgeId)> = (self.edges(touches_memory).into_iter())
            .filter(|(function, _)| called[*function])
            .collect();
        let place = Span::default();
        let plans = self.plan_cells(&functions);
        let memory = Memory {
            cells: self.add_cells(&plans),
            has_kept: self.add_variable(Type::Bool, Scope::Global, place),
            is_changed: (!changes.is_empty())
                .then(|| self.add_variable(Type::Bool, Scope::Global, place)),
            globals: globals
                .into_iter()
                .map(|var| self.copy_of(var, Scope::Global))
                .collect(),
            entered: self.add_variable(Type::Int(NUMBER), Scope::Global, place),
        };
        for &function in &functions {
            let mut locals = set(self, function);
            locals.extend(&self.program.functions[function].params);
            locals.retain(|&var| self.program.vars[var].scope == Scope::Local(function));
            locals.sort_unstable();
            locals.dedup();
            self.watch(function, &locals, &memory, &plans);
            if calls.is_recursive(function) {
                self.watch_entry(function, &memory);
            }
        }
        if let Some(is_changed) = memory.is_changed {
            for (function, edge) in changes {
                self.note_before(function, edge, is_changed, &memory.cells);
            }
        }
    }

    /// Who waits for what nobody can give it does so for ever. (Not a state that comes back, but one that stays.)
    pub(super) fn check_waiting_forever(&mut self) {
        for function in self.program.functions.indices() {
            let cfa = &self.program.functions[function].cfa;
            let waits = cfa.edges.iter().filter(|edge| {
                cfa.locations[edge.target].kind == LocKind::End(EndKind::WaitsForever)
            });
            let places: Vec<(LocId, Span)> = waits.map(|edge| (edge.target, edge.span)).collect();
            for (at, span) in places {
                let kind = TargetKind::Endless(Endless::Repeated);
                self.add_target(kind, function, at, span);
            }
        }
    }

    /// Watches the heads of a function's loops.
    fn watch(&mut self, function: FuncId, locals: &[VarId], memory: &Memory, plans: &[Plan]) {
        let heads = self.program.functions[function]
            .cfa
            .loops()
            .heads()
            .to_vec();
        if heads.is_empty() {
            return;
        }
        let live: Vec<Vec<VarId>> = heads
            .iter()
            .map(|&head| {
                let live = locals.iter().copied();
                live.filter(|&var| self.is_live(function, head, var))
                    .collect()
            })
            .collect();
        let copies: Vec<(VarId, VarId)> = (locals.iter().copied())
            .filter(|var| live.iter().any(|live| live.contains(var)))
            .map(|var| self.copy_of(var, Scope::Local(function)))
            .collect();
        let span = self.program.functions[function].span;
        // Which head of this activation was remembered, from 1 on.
        let here = self.add_variable(Type::Int(NUMBER), Scope::Local(function), span);
        for (index, (&head, live)) in heads.iter().zip(&live).enumerate() {
            let cfa = &self.program.functions[function].cfa;
            let Some(&first) = cfa.outgoing(head).first() else {
                continue;
            };
            let span = cfa.edges[first].span;
            let copies = copies.iter().filter(|(var, _)| live.contains(var));
            let kept: Vec<(VarId, VarId)> = copies.chain(&memory.globals).copied().collect();
            let name = (here, index as i128 + 1);
            let next = self.part(function, head);
            let mut plan = plans.iter();
            let plan = plan.find(|plan| (plan.function, plan.head) == (function, head));
            let plan = plan.map_or(&[][..], |plan| &plan.places);
            let watched = Watched {
                kept: &kept,
                places: plan,
                and: &[],
            };
            self.watch_place(function, (head, next), watched, name, memory, span);
        }
        // Nothing is remembered at the beginning.
        let none = self.program.exprs.int(NUMBER, 0);
        self.begin_with(function, here, none);
    }

    /// Watches the entry of a function that calls itself.
    fn watch_entry(&mut self, function: FuncId, memory: &Memory) {
        let span = self.program.functions[function].span;
        let params = self.program.functions[function].params.clone();
        let params = params.into_iter();
        let mut kept: Vec<(VarId, VarId)> =
            params.map(|var| self.copy_of(var, Scope::Global)).collect();
        kept.extend(&memory.globals);
        // Whether this is the activation that was remembered.
        let is_it = self.add_variable(Type::Bool, Scope::Local(function), span);
        let returns = |action: &Action| matches!(action, Action::Return { .. });
        let edges = self.program.functions[function].cfa.edges.iter_enumerated();
        let edges = edges.filter(|(_, edge)| returns(&edge.action));
        for edge in edges.map(|(edge, _)| edge).collect::<Vec<EdgeId>>() {
            let (source, before) = self.open_before(function, edge);
            let cond = self.variable(is_it);
            let forgets = self.branch(function, source, cond, before, span);
            let none = self.integer(memory.entered, 0);
            let action = Action::Assign {
                dst: memory.entered,
                value: none,
            };
            let cfa = &mut self.program.functions[function].cfa;
            cfa.add_edge(forgets, action, before, span);
        }
        let cfa = &mut self.program.functions[function].cfa;
        let (entry, start) = (cfa.entry, cfa.add_location(LocKind::Plain));
        cfa.entry = start;
        let name = (memory.entered, function.index() as i128 + 1);
        let yes = self.program.exprs.bool(true);
        let watched = Watched {
            kept: &kept,
            places: &[],
            and: &[(is_it, yes)],
        };
        self.watch_place(function, (start, entry), watched, name, memory, span);
        let no = self.program.exprs.bool(false);
        self.begin_with(function, is_it, no);
    }

    /// Gives a variable a value at the entry of a function.
    fn begin_with(&mut self, function: FuncId, dst: VarId, value: ExprId) {
        let span = self.program.functions[function].span;
        let cfa = &mut self.program.functions[function].cfa;
        let (entry, start) = (cfa.entry, cfa.add_location(LocKind::Plain));
        cfa.entry = start;
        cfa.add_edge(start, Action::Assign { dst, value }, entry, span);
    }

    /// Takes the edges away from a location, and gives them to a new one.
    fn part(&mut self, function: FuncId, at: LocId) -> LocId {
        let next = self.program.functions[function]
            .cfa
            .add_location(LocKind::Plain);
        let outgoing = self.cut(function, at);
        self.join(function, outgoing, next);
        next
    }

    /// Takes an edge away from its location, which is left without edges, and gives it to a new one.
    fn open_before(&mut self, function: FuncId, edge: EdgeId) -> (LocId, LocId) {
        let source = self.program.functions[function].cfa.edges[edge].source;
        (source, self.part(function, source))
    }

    /// Between a location without edges and the next one: whether this is the state that was remembered; or it is
    /// remembered, if nothing was yet, along with more that is to be known then.
    fn watch_place(
        &mut self,
        function: FuncId,
        (head, next): (LocId, LocId),
        Watched { kept, places, and }: Watched<'_>,
        (here, number): (VarId, i128),
        memory: &Memory,
        span: Span,
    ) {
        let cfa = &mut self.program.functions[function].cfa;
        let [other, asked, keeps] = [(); 3].map(|()| cfa.add_location(LocKind::Plain));
        // The same place?
        let name = self.integer(here, number);
        let is_here = self.variable(here);
        let is_here = self.program.exprs.binary(BinOp::Eq, is_here, name);
        let mut at = self.branch(function, head, is_here, other, span);
        // The same state?
        if let Some(changed) = memory.is_changed {
            let changed = self.variable(changed);
            let same = self.program.exprs.unary(crate::expr::UnOp::Not, changed);
            at = self.branch(function, at, same, next, span);
        }
        for &(var, copy) in kept {
            let same = self.is_same(var, copy);
            at = self.branch(function, at, same, next, span);
        }
        for cell in &memory.cells {
            at = self.compare_cell(function, at, next, cell, span);
        }
        let kind = TargetKind::Endless(Endless::Repeated);
        self.add_target(kind, function, at, span);
        // Nothing remembered yet, and now?
        let has_kept = self.variable(memory.has_kept);
        let nothing = self.program.exprs.unary(crate::expr::UnOp::Not, has_kept);
        let free = self.branch(function, other, nothing, next, span);
        let answer = self.add_answer(function, span);
        let site = self.program.inputs.push(InputSite {
            kind: InputKind::Remember,
            ty: Some(Type::Bool),
            function,
            span,
        });
        self.ask(function, free, answer, site, asked, span);
        let answer = self.variable(answer);
        let yes = self.branch(function, asked, answer, next, span);
        let cfa = &mut self.program.functions[function].cfa;
        cfa.add_edge(yes, Action::Skip, keeps, span);
        let one = self.program.exprs.bool(true);
        let mut actions = vec![(memory.has_kept, one), (here, name)];
        actions.extend(and);
        if let Some(changed) = memory.is_changed {
            actions.push((changed, self.program.exprs.bool(false)));
        }
        for &(var, copy) in kept {
            actions.push((copy, self.variable(var)));
        }
        let cfa = &mut self.program.functions[function].cfa;
        let mut at = keeps;
        for (dst, value) in actions {
            let then = cfa.add_location(LocKind::Plain);
            cfa.add_edge(at, Action::Assign { dst, value }, then, span);
            at = then;
        }
        for (number, cell) in memory.cells.iter().enumerate() {
            let place = places.iter().find(|place| place.cell == number);
            at = self.remember_cell(function, at, cell, place.map(|place| place.ptr), span);
        }
        let cfa = &mut self.program.functions[function].cfa;
        cfa.add_edge(at, Action::Skip, next, span);
    }

    fn ask(
        &mut self,
        function: FuncId,
        at: LocId,
        dst: VarId,
        site: InputSiteId,
        to: LocId,
        span: Span,
    ) {
        let cfa = &mut self.program.functions[function].cfa;
        cfa.add_edge(at, Action::Input { dst, site }, to, span);
    }

    /// Says that memory is touched, before it is.
    fn note_before(&mut self, function: FuncId, edge: EdgeId, is_changed: VarId, cells: &[Cell]) {
        let value = self.program.exprs.bool(true);
        let span = self.program.functions[function].cfa.edges[edge].span;
        let action = &self.program.functions[function].cfa.edges[edge].action;
        let written = written_number(action);
        let (mut source, before) = self.open_before(function, edge);
        if let Some((ptr, int)) = written {
            let same = cells.iter().filter(|cell| cell.int.width == int.width);
            for cell in same.copied().collect::<Vec<Cell>>() {
                source = self.unless_cell(function, source, before, &cell, ptr, span);
            }
        }
        let action = Action::Assign {
            dst: is_changed,
            value,
        };
        let cfa = &mut self.program.functions[function].cfa;
        cfa.add_edge(source, action, before, span);
    }

    /// A variable, and another one of its type.
    fn copy_of(&mut self, var: VarId, scope: Scope) -> (VarId, VarId) {
        let (ty, span) = (self.program.vars[var].ty, self.program.vars[var].decl.span);
        (var, self.add_variable(ty, scope, span))
    }

    /// A number of a variable's type.
    fn integer(&mut self, var: VarId, value: i128) -> ExprId {
        match self.program.vars[var].ty {
            Type::Int(int) => self.program.exprs.int(int, value),
            _ => self.program.exprs.bool(value != 0),
        }
    }

    /// Whether two variables have the same bits.
    fn is_same(&mut self, var: VarId, copy: VarId) -> ExprId {
        let (a, b) = (self.variable(var), self.variable(copy));
        let same = self.program.exprs.binary(BinOp::Eq, a, b);
        let Type::Float(float) = self.program.vars[var].ty else {
            return same;
        };
        let zero = self.program.exprs.float(float, 0);
        let is_other = self.program.exprs.binary(BinOp::Ne, a, zero);
        self.program.exprs.binary(BinOp::And, same, is_other)
    }
}

/// Whether an action may change what is in memory, which objects there are, or what else later steps depend on.
fn touches_memory(action: &Action) -> bool {
    match action {
        Action::Skip
        | Action::Assume { .. }
        | Action::Assign { .. }
        | Action::Input { .. }
        | Action::Approximate { .. }
        | Action::Load { .. }
        | Action::Return { .. }
        | Action::Exit { .. } => false,
        Action::InputBytes { .. }
        | Action::Store { .. }
        | Action::Copy { .. }
        | Action::Fill { .. }
        | Action::Enter(_)
        | Action::Leave(_)
        | Action::Alloc { .. }
        | Action::Free { .. } => true,
        Action::Call { callee, .. } => match callee {
            Callee::Function(_) | Callee::Pointer(_) => false,
            Callee::Builtin(builtin) => !matches!(
                builtin,
                Builtin::Printf
                    | Builtin::Puts
                    | Builtin::Putchar
                    | Builtin::Math(..)
                    | Builtin::Math2(..)
                    | Builtin::Classify(..)
                    | Builtin::GetRounding
                    | Builtin::Leaks(_)
            ),
        },
    }
}
