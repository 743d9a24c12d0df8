//! Who calls whom, as far as a proof has to know: which calls are taken apart, and what the others may do.

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use rhumb_program::{
    Action, AllocKind, Callee, ExprId, ExprKind, FuncId, Function, Init, LocKind, Program, Scope,
    VarId,
};

/// What a call leads to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Called {
    /// This function, which takes what it is given.
    Known(FuncId),
    /// This function, which takes something else than it is given.
    Misfit(FuncId),
    /// Some function of the program whose address is taken.
    Some,
    /// The library: nothing of the program.
    Library,
}

/// What is known of all functions of a program.
pub(crate) struct Calls {
    /// Whether a function can be entered again before it is left.
    recursive: Vec<bool>,
    /// Whether an error, or something that the model can't express, may lie in a function or in what it calls.
    dangerous: Vec<bool>,
    /// Whether the functions that a pointer may point to are dangerous.
    pointers_dangerous: bool,
    /// Whether a function has objects that live until it returns.
    stack: Vec<bool>,
    /// Whether a function, or what it calls, has a loop.
    loops: Vec<bool>,
    /// The global variables that a function, or what it calls, may set.
    sets: Vec<Rc<[VarId]>>,
    /// The global variables that the functions may set that a pointer may point to.
    pointers_set: Rc<[VarId]>,
}

impl Calls {
    pub(crate) fn of(program: &Program) -> Calls {
        let count = program.functions.len();
        let mut callees: Vec<Vec<usize>> = vec![Vec::new(); count];
        let taken = address_taken(program);
        let mut dangerous = vec![false; count];
        let mut stack = vec![false; count];
        for (id, function) in program.functions.iter_enumerated() {
            let locations = function.cfa.locations.iter();
            dangerous[id.index()] = locations
                .map(|location| location.kind)
                .any(|kind| matches!(kind, LocKind::Target(_) | LocKind::Unsupported(_)));
            for edge in &function.cfa.edges {
                if let Action::Alloc {
                    kind: AllocKind::Stack,
                    ..
                } = edge.action
                {
                    stack[id.index()] = true;
                }
                if let Action::Call { callee, .. } = edge.action {
                    match named(program, callee) {
                        Some(callee) => callees[id.index()].push(callee.index()),
                        None if matches!(callee, Callee::Builtin(_)) => {}
                        None => callees[id.index()].extend(&taken),
                    }
                }
            }
        }
        for list in &mut callees {
            list.sort_unstable();
            list.dedup();
        }
        // What holds of a function holds of its callers.
        let mut callers: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (caller, list) in callees.iter().enumerate() {
            list.iter().for_each(|&callee| callers[callee].push(caller));
        }
        let spread = |mark: &mut [bool]| {
            let mut todo: Vec<usize> = (0..count).filter(|&function| mark[function]).collect();
            while let Some(function) = todo.pop() {
                for &caller in &callers[function] {
                    if !std::mem::replace(&mut mark[caller], true) {
                        todo.push(caller);
                    }
                }
            }
        };
        spread(&mut dangerous);
        let mut loops: Vec<bool> = program.functions.iter().map(has_loop).collect();
        spread(&mut loops);
        let mut sets: Vec<Vec<VarId>> = vec![Vec::new(); count];
        for (var, setters) in setters(program) {
            let mut mark = vec![false; count];
            setters.iter().for_each(|&function| mark[function] = true);
            spread(&mut mark);
            for (function, _) in mark.iter().enumerate().filter(|(_, set)| **set) {
                sets[function].push(var);
            }
        }
        let mut pointers_set: Vec<VarId> = taken.iter().flat_map(|&f| sets[f].clone()).collect();
        pointers_set.sort_unstable();
        pointers_set.dedup();
        Calls {
            recursive: recursive(&callees),
            loops,
            sets: sets.into_iter().map(Rc::from).collect(),
            pointers_set: pointers_set.into(),
            pointers_dangerous: taken.iter().any(|&function| dangerous[function]),
            dangerous,
            stack,
        }
    }

    pub(crate) fn is_recursive(&self, function: FuncId) -> bool {
        self.recursive[function.index()]
    }

    pub(crate) fn has_stack_objects(&self, function: FuncId) -> bool {
        self.stack[function.index()]
    }

    pub(crate) fn has_loops(&self, function: FuncId) -> bool {
        self.loops[function.index()]
    }

    /// The global variables that a call may set, besides the one that gets its result.
    pub(crate) fn sets(&self, called: Called) -> Rc<[VarId]> {
        match called {
            Called::Known(function) | Called::Misfit(function) => {
                self.sets[function.index()].clone()
            }
            Called::Some => self.pointers_set.clone(),
            Called::Library => Rc::from([]),
        }
    }

    /// Whether something may go wrong inside a call.
    pub(crate) fn is_dangerous(&self, called: Called) -> bool {
        match called {
            Called::Known(function) | Called::Misfit(function) => self.dangerous[function.index()],
            Called::Some => self.pointers_dangerous,
            Called::Library => false,
        }
    }
}

/// The function that a callee names.
fn named(program: &Program, callee: Callee) -> Option<FuncId> {
    match callee {
        Callee::Function(function) => Some(function),
        Callee::Builtin(_) => None,
        Callee::Pointer(pointer) => match program.exprs[pointer].kind {
            ExprKind::FuncAddr(function) => Some(function),
            _ => None,
        },
    }
}

/// What a call leads to.
pub(crate) fn called(program: &Program, action: &Action) -> Option<Called> {
    let Action::Call { dst, callee, args } = action else {
        return None;
    };
    if let Callee::Builtin(_) = callee {
        return Some(Called::Library);
    }
    let Some(id) = named(program, *callee) else {
        return Some(Called::Some);
    };
    let function = &program.functions[id];
    let fits = |(&param, &arg): (&VarId, &ExprId)| program.vars[param].ty == program.exprs.ty(arg);
    let takes = function.params.len() <= args.len()
        && (function.variadic || function.params.len() == args.len())
        && function.params.iter().zip(args.iter()).all(fits);
    let gives = match (dst, function.result) {
        (Some(dst), Some(result)) => program.vars[*dst].ty == result,
        (Some(_), None) => false,
        (None, _) => true,
    };
    Some(match takes && gives {
        true => Called::Known(id),
        false => Called::Misfit(id),
    })
}

/// The global variables that are set anywhere, each with the functions that do it. (No variable has an address, so there is no other way
/// to set one.)
fn setters(program: &Program) -> BTreeMap<VarId, BTreeSet<usize>> {
    let mut setters: BTreeMap<VarId, BTreeSet<usize>> = BTreeMap::new();
    for (id, function) in program.functions.iter_enumerated() {
        for edge in &function.cfa.edges {
            if let Some(var) = edge.action.defined_var()
                && program.vars[var].scope == Scope::Global
            {
                setters.entry(var).or_default().insert(id.index());
            }
        }
    }
    setters
}

/// The functions whose address some edge or first value may use. (An expression that nobody uses may be counted, too.)
pub(crate) fn address_taken(program: &Program) -> Vec<usize> {
    let mut taken = vec![false; program.functions.len()];
    let mut todo: Vec<ExprId> = Vec::new();
    for function in &program.functions {
        for edge in &function.cfa.edges {
            match &edge.action {
                Action::Call { callee, args, .. } => {
                    todo.extend(args.iter());
                    if let (None, Callee::Pointer(pointer)) = (named(program, *callee), callee) {
                        todo.push(*pointer);
                    }
                }
                action => action.for_each_expr(|expr| todo.push(expr)),
            }
        }
    }
    todo.extend(program.vars.iter().filter_map(|var| var.init));
    for init in program.objects.iter().flat_map(|object| &object.init) {
        if let Init::Scalar { value, .. } = init {
            todo.push(*value);
        }
    }
    let mut seen = vec![false; program.exprs.len()];
    while let Some(expr) = todo.pop() {
        if std::mem::replace(&mut seen[expr.index()], true) {
            continue;
        }
        if let ExprKind::FuncAddr(function) = program.exprs[expr].kind {
            taken[function.index()] = true;
        }
        todo.extend(program.exprs.children(expr));
    }
    (0..taken.len())
        .filter(|&function| taken[function])
        .collect()
}

/// Whether an automaton has a cycle: whether something is left when all locations are taken out that lead nowhere any more.
fn has_loop(function: &Function) -> bool {
    let cfa = &function.cfa;
    let mut forward: Vec<Vec<usize>> = vec![Vec::new(); cfa.locations.len()];
    let mut backward = forward.clone();
    for edge in &cfa.edges {
        forward[edge.source.index()].push(edge.target.index());
        backward[edge.target.index()].push(edge.source.index());
    }
    let mut left = vec![true; forward.len()];
    peel(&forward, &backward, &mut left);
    left.contains(&true)
}

/// Which functions can reach themselves.
fn recursive(callees: &[Vec<usize>]) -> Vec<bool> {
    // Functions that call nothing but what is known not to be recursive are not: peel them off until nothing is left but cycles and what
    // leads to them, then the same from the other side.
    let count = callees.len();
    let mut callers: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (caller, list) in callees.iter().enumerate() {
        list.iter().for_each(|&callee| callers[callee].push(caller));
    }
    let mut left = vec![true; count];
    peel(callees, &callers, &mut left);
    peel(&callers, callees, &mut left);
    // Between two cycles there may be functions on none.
    (0..count)
        .map(|function| left[function] && reaches_itself(callees, &left, function))
        .collect()
}

/// Takes out, again and again, what has no way forward any more.
fn peel(forward: &[Vec<usize>], backward: &[Vec<usize>], left: &mut [bool]) {
    let mut ways: Vec<usize> = forward
        .iter()
        .map(|list| list.iter().filter(|&&next| left[next]).count())
        .collect();
    let mut todo: Vec<usize> = (0..left.len())
        .filter(|&function| left[function] && ways[function] == 0)
        .collect();
    while let Some(function) = todo.pop() {
        left[function] = false;
        for &before in &backward[function] {
            ways[before] -= 1;
            if left[before] && ways[before] == 0 {
                todo.push(before);
            }
        }
    }
}

fn reaches_itself(callees: &[Vec<usize>], left: &[bool], start: usize) -> bool {
    let mut seen = vec![false; callees.len()];
    let mut todo = vec![start];
    while let Some(function) = todo.pop() {
        for &next in &callees[function] {
            if next == start {
                return true;
            }
            if left[next] && !std::mem::replace(&mut seen[next], true) {
                todo.push(next);
            }
        }
    }
    false
}
