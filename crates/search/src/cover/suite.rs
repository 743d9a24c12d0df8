//! What is known about goals: tests, proofs, and what is open.

use rhumb_certify::Verdict;
use rhumb_program::interp::{KeyedInputs, Outcome};

/// Tests for goals, and proofs where there can be none. Goals are named by their numbers in the list that was asked for.
#[derive(Clone, Debug)]
pub struct Suite {
    /// About each goal.
    pub goals: Vec<Status>,
    /// The tests.
    pub tests: Vec<Test>,
    /// The proofs.
    pub proofs: Vec<Unreachable>,
}

/// What is known about a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Status {
    /// A test covers it.
    Covered,
    /// No run does; the proof of this number says so.
    Unreachable(usize),
    /// Nothing is known, for this reason.
    Open(String),
}

/// Inputs, and what the run does that the exact interpreter makes of them.
#[derive(Clone, Debug)]
pub struct Test {
    /// The inputs.
    pub inputs: KeyedInputs,
    /// The goals that it covers, in ascending order.
    pub covers: Vec<usize>,
    /// How the run ends.
    pub outcome: Outcome,
    /// After so many inputs all that it covers is covered. What follows is of no use where the run doesn't come to an end.
    pub needs: u64,
}

/// A certified proof that no run covers any of these goals.
#[derive(Clone, Debug)]
pub struct Unreachable {
    /// The goals; in the program that the proof is about they are the targets, in this order.
    pub goals: Vec<usize>,
    /// The verdict about that program.
    pub verdict: Verdict,
}

impl Suite {
    /// Nothing is known of so many goals.
    pub(super) fn nothing(goals: usize) -> Suite {
        Suite {
            goals: vec![Status::Open(String::new()); goals],
            tests: Vec::new(),
            proofs: Vec::new(),
        }
    }

    /// How many goals are covered, cannot be covered, and are open.
    pub fn count(&self) -> [usize; 3] {
        let mut count = [0; 3];
        for goal in &self.goals {
            count[match goal {
                Status::Covered => 0,
                Status::Unreachable(_) => 1,
                Status::Open(_) => 2,
            }] += 1;
        }
        count
    }

    pub(super) fn is_open(&self, goal: usize) -> bool {
        matches!(self.goals[goal], Status::Open(_))
    }

    /// Keeps a test if it covers a goal that is open. Says whether it does.
    pub(super) fn add(&mut self, test: Test) -> bool {
        let is_new = test.covers.iter().any(|&goal| self.is_open(goal));
        if is_new {
            for &goal in &test.covers {
                self.goals[goal] = Status::Covered;
            }
            self.tests.push(test);
        }
        is_new
    }

    /// Leaves out tests that are not needed: those stay that cover most of what is left, one after the other, and of
    /// these none that the others make up for.
    pub(super) fn minimise(&mut self) {
        let mut needed = vec![0_usize; self.goals.len()];
        let mut left = std::mem::take(&mut self.tests);
        let mut chosen: Vec<Test> = Vec::new();
        loop {
            let gain = |test: &Test| {
                let new = test.covers.iter().filter(|&&goal| needed[goal] == 0);
                new.count()
            };
            // Of equals the first one.
            let best = left.iter().enumerate().rev();
            let best = best.max_by_key(|(_, test)| gain(test));
            let Some((index, _)) = best.filter(|(_, test)| gain(test) > 0) else {
                break;
            };
            let test = left.remove(index);
            for &goal in &test.covers {
                needed[goal] += 1;
            }
            chosen.push(test);
        }
        let mut index = 0;
        while index < chosen.len() {
            let covers = &chosen[index].covers;
            if covers.iter().all(|&goal| needed[goal] > 1) {
                for &goal in covers {
                    needed[goal] -= 1;
                }
                chosen.remove(index);
            } else {
                index += 1;
            }
        }
        self.tests = chosen;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn test(covers: &[usize]) -> Test {
        Test {
            inputs: KeyedInputs::new(),
            covers: covers.to_vec(),
            outcome: Outcome::Exit(0),
            needs: 0,
        }
    }

    #[test]
    fn only_tests_with_something_new_are_kept() {
        let mut suite = Suite::nothing(3);
        assert!(suite.add(test(&[0, 1])));
        assert!(!suite.add(test(&[1])));
        assert!(suite.add(test(&[1, 2])));
        assert_eq!(suite.count(), [3, 0, 0]);
    }

    #[test]
    fn a_minimal_suite_covers_the_same() {
        let mut suite = Suite::nothing(5);
        for covers in [&[0][..], &[0, 1], &[1, 2], &[3], &[0, 2, 3], &[4]] {
            suite.tests.push(test(covers));
        }
        suite.minimise();
        let chosen: Vec<&[usize]> = suite.tests.iter().map(|test| &*test.covers).collect();
        assert_eq!(chosen, [&[0, 2, 3][..], &[0, 1], &[4]]);
    }

    #[test]
    fn what_later_tests_make_up_for_goes() {
        // The first choice covers most, and is not needed in the end.
        let mut suite = Suite::nothing(6);
        for covers in [&[1, 2, 3, 4][..], &[0, 1, 2], &[3, 4, 5]] {
            suite.tests.push(test(covers));
        }
        suite.minimise();
        assert_eq!(suite.tests.len(), 2);
    }
}
