//! What the operators share while the loops of a program are summarised: solvers, models, closures that are known, and
//! an account of what it all costs.

use std::cell::RefCell;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rhumb_logic::hull::{Abstraction, Options};
use rhumb_logic::project::{ProjectionLimits, Projector};
use rhumb_logic::session::{Session, SessionOptions, SolverPool};
use rhumb_logic::{Allowance, Assignment, Budget, Term, Terms, Transition, Work, eval};
use rustc_hash::FxHashMap;

use super::{Closure, Loop, LoopOperator, operators};
use crate::preset::Preset;

/// Models that are kept for the next parts of a loop.
const MODELS: usize = 64;

/// How much a loop may take. Counted in resource units of the solver, so that summaries don't depend on the machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Effort {
    /// Units for one query.
    pub query: u64,
    /// Units for one hull.
    pub hull: u64,
    /// Units for one loop with all its parts, beyond which no further part of it is looked at.
    pub whole: u64,
    /// The work that a loop may take in any case, within the solver and outside.
    pub most: Work,
    /// So deep operators that take a loop apart are used on the parts.
    pub depth: usize,
}

impl Effort {
    /// The effort of a level of precision: 0 is where all loops begin, and every further one takes parts apart once
    /// more and may cost four times as much.
    pub fn of_level(preset: Preset, level: u32) -> Effort {
        let factor = 4u64.saturating_pow(level);
        let depth = match preset {
            Preset::Paper => 1,
            Preset::Full => 2,
        };
        Effort {
            query: factor.saturating_mul(200_000),
            hull: factor.saturating_mul(500_000),
            whole: factor.saturating_mul(4_000_000),
            most: Work::secs(60) * u32::try_from(factor).unwrap_or(u32::MAX),
            depth: depth + level as usize,
        }
    }
}

impl Effort {
    /// What one hull may take of a budget.
    pub(super) fn for_hull(&self, budget: &Budget) -> Budget {
        budget.with_allowance(self.hull)
    }
}

/// What one operator has cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Cost {
    /// The name of the operator, or of what is done for all of them.
    pub name: &'static str,
    /// Its time, without that of the operators that it used on parts.
    pub time: Duration,
    /// Queries to the solver, counted in the same way.
    pub queries: u64,
    /// Resource units of the solver, counted in the same way.
    pub units: u64,
    /// How often it was asked.
    pub uses: usize,
}

/// What the operators share. It belongs to one store of terms and to one thread.
pub struct Tools {
    terms: Arc<Terms>,
    solvers: SolverPool,
    preset: Preset,
    effort: Effort,
    known: RefCell<FxHashMap<(Transition, usize), Closure>>,
    models: RefCell<Vec<Assignment>>,
    account: RefCell<Account>,
}

#[derive(Default)]
struct Account {
    costs: Vec<Cost>,
    /// What is running: places in the costs, and since when the last of them.
    running: Vec<usize>,
    since: Option<Instant>,
    /// What the loop that is summarised may still take, now and at that time.
    allowance: Option<Allowance>,
    left: u64,
    queries: u64,
}

impl Account {
    /// Charges the time until now to what is running.
    fn charge(&mut self, solvers: &SolverPool) {
        let now = Instant::now();
        let left = self.allowance.as_ref().map_or(0, Allowance::left);
        if let (Some(&place), Some(since)) = (self.running.last(), self.since) {
            let cost = &mut self.costs[place];
            cost.time += now - since;
            cost.units += self.left.saturating_sub(left);
            cost.queries += solvers.queries() - self.queries;
        }
        (self.since, self.left) = (Some(now), left);
        self.queries = solvers.queries();
    }
}

impl Tools {
    /// The operators of a preset, at a level of precision.
    pub fn new(terms: &Arc<Terms>, preset: Preset, level: u32) -> Tools {
        Tools {
            terms: terms.clone(),
            solvers: SolverPool::new(terms.clone(), SessionOptions::default()),
            preset,
            effort: Effort::of_level(preset, level),
            known: RefCell::default(),
            models: RefCell::default(),
            account: RefCell::default(),
        }
    }

    /// The operators that are used, also on parts of loops.
    pub fn operators(&self) -> &'static [LoopOperator] {
        operators(self.preset)
    }

    /// What a loop may take.
    pub fn effort(&self) -> Effort {
        self.effort
    }

    /// What was spent so far, the dearest first.
    pub fn costs(&self) -> Vec<Cost> {
        let mut costs = self.account.borrow().costs.clone();
        costs.sort_by_key(|cost| std::cmp::Reverse(cost.time));
        costs
    }

    /// Does something under a name in the account.
    pub(super) fn charged<T>(&self, name: &'static str, work: impl FnOnce() -> T) -> T {
        {
            let mut account = self.account.borrow_mut();
            account.charge(&self.solvers);
            let place = account.costs.iter().position(|cost| cost.name == name);
            let place = place.unwrap_or_else(|| {
                account.costs.push(Cost {
                    name,
                    time: Duration::ZERO,
                    queries: 0,
                    units: 0,
                    uses: 0,
                });
                account.costs.len() - 1
            });
            account.costs[place].uses += 1;
            account.running.push(place);
        }
        let result = work();
        let mut account = self.account.borrow_mut();
        account.charge(&self.solvers);
        account.running.pop();
        result
    }

    /// The closure of an iteration that may be taken apart so often, if it was made before.
    pub(super) fn known(&self, of: Loop<'_>, depth: usize) -> Option<Closure> {
        let known = self.known.borrow();
        let closure = known.get(&(of.iteration.clone(), depth))?;
        Some(closure.rename_apart(of.terms))
    }

    /// Remembers a closure.
    pub(super) fn learn(&self, of: Loop<'_>, depth: usize, closure: &Closure) {
        let mut known = self.known.borrow_mut();
        known.insert((of.iteration.clone(), depth), closure.clone());
    }

    /// A session for short questions.
    pub(super) fn session(&self) -> Session {
        self.solvers.session()
    }

    /// A projector.
    pub(super) fn projector(&self) -> Projector {
        Projector::of_session(self.session(), ProjectionLimits::default())
    }

    /// Begins with a loop: what it may take of a budget.
    pub(super) fn for_loop(&self, budget: &Budget) -> Budget {
        self.models.borrow_mut().clear();
        let Effort {
            query, whole, most, ..
        } = self.effort;
        let budget = budget.within(most).with_units(query).with_allowance(whole);
        let mut account = self.account.borrow_mut();
        account.charge(&self.solvers);
        account.allowance = budget.allowance.clone();
        account.left = account.allowance.as_ref().map_or(0, Allowance::left);
        budget
    }

    /// An abstraction of a formula, which knows those models of other parts of the loop that fit.
    pub(super) fn abstraction(&self, formula: Term) -> Abstraction {
        let session = self.session();
        let mut abstraction = Abstraction::of_session(session, formula, Options::default());
        abstraction.add_models(self.models.borrow().iter());
        abstraction
    }

    /// Some known models of a formula.
    pub(super) fn models_of(&self, formula: Term, most: usize) -> Vec<Assignment> {
        let models = self.models.borrow();
        let holds = |model: &&Assignment| eval::holds(&self.terms, formula, model);
        models.iter().filter(holds).take(most).cloned().collect()
    }

    /// Keeps models for other parts of the loop.
    pub(super) fn keep<'a>(&self, models: impl IntoIterator<Item = &'a Assignment>) {
        let mut kept = self.models.borrow_mut();
        for model in models {
            if kept.len() >= MODELS {
                return;
            }
            if !kept.contains(model) {
                kept.push(model.clone());
            }
        }
    }
}

impl std::fmt::Debug for Tools {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tools")
            .field("effort", &self.effort)
            .finish_non_exhaustive()
    }
}
