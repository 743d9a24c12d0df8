//! Constant propagation.
//!
//! Sparse conditional constant propagation (Wegman and Zadeck, TOPLAS 1991) on the tracked variables of each function:
//! values start as "not computed yet", only edges that can be taken count, and the propagation stops where nothing
//! changes. Bounds that follow from types travel along with constants, up to the next join. Globals that nothing sets
//! are constant everywhere.
//!
//! Then expressions are evaluated as far as they go (exactly, and within bounds); a branch whose condition is decided
//! becomes one step that does nothing, which drops the checks of undefined behaviour that can't fail, and what no edge
//! leads to any more is removed. Calls through a pointer that is found to be one function become calls of that
//! function.

use index_vec::{IndexVec, index_vec};
use rustc_hash::FxHashMap;

use super::fold::{Evaluator, Known};
use super::rebuild::Rebuild;
use super::restore::{FunctionRestore, Restore, Role};
use super::ssa::{Definition, Ssa, Tracking, ValueId};
use super::walk::Readers;
use super::{Passed, finish};
use crate::cfa::{Action, Callee, Cfa};
use crate::expr::{ExprKind, Exprs};
use crate::ids::{EdgeId, ExprId, FuncId, LocId, VarId};
use crate::model::{Program, Scope};
use crate::types::Type;

/// Propagates constants in every function.
pub fn run(program: &Program) -> Passed {
    let mut readers = Readers::new(program);
    let tracking = Tracking::of(program, &mut readers);
    let mut result = program.clone();
    let mut restore = Restore::without_functions(program);
    for function in program.functions.indices() {
        let ssa = Ssa::of(program, function, &tracking, &mut readers);
        let mut propagation = Propagation::new(program, function, &tracking, &ssa);
        propagation.solve();
        let (cfa, origins) = propagation.rewrite(&mut result.exprs);
        result.functions[function].cfa = cfa;
        restore.functions.push(origins);
    }
    finish(result, restore)
}

/// How often what is known of a value may change before it counts as nothing. Each change makes all users look again.
const MAX_CHANGES: u8 = 4;

/// Who has to be looked at again when a value changes.
#[derive(Clone, Copy)]
enum User {
    Edge(EdgeId),
    Join(ValueId),
}

struct Propagation<'a> {
    program: &'a Program,
    function: FuncId,
    cfa: &'a Cfa,
    tracking: &'a Tracking,
    ssa: &'a Ssa,
    evaluator: Evaluator<'a>,
    /// What is known of each value; none: not computed yet. Bounds go from assignment to assignment, but not through a
    /// join, so they need no widening in loops.
    known: IndexVec<ValueId, Option<Known>>,
    /// How often what is known of a value has changed.
    changes: IndexVec<ValueId, u8>,
    users: IndexVec<ValueId, Vec<User>>,
    /// Which edges can be taken.
    taken: IndexVec<EdgeId, bool>,
    reached: IndexVec<LocId, bool>,
    new_edges: Vec<EdgeId>,
    changed: Vec<ValueId>,
}

impl<'a> Propagation<'a> {
    fn new(
        program: &'a Program,
        function: FuncId,
        tracking: &'a Tracking,
        ssa: &'a Ssa,
    ) -> Propagation<'a> {
        let cfa = &program.functions[function].cfa;
        let mut users: IndexVec<ValueId, Vec<User>> =
            ssa.values.iter().map(|_| Vec::new()).collect();
        for edge in cfa.edges.indices() {
            for &(_, value) in ssa.uses(edge) {
                users[value].push(User::Edge(edge));
            }
        }
        for (id, definition) in ssa.values.iter_enumerated() {
            if let Definition::Join { operands, .. } = definition {
                for &(_, value) in operands {
                    users[value].push(User::Join(id));
                }
            }
        }
        Propagation {
            program,
            function,
            cfa,
            tracking,
            ssa,
            evaluator: Evaluator::new(program),
            known: index_vec![None; ssa.values.len()],
            changes: index_vec![0; ssa.values.len()],
            users,
            taken: index_vec![false; cfa.edges.len()],
            reached: index_vec![false; cfa.locations.len()],
            new_edges: Vec::new(),
            changed: Vec::new(),
        }
    }

    fn solve(&mut self) {
        for (id, definition) in self.ssa.values.iter_enumerated() {
            if let Definition::Entry(var) = *definition {
                let first = self.first_value(var);
                self.learn(id, Some(first));
            }
        }
        self.reach(self.cfa.entry);
        loop {
            if let Some(edge) = self.new_edges.pop() {
                self.take(edge);
            } else if let Some(value) = self.changed.pop() {
                for index in 0..self.users[value].len() {
                    match self.users[value][index] {
                        User::Edge(edge) if self.reached[self.cfa.edges[edge].source] => {
                            self.update(edge);
                        }
                        User::Edge(_) => {}
                        User::Join(join) => self.join(join),
                    }
                }
            } else {
                break;
            }
        }
    }

    /// The value that a tracked variable has when the function is entered.
    fn first_value(&mut self, var: VarId) -> Known {
        if self.tracking.starts_fresh(self.program, var, self.function) {
            initial(&mut self.evaluator, self.program, var)
        } else {
            Known::Nothing
        }
    }

    /// Records what is known of a value now, beside what was known before.
    fn learn(&mut self, value: ValueId, known: Option<Known>) {
        let ty = match self.ssa.values[value] {
            Definition::Edge(edge) => self.cfa.edges[edge].action.defined_var(),
            Definition::Entry(_) | Definition::Join { .. } => None,
        };
        // Only edges give anything but constants.
        let ty = ty.map_or(Type::Bool, |var| self.program.vars[var].ty);
        let merged = match (self.known[value], known) {
            (old, None) => old,
            (None, new) => new,
            (Some(old), Some(new)) if new.covers(old, ty) => Some(new),
            (Some(old), Some(new)) if old.covers(new, ty) => Some(old),
            _ => Some(Known::Nothing),
        };
        if self.known[value] == merged {
            return;
        }
        self.changes[value] += 1;
        self.known[value] = if self.changes[value] < MAX_CHANGES {
            merged
        } else {
            Some(Known::Nothing)
        };
        self.changed.push(value);
    }

    /// A location can be reached: so can the edges that leave it.
    fn reach(&mut self, at: LocId) {
        if !std::mem::replace(&mut self.reached[at], true) {
            for &edge in self.cfa.outgoing(at) {
                self.update(edge);
            }
        }
    }

    /// Looks at an edge of a location that can be reached: whether it can be taken, and what it sets.
    fn update(&mut self, edge: EdgeId) {
        let action = &self.cfa.edges[edge].action;
        let possible = match *action {
            Action::Assume { cond, holds } => match self.eval(edge, cond) {
                None => false,
                Some(known) => known.as_truth().is_none_or(|truth| truth == holds),
            },
            _ => true,
        };
        if let Some(value) = self.ssa.defined[edge] {
            let known = match *action {
                Action::Assign { value, .. } => self.eval(edge, value),
                Action::Load { access, .. } => Some(Known::of_bits(access)),
                _ => Some(Known::Nothing),
            };
            self.learn(value, known);
        }
        if possible && !std::mem::replace(&mut self.taken[edge], true) {
            self.new_edges.push(edge);
        }
    }

    fn take(&mut self, edge: EdgeId) {
        let target = self.cfa.edges[edge].target;
        for index in 0..self.ssa.joins[target].len() {
            self.join(self.ssa.joins[target][index]);
        }
        self.reach(target);
    }

    fn join(&mut self, join: ValueId) {
        let Definition::Join { operands, .. } = &self.ssa.values[join] else {
            return;
        };
        for &(edge, value) in operands {
            if self.taken[edge] {
                let known = self.known[value].map(Known::constant);
                self.learn(join, known);
            }
        }
    }

    fn eval(&mut self, edge: EdgeId, expr: ExprId) -> Option<Known> {
        self.evaluator.reset();
        self.eval_more(edge, expr)
    }

    /// Evaluates another expression at the same edge.
    fn eval_more(&mut self, edge: EdgeId, expr: ExprId) -> Option<Known> {
        let (program, ssa, known) = (self.program, self.ssa, &self.known);
        let tracking = self.tracking;
        self.evaluator
            .eval(expr, &|var| match ssa.value(edge, var) {
                Some(value) => known[value],
                None => Some(constant_global(program, tracking, var)),
            })
    }

    /// The automaton with everything in it that was found.
    fn rewrite(mut self, exprs: &mut Exprs) -> (Cfa, FunctionRestore) {
        let reached = std::mem::take(&mut self.reached);
        let mut rebuild = Rebuild::new(self.function, self.cfa, |at| reached[at]);
        for (at, location) in self.cfa.locations.iter_enumerated() {
            if !reached[at] {
                continue;
            }
            let taken = location
                .outgoing
                .iter()
                .filter(|&&edge| self.taken[edge])
                .count();
            // Both edges of a branch that stays assume one condition, so it is rewritten once.
            let mut rewritten = FxHashMap::default();
            self.evaluator.reset();
            for &edge in &location.outgoing {
                let old = &self.cfa.edges[edge];
                let action = match old.action {
                    Action::Assume { .. } if !self.taken[edge] => continue,
                    Action::Assume { .. } if taken == 1 => Action::Skip,
                    _ => self.rewrite_action(edge, exprs, &mut rewritten),
                };
                rebuild.edge(edge, action, old.target, Role::Step);
            }
        }
        rebuild.finish()
    }

    fn rewrite_action(
        &mut self,
        edge: EdgeId,
        exprs: &mut Exprs,
        rewritten: &mut FxHashMap<ExprId, ExprId>,
    ) -> Action {
        let mut action = self.cfa.edges[edge].action.clone();
        action.for_each_expr_mut(|expr| *expr = self.rewrite_expr(edge, *expr, exprs, rewritten));
        if let Action::Call {
            callee: Callee::Pointer(ptr),
            ..
        } = action
            && let ExprKind::FuncAddr(function) = exprs[ptr].kind
            && self.program.accepts(exprs, function, &action)
            && let Action::Call { callee, .. } = &mut action
        {
            *callee = Callee::Function(function);
        }
        action
    }

    /// The expression with constants for what is constant. Recursive on its depth, which the model limits.
    fn rewrite_expr(
        &mut self,
        edge: EdgeId,
        id: ExprId,
        exprs: &mut Exprs,
        rewritten: &mut FxHashMap<ExprId, ExprId>,
    ) -> ExprId {
        if let Some(&known) = rewritten.get(&id) {
            return known;
        }
        let expr = self.program.exprs[id].clone();
        let named = self
            .eval_more(edge, id)
            .and_then(|known| constant_node(known, expr.ty));
        let kind = match named {
            Some(kind) => kind,
            None => expr
                .kind
                .map_children(|child| self.rewrite_expr(edge, child, exprs, rewritten)),
        };
        let new = if kind == expr.kind {
            id
        } else {
            exprs.push(kind, expr.ty)
        };
        rewritten.insert(id, new);
        new
    }
}

/// The expression without operands that names a constant.
fn constant_node(known: Known, ty: Type) -> Option<ExprKind> {
    match (known, ty) {
        (Known::Bits(bits), _) => Some(ExprKind::Const(bits)),
        (Known::Function(function), Type::Ptr) => Some(ExprKind::FuncAddr(function)),
        (Known::Object(object, 0, 0), Type::Ptr) => Some(ExprKind::AddrOf(object)),
        _ => None,
    }
}

/// What is known of a variable that is not tracked.
fn constant_global(program: &Program, tracking: &Tracking, var: VarId) -> Known {
    if program.vars[var].scope == Scope::Global && tracking.is_never_assigned(var) {
        initial(&mut Evaluator::new(program), program, var)
    } else {
        Known::Nothing
    }
}

/// The first value of a global.
fn initial(evaluator: &mut Evaluator<'_>, program: &Program, var: VarId) -> Known {
    let Some(value) = program.vars[var].init else {
        return Known::Bits(0);
    };
    evaluator.reset();
    let known = evaluator.eval(value, &|_| Some(Known::Nothing));
    known.map_or(Known::Nothing, Known::constant)
}
