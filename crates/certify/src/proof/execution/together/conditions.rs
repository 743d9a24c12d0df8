//! Conditions that tell runs apart, shared by all that have gone the same way so far.

use std::sync::{Arc, OnceLock};

use rhumb_logic::{Term, Terms};

/// A list of conditions that hold together; lists that were made of one another share their beginning.
#[derive(Clone, Default)]
pub(super) struct Conditions(Option<Arc<Link>>);

struct Link {
    before: Conditions,
    /// Its number in the list, from 1 on.
    number: usize,
    condition: Term,
    /// What the solver calls all of the list up to here, if it was told of it.
    name: OnceLock<Term>,
}

impl Drop for Link {
    /// Not by recursion: lists are long.
    fn drop(&mut self) {
        let mut before = std::mem::take(&mut self.before);
        while let Some(mut link) = before.0.take().and_then(Arc::into_inner) {
            before = std::mem::take(&mut link.before);
        }
    }
}

impl Conditions {
    pub(super) fn len(&self) -> usize {
        self.0.as_ref().map_or(0, |link| link.number)
    }

    /// One more condition.
    pub(super) fn push(&mut self, condition: Term) {
        let number = self.len() + 1;
        let before = std::mem::take(self);
        self.0 = Some(Arc::new(Link {
            before,
            number,
            condition,
            name: OnceLock::new(),
        }));
    }

    /// All of them, newest first.
    fn newest_first(&self) -> impl Iterator<Item = &Arc<Link>> {
        std::iter::successors(self.0.as_ref(), |link| link.before.0.as_ref())
    }

    /// The name of the list. Those parts of it that have none get one from `make`, oldest first, which is given the name
    /// of what is before, and a condition.
    pub(super) fn named(
        &self,
        mut make: impl FnMut(Option<Term>, Term) -> Option<Term>,
    ) -> Option<Term> {
        let unnamed: Vec<&Arc<Link>> = (self.newest_first())
            .take_while(|link| link.name.get().is_none())
            .collect();
        for link in unnamed.into_iter().rev() {
            let before = link
                .before
                .0
                .as_ref()
                .and_then(|link| link.name.get().copied());
            // It was seen to have none.
            let _ = link.name.set(make(before, link.condition)?);
        }
        self.0.as_ref().and_then(|link| link.name.get().copied())
    }

    /// Whether a condition is among the newest ones.
    pub(super) fn just_said(&self, condition: Term) -> bool {
        const NEWEST: usize = 64;
        let mut newest = self.newest_first().take(NEWEST);
        newest.any(|link| link.condition == condition)
    }

    /// All of them, oldest first.
    pub(super) fn all(&self) -> Vec<Term> {
        self.behind(0)
    }

    /// Those behind the first so many, oldest first.
    pub(super) fn behind(&self, common: usize) -> Vec<Term> {
        let mine = self.newest_first().take(self.len() - common);
        let mut all: Vec<Term> = mine.map(|link| link.condition).collect();
        all.reverse();
        all
    }

    /// How many of the first are the same in both.
    pub(super) fn common(&self, other: &Conditions) -> usize {
        let shorter = self.len().min(other.len());
        let mut mine = self.newest_first().skip(self.len() - shorter);
        let mut theirs = other.newest_first().skip(other.len() - shorter);
        while let (Some(a), Some(b)) = (mine.next(), theirs.next()) {
            if Arc::ptr_eq(a, b) {
                return a.number;
            }
        }
        0
    }

    /// The first so many.
    fn first(&self, count: usize) -> Conditions {
        let mut rest = self.newest_first().skip(self.len() - count);
        Conditions(rest.next().cloned())
    }

    /// What holds where these hold or those, which exclude each other; and a condition that these imply and those exclude.
    pub(super) fn either(&self, other: &Conditions, terms: &Terms) -> Option<(Conditions, Term)> {
        let common = self.common(other);
        let (mine, theirs) = (self.behind(common), other.behind(common));
        let (&first, &second) = (mine.first()?, theirs.first()?);
        let mut either = self.first(common);
        let is_fork = first == terms.not(second);
        if is_fork && mine.len() == 1 && theirs.len() == 1 {
            return Some((either, first));
        }
        let all = |list: &[Term]| terms.and(list.iter().copied());
        let selector = match is_fork {
            true => first,
            false => all(&mine),
        };
        // Where one side is only the other answer, it need not be said twice.
        either.push(match is_fork {
            true if mine.len() == 1 => terms.or([first, all(&theirs[1..])]),
            true if theirs.len() == 1 => terms.or([second, all(&mine[1..])]),
            _ => terms.or([all(&mine), all(&theirs)]),
        });
        Some((either, selector))
    }
}
