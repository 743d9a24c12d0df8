//! A story as lines to print: loops that turn often are folded.

use super::{LoopRun, Step, Story, StoryPlace};

/// A line to print.
#[derive(Clone, PartialEq, Debug)]
pub enum Line<'s> {
    /// A step.
    Step(&'s Step),
    /// Rounds of a loop that are left out.
    Folded {
        /// Where the loop begins.
        place: &'s StoryPlace,
        /// How many calls are under way.
        depth: usize,
        /// The first round that is left out, from 1.
        first: usize,
        /// The last one.
        last: usize,
        /// What changes in them: name, first value, last value.
        changes: Vec<(&'s str, &'s str, &'s str)>,
    },
}

/// A loop with more rounds than this is folded: the first ones and the last one are told.
const ROUNDS: usize = 4;
/// So many rounds are told before the fold.
const BEFORE: usize = 2;
/// So many names are told of what changes in folded rounds.
const NAMES: usize = 4;

/// The lines of a story; with all rounds of all loops if it is wanted in full.
pub fn lines(story: &Story, in_full: bool) -> Vec<Line<'_>> {
    let mut lines = Vec::new();
    if in_full {
        lines.extend(story.steps.iter().map(Line::Step));
        return lines;
    }
    let folder = Folder { story };
    folder.add(0, story.steps.len(), 0, &mut lines);
    lines
}

struct Folder<'s> {
    story: &'s Story,
}

impl<'s> Folder<'s> {
    /// Adds the steps of a range. Loops from this number on may lie in it.
    fn add(&self, from: usize, to: usize, first_loop: usize, lines: &mut Vec<Line<'s>>) {
        let mut at = from;
        let mut next = first_loop;
        while let Some((index, run)) = self.next_loop(next, at, to) {
            let begin = run.rounds[0];
            lines.extend(self.story.steps[at..begin].iter().map(Line::Step));
            let end = run.end.min(to);
            self.add_loop(index, run, end, lines);
            at = end.max(begin);
            // Loops inside of this one have been told, or folded away.
            next = index + 1;
        }
        lines.extend(self.story.steps[at..to.max(at)].iter().map(Line::Step));
    }

    fn next_loop(&self, from: usize, at: usize, to: usize) -> Option<(usize, &'s LoopRun)> {
        let loops = self.story.loops.iter().enumerate().skip(from);
        let mut loops = loops.skip_while(|(_, run)| run.rounds[0] < at);
        loops.next().filter(|(_, run)| run.rounds[0] < to)
    }

    fn add_loop(&self, index: usize, run: &'s LoopRun, end: usize, lines: &mut Vec<Line<'s>>) {
        let rounds = run.rounds.len();
        let begin_of = |round: usize| run.rounds.get(round).copied().unwrap_or(end).min(end);
        if rounds <= ROUNDS {
            for round in 0..rounds {
                self.add(begin_of(round), begin_of(round + 1), index + 1, lines);
            }
            return;
        }
        for round in 0..BEFORE {
            self.add(begin_of(round), begin_of(round + 1), index + 1, lines);
        }
        // The last one may only find that it is over: then the one before it is told, too.
        let last = begin_of(rounds - 1);
        let is_only_the_end = end <= last + 1;
        let shown = rounds - if is_only_the_end { 2 } else { 1 };
        let (from, to) = (begin_of(BEFORE), begin_of(shown));
        if let Some(first) = self.story.steps.get(from) {
            lines.push(Line::Folded {
                place: &run.place,
                depth: first.depth,
                first: BEFORE + 1,
                last: shown,
                changes: self.changes(from, to),
            });
        }
        for round in shown..rounds {
            self.add(begin_of(round), begin_of(round + 1), index + 1, lines);
        }
    }

    fn changes(&self, from: usize, to: usize) -> Vec<(&'s str, &'s str, &'s str)> {
        let mut found: Vec<(&str, &str, &str)> = Vec::new();
        let steps = &self.story.steps[from..to.max(from)];
        for change in steps.iter().flat_map(|step| &step.changes) {
            match found.iter().position(|(name, ..)| *name == change.name) {
                Some(known) => found[known].2 = &change.value,
                None if found.len() < NAMES => {
                    found.push((&change.name, &change.value, &change.value));
                }
                None => {}
            }
        }
        found
    }
}
