//! Which variables of an activation hold memory: as long as a pointer in one of them leads to an object, the object is not lost.
//!
//! Those are the variables that the text of the program names where the activation stands. What the front end made up
//! for intermediate results counts only while it is going to be used: an argument that waits for the others, say.

use index_vec::IndexVec;
use std::sync::OnceLock;

use crate::cfa::Cfa;
use crate::ids::{EdgeId, FuncId, LocId, VarId};
use crate::model::{Program, Scope, Var};
use crate::types::Type;

/// The pointer variables that count, for every edge at which an activation may stand.
#[derive(Debug)]
pub struct Roots<'p> {
    program: &'p Program,
    functions: IndexVec<FuncId, OnceLock<Locals>>,
}

/// The pointers of one function.
#[derive(Debug)]
struct Locals {
    named: Vec<VarId>,
    /// For each location the unnamed ones that are still to be used.
    waiting: IndexVec<LocId, Vec<VarId>>,
}

impl<'p> Roots<'p> {
    /// Nothing is computed before it is wanted.
    pub fn new(program: &'p Program) -> Roots<'p> {
        let functions = program.functions.iter().map(|_| OnceLock::new()).collect();
        Roots { program, functions }
    }

    /// The local pointers that count while this edge of the function is under way.
    pub fn of(&self, function: FuncId, edge: EdgeId) -> impl Iterator<Item = VarId> {
        let locals = self.functions[function].get_or_init(|| Locals::of(self.program, function));
        let edge = &self.program.functions[function].cfa.edges[edge];
        let at = edge.span.lo;
        let set = edge.action.defined_var();
        let named = locals.named.iter().copied().filter(move |&var| {
            let visible = self.program.vars[var].decl.visible;
            visible.lo <= at && at < visible.hi
        });
        let waiting = locals.waiting[edge.target].iter().copied();
        named.chain(waiting.filter(move |&var| Some(var) != set))
    }

    /// The global pointers: they always count.
    pub fn globals(&self) -> impl Iterator<Item = VarId> {
        let vars = self.program.vars.iter_enumerated();
        let is_root = |var: &Var| var.ty == Type::Ptr && var.scope == Scope::Global;
        vars.filter(move |(_, var)| is_root(var)).map(|(id, _)| id)
    }
}

impl Locals {
    fn of(program: &Program, function: FuncId) -> Locals {
        let own = program
            .vars
            .iter_enumerated()
            .filter(|(_, var)| var.ty == Type::Ptr && var.scope == Scope::Local(function));
        let (named, unnamed): (Vec<_>, Vec<_>) =
            own.partition(|(_, var)| !var.decl.name.is_empty());
        let cfa = &program.functions[function].cfa;
        let mut waiting: IndexVec<LocId, Vec<VarId>> =
            cfa.locations.iter().map(|_| Vec::new()).collect();
        let incoming = cfa.incoming();
        for (var, _) in unnamed {
            for at in live(program, cfa, &incoming, var) {
                waiting[at].push(var);
            }
        }
        Locals {
            named: named.into_iter().map(|(id, _)| id).collect(),
            waiting,
        }
    }
}

/// The locations from which a use of the variable can be reached before it is set again.
fn live(
    program: &Program,
    cfa: &Cfa,
    incoming: &IndexVec<LocId, Vec<EdgeId>>,
    var: VarId,
) -> Vec<LocId> {
    let mut seen: IndexVec<LocId, bool> = cfa.locations.iter().map(|_| false).collect();
    let mut found = Vec::new();
    for edge in &cfa.edges {
        let mut uses = false;
        edge.action.for_each_expr(|expr| {
            program
                .exprs
                .for_each_var(expr, &mut |used| uses |= used == var);
        });
        if uses && !std::mem::replace(&mut seen[edge.source], true) {
            found.push(edge.source);
        }
    }
    let mut next = 0;
    while let Some(&at) = found.get(next) {
        next += 1;
        for &edge in &incoming[at] {
            let edge = &cfa.edges[edge];
            let is_set = edge.action.defined_var() == Some(var);
            if !is_set && !std::mem::replace(&mut seen[edge.source], true) {
                found.push(edge.source);
            }
        }
    }
    found
}
