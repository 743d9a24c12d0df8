//! The states that a program can be in, as a proof.

use std::collections::BTreeMap;
use std::sync::Arc;

use rhumb_certify::proof::{Formula, Point, Proof, Variable};
use rhumb_difftest::rng::Rng;
use rhumb_logic::{Sort, Symbol, Term, Terms};
use rhumb_program::passes::{EdgeRef, LocRef};
use rhumb_program::{Action, Callee, LocKind, Program, VarId};

use crate::explore::Snapshot;

/// The values of the variables that matter at a point: an interval each.
type Values = Vec<(Variable, (i128, i128))>;

/// The reachable states, by point.
pub(super) struct Reachable {
    at: BTreeMap<Point, Vec<Values>>,
}

/// A single state at a point: the value of each variable that matters there.
pub(super) struct Single {
    point: Point,
    values: Vec<(Variable, i128)>,
}

impl Reachable {
    /// The states at the heads of loops, or wherever ways meet.
    pub(super) fn of(program: &Program, snapshots: &[Snapshot], everywhere: bool) -> Reachable {
        // A point that no run comes to has no states, and a proof has to know it.
        let points = points(program, everywhere).into_iter();
        let mut at: BTreeMap<Point, Vec<Values>> =
            points.map(|point| (point, Vec::new())).collect();
        for snapshot in snapshots {
            let point = Point {
                calls: snapshot.calls.clone().into(),
                location: snapshot.location,
            };
            let Some(states) = at.get_mut(&point) else {
                continue;
            };
            let values = snapshot.values.iter();
            let values = values
                .map(|&(depth, var, bounds)| (variable(snapshot, depth, program, var), bounds));
            states.push(values.collect());
        }
        Reachable { at }
    }

    /// The proof that says: these states and no others.
    pub(super) fn proof(&self, program: &Program, without: Option<&Single>) -> Proof {
        let terms = Arc::new(Terms::new());
        let mut proof = Proof::invariants(terms.clone());
        let mut symbols: BTreeMap<Variable, Symbol> = BTreeMap::new();
        for (point, states) in &self.at {
            let mut value = |variable: &Variable| {
                let symbol = *symbols.entry(variable.clone()).or_insert_with(|| {
                    let var = variable.var.variable();
                    let name = var.map_or("", |var| &*program.vars[var].decl.name);
                    let symbol = terms.symbol(name, Sort::Int);
                    proof.variables.insert(symbol, variable.clone());
                    symbol
                });
                terms.var(symbol)
            };
            let state = states.iter().map(|values| {
                let parts = values.iter().map(|(variable, (low, high))| {
                    let value = value(variable);
                    terms.and([
                        terms.le(terms.int(*low), value),
                        terms.le(value, terms.int(*high)),
                    ])
                });
                terms.and(parts.collect::<Vec<Term>>())
            });
            let mut formula = terms.or(state.collect::<Vec<Term>>());
            if let Some(single) = without.filter(|single| single.point == *point) {
                let parts = single.values.iter();
                let parts =
                    parts.map(|(variable, number)| terms.eq(value(variable), terms.int(*number)));
                let single = terms.and(parts.collect::<Vec<Term>>());
                formula = terms.and([formula, terms.not(single)]);
            }
            proof.add(point.clone(), Formula::plain(formula));
        }
        proof
    }

    /// The proof without one of the states, if there are any.
    pub(super) fn without_one(&self, program: &Program, rng: &mut Rng) -> Option<Proof> {
        let points: Vec<(&Point, &Vec<Values>)> = self
            .at
            .iter()
            .filter(|(_, states)| !states.is_empty())
            .collect();
        if points.is_empty() {
            return None;
        }
        let (point, states) = *rng.pick(&points);
        let values = rng.pick(states).iter();
        let values =
            values.map(|(variable, (low, high))| (variable.clone(), rng.between(*low, *high)));
        let single = Single {
            point: point.clone(),
            values: values.collect(),
        };
        Some(self.proof(program, Some(&single)))
    }
}

/// The heads of loops, or all places where ways meet, in every activation of a program without recursion.
fn points(program: &Program, everywhere: bool) -> Vec<Point> {
    let mut points = Vec::new();
    let mut activations = vec![(Vec::new(), program.start)];
    while let Some((calls, function)) = activations.pop() {
        let cfa = &program.functions[function].cfa;
        let (loops, incoming) = (cfa.loops(), cfa.incoming());
        let wanted = cfa.locations.iter_enumerated().filter(|(at, location)| {
            let meet = everywhere && incoming[*at].len() > 1;
            location.kind == LocKind::Plain && (meet || loops.is_head(*at))
        });
        points.extend(wanted.map(|(location, _)| Point {
            calls: calls.clone().into(),
            location: LocRef { function, location },
        }));
        for (edge, step) in cfa.edges.iter_enumerated() {
            if let Action::Call {
                callee: Callee::Function(callee),
                ..
            } = step.action
            {
                let mut inner = calls.clone();
                inner.push(EdgeRef { function, edge });
                activations.push((inner, callee));
            }
        }
    }
    points
}

/// The name of a variable of the activation at a depth.
fn variable(snapshot: &Snapshot, depth: usize, program: &Program, var: VarId) -> Variable {
    let depth = match program.vars[var].scope {
        rhumb_program::Scope::Global => 0,
        rhumb_program::Scope::Local(_) => depth,
    };
    Variable {
        calls: snapshot.calls[..depth].into(),
        var: rhumb_program::passes::VarOrigin::Variable(var),
    }
}
