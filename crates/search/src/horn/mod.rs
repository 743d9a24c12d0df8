//! Horn clauses: the whole program, functions and all, as one question to Z3's engine for them.
//!
//! Right for programs whose functions call themselves and have linear contracts, and for loops with linear invariants.
//! What comes back is a guess at contracts and invariants, certified like every other. Where there is none, there may
//! be an error: all runs are followed to find it.

mod clauses;
mod eliminate;
mod first;

use std::sync::Arc;

use rhumb_certify::proof::{Argument, Contract, Contracts, Formula, Invariants, Proof, Variable};
use rhumb_encode::Prepared;
use rhumb_logic::session::horn::{Clauses, Manner, Solution, solve};
use rhumb_logic::{Budget, Term, Terms, Unknown, Work};

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::execute::Execute;
use crate::proof::loop_heads;
use crate::task::Task;
use clauses::{Encoding, Procedure};

pub(crate) use first::ContractsFirst;

/// The part of the work that the clauses may take: there has to be some for the proof to be checked, or for runs to be followed.
const SHARE: u32 = 2;

/// The ways to look for a solution take turns, each time with twice the work.
const TURNS: [Manner; 2] = [Manner::Plain, Manner::Guided];

/// What the first turns may take.
const FIRST_TURN: Work = Work::secs(1);

/// The engine `horn`.
pub(crate) struct Horn<'t> {
    task: &'t Task<'t>,
    phase: &'static str,
    stage: Stage<'t>,
}

enum Stage<'t> {
    /// The clauses are still to be asked about.
    Clauses,
    /// They were: all that is left is to follow runs.
    Runs(Box<Execute<'t>>, Reason),
}

impl<'t> Horn<'t> {
    /// An engine that has done nothing yet.
    pub(crate) fn new(task: &'t Task<'t>) -> Horn<'t> {
        Horn {
            task,
            phase: "clauses",
            stage: Stage::Clauses,
        }
    }

    /// A proof, if the clauses have a solution.
    pub(crate) fn guess(task: &Task<'_>, budget: &Budget) -> Result<Proof, Reason> {
        let program = &task.prepared.inlined;
        let encoding = Encoding::of(program, &task.terms);
        let mut obstacle = Reason::Stopped("in the clauses".to_owned());
        for (place, &manner) in TURNS.iter().cycle().enumerate() {
            if budget.is_spent() {
                break;
            }
            let share = FIRST_TURN * (1 << (place / TURNS.len()).min(10));
            let clauses = Clauses {
                manner,
                ..encoding.clauses.clone()
            };
            match solve(&task.terms, clauses, &budget.within(share)) {
                Solution::Relations(relations) => {
                    let draft = Draft {
                        prepared: &task.prepared,
                        terms: &task.terms,
                        encoding: &encoding,
                        relations,
                    };
                    let proof = draft.proof();
                    // Formulas about blocks and the checker's differ where something is approximated, so a solution need not be a proof.
                    return match task.checker.check(&proof, budget) {
                        Ok(_) => Ok(proof),
                        Err(_) => Err(Reason::Inconclusive),
                    };
                }
                Solution::None => return Err(Reason::Inconclusive),
                Solution::Unknown(why @ Unknown::Units) => obstacle = Reason::Solver(why),
                Solution::Unknown(why) => return Err(Reason::Solver(why)),
            }
        }
        Err(obstacle)
    }

    fn follow(&mut self, reason: Reason) {
        self.phase = "runs";
        self.stage = Stage::Runs(Box::new(Execute::new(self.task)), reason);
    }
}

impl Engine for Horn<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        match &mut self.stage {
            Stage::Clauses => match Horn::guess(self.task, &budget.part(SHARE)) {
                Ok(proof) => Step::Done(Claim::Safe(proof)),
                Err(reason) => {
                    self.follow(reason);
                    Step::Working
                }
            },
            Stage::Runs(runs, reason) => match runs.step(budget) {
                Step::Done(Claim::Unknown(_)) => Step::Done(Claim::Unknown(reason.clone())),
                step => step,
            },
        }
    }

    fn go_on(&mut self) -> bool {
        match &mut self.stage {
            Stage::Clauses => {
                self.follow(Reason::Inconclusive);
                true
            }
            Stage::Runs(runs, _) => runs.go_on(),
        }
    }

    fn progress(&self) -> Progress {
        match &self.stage {
            Stage::Clauses => Progress {
                summary: self.phase.to_owned(),
                figures: Vec::new(),
            },
            Stage::Runs(runs, _) => runs.progress(),
        }
    }
}

/// A solution on its way to a proof.
struct Draft<'d> {
    prepared: &'d Prepared,
    terms: &'d Arc<Terms>,
    encoding: &'d Encoding,
    relations: Vec<Option<Term>>,
}

impl Draft<'_> {
    fn proof(&self) -> Proof {
        let restore = &self.prepared.restore_inlined;
        let mut proof = Proof::invariants(self.terms.clone());
        for (&var, &symbol) in &self.encoding.symbols {
            proof.declare(symbol, Variable::of(restore, var));
        }
        let start = self.prepared.inlined.start;
        let mut contracts = Contracts::default();
        for procedure in &self.encoding.procedures {
            self.invariants(procedure, &mut contracts.invariants);
            if procedure.function == start {
                continue;
            }
            let pairs = procedure.old.iter().zip(&procedure.given);
            let entry = pairs.map(|(&old, &var)| (old, Variable::of(restore, var)));
            contracts.entry.extend(entry);
            let contract = Contract {
                requires: self.formulas(procedure.entered),
                ensures: self.formulas(procedure.summary),
                modifies: None,
                result: procedure.result,
            };
            contracts.functions.insert(procedure.function, contract);
        }
        proof.argument = match contracts.functions.is_empty() {
            true => Argument::Invariants(contracts.invariants),
            false => Argument::Contracts(contracts),
        };
        proof
    }

    /// What a relation says, part by part.
    fn formulas(&self, relation: usize) -> Vec<Term> {
        let terms = self.terms;
        let formula = self.relations[relation].unwrap_or(terms.bool(true));
        let parts = terms.conjuncts(formula).into_iter();
        parts
            .filter(|&part| terms.as_bool(part) != Some(true))
            .collect()
    }

    /// What holds at the heads of loops.
    fn invariants(&self, procedure: &Procedure, invariants: &mut Invariants) {
        let restore = &self.prepared.restore_inlined;
        for (node, point) in loop_heads(&procedure.graph, procedure.function, restore) {
            let formulas = self.formulas(procedure.at[node]);
            let formulas = formulas.into_iter().map(Formula::plain);
            invariants.at.insert(point, formulas.collect());
        }
    }
}
