//! Bounds as numbers: a program that knows for each pointer variable in which object it is and how far from the start,
//! and asks that where the given program asks memory whether an access is right.
//!
//! Right for programs whose pointers are variables, and whose objects have sizes that are computed: `malloc(n * sizeof
//! *p)`, variable-length arrays, strings that are walked through.
//!
//! The result is the given program, all of whose calls were inlined, with more variables. A *site* is a declared object
//! or an edge that allocates; of what a site makes only the last instance counts. What is true in every run:
//!
//! - Where the site of a pointer is `s`, and not 0, the pointer is to the last instance of `s`, and its distance from
//!   the start is the pointer's number up to a multiple of the size of all memory. (The number is that of a type of 64
//!   bits, so it is exact if it is between 0 and the size of an object.)
//! - The size of a site is that of its last instance, and where a site is alive that instance is.
//! - One byte of a site may be known to be 0 (`terminators.rs`).
//!
//! Pointers that are read from memory, made of numbers, or come from elsewhere have the site 0: nothing is known of
//! them. So where the new condition says that an access is right, it is. Where it is not known to be the new program
//! goes to the target; who proves that it never does has proved more than was asked. Only conditions whose other
//! outcome is a target are replaced: where a bad access merely ends a run, a wrong "no" would hide what comes behind
//! it. There the new program says behind the access what follows from its being right: that the pointer's distance is
//! one of a byte of its object.

mod conditions;
mod leaks;
mod sites;
mod terminators;
mod unused;

use rhumb_program::passes::reuse::reuse_reads;
use rhumb_program::passes::{Passed, inline};
use rhumb_program::{
    Action, AllocKind, BinOp, Builtin, Callee, Decl, EdgeId, EndKind, ExprId, ExprKind, IndexVec,
    IntType, LocId, LocKind, Program, Scope, Span, Target, TargetKind, Type, UbKind, Var, VarId,
};

use sites::{SiteId, Sites, What};

/// Programs with more edges than this when their calls are inlined have no bounds: they would get too large.
const MOST_EDGES: usize = 20_000;

/// The type of distances and sizes.
const WIDE: IntType = IntType::signed(64);

/// What is known of a pointer variable.
#[derive(Clone, Copy, Debug)]
struct Ghost {
    site: VarId,
    distance: VarId,
}

/// What is known of a site.
#[derive(Clone, Copy, Debug)]
struct SiteState {
    /// None for what always is.
    alive: Option<VarId>,
    /// None for what has always the same.
    size: Option<VarId>,
    /// Whether there was an earlier instance that was not freed when a new one was made.
    earlier: Option<VarId>,
    /// Where a byte is 0, if somebody reads bytes of it; see `terminators.rs`.
    zero: Option<VarId>,
}

struct Bounds<'p> {
    lowered: &'p Program,
    passed: Passed,
    sites: Sites,
    ghosts: IndexVec<VarId, Option<Ghost>>,
    states: IndexVec<SiteId, SiteState>,
    /// Whether something is said that follows from an access.
    has_followed: bool,
}

/// Whether somebody asks for what bounds are good for: bad accesses, and memory that is lost or not freed.
pub fn asks_for_bounds(program: &Program) -> bool {
    let is_leak = |target: &Target| matches!(target.kind, TargetKind::Leak(_));
    program.asks_for(&[UbKind::BadRead, UbKind::BadWrite, UbKind::BadFree])
        || program.targets.iter().any(is_leak)
}

/// Whether a program has accesses through pointers that are moved or computed: bounds may be known of those.
pub fn has_bounds(program: &Program) -> bool {
    let exprs = &program.exprs;
    let mut edges = (program.functions.iter()).flat_map(|function| &function.cfa.edges);
    program.schedule().is_none()
        && edges.any(|edge| match edge.action {
            Action::Assume { cond, .. } => match exprs[cond].kind {
                ExprKind::AccessOk { ptr, .. } => {
                    !matches!(exprs[ptr].kind, ExprKind::AddrOf(_) | ExprKind::Const(_))
                }
                _ => false,
            },
            _ => false,
        })
}

/// The program with bounds, if somebody asks for them or something follows from them, and all calls can be inlined.
pub fn with_bounds(lowered: &Program) -> Option<Program> {
    let is_asked = asks_for_bounds(lowered);
    if lowered.schedule().is_some() || !is_asked && !has_bounds(lowered) {
        return None;
    }
    let mut passed = inline::run(lowered, MOST_EDGES).passed;
    let cfa = &passed.program.functions[passed.program.start].cfa;
    let calls = |action: &Action| {
        matches!(
            action,
            Action::Call {
                callee: Callee::Function(_) | Callee::Pointer(_),
                ..
            }
        )
    };
    if cfa.edges.len() > MOST_EDGES || cfa.edges.iter().any(|edge| calls(&edge.action)) {
        return None;
    }
    // Nobody follows memory here: what is read twice would have two values.
    reuse_reads(&mut passed.program);
    unused::set_to_null(&mut passed.program);
    let sites = Sites::new(&passed.program);
    let mut work = Bounds {
        lowered,
        passed,
        sites,
        ghosts: IndexVec::new(),
        states: IndexVec::new(),
        has_followed: false,
    };
    work.declare();
    let edges: Vec<EdgeId> = work.cfa().edges.indices().collect();
    for edge in edges {
        work.follow(edge);
        work.follow_bytes(edge);
    }
    (is_asked || work.has_followed).then_some(work.passed.program)
}

impl Bounds<'_> {
    fn program(&mut self) -> &mut Program {
        &mut self.passed.program
    }

    fn cfa(&mut self) -> &mut rhumb_program::Cfa {
        let start = self.passed.program.start;
        &mut self.passed.program.functions[start].cfa
    }

    /// Variables for all that is known. Nothing is known at first, and nothing is alive.
    fn declare(&mut self) {
        let read = self.read_by_bytes();
        for site in self.sites.all.indices() {
            let zero = read.contains(&site).then(|| {
                let zero = self.variable("zero", Type::Int(WIDE));
                let first = self.first_terminator(site);
                self.program().vars[zero].init = Some(first);
                zero
            });
            let what = self.sites.all[site];
            let state = match what {
                What::Object(object) => {
                    let is_local = self.passed.program.objects[object].scope != Scope::Global;
                    SiteState {
                        alive: is_local.then(|| self.variable("alive", Type::Bool)),
                        size: None,
                        earlier: None,
                        zero,
                    }
                }
                What::Allocated(..) => {
                    let size = Type::Int(self.passed.program.data_model.size_type());
                    SiteState {
                        alive: Some(self.variable("alive", Type::Bool)),
                        size: Some(self.variable("size", size)),
                        earlier: Some(self.variable("earlier", Type::Bool)),
                        zero,
                    }
                }
            };
            self.states.push(state);
        }
        for var in self.sites.may.indices() {
            let ghost = (!self.sites.may[var].is_empty()).then(|| Ghost {
                site: self.variable("site", Type::Int(IntType::INT)),
                distance: self.variable("distance", Type::Int(WIDE)),
            });
            self.ghosts.push(ghost);
            // What a global pointer is before the program begins.
            if let (Some(ghost), Some(init)) = (ghost, self.passed.program.vars[var].init) {
                let (site, distance) = (self.site(init), self.distance(init));
                self.program().vars[ghost.site].init = Some(site);
                self.program().vars[ghost.distance].init = Some(distance);
            }
        }
    }

    fn variable(&mut self, name: &str, ty: Type) -> VarId {
        let start = self.passed.program.start;
        let span = self.passed.program.functions[start].span;
        let decl = Decl {
            name: name.into(),
            span,
            visible: span,
        };
        self.program().vars.push(Var {
            decl,
            ty,
            scope: Scope::Global,
            init: None,
        })
    }

    /// Puts what is known after an edge, or instead of what it asks, into the program.
    fn follow(&mut self, edge: EdgeId) {
        let action = self.cfa().edges[edge].action.clone();
        match action {
            Action::Assume { cond, holds: true } => self.branch(edge, cond),
            Action::Assign { dst, value } => match self.ghosts[dst] {
                Some(ghost) => {
                    let (site, distance) = (self.site(value), self.distance(value));
                    let mut steps = Steps::before(self, edge);
                    steps.set(ghost.distance, distance);
                    steps.set(ghost.site, site);
                    steps.end();
                }
                None => self.number(edge, dst, value),
            },
            Action::Alloc { dst, size, .. } => {
                let Some(site) = self.sites.allocated_at(edge) else {
                    return;
                };
                let is_again = self.sites.is_again(site);
                let state = self.states[site];
                let ghost = self.ghosts[dst];
                let number = self.number_of(site);
                let zero = self.passed.program.exprs.int(WIDE, 0);
                let mut steps = Steps::before(self, edge);
                if is_again {
                    steps.remember_earlier(state);
                    steps.forget(site);
                }
                steps.start(state);
                if let Some(var) = state.size {
                    steps.set(var, size);
                }
                if let Some(ghost) = ghost {
                    steps.set(ghost.distance, zero);
                    steps.set(ghost.site, number);
                }
                steps.end();
            }
            Action::Enter(object) => {
                let Some(site) = self.sites.declared(object) else {
                    return;
                };
                let is_again = self.sites.is_again(site);
                let state = self.states[site];
                let mut steps = Steps::before(self, edge);
                if is_again {
                    steps.forget(site);
                }
                steps.start(state);
                steps.end();
            }
            Action::Leave(object) => {
                let Some(site) = self.sites.declared(object) else {
                    return;
                };
                let state = self.states[site];
                let mut steps = Steps::before(self, edge);
                steps.stop(state);
                steps.end();
            }
            Action::Free { ptr, .. } => self.free(edge, ptr),
            Action::Call {
                dst: Some(dst),
                callee: Callee::Builtin(Builtin::Leaks(leak)),
                ..
            } if self.frees_are_checked() => {
                let value = self.may_leak(edge, leak);
                self.cfa().edges[edge].action = Action::Assign { dst, value };
            }
            _ => {
                if let Some(ghost) = action.defined_var().and_then(|dst| self.ghosts[dst]) {
                    let none = self.passed.program.exprs.int(IntType::INT, 0);
                    let mut steps = Steps::before(self, edge);
                    steps.set(ghost.site, none);
                    steps.end();
                }
            }
        }
    }

    /// A branch: on whether an access is right, or on how two pointers compare.
    fn branch(&mut self, edge: EdgeId, cond: ExprId) {
        let source = self.cfa().edges[edge].source;
        let &[yes, no] = &*self.cfa().locations[source].outgoing else {
            return;
        };
        let otherwise = self.cfa().edges[no].target;
        let is_target = matches!(self.cfa().locations[otherwise].kind, LocKind::Target(_));
        let known = match self.passed.program.exprs[cond].kind {
            ExprKind::AccessOk { ptr, size, write } if is_target => {
                Some(self.is_access(ptr, size, write))
            }
            ExprKind::FreeOk(ptr) if is_target => Some(self.is_free(ptr)),
            ExprKind::AccessOk { ptr, size, .. } => {
                if let Some(cond) = self.follows_from_access(ptr, size) {
                    self.say_behind(yes, cond);
                }
                return;
            }
            _ => None,
        };
        if let Some(cond) = known {
            for (edge, holds) in [(yes, true), (no, false)] {
                self.cfa().edges[edge].action = Action::Assume { cond, holds };
            }
            return;
        }
        let Some((guard, cond)) = self.compared(cond) else {
            return;
        };
        let (span, other) = (self.cfa().edges[edge].span, self.cfa().edges[no].span);
        let targets = [self.cfa().edges[yes].target, otherwise];
        let cfa = self.cfa();
        let [known, open] = [(); 2].map(|()| cfa.add_location(LocKind::Plain));
        cfa.locations[source].outgoing.clear();
        for edge in [yes, no] {
            cfa.edges[edge].source = open;
            cfa.locations[open].outgoing.push(edge);
        }
        for (holds, to) in [(true, known), (false, open)] {
            let action = Action::Assume { cond: guard, holds };
            cfa.add_edge(source, action, to, span);
        }
        for ((holds, to), span) in [true, false].into_iter().zip(targets).zip([span, other]) {
            cfa.add_edge(known, Action::Assume { cond, holds }, to, span);
        }
    }

    /// Says behind an edge something that is true there.
    fn say_behind(&mut self, edge: EdgeId, cond: ExprId) {
        self.has_followed = true;
        let cfa = self.cfa();
        let (target, span) = (cfa.edges[edge].target, cfa.edges[edge].span);
        let behind = cfa.add_location(LocKind::Plain);
        let nowhere = cfa.add_location(LocKind::End(EndKind::AssumptionFailed));
        cfa.edges[edge].target = behind;
        for (holds, to) in [(true, target), (false, nowhere)] {
            cfa.add_edge(behind, Action::Assume { cond, holds }, to, span);
        }
    }

    /// An assignment of a number that may be made of pointers.
    fn number(&mut self, edge: EdgeId, dst: VarId, value: ExprId) {
        let Some((guard, value)) = self.compared(value) else {
            return;
        };
        self.assign_where_it_holds(edge, guard, dst, value);
    }

    /// Where a condition holds a variable gets this value, and the edge is left out.
    fn assign_where_it_holds(&mut self, edge: EdgeId, cond: ExprId, dst: VarId, value: ExprId) {
        let cfa = self.cfa();
        let (source, target, span) = {
            let edge = &cfa.edges[edge];
            (edge.source, edge.target, edge.span)
        };
        let [known, open] = [(); 2].map(|()| cfa.add_location(LocKind::Plain));
        cfa.locations[source].outgoing.clear();
        cfa.edges[edge].source = open;
        cfa.locations[open].outgoing.push(edge);
        for (holds, to) in [(true, known), (false, open)] {
            cfa.add_edge(source, Action::Assume { cond, holds }, to, span);
        }
        cfa.add_edge(known, Action::Assign { dst, value }, target, span);
    }

    /// Whether a free of something that must not be freed is an error. Where it is not, one of a pointer that is not
    /// known may free anything or nothing: then what is still allocated is not known.
    fn frees_are_checked(&self) -> bool {
        let functions = self.passed.program.functions.iter();
        let mut locations = functions.flat_map(|function| function.cfa.locations.iter());
        !locations.any(|location| location.kind == LocKind::Ub(UbKind::BadFree))
    }

    /// The object that is freed is not alive any more; if it is not known which one that is, none is that was allocated.
    fn free(&mut self, edge: EdgeId, ptr: ExprId) {
        let possible = self.sites.of(&self.passed.program, ptr);
        let allocated: Vec<SiteState> = (self.sites.all.iter_enumerated())
            .filter(|(_, what)| matches!(what, What::Allocated(..)))
            .map(|(site, _)| self.states[site])
            .collect();
        let site = self.site(ptr);
        let cases: Vec<(ExprId, SiteState)> = (possible.iter())
            .map(|&possible| (self.is_site(site, possible), self.states[possible]))
            .collect();
        let exprs = &mut self.passed.program.exprs;
        let null = exprs.null();
        let is_null = exprs.binary(BinOp::Eq, ptr, null);
        let mut steps = Steps::before(self, edge);
        for (is_it, state) in cases {
            steps.where_it_holds(is_it, |steps| steps.stop(state));
        }
        steps.where_it_holds(is_null, |_| {});
        for state in allocated {
            steps.stop(state);
        }
        steps.end();
    }
}

/// Steps that are put before an edge, and lead to it.
struct Steps<'b, 'p> {
    bounds: &'b mut Bounds<'p>,
    at: LocId,
    last: LocId,
    span: Span,
}

impl<'b, 'p> Steps<'b, 'p> {
    fn before(bounds: &'b mut Bounds<'p>, edge: EdgeId) -> Steps<'b, 'p> {
        let cfa = bounds.cfa();
        let (source, span) = (cfa.edges[edge].source, cfa.edges[edge].span);
        let last = cfa.add_location(LocKind::Plain);
        cfa.edges[edge].source = last;
        cfa.locations[last].outgoing.push(edge);
        cfa.locations[source].outgoing.clear();
        Steps {
            bounds,
            at: source,
            last,
            span,
        }
    }

    fn end(self) {
        let Steps {
            bounds,
            at,
            last,
            span,
        } = self;
        bounds.cfa().add_edge(at, Action::Skip, last, span);
    }

    fn set(&mut self, dst: VarId, value: ExprId) {
        let next = self.bounds.cfa().add_location(LocKind::Plain);
        let action = Action::Assign { dst, value };
        self.bounds.cfa().add_edge(self.at, action, next, self.span);
        self.at = next;
    }

    fn set_bool(&mut self, dst: Option<VarId>, value: bool) {
        if let Some(dst) = dst {
            let value = self.bounds.program().exprs.bool(value);
            self.set(dst, value);
        }
    }

    fn start(&mut self, state: SiteState) {
        self.set_bool(state.alive, true);
    }

    fn stop(&mut self, state: SiteState) {
        self.set_bool(state.alive, false);
    }

    fn split(&mut self, cond: ExprId) -> [LocId; 2] {
        let (at, span) = (self.at, self.span);
        let cfa = self.bounds.cfa();
        let ways = [(); 2].map(|()| cfa.add_location(LocKind::Plain));
        for (holds, to) in [true, false].into_iter().zip(ways) {
            cfa.add_edge(at, Action::Assume { cond, holds }, to, span);
        }
        ways
    }

    /// Does something where a condition holds, and nothing of what follows.
    fn where_it_holds(&mut self, cond: ExprId, then: impl FnOnce(&mut Steps<'b, 'p>)) {
        let [yes, no] = self.split(cond);
        self.at = yes;
        then(self);
        let (at, last, span) = (self.at, self.last, self.span);
        self.bounds.cfa().add_edge(at, Action::Skip, last, span);
        self.at = no;
    }

    /// A new instance is made, and there may be one that was not freed.
    fn remember_earlier(&mut self, state: SiteState) {
        let (Some(alive), Some(earlier)) = (state.alive, state.earlier) else {
            return;
        };
        let exprs = &mut self.bounds.passed.program.exprs;
        let was = exprs.var(earlier, Type::Bool);
        let is = exprs.var(alive, Type::Bool);
        let either = exprs.binary(BinOp::Or, was, is);
        self.set(earlier, either);
    }

    /// Nothing is known any more of pointers to earlier instances.
    fn forget(&mut self, site: SiteId) {
        let pointers: Vec<Ghost> = (self.bounds.ghosts.iter_enumerated())
            .filter(|&(var, _)| self.bounds.sites.may[var].contains(&site))
            .filter_map(|(_, &ghost)| ghost)
            .collect();
        for ghost in pointers {
            let exprs = &mut self.bounds.passed.program.exprs;
            let at = exprs.var(ghost.site, Type::Int(IntType::INT));
            let none = exprs.int(IntType::INT, 0);
            let is_it = self.bounds.is_site(at, site);
            let [yes, no] = self.split(is_it);
            self.at = yes;
            self.set(ghost.site, none);
            let (at, span) = (self.at, self.span);
            self.bounds.cfa().add_edge(at, Action::Skip, no, span);
            self.at = no;
        }
    }
}

/// Whether an allocation is of the heap.
fn is_heap(what: What) -> bool {
    matches!(what, What::Allocated(_, AllocKind::Heap))
}
