//! Who calls whom.

use std::borrow::Cow;

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use super::{Components, Graph};
use crate::cfa::{Action, Callee, Cfa, Edge, LocKind, UbKind};
use crate::expr::{BinOp, ExprKind};
use crate::ids::{EdgeId, ExprId, FuncId, VarId};
use crate::model::{Init, Program, Scope};

/// The calls of a program. A call through a pointer can go to every function whose address is taken.
#[derive(Clone, Debug)]
pub struct CallGraph {
    graph: Graph<FuncId>,
    components: Components<FuncId>,
    address_taken: Vec<FuncId>,
}

impl CallGraph {
    /// Collects the calls of all functions.
    pub fn of(program: &Program) -> CallGraph {
        let address_taken = address_taken(program);
        let mut calls: Vec<(FuncId, FuncId)> = Vec::new();
        for (caller, function) in program.functions.iter_enumerated() {
            let mut through_pointer = false;
            let before = calls.len();
            for edge in &function.cfa.edges {
                match program.callee(&edge.action) {
                    Some(Called::Function(callee)) => calls.push((caller, callee)),
                    Some(Called::AnyAddressTaken) => through_pointer = true,
                    None => {}
                }
            }
            if through_pointer {
                calls.extend(address_taken.iter().map(|&callee| (caller, callee)));
            }
            // One edge for each pair; callees in increasing order.
            let mut own = calls.split_off(before);
            own.sort_unstable();
            own.dedup();
            calls.append(&mut own);
        }
        let graph = Graph::new(program.functions.len(), calls.iter().copied());
        let components = graph.components();
        CallGraph {
            graph,
            components,
            address_taken,
        }
    }

    /// The functions that a function can call.
    pub fn callees(&self, caller: FuncId) -> &[FuncId] {
        self.graph.successors(caller)
    }

    /// The strongly connected components: callees before callers.
    pub fn components(&self) -> &Components<FuncId> {
        &self.components
    }

    /// Whether the function can, directly or not, call itself.
    pub fn is_recursive(&self, function: FuncId) -> bool {
        self.components.is_cyclic(function)
    }

    /// The functions whose address is taken, in increasing order.
    pub fn address_taken(&self) -> &[FuncId] {
        &self.address_taken
    }

    /// The functions that an action can call.
    pub(crate) fn callees_of<'a>(
        &'a self,
        program: &Program,
        action: &Action,
    ) -> Cow<'a, [FuncId]> {
        match program.callee(action) {
            Some(Called::Function(function)) => Cow::Owned(vec![function]),
            Some(Called::AnyAddressTaken) => Cow::Borrowed(&self.address_taken),
            None => Cow::Borrowed(&[]),
        }
    }

    /// The functions that a run from the given one can enter, itself included.
    pub fn reachable(&self, from: FuncId) -> IndexVec<FuncId, bool> {
        self.graph.reachable([from])
    }
}

/// Which global variables calls can set, in the bodies that they run and all that those call.
///
/// For every analysis that goes over a call without following it: what is listed has any value behind the call,
/// everything else what it had before.
#[derive(Clone, Debug, Default)]
pub struct CallEffects {
    by_callee: FxHashMap<FuncId, Vec<VarId>>,
    through_pointer: Vec<VarId>,
}

impl CallEffects {
    /// Of the calls that a function makes.
    pub fn of(program: &Program, caller: FuncId) -> CallEffects {
        CallEffects::of_callers(program, &[caller])
    }

    /// Of the calls that some functions make.
    pub fn of_callers(program: &Program, callers: &[FuncId]) -> CallEffects {
        let bodies = callers.iter().map(|&caller| &program.functions[caller]);
        let called = bodies
            .flat_map(|body| &body.cfa.edges)
            .filter_map(|edge| program.callee(&edge.action))
            .collect::<Vec<Called>>();
        if called.is_empty() {
            return CallEffects::default();
        }
        let calls = CallGraph::of(program);
        let set_in = |entered: IndexVec<FuncId, bool>| {
            let bodies = program.functions.iter_enumerated();
            let bodies = bodies.filter(|(id, _)| entered[*id]);
            let mut set: Vec<VarId> = bodies
                .flat_map(|(_, body)| &body.cfa.edges)
                .filter_map(|edge| edge.action.defined_var())
                .filter(|&var| program.vars[var].scope == Scope::Global)
                .collect();
            set.sort_unstable();
            set.dedup();
            set
        };
        let mut effects = CallEffects::default();
        for called in called {
            match called {
                Called::Function(callee) => {
                    effects
                        .by_callee
                        .entry(callee)
                        .or_insert_with(|| set_in(calls.graph.reachable([callee])));
                }
                Called::AnyAddressTaken if effects.through_pointer.is_empty() => {
                    let entered = calls.graph.reachable(calls.address_taken.iter().copied());
                    effects.through_pointer = set_in(entered);
                }
                Called::AnyAddressTaken => {}
            }
        }
        effects
    }

    /// The effects on some of the variables.
    pub fn on(mut self, concerns: impl Fn(VarId) -> bool) -> CallEffects {
        self.through_pointer.retain(|&var| concerns(var));
        for set in self.by_callee.values_mut() {
            set.retain(|&var| concerns(var));
        }
        self
    }

    /// The globals that an action of the caller sets in a body that it runs, in increasing order. The result of a call is not among
    /// them.
    pub fn set_by(&self, program: &Program, action: &Action) -> &[VarId] {
        match program.callee(action) {
            Some(Called::Function(callee)) => self.by_callee.get(&callee).map_or(&[], |set| set),
            Some(Called::AnyAddressTaken) => &self.through_pointer,
            None => &[],
        }
    }
}

/// Which functions of the program a call can enter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Called {
    /// This one.
    Function(FuncId),
    /// Any whose address is taken.
    AnyAddressTaken,
}

impl Program {
    /// What an action calls, if it calls a function of the program. A pointer that is the address of a function is that function.
    pub(crate) fn callee(&self, action: &Action) -> Option<Called> {
        match action {
            Action::Call {
                callee: Callee::Function(function),
                ..
            } => Some(Called::Function(*function)),
            Action::Call {
                callee: Callee::Pointer(ptr),
                ..
            } => Some(match self.exprs[*ptr].kind {
                ExprKind::FuncAddr(function) => Called::Function(function),
                _ => Called::AnyAddressTaken,
            }),
            _ => None,
        }
    }

    /// Whether an edge is behind the question whether a pointer is the address of one of some functions, and runs of which
    /// that holds end: nobody knows these addresses by that.
    fn is_asked_for_strangers(&self, cfa: &Cfa, edge: &Edge) -> bool {
        let Action::Assume { cond, .. } = edge.action else {
            return false;
        };
        let ends = |&edge: &EdgeId| match cfa.edges[edge].action {
            Action::Assume { holds: true, .. } => {
                cfa.locations[cfa.edges[edge].target].kind == LocKind::Ub(UbKind::BadCall)
            }
            _ => false,
        };
        let is_address = |expr: ExprId| matches!(self.exprs[expr].kind, ExprKind::FuncAddr(_));
        let mut open = vec![cond];
        while let Some(expr) = open.pop() {
            match self.exprs[expr].kind {
                ExprKind::Binary(BinOp::Or, a, b) => open.extend([a, b]),
                ExprKind::Binary(BinOp::Eq, a, b) if !is_address(a) && is_address(b) => {}
                _ => return false,
            }
        }
        cfa.outgoing(edge.source).iter().any(ends)
    }

    /// Which expressions of the arena an action or a first value uses. (Passes leave others behind.)
    pub(crate) fn used_exprs(&self) -> IndexVec<ExprId, bool> {
        let mut used = IndexVec::from_vec(vec![false; self.exprs.len()]);
        let mut mark = |expr: ExprId| used[expr] = true;
        for function in &self.functions {
            for edge in &function.cfa.edges {
                if self.is_asked_for_strangers(&function.cfa, edge) {
                    continue;
                }
                // The pointer of a call that names its callee is no use of the address.
                if let (Some(Called::Function(_)), Action::Call { args, .. }) =
                    (self.callee(&edge.action), &edge.action)
                {
                    args.iter().copied().for_each(&mut mark);
                } else {
                    edge.action.for_each_expr(&mut mark);
                }
            }
        }
        self.vars
            .iter()
            .filter_map(|var| var.init)
            .for_each(&mut mark);
        for init in self.objects.iter().flat_map(|object| &object.init) {
            if let Init::Scalar { value, .. } = init {
                mark(*value);
            }
        }
        // Children come before their parents.
        for index in (0..used.len()).rev() {
            let id = ExprId::from_usize(index);
            if used[id] {
                for child in self.exprs.children(id) {
                    used[child] = true;
                }
            }
        }
        used
    }
}

/// The functions whose address an expression in use takes.
fn address_taken(program: &Program) -> Vec<FuncId> {
    let mut taken: IndexVec<FuncId, bool> =
        IndexVec::from_vec(vec![false; program.functions.len()]);
    for (id, used) in program.used_exprs().iter_enumerated() {
        if let (true, ExprKind::FuncAddr(function)) = (*used, program.exprs[id].kind) {
            taken[function] = true;
        }
    }
    taken
        .iter_enumerated()
        .filter(|&(_, &taken)| taken)
        .map(|(function, _)| function)
        .collect()
}
