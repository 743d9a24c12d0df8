//! Deciding verification conditions.
//!
//! A condition is tried with mathematical integers first, or, if it has bits of variables, with bit-vectors; then with
//! the other; then again with both, with more work. Where there are products, it is tried with any numbers in their
//! place before everything else.

use std::sync::Arc;

use rhumb_logic::session::{Answer, Purpose, Session, SessionOptions, SolverKind, Unknown};
use rhumb_logic::{Assignment, Budget, Node, Op, Symbol, Term, Terms, Value, Work, eval};
use rhumb_program::{IndexVec, VarId};

use super::bits::Translation;
use super::condition::{Batch, Condition};
use super::encode::Range;
use super::products::{Distribution, Products};
use super::reject::{Failure, Rejected};
use super::subject::Subject;

/// The first attempt at a condition takes at most that much work; each further round twice as much as the one before.
const FIRST_ATTEMPT: Work = Work::secs(2);

/// Rounds: more than any deadline leaves time for.
const ROUNDS: u32 = 16;

/// Who is told what has to be shown: the solver, or whoever writes it down.
pub(super) trait Judge {
    /// Says what is known of the sizes of symbols.
    fn bound(&mut self, ranges: &[(Symbol, Range)]);

    /// Asserts something for good.
    fn assert(&mut self, formula: Term);

    /// Whether formulas may hold together with what is asserted for good: unless it is known that they can't.
    fn may_hold(&mut self, formulas: &[Term]) -> bool;

    /// Shows all conditions of a batch, or says which one fails.
    fn show(&mut self, batch: &Batch) -> Result<(), Rejected>;
}

/// A solver for conditions, and what it has done.
pub(super) struct Solver<'p> {
    subject: &'p Subject<'p>,
    terms: &'p Arc<Terms>,
    symbols: &'p IndexVec<VarId, Symbol>,
    budget: &'p Budget,
    distribution: Distribution,
    integers: Session,
    bits: Bits,
    opaque: WithoutProducts,
    /// What is asserted for good.
    asserted: Vec<Term>,
    /// Conditions that were shown.
    pub(super) shown: usize,
}

/// The way of asking about bit-vectors.
struct Bits {
    session: Session,
    translation: Translation,
    /// How much of what is asserted for good the session has been told; likewise of what is assumed of symbols.
    told: usize,
    constrained: usize,
    /// Whether something is asserted for good that it can't be told.
    is_lost: bool,
}

/// The way of asking with any numbers in the place of products.
struct WithoutProducts {
    session: Session,
    products: Products,
    /// How much of what is asserted for good the session has been told.
    told: usize,
}

/// The answer to a question.
enum Decided {
    Impossible,
    Possible(Assignment),
    Unknown(Unknown),
}

/// What questions are asked about.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Way {
    Integers,
    Bits,
    /// Integers, with products left open.
    Opaque,
}

impl<'p> Solver<'p> {
    pub(super) fn new(
        subject: &'p Subject<'p>,
        terms: &'p Arc<Terms>,
        symbols: &'p IndexVec<VarId, Symbol>,
        budget: &'p Budget,
    ) -> Solver<'p> {
        let session = |solver: SolverKind| {
            let options = SessionOptions {
                solver,
                ..SessionOptions::default()
            };
            let mut session = Session::new(terms.clone(), options);
            session.set_purpose(Purpose("certify"));
            session
        };
        Solver {
            subject,
            terms,
            symbols,
            budget,
            distribution: Distribution::new(terms),
            integers: session(SolverKind::Incremental),
            bits: Bits {
                session: session(SolverKind::BitVectors),
                translation: Translation::new(terms),
                told: 0,
                constrained: 0,
                is_lost: false,
            },
            opaque: WithoutProducts {
                session: session(SolverKind::Incremental),
                products: Products::new(terms),
                told: 0,
            },
            asserted: Vec::new(),
            shown: 0,
        }
    }

    /// Number of queries so far.
    pub(super) fn queries(&self) -> u64 {
        let sessions = [&self.integers, &self.bits.session, &self.opaque.session];
        let queries = sessions.map(|session| session.statistics().total().queries());
        queries.iter().sum()
    }

    /// All together first: usually they hold. Then one by one, to name the one that doesn't.
    fn show_open(&mut self, batch: &Batch, open: &[&Condition]) -> Result<(), Rejected> {
        if open.is_empty() {
            return Ok(());
        }
        let goals = open.iter().flat_map(|condition| &condition.formulas);
        let ways = self.ways(batch.common.iter().chain(goals).copied());
        if open.len() > 1 {
            let each = open
                .iter()
                .map(|condition| self.terms.and(condition.formulas.iter().copied()));
            let any = self.terms.or(each.collect::<Vec<Term>>());
            let quick = self.budget.within(FIRST_ATTEMPT);
            let formulas: Vec<Term> = batch.common.iter().copied().chain([any]).collect();
            if self.is_impossible(&ways, &formulas, &quick) {
                return Ok(());
            }
        }
        for condition in open {
            let formulas = batch.common.iter().chain(&condition.formulas);
            let formulas: Vec<Term> = formulas.copied().collect();
            match self.decide(&ways, &formulas) {
                Decided::Impossible => {}
                Decided::Possible(values) => {
                    let failure = self.failure(condition, &formulas, &values);
                    return Err(Rejected::Fails(Box::new(failure)));
                }
                Decided::Unknown(reason) => {
                    return Err(Rejected::Undecided {
                        obligation: Box::new(condition.about.obligation(self.subject, self.terms)),
                        reason,
                    });
                }
            }
        }
        Ok(())
    }

    /// Which of these conditions of a batch are not shown, by their places; none if all are. Not necessarily all that
    /// are wrong, but at least one.
    pub(super) fn unshown(&mut self, batch: &Batch, places: &[usize]) -> Vec<usize> {
        let terms = self.terms;
        let open = |place: &&usize| !is_false(terms, &batch.conditions[**place].formulas);
        let open: Vec<usize> = places.iter().filter(open).copied().collect();
        if open.is_empty() {
            return Vec::new();
        }
        let each = |place: &usize| terms.and(batch.conditions[*place].formulas.iter().copied());
        let each: Vec<Term> = open.iter().map(each).collect();
        let any = terms.or(each.iter().copied());
        let formulas: Vec<Term> = batch.common.iter().copied().chain([any]).collect();
        let ways = self.ways(formulas.iter().copied());
        let quick = self.budget.within(FIRST_ATTEMPT);
        match self.first(&ways, &formulas, &quick) {
            Decided::Impossible => return Vec::new(),
            Decided::Possible(values) => {
                let fails = each.iter().map(|&term| eval::holds(terms, term, &values));
                let fails = open.iter().zip(fails).filter(|(_, fails)| *fails);
                let fails: Vec<usize> = fails.map(|(&place, _)| place).collect();
                if !fails.is_empty() {
                    return fails;
                }
            }
            Decided::Unknown(_) => {}
        }
        let is_unshown = |place: &usize| {
            let conditions = &batch.conditions[*place].formulas;
            let formulas: Vec<Term> = batch.common.iter().chain(conditions).copied().collect();
            let quick = self.budget.within(FIRST_ATTEMPT);
            !self.is_impossible(&ways, &formulas, &quick)
        };
        open.into_iter().filter(is_unshown).collect()
    }

    /// The answer of the first way, if it has one, or of the next.
    fn first(&mut self, ways: &[Way], formulas: &[Term], budget: &Budget) -> Decided {
        match ways {
            [Way::Opaque, way, ..] => match self.ask(Way::Opaque, formulas, budget) {
                Decided::Impossible => Decided::Impossible,
                _ => self.ask(*way, formulas, budget),
            },
            [way, ..] => self.ask(*way, formulas, budget),
            [] => Decided::Unknown(Unknown::Timeout),
        }
    }

    fn is_impossible(&mut self, ways: &[Way], formulas: &[Term], budget: &Budget) -> bool {
        matches!(self.first(ways, formulas, budget), Decided::Impossible)
    }

    /// The ways, the one that suits the formulas best first.
    fn ways(&self, formulas: impl Iterator<Item = Term>) -> Vec<Way> {
        // Bits of variables, and products that wrap, are nothing for arithmetic.
        let (mut bits, mut product, mut remainder) = (false, false, false);
        for term in self.terms.postorder(formulas) {
            match self.terms.node(term) {
                Node::Product(..) => product = true,
                Node::Div(..) | Node::Mod(..) | Node::Divides(..) => remainder = true,
                Node::Op(op, _) => {
                    let is_arithmetic = matches!(
                        op,
                        Op::IntDiv | Op::IntMod | Op::ToReal | Op::Floor | Op::RealAdd | Op::RealLe
                    );
                    bits |= !is_arithmetic;
                }
                _ => {}
            }
        }
        let mut ways = match product {
            true => vec![Way::Opaque],
            false => Vec::new(),
        };
        ways.extend(match bits || product && remainder {
            true => [Way::Bits, Way::Integers],
            false => [Way::Integers, Way::Bits],
        });
        ways
    }

    /// Whether formulas can hold together with what is asserted, with growing effort.
    fn decide(&mut self, ways: &[Way], formulas: &[Term]) -> Decided {
        let mut limit = FIRST_ATTEMPT;
        let mut ways = ways.to_vec();
        let mut last = Unknown::Timeout;
        for _ in 0..ROUNDS {
            if ways.is_empty() || self.budget.is_spent() {
                break;
            }
            let mut left = Vec::new();
            for way in ways {
                match self.ask(way, formulas, &self.budget.within(limit)) {
                    Decided::Unknown(reason) => {
                        if reason == Unknown::Units {
                            left.push(way);
                        }
                        last = reason;
                    }
                    decided => return decided,
                }
            }
            ways = left;
            limit = limit * 2;
        }
        Decided::Unknown(last)
    }

    fn ask(&mut self, way: Way, formulas: &[Term], budget: &Budget) -> Decided {
        match way {
            Way::Integers => {
                let formulas = formulas
                    .iter()
                    .map(|&formula| self.distribution.apply(formula));
                let formulas: Vec<Term> = formulas.collect();
                match ask(&mut self.integers, &formulas, budget) {
                    Answer::Unsat(_) => Decided::Impossible,
                    Answer::Sat(model) => Decided::Possible(model.into_assignment()),
                    Answer::Unknown(reason) => Decided::Unknown(reason),
                }
            }
            Way::Bits => self.bits.ask(&self.asserted, formulas, budget),
            Way::Opaque => self.ask_opaque(formulas, budget),
        }
    }

    /// Only whether formulas are impossible whatever products are, but for equations that are multiplied.
    fn ask_opaque(&mut self, formulas: &[Term], budget: &Budget) -> Decided {
        let WithoutProducts {
            session,
            products,
            told,
        } = &mut self.opaque;
        for &formula in &self.asserted[*told..] {
            session.assert(products.left_open(formula));
        }
        *told = self.asserted.len();
        let lemmas = products.lemmas(self.asserted.iter().chain(formulas).copied());
        let formulas = (formulas.iter()).map(|&formula| products.left_open(formula));
        let formulas: Vec<Term> = formulas.chain(lemmas).collect();
        match ask(session, &formulas, budget) {
            Answer::Unsat(_) => Decided::Impossible,
            Answer::Sat(_) => {
                Decided::Unknown(Unknown::Incomplete("products left open".to_owned()))
            }
            Answer::Unknown(reason) => Decided::Unknown(reason),
        }
    }

    /// What a model says about the program's variables.
    fn failure(&self, condition: &Condition, formulas: &[Term], values: &Assignment) -> Failure {
        let used = self.terms.symbols(formulas.iter().copied());
        let before = self.symbols.iter_enumerated().filter_map(|(var, symbol)| {
            used.binary_search(symbol).ok()?;
            let value = values.get(symbol).cloned();
            let value = value.unwrap_or(Value::Int(rhumb_logic::Int::ZERO));
            Some(self.subject.shown(var, value))
        });
        let after = condition.after.iter().filter_map(|&(var, term)| {
            let value = eval::evaluate(self.terms, term, values)?;
            Some(self.subject.shown(var, value))
        });
        Failure {
            obligation: condition.about.obligation(self.subject, self.terms),
            before: before.collect(),
            after: after.collect(),
        }
    }
}

impl Judge for Solver<'_> {
    fn bound(&mut self, ranges: &[(Symbol, Range)]) {
        self.bits.translation.extend(ranges);
    }

    fn assert(&mut self, formula: Term) {
        let distributed = self.distribution.apply(formula);
        self.integers.assert(distributed);
        self.asserted.push(formula);
    }

    fn may_hold(&mut self, formulas: &[Term]) -> bool {
        if formulas.is_empty() {
            return true;
        }
        let quick = self.budget.within(FIRST_ATTEMPT);
        let ways = self.ways(formulas.iter().copied());
        !is_false(self.terms, formulas) && !self.is_impossible(&ways, formulas, &quick)
    }

    fn show(&mut self, batch: &Batch) -> Result<(), Rejected> {
        let open = |condition: &&Condition| !is_false(self.terms, &condition.formulas);
        let open: Vec<&Condition> = batch.conditions.iter().filter(open).collect();
        self.show_open(batch, &open)?;
        self.shown += batch.conditions.len();
        Ok(())
    }
}

/// Whether one of the formulas is plainly false.
pub(super) fn is_false(terms: &Terms, formulas: &[Term]) -> bool {
    let mut formulas = formulas.iter();
    formulas.any(|&formula| terms.as_bool(formula) == Some(false))
}

impl Bits {
    fn ask(&mut self, asserted: &[Term], formulas: &[Term], budget: &Budget) -> Decided {
        let unbounded =
            || Decided::Unknown(Unknown::Incomplete("integers without bounds".to_owned()));
        for &formula in &asserted[self.told..] {
            match self.translation.formula(formula) {
                Some(image) => self.session.assert(image),
                None => self.is_lost = true,
            }
        }
        self.told = asserted.len();
        let images = formulas
            .iter()
            .map(|&formula| self.translation.formula(formula));
        let Some(images) = images.collect::<Option<Vec<Term>>>() else {
            return unbounded();
        };
        let constraints = self.translation.constraints();
        for &constraint in &constraints[self.constrained..] {
            self.session.assert(constraint);
        }
        self.constrained = constraints.len();
        match ask(&mut self.session, &images, budget) {
            Answer::Unsat(_) => Decided::Impossible,
            // A model of less than all that is asserted.
            Answer::Sat(_) if self.is_lost => unbounded(),
            Answer::Sat(model) => Decided::Possible(self.translation.restore(model.assignment())),
            Answer::Unknown(reason) => Decided::Unknown(reason),
        }
    }
}

fn ask(session: &mut Session, formulas: &[Term], budget: &Budget) -> Answer {
    session.push();
    for &formula in formulas {
        session.assert(formula);
    }
    let answer = session.check(budget);
    session.pop();
    answer
}
