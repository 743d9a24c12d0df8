//! Engines that take turns: the one way to say "this one first, for a part of the work, then that one".
//!
//! Right where engines are good at different things and soon know when they are not: each turn has a share of the work
//! that is left, an engine may have several turns and goes on where it was, and is made when its first one comes.
//! [`crate::plans`] says who takes which turns. While work is left after them, there are rounds, each with twice the
//! work of the one before, for all engines that could do something with more.

use rhumb_logic::{Budget, Work};

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};
use crate::view::TreeView;

/// How an engine is made.
pub(crate) type Make<'t> = Box<dyn FnOnce() -> Box<dyn Engine + 't> + 't>;

/// What each engine may take in the first round behind all turns.
const ROUND: Work = Work::secs(4);

/// What a turn may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Share {
    /// So much, or a part of what is left if that is less: one of so many equal ones.
    AtMost(Work, u32),
    /// So much.
    Only(Work),
    /// A part of what is left: one of so many equal ones.
    Part(u32),
    /// All that is left but such a part, if anybody comes later.
    AllBut(u32),
    /// The same, but all that is left if that is no more than so much: too little to be shared.
    AllButIfMore(Work, u32),
    /// All that is left of the work that the time was shared out by. Most work takes less time than that: then there
    /// are rounds.
    Rest,
    /// All the time that is left: others come only when it gives up.
    All,
}

impl Share {
    fn of(self, budget: &Budget, is_alone: bool) -> Budget {
        if is_alone {
            return budget.clone();
        }
        match (self, budget.left()) {
            (Share::AtMost(work, of), Some(left)) => budget.within(work.min(left / of)),
            (Share::AtMost(work, _) | Share::Only(work), _) => budget.within(work),
            (Share::Part(of), _) => budget.part(of),
            (Share::All, _) => budget.clone(),
            (Share::AllButIfMore(least, _), Some(left)) if left <= least => budget.clone(),
            (Share::AllBut(of) | Share::AllButIfMore(_, of), Some(left)) => {
                budget.within(left - left / of)
            }
            (Share::Rest, Some(left)) => budget.within(left),
            (Share::AllBut(_) | Share::AllButIfMore(..) | Share::Rest, None) => budget.clone(),
        }
    }
}

struct Worker<'t> {
    engine: Option<Box<dyn Engine + 't>>,
    make: Option<Make<'t>>,
    /// Whether it gave up, and more work wouldn't change that.
    has_finished: bool,
}

impl<'t> Worker<'t> {
    fn engine(&mut self) -> Option<&mut Box<dyn Engine + 't>> {
        if let Some(make) = self.make.take() {
            self.engine = Some(make());
        }
        self.engine.as_mut()
    }
}

/// Engines, and who has which turn.
pub(crate) struct Turns<'t> {
    workers: Vec<Worker<'t>>,
    turns: Vec<(usize, Share)>,
    now: usize,
    /// What the turn may take, from its first step on.
    share: Option<Budget>,
    /// The engine whose reason is told if all give up, and what that was.
    speaker: usize,
    said: Option<Reason>,
}

impl<'t> Turns<'t> {
    /// Engines that take these turns. If all give up, it is told why that one did.
    pub(crate) fn of(
        engines: impl IntoIterator<Item = Make<'t>>,
        turns: &[(usize, Share)],
        speaker: usize,
    ) -> Box<dyn Engine + 't> {
        let worker = |make| Worker {
            engine: None,
            make: Some(make),
            has_finished: false,
        };
        Box::new(Turns {
            workers: engines.into_iter().map(worker).collect(),
            turns: turns.to_vec(),
            now: 0,
            share: None,
            speaker,
            said: None,
        })
    }

    /// Who has a turn, and what of the work; rounds come behind the turns that were planned.
    fn turn(&self, place: usize) -> (usize, Share) {
        let Some(later) = place.checked_sub(self.turns.len()) else {
            return self.turns[place];
        };
        let round = (later / self.workers.len()).min(20) as u32;
        let share = Share::Only(ROUND * (1 << round));
        (later % self.workers.len(), share)
    }

    /// The next turn of an engine that may still come to something.
    fn next(&self) -> Option<usize> {
        let first = self.now + 1;
        let mut later = first..first.max(self.turns.len()) + self.workers.len();
        later.find(|&place| !self.workers[self.turn(place).0].has_finished)
    }

    /// Whether an engine is the only one that may still come to something.
    fn is_alone(&self, number: usize) -> bool {
        let mut others = self.workers.iter().enumerate();
        others.all(|(other, worker)| other == number || worker.has_finished)
    }

    /// Goes on with the next turn. Says whether there is one.
    fn advance(&mut self) -> bool {
        self.share = None;
        let next = self.next();
        self.now = next.unwrap_or(self.now);
        next.is_some()
    }
}

impl Engine for Turns<'_> {
    fn step(&mut self, budget: &Budget) -> Step {
        let (number, share) = self.turn(self.now);
        let is_alone = self.is_alone(number);
        let share = (self.share.take()).unwrap_or_else(|| {
            tracing::debug!(
                "turn {}: engine {number} of {}, {share:?}",
                self.now,
                self.workers.len()
            );
            share.of(budget, is_alone)
        });
        let worker = &mut self.workers[number];
        let step = match worker.engine() {
            Some(engine) => engine.step(&share),
            None => Step::Done(Claim::Unknown(Reason::Inconclusive)),
        };
        let is_spent = share.is_spent();
        // Who stops with little in hand may only have found it too little to begin with.
        let is_enough =
            self.now >= self.turns.len() || share.left().is_none_or(|left| left > ROUND);
        self.share = Some(share);
        let Step::Done(Claim::Unknown(reason)) = step else {
            return step;
        };
        worker.has_finished |= !matches!(reason, Reason::Stopped(_)) || (!is_spent && is_enough);
        if number == self.speaker {
            self.said = Some(reason.clone());
        }
        match !budget.is_spent() && self.advance() {
            true => Step::Working,
            false => Step::Done(Claim::Unknown(self.said.take().unwrap_or(reason))),
        }
    }

    fn go_on(&mut self) -> bool {
        let number = self.turn(self.now).0;
        let worker = &mut self.workers[number];
        if worker.engine().is_some_and(|engine| engine.go_on()) {
            return true;
        }
        // Its evidence was not accepted: there will be no other.
        worker.has_finished = true;
        self.advance()
    }

    fn progress(&self) -> Progress {
        let worker = &self.workers[self.turn(self.now).0];
        (worker.engine.as_ref()).map_or_else(Progress::default, |engine| engine.progress())
    }

    /// That of the engine whose turn it is, or the largest of another one.
    fn tree(&self) -> Option<TreeView> {
        let of = |worker: &Worker<'_>| worker.engine.as_ref()?.tree();
        let own = of(&self.workers[self.turn(self.now).0]);
        let others = || self.workers.iter().filter_map(of);
        own.or_else(|| others().max_by_key(|tree| tree.nodes.len()))
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::rc::Rc;

    use super::*;

    /// Says who was asked, and gives up with each of its reasons in turn.
    struct Says {
        name: &'static str,
        reasons: Vec<Reason>,
        log: Rc<RefCell<Vec<&'static str>>>,
    }

    impl Engine for Says {
        fn step(&mut self, budget: &Budget) -> Step {
            self.log.borrow_mut().push(self.name);
            let reason = match self.reasons.len() {
                0 => Reason::Endless,
                _ => self.reasons.remove(0),
            };
            if reason == stopped() {
                budget.left().into_iter().for_each(Work::count);
            }
            Step::Done(Claim::Unknown(reason))
        }

        fn progress(&self) -> Progress {
            Progress::default()
        }
    }

    /// It has spent what it was given.
    fn stopped() -> Reason {
        Reason::Stopped("for now".to_owned())
    }

    /// It can do no more, whatever it is given.
    fn full() -> Reason {
        Reason::Stopped("with all that it can hold".to_owned())
    }

    /// Who was asked, and what is said at the end, where the engines give up like this.
    fn run_both(
        first: Vec<Reason>,
        second: Vec<Reason>,
        turns: &[(usize, Share)],
        speaker: usize,
    ) -> (String, Reason) {
        let log = Rc::new(RefCell::new(Vec::new()));
        let make = |name: &'static str, reasons: Vec<Reason>| -> Make<'_> {
            let log = log.clone();
            Box::new(move || Box::new(Says { name, reasons, log }))
        };
        let engines = [make("a", first), make("b", second)];
        let mut engine = Turns::of(engines, turns, speaker);
        let budget = Budget::default().within(Work::secs(40));
        let reason = loop {
            if let Step::Done(Claim::Unknown(reason)) = engine.step(&budget) {
                break reason;
            }
        };
        let asked = log.borrow().concat();
        (asked, reason)
    }

    fn run(first: Vec<Reason>, turns: &[(usize, Share)], speaker: usize) -> (String, Reason) {
        run_both(first, vec![Reason::Inconclusive], turns, speaker)
    }

    #[test]
    fn everybody_has_a_turn() {
        let turns = [(0, Share::Part(2)), (1, Share::AllBut(2)), (0, Share::Rest)];
        let asked = run(vec![stopped(), stopped()], &turns, 1);
        assert_eq!(asked, ("aba".to_owned(), Reason::Inconclusive));
        let asked = run(vec![stopped(), stopped()], &turns, 0);
        assert_eq!(asked, ("aba".to_owned(), stopped()));
    }

    #[test]
    fn who_has_finished_has_no_other_turn() {
        let turns = [(0, Share::Part(2)), (1, Share::AllBut(2)), (0, Share::Rest)];
        let asked = run(vec![Reason::Endless], &turns, 1);
        assert_eq!(asked, ("ab".to_owned(), Reason::Inconclusive));
        // The same with one that stopped, but not for want of work.
        let asked = run(vec![full()], &turns, 0);
        assert_eq!(asked, ("ab".to_owned(), full()));
    }

    #[test]
    fn nothing_is_left_while_somebody_could_use_it() {
        let turns = [
            (0, Share::Only(Work::secs(1))),
            (1, Share::Only(Work::secs(2))),
        ];
        // Behind 3 seconds of turns there are rounds of 4, 4, 8, 8, and what is left of 16.
        let always = || vec![stopped(); 10];
        let asked = run_both(always(), always(), &turns, 0);
        assert_eq!(asked, ("abababa".to_owned(), stopped()));
        // Who is left alone has all.
        let asked = run_both(always(), vec![stopped(), full()], &turns, 0);
        assert_eq!(asked, ("ababa".to_owned(), stopped()));
        // And if nobody could, that is said.
        let asked = run_both(vec![full(); 2], vec![full(); 2], &turns, 0);
        assert_eq!(asked, ("abab".to_owned(), full()));
    }

    #[test]
    fn shares_are_of_what_is_left() {
        let whole = Budget::default().within(Work::secs(8));
        let left = |share: Share, is_alone: bool| share.of(&whole, is_alone).left();
        let secs = |secs: u64| Some(Work::secs(secs));
        assert_eq!(left(Share::Part(4), false), secs(2));
        assert_eq!(left(Share::AllBut(4), false), secs(6));
        assert_eq!(left(Share::AllBut(4), true), secs(8));
        assert_eq!(left(Share::AllButIfMore(Work::secs(7), 4), false), secs(6));
        assert_eq!(left(Share::AllButIfMore(Work::secs(8), 4), false), secs(8));
        assert_eq!(left(Share::AtMost(Work::secs(1), 4), false), secs(1));
        assert_eq!(left(Share::AtMost(Work::secs(5), 4), false), secs(2));
        assert_eq!(left(Share::Only(Work::secs(3)), false), secs(3));
        assert_eq!(left(Share::Only(Work::secs(3)), true), secs(8));
        assert_eq!(left(Share::Rest, false), secs(8));
    }
}
