//! The checker.

use std::sync::OnceLock;

use rhumb_logic::{Budget, Symbol};
use rhumb_program::passes::scalars::Plan;
use rhumb_program::{IndexVec, Program, Promises, VarId, alone};

use super::argument::{Argument, Invariants, Proof};
use super::bounds::with_bounds;
use super::contracts::{self, Contracts, Rules};
use super::execution::{self, Runs};
use super::explicit::Ground;
use super::formula::{Vocabulary, validated};
use super::generate::Conditions;
use super::parts;
use super::reject::{Invalid, Obligation, Rejected};
use super::shapes;
use super::smtlib::Exporter;
use super::solve::{Judge, Solver};
use super::subject::Subject;
use super::tabulate::Procedures;
use super::unroll;

/// What was done to accept a proof.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Accepted {
    /// Obligations that were shown.
    pub obligations: usize,
    /// Questions to the solver.
    pub queries: u64,
}

/// Checks a proof that the program, as the front end lowered it, reaches none of its targets, and nothing that is unsupported.
pub fn check(program: &Program, proof: &Proof, budget: &Budget) -> Result<Accepted, Rejected> {
    Checker::new(program).check(proof, budget)
}

/// Checks proofs about one program. What they are about is made once for all of them, when the first needs it, and from
/// the program as lowered.
pub struct Checker<'p> {
    program: &'p Program,
    subject: OnceLock<Subject<'p>>,
    /// The same with the elements that proofs follow.
    followed: OnceLock<(Plan, Subject<'p>)>,
}

impl<'p> Checker<'p> {
    /// For proofs about this program.
    pub fn new(program: &'p Program) -> Checker<'p> {
        Checker {
            program,
            subject: OnceLock::new(),
            followed: OnceLock::new(),
        }
    }

    /// Whether it checks proofs about this very program.
    pub(crate) fn is_for(&self, program: &Program) -> bool {
        std::ptr::eq(self.program, program)
    }

    /// What proofs are about that follow these elements.
    pub(super) fn with_subject<T>(&self, plan: &Plan, then: impl FnOnce(&Subject<'p>) -> T) -> T {
        if plan.is_empty() {
            return then(self.subject.get_or_init(|| Subject::new(self.program)));
        }
        let make = || Subject::with_ghosts(self.program, plan);
        let (known, subject) = self.followed.get_or_init(|| (plan.clone(), make()));
        match known == plan {
            true => then(subject),
            false => then(&make()),
        }
    }

    /// Only executions, and proofs about one thread among others, are about programs with threads.
    fn has_one_thread(&self) -> Result<(), Rejected> {
        match self.program.schedule() {
            None => Ok(()),
            Some(_) => Err(Rejected::Threads),
        }
    }

    /// As [`check`], for this program.
    pub fn check(&self, proof: &Proof, budget: &Budget) -> Result<Accepted, Rejected> {
        if let Argument::Execution { steps, crowd } = proof.argument {
            let runs = match crowd {
                true => Runs::crowded(self.program),
                false => Runs::new(self.program),
            };
            return execution::check(self.program, runs, steps, budget);
        }
        if let Argument::Parts(parts) = &proof.argument {
            return parts::check(self.program, parts, budget);
        }
        if let Argument::Alone(promises, inner) = &proof.argument {
            let thread = thread_of(self.program, promises)?;
            return Checker::new(&thread).check(inner, budget);
        }
        self.has_one_thread()?;
        if let Argument::Exploration(exploration) = &proof.argument {
            let obligations = Ground::new(self.program).check(exploration, budget)?;
            return Ok(Accepted {
                obligations,
                queries: 0,
            });
        }
        if let Argument::Together { steps } = proof.argument {
            let runs = Runs::together(self.program);
            return execution::check(self.program, runs, steps, budget);
        }
        if let Argument::Shapes { steps } = proof.argument {
            return shapes::check(self.program, steps, budget);
        }
        if let Argument::Bounds(inner) = &proof.argument {
            let program = bounds_of(self.program, inner)?;
            return Checker::new(&program).check(inner, budget);
        }
        if let Argument::Tabulation(following) = &proof.argument {
            return Procedures::new(self.program).check(following, budget);
        }
        self.with_subject(&proof.ghosts, |subject| {
            subject.is_right()?;
            let symbols = subject.symbols(proof)?;
            let mut solver = Solver::new(subject, &proof.terms, &symbols, budget);
            judged(subject, proof, &symbols, &mut solver)?;
            Ok(Accepted {
                obligations: solver.shown,
                queries: solver.queries(),
            })
        })
    }
}

/// The obligations of a proof as scripts in SMT-LIB, each of which a solver has to find unsatisfiable. Proofs by
/// exploration, tabulation and execution have none.
pub fn obligations_smtlib(
    program: &Program,
    proof: &Proof,
) -> Result<Vec<(Obligation, String)>, Rejected> {
    if let Argument::Bounds(inner) = &proof.argument {
        return obligations_smtlib(&bounds_of(program, inner)?, inner);
    }
    if let Argument::Alone(promises, inner) = &proof.argument {
        return obligations_smtlib(&thread_of(program, promises)?, inner);
    }
    if let Argument::Parts(parts) = &proof.argument {
        let mut all = Vec::new();
        for part in parts {
            all.extend(obligations_smtlib(
                &parts::asked(program, part)?,
                &part.proof,
            )?);
        }
        return Ok(all);
    }
    let subject = Subject::with_ghosts(program, &proof.ghosts);
    subject.is_right()?;
    let symbols = subject.symbols(proof)?;
    let mut exporter = Exporter::new(&subject, &proof.terms);
    judged(&subject, proof, &symbols, &mut exporter)?;
    Ok(exporter.scripts)
}

/// One thread of a program with threads, among others that keep promises.
fn thread_of(program: &Program, promises: &Promises) -> Result<Program, Rejected> {
    let thread = alone(program, promises);
    thread.map_err(|unfit| Invalid::NoThread(unfit.0).into())
}

/// The program in which bounds are numbers, for a proof about it. Such a program has no bounds of its own, and those
/// who follow its runs would follow those of the given one anyway.
fn bounds_of(program: &Program, inner: &Proof) -> Result<Program, Rejected> {
    match inner.argument {
        Argument::Invariants(_) | Argument::Unrolling { .. } | Argument::Exploration(_) => {
            with_bounds(program).ok_or_else(|| Invalid::NoBounds.into())
        }
        _ => Err(Invalid::NoBounds.into()),
    }
}

/// Puts all obligations before a judge.
fn judged(
    subject: &Subject<'_>,
    proof: &Proof,
    symbols: &IndexVec<VarId, Symbol>,
    judge: &mut dyn Judge,
) -> Result<(), Rejected> {
    match &proof.argument {
        Argument::Invariants(invariants) => {
            judged_invariants(subject, proof, invariants, symbols, judge)
        }
        Argument::Contracts(contracts) => {
            judged_contracts(subject, proof, contracts, symbols, judge)
        }
        Argument::Unrolling { depth } => {
            unroll::check(*depth, subject, &proof.terms, symbols, judge)
        }
        // No solver is asked.
        Argument::Exploration(_)
        | Argument::Tabulation(_)
        | Argument::Execution { .. }
        | Argument::Together { .. }
        | Argument::Shapes { .. }
        | Argument::Bounds(_)
        | Argument::Alone(..)
        | Argument::Parts(_) => Ok(()),
    }
}

fn judged_invariants(
    subject: &Subject<'_>,
    proof: &Proof,
    invariants: &Invariants,
    symbols: &IndexVec<VarId, Symbol>,
    judge: &mut dyn Judge,
) -> Result<(), Rejected> {
    let vocabulary = Vocabulary::new(symbols);
    let invariants = validated(proof, invariants, &vocabulary.knows())?;
    let conditions = Conditions::new(
        subject.start(),
        &proof.terms,
        symbols,
        &vocabulary,
        &invariants,
        None,
    )?;
    judged_body(&conditions, judge)
}

/// The start function, and each function that has a contract, once.
fn judged_contracts(
    subject: &Subject<'_>,
    proof: &Proof,
    contracts: &Contracts,
    symbols: &IndexVec<VarId, Symbol>,
    judge: &mut dyn Judge,
) -> Result<(), Rejected> {
    // What is followed of objects is followed in the start function alone.
    if !proof.ghosts.is_empty() || !proof.ghosts.indices.is_empty() {
        return Err(Invalid::GhostsInContracts.into());
    }
    let entry = contracts::entry_symbols(subject, proof, contracts)?;
    let vocabulary = Vocabulary::new(symbols).with_entry(entry);
    let invariants = contracts::validated_points(subject, proof, contracts, &vocabulary)?;
    let rules = Rules::new(subject, proof, contracts, symbols, &vocabulary)?;
    for function in [subject.program.start].into_iter().chain(rules.functions()) {
        let conditions = Conditions::new(
            subject.body(function),
            &proof.terms,
            symbols,
            &vocabulary,
            &invariants,
            Some(&rules),
        )?;
        judged_body(&conditions, judge)?;
    }
    Ok(())
}

fn judged_body(conditions: &Conditions<'_>, judge: &mut dyn Judge) -> Result<(), Rejected> {
    if let Some((batch, ranges)) = conditions.start() {
        judge.bound(&ranges);
        judge.show(&batch)?;
    }
    for point in conditions.points() {
        if let Some((batch, ranges)) = conditions.region(point)? {
            judge.bound(&ranges);
            judge.show(&batch)?;
        }
    }
    Ok(())
}
