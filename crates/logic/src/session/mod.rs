//! Solver sessions: a stack of assertions, and queries about it.
//!
//! A [`Session`] belongs to one thread. Its solver lives on a thread of its own, so that a query that ignores its
//! budget can be left behind: the session goes on with a new solver, which it tells again what is asserted. Pushing,
//! popping and asserting are collected and sent along with the next query. A term is translated once per session,
//! however often and in however many formulas it occurs.
//!
//! An answer may always be [`Answer::Unknown`]; that is no error.

pub mod horn;
mod log;
mod mailbox;
mod model;
mod ops;
mod pool;
mod seed;
mod smtlib;
mod statistics;
mod translate;
mod watch;
mod worker;
mod z3;

use std::io;
use std::io::Write;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::budget::Budget;
use crate::term::{Term, Terms};
use crate::work::Work;

pub use model::{Model, Wanted};
pub use pool::SolverPool;
pub use seed::with_seed;
pub use smtlib::{fraction, numeral, operator, smtlib, sort_text};
pub use statistics::{Purpose, Statistics, Usage};
pub use watch::ended_by_clock;
pub use worker::reuse_contexts;
pub use z3::SolverKind;

use horn::{Clauses, Solution, Solved};
use log::QueryLog;
use watch::Waited;
use worker::{Answered, Command, Reply, Request, Worker};
use z3::MemoryBrake;

/// Resource units that a query counts for beside those that the solver says: what is done with question and answer. The
/// first on the clock; the second against an allowance, where many short questions are to leave something for a long
/// one.
const QUERY: (u64, u64) = (1_000, 2_000);

/// How a session is set up.
#[derive(Clone, Debug)]
pub struct SessionOptions {
    /// Which solver.
    pub solver: SolverKind,
    /// Seed of the solver's random choices.
    pub seed: u32,
    /// The time that a solver gets to end what it is doing once its budget is spent; but not more than the budget
    /// itself. Then it is abandoned.
    pub patience: Duration,
}

impl Default for SessionOptions {
    fn default() -> SessionOptions {
        SessionOptions {
            solver: SolverKind::default(),
            seed: seed::seed(),
            patience: Duration::from_secs(2),
        }
    }
}

/// The answer to a query.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// Assertions and assumptions hold in this model.
    Sat(Model),
    /// They never hold together. Already these of the assumptions are too much.
    Unsat(Vec<Term>),
    /// Not decided.
    Unknown(Unknown),
}

impl Answer {
    /// Whether there is a model.
    pub fn is_sat(&self) -> bool {
        matches!(self, Answer::Sat(_))
    }

    /// Whether there is none.
    pub fn is_unsat(&self) -> bool {
        matches!(self, Answer::Unsat(_))
    }
}

/// Why a query was not decided.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Unknown {
    /// The time was up.
    #[error("out of time")]
    Timeout,
    /// The resource units were used up.
    #[error("out of resource units")]
    Units,
    /// The process grew by more than it may.
    #[error("out of memory")]
    Memory,
    /// Nobody wants the answer any more.
    #[error("cancelled")]
    Cancelled,
    /// The solver did not come back when its budget was spent.
    #[error("the solver did not come back")]
    Abandoned,
    /// The solver gave up, for a reason in its own words.
    #[error("incomplete: {0}")]
    Incomplete(String),
}

/// A stack of assertions with a solver.
pub struct Session {
    terms: Arc<Terms>,
    options: SessionOptions,
    worker: Option<Worker>,
    /// What is asserted, by level: from this a solver can be set up anew.
    frames: Vec<Vec<Term>>,
    /// What the worker has not been told.
    pending: Vec<Command>,
    purpose: Purpose,
    statistics: Statistics,
    was_started: bool,
    log: Option<QueryLog>,
    /// Where its solver comes from and goes to, if it is shared.
    pool: Option<SolverPool>,
}

impl Drop for Session {
    fn drop(&mut self) {
        if let (Some(pool), Some(worker)) = (&self.pool, self.worker.take()) {
            // What the solver has not been told it need not take back.
            let untold = (self.pending.iter()).fold(0i64, |levels, command| match command {
                Command::Push => levels + 1,
                Command::Pop(number) => levels - i64::from(*number),
                Command::Assert(_) => levels,
            });
            let told = i64::try_from(self.frames.len()).unwrap_or(i64::MAX) - untold;
            if let Ok(levels) = u32::try_from(told) {
                pool.give_back(worker, levels);
            }
        }
    }
}

impl Session {
    /// A session with nothing asserted. The solver is started by the first query.
    pub fn new(terms: Arc<Terms>, options: SessionOptions) -> Session {
        Session {
            terms,
            options,
            worker: None,
            frames: vec![Vec::new()],
            pending: Vec::new(),
            purpose: Purpose::default(),
            statistics: Statistics::default(),
            was_started: false,
            log: None,
            pool: None,
        }
    }

    /// A session with a solver of a pool, to which it goes back in the end.
    fn of_pool(terms: Arc<Terms>, options: SessionOptions, pool: SolverPool) -> Session {
        let mut session = Session::new(terms, options);
        session.pool = Some(pool);
        session
    }

    /// The store whose terms this session understands.
    pub fn terms(&self) -> &Arc<Terms> {
        &self.terms
    }

    /// Number of levels that are open.
    pub fn level(&self) -> usize {
        self.frames.len() - 1
    }

    /// Opens a level.
    pub fn push(&mut self) {
        self.frames.push(Vec::new());
        self.pending.push(Command::Push);
        if let Some(log) = &mut self.log {
            log.push();
        }
    }

    /// Closes the last level: what was asserted there is forgotten. Without an open level nothing happens.
    pub fn pop(&mut self) {
        if self.level() == 0 {
            return;
        }
        self.frames.pop();
        if let Some(log) = &mut self.log {
            log.pop();
        }
        // A level that the worker has never heard of need not be mentioned.
        while let Some(command) = self.pending.pop() {
            match command {
                Command::Assert(_) => {}
                Command::Push => return,
                Command::Pop(levels) => {
                    self.pending.push(Command::Pop(levels + 1));
                    return;
                }
            }
        }
        self.pending.push(Command::Pop(1));
    }

    /// Asserts a formula at the current level.
    pub fn assert(&mut self, formula: Term) {
        if let Some(frame) = self.frames.last_mut() {
            frame.push(formula);
        }
        self.pending.push(Command::Assert(formula));
        if let Some(log) = &mut self.log {
            log.assert(&self.terms, formula);
        }
    }

    /// What is asserted, from the first level on.
    pub fn assertions(&self) -> impl Iterator<Item = Term> + '_ {
        self.frames.iter().flatten().copied()
    }

    /// From now on writes down everything that the session is told and asked, beginning with what is asserted now, as a
    /// script in SMT-LIB 2. Behind each query stands its answer, as a comment.
    pub fn log_to(&mut self, out: impl Write + Send + 'static) {
        let mut log = QueryLog::new(Box::new(out));
        for (level, frame) in self.frames.iter().enumerate() {
            if level > 0 {
                log.push();
            }
            frame
                .iter()
                .for_each(|&formula| log.assert(&self.terms, formula));
        }
        self.log = Some(log);
    }

    /// Ends the log, if there is one. An error means that the log stops somewhere.
    pub fn end_log(&mut self) -> io::Result<()> {
        self.log.take().map_or(Ok(()), QueryLog::finish)
    }

    /// Under which purpose the next queries are counted. Returns the one before.
    pub fn set_purpose(&mut self, purpose: Purpose) -> Purpose {
        std::mem::replace(&mut self.purpose, purpose)
    }

    /// What this session has done.
    pub fn statistics(&self) -> &Statistics {
        &self.statistics
    }

    /// Whether all that is asserted can hold.
    pub fn check(&mut self, budget: &Budget) -> Answer {
        self.check_wanting(&[], &Wanted::All, budget)
    }

    /// Whether all that is asserted can hold together with some formulas.
    ///
    /// Any formulas will do. But a formula that is assumed again and again while others are asserted is better asserted
    /// once as `symbol → formula`, and the symbol assumed: symbols and their negations are passed on as they are, and
    /// what the solver learns with them stays.
    pub fn check_assuming(&mut self, assumptions: &[Term], budget: &Budget) -> Answer {
        self.check_wanting(assumptions, &Wanted::All, budget)
    }

    /// As [`Session::check_assuming`], with the values of some symbols only.
    pub fn check_wanting(
        &mut self,
        assumptions: &[Term],
        wanted: &Wanted,
        budget: &Budget,
    ) -> Answer {
        if let Some(log) = &mut self.log {
            log.query(&self.terms, assumptions, self.purpose);
        }
        if let Some(pool) = &self.pool {
            pool.count_query();
        }
        let start = Instant::now();
        let brakes = MemoryBrake::count();
        let mut answer = self.decide(assumptions, wanted, budget);
        if answer == Answer::Unknown(Unknown::Memory)
            && budget.memory.is_none()
            && MemoryBrake::count() != brakes
        {
            // Another session's solver was kept from taking memory, and ours stood near.
            answer = self.decide(assumptions, wanted, budget);
        }
        let time = start.elapsed();
        if let Some(log) = &mut self.log {
            log.answer(&answer, time);
        }
        let usage = self.statistics.by_purpose.entry(self.purpose).or_default();
        usage.time += time;
        match &answer {
            Answer::Sat(_) => usage.sat += 1,
            Answer::Unsat(_) => usage.unsat += 1,
            Answer::Unknown(_) => usage.unknown += 1,
        }
        answer
    }

    /// Whether the formula follows from what is asserted; none if that is not known.
    pub fn entails(&mut self, formula: Term, budget: &Budget) -> Option<bool> {
        let negation = self.terms.not(formula);
        self.is_sat(&[negation], budget).map(|sat| !sat)
    }

    /// Whether all that is asserted can hold together with some formulas; none if that is not known. Cheaper than a query with a model.
    pub fn is_sat(&mut self, assumptions: &[Term], budget: &Budget) -> Option<bool> {
        match self.check_wanting(assumptions, &Wanted::Nothing, budget) {
            Answer::Sat(_) => Some(true),
            Answer::Unsat(_) => Some(false),
            Answer::Unknown(_) => None,
        }
    }

    /// A smaller core: members without which the rest is still unsatisfiable are left out, as far as the budget goes.
    /// The result is a core in any case, if `core` is one; when nothing ran out, no member can be left out.
    pub fn minimise_core(&mut self, core: &[Term], budget: &Budget) -> Vec<Term> {
        let (mut needed, mut rest) = (Vec::new(), core.to_vec());
        while let Some(candidate) = rest.pop() {
            if budget.is_spent() {
                rest.push(candidate);
                break;
            }
            let others: Vec<Term> = needed.iter().chain(&rest).copied().collect();
            match self.check_wanting(&others, &Wanted::Nothing, budget) {
                // The solver may have found that it needs even less.
                Answer::Unsat(smaller) => {
                    needed.retain(|member| smaller.contains(member));
                    rest.retain(|member| smaller.contains(member));
                }
                _ => needed.push(candidate),
            }
        }
        needed.extend(rest);
        needed
    }

    fn decide(&mut self, assumptions: &[Term], wanted: &Wanted, budget: &Budget) -> Answer {
        if budget.cancel.is_cancelled() {
            return Answer::Unknown(Unknown::Cancelled);
        }
        if budget.is_over() {
            return Answer::Unknown(Unknown::Timeout);
        }
        if budget.is_spent() {
            return Answer::Unknown(Unknown::Units);
        }
        let mut members = Vec::with_capacity(assumptions.len());
        for &assumption in assumptions {
            match self.terms.as_bool(assumption) {
                Some(false) => return Answer::Unsat(vec![assumption]),
                Some(true) => {}
                None => members.push(assumption),
            }
        }
        if let Err(error) = self.ensure_worker() {
            return Answer::Unknown(Unknown::Incomplete(error.to_string()));
        }
        let units = budget.units_for_query().map_or(0, round);
        let request = Request {
            commands: std::mem::take(&mut self.pending),
            assumptions: members,
            wanted: wanted.clone(),
            clauses: None,
            units,
        };
        let waited = self.wait(request, budget);
        self.conclude(waited, units != 0)
    }

    /// Solves clauses. What is asserted plays no part.
    fn solve(&mut self, clauses: Arc<Clauses>, budget: &Budget) -> Solution {
        if budget.is_spent() {
            return Solution::Unknown(Unknown::Units);
        }
        if let Err(error) = self.ensure_worker() {
            return Solution::Unknown(Unknown::Incomplete(error.to_string()));
        }
        let units = budget.units_for_query().map_or(0, round);
        let request = Request {
            commands: Vec::new(),
            assumptions: Vec::new(),
            wanted: Wanted::Nothing,
            clauses: Some(clauses),
            units,
        };
        match self.wait(request, budget) {
            Waited::Answered(
                Answered {
                    reply: Reply::Solved(solved),
                    ..
                },
                stopped,
            ) => match solved {
                Solved::Relations(relations) => Solution::Relations(relations),
                Solved::None => Solution::None,
                Solved::Unknown(reason) => {
                    let why = stopped.unwrap_or_else(|| explain(reason, units != 0));
                    Solution::Unknown(why)
                }
            },
            other => match self.conclude(other, units != 0) {
                Answer::Unknown(why) => Solution::Unknown(why),
                Answer::Sat(_) | Answer::Unsat(_) => {
                    Solution::Unknown(Unknown::Incomplete("no answer to clauses".to_owned()))
                }
            },
        }
    }

    /// Sends a request and waits for the answer.
    fn wait(&mut self, request: Request, budget: &Budget) -> Waited {
        let units = request.units;
        let waited = match &self.worker {
            Some(worker) if worker.send(request) => watch::wait(
                worker,
                budget,
                Work::units(units.into()),
                self.options.patience,
            ),
            _ => Waited::Lost,
        };
        if let Waited::Answered(answered, _) = &waited {
            Work::units(answered.units + QUERY.0).count();
            if let Some(allowance) = &budget.allowance {
                allowance.spend(answered.units + QUERY.1);
            }
        }
        waited
    }

    fn conclude(&mut self, waited: Waited, has_units: bool) -> Answer {
        let (reply, stopped) = match waited {
            Waited::Answered(answered, stopped) => (answered.reply, stopped),
            Waited::Lost => {
                self.worker = None;
                let reason = "the solver's thread ended".into();
                return Answer::Unknown(Unknown::Incomplete(reason));
            }
            Waited::Stuck(reason) => {
                self.worker = None;
                self.statistics.interrupted += 1;
                self.statistics.abandoned += 1;
                return Answer::Unknown(match reason {
                    Unknown::Timeout => Unknown::Abandoned,
                    other => other,
                });
            }
        };
        self.statistics.interrupted += u64::from(stopped.is_some());
        match reply {
            Reply::Sat(model) => Answer::Sat(model),
            Reply::Unsat(core) => Answer::Unsat(core),
            Reply::Unknown(reason) => {
                let why = stopped.unwrap_or_else(|| explain(reason, has_units));
                if why == Unknown::Memory {
                    // The memory is given back with the solver.
                    self.worker = None;
                }
                Answer::Unknown(why)
            }
            Reply::Solved(_) => {
                Answer::Unknown(Unknown::Incomplete("no answer to a query".to_owned()))
            }
            Reply::Stopped(commands) => {
                self.pending = commands;
                Answer::Unknown(stopped.unwrap_or(Unknown::Cancelled))
            }
            Reply::Broken(reason) => {
                self.worker = None;
                Answer::Unknown(stopped.unwrap_or_else(|| explain(reason, false)))
            }
        }
    }

    /// Starts a worker if there is none, and prepares to tell it all that is asserted.
    fn ensure_worker(&mut self) -> std::io::Result<()> {
        if self.worker.is_some() {
            return Ok(());
        }
        let used = self.pool.as_ref().and_then(SolverPool::take);
        self.pending.clear();
        self.worker = Some(match used {
            Some((worker, levels)) => {
                if levels > 0 {
                    self.pending.push(Command::Pop(levels));
                }
                worker
            }
            None if self.pool.is_some() => Worker::start_fresh(&self.terms, &self.options)?,
            None => Worker::start(&self.terms, &self.options)?,
        });
        self.statistics.rebuilt += u64::from(self.was_started);
        self.was_started = true;
        for (level, frame) in self.frames.iter().enumerate() {
            // A solver that is shared has a level more, so that all of it can be taken back.
            if level > 0 || self.pool.is_some() {
                self.pending.push(Command::Push);
            }
            self.pending
                .extend(frame.iter().copied().map(Command::Assert));
        }
        Ok(())
    }
}

/// About so many units, in a number that Z3 takes: to set another limit than the last one costs more than a short query.
fn round(units: u64) -> u32 {
    let low_bits = (u64::BITS - units.leading_zeros()).saturating_sub(3);
    let rounded = units.max(1).div_ceil(1 << low_bits) << low_bits;
    u32::try_from(rounded).unwrap_or(u32::MAX)
}

/// What Z3's own reason means, when nobody interrupted it.
fn explain(reason: String, has_units: bool) -> Unknown {
    // It calls the end of its resource units by several names.
    if has_units
        && ["cancel", "interrupt", "resource limit"]
            .iter()
            .any(|word| reason.contains(word))
    {
        Unknown::Units
    } else if reason.contains("memory") || reason.contains("memout") {
        Unknown::Memory
    } else {
        Unknown::Incomplete(reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::Sort;

    #[test]
    fn an_interrupt_that_comes_too_late_stops_nothing() {
        let terms = Arc::new(Terms::new());
        let mut session = Session::new(Arc::clone(&terms), SessionOptions::default());
        let x = terms.fresh("x", Sort::Int);
        session.assert(terms.lt(terms.int(0), x));
        for bound in 1..50 {
            session.push();
            session.assert(terms.lt(x, terms.int(bound)));
            let answer = session.is_sat(&[], &Budget::unlimited());
            assert_eq!(answer, Some(bound > 1));
            session
                .worker
                .as_ref()
                .expect("it has answered")
                .interrupt();
            session.pop();
        }
        assert_eq!(session.statistics().rebuilt, 0);
    }
}
