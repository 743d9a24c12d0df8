//! All runs of a program, side by side: where runs meet again, they go on as one.
//!
//! Right for programs whose loops have bounds and whose inputs decide, step after step, what is computed: bits of
//! numbers, checksums, conversions, tables, floats, state machines with a bounded number of steps. Followed one path
//! after the other ([`super::AllRuns`]), such a program has more paths than anybody can count; side by side it has as
//! many states as there are places where runs can be at one time.
//!
//! Of all runs under way those that are furthest behind go on ([`course`]), so whatever can meet does. What two states
//! hold differently is chosen by a condition ([`join`]); what can't be chosen between keeps them apart. Whether a
//! target is reached is a question about bits ([`asking`]); elsewhere a question only saves work, and what is not
//! decided is followed.
//!
//! **Invariant: every run of the program is an instance of exactly one strand, or of one that has ended.** Where a
//! strand is divided, by a condition and its negation, each run goes one way; the conditions of two strands exclude each
//! other therefore, and one that is made of two has the conditions of either.

mod align;
mod asking;
mod conditions;
mod course;
mod join;
mod spread;
mod table;

use std::sync::Arc;

use rhumb_logic::eval::Valuation;
use rhumb_logic::{Assignment, Budget, Int, Term, Terms, Value as Constant, Work};
use rhumb_program::{Action, EdgeId, FuncId, LocKind, Program, TargetId};

use super::eval::Machine;
use super::questions::Reply;
use super::state::PathState;
use super::step::Done;
use super::{Extent, Followed, Gap, Halt, STEP, STRIDE, inputs_of, value};
use asking::Asking;
use conditions::Conditions;
use course::{Course, Courses};
use spread::{VALUES, candidates};

/// Rounds of a loop, or calls of a function from itself, that are followed before what is behind the loop; then so many
/// times as many.
const ROUNDS: u32 = 8;
const MORE_ROUNDS: u32 = 4;

/// Objects and calls of two states that are compared for a unit of work.
const PARTS_PER_UNIT: usize = 16;

/// All runs of a program with one thread, side by side; following them can be interrupted.
pub struct Together<'p> {
    machine: Machine<'p>,
    courses: Courses<'p>,
    asking: Asking,
    /// What is followed, the furthest behind last.
    waiting: Vec<Strand>,
    /// What has been in a loop for more rounds than are followed at first.
    parked: Vec<Strand>,
    rounds: u32,
    extent: Extent,
    /// Whether each strand so far was followed to an end that is none of the targets.
    is_proof: bool,
    /// What there is to tell.
    news: Vec<Followed>,
}

/// Runs that are at one place and told apart by nothing but values.
struct Strand {
    state: PathState,
    course: Course,
    /// What holds for its runs and for no others.
    conditions: Conditions,
    /// Values under which its conditions hold, if some are known.
    model: Option<Arc<std::sync::Mutex<Valuation>>>,
    /// Whether nothing on the way was approximated.
    is_exact: bool,
}

impl<'p> Together<'p> {
    /// All runs, from the start of a program as lowered.
    pub fn new(program: &'p Program) -> Together<'p> {
        let terms = Arc::new(Terms::new());
        let mut machine = Machine::new(program, terms.clone());
        machine.follows_floats = !program.sets_rounding();
        machine.asks_about_bits = true;
        machine.passages = Some(0);
        let mut together = Together {
            machine,
            courses: Courses::new(program),
            asking: Asking::new(terms),
            waiting: Vec::new(),
            parked: Vec::new(),
            rounds: ROUNDS,
            extent: Extent::default(),
            is_proof: false,
            news: Vec::new(),
        };
        if program.schedule().is_none()
            && let Ok(state) = together.machine.start()
        {
            together.is_proof = true;
            let mut course = Course::default();
            together.courses.follow(&mut course, &state);
            together.waiting.push(Strand {
                state,
                course,
                conditions: Conditions::default(),
                model: Some(Arc::new(Valuation::new(Assignment::default()).into())),
                is_exact: true,
            });
        }
        together
    }

    /// What was done so far: strands that have ended, and edges that were executed.
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Strands that are under way.
    pub fn open(&self) -> usize {
        self.waiting.len() + self.parked.len()
    }

    pub(super) fn queries(&self) -> u64 {
        self.asking.asked()
    }

    /// Goes on until there is something to tell, about so much work is done, or the budget is spent.
    pub fn go_on(&mut self, budget: &Budget, slice: Work) -> Followed {
        let begin = Work::so_far();
        loop {
            if let Some(news) = self.news.pop() {
                return news;
            }
            if super::Questions::is_short(budget) || Work::since(begin) >= slice {
                return Followed::Working;
            }
            if self.extent.steps.is_multiple_of(STRIDE) {
                budget.spend(STRIDE * STEP);
                if budget.is_spent() {
                    return Followed::Working;
                }
            }
            self.extent.steps += 1;
            match self.waiting.pop() {
                Some(strand) => self.advance(strand, budget),
                None if !self.parked.is_empty() => self.unpark(),
                None if self.is_proof => return Followed::Complete(self.extent),
                None => return Followed::Incomplete,
            }
        }
    }

    fn unpark(&mut self) {
        self.rounds = self.rounds.saturating_mul(MORE_ROUNDS);
        for strand in std::mem::take(&mut self.parked) {
            self.wait(strand);
        }
    }

    /// A step of a strand; what comes of it waits.
    fn advance(&mut self, mut strand: Strand, budget: &Budget) {
        let program = self.machine.program;
        let frame = strand.state.frame();
        let (function, location) = (frame.function, frame.location);
        let cfa = &program.functions[function].cfa;
        let place = &cfa.locations[location];
        self.machine.within = None;
        match place.kind {
            LocKind::Plain => {}
            LocKind::Target(target) => return self.reached(&strand, target, budget),
            LocKind::Unsupported(id) => {
                let unsupported = &program.unsupported[id];
                let position = program.sources.position(unsupported.span);
                return self.lost(&strand, unsupported.what.to_string(), position, budget);
            }
            LocKind::Exit | LocKind::Ub(_) | LocKind::End(_) | LocKind::Pruned => {
                self.extent.paths += 1;
                return;
            }
        }
        let Some(&edge) = place.outgoing.first() else {
            self.extent.paths += 1;
            return;
        };
        if let Action::Assume { cond, holds } = cfa.edges[edge].action {
            let truth = match self.machine.truth(&strand.state, cond) {
                Ok(truth) => truth,
                Err(halt) => return self.halted(strand, halt, function, edge, budget),
            };
            self.tell(&mut strand);
            let Some(&other) = place.outgoing.get(1) else {
                let gap = Halt::Gap(Gap("an assumption without a branch"));
                return self.halted(strand, gap, function, edge, budget);
            };
            let edges = [edge, other];
            let branch = (self.machine).branch(&strand.state, cfa, edges, (cond, holds), truth);
            // Where runs go round, they would do so for ever if nobody asked; elsewhere both sides soon meet, and what
            // there are no runs for is only in the way.
            let goes_round =
                self.courses.is_head(function, location) || strand.course.is_in_recursion();
            let asks = goes_round || !self.machine.symbols.has_floats && self.asking.is_cheap();
            let [holding, failing] = self.divided(strand, truth, asks, budget);
            for (side, taken) in [(holding, true), (failing, false)] {
                if let Some(mut side) = side {
                    branch.go(&mut side.state, taken);
                    self.moved(side);
                }
            }
            return;
        }
        match self.machine.act(&mut strand.state, &cfa.edges[edge].action) {
            Ok(done) => {
                self.tell(&mut strand);
                match done {
                    Done::Next => strand.state.frame_mut().location = cfa.edges[edge].target,
                    Done::Moved => {}
                    Done::Ends if self.machine.asks_for_accesses => {
                        let gap = Halt::Gap(Gap("behaviour that no check covers"));
                        return self.halted(strand, gap, function, edge, budget);
                    }
                    Done::Ends => {
                        self.extent.paths += 1;
                        return;
                    }
                    Done::Waits | Done::ThreadEnds => {
                        let gap = Halt::Gap(Gap("threads"));
                        return self.halted(strand, gap, function, edge, budget);
                    }
                }
                self.moved(strand);
            }
            Err(halt) => self.halted(strand, halt, function, edge, budget),
        }
    }

    /// Notes whether a strand is still exact, and what is assumed of new symbols.
    fn tell(&mut self, strand: &mut Strand) {
        strand.is_exact &= !std::mem::take(&mut self.machine.approximated);
        for assumption in std::mem::take(&mut self.machine.assumed) {
            strand.conditions.push(assumption);
        }
    }

    /// A strand that has made a step: it meets those that are where it has come to, or waits.
    fn moved(&mut self, mut strand: Strand) {
        self.courses.follow(&mut strand.course, &strand.state);
        if strand.course.rounds() > self.rounds {
            self.parked.push(strand);
        } else {
            self.wait(strand);
        }
    }

    fn wait(&mut self, mut strand: Strand) {
        loop {
            let first = (self.waiting).partition_point(|other| other.course > strand.course);
            let here = self.waiting[first..].iter();
            let count = here.take_while(|it| it.course == strand.course).count();
            let mut met = None;
            for place in (first..first + count).rev() {
                if let Some(joined) = self.met(&strand, place) {
                    met = Some((place, joined));
                    break;
                }
            }
            match met {
                Some((place, joined)) => {
                    self.waiting.remove(place);
                    strand = joined;
                }
                None => {
                    self.waiting.insert(first + count, strand);
                    return;
                }
            }
        }
    }

    /// The strand of all runs of this one and of one that waits, if nothing but values tells them apart.
    fn met(&mut self, strand: &Strand, place: usize) -> Option<Strand> {
        let other = &self.waiting[place];
        let state = &strand.state;
        Work::units(((state.instances.len() + state.frames.len()) / PARTS_PER_UNIT) as u64).count();
        let (conditions, selector) =
            (strand.conditions).either(&other.conditions, &self.machine.terms)?;
        let state = (self.machine).both(selector, strand.state.clone(), other.state.clone())?;
        Some(Strand {
            state,
            course: strand.course.clone(),
            conditions,
            model: strand.model.clone().or_else(|| other.model.clone()),
            is_exact: strand.is_exact && other.is_exact,
        })
    }

    /// The runs of a strand for which a condition holds, and those for which it fails; none if `asks` and there are none.
    fn divided(
        &mut self,
        strand: Strand,
        condition: Term,
        asks: bool,
        budget: &Budget,
    ) -> [Option<Strand>; 2] {
        let terms = self.machine.terms.clone();
        match terms.as_bool(condition) {
            Some(true) => return [Some(strand), None],
            Some(false) => return [None, Some(strand)],
            None => {}
        }
        let seen = self.holds(&strand, condition);
        let mut sides = [None, None];
        for (side, holds) in sides.iter_mut().zip([true, false]) {
            let condition = if holds {
                condition
            } else {
                terms.not(condition)
            };
            let model = match seen == Some(holds) {
                true => strand.model.clone(),
                false if asks => {
                    let symbols = &self.machine.symbols;
                    let (conditions, asking) = (&strand.conditions, &mut self.asking);
                    match asking.ask_quickly(symbols, conditions, Some(condition), budget) {
                        Reply::Impossible => continue,
                        Reply::Possible(model) => Some(Arc::new(Valuation::new(model).into())),
                        Reply::Undecided => None,
                    }
                }
                false => None,
            };
            *side = Some((condition, model));
        }
        match sides {
            [Some((_, model)), None] => [Some(Strand { model, ..strand }), None],
            [None, Some((_, model))] => [None, Some(Strand { model, ..strand })],
            [a, b] => [a, b].map(|side| {
                Work::units((strand.state.instances.len() / PARTS_PER_UNIT) as u64).count();
                let (condition, model) = side?;
                let mut conditions = strand.conditions.clone();
                conditions.push(condition);
                Some(Strand {
                    state: strand.state.clone(),
                    course: strand.course.clone(),
                    conditions,
                    model,
                    is_exact: strand.is_exact,
                })
            }),
        }
    }

    /// What the values that are known for a strand say of a condition.
    fn holds(&self, strand: &Strand, condition: Term) -> Option<bool> {
        if self.machine.symbols.has_floats {
            return None;
        }
        let mut model = strand.model.as_ref()?.lock().ok()?;
        model.value(&self.machine.terms, condition)?.as_bool()
    }

    fn halted(
        &mut self,
        mut strand: Strand,
        halt: Halt,
        function: FuncId,
        edge: EdgeId,
        budget: &Budget,
    ) {
        self.tell(&mut strand);
        let what = match halt {
            Halt::Gap(gap) => gap.0,
            Halt::Point(_) => value::WILD.0,
            Halt::Split(term) => match self.split(strand, term, function, edge, budget) {
                None => return,
                Some(rest) => {
                    strand = rest;
                    "a place or size that is not known"
                }
            },
        };
        let program = self.machine.program;
        let span = program.functions[function].cfa.edges[edge].span;
        let position = program.sources.position(span);
        self.lost(&strand, what.to_owned(), position, budget);
    }

    /// Makes a step of the runs of a strand, value by value of a term; those that are too many are given back.
    fn split(
        &mut self,
        strand: Strand,
        term: Term,
        function: FuncId,
        edge: EdgeId,
        budget: &Budget,
    ) -> Option<Strand> {
        let terms = self.machine.terms.clone();
        let within = self.machine.within.take().filter(|it| it.offset == term);
        let mut rest = strand;
        if let Some(candidates) = candidates(&terms, term, within) {
            // Then there are no other values, and nobody has to be asked.
            let are_all = within.is_none_or(|it| rest.conditions.just_said(it.may));
            let edge = &self.machine.program.functions[function].cfa.edges[edge];
            if let Some(within) = within.filter(|_| are_all && candidates.len() > 1)
                && let Some(state) =
                    (self.machine).access_any(&rest.state, &edge.action, within, &candidates)
            {
                rest.state = state;
                rest.state.frame_mut().location = edge.target;
                self.tell(&mut rest);
                self.moved(rest);
                return None;
            }
            for value in candidates {
                rest = self.step_with(rest, term, value, false, budget)?;
            }
            if are_all {
                return None;
            }
        }
        for _ in 0..VALUES {
            let value = match self.value(&rest, term, budget) {
                Ok(value) => value?,
                Err(()) => return Some(rest),
            };
            rest = self.step_with(rest, term, value, true, budget)?;
        }
        Some(rest)
    }

    /// Makes a step of the runs of a strand in which a term has this value; gives back the others.
    fn step_with(
        &mut self,
        strand: Strand,
        term: Term,
        value: Int,
        asks: bool,
        budget: &Budget,
    ) -> Option<Strand> {
        let terms = self.machine.terms.clone();
        let is_it = terms.eq(term, terms.int(value.clone()));
        let [here, others] = self.divided(strand, is_it, asks, budget);
        if let Some(mut here) = here {
            Arc::make_mut(&mut here.state.pinned).insert(term, value);
            self.advance(here, budget);
        }
        others
    }

    /// A value that a term has in some run of a strand; none if it has no run.
    fn value(&mut self, strand: &Strand, term: Term, budget: &Budget) -> Result<Option<Int>, ()> {
        let terms = self.machine.terms.clone();
        let seen = match (&strand.model, self.machine.symbols.has_floats) {
            (Some(model), false) => model.lock().ok().and_then(|mut it| it.value(&terms, term)),
            _ => None,
        };
        let value = match seen {
            Some(value) => Some(value),
            None => {
                let (symbols, asking) = (&self.machine.symbols, &mut self.asking);
                match asking.ask_quickly(symbols, &strand.conditions, None, budget) {
                    Reply::Impossible => return Ok(None),
                    Reply::Possible(model) => Valuation::new(model).value(&terms, term),
                    Reply::Undecided => None,
                }
            }
        };
        match value {
            Some(Constant::Int(value)) => Ok(Some(value)),
            _ => Err(()),
        }
    }

    /// A strand has come to a target.
    fn reached(&mut self, strand: &Strand, target: TargetId, budget: &Budget) {
        let symbols = &self.machine.symbols;
        let inputs = match self.asking.ask(symbols, &strand.conditions, budget) {
            Reply::Impossible => {
                self.extent.paths += 1;
                return;
            }
            Reply::Possible(model) => Some(inputs_of(&self.machine, &strand.state, &model)),
            Reply::Undecided => None,
        };
        self.is_proof = false;
        self.news.push(Followed::Reached { target, inputs });
    }

    /// A strand can't be followed. That doesn't matter if it has no run.
    fn lost(
        &mut self,
        strand: &Strand,
        what: String,
        position: rhumb_program::Position,
        budget: &Budget,
    ) {
        let symbols = &self.machine.symbols;
        let reply = (self.asking).ask(symbols, &strand.conditions, budget);
        if matches!(reply, Reply::Impossible) {
            self.extent.paths += 1;
            return;
        }
        self.is_proof = false;
        self.news.push(Followed::Lost {
            what,
            position: Some(position),
        });
    }
}
