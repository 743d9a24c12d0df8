//! Calls that are left, where they are edges of their own: what they call, and which globals matter to that.

use rhumb_program::graph::CallGraph;
use rhumb_program::{Action, Callee, FuncId, Program, Scope, VarId};

/// The function that an action calls, if it is one of the program that takes what it is given: then a relation between
/// what goes in and what comes out can stand for the call.
pub fn followed(program: &Program, action: &Action) -> Option<FuncId> {
    let Action::Call {
        dst,
        callee: Callee::Function(function),
        args,
    } = action
    else {
        return None;
    };
    let callee = &program.functions[*function];
    let params = callee.params.iter().map(|&param| program.vars[param].ty);
    let fits = !callee.variadic
        && args.len() == callee.params.len()
        && params.eq(args.iter().map(|&arg| program.exprs.ty(arg)))
        && dst.is_none_or(|dst| callee.result == Some(program.vars[dst].ty));
    fits.then_some(*function)
}

/// What the bodies that a call runs are given, parameters first, and which of the globals among that they may set. The
/// start is given its parameters.
pub fn interface(
    program: &Program,
    calls: &CallGraph,
    function: FuncId,
) -> (Vec<VarId>, Vec<VarId>) {
    let mut given = program.functions[function].params.clone();
    if function == program.start {
        return (given, Vec::new());
    }
    let touched = touched(program, calls, function);
    let entered = calls.reachable(function);
    let bodies = program.functions.iter_enumerated();
    let bodies = bodies.filter(|(id, _)| entered[*id]);
    let edges = bodies.flat_map(|(_, body)| &body.cfa.edges);
    let defined: Vec<VarId> = edges.filter_map(|edge| edge.action.defined_var()).collect();
    let set = touched.iter().copied();
    let set = set.filter(|var| defined.contains(var)).collect();
    given.extend(touched);
    (given, set)
}

/// The globals that runs of a function may read or set, in its body and in all that it calls, in the order of their ids.
pub fn touched(program: &Program, calls: &CallGraph, function: FuncId) -> Vec<VarId> {
    let entered = calls.reachable(function);
    let bodies = program.functions.iter_enumerated();
    let bodies = bodies.filter(|(id, _)| entered[*id]);
    let mut touched = Vec::new();
    for edge in bodies.flat_map(|(_, body)| &body.cfa.edges) {
        edge.action.for_each_expr(|expr| {
            program
                .exprs
                .for_each_var(expr, &mut |var| touched.push(var));
        });
        touched.extend(edge.action.defined_var());
    }
    touched.sort_unstable();
    touched.dedup();
    touched.retain(|&var| program.vars[var].scope == Scope::Global);
    touched
}
