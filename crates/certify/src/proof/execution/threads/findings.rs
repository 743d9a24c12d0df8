//! Data races and deadlocks, where somebody asks for them.
//!
//! A race is found where two threads stand before accesses that conflict: the one that goes first says nothing to the
//! other one. Where two accesses of some run are not ordered by what happens before what, the run can be stopped before
//! both of them without what is not needed to get there, so that there is such a state. (It needs all that orders
//! accesses to be seen by those who are ordered, and that is so: who waits reads what others have written.) Putting
//! steps off that touch nothing others can reach doesn't hide such a state: the two still stand there afterwards.

use std::ops::Range;

use rhumb_logic::Budget;
use rhumb_program::{ExprId, LocKind, Program, TargetId, TargetKind, ThreadFault};

use super::segment::{End, Segments};
use super::{AllSchedules, Found, Path};
use crate::proof::execution::Halt;
use crate::proof::execution::eval::Machine;
use crate::proof::execution::state::PathState;
use crate::proof::execution::value::{Base, Value};

/// An access that is asked about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(in crate::proof::execution) struct Note {
    instance: u32,
    range: Range<u64>,
    write: bool,
    is_atomic: bool,
    /// Where a race leads.
    pub(super) finding: LocKind,
}

impl Note {
    fn conflicts(&self, other: &Note) -> bool {
        let overlap = self.range.start < other.range.end && other.range.start < self.range.end;
        let is_same = self.instance == other.instance && overlap;
        is_same && (self.write || other.write) && !(self.is_atomic && other.is_atomic)
    }

    /// Whether anybody wants to know of it.
    fn is_asked(&self) -> bool {
        matches!(self.finding, LocKind::Target(_) | LocKind::Unsupported(_))
    }
}

impl Machine<'_> {
    /// Notes an access to what other threads may reach.
    pub(super) fn note(
        &mut self,
        state: &PathState,
        values: &[Value],
        size: Option<ExprId>,
        write: bool,
    ) -> Result<(), Halt> {
        let (Some(Value::Pointer(pointer)), Some(size)) = (values.first(), size) else {
            return Ok(());
        };
        let Base::Instance(number) = pointer.base else {
            return Ok(());
        };
        let instance = &state.instances[number as usize];
        if !instance.is_shared {
            return Ok(());
        }
        let size = self.number(state, size)?;
        let size = self.known(state, &size)?;
        // Who frees what has ended comes too late, and races with who freed it.
        if !instance.is_alive && size != u64::MAX {
            return Ok(());
        }
        let range = match size {
            u64::MAX => 0..instance.size,
            size => match u64::try_from(self.constant(state, &pointer.offset)?) {
                Ok(first) => first..first.saturating_add(size),
                Err(_) => return Ok(()),
            },
        };
        // Where it is not inside, there is no access.
        if range.end <= instance.size {
            self.noted.push(Note {
                instance: number,
                range,
                write,
                is_atomic: state.atomic > 0,
                finding: LocKind::Plain,
            });
        }
        Ok(())
    }
}

/// Whether somebody asks for deadlocks.
pub(super) fn asks_for_deadlocks(program: &Program) -> bool {
    let kind = TargetKind::Thread(ThreadFault::Deadlock);
    program.targets.iter().any(|target| target.kind == kind)
}

/// Whether some of these threads race, or one of them with others like it. Each comes with whether it stands for many.
pub(super) fn may_race(threads: &[(bool, Vec<Note>)]) -> bool {
    let mut pairs = threads
        .iter()
        .enumerate()
        .flat_map(|(number, (many, notes))| {
            let from = number + usize::from(!many);
            let others = threads[from.min(threads.len())..].iter();
            others.map(move |(_, others)| (notes, others))
        });
    pairs.any(|(notes, others)| conflict(notes, others))
}

fn conflict(notes: &[Note], others: &[Note]) -> bool {
    notes.iter().any(|note| {
        let mut others = others.iter();
        others.any(|other| note.conflicts(other) && (note.is_asked() || other.is_asked()))
    })
}

impl AllSchedules<'_> {
    /// Looks for races and deadlocks among all that threads can do from here.
    pub(super) fn look(&mut self, from: &Path, steps: &[(usize, Segments)], budget: &Budget) {
        self.look_for_deadlock(from, steps);
        for (number, (thread, segments)) in steps.iter().enumerate() {
            let notes = segments.notes();
            for (other, others) in &steps[number + 1..] {
                let others_notes = others.notes();
                if conflict(&notes, &others_notes) {
                    let first = self.race(segments, *other, &others_notes, budget);
                    let second = self.race(others, *thread, &notes, budget);
                    if !(first || second) {
                        let what = "whether two accesses race".to_owned();
                        self.found.push(Found::Lost(what, None));
                    }
                }
            }
        }
    }

    /// Lets another thread go on behind what this one does, and looks for accesses of the other one that race with it.
    /// Gives whether that finds all of them: what this one does up to an access that conflicts doesn't change whether
    /// the other one gets to its own.
    fn race(&mut self, segments: &Segments, other: usize, notes: &[Note], budget: &Budget) -> bool {
        let mut finds_all = !conflict(&segments.waiting, notes);
        for segment in &segments.list {
            if !conflict(&segment.noted, notes) {
                continue;
            }
            if !matches!(segment.end, End::Rests) {
                finds_all = false;
                continue;
            }
            let behind = self.segments(&segment.path, other, budget);
            let races = |note: &Note| segment.noted.iter().any(|first| first.conflicts(note));
            for next in &behind.list {
                for note in next.noted.iter().filter(|note| races(note)) {
                    self.found_race(next.path.clone(), note);
                }
            }
            for note in behind.waiting.iter().filter(|note| races(note)) {
                let mut path = segment.path.clone();
                path.schedule.push(other as u64 + 1);
                self.found_race(path, note);
            }
        }
        finds_all
    }

    fn found_race(&mut self, path: Path, note: &Note) {
        match note.finding {
            LocKind::Target(target) if self.raced.insert(target) => {
                self.found.push(Found::Target(path, target));
            }
            LocKind::Unsupported(id) => {
                let program = self.machine.program;
                let unsupported = &program.unsupported[id];
                let position = program.sources.position(unsupported.span);
                let what = unsupported.what.to_string();
                self.found.push(Found::Lost(what, Some(position)));
            }
            _ => {}
        }
    }

    fn look_for_deadlock(&mut self, from: &Path, steps: &[(usize, Segments)]) {
        let target = |segments: &Segments| -> Option<TargetId> {
            match segments.deadlock {
                Some(LocKind::Target(target)) => Some(target),
                _ => None,
            }
        };
        let all_wait = !steps.is_empty() && steps.iter().all(|(_, segments)| segments.waits);
        if !all_wait || steps.iter().all(|(_, segments)| target(segments).is_none()) {
            return;
        }
        if steps.iter().any(|(_, segments)| !segments.list.is_empty()) {
            let what = "whether threads wait for each other, which depends on inputs".to_owned();
            self.found.push(Found::Lost(what, None));
            return;
        }
        // They try to go on one after the other, beginning with the one that went on last; the last of them sees that nobody can.
        let count = from.state.threads.len();
        let rank = |thread: usize| (thread + count - from.state.current) % count;
        let last = steps.iter().max_by_key(|(thread, _)| rank(*thread));
        if let Some(target) = last.and_then(|(_, segments)| target(segments)) {
            self.found.push(Found::Target(from.clone(), target));
        }
    }
}
