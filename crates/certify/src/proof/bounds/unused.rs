//! Pointers that are declared without a value, and get one before they are used: until then they are anything, which
//! would make them pointers to everything.

use rhumb_program::{Action, Cfa, EdgeId, IndexVec, LocId, Program, Type, VarId};

/// Pointer variables that get a value from outside which nobody reads get null instead.
pub(super) fn set_to_null(program: &mut Program) {
    let cfa = &program.functions[program.start].cfa;
    let unused: Vec<(EdgeId, VarId)> = (cfa.edges.iter_enumerated())
        .filter_map(|(id, edge)| match edge.action {
            Action::Input { dst, .. } if program.vars[dst].ty == Type::Ptr => Some((id, dst)),
            _ => None,
        })
        .filter(|&(id, var)| !is_read_behind(program, cfa, id, var))
        .collect();
    for (edge, dst) in unused {
        let value = program.exprs.null();
        let start = program.start;
        program.functions[start].cfa.edges[edge].action = Action::Assign { dst, value };
    }
}

/// Whether there is a way from an edge to one that reads the variable, on which it is not set.
fn is_read_behind(program: &Program, cfa: &Cfa, from: EdgeId, var: VarId) -> bool {
    let mut seen: IndexVec<LocId, bool> = cfa.locations.iter().map(|_| false).collect();
    let mut todo = vec![cfa.edges[from].target];
    while let Some(at) = todo.pop() {
        if std::mem::replace(&mut seen[at], true) {
            continue;
        }
        for &edge in cfa.outgoing(at) {
            let edge = &cfa.edges[edge];
            let mut is_read = false;
            edge.action.for_each_expr(|expr| {
                let visit = &mut |used| is_read |= used == var;
                program.exprs.for_each_var(expr, visit);
            });
            if is_read {
                return true;
            }
            if edge.action.defined_var() != Some(var) {
                todo.push(edge.target);
            }
        }
    }
    false
}
