//! Sites, and which of them each pointer variable may have.

use std::collections::BTreeSet;

use rhumb_program::graph::Graph;
use rhumb_program::{
    Action, AllocKind, EdgeId, ExprId, ExprKind, IndexVec, ObjectId, Program, Type, VarId,
};
use rustc_hash::{FxHashMap, FxHashSet};

index_vec::define_index_type! {
    /// A site.
    pub(super) struct SiteId = u32;
}

/// What makes instances.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum What {
    Object(ObjectId),
    Allocated(EdgeId, AllocKind),
}

/// The sites of a program all of whose calls are inlined.
#[derive(Debug)]
pub(super) struct Sites {
    pub(super) all: IndexVec<SiteId, What>,
    declared: FxHashMap<ObjectId, SiteId>,
    allocated: FxHashMap<EdgeId, SiteId>,
    /// Those that may have more than one instance.
    again: FxHashSet<SiteId>,
    /// Those of pointers that a variable may hold.
    pub(super) may: IndexVec<VarId, BTreeSet<SiteId>>,
}

impl Sites {
    pub(super) fn new(program: &Program) -> Sites {
        let mut sites = Sites {
            all: IndexVec::new(),
            declared: FxHashMap::default(),
            allocated: FxHashMap::default(),
            again: FxHashSet::default(),
            may: program.vars.iter().map(|_| BTreeSet::new()).collect(),
        };
        for index in 0..program.exprs.len() {
            if let ExprKind::AddrOf(object) = program.exprs[ExprId::new(index)].kind {
                let all = &mut sites.all;
                let push = || all.push(What::Object(object));
                sites.declared.entry(object).or_insert_with(push);
            }
        }
        let cfa = &program.functions[program.start].cfa;
        let ways = cfa.edges.iter().map(|edge| (edge.source, edge.target));
        let components = Graph::new(cfa.locations.len(), ways).components();
        let mut entered = FxHashSet::default();
        for (id, edge) in cfa.edges.iter_enumerated() {
            let is_cyclic = components.is_cyclic(edge.source);
            match edge.action {
                Action::Alloc { kind, .. } => {
                    let site = sites.all.push(What::Allocated(id, kind));
                    sites.allocated.insert(id, site);
                    if is_cyclic {
                        sites.again.insert(site);
                    }
                }
                Action::Enter(object) => {
                    let is_first = entered.insert(object);
                    if let Some(&site) = sites.declared.get(&object)
                        && (is_cyclic || !is_first)
                    {
                        sites.again.insert(site);
                    }
                }
                _ => {}
            }
        }
        sites.propagate(program);
        sites
    }

    /// The least sets that contain what is assigned.
    fn propagate(&mut self, program: &Program) {
        let mut copies: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
        let mut gets = |sites: &mut Sites, dst: VarId, value: ExprId| {
            if program.vars[dst].ty != Type::Ptr {
                return;
            }
            match base(program, value) {
                ExprKind::AddrOf(object) => {
                    sites.may[dst].extend(sites.declared.get(&object));
                }
                ExprKind::Var(from) => copies.entry(from).or_default().push(dst),
                _ => {}
            }
        };
        for (var, declared) in program.vars.iter_enumerated() {
            if let Some(init) = declared.init {
                gets(self, var, init);
            }
        }
        for (id, edge) in program.functions[program.start].cfa.edges.iter_enumerated() {
            match edge.action {
                Action::Assign { dst, value } => gets(self, dst, value),
                Action::Alloc { dst, .. } => {
                    self.may[dst].extend(self.allocated.get(&id));
                }
                _ => {}
            }
        }
        let set = self.may.iter_enumerated();
        let set = set.filter(|(_, sites)| !sites.is_empty());
        let mut todo: Vec<VarId> = set.map(|(var, _)| var).collect();
        while let Some(from) = todo.pop() {
            let sites = self.may[from].clone();
            for &to in copies.get(&from).into_iter().flatten() {
                let before = self.may[to].len();
                self.may[to].extend(&sites);
                if self.may[to].len() > before {
                    todo.push(to);
                }
            }
        }
    }

    pub(super) fn declared(&self, object: ObjectId) -> Option<SiteId> {
        self.declared.get(&object).copied()
    }

    pub(super) fn allocated_at(&self, edge: EdgeId) -> Option<SiteId> {
        self.allocated.get(&edge).copied()
    }

    pub(super) fn is_again(&self, site: SiteId) -> bool {
        self.again.contains(&site)
    }

    /// Those that a pointer may have.
    pub(super) fn of(&self, program: &Program, ptr: ExprId) -> BTreeSet<SiteId> {
        match base(program, ptr) {
            ExprKind::AddrOf(object) => self.declared(object).into_iter().collect(),
            // A variable that was made for the sites has none.
            ExprKind::Var(var) => self.may.get(var).cloned().unwrap_or_default(),
            _ => BTreeSet::new(),
        }
    }
}

/// What a pointer was moved from.
pub(super) fn base(program: &Program, ptr: ExprId) -> ExprKind {
    let mut at = ptr;
    while let ExprKind::PtrAdd(inner, _) = program.exprs[at].kind {
        at = inner;
    }
    program.exprs[at].kind
}
