//! Which threads may wait while others go on: orders of steps that make no difference are followed once.
//!
//! From a state some threads, a *group*, go on alone, if nothing that a thread outside of it may still do
//! ([`super::ahead`]) meets what they do next. A thread that waits is no member and does nothing either, as long as
//! nobody outside may change what it has looked at. Then in every run from here the first step of a member can be made
//! first: what others do before it neither changes it nor is changed by it. A run without such a step can make one
//! before everything else, so one of the members must be able to go on whatever the inputs are, and the run must go
//! on behind that. Either way there is a run with the same end that begins with a step of the group. That is no reason
//! to put the others off forever: there is no round of states in each of which some were put off. Where a step of the
//! group would close one, all threads go on.
//!
//! A step of a thread *leads nowhere* if others can't see what it writes, and all that the thread can do behind it is
//! to end the run without reaching anything, by steps that meet nothing that others may still do: an assumption about
//! something that is read too early. Others reach what they can reach without that step, so it is not made.
//!
//! Races and deadlocks are about threads that stand somewhere together: where somebody asks for them, only steps that
//! touch nothing that others can reach go first.

use std::rc::Rc;

use rhumb_logic::Budget;
use rhumb_program::{FuncId, LocId, Program, TargetKind};

use super::actions::Touch;
use super::ahead::Ahead;
use super::key::Key;
use super::segment::{End, Segment, Segments};
use super::{AllSchedules, Path};
use crate::proof::execution::state::PathState;

/// Steps behind one that may lead nowhere.
const BEHIND: u32 = 4;

/// Places where looking for steps that lead nowhere failed so often, and more often than it was of use, are left alone.
const TRIES: u32 = 8;

/// States that are looked at to see whether a way leads back.
const ROUND: u32 = 256;

/// What each thread that runs may still do.
pub(super) type Outlooks = Vec<(usize, Rc<Ahead>)>;

/// How often steps to a place led nowhere, and how often they didn't.
#[derive(Clone, Copy, Default)]
pub(super) struct Tries {
    nowhere: u32,
    somewhere: u32,
}

/// Whether somebody asks for races or deadlocks.
pub(super) fn asks_for_faults(program: &Program) -> bool {
    let mut targets = program.targets.iter();
    targets.any(|target| matches!(target.kind, TargetKind::Thread(_)))
}

/// What a thread does next, each with the state behind it.
fn touches(segments: &Segments) -> impl Iterator<Item = (&PathState, &Touch)> {
    segments.list.iter().flat_map(|segment| {
        let state = &segment.path.state;
        segment.touched.iter().map(move |touch| (state, touch))
    })
}

impl AllSchedules<'_> {
    /// What each thread that runs may still do.
    pub(super) fn outlooks(&mut self, state: &PathState) -> Outlooks {
        let running = state.running();
        running
            .map(|number| (number, self.outlook.of(state.calls(number))))
            .collect()
    }

    /// Whether no other thread can see, or change, what this one does next.
    pub(super) fn goes_first(
        &self,
        thread: usize,
        segments: &Segments,
        outlooks: Option<&Outlooks>,
    ) -> bool {
        let Some(outlooks) = outlooks else {
            return segments.are_invisible();
        };
        segments.always_rests()
            && (segments.list.iter()).all(|segment| {
                let state = &segment.path.state;
                let mut touched = segment.touched.iter();
                !touched.any(|touch| self.meets_others(state, thread, touch, outlooks))
            })
    }

    fn meets_others(
        &self,
        state: &PathState,
        thread: usize,
        touch: &Touch,
        outlooks: &Outlooks,
    ) -> bool {
        let others = outlooks.iter().filter(|(other, _)| *other != thread);
        let program = self.machine.program;
        let mut others = others.map(|(number, ahead)| ahead.meets(program, state, *number, touch));
        others.any(|meets| meets)
    }

    /// Leaves out the steps that lead nowhere.
    pub(super) fn leave_out_dead_ends(
        &mut self,
        thread: usize,
        segments: &mut Segments,
        outlooks: &Outlooks,
        budget: &Budget,
    ) {
        for segment in std::mem::take(&mut segments.list) {
            if self.leads_nowhere(thread, &segment, outlooks, budget) {
                segments.waits = true;
                segments.looked.extend(segment.touched);
            } else {
                segments.list.push(segment);
            }
        }
    }

    fn leads_nowhere(
        &mut self,
        thread: usize,
        segment: &Segment,
        outlooks: &Outlooks,
        budget: &Budget,
    ) -> bool {
        let state = &segment.path.state;
        let is_seen = |touch: &Touch| {
            // What is read while others write it may be something else than it is here.
            touch.is_long
                || touch.changes_threads()
                || touch.write && self.meets_others(state, thread, touch, outlooks)
        };
        if !matches!(segment.end, End::Rests) || segment.touched.iter().any(is_seen) {
            return false;
        }
        let place = place(state);
        let tries = self.tries.get(&place).copied().unwrap_or_default();
        if tries.somewhere >= TRIES && tries.somewhere > tries.nowhere {
            return false;
        }
        let ends = self.only_ends(thread, &segment.path, outlooks, BEHIND, budget);
        let tries = self.tries.entry(place).or_default();
        match ends {
            true => tries.nowhere += 1,
            false => tries.somewhere += 1,
        }
        ends
    }

    /// Whether all that a thread can do from here is to end the run, whatever others do.
    fn only_ends(
        &mut self,
        thread: usize,
        path: &Path,
        outlooks: &Outlooks,
        steps: u32,
        budget: &Budget,
    ) -> bool {
        if steps == 0 {
            return false;
        }
        let segments = self.segments(path, thread, budget);
        if segments.waits || segments.list.is_empty() {
            return false;
        }
        for segment in &segments.list {
            let state = &segment.path.state;
            let is_seen = |touch: &Touch| {
                touch.changes_threads() || self.meets_others(state, thread, touch, outlooks)
            };
            if segment.touched.iter().any(is_seen) {
                return false;
            }
            let ends = match segment.end {
                End::Harmless => true,
                End::Rests => self.only_ends(thread, &segment.path, outlooks, steps - 1, budget),
                End::Target(_) | End::Lost(..) => false,
            };
            if !ends {
                return false;
            }
        }
        true
    }

    /// The smallest group that may go on alone from here, if there is one, and not all threads are in it.
    pub(super) fn group(
        &self,
        from: &PathState,
        steps: &[(usize, Segments)],
        outlooks: &Outlooks,
    ) -> Option<Vec<usize>> {
        let starts = steps.iter().filter(|(_, segments)| segments.always_rests());
        let groups = starts.filter_map(|(thread, _)| self.group_of(*thread, from, steps, outlooks));
        groups.min_by_key(Vec::len)
    }

    fn group_of(
        &self,
        first: usize,
        from: &PathState,
        steps: &[(usize, Segments)],
        outlooks: &Outlooks,
    ) -> Option<Vec<usize>> {
        let mut group = vec![first];
        loop {
            let active = self.active(&group, from, steps, outlooks);
            if active.is_empty() {
                return None;
            }
            let members = steps.iter().filter(|(thread, _)| group.contains(thread));
            let members: Vec<&Segments> = members.map(|(_, segments)| segments).collect();
            let is_met = |number: usize, ahead: &Ahead| {
                let program = self.machine.program;
                members.iter().any(|segments| {
                    let looked = segments.looked.iter().map(|touch| (from, touch));
                    let mut all = touches(segments).chain(looked);
                    all.any(|(state, touch)| ahead.meets(program, state, number, touch))
                })
            };
            let mut more = outlooks
                .iter()
                .filter(|(number, ahead)| active.contains(number) && is_met(*number, ahead));
            match more.next() {
                Some((number, _)) => group.push(*number),
                None => return Some(group),
            }
        }
    }

    /// The threads outside of a group that may do something before a member does.
    fn active(
        &self,
        group: &[usize],
        from: &PathState,
        steps: &[(usize, Segments)],
        outlooks: &Outlooks,
    ) -> Vec<usize> {
        let outside = steps.iter().filter(|(thread, _)| !group.contains(thread));
        let (mut active, mut waiting): (Vec<_>, Vec<_>) =
            outside.partition(|(_, segments)| !segments.list.is_empty());
        let program = self.machine.program;
        loop {
            let wakes = |looked: &[Touch]| {
                outlooks.iter().any(|(number, ahead)| {
                    let is_active = active.iter().any(|(thread, _)| thread == number);
                    let mut looked = looked.iter();
                    is_active && looked.any(|touch| ahead.meets(program, from, *number, touch))
                })
            };
            let woken = waiting
                .iter()
                .position(|(_, segments)| wakes(&segments.looked));
            match woken {
                Some(position) => active.push(waiting.swap_remove(position)),
                None => return active.iter().map(|(thread, _)| *thread).collect(),
            }
        }
    }

    /// Whether no way leads back to a state from these, by states in which others were put off.
    pub(super) fn leads_on(&self, state: u32, keys: &[Key]) -> bool {
        let known = keys.iter().filter_map(|key| self.seen.get(key));
        let mut waiting: Vec<u32> = known.copied().collect();
        for _ in 0..ROUND {
            match waiting.pop() {
                None => return true,
                Some(next) if next == state => return false,
                Some(next) => waiting.extend(self.put_off.get(&next).into_iter().flatten()),
            }
        }
        false
    }
}

/// Where the thread that went on last stands.
fn place(state: &PathState) -> (FuncId, LocId) {
    let frame = state.frames.last();
    frame.map_or((FuncId::new(0), LocId::new(0)), |frame| {
        (frame.function, frame.location)
    })
}
