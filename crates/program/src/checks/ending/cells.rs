//! Numbers in memory that a loop writes, as a part of the state that comes back.
//!
//! At a head, the places that the loop writes numbers to are known, as far as their pointers are made of what has a value
//! there. The first few of them are *cells*: when the state is remembered, so is where they are and what they hold. What
//! is written to just such a cell doesn't count as touching memory; but then it has to hold the same when the state is
//! compared. Everything else that is written still counts.

use super::super::Application;
use crate::cfa::{Action, Edge, LocKind};
use crate::expr::{BinOp, ExprKind};
use crate::ids::{ExprId, FuncId, LocId, VarId};
use crate::model::Scope;
use crate::span::Span;
use crate::types::{Access, IntType, Type};

/// Cells at a head: each one is one more thing that everybody who writes has to be compared with.
const MOST: usize = 4;

/// Where a number was remembered, and which.
#[derive(Clone, Copy)]
pub(super) struct Cell {
    /// Null for nowhere.
    place: VarId,
    number: VarId,
    pub(super) int: IntType,
}

/// A pointer to a cell at a head.
pub(super) struct CellPlace {
    /// The cell, by its number.
    pub(super) cell: usize,
    /// The pointer.
    pub(super) ptr: ExprId,
    int: IntType,
}

/// The cells at a head.
pub(super) struct Plan {
    pub(super) function: FuncId,
    pub(super) head: LocId,
    pub(super) places: Vec<CellPlace>,
}

/// The place and the type of a number that an action writes.
pub(super) fn written_number(action: &Action) -> Option<(ExprId, IntType)> {
    match *action {
        Action::Store {
            ptr,
            access:
                Access {
                    ty: Type::Int(int),
                    bits: None,
                    ..
                },
            ..
        } if matches!(int.width, 8 | 16 | 32 | 64) => Some((ptr, int)),
        _ => None,
    }
}

impl Application<'_> {
    /// The cells of all heads. Those of one width at one head are numbered anew at the next one.
    pub(super) fn plan_cells(&self, functions: &[FuncId]) -> Vec<Plan> {
        let mut plans = Vec::new();
        let mut all: Vec<IntType> = Vec::new();
        for &function in functions {
            let cfa = &self.program.functions[function].cfa;
            let nest = cfa.loops();
            for &head in nest.heads() {
                let inside = cfa
                    .edges
                    .iter()
                    .filter(|edge| nest.is_in(edge.source, head));
                let mut places: Vec<CellPlace> = Vec::new();
                let inside: Vec<&Edge> = inside.collect();
                let written = inside
                    .iter()
                    .filter_map(|edge| written_number(&edge.action));
                for (ptr, int) in written {
                    let ptr = self.as_computed(&inside, ptr);
                    let is_new = places
                        .iter()
                        .all(|place| !self.is_same_place(place.ptr, ptr));
                    if !is_new || places.len() >= MOST || !self.has_value_at(function, head, ptr) {
                        continue;
                    }
                    let taken = |cell: usize| places.iter().any(|place| place.cell == cell);
                    let mut free =
                        (0..all.len()).filter(|&cell| all[cell].width == int.width && !taken(cell));
                    let cell = free.next().unwrap_or_else(|| {
                        all.push(int);
                        all.len() - 1
                    });
                    places.push(CellPlace { cell, ptr, int });
                }
                plans.push(Plan {
                    function,
                    head,
                    places,
                });
            }
        }
        plans
    }

    /// Variables for all cells of some plans.
    pub(super) fn add_cells(&mut self, plans: &[Plan]) -> Vec<Cell> {
        let places = plans.iter().flat_map(|plan| &plan.places);
        let mut types: Vec<Option<IntType>> = Vec::new();
        for place in places {
            if types.len() <= place.cell {
                types.resize(place.cell + 1, None);
            }
            types[place.cell] = Some(IntType::unsigned(place.int.width));
        }
        let cells = types.into_iter().flatten().map(|int| Cell {
            place: self.add_variable(Type::Ptr, Scope::Global, Span::default()),
            number: self.add_variable(Type::Int(int), Scope::Global, Span::default()),
            int,
        });
        cells.collect()
    }

    /// What a temporary is made of, if it is set once.
    fn as_computed(&self, inside: &[&Edge], ptr: ExprId) -> ExprId {
        let ExprKind::Var(var) = self.program.exprs[ptr].kind else {
            return ptr;
        };
        let mut set = inside.iter().filter_map(|edge| match edge.action {
            Action::Assign { dst, value } if dst == var => Some(Some(value)),
            _ => (edge.action.defined_var() == Some(var)).then_some(None),
        });
        match (set.next(), set.next()) {
            (Some(Some(value)), None) if self.program.vars[var].decl.name.is_empty() => value,
            _ => ptr,
        }
    }

    fn is_same_place(&self, one: ExprId, other: ExprId) -> bool {
        let exprs = &self.program.exprs;
        one == other
            || exprs[one] == exprs[other] && exprs.children(one).next().is_none()
            || match (exprs[one].kind, exprs[other].kind) {
                (ExprKind::PtrAdd(a, m), ExprKind::PtrAdd(b, n)) => {
                    self.is_same_place(a, b) && self.is_same_place(m, n)
                }
                (ExprKind::Cast(a), ExprKind::Cast(b)) => {
                    exprs[one].ty == exprs[other].ty && self.is_same_place(a, b)
                }
                (ExprKind::Binary(op, a, m), ExprKind::Binary(other, b, n)) => {
                    op == other && self.is_same_place(a, b) && self.is_same_place(m, n)
                }
                _ => false,
            }
    }

    /// Whether an expression can be evaluated at a location.
    fn has_value_at(&self, function: FuncId, at: LocId, expr: ExprId) -> bool {
        let mut has_value = true;
        self.program.exprs.for_each_var(expr, &mut |var| {
            has_value = has_value && self.is_live(function, at, var);
        });
        has_value && !self.may_fault(expr)
    }

    /// Whether an expression is one that a check belongs to.
    fn may_fault(&self, expr: ExprId) -> bool {
        let exprs = &self.program.exprs;
        let is_division = matches!(
            exprs[expr].kind,
            ExprKind::Binary(BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr, ..)
        );
        let is_number = matches!(exprs[expr].kind, ExprKind::Cast(arg) if matches!(exprs.ty(arg), Type::Float(_)));
        is_division || is_number || exprs.children(expr).any(|child| self.may_fault(child))
    }

    /// Remembers what a cell holds, from a location without edges on; gives the one behind it.
    pub(super) fn remember_cell(
        &mut self,
        function: FuncId,
        at: LocId,
        cell: &Cell,
        ptr: Option<ExprId>,
        span: Span,
    ) -> LocId {
        let nowhere = self.program.exprs.null();
        let action = Action::Assign {
            dst: cell.place,
            value: nowhere,
        };
        let at = self.then(function, at, action, span);
        let Some(ptr) = ptr else {
            return at;
        };
        let behind = self.program.functions[function]
            .cfa
            .add_location(LocKind::Plain);
        let is_there = self.is_readable(ptr, cell.int);
        let at = self.branch(function, at, is_there, behind, span);
        let action = Action::Assign {
            dst: cell.place,
            value: ptr,
        };
        let at = self.then(function, at, action, span);
        let load = self.load(cell, cell.number);
        let cfa = &mut self.program.functions[function].cfa;
        cfa.add_edge(at, load, behind, span);
        behind
    }

    /// From a location without edges on: if a cell holds something else than what was remembered, the run goes on
    /// elsewhere. Gives the location behind.
    pub(super) fn compare_cell(
        &mut self,
        function: FuncId,
        at: LocId,
        elsewhere: LocId,
        cell: &Cell,
        span: Span,
    ) -> LocId {
        let behind = self.program.functions[function]
            .cfa
            .add_location(LocKind::Plain);
        let (place, null) = (self.variable(cell.place), self.program.exprs.null());
        let is_somewhere = self.program.exprs.binary(BinOp::Ne, place, null);
        let at = self.branch(function, at, is_somewhere, behind, span);
        let is_there = self.is_readable(place, cell.int);
        let at = self.branch(function, at, is_there, elsewhere, span);
        let now = self.add_variable(Type::Int(cell.int), Scope::Local(function), span);
        let load = self.load(cell, now);
        let at = self.then(function, at, load, span);
        let (now, number) = (self.variable(now), self.variable(cell.number));
        let same = self.program.exprs.binary(BinOp::Eq, now, number);
        let at = self.branch(function, at, same, elsewhere, span);
        let cfa = &mut self.program.functions[function].cfa;
        cfa.add_edge(at, Action::Skip, behind, span);
        behind
    }

    /// From a location without edges on: if a pointer is to a cell, the run goes on elsewhere. Gives the location behind.
    pub(super) fn unless_cell(
        &mut self,
        function: FuncId,
        at: LocId,
        elsewhere: LocId,
        cell: &Cell,
        ptr: ExprId,
        span: Span,
    ) -> LocId {
        let place = self.variable(cell.place);
        let is_other = self.program.exprs.binary(BinOp::Ne, ptr, place);
        self.branch(function, at, is_other, elsewhere, span)
    }

    fn is_readable(&mut self, ptr: ExprId, int: IntType) -> ExprId {
        let size = self.program.data_model.size_type();
        let size = self.program.exprs.int(size, i128::from(int.width / 8));
        let kind = ExprKind::AccessOk {
            ptr,
            size,
            write: false,
        };
        self.program.exprs.push(kind, Type::Bool)
    }

    fn load(&mut self, cell: &Cell, dst: VarId) -> Action {
        Action::Load {
            dst,
            ptr: self.variable(cell.place),
            access: Access::whole(Type::Int(cell.int)),
        }
    }
}
