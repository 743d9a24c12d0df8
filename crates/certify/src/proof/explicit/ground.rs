//! Explorations and programs: who may ask, and in which names.

use std::sync::Arc;

use rhumb_logic::session::Unknown;
use rhumb_logic::{Budget, Work};
use rhumb_program::interp::KeyedInputs;
use rhumb_program::passes::LocRef;
use rhumb_program::{Cfa, EdgeId, LocId, Program, VarId};
use rustc_hash::FxHashMap;

use super::follow;
use super::layout::View;
use super::walk::{Ending, Walk, Way};
use crate::proof::name::{Point, Variable};
use crate::proof::reject::{Failure, Invalid, Obligation, ProofPlace, Rejected};
use crate::proof::subject::Subject;

/// What an exploration looks at, in names that outlive a run of the tool.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Exploration {
    /// The variables whose values are followed.
    pub followed: Vec<Variable>,
    /// The branches where both ways are taken without looking.
    pub unseen: Vec<Point>,
}

/// A program to explore: as lowered, plus inlining.
#[derive(Clone)]
pub struct Ground<'p> {
    subject: Arc<Subject<'p>>,
}

impl<'p> Ground<'p> {
    /// Of a program as the front end lowered it.
    pub fn new(program: &'p Program) -> Ground<'p> {
        Ground {
            subject: Arc::new(Subject::new(program)),
        }
    }

    /// The program that views are about.
    pub fn program(&self) -> &Program {
        &self.subject.program
    }

    /// Its automaton.
    pub fn cfa(&self) -> &Cfa {
        self.subject.cfa()
    }

    /// Whether a location must not be reached.
    pub fn is_bad(&self, at: LocId) -> bool {
        self.cfa().locations[at].kind.is_bad()
    }

    /// Whether an edge is a call that must not be reached.
    pub fn is_bad_call(&self, edge: EdgeId) -> bool {
        match self.cfa().edges[edge].action {
            rhumb_program::Action::Call { callee, .. } => {
                !self.subject.calls.is_harmless(self.program(), callee)
            }
            _ => false,
        }
    }

    /// An exploration of all that can be reached.
    pub fn walk(&self, view: &View) -> Walk<'p> {
        Walk::new(self.subject.clone(), view)
    }

    /// A view for a proof.
    pub fn named(&self, view: &View) -> Exploration {
        let function = self.program().start;
        let restore = &self.subject.restore;
        let mut unseen: Vec<Point> = (view.unseen.iter())
            .filter_map(|&location| Point::of(restore, LocRef { function, location }))
            .collect();
        unseen.sort_unstable();
        let followed = view.followed.iter();
        Exploration {
            followed: followed.map(|&var| Variable::of(restore, var)).collect(),
            unseen,
        }
    }

    /// Inputs with which a run may go a way.
    pub fn inputs(&self, way: &Way, budget: &Budget) -> Option<KeyedInputs> {
        let inputs = follow::inputs(&self.subject, way, budget)?;
        Some(self.subject.inputs_as_lowered(inputs))
    }

    fn view(&self, exploration: &Exploration) -> Result<View, Invalid> {
        let restore = &self.subject.restore;
        let vars = self.program().vars.indices();
        let vars: FxHashMap<Variable, VarId> =
            vars.map(|var| (Variable::of(restore, var), var)).collect();
        let var = |variable: &Variable| {
            let unknown = || Invalid::UnknownVariable(format!("{:?}", variable.var));
            vars.get(variable).copied().ok_or_else(unknown)
        };
        let location = |point: &Point| {
            let unknown = || Invalid::UnknownPoint(self.subject.describe(point));
            self.subject.location(point).ok_or_else(unknown)
        };
        Ok(View {
            followed: exploration
                .followed
                .iter()
                .map(var)
                .collect::<Result<_, _>>()?,
            unseen: exploration
                .unseen
                .iter()
                .map(location)
                .collect::<Result<_, _>>()?,
        })
    }

    /// Shows that nothing bad can be reached. Says how many states there are at loop heads.
    pub(in crate::proof) fn check(
        &self,
        exploration: &Exploration,
        budget: &Budget,
    ) -> Result<usize, Rejected> {
        self.subject.is_right()?;
        let mut walk = self.walk(&self.view(exploration)?);
        let from = self.subject.start().place(self.cfa().entry);
        let obligation = |to: ProofPlace| Obligation {
            from: from.clone(),
            to,
            formula: None,
        };
        match walk.go_on(budget, Work::units(u64::MAX))? {
            Ending::Closed => Ok(walk.states()),
            Ending::Reached(way) => Err(Rejected::Fails(Box::new(Failure {
                obligation: obligation(self.subject.start().place(way.end)),
                before: Vec::new(),
                after: Vec::new(),
            }))),
            Ending::Paused | Ending::Spent => Err(Rejected::Undecided {
                obligation: Box::new(obligation(from.clone())),
                reason: Unknown::Timeout,
            }),
        }
    }
}
