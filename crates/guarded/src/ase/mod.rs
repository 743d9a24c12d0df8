//! Abstract analysis of symbolic executions: ASE (Albarghouthi, Gurfinkel, Wei, Chechik 2010), and the method that the
//! paper compares it with.
//!
//! Symbolic execution explores real runs only, so what it finds is an error ([`explore`]). It ends because a path is
//! left where its abstract state repeats. What was explored is then examined ([`analyse`]): are all transitions exact
//! in the part that runs stay in (*safe-fragment*), or are all abstract states together closed (*inductive-invariant*)?
//! If neither, comparisons from preimages become predicates, and all begins again; nothing that was explored is lost by
//! that (theorem 2).
//!
//! What the paper calls exact is not enough where a transition sets something to `nondet`: see [`analyse::Analyst::gaps`].

mod analyse;
mod atoms;
mod explore;
mod model;
mod predicates;
mod run;
mod symbolic;

use rhumb_logic::Budget;

pub use explore::Matching;

use crate::certify::{Closed, Edge, ObligationPlace, Proof, Start, Symbolic};
use crate::machine::Run;
use crate::syntax::{Formula, Program};
use analyse::Analyst;
use explore::{Explored, Outcome, explore};
use model::Model;
use predicates::Predicates;
use symbolic::{NoAnswer, Splitter};

/// What the engine says: still to be checked.
#[derive(Clone, Debug)]
pub enum Claim {
    /// The property holds in every reachable state.
    Safe(Proof, Check),
    /// This run violates it.
    Unsafe(Run),
    /// Neither is known.
    Unknown(String),
}

/// Which check has shown that what was explored is all that there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Check {
    /// Runs end, or come to where all transitions are exact.
    SafeFragment,
    /// No transition leaves the abstract states.
    InductiveInvariant,
    /// All transitions are exact.
    AllExact,
}

/// What it took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Figures {
    /// How often everything was explored.
    pub iterations: usize,
    /// Predicates in the end.
    pub predicates: usize,
    /// Questions about transitions.
    pub queries: u64,
    /// Questions that split states.
    pub splits: u64,
    /// Symbolic states of the last iteration.
    pub states: usize,
    /// Abstract states of the last iteration.
    pub abstract_states: usize,
}

impl Figures {
    fn count(&mut self, explored: &Explored) {
        self.states = explored.nodes.len();
        self.abstract_states = explored.abstracts.len();
    }
}

/// How the engine goes to work.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Settings {
    /// When a path is left.
    pub matching: Matching,
    /// Which of the checks are tried.
    pub checks: Checks,
}

/// Checks that may show safety.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Checks {
    /// Both of the paper.
    Both,
    /// One of them.
    Only(Check),
}

impl Settings {
    /// The paper's method.
    pub const ASE: Settings = Settings {
        matching: Matching::Path,
        checks: Checks::Both,
    };

    /// The paper's baseline: abstract states are left wherever they were seen, and all transitions have to be exact
    /// (Păsăreanu, Pelánek, Visser 2005).
    pub const UR: Settings = Settings {
        matching: Matching::Anywhere,
        checks: Checks::Only(Check::AllExact),
    };
}

/// Searches for a proof or an error.
pub fn search(program: &Program, settings: Settings, budget: &Budget) -> (Claim, Figures) {
    search_within(program, settings, usize::MAX, budget)
}

/// The same, with at most so many iterations.
pub fn search_within(
    program: &Program,
    settings: Settings,
    iterations: usize,
    budget: &Budget,
) -> (Claim, Figures) {
    let mut predicates = Predicates::of(program);
    let mut splitter = Splitter::new();
    let mut analyst = Analyst::new(program);
    let mut figures = Figures::default();
    let claim = loop {
        if figures.iterations == iterations {
            break Claim::Unknown("the iterations are used up".to_owned());
        }
        figures.iterations += 1;
        figures.predicates = predicates.len();
        let outcome = explore(
            program,
            &predicates,
            &mut splitter,
            settings.matching,
            budget,
        );
        figures.splits = splitter.queries;
        let explored = match outcome {
            Outcome::Explored(explored) => explored,
            Outcome::GaveUp(why) => break Claim::Unknown(why.to_owned()),
            Outcome::Error(path, explored) => {
                figures.count(&explored);
                break match run::along(program, &path, budget) {
                    Some(run) => Claim::Unsafe(run),
                    None => Claim::Unknown("an error without a run".to_owned()),
                };
            }
        };
        figures.count(&explored);
        let round = examine(
            program,
            &explored,
            &mut predicates,
            &mut analyst,
            settings.checks,
            budget,
        );
        figures.queries = analyst.queries;
        match round {
            Ok(Some((proof, check))) => break Claim::Safe(proof, check),
            Ok(None) if predicates.len() > figures.predicates => {}
            Ok(None) => break Claim::Unknown("no new predicates".to_owned()),
            Err(NoAnswer) if budget.is_over() => break Claim::Unknown("out of time".to_owned()),
            Err(NoAnswer) => {
                break Claim::Unknown("a question that the solver left open".to_owned());
            }
        }
    };
    (claim, figures)
}

/// A proof, if what was explored is all that there is; else there are new predicates, if any help.
fn examine(
    program: &Program,
    explored: &Explored,
    predicates: &mut Predicates,
    analyst: &mut Analyst<'_>,
    checks: Checks,
    budget: &Budget,
) -> Result<Option<(Proof, Check)>, NoAnswer> {
    let model = Model::of(explored);
    let is_wanted = |check: Check| match checks {
        Checks::Both => check != Check::AllExact,
        Checks::Only(only) => check == only,
    };
    let is_inside = |state: usize| model.fragment[state] || is_wanted(Check::AllExact);
    let inside = analyst.gaps(explored, &model, predicates, is_inside, budget)?;
    if inside.inexact.is_empty() && inside.missing.is_empty() {
        for check in [Check::AllExact, Check::SafeFragment] {
            if is_wanted(check) {
                let proof = proof(program, explored, &model, predicates, is_inside);
                return Ok(Some((proof, check)));
            }
        }
    }
    if is_wanted(Check::InductiveInvariant) {
        let is_closed = analyst.is_inductive(explored, predicates, &inside, budget)? && {
            let is_outside = |state: usize| !is_inside(state);
            let outside = analyst.gaps(explored, &model, predicates, is_outside, budget)?;
            analyst.is_inductive(explored, predicates, &outside, budget)?
        };
        if is_closed {
            let proof = invariant(program, explored, predicates);
            return Ok(Some((proof, Check::InductiveInvariant)));
        }
    }
    for atom in analyst.refinement(explored, predicates, &inside, budget) {
        predicates.add(atom);
    }
    Ok(None)
}

/// The proof of which the abstract states inside are closed; those outside stay symbolic.
fn proof(
    program: &Program,
    explored: &Explored,
    model: &Model,
    predicates: &Predicates,
    is_inside: impl Fn(usize) -> bool,
) -> Proof {
    let number = |among: &[bool]| -> Vec<usize> {
        let mut next = 0;
        let each = among.iter().map(|&is_one| {
            next += usize::from(is_one);
            next.saturating_sub(1)
        });
        each.collect()
    };
    let inside: Vec<bool> = (0..explored.abstracts.len()).map(&is_inside).collect();
    let closed_numbers = number(&inside);
    let outside = explored.nodes.iter();
    let outside: Vec<bool> = outside.map(|node| !inside[node.abstraction]).collect();
    let symbolic_numbers = number(&outside);
    let place = |node: usize| match outside[node] {
        true => ObligationPlace::Symbolic(symbolic_numbers[node]),
        false => ObligationPlace::Closed(closed_numbers[explored.nodes[node].abstraction]),
    };
    let closed = (0..inside.len()).filter(|&state| inside[state]);
    let closed = closed.map(|state| Closed {
        states: Formula::All(predicates.literals(&explored.abstracts[state])),
        leads: (model.successors[state].iter())
            .flat_map(|(&by, all)| all.iter().map(move |&to| (by, to)))
            .map(|(by, to)| (by, closed_numbers[to]))
            .collect(),
    });
    let symbolic = explored.nodes.iter().zip(&outside);
    let symbolic = symbolic.filter(|(_, is_one)| **is_one);
    let symbolic = symbolic.map(|(node, _)| {
        let edges = node.edges.iter().flatten().map(|edge| Edge {
            transition: edge.transition,
            to: place(edge.to),
            inputs: edge.inputs.clone(),
        });
        Symbolic {
            values: node.state.values.clone(),
            condition: Formula::All(node.state.conditions.iter().cloned().collect()),
            edges: edges.collect(),
        }
    });
    debug_assert_eq!(program.variables.len(), explored.parameters.len());
    let starts = explored.starts.iter().map(|&start| Start {
        at: place(start),
        parameters: explored.parameters.clone(),
    });
    Proof {
        closed: closed.collect(),
        symbolic: symbolic.collect(),
        starts: starts.collect(),
    }
}

/// The proof that all abstract states are closed. Which of them a transition leads to is told by control only: the
/// checker finds out the rest.
fn invariant(program: &Program, explored: &Explored, predicates: &Predicates) -> Proof {
    let analyst = Analyst::new(program);
    let states = &explored.abstracts;
    let closed = states.iter().map(|state| {
        let mut leads = Vec::new();
        for transition in 0..program.transitions.len() {
            if !predicates.decides(&program.transitions[transition].guard, state) {
                continue;
            }
            let control = analyst.control_after(state, transition);
            let there = states.iter().enumerate();
            let there = there.filter(|(_, other)| other.control == control);
            leads.extend(there.map(|(to, _)| (transition, to)));
        }
        Closed {
            states: Formula::All(predicates.literals(state)),
            leads,
        }
    });
    let starts = explored.starts.iter().map(|&start| Start {
        at: ObligationPlace::Closed(explored.nodes[start].abstraction),
        parameters: explored.parameters.clone(),
    });
    Proof {
        closed: closed.collect(),
        symbolic: Vec::new(),
        starts: starts.collect(),
    }
}

/// The states that one exploration with these predicates, and those of the program, gives: for tests of monotonicity. A
/// state is told by its values if it has no parameters.
pub fn concrete_states(
    program: &Program,
    rounds: usize,
    budget: &Budget,
) -> Option<Vec<Vec<rhumb_logic::Int>>> {
    let mut predicates = Predicates::of(program);
    let mut analyst = Analyst::new(program);
    let mut splitter = Splitter::new();
    for round in 0.. {
        let outcome = explore(program, &predicates, &mut splitter, Matching::Path, budget);
        let Outcome::Explored(explored) = outcome else {
            return None;
        };
        if round == rounds {
            let states = explored.nodes.iter().map(|node| {
                let values = node.state.values.iter();
                values.map(|sum| sum.as_constant().cloned()).collect()
            });
            return states.collect();
        }
        let model = Model::of(&explored);
        let gaps = analyst.gaps(&explored, &model, &predicates, |_| true, budget);
        for atom in analyst.refinement(&explored, &predicates, &gaps.ok()?, budget) {
            predicates.add(atom);
        }
    }
    None
}
