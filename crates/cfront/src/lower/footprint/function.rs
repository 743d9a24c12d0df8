//! What calls of functions do to what others can see, by a fixpoint over the calls.

use index_vec::IndexVec;
use rhumb_program::graph::Graph;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Called, Places, Thing, Things};
use crate::ctypes::CType;
use crate::hir::{ConstValue, ExprKind, FunctionId, GlobalId, Intrinsic, StaticInit, Unit};
use crate::models;

/// What a call of a function does, apart from its own locals.
#[derive(Clone, Default, Debug)]
pub(in crate::lower) struct Summary {
    pub(in crate::lower) reads: Things,
    pub(in crate::lower) writes: Things,
    /// What it leaves in a state that is not known.
    pub(in crate::lower) loses: Things,
    /// Whether it may end the run in a way that is defined: `exit`, `abort`, an assumption that fails.
    pub(in crate::lower) ends: bool,
    /// Whether it may never come to an end.
    pub(in crate::lower) loops: bool,
    /// Whether it may reach a target.
    pub(in crate::lower) reaches: bool,
    /// Whether it does something that may be undefined.
    pub(in crate::lower) computes: bool,
}

impl Summary {
    /// Of a function that may do anything.
    pub(in crate::lower) fn anything() -> Summary {
        let mut all = Things::default();
        all.set_all();
        Summary {
            reads: all.clone(),
            writes: all,
            loses: Things::default(),
            ends: true,
            loops: true,
            reaches: true,
            computes: true,
        }
    }

    /// Whether a call may keep what comes after it from happening.
    pub(in crate::lower) fn may_not_return(&self) -> bool {
        self.ends || self.loops
    }

    fn include(&mut self, other: &Summary) -> bool {
        let flags = (self.ends, self.loops, self.reaches, self.computes);
        self.computes |= other.computes;
        self.ends |= other.ends;
        self.loops |= other.loops;
        self.reaches |= other.reaches;
        let reads = self.reads.add_all(&other.reads);
        let writes = self.writes.add_all(&other.writes);
        let loses = self.loses.add_all(&other.loses);
        reads || writes || loses || flags != (self.ends, self.loops, self.reaches, self.computes)
    }
}

/// Whether what an expression does beside its operands may be undefined, as far as its kind says.
fn may_be_undefined(kind: &ExprKind) -> bool {
    matches!(
        kind,
        ExprKind::Deref(_)
            | ExprKind::Convert(_)
            | ExprKind::Unary(..)
            | ExprKind::Binary(..)
            | ExprKind::PtrDiff { .. }
            | ExprKind::Update(_)
    )
}

/// What a function without a body does: by itself, and by calling others.
#[derive(Default, Debug)]
pub(in crate::lower) struct Outside {
    pub(in crate::lower) summary: Summary,
    pub(in crate::lower) calls: Vec<Called>,
}

impl From<Summary> for Outside {
    fn from(summary: Summary) -> Outside {
        Outside {
            summary,
            calls: Vec::new(),
        }
    }
}

/// The summaries of all functions, and which objects can be reached through pointers.
#[derive(Debug)]
pub(in crate::lower) struct Summaries {
    functions: IndexVec<FunctionId, Summary>,
    /// Of what a pointer may lead to.
    pointed: Summary,
    /// Of all of them.
    any: Summary,
    /// Globals whose address is known elsewhere than in accesses to them.
    escaped: FxHashSet<GlobalId>,
    variables: FxHashSet<GlobalId>,
}

impl Summaries {
    /// `outside` tells about functions without a body, `is_error` about targets.
    pub(in crate::lower) fn new(
        unit: &Unit,
        outside: impl Fn(FunctionId) -> Outside,
        is_error: impl Fn(FunctionId) -> bool,
    ) -> Summaries {
        let mut functions: IndexVec<FunctionId, Summary> = IndexVec::new();
        let mut callees: IndexVec<FunctionId, Vec<Called>> = IndexVec::new();
        let mut escaped = FxHashSet::default();
        for (id, function) in unit.functions.iter_enumerated() {
            let Some(body) = &function.body else {
                let Outside { mut summary, calls } = outside(id);
                summary.reaches |= is_error(id);
                functions.push(summary);
                callees.push(calls);
                continue;
            };
            let places = Places {
                types: &unit.types,
                globals: &unit.globals,
                body,
            };
            let mut summary = Summary {
                reaches: is_error(id),
                ends: function.noreturn,
                loops: places.has_loop(&body.block),
                ..Summary::default()
            };
            let mut called = Vec::new();
            for expr in &body.exprs {
                own_effects(&places, &expr.kind, &mut summary);
                summary.computes |= may_be_undefined(&expr.kind);
                match &expr.kind {
                    ExprKind::Call { callee, .. } => called.push(Called::of(*callee)),
                    ExprKind::StmtExpr { block, .. } => summary.loops |= places.has_loop(block),
                    _ => {}
                }
            }
            // The library's own loops have an end.
            summary.loops &= !function.name.starts_with(models::PREFIX);
            escaped.extend(
                places
                    .escaped()
                    .into_iter()
                    .filter_map(|thing| match thing {
                        Thing::Global(global) => Some(global),
                        _ => None,
                    }),
            );
            called.sort_unstable_by_key(|called| match called {
                Called::Function(id) => id.index(),
                Called::Pointed | Called::Any => usize::MAX,
            });
            called.dedup();
            functions.push(summary);
            callees.push(called);
        }
        for global in &unit.globals {
            for piece in global.init.iter().flatten() {
                if let StaticInit::Scalar {
                    value: ConstValue::Global(id, _),
                    ..
                } = piece
                {
                    escaped.insert(*id);
                }
            }
        }
        let variables = unit
            .globals
            .iter_enumerated()
            .filter(|(_, global)| unit.types.scalar(global.ty.ty).is_some())
            .map(|(id, _)| id)
            .collect();
        let mut summaries = Summaries {
            functions,
            pointed: Summary::default(),
            any: Summary::default(),
            escaped,
            variables,
        };
        summaries.settle(unit, &callees);
        summaries
    }

    /// Carries what callees do to their callers, until nothing changes.
    fn settle(&mut self, unit: &Unit, callees: &IndexVec<FunctionId, Vec<Called>>) {
        // What is called through a pointer may be any function whose address is taken.
        let taken: Vec<FunctionId> = unit
            .functions
            .iter_enumerated()
            .filter(|(_, function)| function.addr_taken)
            .map(|(id, _)| id)
            .collect();
        let direct: Vec<(FunctionId, FunctionId)> = callees
            .iter_enumerated()
            .flat_map(|(caller, called)| called.iter().map(move |&called| (caller, called)))
            .filter_map(|(caller, called)| match called {
                Called::Function(callee) => Some((caller, callee)),
                _ => None,
            })
            .collect();
        let through_pointers: Vec<FunctionId> = callees
            .iter_enumerated()
            .filter(|(_, called)| called.contains(&Called::Pointed))
            .map(|(id, _)| id)
            .collect();
        self.find_recursion(&direct, &through_pointers, &taken);
        let mut callers: FxHashMap<FunctionId, Vec<FunctionId>> = FxHashMap::default();
        for &(caller, callee) in &direct {
            callers.entry(callee).or_default().push(caller);
        }
        loop {
            let mut work: Vec<FunctionId> = self.functions.indices().collect();
            let mut waiting: FxHashSet<FunctionId> = work.iter().copied().collect();
            while let Some(id) = work.pop() {
                waiting.remove(&id);
                let summary = self.functions[id].clone();
                for &caller in callers.get(&id).into_iter().flatten() {
                    if self.functions[caller].include(&summary) && waiting.insert(caller) {
                        work.push(caller);
                    }
                }
            }
            let mut pointed = Summary::default();
            for &id in &taken {
                pointed.include(&self.functions[id]);
            }
            self.pointed = pointed;
            let mut changed = false;
            for &id in &through_pointers {
                changed |= self.functions[id].include(&self.pointed);
            }
            if !changed {
                break;
            }
        }
        for summary in &self.functions {
            self.any.include(summary);
        }
    }

    /// A function that may call itself may do so for ever.
    fn find_recursion(
        &mut self,
        direct: &[(FunctionId, FunctionId)],
        through_pointers: &[FunctionId],
        taken: &[FunctionId],
    ) {
        // One node more, for the pointers.
        let pointers = FunctionId::from_usize(self.functions.len());
        let edges = (direct.iter().copied())
            .chain(through_pointers.iter().map(|&caller| (caller, pointers)))
            .chain(taken.iter().map(|&callee| (pointers, callee)));
        let graph = Graph::new(self.functions.len() + 1, edges);
        let components = graph.components();
        for (id, summary) in self.functions.iter_mut_enumerated() {
            summary.loops |= components.is_cyclic(id);
        }
    }

    pub(in crate::lower) fn of(&self, called: Called) -> &Summary {
        match called {
            Called::Function(id) => &self.functions[id],
            Called::Pointed => &self.pointed,
            Called::Any => &self.any,
        }
    }

    /// Whether a global is a scalar.
    pub(in crate::lower) fn is_variable(&self, global: GlobalId) -> bool {
        self.variables.contains(&global)
    }

    /// Whether a global may be reached through a pointer.
    pub(in crate::lower) fn is_escaped(&self, global: GlobalId) -> bool {
        self.escaped.contains(&global)
    }
}

/// What one expression does itself, where others can see it.
fn own_effects(places: &Places<'_>, kind: &ExprKind, summary: &mut Summary) {
    let visible = |thing: Thing| !matches!(thing, Thing::Local(_));
    let mut read = |place| {
        let thing = places.thing(place);
        if visible(thing) {
            summary.reads.add(thing, 1);
        }
    };
    match kind {
        ExprKind::Load(place) => read(*place),
        ExprKind::Update(update) => read(update.place),
        _ => {}
    }
    let written = match kind {
        ExprKind::Assign { place, .. } => places.thing(*place),
        ExprKind::Update(update) => places.thing(update.place),
        ExprKind::Intrinsic(Intrinsic::CheckedArith(..), args) if args.len() > 2 => Thing::Memory,
        ExprKind::Intrinsic(Intrinsic::VaArg, _) => {
            summary.reads.add(Thing::Memory, 1);
            return;
        }
        ExprKind::Intrinsic(Intrinsic::Trap, _) => {
            summary.ends = true;
            return;
        }
        _ => return,
    };
    if visible(written) {
        summary.writes.add(written, 1);
    }
}

/// What a library function may do to memory, by its type alone.
pub(in crate::lower) fn by_prototype(unit: &Unit, id: FunctionId) -> Summary {
    let types = &unit.types;
    let mut summary = Summary::default();
    let CType::Function(ty) = types.get(unit.functions[id].ty) else {
        return Summary::anything();
    };
    for &param in &ty.params {
        if let CType::Pointer(to) = types.get(param) {
            // It may call what it is given.
            if matches!(types.get(to.ty), CType::Function(_)) {
                return Summary::anything();
            }
            summary.reads.add(Thing::Memory, 1);
            if !to.quals.is_const {
                summary.writes.add(Thing::Memory, 1);
            }
        }
    }
    if ty.unspecified || (ty.variadic && unit.functions[id].name.ends_with("scanf")) {
        summary.reads.add(Thing::Memory, 1);
        summary.writes.add(Thing::Memory, 1);
    }
    summary
}
