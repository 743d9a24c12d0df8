//! Whether a `_Bool` in memory may be neither 0 nor 1.
//!
//! Where bytes of a `_Bool` can be written as something else, reading it is a read of a byte with a check that it is a truth value. That
//! can be in programs that have a union with one (or with a pointer to one), one beside an array or a member whose address is taken (an
//! index can run over into it), a conversion between pointers to what leads to one and to something else, or its address in an
//! initialiser. In all others every write to such a byte is that of a `_Bool`, and no check is needed. What comes from outside is taken to
//! be a truth value where its type says that it is one.

use index_vec::IndexVec;
use rhumb_program::{BinOp, EndKind, ExprId, ExprKind, LocKind, Span, Type};

use super::function::FunctionLowering;
use super::place::BYTE;
use crate::ctypes::{CType, RecordId, TypeId, TypeTable};
use crate::hir::{self, ConstValue, StaticInit, Unit};

/// How many truth values of one object from outside are assumed to be some.
const MOST: usize = 64;

/// Whether reads need the check.
pub(super) fn may_be_bad(unit: &Unit) -> bool {
    let search = Search::new(&unit.types);
    let mixed = (unit.types.records.indices()).any(|id| search.is_mixed(id));
    mixed || search.is_converted(unit) || search.is_in_initialiser(unit)
}

struct Search<'a> {
    types: &'a TypeTable,
    /// Whether records contain one.
    contain: IndexVec<RecordId, bool>,
    /// Whether they contain one or a pointer that leads to one.
    reach: IndexVec<RecordId, bool>,
}

impl<'a> Search<'a> {
    fn new(types: &'a TypeTable) -> Search<'a> {
        let none: IndexVec<RecordId, bool> = types.records.iter().map(|_| false).collect();
        let mut search = Search {
            types,
            contain: none.clone(),
            reach: none,
        };
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (id, record) in types.records.iter_enumerated() {
                let fields = record.layout.iter().flat_map(|layout| &layout.fields);
                let mut fields = fields.filter(|field| field.bits.is_none());
                let contains = fields.clone().any(|field| search.contains(field.ty.ty));
                let reaches = fields.any(|field| search.reaches(field.ty.ty));
                changed |= contains != search.contain[id] || reaches != search.reach[id];
                search.contain[id] = contains;
                search.reach[id] = reaches;
            }
        }
        search
    }

    /// Whether objects of a type contain a `_Bool` that is no bit-field.
    fn contains(&self, ty: TypeId) -> bool {
        match *self.types.get(ty) {
            CType::Bool => true,
            CType::Array(element, _) => self.contains(element.ty),
            CType::Record(id) => self.contain[id],
            _ => false,
        }
    }

    /// The same, or pointers that lead to one.
    fn reaches(&self, ty: TypeId) -> bool {
        match *self.types.get(ty) {
            CType::Bool => true,
            CType::Array(element, _) | CType::Pointer(element) => self.reaches(element.ty),
            CType::Record(id) => self.reach[id],
            _ => false,
        }
    }

    /// Whether a record has a `_Bool` and an array of something else, or a union has one, or a pointer to one.
    fn is_mixed(&self, id: RecordId) -> bool {
        let record = &self.types.records[id];
        let mut fields = record.layout.iter().flat_map(|layout| &layout.fields);
        match record.is_union {
            true => self.reach[id],
            false => self.contain[id] && fields.any(|field| self.has_array(field.ty.ty)),
        }
    }

    /// Whether objects of a type contain an array of something else than `_Bool`. Recursive on how types nest, which is limited.
    fn has_array(&self, ty: TypeId) -> bool {
        match *self.types.get(ty) {
            CType::Array(element, _) => *self.types.get(element.ty) != CType::Bool,
            CType::Record(id) => {
                let layout = self.types.records[id].layout.iter();
                let mut fields = layout.flat_map(|layout| &layout.fields);
                fields.any(|field| self.has_array(field.ty.ty))
            }
            _ => false,
        }
    }

    /// Whether a pointer is to a member, other than a `_Bool`, of a record that contains one.
    fn is_beside(&self, body: &hir::Body, expr: &hir::Expr) -> bool {
        let hir::ExprKind::AddrOf(mut place) = expr.kind else {
            return false;
        };
        if *self.types.get(body.exprs[place].ty) == CType::Bool {
            return false;
        }
        while let hir::ExprKind::Member { base, record, .. } = body.exprs[place].kind {
            if self.contain[record] {
                return true;
            }
            place = base;
        }
        false
    }

    /// Whether a pointer to what leads to one becomes one to something else, or the other way round, or is to what lies beside one. A
    /// function that is called as if it had other parameters does that, too.
    fn is_converted(&self, unit: &Unit) -> bool {
        let mut bodies = unit.functions.iter().filter_map(|it| it.body.as_ref());
        bodies.any(|body| {
            body.exprs.iter().any(|expr| {
                let hir::ExprKind::Convert(from) = expr.kind else {
                    return self.is_beside(body, expr);
                };
                if matches!(body.exprs[from].kind, hir::ExprKind::Const(0)) {
                    return false;
                }
                let to = self.types.pointee(expr.ty).map(|to| to.ty);
                let from = self.types.pointee(body.exprs[from].ty).map(|from| from.ty);
                match (from, to) {
                    (Some(from), Some(to)) if self.is_same(from, to) => false,
                    _ => [from, to].into_iter().flatten().any(|ty| {
                        self.reaches(ty) || matches!(self.types.get(ty), CType::Function(_))
                    }),
                }
            })
        })
    }

    /// Whether two types are the same, qualifiers and lengths of arrays aside.
    fn is_same(&self, one: TypeId, other: TypeId) -> bool {
        match (self.types.get(one), self.types.get(other)) {
            (CType::Array(one, _), CType::Array(other, _)) => self.is_same(one.ty, other.ty),
            (CType::Pointer(one), CType::Pointer(other)) => self.is_same(one.ty, other.ty),
            _ => one == other,
        }
    }

    fn is_in_initialiser(&self, unit: &Unit) -> bool {
        let inits = unit.globals.iter().filter_map(|it| it.init.as_ref());
        inits.flatten().any(|init| match init {
            StaticInit::Scalar {
                value: ConstValue::Global(id, _),
                ..
            } => self.reaches(unit.globals[*id].ty.ty),
            _ => false,
        })
    }

    /// Where in an object of a type they lie, as far as there are not too many.
    fn places(&self, ty: TypeId, offset: u64, places: &mut Vec<u64>) {
        if places.len() >= MOST || !self.contains(ty) {
            return;
        }
        match *self.types.get(ty) {
            CType::Bool => places.push(offset),
            CType::Array(element, _) => {
                let size = self.types.size_of(element.ty).unwrap_or(0).max(1);
                let count = self.types.size_of(ty).unwrap_or(0) / size;
                for index in 0..count.min(MOST as u64) {
                    self.places(element.ty, offset + index * size, places);
                }
            }
            // Of a union another member may be the one that counts.
            CType::Record(id) if !self.types.records[id].is_union => {
                let layout = self.types.records[id].layout.iter();
                let fields = layout.flat_map(|layout| &layout.fields);
                for field in fields.filter(|field| field.bits.is_none()) {
                    self.places(field.ty.ty, offset + field.offset, places);
                }
            }
            _ => {}
        }
    }
}

impl FunctionLowering<'_, '_> {
    /// Assumes of objects of a type that come from outside, one behind the other, that their truth values are some.
    pub(super) fn assume_truths(&mut self, ptr: ExprId, ty: TypeId, count: u64, span: Span) {
        let size = self.unit.unit.types.size_of(ty).unwrap_or(0);
        for index in 0..count.min(MOST as u64) {
            for offset in self.truths(ty) {
                let place = self.offset(ptr, index * size + offset);
                let is_truth = self.is_truth(place, span);
                let fails = LocKind::End(EndKind::AssumptionFailed);
                self.require(is_truth, true, fails, span);
            }
        }
    }

    /// Where truth values lie in an object of a type, if they may be none.
    pub(super) fn truths(&self, ty: TypeId) -> Vec<u64> {
        let mut places = Vec::new();
        if self.unit.bad_bools {
            Search::new(&self.unit.unit.types).places(ty, 0, &mut places);
        }
        places
    }

    /// Whether a byte is a truth value.
    pub(super) fn is_truth(&mut self, place: ExprId, span: Span) -> ExprId {
        let byte = self.read_byte(place, span);
        let limit = self.unit.int(BYTE, 2);
        self.node(ExprKind::Binary(BinOp::Lt, byte, limit), Type::Bool)
    }
}
