//! `va_start`, `va_arg`, `va_copy` and `va_end`.

use rhumb_program::Span;

use super::Sema;
use crate::ast::{self, TypeName};
use crate::ctypes::{CType, TypeId};
use crate::hir::{ExprId, ExprKind, Intrinsic};

impl Sema<'_> {
    /// `__builtin_va_start`, `__builtin_va_copy` or `__builtin_va_end`; `base` is the name without its prefix.
    pub(super) fn va_builtin(&mut self, base: &str, args: &[ast::ExprId], span: Span) -> ExprId {
        if let ("va_end", &[list]) = (base, args) {
            let list = self.rvalue(list);
            return self.discard(list);
        }
        let lists = match (base, args) {
            // The second argument is there for the sake of compilers that look for its address.
            ("va_start", &[list] | &[list, _]) => vec![list],
            ("va_copy", &[to, from]) => vec![to, from],
            _ => {
                let message = format!("wrong number of arguments to `__builtin_{base}`");
                return self.fail(span, message);
            }
        };
        let mut pointers = Vec::with_capacity(lists.len());
        for list in lists {
            let pointer = self.va_list_pointer(list, base);
            if self.is_error(pointer) {
                return pointer;
            }
            pointers.push(pointer);
        }
        let is_variadic = self
            .unit
            .body
            .function
            .as_ref()
            .is_some_and(|function| function.variadic);
        let intrinsic = match base {
            "va_start" if !is_variadic => {
                return self.fail(span, "`va_start` in a function without `...`");
            }
            "va_start" => Intrinsic::VaStart,
            _ => Intrinsic::VaCopy,
        };
        let void = self.unit.types.basic.void;
        self.push(ExprKind::Intrinsic(intrinsic, pointers), void, span)
    }

    /// `__builtin_va_arg(list, type)`.
    pub(super) fn va_arg(&mut self, list: ast::ExprId, name: &TypeName, span: Span) -> ExprId {
        let pointer = self.va_list_pointer(list, "va_arg");
        let ty = self.type_name(name).ty.ty;
        if self.is_error(pointer) {
            return pointer;
        }
        if self.is_error_type(ty) {
            return self.error_expr(span);
        }
        let types = &self.unit.types;
        let is_value = types.scalar(ty).is_some() || types.as_record(ty).is_some();
        if !types.is_complete(ty) || (!is_value && types.unsupported(ty).is_none()) {
            let shown = self.show(ty);
            return self.fail(
                span,
                format!("`va_arg` can't give a value of type `{shown}`"),
            );
        }
        let kind = ExprKind::Intrinsic(Intrinsic::VaArg, vec![pointer]);
        self.place(kind, ty, span)
    }

    /// A pointer to the `va_list` that an expression names.
    fn va_list_pointer(&mut self, list: ast::ExprId, what: &str) -> ExprId {
        let list = self.expr(list);
        if self.is_error(list) {
            return list;
        }
        let va_list = self.unit.types.basic.va_list;
        let ty = self.ty(list);
        let pointer = match *self.unit.types.get(va_list) {
            // An array of one record: as a parameter it is a pointer.
            CType::Array(record, _) if ty == va_list || self.points_to(ty, record.ty) => {
                Some(self.value(list))
            }
            // `va_start`, `va_end` and `va_copy` are functions to gcc: any pointer will do.
            CType::Array(record, _)
                if what != "va_arg" && self.unit.types.pointee(ty).is_some() =>
            {
                let span = self.span(list);
                self.warn(span, format!("`{what}` of a pointer that is no `va_list`"));
                let list = self.value(list);
                let to = self.unit.types.pointer_to(record);
                Some(self.convert(list, to))
            }
            CType::Pointer(_) if ty == va_list && self.is_lvalue(list) => {
                self.mark_addr_taken(list);
                let span = self.span(list);
                let pointer = self
                    .unit
                    .types
                    .pointer_to(crate::ctypes::QualType::plain(va_list));
                Some(self.push(ExprKind::AddrOf(list), pointer, span))
            }
            _ => None,
        };
        pointer.unwrap_or_else(|| {
            let (span, shown) = (self.span(list), self.show(ty));
            self.fail(span, format!("`{what}` of a `{shown}`, not of a `va_list`"))
        })
    }

    fn points_to(&self, pointer: TypeId, to: TypeId) -> bool {
        let pointee = self.unit.types.pointee(pointer);
        pointee.is_some_and(|pointee| pointee.ty == to)
    }
}
