//! Whether a `_Bool` in memory may be neither 0 nor 1.
//!
//! Where bytes of a `_Bool` can be written as something else, reading it is a read of a byte with a check that it is a truth value. That can be in programs
//! that have a union with one, one beside other members (an index can run over into it), a conversion between pointers to what contains one and to something
//! else, or its address in an initialiser. In all others every write to such a byte is that of a `_Bool`, and no check is needed.

use rustc_hash::FxHashMap;

use crate::ctypes::{CType, RecordId, TypeId, TypeTable};
use crate::hir::{ConstValue, ExprKind, StaticInit, Unit};

/// Whether reads need the check.
pub(super) fn may_be_bad(unit: &Unit) -> bool {
    let mut search = Search {
        types: &unit.types,
        records: FxHashMap::default(),
    };
    let mixed = (unit.types.records.indices()).any(|id| search.is_mixed(id));
    mixed || search.is_converted(unit) || search.is_in_initialiser(unit)
}

struct Search<'a> {
    types: &'a TypeTable,
    /// Whether records contain one.
    records: FxHashMap<RecordId, bool>,
}

impl Search<'_> {
    /// Whether objects of a type contain a `_Bool` that is no bit-field.
    fn contains(&mut self, ty: TypeId) -> bool {
        match *self.types.get(ty) {
            CType::Bool => true,
            CType::Array(element, _) => self.contains(element.ty),
            CType::Record(id) => {
                if let Some(&known) = self.records.get(&id) {
                    return known;
                }
                let layout = self.types.records[id].layout.as_ref();
                let fields = layout.map_or(&[][..], |layout| &layout.fields);
                let found =
                    (fields.iter()).any(|field| field.bits.is_none() && self.contains(field.ty.ty));
                self.records.insert(id, found);
                found
            }
            _ => false,
        }
    }

    /// Whether a record has a `_Bool` and room for something else.
    fn is_mixed(&mut self, id: RecordId) -> bool {
        let Some(layout) = &self.types.records[id].layout else {
            return false;
        };
        let contained = layout.fields.iter();
        let contained = contained.filter(|field| self.contains(field.ty.ty));
        match contained.count() {
            0 => false,
            count => count < layout.fields.len(),
        }
    }

    /// Whether a pointer to what contains one becomes one to something else, or the other way round.
    fn is_converted(&mut self, unit: &Unit) -> bool {
        let bodies = unit.functions.iter().filter_map(|it| it.body.as_ref());
        bodies.into_iter().any(|body| {
            body.exprs.iter().any(|expr| {
                let ExprKind::Convert(from) = expr.kind else {
                    return false;
                };
                if matches!(body.exprs[from].kind, ExprKind::Const(0)) {
                    return false;
                }
                let to = self.types.pointee(expr.ty).map(|to| to.ty);
                let from = self.types.pointee(body.exprs[from].ty).map(|from| from.ty);
                let reaches = [from, to].into_iter().flatten();
                let mut reaches = reaches.filter(|&ty| self.contains(ty));
                let reaches = reaches.next().is_some();
                reaches && !matches!((from, to), (Some(from), Some(to)) if self.is_same(from, to))
            })
        })
    }

    /// Whether two types are the same, qualifiers and lengths of arrays aside.
    fn is_same(&self, one: TypeId, other: TypeId) -> bool {
        match (self.types.get(one), self.types.get(other)) {
            (CType::Array(one, _), CType::Array(other, _)) => self.is_same(one.ty, other.ty),
            _ => one == other,
        }
    }

    fn is_in_initialiser(&mut self, unit: &Unit) -> bool {
        let inits = unit.globals.iter().filter_map(|it| it.init.as_ref());
        inits.flatten().any(|init| match init {
            StaticInit::Scalar {
                value: ConstValue::Global(id, _),
                ..
            } => self.contains(unit.globals[*id].ty.ty),
            _ => false,
        })
    }
}
