//! Questions to the solver: how can a run go on from here so that a goal stays in reach?
//!
//! Each block with inputs has a session of its own, in which stands what the block does and what the summary requires
//! of the state after it. A state is asserted on top, for one question. The model gives the inputs of the block, and
//! values to the inputs of the summary: the plan for what follows. The block's inputs have other names in the question,
//! since those of the summary have to keep theirs for the plan.

use std::sync::Arc;

use rhumb_encode::BlockEdgeId;
use rhumb_logic::session::{Answer, Model, Session, SessionOptions, Wanted};
use rhumb_logic::{Assignment, Budget, Sort, Symbol, Term, Terms, Work};
use rhumb_summary::Oracle;
use rustc_hash::FxHashMap;

use super::line::FOREVER;
use super::state::{Layouts, small};

/// The work for one question.
const PATIENCE: Work = Work::secs(2);

/// Sessions that are kept.
const SESSIONS: usize = 24;

/// Amounts of gas to try first where it is handed out: short runs before long ones.
const AMOUNTS: [u32; 4] = [4, 16, 64, 4096];

/// From where a run is to go on.
#[derive(Clone, Copy)]
pub(super) struct Origin<'a> {
    state: &'a [i128],
    /// What a cycle adds to the state, if it is to be taken before: at least and at most so many times.
    cycle: Option<(&'a [i128], i128, i128)>,
    /// The inputs of the block, if they are given.
    inputs: Option<&'a [i128]>,
}

impl<'a> Origin<'a> {
    /// From a state.
    pub(super) fn state(state: &'a [i128]) -> Origin<'a> {
        Origin {
            state,
            cycle: None,
            inputs: None,
        }
    }

    /// The same, with these inputs of the block.
    pub(super) fn with_inputs(self, inputs: &'a [i128]) -> Origin<'a> {
        let inputs = Some(inputs);
        Origin { inputs, ..self }
    }

    /// From a state that is reached by taking a cycle, at least and at most so many times.
    pub(super) fn cycle(
        state: &'a [i128],
        change: &'a [i128],
        least: i128,
        most: i128,
    ) -> Origin<'a> {
        Origin {
            state,
            cycle: Some((change, least, most)),
            inputs: None,
        }
    }
}

/// What the solver says.
pub(super) enum Reply {
    /// With these inputs, and then by this plan.
    Go {
        inputs: Vec<i128>,
        plan: Assignment,
        /// After so many iterations of the cycle, if there is one.
        times: i128,
    },
    /// Not through this block.
    No,
    /// It doesn't know.
    Unknown,
    /// With inputs that are too large for tests.
    TooLarge,
}

/// The questions about all blocks.
#[derive(Default)]
pub(super) struct Questions {
    open: FxHashMap<BlockEdgeId, Question>,
    clock: u64,
    /// How many were asked.
    pub(super) asked: u64,
}

/// What is asked about one block.
struct Question {
    session: Session,
    /// What the summary requires behind the block.
    required: Term,
    /// Which values of the state matter: places, and symbols.
    state: Vec<(usize, Term)>,
    /// For each input of the step the symbol that stands for it here.
    inputs: Vec<Symbol>,
    /// The amount of gas that the step hands out, if it does.
    gas: Option<Term>,
    /// The number of iterations of a cycle that may be taken before.
    times: Symbol,
    /// The inputs of the summary.
    plan: Vec<Symbol>,
    wanted: Wanted,
    /// When it was last asked.
    used: u64,
}

impl Questions {
    /// Asks whether a block can be taken from a state with a goal in reach behind it.
    pub(super) fn ask(
        &mut self,
        oracle: &mut Oracle,
        layouts: &Layouts,
        edge: BlockEdgeId,
        from: Origin<'_>,
        budget: &Budget,
    ) -> Reply {
        self.clock += 1;
        let target = oracle.steps().edges[edge].target;
        let summary = oracle.summary(target, budget);
        if oracle.steps().terms.as_bool(summary.guard) == Some(false) {
            return Reply::No;
        }
        let current = self.open.get(&edge);
        if current.is_none_or(|question| question.required != summary.guard) {
            self.open.remove(&edge);
            self.make_room();
            let question = Question::new(oracle, layouts, edge, summary.guard, &summary.inputs);
            self.open.insert(edge, question);
        }
        let Some(question) = self.open.get_mut(&edge) else {
            return Reply::Unknown;
        };
        question.used = self.clock;
        question.ask(from, budget, &mut self.asked)
    }

    /// Closes all sessions: the steps are others now.
    pub(super) fn close(&mut self) {
        self.open.clear();
    }

    /// Closes the session that was not used for the longest time, if there are too many.
    fn make_room(&mut self) {
        if self.open.len() < SESSIONS {
            return;
        }
        let oldest = self.open.iter().min_by_key(|(_, question)| question.used);
        if let Some(&edge) = oldest.map(|(edge, _)| edge) {
            self.open.remove(&edge);
        }
    }
}

impl Question {
    fn new(
        oracle: &Oracle,
        layouts: &Layouts,
        edge: BlockEdgeId,
        required: Term,
        plan: &[Symbol],
    ) -> Question {
        let terms = oracle.steps().terms.clone();
        let step = &oracle.steps().edges[edge];
        let (transition, inputs) = step.transition.rename_apart(&terms);
        let formula = transition.before(&terms, required);
        let used = terms.symbols([formula]);
        let places = layouts.at(step.source).iter().enumerate();
        let gas = oracle
            .gas()
            .map(|gas| transition.value_of(&terms, gas.symbol))
            .filter(|&amount| {
                let symbol = terms.as_symbol(amount);
                symbol.is_some_and(|symbol| inputs.contains(&symbol))
            });
        let mut session = Session::new(terms.clone(), SessionOptions::default());
        session.assert(formula);
        let times = terms.symbol("times", Sort::Int);
        let wanted = inputs.iter().chain(plan).copied().chain([times]);
        let wanted: Vec<Symbol> = wanted.collect();
        Question {
            session,
            required,
            state: places
                .filter(|(_, symbol)| used.binary_search(symbol).is_ok())
                .map(|(place, &symbol)| (place, terms.var(symbol)))
                .collect(),
            inputs,
            gas,
            times,
            plan: plan.to_vec(),
            wanted: Wanted::Symbols(Arc::from(wanted)),
            used: 0,
        }
    }

    fn ask(&mut self, from: Origin<'_>, budget: &Budget, asked: &mut u64) -> Reply {
        let terms = self.session.terms().clone();
        self.session.push();
        let times = terms.var(self.times);
        if let Some((_, least, most)) = from.cycle {
            self.session.assert(terms.ge(times, terms.int(least)));
            if most != FOREVER {
                self.session.assert(terms.le(times, terms.int(most)));
            }
        }
        for &(place, symbol) in &self.state {
            let mut value = terms.int(from.state.get(place).copied().unwrap_or(0));
            let change = from
                .cycle
                .and_then(|(change, ..)| change.get(place).copied());
            if let Some(change) = change {
                value = terms.add(value, terms.scale(change, times));
            }
            self.session.assert(terms.eq(symbol, value));
        }
        let given = from.inputs.unwrap_or_default();
        for (&input, &value) in self.inputs.iter().zip(given) {
            let input_term = terms.var(input);
            self.session.assert(match terms.symbol_info(input).sort {
                Sort::Bool if value != 0 => input_term,
                Sort::Bool => terms.not(input_term),
                _ => terms.eq(input_term, terms.int(value)),
            });
        }
        let answer = self.decide(&terms, budget, asked);
        self.session.pop();
        match answer {
            Answer::Sat(model) => self.reply(&terms, &model),
            Answer::Unsat(_) => Reply::No,
            Answer::Unknown(_) => Reply::Unknown,
        }
    }

    /// Where gas is handed out: small amounts first. Else just the question.
    fn decide(&mut self, terms: &Terms, budget: &Budget, asked: &mut u64) -> Answer {
        let bounds = self.gas.into_iter().flat_map(|gas| {
            let bounds = AMOUNTS.into_iter();
            bounds.map(move |amount| terms.le(gas, terms.int(amount)))
        });
        let bounds: Vec<Term> = bounds.collect();
        for bound in bounds {
            *asked += 1;
            let patience = budget.within(PATIENCE / 4);
            match self
                .session
                .check_wanting(&[bound], &self.wanted, &patience)
            {
                Answer::Sat(model) => return Answer::Sat(model),
                // Then no larger amount helps, either.
                Answer::Unsat(core) if core.is_empty() => return Answer::Unsat(core),
                _ => {}
            }
        }
        *asked += 1;
        let patience = budget.within(PATIENCE);
        self.session.check_wanting(&[], &self.wanted, &patience)
    }

    fn reply(&self, terms: &Terms, model: &Model) -> Reply {
        let value = |&symbol: &Symbol| {
            let value = model.value_or_default(terms, symbol)?;
            small(&value)
        };
        match self.inputs.iter().map(value).collect() {
            Some(inputs) => Reply::Go {
                inputs,
                times: model.value(self.times).and_then(small).unwrap_or(0),
                plan: self
                    .plan
                    .iter()
                    .filter_map(|&symbol| Some((symbol, model.value(symbol)?.clone())))
                    .collect(),
            },
            None => Reply::TooLarge,
        }
    }
}
