//! Engines that take turns: the one way to say "this one first, for a part of the work, then that one".
//!
//! Right where engines are good at different things and soon know when they are not: each turn has a share of the work that is left, an engine may have
//! several turns and goes on where it was, and is made when its first one comes. [`crate::plans`] says who takes which turns.

use rhumb_logic::{Budget, Work};

use crate::claim::{Claim, Reason};
use crate::engine::{Engine, Progress, Step};

/// How an engine is made.
pub(crate) type Make<'t> = Box<dyn FnOnce() -> Box<dyn Engine + 't> + 't>;

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
    /// All that is left.
    Rest,
}

impl Share {
    fn of(self, budget: &Budget, is_last: bool) -> Budget {
        match (self, budget.left()) {
            (Share::AtMost(work, of), Some(left)) => budget.within(work.min(left / of)),
            (Share::AtMost(work, _) | Share::Only(work), _) => budget.within(work),
            (Share::Part(of), _) => budget.part(of),
            (Share::AllBut(of), Some(left)) if !is_last => budget.within(left - left / of),
            (Share::AllBut(_) | Share::Rest, _) => budget.clone(),
        }
    }
}

struct Worker<'t> {
    engine: Option<Box<dyn Engine + 't>>,
    make: Option<Make<'t>>,
    /// Whether it gave up for a reason that more work doesn't change.
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

    /// The next turn of an engine that may still come to something.
    fn next(&self) -> Option<usize> {
        let mut later = self.now + 1..self.turns.len();
        later.find(|&turn| !self.workers[self.turns[turn].0].has_finished)
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
        let (number, share) = self.turns[self.now];
        let is_last = self.next().is_none();
        let share = (self.share.take()).unwrap_or_else(|| share.of(budget, is_last));
        let worker = &mut self.workers[number];
        let step = match worker.engine() {
            Some(engine) => engine.step(&share),
            None => Step::Done(Claim::Unknown(Reason::Inconclusive)),
        };
        self.share = Some(share);
        let Step::Done(Claim::Unknown(reason)) = step else {
            return step;
        };
        worker.has_finished |= !matches!(reason, Reason::Stopped(_));
        if number == self.speaker {
            self.said = Some(reason.clone());
        }
        match !budget.is_spent() && self.advance() {
            true => Step::Working,
            false => Step::Done(Claim::Unknown(self.said.take().unwrap_or(reason))),
        }
    }

    fn go_on(&mut self) -> bool {
        let worker = &mut self.workers[self.turns[self.now].0];
        if worker.engine().is_some_and(|engine| engine.go_on()) {
            return true;
        }
        // Its evidence was not accepted: there will be no other.
        worker.has_finished = true;
        self.advance()
    }

    fn progress(&self) -> Progress {
        let worker = &self.workers[self.turns[self.now].0];
        (worker.engine.as_ref()).map_or_else(Progress::default, |engine| engine.progress())
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
        fn step(&mut self, _: &Budget) -> Step {
            self.log.borrow_mut().push(self.name);
            let reason = match self.reasons.len() {
                0 => Reason::Endless,
                _ => self.reasons.remove(0),
            };
            Step::Done(Claim::Unknown(reason))
        }

        fn progress(&self) -> Progress {
            Progress::default()
        }
    }

    fn stopped() -> Reason {
        Reason::Stopped("for now".to_owned())
    }

    /// Who was asked, and what is said at the end, where the first engine gives up like this.
    fn run(first: Vec<Reason>, turns: &[(usize, Share)], speaker: usize) -> (String, Reason) {
        let log = Rc::new(RefCell::new(Vec::new()));
        let make = |name: &'static str, reasons: Vec<Reason>| -> Make<'_> {
            let log = log.clone();
            Box::new(move || Box::new(Says { name, reasons, log }))
        };
        let engines = [make("a", first), make("b", vec![Reason::Inconclusive])];
        let mut engine = Turns::of(engines, turns, speaker);
        let budget = Budget::default();
        let reason = loop {
            if let Step::Done(Claim::Unknown(reason)) = engine.step(&budget) {
                break reason;
            }
        };
        let asked = log.borrow().concat();
        (asked, reason)
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
    }

    #[test]
    fn shares_are_of_what_is_left() {
        let whole = Budget::default().within(Work::secs(8));
        let left = |share: Share, is_last: bool| share.of(&whole, is_last).left();
        let secs = |secs: u64| Some(Work::secs(secs));
        assert_eq!(left(Share::Part(4), false), secs(2));
        assert_eq!(left(Share::AllBut(4), false), secs(6));
        assert_eq!(left(Share::AllBut(4), true), secs(8));
        assert_eq!(left(Share::AtMost(Work::secs(1), 4), false), secs(1));
        assert_eq!(left(Share::AtMost(Work::secs(5), 4), false), secs(2));
        assert_eq!(left(Share::Only(Work::secs(3)), true), secs(3));
        assert_eq!(left(Share::Rest, false), secs(8));
    }
}
