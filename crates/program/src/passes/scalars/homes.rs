//! The objects that may become variables, and why some don't.

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

use super::ghosts::{Plan, UNKNOWN_SIZE};
use super::pointees::{HomeId, Pointees};
use super::points_to::is_visible;
use super::unread::unread;
use super::{FIRST_ADDRESS, LAST_ADDRESS};
use crate::cfa::Action;
use crate::graph::Graph;
use crate::ids::{EdgeId, ObjectId, VarId};
use crate::model::{Program, Scope};
use crate::span::Span;

/// No object beyond this size is looked at.
const MAX_SIZE: u64 = 1 << 20;

/// Objects have at least a byte between them, and begin at multiples of this.
const GAP: u64 = 64;

/// An object of the start function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Home {
    /// A declared one.
    Declared(ObjectId),
    /// What the only passage of this edge allocates, or one of its passages.
    Allocated(EdgeId),
}

/// Why an object is no set of variables.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Refusal {
    /// A function that is called and not inlined uses it.
    Function,
    /// A call gets its address.
    Passed,
    /// Its address is stored where nobody looks.
    Stored,
    /// Its address is used as a number.
    Number,
    /// It may have ended where its address is compared with another one's.
    Ended,
    /// One access can be at too many places.
    Choices,
    /// Parts of it are read in several ways.
    Overlap,
    /// It has bit-fields.
    Bits,
    /// A part of it is copied or set whose place or size is not known.
    Copied,
    /// Others may change it.
    Outside,
    /// The allocation is made any number of times.
    Loop,
    /// It is too large, or its size is not known.
    Size,
    /// An access may be to it or to something else.
    Mixed,
}

impl Refusal {
    /// The reason, after the name of the object.
    pub fn describe(self) -> &'static str {
        match self {
            Refusal::Function => "is used in a function that is not inlined",
            Refusal::Passed => "is passed to a call that is not inlined",
            Refusal::Stored => "has its address in memory that is not followed",
            Refusal::Number => "has its address used as a number",
            Refusal::Ended => "may have ended where its address is compared",
            Refusal::Choices => "has too many elements for an unknown index",
            Refusal::Overlap => "is accessed in pieces that overlap",
            Refusal::Bits => "has bit-fields",
            Refusal::Copied => "is copied or set at an unknown place or size",
            Refusal::Outside => "may be changed by other files",
            Refusal::Loop => "is allocated any number of times",
            Refusal::Size => "is too large, or of unknown size",
            Refusal::Mixed => "is accessed through pointers to other objects, too",
        }
    }
}

/// A candidate.
#[derive(Clone, Debug)]
pub(super) struct Candidate {
    pub(super) home: Home,
    pub(super) size: u64,
    /// Where it will lie.
    pub(super) base: u64,
    /// Whether only some of its elements are followed, as a plan says.
    pub(super) ghost: bool,
    /// Whether it is one of many that the edge allocates, as a plan says.
    pub(super) many: bool,
    /// Whether nobody may read pointers in it that were not set: see [`Instances::late`](super::Instances::late).
    pub(super) late: bool,
    pub(super) refused: Option<(Refusal, Span)>,
}

impl Candidate {
    /// Its size, as far as it is known.
    pub(super) fn known_size(&self) -> u64 {
        match self.size {
            UNKNOWN_SIZE => 0,
            size => size,
        }
    }
}

/// All candidates.
pub(super) struct Homes {
    all: IndexVec<HomeId, Candidate>,
    by_home: FxHashMap<Home, HomeId>,
    visible: Vec<HomeId>,
    /// Local pointers whose inputs nobody reads.
    pub(super) unread: FxHashSet<VarId>,
    refused: usize,
    /// The next address to give away.
    next: u64,
}

impl std::ops::Index<HomeId> for Homes {
    type Output = Candidate;

    fn index(&self, id: HomeId) -> &Candidate {
        &self.all[id]
    }
}

impl Homes {
    /// The objects that the start function can name, and its allocations.
    pub(super) fn of(program: &Program, plan: &Plan) -> Homes {
        let mut homes = Homes {
            all: IndexVec::new(),
            by_home: FxHashMap::default(),
            visible: Vec::new(),
            unread: unread(program),
            refused: 0,
            next: FIRST_ADDRESS,
        };
        for (id, object) in program.objects.iter_enumerated() {
            if object.scope == Scope::Global || object.scope == Scope::Local(program.start) {
                let refused = (object.size > MAX_SIZE).then_some(Refusal::Size);
                homes.add(
                    program,
                    plan,
                    Home::Declared(id),
                    object.size,
                    refused,
                    object.decl.span,
                );
            }
        }
        let cfa = &program.functions[program.start].cfa;
        let is_alloc = |action: &Action| matches!(action, Action::Alloc { .. });
        if !cfa.edges.iter().any(|edge| is_alloc(&edge.action)) {
            return homes;
        }
        let edges = cfa.edges.iter().map(|edge| (edge.source, edge.target));
        let components = Graph::new(cfa.locations.len(), edges).components();
        for (id, edge) in cfa.edges.iter_enumerated() {
            let Action::Alloc { size, .. } = edge.action else {
                continue;
            };
            let size = program.exprs.as_int_const(size).map(|(_, bits)| bits);
            let size = size.and_then(|size| u64::try_from(size).ok());
            // On a cycle, the location before it is on it, too.
            let refused = if components.is_cyclic(edge.source) {
                Some(Refusal::Loop)
            } else {
                let is_large = size.is_none_or(|size| size > MAX_SIZE);
                is_large.then_some(Refusal::Size)
            };
            homes.add(
                program,
                plan,
                Home::Allocated(id),
                size.unwrap_or(UNKNOWN_SIZE),
                refused,
                edge.span,
            );
        }
        homes
    }

    /// The same, as if nothing spoke against any of them.
    pub(super) fn unrefused(program: &Program) -> Homes {
        let mut homes = Homes::of(program, &Plan::default());
        for candidate in &mut homes.all {
            candidate.refused = None;
        }
        homes
    }

    fn add(
        &mut self,
        program: &Program,
        plan: &Plan,
        home: Home,
        mut size: u64,
        mut refused: Option<Refusal>,
        span: Span,
    ) {
        let base = self.next;
        let ghost = plan.has(home);
        let many = refused == Some(Refusal::Loop) && size <= MAX_SIZE && plan.has_one_of(home);
        if many {
            refused = None;
        }
        if ghost && refused == Some(Refusal::Size) {
            refused = None;
        }
        if ghost && size > LAST_ADDRESS - base {
            size = UNKNOWN_SIZE;
        }
        let late = matches!(home, Home::Allocated(_)) && !ghost && plan.has_late_pointers(program);
        // Nobody looks at the bounds of an object of unknown size: it needs no room.
        let room = if ghost && size == UNKNOWN_SIZE {
            GAP
        } else {
            size
        };
        let after = (base.saturating_add(room) / GAP)
            .saturating_add(1)
            .saturating_mul(GAP);
        let refused = refused.or_else(|| (after > LAST_ADDRESS).then_some(Refusal::Size));
        if refused.is_none() {
            self.next = after;
        }
        let id = self.all.push(Candidate {
            home,
            size,
            base,
            ghost,
            many,
            late,
            refused: refused.map(|refusal| (refusal, span)),
        });
        self.by_home.insert(home, id);
        if is_visible(program, home) {
            self.visible.push(id);
        }
    }

    fn find(&self, home: Home) -> Option<HomeId> {
        let id = *self.by_home.get(&home)?;
        self.all[id].refused.is_none().then_some(id)
    }

    /// The candidate that a declared object is, unless it is refused.
    pub(super) fn declared(&self, object: ObjectId) -> Option<HomeId> {
        self.find(Home::Declared(object))
    }

    /// The candidate that an edge allocates, unless it is refused.
    pub(super) fn allocated(&self, edge: EdgeId) -> Option<HomeId> {
        self.find(Home::Allocated(edge))
    }

    /// All that are not refused.
    pub(super) fn chosen(&self) -> impl Iterator<Item = (HomeId, &Candidate)> {
        let all = self.all.iter_enumerated();
        all.filter(|(_, candidate)| candidate.refused.is_none())
    }

    /// All of them.
    pub(super) fn all(&self) -> impl Iterator<Item = &Candidate> {
        self.all.iter()
    }

    /// How many are refused.
    pub(super) fn refused(&self) -> usize {
        self.refused
    }

    pub(super) fn refuse_one(&mut self, home: HomeId, refusal: Refusal, span: Span) {
        let candidate = &mut self.all[home];
        // What is done to a ghost that can't be followed is forgotten.
        let is_forgotten = matches!(
            refusal,
            Refusal::Choices | Refusal::Overlap | Refusal::Bits | Refusal::Copied | Refusal::Size
        );
        if candidate.refused.is_none() && !(candidate.ghost && is_forgotten) {
            candidate.refused = Some((refusal, span));
            self.refused += 1;
        }
    }

    /// Refuses everything that a pointer may point to.
    pub(super) fn refuse(&mut self, to: &Pointees, refusal: Refusal, span: Span) {
        for &(home, _) in &to.objects {
            self.refuse_one(home, refusal, span);
        }
    }

    /// Whether a pointer may be to an object of which only some elements are followed.
    pub(super) fn has_ghost(&self, to: &Pointees) -> bool {
        to.objects.iter().any(|entry| self.all[entry.0].ghost)
    }

    /// Whether a pointer may be to one of many objects that are allocated at the same place.
    pub(super) fn has_many(&self, to: &Pointees) -> bool {
        to.objects.iter().any(|entry| self.all[entry.0].many)
    }

    /// Pointers in these are read, whether they were set or not.
    pub(super) fn read_at_once(&mut self, to: &Pointees) {
        for &(home, _) in &to.objects {
            let candidate = &mut self.all[home];
            let is_late = candidate.refused.is_none() && candidate.late;
            self.refused += usize::from(is_late);
            candidate.late &= !is_late;
        }
    }

    /// Refuses those among these that are one of many.
    pub(super) fn refuse_many(&mut self, to: &Pointees, refusal: Refusal, span: Span) {
        for &(home, _) in &to.objects {
            if self.all[home].many {
                self.refuse_one(home, refusal, span);
            }
        }
    }

    /// The object of which only some elements are followed that a pointer is to, and to nothing else.
    pub(super) fn only_ghost(&self, to: &Pointees) -> Option<HomeId> {
        let &(home, _) = to.objects.first()?;
        let is_pure = !to.other && !to.is_of_several();
        (is_pure && self.all[home].ghost).then_some(home)
    }

    /// Refuses the objects among these of which only some elements are followed.
    pub(super) fn refuse_ghosts(&mut self, to: &Pointees, span: Span) {
        for &(home, _) in &to.objects {
            if self.all[home].ghost {
                self.refuse_one(home, Refusal::Mixed, span);
            }
        }
    }

    /// Refuses everything that others can see.
    pub(super) fn refuse_visible(&mut self, span: Span) {
        for home in std::mem::take(&mut self.visible) {
            self.refuse_one(home, Refusal::Outside, span);
        }
    }
}
