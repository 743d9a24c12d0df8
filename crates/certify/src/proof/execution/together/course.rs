//! How far a run is in the course of a program, and which of two runs is behind the other.

use std::cmp::Ordering;
use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_program::graph::LoopNest;
use rhumb_program::{FuncId, LocId, Program};
use rustc_hash::FxHashMap;

use super::super::state::PathState;

/// The places of a program in an order in which every loop is in one piece.
pub(super) struct Courses<'p> {
    program: &'p Program,
    layouts: FxHashMap<FuncId, Arc<Layout>>,
}

struct Layout {
    /// The place of each location in that order.
    places: IndexVec<LocId, u32>,
    loops: LoopNest<LocId>,
}

/// Where a run is, call by call. A run that is behind another one may still get to where that one is.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Course {
    calls: Vec<Arc<Call>>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Call {
    function: FuncId,
    at: LocId,
    place: u32,
    /// The loops around it, outermost first: their heads, and how often a run came back to each since it entered the loop.
    rounds: Vec<(LocId, u32)>,
    /// How many calls of the function are under way, as far as they are near.
    depth: u32,
    /// The most rounds of a loop, or calls of one function from itself, here and in the calls before.
    most: u32,
}

/// So many calls before one are looked at for other calls of its function.
const NEAR: usize = 64;

impl<'p> Courses<'p> {
    pub(super) fn new(program: &'p Program) -> Courses<'p> {
        Courses {
            program,
            layouts: FxHashMap::default(),
        }
    }

    /// Whether a location is the head of a loop.
    pub(super) fn is_head(&mut self, function: FuncId, at: LocId) -> bool {
        self.layout(function).loops.is_head(at)
    }

    /// Follows a run that has made a step, or begins.
    pub(super) fn follow(&mut self, course: &mut Course, state: &PathState) {
        let frames = &state.frames;
        if frames.len() <= course.calls.len() {
            course.calls.truncate(frames.len());
            if let (Some(last), Some(frame)) = (course.calls.pop(), frames.last()) {
                let call = self.moved(course, Some(&last), frame.function, frame.location);
                course.calls.push(Arc::new(call));
            }
        }
        for frame in &frames[course.calls.len()..] {
            let call = self.moved(course, None, frame.function, frame.location);
            course.calls.push(Arc::new(call));
        }
    }

    /// The newest call, behind those of a course.
    fn moved(
        &mut self,
        course: &Course,
        before: Option<&Call>,
        function: FuncId,
        at: LocId,
    ) -> Call {
        let layout = self.layout(function);
        let heads = std::iter::successors(layout.loops.innermost(at), |&head| {
            layout.loops.enclosing(head)
        });
        let mut rounds: Vec<(LocId, u32)> = heads.map(|head| (head, 0)).collect();
        rounds.reverse();
        if let Some(before) = before.filter(|call| call.function == function) {
            let common = before.rounds.iter().zip(&mut rounds);
            for (old, new) in common.take_while(|(old, new)| old.0 == new.0) {
                new.1 = old.1 + u32::from(new.0 == at);
            }
        }
        let mut near = course.calls.iter().rev().take(NEAR);
        let outer = near.find(|call| call.function == function);
        let depth = outer.map_or(1, |call| call.depth + 1);
        let inner = rounds.iter().map(|&(_, rounds)| rounds).max();
        let others = course.calls.last().map_or(0, |call| call.most);
        Call {
            function,
            at,
            place: layout.places[at],
            most: others.max(inner.unwrap_or(0)).max(depth - 1),
            depth,
            rounds,
        }
    }

    fn layout(&mut self, function: FuncId) -> Arc<Layout> {
        let program = self.program;
        let layout = self.layouts.entry(function).or_insert_with(|| {
            let cfa = &program.functions[function].cfa;
            let loops = cfa.loops();
            let order = cfa.graph().reverse_postorder(cfa.entry);
            let mut places = IndexVec::from_vec(vec![0; cfa.locations.len()]);
            for (place, &at) in (0..).zip(&loops.in_one_piece(&order)) {
                places[at] = place;
            }
            Arc::new(Layout { places, loops })
        });
        layout.clone()
    }
}

impl Course {
    /// How often a run came back to the head of one of the loops that it is in, or called one function from itself.
    pub(super) fn rounds(&self) -> u32 {
        self.calls.last().map_or(0, |call| call.most)
    }

    /// Whether the function that goes on was called from itself.
    pub(super) fn is_in_recursion(&self) -> bool {
        self.calls.last().is_some_and(|call| call.depth > 1)
    }
}

impl Ord for Course {
    /// What is behind is less.
    fn cmp(&self, other: &Course) -> Ordering {
        for (a, b) in self.calls.iter().zip(&other.calls) {
            if Arc::ptr_eq(a, b) {
                continue;
            }
            let mut order = a.function.cmp(&b.function);
            let loops = a.rounds.iter().zip(&b.rounds);
            for (a, b) in loops.take_while(|(a, b)| a.0 == b.0) {
                order = order.then(a.1.cmp(&b.1));
            }
            order = order.then(a.place.cmp(&b.place)).then(a.at.cmp(&b.at));
            if order != Ordering::Equal {
                return order;
            }
        }
        self.calls.len().cmp(&other.calls.len())
    }
}

impl PartialOrd for Course {
    fn partial_cmp(&self, other: &Course) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
