//! Functions that a call through a pointer doesn't go to, since it was asked just before whether it would.
//!
//! Right for programs whose front end knows which functions a call must not reach: there the pointer is compared with
//! their addresses, and the call is made only if it is none of them.

use rhumb_program::{Action, BinOp, Callee, Cfa, EdgeId, ExprId, ExprKind, FuncId, Program};
use rustc_hash::FxHashMap;

/// For the pointers of calls, by their expressions, the functions that they don't point to at the call.
pub(super) fn of(program: &Program) -> FxHashMap<ExprId, Vec<FuncId>> {
    let mut excluded: FxHashMap<ExprId, Vec<FuncId>> = FxHashMap::default();
    for function in &program.functions {
        let cfa = &function.cfa;
        let incoming = cfa.incoming();
        for edge in &cfa.edges {
            let Action::Call {
                callee: Callee::Pointer(ptr),
                ..
            } = edge.action
            else {
                continue;
            };
            let here = match edge.source == cfa.entry {
                true => Vec::new(),
                false => before(program, cfa, &incoming[edge.source], ptr),
            };
            // Where two calls share an expression, what holds for both.
            match excluded.get_mut(&ptr) {
                Some(known) => known.retain(|function| here.contains(function)),
                None => {
                    excluded.insert(ptr, here);
                }
            }
        }
    }
    excluded
}

/// The functions that a variable doesn't point to behind the one edge that leads somewhere.
fn before(program: &Program, cfa: &Cfa, incoming: &[EdgeId], ptr: ExprId) -> Vec<FuncId> {
    let &[edge] = incoming else {
        return Vec::new();
    };
    let ExprKind::Var(var) = program.exprs[ptr].kind else {
        return Vec::new();
    };
    let Action::Assume { cond, holds: false } = cfa.edges[edge].action else {
        return Vec::new();
    };
    let is_var = |expr: ExprId| matches!(program.exprs[expr].kind, ExprKind::Var(it) if it == var);
    let mut functions = Vec::new();
    let mut open = vec![cond];
    while let Some(expr) = open.pop() {
        match program.exprs[expr].kind {
            ExprKind::Binary(BinOp::Or, a, b) => open.extend([b, a]),
            ExprKind::Binary(BinOp::Eq, a, b) if is_var(a) => {
                if let ExprKind::FuncAddr(function) = program.exprs[b].kind {
                    functions.push(function);
                }
            }
            _ => {}
        }
    }
    functions
}
