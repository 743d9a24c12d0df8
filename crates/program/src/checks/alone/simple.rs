//! What is simpler with one thread: how runs end, and what is called.

use super::super::Application;
use crate::builtin::{Builtin, ThreadOp};
use crate::cfa::{Action, Callee, LocKind};
use crate::expr::BinOp;
use crate::graph::CallGraph;
use crate::model::Unsupported;
use crate::types::Type;

/// Where others may go on before a run ends, nobody sees what they do: it ends at once.
pub(super) fn end_at_once(work: &mut Application<'_>) {
    let is_yield = |action: &Action| {
        let op = Builtin::Thread(ThreadOp::Yield);
        matches!(action, Action::Call { callee: Callee::Builtin(builtin), .. } if *builtin == op)
    };
    for (function, edge) in work.edges(is_yield) {
        let cfa = &mut work.program.functions[function].cfa;
        let (before, end) = (cfa.edges[edge].source, cfa.edges[edge].target);
        let is_end = matches!(cfa.locations[end].kind, LocKind::Ub(_) | LocKind::End(_));
        if is_end && before != cfa.entry {
            let arriving = cfa.edges.iter_mut().filter(|edge| edge.target == before);
            arriving.for_each(|edge| edge.target = end);
        }
    }
}

/// Calls through pointers become calls of one function or another, so that whoever knows the pointer knows the call.
pub(super) fn resolve_calls(work: &mut Application<'_>) {
    let is_indirect = |action: &Action| {
        let Action::Call { callee, .. } = action else {
            return false;
        };
        matches!(callee, Callee::Pointer(_))
    };
    let graph = CallGraph::of(&work.program);
    for (function, edge) in work.edges(is_indirect) {
        let (source, next, span, action) = {
            let edge = &work.program.functions[function].cfa.edges[edge];
            (edge.source, edge.target, edge.span, edge.action.clone())
        };
        let callees = graph.callees_of(&work.program, &action).into_owned();
        let Action::Call {
            dst,
            callee: Callee::Pointer(ptr),
            args,
        } = action
        else {
            continue;
        };
        work.cut(function, source);
        let mut at = source;
        let types = args.iter().map(|&arg| work.program.exprs.ty(arg));
        let types: Vec<Type> = types.collect();
        let result = dst.map(|dst| work.program.vars[dst].ty);
        for callee in callees {
            if !(work.program).takes(callee, types.iter().copied(), result) {
                continue;
            }
            let address = work.program.exprs.func_addr(callee);
            let is_it = work.program.exprs.binary(BinOp::Eq, ptr, address);
            let cfa = &mut work.program.functions[function].cfa;
            let other = cfa.add_location(LocKind::Plain);
            let here = work.branch(function, at, is_it, other, span);
            let callee = Callee::Function(callee);
            let args = args.clone();
            let action = Action::Call { dst, callee, args };
            let cfa = &mut work.program.functions[function].cfa;
            cfa.add_edge(here, action, next, span);
            at = other;
        }
        let what = "a call of a function that nobody knows".to_owned();
        let id = work.program.unsupported.push(Unsupported { what, span });
        let cfa = &mut work.program.functions[function].cfa;
        // The edge stays where it is, and is a step to where nothing is known.
        let lost = cfa.add_location(LocKind::Unsupported(id));
        cfa.edges[edge].action = Action::Skip;
        cfa.edges[edge].target = lost;
        work.join(function, vec![edge], at);
    }
}
