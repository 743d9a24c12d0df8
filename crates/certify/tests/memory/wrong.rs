//! Results of the pass with one thing wrong.

use rhumb_program::passes::scalars::{Pointees, Scalars};
use rhumb_program::{Action, EdgeId, ExprKind, Program, Type, VarId};

/// All of them, each with a word for it.
pub(crate) fn all(given: &Program, right: &Scalars) -> Vec<(String, Scalars)> {
    let mut wrong = Vec::new();
    edges(given, right, &mut wrong);
    tables(right, &mut wrong);
    facts(given, right, &mut wrong);
    wrong
}

fn is_alive(right: &Scalars, var: VarId) -> bool {
    let mut objects = right.objects.values();
    objects.any(|object| object.alive == Some(var))
}

/// Another action on an edge that an object's use became.
fn edges(given: &Program, right: &Scalars, wrong: &mut Vec<(String, Scalars)>) {
    let start = right.passed.program.start;
    let program = &right.passed.program;
    for (id, edge) in program.functions[start].cfa.edges.iter_enumerated() {
        let mut change = |what: &str, action: Action| {
            let mut other = right.clone();
            other.passed.program.functions[start].cfa.edges[id].action = action;
            wrong.push((format!("{what} at {id:?}: {:?}", edge.action), other));
        };
        if let Action::Assign { dst, value } = edge.action {
            // An end of a lifetime that nobody notes only lets the new program go on for longer.
            let is_end = is_alive(right, dst) && program.exprs[value].kind == ExprKind::Const(0);
            if !is_end {
                change("nothing is done", Action::Skip);
            }
            let like = |var: &VarId| {
                *var != dst
                    && program.vars[*var].ty == program.vars[dst].ty
                    && !is_alive(right, *var)
            };
            if let Some(var) = program.vars.indices().rev().find(like) {
                change("another variable", Action::Assign { dst: var, value });
            }
            if let ExprKind::Var(read) = program.exprs[value].kind {
                let like =
                    |var: &VarId| *var != read && program.vars[*var].ty == program.vars[read].ty;
                if let Some(var) = program.vars.indices().rev().find(like) {
                    let mut other = right.clone();
                    let ty = program.vars[var].ty;
                    let value = other.passed.program.exprs.var(var, ty);
                    other.passed.program.functions[start].cfa.edges[id].action =
                        Action::Assign { dst, value };
                    wrong.push((format!("another value at {id:?}"), other));
                }
            }
        }
        if let Action::Assume { .. } = edge.action {
            swap(given, right, id, wrong);
        }
        if !matches!(edge.action, Action::Assume { .. } | Action::Skip) {
            let mut other = right.clone();
            other.passed.program.functions[start].cfa.edges[id].target =
                program.functions[start].cfa.entry;
            wrong.push((format!("{id:?} leads elsewhere"), other));
        }
    }
}

/// The two ways of a branch change places.
fn swap(given: &Program, right: &Scalars, id: EdgeId, wrong: &mut Vec<(String, Scalars)>) {
    let start = given.start;
    let cfa = &right.passed.program.functions[start].cfa;
    let source = cfa.edges[id].source;
    if let &[first, second] = cfa.outgoing(source)
        && first == id
        && cfa.edges[first].target != cfa.edges[second].target
    {
        let mut other = right.clone();
        let edges = &mut other.passed.program.functions[start].cfa.edges;
        let target = edges[first].target;
        edges[first].target = edges[second].target;
        edges[second].target = target;
        wrong.push((format!("{id:?} is turned round"), other));
    }
}

fn tables(right: &Scalars, wrong: &mut Vec<(String, Scalars)>) {
    for (&home, object) in &right.objects {
        let mut change = |what: &str, change: &dyn Fn(&mut Scalars)| {
            let mut other = right.clone();
            change(&mut other);
            wrong.push((format!("{what} of {:?}", object.home), other));
        };
        if let Some(neighbour) = right
            .objects
            .values()
            .find(|other| other.base != object.base)
        {
            change("the address of another", &|other| {
                if let Some(object) = other.objects.get_mut(&home) {
                    object.base = neighbour.base;
                }
            });
        }
        change("another size", &|other| {
            if let Some(object) = other.objects.get_mut(&home) {
                object.size += 1;
            }
        });
        if let Some((&offset, &cell)) = object.cells.iter().next() {
            change("no piece", &|other| {
                if let Some(object) = other.objects.get_mut(&home) {
                    object.cells.remove(&offset);
                }
            });
            change("an overlapping piece", &|other| {
                if let Some(object) = other.objects.get_mut(&home) {
                    object.cells.insert(offset + 1, cell);
                }
            });
            change("a shared variable", &|other| {
                if let Some(object) = other.objects.get_mut(&home) {
                    object.cells.insert(object.size, cell);
                    object.size += cell.ty.size(rhumb_program::DataModel::Lp64);
                }
            });
        }
        if !object.cells.is_empty() {
            change("forgotten", &|other| {
                other.objects.remove(&home);
            });
        }
    }
}

/// A variable that is said to point to nothing.
fn facts(given: &Program, right: &Scalars, wrong: &mut Vec<(String, Scalars)>) {
    let cfa = &given.functions[given.start].cfa;
    for var in right.pointees.indices() {
        let is_set = cfa
            .edges
            .iter()
            .any(|edge| edge.action.defined_var() == Some(var));
        let is_pointer = right.passed.program.vars[var].ty == Type::Ptr;
        if is_pointer && is_set && right.pointees[var] != Pointees::default() {
            let mut other = right.clone();
            other.pointees[var] = Pointees::default();
            wrong.push((format!("{var:?} points to nothing"), other));
        }
    }
}
