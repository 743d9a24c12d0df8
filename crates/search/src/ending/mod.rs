//! Whether every run of a program ends.
//!
//! The question is put as one about what can be reached ([`rhumb_program::Ending`]), in two ways that take turns. A
//! state that comes back shows that a run doesn't end: that is for the engines alone. That all runs end is shown by
//! measures of loops and of recursion: those are guessed from the conditions of loops and from rounds that were seen
//! ([`guess`], [`rounds`]), and the engines say whether they are right. Where they are not, the run that shows it has
//! rounds to learn from, and the guess is another one.
//!
//! Right for loops whose conditions are about what they count, up or down, one after the other or in phases.

mod guess;
mod linear;
mod places;
mod returning;
mod rounds;

use rhumb_certify::Verdict;
use rhumb_logic::{Budget, Work};
use rhumb_program::interp::{KeyedInputs, Machine};
use rhumb_program::{Checks, Ending, Endless, Measure, Program, TargetKind, UbKind};

use crate::catalog::Entry;
use crate::decide::{decide_by_run, decide_together};
use crate::decision::{Decision, Observer};
use crate::task::Means;
use places::Places;
use returning::returning;
use rounds::{Rounds, Watching};

/// What a first look for a state that comes back may take; later ones have twice as much each.
const FIRST_LOOK: Work = Work::secs(2);

/// What is tried for one guess, at first.
const FIRST_GUESS: Work = Work::secs(6);

/// Rounds that are as good as none.
const ROUNDS: u64 = 1 << 40;

/// More than anybody has.
const MOST: Work = Work::secs(1 << 20);

/// Of guesses that fit as well so many have their turn.
const TURNS: usize = 8;

/// Guesses that are found wrong, before others have their turn again.
const CORRECTIONS: usize = 12;

/// How a question about the end of runs was decided: the checks that were asked for, the program with them, and what is
/// known of it.
pub struct EndingDecision {
    /// What was asked in the end.
    pub checks: Checks,
    /// The program with it.
    pub program: Program,
    /// What is known of that.
    pub decision: Decision,
}

/// Decides whether all runs of a program end that has no targets of its own. A run that ends in an overflow is one that
/// nobody should have: where there is one, and overflows are not defined otherwise, nothing is said.
pub fn decide_ending(
    program: &Program,
    has_overflows: bool,
    engine: &Entry,
    means: Means,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> EndingDecision {
    let places = Places::of(program);
    let watching = Watching::of(program, &places);
    let mut search = Search {
        program,
        has_overflows,
        engine,
        means,
        observer,
        places: &places,
        rounds: Rounds::new(&watching),
        turn: 0,
        lacked_work: false,
        open: None,
    };
    search.rounds.stumble();
    if let Some(found) = search.returns(&KeyedInputs::new(), budget) {
        return found;
    }
    let (mut look, mut share) = (FIRST_LOOK, FIRST_GUESS);
    // Who has found nothing, and wouldn't with more work, has no other turn.
    let (mut may_repeat, mut may_be_measured, mut may_be_counted) = (true, true, true);
    while may_repeat || may_be_measured || may_be_counted {
        if may_repeat {
            let budget = budget.within(look);
            if let Some(found) = search.repeats(&budget) {
                return found;
            }
            may_repeat = budget.is_spent();
        }
        if may_be_measured {
            search.lacked_work = false;
            if let Some(found) = search.measures(share, budget) {
                return found;
            }
            may_be_measured = search.lacked_work;
            search.turn += 1;
        }
        if may_be_counted {
            let budget = budget.within(look);
            if let Some(found) = search.counted(&budget) {
                return found;
            }
            may_be_counted = budget.is_spent();
        }
        if budget.is_spent() {
            break;
        }
        (look, share) = ((look * 2).min(MOST), (share * 2).min(MOST));
    }
    search
        .open
        .unwrap_or_else(|| unknown(program, "out of time"))
}

fn unknown(program: &Program, reason: &str) -> EndingDecision {
    let checks = Checks {
        ending: Some(Ending::Asked),
        ..Checks::none()
    };
    EndingDecision {
        program: checks.apply(program.clone()),
        checks,
        decision: Decision::unknown(reason.to_owned()),
    }
}

struct Search<'a> {
    program: &'a Program,
    has_overflows: bool,
    engine: &'a Entry,
    means: Means,
    observer: &'a mut dyn Observer,
    places: &'a Places,
    rounds: Rounds<'a>,
    /// How often measures had their turn.
    turn: usize,
    /// Whether a guess was left open for want of work.
    lacked_work: bool,
    /// What is to be said if nothing else is found.
    open: Option<EndingDecision>,
}

impl Search<'_> {
    /// Asks one question.
    fn ask(&mut self, ending: Ending, budget: &Budget) -> EndingDecision {
        let (checks, program) = self.question(ending);
        let (engine, observer) = (self.engine, &mut *self.observer);
        let decision = decide_together(&program, engine, self.means, budget, observer);
        EndingDecision {
            checks,
            program,
            decision,
        }
    }

    fn question(&self, ending: Ending) -> (Checks, Program) {
        let mut checks = Checks::none();
        if self.has_overflows && matches!(ending, Ending::Measured(_) | Ending::Counted(_)) {
            checks.undefined.insert(UbKind::SignedOverflow);
        }
        checks.ending = Some(ending);
        let program = checks.apply(self.program.clone());
        (checks, program)
    }

    /// A state that comes back in a run on inputs that stay the same, from the known ones on.
    fn returns(&mut self, known: &KeyedInputs, budget: &Budget) -> Option<EndingDecision> {
        let (checks, program) = self.question(Ending::Repeated);
        let find = |machine: &Machine<'_>| returning(machine, known);
        let (engine, observer) = (self.engine, &mut *self.observer);
        let decision = decide_by_run(&program, engine, self.means, budget, observer, find);
        matches!(decision.verdict, Verdict::Unsafe(_)).then_some(EndingDecision {
            checks,
            program,
            decision,
        })
    }

    /// A state that comes back.
    fn repeats(&mut self, budget: &Budget) -> Option<EndingDecision> {
        let found = self.ask(Ending::Repeated, budget);
        match &found.decision.verdict {
            Verdict::Unsafe(_) => Some(found),
            // That no state comes back says little: only those that are looked at count.
            Verdict::Safe(_) => None,
            Verdict::Unknown(reason) => {
                self.leave_open(&reason.clone());
                None
            }
        }
    }

    /// All runs, followed to their ends.
    fn counted(&mut self, budget: &Budget) -> Option<EndingDecision> {
        let found = self.ask(Ending::Counted(ROUNDS), budget);
        match &found.decision.verdict {
            Verdict::Safe(_) => Some(found),
            // So many rounds say nothing.
            Verdict::Unsafe(_) | Verdict::Unknown(_) => None,
        }
    }

    /// Measures that are right: with overflows forbidden, or, if there are some, coming round.
    fn measures(&mut self, share: Work, budget: &Budget) -> Option<EndingDecision> {
        let found = self.corrected(Ending::Measured, share, budget);
        if found.is_some() || !self.has_overflows || budget.is_spent() {
            return found;
        }
        self.corrected(Ending::MeasuredWrapping, share, budget)
    }

    /// Guesses, each one of which knows the rounds that showed the one before to be wrong.
    fn corrected(
        &mut self,
        ending: fn(Vec<Measure>) -> Ending,
        share: Work,
        budget: &Budget,
    ) -> Option<EndingDecision> {
        let Some(mut measures) = guess::measures(self.places, &self.rounds, self.turn) else {
            self.leave_open("no measure is known that falls from round to round of a loop");
            return None;
        };
        for _ in 0..CORRECTIONS {
            tracing::debug!("{}", ending(measures.clone()));
            let own = budget.within(share);
            let found = self.ask(ending(measures.clone()), &own);
            let error = match &found.decision.verdict {
                Verdict::Safe(_) => return Some(found),
                Verdict::Unknown(reason) => {
                    self.lacked_work |= own.is_spent();
                    self.leave_open(&reason.clone());
                    return None;
                }
                Verdict::Unsafe(certified) => certified.evidence(),
            };
            let kind = &found.program.targets[error.target].kind;
            if *kind == TargetKind::Undefined(UbKind::BadRead) {
                self.lacked_work = true;
                self.leave_open("no measure is known of what can be read at the head of a loop");
                return None;
            }
            if *kind != TargetKind::Endless(Endless::Uncounted) {
                self.leave_open(&format!("a run ends in undefined behaviour: {kind}"));
                return None;
            }
            self.rounds.follow(&error.inputs);
            if let Some(found) = self.returns(&error.inputs.clone(), &own) {
                return Some(found);
            }
            match guess::measures(self.places, &self.rounds, self.turn) {
                Some(other) if other != measures => measures = other,
                _ => {
                    // Others may fit as well.
                    self.lacked_work |= self.turn < TURNS;
                    self.leave_open("no measure is known that falls in all rounds of a loop");
                    return None;
                }
            }
            if budget.is_spent() {
                return None;
            }
        }
        None
    }

    fn leave_open(&mut self, reason: &str) {
        self.open = Some(unknown(self.program, reason));
    }
}
