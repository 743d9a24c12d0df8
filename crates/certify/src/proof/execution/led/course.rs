//! Where a run that is led is with respect to its way: on it, in a call beside it, or off it.

use std::collections::VecDeque;
use std::sync::Arc;

use rhumb_program::{Cfa, IndexVec, LocId, Program};
use rustc_hash::FxHashMap;

use super::super::Path;
use crate::proof::tabulate::WayStep;

/// Who leaves the way decides at most so often at one location before it is met again.
const MAX_PASSAGES: u32 = 3;

/// Why a run doesn't go on.
pub(super) struct Dead(pub(super) &'static str);

/// Where a run is with respect to its way.
#[derive(Clone)]
pub(super) enum Course {
    /// On it.
    On,
    /// In a call that the way doesn't enter, until so many calls are under way.
    Call(usize),
    /// Beside it, in the function where so many calls are under way, until one of these locations: there the way goes on, with this step.
    Beside(usize, Arc<Meeting>, Passages),
}

/// How often a run that is beside its way has decided at each location.
pub(super) type Passages = FxHashMap<LocId, u32>;

/// Where a way is met again.
pub(super) struct Meeting {
    pub(super) steps: FxHashMap<LocId, usize>,
    /// How far it is there.
    pub(super) distances: IndexVec<LocId, u32>,
}

/// A run under way.
pub(super) struct Follower {
    pub(super) path: Path,
    /// The next step of the way.
    pub(super) next: usize,
    pub(super) course: Course,
    /// The step at which it left the way for the first time.
    pub(super) left: Option<usize>,
    /// Steps since it came further on the way, or had a choice.
    pub(super) idle: u32,
}

impl Follower {
    /// Leaves the way until it is met again.
    pub(super) fn leave(&mut self, meeting: Meeting) {
        let depth = self.path.state.frames.len();
        self.course = Course::Beside(depth, Arc::new(meeting), Passages::default());
        self.left.get_or_insert(self.next);
    }

    /// Notes that something is decided here: who comes by again and again doesn't find back to the way.
    pub(super) fn pass(&mut self, location: LocId) -> Result<(), Dead> {
        if let Course::Beside(depth, _, passages) = &mut self.course
            && *depth == self.path.state.frames.len()
        {
            let passages = passages.entry(location).or_default();
            *passages += 1;
            if *passages > MAX_PASSAGES {
                return Err(Dead("a way that is not met again"));
            }
        }
        Ok(())
    }
}

impl Meeting {
    /// Where a way comes by again in the function that goes on.
    pub(super) fn of(program: &Program, way: &[WayStep], run: &Follower) -> Option<Meeting> {
        let cfa = &program.functions[run.path.state.frame().function].cfa;
        let mut steps = FxHashMap::default();
        let mut depth = 0;
        for (index, step) in way.iter().enumerate().skip(run.next + 1) {
            let edge = match *step {
                WayStep::Edge(edge) | WayStep::Enter(edge, _) => edge,
                WayStep::Leave(_) if depth == 0 => break,
                WayStep::Leave(_) => {
                    depth -= 1;
                    continue;
                }
            };
            if depth == 0 {
                steps.entry(cfa.edges[edge].source).or_insert(index);
            }
            depth += usize::from(matches!(step, WayStep::Enter(..)));
        }
        let distances = distances(cfa, steps.keys().copied());
        let here = run.path.state.frame().location;
        (distances[here] < u32::MAX).then_some(Meeting { steps, distances })
    }
}

/// How far it is from each location of an automaton to the nearest of some.
pub(super) fn distances(cfa: &Cfa, goals: impl Iterator<Item = LocId>) -> IndexVec<LocId, u32> {
    let mut far = IndexVec::from_vec(vec![u32::MAX; cfa.locations.len()]);
    let mut open: VecDeque<LocId> = goals.collect();
    for &goal in &open {
        far[goal] = 0;
    }
    let incoming = cfa.incoming();
    while let Some(at) = open.pop_front() {
        for &edge in &incoming[at] {
            let source = cfa.edges[edge].source;
            if far[source] == u32::MAX {
                far[source] = far[at] + 1;
                open.push_back(source);
            }
        }
    }
    far
}
