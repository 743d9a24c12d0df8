//! The check.

use rhumb_program::{Action, ExprId, Program, TargetId, Type};
use rustc_hash::FxHashSet;

use crate::certificate::{Argument, BadCertificate, Certificate, Elements, Meaning, Point};
use crate::decide::OpinionLimits;
use crate::single;
use crate::solver::Solver;
use crate::unfold::{CallRef, Trouble, Unfolded, UnfoldedPlace};
use crate::walk::Names;
use crate::{certificate, contracts, explore, invariants, memory, runs, tables, unroll};

/// What the check of a proof came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Opinion {
    /// The proof holds; or all runs were followed, which says the same of the program whatever is written in the proof.
    Valid,
    /// It doesn't, for this reason.
    Rejected(String),
    /// Not known, for this reason.
    Undecided(String),
}

/// Checks the proof in a certificate: that the program, as the front end lowered it, reaches none of its targets and nothing that is
/// unsupported.
///
/// # Errors
///
/// When the file is no proof.
pub fn check(
    program: &Program,
    certificate: &str,
    solver: &Solver,
    limits: &OpinionLimits<'_>,
) -> Result<Opinion, BadCertificate> {
    check_certificate(program, &Certificate::read(certificate)?, solver, limits)
}

fn check_certificate(
    program: &Program,
    certificate: &Certificate,
    solver: &Solver,
    limits: &OpinionLimits<'_>,
) -> Result<Opinion, BadCertificate> {
    let by_formulas = match &certificate.argument {
        Argument::Parts(parts) => return check_parts(program, parts, solver, limits),
        Argument::Execution => single::check(program),
        Argument::Tabulation(following) => tables::check(following, program, limits),
        _ => by_formulas(program, certificate, solver, limits)?,
    };
    let why = match by_formulas {
        Opinion::Valid => return Ok(Opinion::Valid),
        Opinion::Rejected(why) if is_said_by_formulas(program) => {
            return Ok(Opinion::Rejected(why));
        }
        // What is read may be known from what was written, and a float from what it is computed of.
        Opinion::Rejected(why) => {
            format!(
                "not all of memory and floats is followed in formulas here; as far as it is, {why}"
            )
        }
        Opinion::Undecided(why) => why,
    };
    // Functions with contracts call themselves, mostly as often as an input says: their runs have no end.
    if let Argument::Contracts(_) = certificate.argument {
        return Ok(Opinion::Undecided(why));
    }
    Ok(match runs::check(program, solver, limits) {
        Opinion::Undecided(other) => Opinion::Undecided(format!("{why}; and {other}")),
        opinion => opinion,
    })
}

/// Checks what the proof says of the program, as far as there are formulas and no memory in it.
fn by_formulas(
    program: &Program,
    certificate: &Certificate,
    solver: &Solver,
    limits: &OpinionLimits<'_>,
) -> Result<Opinion, BadCertificate> {
    let undecided = |why: &str| Ok(Opinion::Undecided(why.to_owned()));
    if program.schedule().is_some() {
        return undecided("the program has threads, which formulas here know nothing of");
    }
    let has_instances = |elements: &Elements| elements.has_instances;
    if certificate.ghosts.as_ref().is_some_and(has_instances) {
        return undecided("the proof follows one of many objects that a line allocates");
    }
    let has_cell = |meaning: &Meaning| matches!(meaning, Meaning::Cell(_) | Meaning::Ghost(_));
    let has_memory = certificate.ghosts.is_some() || certificate.meanings.iter().any(has_cell);
    if has_memory && !matches!(certificate.argument, Argument::Invariants { .. }) {
        return undecided("the proof speaks of parts of objects");
    }
    if (certificate.ghosts.iter()).any(|elements| elements.has_folds) {
        return undecided("the proof speaks of sums of elements, which are not followed here");
    }
    if let Argument::Contracts(contracts) = &certificate.argument {
        return contracts::check(program, certificate, contracts, solver, limits);
    }
    let mut unfolded = match Unfolded::of(program, &mentioned(certificate)) {
        Ok(unfolded) => unfolded,
        Err(Trouble::TooLarge) => {
            return undecided("the program is too large when its calls are taken apart");
        }
        Err(Trouble::Malformed(span)) => {
            let at = program.sources.position(span);
            let why = format!("the program breaks a rule of the model ({at})");
            return Ok(Opinion::Rejected(why));
        }
    };
    if has_memory {
        match memory::attach(&mut unfolded, certificate) {
            Some(memory) => unfolded.memory = memory,
            None => return undecided("the proof speaks of memory that is not followed here"),
        }
    }
    let opinion = match &certificate.argument {
        Argument::Contracts(_) => return undecided("contracts are checked body by body"),
        Argument::Bounds => return undecided("the proof is about bounds of objects"),
        Argument::Alone => return undecided("the proof is about one thread among others"),
        Argument::Parts(_) => return undecided("parts are checked one by one"),
        Argument::Tabulation(_) => return undecided("a proof by tabulation has no formulas"),
        Argument::Execution => return undecided("a proof by execution has no formulas"),
        Argument::Exploration(view) => explore::check(view, &unfolded, limits),
        Argument::Unrolling(depth) => unroll::check(*depth, &unfolded, solver, limits),
        Argument::Invariants { points, hints } => {
            let names = names(certificate, &unfolded)?;
            let proof = invariants::Proof::new(&unfolded, &names, points, hints)?;
            proof.check(solver, limits)
        }
    };
    Ok(opinion.err().unwrap_or(Opinion::Valid))
}

/// Each target has to be one of a part, and each part has to hold of the program that is asked for its targets alone.
fn check_parts(
    program: &Program,
    parts: &[(Vec<u32>, Certificate)],
    solver: &Solver,
    limits: &OpinionLimits<'_>,
) -> Result<Opinion, BadCertificate> {
    let is_named = |id: TargetId| parts.iter().any(|part| part.0.contains(&id.raw()));
    if parts.is_empty() || !program.targets.indices().all(is_named) {
        let why = "no part of the proof is about one of the targets".to_owned();
        return Ok(Opinion::Rejected(why));
    }
    let mut undecided = None;
    for (targets, part) in parts {
        let targets: Vec<TargetId> = targets.iter().copied().map(TargetId::from_raw).collect();
        if targets.iter().any(|id| id.index() >= program.targets.len()) {
            let why = "a part of the proof is about targets that there are not".to_owned();
            return Ok(Opinion::Rejected(why));
        }
        match check_certificate(&program.asking(&targets), part, solver, limits)? {
            Opinion::Valid => {}
            Opinion::Undecided(why) => undecided = Some(why),
            Opinion::Rejected(why) => return Ok(Opinion::Rejected(why)),
        }
    }
    Ok(undecided.map_or(Opinion::Valid, Opinion::Undecided))
}

/// Whether there is nothing in memory, no pointer to it, and no float.
fn is_said_by_formulas(program: &Program) -> bool {
    let mut edges = program.functions.iter().flat_map(|body| &body.cfa.edges);
    let mut exprs = (0..program.exprs.len()).map(ExprId::new);
    let is_other = |ty: Type| matches!(ty, Type::Ptr | Type::Float(_));
    !program.vars.iter().any(|var| is_other(var.ty))
        && !edges.any(|edge| matches!(edge.action, Action::Load { .. }))
        && !exprs.any(|expr| matches!(program.exprs.ty(expr), Type::Float(_)))
}

/// The lists of calls that a certificate names, with all of their beginnings.
fn mentioned(certificate: &Certificate) -> FxHashSet<Vec<CallRef>> {
    let mut mentioned = FxHashSet::default();
    let mut add = |calls: &[CallRef]| {
        for length in 1..=calls.len() {
            mentioned.insert(calls[..length].to_vec());
        }
    };
    for meaning in &certificate.meanings {
        if let Meaning::Variable(calls, _) = meaning {
            add(calls);
        }
    }
    match &certificate.argument {
        Argument::Invariants { points, .. } => {
            points.iter().for_each(|(point, _)| add(&point.calls));
        }
        Argument::Exploration(view) => {
            view.followed.iter().for_each(|(calls, _)| add(calls));
            view.unseen.iter().for_each(|point| add(&point.calls));
        }
        Argument::Unrolling(_)
        | Argument::Contracts(_)
        | Argument::Tabulation(_)
        | Argument::Bounds
        | Argument::Alone
        | Argument::Parts(_)
        | Argument::Execution => {}
    }
    mentioned
}

/// What the names of a certificate are in the program.
fn names(certificate: &Certificate, unfolded: &Unfolded<'_>) -> Result<Names, BadCertificate> {
    let mut names = Names {
        vars: Vec::new(),
        sorts: Vec::new(),
    };
    let mut seen = FxHashSet::default();
    for meaning in &certificate.meanings {
        let (var, sort) = match meaning {
            Meaning::Bound(sort) => (None, *sort),
            Meaning::Cell(_) | Meaning::Ghost(_) => {
                let var = unfolded.memory.named.get(&names.vars.len()).copied();
                (var, certificate::Sort::Int)
            }
            Meaning::Variable(calls, var) => {
                let found = unfolded.named_var(calls, *var);
                let missing = || BadCertificate::Program(format!("there is no variable {var:?}"));
                let found = found.ok_or_else(missing)?;
                if !seen.insert(found) {
                    let twice = format!("`{}` has two names", unfolded.var_name(found));
                    return Err(BadCertificate::Program(twice));
                }
                (Some(found), certificate::Sort::Int)
            }
        };
        names.vars.push(var);
        names.sorts.push(sort);
    }
    Ok(names)
}

/// The place that a point of a certificate is.
pub(crate) fn locate(
    unfolded: &Unfolded<'_>,
    point: &Point,
) -> Result<UnfoldedPlace, BadCertificate> {
    let missing = || {
        let (function, location) = point.location;
        let depth = point.calls.len();
        BadCertificate::Program(format!(
            "there is no location {location:?} of function {function:?}, {depth} calls deep"
        ))
    };
    unfolded
        .named_place(&point.calls, point.location)
        .ok_or_else(missing)
}
