//! Proofs by contracts: each body of a function that is called, and not copied, is checked once. What it requires is a premise where it
//! begins; a call asserts what the callee requires, forgets whatever may be set in it, and goes on with what it ensures; what it ensures
//! itself is shown where it returns.
//!
//! By induction on the steps of a run: where an activation began with what its function requires, formulas of its points hold, nothing bad
//! is reached in it, and what it calls begins with what that requires. The start requires nothing.

use rhumb_program::{FuncId, Program, Scope, VarId};
use rustc_hash::FxHashSet;

use crate::certificate::{
    BadCertificate, Certificate, Contracts, Formula, Meaning, Name, Part, Point,
};
use crate::check::Opinion;
use crate::decide::OpinionLimits;
use crate::invariants::Proof;
use crate::solver::Solver;
use crate::unfold::{CallRef, Root, Trouble, Unfolded};
use crate::walk::{Names, Rules};

/// Checks all bodies.
pub(crate) fn check(
    program: &Program,
    certificate: &Certificate,
    contracts: &Contracts,
    solver: &Solver,
    limits: &OpinionLimits<'_>,
) -> Result<Opinion, BadCertificate> {
    let start = program.start;
    let with: FxHashSet<FuncId> = contracts.functions.keys().copied().collect();
    let is_there = |function: &FuncId| function.index() < program.functions.len();
    if !with.iter().all(is_there) || with.contains(&start) {
        let what = "a contract is of no function that is called".to_owned();
        return Err(BadCertificate::Program(what));
    }
    let mut contracted = contracts.functions.iter();
    if !contracted
        .all(|(&function, _)| speaks_for_itself(program, certificate, contracts, function))
    {
        let what = "a contract names what is no business of a caller".to_owned();
        return Err(BadCertificate::Program(what));
    }
    // What a list leaves out would have to be shown where functions return, and is known where they are called.
    if contracts.functions.values().any(|it| it.has_list) {
        let why = "a contract lists what is modified".to_owned();
        return Ok(Opinion::Undecided(why));
    }
    let mut roots = vec![start];
    roots.extend(contracts.functions.keys());
    for function in roots {
        let root = Root {
            function,
            contracts: &with,
        };
        if let Err(opinion) = check_body(program, certificate, contracts, &root, solver, limits)? {
            return Ok(opinion);
        }
    }
    Ok(Opinion::Valid)
}

/// Whether what a function requires is about globals and its parameters, and what it ensures about globals, values at its entry and its
/// result: nothing that means something else to a caller.
fn speaks_for_itself(
    program: &Program,
    certificate: &Certificate,
    contracts: &Contracts,
    function: FuncId,
) -> bool {
    let Some(contract) = contracts.functions.get(&function) else {
        return false;
    };
    let callee = &program.functions[function];
    let variable = |name: Name| match &certificate.meanings[name] {
        Meaning::Variable(calls, var) if calls.is_empty() => Some(*var),
        Meaning::Variable(..) | Meaning::Cell(_) | Meaning::Ghost(_) | Meaning::Bound(_) => None,
    };
    let is_global = |var: VarId| {
        let declared = program.vars.get(var);
        declared.is_some_and(|declared| declared.scope == Scope::Global)
    };
    let is_given = |var: VarId| is_global(var) || callee.params.contains(&var);
    let is_entry = |name: Name| {
        let mut entry = contracts.entry.iter();
        entry.any(|&(known, var)| known == name && is_given(var))
    };
    let names = |formula: &Formula| {
        let parts = formula.matrix.parts.iter();
        let names = parts.filter_map(|(part, _)| match part {
            Part::Name(name) => Some(*name),
            _ => None,
        });
        names.collect::<Vec<Name>>()
    };
    let mut requires = contract.requires.iter().flat_map(names);
    let mut ensures = contract.ensures.iter().flat_map(names);
    requires.all(|name| variable(name).is_some_and(is_given))
        && ensures.all(|name| {
            let is_result = contract.result == Some(name) && callee.result.is_some();
            is_result || is_entry(name) || variable(name).is_some_and(is_global)
        })
}

fn check_body(
    program: &Program,
    certificate: &Certificate,
    contracts: &Contracts,
    root: &Root<'_>,
    solver: &Solver,
    limits: &OpinionLimits<'_>,
) -> Result<Result<(), Opinion>, BadCertificate> {
    let undecided = |why: &str| Ok(Err(Opinion::Undecided(why.to_owned())));
    let cfa = &program.functions[root.function].cfa;
    // Values at the entry are known where it is entered, and not where a loop comes back to it.
    if root.function != program.start && cfa.edges.iter().any(|edge| edge.target == cfa.entry) {
        return undecided("a loop begins with its function");
    }
    let is_own = |point: &Point| match point.calls.first() {
        Some(call) => call.0 == root.function,
        None => point.location.0 == root.function,
    };
    let points = contracts.points.iter().filter(|(point, _)| is_own(point));
    let points: Vec<(Point, Vec<Formula>)> = points.cloned().collect();
    if root.function != program.start
        && points
            .iter()
            .any(|(point, _)| point.calls.is_empty() && point.location.1 == cfa.entry)
    {
        let what = "what holds at the entry of a function is what it requires".to_owned();
        return Err(BadCertificate::Program(what));
    }
    let hints = contracts.hints.iter();
    let hints = hints.filter(|hint| is_own(&hint.from) && is_own(&hint.to));
    let hints: Vec<_> = hints.cloned().collect();
    let mut mentioned: FxHashSet<Vec<CallRef>> = FxHashSet::default();
    let paths = points.iter().map(|(point, _)| &point.calls);
    let named = certificate
        .meanings
        .iter()
        .filter_map(|meaning| match meaning {
            Meaning::Variable(calls, _) => Some(calls),
            Meaning::Cell(_) | Meaning::Ghost(_) | Meaning::Bound(_) => None,
        });
    for path in paths.chain(named) {
        for length in 1..=path.len() {
            mentioned.insert(path[..length].to_vec());
        }
    }
    let unfolded = match Unfolded::from(program, &mentioned, root) {
        Ok(unfolded) => unfolded,
        Err(Trouble::TooLarge) => return undecided("the program is too large"),
        Err(Trouble::Malformed(_)) => {
            return undecided("the program breaks a rule of the model");
        }
    };
    let names = names(certificate, contracts, root.function, &unfolded);
    let params = parameters(program, certificate);
    let rules = Rules {
        names: &names,
        contracts: &contracts.functions,
        entry: &contracts.entry,
        params: &params,
    };
    let proof = Proof::new(&unfolded, &names, &points, &hints)?.with_rules(&rules);
    Ok(proof.check(solver, limits))
}

/// What names are in a body. Those of other bodies stand for anything.
fn names(
    certificate: &Certificate,
    contracts: &Contracts,
    root: FuncId,
    unfolded: &Unfolded<'_>,
) -> Names {
    let mut names = Names {
        vars: Vec::new(),
        sorts: Vec::new(),
    };
    for meaning in &certificate.meanings {
        let (var, sort) = match meaning {
            Meaning::Bound(sort) => (None, *sort),
            Meaning::Cell(_) | Meaning::Ghost(_) => (None, crate::certificate::Sort::Int),
            Meaning::Variable(calls, var) => (
                unfolded.named_var(calls, *var),
                crate::certificate::Sort::Int,
            ),
        };
        names.vars.push(var);
        names.sorts.push(sort);
    }
    if let Some(result) = contracts.functions.get(&root).and_then(|own| own.result) {
        names.vars[result] = unfolded.result();
    }
    names
}

/// The names of parameters.
fn parameters(program: &Program, certificate: &Certificate) -> Vec<(Name, VarId)> {
    let names = certificate.meanings.iter().enumerate();
    let parameter = |(name, meaning): (Name, &Meaning)| match meaning {
        Meaning::Variable(calls, var) if calls.is_empty() => match program.vars.get(*var)?.scope {
            Scope::Local(function) if program.functions[function].params.contains(var) => {
                Some((name, *var))
            }
            Scope::Local(_) | Scope::Global => None,
        },
        Meaning::Variable(..) | Meaning::Cell(_) | Meaning::Ghost(_) | Meaning::Bound(_) => None,
    };
    names.filter_map(parameter).collect()
}
