//! A run that is led along a way through the functions of a program.
//!
//! Right for errors that many runs of a large program reach, if only somebody chooses their inputs: the way says where
//! to go, and the values that lead there follow from its conditions. Pointers that come from outside point to objects
//! of others, each made when it is first used. Calls that the way doesn't enter are executed, too, as shortly as
//! possible. Where a condition of the way can't hold, the run leaves it until it is met again: what lies between may not
//! matter. Where that ends, the last choice that was free is made otherwise: within such a call, or off the way.
//! Whoever hears where a run got stuck can look for a way around ([`Avoided`](crate::proof::Avoided)).
//!
//! Nothing here is believed: whoever gets inputs has them replayed.

mod asking;
mod course;

use std::sync::Arc;

use rhumb_logic::{Assignment, Budget, Int, Term, Terms, Value as Constant, eval as terms_eval};
use rhumb_program::interp::{KeyedInputs, Others};
use rhumb_program::{Action, Callee, Cfa, EdgeId, FuncId, IndexVec, LocId, LocKind, Program};
use rustc_hash::FxHashMap;

use super::branch::Branch;
use super::eval::Machine;
use super::memory::{Instance, Kind, Source};
use super::questions::{Questions, Reply};
use super::state::Input;
use super::step::Done;
use super::{Gap, Halt, Path, inputs_of};
use crate::proof::tabulate::{CallingWay, WayStep};
use asking::Asking;
use course::{Course, Dead, Follower, Meeting, distances};

/// Steps between two looks at the budget, and what they are worth, in units.
const STRIDE: u64 = 64;
const STRIDE_WORK: u64 = 32;

/// A run has at most so many steps, with all that was given up.
const MAX_STEPS: u64 = 200_000;

/// So many choices are made otherwise, and so many are remembered.
const MAX_CHANGES: usize = 400;
const MAX_CHOICES: usize = 256;

/// A run that has gone so many steps without coming further on its way or having a choice is in a loop.
const MAX_IDLE: u32 = 8_000;

/// Models with more values are not kept for choices.
const MAX_KEPT: usize = 2000;

/// A run that has ended so often at one place will end there again: what it can choose has nothing to do with why.
const MAX_ENDS: usize = 48;

/// Pointers to a new object of others point so far into it: the program may know what lies before.
const HEAD: u64 = 4096;

/// What a run that was led along a way came to.
#[derive(Clone, PartialEq, Debug)]
pub enum Led {
    /// It reaches a target with these inputs.
    Reached(KeyedInputs),
    /// It doesn't, as far as was tried.
    Blocked {
        /// What was in the way, where it got farthest.
        why: &'static str,
        /// The edge of the way that it got to, and the function that has it.
        at: Option<(FuncId, EdgeId)>,
    },
    /// The budget is spent.
    Spent,
}

impl Led {
    fn blocked(why: &'static str) -> Led {
        Led::Blocked { why, at: None }
    }
}

/// A direction that could have been taken instead.
struct Choice {
    run: Follower,
    level: usize,
    condition: Term,
}

struct Leader<'p, 'w> {
    machine: Machine<'p>,
    questions: Asking,
    others: Others,
    way: &'w [WayStep],
    /// How far it is to the end of a function, from each of its locations.
    exits: FxHashMap<FuncId, Arc<IndexVec<LocId, u32>>>,
    choices: Vec<Choice>,
    steps: u64,
}

/// Leads a run along a way.
pub(in crate::proof) fn lead(program: &Program, way: &CallingWay, budget: &Budget) -> Led {
    let terms = Arc::new(Terms::new());
    let questions = Asking::new(terms.clone());
    let others = Others::of(program.data_model);
    let mut machine = Machine::new(program, terms);
    machine.others = program.others().map(|_| others);
    machine.follows_floats = !program.sets_rounding();
    if program.schedule().is_some() {
        return Led::blocked("threads");
    }
    let Ok(state) = machine.start() else {
        return Led::blocked("the first contents of an object");
    };
    let leader = Leader {
        machine,
        questions,
        others,
        way: &way.steps,
        exits: FxHashMap::default(),
        choices: Vec::new(),
        steps: 0,
    };
    let run = Follower {
        path: Path {
            state,
            model: Some(Assignment::default()),
            is_exact: true,
        },
        next: 0,
        course: Course::On,
        left: None,
        idle: 0,
    };
    match leader.run(run, budget) {
        Ok(inputs) => Led::Reached(inputs),
        Err(None) => Led::Spent,
        Err(Some((step, why))) => Led::Blocked {
            why,
            at: way.edge(program, step.min(way.steps.len().saturating_sub(1))),
        },
    }
}

impl Leader<'_, '_> {
    /// The inputs with which a target is reached, or the step of the way that it got to, and what was in the way.
    fn run(
        mut self,
        mut run: Follower,
        budget: &Budget,
    ) -> Result<KeyedInputs, Option<(usize, &'static str)>> {
        let mut farthest: Option<(usize, &'static str)> = None;
        let mut changes = 0;
        let mut ends: FxHashMap<(FuncId, LocId), usize> = FxHashMap::default();
        loop {
            self.steps += 1;
            if self.steps.is_multiple_of(STRIDE) {
                budget.spend(STRIDE_WORK);
                if budget.is_spent() || Questions::is_short(budget) {
                    return Err(farthest);
                }
            }
            let why = match self.go_on(&mut run, budget) {
                Ok(false) => continue,
                Ok(true) => match self.inputs(&run, budget) {
                    Some(inputs) => return Ok(inputs),
                    None => "conditions that the solver leaves open",
                },
                Err(Dead(why)) => why,
            };
            // What comes after a step that was left out may fail because of that.
            let step = match (run.left, &run.course) {
                (Some(left), _) => left,
                (None, Course::Call(_)) => run.next.saturating_sub(1),
                (None, Course::On | Course::Beside(..)) => run.next,
            };
            if farthest.is_none_or(|(farthest, _)| step > farthest) {
                farthest = Some((step, why));
            }
            changes += 1;
            let frame = run.path.state.frame();
            let here = ends.entry((frame.function, frame.location)).or_default();
            *here += 1;
            let goes_on = self.steps < MAX_STEPS && changes <= MAX_CHANGES && *here <= MAX_ENDS;
            let other = match goes_on {
                true => self.choose_otherwise(budget),
                false => None,
            };
            match other {
                Some(other) => run = other,
                None => return Err(farthest),
            }
        }
    }

    fn inputs(&mut self, run: &Follower, budget: &Budget) -> Option<KeyedInputs> {
        let model = match run.path.model.clone() {
            Some(model) => model,
            None => match (self.questions).ask_patiently(&self.machine.symbols, budget) {
                Reply::Possible(model) => model,
                Reply::Impossible | Reply::Undecided => return None,
            },
        };
        Some(inputs_of(&self.machine, &run.path.state, &model))
    }

    /// The run that makes the last choice otherwise which can be made so.
    fn choose_otherwise(&mut self, budget: &Budget) -> Option<Follower> {
        while let Some(choice) = self.choices.pop() {
            let mut run = choice.run;
            if matches!(run.course, Course::On) {
                let Some(meeting) = Meeting::of(self.machine.program, self.way, &run) else {
                    continue;
                };
                run.leave(meeting);
            }
            self.questions.pop_to(choice.level);
            let symbols = &self.machine.symbols;
            let old = run.path.model.take();
            let is_known = old.as_ref().is_some_and(|model| {
                let holds = terms_eval::evaluate(&self.machine.terms, choice.condition, model);
                holds.and_then(|holds| holds.as_bool()) == Some(true)
                    && !(self.questions).is_about_floats(symbols, choice.condition)
            });
            let model = match is_known {
                true => old.unwrap_or_default(),
                false => {
                    let (condition, old) = (choice.condition, old.as_ref());
                    match self.questions.ask(symbols, old, condition, budget) {
                        Reply::Possible(model) => model,
                        Reply::Impossible | Reply::Undecided => continue,
                    }
                }
            };
            self.questions.push();
            self.questions
                .assert(symbols_of(&self.machine), choice.condition);
            run.path.model = Some(model);
            return Some(run);
        }
        None
    }

    /// Makes a step, unless the run has decided nothing for too long. Says whether a target is reached.
    fn go_on(&mut self, run: &mut Follower, budget: &Budget) -> Result<bool, Dead> {
        let (next, choices) = (run.next, self.choices.len());
        let is_reached = self.advance(run, budget)?;
        run.idle = match run.next == next && self.choices.len() == choices {
            true => run.idle + 1,
            false => 0,
        };
        match run.idle > MAX_IDLE {
            true => Err(Dead("a loop that doesn't end")),
            false => Ok(is_reached),
        }
    }

    /// Makes a step. Says whether a target is reached.
    fn advance(&mut self, run: &mut Follower, budget: &Budget) -> Result<bool, Dead> {
        let program = self.machine.program;
        let depth = run.path.state.frames.len();
        let frame = run.path.state.frame();
        let (function, location) = (frame.function, frame.location);
        if let Course::Beside(at, meeting, _) = &run.course
            && *at == depth
            && let Some(&next) = meeting.steps.get(&location)
        {
            run.next = next;
            run.course = Course::On;
        }
        let cfa = &program.functions[function].cfa;
        let place = &cfa.locations[location];
        match place.kind {
            LocKind::Plain => {}
            LocKind::Target(_) => return Ok(true),
            LocKind::Unsupported(_) => return Err(Dead("something unsupported")),
            LocKind::Ub(_) => return Err(Dead("undefined behaviour")),
            LocKind::Exit | LocKind::End(_) | LocKind::Pruned => {
                return Err(Dead("the end of a run"));
            }
        }
        let Some(&edge) = place.outgoing.first() else {
            return Err(Dead("the end of a run"));
        };
        let step = match run.course {
            Course::On => match self.way.get(run.next) {
                Some(&step) => Some(step),
                None => return Err(Dead("the end of the way")),
            },
            Course::Call(_) | Course::Beside(..) => None,
        };
        match cfa.edges[edge].action {
            Action::Assume { .. } => self.decide(run, cfa, location, step, budget)?,
            _ => self.act(run, cfa, edge, step, budget)?,
        }
        Ok(false)
    }

    fn tell(&mut self, run: &mut Follower, inputs_before: usize) -> Result<(), Dead> {
        if std::mem::take(&mut self.machine.approximated) {
            return Err(Dead("an approximated step"));
        }
        for assumption in std::mem::take(&mut self.machine.assumed) {
            self.questions.assert(&self.machine.symbols, assumption);
        }
        // Zero is a value of each of them, and nothing else is known of them.
        if let Some(model) = &mut run.path.model {
            for input in &run.path.state.inputs[inputs_before..] {
                if let Input::Value { symbol, .. } | Input::Bytes { symbol, .. } = *input {
                    model.insert(symbol, Constant::Int(Int::ZERO));
                }
            }
        }
        Ok(())
    }

    /// Takes one of the two edges of a location.
    fn decide(
        &mut self,
        run: &mut Follower,
        cfa: &Cfa,
        location: LocId,
        step: Option<WayStep>,
        budget: &Budget,
    ) -> Result<(), Dead> {
        let &[edge, other] = &*cfa.locations[location].outgoing else {
            return Err(Dead("an assumption without a branch"));
        };
        let Action::Assume { cond, holds } = cfa.edges[edge].action else {
            return Err(Dead("an assumption without a branch"));
        };
        let inputs = run.path.state.inputs.len();
        let truth = match self.machine.truth(&run.path.state, cond) {
            Ok(truth) => truth,
            Err(halt) => return self.halted(run, halt, budget),
        };
        self.tell(run, inputs)?;
        let branch =
            (self.machine).branch(&run.path.state, cfa, [edge, other], (cond, holds), truth);
        let (wanted, is_required) = match step {
            Some(WayStep::Edge(taken)) if taken == edge => (holds, true),
            Some(WayStep::Edge(taken)) if taken == other => (!holds, true),
            Some(_) => return Err(Dead("another way")),
            None => {
                run.pass(location)?;
                let mut far = |edge: EdgeId| self.distance(run, cfa.edges[edge].target);
                let (first, second) = (far(edge), far(other));
                (if first <= second { holds } else { !holds }, false)
            }
        };
        let taken = self.take(run, &branch, truth, wanted, budget)?;
        branch.go(&mut run.path.state, taken);
        if is_required && taken != wanted {
            self.leave_way(run)?;
        } else if is_required {
            run.next += 1;
        }
        Ok(())
    }

    /// Leaves the way where it can't be gone, for where it is met again: what lies between may not be needed.
    fn leave_way(&self, run: &mut Follower) -> Result<(), Dead> {
        const NO: Dead = Dead("a condition that doesn't hold");
        let frame = run.path.state.frame();
        let cfa = &self.machine.program.functions[frame.function].cfa;
        if cfa.locations[frame.location].kind != LocKind::Plain {
            return Err(NO);
        }
        let meeting = Meeting::of(self.machine.program, self.way, run).ok_or(NO)?;
        run.leave(meeting);
        Ok(())
    }

    /// How far it is to where a run wants to go, from a location of the function that goes on.
    fn distance(&mut self, run: &Follower, from: LocId) -> u32 {
        let frames = &run.path.state.frames;
        if let Course::Beside(depth, meeting, _) = &run.course
            && *depth == frames.len()
        {
            return meeting.distances[from];
        }
        let function = run.path.state.frame().function;
        let program = self.machine.program;
        let far = self.exits.entry(function).or_insert_with(|| {
            let cfa = &program.functions[function].cfa;
            Arc::new(distances(cfa, [cfa.exit].into_iter()))
        });
        far[from]
    }

    /// Goes the wanted way of a branch if that is possible, and remembers the other one. Says which one it was.
    fn take(
        &mut self,
        run: &mut Follower,
        branch: &Branch,
        truth: Term,
        wanted: bool,
        budget: &Budget,
    ) -> Result<bool, Dead> {
        let terms = self.machine.terms.clone();
        if let Some(known) = terms.as_bool(truth) {
            return Ok(known);
        }
        let side = |holds: bool| match holds {
            true => truth,
            false => terms.not(truth),
        };
        let is_open = (self.questions).is_about_floats(&self.machine.symbols, truth);
        let here = (run.path.model.as_ref())
            .filter(|_| !is_open)
            .and_then(|model| terms_eval::evaluate(&terms, truth, model)?.as_bool());
        let old = (run.path.model.as_ref()).filter(|model| model.len() <= MAX_KEPT);
        let old = old.filter(|_| !is_open).cloned();
        if here != Some(wanted) {
            let symbols = &self.machine.symbols;
            let model = run.path.model.as_ref();
            match (self.questions).ask(symbols, model, side(wanted), budget) {
                Reply::Possible(model) => run.path.model = Some(model),
                Reply::Undecided => return Err(Dead("a condition that the solver leaves open")),
                Reply::Impossible => {
                    self.questions
                        .assert(symbols_of(&self.machine), side(!wanted));
                    return Ok(!wanted);
                }
            }
        }
        self.remember(run, branch, !wanted, side(!wanted), old);
        self.questions.push();
        (self.questions).assert(symbols_of(&self.machine), side(wanted));
        Ok(wanted)
    }

    /// Remembers that a run could have gone another way, unless it would end there.
    fn remember(
        &mut self,
        run: &Follower,
        branch: &Branch,
        holds: bool,
        condition: Term,
        model: Option<Assignment>,
    ) {
        let mut state = run.path.state.clone();
        branch.go(&mut state, holds);
        let frame = state.frame();
        let cfa = &self.machine.program.functions[frame.function].cfa;
        if cfa.locations[frame.location].kind != LocKind::Plain {
            return;
        }
        if self.choices.len() >= MAX_CHOICES {
            self.choices.remove(0);
        }
        let path = Path {
            state,
            model,
            is_exact: true,
        };
        self.choices.push(Choice {
            run: Follower {
                path,
                next: run.next,
                course: run.course.clone(),
                left: run.left,
                idle: 0,
            },
            level: self.questions.level(),
            condition,
        });
    }

    /// Executes an edge that is no assumption.
    fn act(
        &mut self,
        run: &mut Follower,
        cfa: &Cfa,
        edge: EdgeId,
        step: Option<WayStep>,
        budget: &Budget,
    ) -> Result<(), Dead> {
        let (inputs, depth) = (run.path.state.inputs.len(), run.path.state.frames.len());
        let action = &cfa.edges[edge].action;
        let is_call =
            matches!(action, Action::Call { callee, .. } if !matches!(callee, Callee::Builtin(_)));
        let done = match self.machine.act(&mut run.path.state, action) {
            Ok(done) => done,
            Err(halt) => return self.halted(run, halt, budget),
        };
        self.tell(run, inputs)?;
        match done {
            Done::Next => run.path.state.frame_mut().location = cfa.edges[edge].target,
            Done::Moved => {}
            Done::Ends | Done::Waits | Done::ThreadEnds => return Err(Dead("the end of a run")),
        }
        match step {
            Some(WayStep::Enter(taken, callee)) if taken == edge && is_call => {
                if run.path.state.frame().function != callee {
                    return Err(Dead("a call of another function"));
                }
                run.next += 1;
            }
            Some(WayStep::Edge(taken)) if taken == edge => {
                run.next += 1;
                if is_call {
                    run.course = Course::Call(depth);
                } else if run.path.state.frames.len() < depth {
                    // The way leaves the function in a step of its own.
                    run.next += 1;
                }
            }
            Some(_) => return Err(Dead("another way")),
            None => {
                let frames = run.path.state.frames.len();
                match run.course {
                    Course::Call(until) if frames == until => run.course = Course::On,
                    Course::Beside(at, ..) if frames < at => return Err(Dead("another way")),
                    _ => {}
                }
            }
        }
        Ok(())
    }

    /// Gives a number the value that has to be known, or an object of others to a pointer. The step is made again then.
    fn halted(&mut self, run: &mut Follower, halt: Halt, budget: &Budget) -> Result<(), Dead> {
        let inputs = run.path.state.inputs.len();
        self.tell(run, inputs)?;
        let terms = self.machine.terms.clone();
        let (Halt::Split(term) | Halt::Point(term)) = halt else {
            let Halt::Gap(Gap(why)) = halt else {
                return Ok(());
            };
            return Err(Dead(why));
        };
        let value =
            (run.path.model.as_ref()).and_then(|model| terms_eval::evaluate(&terms, term, model));
        let Some(Constant::Int(mut value)) = value else {
            return Err(Dead("a place or size that is not known"));
        };
        if matches!(halt, Halt::Point(_)) {
            let is_made = u64::try_from(value.clone())
                .is_ok_and(|address| self.machine.other(&run.path.state, address).is_some());
            if !is_made {
                value = self.new_object(run, term, budget)?;
            }
        }
        let condition = terms.eq(term, terms.int(value.clone()));
        (self.questions).assert(symbols_of(&self.machine), condition);
        Arc::make_mut(&mut run.path.state.pinned).insert(term, value);
        Ok(())
    }

    /// Makes a new object of others, for an address to point to.
    fn new_object(&mut self, run: &mut Follower, term: Term, budget: &Budget) -> Result<Int, Dead> {
        const NONE: Dead = Dead("a pointer that can't point to an object of others");
        let site = self.machine.program.others().ok_or(NONE)?;
        let number = run.path.state.others.len() as u64;
        let start = self.others.address(number).ok_or(NONE)?;
        let terms = &self.machine.terms;
        let address = Int::from(start + HEAD);
        let condition = terms.eq(term, terms.int(address.clone()));
        let symbols = &self.machine.symbols;
        let model = run.path.model.as_ref();
        match self.questions.ask(symbols, model, condition, budget) {
            Reply::Possible(model) => run.path.model = Some(model),
            Reply::Impossible | Reply::Undecided => return Err(NONE),
        }
        let size = self.others.size();
        let Ok(mut instance) = Instance::new(Kind::Declared, size, false) else {
            return Err(NONE);
        };
        let source = Source {
            site,
            occurrence: run.path.state.pass(site),
            offset: 0,
        };
        instance.write_fresh(terms, 0, size, source);
        let instance = run.path.state.add(instance);
        run.path.state.others.push(instance);
        Ok(address)
    }
}

fn symbols_of<'a>(machine: &'a Machine<'_>) -> &'a super::questions::Symbols {
    &machine.symbols
}
