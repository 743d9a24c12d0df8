//! What a thread may still do, whatever it and others do on the way: from where it stands, in the functions that it
//! calls, and in the threads that it creates.
//!
//! This is read off the automata, with what pointers may point to ([`super::aliases`]); it is the same in all states in
//! which the thread stands there. Everything that [`Touch`] notes is in it, object by object.

use std::rc::Rc;
use std::sync::Arc;

use index_vec::IndexVec;
use rhumb_program::{
    Action, AllocKind, Builtin, Callee, Edge, ExprId, ExprKind, FuncId, LocId, Program, Scope,
    ThreadOp, Type,
};
use rustc_hash::FxHashMap;

use super::actions::{Thing, Touch};
use super::aliases::Aliases;
use super::things::{Pointee, Pointees};
use crate::proof::execution::memory::Instance;
use crate::proof::execution::state::{Frame, PathState};

/// What may still be done.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub(super) struct Ahead {
    reads: Pointees,
    writes: Pointees,
    /// Of which it is asked whether they are alive.
    looks: Pointees,
    /// Whose lifetime may end.
    ends: Pointees,
    pub(super) creates: bool,
    /// Whether it is asked which threads have ended, and with what.
    pub(super) asks_for_ends: bool,
    /// Whether something looks at all of memory.
    pub(super) sees_all: bool,
}

impl Ahead {
    /// Adds more; gives whether that was new.
    pub(super) fn add(&mut self, other: &Ahead) -> bool {
        let flags = |ahead: &Ahead| (ahead.creates, ahead.asks_for_ends, ahead.sees_all);
        let before = flags(self);
        self.creates |= other.creates;
        self.asks_for_ends |= other.asks_for_ends;
        self.sees_all |= other.sees_all;
        let contents = self.reads.add(&other.reads) | self.writes.add(&other.writes);
        let lifetimes = self.looks.add(&other.looks) | self.ends.add(&other.ends);
        contents || lifetimes || flags(self) != before
    }

    /// Whether the contents of an object may be looked at.
    pub(super) fn reads(&self, program: &Program, instance: &Instance) -> bool {
        self.sees_all || self.reads.contains(pointee(instance).number(program))
    }

    /// Whether the order of an access and of something that thread `number` may still do may matter.
    pub(super) fn meets(
        &self,
        program: &Program,
        state: &PathState,
        number: usize,
        touch: &Touch,
    ) -> bool {
        if self.sees_all {
            return true;
        }
        match touch.thing {
            Thing::Object(object) => {
                // What there is not yet nobody else can reach.
                let Some(instance) = state.instances.get(object as usize) else {
                    return false;
                };
                let place = pointee(instance).number(program);
                let (is_look, is_end) = (touch.range.is_empty(), touch.range.end == u64::MAX);
                self.ends.contains(place)
                    || !is_look && self.writes.contains(place)
                    || touch.write && self.reads.contains(place)
                    || is_end && self.looks.contains(place)
            }
            // A thread ends itself, and once.
            Thing::End(thread) if !touch.write => thread == number,
            Thing::End(_) => self.asks_for_ends,
            Thing::Threads => self.creates,
        }
    }
}

fn pointee(instance: &Instance) -> Pointee {
    match instance.origin {
        Some(object) => Pointee::Object(object),
        None => Pointee::Allocated,
    }
}

/// Where a thread stands: the places of its calls.
type Standing = Vec<(FuncId, LocId)>;

/// What may be done from every location on.
pub(super) struct Outlook<'p> {
    program: &'p Program,
    aliases: Aliases<'p>,
    /// By calls of a function, until they return.
    calls: IndexVec<FuncId, Ahead>,
    /// From each location of a function on, where somebody asked.
    locations: IndexVec<FuncId, Option<Rc<IndexVec<LocId, Ahead>>>>,
    /// By threads that stand somewhere, each with a number; and by several together.
    threads: FxHashMap<Standing, (u32, Rc<Ahead>)>,
    together: FxHashMap<Vec<u32>, Rc<Ahead>>,
}

impl<'p> Outlook<'p> {
    pub(super) fn new(program: &'p Program) -> Outlook<'p> {
        let mut outlook = Outlook {
            program,
            aliases: Aliases::new(program),
            calls: (program.functions.indices())
                .map(|function| ends_of_locals(program, function))
                .collect(),
            locations: program.functions.iter().map(|_| None).collect(),
            threads: FxHashMap::default(),
            together: FxHashMap::default(),
        };
        let mut grows = true;
        while grows {
            grows = false;
            for (function, body) in program.functions.iter_enumerated() {
                for edge in &body.cfa.edges {
                    let does = outlook.does(edge);
                    grows |= outlook.calls[function].add(&does);
                }
            }
        }
        outlook
    }

    /// What a thread with these calls under way may still do.
    pub(super) fn of(&mut self, calls: &[Arc<Frame>]) -> Rc<Ahead> {
        self.numbered(calls).1
    }

    /// What all threads together may still do.
    pub(super) fn of_all(&mut self, state: &PathState) -> Rc<Ahead> {
        let running: Vec<usize> = state.running().collect();
        let threads = running
            .iter()
            .map(|&number| self.numbered(state.calls(number)));
        let threads: Vec<(u32, Rc<Ahead>)> = threads.collect();
        let mut numbers: Vec<u32> = threads.iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let together = self.together.entry(numbers).or_insert_with(|| {
            let mut all = Ahead::default();
            for (_, ahead) in &threads {
                all.add(ahead);
            }
            Rc::new(all)
        });
        together.clone()
    }

    fn numbered(&mut self, calls: &[Arc<Frame>]) -> (u32, Rc<Ahead>) {
        let places = calls.iter().map(|frame| (frame.function, frame.location));
        let places: Standing = places.collect();
        if let Some(known) = self.threads.get(&places) {
            return known.clone();
        }
        let mut ahead = Ahead::default();
        for (depth, &(function, location)) in places.iter().enumerate() {
            let cfa = &self.program.functions[function].cfa;
            // A caller stands before its call, and goes on behind it.
            let location = match cfa.locations[location].outgoing.first() {
                Some(&edge) if depth + 1 < places.len() => cfa.edges[edge].target,
                _ => location,
            };
            let locations = self.locations(function);
            ahead.add(&locations[location]);
        }
        let numbered = (self.threads.len() as u32, Rc::new(ahead));
        self.threads.insert(places, numbered.clone());
        numbered
    }

    fn locations(&mut self, function: FuncId) -> Rc<IndexVec<LocId, Ahead>> {
        if let Some(known) = &self.locations[function] {
            return known.clone();
        }
        let cfa = &self.program.functions[function].cfa;
        let ends = ends_of_locals(self.program, function);
        let mut ahead: IndexVec<LocId, Ahead> =
            cfa.locations.iter().map(|_| ends.clone()).collect();
        for edge in &cfa.edges {
            let does = self.does(edge);
            ahead[edge.source].add(&does);
        }
        let incoming = cfa.incoming();
        let mut waiting: Vec<LocId> = cfa.locations.indices().collect();
        while let Some(location) = waiting.pop() {
            for &edge in &incoming[location] {
                let source = cfa.edges[edge].source;
                let behind = ahead[location].clone();
                if ahead[source].add(&behind) {
                    waiting.push(source);
                }
            }
        }
        let ahead = Rc::new(ahead);
        self.locations[function] = Some(ahead.clone());
        ahead
    }

    /// What an edge may do, with all that it calls and creates.
    fn does(&self, edge: &Edge) -> Ahead {
        let mut does = Ahead::default();
        (edge.action).for_each_expr(|expr| self.looks_at_lifetimes(expr, &mut does));
        match &edge.action {
            Action::Load { ptr, .. } => {
                does.reads.add(&self.aliases.of(*ptr));
            }
            Action::Store { ptr, .. }
            | Action::InputBytes { ptr, .. }
            | Action::Fill { dst: ptr, .. } => {
                does.writes.add(&self.aliases.of(*ptr));
            }
            Action::Free { ptr, .. } => {
                does.ends.add(&self.aliases.of(*ptr));
            }
            Action::Copy { dst, src, .. } => {
                does.reads.add(&self.aliases.of(*src));
                does.writes.add(&self.aliases.of(*dst));
            }
            Action::Call { callee, args, .. } => self.call(*callee, args, &mut does),
            // The ends of local objects are ahead wherever a function stands.
            Action::Enter(_) | Action::Leave(_) | Action::Return { .. } => {}
            Action::Skip
            | Action::Assume { .. }
            | Action::Assign { .. }
            | Action::Input { .. }
            | Action::Approximate { .. }
            | Action::Alloc { .. }
            | Action::Exit { .. } => {}
        }
        does
    }

    fn call(&self, callee: Callee, args: &[ExprId], does: &mut Ahead) {
        let mut includes = |functions: Vec<FuncId>| {
            for function in functions {
                does.add(&self.calls[function]);
            }
        };
        match callee {
            Callee::Function(_) | Callee::Pointer(_) => includes(self.aliases.callees(callee)),
            Callee::Builtin(Builtin::Thread(op)) => match op {
                ThreadOp::Spawn => {
                    let bodies = args.first().map(|&body| self.aliases.functions(body));
                    includes(bodies.unwrap_or_default());
                    does.creates = true;
                }
                ThreadOp::IsDone | ThreadOp::Result => does.asks_for_ends = true,
                ThreadOp::Races { .. } => {
                    if let Some(&ptr) = args.first() {
                        does.reads.add(&self.aliases.of(ptr));
                    }
                }
                ThreadOp::Yield
                | ThreadOp::AtomicBegin
                | ThreadOp::AtomicEnd
                | ThreadOp::Block
                | ThreadOp::MayWait
                | ThreadOp::Current
                | ThreadOp::End => {}
            },
            Callee::Builtin(Builtin::Leaks(_) | Builtin::Outside) => does.sees_all = true,
            // What they look at is not followed: their results may be anything.
            Callee::Builtin(_) => {}
        }
    }

    /// Questions whether objects are alive, which comparisons of pointers ask, too. (Checks of accesses are no accesses:
    /// a check that would fail later is followed by an access that ends the run as well.)
    fn looks_at_lifetimes(&self, expr: ExprId, does: &mut Ahead) {
        let exprs = &self.program.exprs;
        match exprs[expr].kind {
            ExprKind::AccessOk { ptr, .. } | ExprKind::FreeOk(ptr) => {
                does.looks.add(&self.aliases.of(ptr));
            }
            ExprKind::Binary(_, lhs, rhs) if exprs.ty(lhs) == Type::Ptr => {
                does.looks.add(&self.aliases.of(lhs));
                does.looks.add(&self.aliases.of(rhs));
            }
            _ => {}
        }
        for child in exprs.children(expr) {
            self.looks_at_lifetimes(child, does);
        }
    }
}

/// A call may end at any time, by a return or with its thread, and its objects with it.
fn ends_of_locals(program: &Program, function: FuncId) -> Ahead {
    let mut ahead = Ahead::default();
    for (id, object) in program.objects.iter_enumerated() {
        if object.scope == Scope::Local(function) {
            ahead.ends.insert(Pointee::Object(id).number(program));
        }
    }
    let mut edges = program.functions[function].cfa.edges.iter();
    if edges.any(|edge| {
        matches!(
            edge.action,
            Action::Alloc {
                kind: AllocKind::Stack,
                ..
            }
        )
    }) {
        ahead.ends.insert(Pointee::Allocated.number(program));
    }
    ahead
}
