//! Inlining: copies of functions where they are called.
//!
//! The start function, and every function that is still called afterwards, gets a copy of each function that it calls,
//! of those that they call, and so on. A call stays a call if the callee is recursive, if it is not known (a pointer),
//! if it doesn't take what it is given, if it allocates on its stack any number of times (such objects live until the
//! activation ends, and who knows them then), or if the copy would exceed the size budget. Functions that nobody calls
//! any more lose their bodies.
//!
//! What the start function itself calls is its job, and called once in a run: it is inlined even if it is recursive
//! (the copy calls the original) or allocates on its stack (behind it the run is over). The size budget doesn't count a
//! body that moves instead of being copied.
//!
//! A copy has its own local variables and objects; globals are shared. The call becomes one assignment for each
//! parameter (a skip if there is none), `return` assigns the result to where the call wants it and goes on behind the
//! call, after the callee's objects have been left: they end when it returns. Parameters can be set one after the
//! other, as arguments mention variables of the caller only, and the callee is not recursive. A copy's variables keep
//! the values of an earlier pass through the same instance, which no program reads: a local has no value until it is
//! set.
//!
//! The budget is spent on calls near the root first, so that what is left over lies deep.

mod copy;
mod source;

use std::collections::VecDeque;

use index_vec::IndexVec;
use rustc_hash::FxHashMap;

use source::Source;

use super::rebuild::Rebuild;
use super::restore::{
    ContextId, Contexts, EdgeOrigin, EdgeRef, FunctionRestore, LocRef, Placed, Restore, Role,
    VarOrigin,
};
use super::{Passed, finish};
use crate::cfa::{Action, AllocKind, Cfa, Edge, Location};
use crate::expr::ExprKind;
use crate::graph::{CallGraph, Called};
use crate::ids::{EdgeId, ExprId, FuncId, LocId, ObjectId, VarId};
use crate::model::{Program, Scope};
use crate::span::Span;
use crate::types::Type;

/// Why a call was not inlined.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Obstacle {
    /// The callee can call itself.
    Recursion,
    /// It is not known what is called.
    Pointer,
    /// The callee takes other arguments or gives another result.
    Signature,
    /// The callee allocates objects that live until it returns.
    StackAllocation,
    /// The program would become too large.
    Budget,
}

/// A call that was not inlined.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LeftCall {
    /// The edge of the new program.
    pub edge: EdgeRef,
    /// Why.
    pub obstacle: Obstacle,
}

/// What inlining gives.
#[derive(Clone, Debug)]
pub struct Inlined {
    /// The new program and the map back.
    pub passed: Passed,
    /// The calls that are left.
    pub left: Vec<LeftCall>,
}

/// Inlines what can be inlined without the program getting more than `max_edges` edges.
pub fn run(program: &Program, max_edges: usize) -> Inlined {
    let mut inliner = Inliner::new(program, max_edges);
    while let Some(root) = inliner.roots.pop_front() {
        inliner.build(root);
    }
    inliner.finish()
}

/// One copy of a function's body.
struct Instance {
    function: FuncId,
    context: ContextId,
    /// The copies of its local variables and objects are numbered from here, in the order of [`Source`]; none for a
    /// root, which keeps its own.
    base: Option<(VarId, ObjectId)>,
    /// Where its result goes, if it is not a root.
    result: Option<Option<VarId>>,
    exprs: FxHashMap<ExprId, ExprId>,
}

/// A call that may be inlined, already translated to where it stands.
struct PendingCall {
    from: LocId,
    to: LocId,
    callee: FuncId,
    action: Action,
    origin: Placed<EdgeRef>,
    span: Span,
}

/// The body that is being built.
#[derive(Default)]
struct Body {
    locations: IndexVec<LocId, Location>,
    edges: IndexVec<EdgeId, Edge>,
    restore: FunctionRestore,
}

struct Inliner<'p> {
    source: &'p Program,
    sources: IndexVec<FuncId, Source>,
    /// Place of each local among the locals of its function.
    var_slots: IndexVec<VarId, u32>,
    object_slots: IndexVec<ObjectId, u32>,
    /// Which expressions mention a local variable or object, so that a copy needs its own.
    local: IndexVec<ExprId, bool>,
    address_taken: Vec<FuncId>,
    /// How many calls in the program name a function.
    sites: IndexVec<FuncId, u32>,
    result: Program,
    contexts: Contexts,
    functions: IndexVec<FuncId, Option<FunctionRestore>>,
    vars: IndexVec<VarId, Placed<VarOrigin>>,
    objects: IndexVec<ObjectId, Placed<ObjectId>>,
    roots: VecDeque<FuncId>,
    is_root: IndexVec<FuncId, bool>,
    left: Vec<LeftCall>,
    max_edges: usize,
    /// Edges that there can be so far: those of all functions, as any of them may have to stay, and what copies add.
    edges: usize,
}

impl<'p> Inliner<'p> {
    fn new(program: &'p Program, max_edges: usize) -> Inliner<'p> {
        let calls = CallGraph::of(program);
        let mut sources: IndexVec<FuncId, Source> = program
            .functions
            .iter_enumerated()
            .map(|(id, function)| Source::of(&function.cfa, calls.is_recursive(id)))
            .collect();
        let mut var_slots = IndexVec::from_vec(vec![0; program.vars.len()]);
        for (id, var) in program.vars.iter_enumerated() {
            if let Scope::Local(function) = var.scope {
                var_slots[id] = sources[function].vars.len() as u32;
                sources[function].vars.push(id);
            }
        }
        let mut object_slots = IndexVec::from_vec(vec![0; program.objects.len()]);
        for (id, object) in program.objects.iter_enumerated() {
            if let Scope::Local(function) = object.scope {
                object_slots[id] = sources[function].objects.len() as u32;
                sources[function].objects.push(id);
            }
        }
        let mut local: IndexVec<ExprId, bool> = IndexVec::with_capacity(program.exprs.len());
        for index in 0..program.exprs.len() {
            let id = ExprId::from_usize(index);
            let own = match program.exprs[id].kind {
                ExprKind::Var(var) => program.vars[var].scope != Scope::Global,
                ExprKind::AddrOf(object) => program.objects[object].scope != Scope::Global,
                _ => program.exprs.children(id).any(|child| local[child]),
            };
            local.push(own);
        }
        let mut sites: IndexVec<FuncId, u32> = IndexVec::from_vec(vec![0; sources.len()]);
        for edge in program.functions.iter().flat_map(|body| &body.cfa.edges) {
            if let Some(Called::Function(callee)) = program.callee(&edge.action) {
                sites[callee] += 1;
            }
        }
        let unchanged = Restore::without_functions(program);
        let mut inliner = Inliner {
            source: program,
            sources,
            var_slots,
            object_slots,
            local,
            address_taken: calls.address_taken().to_vec(),
            sites,
            result: program.clone(),
            contexts: unchanged.contexts,
            functions: program.functions.iter().map(|_| None).collect(),
            vars: unchanged.vars,
            objects: unchanged.objects,
            roots: VecDeque::new(),
            is_root: IndexVec::from_vec(vec![false; program.functions.len()]),
            left: Vec::new(),
            max_edges,
            edges: program
                .functions
                .iter()
                .map(|function| function.cfa.edges.len())
                .sum(),
        };
        inliner.add_root(program.start);
        inliner
    }

    fn add_root(&mut self, function: FuncId) {
        if !std::mem::replace(&mut self.is_root[function], true) {
            self.roots.push_back(function);
        }
    }

    /// Builds the body of a function that is called, or is the start.
    fn build(&mut self, root: FuncId) {
        let mut body = Body::default();
        let mut pending = VecDeque::new();
        let mut instance = Instance {
            function: root,
            context: ContextId::ROOT,
            base: None,
            result: None,
            exprs: FxHashMap::default(),
        };
        let old = &self.source.functions[root].cfa;
        for (at, location) in old.locations.iter_enumerated() {
            body.add_location(location, Some((&instance, at)));
        }
        let places: IndexVec<LocId, LocId> = old.locations.indices().collect();
        self.copy_edges(root, &mut body, &mut instance, &places, &mut pending);
        while let Some(call) = pending.pop_front() {
            let source = &self.sources[call.callee];
            let size = match self.moves(root, &call) {
                true => 0,
                false => self.source.functions[call.callee].cfa.edges.len(),
            };
            let cost = size
                + self.source.functions[call.callee].params.len().max(1)
                + source.entered.len()
                + 2 * source.stack.len();
            // The call itself is among the edges counted so far, and goes.
            if self.edges - 1 + cost <= self.max_edges || size == 0 {
                self.edges += cost - 1;
                self.inline(root, &mut body, call, &mut pending);
            } else {
                let edge = body.add_edge(
                    call.from,
                    call.action,
                    call.to,
                    call.span,
                    call.origin,
                    Role::Step,
                );
                self.leave(root, edge, Called::Function(call.callee), Obstacle::Budget);
            }
        }
        self.result.functions[root].cfa = Cfa {
            entry: old.entry,
            exit: old.exit,
            locations: body.locations,
            edges: body.edges,
        };
        self.functions[root] = Some(body.restore);
    }

    /// Whether a call is made once in a run, by the start function itself.
    fn is_from_start(&self, root: FuncId, context: ContextId) -> bool {
        root == self.source.start && context == ContextId::ROOT
    }

    /// Whether nobody needs the callee's own body any more once the call is inlined.
    fn moves(&self, root: FuncId, call: &PendingCall) -> bool {
        self.is_from_start(root, call.origin.context)
            && self.sites[call.callee] == 1
            && !self.address_taken.contains(&call.callee)
    }

    fn leave(&mut self, root: FuncId, edge: EdgeId, called: Called, obstacle: Obstacle) {
        self.left.push(LeftCall {
            edge: EdgeRef {
                function: root,
                edge,
            },
            obstacle,
        });
        match called {
            Called::Function(callee) => self.add_root(callee),
            Called::AnyAddressTaken => {
                for callee in self.address_taken.clone() {
                    self.add_root(callee);
                }
            }
        }
    }

    /// Puts a copy of the callee in the place of a call.
    fn inline(
        &mut self,
        root: FuncId,
        body: &mut Body,
        call: PendingCall,
        pending: &mut VecDeque<PendingCall>,
    ) {
        let Action::Call { dst, args, .. } = &call.action else {
            return;
        };
        let context = self.contexts.enter(call.origin.context, call.origin.item);
        let mut instance = Instance {
            function: call.callee,
            context,
            base: Some(self.copy_locals(root, call.callee, context)),
            result: Some(*dst),
            exprs: FxHashMap::default(),
        };
        let function = &self.source.functions[call.callee];
        let old = &function.cfa;
        let source = &self.sources[call.callee];
        let mut ends: Vec<Action> = Vec::new();
        let mut begins: Vec<Action> = Vec::new();
        if source.returns {
            let objects = source.entered.iter();
            ends.extend(
                objects.map(|&object| Action::Leave(self.copied_object(&instance, object))),
            );
        }
        for &var in &source.stack {
            let dst = self.copied_var(&instance, var);
            let value = self.result.exprs.null();
            begins.push(Action::Assign { dst, value });
            if source.returns {
                let ptr = self.result.exprs.var(dst, Type::Ptr);
                let kind = AllocKind::Stack;
                ends.push(Action::Free { ptr, kind });
            }
        }

        // Places for the locations. The exit is where the call goes on, unless objects have to be left on the way.
        let mut places: IndexVec<LocId, LocId> = IndexVec::with_capacity(old.locations.len());
        for (at, location) in old.locations.iter_enumerated() {
            places.push(if at != old.exit {
                body.add_location(location, Some((&instance, at)))
            } else if ends.is_empty() {
                call.to
            } else {
                body.add_location(&Location::default(), Some((&instance, at)))
            });
        }
        let mut from = places[old.exit];
        let count = ends.len();
        for (index, action) in ends.into_iter().enumerate() {
            let to = if index + 1 == count {
                call.to
            } else {
                body.add_location(&Location::default(), None)
            };
            body.add_edge(from, action, to, call.span, call.origin, Role::Silent);
            from = to;
        }

        // Parameters. Further arguments of a variadic function have nowhere to go.
        for (&param, &arg) in function.params.iter().zip(args.iter()) {
            begins.push(Action::Assign {
                dst: self.copied_var(&instance, param),
                value: arg,
            });
        }
        if begins.is_empty() {
            begins.push(Action::Skip);
        }
        let mut from = call.from;
        let mut role = Role::Call;
        let count = begins.len();
        for (index, action) in begins.into_iter().enumerate() {
            let to = if index + 1 == count {
                places[old.entry]
            } else {
                body.add_location(&Location::default(), None)
            };
            body.add_edge(from, action, to, call.span, call.origin, role);
            role = Role::Silent;
            from = to;
        }
        self.copy_edges(root, body, &mut instance, &places, pending);
    }

    /// Adds copies of a function's local variables and objects; gives the first of each.
    fn copy_locals(
        &mut self,
        root: FuncId,
        function: FuncId,
        context: ContextId,
    ) -> (VarId, ObjectId) {
        let base = (self.result.vars.next_idx(), self.result.objects.next_idx());
        for &item in &self.sources[function].vars {
            let mut var = self.source.vars[item].clone();
            var.scope = Scope::Local(root);
            self.result.vars.push(var);
            self.vars.push(Placed {
                item: VarOrigin::Variable(item),
                context,
            });
        }
        for &item in &self.sources[function].objects {
            let mut object = self.source.objects[item].clone();
            object.scope = Scope::Local(root);
            self.result.objects.push(object);
            self.objects.push(Placed { item, context });
        }
        base
    }

    /// Copies the edges of a function to the places of its locations. Calls that may be inlined wait.
    fn copy_edges(
        &mut self,
        root: FuncId,
        body: &mut Body,
        instance: &mut Instance,
        places: &IndexVec<LocId, LocId>,
        pending: &mut VecDeque<PendingCall>,
    ) {
        let old = &self.source.functions[instance.function].cfa;
        // By location, as the order of the two edges of a branch matters.
        let outgoing = old.locations.iter().flat_map(|location| &location.outgoing);
        for &id in outgoing {
            let edge = &old.edges[id];
            let from = places[edge.source];
            let to = places[edge.target];
            let origin = Placed {
                item: EdgeRef {
                    function: instance.function,
                    edge: id,
                },
                context: instance.context,
            };
            let called = self.source.callee(&edge.action);
            let from_start = self.is_from_start(root, instance.context);
            let obstacle = called.map(|called| self.obstacle(called, &edge.action, from_start));
            let action = self.copy_action(instance, &edge.action);
            match (called, obstacle) {
                (Some(Called::Function(callee)), Some(None)) => pending.push_back(PendingCall {
                    from,
                    to,
                    callee,
                    action,
                    origin,
                    span: edge.span,
                }),
                (Some(called), Some(Some(obstacle))) => {
                    let edge = body.add_edge(from, action, to, edge.span, origin, Role::Step);
                    self.leave(root, edge, called, obstacle);
                }
                _ => {
                    body.add_edge(from, action, to, edge.span, origin, Role::Step);
                }
            }
        }
    }

    /// Why a call can't be inlined, whatever it costs.
    fn obstacle(&self, called: Called, action: &Action, from_start: bool) -> Option<Obstacle> {
        let Called::Function(callee) = called else {
            return Some(Obstacle::Pointer);
        };
        let own = self.sources[callee].obstacle;
        own.filter(|_| !from_start || callee == self.source.start)
            .or_else(|| {
                (!self.source.accepts(&self.source.exprs, callee, action))
                    .then_some(Obstacle::Signature)
            })
    }

    fn finish(mut self) -> Inlined {
        for function in self.source.functions.indices() {
            if !self.is_root[function] {
                let (cfa, restore) =
                    Rebuild::new(function, &self.source.functions[function].cfa, |_| false)
                        .finish();
                self.result.functions[function].cfa = cfa;
                self.functions[function] = Some(restore);
            }
        }
        let restore = Restore {
            contexts: self.contexts,
            functions: self
                .functions
                .into_iter()
                .map(Option::unwrap_or_default)
                .collect(),
            vars: self.vars,
            objects: self.objects,
        };
        Inlined {
            passed: finish(self.result, restore),
            left: self.left,
        }
    }
}

impl Body {
    fn add_location(&mut self, like: &Location, origin: Option<(&Instance, LocId)>) -> LocId {
        self.restore
            .locations
            .push(origin.map(|(instance, location)| Placed {
                item: LocRef {
                    function: instance.function,
                    location,
                },
                context: instance.context,
            }));
        self.locations.push(Location {
            outgoing: Vec::new(),
            ..like.clone()
        })
    }

    fn add_edge(
        &mut self,
        source: LocId,
        action: Action,
        target: LocId,
        span: Span,
        origin: Placed<EdgeRef>,
        role: Role,
    ) -> EdgeId {
        self.restore.edges.push(EdgeOrigin { edge: origin, role });
        let id = self.edges.push(Edge {
            source,
            target,
            action,
            span,
            mark: None,
        });
        self.locations[source].outgoing.push(id);
        id
    }
}
