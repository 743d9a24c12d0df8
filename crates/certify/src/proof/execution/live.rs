//! Which variables a function still looks at, location by location: what it doesn't look at any more is no part of a state.

use index_vec::IndexVec;
use rhumb_program::{Cfa, EdgeId, ExprId, ExprKind, FuncId, LocId, Program, VarId};
use rustc_hash::{FxHashMap, FxHashSet};

/// The variables that are looked at from each location on, before they are set.
pub(in crate::proof) struct Live<'p> {
    program: &'p Program,
    functions: FxHashMap<FuncId, IndexVec<LocId, FxHashSet<VarId>>>,
}

impl<'p> Live<'p> {
    pub(in crate::proof) fn new(program: &'p Program) -> Live<'p> {
        Live {
            program,
            functions: FxHashMap::default(),
        }
    }

    /// Those at a location.
    pub(in crate::proof) fn at(&mut self, function: FuncId, location: LocId) -> &FxHashSet<VarId> {
        let program = self.program;
        let sets = (self.functions)
            .entry(function)
            .or_insert_with(|| compute(program, &program.functions[function].cfa));
        &sets[location]
    }
}

fn compute(program: &Program, cfa: &Cfa) -> IndexVec<LocId, FxHashSet<VarId>> {
    let used: IndexVec<EdgeId, FxHashSet<VarId>> = cfa
        .edges
        .iter()
        .map(|edge| {
            let mut used = FxHashSet::default();
            edge.action
                .for_each_expr(|expr| mentioned(program, expr, &mut used));
            used
        })
        .collect();
    let mut live: IndexVec<LocId, FxHashSet<VarId>> =
        cfa.locations.iter().map(|_| FxHashSet::default()).collect();
    let incoming = cfa.incoming();
    let mut waiting: Vec<EdgeId> = cfa.edges.indices().collect();
    while let Some(id) = waiting.pop() {
        let edge = &cfa.edges[id];
        let set = edge.action.defined_var();
        let behind = live[edge.target].iter().copied();
        let mut wanted: FxHashSet<VarId> = behind.filter(|&var| Some(var) != set).collect();
        wanted.extend(&used[id]);
        let before = live[edge.source].len();
        live[edge.source].extend(wanted);
        if live[edge.source].len() > before {
            waiting.extend(&incoming[edge.source]);
        }
    }
    live
}

fn mentioned(program: &Program, expr: ExprId, into: &mut FxHashSet<VarId>) {
    if let ExprKind::Var(var) = program.exprs[expr].kind {
        into.insert(var);
    }
    for child in program.exprs.children(expr) {
        mentioned(program, child, into);
    }
}
