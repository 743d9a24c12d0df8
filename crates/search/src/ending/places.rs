//! What has to be measured, and what the program compares there.

use rhumb_program::graph::CallGraph;
use rhumb_program::{
    Access, Action, BinOp, Callee, Cfa, EdgeId, ExprId, ExprKind, FuncId, LocId, MeasuredPlace,
    Program, Scope, Term, Type, UnOp, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::linear::Linear;

/// Candidates of a place.
const MOST: usize = 160;
/// Numbers beyond this are large.
const LARGE: i128 = 1 << 24;
/// Variables of a place that are combined with one another.
const COMBINED: usize = 8;

/// A loop, or a function that calls itself.
pub(super) struct Place {
    pub(super) function: FuncId,
    pub(super) place: MeasuredPlace,
    /// Sums that may fall.
    pub(super) sums: Vec<Linear>,
    /// So many of them, the first ones, can only fall by what the text says.
    pub(super) likely: usize,
}

/// All of them.
pub(super) struct Places {
    pub(super) all: Vec<Place>,
}

impl Places {
    pub(super) fn of(program: &Program) -> Places {
        let calls = CallGraph::of(program);
        let called = calls.reachable(program.start);
        let mut all = Vec::new();
        for (function, body) in program.functions.iter_enumerated() {
            if !called[function] {
                continue;
            }
            let nest = body.cfa.loops();
            for (number, &head) in nest.heads().iter().enumerate() {
                let inside = body.cfa.edges.iter_enumerated();
                let inside: Vec<EdgeId> = inside
                    .filter(|(_, edge)| nest.is_in(edge.source, head))
                    .map(|(id, _)| id)
                    .collect();
                let live = |var: Option<VarId>| {
                    var.is_none_or(|var| is_live(program, &body.cfa, head, var))
                };
                let (sums, likely) = sums(program, &body.cfa, &inside, &live);
                all.push(Place {
                    function,
                    place: MeasuredPlace::Loop(number),
                    sums,
                    likely,
                });
            }
            if calls.is_recursive(function) {
                let every: Vec<EdgeId> = body.cfa.edges.indices().collect();
                let known = |var: Option<VarId>| {
                    var.is_none_or(|var| {
                        body.params.contains(&var) || program.vars[var].scope == Scope::Global
                    })
                };
                let (sums, likely) = sums(program, &body.cfa, &every, &known);
                all.push(Place {
                    function,
                    place: MeasuredPlace::Entry,
                    sums,
                    likely,
                });
            }
        }
        Places { all }
    }
}

/// Sums that may fall: differences of what is compared, variables that change, and of both, combinations; first, so many,
/// those that can only fall.
fn sums(
    program: &Program,
    cfa: &Cfa,
    edges: &[EdgeId],
    is_known: &dyn Fn(Option<VarId>) -> bool,
) -> (Vec<Linear>, usize) {
    let mut found = Found {
        program,
        all: Vec::new(),
        seen: FxHashSet::default(),
        is_known,
    };
    let mut compared: Vec<Linear> = Vec::new();
    for &edge in edges {
        if let Action::Assume { cond, holds: true } = cfa.edges[edge].action {
            differences(program, cond, &mut compared);
        }
    }
    let mut compared: Vec<Linear> = (compared.iter())
        .map(|sum| without_temporaries(program, cfa, edges, sum))
        .collect();
    // Numbers that are large come from checks, not from what counts.
    compared.sort_by_key(|sum| sum.constant.abs() > LARGE);
    for sum in &compared {
        found.both(sum);
    }
    // What changes, by one sign or the other, and together with what is compared.
    let is_integer = |var: VarId| matches!(program.vars[var].ty, Type::Int(int) if int.width <= 64);
    let mut pointers: Vec<VarId> = Vec::new();
    let mut terms: Vec<Term> = compared
        .iter()
        .flat_map(|sum| sum.parts.keys().copied())
        .collect();
    for &edge in edges {
        match &cfa.edges[edge].action {
            Action::Store { ptr, access, .. } => terms.extend(in_memory(program, *ptr, *access)),
            Action::Call {
                args,
                callee: Callee::Function(_),
                ..
            } => {
                let sums = args
                    .iter()
                    .filter_map(|&arg| Linear::of(&program.exprs, arg));
                terms.extend(sums.flat_map(|sum| sum.parts.into_keys()));
            }
            other => {
                let var = other.defined_var();
                terms.extend(var.filter(|&var| is_integer(var)).map(Term::Var));
                pointers.extend(var.filter(|&var| program.vars[var].ty == Type::Ptr));
            }
        }
    }
    // Pointers go up or down, by themselves.
    for var in pointers {
        found.both(&Linear::term(Term::Var(var)));
    }
    let mut seen = FxHashSet::default();
    terms.retain(|&term| is_known(pointer_of(term)) && seen.insert(term));
    for &term in &terms {
        found.both(&Linear::term(term));
    }
    terms.truncate(COMBINED);
    for (number, &a) in terms.iter().enumerate() {
        for &b in &terms[number + 1..] {
            found.both(&Linear::term(a).plus(&Linear::term(b).times(-1)));
            found.both(&Linear::term(a).plus(&Linear::term(b)));
        }
    }
    for (number, a) in compared.iter().enumerate() {
        for b in &compared[number + 1..] {
            found.both(&a.plus(b));
            found.both(&a.plus(&b.times(-1)));
        }
    }
    let steps = Steps::of(program, cfa, edges);
    let all = found.all.into_iter();
    let (mut sums, others): (Vec<Linear>, Vec<Linear>) =
        all.partition(|sum| steps.may_only_fall(sum));
    let likely = sums.len();
    sums.extend(others);
    (sums, likely)
}

/// By what each variable changes in one step, if that is always known.
struct Steps {
    of: FxHashMap<VarId, Option<(i128, i128)>>,
}

impl Steps {
    fn of(program: &Program, cfa: &Cfa, edges: &[EdgeId]) -> Steps {
        let mut of = FxHashMap::default();
        for &edge in edges {
            let action = &cfa.edges[edge].action;
            let Some(var) = action.defined_var() else {
                continue;
            };
            let step = match *action {
                Action::Assign { dst, value } => {
                    let value = Linear::of(&program.exprs, value)
                        .map(|value| without_temporaries(program, cfa, edges, &value));
                    let step =
                        value.map(|value| value.plus(&Linear::term(Term::Var(dst)).times(-1)));
                    step.filter(|step| step.parts.is_empty())
                        .map(|step| step.constant)
                }
                _ => None,
            };
            let known = of.entry(var).or_insert(Some((0, 0)));
            *known = known
                .zip(step)
                .map(|((low, high), step)| (step.min(low), step.max(high)));
        }
        Steps { of }
    }

    /// Whether a sum changes, by numbers that are known, and never grows.
    fn may_only_fall(&self, sum: &Linear) -> bool {
        let steps = sum.parts.iter().map(|(term, &factor)| match term {
            Term::Var(var) => {
                let (low, high) = self.of.get(var).copied().unwrap_or(Some((0, 0)))?;
                let (a, b) = (low.checked_mul(factor)?, high.checked_mul(factor)?);
                Some((a.min(b), a.max(b)))
            }
            Term::At(..) | Term::In(..) => None,
        });
        let all: Option<Vec<(i128, i128)>> = steps.collect();
        all.is_some_and(|all| {
            all.iter().all(|&(_, high)| high <= 0) && all.iter().any(|&(low, _)| low < 0)
        })
    }
}

struct Found<'a> {
    program: &'a Program,
    all: Vec<Linear>,
    seen: FxHashSet<Linear>,
    is_known: &'a dyn Fn(Option<VarId>) -> bool,
}

impl Found<'_> {
    fn both(&mut self, sum: &Linear) {
        for sum in [sum.clone(), sum.times(-1)] {
            let is_pointer = |term: &Term| match *term {
                Term::Var(var) => self.program.vars[var].ty == Type::Ptr,
                Term::At(..) | Term::In(..) => false,
            };
            // Addresses go up or down by themselves; nobody adds them.
            let is_measure = match sum.parts.keys().any(is_pointer) {
                true => sum.parts.len() == 1 && sum.parts.values().all(|factor| factor.abs() == 1),
                false => !sum.parts.is_empty(),
            };
            let is_known =
                is_measure && (sum.parts.keys()).all(|&term| (self.is_known)(pointer_of(term)));
            if is_known && self.all.len() < MOST && self.seen.insert(sum.clone()) {
                self.all.push(sum);
            }
        }
    }
}

/// Differences of the sides of all comparisons in a condition.
fn differences(program: &Program, cond: ExprId, all: &mut Vec<Linear>) {
    let exprs = &program.exprs;
    match exprs[cond].kind {
        ExprKind::Binary(BinOp::Lt | BinOp::Le | BinOp::Eq | BinOp::Ne, lhs, rhs) => {
            if let (Some(lhs), Some(rhs)) = (Linear::of(exprs, lhs), Linear::of(exprs, rhs)) {
                let difference = rhs.plus(&lhs.times(-1));
                if !all.contains(&difference) {
                    all.push(difference);
                }
            }
        }
        ExprKind::Binary(BinOp::And | BinOp::Or, lhs, rhs) => {
            differences(program, lhs, all);
            differences(program, rhs, all);
        }
        ExprKind::Unary(UnOp::Not, arg) => differences(program, arg, all),
        _ => {}
    }
}

/// A sum in which variables that are set once in a loop, to a sum or from memory, are replaced by that.
fn without_temporaries(program: &Program, cfa: &Cfa, edges: &[EdgeId], sum: &Linear) -> Linear {
    let mut sum = sum.clone();
    for term in sum.parts.keys().copied().collect::<Vec<_>>() {
        let Term::Var(var) = term else {
            continue;
        };
        if !program.vars[var].decl.name.is_empty() {
            continue;
        }
        let mut set = edges
            .iter()
            .filter_map(|&edge| match cfa.edges[edge].action {
                Action::Assign { dst, value } if dst == var => {
                    Some(Linear::of(&program.exprs, value))
                }
                Action::Load { dst, ptr, access } if dst == var => {
                    Some(in_memory(program, ptr, access).map(Linear::term))
                }
                _ if cfa.edges[edge].action.defined_var() == Some(var) => Some(None),
                _ => None,
            });
        if let (Some(Some(value)), None) = (set.next(), set.next()) {
            sum = sum.with(term, &value);
        }
    }
    sum
}

/// What is accessed, if that is an integer where a variable points to, or at the beginning of an object.
fn in_memory(program: &Program, ptr: ExprId, access: Access) -> Option<Term> {
    let Type::Int(int) = access.ty else {
        return None;
    };
    if access.bits.is_some() || int.width > 64 {
        return None;
    }
    match program.exprs[ptr].kind {
        ExprKind::Var(var) => Some(Term::At(var, int)),
        ExprKind::AddrOf(object) => Some(Term::In(object, int)),
        _ => None,
    }
}

/// The variable that one has to know for a term.
fn pointer_of(term: Term) -> Option<VarId> {
    match term {
        Term::Var(var) | Term::At(var, _) => Some(var),
        Term::In(..) => None,
    }
}

/// Whether a variable may be read behind a location before it is set.
fn is_live(program: &Program, cfa: &Cfa, at: LocId, var: VarId) -> bool {
    if program.vars[var].scope == Scope::Global {
        return true;
    }
    rhumb_encode::Liveness::of(program, cfa, |location| location == at).is_live(at, var)
}
