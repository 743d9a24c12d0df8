//! Members, elements, and `offsetof`.

use rhumb_program::Span;

use super::Sema;
use crate::ast::{self, Designator, TypeName};
use crate::ctypes::{CType, RecordId, TypeId, TypeTable};
use crate::diagnostic::Diagnostic;
use crate::hir::{ExprId, ExprKind};
use crate::intern::Symbol;

/// Finds a member by name, also inside anonymous members: the fields to follow, outermost first.
pub(super) fn find_member(types: &TypeTable, record: RecordId, name: Symbol) -> Option<Vec<u32>> {
    let layout = types.records[record].layout.as_ref()?;
    let direct = layout
        .fields
        .iter()
        .position(|field| field.name == Some(name));
    if let Some(index) = direct {
        return Some(vec![index as u32]);
    }
    let anonymous = layout
        .fields
        .iter()
        .enumerate()
        .filter(|(_, field)| field.name.is_none());
    for (index, field) in anonymous {
        if let Some(inner) = types.as_record(field.ty.ty)
            && let Some(mut path) = find_member(types, inner, name)
        {
            path.insert(0, index as u32);
            return Some(path);
        }
    }
    None
}

impl Sema<'_> {
    /// `base.name` or `base->name`.
    pub(super) fn member(
        &mut self,
        base: ast::ExprId,
        name: Symbol,
        arrow: bool,
        name_span: Span,
        span: Span,
    ) -> ExprId {
        let base = if arrow {
            let pointer = self.rvalue(base);
            if self.is_error(pointer) {
                return pointer;
            }
            if self.unit.types.pointee(self.ty(pointer)).is_none() {
                return self.wrong_base(pointer, true, name_span);
            }
            let pointer_span = self.span(pointer);
            self.deref(pointer, pointer_span)
        } else {
            self.expr(base)
        };
        if self.is_error(base) {
            return base;
        }
        let Some(record) = self.unit.types.as_record(self.ty(base)) else {
            return self.wrong_base(base, false, name_span);
        };
        if self.unit.types.records[record].layout.is_none() {
            let shown = self.show(self.ty(base));
            return self.fail(name_span, format!("use of incomplete type `{shown}`"));
        }
        match self.member_path(base, record, name, span) {
            Some(place) => place,
            None => self.no_member(record, name, name_span),
        }
    }

    /// The place of a member; short of a heap allocation for the usual case of a direct one.
    fn member_path(
        &mut self,
        base: ExprId,
        record: RecordId,
        name: Symbol,
        span: Span,
    ) -> Option<ExprId> {
        let layout = self.unit.types.records[record].layout.as_ref()?;
        let direct = layout
            .fields
            .iter()
            .position(|field| field.name == Some(name));
        if let Some(index) = direct {
            let ty = layout.fields[index].ty.ty;
            return Some(self.member_place(base, record, index as u32, ty, span));
        }
        let path = find_member(&self.unit.types, record, name)?;
        let (mut place, mut record) = (base, record);
        for field in path {
            let layout = self.unit.types.records[record].layout.as_ref()?;
            let ty = layout.fields.get(field as usize)?.ty.ty;
            place = self.member_place(place, record, field, ty, span);
            if let Some(inner) = self.unit.types.as_record(ty) {
                record = inner;
            }
        }
        Some(place)
    }

    fn member_place(
        &mut self,
        base: ExprId,
        record: RecordId,
        field: u32,
        ty: TypeId,
        span: Span,
    ) -> ExprId {
        let kind = ExprKind::Member {
            base,
            record,
            field,
        };
        self.place(kind, ty, span)
    }

    fn wrong_base(&mut self, base: ExprId, arrow: bool, span: Span) -> ExprId {
        let ty = self.ty(base);
        let shown = self.show(ty);
        let pointee = self.unit.types.pointee(ty);
        let points_to_record =
            pointee.is_some_and(|pointee| self.unit.types.as_record(pointee.ty).is_some());
        let is_record = self.unit.types.as_record(ty).is_some();
        let message = if arrow {
            format!("`->` needs a pointer to a struct or union, not `{shown}`")
        } else {
            format!("`{shown}` has no members")
        };
        let mut diagnostic = Diagnostic::error(span, message);
        if !arrow && points_to_record {
            diagnostic = diagnostic.with_label("did you mean `->`?");
        } else if arrow && is_record {
            diagnostic = diagnostic.with_label("did you mean `.`?");
        }
        self.diags.push(diagnostic);
        self.error_expr(span)
    }

    fn no_member(&mut self, record: RecordId, name: Symbol, span: Span) -> ExprId {
        let text = self.names.name(name).clone();
        let ty = self.unit.types.intern(CType::Record(record));
        let shown = self.show(ty);
        let mut diagnostic = Diagnostic::error(span, format!("`{shown}` has no member `{text}`"));
        diagnostic = match self.similar_member(record, &text) {
            Some(similar) => diagnostic.with_label(format!("did you mean `{similar}`?")),
            None => diagnostic.with_label("unknown member"),
        };
        self.diags.push(diagnostic);
        self.error_expr(span)
    }

    /// `base[index]`, in either order.
    pub(super) fn index(&mut self, base: ast::ExprId, index: ast::ExprId, span: Span) -> ExprId {
        let base = self.rvalue(base);
        let index = self.rvalue(index);
        if self.is_error(base) {
            return base;
        }
        if self.is_error(index) {
            return index;
        }
        let types = &self.unit.types;
        let base_is_pointer = types.pointee(self.ty(base)).is_some();
        let index_is_pointer = types.pointee(self.ty(index)).is_some();
        let (pointer, index) = match (base_is_pointer, index_is_pointer) {
            (true, false) => (base, index),
            (false, true) => (index, base),
            _ => {
                let shown = self.show(self.ty(base));
                let message = format!("`[]` needs an array or a pointer, not `{shown}`");
                return self.fail(span, message);
            }
        };
        if !self.unit.types.is_integer(self.ty(index)) {
            let shown = self.show(self.ty(index));
            let index_span = self.span(index);
            return self.fail(
                index_span,
                format!("an array index can't have type `{shown}`"),
            );
        }
        let element = self.pointer_add(pointer, index, false, span);
        self.deref(element, span)
    }

    /// `offsetof(type, designator)`: a constant, or a sum where an index is not one.
    pub(super) fn offset_of(
        &mut self,
        name: &TypeName,
        designators: &[Designator],
        span: Span,
    ) -> ExprId {
        let mut ty = self.type_name(name).ty.ty;
        if let Some(what) = self.unit.types.unsupported(ty) {
            let what = self.names.name(what).to_string();
            return self.unsupported(what, span);
        }
        let mut offset: u64 = 0;
        let mut variable: Option<ExprId> = None;
        for designator in designators {
            match designator {
                Designator::Field(name, name_span) => {
                    let Some(inner) = self.offset_of_field(ty, *name, *name_span, &mut offset)
                    else {
                        return self.error_expr(span);
                    };
                    ty = inner;
                }
                Designator::Index(index, index_span) => {
                    let &CType::Array(element, _) = self.unit.types.get(ty) else {
                        let shown = self.show(ty);
                        return self.fail(*index_span, format!("`{shown}` is not an array"));
                    };
                    ty = element.ty;
                    let index = self.rvalue(*index);
                    if self.is_error(index) {
                        return index;
                    }
                    let size = self.unit.types.size_of(ty).unwrap_or(0);
                    match self.fold_integer(index) {
                        Some(index) => {
                            offset = offset.wrapping_add((index as u64).wrapping_mul(size));
                        }
                        None => variable = self.scaled_index(index, size, variable, *index_span),
                    }
                }
                Designator::Range(_, _, range_span) => {
                    return self.fail(*range_span, "`offsetof` of a range");
                }
            }
        }
        let constant = self.size_const(offset, span);
        match variable {
            None => constant,
            Some(variable) => {
                let kind = ExprKind::Binary(crate::hir::BinaryOp::Add, constant, variable);
                self.push(kind, self.unit.types.basic.size, span)
            }
        }
    }

    fn offset_of_field(
        &mut self,
        ty: TypeId,
        name: Symbol,
        span: Span,
        offset: &mut u64,
    ) -> Option<TypeId> {
        let record = self.unit.types.as_record(ty);
        let complete = record.filter(|&id| self.unit.types.records[id].layout.is_some());
        let Some(mut record) = complete else {
            if !self.is_error_type(ty) {
                let shown = self.show(ty);
                self.error(span, format!("`{shown}` has no members"));
            }
            return None;
        };
        let Some(path) = find_member(&self.unit.types, record, name) else {
            self.no_member(record, name, span);
            return None;
        };
        let mut ty = ty;
        for index in path {
            let layout = self.unit.types.records[record].layout.as_ref()?;
            let field = layout.fields.get(index as usize)?;
            if field.bits.is_some() {
                self.error(span, "`offsetof` of a bit-field");
                return None;
            }
            *offset = offset.wrapping_add(field.offset);
            ty = field.ty.ty;
            if let Some(inner) = self.unit.types.as_record(ty) {
                record = inner;
            }
        }
        Some(ty)
    }

    /// `sum + index * size`, in `size_t`.
    fn scaled_index(
        &mut self,
        index: ExprId,
        size: u64,
        sum: Option<ExprId>,
        span: Span,
    ) -> Option<ExprId> {
        let size_type = self.unit.types.basic.size;
        let index = self.convert(index, size_type);
        let size = self.size_const(size, span);
        let scaled = ExprKind::Binary(crate::hir::BinaryOp::Mul, index, size);
        let scaled = self.push(scaled, size_type, span);
        Some(match sum {
            None => scaled,
            Some(sum) => {
                let kind = ExprKind::Binary(crate::hir::BinaryOp::Add, sum, scaled);
                self.push(kind, size_type, span)
            }
        })
    }
}
