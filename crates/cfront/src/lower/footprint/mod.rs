//! What evaluating an expression reads and writes, so that the order of evaluation is asked about only where it can matter.
//!
//! Places are told apart by name, and in memory by record and field or by type; what can't be told apart is taken to be the same.

mod function;
mod walk;

pub(super) use function::{Outside, Summaries, Summary, by_prototype};

use index_vec::IndexVec;
use rustc_hash::FxHashSet;

use crate::ctypes::{CType, RecordId, TypeId, TypeTable};
use crate::hir::{Body, Callee, Expr, ExprId, ExprKind, FunctionId, Global, GlobalId, LocalId};

/// A set with more members than this is taken to hold everything.
const MAX_MEMBERS: usize = 48;
/// Where more functions than this are called, it may be any.
const MAX_CALLS: usize = 32;

/// Something that can be read or written.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) enum Thing {
    /// A local of this function, by name.
    Local(LocalId),
    /// A global, by name.
    Global(GlobalId),
    /// A member of some record, through a pointer.
    Field(RecordId, u32),
    /// Something of a type, through a pointer.
    Typed(TypeId),
    /// Anything in memory.
    Memory,
}

/// A set of things, with how often each is there (2 for more than once).
#[derive(Clone, Default, Debug)]
pub(super) struct Things {
    members: Vec<(Thing, u8)>,
    pub(super) all: bool,
}

impl Things {
    pub(super) fn add(&mut self, thing: Thing, count: u8) {
        if self.all {
            return;
        }
        let mut members = self.members.iter_mut();
        if let Some((_, known)) = members.find(|(known, _)| *known == thing) {
            *known = known.saturating_add(count).min(2);
        } else if self.members.len() < MAX_MEMBERS {
            self.members.push((thing, count));
        } else {
            self.set_all();
        }
    }

    pub(super) fn set_all(&mut self) {
        self.all = true;
        self.members.clear();
    }

    /// Adds the members of another set. Gives whether that changed anything.
    pub(super) fn add_all(&mut self, other: &Things) -> bool {
        let before = (self.all, self.members.len());
        if other.all {
            self.set_all();
        }
        for &(thing, count) in &other.members {
            self.add(thing, count);
        }
        before != (self.all, self.members.len())
    }

    pub(super) fn is_empty(&self) -> bool {
        !self.all && self.members.is_empty()
    }

    pub(super) fn contains(&self, thing: Thing) -> bool {
        self.all || self.members.iter().any(|&(member, _)| member == thing)
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (Thing, u8)> + '_ {
        self.members.iter().copied()
    }
}

/// What evaluating an expression does in this function itself, arguments of calls included, and whom it calls.
#[derive(Clone, Default, Debug)]
pub(super) struct Footprint {
    pub(super) reads: Things,
    pub(super) writes: Things,
    /// Variables that are read or written in any case, as far as they are few.
    pub(super) certain_reads: Vec<Thing>,
    pub(super) certain_writes: Vec<Thing>,
    /// Variables whose new value may come after the value of the expression.
    pub(super) pending: Vec<Thing>,
    /// Who is called, and how often (2 for more than once).
    pub(super) calls: Vec<(Called, u8)>,
    /// How often something atomic is accessed (2 for more than once).
    pub(super) atomic: u8,
    /// Whether there are statements in it, which can't be lowered twice.
    pub(super) has_statements: bool,
    /// Whether there is a label among them.
    pub(super) has_label: bool,
    /// Whether there is a loop among them, which may have no end.
    pub(super) may_loop: bool,
    /// Whether they may leave the expression, by a jump.
    pub(super) may_leave: bool,
}

/// Whom a call calls.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Called {
    Function(FunctionId),
    /// One that a pointer leads to.
    Pointed,
    /// Any at all.
    Any,
}

impl Called {
    pub(super) fn of(callee: Callee) -> Called {
        match callee {
            Callee::Function(id) => Called::Function(id),
            Callee::Pointer(_) => Called::Pointed,
        }
    }
}

/// Who can tell about types and places in a body.
#[derive(Clone, Copy)]
pub(super) struct Places<'a> {
    pub(super) types: &'a TypeTable,
    pub(super) globals: &'a IndexVec<GlobalId, Global>,
    pub(super) body: &'a Body,
}

impl Places<'_> {
    fn expr(&self, id: ExprId) -> &Expr {
        &self.body.exprs[id]
    }

    /// Whether what is named is declared `_Atomic`, or part of something that is.
    pub(super) fn is_atomic(&self, place: ExprId) -> bool {
        match self.expr(place).kind {
            ExprKind::Local(local) => self.body.locals[local].ty.quals.is_atomic,
            ExprKind::Global(global) => self.globals[global].ty.quals.is_atomic,
            ExprKind::Deref(ptr) => {
                let pointee = self.types.pointee(self.expr(ptr).ty);
                pointee.is_some_and(|pointee| pointee.quals.is_atomic)
            }
            ExprKind::Member {
                base,
                record,
                field,
            } => {
                let layout = self.types.records[record].layout.as_ref();
                let field = layout.and_then(|layout| layout.fields.get(field as usize));
                field.is_some_and(|field| field.ty.quals.is_atomic) || self.is_atomic(base)
            }
            _ => false,
        }
    }

    /// What an access to a place touches.
    pub(super) fn thing(&self, place: ExprId) -> Thing {
        if let Some(root) = self.root(place) {
            return root;
        }
        let expr = self.expr(place);
        match expr.kind {
            ExprKind::Member { record, field, .. } if !self.types.records[record].is_union => {
                match self.types.scalar(expr.ty) {
                    Some(_) => Thing::Field(record, field),
                    None => Thing::Memory,
                }
            }
            ExprKind::Deref(_) => match self.types.get(expr.ty) {
                CType::Record(_) | CType::Array(..) => Thing::Memory,
                _ if self.types.size_of(expr.ty) == Some(1) => Thing::Memory,
                _ => Thing::Typed(expr.ty),
            },
            _ => Thing::Memory,
        }
    }

    /// The local or global that a place is a part of, whatever pointer arithmetic leads there from its name.
    pub(super) fn root(&self, mut place: ExprId) -> Option<Thing> {
        loop {
            place = match self.expr(place).kind {
                ExprKind::Local(local) => return Some(Thing::Local(local)),
                ExprKind::CompoundLiteral { local, .. } => return Some(Thing::Local(local)),
                ExprKind::Global(global) => return Some(Thing::Global(global)),
                ExprKind::Member { base, .. } => base,
                ExprKind::Deref(pointer) => self.pointer_base(pointer)?,
                _ => return None,
            };
        }
    }

    /// The place whose address a pointer is computed from.
    pub(super) fn pointer_base(&self, mut pointer: ExprId) -> Option<ExprId> {
        loop {
            pointer = match self.expr(pointer).kind {
                ExprKind::PtrAdd { ptr, .. } => ptr,
                ExprKind::Convert(arg) => arg,
                ExprKind::AddrOf(place) | ExprKind::Decay(place) => return Some(place),
                _ => return None,
            };
        }
    }

    /// The locals and globals whose address is used for more than to access them.
    pub(super) fn escaped(&self) -> FxHashSet<Thing> {
        let exprs = self.body.exprs.iter();
        let accessed: FxHashSet<ExprId> = exprs
            .filter_map(|expr| match expr.kind {
                ExprKind::Deref(pointer) => self.pointer_base(pointer),
                _ => None,
            })
            .collect();
        let exprs = self.body.exprs.iter();
        exprs
            .filter_map(|expr| match expr.kind {
                ExprKind::AddrOf(place) | ExprKind::Decay(place) => Some(place),
                // A record by its address.
                ExprKind::Load(place) if self.types.scalar(expr.ty).is_none() => Some(place),
                _ => None,
            })
            .filter(|place| !accessed.contains(place))
            .filter_map(|place| self.root(place))
            .collect()
    }

    /// Whether two accesses that are not by name may be to the same bytes. Types tell nothing, as strict aliasing is
    /// not assumed; members of one record lie apart, and so do those of records that no union brings together.
    fn may_overlap(&self, one: Thing, other: Thing) -> bool {
        match (one, other) {
            (Thing::Field(a, x), Thing::Field(b, y)) if a == b => x == y,
            (Thing::Field(a, _), Thing::Field(b, _)) => self.may_share_bytes(a, b),
            _ => true,
        }
    }

    /// Whether some union has both records in it.
    fn may_share_bytes(&self, one: RecordId, other: RecordId) -> bool {
        let unions = self.types.records.iter().filter(|record| record.is_union);
        unions
            .filter_map(|record| record.layout.as_ref())
            .any(|layout| {
                let has = |record| layout.fields.iter().any(|f| self.contains(f.ty.ty, record));
                has(one) && has(other)
            })
    }

    /// Whether a type is a record, or has it as a part.
    fn contains(&self, ty: TypeId, record: RecordId) -> bool {
        match self.types.get(ty) {
            CType::Array(element, _) => self.contains(element.ty, record),
            &CType::Record(own) => {
                let layout = self.types.records[own].layout.as_ref();
                let mut fields = layout.iter().flat_map(|layout| &layout.fields);
                own == record || fields.any(|field| self.contains(field.ty.ty, record))
            }
            _ => false,
        }
    }

    /// Whether two accesses may be to the same bytes. `escapes` tells of what has a name whether pointers may lead to it.
    pub(super) fn may_be_same(
        &self,
        one: Thing,
        other: Thing,
        escapes: &dyn Fn(Thing) -> bool,
    ) -> bool {
        let has_name = |thing| matches!(thing, Thing::Local(_) | Thing::Global(_));
        match (has_name(one), has_name(other)) {
            (true, true) => one == other,
            (true, false) => escapes(one),
            (false, true) => escapes(other),
            (false, false) => self.may_overlap(one, other),
        }
    }
}
