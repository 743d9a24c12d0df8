//! Questions about the path that is followed: whether its conditions and another one can hold together.
//!
//! Conditions about integers are with an incremental solver. Those about floats wait beside it; a question that they
//! matter to is asked about bit-vectors, all of it, since a solver for floats knows nothing of integers. What is asked
//! there is no less than what was said: every integer of a run has bounds, and a formula whose integers have none is
//! not asked about.

use std::sync::Arc;

use rhumb_logic::session::{Answer, Purpose, Session, SessionOptions, SolverKind, Unknown};
use rhumb_logic::{Assignment, Budget, Node, Op, Symbol, Term, Terms, Work};
use rustc_hash::{FxHashMap, FxHashSet};

use super::boxes;
use crate::proof::bits::Translation;
use crate::proof::encode::number::Range;

/// Units for a question about integers. What is not decided is followed.
pub(super) const QUESTION: u64 = 200_000;

/// Work for a question about floats: what they are reduced to is large.
const FLOAT_QUESTION: Work = Work::secs(4);

/// Units that the value of a symbol is worth: to make a model of a long path takes longer than to find that there is one,
/// and the solver doesn't count it.
const VALUE: u64 = 5;

/// Units that a term of a question about bits is worth, which is translated and made of gates.
const TERM: u64 = 20;

pub(super) const PURPOSE: Purpose = Purpose("execute");

/// What symbols stand for, as far as this is not said by the path.
#[derive(Default)]
pub(super) struct Symbols {
    /// Whether there are operations on floats that depend on inputs at all.
    pub(super) has_floats: bool,
    /// The bounds of integers.
    pub(super) ranges: Vec<(Symbol, Range)>,
    /// Results of floating-point operations. A symbol is defined in terms of older ones, on every path in the same way,
    /// and there is a value for it whatever theirs are.
    pub(super) definitions: FxHashMap<Symbol, Term>,
}

/// The answer to a question.
pub(super) enum Reply {
    /// They can't hold together.
    Impossible,
    /// They can, with these values.
    Possible(Assignment),
    Undecided,
}

/// The conditions of the path that is followed, level by level.
pub(super) struct Questions {
    terms: Arc<Terms>,
    integers: Session,
    /// Conditions about floats, each with its level.
    floats: Vec<(usize, Term)>,
    /// Questions that were asked about floats.
    asked: u64,
}

impl Questions {
    pub(super) fn new(terms: Arc<Terms>) -> Questions {
        let mut integers = Session::new(terms.clone(), SessionOptions::default());
        integers.set_purpose(PURPOSE);
        Questions {
            terms,
            integers,
            floats: Vec::new(),
            asked: 0,
        }
    }

    /// Whether a question that gets this budget gets less than others.
    pub(super) fn is_short(budget: &Budget) -> bool {
        (budget.units_for_query()).is_some_and(|left| left < 2 * QUESTION)
    }

    /// Number of questions so far.
    pub(super) fn asked(&self) -> u64 {
        self.asked + self.integers.statistics().total().queries()
    }

    pub(super) fn level(&self) -> usize {
        self.integers.level()
    }

    pub(super) fn push(&mut self) {
        self.integers.push();
    }

    /// Closes levels until so many are left.
    pub(super) fn pop_to(&mut self, level: usize) {
        while self.integers.level() > level {
            self.integers.pop();
        }
        self.floats.retain(|&(at, _)| at <= level);
    }

    pub(super) fn assert(&mut self, symbols: &Symbols, condition: Term) {
        match self.is_about_floats(symbols, condition) {
            true => self.floats.push((self.integers.level(), condition)),
            false => self.integers.assert(condition),
        }
    }

    /// Whether the path's conditions can hold, and another one with them.
    pub(super) fn ask(
        &mut self,
        symbols: &Symbols,
        condition: Option<Term>,
        budget: &Budget,
    ) -> Reply {
        let quick = budget.with_units(QUESTION);
        self.ask_within(symbols, condition, &quick, &budget.within(FLOAT_QUESTION))
    }

    /// The same with all that is left.
    pub(super) fn ask_patiently(&mut self, symbols: &Symbols, budget: &Budget) -> Reply {
        self.ask_within(symbols, None, budget, budget)
    }

    fn ask_within(
        &mut self,
        symbols: &Symbols,
        condition: Option<Term>,
        quick: &Budget,
        long: &Budget,
    ) -> Reply {
        let about_floats = condition.filter(|&it| self.is_about_floats(symbols, it));
        let about_integers = condition.filter(|_| about_floats.is_none());
        let answer = match about_integers {
            Some(condition) => self.integers.check_assuming(&[condition], quick),
            None if about_floats.is_some() => Answer::Unknown(Unknown::Units),
            None => self.integers.check(quick),
        };
        match answer {
            Answer::Unsat(_) => Reply::Impossible,
            _ if about_floats.is_some() || !self.floats.is_empty() => {
                self.ask_about_bits(symbols, condition, long)
            }
            Answer::Sat(model) => {
                let values = model.into_assignment();
                quick.spend(VALUE * values.len() as u64);
                Reply::Possible(values)
            }
            Answer::Unknown(_) => Reply::Undecided,
        }
    }

    /// All of it as a question about bit-vectors and floats.
    fn ask_about_bits(
        &mut self,
        symbols: &Symbols,
        condition: Option<Term>,
        budget: &Budget,
    ) -> Reply {
        self.asked += 1;
        let path = self.integers.assertions();
        let floats = self.floats.iter().map(|&(_, condition)| condition);
        let all: Vec<Term> = path.chain(floats).chain(condition).collect();
        ask_about_bits(&self.terms, all, symbols, budget)
    }

    /// Whether floats that depend on inputs matter to a condition. Then values for older symbols don't say whether it holds.
    pub(super) fn is_about_floats(&self, symbols: &Symbols, condition: Term) -> bool {
        symbols.has_floats
            && (self.terms.postorder([condition]).into_iter()).any(|term| {
                match self.terms.node(term) {
                    Node::Symbol(symbol) => symbols.definitions.contains_key(symbol),
                    Node::Op(Op::FpEq | Op::FpLt | Op::FpLe, _) => true,
                    _ => false,
                }
            })
    }
}

/// Whether some formulas can hold together, as a question about bit-vectors and floats, to a solver of its own.
pub(super) fn ask_about_bits(
    terms: &Arc<Terms>,
    all: Vec<Term>,
    symbols: &Symbols,
    budget: &Budget,
) -> Reply {
    let solver = match symbols.has_floats {
        true => SolverKind::Floats,
        false => SolverKind::BitVectors,
    };
    if symbols.has_floats && boxes::is_impossible(terms, &all, symbols, budget) {
        return Reply::Impossible;
    }
    let all = with_definitions(terms, all, symbols);
    let mut translation = Translation::new(terms);
    translation.extend(&symbols.ranges);
    let mut session = Session::new(
        terms.clone(),
        SessionOptions {
            solver,
            ..SessionOptions::default()
        },
    );
    session.set_purpose(PURPOSE);
    for formula in all {
        match translation.formula(formula) {
            Some(image) => session.assert(image),
            None => return Reply::Undecided,
        }
    }
    for &constraint in translation.constraints() {
        session.assert(constraint);
    }
    // To prepare a question takes time that the solver doesn't count.
    Work::units(TERM * translation.len() as u64).count();
    match session.check(budget) {
        Answer::Unsat(_) => Reply::Impossible,
        Answer::Sat(model) => Reply::Possible(translation.restore(model.assignment())),
        Answer::Unknown(_) => Reply::Undecided,
    }
}

/// Formulas, and what defines their symbols, and the symbols in that.
fn with_definitions(terms: &Terms, mut formulas: Vec<Term>, symbols: &Symbols) -> Vec<Term> {
    let mut defined: FxHashSet<Symbol> = FxHashSet::default();
    let mut next = 0;
    while next < formulas.len() {
        for term in terms.postorder([formulas[next]]) {
            if let Node::Symbol(symbol) = terms.node(term)
                && let Some(&definition) = symbols.definitions.get(symbol)
                && defined.insert(*symbol)
            {
                formulas.push(definition);
            }
        }
        next += 1;
    }
    formulas
}
