//! Pointers of which more is known than what they may point to: where they are not null, they are the start of an
//! object, and not of an earlier one at the same place.
//!
//! Who asks whether an access is bad has to know this. An address tells whether it is inside an object; but a number
//! that is the object's address by accident (null moved by a distance), and a pointer to what lay there before, are no
//! pointers to the object.

use index_vec::IndexVec;
use rustc_hash::{FxHashMap, FxHashSet};

use super::homes::Home;
use crate::cfa::{Action, Cfa};
use crate::expr::ExprKind;
use crate::graph::Graph;
use crate::ids::{EdgeId, ExprId, LocId, ObjectId, VarId};
use crate::model::{Program, Scope};
use crate::types::Type;

/// What is certain about the pointers of a program all of whose calls are inlined.
#[derive(Debug)]
pub struct Certain<'p> {
    program: &'p Program,
    /// Variables that are null or the start of an object, and nothing else.
    clean: IndexVec<VarId, bool>,
    /// Local objects that begin in several places or more than once.
    again: FxHashSet<ObjectId>,
    /// Variables that stand for an expression wherever a question is asked about them.
    names: FxHashMap<VarId, ExprId>,
}

/// What a pointer was made of by moving it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Root {
    /// The address of an object, as it is now.
    Object(ObjectId),
    /// A variable that is null or the start of an object.
    Variable(VarId),
}

impl<'p> Certain<'p> {
    /// Finds it out.
    pub fn of(program: &'p Program) -> Certain<'p> {
        Certain {
            program,
            clean: clean(program),
            again: again(program),
            names: names(program),
        }
    }

    /// What a pointer was made of, with the expression, if that is something certain.
    pub fn root(&self, ptr: ExprId) -> Option<(Root, ExprId)> {
        let mut at = ptr;
        let mut is_named = false;
        loop {
            match self.program.exprs[at].kind {
                ExprKind::PtrAdd(inner, _) => at = inner,
                ExprKind::AddrOf(object) => return Some((Root::Object(object), at)),
                ExprKind::Var(var) if self.clean[var] => return Some((Root::Variable(var), at)),
                // A name of a name would have to be the same all along the way.
                ExprKind::Var(var) if !is_named => {
                    at = *self.names.get(&var)?;
                    is_named = true;
                }
                _ => return None,
            }
        }
    }

    /// Whether a pointer made of this, in an object of this home, is to the instance that is there now or to none that is alive.
    pub fn is_current(&self, root: Root, home: Home) -> bool {
        match (root, home) {
            (Root::Object(_), _) => true,
            (Root::Variable(_), Home::Declared(object)) => {
                self.program.objects[object].scope == Scope::Global || !self.again.contains(&object)
            }
            (Root::Variable(_), Home::Allocated(edge)) => {
                let cfa = &self.program.functions[self.program.start].cfa;
                let edges = cfa.edges.iter().map(|edge| (edge.source, edge.target));
                let components = Graph::new(cfa.locations.len(), edges).components();
                !components.is_cyclic(cfa.edges[edge].source)
            }
        }
    }
}

/// The greatest set of variables each of which only gets null, the start of an object, or the value of another.
fn clean(program: &Program) -> IndexVec<VarId, bool> {
    let mut clean: IndexVec<VarId, bool> = (program.vars.iter())
        .map(|var| var.ty == Type::Ptr)
        .collect();
    let mut copies: FxHashMap<VarId, Vec<VarId>> = FxHashMap::default();
    let mut unclean: Vec<VarId> = Vec::new();
    let mut gets =
        |var: VarId, value: ExprId, unclean: &mut Vec<VarId>| match program.exprs[value].kind {
            ExprKind::Const(0) | ExprKind::AddrOf(_) => {}
            ExprKind::Var(from) => copies.entry(from).or_default().push(var),
            _ => unclean.push(var),
        };
    for (id, var) in program.vars.iter_enumerated() {
        if let Some(init) = var.init {
            gets(id, init, &mut unclean);
        }
    }
    for function in &program.functions {
        unclean.extend(&function.params);
        for edge in &function.cfa.edges {
            match edge.action {
                Action::Assign { dst, value } => gets(dst, value, &mut unclean),
                Action::Alloc { .. } => {}
                _ => unclean.extend(edge.action.defined_var()),
            }
        }
    }
    while let Some(var) = unclean.pop() {
        if std::mem::replace(&mut clean[var], false) {
            unclean.extend(copies.get(&var).into_iter().flatten());
        }
    }
    clean
}

/// Steps between naming a pointer and the question about it.
const MOST_STEPS: usize = 8;

/// The variables that are set once in the text, and that no question is asked about but right behind that: nothing of
/// what they were set to has changed by then.
fn names(program: &Program) -> FxHashMap<VarId, ExprId> {
    let cfa = &program.functions[program.start].cfa;
    let incoming = cfa.incoming();
    let mut sets: FxHashMap<VarId, u32> = FxHashMap::default();
    for edge in program.functions.iter().flat_map(|body| &body.cfa.edges) {
        if let Some(var) = edge.action.defined_var() {
            *sets.entry(var).or_default() += 1;
        }
    }
    let mut names: FxHashMap<VarId, ExprId> = FxHashMap::default();
    let mut refused: FxHashSet<VarId> = FxHashSet::default();
    for edge in &cfa.edges {
        let Action::Assume { cond, .. } = edge.action else {
            continue;
        };
        for var in asked(program, cond) {
            let value = (sets.get(&var) == Some(&1))
                .then(|| named_before(program, cfa, &incoming, edge.source, var))
                .flatten();
            match value {
                Some(value) => {
                    names.insert(var, value);
                }
                None => {
                    refused.insert(var);
                }
            }
        }
    }
    names.retain(|var, _| !refused.contains(var));
    names
}

/// The variables that the pointers are made of about which a condition asks.
fn asked(program: &Program, cond: ExprId) -> Vec<VarId> {
    let exprs = &program.exprs;
    let mut found = Vec::new();
    let mut todo = vec![cond];
    while let Some(id) = todo.pop() {
        if let ExprKind::AccessOk { ptr, .. } | ExprKind::FreeOk(ptr) = exprs[id].kind {
            let mut at = ptr;
            while let ExprKind::PtrAdd(inner, _) = exprs[at].kind {
                at = inner;
            }
            if let ExprKind::Var(var) = exprs[at].kind {
                found.push(var);
            }
        }
        todo.extend(exprs.children(id));
    }
    found
}

/// What a variable was set to on the only way to a location, if nothing in it has changed since.
fn named_before(
    program: &Program,
    cfa: &Cfa,
    incoming: &IndexVec<LocId, Vec<EdgeId>>,
    from: LocId,
    var: VarId,
) -> Option<ExprId> {
    let mut at = from;
    let mut changed: Vec<VarId> = Vec::new();
    for _ in 0..MOST_STEPS {
        let &[edge] = &*incoming[at] else {
            return None;
        };
        let edge = &cfa.edges[edge];
        match edge.action {
            Action::Assign { dst, value } if dst == var => {
                let mut is_same = true;
                program.exprs.for_each_var(value, &mut |used| {
                    is_same &= used != var && !changed.contains(&used);
                });
                return is_same.then_some(value);
            }
            Action::Assign { dst, .. } | Action::Load { dst, .. } => changed.push(dst),
            Action::Skip | Action::Assume { .. } | Action::Store { .. } => {}
            _ => return None,
        }
        at = edge.source;
    }
    None
}

/// The local objects that may begin more than once.
fn again(program: &Program) -> FxHashSet<ObjectId> {
    let mut begun = FxHashSet::default();
    let mut again = FxHashSet::default();
    for (id, function) in program.functions.iter_enumerated() {
        let cfa = &function.cfa;
        let mut components = None;
        for edge in &cfa.edges {
            let Action::Enter(object) = edge.action else {
                continue;
            };
            let components = components.get_or_insert_with(|| {
                let edges = cfa.edges.iter().map(|edge| (edge.source, edge.target));
                Graph::new(cfa.locations.len(), edges).components()
            });
            let is_once = id == program.start && !components.is_cyclic(edge.source);
            if !begun.insert(object) || !is_once {
                again.insert(object);
            }
        }
    }
    again
}
